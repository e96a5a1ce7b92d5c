/* The probabilities of labelled spans under the distribution of trees that span scores define, and its normaliser, by
 * the inside-outside algorithm (Baker 1979; Finkel et al. 2008 for scores that are learnt). Charts as in cky/decode.h.
 *
 * A tree is binary, each of its 2n - 1 nodes has a label, CHART_EMPTY included, and
 *   p(tree) = exp((sum over its nodes of score(i, j, label)) / temperature) / Z,  score(i, j, CHART_EMPTY) = 0.
 * As in joint decoding, the whole sentence is labelled, one word too, and neither it nor a single word is <H>. Arcs
 * have no part in it: the constraint that dependents are labelled is left out. A phrase with several children has
 * several binary trees, whose probabilities add up. */
#pragma once

#include "cky/decode.h"

typedef struct Marginals {
    double log_z;
    double *node; /* [chart_size(n)] probability that the span is a node, labelled or not */
    Real *label;  /* [chart_size(n), n_labels - 1] probability that the span is a node with label l, in column l - 1 */
} Marginals;

/* scores: [chart_size(n), n_labels - 1] of the labels 1 .. n_labels - 1, finite. mask: [n_labels - 1], 0 for labels
 * that trees may have, -INFINITY for others, at least one label from 2 on among the former; NULL: all. temperature > 0.
 * n >= 1. The derivative of log_z by a score is the probability of its cell divided by the temperature. Computed in
 * logarithms and in double; O(n^3 + n^2 n_labels) time. Results and working memory lie in the arena. ERR_NOMEM. */
Status marginals_compute(const Real *scores, int n, int n_labels, const Real *mask, double temperature, Arena *arena,
                         Marginals *out, Error *error);
