/* tensor/cpu/relevance.c: the ops whose relevance is not their backward pass (tensor/tape.h): what a forward pass
 * divided or weighted by stays constant. */
#include "tensor/cpu/cpu.h"
#include "tensor/cpu/math.h"

double cpu_norm_relevance(Real *dx, int lddx, const Real *dy, int ldy, const Real *a, const Real *b, const Real *inv,
                          int rows, int cols)
{
    double bias = 0;
    for (int r = 0; r < rows; r++, dx += lddx, dy += ldy) {
        double mean = 0;
        for (int c = 0; c < cols; c++) {
            mean += (double)a[c] * (double)dy[c];
            bias += (double)b[c] * (double)dy[c];
        }
        mean /= cols;
        for (int c = 0; c < cols; c++) dx[c] += (Real)(((double)a[c] * (double)dy[c] - mean) * (double)inv[r]);
    }
    return bias;
}

double cpu_label_norm_relevance(Real *dr, Real *ddelta, const Real *dy, const int *first, const Real *a, const Real *b,
                                const Real *inv, int tokens, int heads, int p)
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
    return bias;
}

/* Values alone: dv_j += sum_i gate A[i, j] dctx_i. */
void cpu_attention_relevance(const AttentionArgs *a)
{
    for (int b = 0; b < a->n_sent; b++) {
        int s = a->start[b], m = a->start[b + 1] - s;
        for (int h = 0; h < a->n_heads; h++) {
            const Real *block = a->probs + (long)h * a->pair_start[a->n_sent] + a->pair_start[b];
            for (int p = 0; p < a->n_parts; p++) {
                if (!a->dqkv[p] || !a->dctx[p]) continue;
                int w = a->width[p], ld = a->ld_qkv[p];
                Real *dv = a->dqkv[p] + (ptrdiff_t)s * ld + (2 * a->n_heads + h) * w;
                cpu_gemm(true, false, m, w, m, a->gates ? a->gates[h] : 1, block, m,
                         a->dctx[p] + (ptrdiff_t)s * a->ld_ctx[p] + h * w, a->ld_ctx[p], 1, dv, ld);
            }
        }
    }
}
