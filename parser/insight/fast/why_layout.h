/* parser/insight/fast/why_layout.h: how why_model.c lays out weights and why.c and why_units.c read them; only for these */
#ifndef LAL_PARSER_INSIGHT_WHY_LAYOUT_H
#define LAL_PARSER_INSIGHT_WHY_LAYOUT_H

#include "parser/insight/fast/why.h"

/* A vector register (or two, on smaller machines), by an extension of gcc and clang: written as plain loops, what
 * stands here is vectorised along the wrong dimension. */
typedef Real Lanes __attribute__((vector_size(64), aligned(sizeof(Real)), may_alias));
enum { LANES = sizeof(Lanes) / sizeof(Real), REGISTERS = 8, WHY_BLOCK = REGISTERS * LANES };

static inline int padded(int n, int to) { return (n + to - 1) / to * to; }

static inline const Real *values(const Model *m, int k) { return m->ps.values + m->ps.p[k].offset; }

/* ---- matrices and vectors with few entries */

static inline Real *blocks_at(const WhyBlocks *b, int row, int col)
{
    return b->v + ((ptrdiff_t)(col / WHY_BLOCK) * b->rows + row) * WHY_BLOCK + col % WHY_BLOCK;
}

static inline const Real *blocks_row(const WhyBlocks *b, int block, int row)
{
    return b->v + ((ptrdiff_t)block * b->rows + row) * WHY_BLOCK;
}

typedef struct Sparse {
    int n;
    int *row;    /* [n] */
    Real *value; /* [n] */
} Sparse;

/* out [REGISTERS] = x times one block */
static inline void times_block(const Sparse *x, const WhyBlocks *b, int block, Lanes *restrict out)
{
    Lanes sum[REGISTERS] = { { 0 } };
    for (int k = 0; k < x->n; k++) {
        const Lanes *row = (const Lanes *)blocks_row(b, block, x->row[k]);
        for (int i = 0; i < REGISTERS; i++) sum[i] += x->value[k] * row[i];
    }
    for (int i = 0; i < REGISTERS; i++) out[i] = sum[i];
}

/* sum [TOGETHER] = coefficients by[j] [n] times parts [n]; several, so that none waits for its own sums. */
enum { TOGETHER = 4 };
static inline void times_parts(const Real *const by[TOGETHER], const Lanes *parts, int n, Lanes sum[TOGETHER])
{
    Lanes s[TOGETHER] = { { 0 } };
    for (int k = 0; k < n; k++)
        for (int j = 0; j < TOGETHER; j++) s[j] += by[j][k] * parts[k];
    for (int j = 0; j < TOGETHER; j++) sum[j] = s[j];
}

/* Sum of the products a [REGISTERS] b [REGISTERS]. */
static inline Lanes products(const Lanes *a, const Lanes *b)
{
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) +
           ((a[4] * b[4] + a[5] * b[5]) + (a[6] * b[6] + a[7] * b[7]));
}

/* ---- where things lie */

/* Where column k of the forward (side 0) or backward half of head h lies in a row: [heads / LANES][2][half][LANES], so
 * that a block is of one side and sums need no register to be added up within. */
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

/* Where what belongs to column k of head h lies in a row of a part: [heads of the part / LANES][d_proj][LANES]. */
static inline int part_column(const Why *y, int part, int h, int k)
{
    int at = h - first_head(y, part);
    return (at / LANES * (y->d / y->heads) + k) * LANES + at % LANES;
}

#endif
