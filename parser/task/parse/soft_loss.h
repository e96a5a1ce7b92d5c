/* The loss of soft targets: cross-entropies between the distributions of a teacher and of the network. */
#pragma once

#include "parser/task/parse/gold.h"

/* Sets the parts LOSS_SOFT_* of the sentences whose gold has soft targets, those whose weight is not 0: of the heads of
 * each word, of the type of the arc that the teacher decided, of tags, and of trees (cky/tree_loss.h). types
 * [rows, n_types]: the scores of the types of these arcs. For distributions of one value these are the parts LOSS_HEAD,
 * LOSS_TYPE and LOSS_TAG of the same values. Status of the tape. */
Status soft_loss(const Forward *forward, const Network *net, const NetworkOutput *out, Tensor *types, const Gold *gold,
                 const LossWeights *weights, Arena *scratch, Tensor *part[TASK_LOSSES]);
