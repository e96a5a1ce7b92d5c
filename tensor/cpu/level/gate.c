/* Gates of attention heads, and the distance of attention weights from a target. */
#include "tensor/cpu/level/kernels.h"

void cpu_hard_concrete_fwd(Real *gates, const Real *log_alpha, const double *noise, int heads, HardConcrete c)
{
    double slope;
    for (int h = 0; h < heads; h++) gates[h] = (Real)hard_concrete_gate((double)log_alpha[h], noise[h], c, &slope);
}

void cpu_hard_concrete_bwd(Real *dlog_alpha, const Real *dgates, const Real *log_alpha, const double *noise, int heads,
                           HardConcrete c)
{
    for (int h = 0; h < heads; h++) {
        double slope;
        hard_concrete_gate((double)log_alpha[h], noise[h], c, &slope);
        dlog_alpha[h] += (Real)(slope * (double)dgates[h]);
    }
}

void cpu_hard_concrete_evaluated(Real *gates, const Real *log_alpha, int heads, HardConcrete c)
{
    for (int h = 0; h < heads; h++) gates[h] = (Real)hard_concrete_evaluated((double)log_alpha[h], c);
}

void cpu_l0_penalty_fwd(Real *y, const Real *log_alpha, int heads, HardConcrete c)
{
    double sum = 0;
    for (int h = 0; h < heads; h++) sum += hard_concrete_open((double)log_alpha[h], c);
    *y = (Real)sum;
}

void cpu_l0_penalty_bwd(Real *dlog_alpha, const Real *dy, const Real *log_alpha, int heads, HardConcrete c)
{
    for (int h = 0; h < heads; h++) {
        double p = hard_concrete_open((double)log_alpha[h], c);
        dlog_alpha[h] += (Real)(p * (1 - p) * (double)*dy);
    }
}

/* sum of (a - rest)^2 with, at the keys, (a - share)^2 in its place */
static double distance(const Real *a, const GuidedRow *r, const int *keys)
{
    double sum = 0;
    for (int j = 0; j < r->n; j++) {
        double d = (double)a[(ptrdiff_t)j * r->stride] - r->rest;
        sum += d * d;
    }
    for (int k = r->first; k < r->end; k++) {
        double x = (double)a[(ptrdiff_t)keys[k] * r->stride], d = x - r->rest, wanted = x - r->share;
        sum += wanted * wanted - d * d;
    }
    return sum;
}

void cpu_attention_guidance_fwd(Real *y, const Real *probs, const GuidedRow *rows, int n, const int *keys)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += rows[k].weight * distance(probs + rows[k].at, &rows[k], keys);
    *y = (Real)sum;
}

void cpu_attention_guidance_bwd(Real *dprobs, const Real *dy, const Real *probs, const GuidedRow *rows, int n,
                                const int *keys)
{
    for (int k = 0; k < n; k++) {
        const GuidedRow *r = &rows[k];
        const Real *a = probs + r->at;
        Real *da = dprobs + r->at;
        double by = 2 * r->weight * (double)*dy;
        for (int j = 0; j < r->n; j++) {
            ptrdiff_t at = (ptrdiff_t)j * r->stride;
            da[at] += (Real)(by * ((double)a[at] - r->rest));
        }
        for (int i = r->first; i < r->end; i++) da[(ptrdiff_t)keys[i] * r->stride] -= (Real)(by * (r->share - r->rest));
    }
}
