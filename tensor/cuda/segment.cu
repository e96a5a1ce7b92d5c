/* Softmax over the tokens of each sentence, for label attention: a block has WARP heads of one
 * sentence, a head to a lane, and its warps have tokens in turn. */
#include "tensor/cuda/tile.h"

static __global__ void mask_keys(Real *p, int heads, int tokens, const uint64_t *keys, const int *slot)
{
    MATRIX_LOOP(t, h, tokens, heads)
    if (slot[h] >= 0 && !(keys[t] >> slot[h] & 1)) p[t * heads + h] = -INFINITY;
}

void cuda_mask_keys(Real *p, int heads, int tokens, const uint64_t *keys, const int *slot)
{
    LAUNCH_MATRIX(mask_keys, tokens, heads, p, heads, tokens, keys, slot);
}

#define SEGMENT_LOOP(t, h, start, heads)                                                                          \
    for (ptrdiff_t t = (start)[blockIdx.x] + (int)threadIdx.x / WARP; h < (heads) && t < (start)[blockIdx.x + 1]; \
         t += LANES_WARPS)

static __global__ void segment_softmax(Real *p, int heads, const int *start, Real scale)
{
    const int h = (int)blockIdx.y * WARP + cuda_lane();
    Real *part = cuda_shared<Real>(), most = -INFINITY, sum = 0;
    SEGMENT_LOOP(t, h, start, heads)
    {
        Real x = scale * p[t * heads + h];
        most = x > most ? x : most;
    }
    most = lanes_max(most, part);
    if (!(most > -INFINITY)) most = 0; /* all masked: exp gives 0 */
    SEGMENT_LOOP(t, h, start, heads)
    {
        Real *x = &p[t * heads + h];
        *x = exp(scale * *x - most);
        sum += *x;
    }
    sum = lanes_sum(sum, part);
    sum = sum > 0 ? 1 / sum : 0;
    SEGMENT_LOOP(t, h, start, heads) p[t * heads + h] *= sum;
}

void cuda_segment_softmax_fwd(Real *p, int heads, const int *start, int n_sent, double scale)
{
    if (n_sent > 0 && heads > 0)
        LAUNCH(segment_softmax, dim3((unsigned)n_sent, (unsigned)(heads + WARP - 1) / WARP), BLOCK,
               BLOCK * sizeof(Real), p, heads, start, (Real)scale);
}

static __global__ void segment_softmax_gradient(Real *dp, const Real *p, int heads, const int *start, Real scale)
{
    const int h = (int)blockIdx.y * WARP + cuda_lane();
    Real dot = 0;
    SEGMENT_LOOP(t, h, start, heads) dot += dp[t * heads + h] * p[t * heads + h];
    dot = lanes_sum(dot, cuda_shared<Real>());
    SEGMENT_LOOP(t, h, start, heads)
    {
        Real *d = &dp[t * heads + h];
        *d = scale * p[t * heads + h] * (*d - dot);
    }
}

void cuda_segment_softmax_bwd(Real *dp, const Real *p, int heads, const int *start, int n_sent, double scale)
{
    if (n_sent > 0 && heads > 0)
        LAUNCH(segment_softmax_gradient, dim3((unsigned)n_sent, (unsigned)(heads + WARP - 1) / WARP), BLOCK,
               BLOCK * sizeof(Real), dp, p, heads, start, (Real)scale);
}

/* ---- attention inside phrases: a thread has a column of a sentence */

static __global__ void phrase_sums(Real *y, const Real *p, const Real *v, const int *start, int heads, int m,
                                   Real scale)
{
    const int b = (int)blockIdx.x, cols = heads * m, c = (int)(blockIdx.y * blockDim.x + threadIdx.x);
    if (c >= cols) return;
    const Real by = scale * (Real)(start[b + 1] - start[b]);
    Real sum = 0;
    for (ptrdiff_t t = start[b]; t + 1 < start[b + 1]; t++) {
        sum += by * p[t * heads + c / m] * v[t * cols + c];
        y[(t - b) * cols + c] = sum;
    }
}

void cuda_phrase_sums_fwd(Real *y, const Real *p, const Real *v, const int *start, int n_sent, int heads, int m,
                          double scale)
{
    if (n_sent > 0 && heads > 0)
        LAUNCH(phrase_sums, dim3((unsigned)n_sent, (unsigned)(heads * m + BLOCK - 1) / BLOCK), BLOCK, 0, y, p, v, start,
               heads, m, (Real)scale);
}

/* A thread has a head of a sentence. */
static __global__ void phrase_sums_gradient(Real *dp, Real *dv, const Real *dy, const Real *p, const Real *v,
                                            const int *start, int heads, int m, Real scale)
{
    const int b = (int)blockIdx.x, cols = heads * m, h = (int)(blockIdx.y * blockDim.x + threadIdx.x);
    if (h >= heads) return;
    const Real by = scale * (Real)(start[b + 1] - start[b]);
    Real running[PHRASE_VALUES_MOST] = { 0 };
    for (ptrdiff_t t = start[b + 1] - 2; t >= start[b]; t--) {
        const Real a = by * p[t * heads + h], *x = v + t * cols + h * m, *d = dy + (t - b) * cols + h * m;
        Real sum = 0;
        for (int j = 0; j < m; j++) {
            running[j] += d[j];
            sum += running[j] * x[j];
            if (dv) dv[t * cols + h * m + j] += a * running[j];
        }
        if (dp) dp[t * heads + h] += by * sum;
    }
}

void cuda_phrase_sums_bwd(Real *dp, Real *dv, const Real *dy, const Real *p, const Real *v, const int *start,
                          int n_sent, int heads, int m, double scale, Real *)
{
    if (n_sent > 0 && heads > 0)
        LAUNCH(phrase_sums_gradient, dim3((unsigned)n_sent, (unsigned)(heads + WARP - 1) / WARP), WARP, 0, dp, dv, dy,
               p, v, start, heads, m, (Real)scale);
}

/* ---- products of heads: a thread has a head of a row */

static __global__ void head_dots(Real *y, const Real *a, const Real *b, int rows, int heads, int m, Real scale)
{
    MATRIX_LOOP(r, h, rows, heads)
    {
        const ptrdiff_t k = r * heads + h;
        Real sum = 0;
        for (int j = 0; j < m; j++) sum += a[k * m + j] * b[k * m + j];
        y[k] = scale * sum;
    }
}

void cuda_head_dots_fwd(Real *y, const Real *a, const Real *b, int rows, int heads, int m, double scale)
{
    LAUNCH_MATRIX(head_dots, rows, heads, y, a, b, rows, heads, m, (Real)scale);
}

static __global__ void head_dots_gradient(Real *da, Real *db, const Real *dy, const Real *a, const Real *b, int rows,
                                          int heads, int m, Real scale)
{
    MATRIX_LOOP(r, h, rows, heads)
    {
        const ptrdiff_t k = r * heads + h;
        for (int j = 0; j < m; j++) {
            if (da) da[k * m + j] += scale * dy[k] * b[k * m + j];
            if (db) db[k * m + j] += scale * dy[k] * a[k * m + j];
        }
    }
}

void cuda_head_dots_bwd(Real *da, Real *db, const Real *dy, const Real *a, const Real *b, int rows, int heads, int m,
                        double scale)
{
    LAUNCH_MATRIX(head_dots_gradient, rows, heads, da, db, dy, a, b, rows, heads, m, (Real)scale);
}
