/* Fenceposts, features of spans and their best labels, scores of arcs. */
#include "tensor/cuda/cuda.h"

#include <algorithm>

/* ---- fenceposts: row k - b of f is that after token k of sentence b */

/* Where sentences begin is known on the device alone, so each has a row of blocks, which take its tokens in turn. */
static dim3 blocks_of_sentences(int n_sent)
{
    return dim3((unsigned)std::max(16, 1024 / n_sent), std::min((unsigned)n_sent, CUDA_MOST_ROWS));
}

static __global__ void fenceposts(Real *f, const Real *y, const int *source, const int *start, int n_sent, int cols)
{
    for (int b = (int)blockIdx.y; b < n_sent; b += (int)gridDim.y)
        for (ptrdiff_t k = start[b] + (int)blockIdx.x; k + 1 < start[b + 1]; k += gridDim.x)
            BLOCK_LOOP(j, cols) f[(k - b) * cols + j] = y[(k + (j >= cols / 2)) * cols + source[j]];
}

void cuda_fencepost_fwd(Real *f, const Real *y, const int *source, const int *start, int n_sent, int cols)
{
    if (n_sent > 0) LAUNCH(fenceposts, blocks_of_sentences(n_sent), BLOCK, 0, f, y, source, start, n_sent, cols);
}

/* No two numbers of df add to the same one: source is a permutation. */
static __global__ void fenceposts_gradient(Real *dy, const Real *df, const int *source, const int *start, int n_sent,
                                           int cols)
{
    for (int b = (int)blockIdx.y; b < n_sent; b += (int)gridDim.y)
        for (ptrdiff_t k = start[b] + (int)blockIdx.x; k + 1 < start[b + 1]; k += gridDim.x)
            BLOCK_LOOP(j, cols) dy[(k + (j >= cols / 2)) * cols + source[j]] += df[(k - b) * cols + j];
}

void cuda_fencepost_bwd(Real *dy, const Real *df, const int *source, const int *start, int n_sent, int cols)
{
    if (n_sent > 0)
        LAUNCH(fenceposts_gradient, blocks_of_sentences(n_sent), BLOCK, 0, dy, df, source, start, n_sent, cols);
}

/* ---- spans */

static __global__ void span_diff(Real *y, const Real *g, int ldg, const int *spans, const Real *bias, int n, int cols)
{
    MATRIX_LOOP(s, c, n, cols)
    {
        Real d = g[(ptrdiff_t)spans[2 * s + 1] * ldg + c] - g[(ptrdiff_t)spans[2 * s] * ldg + c];
        y[s * cols + c] = bias ? d + bias[c] : d;
    }
}

void cuda_span_diff_fwd(Real *y, const Real *g, int ldg, const int *spans, const Real *bias, int n, int cols)
{
    LAUNCH_MATRIX(span_diff, n, cols, y, g, ldg, spans, bias, n, cols);
}

/* A warp for each end of a span; the warp of the first end at a row of dg adds up all ends there, in their order. It
 * has all columns, so that it looks for them once. */
static __global__ void span_ends(Real *__restrict__ dg, int lddg, const Real *__restrict__ dy,
                                 const int *__restrict__ spans, int ends, int cols)
{
    int r = cuda_warp();
    if (r >= ends) return;
    Real *to = dg + (ptrdiff_t)spans[r] * lddg;
    cuda_each_same(spans, ends, r, [&](int k) {
        const Real *from = dy + (ptrdiff_t)(k / 2) * cols;
        for (int c = cuda_lane(); c < cols; c += WARP) to[c] += k % 2 ? from[c] : -from[c];
    });
}

/* Blocks of BLOCK threads that have n warps. */
static unsigned blocks_of_warps(int n) { return (unsigned)(n + BLOCK / WARP - 1) / (BLOCK / WARP); }

void cuda_span_diff_bwd(Real *dg, int lddg, Real *dbias, const Real *dy, const int *spans, int n, int cols)
{
    if (dg && n > 0) LAUNCH(span_ends, blocks_of_warps(2 * n), BLOCK, 0, dg, lddg, dy, spans, 2 * n, cols);
    if (dbias) cuda_column_sum(dbias, dy, cols, n, cols);
}

