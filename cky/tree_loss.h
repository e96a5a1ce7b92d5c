/* The cross-entropy between the span probabilities of a teacher and the distribution of trees that a scorer defines
 * (cky/marginals.h, temperature 1):
 *   loss = log Z - sum over labelled spans of p(i, j, label) score(i, j, label).
 * This is the expectation of -log p(tree) for trees of the teacher. Its derivative by a score is the scorer's
 * probability of the cell minus the teacher's. */
#pragma once

#include "cky/span_score.h"

/* A labelled span with its probability. */
typedef struct SoftSpan {
    Span at; /* label > 0 */
    float p;
} SoftSpan;

/* What a teacher says of a sentence; spans that it lacks have probability 0. For the loss to have a minimum, the labels
 * of the whole sentence sum to 1. */
typedef struct SoftTree {
    int n_words, n_spans;
    const SoftSpan *spans; /* [n_spans] any order, distinct */
} SoftTree;

/* The sum of the losses of a batch as a [1, 1] tensor. g: span_scorer_project's output; trees[b] for every sentence,
 * n_spans 0 = leave the sentence out. Charts are computed unrecorded; only spans whose derivatives have absolute values
 * of more than `cut` together, over all labels, are scored again with gradients. The value counts all spans whatever
 * the cut; the derivatives of the others are left out. NULL with the tape's error set. scratch is rewound. */
Tensor *tree_loss(const Forward *forward, const SpanScorer *scorer, Tensor *g, const SoftTree *trees, double cut,
                  Arena *scratch);
