/* How far apart two models are that should decide alike, such as a model and its pruned form. */
#pragma once

#include "lal/encoder.h"

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

/* Notes the difference of tensor x[k] of tape[k], k < 2, in which both have the same shape, or are NULL; memory in the
 * arena. Errors of the tapes. */
Status model_difference_note(ModelDifference *difference, Tape *const tape[2], const Tensor *const x[2], Arena *arena,
                             Error *error);
/* Have the final vectors of tokens the same columns in both encoders? */
bool model_difference_words(const Encoder *a, const Encoder *b);
