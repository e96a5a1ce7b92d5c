/* What a user searches for: a pattern of trees, a pattern of graphs, or both over the same words, and conditions on the
 * nodes that they name. */
#pragma once

#include "search/where.h"

typedef struct Query Query; /* for one thread */

typedef enum QueryKind { QUERY_AUTO, QUERY_TREGEX, QUERY_SEMGREX } QueryKind;
#define QUERY_CHOICES "auto|tregex|semgrex" /* in this order */
/* Semgrex if a pattern begins with a brace, after brackets and signs; else Tregex. */
QueryKind query_kind(StrView pattern);

typedef struct QueryOptions {
    StrView tregex, semgrex; /* ptr NULL: none; at least one is there */
    StrView where;           /* conditions (search/where.h), or ptr NULL */
    HeadFinder heads;        /* of Tregex */
    bool caseless;           /* values of Semgrex */
    bool uniq;               /* ":: uniq" of Semgrex holds over all sentences that are searched */
} QueryOptions;

/* NULL with ERR_FORMAT: path "pattern" or "where", the column of the byte in error; or ERR_NOMEM. */
Query *query_compile(const QueryOptions *options, Error *error);
/* The same query, which begins again for another map of labels but remembers what ":: uniq" has seen. Takes the
 * place of `query`, which is freed if this succeeds; options are those of query_compile. NULL with ERR_NOMEM. */
Query *query_again(Query *query, const QueryOptions *options, Error *error);
void query_free(Query *query);
/* What is asked about: ASKS_. */
int query_asks(const Query *query);

/* What has a name in a pattern. A name that both patterns have is a phrase and its head word. */
int query_names(const Query *query);
const char *const *query_name_list(const Query *query);
static inline const char *query_name(const Query *query, int k) { return query_name_list(query)[k]; }

/* The patterns, for the names of their variables, relations and edges; NULL: none. */
const Tregex *query_tregex(const Query *query);
const Semgrex *query_semgrex(const Query *query);

typedef struct QuerySearch {
    /* Takes a match, valid during the call; false: enough. */
    bool (*take)(struct QuerySearch *search, const Match *match);
    /* candidates of each pattern that are looked at in a sentence, and pairs of matches that are compared; 0: as
     * many as there are */
    long most_steps;
} QuerySearch;

/* Calls search->take for every match in the order of the patterns, Tregex's first. A sentence without what a pattern
 * asks about has none. Pass the same `labels` in all calls for a query. ERR_LIMIT beyond most_steps or the limits of a
 * regular expression; ERR_NOMEM. */
Status query_search(Query *query, Searched *sentence, const StrMap *labels, QuerySearch *search, Error *error);
