/* treebank/tree.h
 * What a sentence is: words, tags, phrases, dependencies. A tree is kept as the list of its phrases in pre-order, each
 * a span of fenceposts and a label; nesting follows from the spans and the order. */
#ifndef LAL_TREEBANK_TREE_H
#define LAL_TREEBANK_TREE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

/* A phrase over words begin .. end-1 (0-based), that is between fenceposts begin and end; begin < end. */
typedef struct Phrase {
    int begin, end;
    const char *label;
} Phrase;

/* A line of the CoNLL file a sentence was read from. */
typedef struct ConllLine {
    const char *text;
    int word; /* the word it is the row of, or -1: a comment, a range, an empty node */
} ConllLine;

/* A token of several words, such as "du" over "de", "le" (a range of CoNLL-U). */
typedef struct WordRange {
    int begin, end; /* words begin .. end-1, 0-based */
    const char *form;
} WordRange;

typedef struct Sentence {
    int n_words;
    const char **words;   /* [n_words] without bracket escapes: "(" not "-LRB-" */
    const char **tags;    /* [n_words], or NULL when unknown */
    const char **spelled; /* [n_words] as the file spells them: "-LCB-", "1\\/2"; NULL unless the reader was asked to
                             keep them */
    int n_phrases;        /* 0 = no tree (or a bare word under TOP) */
    Phrase *phrases;      /* [n_phrases] pre-order; a parent before its child also when their spans are equal; no TOP */
    int *heads;           /* [n_words] 1-based head of each word, 0 = root; NULL = no dependencies */
    const char **types;   /* [n_words] */
    bool has_tree;
    long line;              /* where it begins in its file, 1-based */
    const ConllLine *lines; /* [n_lines] when conll_read was asked to keep them, else NULL */
    int n_lines;
    const WordRange *ranges; /* [n_ranges] in order, without overlap; from CoNLL-U */
    int n_ranges;
} Sentence;

/* Sentences of one or more files; all strings and arrays live in the arena and go together. */
typedef struct Treebank {
    Sentence *s; /* [n] */
    int n, cap;
    Arena arena;
} Treebank;

void treebank_init(Treebank *tb);
void treebank_fini(Treebank *tb);
/* A fresh zeroed sentence at the end, or NULL when memory is out. */
Sentence *treebank_add(Treebank *tb);

/* Escapes of brackets in treebank text, anywhere in a word: "(" <-> "-LRB-", ")" <-> "-RRB-", and of square and curly
 * ones "-LSB-", "-RSB-",
 * "-LCB-", "-RCB-". All are undone in reading; in writing, round ones alone or all. Both append to out. */
typedef enum Escapes {
    ESCAPE_ROUND,
    ESCAPE_ALL,
    ESCAPE_INPUT, /* words with a spelling of their own keep it, others are escaped as by ESCAPE_ROUND */
} Escapes;
void tree_escape_word(StrBuf *out, const char *word, Escapes escapes);
void tree_unescape_word(StrBuf *out, const char *word, size_t len);
/* Appends word w of a sentence, escaped. */
void tree_write_word(StrBuf *out, const Sentence *s, int w, Escapes escapes);

/* Appends "(TOP (S (NP (DT the) ...) ...))" on one line, without newline. Words are escaped; a missing tag is "XX". */
void tree_write(StrBuf *out, const Sentence *s);

typedef struct TreeStyle {
    /* label around the tree, "" for none but the bracket; NULL: nothing, where the tree has one root */
    const char *top;
    bool pretty; /* a phrase a line, indented by two blanks a level */
    Escapes escapes;
} TreeStyle;
/* Appends a tree in that style, without newline at its end. Out of memory sets out->failed. */
void tree_write_as(StrBuf *out, const Sentence *s, TreeStyle style);

#define LABEL_JOIN "::" /* between the labels of a unary chain, outermost first */

/* Index behind the unary chain that begins with phrase p: phrases over the same words. */
int tree_chain(const Sentence *s, int p);
/* Appends the labels of phrases from .. to-1, joined. */
void tree_chain_label(StrBuf *out, const Sentence *s, int from, int to);
/* The unary chains as one phrase each, *n of them in pre-order, labels joined; array and new labels lie in the arena.
 * NULL: memory is out. */
Phrase *tree_chains(const Sentence *s, Arena *arena, int *n);
/* Makes one phrase of each unary chain; oracle_undo splits them. The new phrases lie in the arena. false: memory is
 * out. */
bool tree_collapse(Sentence *s, Arena *arena);

/* Words of a phrase whose head lies outside it; the sentence has heads. A joint tree has 1. */
int phrase_outside_heads(const Sentence *s, const Phrase *p);
/* The same of all phrases: outside [n_phrases], in (words + phrases) log words. Heads 0 .. n_words. false: memory is
 * out. */
bool tree_outside_heads(const Sentence *s, int *outside);

/* Do no two arcs cross, the one from the root included? Heads 0 .. n, cycles or not. false: memory is out. */
bool tree_heads_projective(const int *heads, int n, bool *projective);

/* Do the heads form one tree over the words: one root, no cycle, every head in range? On failure *word is the word
 * (1-based, 0: all) and *what a phrase such as "a cycle", or NULL: memory is out. */
bool tree_heads_valid(const int *heads, int n, int *word, const char **what);

#endif
