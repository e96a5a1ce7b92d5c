/* Scores of arcs and of their types. */
#include "tensor/cpu/level/kernels.h"
#include "tensor/cpu/level/math.h"

/* The head side of sentence s: x + last, dense. */
static void head_side(const ArcArgs *a, int s)
{
    int n = a->start[s + 1] - a->start[s], cols = a->d + 1;
    const Real *x = a->x + (ptrdiff_t)a->start[s] * a->ldx;
    for (int r = 0; r < n; r++, x += a->ldx)
        for (int c = 0; c < cols; c++) a->scratch[(ptrdiff_t)r * cols + c] = x[c] + a->last[c];
}

void cpu_arc_scores_fwd(const ArcArgs *a)
{
    int d = a->d;
    for (int s = 0; s < a->n_sent; s++) {
        int from = a->start[s], n = a->start[s + 1] - from;
        Real *out = a->s + a->pair_start[s];
        head_side(a, s);
        for (int c = 0; c < n; c++)
            for (int g = 0; g < n; g++) out[(ptrdiff_t)c * n + g] = a->scratch[(ptrdiff_t)g * (d + 1) + d];
        cpu_gemm(false, true, n, n, d, 1, a->b + (ptrdiff_t)from * a->ldb, a->ldb, a->scratch, d + 1, 1, out, n);
    }
}

void cpu_arc_scores_bwd(const ArcArgs *a)
{
    int d = a->d;
    for (int s = 0; s < a->n_sent; s++) {
        int from = a->start[s], n = a->start[s + 1] - from;
        const Real *ds = a->ds + a->pair_start[s];
        if (a->db) {
            head_side(a, s);
            cpu_gemm(false, false, n, d, n, 1, ds, n, a->scratch, d + 1, 1, a->db + (ptrdiff_t)from * a->ldb, a->ldb);
        }
        cpu_gemm(true, false, n, d, n, 1, ds, n, a->b + (ptrdiff_t)from * a->ldb, a->ldb, 0, a->scratch, d + 1);
        for (int g = 0; g < n; g++) {
            Real *row = a->scratch + (ptrdiff_t)g * (d + 1);
            row[d] = 0;
            for (int c = 0; c < n; c++) row[d] += ds[(ptrdiff_t)c * n + g];
        }
        if (a->dx) cpu_add(a->dx + (ptrdiff_t)from * a->ldx, a->ldx, a->scratch, d + 1, n, d + 1);
        if (a->dlast) cpu_column_sum(a->dlast, a->scratch, d + 1, n, d + 1);
    }
}

void cpu_bilinear_fwd(Real *s, int lds, const Real *a, int lda, const Real *b, int ldb, Weight u, int rows,
                      Real *scratch)
{
    int d = u.rows, wide = u.cols, types = d ? wide / d : 0;
    for (int r0 = 0; r0 < rows; r0 += BILINEAR_ROWS) {
        int n = rows - r0 < BILINEAR_ROWS ? rows - r0 : BILINEAR_ROWS;
        cpu_linear(scratch, wide, a + (ptrdiff_t)r0 * lda, lda, n, u, NULL, false);
        for (int r = 0; r < n; r++) {
            const Real *br = b + (ptrdiff_t)(r0 + r) * ldb, *t = scratch + (ptrdiff_t)r * wide;
            for (int y = 0; y < types; y++, t += d) s[(ptrdiff_t)(r0 + r) * lds + y] = (Real)dot_of(t, br, d);
        }
    }
}

void cpu_bilinear_bwd(const Real *ds, int lds, Real *da, int ldda, Real *db, int lddb, Real *du, const Real *a, int lda,
                      const Real *b, int ldb, const Real *u, int rows, int d, int types, Real *scratch)
{
    int wide = types * d;
    Real *dt = scratch + (ptrdiff_t)BILINEAR_ROWS * wide;
    for (int r0 = 0; r0 < rows; r0 += BILINEAR_ROWS) {
        int n = rows - r0 < BILINEAR_ROWS ? rows - r0 : BILINEAR_ROWS;
        const Real *a0 = a + (ptrdiff_t)r0 * lda;
        if (db) cpu_gemm(false, false, n, wide, d, 1, a0, lda, u, wide, 0, scratch, wide);
        for (int r = 0; r < n; r++) {
            const Real *br = b + (ptrdiff_t)(r0 + r) * ldb;
            for (int y = 0; y < types; y++) {
                Real g = ds[(ptrdiff_t)(r0 + r) * lds + y];
                Real *row = dt + (ptrdiff_t)r * wide + (ptrdiff_t)y * d;
                for (int j = 0; j < d; j++) row[j] = g * br[j];
                if (!db) continue;
                const Real *t = scratch + (ptrdiff_t)r * wide + (ptrdiff_t)y * d;
                Real *dbr = db + (ptrdiff_t)(r0 + r) * lddb;
                for (int j = 0; j < d; j++) dbr[j] += g * t[j];
            }
        }
        if (da) cpu_gemm(false, true, n, d, wide, 1, dt, wide, u, wide, 1, da + (ptrdiff_t)r0 * ldda, ldda);
        if (du) cpu_gemm(true, false, d, wide, n, 1, a0, lda, dt, wide, 1, du, wide);
    }
}

void cpu_between_fwd(Real *s, const Real *products, int n, bool turned)
{
    const Real *a = products, *b = products + (ptrdiff_t)n * n;
    for (ptrdiff_t c = 0; c < n; c++, a += n, b += n)
        for (ptrdiff_t g = 0; g < n; g++) {
            Real x = g < c ? a[c - 1] - a[g] : g > c ? b[g - 1] - b[c] : 0;
            if (turned) s[g * n + c] += x;
            else s[c * n + g] = x;
        }
}

void cpu_between_bwd(Real *products, const Real *ds, int n, bool turned)
{
    Real *a = products, *b = products + (ptrdiff_t)n * n;
    const ptrdiff_t row = turned ? 1 : n, col = turned ? n : 1;
    for (ptrdiff_t c = 0; c < n; c++, a += n, b += n) {
        Real before = 0, after = 0;
        for (ptrdiff_t g = 0; g < n; g++) {
            Real d = ds[c * row + g * col];
            a[g] = g < c ? -d : 0;
            b[g] = g >= c && g + 1 < n ? ds[c * row + (g + 1) * col] : 0;
            if (g < c) before += d;
            else if (g > c) after += d;
        }
        if (c > 0) a[c - 1] += before;
        b[c] -= after;
    }
}
