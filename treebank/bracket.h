/* treebank/bracket.h
 * Penn-Treebank style bracket files: trees over one or many lines, TOP, ROOT, S1 or an empty label around a tree,
 * traces (-NONE-), function tags; lines of markup between trees that begin with '<'. Format: docs/FORMATS.md. */
#ifndef LAL_TREEBANK_BRACKET_H
#define LAL_TREEBANK_BRACKET_H

#include "treebank/tree.h"

enum {
    BRACKET_MAX_DEPTH = 2000,   /* nesting of one tree */
    BRACKET_MAX_WORDS = 100000, /* words of one tree */
};

typedef struct BracketOptions {
    bool
        strip_functions; /* of phrases: NP-SBJ-1 -> NP, PP=2 -> PP, ADVP|PRT -> ADVP; NP##x=y## -> NP; tags of words keep all but ##...: "N-D", "-LRB-" */
    bool keep_traces; /* -NONE- is a word like others, and phrases over traces stay */
} BracketOptions;

/* Reads all trees of text (path names it in errors) behind those already in tb. Words lose their bracket escapes and
 * the backslash of \/ and \*. Traces and phrases emptied by them are removed; a tree that has no word left is an error.
 * ERR_FORMAT with line and column. */
Status bracket_read(Treebank *tb, StrView text, const char *path, BracketOptions o, Error *e);

#endif
