/* Layer norms. A row of more than BLOCK numbers is a block's, any other one a warp's; what it
 * reads again lies in the cache of its processor then. Sums of rows are in double, as on the CPU, and all else of a row
 * is in Real: a device does few divisions in double. Results are __restrict__, so that loads need not wait for stores.
 */
#include "tensor/cuda/cuda.h"

/* ---- what is normed */

/* Rows of a matrix. */
struct NormRows {
    const Real *x;
    int ld;
    struct Row {
        const Real *x;
        __device__ Real operator[](int c) const { return x[c]; }
    };
    __device__ Row operator[](ptrdiff_t r) const { return Row{ x + r * ld }; }
};

/* Row t * heads + h is r[t] + delta[first[t] + h]. */
struct NormLabelRows {
    const Real *r, *delta;
    const int *first;
    int heads, p;
    struct Row {
        const Real *r, *delta;
        __device__ Real operator[](int c) const { return r[c] + delta[c]; }
    };
    __device__ Row operator[](ptrdiff_t row) const
    {
        int t = (int)row / heads;
        return Row{ r + (ptrdiff_t)t * p, delta + (first[t] + row - (ptrdiff_t)t * heads) * p };
    }
};

/* Where the divisor is constant the input is not needed. */
struct NormNoRows {
    struct Row {
        __device__ Real operator[](int) const { return 0; }
    };
    __device__ Row operator[](ptrdiff_t) const { return Row{}; }
};

/* Numbers of a norm over some columns: inv = 1 / (sqrt(squares * by + inside) + outside). */
typedef struct NormRule {
    bool unbiased;
    double per_column, by, inside;
    Real outside;
} NormRule;

static NormRule rule_of(int cols, NormKind kind, double eps)
{
    bool unbiased = kind == NORM_UNBIASED_STD;
    return NormRule{ unbiased, 1.0 / cols, 1.0 / (unbiased ? cols - 1 : cols), unbiased ? 0 : eps,
                     unbiased ? (Real)eps : 0 };
}

/* The row of a thread, and its columns first, first + step, ... */
typedef struct Team {
    bool block;
    ptrdiff_t row;
    int first, step;
} Team;

static __device__ Team team_of(int cols)
{
    if (cols > BLOCK) return Team{ true, (ptrdiff_t)blockIdx.x, (int)threadIdx.x, BLOCK };
    return Team{ false, cuda_warp(), cuda_lane(), WARP };
}

static __device__ double team_sum(const Team &t, double x)
{
    return t.block ? block_sum(x, cuda_shared<double>()) : warp_sum(x);
}

/* Blocks of BLOCK threads for team_of; shared memory for team_sum. */
static unsigned team_blocks(int rows, int cols)
{
    return cols > BLOCK ? (unsigned)rows : (unsigned)(rows + BLOCK / WARP - 1) / (BLOCK / WARP);
}
constexpr size_t TEAM_SHARED = WARP * sizeof(double);

/* ---- forward */

template <typename In>
static __global__ void norm(Real *y, int ldy, In in, const Real *a, const Real *b, Real *mean, Real *inv, int rows,
                            int cols, NormRule n)
{
    Team t = team_of(cols);
    if (t.row >= rows) return;
    auto x = in[t.row];
    double sum = 0, squares = 0;
    for (int c = t.first; c < cols; c += t.step) sum += (double)x[c];
    Real mu = (Real)(team_sum(t, sum) * n.per_column);
    for (int c = t.first; c < cols; c += t.step) {
        double d = (double)(x[c] - mu);
        squares += d * d;
    }
    Real iv = 1 / (sqrt((Real)(team_sum(t, squares) * n.by + n.inside)) + n.outside);
    if (t.first == 0) {
        mean[t.row] = mu;
        inv[t.row] = iv;
    }
    for (int c = t.first; c < cols; c += t.step) y[t.row * ldy + c] = a[c] * ((x[c] - mu) * iv) + b[c];
}

void cuda_norm_fwd(Real *y, int ldy, const Real *x, int ldx, const Real *a, const Real *b, Real *mean, Real *inv,
                   int rows, int cols, NormKind kind, double eps)
{
    if (rows <= 0 || cols <= 0) return;
    NormRows in = { x, ldx };
    LAUNCH(norm<NormRows>, team_blocks(rows, cols), BLOCK, TEAM_SHARED, y, ldy, in, a, b, mean, inv, rows, cols,
           rule_of(cols, kind, eps));
}

