/* Gates of attention heads that training can close (Louizos, Welling and Kingma 2018, section 3; Voita et al. 2019,
 * section 6.1). A head has one parameter log_alpha. A draw u of (0, 1) gives
 *   s = sigmoid((ln u - ln(1 - u) + log_alpha) / beta),  gate = min(1, max(0, s (zeta - gamma) + gamma)),
 * so that a gate is 0 or 1 with a probability above 0. */
#pragma once

#include <math.h>
#include <stdbool.h>

typedef struct HardConcrete {
    double beta;        /* temperature, in (0, 1] */
    double gamma, zeta; /* the ends of the stretched interval: gamma < 0, zeta > 1 */
    bool binary;        /* how evaluation, which has no draws, chooses the gate; see hard_concrete_evaluated */
} HardConcrete;

/* The values of Voita et al. 2019 (code). */
#define HARD_CONCRETE_DEFAULT ((HardConcrete){ 0.33, -0.1, 1.1, false })

/* Draws lie in [HARD_CONCRETE_MARGIN, 1 - HARD_CONCRETE_MARGIN]. */
#define HARD_CONCRETE_MARGIN 1e-6

static inline double hard_concrete_sigmoid(double x) { return 1 / (1 + exp(-x)); }
static inline double hard_concrete_clip(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* The gate of a draw u; noise = ln u - ln(1 - u). *slope becomes d gate / d log_alpha, 0 where the gate is 0 or 1. */
static inline double hard_concrete_gate(double log_alpha, double noise, HardConcrete c, double *slope)
{
    double s = hard_concrete_sigmoid((noise + log_alpha) / c.beta), x = s * (c.zeta - c.gamma) + c.gamma;
    *slope = x > 0 && x < 1 ? (c.zeta - c.gamma) * s * (1 - s) / c.beta : 0;
    return hard_concrete_clip(x);
}

/* The probability that the gate is not 0; that it is 1. */
static inline double hard_concrete_open(double log_alpha, HardConcrete c)
{
    return hard_concrete_sigmoid(log_alpha - c.beta * log(-c.gamma / c.zeta));
}
static inline double hard_concrete_one(double log_alpha, HardConcrete c)
{
    return hard_concrete_sigmoid(log_alpha - c.beta * log((1 - c.gamma) / (c.zeta - 1)));
}

/* The gate of evaluation: without noise and beta, as in the code of Voita et al. 2019; or, if c.binary, the likelier
 * one of 0 and 1. */
static inline double hard_concrete_evaluated(double log_alpha, HardConcrete c)
{
    if (c.binary) return hard_concrete_one(log_alpha, c) > 1 - hard_concrete_open(log_alpha, c);
    return hard_concrete_clip(hard_concrete_sigmoid(log_alpha) * (c.zeta - c.gamma) + c.gamma);
}
