/* parser/insight/why_layout.h: how why_model.c lays out weights and why.c and why_units.c read them; only for these */
#ifndef LAL_PARSER_INSIGHT_WHY_LAYOUT_H
#define LAL_PARSER_INSIGHT_WHY_LAYOUT_H

#include "parser/insight/why.h"

/* A vector register (or two, on smaller machines), by an extension of gcc and clang: written as plain loops, what stands here is vectorised along the wrong dimension. */
typedef Real Lanes __attribute__((vector_size(64), aligned(sizeof(Real)), may_alias));
enum { LANES = sizeof(Lanes) / sizeof(Real), SIDE_LANES = 4, SIDE = SIDE_LANES * LANES, WHY_BLOCK = 2 * SIDE };

static inline int padded(int n, int to) { return (n + to - 1) / to * to; }

static inline const Real *values(const Model *m, int k) { return m->ps.values + m->ps.p[k].offset; }

/* ---- matrices and vectors with few entries */

static inline Real *blocks_at(const WhyBlocks *b, int row, int col)
{
    return b->v + ((ptrdiff_t)(col / WHY_BLOCK) * b->rows + row) * WHY_BLOCK + col % WHY_BLOCK;
}

static inline const Real *blocks_row(const WhyBlocks *b, int block, int row) { return b->v + ((ptrdiff_t)block * b->rows + row) * WHY_BLOCK; }

typedef struct Sparse {
    int n;
    int *row;    /* [n] */
    Real *value; /* [n] */
} Sparse;

static inline bool sparse_init(Sparse *x, int most, Arena *a)
{
    *x = (Sparse){ 0, arena_alloc(a, (size_t)most, sizeof *x->row), arena_alloc(a, (size_t)most, sizeof *x->value) };
    return x->row && x->value;
}

/* out [2 * SIDE_LANES] = x times one block */
static inline void times_block(const Sparse *x, const WhyBlocks *b, int block, Lanes *restrict out)
{
    Lanes sum[2 * SIDE_LANES] = { { 0 } };
    for (int k = 0; k < x->n; k++) {
        const Lanes *row = (const Lanes *)blocks_row(b, block, x->row[k]);
        for (int i = 0; i < 2 * SIDE_LANES; i++) sum[i] += x->value[k] * row[i];
    }
    for (int i = 0; i < 2 * SIDE_LANES; i++) out[i] = sum[i];
}

/* ---- where things lie */

/* Where column k of a half of head h lies in a row of blocks, of the forward (0) or backward half. */
static inline int block_column(const Why *y, int side, int h, int k)
{
    int at = h * y->half + k;
    return at / SIDE * WHY_BLOCK + side * SIDE + at % SIDE;
}

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
