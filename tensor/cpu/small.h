/* tensor/cpu/small.h
 * Products of small matrices. For the blocks of attention, a sentence by a head, a library spends more time on packing
 * its operands and on choosing a kernel than on the product. Here B is copied once into lanes, A is read where it lies,
 * and each element of C is one sum over k in order: it does not depend on the others. */
#pragma once

#include "tensor/cpu/math.h"

/* Vectors that hold n numbers. */
static inline int small_vectors(int n) { return (n + LANES - 1) / LANES; }

/* A copy of few numbers, without a call. */
static inline void small_copy(Real *to, const Real *from, int n)
{
    int i = 0;
    for (; i + LANES <= n; i += LANES) memcpy(to + i, from + i, sizeof(Lanes));
    for (; i < n; i++) to[i] = from[i];
}

/* to: the rows of B [k, n], or of its transpose if b is [n, k], in vectors, row r from to[r * stride] on; zeros after
 * column n. */
void small_lanes(Lanes *to, int stride, const Real *b, int ldb, bool transposed, int n, int k);

/* A, whose element (r, h) is at[r * row + h * step] */
typedef struct SmallOperand {
    const Real *at;
    ptrdiff_t row, step;
} SmallOperand;

/* C [m, n] = alpha A B or, with add, += ; B [k, n] in lanes of this stride. */
void small_product(int m, int n, int k, Real alpha, SmallOperand a, const Lanes *b, int stride, bool add, Real *c,
                   int ldc);
