/* What the .cu files share. cuda_NAME is the kernel of each line of tensor/kernels.def.
 *
 * These files are compiled by nvcc, and as C++ with tests/cuda/emulator.h, which plays the device for the tests. So
 * they keep to these rules:
 * - A kernel is launched by LAUNCH or LAUNCH_MATRIX. A launch of nothing is an error of CUDA: return before it.
 * - Shared memory is what the launch asks for, taken with cuda_shared.
 * - Sums are formed in an order that depends on the shape alone, and there are no atomics on numbers: two runs give the
 *   same bits. Where several rows add to one, each destination is one thread's (cuda_each_same).
 * - All lanes of a warp take part in shuffles; blocks have a multiple of WARP threads where they do. */
#pragma once

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The emulator has its own. */
#ifndef CUDA_RUN
#include <cublas_v2.h>
#include <cuda_runtime.h>
#define CUDA_RUN(kernel, blocks, threads, shared, stream, ...) \
    (kernel)<<<(blocks), (threads), (shared), (stream)>>>(__VA_ARGS__)
/* New memory of the device is not cleared. */
#define CUDA_ALLOCATED(p, bytes) ((void)0)
extern __shared__ double2 cuda_shared_memory[];
#define CUDA_SHARED_BYTES ((unsigned char *)cuda_shared_memory)
#endif

extern "C" {
#include "base/arena.h"
#include "base/error.h"
/* The small functions of these headers are compiled for the device, too. */
#define inline inline __host__ __device__
#include "base/rng.h"
#include "tensor/hard_concrete.h"
#undef inline
#include "tensor/cuda/gpu.h"

#define KERNEL(name, arguments) void cuda_##name arguments;
#include "tensor/kernels.def"
#undef KERNEL
}

/* ---- the calling thread's part of the device (device.cu, blas.cu) */

/* The stream of the calling thread. */
cudaStream_t cuda_stream();
/* Keeps the first failure of the calling thread for its next download or synchronise; `what` is the kernel. */
void cuda_keep(const char *what, cudaError_t code);
void cuda_keep_error(const Error *error);
/* Lets the kernel have this much shared memory, if that is more than every kernel may have (48 KiB). */
void cuda_allow_shared(const char *what, const void *kernel, size_t bytes);
/* Loads cuBLAS. ERR_IO without the library. Thread safe. */
Status cuda_blas_load(Error *error);
/* The handle and the workspace of a thread, made by the device's start or by its first product; zero until then. */
typedef struct CudaBlas {
    cublasHandle_t handle;
    void *workspace;
} CudaBlas;
CudaBlas *cuda_blas_of_thread(); /* NULL without a device */
Status cuda_blas_make(CudaBlas *cuda_blas, cudaStream_t stream, Error *error);
/* set_products of the device. */
Status cuda_set_products(Products how, Error *error);
/* link of the device (nccl.cu). */
Status cuda_nccl_link(struct GroupLink *link, struct Group *group, Error *error);
/* Matrices of a product: the first one, its leading dimension, and how many numbers later the next one begins. */
template <typename T> struct CudaMatrices {
    T *first = NULL;
    int ld = 0;
    ptrdiff_t step = 0;
};
/* C = alpha op(A) op(B) + beta C as in kernels.def, `batch` times. What is not said: one product, = instead of +=,
 * nothing transposed. */
typedef struct CudaProduct {
    bool ta = false, tb = false;
    int m = 0, n = 0, k = 0;
    Real alpha = 1, beta = 0;
    CudaMatrices<const Real> a = {}, b = {};
    CudaMatrices<Real> c = {};
    int batch = 1;
} CudaProduct;
void cuda_product(const char *kernel, const CudaProduct &product);

/* Memory of the device for what one kernel leaves to the next one, until the thread's next call; 256-byte aligned. NULL
 * when it is out; the failure is kept. */
void *cuda_scratch(const char *what, size_t bytes);

/* Most bytes of the device that were in use at a time since cuda_memory_restart; bytes that were taken from CUDA. */
void cuda_memory_used(size_t *most, size_t *reserved);
void cuda_memory_restart();

/* ---- a profile (profile.cu) */

/* Is a profile on? What is launched is between cuda_profile_before and cuda_profile_after then. */
extern bool cuda_profiling;
void cuda_profile_before(const char *name, bool product, double flops);
void cuda_profile_after();
void cuda_profile_copied(size_t up, size_t down);
/* Reads the times of the calling thread's launches, once its stream has been waited for. */
void cuda_profile_collect();
/* Collects and frees what the profile has of the calling thread, before the thread ends. */
void cuda_profile_release();

/* ---- launches */

constexpr int WARP = 32, BLOCK = 256;
constexpr unsigned CUDA_MOST_BLOCKS = 4096, CUDA_MOST_ROWS = 65535;

/* kernel<<<blocks, threads, shared_bytes>>>(arguments...) on the thread's stream; a failure is kept. blocks and threads
 * are numbers or dim3. */
