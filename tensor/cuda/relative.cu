/* Logits that depend on the distance of query and key, by sentence and head.
 *
 * Products with the rows of distances have a column for each distance: TILE_ROWS queries and m keys have neighbouring
 * distances, m + TILE_ROWS - 1 of them. So a matrix of pairs is read and written along its diagonals: number (i, d) is
 * pair (i, i - d). Sums over sentences are cut into groups, whose parts are added in their order. */
#include "tensor/cuda/tile.h"

/* How many groups n sentences are cut into, where each group has `blocks` blocks. */
static int groups_of(int n, size_t blocks)
{
    size_t most = 1024 / (blocks > 0 ? blocks : 1);
    return most < 1 ? 1 : most < (size_t)n ? (int)most : n;
}

/* to[i] += by (sum over g of part[g * n + i]) for the n numbers of a matrix with leading dimension ld; a block has WARP
 * numbers, its warps have groups in turn. */
static __global__ void add_parts(Real *to, int ld, const Real *part, int groups, int n, int cols, Real by)
{
    const int i = (int)blockIdx.x * WARP + cuda_lane();
    Real sum = 0;
    for (int g = (int)threadIdx.x / WARP; i < n && g < groups; g += LANES_WARPS) sum += part[(ptrdiff_t)g * n + i];
    sum = lanes_sum(sum, cuda_shared<Real>());
    if (i < n && threadIdx.x < WARP) to[(ptrdiff_t)(i / cols) * ld + i % cols] += by * sum;
}

static void add_all_parts(Real *to, int ld, const Real *part, int groups, int rows, int cols, Real by)
{
    if (rows > 0 && cols > 0)
        LAUNCH(add_parts, (unsigned)(rows * cols + WARP - 1) / WARP, BLOCK, BLOCK * sizeof(Real), to, ld, part, groups,
               rows * cols, cols, by);
}

/* ---- sums of diagonals */

/* part[(group * distances + d + longest - 1) * heads + h] = the sum over pairs (i, i - d) of the group's sentences. A
 * lane has a distance: lanes read neighbours. */
static __global__ void diagonals(double *part, const Real *x, const int *start, const long *pair_start, int n_sent,
                                 int longest)
{
    const int heads = (int)gridDim.y, h = (int)blockIdx.y, distances = 2 * longest - 1,
              k = (int)blockIdx.x * WARP + cuda_lane(), d = k - longest + 1;
    double sum = 0;
    for (int b = (int)blockIdx.z; b < n_sent; b += (int)gridDim.z) {
        int m = start[b + 1] - start[b];
        const Real *block = x + h * pair_start[n_sent] + pair_start[b];
        for (int i = (int)threadIdx.x / WARP; i < m; i += LANES_WARPS)
            if (i - d >= 0 && i - d < m) sum += (double)block[(ptrdiff_t)i * m + i - d];
    }
    sum = lanes_sum(sum, cuda_shared<double>());
    if (k < distances && threadIdx.x < WARP) part[((ptrdiff_t)blockIdx.z * distances + k) * heads + h] = sum;
}

static dim3 diagonal_blocks(int n_sent, int longest, int heads)
{
    unsigned across = (unsigned)(2 * longest - 1 + WARP - 1) / WARP;
    return dim3(across, (unsigned)heads, (unsigned)groups_of(n_sent, (size_t)across * (size_t)heads));
}

static size_t diagonal_parts(dim3 blocks, int longest)
{
    return (size_t)blocks.z * blocks.y * (size_t)(2 * longest - 1);
}

/* ---- bias */

static __global__ void relative_bias(Real *y, const Real *table, int ld, const int *row, const int *start,
                                     const long *pair_start, int n_sent, int longest)
{
    CudaPlace at;
    if (!cuda_place(&at, start, pair_start, n_sent, TILE_ROWS)) return;
    for (int i = at.first + (int)threadIdx.x / WARP; i < at.last; i += LANES_WARPS)
        for (int j = cuda_lane(); j < at.m; j += WARP)
            y[at.block + (ptrdiff_t)i * at.m + j] = table[(ptrdiff_t)row[i - j + longest - 1] * ld + at.h];
}