void cuda_residual_norm_fwd(Real *y, int ldy, Real *x, const EmbedArgs *terms, const Real *a, const Real *b, Real *mean,
                            Real *inv, int rows, int cols, NormKind kind, double eps)
{
    cuda_embed_fwd(x, cols, rows, cols, terms);
    cuda_norm_fwd(y, ldy, x, cols, a, b, mean, inv, rows, cols, kind, eps);
}

void cuda_label_norm_fwd(Real *y, const Real *r, const Real *delta, const int *first, const Real *a, const Real *b,
                         Real *mean, Real *inv, int tokens, int heads, int p, double eps)
{
    int rows = tokens * heads;
    if (rows <= 0 || p <= 0) return;
    NormLabelRows in = { r, delta, first, heads, p };
    LAUNCH(norm<NormLabelRows>, team_blocks(rows, p), BLOCK, TEAM_SHARED, y, p, in, a, b, mean, inv, rows, p,
           rule_of(p, NORM_UNBIASED_STD, eps));
}

/* ---- backward, to the input */

/* The gradient of a row: (dy a - mean) inv - (x - mu) k, where mean is the mean of dy a. */
typedef struct Slope {
    Real mu, inv, mean, k;
} Slope;

static __device__ Real sloped(const Slope &s, Real dy, Real a, Real x)
{
    return (dy * a - s.mean) * s.inv - (x - s.mu) * s.k;
}

/* k = sum(e z) inv^2 / ((cols - 1) sd), e = dy a, z = x - mu, sd = 1 / inv - eps; 0 at sd = 0; or
 * sum(e z) inv^3 / cols. */
template <typename Row>
static __device__ Slope slope_of(const Team &t, const Row &x, const Real *dy, const Real *a, Real mu, Real inv,
                                 int cols, const NormRule &n)
{
    double e_sum = 0, ez_sum = 0;
    for (int c = t.first; c < cols; c += t.step) {
        Real e = dy[c] * a[c];
        e_sum += (double)e;
        ez_sum += (double)e * (double)(x[c] - mu);
    }
    Slope s = { mu, inv, (Real)(team_sum(t, e_sum) * n.per_column), (Real)(team_sum(t, ez_sum) * n.by) * inv * inv };
    if (!n.unbiased) s.k *= inv;
    else {
        Real sd = 1 / inv - n.outside;
        s.k = sd > (Real)1e-12 ? s.k / sd : 0;
    }
    return s;
}

template <typename In>
static __global__ void norm_gradient(Real *__restrict__ dx, int lddx, const Real *dy, int lddy, In in, const Real *a,
                                     const Real *mean, const Real *inv, int rows, int cols, NormRule n)
{
    Team t = team_of(cols);
    if (t.row >= rows) return;
    auto x = in[t.row];
    dx += t.row * lddx;
    dy += t.row * lddy;
    Slope s = slope_of(t, x, dy, a, mean ? mean[t.row] : 0, inv[t.row], cols, n);
    for (int c = t.first; c < cols; c += t.step) dx[c] += sloped(s, dy[c], a[c], x[c]);
}

/* A block has a token, and each of its warps some heads: the sums of a warp are in shared memory. What the gradient to
 * delta needs of each row is kept in of_mean and of_k. */
template <typename In>
static __global__ void label_tokens(Real *dr, Real *of_mean, Real *of_k, const Real *dy, In in, const Real *a,
                                    const Real *mean, const Real *inv, int heads, int p, NormRule n)
{
    Team t = { false, 0, cuda_lane(), WARP };
    int warp = (int)threadIdx.x / WARP, warps = (int)blockDim.x / WARP;
    Real *sums = cuda_shared<Real>(), *sum = sums + (ptrdiff_t)warp * p;
    for (int c = t.first; c < p; c += WARP) sum[c] = 0;
    for (int h = warp; h < heads; h += warps) {
        ptrdiff_t row = (ptrdiff_t)blockIdx.x * heads + h;
        auto x = in[row];
        const Real *d = dy + row * p;
        Slope s = slope_of(t, x, d, a, mean ? mean[row] : 0, inv[row], p, n);
        for (int c = t.first; c < p; c += WARP) sum[c] += sloped(s, d[c], a[c], x[c]);
        if (t.first != 0) continue;
        of_mean[row] = s.mean;
        of_k[row] = s.k;
    }
    __syncthreads();
    if (!dr) return;
    BLOCK_LOOP(c, p)
    {
        Real all = 0;
        for (int w = 0; w < warps; w++) all += sums[(ptrdiff_t)w * p + c];
        dr[(ptrdiff_t)blockIdx.x * p + c] += all;
    }
}

