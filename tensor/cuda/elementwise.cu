/* Kernels on single numbers or rows. */
#include "tensor/cuda/cuda.h"

/* ---- single numbers */

static __global__ void fill(Real *x, size_t n, Real value) { GRID_LOOP(i, n) x[i] = value; }

void cuda_fill(Real *x, size_t n, Real value)
{
    if (n) LAUNCH(fill, cuda_blocks(n), BLOCK, 0, x, n, value);
}

static __global__ void scale(Real *y, int ldy, const Real *x, int ldx, int rows, int cols, Real by)
{
    MATRIX_LOOP(r, c, rows, cols) y[r * ldy + c] = by * x[r * ldx + c];
}

void cuda_scale(Real *y, int ldy, const Real *x, int ldx, int rows, int cols, Real by)
{
    LAUNCH_MATRIX(scale, rows, cols, y, ldy, x, ldx, rows, cols, by);
}

static __global__ void add(Real *y, int ldy, const Real *x, int ldx, int rows, int cols)
{
    MATRIX_LOOP(r, c, rows, cols) y[r * ldy + c] += x[r * ldx + c];
}

void cuda_add(Real *y, int ldy, const Real *x, int ldx, int rows, int cols)
{
    LAUNCH_MATRIX(add, rows, cols, y, ldy, x, ldx, rows, cols);
}

static __global__ void scale_rows(Real *y, int ldy, const Real *x, int ldx, const Real *factor, int n, int rows,
                                  int cols, bool accumulate)
{
    MATRIX_LOOP(r, c, rows, cols)
    {
        Real *to = &y[r * ldy + c];
        *to = (accumulate ? *to : 0) + factor[r % n] * x[r * ldx + c];
    }
}

void cuda_scale_rows(Real *y, int ldy, const Real *x, int ldx, const Real *factor, int n, int rows, int cols,
                     bool accumulate)
{
    LAUNCH_MATRIX(scale_rows, rows, cols, y, ldy, x, ldx, factor, n, rows, cols, accumulate);
}

static __global__ void bias_act(Real *y, int ld, const Real *bias, int rows, int cols, bool relu)
{
    MATRIX_LOOP(r, c, rows, cols)
    {
        Real v = y[r * ld + c] + (bias ? bias[c] : 0);
        y[r * ld + c] = relu && v < 0 ? 0 : v;
    }
}

void cuda_bias_act(Real *y, int ld, const Real *bias, int rows, int cols, bool relu)
{
    if (bias || relu) LAUNCH_MATRIX(bias_act, rows, cols, y, ld, bias, rows, cols, relu);
}

static __global__ void relu(Real *y, int ldy, const Real *x, int ldx, int rows, int cols)
{
    MATRIX_LOOP(r, c, rows, cols) y[r * ldy + c] = x[r * ldx + c] < 0 ? 0 : x[r * ldx + c];
}

void cuda_relu_fwd(Real *y, int ldy, const Real *x, int ldx, int rows, int cols)
{
    LAUNCH_MATRIX(relu, rows, cols, y, ldy, x, ldx, rows, cols);
}

static __global__ void relu_gradient(Real *dx, const Real *dy, int lddy, const Real *y, int ldy, int rows, int cols)
{
    MATRIX_LOOP(r, c, rows, cols) dx[r * cols + c] = y[r * ldy + c] > 0 ? dy[r * lddy + c] : 0;
}

void cuda_relu_bwd(Real *dx, const Real *dy, int lddy, const Real *y, int ldy, int rows, int cols)
{
    LAUNCH_MATRIX(relu_gradient, rows, cols, dx, dy, lddy, y, ldy, rows, cols);
}

static __global__ void gelu(Real *y, int ldy, const Real *x, int ldx, int rows, int cols)
{
    MATRIX_LOOP(r, c, rows, cols) y[r * ldy + c] = x[r * ldx + c] * real_normal(x[r * ldx + c]);
}

void cuda_gelu_fwd(Real *y, int ldy, const Real *x, int ldx, int rows, int cols)
{
    LAUNCH_MATRIX(gelu, rows, cols, y, ldy, x, ldx, rows, cols);
}

static __global__ void gelu_gradient(Real *dx, int lddx, const Real *dy, int lddy, const Real *x, int ldx, int rows,
                                     int cols, Real density)
{
    MATRIX_LOOP(r, c, rows, cols)
    {
        Real v = x[r * ldx + c];
        dx[r * lddx + c] += dy[r * lddy + c] * (real_normal(v) + v * density * exp(-v * v / 2));
    }
}

void cuda_gelu_bwd(Real *dx, int lddx, const Real *dy, int lddy, const Real *x, int ldx, int rows, int cols,
                   bool relevance)
{
    Real density = relevance ? 0 : (Real)0.39894228040143267794; /* at 0 */
    LAUNCH_MATRIX(gelu_gradient, rows, cols, dx, lddx, dy, lddy, x, ldx, rows, cols, density);
}

