/* Guided heads: a loss that draws the attention weights A of a head to a target P, P(i) uniform over a set of keys S(i)
 * of each row i (lal/heads/pattern.h). Deshpande and Narasimhan 2020, section 3.2, Equations 2 and 3:
 *   e = sum over rows i and keys j of (A[i, j] - P[i, j])^2 in a sentence,
 *   loss = the mean over sentences of the sum over guided heads of e, e divided as GuidanceNorm says.
 * The rows of a self-attention head are all m = n + 2 tokens; a label head with a query vector has one row. */
#pragma once

#include "lal/heads/encoder_options.h"
#include "tensor/ops.h"

/* The sets of a batch, row by row: row r has keys key[start[r]] .. key[start[r + 1] - 1], numbers of tokens in their
 * sentence. All zero: empty. */
typedef struct GuidanceTargets {
    int *start; /* [rows + 1] */
    int *key;   /* [keys]; a row that takes no part has the one key -1 */
    int rows, keys, cap_rows, cap_keys;
} GuidanceTargets;

void guidance_targets_fini(GuidanceTargets *targets);
/* Removes the rows; memory is kept. */
void guidance_targets_clear(GuidanceTargets *targets);
/* Appends rows: allowed [rows, m], 1 where a token is in the set. ERR_NOMEM. */
Status guidance_targets_add(GuidanceTargets *targets, const uint8_t *allowed, int rows, int m, Error *error);
/* Appends rows that take no part in the loss, whatever is done with empty ones. ERR_NOMEM. */
Status guidance_targets_skip(GuidanceTargets *targets, int rows, Error *error);

typedef struct GuidedHead {
    int head;
    const GuidanceTargets *targets; /* a row for each token of the batch; for a label head, for each sentence */
    GuidanceEmptyRow empty;
    bool causal; /* a token attends to itself and to tokens before it: row i of a sentence has the keys 0 .. i */
} GuidedHead;

/* The loss of n guided heads of one layer -> [1, 1]. probs are attention weights, [heads, pairs] of self-attention or,
 * if one_row, [tokens, heads] of label heads. sentences: how many the mean is over, in all sub-batches of an update.
 * ERR_RANGE where a head, or the number of rows of its targets, does not fit. */
Tensor *guidance_loss(Tape *tape, Tensor *probs, bool one_row, const GuidedHead *heads, int n, const Batch *batch,
                      GuidanceNorm norm, double sentences);

/* The factor of the loss at update 0 .. total - 1: 1 up to `hold`, then falling in a straight line to
 * 1 / (total - hold) at the last one; 0 after it. Before `hold` it is 1 even if that is above the total. */
double guidance_factor(long update, long total, long hold);
