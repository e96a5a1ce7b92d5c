/* Relevance by layer-wise rules, as the code of Voita et al. 2019 has them (the-story-of-heads, lib/layers/lrp.py),
 * after Bach et al. 2015, equation 60, and Ding et al. 2017. An op y = f(x), with the Jacobian J at x and N inputs,
 * has the impacts z_ji = J_ji x_i + f(0)_j / N, and divides the relevance R_j of its outputs among its inputs:
 *   R_i = sum_j R_j (a max(z_ji, 0) / (sum_i max(z_ji, 0) + e) + b min(z_ji, 0) / (sum_i min(z_ji, 0) - e)),
 * with a = b = 1/2 and e = 1e-5; then all R_i are multiplied so that sum |R_i| = sum |R_j|, by rows, of attention by
 * sentence and head, then by op. Where several ops read a tensor, the sum of what they give is multiplied so that
 * its absolute sum is the sum of their absolute sums. So every cut through the network has the score's absolute sum.
 *
 * In linear maps and sums of spans the inputs of an output are its row's, in sums and residuals its terms, in
 * a norm the row before it. Attention goes to queries, keys and values, through the softmax. ReLU, GELU and gates
 * hand on what they get. Label heads have their attention held constant, as tape_relevance has; their norms,
 * projections and sums are as above. Other ops divide by coefficients: R_i = x_i sum_j c_ji R_j / y_j, c those of
 * tape_relevance, e in the divisor, with the absolute sum of the op kept. Weights and biases take nothing. */
#pragma once

#include "tensor/tape.h"

#define SHARE_POSITIVE 0.5
#define SHARE_NEGATIVE 0.5
#define SHARE_EPSILON 1e-5

/* Divides a score [1, 1] of a recorded pass without dropout. keep, until: as in tape_relevance, but tape_grad_of a kept
 * tensor x is R / x, so that x c is the relevance there, too (0 where x is). The tape's device must have host memory:
 * else ERR_CONFIG. ERR_RANGE as tape_relevance; ERR_NOMEM. */
Status share_relevance(Tape *tape, Tensor *score, Tensor *const *keep, int n_keep, const Tensor *until);
