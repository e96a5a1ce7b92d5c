/* Losses and what they are made of. */
#include "tensor/cuda/cuda.h"

/* One block: the threads' parts are added in a fixed order. */
static __global__ void pick(Real *y, const Real *x, int ld, const int *r, const int *c, const Real *weight, int n,
                            double constant)
{
    double sum = 0;
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
        sum += (double)weight[i] * (double)x[(ptrdiff_t)r[i] * ld + c[i]];
    sum = block_sum(sum, cuda_shared<double>());
    if (threadIdx.x == 0) *y = (Real)(constant + sum);
}

void cuda_pick_fwd(Real *y, const Real *x, int ld, const int *r, const int *c, const Real *weight, int n,
                   double constant)
{
    LAUNCH(pick, 1, BLOCK, WARP * sizeof(double), y, x, ld, r, c, weight, n, constant);
}

/* One block, too: a number may be picked more than once. */
static __global__ void pick_gradient(Real *dx, int lddx, const Real *dy, const int *r, const int *c, const Real *weight,
                                     int n, double constant, double *part)
{
    Real g = *dy;
    cuda_block_scatter(
        n, cuda_shared<int64_t>(), [=](int k) { return (int64_t)r[k] * lddx + c[k]; },
        [=](int k) { dx[(ptrdiff_t)r[k] * lddx + c[k]] += g * weight[k]; });
    if (part && threadIdx.x == 0) *part += constant * (double)g;
}

void cuda_pick_bwd(Real *dx, int lddx, const Real *dy, const int *r, const int *c, const Real *weight, int n,
                   double constant, double *part)
{
    LAUNCH(pick_gradient, 1, BLOCK, BLOCK * sizeof(int64_t), dx, lddx, dy, r, c, weight, dx ? n : 0, constant, part);
}

/* ---- cross-entropy: a warp has a row */

typedef struct LogSum {
    Real max, log; /* log of the sum of exp(x - max) */
} LogSum;

static __device__ LogSum log_sum(const Real *x, int n)
{
    Real max = -(Real)INFINITY;
    for (int i = cuda_lane(); i < n; i += WARP) max = x[i] > max ? x[i] : max;
    max = warp_max(max);
    double sum = 0;
    for (int i = cuda_lane(); i < n; i += WARP) sum += (double)exp(x[i] - max);
    return LogSum{ max, (Real)log(warp_sum(sum)) };
}

/* part[block] = the sum of the losses of its warps' rows; part[blocks + block] = the sum of what smoothing adds */
static __global__ void cross_entropy(double *part, const Real *x, const long *row, const int *len, const int *gold,
                                     int rows, double smoothing)
{
    double sum = 0, smoothed = 0;
    for (int r = cuda_warp(); r < rows; r += cuda_warps()) {
        if (gold[r] < 0) continue;
        const Real *xr = x + row[r], right = xr[gold[r]];
        const int n = len[r];
        LogSum s = log_sum(xr, n);
        if (cuda_lane() == 0) sum += (double)(s.log + s.max - right);
        if (!(smoothing > 0)) continue;
        double each = 0; /* the mean of -log p is -log p_gold + x_gold - mean x */
        for (int i = cuda_lane(); i < n; i += WARP) each += (double)right - (double)xr[i];
        smoothed += smoothing * each / n;
    }
    sum = block_sum(sum, cuda_shared<double>());
    smoothed = block_sum(smoothed, cuda_shared<double>());
    if (threadIdx.x != 0) return;
    part[blockIdx.x] = sum;
    part[gridDim.x + blockIdx.x] = smoothed;
}

void cuda_cross_entropy_fwd(Real *loss, Real *nll, const Real *x, const long *row, const int *len, const int *gold,
                            int rows, double smoothing)
{
    CudaParts parts = cuda_parts("cross_entropy", rows, 2);
    if (!parts.part) return;
    const int n = (int)parts.blocks;
    LAUNCH(cross_entropy, parts.blocks, BLOCK, CUDA_SUM_SHARED, parts.part, x, row, len, gold, rows, smoothing);
    LAUNCH(cuda_sum_of_parts<Real>, 1, BLOCK, CUDA_SUM_SHARED, loss, parts.part, smoothing > 0 ? 2 * n : n, false);
    if (nll) LAUNCH(cuda_sum_of_parts<Real>, 1, BLOCK, CUDA_SUM_SHARED, nll, parts.part, n, false);
}

static __global__ void cross_entropy_gradient(Real *__restrict__ dx, const Real *x, const long *row, const int *len,
                                              const int *gold, int rows, double smoothing, const Real *dloss)
{
    int r = cuda_warp();
    if (r >= rows || gold[r] < 0) return;
    int n = len[r], right = gold[r];
    Real each = (Real)(smoothing / n), of_gold = (Real)(1 - smoothing);
    x += row[r];
    dx += row[r];
    LogSum s = log_sum(x, n);
    for (int i = cuda_lane(); i < n; i += WARP)
        dx[i] += *dloss * (exp(x[i] - s.max - s.log) - (i == right ? of_gold : 0) - each);
}

void cuda_cross_entropy_bwd(Real *dx, const Real *x, const long *row, const int *len, const int *gold, int rows,
                            double smoothing, const Real *dloss)
{
    if (rows <= 0) return;
    LAUNCH(cross_entropy_gradient, cuda_warp_blocks(rows), BLOCK, 0, dx, x, row, len, gold, rows, smoothing, dloss);
}

