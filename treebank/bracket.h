/* treebank/bracket.h
 * Penn-Treebank style bracket files: trees over one or many lines, TOP, ROOT, S1 or an empty label around a tree,
 * traces (-NONE-), function tags; lines of markup between trees that begin with '<'; and two dialects. Format: docs/FORMATS.md. */
#ifndef LAL_TREEBANK_BRACKET_H
#define LAL_TREEBANK_BRACKET_H

#include "treebank/tree.h"

typedef enum BracketDialect {
    BRACKET_PENN,
    BRACKET_HELSINKI, /* IcePaHC and its kin: leaves "word-lemma", traces "0" and "*...", parts of a word joined by '$', (ID ...) and (CODE ...) beside the tree */
    BRACKET_NESTED, /* Indonesian treebank: leaves "(NN (word))", blanks in words, traces "(*-1)", a sentence id before the tree */
} BracketDialect;

typedef struct BracketOptions {
    bool
        strip_functions; /* of phrases: NP-SBJ-1 -> NP, PP=2 -> PP, ADVP|PRT -> ADVP; NP##x=y## -> NP; tags of words keep all but ##...: "N-D", "-LRB-" */
    bool keep_traces; /* -NONE- is a word like others, and phrases over traces stay */
    BracketDialect dialect;
} BracketOptions;

/* Reads all trees of text (path names it in errors) behind those already in tb. Words lose their bracket escapes and
 * the backslash of \/ and \*. Traces and phrases emptied by them are removed; a tree that has no word left is an error, but one of nothing but ID and CODE.
 * ERR_FORMAT with line and column; past TREE_MAX_DEPTH or TREE_MAX_WORDS (treebank/builder.h) too. */
Status bracket_read(Treebank *tb, StrView text, const char *path, BracketOptions o, Error *e);

#endif
