/* Rows of tables. Their gradients are added up by one warp for each row of a table that occurs,
 * in the order of the rows of dy. */
#include "tensor/cuda/cuda.h"

typedef struct Lookup {
    const Real *table;
    Real *dtable;
    int ld;
    const int *index; /* or NULL */
    bool drops;
    CudaDrop drop;
} Lookup;

typedef struct Lookups {
    int n;
    Lookup term[MAX_EMBED_TERMS];
} Lookups;

static Lookup lookup_of(const EmbedLookup *m)
{
    Lookup l = { m->table, m->dtable, m->ld, m->index, m->drop.p > 0, {} };
    if (l.drops) l.drop = cuda_drop_of(m->drop);
    return l;
}

/* Number c of what the term gives for row r. */
static __device__ Real dropped(const Lookup &m, ptrdiff_t r, ptrdiff_t c, Real x)
{
    return m.drops ? cuda_dropped(m.drop, cuda_drop_key(m.drop, r), c, x) : x;
}

static __global__ void embed(Real *y, int ldy, int rows, int cols, Lookups a)
{
    MATRIX_LOOP(r, c, rows, cols)
    {
        Real sum = 0;
        for (int k = 0; k < a.n; k++) {
            const Lookup &m = a.term[k];
            Real x = dropped(m, r, c, m.table[(m.index ? m.index[r] : r) * m.ld + c]);
            sum = k > 0 ? sum + x : x;
        }
        y[r * ldy + c] = sum;
    }
}

void cuda_embed_fwd(Real *y, int ldy, int rows, int cols, const EmbedArgs *a)
{
    Lookups l = { a->n, {} };
    for (int k = 0; k < a->n; k++) l.term[k] = lookup_of(&a->term[k]);
    LAUNCH_MATRIX(embed, rows, cols, y, ldy, rows, cols, l);
}

static __global__ void each_row(const Real *dy, int lddy, int rows, int cols, Lookup m)
{
    MATRIX_LOOP(r, c, rows, cols) m.dtable[r * m.ld + c] += dropped(m, r, c, dy[r * lddy + c]);
}

/* A warp has a row of dy and WARP columns. */
static __global__ void rows_of_index(const Real *dy, int lddy, int rows, int cols, Lookup m)
{
    int r = cuda_warp(), c = (int)blockIdx.y * WARP + cuda_lane();
    if (r >= rows) return;
    Real *d = m.dtable + (ptrdiff_t)m.index[r] * m.ld + c, sum = c < cols ? *d : 0;
    bool first = cuda_each_same(m.index, rows, r, [&](int k) {
        if (c < cols) sum += dropped(m, k, c, dy[(ptrdiff_t)k * lddy + c]);
    });
    if (first && c < cols) *d = sum;
}

/* Blocks of BLOCK threads that have a warp for each of n rows and of WARP columns each. */
static dim3 warps_for(int n, int cols)
{
    return dim3((unsigned)(n + BLOCK / WARP - 1) / (BLOCK / WARP), (unsigned)(cols + WARP - 1) / WARP);
}

void cuda_embed_bwd(const Real *dy, int lddy, int rows, int cols, const EmbedArgs *a)
{
    for (int k = 0; k < a->n && rows > 0 && cols > 0; k++) {
        Lookup m = lookup_of(&a->term[k]);
        if (!m.dtable) continue;
        if (m.index) LAUNCH(rows_of_index, warps_for(rows, cols), BLOCK, 0, dy, lddy, rows, cols, m);
        else LAUNCH_MATRIX(each_row, rows, cols, dy, lddy, rows, cols, m);
    }
}

/* ---- means */

static __global__ void embed_mean(Real *y, const Real *table, int ld, const int *start, const int *item, int rows,
                                  int cols)
{
    MATRIX_LOOP(r, c, rows, cols)
    {
        Real sum = 0, n = (Real)(start[r + 1] - start[r]);
        for (int i = start[r]; i < start[r + 1]; i++) sum += table[(ptrdiff_t)item[i] * ld + c] / n;
        y[r * cols + c] = sum;
    }
}

void cuda_embed_mean_fwd(Real *y, const Real *table, int ld, const int *start, const int *item, int rows, int cols)
{
    LAUNCH_MATRIX(embed_mean, rows, cols, y, table, ld, start, item, rows, cols);
}

/* The row r with start[r] <= i < start[r + 1]. */
static __device__ int row_of(const int *start, int rows, int i)
{
    int from = 0, to = rows;
    while (to - from > 1) {
        int middle = from + (to - from) / 2;
        if (start[middle] <= i) from = middle;
        else to = middle;
    }
    return from;
}

/* A warp has every so manieth item and WARP columns. */
static __global__ void items(Real *dtable, int ld, const Real *dy, const int *start, const int *item, int rows,
                             int cols)
{
    int c = (int)blockIdx.y * WARP + cuda_lane(), n = start[rows] - start[0], warps = (int)(gridDim.x * BLOCK / WARP);
    item += start[0];
    for (int i = cuda_warp(); i < n; i += warps) {
        Real *d = dtable + (ptrdiff_t)item[i] * ld + c, sum = c < cols ? *d : 0;
        bool first = cuda_each_same(item, n, i, [&](int k) {
            int r = row_of(start, rows, start[0] + k);
            if (c < cols) sum += dy[(ptrdiff_t)r * cols + c] / (Real)(start[r + 1] - start[r]);
        });
        if (first && c < cols) *d = sum;
    }
}

void cuda_embed_mean_bwd(Real *dtable, int ld, const Real *dy, const int *start, const int *item, int rows, int cols)
{
    if (rows <= 0 || cols <= 0) return;
    LAUNCH(items, warps_for(rows, cols), BLOCK, 0, dtable, ld, dy, start, item, rows, cols);
}