void cuda_relative_bias_fwd(Real *y, const Real *table, int ld, const int *row, int heads, const int *start,
                            const long *pair_start, int n_sent, int longest)
{
    if (n_sent > 0 && longest > 0 && heads > 0)
        LAUNCH(relative_bias, cuda_place_blocks(n_sent, longest, heads, TILE_ROWS), BLOCK, 0, y, table, ld, row, start,
               pair_start, n_sent, longest);
}

/* dtable[row[k], h] += the sums of all distances k of the same row, by the warp of the first of them; a lane has a
 * head. */
static __global__ void bias_rows(Real *dtable, int ld, const double *part, const int *row, int distances, int heads,
                                 int groups)
{
    const int r = cuda_warp();
    if (r >= distances) return;
    for (int first = 0; first < heads; first += WARP) {
        int h = first + cuda_lane();
        double sum = 0;
        bool mine = cuda_each_same(row, distances, r, [&](int k) {
            for (int g = 0; g < groups && h < heads; g++) sum += part[((ptrdiff_t)g * distances + k) * heads + h];
        });
        if (mine && h < heads) dtable[(ptrdiff_t)row[r] * ld + h] += (Real)sum;
    }
}

void cuda_relative_bias_bwd(Real *dtable, int ld, const Real *dy, const int *row, int heads, const int *start,
                            const long *pair_start, int n_sent, int longest)
{
    if (n_sent <= 0 || longest <= 0 || heads <= 0) return;
    const dim3 blocks = diagonal_blocks(n_sent, longest, heads);
    const int distances = 2 * longest - 1;
    double *part = (double *)cuda_scratch("relative_bias_bwd", diagonal_parts(blocks, longest) * sizeof *part);
    if (!part) return;
    LAUNCH(diagonals, blocks, BLOCK, BLOCK * sizeof(double), part, dy, start, pair_start, n_sent, longest);
    LAUNCH(bias_rows, (unsigned)(distances + LANES_WARPS - 1) / LANES_WARPS, BLOCK, 0, dtable, ld, part, row, distances,
           heads, (int)blocks.z);
}

/* ---- logits */

/* terms[h, b * longest + j] = u . k_j, a warp each */
static __global__ void key_terms(Real *terms, RelativeArgs a)
{
    CudaPlace at;
    if (!cuda_place(&at, a.start, a.pair_start, a.n_sent, TILE_ROWS)) return;
    for (int j = at.first + (int)threadIdx.x / WARP; j < at.last; j += LANES_WARPS) {
        const Real *k = a.qkv + (ptrdiff_t)(at.start + j) * a.ld_qkv + (ptrdiff_t)(a.heads + at.h) * a.w,
                   *u = a.u + (ptrdiff_t)at.h * a.w;
        Real sum = 0;
        for (int c = cuda_lane(); c < a.w; c += WARP) sum += k[c] * u[c];
        sum = warp_sum(sum);
        if (cuda_lane() == 0) terms[((ptrdiff_t)at.h * a.n_sent + at.b) * a.longest + j] = sum;
    }
}

/* The distances of a block's queries: `n` from `least`. */
typedef struct Distances {
    int least, n;
} Distances;

static __device__ __forceinline__ Distances distances_of(const CudaPlace &at)
{
    return Distances{ at.first - at.m + 1, at.last - at.first + at.m - 1 };
}