/* Tokens that one block of label_deltas looks at for the first one of a run. */
constexpr int RUN_TOKENS = 8;

/* Tokens with the same `first` follow each other: a run, which adds to rows of ddelta of its own. A thread adds up one
 * number of them over the run; blocks in which no run begins end at once. */
template <typename In>
static __global__ void label_deltas(Real *ddelta, const Real *of_mean, const Real *of_k, const Real *dy, In in,
                                    const int *first, const Real *a, const Real *mean, const Real *inv, int tokens,
                                    int heads, int p)
{
    int at = (int)(blockIdx.x * blockDim.x + threadIdx.x), h = at / p, c = at % p, from = (int)blockIdx.y * RUN_TOKENS;
    if (h >= heads) return;
    for (int begin = from; begin < from + RUN_TOKENS && begin < tokens; begin++) {
        int mine = first[begin];
        if (begin > 0 && first[begin - 1] == mine) continue;
        Real sum = 0;
        for (int t = begin; t < tokens && first[t] == mine; t++) {
            ptrdiff_t row = (ptrdiff_t)t * heads + h;
            Slope s = { mean ? mean[row] : 0, inv[row], of_mean[row], of_k[row] };
            sum += sloped(s, dy[row * p + c], a[c], in[row][c]);
        }
        ddelta[((ptrdiff_t)mine + h) * p + c] += sum;
    }
}

/* Shared memory of label_tokens: fewer warps where the rows are wide. */
constexpr size_t LABEL_SHARED = 48 << 10;

template <typename In>
static void label_gradient(Real *dr, Real *ddelta, const Real *dy, In in, const int *first, const Real *a,
                           const Real *mean, const Real *inv, int tokens, int heads, int p, NormRule n)
{
    size_t rows = (size_t)tokens * (size_t)heads, row = (size_t)p * sizeof(Real), warps = BLOCK / WARP;
    if ((!dr && !ddelta) || rows == 0 || p <= 0) return;
    Real *of = (Real *)cuda_scratch("label_norm", 2 * rows * sizeof *of);
    if (!of) return;
    while (warps > 1 && warps * row > LABEL_SHARED) warps /= 2;
    LAUNCH(label_tokens<In>, (unsigned)tokens, (unsigned)warps * WARP, warps * row, dr, of, of + rows, dy, in, a, mean,
           inv, heads, p, n);
    dim3 blocks((unsigned)(((size_t)heads * (size_t)p + BLOCK - 1) / BLOCK),
                (unsigned)(tokens + RUN_TOKENS - 1) / RUN_TOKENS);
    if (ddelta)
        LAUNCH(label_deltas<In>, blocks, BLOCK, 0, ddelta, of, of + rows, dy, in, first, a, mean, inv, tokens, heads,
               p);
}

/* ---- backward, to the weights: sums of columns, of parts of the rows at first, since a column alone keeps one thread
 * busy */

constexpr int COLUMN_THREADS = 16, COLUMN_ROWS = 64, COLUMN_PARTS = 256;

/* The sum of what the threads of a column have, for the first of them. */
static __device__ double column_total(double x, double *shared)
{
    __syncthreads();
    shared[threadIdx.y * WARP + threadIdx.x] = x;
    __syncthreads();
    for (unsigned k = 1; threadIdx.y == 0 && k < COLUMN_THREADS; k++) x += shared[k * WARP + threadIdx.x];
    return x;
}

/* part[block's rows][0] = the sums for da, [1] those for db */
template <typename In>
static __global__ void norm_columns(double *part, const Real *dy, int lddy, In in, const Real *mean, const Real *inv,
                                    int rows, int cols, int rows_each)
{
    int c = (int)(blockIdx.x * WARP + threadIdx.x), from = (int)blockIdx.y * rows_each;
    int to = rows - from < rows_each ? rows : from + rows_each;
    double da = 0, db = 0;
    for (int r = from + (int)threadIdx.y; c < cols && r < to; r += COLUMN_THREADS) {
        Real d = dy[(ptrdiff_t)r * lddy + c];
        da += (double)(d * ((in[r][c] - mean[r]) * inv[r]));
        db += (double)d;
    }
    da = column_total(da, cuda_shared<double>());
    db = column_total(db, cuda_shared<double>());
    if (threadIdx.y != 0 || c >= cols) return;
    part[2 * (ptrdiff_t)blockIdx.y * cols + c] = da;
    part[(2 * (ptrdiff_t)blockIdx.y + 1) * cols + c] = db;
}

