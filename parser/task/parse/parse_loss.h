/* The scorers of a parser (Mrini et al. 2020, section 4: joint spans, biaffine arcs, tags) and their loss, in
 * TASK_PARSE. */
#pragma once

#include "parser/task/parse/gold.h"

/* scale * (hinge + 1/2 CE(head) + 1/2 CE(type) + tag_weight CE(tag)); parts for soft targets have equal weights. */
LossWeights parse_loss_weights(double scale, double tag_weight);
