/* Gates on the heads of one attention layer: factors [1, heads] on their contexts, or on the outputs of label heads
 * (HeadControl). Hard-concrete gates (tensor/hard_concrete.h) learn which heads to close: after Voita et al. 2019,
 * section 6.1. */
#pragma once

#include "lal/heads/encoder_options.h"
#include "tensor/layers.h"

/* The parameter is one number for each head, [heads]:
 *   GATES_HARD_CONCRETE  <prefix>.gate.log_alpha
 *   GATES_FREE           <prefix>.gate.factor: learned factors that start as 1
 *   GATES_CONSTANT       <prefix>.gate.constant: factors that are not trained */
typedef struct HeadGate {
    GateKind kind; /* not GATES_NONE */
    HardConcrete c;
    int heads, param;
} HeadGate;

/* rate: factor of the learning rate; gates have no weight decay and are not clipped. Before params_finish. */
Status head_gate_declare(HeadGate *gate, ParamSet *ps, const char *prefix, int heads, GateKind kind,
                         HardConcrete hard_concrete, double rate, Error *error);
/* Every log_alpha is `log_alpha`, every factor 1. With log_alpha at least ln((1 - gamma) / (zeta - 1)), 2.4 with
 * HARD_CONCRETE_DEFAULT, all gates of evaluation are 1: the model is then the one without gates. */
void head_gate_init(const HeadGate *gate, ParamSet *ps, double log_alpha);
/* The draws of an update, u [heads]: a function of its key and the layer, so that all sub-batches of an update, which
 * pass one key, share them. */
void head_gate_draw(const HeadGate *gate, uint64_t key, double *u);
/* Gates [1, heads]: drawn while the tape is training, else as in evaluation (GateEval). */
Tensor *head_gate_forward(const Forward *forward, const HeadGate *gate, uint64_t key);
/* The gates of evaluation of gate (NULL: 1) times factors [heads] in host memory (NULL: 1), as a constant [1, heads].
 * NULL with the tape's error. */
Tensor *head_gate_factors(const Forward *forward, const HeadGate *gate, const Real *factors, int heads);
/* The expected number of open gates, [1, 1]: of GATES_HARD_CONCRETE alone (ERR_RANGE). To be added to the loss once for
 * each update, times lambda. */
Tensor *head_gate_penalty(const Forward *forward, const HeadGate *gate);

/* The gates of evaluation from the host's values: gates [heads]. ERR_RANGE, with the parameter's name, where a value is
 * not finite. */
Status head_gate_values(const HeadGate *gate, const ParamSet *ps, double *gates, Error *error);
/* How many of gates [heads] are not 0; how many lie between 0 and 1. */
int head_gate_open(const double *gates, int heads);
int head_gate_between(const double *gates, int heads);
