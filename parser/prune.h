/* parser/prune.h
 * Pruning (Voita et al. 2019, section 6): a model without the heads of self-attention and the label heads whose gates
 * are closed. */
#ifndef LAL_PARSER_PRUNE_H
#define LAL_PARSER_PRUNE_H

#include "parser/model.h"
#include "parser/parse.h"

/* Makes `to`, fresh from model_init, of `from`, which has gates and outlives it: the same model without gates and the
 * closed heads, the weights not yet on a device. Projected attention that shares a projection keeps its heads and gates
 * (lal/encoder_prune.h). ERR_CONFIG where there are no gates that go, or all label heads are closed at their outputs,
 * ERR_RANGE where a gate is not finite, ERR_NOMEM. */
Status model_prune(const Model *from, Model *to, Error *e);

/* Gates of a model by the rule of its options (clip, binary), all layers. */
typedef struct GateCounts {
    int heads, open, between; /* open: not 0; between: neither 0 nor 1 */
} GateCounts;
Status model_gates(const Model *m, GateCounts *out, Error *e);
/* Sets the rule by which all gates are evaluated, in the options too. */
void model_gate_rule(Model *m, bool binary);

/* How far sums in another order may move a number of a model, relative to 1 + its size. */
#define MODEL_ROUNDING (sizeof(Real) < 8 ? 1e-5 : 1e-12)

/* How far two models of the same vocabularies are apart on sentences: the largest difference of a number of a token's
 * vector (before the label heads, if their blocks are not the same), of the span scorer's hidden layer, of a score of
 * an arc, a type or a class, relative to 1 + the largest such number; and how many sentences have other trees, arcs or
 * classes. Two trees whose scores differ by at most MODEL_ROUNDING are a tie, not another decision: the order of sums
 * chooses between them. */
typedef struct ModelDifference {
    double numbers;
    int sentences, decided_otherwise;
} ModelDifference;
/* Of two models that parse; parser/classify/classify.h has that of classifiers. */
Status model_difference(const Model *a, const Model *b, const ParseInput *in, int n, ModelDifference *out, Error *e);
/* Notes the difference of tensor x[k] of tape[k], k < 2, in which both have the same shape, or are NULL; memory in the
 * arena. Errors of the tapes. */
Status model_difference_note(ModelDifference *d, Tape *const tape[2], const Tensor *const x[2], Arena *a, Error *e);
/* Have the final vectors of tokens the same columns in both encoders? */
bool model_difference_words(const Encoder *a, const Encoder *b);

#endif
