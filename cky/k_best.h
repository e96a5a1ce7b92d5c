/* The best joint trees one after the other (Huang and Chiang 2005, algorithm 3), each a result of its own: trees that
 * differ in nodes without a label or with <H> alone, but not in phrases and heads, are one result, with the score of
 * the best of them. */
#pragma once

#include "cky/decode.h"

typedef struct KBest KBest;

/* The scores of joint_decode_under, and the scores of all labels, not only the best of each span:
 *   labels: [chart_size(n), n_labels - 1] of the labels 1 .. n_labels - 1, multiplied like s; -INFINITY: not on this
 *     span. A label of s that is negative has no column.
 *   reach: results that score more than this below the first one are not wanted, INFINITY: all are; with a small reach
 *     most of the chart is not needed (joint_chart_search)
 * Everything is borrowed and lies, with the chart, in the arena, until the arena is rewound. O(n^4) time, O(n^3)
 * memory. NULL with *error on ERR_NOMEM; ERR_RANGE without words. */
KBest *k_best_new(const SpanBest *best, const Real *labels, int n_labels, const Real *t, const unsigned char *state,
                  int n, Real reach, Arena *arena, Error *error);

/* May a result within reach have the span (by chart_span)? Labels of others are not read. */
bool k_best_has_span(const KBest *best, long span);

/* *tree: the next result, in `out`, or NULL: there are no more. Scores do not rise. The first one is the tree of
 * joint_decode_under to the bit; ties are broken as there, always in the same way. Of k results, each takes
 * O(n (n + log k + k)) time at most. ERR_NOMEM: nothing more can be asked. */
Status k_best_next(KBest *best, Arena *out, JointTree **tree, Error *error);
