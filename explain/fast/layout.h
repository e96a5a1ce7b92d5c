/* The memory layout that weights.c writes and why.c and units.c read; internal to this folder. */
#pragma once

#include "explain/fast/vector.h"

static inline const Real *values(const Model *model, int k) { return param_values(&model->ps, k); }

/* Index in a row of value k of a half of head `head`, side 0 or 1: rows are [heads / LANES][2][half][LANES], so that a
 * block has one side and no register has to be summed across its lanes. */
static inline int block_column(const Why *why, int side, int head, int k)
{
    return ((head / LANES * 2 + side) * why->half + k) * LANES + head % LANES;
}
static inline int row_length(const Why *why) { return padded(why->heads, LANES) * 2 * why->half; }
/* The first head of a block, and its side. */
static inline int block_head(const Why *why, int block) { return block * REGISTERS / (2 * why->half) * LANES; }
static inline int block_side(const Why *why, int block) { return block * REGISTERS / why->half % 2; }

/* Heads that have columns in a part of the feed-forward: first_head .. end_head - 1. */
static inline int first_head(const Why *why, int part) { return why->first_column[part] / (why->d / why->heads); }
static inline int end_head(const Why *why, int part)
{
    int p = why->d / why->heads;
    return (why->first_column[part + 1] + p - 1) / p;
}
static inline int part_heads(const Why *why, int part)
{
    return padded(end_head(why, part) - first_head(why, part), LANES);
}

/* Index in a row of a part of value k of head `head`: rows are [heads of the part / LANES][d_proj][LANES]. */
static inline int part_column(const Why *why, int part, int head, int k)
{
    int at = head - first_head(why, part);
    return (at / LANES * (why->d / why->heads) + k) * LANES + at % LANES;
}
