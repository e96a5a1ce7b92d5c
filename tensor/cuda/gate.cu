/* Gates of attention heads, and the distance of attention weights from a target. */
#include "tensor/cuda/cuda.h"

/* ---- gates: a thread each */

static __global__ void hard_concrete(Real *gates, const Real *log_alpha, const double *noise, size_t heads,
                                     HardConcrete c)
{
    double slope;
    GRID_LOOP(h, heads) gates[h] = (Real)hard_concrete_gate((double)log_alpha[h], noise[h], c, &slope);
}

void cuda_hard_concrete_fwd(Real *gates, const Real *log_alpha, const double *noise, int heads, HardConcrete c)
{
    if (heads > 0)
        LAUNCH(hard_concrete, cuda_blocks((size_t)heads), BLOCK, 0, gates, log_alpha, noise, (size_t)heads, c);
}

static __global__ void hard_concrete_gradient(Real *dlog_alpha, const Real *dgates, const Real *log_alpha,
                                              const double *noise, size_t heads, HardConcrete c)
{
    GRID_LOOP(h, heads)
    {
        double slope;
        hard_concrete_gate((double)log_alpha[h], noise[h], c, &slope);
        dlog_alpha[h] += (Real)(slope * (double)dgates[h]);
    }
}

void cuda_hard_concrete_bwd(Real *dlog_alpha, const Real *dgates, const Real *log_alpha, const double *noise, int heads,
                            HardConcrete c)
{
    if (heads > 0)
        LAUNCH(hard_concrete_gradient, cuda_blocks((size_t)heads), BLOCK, 0, dlog_alpha, dgates, log_alpha, noise,
               (size_t)heads, c);
}

static __global__ void hard_concrete_without_noise(Real *gates, const Real *log_alpha, size_t heads, HardConcrete c)
{
    GRID_LOOP(h, heads) gates[h] = (Real)hard_concrete_evaluated((double)log_alpha[h], c);
}

void cuda_hard_concrete_evaluated(Real *gates, const Real *log_alpha, int heads, HardConcrete c)
{
    if (heads > 0)
        LAUNCH(hard_concrete_without_noise, cuda_blocks((size_t)heads), BLOCK, 0, gates, log_alpha, (size_t)heads, c);
}

static __global__ void l0_penalty(Real *y, const Real *log_alpha, int heads, HardConcrete c)
{
    double sum = 0;
    BLOCK_LOOP(h, heads) sum += hard_concrete_open((double)log_alpha[h], c);
    sum = block_sum(sum, cuda_shared<double>());
    if (threadIdx.x == 0) *y = (Real)sum;
}

void cuda_l0_penalty_fwd(Real *y, const Real *log_alpha, int heads, HardConcrete c)
{
    LAUNCH(l0_penalty, 1, BLOCK, CUDA_SUM_SHARED, y, log_alpha, heads, c);
}

static __global__ void l0_penalty_gradient(Real *dlog_alpha, const Real *dy, const Real *log_alpha, size_t heads,
                                           HardConcrete c)
{
    GRID_LOOP(h, heads)
    {
        double p = hard_concrete_open((double)log_alpha[h], c);
        dlog_alpha[h] += (Real)(p * (1 - p) * (double)*dy);
    }
}

void cuda_l0_penalty_bwd(Real *dlog_alpha, const Real *dy, const Real *log_alpha, int heads, HardConcrete c)
{
    if (heads > 0)
        LAUNCH(l0_penalty_gradient, cuda_blocks((size_t)heads), BLOCK, 0, dlog_alpha, dy, log_alpha, (size_t)heads, c);
}

/* ---- guidance: a warp has a row */

/* The lane's part of: sum of (a - rest)^2 with, at the keys, (a - share)^2 in its place. */
static __device__ double distance(const Real *a, const GuidedRow &r, const int *keys)
{
    double sum = 0;
    for (int j = cuda_lane(); j < r.n; j += WARP) {
        double d = (double)a[(ptrdiff_t)j * r.stride] - r.rest;
        sum += d * d;
    }
    for (int k = r.first + cuda_lane(); k < r.end; k += WARP) {
        double x = (double)a[(ptrdiff_t)keys[k] * r.stride], d = x - r.rest, wanted = x - r.share;
        sum += wanted * wanted - d * d;
    }
    return sum;
}

static __global__ void guidance_parts(double *part, const Real *probs, const GuidedRow *rows, int n, const int *keys)
{
    double sum = 0;
    for (int k = cuda_warp(); k < n; k += cuda_warps())
        sum += rows[k].weight * distance(probs + rows[k].at, rows[k], keys);
    sum = block_sum(sum, cuda_shared<double>());
    if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

void cuda_attention_guidance_fwd(Real *y, const Real *probs, const GuidedRow *rows, int n, const int *keys)
{
    CudaParts parts = cuda_parts("attention_guidance", n);
    if (!parts.part) return;
    LAUNCH(guidance_parts, parts.blocks, BLOCK, CUDA_SUM_SHARED, parts.part, probs, rows, n, keys);
    LAUNCH(cuda_sum_of_parts<Real>, 1, BLOCK, CUDA_SUM_SHARED, y, parts.part, (int)parts.blocks, false);
}

static __global__ void guidance_gradient(Real *__restrict__ dprobs, const Real *dy, const Real *probs,
                                         const GuidedRow *rows, int n, const int *keys)
{
    int row = cuda_warp();
    if (row >= n) return;
    GuidedRow r = rows[row];
    const Real *a = probs + r.at;
    Real *da = dprobs + r.at;
    double by = 2 * r.weight * (double)*dy;
    for (int j = cuda_lane(); j < r.n; j += WARP)
        da[(ptrdiff_t)j * r.stride] += (Real)(by * ((double)a[(ptrdiff_t)j * r.stride] - r.rest));
    __syncwarp();
    for (int k = r.first + cuda_lane(); k < r.end; k += WARP)
        da[(ptrdiff_t)keys[k] * r.stride] -= (Real)(by * (r.share - r.rest));
}

void cuda_attention_guidance_bwd(Real *dprobs, const Real *dy, const Real *probs, const GuidedRow *rows, int n,
                                 const int *keys)
{
    if (n > 0) LAUNCH(guidance_gradient, cuda_warp_blocks(n), BLOCK, 0, dprobs, dy, probs, rows, n, keys);
}