static __global__ void __launch_bounds__(TILE_THREADS) relative_logits(RelativeArgs a, const Real *terms)
{
    CudaPlace at;
    if (!cuda_place(&at, a.start, a.pair_start, a.n_sent, TILE_ROWS)) return;
    TileOperands *o = cuda_shared<TileOperands>();
    const Distances all = distances_of(at);
    const Real *q = a.qkv + (ptrdiff_t)(at.start + at.first) * a.ld_qkv + (ptrdiff_t)at.h * a.w,
               *v = a.v + (ptrdiff_t)at.h * a.w, *of_key = terms + ((ptrdiff_t)at.h * a.n_sent + at.b) * a.longest,
               inv = (Real)(1 / a.scale);
    for (int from = 0; from < all.n; from += TILE_COLS) {
        const int cols = min(TILE_COLS, all.n - from), ldq = a.ld_qkv, ldr = a.ld_r;
        const Real *r = a.r + (ptrdiff_t)(all.least + from + a.longest - 1) * ldr + (ptrdiff_t)at.h * a.w;
        Tile t;
        tile_clear(t);
        for (int c = 0; c < a.w; c += TILE_DEPTH) {
            int depth = min(TILE_DEPTH, a.w - c);
            tile_load(o->left, at.last - at.first, depth,
                      [=](int i, int k) { return q[(ptrdiff_t)i * ldq + c + k] + v[c + k]; });
            tile_load(o->right, cols, depth, [=](int d, int k) { return r[(ptrdiff_t)d * ldr + c + k]; });
            __syncthreads();
            tile_multiply(t, o, depth, cols);
            __syncthreads();
        }
        TILE_LOOP(i, j)
        {
            int query = at.first + tile_row(i), key = query - (all.least + from + tile_col(j));
            if (query < at.last && key >= 0 && key < at.m)
                a.y[at.block + (ptrdiff_t)query * at.m + key] = inv * (t.v[i][j] + of_key[key]);
        }
    }
}

void cuda_relative_logits_fwd(const RelativeArgs *a)
{
    if (a->n_sent <= 0 || a->longest <= 0 || a->heads <= 0) return;
    const dim3 blocks = cuda_place_blocks(a->n_sent, a->longest, a->heads, TILE_ROWS);
    const size_t n = (size_t)a->heads * (size_t)a->n_sent * (size_t)a->longest;
    Real *terms = (Real *)cuda_scratch("relative_logits_fwd", n * sizeof *terms);
    if (!terms) return;
    LAUNCH(key_terms, blocks, BLOCK, 0, terms, *a);
    LAUNCH(relative_logits, blocks, TILE_THREADS, sizeof(TileOperands), *a, terms);
}

/* dq += dy r / scale */
static __global__ void __launch_bounds__(TILE_THREADS) query_gradients(RelativeArgs a)
{
    CudaPlace at;
    if (!cuda_place(&at, a.start, a.pair_start, a.n_sent, TILE_ROWS)) return;
    TileOperands *o = cuda_shared<TileOperands>();
    const Distances all = distances_of(at);
    const Real *dy = a.dy + at.block, inv = (Real)(1 / a.scale);
    const int m = at.m, first = at.first, ldr = a.ld_r;
    for (int c = 0; c < a.w; c += TILE_COLS) {
        const int cols = min(TILE_COLS, a.w - c);
        Tile t;
        tile_clear(t);
        for (int from = 0; from < all.n; from += TILE_DEPTH) {
            const int depth = min(TILE_DEPTH, all.n - from), least = all.least + from;
            const Real *r = a.r + (ptrdiff_t)(least + a.longest - 1) * ldr + (ptrdiff_t)at.h * a.w + c;
            tile_load(o->left, at.last - first, depth, [=](int i, int d) {
                int query = first + i, key = query - (least + d);
                return key >= 0 && key < m ? dy[(ptrdiff_t)query * m + key] : 0;
            });
            tile_load_across(o->right, cols, depth, [=](int k, int d) { return r[(ptrdiff_t)d * ldr + k]; });
            __syncthreads();
            tile_multiply(t, o, depth, cols);
            __syncthreads();
        }
        TILE_LOOP(i, j)
        {
            int query = first + tile_row(i), k = c + tile_col(j);
            if (query < at.last && k < a.w)
                a.dqkv[(ptrdiff_t)(at.start + query) * a.ld_qkv + (ptrdiff_t)at.h * a.w + k] += inv * t.v[i][j];
        }
    }
}

