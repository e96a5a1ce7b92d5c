/* The loss that links label heads to categories of phrases (the future work of Mrini et al. 2020, section 6): of the
 * exact contributions of all heads to the score of a gold phrase, that of its category's head shall be the largest.
 *
 * With ReLU signs and divisors of norms held constant, a span's score has the part c_h . (P_h[j] - P_h[i]) of head h
 * (lal/attribution.h), c = W_p e, e the slopes of the hidden units. The loss is the cross-entropy of these parts, over
 * all heads, with the heads of the label's categories as the target; e is a constant, so that gradients
 * go through the sums and their weights only. */
#pragma once

#include "cky/margin_loss.h"
#include "parser/model/network.h"

/* Returns the loss [1, 1], summed over all phrases of the gold trees [n_sent]. g is the output of
 * span_scorer_project, sums [fenceposts, heads * values] that of phrase_attention_forward. NULL on failure, with the
 * tape's error, and if the trees have no phrases. */
Tensor *link_loss(const Forward *forward, const Network *net, Tensor *g, Tensor *sums, const GoldTree *trees,
                  Arena *scratch);