/* A warp for each span. */
static __global__ void best_labels(SpanBest *best, const Real *x, int ld, const Real *mask, int n, int n_labels)
{
    const unsigned all = 0xffffffffu;
    int k = cuda_warp(), label = 1;
    if (k >= n) return;
    x += (ptrdiff_t)k * ld;
    Real score = -(Real)INFINITY;
    bool nan = false;
    for (int l = 2 + cuda_lane(); l < n_labels; l += WARP) {
        Real found = mask ? x[l - 1] + mask[l - 1] : x[l - 1];
        if (found > score) score = found, label = l;
        nan |= found != found;
    }
    for (int by = WARP / 2; by > 0; by /= 2) {
        Real other = __shfl_xor_sync(all, score, by);
        int of = __shfl_xor_sync(all, label, by);
        if (other > score || (other == score && of < label)) score = other, label = of;
    }
    if (__any_sync(all, nan)) score = (Real)NAN, label = 1;
    if (cuda_lane() != 0) return;
    bool group = n_labels > 1 && !(x[0] < score); /* label 1 is <H> */
    best[k] = { group ? x[0] : score, score, group ? 1 : label, label };
}

void cuda_span_best(SpanBest *best, const Real *x, int ld, const Real *mask, int n, int n_labels)
{
    if (n > 0) LAUNCH(best_labels, blocks_of_warps(n), BLOCK, 0, best, x, ld, mask, n, n_labels);
}

/* ---- arcs: products of the rows of each sentence, which are few and not known on the host. So a block has a tile of
 * the result of one sentence, and nothing to do if the sentence is shorter. */

constexpr int TILE = 32, HALF = TILE / 2, TILE_LD = TILE + 1;
constexpr size_t TILES_BYTES = sizeof(Real) * 2 * TILE * TILE_LD;
static_assert(HALF * HALF == BLOCK, "a thread has four numbers of the tile");

/* A factor of a product: element (i, k), where k is summed over, is at[i * ld + k] if `by_k`, else at[k * ld + i]. */
typedef struct Factor {
    const Real *at;
    int ld, n; /* i < n */
} Factor;

/* tile[k][i] = element (first + i, from + k) + plus[from + k], 0 beyond the edges. Threads side by side read numbers
 * side by side. */
template <bool by_k>
static __device__ void load_tile(Real *tile, const Factor &f, int first, int from, int n_k, const Real *plus)
{
    for (int e = (int)threadIdx.x; e < TILE * TILE; e += BLOCK) {
        int i = by_k ? e / TILE : e % TILE, k = by_k ? e % TILE : e / TILE;
        Real x = 0;
        if (first + i < f.n && from + k < n_k) {
            ptrdiff_t at_i = first + i, at_k = from + k;
            x = (by_k ? f.at[at_i * f.ld + at_k] : f.at[at_k * f.ld + at_i]) + (plus ? plus[at_k] : 0);
        }
        tile[k * TILE_LD + i] = x;
    }
}

/* put(i, j, sum over k < n_k of a(i, k) (b(j, k) + plus[k])) for the numbers of the tile at (i0, j0), four a thread. */
template <bool a_by_k, bool b_by_k, typename Put>
static __device__ void tile_product(const Factor &a, const Factor &b, int n_k, const Real *plus, int i0, int j0,
                                    Put put)
{
    Real *left = cuda_shared<Real>(), *right = left + (ptrdiff_t)TILE * TILE_LD, sum[4] = {};
    int i = (int)threadIdx.x / HALF, j = (int)threadIdx.x % HALF;
    for (int from = 0; from < n_k; from += TILE) {
        Real part[4] = {}; /* long sums lose less in parts */
        load_tile<a_by_k>(left, a, i0, from, n_k, NULL);
        load_tile<b_by_k>(right, b, j0, from, n_k, plus);
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            for (int p = 0; p < 4; p++)
                part[p] += left[k * TILE_LD + i + p / 2 * HALF] * right[k * TILE_LD + j + p % 2 * HALF];
        __syncthreads();
        for (int p = 0; p < 4; p++) sum[p] += part[p];
    }
    for (int p = 0; p < 4; p++) {
        int row = i0 + i + p / 2 * HALF, col = j0 + j + p % 2 * HALF;
        if (row < a.n && col < b.n) put(row, col, sum[p]);
    }
}

/* Rows of sentence s, and where its scores begin. */
typedef struct Rows {
    ptrdiff_t from, pairs;
    int n;
} Rows;

static __device__ Rows rows_of(const ArcArgs &a, int s)
{
    return { a.start[s], (ptrdiff_t)a.pair_start[s], a.start[s + 1] - a.start[s] };
}

