/* parser/task/parse/gold.h
 * What a parser learns: sentences of a treebank as its loss takes them, and the parts of that loss. */
#pragma once

#include "parser/model/model.h"
#include "treebank/oracle.h"

/* The parts of the loss (LossParts.part). */
typedef enum ParseLoss {
    LOSS_SPAN, /* hinge */
    LOSS_HEAD, /* cross-entropies */
    LOSS_TYPE,
    LOSS_TAG,
    LOSS_ANALYSIS,
    LOSS_SOFT_SPAN, /* the four for soft targets, all of them cross-entropies (soft_loss.h) */
    LOSS_SOFT_HEAD,
    LOSS_SOFT_TYPE,
    LOSS_SOFT_TAG
} ParseLoss;

/* What a parser learns of a sentence, in the model's numbers: its tree as the joint-span conversion t gives it (or
 * NULL), its heads, types and tags if it has them. A tree with a label unknown to the model is left out. Arrays lie in
 * the arena, heads are borrowed from the sentence. false: out of memory. */
bool gold_make(const Model *m, const Sentence *sent, const OracleTree *t, Arena *a, Gold *out);
