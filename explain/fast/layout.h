/* The memory layout that weights.c writes and why.c and units.c read; internal to this folder. */
#pragma once

#include "explain/fast/vector.h"

static inline const Real *values(const Model *m, int k) { return param_values(&m->ps, k); }

/* Index in a row of value k of a half of head h, side 0 or 1: rows are [heads / LANES][2][half][LANES], so that a block
 * has one side and no register has to be summed across its lanes. */
static inline int block_column(const Why *y, int side, int h, int k)
{
    return ((h / LANES * 2 + side) * y->half + k) * LANES + h % LANES;
}
static inline int row_length(const Why *y) { return padded(y->heads, LANES) * 2 * y->half; }
/* The first head of a block, and its side. */
static inline int block_head(const Why *y, int block) { return block * REGISTERS / (2 * y->half) * LANES; }
static inline int block_side(const Why *y, int block) { return block * REGISTERS / y->half % 2; }

/* Heads that have columns in a part of the feed-forward: first_head .. end_head - 1. */
static inline int first_head(const Why *y, int part) { return y->first_column[part] / (y->d / y->heads); }
static inline int end_head(const Why *y, int part)
{
    int p = y->d / y->heads;
    return (y->first_column[part + 1] + p - 1) / p;
}
static inline int part_heads(const Why *y, int part) { return padded(end_head(y, part) - first_head(y, part), LANES); }

/* Index in a row of a part of value k of head h: rows are [heads of the part / LANES][d_proj][LANES]. */
static inline int part_column(const Why *y, int part, int h, int k)
{
    int at = h - first_head(y, part);
    return (at / LANES * (y->d / y->heads) + k) * LANES + at % LANES;
}
