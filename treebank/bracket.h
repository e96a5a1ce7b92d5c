/* Bracket files in the style of the Penn Treebank: trees on one or many lines, with TOP, ROOT, S1 or an empty label
 * around them, traces (-NONE-) and function tags; between trees, lines that begin with '<' (markup) or "*x*" (headers
 * of the Penn Treebank's files) are skipped. Two dialects. Format: docs/FORMATS.md. */
#pragma once

#include "base/stream.h"
#include "treebank/tree.h"

typedef enum BracketDialect {
    BRACKET_PENN,
    /* IcePaHC and similar: leaves "word-lemma", traces "0" and "*...", '$' where a word is split, (ID ...) and (CODE
     * ...) next to the tree */
    BRACKET_HELSINKI,
    /* Indonesian treebank: leaves "(NN (word))", blanks in words, traces "(*-1)", a sentence id before the tree */
    BRACKET_NESTED,
} BracketDialect;

typedef struct BracketOptions {
    /* cut labels of phrases: NP-SBJ-1 -> NP, PP=2 -> PP, ADVP|PRT -> ADVP, NP##x=y## -> NP. Of tags only ##... is cut:
     * "N-D" and "-LRB-" stay */
    bool strip_functions;
    bool keep_traces;   /* treat -NONE- as a word, and keep phrases over traces */
    bool keep_spelling; /* fill Sentence.spelled */
    BracketDialect dialect;
    Notes *notes; /* receives skipped trees and header lines; may be NULL */
} BracketOptions;

/* Reads all trees of a block and appends them to tb. Bracket escapes in words and the backslashes of \/ and \* are
 * undone. Traces are removed, and phrases without other words. A tree that has only traces is skipped with a note, a
 * tree that has only ID and CODE without a note; any other tree without words is an error. ERR_FORMAT with line and
 * column, also beyond TREE_MAX_DEPTH and TREE_MAX_WORDS (treebank/builder.h); ERR_NOMEM. */
Status bracket_read(Treebank *tb, TextBlock block, BracketOptions options, Error *error);

/* A unit is a tree (base/stream.h). */
size_t bracket_cut(CutState *state, const char *text, size_t count);