static __global__ void soft_cross_entropy(double *part, const Real *x, const long *row, const int *len,
                                          const int *first, const int *index, const Real *p, int rows)
{
    double sum = 0;
    for (int r = cuda_warp(); r < rows; r += cuda_warps()) {
        if (first[r] == first[r + 1]) continue;
        LogSum s = log_sum(x + row[r], len[r]);
        for (int k = first[r] + cuda_lane(); k < first[r + 1]; k += WARP)
            sum += (double)p[k] * (double)(s.log + s.max - x[row[r] + index[k]]);
    }
    sum = block_sum(sum, cuda_shared<double>());
    if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

void cuda_soft_cross_entropy_fwd(Real *loss, const Real *x, const long *row, const int *len, const int *first,
                                 const int *index, const Real *p, int rows)
{
    CudaParts parts = cuda_parts("soft_cross_entropy", rows);
    if (!parts.part) return;
    LAUNCH(soft_cross_entropy, parts.blocks, BLOCK, CUDA_SUM_SHARED, parts.part, x, row, len, first, index, p, rows);
    LAUNCH(cuda_sum_of_parts<Real>, 1, BLOCK, CUDA_SUM_SHARED, loss, parts.part, (int)parts.blocks, false);
}

/* The lane of its first place does a value that occurs more than once in a row. */
static __global__ void soft_cross_entropy_gradient(Real *__restrict__ dx, const Real *x, const long *row,
                                                   const int *len, const int *first, const int *index, const Real *p,
                                                   int rows, const Real *dloss)
{
    int r = cuda_warp();
    if (r >= rows || first[r] == first[r + 1]) return;
    int n = len[r], from = first[r], to = first[r + 1];
    x += row[r];
    dx += row[r];
    double mass = 0;
    for (int k = from + cuda_lane(); k < to; k += WARP) mass += (double)p[k];
    Real g = (Real)((double)*dloss * warp_sum(mass));
    LogSum s = log_sum(x, n);
    for (int i = cuda_lane(); i < n; i += WARP) dx[i] += g * exp(x[i] - s.max - s.log);
    __syncwarp();
    for (int k = from + cuda_lane(); k < to; k += WARP) {
        Real sum = 0;
        bool again = false;
        for (int j = from; j < k && !again; j++) again = index[j] == index[k];
        for (int j = k; j < to && !again; j++) sum += index[j] == index[k] ? p[j] : 0;
        if (!again) dx[index[k]] -= *dloss * sum;
    }
}

void cuda_soft_cross_entropy_bwd(Real *dx, const Real *x, const long *row, const int *len, const int *first,
                                 const int *index, const Real *p, int rows, const Real *dloss)
{
    if (rows > 0)
        LAUNCH(soft_cross_entropy_gradient, cuda_warp_blocks(rows), BLOCK, 0, dx, x, row, len, first, index, p, rows,
               dloss);
}

/* ---- logistic loss */

static __global__ void logistic_loss(double *part, const Real *x, const int *row, const int *label, size_t n)
{
    double sum = 0;
    GRID_LOOP(k, n)
    {
        Real z = label[k] ? -x[row[k]] : x[row[k]];
        sum += (double)((z > 0 ? z : 0) + log1p(exp(-fabs(z))));
    }
    sum = block_sum(sum, cuda_shared<double>());
    if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

void cuda_logistic_loss_fwd(Real *loss, const Real *x, const int *row, const int *label, int n)
{
    CudaParts parts = cuda_parts("logistic_loss", (n + WARP - 1) / WARP);
    if (!parts.part) return;
    LAUNCH(logistic_loss, parts.blocks, BLOCK, CUDA_SUM_SHARED, parts.part, x, row, label, (size_t)n);
    LAUNCH(cuda_sum_of_parts<Real>, 1, BLOCK, CUDA_SUM_SHARED, loss, parts.part, (int)parts.blocks, false);
}

/* A warp has a number of row[]; the warp of the first one of a row of x adds all its gradients. */
static __global__ void logistic_loss_gradient(Real *dx, const Real *x, const int *row, const int *label, int n,
                                              const Real *dloss)
{
    int k = cuda_warp();
    if (k >= n) return;
    Real z = x[row[k]], small = exp(-fabs(z)), p = (z < 0 ? small : 1) / (1 + small), sum = 0;
    bool first = cuda_each_same(row, n, k, [&](int j) { sum += p - (Real)label[j]; });
    if (first && cuda_lane() == 0) dx[row[k]] += *dloss * sum;
}

void cuda_logistic_loss_bwd(Real *dx, const Real *x, const int *row, const int *label, int n, const Real *dloss)
{
    if (n > 0) LAUNCH(logistic_loss_gradient, cuda_warp_blocks(n), BLOCK, 0, dx, x, row, label, n, dloss);
}

/* ---- sums of a few numbers: a lane has a term */

static_assert(MAX_SUM_TERMS <= WARP, "a lane has a term");

static __global__ void weighted_sum(Real *y, SumArgs a)
{
    int i = cuda_lane();
    double sum = warp_sum(i < a.n ? a.weight[i] * (double)*a.x[i] : 0.0);
    if (i == 0) *y = (Real)sum;
}

void cuda_sum_fwd(Real *y, const SumArgs *a) { LAUNCH(weighted_sum, 1, WARP, 0, y, *a); }

/* A gradient that occurs more than once is the lane's of its first place. */
static __global__ void weighted_sum_gradient(const Real *dy, SumArgs a)
{
    int i = cuda_lane();
    if (i >= a.n || !a.dx[i]) return;
    for (int k = 0; k < i; k++)
        if (a.dx[k] == a.dx[i]) return;
    Real sum = *a.dx[i];
    for (int k = i; k < a.n; k++)
        if (a.dx[k] == a.dx[i]) sum += (Real)(a.weight[k] * (double)*dy);
    *a.dx[i] = sum;
}

void cuda_sum_bwd(const Real *dy, const SumArgs *a)
{
    if (a->n > 0) LAUNCH(weighted_sum_gradient, 1, WARP, 0, dy, *a);
}