static unsigned tiles(int n) { return (unsigned)(n + TILE - 1) / TILE; }

/* Blocks for a result [longest, cols] of each sentence; x has the columns, z the sentences. */
static dim3 blocks_of_tiles(const ArcArgs *a, int cols)
{
    return dim3(tiles(cols), tiles(a->longest), std::min((unsigned)a->n_sent, CUDA_MOST_ROWS));
}

static __global__ void arcs(ArcArgs a)
{
    const int c0 = (int)blockIdx.y * TILE, g0 = (int)blockIdx.x * TILE, d = a.d;
    for (int s = (int)blockIdx.z; s < a.n_sent; s += (int)gridDim.z) {
        Rows r = rows_of(a, s);
        if (c0 >= r.n || g0 >= r.n) continue;
        const Real *x = a.x + r.from * a.ldx;
        Real *to = a.s + r.pairs;
        tile_product<true, true>({ a.b + r.from * a.ldb, a.ldb, r.n }, { x, a.ldx, r.n }, d, a.last, c0, g0,
                                 [&](int c, int g, Real sum) {
                                     to[(ptrdiff_t)c * r.n + g] = sum + x[(ptrdiff_t)g * a.ldx + d] + a.last[d];
                                 });
    }
}

void cuda_arc_scores_fwd(const ArcArgs *a)
{
    if (a->longest > 0) LAUNCH(arcs, blocks_of_tiles(a, a->longest), BLOCK, TILES_BYTES, *a);
}

/* ---- their gradients, by the sum over the heads of each dependent, row_sum [rows] */

/* A block has WARP rows and columns of ds: row_sum of the rows, and of the columns dx[g, d] += the sum. */
static __global__ void arc_sums(ArcArgs a, double *row_sum)
{
    const int warps = BLOCK / WARP, warp = (int)threadIdx.x / WARP, lane = cuda_lane(), first = (int)blockIdx.x * WARP;
    double *part = cuda_shared<double>();
    for (int s = (int)blockIdx.y; s < a.n_sent; s += (int)gridDim.y) {
        Rows r = rows_of(a, s);
        const Real *ds = a.ds + r.pairs;
        for (int c = first + warp; c < first + WARP && c < r.n; c += warps) {
            double sum = 0;
            for (int g = lane; g < r.n; g += WARP) sum += (double)ds[(ptrdiff_t)c * r.n + g];
            sum = warp_sum(sum);
            if (lane == 0) row_sum[r.from + c] = sum;
        }
        if (!a.dx || first >= r.n) continue;
        double sum = 0;
        int g = first + lane;
        for (int c = warp; g < r.n && c < r.n; c += warps) sum += (double)ds[(ptrdiff_t)c * r.n + g];
        __syncthreads();
        part[warp * WARP + lane] = sum;
        __syncthreads();
        if (warp != 0 || g >= r.n) continue;
        for (int k = 1; k < warps; k++) sum += part[k * WARP + lane];
        a.dx[(r.from + g) * a.ldx + a.d] += (Real)sum;
    }
}

/* db[c] += by sum over g of ds[c, g] x[g], + row_sum[c] last */
static __global__ void arc_dependents(ArcArgs a, Real by, const double *row_sum)
{
    const int c0 = (int)blockIdx.y * TILE, j0 = (int)blockIdx.x * TILE;
    for (int s = (int)blockIdx.z; s < a.n_sent; s += (int)gridDim.z) {
        Rows r = rows_of(a, s);
        if (c0 >= r.n) continue;
        tile_product<true, false>({ a.ds + r.pairs, r.n, r.n }, { a.x + r.from * a.ldx, a.ldx, a.d }, r.n, NULL, c0, j0,
                                  [&](int c, int j, Real sum) {
                                      a.db[(r.from + c) * a.ldb + j] +=
                                          by * sum + (Real)row_sum[r.from + c] * a.last[j];
                                  });
    }
}

/* dx[g, :d] += by sum over c of ds[c, g] b[c] */
static __global__ void arc_heads(ArcArgs a, Real by)
{
    const int g0 = (int)blockIdx.y * TILE, j0 = (int)blockIdx.x * TILE;
    for (int s = (int)blockIdx.z; s < a.n_sent; s += (int)gridDim.z) {
        Rows r = rows_of(a, s);
        if (g0 >= r.n) continue;
        tile_product<false, false>({ a.ds + r.pairs, r.n, r.n }, { a.b + r.from * a.ldb, a.ldb, a.d }, r.n, NULL, g0,
                                   j0, [&](int g, int j, Real sum) { a.dx[(r.from + g) * a.ldx + j] += by * sum; });
    }
}

