/* Which word of a dependency graph governs, precedes or stands beside which? Words and empty nodes with their
 * attributes and edges, in the order of the text. */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "treebank/tree.h"

typedef struct DepEdge {
    int governor, dependent; /* nodes; governor -1: the root */
    const char *relation;
} DepEdge;

typedef struct DepNode {
    int number, copy; /* 8 and 1 of the empty node 8.1; copy 0: a word */
    const char *form;
    const char *lemma, *upos, *tag, *feats; /* NULL: unknown */
    const char *before, *after;             /* the blank, or "" */
    const char *range, *range_misc;         /* form and MISC of the multiword token around the word, or NULL */
    bool first_in_range;
    bool is_root;
    int first_down, n_down; /* edges to its dependents, in DepNodes.down */
    int first_up, n_up;     /* edges from its governors, in DepNodes.up */
} DepNode;

typedef struct DepNodes {
    DepNode *node; /* [n] */
    int n;
    DepEdge *edge; /* [n_edges] arcs between nodes; arcs from the root set is_root instead */
    int n_edges;
    int *down, *up;    /* [n_edges] numbers of edges */
    const char **word; /* [n_words] all words, also those that are no node because nothing governs them */
    int n_words;
    long sentence; /* its number in the file, from 0 */
    bool glued;    /* no blank follows its last word */
} DepNodes;

/* The graph of a sentence of CoNLL-U, its rows without the empty line after it: the enhanced one of column 9, or the
 * tree of columns 7 and 8. Strings and arrays are in the arena. ERR_FORMAT with a line counted from the first;
 * ERR_NOMEM. */
Status dep_nodes_read(DepNodes *graph, StrView rows, bool enhanced, Arena *arena, Error *error);
/* The graph of a sentence with dependencies: Sentence.graph, if enhanced and there, or its tree of heads. Texts are
 * borrowed, arrays are in the arena. ERR_NOMEM. */
Status dep_nodes_of(DepNodes *graph, const Sentence *sent, bool enhanced, Arena *arena, Error *error);
/* The node of a number and copy; -1: none. */
int dep_nodes_find(const DepNodes *graph, long number, long copy);

/* What lies before the first word, where the graph is of the sentence after another one: without it, a blank. */
void dep_nodes_follow(DepNodes *graph, const DepNodes *previous);