/* With g_j the sum over i of dy[i, j]: dk_j += g_j u / scale, and the block's part of du = sum_j g_j k_j. */
static __global__ void key_gradients(RelativeArgs a, Real *du)
{
    CudaPlace at;
    const bool some = cuda_place(&at, a.start, a.pair_start, a.n_sent, WARP);
    const int j = at.first + cuda_lane(), k0 = (a.heads + at.h) * a.w, u0 = at.h * a.w;
    const Real inv = (Real)(1 / a.scale);
    double *g = cuda_shared<double>(), sum = 0;
    if (!some) at.last = at.first;
    for (int i = (int)threadIdx.x / WARP; j < at.last && i < at.m; i += LANES_WARPS)
        sum += (double)a.dy[at.block + (ptrdiff_t)i * at.m + j];
    sum = lanes_sum(sum, g);
    __syncthreads();
    if (threadIdx.x < WARP) g[threadIdx.x] = sum;
    __syncthreads();
    for (int i = at.first + (int)threadIdx.x / WARP; a.dqkv && i < at.last; i += LANES_WARPS)
        for (int c = cuda_lane(); c < a.w; c += WARP)
            a.dqkv[(ptrdiff_t)(at.start + i) * a.ld_qkv + k0 + c] += inv * (Real)g[i - at.first] * a.u[u0 + c];
    if (du) BLOCK_LOOP(c, a.w)
        {
            Real part = 0;
            for (int i = at.first; i < at.last; i++)
                part += (Real)g[i - at.first] * a.qkv[(ptrdiff_t)(at.start + i) * a.ld_qkv + k0 + c];
            du[(ptrdiff_t)at.partial * a.heads * a.w + u0 + c] = part;
        }
}

/* dv += the sum over distances of their diagonals' sums and their rows of r, divided by scale */
static __global__ void query_bias_gradients(RelativeArgs a, const double *sums, int groups)
{
    const int c = (int)blockIdx.x * WARP + cuda_lane(), distances = 2 * a.longest - 1, cols = a.heads * a.w;
    double sum = 0;
    for (int d = (int)threadIdx.x / WARP; c < cols && d < distances; d += LANES_WARPS)
        for (int g = 0; g < groups; g++)
            sum += sums[((ptrdiff_t)g * distances + d) * a.heads + c / a.w] * (double)a.r[(ptrdiff_t)d * a.ld_r + c];
    sum = lanes_sum(sum, cuda_shared<double>());
    if (c < cols && threadIdx.x < WARP) a.dv[c] += (Real)(sum / a.scale);
}

/* The part of a group of sentences in dr = sum over i of dy[i, i - d] (q_i + v): a block has TILE_ROWS distances and
 * TILE_COLS columns of a head. */
