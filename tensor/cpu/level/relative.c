/* Logits that depend on the distance of query and key, by sentence and head. */
#include <string.h>

#include "tensor/cpu/level/kernels.h"
#include "tensor/cpu/level/math.h"

void cpu_relative_bias_fwd(Real *y, const Real *table, int ld, const int *row, int heads, const int *start,
                           const long *pair_start, int n_sent, int longest)
{
    for (int h = 0; h < heads; h++)
        for (int b = 0; b < n_sent; b++) {
            int m = start[b + 1] - start[b];
            Real *block = y + h * pair_start[n_sent] + pair_start[b];
            for (int i = 0; i < m; i++, block += m)
                for (int j = 0; j < m; j++) block[j] = table[(ptrdiff_t)row[i - j + longest - 1] * ld + h];
        }
}

/* Each distance is summed in double before it is added: a bucket takes the sum of many pairs. */
void cpu_relative_bias_bwd(Real *dtable, int ld, const Real *dy, const int *row, int heads, const int *start,
                           const long *pair_start, int n_sent, int longest)
{
    for (int h = 0; h < heads; h++)
        for (int delta = 1 - longest; delta < longest; delta++) {
            double sum = 0;
            for (int b = 0; b < n_sent; b++) {
                int m = start[b + 1] - start[b];
                const Real *block = dy + h * pair_start[n_sent] + pair_start[b];
                for (int i = delta > 0 ? delta : 0; i < m && i - delta < m; i++)
                    sum += block[(ptrdiff_t)i * m + i - delta];
            }
            dtable[(ptrdiff_t)row[delta + longest - 1] * ld + h] += (Real)sum;
        }
}

/* The queries of a head with v added: [m, w]. */
static void shifted_queries(const RelativeArgs *a, Real *to, int b, int h)
{
    int s = a->start[b], m = a->start[b + 1] - s, w = a->w;
    const Real *q = a->qkv + (ptrdiff_t)s * a->ld_qkv + (ptrdiff_t)h * w, *v = a->v + (ptrdiff_t)h * w;
    for (int i = 0; i < m; i++, to += w, q += a->ld_qkv)
        for (int c = 0; c < w; c++) to[c] = q[c] + v[c];
}

/* In a sentence of m tokens distances are columns d = i - j + m - 1 of [m, 2m - 1] products, rows longest - m + d of
 * r. */
void cpu_relative_logits_fwd(const RelativeArgs *a)
{
    int w = a->w;
    Real *shifted = a->scratch, *products = shifted + (ptrdiff_t)a->longest * w, inv = (Real)(1 / a->scale);
    for (int b = 0; b < a->n_sent; b++) {
        int s = a->start[b], m = a->start[b + 1] - s, n = 2 * m - 1;
        for (int h = 0; h < a->heads; h++) {
            Real *block = a->y + h * a->pair_start[a->n_sent] + a->pair_start[b];
            const Real *k = a->qkv + (ptrdiff_t)s * a->ld_qkv + (ptrdiff_t)(a->heads + h) * w;
            shifted_queries(a, shifted, b, h);
            cpu_gemm(false, true, m, n, w, inv, shifted, w,
                     a->r + (ptrdiff_t)(a->longest - m) * a->ld_r + (ptrdiff_t)h * w, a->ld_r, 0, products, n);
            for (int j = 0; j < m; j++) {
                Real of_key = inv * (Real)dot_of(k + (ptrdiff_t)j * a->ld_qkv, a->u + (ptrdiff_t)h * w, w);
                for (int i = 0; i < m; i++)
                    block[(ptrdiff_t)i * m + j] = products[(ptrdiff_t)i * n + i - j + m - 1] + of_key;
            }
        }
    }
}

void cpu_relative_logits_bwd(const RelativeArgs *a)
{
    int w = a->w;
    Real *shifted = a->scratch, *dshifted = shifted + (ptrdiff_t)a->longest * w,
         *dproducts = dshifted + (ptrdiff_t)a->longest * w, inv = (Real)(1 / a->scale);
    for (int b = 0; b < a->n_sent; b++) {
        int s = a->start[b], m = a->start[b + 1] - s, n = 2 * m - 1;
        for (int h = 0; h < a->heads; h++) {
            const Real *dy = a->dy + h * a->pair_start[a->n_sent] + a->pair_start[b], *u = a->u + (ptrdiff_t)h * w;
            ptrdiff_t r = (ptrdiff_t)(a->longest - m) * a->ld_r + (ptrdiff_t)h * w,
                      q = (ptrdiff_t)s * a->ld_qkv + (ptrdiff_t)h * w, k = q + (ptrdiff_t)a->heads * w;
            memset(dproducts, 0, (size_t)m * (size_t)n * sizeof *dproducts);
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++)
                    dproducts[(ptrdiff_t)i * n + i - j + m - 1] = inv * dy[(ptrdiff_t)i * m + j];
            cpu_gemm(false, false, m, w, n, 1, dproducts, n, a->r + r, a->ld_r, 0, dshifted, w);
            if (a->dqkv) cpu_add(a->dqkv + q, a->ld_qkv, dshifted, w, m, w);
            if (a->dv) cpu_column_sum(a->dv + (ptrdiff_t)h * w, dshifted, w, m, w);
            if (a->dr) {
                shifted_queries(a, shifted, b, h);
                cpu_gemm(true, false, n, w, m, 1, dproducts, n, shifted, w, 1, a->dr + r, a->ld_r);
            }
            for (int j = 0; j < m; j++) {
                double sum = 0;
                for (int i = 0; i < m; i++) sum += dy[(ptrdiff_t)i * m + j];
                Real g = inv * (Real)sum;
                for (int c = 0; c < w && a->dqkv; c++) a->dqkv[k + (ptrdiff_t)j * a->ld_qkv + c] += g * u[c];
                for (int c = 0; c < w && a->du; c++) a->du[h * w + c] += g * a->qkv[k + (ptrdiff_t)j * a->ld_qkv + c];
            }
        }
    }
}
