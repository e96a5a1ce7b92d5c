/* treebank/bracket.h
 * Penn-Treebank style bracket files: trees over one or many lines, TOP, ROOT, S1 or an empty label around a tree,
 * traces (-NONE-), function tags; lines between trees that begin with '<' (markup) or "*x*" (headers of the Penn
 * Treebank's files); and two dialects. Format: docs/FORMATS.md. */
#ifndef LAL_TREEBANK_BRACKET_H
#define LAL_TREEBANK_BRACKET_H

#include "base/stream.h"
#include "treebank/tree.h"

typedef enum BracketDialect {
    BRACKET_PENN,
    BRACKET_HELSINKI, /* IcePaHC and its kin: leaves "word-lemma", traces "0" and "*...", parts of a word joined by '$',
                         (ID ...) and (CODE ...) beside the tree */
    BRACKET_NESTED, /* Indonesian treebank: leaves "(NN (word))", blanks in words, traces "(*-1)", a sentence id before
                       the tree */
} BracketDialect;

typedef struct BracketOptions {
    bool strip_functions; /* of phrases: NP-SBJ-1 -> NP, PP=2 -> PP, ADVP|PRT -> ADVP; NP##x=y## -> NP; tags of words
                             keep all but ##...: "N-D", "-LRB-" */
    bool keep_traces;     /* -NONE- is a word like others, and phrases over traces stay */
    bool keep_spelling;   /* sentences get Sentence.spelled */
    BracketDialect dialect;
    Notes *notes; /* takes trees and header lines that were skipped; or NULL */
} BracketOptions;

/* Reads all trees of a block and appends them to tb. Words lose their bracket escapes and the backslash of \/ and \*.
 * Traces and phrases emptied by them are removed. A tree of traces alone is skipped with a note, as is one of nothing
 * but ID and CODE without a note; any other tree that has no word is an error. ERR_FORMAT with line and column; past
 * TREE_MAX_DEPTH or TREE_MAX_WORDS (treebank/builder.h) too. */
Status bracket_read(Treebank *tb, TextBlock block, BracketOptions o, Error *e);

/* A unit is a tree (base/stream.h). */
size_t bracket_cut(CutState *s, const char *p, size_t n);

#endif
