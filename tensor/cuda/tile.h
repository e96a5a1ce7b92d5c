/* Products of tiles within a block, for kernels that work on pairs of tokens.
 *
 * A block of TILE_THREADS threads has a tile [TILE_ROWS, TILE_COLS] in its registers, 4 x 4 numbers a thread, and adds
 * products left right' to it. The operands are tiles in shared memory, left [TILE_ROWS, TILE_DEPTH] and right
 * [TILE_COLS, TILE_DEPTH]; one that is the other way round in memory is transposed when it is loaded. Rows are
 * TILE_PITCH numbers apart, an odd number, so that the lanes of a warp use different banks in either order. */
#pragma once

#include "tensor/cuda/cuda.h"

constexpr int TILE_ROWS = 32, TILE_COLS = 64, TILE_DEPTH = 64, TILE_THREADS = 128, TILE_PITCH = TILE_DEPTH + 1;
constexpr int TILE_ACROSS = 16, TILE_DOWN = TILE_THREADS / TILE_ACROSS, TILE_SIDE = 4;

/* Arrays of a thread are in registers only if the loops over them are unrolled. */
#ifdef __CUDACC__
#define TILE_UNROLL _Pragma("unroll")
#else
#define TILE_UNROLL
#endif

/* A thread's part of a tile: v[i][j] is number (tile_row(i), tile_col(j)). */
typedef struct Tile {
    Real v[TILE_SIDE][TILE_SIDE];
} Tile;

typedef struct TileOperands {
    Real left[TILE_ROWS * TILE_PITCH], right[TILE_COLS * TILE_PITCH];
} TileOperands;

__device__ __forceinline__ int tile_row(int i) { return (int)threadIdx.x / TILE_ACROSS + i * TILE_DOWN; }
__device__ __forceinline__ int tile_col(int j) { return (int)threadIdx.x % TILE_ACROSS + j * TILE_ACROSS; }

#define TILE_LOOP(i, j) TILE_UNROLL for (int i = 0; i < TILE_SIDE; i++) TILE_UNROLL for (int j = 0; j < TILE_SIDE; j++)

__device__ __forceinline__ void tile_clear(Tile &tile) { TILE_LOOP(i, j) tile.v[i][j] = 0; }

/* An operand: to[r, k] = at(r, k), r < rows, k < depth. Neighbouring threads have neighbouring k. */
template <typename At> __device__ __forceinline__ void tile_load(Real *to, int rows, int depth, At at)
{
    const int wide = depth > WARP ? TILE_DEPTH : WARP, k = (int)threadIdx.x % wide;
    if (k < depth)
        for (int r = (int)threadIdx.x / wide; r < rows; r += TILE_THREADS / wide) to[r * TILE_PITCH + k] = at(r, k);
}

/* tile_load, but neighbouring threads have neighbouring r, for a matrix that is transposed in memory. */
template <typename At> __device__ __forceinline__ void tile_load_across(Real *to, int rows, int depth, At at)
{
    const int wide = rows > WARP ? TILE_COLS : WARP, r = (int)threadIdx.x % wide;
    if (r < rows)
        for (int k = (int)threadIdx.x / wide; k < depth; k += TILE_THREADS / wide) to[r * TILE_PITCH + k] = at(r, k);
}

/* The tile as a left operand; each thread writes its own numbers. */
__device__ __forceinline__ void tile_put(Real *left, const Tile &tile)
{
    TILE_LOOP(i, j) left[tile_row(i) * TILE_PITCH + tile_col(j)] = tile.v[i][j];
}