static __global__ void __launch_bounds__(TILE_THREADS) distance_gradients(RelativeArgs a, Real *dr)
{
    TileOperands *o = cuda_shared<TileOperands>();
    const int distances = 2 * a.longest - 1, row = (int)blockIdx.x * TILE_ROWS, least = row - a.longest + 1,
              rows = min(TILE_ROWS, distances - row), chunks = (a.w + TILE_COLS - 1) / TILE_COLS,
              h = (int)blockIdx.y / chunks, c = (int)blockIdx.y % chunks * TILE_COLS, cols = min(TILE_COLS, a.w - c),
              ldq = a.ld_qkv;
    const Real *v = a.v + (ptrdiff_t)h * a.w + c;
    Tile t;
    tile_clear(t);
    for (int b = (int)blockIdx.z; b < a.n_sent; b += (int)gridDim.z) {
        const int s = a.start[b], m = a.start[b + 1] - s, end = min(m, m + least + rows - 1);
        const Real *dy = a.dy + h * a.pair_start[a.n_sent] + a.pair_start[b],
                   *q = a.qkv + (ptrdiff_t)s * ldq + (ptrdiff_t)h * a.w + c;
        for (int from = max(0, least); from < end; from += TILE_DEPTH) { /* the queries of these distances */
            int depth = min(TILE_DEPTH, end - from);
            tile_load_across(o->left, rows, depth, [=](int d, int i) {
                int key = from + i - (least + d);
                return key >= 0 && key < m ? dy[(ptrdiff_t)(from + i) * m + key] : 0;
            });
            tile_load_across(o->right, cols, depth,
                             [=](int k, int i) { return q[(ptrdiff_t)(from + i) * ldq + k] + v[k]; });
            __syncthreads();
            tile_multiply(t, o, depth, cols);
            __syncthreads();
        }
    }
    TILE_LOOP(i, j)
    {
        int d = row + tile_row(i), k = tile_col(j);
        if (d < distances && k < cols)
            dr[(((ptrdiff_t)blockIdx.z * distances + d) * a.heads + h) * a.w + c + k] = t.v[i][j];
    }
}

void cuda_relative_logits_bwd(const RelativeArgs *a)
{
    if (a->n_sent <= 0 || a->longest <= 0 || a->heads <= 0 || a->w <= 0) return;
    const int distances = 2 * a->longest - 1, cols = a->heads * a->w;
    const Real inv = (Real)(1 / a->scale);
    const dim3 queries = cuda_place_blocks(a->n_sent, a->longest, a->heads, TILE_ROWS),
               keys = cuda_place_blocks(a->n_sent, a->longest, a->heads, WARP),
               diagonal = diagonal_blocks(a->n_sent, a->longest, a->heads);
    dim3 by_distance((unsigned)(distances + TILE_ROWS - 1) / TILE_ROWS,
                     (unsigned)(a->heads * ((a->w + TILE_COLS - 1) / TILE_COLS)));
    by_distance.z = (unsigned)groups_of(a->n_sent, (size_t)by_distance.x * by_distance.y);
    const size_t sums = a->dv ? diagonal_parts(diagonal, a->longest) : 0,
                 dr = a->dr ? by_distance.z * (size_t)distances * (size_t)cols : 0,
                 du = a->du ? keys.x * (size_t)cols : 0;
    double *of_sums = (double *)cuda_scratch("relative_logits_bwd", sums * sizeof(double) + (dr + du) * sizeof(Real));
    Real *of_dr = (Real *)(of_sums + sums), *of_du = a->du ? of_dr + dr : NULL;
    if (!of_sums) return;
    if (a->dqkv) LAUNCH(query_gradients, queries, TILE_THREADS, sizeof(TileOperands), *a);
    if (a->dqkv || a->du) LAUNCH(key_gradients, keys, BLOCK, BLOCK * sizeof(double), *a, of_du);
    if (a->du) add_all_parts(a->du, cols, of_du, (int)keys.x, 1, cols, inv);
    if (a->dr) {
        LAUNCH(distance_gradients, by_distance, TILE_THREADS, sizeof(TileOperands), *a, of_dr);
        add_all_parts(a->dr, a->ld_r, of_dr, (int)by_distance.z, distances, cols, inv);
    }
    if (a->dv) {
        LAUNCH(diagonals, diagonal, BLOCK, BLOCK * sizeof(double), of_sums, a->dy, a->start, a->pair_start, a->n_sent,
               a->longest);
        LAUNCH(query_bias_gradients, (unsigned)(cols + WARP - 1) / WARP, BLOCK, BLOCK * sizeof(double), *a, of_sums,
               (int)diagonal.z);
    }
}
