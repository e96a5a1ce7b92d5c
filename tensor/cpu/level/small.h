/* Products of small matrices. For the blocks of attention, a sentence by a head, a library spends more time on packing
 * its operands and on choosing a kernel than on the product. Here B is copied once into vectors, A is read where it
 * lies. */
#pragma once

#include "tensor/cpu/level/product.h"

/* A copy of few numbers, without a call. */
static inline void small_copy(Real *to, const Real *from, int n)
{
    int i = 0;
    for (; i + WIDTH <= n; i += WIDTH) memcpy(to + i, from + i, sizeof(Vector));
    for (; i < n; i++) to[i] = from[i];
}

/* to: the rows of B [k, n], or of its transpose if b is [n, k], in vectors, row r from to[r * stride] on; zeros after
 * column n. */
void small_vectors(Vector *to, int stride, const Real *b, int ldb, bool transposed, int n, int k);

/* A, whose element (r, h) is at[r * row + h * step] */
typedef struct SmallOperand {
    const Real *at;
    ptrdiff_t row, step;
} SmallOperand;

/* C [m, n] = alpha A B or, with add, += ; B [k, n] in vectors of this stride. */
void small_product(int m, int n, int k, Real alpha, SmallOperand operand, const Vector *b, int stride, bool add,
                   Real *c, int ldc);

/* Is B [k, n] copied at once? */
bool small_fits(int n, int k);
/* C = alpha op(A) op(B) or, with add, C +=, as the kernel gemm, in pieces of B that fit. An element of C depends on its
 * row of op(A) and its column of op(B) alone, to the bit. */
void small_pieces(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
                  bool add, Real *c, int ldc);
