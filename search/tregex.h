/* Which nodes of a tree match a pattern of Tregex (Levy and Andrew 2006, LREC), and in how many ways? Patterns, the
 * order and count of matches follow Stanford CoreNLP 4.5.10, except that every label has a head. */
#pragma once

#include "search/node_tree.h"

typedef struct Tregex Tregex; /* for one thread, and one map of labels */

/* Reads a pattern of one line; names and labels are UTF-8. NULL with ERR_FORMAT: path "pattern", the column of the byte
 * in error, or ERR_NOMEM. */
Tregex *tregex_compile(StrView text, HeadFinder heads, Error *error);
void tregex_free(Tregex *pattern);

/* Writes to *out, which it clears, a pattern with its macros replaced: lines of a name, a tab and a replacement, in
 * their order, as Java's replaceAll does (regex_replace in search/regex.h: a dollar is written \$); empty lines and
 * those that begin with # count for nothing. ERR_FORMAT at macros_path, line and column; ERR_LIMIT; ERR_NOMEM. */
Status tregex_expand(StrView pattern, StrView macros, const char *macros_path, StrBuf *out, Error *error);

/* Names of nodes and of variables in the order of the pattern. */
int tregex_names(const Tregex *pattern);
const char *tregex_name(const Tregex *pattern, int k);
int tregex_variables(const Tregex *pattern);
const char *tregex_variable(const Tregex *pattern, int k);

typedef struct TregexMatch {
    int node;
    const int *named;        /* [tregex_names] -1: unset */
    const StrView *variable; /* [tregex_variables] ptr NULL: unset; strings of the map of labels */
} TregexMatch;

typedef struct TregexSearch {
    /* Takes a match, valid during the call; false: enough. */
    bool (*take)(struct TregexSearch *search, const TregexMatch *match);
    long most_steps; /* relations, candidates and what each is tested for; 0: as many as there are */
} TregexSearch;

/* Calls search->take for every match: nodes in pre-order, and of one node the ways to match in which the last relation
 * varies fastest. Pass the same `labels` in all calls for a pattern. ERR_LIMIT beyond most_steps
 * or the limits of a regular expression; ERR_NOMEM. */
Status tregex_search(Tregex *pattern, NodeTree *tree, const StrMap *labels, TregexSearch *search, Error *error);
