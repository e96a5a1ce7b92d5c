/* What a query finds in a sentence: the nodes of a match. */
#pragma once

#include "search/searched.h"
#include "search/semgrex.h"
#include "search/tregex.h"

/* A node of a sentence: a phrase, a tag or a word of the tree, and a word or an empty node of the graph, or one of both
 * alone; -1: not. */
typedef struct Place {
    int tree, graph;
} Place;

typedef struct Match {
    Place match;             /* what the pattern begins with: of both patterns each one's */
    const Place *named;      /* [query_names]; {-1, -1}: unset */
    const TregexMatch *tree; /* NULL: the query has no such pattern */
    const SemgrexMatch *graph;
} Match;
