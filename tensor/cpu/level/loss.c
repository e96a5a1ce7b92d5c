/* What ends in one number or one label. */
#include <math.h>

#include "tensor/cpu/level/kernels.h"
#include "tensor/cpu/level/math.h"

static Real log_sum(const Real *x, int n, Real *max)
{
    *max = max_of(x, n);
    double s = 0;
    for (int i = 0; i < n; i++) s += (double)real_exp(x[i] - *max);
    return (Real)log(s);
}

/* The mean of -log p is -log p_gold + x_gold - mean x. */
void cpu_cross_entropy_fwd(Real *loss, Real *nll, const Real *x, const long *row, const int *len, const int *gold,
                           int rows, double smoothing)
{
    double sum = 0, smoothed = 0;
    for (int r = 0; r < rows; r++) {
        if (gold[r] < 0) continue;
        Real right = x[row[r] + gold[r]], max, ls = log_sum(x + row[r], len[r], &max);
        sum += (double)(ls + max - right);
        if (smoothing > 0) smoothed += smoothing * ((double)right - sum_of(x + row[r], len[r]) / len[r]);
    }
    *loss = (Real)(sum + smoothed);
    if (nll) *nll = (Real)sum;
}

void cpu_cross_entropy_bwd(Real *dx, const Real *x, const long *row, const int *len, const int *gold, int rows,
                           double smoothing, const Real *dloss)
{
    for (int r = 0; r < rows; r++) {
        if (gold[r] < 0) continue;
        const Real *xr = x + row[r];
        Real *d = dx + row[r], g = *dloss, max, ls = log_sum(xr, len[r], &max);
        for (int i = 0; i < len[r]; i++) d[i] += g * real_exp(xr[i] - max - ls);
        d[gold[r]] -= g;
        if (!(smoothing > 0)) continue;
        double all = smoothing * (double)g;
        Real each = (Real)(all / len[r]);
        for (int i = 0; i < len[r]; i++) d[i] -= each;
        d[gold[r]] += (Real)all;
    }
}

void cpu_soft_cross_entropy_fwd(Real *loss, const Real *x, const long *row, const int *len, const int *first,
                                const int *index, const Real *p, int rows)
{
    double sum = 0;
    for (int r = 0; r < rows; r++) {
        if (first[r] == first[r + 1]) continue;
        Real max, ls = log_sum(x + row[r], len[r], &max);
        for (int k = first[r]; k < first[r + 1]; k++) sum += (double)p[k] * (double)(ls + max - x[row[r] + index[k]]);
    }
    *loss = (Real)sum;
}

void cpu_soft_cross_entropy_bwd(Real *dx, const Real *x, const long *row, const int *len, const int *first,
                                const int *index, const Real *p, int rows, const Real *dloss)
{
    for (int r = 0; r < rows; r++) {
        if (first[r] == first[r + 1]) continue;
        const Real *xr = x + row[r];
        Real *d = dx + row[r], max, ls = log_sum(xr, len[r], &max);
        double mass = 0;
        for (int k = first[r]; k < first[r + 1]; k++) {
            mass += (double)p[k];
            d[index[k]] -= *dloss * p[k];
        }
        Real g = (Real)((double)*dloss * mass);
        for (int i = 0; i < len[r]; i++) d[i] += g * real_exp(xr[i] - max - ls);
    }
}

void cpu_logistic_loss_fwd(Real *loss, const Real *x, const int *row, const int *label, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++) {
        double z = (double)(label[k] ? -x[row[k]] : x[row[k]]);
        sum += fmax(z, 0) + log1p(exp(-fabs(z)));
    }
    *loss = (Real)sum;
}

void cpu_logistic_loss_bwd(Real *dx, const Real *x, const int *row, const int *label, int n, const Real *dloss)
{
    for (int k = 0; k < n; k++) {
        double z = (double)x[row[k]], small = exp(-fabs(z)), p = (z < 0 ? small : 1) / (1 + small);
        dx[row[k]] += *dloss * (Real)(p - label[k]);
    }
}

void cpu_pick_fwd(Real *y, const Real *x, int ld, const int *r, const int *c, const Real *weight, int n,
                  double constant)
{
    double sum = constant;
    for (int i = 0; i < n; i++) sum += (double)weight[i] * (double)x[(ptrdiff_t)r[i] * ld + c[i]];
    *y = (Real)sum;
}

void cpu_pick_bwd(Real *dx, int lddx, const Real *dy, const int *r, const int *c, const Real *weight, int n,
                  double constant, double *part)
{
    for (int i = 0; dx && i < n; i++) dx[(ptrdiff_t)r[i] * lddx + c[i]] += *dy * weight[i];
    if (part) *part += constant * (double)*dy;
}

void cpu_sum_fwd(Real *y, const SumArgs *a)
{
    double sum = 0;
    for (int i = 0; i < a->n; i++) sum += a->weight[i] * (double)*a->x[i];
    *y = (Real)sum;
}

void cpu_sum_bwd(const Real *dy, const SumArgs *a)
{
    for (int i = 0; i < a->n; i++)
        if (a->dx[i]) *a->dx[i] += (Real)(a->weight[i] * (double)*dy);
}

/* Scores l .. l + WIDTH - 1, or the last ones before n; of fewer than WIDTH scores all, and -INFINITY. mask NULL: no
 * mask. Sets *at to the first of them. */
static inline Vector scores_at(const Real *x, const Real *mask, int l, int n, int *at)
{
    Real few[WIDTH];
    *at = l + WIDTH <= n ? l : n - WIDTH;
    if (n >= WIDTH) return mask ? vector_at(x + *at) + vector_at(mask + *at) : vector_at(x + *at);
    *at = 0;
    for (int i = 0; i < WIDTH; i++) few[i] = i < n ? mask ? x[i] + mask[i] : x[i] : -(Real)INFINITY;
    return vector_at(few);
}

/* The largest of n scores, NaN if one of them is; *first is the first place that has it. */
static Real best_score(const Real *x, const Real *mask, int n, int *first)
{
    Vector high = (Vector){ 0 } - (Real)INFINITY;
    VectorMask nan = { 0 };
    *first = 0;
    for (int l = 0, at; l < n; l += WIDTH) {
        Vector y = scores_at(x, mask, l, n, &at);
        high = vector_max(y, high);
        nan |= y != y;
    }
    if (vector_places(nan)) return (Real)NAN;
    Real best = vector_largest(high);
    for (int l = 0, at; l < n && best > -INFINITY; l += WIDTH) {
        unsigned equal = vector_places(scores_at(x, mask, l, n, &at) == best);
        if (!equal) continue;
        *first = at + __builtin_ctz(equal);
        break;
    }
    return best;
}

/* Labels 1 .. n_labels - 1 have the scores x[0] ..; label 1 is <H>. Of equal scores the first label counts. */
static SpanBest best_of(const Real *x, const Real *mask, int n_labels)
{
    int first;
    SpanBest b = { .proper = best_score(x + 1, mask ? mask + 1 : NULL, n_labels - 2, &first), .proper_label = 1 };
    if (b.proper > -INFINITY) b.proper_label = first + 2;
    bool group = n_labels > 1 && !(x[0] < b.proper); /* x[0] may be NaN */
    b.any = group ? x[0] : b.proper;
    b.any_label = group ? 1 : b.proper_label;
    return b;
}

void cpu_span_best(SpanBest *best, const Real *x, int ld, const Real *mask, int n, int n_labels)
{
    for (int k = 0; k < n; k++) best[k] = best_of(x + (ptrdiff_t)k * ld, mask, n_labels);
}
