/* Loops over slabs of parameters. */
#include "tensor/cuda/cuda.h"

constexpr unsigned SQUARES_BLOCKS = 512;

/* part[block] = the squares of what the block's threads have */
static __global__ void squares_of_blocks(double *part, const Real *x, size_t n)
{
    double sum = 0;
    GRID_LOOP(i, n) sum += (double)x[i] * (double)x[i];
    sum = block_sum(sum, cuda_shared<double>());
    if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

static __global__ void sum_of_blocks(double *sum, const double *part, int n)
{
    double all = 0;
    BLOCK_LOOP(k, n) all += part[k];
    all = block_sum(all, cuda_shared<double>());
    if (threadIdx.x == 0) *sum = all;
}

void cuda_squares(double *sum, const Real *x, size_t n)
{
    unsigned blocks = n > 0 ? cuda_blocks(n) : 1;
    if (blocks > SQUARES_BLOCKS) blocks = SQUARES_BLOCKS;
    double *part = (double *)cuda_scratch("squares", blocks * sizeof *part);
    if (!part) return;
    LAUNCH(squares_of_blocks, blocks, BLOCK, WARP * sizeof(double), part, x, n);
    LAUNCH(sum_of_blocks, 1, BLOCK, WARP * sizeof(double), sum, part, (int)blocks);
}

static __global__ void average(Real *average, const Real *w, size_t n, Real keep)
{
    GRID_LOOP(i, n) average[i] = keep * average[i] + (1 - keep) * w[i];
}

void cuda_average(Real *average_, const Real *w, size_t n, Real keep)
{
    if (n) LAUNCH(average, cuda_blocks(n), BLOCK, 0, average_, w, n, keep);
}

static __global__ void exchange(Real *x, Real *y, size_t n)
{
    GRID_LOOP(i, n)
    {
        Real v = x[i];
        x[i] = y[i];
        y[i] = v;
    }
}

void cuda_exchange(Real *x, Real *y, size_t n)
{
    if (n) LAUNCH(exchange, cuda_blocks(n), BLOCK, 0, x, y, n);
}

/* What Adam needs beside the slabs, rounded as on the CPU. */
typedef struct Step {
    Real b1, b2, c1, c2, scale, keep, step, r2, eps;
} Step;

static __global__ void adam(Real *w, const Real *g, Real *m, Real *v, size_t n, Step s)
{
    GRID_LOOP(i, n)
    {
        Real gi = g[i] * s.scale, mi = s.b1 * m[i] + s.c1 * gi, vi = s.b2 * v[i] + s.c2 * gi * gi;
        m[i] = mi;
        v[i] = vi;
        w[i] = s.keep * w[i] - s.step * mi / (sqrt(vi) * s.r2 + s.eps);
    }
}

void cuda_adam(Real *w, const Real *g, Real *m, Real *v, size_t n, double lr, double decay, double beta1, double beta2,
               double eps, double correction1, double correction2, double scale)
{
    Step s = { (Real)beta1,
               (Real)beta2,
               (Real)(1 - beta1),
               (Real)(1 - beta2),
               (Real)scale,
               (Real)(1 - lr * decay),
               (Real)(lr / correction1),
               (Real)(1 / sqrt(correction2)),
               (Real)eps };
    if (n) LAUNCH(adam, cuda_blocks(n), BLOCK, 0, w, g, m, v, n, s);
}
