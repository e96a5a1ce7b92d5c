/* Ops whose relevance is not their backward pass (tensor/tape.h): divisors of the forward pass are held constant. */
#include "tensor/cpu/level/kernels.h"
#include "tensor/cpu/level/math.h"

void cpu_bias_relevance(double *part, const Real *dy, int ld, const Real *bias, int rows, int cols)
{
    for (int r = 0; r < rows; r++, dy += ld)
        for (int c = 0; c < cols; c++) *part += (double)dy[c] * (double)bias[c];
}

void cpu_norm_relevance(Real *dx, int lddx, const Real *dy, int lddy, const Real *a, const Real *b, const Real *inv,
                        int rows, int cols, double *part)
{
    double bias = 0;
    for (int r = 0; r < rows; r++, dx += lddx, dy += lddy) {
        double mean = 0;
        for (int c = 0; c < cols; c++) {
            mean += (double)a[c] * (double)dy[c];
            bias += (double)b[c] * (double)dy[c];
        }
        mean /= cols;
        for (int c = 0; c < cols; c++) dx[c] += (Real)(((double)a[c] * (double)dy[c] - mean) * (double)inv[r]);
    }
    *part += bias;
}

void cpu_label_norm_relevance(Real *dr, Real *ddelta, const Real *dy, const int *first, const Real *a, const Real *b,
                              const Real *inv, int tokens, int heads, int p, double *part)
{
    double bias = 0;
    for (int t = 0; t < tokens; t++)
        for (int h = 0; h < heads; h++, dy += p, inv++) {
            double mean = 0;
            for (int c = 0; c < p; c++) {
                mean += (double)a[c] * (double)dy[c];
                bias += (double)b[c] * (double)dy[c];
            }
            mean /= p;
            for (int c = 0; c < p; c++) {
                Real g = (Real)(((double)a[c] * (double)dy[c] - mean) * (double)*inv);
                if (dr) dr[(ptrdiff_t)t * p + c] += g;
                if (ddelta) ddelta[(ptrdiff_t)(first[t] + h) * p + c] += g;
            }
        }
    *part += bias;
}

void cpu_arc_scores_relevance(const ArcArgs *a)
{
    int d = a->d;
    Real half = (Real)0.5;
    for (int s = 0; s < a->n_sent; s++) {
        int from = a->start[s], n = a->start[s + 1] - from;
        const Real *ds = a->ds + a->pair_start[s], *x = a->x + (ptrdiff_t)from * a->ldx,
                   *b = a->b + (ptrdiff_t)from * a->ldb;
        Real *dx = a->dx ? a->dx + (ptrdiff_t)from * a->ldx : NULL,
             *db = a->db ? a->db + (ptrdiff_t)from * a->ldb : NULL;
        if (db) cpu_gemm(false, false, n, d, n, half, ds, n, x, a->ldx, 1, db, a->ldb);
        if (dx) cpu_gemm(true, false, n, d, n, half, ds, n, b, a->ldb, 1, dx, a->ldx);
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int g = 0; g < n; g++) {
                Real v = ds[(ptrdiff_t)c * n + g];
                sum += (double)v;
                if (dx) dx[(ptrdiff_t)g * a->ldx + d] += v;
            }
            for (int k = 0; db && k < d; k++) db[(ptrdiff_t)c * a->ldb + k] += (Real)(sum * (double)a->last[k]);
            *a->part += sum * (double)a->last[d];
        }
    }
}
