/* Treebank files of any notation. */
#pragma once

#include "treebank/bracket.h"

typedef enum TreebankFormat {
    FORMAT_AUTO,
    FORMAT_BRACKETS,
    FORMAT_ICEPAHC, /* BRACKET_HELSINKI */
    FORMAT_IDN,     /* BRACKET_NESTED */
    FORMAT_CONLL,
    FORMAT_JSON_LINES, /* lines of lal parse --format json */
} TreebankFormat;
#define FORMAT_CHOICES "auto|brackets|icepahc|idn|conll|json" /* in this order */

/* Guesses the format from the first characters: "(", "<" (markup of the Chinese Treebank) or "*x*" (a header) is
 * brackets; "{" is JSON; anything else is CoNLL. Never FORMAT_ICEPAHC or FORMAT_IDN, which cannot be distinguished from
 * brackets. FORMAT_AUTO for XML ("<?xml", "<!DOCTYPE") and trees of the Sinica Treebank ("#1:"), in which readers of
 * brackets and CoNLL would find markup or comments and no sentence. */
TreebankFormat format_guess(StrView text);
/* Refuses such a file with ERR_FORMAT, and names the scripts that convert it. */
Status format_unknown(const char *path, Error *error);

/* Whether the beginning of what was given as raw text is a treebank: FORMAT_BRACKETS if it begins with a bracket and a
 * label in which there is a word with a tag, "(S (NN word)"; FORMAT_CONLL if its first line that is neither empty nor a
 * comment has eight or more columns separated by tabs and begins with the number of a word; FORMAT_JSON_LINES if it
 * begins with an object with a member, {"id":; else FORMAT_AUTO. */
TreebankFormat format_suspect(StrView text);

/* The dialect of a bracket format. */
BracketDialect format_dialect(TreebankFormat format);