template <int COLS> __device__ __forceinline__ void tile_multiply_part(Tile &t, const TileOperands *o, int depth)
{
    const Real *left = o->left + tile_row(0) * TILE_PITCH, *right = o->right + tile_col(0) * TILE_PITCH;
    for (int k = 0; k < depth; k++) {
        Real x[TILE_SIDE], y[COLS];
        TILE_UNROLL for (int i = 0; i < TILE_SIDE; i++) x[i] = left[i * TILE_DOWN * TILE_PITCH + k];
        TILE_UNROLL for (int j = 0; j < COLS; j++) y[j] = right[j * TILE_ACROSS * TILE_PITCH + k];
        TILE_UNROLL for (int i = 0; i < TILE_SIDE; i++) TILE_UNROLL for (int j = 0; j < COLS; j++) t.v[i][j] +=
            x[i] * y[j];
    }
}

/* tile += left right', of which `depth` columns and `cols` rows of right are valid. */
__device__ __forceinline__ void tile_multiply(Tile &tile, const TileOperands *operands, int depth, int cols)
{
    if (cols <= TILE_COLS / 2) tile_multiply_part<TILE_SIDE / 2>(tile, operands, depth);
    else tile_multiply_part<TILE_SIDE>(tile, operands, depth);
}

/* Sum over the threads that have a row of the tile; each of them gets it. */
__device__ __forceinline__ Real tile_row_sum(Real x)
{
    for (int by = TILE_ACROSS / 2; by > 0; by /= 2) x += __shfl_xor_sync(0xffffffffu, x, by);
    return x;
}

__device__ __forceinline__ Real tile_row_max(Real x)
{
    for (int by = TILE_ACROSS / 2; by > 0; by /= 2) {
        Real y = __shfl_xor_sync(0xffffffffu, x, by);
        x = y > x ? y : x;
    }
    return x;
}

/* ---- blocks of BLOCK threads whose lanes have a number each, of which all warps have a part */

constexpr int LANES_WARPS = BLOCK / WARP;

/* The sum or the maximum of a lane's parts, in the order of the warps; every warp gets it. `part` is shared memory for
 * BLOCK numbers. */
template <typename T> __device__ T lanes_sum(T x, T *part)
{
    __syncthreads();
    part[threadIdx.x] = x;
    __syncthreads();
    x = part[cuda_lane()];
    for (int w = 1; w < LANES_WARPS; w++) x += part[w * WARP + cuda_lane()];
    return x;
}

template <typename T> __device__ T lanes_max(T x, T *part)
{
    __syncthreads();
    part[threadIdx.x] = x;
    __syncthreads();
    for (int w = 0; w < LANES_WARPS; w++) x = part[w * WARP + cuda_lane()] > x ? part[w * WARP + cuda_lane()] : x;
    return x;
}

/* ---- blocks for the tokens of each head and sentence */

/* What a block works on: tokens first .. last - 1 of the m tokens of sentence b, for head h. */
typedef struct CudaPlace {
    int h, b, m, first, last;
    int start;   /* first token of the sentence in the batch */
    long block;  /* first pair of head and sentence in matrices [heads, pairs] */
    long pairs;  /* of the batch */
    int partial; /* number of the block of this head, < blocks.x */
} CudaPlace;

/* Blocks for `rows` tokens each. How long a sentence is only the device knows, so each has as many as the longest. */
static inline dim3 cuda_place_blocks(int n_sent, int longest, int heads, int rows)
{
    return dim3((unsigned)n_sent * (unsigned)((longest + rows - 1) / rows), (unsigned)heads);
}

/* Whether there is something to do. */
__device__ __forceinline__ bool cuda_place(CudaPlace *place, const int *start, const long *pair_start, int n_sent,
                                           int rows)
{
    int tiles = (int)gridDim.x / n_sent;
    place->partial = (int)blockIdx.x;
    place->h = (int)blockIdx.y;
    place->b = (int)blockIdx.x / tiles;
    place->start = start[place->b];
    place->m = start[place->b + 1] - place->start;
    place->first = (int)blockIdx.x % tiles * rows;
    place->last = min(place->m, place->first + rows);
    place->pairs = pair_start[n_sent];
    place->block = place->h * place->pairs + pair_start[place->b];
    return place->first < place->m;
}
