/* Products of dense matrices with sparse vectors, in vector registers; only for the .c files of this folder. */
#pragma once

#include "explain/fast/why.h"

/* One vector register (or two, on smaller machines), an extension of gcc and clang. Compilers vectorise plain loops
 * here along the wrong dimension. */
typedef Real WhyLanes __attribute__((vector_size(64), aligned(sizeof(Real)), may_alias));
enum { LANES = sizeof(WhyLanes) / sizeof(Real), REGISTERS = 8, WHY_BLOCK = REGISTERS * LANES };

static inline int padded(int n, int to) { return (n + to - 1) / to * to; }

static inline Real *blocks_at(const WhyBlocks *blocks, int row, int col)
{
    return blocks->v + ((ptrdiff_t)(col / WHY_BLOCK) * blocks->rows + row) * WHY_BLOCK + col % WHY_BLOCK;
}

static inline const Real *blocks_row(const WhyBlocks *blocks, int block, int row)
{
    return blocks->v + ((ptrdiff_t)block * blocks->rows + row) * WHY_BLOCK;
}

typedef struct Sparse {
    int n;
    int *row;    /* [n] */
    Real *value; /* [n] */
} Sparse;

/* out [REGISTERS] = sparse times one block */
static inline void times_block(const Sparse *sparse, const WhyBlocks *blocks, int block, WhyLanes *restrict out)
{
    WhyLanes sum[REGISTERS] = { { 0 } };
    for (int k = 0; k < sparse->n; k++) {
        const WhyLanes *row = (const WhyLanes *)blocks_row(blocks, block, sparse->row[k]);
        for (int i = 0; i < REGISTERS; i++) sum[i] += sparse->value[k] * row[i];
    }
    for (int i = 0; i < REGISTERS; i++) out[i] = sum[i];
}

/* sum [TOGETHER] = coefficients by[j] [n] times parts [n]; several at once hide the latency of additions. */
enum { TOGETHER = 4 };
static inline void times_parts(const Real *const by[TOGETHER], const WhyLanes *parts, int n, WhyLanes sum[TOGETHER])
{
    WhyLanes s[TOGETHER] = { { 0 } };
    for (int k = 0; k < n; k++)
        for (int j = 0; j < TOGETHER; j++) s[j] += by[j][k] * parts[k];
    for (int j = 0; j < TOGETHER; j++) sum[j] = s[j];
}

/* Sum of the products a [REGISTERS] b [REGISTERS]. */
static inline WhyLanes products(const WhyLanes *a, const WhyLanes *b)
{
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) +
           ((a[4] * b[4] + a[5] * b[5]) + (a[6] * b[6] + a[7] * b[7]));
}
