/* Columns are taken in blocks whose largest sums stay in registers, wide blocks first. */
#include <math.h>

#include "tensor/cpu/level/max_plus.h"
#include "tensor/cpu/level/product.h"

/* Vectors whose largest sums stay in registers, of blocks of columns: wide ones read more of a row at once. The last
 * ones are of MAX_PLUS_ALIGN columns. */
enum { FEW = MAX_PLUS_ALIGN / WIDTH, MANY = VECTOR_BYTES < 64 ? 8 : 4, SOME = MANY / 2 };

#define INLINE static inline __attribute__((always_inline))

INLINE void pairs_block(int vectors, Real *a, const Real *const *x, const Real *const *y, int n, int from)
{
    Vector best[MANY];
    for (int v = 0; v < vectors; v++) best[v] = vector_at(a + from + v * WIDTH);
    for (int p = 0; p < n; p += 2)
        for (int v = 0, h = from; v < vectors; v++, h += WIDTH)
            best[v] = vector_max(vector_max(vector_at(x[p] + h) + vector_at(y[p] + h),
                                            vector_at(x[p + 1] + h) + vector_at(y[p + 1] + h)),
                                 best[v]);
    for (int v = 0; v < vectors; v++) vector_put(a + from + v * WIDTH, best[v]);
}

void max_plus_pairs(Real *a, const Real *const *x, const Real *const *y, int n, int from, int to)
{
    for (; to - from >= MANY * WIDTH; from += MANY * WIDTH) pairs_block(MANY, a, x, y, n, from);
    for (; to - from >= SOME * WIDTH; from += SOME * WIDTH) pairs_block(SOME, a, x, y, n, from);
    for (; from < to; from += MAX_PLUS_ALIGN) pairs_block(FEW, a, x, y, n, from);
}

INLINE void rows_block(int vectors, Real *a, const Real *x, Real plus, const Real *rows, int n, int width)
{
    Vector best[MANY];
    for (int v = 0; v < vectors; v++) best[v] = (Vector){ 0 } - (Real)INFINITY;
    for (int r = 0; r < n; r++, rows += width)
        for (int v = 0; v < vectors; v++) best[v] = vector_max((x[r] + plus) + vector_at(rows + v * WIDTH), best[v]);
    for (int v = 0; v < vectors; v++) vector_put(a + v * WIDTH, best[v]);
}

void max_plus_rows(Real *a, const Real *x, Real plus, const Real *rows, int n, int width)
{
    int h = 0;
    for (; width - h >= MANY * WIDTH; h += MANY * WIDTH) rows_block(MANY, a + h, x, plus, rows + h, n, width);
    for (; width - h >= SOME * WIDTH; h += SOME * WIDTH) rows_block(SOME, a + h, x, plus, rows + h, n, width);
    for (; h < width; h += MAX_PLUS_ALIGN) rows_block(FEW, a + h, x, plus, rows + h, n, width);
}