static __global__ void norm_columns_sum(Real *da, Real *db, const double *part, int parts, int cols)
{
    int c = (int)(blockIdx.x * WARP + threadIdx.x);
    Real *d = blockIdx.y == 0 ? da : db;
    if (!d) return;
    double sum = 0;
    for (int k = (int)threadIdx.y; c < cols && k < parts; k += COLUMN_THREADS)
        sum += part[(2 * (ptrdiff_t)k + blockIdx.y) * cols + c];
    sum = column_total(sum, cuda_shared<double>());
    if (threadIdx.y == 0 && c < cols) d[c] = (Real)((double)d[c] + sum);
}

template <typename In>
static void weight_gradient(Real *da, Real *db, const Real *dy, int lddy, In in, const Real *mean, const Real *inv,
                            int rows, int cols)
{
    if ((!da && !db) || rows <= 0 || cols <= 0) return;
    int each = (rows + COLUMN_PARTS - 1) / COLUMN_PARTS;
    if (each < COLUMN_ROWS) each = COLUMN_ROWS;
    unsigned parts = (unsigned)((rows + each - 1) / each), across = (unsigned)(cols + WARP - 1) / WARP;
    size_t shared = sizeof(double) * COLUMN_THREADS * WARP;
    double *part = (double *)cuda_scratch("norm", sizeof *part * 2 * parts * (size_t)cols);
    if (!part) return;
    LAUNCH(norm_columns<In>, dim3(across, parts), dim3(WARP, COLUMN_THREADS), shared, part, dy, lddy, in, mean, inv,
           rows, cols, each);
    LAUNCH(norm_columns_sum, dim3(across, 2), dim3(WARP, COLUMN_THREADS), shared, da, db, part, (int)parts, cols);
}

/* ---- backward and relevance */

void cuda_norm_bwd(Real *dx, int lddx, Real *da, Real *db, const Real *dy, int lddy, const Real *x, int ldx,
                   const Real *a, const Real *mean, const Real *inv, int rows, int cols, NormKind kind, double eps)
{
    if (rows <= 0 || cols <= 0) return;
    NormRows in = { x, ldx };
    if (dx)
        LAUNCH(norm_gradient<NormRows>, team_blocks(rows, cols), BLOCK, TEAM_SHARED, dx, lddx, dy, lddy, in, a, mean,
               inv, rows, cols, rule_of(cols, kind, eps));
    weight_gradient(da, db, dy, lddy, in, mean, inv, rows, cols);
}

void cuda_label_norm_bwd(Real *dr, Real *ddelta, Real *da, Real *db, const Real *dy, const Real *r, const Real *delta,
                         const int *first, const Real *a, const Real *mean, const Real *inv, int tokens, int heads,
                         int p, double eps)
{
    NormLabelRows in = { r, delta, first, heads, p };
    label_gradient(dr, ddelta, dy, in, first, a, mean, inv, tokens, heads, p, rule_of(p, NORM_UNBIASED_STD, eps));
    weight_gradient(da, db, dy, p, in, mean, inv, tokens * heads, p);
}

void cuda_norm_relevance(Real *dx, int lddx, const Real *dy, int lddy, const Real *a, const Real *b, const Real *inv,
                         int rows, int cols, double *part)
{
    if (rows <= 0 || cols <= 0) return;
    LAUNCH(norm_gradient<NormNoRows>, team_blocks(rows, cols), BLOCK, TEAM_SHARED, dx, lddx, dy, lddy, NormNoRows{}, a,
           (const Real *)NULL, inv, rows, cols, rule_of(cols, NORM_VARIANCE, 0));
    cuda_bias_relevance(part, dy, lddy, b, rows, cols);
}

void cuda_label_norm_relevance(Real *dr, Real *ddelta, const Real *dy, const int *first, const Real *a, const Real *b,
                               const Real *inv, int tokens, int heads, int p, double *part)
{
    label_gradient(dr, ddelta, dy, NormNoRows{}, first, a, NULL, inv, tokens, heads, p, rule_of(p, NORM_VARIANCE, 0));
    cuda_bias_relevance(part, dy, p, b, tokens * heads, p);
}
