/* Products, by cuBLAS where they are large. */
#include "tensor/cuda/cuda.h"

void cuda_gemm(bool ta, bool tb, int m, int n, int k, Real alpha, const Real *a, int lda, const Real *b, int ldb,
               bool add, Real *c, int ldc)
{
    cuda_product("gemm", { .ta = ta,
                           .tb = tb,
                           .m = m,
                           .n = n,
                           .k = k,
                           .alpha = alpha,
                           .beta = add ? (Real)1 : (Real)0,
                           .a = { a, lda },
                           .b = { b, ldb },
                           .c = { c, ldc } });
}

void cuda_linear(Real *y, int ldy, const Real *x, int ldx, int rows, Weight w, const Real *bias, bool relu)
{
    cuda_product("linear",
                 { .m = rows, .n = w.cols, .k = w.rows, .a = { x, ldx }, .b = { w.values, w.ld }, .c = { y, ldy } });
    cuda_bias_act(y, ldy, bias, rows, w.cols, relu);
}

void cuda_weight_product(Real *y, int ldy, Weight a, Weight b)
{
    cuda_linear(y, ldy, a.values, a.ld, a.rows, b, NULL, false);
}

/* A product for each head, whose rows of y and z lie heads apart. */
void cuda_head_linear(Real *y, int ldy, const Real *z, int ldz, int rows, int heads, Weight v)
{
    int d_in = v.rows / heads;
    cuda_product("head_linear", { .m = rows,
                                  .n = v.cols,
                                  .k = d_in,
                                  .a = { z, heads * ldz, ldz },
                                  .b = { v.values, v.ld, (ptrdiff_t)d_in * v.ld },
                                  .c = { y, heads * ldy, ldy },
                                  .batch = heads });
}

/* ---- queries of labels: of each head q [1, d_a] and k [d_in, d_a] */

void cuda_label_query_fwd(Real *u, int ldu, Weight k, Weight q)
{
    int heads = q.rows, d_in = k.rows / heads, d_a = q.cols;
    cuda_product("label_query_fwd", { .tb = true,
                                      .m = 1,
                                      .n = d_in,
                                      .k = d_a,
                                      .a = { q.values, d_a, d_a },
                                      .b = { k.values, d_a, (ptrdiff_t)d_in * d_a },
                                      .c = { u, d_in, ldu },
                                      .batch = heads });
}

/* dk[h * d_in + c] += du[h, c] q[h] */
static __global__ void label_query_keys(Real *dk, const Real *du, int ldu, const Real *q, int rows, int d_in, int d_a)
{
    MATRIX_LOOP(r, e, rows, d_a) dk[r * d_a + e] += du[r / d_in * ldu + r % d_in] * q[r / d_in * d_a + e];
}

void cuda_label_query_bwd(const Real *du, int ldu, const Real *k, const Real *q, Real *dk, Real *dq, int heads,
                          int d_in, int d_a)
{
    if (dk) LAUNCH_MATRIX(label_query_keys, heads * d_in, d_a, dk, du, ldu, q, heads * d_in, d_in, d_a);
    if (dq)
        cuda_product("label_query_bwd", { .m = 1,
                                          .n = d_a,
                                          .k = d_in,
                                          .beta = 1,
                                          .a = { du, d_in, ldu },
                                          .b = { k, d_a, (ptrdiff_t)d_in * d_a },
                                          .c = { dq, d_a, d_a },
                                          .batch = heads });
}

/* ---- bilinear forms, BILINEAR_ROWS rows at a time: t = a U [rows, types * d] in scratch memory */

/* s[r, y] = t[r, y * d ..] . b[r], a warp each */
static __global__ void bilinear(Real *s, int lds, const Real *t, const Real *b, int ldb, int rows, int types, int d)
{
    int at = cuda_warp(), r = at / types, y = at % types;
    if (r >= rows) return;
    const Real *left = t + ((ptrdiff_t)r * types + y) * d, *right = b + (ptrdiff_t)r * ldb;
    double sum = 0;
    for (int j = cuda_lane(); j < d; j += WARP) sum += (double)left[j] * (double)right[j];
    sum = warp_sum(sum);
    if (cuda_lane() == 0) s[(ptrdiff_t)r * lds + y] = (Real)sum;
}

void cuda_bilinear_fwd(Real *s, int lds, const Real *a, int lda, const Real *b, int ldb, Weight u, int rows,
                       Real *scratch)
{
    int d = u.rows, wide = u.cols, types = d ? wide / d : 0;
    for (int r = 0; r < rows && types > 0; r += BILINEAR_ROWS) {
        int n = rows - r < BILINEAR_ROWS ? rows - r : BILINEAR_ROWS;
        cuda_linear(scratch, wide, a + (ptrdiff_t)r * lda, lda, n, u, NULL, false);
        LAUNCH(bilinear, cuda_blocks((size_t)n * (size_t)types * WARP), BLOCK, 0, s + (ptrdiff_t)r * lds, lds, scratch,
               b + (ptrdiff_t)r * ldb, ldb, n, types, d);
    }
}

/* dt[r, y * d + j] = ds[r, y] b[r, j] */
static __global__ void bilinear_outer(Real *dt, const Real *ds, int lds, const Real *b, int ldb, int rows, int types,
                                      int d)
{
    const int wide = types * d;
    MATRIX_LOOP(r, c, rows, wide) dt[r * wide + c] = ds[r * lds + c / d] * b[r * ldb + c % d];
}

/* db[r, j] += sum over y of ds[r, y] t[r, y * d + j] */
static __global__ void bilinear_right(Real *db, int lddb, const Real *ds, int lds, const Real *t, int rows, int types,
                                      int d)
{
    MATRIX_LOOP(r, j, rows, d)
    {
        Real sum = db[r * lddb + j];
        for (int y = 0; y < types; y++) sum += ds[r * lds + y] * t[(r * types + y) * d + j];
        db[r * lddb + j] = sum;
    }
}

void cuda_bilinear_bwd(const Real *ds, int lds, Real *da, int ldda, Real *db, int lddb, Real *du, const Real *a,
                       int lda, const Real *b, int ldb, const Real *u, int rows, int d, int types, Real *scratch)
{
    int wide = types * d;
    Real *dt = scratch + (ptrdiff_t)BILINEAR_ROWS * wide;
    for (int r = 0; r < rows; r += BILINEAR_ROWS) {
        int n = rows - r < BILINEAR_ROWS ? rows - r : BILINEAR_ROWS;
        const Real *a0 = a + (ptrdiff_t)r * lda, *ds0 = ds + (ptrdiff_t)r * lds;
        LAUNCH_MATRIX(bilinear_outer, n, wide, dt, ds0, lds, b + (ptrdiff_t)r * ldb, ldb, n, types, d);
        if (db) {
            cuda_gemm(false, false, n, wide, d, 1, a0, lda, u, wide, 0, scratch, wide);
            LAUNCH_MATRIX(bilinear_right, n, d, db + (ptrdiff_t)r * lddb, lddb, ds0, lds, scratch, n, types, d);
        }
        if (da) cuda_gemm(false, true, n, d, wide, 1, dt, wide, u, wide, 1, da + (ptrdiff_t)r * ldda, ldda);
        if (du) cuda_gemm(true, false, d, wide, n, 1, a0, lda, dt, wide, 1, du, wide);
    }
}
