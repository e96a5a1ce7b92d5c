/* The structured hinge loss of the span scorer (Mrini et al. 2020, code; Stern et al. 2017):
 *   hinge = max over trees of (score + number of nodes that differ from gold) - score of the gold tree >= 0. */
#pragma once

#include "cky/span_score.h"

typedef struct MarginStats {
    double hinge;     /* sum over sentences */
    int delta;        /* sum of the augmentations */
    Span *last_nodes; /* 2n-1 nodes of the last sentence, for tests; until the scratch arena is rewound */
} MarginStats;

/* Sum of the hinge losses of a batch as a [1, 1] tensor. g: span_scorer_project's output; gold[b] for every sentence,
 * n_nodes 0 = leave the sentence out. The search runs unrecorded; only cells in which the two trees differ are scored
 * again with gradients; the others cancel. NULL with the tape's error set. */
Tensor *margin_loss(const Forward *forward, const SpanScorer *scorer, Tensor *g, const GoldTree *gold, Arena *scratch,
                    MarginStats *stats);