#define LAUNCH(kernel, blocks, threads, shared_bytes, ...)                           \
    do {                                                                             \
        cuda_allow_shared(#kernel, (const void *)(kernel), (shared_bytes));          \
        if (cuda_profiling) cuda_profile_before(#kernel, false, 0);                  \
        CUDA_RUN(kernel, blocks, threads, shared_bytes, cuda_stream(), __VA_ARGS__); \
        cuda_keep(#kernel, cudaGetLastError());                                      \
        if (cuda_profiling) cuda_profile_after();                                    \
    } while (0)

/* Blocks of BLOCK threads for count numbers, count > 0, for loops that take what is left. */
static inline unsigned cuda_blocks(size_t count)
{
    size_t blocks = (count + BLOCK - 1) / BLOCK;
    return blocks < CUDA_MOST_BLOCKS ? (unsigned)blocks : CUDA_MOST_BLOCKS;
}

/* Blocks of BLOCK threads for a matrix: each is as wide as the columns, from WARP to BLOCK. */
typedef struct CudaGrid {
    dim3 blocks, threads;
} CudaGrid;

static inline CudaGrid cuda_grid(int rows, int cols)
{
    unsigned x = WARP, across, down;
    while (x < BLOCK && x < (unsigned)cols) x *= 2;
    across = ((unsigned)cols + x - 1) / x;
    down = ((unsigned)rows + BLOCK / x - 1) / (BLOCK / x);
    if (across > CUDA_MOST_BLOCKS) across = CUDA_MOST_BLOCKS;
    if (down > CUDA_MOST_ROWS) down = CUDA_MOST_ROWS;
    CudaGrid g = { dim3(across, down), dim3(x, BLOCK / x) };
    return g;
}

/* A launch for a matrix [rows, cols], nothing if it is empty; the kernel goes through it with MATRIX_LOOP. */
#define LAUNCH_MATRIX(kernel, rows, cols, ...)                       \
    do {                                                             \
        if ((rows) <= 0 || (cols) <= 0) break;                       \
        CudaGrid grid_ = cuda_grid(rows, cols);                      \
        LAUNCH(kernel, grid_.blocks, grid_.threads, 0, __VA_ARGS__); \
    } while (0)

/* Blocks of BLOCK threads that have a warp for each of n > 0 rows. */
static inline unsigned cuda_warp_blocks(int n) { return (unsigned)(n + BLOCK / WARP - 1) / (BLOCK / WARP); }

/* Sums over rows that are warps' (cuda_warp, cuda_warps): part[block] of scratch memory for what each block adds up
 * (block_sum), for cuda_sum_of_parts, of one or more sums one after the other; NULL when out of memory. There is at
 * least one block. */
constexpr unsigned CUDA_MOST_PARTS = 512;
constexpr size_t CUDA_SUM_SHARED = WARP * sizeof(double);
typedef struct CudaParts {
    unsigned blocks;
    double *part;
} CudaParts;

static inline CudaParts cuda_parts(const char *what, int rows, unsigned sums = 1)
{
    unsigned blocks = rows > 0 ? cuda_warp_blocks(rows) : 1;
    if (blocks > CUDA_MOST_PARTS) blocks = CUDA_MOST_PARTS;
    return CudaParts{ blocks, (double *)cuda_scratch(what, sums * blocks * sizeof(double)) };
}

/* ---- in kernels */

/* for i < n over the threads of the grid; n is a size_t. */
#define GRID_LOOP(i, n) \
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (size_t)gridDim.x * blockDim.x)

/* For r < rows, c < cols over the threads of LAUNCH_MATRIX; r and c are ptrdiff_t. */
#define MATRIX_LOOP(r, c, rows, cols)                                                    \
    for (ptrdiff_t r = (ptrdiff_t)blockIdx.y * blockDim.y + threadIdx.y; r < (rows);     \
         r += (ptrdiff_t)gridDim.y * blockDim.y)                                         \
        for (ptrdiff_t c = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; c < (cols); \
             c += (ptrdiff_t)gridDim.x * blockDim.x)

/* The number of the warp in the grid, of one-dimensional blocks; the number of warps. */
__device__ __forceinline__ int cuda_warp() { return (int)(blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP); }
__device__ __forceinline__ int cuda_warps() { return (int)(gridDim.x * (blockDim.x / WARP)); }
__device__ __forceinline__ int cuda_lane() { return (int)(threadIdx.x % WARP); }

/* For c < cols over the threads of a one-dimensional block, which has a row. */
#define BLOCK_LOOP(c, cols) for (int c = (int)threadIdx.x; c < (cols); c += (int)blockDim.x)

/* The block's shared memory, as the launch asked for it. */
template <typename T> __device__ __forceinline__ T *cuda_shared() { return (T *)CUDA_SHARED_BYTES; }

/* How numbers of several threads become one. */
struct Sum {
    template <typename T> __device__ __forceinline__ T operator()(T x, T y) const { return x + y; }
};
struct Maximum {
    template <typename T> __device__ __forceinline__ T operator()(T x, T y) const { return y > x ? y : x; }
};

/* Over a warp; every lane gets the same. */
template <typename T, typename Join> __device__ __forceinline__ T warp_join(T x, Join join)
{
    for (int by = WARP / 2; by > 0; by /= 2) x = join(x, __shfl_xor_sync(0xffffffffu, x, by));
    return x;
}
template <typename T> __device__ __forceinline__ T warp_sum(T x) { return warp_join(x, Sum()); }
template <typename T> __device__ __forceinline__ T warp_max(T x) { return warp_join(x, Maximum()); }

/* Over a one-dimensional block; every thread gets the same. `part` is shared memory for one T a warp, WARP of them at
 * most; the call begins and ends so that it may be used again at once. */
template <typename T, typename Join> __device__ T block_join(T x, T *part, Join join)
{
    unsigned warps = blockDim.x / WARP;
    x = warp_join(x, join);
    __syncthreads();
    if (threadIdx.x % WARP == 0) part[threadIdx.x / WARP] = x;
    __syncthreads();
    x = part[0];
    for (unsigned w = 1; w < warps; w++) x = join(x, part[w]);
    return x;
}
template <typename T> __device__ T block_sum(T x, T *part) { return block_join(x, part, Sum()); }
template <typename T> __device__ T block_max(T x, T *part) { return block_join(x, part, Maximum()); }

/* *sum = (or +=) the sum of part[0 .. n - 1]: one block, with CUDA_SUM_SHARED. */
template <typename T> static __global__ void cuda_sum_of_parts(T *sum, const double *part, int n, bool accumulate)
{
    double all = 0;
    BLOCK_LOOP(k, n) all += part[k];
    all = block_sum(all, cuda_shared<double>());
    if (threadIdx.x == 0) *sum = (T)(accumulate ? (double)*sum + all : all);
}

/* Adding rows to the rows index[0 .. n - 1] in a fixed order: each warp has a row r, and the warp of the first row of a
 * destination calls add(k) for all rows k of the same destination, in rising order. For the others nothing is done, and
 * false is returned. The whole warp must call it with the same r. */
template <typename Add> __device__ bool cuda_each_same(const int *index, int n, int r, Add add)
{
    int lane = (int)(threadIdx.x % WARP), mine = index[r];
    for (int k = r - 1; k >= 0; k -= WARP) /* most often the same is near */
        if (__any_sync(0xffffffffu, k - lane >= 0 && index[k - lane] == mine)) return false;
    for (int k = r; k < n; k += WARP) {
        unsigned same = __ballot_sync(0xffffffffu, k + lane < n && index[k + lane] == mine);
        for (; same; same &= same - 1) add(k + __ffs((int)same) - 1);
    }
    return true;
}

/* The scatter for single numbers: add(k) is called for each k < n; for all k of equal key(k) in rising order, and never
 * by two threads at once. One block of BLOCK threads calls it as a whole; `keys` is shared memory for BLOCK keys. */
template <typename Key, typename Add> __device__ void cuda_block_scatter(int n, int64_t *keys, Key key, Add add)
{
    for (int from = 0; from < n; from += BLOCK) {
        int mine = (int)threadIdx.x, count = n - from < BLOCK ? n - from : BLOCK;
        __syncthreads();
        if (mine < count) keys[mine] = key(from + mine);
        __syncthreads();
        bool first = mine < count;
        for (int k = 0; first && k < mine; k++) first = keys[k] != keys[mine];
        for (int k = mine; first && k < count; k++)
            if (keys[k] == keys[mine]) add(from + k);
    }
}

/* ---- numbers, in the precision of Real */

/* The distribution function of the normal distribution. */
__device__ __forceinline__ float real_normal(float x) { return 0.5f * erfcf(-x * 0.707106781f); }
__device__ __forceinline__ double real_normal(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }

/* A number of a mask (Drop in tensor/kernels.h): 1 / (1 - p), or 0. The same bits as on the CPU. */
typedef struct CudaDrop {
    uint64_t key;
    const int *group;
    uint32_t limit;
    Real scale;
} CudaDrop;

static inline CudaDrop cuda_drop_of(Drop drop)
{
    CudaDrop c = { drop.key, drop.group, (uint32_t)(drop.p * 4294967296.0), (Real)(1 / (1 - drop.p)) };
    return c;
}

__device__ __forceinline__ uint64_t cuda_drop_key(const CudaDrop &drop, ptrdiff_t row)
{
    return rng_mix(drop.key + (uint32_t)(drop.group ? drop.group[row] : (int)row));
}

/* x of column `column` under the key of its row */
__device__ __forceinline__ Real cuda_dropped(const CudaDrop &drop, uint64_t row_key, ptrdiff_t column, Real x)
{
    return rng_bits32(row_key, (uint32_t)column) >= drop.limit ? x * drop.scale : (Real)0;
}
