/* treebank/conll.h
 * Dependencies: CoNLL-X and CoNLL-U, ten tab-separated columns, an empty line behind each sentence. Read: FORM (2),
 * UPOS/CPOSTAG (4), XPOS/POSTAG (5), HEAD (7), DEPREL (8). Ranges (3-4) are kept beside the words;
 * comments and empty nodes (3.1) are skipped. */
#ifndef LAL_TREEBANK_CONLL_H
#define LAL_TREEBANK_CONLL_H

#include "base/stream.h"
#include "treebank/tree.h"

typedef struct ConllOptions {
    bool keep_lines;    /* every line as it stands, for conll_write_lines (Sentence.lines) */
    bool keep_spelling; /* sentences get Sentence.spelled */
} ConllOptions;

/* Reads all sentences of a block and appends them to tb. A sentence's tags are column 5, or column 4 where that is "_".
 * Heads must form a tree with one root. ERR_FORMAT with line and column. */
Status conll_read(Treebank *tb, TextBlock block, ConllOptions o, Error *e);

/* A unit is a sentence: ends with an empty line (base/stream.h). */
size_t conll_cut(CutState *s, const char *p, size_t n);

/* Gives a sentence with a tree the heads and types of deps, comparing words (bracket escapes aside); strings and arrays
 * stay with deps. number is that of the sentence, from 1. ERR_FORMAT names both places. */
Status sentence_pair(Sentence *tree, const Sentence *deps, long number, const char *tree_path, const char *dep_path,
                     Error *e);

/* Gives the sentences of trees, from `first` on, the heads and types of those of deps, one to one, comparing words
 * (bracket escapes aside). Strings stay in deps, which must outlive trees. ERR_FORMAT names both places. */
Status treebank_pair(Treebank *trees, int first, const Treebank *deps, const char *tree_path, const char *dep_path,
                     Error *e);

typedef enum ConllStyle { /* the first ones in the order of Escapes */
                          CONLL_X,
                          CONLL_X_ESCAPE_ALL,
                          CONLL_X_ESCAPE_INPUT,
                          CONLL_U
} ConllStyle;

/* Appends one sentence and its empty line. CoNLL-X escapes words (see Escapes); CoNLL-U does not and takes misc[w] (or
 * NULL) as its last column. Unknown values are "_". */
void conll_write(StrBuf *out, const Sentence *s, ConllStyle style, const char *const *misc);

/* Appends a sentence as it was read, comments, ranges, empty nodes and all columns kept, but with the heads and types
 * it has now. The sentence has lines. */
void conll_write_lines(StrBuf *out, const Sentence *s);

#endif
