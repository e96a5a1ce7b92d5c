/* Pruning (Voita et al. 2019, section 6): a model without the heads of self-attention and the label heads whose gates
 * are closed. */
#pragma once

#include "parser/model/model.h"

/* Makes `to`, fresh from model_init, of `from`, which has gates and outlives it: the same model without gates and the
 * closed heads, the weights not yet on a device. Projected attention that shares a projection keeps its heads and gates
 * (lal/encoder_prune.h). ERR_CONFIG where there are no gates that go, or all label heads are closed at their outputs,
 * ERR_RANGE where a gate is not finite, ERR_NOMEM. */
Status model_prune(const Model *from, Model *to, Error *error);

/* Gates of a model by the rule of its options (clip, binary), all layers. */
typedef struct GateCounts {
    int heads, open, between; /* open: not 0; between: neither 0 nor 1 */
} GateCounts;
Status model_gates(const Model *model, GateCounts *out, Error *error);
/* Sets the rule by which all gates are evaluated, in the options too. */
void model_gate_rule(Model *model, bool binary);
