/* B is copied into vectors on the stack, in pieces if it is large, and multiplied by
 * product.h's function. */
#include "tensor/cpu/level/small.h"
#include "tensor/cpu/level/kernels.h"

/* Numbers of B as it is copied, on the stack, and the most rows of B in a piece. */
enum { MOST = 8192, DEPTH = 256 };

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

void small_vectors(Vector *to, int stride, const Real *b, int ldb, bool transposed, int n, int k)
{
    Real *row = (Real *)to;
    int width = stride * WIDTH, whole = n / WIDTH, n4 = n & ~3, k4 = k & ~3;
    if (n % WIDTH)
        for (ptrdiff_t h = 0; h < k; h++) to[h * stride + whole] = (Vector){ 0 };
    if (!transposed) {
        for (ptrdiff_t h = 0; h < k; h++, b += ldb) small_copy(row + h * width, b, n);
        return;
    }
    for (ptrdiff_t c = 0; c < n4; c += 4)
        for (ptrdiff_t h = 0; h < k4; h += 4) turn(row + h * width + c, width, b + c * ldb + h, ldb);
    for (ptrdiff_t c = 0; c < n; c++)
        for (ptrdiff_t h = c < n4 ? k4 : 0; h < k; h++) row[h * width + c] = b[c * ldb + h];
}

void small_product(int m, int n, int k, Real alpha, SmallOperand operand, const Vector *b, int stride, bool add,
                   Real *c, int ldc)
{
    const ProductEnd end = { .alpha = alpha, .add = add, .c = c, .ldc = ldc };
    product_real(m, n, k, operand.at, operand.row, operand.step, b, stride, TILE_VECTORS, &end);
}

bool small_fits(int n, int k) { return (long)vectors_of(n) * WIDTH * k <= MOST; }

void small_pieces(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
                  bool add, Real *c, int ldc)
{
    Vector copy[MOST / WIDTH];
    ptrdiff_t row = ta ? 1 : lda, step = ta ? lda : 1;
    int deep = k < 1 ? 1 : k < DEPTH ? k : DEPTH, wide = small_fits(n, deep) ? n : MOST / deep / PANEL * PANEL;
    for (int h = 0; h == 0 || h < k; h += deep)
        for (int j = 0; j < n; j += wide) {
            int inner = k - h < deep ? k - h : deep, cols = n - j < wide ? n - j : wide, stride = vectors_of(cols);
            small_vectors(copy, stride, tb ? b + (ptrdiff_t)j * ldb + h : b + (ptrdiff_t)h * ldb + j, ldb, tb, cols,
                          inner);
            small_product(m, cols, inner, alpha, (SmallOperand){ a + h * step, row, step }, copy, stride, add || h,
                          c + j, ldc);
        }
}
