/* Which tree scores best. Charts are over spans (i, j), 0 <= i < j <= n, numbered by chart_span. */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "tensor/kernels.h"
#include "treebank/tree.h"

enum { CHART_EMPTY = 0, CHART_GROUP = 1 }; /* label numbers: not a phrase; <H> */

/* Number of spans of n words, and the number of span (i, j). */
static inline long chart_size(int n) { return (long)n * (n + 1) / 2; }
static inline long chart_span(int n, int i, int j) { return (long)i * (2 * n - i + 1) / 2 + (j - i - 1); }

/* Nodes of binary trees are spans; label CHART_EMPTY where the span is no phrase. */
typedef struct JointTree {
    int n_nodes; /* 2 n - 1 */
    Span *nodes; /* pre-order */
    int *heads;  /* [n] 1-based, 0 = root */
    double score;
} JointTree;

/* What a tree may have of a span. */
typedef enum SpanState {
    SPAN_FREE,
    SPAN_PHRASE, /* where it is a node, it is labelled */
    SPAN_NONE    /* it is no node */
} SpanState;

/* Joint span and dependency decoding (Zhou and Zhao 2019; Mrini et al. 2020, section 3), exact in O(n^4) time and
 * O(n^3) memory: Dep(a, b, g), the best score of span (a, b) attached as a dependent of g, is tabulated once per span.
 * Spans that cannot be in the best tree, by a bound, are skipped: time is nearly O(n^3) where a parser is sure of the
 * tree.
 *   s: [chart_size(n)] by chart_span, already multiplied by lambda; proper of a single word, -INFINITY: no label
 *   t: [(n + 1) * (n + 1)], row = dependent (1-based), column = head (0 = root), already multiplied by 1 - lambda;
 *      -INFINITY: the tree must not have the arc
 *   state: [chart_size(n)] the SpanState of each span (cky/constraint.h makes them), or NULL: SPAN_FREE
 * Constraints: a dependent is a single word or a labelled span; no <H> on single words and on the whole sentence; the
 * whole sentence is labelled, one word too. Projective, one root. Ties: the smallest split, head on the left before
 * head on the right, the smallest head. The result lies in `out`; `scratch`, which may be the same arena, is rewound.
 * Scores but for -INFINITY must be so small that sums of them are finite. Where no tree satisfies t and state, the
 * score is -INFINITY, n_nodes is 0 and heads mean nothing. NULL with *error on ERR_NOMEM. */
JointTree *joint_decode_under(const SpanBest *best, const Real *t, const unsigned char *state, int n, Arena *scratch,
                              Arena *out, Error *error);

/* joint_decode_under with every span free. */
static inline JointTree *joint_decode(const SpanBest *best, const Real *t, int n, Arena *scratch, Arena *out,
                                      Error *error)
{
    return joint_decode_under(best, t, NULL, n, scratch, out, error);
}

/* The best dependency tree with one root, whether arcs cross or not (McDonald et al. 2005): the maximum spanning
 * arborescence, by Edmonds' algorithm in Tarjan's O(n^2) for dense graphs (Tarjan 1977). One root: arcs of the root are
 * made so dear that two never pay.
 *   t: [(n + 1) * (n + 1)] as of joint_decode_under; the diagonal is not read
 *   heads: [n], n at least 1; 1-based, 0 = root
 * Ties: of trees with equal scores always the same one. Returns the sum of the tree's scores;
 * -INFINITY, and heads mean nothing: no tree satisfies t. NAN when out of memory. scratch is rewound. */
double arcs_decode(const Real *t, int n, Arena *scratch, int *heads);

/* Bytes joint_decode needs in scratch. */
double joint_decode_bytes(int n);

/* A converted gold tree for the margin loss: label of each span, CHART_EMPTY if none, by pre-order nodes. */
typedef struct GoldTree {
    int n_words, n_nodes;
    const Span *nodes; /* [n_nodes] pre-order, distinct spans, nodes[0] = whole sentence */
} GoldTree;

/* The tree that maximises score + Hamming augmentation (Stern et al. 2017; Mrini et al. 2020, code): plain CKY, O(n^3).
 *   score(i, j, l) + [l != gold(i, j)] over all 2n-1 nodes, leaves and empty ones included; the root is not empty; <H>
 * is allowed anywhere. scores: [chart_size(n), n_labels - 1], labels 1 .. n_labels - 1, the empty label scores 0.
 * Returns 2n-1 nodes in pre-order in `out`; *augmented the maximum, *delta the number of nodes that differ from gold.
 * Ties: lowest label, lowest split. */
Span *margin_decode(const Real *scores, int n_labels, const GoldTree *gold, Arena *scratch, Arena *out,
                    double *augmented, int *delta, Error *error);