static __global__ void drop(Real *y, int ldy, const Real *x, int ldx, int rows, int cols, CudaDrop d, bool accumulate)
{
    MATRIX_LOOP(r, c, rows, cols)
    {
        Real v = cuda_dropped(d, cuda_drop_key(d, r), c, x[r * ldx + c]);
        y[r * ldy + c] = accumulate ? y[r * ldy + c] + v : v;
    }
}

void cuda_drop(Real *y, int ldy, const Real *x, int ldx, int rows, int cols, Drop d, bool accumulate)
{
    LAUNCH_MATRIX(drop, rows, cols, y, ldy, x, ldx, rows, cols, cuda_drop_of(d), accumulate);
}

/* Column c of together [rows, parts x heads x w] in a row of apart [heads, parts * w]. */
static __device__ ptrdiff_t place_apart(ptrdiff_t c, int heads, int parts, int w)
{
    ptrdiff_t j = c % w, h = c / w % heads, p = c / w / heads;
    return h * parts * w + p * w + j;
}

static __global__ void split_heads(Real *apart, const Real *together, int ld, int rows, int heads, int parts, int w,
                                   bool accumulate)
{
    const int cols = heads * parts * w;
    MATRIX_LOOP(r, c, rows, cols)
    {
        Real *to = &apart[r * cols + place_apart(c, heads, parts, w)];
        *to = together[r * ld + c] + (accumulate ? *to : 0);
    }
}

void cuda_split_heads(Real *apart, const Real *together, int ld, int rows, int heads, int parts, int w, bool accumulate)
{
    LAUNCH_MATRIX(split_heads, rows, heads * parts * w, apart, together, ld, rows, heads, parts, w, accumulate);
}

static __global__ void join_heads(Real *together, int ld, const Real *apart, int rows, int heads, int parts, int w,
                                  bool accumulate)
{
    const int cols = heads * parts * w;
    MATRIX_LOOP(r, c, rows, cols)
    {
        Real *to = &together[r * ld + c];
        *to = apart[r * cols + place_apart(c, heads, parts, w)] + (accumulate ? *to : 0);
    }
}

void cuda_join_heads(Real *together, int ld, const Real *apart, int rows, int heads, int parts, int w, bool accumulate)
{
    LAUNCH_MATRIX(join_heads, rows, heads * parts * w, together, ld, apart, rows, heads, parts, w, accumulate);
}

/* ---- sums */

constexpr int SUM_ROWS = 16;

/* A block has WARP columns; each of its rows of threads adds every SUM_ROWS-th row. */
static __global__ void column_sum(Real *sum, const Real *x, int ld, int rows, int cols)
{
    double *part = cuda_shared<double>(), all = 0;
    int c = (int)(blockIdx.x * WARP + threadIdx.x), lane = (int)threadIdx.x;
    for (int r = (int)threadIdx.y; c < cols && r < rows; r += SUM_ROWS) all += (double)x[(ptrdiff_t)r * ld + c];
    part[threadIdx.y * WARP + threadIdx.x] = all;
    __syncthreads();
    if (threadIdx.y != 0 || c >= cols) return;
    for (int k = 1; k < SUM_ROWS; k++) all += part[k * WARP + lane];
    sum[c] = (Real)((double)sum[c] + all);
}

void cuda_column_sum(Real *sum, const Real *x, int ld, int rows, int cols)
{
    if (rows <= 0 || cols <= 0) return;
    LAUNCH(column_sum, (unsigned)(cols + WARP - 1) / WARP, dim3(WARP, SUM_ROWS), sizeof(double) * SUM_ROWS * WARP, sum,
           x, ld, rows, cols);
}

/* Block i has the rows i, i + n, ..., a warp each. */
static __global__ void scale_rows_gradient(Real *dfactor, const Real *x, int ldx, const Real *dy, int lddy, int n,
                                           int rows, int cols)
{
    double sum = 0;
    int warp = (int)threadIdx.x / WARP, warps = (int)blockDim.x / WARP;
    for (ptrdiff_t r = blockIdx.x + (ptrdiff_t)n * warp; r < rows; r += (ptrdiff_t)n * warps)
        for (int c = cuda_lane(); c < cols; c += WARP) sum += (double)x[r * ldx + c] * (double)dy[r * lddy + c];
    sum = block_sum(sum, cuda_shared<double>());
    if (threadIdx.x == 0) dfactor[blockIdx.x] += (Real)sum;
}

void cuda_scale_rows_bwd(Real *dfactor, const Real *x, int ldx, const Real *dy, int lddy, int n, int rows, int cols)
{
    if (n <= 0 || rows <= 0) return;
    LAUNCH(scale_rows_gradient, (unsigned)n, BLOCK, WARP * sizeof(double), dfactor, x, ldx, dy, lddy, n, rows, cols);
}
