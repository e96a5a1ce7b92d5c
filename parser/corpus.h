/* parser/corpus.h
 * Treebank files given on the command line: trees, dependencies, or both of the same sentences. */
#ifndef LAL_PARSER_CORPUS_H
#define LAL_PARSER_CORPUS_H

#include "treebank/head_rules.h"

typedef struct Corpus {
    Treebank trees; /* the sentences; their heads point into deps when both files were given */
    Treebank deps;
    HeadRules *rules; /* which made the dependencies, or NULL */
    char name[64];    /* of the treebank */
} Corpus;

/* Reads `trees` (brackets) and `deps` (CoNLL), either may be NULL, not both; with both, words are compared. Where the name of deps ends in
 * ".rules", it is a table of head rules, which make the dependencies of the trees. Function tags are stripped. name: as given, or the name of the folder the file lies in. */
Status corpus_load(Corpus *c, const char *trees, const char *deps, const char *name, Error *e);
void corpus_fini(Corpus *c);

/* Gives trees the dependencies of such a table, one that comes with the program if `path` is the bare name of none at hand ("english.rules"). *rules is the
 * caller's, also on an error, and outlives the trees. */
bool corpus_is_rules(const char *path);
Status corpus_apply_rules(Treebank *trees, const char *path, HeadRules **rules, Error *e);

/* Adds the sentences of one file, brackets without function tags or CoNLL, to tb. ERR_FORMAT on a file without any. */
Status corpus_read(Treebank *tb, const char *path, bool brackets, Error *e);

#endif
