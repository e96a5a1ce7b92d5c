/* Which words of a dependency graph match a pattern of Semgrex (Chambers et al. 2007), and in how many ways? Patterns
 * and match counts follow Stanford CoreNLP 4.5.10; matches come in text order, those of a pattern with ":: uniq" in
 * CoreNLP's. Otherwise than there, !{$} matches every word but a root (it never does); ![A | B] and ?[A | B] of
 * relations end; a name under ?RELATION that is not met is unset (it may keep a word of an earlier match); and << finds
 * all that is above a word in a cycle (it may stop at a word that it passed before). */
#pragma once

#include "search/dep_nodes.h"

typedef struct Semgrex Semgrex; /* for one thread */

/* Reads a pattern of one line, UTF-8; caseless: values of attributes match without regard to case. NULL with
 * ERR_FORMAT: path "pattern", the column of the byte in error, or ERR_NOMEM. */
Semgrex *semgrex_compile(StrView text, bool caseless, Error *error);
void semgrex_free(Semgrex *pattern);

/* Names of nodes, of relations (~name) and of edges (=name), in the order of the pattern. */
int semgrex_names(const Semgrex *pattern);
const char *semgrex_name(const Semgrex *pattern, int k);
int semgrex_relations(const Semgrex *pattern);
const char *semgrex_relation(const Semgrex *pattern, int k);
int semgrex_edges(const Semgrex *pattern);
const char *semgrex_edge(const Semgrex *pattern, int k);

/* Does the pattern end in ":: uniq NAME...", and is name k listed there? Callers drop a match whose named words equal
 * those of an earlier match, since uniqueness spans sentences. */
bool semgrex_is_unique(const Semgrex *pattern);
bool semgrex_unique_by(const Semgrex *pattern, int k);

#define SEMGREX_NO_RELATION "null" /* of a name behind a relation of places, as CoreNLP has it */

typedef struct SemgrexMatch {
    int node;
    const int *named;            /* [semgrex_names] -1: unset */
    const char *const *relation; /* [semgrex_relations] NULL: unset */
    const int *edge;             /* [semgrex_edges] edges of the graph; -1: unset */
} SemgrexMatch;

typedef struct SemgrexSearch {
    /* Takes a match, valid during the call; false: enough. */
    bool (*take)(struct SemgrexSearch *search, const SemgrexMatch *match);
    long most_steps; /* relations, candidates and what each is tested for; 0: as many as there are */
} SemgrexSearch;

/* Calls search->take for every match, nodes in the order of the text, of one node the ways to match in which the last
 * relation varies fastest. ERR_LIMIT beyond most_steps or the limits of a regular expression; ERR_NOMEM. */
Status semgrex_search(Semgrex *pattern, const DepNodes *graph, SemgrexSearch *search, Error *error);
