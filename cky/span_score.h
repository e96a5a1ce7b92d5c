/* Label scores of spans (Mrini et al. 2020, section 3; Stern et al. 2017):
 *   S_ij = W2 relu(norm(W1 (f_j - f_i) + Wp (P_j - P_i) + b1)) + b2, the empty label scores 0,
 * P the sums of attention inside phrases (lal/phrase_attention.h), if there are any. W1 is applied once to each
 * fencepost and differences are taken after it. */
#pragma once

#include "cky/decode.h"
#include "tensor/layers.h"

/* f_label.0 {weight [D, hidden], bias}, f_label.phrase.weight [d_phrase, hidden] (phrase -1: none), f_label.1 (norm),
 * f_label.3 {weight [hidden, labels - 1], bias}. */
typedef struct SpanScorer {
    int n_labels; /* the empty label included */
    int w1, b1, w2, b2, phrase;
    Norm norm;
} SpanScorer;

/* d_phrase: columns of the sums of attention inside phrases; 0: none. Votes are set afterwards. */
Status span_scorer_declare(SpanScorer *scorer, ParamSet *ps, int d, int d_phrase, int hidden, int n_labels,
                           Error *error);
void span_scorer_init(const SpanScorer *scorer, ParamSet *ps, unsigned long seed);

/* fenceposts [rows, D] and phrases [rows, d_phrase] -> g [rows, hidden]; phrases NULL: 0. */
Tensor *span_scorer_project(const Forward *forward, const SpanScorer *scorer, Tensor *fenceposts, Tensor *phrases);
/* Scores of n spans (pairs of rows of g) -> [n, n_labels - 1]. */
Tensor *span_scorer_score(const Forward *forward, const SpanScorer *scorer, Tensor *g, const int *spans, int n);

/* span_scorer_score into host memory, scores [n, n_labels - 1], in blocks that bound the memory. Nothing is recorded.
 */
Status span_scorer_score_list(const Forward *forward, const SpanScorer *scorer, Tensor *g, const int *spans, int n,
                              Real *scores);

/* All spans of a sentence whose fenceposts are rows first .. first + n of g, by chart_span, in blocks that bound the
 * memory: scores [chart_size(n), n_labels - 1] in host memory. Nothing is recorded. */
Status span_scorer_score_all(const Forward *forward, const SpanScorer *scorer, Tensor *g, int first, int n,
                             Real *scores);
/* span_scorer_score_all, but the scores are there after tape_wait. */
Status span_scorer_fetch_all(const Forward *forward, const SpanScorer *scorer, Tensor *g, int first, int n,
                             Real *scores);
/* The best label of each span of all sentences, found on the device, there after tape_wait: best [span_count(batch)] in
 * host memory, sentence by sentence, each by chart_span. mask: [n_labels - 1] in host memory, 0 for the labels that may
 * be chosen, -INFINITY for others; at least one of the labels from 2 on may be chosen. NULL: all may. */
Status span_best_fetch(const Forward *forward, const SpanScorer *scorer, Tensor *g, const Real *mask, SpanBest *best);
long span_count(const Batch *batch);