/* For the columns from `first` on, each with a thread in x: dlast[:d] += sum over c of row_sum[c] b[c]; for column d,
 * the sum of row_sum goes to dlast[d], and with last[d] to part. */
static __global__ void arc_last(ArcArgs a, const double *row_sum, int first)
{
    double *part = cuda_shared<double>(), sum = 0;
    int j = first + (int)(blockIdx.x * WARP + threadIdx.x), lane = (int)threadIdx.x;
    for (ptrdiff_t r = (int)threadIdx.y; j <= a.d && r < a.start[a.n_sent]; r += WARP)
        sum += j < a.d ? row_sum[r] * (double)a.b[r * a.ldb + j] : row_sum[r];
    part[threadIdx.y * WARP + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || j > a.d) return;
    for (int k = 1; k < WARP; k++) sum += part[k * WARP + lane];
    if (a.dlast) a.dlast[j] += (Real)sum;
    if (a.part && j == a.d) *a.part += sum * (double)a.last[j];
}

/* Each side gets `by` of what the product gives it. */
static void gradients(const ArcArgs *a, const char *kernel, Real by)
{
    if (a->longest <= 0) return;
    size_t rows = (size_t)a->n_sent * (size_t)a->longest; /* at most */
    double *row_sum = (double *)cuda_scratch(kernel, rows * sizeof *row_sum);
    if (!row_sum) return;
    const dim3 rows_of_sentences((unsigned)(a->longest + WARP - 1) / WARP,
                                 std::min((unsigned)a->n_sent, CUDA_MOST_ROWS));
    int first = a->dlast ? 0 : a->d;
    LAUNCH(arc_sums, rows_of_sentences, BLOCK, BLOCK * sizeof(double), *a, row_sum);
    if (a->db && a->d > 0) LAUNCH(arc_dependents, blocks_of_tiles(a, a->d), BLOCK, TILES_BYTES, *a, by, row_sum);
    if (a->dx && a->d > 0) LAUNCH(arc_heads, blocks_of_tiles(a, a->d), BLOCK, TILES_BYTES, *a, by);
    if (a->dlast || a->part)
        LAUNCH(arc_last, (unsigned)(a->d - first + WARP) / WARP, dim3(WARP, WARP), sizeof(double) * WARP * WARP, *a,
               row_sum, first);
}

void cuda_arc_scores_bwd(const ArcArgs *a) { gradients(a, "arc_scores_bwd", 1); }

void cuda_arc_scores_relevance(const ArcArgs *a) { gradients(a, "arc_scores_relevance", (Real)0.5); }

/* ---- what lies between the words of an arc: a thread has a dependent and a head, backward a product of each side */

static __global__ void between(Real *s, const Real *products, int n, bool turned)
{
    MATRIX_LOOP(c, g, n, n)
    {
        const Real *a = products + c * n, *b = a + (ptrdiff_t)n * n;
        Real x = g < c ? a[c - 1] - a[g] : g > c ? b[g - 1] - b[c] : 0;
        if (turned) s[g * n + c] += x;
        else s[c * n + g] = x;
    }
}

void cuda_between_fwd(Real *s, const Real *products, int n, bool turned)
{
    LAUNCH_MATRIX(between, n, n, s, products, n, turned);
}

static __global__ void between_gradient(Real *products, const Real *ds, int n, bool turned)
{
    const ptrdiff_t row = turned ? 1 : n, col = turned ? n : 1;
    MATRIX_LOOP(c, g, n, n)
    {
        const Real *d = ds + c * row;
        Real a = g < c ? -d[g * col] : 0, b = g >= c && g + 1 < n ? d[(g + 1) * col] : 0;
        for (int k = 0; g == c - 1 && k < c; k++) a += d[k * col];
        for (int k = (int)c + 1; g == c && k < n; k++) b -= d[k * col];
        products[c * n + g] = a;
        products[(ptrdiff_t)n * n + c * n + g] = b;
    }
}

void cuda_between_bwd(Real *products, const Real *ds, int n, bool turned)
{
    LAUNCH_MATRIX(between_gradient, n, n, products, ds, n, turned);
}
