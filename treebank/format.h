/* treebank/format.h
 * Treebank files of any notation. */
#ifndef LAL_TREEBANK_FORMAT_H
#define LAL_TREEBANK_FORMAT_H

#include "treebank/bracket.h"

typedef enum TreebankFormat {
    FORMAT_AUTO,
    FORMAT_BRACKETS,
    FORMAT_ICEPAHC, /* BRACKET_HELSINKI */
    FORMAT_IDN,     /* BRACKET_NESTED */
    FORMAT_SINICA,
    FORMAT_GENIA,
    FORMAT_CONLL,
} TreebankFormat;

/* What a text looks like by its first characters: brackets, "<" of Chinese Treebank markup or "*x*" of a header,
 * "<?xml" or "<!DOCTYPE" (GENIA), "#1:" (Sinica), else CoNLL. FORMAT_ICEPAHC and FORMAT_IDN are not told from brackets.
 */
TreebankFormat format_guess(StrView text);

/* Appends the sentences of a text to tb; FORMAT_AUTO guesses. CoNLL keeps its lines (Sentence.lines). ERR_FORMAT,
 * ERR_NOMEM. */
Status format_read(Treebank *tb, TextBlock block, TreebankFormat format, BracketOptions o, Error *e);

/* How bracket_read is to read one of the bracket formats. */
BracketDialect format_dialect(TreebankFormat format);

#endif
