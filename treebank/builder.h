/* treebank/builder.h
 * Makes the sentence of a tree that is read from left to right, whatever its notation: phrases open and close, words
 * stand between. */
#ifndef LAL_TREEBANK_BUILDER_H
#define LAL_TREEBANK_BUILDER_H

#include "treebank/tree.h"

enum {
    TREE_MAX_DEPTH = 2000,   /* nesting of one tree */
    TREE_MAX_WORDS = 100000, /* words of one tree */
};

typedef struct TreeBuilder {
    Treebank *tb;
    const char *path; /* names the file in errors */
    Error *e;
    long line, column; /* of what is being read: the reader keeps them up to date, errors name them */
    int *open;         /* [depth] phrases that are not closed yet */
    int depth, open_cap;
    Phrase *phrases;
    int n_phrases, phrase_cap;
    const char **words, **tags, **spelled;
    bool keep_spelling; /* sentences get Sentence.spelled */
    int n_words, word_cap, tag_cap, spelled_cap;
} TreeBuilder;

void builder_init(TreeBuilder *b, Treebank *tb, const char *path, Error *e);
void builder_fini(TreeBuilder *b);

/* An error at the place the builder stands; returns ERR_FORMAT. */
Status builder_fail(const TreeBuilder *b, const char *what);
/* The same for memory; returns ERR_NOMEM. */
Status builder_no_memory(const TreeBuilder *b);

/* Begins a phrase; ERR_FORMAT on a label of no length or too many levels, ERR_NOMEM. */
Status builder_open(TreeBuilder *b, StrView label);
/* Adds a word, both copied as they are; ERR_FORMAT on too many words or one that has no character, ERR_NOMEM. */
Status builder_word(TreeBuilder *b, StrView tag, StrView word);
/* Says how the file spells the word added last; without it, as the word is. ERR_NOMEM. */
Status builder_spelling(TreeBuilder *b, StrView spelled);
/* Ends the phrase opened last. */
void builder_close(TreeBuilder *b);
/* Forgets what was built since the last sentence. */
void builder_drop(TreeBuilder *b);
/* Ends the sentence: phrases without words go, the rest becomes the last sentence of the treebank, its line as given.
 * ERR_FORMAT when it has no word. */
Status builder_finish(TreeBuilder *b, long line);

#endif
