/* Builds the sentence of a tree that is read from left to right, for readers of any notation: they open and close
 * phrases and add words. */
#pragma once

#include "treebank/tree.h"

enum {
    TREE_MAX_DEPTH = 2000, /* nested phrases of one tree */
    /* words of one tree: more than a paragraph, or a sentence of 64 MiB in CoNLL, can have */
    TREE_MAX_WORDS = 4000000,
};

typedef struct TreeBuilder {
    Treebank *tb;
    const char *path; /* used in messages */
    Error *e;
    long line, column; /* place for errors, kept up to date by the reader */
    int *open;         /* [depth] phrases that are not closed yet: indices into phrases */
    int depth, open_cap;
    Phrase *phrases;
    int n_phrases, phrase_cap;
    const char **words, **tags, **spelled;
    bool keep_spelling; /* fill Sentence.spelled */
    int n_words, word_cap, tag_cap, spelled_cap;
} TreeBuilder;

void builder_init(TreeBuilder *builder, Treebank *tb, const char *path, Error *error);
void builder_fini(TreeBuilder *builder);

/* Sets an error at the builder's line and column; returns ERR_FORMAT. */
Status builder_fail(const TreeBuilder *builder, const char *what);
/* Sets an out-of-memory error; returns ERR_NOMEM. */
Status builder_no_memory(const TreeBuilder *builder);

/* Opens a phrase; label is copied. ERR_FORMAT if it is no label (tree_is_label) or on too many levels, ERR_NOMEM. */
Status builder_open(TreeBuilder *builder, StrView label);
/* Adds a word; tag and word are copied. ERR_FORMAT if tree_is_name or tree_is_word refuses them, or on too many words,
 * ERR_NOMEM. */
Status builder_word(TreeBuilder *builder, StrView tag, StrView word);
/* Sets the spelling of the last word; the default is the word itself. Ignored unless keep_spelling. ERR_NOMEM. */
Status builder_spelling(TreeBuilder *builder, StrView spelled);
/* Closes the innermost open phrase. */
void builder_close(TreeBuilder *builder);
/* Drops everything built since the last sentence. */
void builder_drop(TreeBuilder *builder);
/* Appends the sentence, without phrases that have no words, to the treebank. ERR_FORMAT if it has no words,
 * ERR_NOMEM. */
Status builder_finish(TreeBuilder *builder, long line);
