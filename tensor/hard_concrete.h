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
static inline double hard_concrete_gate(double log_alpha, double noise, HardConcrete gate, double *slope)
{
    double s = hard_concrete_sigmoid((noise + log_alpha) / gate.beta), x = s * (gate.zeta - gate.gamma) + gate.gamma;
    *slope = x > 0 && x < 1 ? (gate.zeta - gate.gamma) * s * (1 - s) / gate.beta : 0;
    return hard_concrete_clip(x);
}

/* The probability that the gate is not 0; that it is 1. */
static inline double hard_concrete_open(double log_alpha, HardConcrete gate)
{
    return hard_concrete_sigmoid(log_alpha - gate.beta * log(-gate.gamma / gate.zeta));
}
static inline double hard_concrete_one(double log_alpha, HardConcrete gate)
{
    return hard_concrete_sigmoid(log_alpha - gate.beta * log((1 - gate.gamma) / (gate.zeta - 1)));
}

/* The gate of evaluation: without noise and beta, as in the code of Voita et al. 2019; or, if gate.binary, the likelier
 * one of 0 and 1. */
static inline double hard_concrete_evaluated(double log_alpha, HardConcrete gate)
{
    if (gate.binary) return hard_concrete_one(log_alpha, gate) > 1 - hard_concrete_open(log_alpha, gate);
    return hard_concrete_clip(hard_concrete_sigmoid(log_alpha) * (gate.zeta - gate.gamma) + gate.gamma);
}
