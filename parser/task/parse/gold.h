/* What a parser learns: sentences of a treebank as its loss takes them, and the parts of that loss. */
#pragma once

#include "cky/margin_loss.h"
#include "parser/model/model.h"
#include "parser/model/soft.h"
#include "parser/parse/parse_network.h"
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
    LOSS_SOFT_TAG,
    LOSS_LINK /* of heads linked to categories, a cross-entropy (link_loss.h) */
} ParseLoss;

/* What a parser learns of a sentence: Gold.own of TASK_PARSE. Indices without a gold value are -1. */
typedef struct ParseGold {
    GoldTree tree;           /* n_nodes 0 = none */
    const int *heads;        /* [n] 1-based, 0 = root; NULL = none */
    const int *types;        /* [n] */
    const int *tags;         /* [n] or NULL */
    const int *analysis;     /* of analysis_gold, or NULL */
    const SoftTargets *soft; /* a teacher's, in place of tree, heads, types and tags; or NULL */
} ParseGold;
static inline const ParseGold *parse_gold(const Gold *gold) { return gold->own; }

/* What a parser learns of a sentence, in the model's numbers: its tree as the joint-span conversion tree gives it (or
 * NULL), its heads, types and tags if it has them. A tree with a label unknown to the model is left out. Arrays lie in
 * the arena, heads are borrowed from the sentence. false: out of memory. */
bool gold_make(const Model *model, const Sentence *sent, const OracleTree *tree, Arena *arena, Gold *out);
