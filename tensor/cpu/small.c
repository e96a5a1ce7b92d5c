/* tensor/cpu/small.c */
#include <string.h>

#include "tensor/cpu/cpu.h"
#include "tensor/cpu/small.h"

enum {
#ifdef __AVX512F__
    ROWS = 8, /* of C at a time, by VECTORS of lanes: the sums stay in registers */
#else
    ROWS = 3,
#endif
    VECTORS = 2,
    MOST = 8192 /* numbers of B as it is copied, on the stack */
};

/* to[h][c] = b[c][h], h, c < 4 */
static inline void turn(Real *to, int width, const Real *b, int ldb)
{
#if defined __has_builtin && __has_builtin(__builtin_shufflevector)
    typedef Real Four __attribute__((vector_size(4 * sizeof(Real))));
    Four x[4];
    for (int c = 0; c < 4; c++) memcpy(&x[c], b + (ptrdiff_t)c * ldb, sizeof x[c]);
    Four p = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5), q = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5),
         r = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7), s = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
    x[0] = __builtin_shufflevector(p, q, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(p, q, 2, 3, 6, 7);
    x[2] = __builtin_shufflevector(r, s, 0, 1, 4, 5);
    x[3] = __builtin_shufflevector(r, s, 2, 3, 6, 7);
    for (int h = 0; h < 4; h++) memcpy(to + (ptrdiff_t)h * width, &x[h], sizeof x[h]);
#else
    for (int h = 0; h < 4; h++)
        for (int c = 0; c < 4; c++) to[(ptrdiff_t)h * width + c] = b[(ptrdiff_t)c * ldb + h];
#endif
}

void small_lanes(Lanes *to, int stride, const Real *b, int ldb, bool transposed, int n, int k)
{
    Real *row = (Real *)to;
    int width = stride * LANES, whole = n / LANES, n4 = n & ~3, k4 = k & ~3;
    if (n % LANES)
        for (ptrdiff_t h = 0; h < k; h++) to[h * stride + whole] = (Lanes){ 0 };
    if (!transposed) {
        for (ptrdiff_t h = 0; h < k; h++, b += ldb) {
            for (int v = 0; v < whole; v++) to[(ptrdiff_t)h * stride + v] = lanes_of(b + (ptrdiff_t)v * LANES);
            for (int c = whole * LANES; c < n; c++) row[h * width + c] = b[c];
        }
        return;
    }
    for (ptrdiff_t c = 0; c < n4; c += 4)
        for (ptrdiff_t h = 0; h < k4; h += 4) turn(row + h * width + c, width, b + c * ldb + h, ldb);
    for (ptrdiff_t c = 0; c < n; c++)
        for (ptrdiff_t h = c < n4 ? k4 : 0; h < k; h++) row[h * width + c] = b[c * ldb + h];
}

/* c[l] = alpha sum[l], or +=, l < n <= LANES */
static inline void put(Real *c, Lanes sum, Real alpha, bool add, int n)
{
    Lanes was = { 0 };
    sum *= alpha;
    if (n == LANES) {
        if (add) memcpy(&was, c, sizeof was);
        sum += was;
        memcpy(c, &sum, sizeof sum);
        return;
    }
    if (add) memcpy(&was, c, (size_t)n * sizeof *c);
    sum += was;
    memcpy(c, &sum, (size_t)n * sizeof *c);
}

/* rows x cols of C, cols <= n_vectors * LANES. Inlined for each rows and n_vectors, so that the sums have registers. */
static inline __attribute__((always_inline)) void tile(int rows, int n_vectors, int cols, int k, Real alpha,
                                                       SmallOperand a, const Lanes *b, int stride, bool add, Real *c,
                                                       int ldc)
{
    Lanes sum[ROWS][VECTORS] = { { { 0 } } };
    for (int h = 0; h < k; h++, b += stride, a.at += a.step)
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < n_vectors; v++) sum[r][v] += a.at[r * a.row] * b[v];
    for (int r = 0; r < rows; r++, c += ldc)
        for (int v = 0; v < n_vectors; v++) {
            int left = cols - v * LANES;
            put(c + (ptrdiff_t)v * LANES, sum[r][v], alpha, add, left < LANES ? left : LANES);
        }
}

static void tiles(int rows, int cols, int k, Real alpha, SmallOperand a, const Lanes *b, int stride, bool add, Real *c,
                  int ldc)
{
#define TILE(n)                                                                        \
    case n:                                                                            \
        if (n > ROWS) break; /* never */                                               \
        if (cols > LANES) tile(n, VECTORS, cols, k, alpha, a, b, stride, add, c, ldc); \
        else tile(n, 1, cols, k, alpha, a, b, stride, add, c, ldc);                    \
        break;
    switch (rows) {
        TILE(1)
        TILE(2)
        TILE(3)
        TILE(4)
        TILE(5)
        TILE(6)
        TILE(7)
        TILE(8)
    }
#undef TILE
}

void small_product(int m, int n, int k, Real alpha, SmallOperand a, const Lanes *b, int stride, bool add, Real *c,
                   int ldc)
{
    for (int r = 0; r < m; r += ROWS, a.at += ROWS * a.row, c += (ptrdiff_t)ROWS * ldc)
        for (int from = 0; from < n; from += VECTORS * LANES) {
            int rows = m - r < ROWS ? m - r : ROWS, cols = n - from < VECTORS * LANES ? n - from : VECTORS * LANES;
            tiles(rows, cols, k, alpha, a, b + from / LANES, stride, add, c + from, ldc);
        }
}

bool cpu_small_product(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b,
                       int ldb, bool add, Real *c, int ldc)
{
    Lanes lanes[MOST / LANES];
    int vectors = small_vectors(n);
    if ((long)vectors * LANES * k > MOST) return false;
    small_lanes(lanes, vectors, b, ldb, tb, n, k);
    small_product(m, n, k, alpha, (SmallOperand){ a, ta ? 1 : lda, ta ? lda : 1 }, lanes, vectors, add, c, ldc);
    return true;
}
