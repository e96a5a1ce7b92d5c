/* Attention by sentence and head.
 *
 * Forward, a block has TILE_ROWS queries of one head and goes through their keys twice: for the maximum and the sum of
 * each row, then for the weights and the context. In between the logits wait in probs, or are computed again without.
 * Backward, blocks of queries give dQ, dbias, parts of dgates and the sums of A dA by rows; then blocks of keys give dK
 * and dV. Both compute dA anew, so that probs are all of size n^2. */
#include "tensor/cuda/tile.h"

/* Column tiles of the values that a block has in registers; wider heads take several rounds. */
constexpr int CHUNKS = 2;

/* At most TILE_COLS columns of a part: c .. c + n - 1 of a head's w. */
typedef struct Chunk {
    int p, c, n, w;
} Chunk;

/* Chunk number k of all parts; false if there are fewer. */
static __device__ __forceinline__ bool chunk_of(Chunk *chunk, const AttentionArgs &a, int k)
{
    for (int p = 0; p < a.n_parts; p++) {
        int w = a.width[p], chunks = (w + TILE_COLS - 1) / TILE_COLS;
        if (k < chunks) {
            *chunk = Chunk{ p, k * TILE_COLS, min(TILE_COLS, w - k * TILE_COLS), w };
            return true;
        }
        k -= chunks;
    }
    return false;
}

/* What a block works on: queries first .. last - 1 of a sentence, or keys, for head h. The pair of query q and key k is
 * number q * keys + k of the block's pairs. */
struct Place : CudaPlace {
    int queries, keys, query_start, key_start; /* of the sentence, and where they begin in their batches */
};

/* A block's place among the queries or, by_keys, the keys; whether there is something to do. */
static __device__ __forceinline__ bool place(Place *at, const AttentionArgs &a, bool by_keys)
{
    bool some = cuda_place(at, by_keys ? a.key_start : a.start, a.pair_start, a.n_sent, TILE_ROWS);
    at->query_start = a.start[at->b];
    at->key_start = a.key_start[at->b];
    at->queries = a.start[at->b + 1] - at->query_start;
    at->keys = a.key_start[at->b + 1] - at->key_start;
    return some;
}

/* Where the queries, the keys, the values and the context of a head begin in part p. */
static __device__ __forceinline__ ptrdiff_t query_at(const AttentionArgs &a, const Place &at, int p)
{
    return (ptrdiff_t)at.query_start * a.ld_q[p] + (ptrdiff_t)at.h * a.width[p];
}

static __device__ __forceinline__ ptrdiff_t key_at(const AttentionArgs &a, const Place &at, int p)
{
    return (ptrdiff_t)at.key_start * a.ld_kv[p] + (ptrdiff_t)at.h * a.width[p];
}

static __device__ __forceinline__ ptrdiff_t value_at(const AttentionArgs &a, const Place &at, int p)
{
    return (ptrdiff_t)at.key_start * a.ld_kv[p] + (ptrdiff_t)(a.n_heads + at.h) * a.width[p];
}

static __device__ __forceinline__ ptrdiff_t ctx_at(const AttentionArgs &a, const Place &at, int p)
{
    return (ptrdiff_t)at.query_start * a.ld_ctx[p] + (ptrdiff_t)at.h * a.width[p];
}

static __device__ __forceinline__ bool is_fixed(const AttentionArgs &a, int h) { return a.fixed && a.fixed[h]; }

static __device__ __forceinline__ Real gate_of(const AttentionArgs &a, int h) { return a.gates ? a.gates[h] : 1; }

/* The dropout of a head and sentence: its rows are queries, its columns keys. */
static __device__ __forceinline__ CudaDrop drop_of(CudaDrop d, const Place &at)
{
    d.key = rng_key(d.key, (uint64_t)at.block, 0, 0);
    return d;
}

/* t += left right' for rows x[0 .. rows - 1] and y[0 .. cols - 1] of w numbers. The operands are free at the
 * beginning and at the end. */
static __device__ __forceinline__ void add_products(Tile &t, TileOperands *o, const Real *x, int ldx, int rows,
                                                    const Real *y, int ldy, int cols, int w)
{
    for (int c = 0; c < w; c += TILE_DEPTH) {
        int depth = min(TILE_DEPTH, w - c);
        tile_load(o->left, rows, depth, [=](int r, int k) { return x[(ptrdiff_t)r * ldx + c + k]; });
        tile_load(o->right, cols, depth, [=](int r, int k) { return y[(ptrdiff_t)r * ldy + c + k]; });
        __syncthreads();
        tile_multiply(t, o, depth, cols);
        __syncthreads();
    }
}

/* t += left x for the tile that is the left operand, depth of its columns, and x [depth, n]. */
static __device__ __forceinline__ void add_weighted(Tile &t, TileOperands *o, int depth, const Real *x, int ldx, int n)
{
    tile_load_across(o->right, n, depth, [=](int r, int k) { return x[(ptrdiff_t)k * ldx + r]; });
    __syncthreads();
    tile_multiply(t, o, depth, n);
    __syncthreads();
}

/* ---- forward */

/* The logits of the block's queries and the keys from `from`; -INFINITY for keys that are not allowed, or none. */
static __device__ __forceinline__ void logits(Tile &t, TileOperands *o, const AttentionArgs &a, const Place &at,
                                              int from)
{
    int keys = min(TILE_COLS, at.keys - from), rows = at.last - at.first;
    tile_clear(t);
    for (int p = 0; p < a.n_parts && !is_fixed(a, at.h); p++)
        add_products(t, o, a.q[p] + query_at(a, at, p) + (ptrdiff_t)at.first * a.ld_q[p], a.ld_q[p], rows,
                     a.kv[p] + key_at(a, at, p) + (ptrdiff_t)from * a.ld_kv[p], a.ld_kv[p], keys, a.width[p]);
    const Real inv = (Real)(1 / a.scale), *bias = NULL;
    const uint64_t *mask = NULL;
    const int words = (at.keys + 63) / 64, before = at.keys - at.queries; /* keys that all queries see, if causal */
    if (a.bias && a.slot_of_head[at.h] >= 0)
        bias = a.bias + a.slot_of_head[at.h] * at.pairs + at.block - at.h * at.pairs;
    if (a.mask && a.mask_of_head[at.h] >= 0) mask = a.mask + a.mask_of_head[at.h] * a.mask_words + a.mask_start[at.b];
    TILE_LOOP(i, j)
    {
        int q = at.first + tile_row(i), k = from + tile_col(j);
        bool in = q < at.last && k < at.keys && !(a.causal && k > before + q);
        Real x = t.v[i][j] * inv;
        if (in && bias) x += bias[(ptrdiff_t)q * at.keys + k];
        if (in && mask) in = mask[(ptrdiff_t)q * words + k / 64] >> k % 64 & 1;
        t.v[i][j] = in ? x : -INFINITY;
    }
}

/* The block's part of a matrix of pairs, and back: rows of queries, keys from `from`. */
static __device__ __forceinline__ void read_pairs(Tile &t, const Real *x, const Place &at, int from)
{
    TILE_LOOP(i, j)
    {
        int q = at.first + tile_row(i), k = from + tile_col(j);
        t.v[i][j] = q < at.last && k < at.keys ? x[(ptrdiff_t)q * at.keys + k] : 0;
    }
}

static __device__ __forceinline__ void write_pairs(Real *x, const Tile &t, const Place &at, int from)
{
    TILE_LOOP(i, j)
    {
        int q = at.first + tile_row(i), k = from + tile_col(j);
        if (q < at.last && k < at.keys) x[(ptrdiff_t)q * at.keys + k] = t.v[i][j];
    }
}

/* Maximum and sum of exp(x - most) of a thread's numbers of each row; without a finite one, most is -INFINITY. */
typedef struct Rows {
    Real most[TILE_SIDE], sum[TILE_SIDE];
} Rows;

static __device__ __forceinline__ void take_tile(Rows &r, const Tile &t)
{
    TILE_UNROLL for (int i = 0; i < TILE_SIDE; i++)
    {
        Real before = r.most[i];
        TILE_UNROLL for (int j = 0; j < TILE_SIDE; j++) r.most[i] = t.v[i][j] > r.most[i] ? t.v[i][j] : r.most[i];
        if (!(r.most[i] > -INFINITY)) continue;
        r.sum[i] *= exp(before - r.most[i]);
        TILE_UNROLL for (int j = 0; j < TILE_SIDE; j++) r.sum[i] += exp(t.v[i][j] - r.most[i]);
    }
}

/* Joins most and sum over whole rows, with the sum's inverse in its place; 0 and 0 for rows without a key. */
static __device__ __forceinline__ void join_rows(Rows &r)
{
    TILE_UNROLL for (int i = 0; i < TILE_SIDE; i++)
    {
        Real own = r.most[i], most = tile_row_max(own);
        if (!(most > -INFINITY)) most = 0;
        Real sum = tile_row_sum(r.sum[i] * exp(own - most));
        r.most[i] = most;
        r.sum[i] = sum > 0 ? 1 / sum : 0;
    }
}

static __device__ __forceinline__ void drop_tile(Tile &t, const CudaDrop &d, const Place &at, int from)
{
    TILE_UNROLL for (int i = 0; i < TILE_SIDE; i++)
    {
        uint64_t key = cuda_drop_key(d, at.first + tile_row(i));
        TILE_UNROLL for (int j = 0; j < TILE_SIDE; j++) t.v[i][j] = cuda_dropped(d, key, from + tile_col(j), t.v[i][j]);
    }
}

/* y[r, c] = by t, or y[r, c] +=, of rows first .. last - 1 and n columns */
static __device__ __forceinline__ void store(Real *y, int ld, const Tile &t, const Place &at, int n, Real by, bool add)
{
    TILE_LOOP(i, j)
    {
        int r = at.first + tile_row(i), c = tile_col(j);
        if (r >= at.last || c >= n) continue;
        Real *to = y + (ptrdiff_t)r * ld + c;
        *to = (add ? *to : 0) + by * t.v[i][j];
    }
}

/* A multiprocessor has registers for four blocks. */
static __global__ void __launch_bounds__(TILE_THREADS, 4) attention(AttentionArgs a, CudaDrop drop)
{
    Place at;
    if (!place(&at, a, false)) return;
    TileOperands *o = cuda_shared<TileOperands>();
    Real *probs = a.probs ? a.probs + at.block : NULL;
    const bool kept = at.keys <= TILE_COLS; /* the tile is all there is */
    Tile t;
    Rows rows;
    TILE_UNROLL for (int i = 0; i < TILE_SIDE; i++) rows.most[i] = -INFINITY, rows.sum[i] = 0;
    for (int from = 0; from < at.keys; from += TILE_COLS) {
        logits(t, o, a, at, from);
        take_tile(rows, t);
        if (!kept && probs) write_pairs(probs, t, at, from);
    }
    join_rows(rows);
    drop = drop_of(drop, at);
    Chunk chunk;
    for (int first = 0; first == 0 || chunk_of(&chunk, a, first); first += CHUNKS) {
        Tile ctx[CHUNKS];
        TILE_UNROLL for (int c = 0; c < CHUNKS; c++) tile_clear(ctx[c]);
        for (int from = 0; from < at.keys; from += TILE_COLS) {
            int keys = min(TILE_COLS, at.keys - from);
            if (!kept && probs) read_pairs(t, probs, at, from);
            else if (!kept) logits(t, o, a, at, from);
            if (first == 0 || !(kept || probs)) TILE_LOOP(i, j) t.v[i][j] = exp(t.v[i][j] - rows.most[i]) * rows.sum[i];
            if (first == 0 && probs) write_pairs(probs, t, at, from);
            Tile used = t;
            if (a.drop.p > 0) drop_tile(used, drop, at, from);
            tile_put(o->left, used);
            TILE_UNROLL for (int c = 0; c < CHUNKS; c++)
            {
                if (!chunk_of(&chunk, a, first + c)) break;
                int p = chunk.p, ld = a.ld_kv[p];
                add_weighted(ctx[c], o, keys, a.kv[p] + value_at(a, at, p) + chunk.c + (ptrdiff_t)from * ld, ld,
                             chunk.n);
            }
        }
        TILE_UNROLL for (int c = 0; c < CHUNKS; c++) if (chunk_of(&chunk, a, first + c))
            store(a.ctx[chunk.p] + ctx_at(a, at, chunk.p) + chunk.c, a.ld_ctx[chunk.p], ctx[c], at, chunk.n,
                  gate_of(a, at.h), false);
    }
}

void cuda_attention_fwd(const AttentionArgs *a)
{
    if (a->n_sent <= 0 || a->longest <= 0) return;
    LAUNCH(attention, cuda_place_blocks(a->n_sent, a->longest, a->n_heads, TILE_ROWS), TILE_THREADS,
           sizeof(TileOperands), *a, cuda_drop_of(a->drop));
}

/* ---- backward: blocks of queries */

/* What blocks of queries leave to others: sums of A dA [heads, n_sent * longest], and of each block what it has of the
 * gate's gradient [heads, blocks]. */
typedef struct Sums {
    Real *rows;
    double *gates;
} Sums;

/* The weights A of the block's queries and the keys from `from`, and their gradient, with the context's part of the
 * gate's gradient added to *gates. */
static __device__ __forceinline__ void weights_and_gradients(Tile &p, Tile &d, double *gates, TileOperands *o,
                                                             const AttentionArgs &a, const Place &at,
                                                             const CudaDrop &drop, int from)
{
    int keys = min(TILE_COLS, at.keys - from), rows = at.last - at.first;
    read_pairs(p, a.probs + at.block, at, from);
    tile_clear(d);
    for (int k = 0; k < a.n_parts && a.dctx[0]; k++)
        add_products(d, o, a.dctx[k] + ctx_at(a, at, k) + (ptrdiff_t)at.first * a.ld_ctx[k], a.ld_ctx[k], rows,
                     a.kv[k] + value_at(a, at, k) + (ptrdiff_t)from * a.ld_kv[k], a.ld_kv[k], keys, a.width[k]);
    /* p is 0 where there is no pair, and d may be anything there */
    TILE_LOOP(i, j)
    {
        int q = at.first + tile_row(i), k = from + tile_col(j);
        if (q >= at.last || k >= at.keys) d.v[i][j] = 0;
    }
    if (a.drop.p > 0) drop_tile(d, drop, at, from);
    Real gate = gate_of(a, at.h);
    TILE_LOOP(i, j)
    {
        *gates += (double)(p.v[i][j] * d.v[i][j]);
        d.v[i][j] *= gate;
    }
    if (!a.dprobs) return;
    Tile given;
    read_pairs(given, a.dprobs + at.block, at, from);
    TILE_LOOP(i, j) d.v[i][j] += given.v[i][j];
}

/* Whether a head's queries or its keys have a gradient; d are those of all heads. */
static __device__ __forceinline__ bool wants_logits(const AttentionArgs &a, Real *const *d, int h)
{
    bool wanted = false;
    for (int p = 0; p < a.n_parts; p++) wanted = wanted || d[p];
    return wanted && !is_fixed(a, h);
}

static __device__ __forceinline__ void queries_of_head(TileOperands *o, const AttentionArgs &a, const Place &at,
                                                       const CudaDrop &drop, const Sums &sums)
{
    const bool kept = at.keys <= TILE_COLS, to_queries = wants_logits(a, a.dq, at.h);
    const int slot = a.dbias ? a.slot_of_head[at.h] : -1;
    Tile p, d;
    Real dot[TILE_SIDE] = { 0, 0, 0, 0 };
    double gates = 0, again = 0;
    for (int from = 0; from < at.keys; from += TILE_COLS) {
        weights_and_gradients(p, d, &gates, o, a, at, drop, from);
        TILE_LOOP(i, j) dot[i] += p.v[i][j] * d.v[i][j];
    }
    TILE_UNROLL for (int i = 0; i < TILE_SIDE; i++)
    {
        dot[i] = tile_row_sum(dot[i]);
        int q = at.first + tile_row(i);
        if (q < at.last && tile_col(0) == 0) sums.rows[((ptrdiff_t)at.h * a.n_sent + at.b) * a.longest + q] = dot[i];
    }
    if (a.dgates) {
        gates = block_sum(gates, (double *)o);
        __syncthreads();
        if (threadIdx.x == 0) sums.gates[(ptrdiff_t)at.h * gridDim.x + at.partial] = gates;
    }
    Chunk chunk;
    for (int first = 0; first == 0 ? to_queries || slot >= 0 : to_queries && chunk_of(&chunk, a, first);
         first += CHUNKS) {
        Tile dq[CHUNKS];
        TILE_UNROLL for (int c = 0; c < CHUNKS; c++) tile_clear(dq[c]);
        for (int from = 0; from < at.keys; from += TILE_COLS) {
            int keys = min(TILE_COLS, at.keys - from);
            if (!kept) weights_and_gradients(p, d, &again, o, a, at, drop, from);
            if (!kept || first == 0) TILE_LOOP(i, j) d.v[i][j] = p.v[i][j] * (d.v[i][j] - dot[i]);
            if (slot >= 0 && first == 0) {
                Tile bias;
                Real *dbias = a.dbias + slot * at.pairs + at.block - at.h * at.pairs;
                read_pairs(bias, dbias, at, from);
                TILE_LOOP(i, j) bias.v[i][j] += d.v[i][j];
                write_pairs(dbias, bias, at, from);
            }
            if (!to_queries) continue;
            tile_put(o->left, d);
            TILE_UNROLL for (int c = 0; c < CHUNKS; c++)
            {
                if (!chunk_of(&chunk, a, first + c)) break;
                int k = chunk.p, ld = a.ld_kv[k];
                if (a.dq[k])
                    add_weighted(dq[c], o, keys, a.kv[k] + key_at(a, at, k) + chunk.c + (ptrdiff_t)from * ld, ld,
                                 chunk.n);
            }
            __syncthreads();
        }
        TILE_UNROLL for (int c = 0; c < CHUNKS; c++) if (to_queries && chunk_of(&chunk, a, first + c) && a.dq[chunk.p])
            store(a.dq[chunk.p] + query_at(a, at, chunk.p) + chunk.c, a.ld_q[chunk.p], dq[c], at, chunk.n,
                  (Real)(1 / a.scale), true);
    }
}

/* One block does all heads that share a slot of the bias: the block of the first of them. */
static __global__ void __launch_bounds__(TILE_THREADS) attention_queries(AttentionArgs a, CudaDrop drop, Sums sums)
{
    Place at;
    if (!place(&at, a, false)) {
        if (a.dgates && threadIdx.x == 0) sums.gates[(ptrdiff_t)at.h * gridDim.x + at.partial] = 0;
        return;
    }
    TileOperands *o = cuda_shared<TileOperands>();
    const int head = at.h, slot = a.dbias ? a.slot_of_head[head] : -1;
    for (int h = 0; h < head && slot >= 0; h++)
        if (a.slot_of_head[h] == slot) return;
    for (int h = head; h < a.n_heads && (h == head || slot >= 0); h++) {
        if (h != head && a.slot_of_head[h] != slot) continue;
        at.block += (h - at.h) * at.pairs;
        at.h = h;
        queries_of_head(o, a, at, drop_of(drop, at), sums);
    }
}

/* dgates[h] += the parts of the head's blocks */
static __global__ void gate_sums(Real *dgates, const double *part, int n)
{
    double sum = 0;
    BLOCK_LOOP(k, n) sum += part[(ptrdiff_t)blockIdx.x * n + k];
    sum = block_sum(sum, cuda_shared<double>());
    if (threadIdx.x == 0) dgates[blockIdx.x] += (Real)sum;
}

/* ---- backward: blocks of keys */

/* A' of the block's keys and the queries from `from`, by way of the left operand: threads of a warp read what is side
 * by side in memory. */
static __device__ __forceinline__ void read_transposed(Tile &t, TileOperands *o, const Real *x, const Place &at,
                                                       int from)
{
    const int keys = at.keys, first = at.first;
    tile_load_across(o->left, at.last - first, min(TILE_COLS, at.queries - from),
                     [=](int r, int k) { return x[(ptrdiff_t)(from + k) * keys + first + r]; });
    __syncthreads();
    TILE_LOOP(i, j)
    {
        bool in = first + tile_row(i) < at.last && from + tile_col(j) < at.queries;
        t.v[i][j] = in ? o->left[tile_row(i) * TILE_PITCH + tile_col(j)] : 0;
    }
    __syncthreads();
}

/* From A' in p: the gradient of the logits, transposed, in d, and in p A' after dropout. */
static __device__ __forceinline__ void logit_gradients(Tile &p, Tile &d, TileOperands *o, const AttentionArgs &a,
                                                       const Place &at, const CudaDrop &drop, const Real *row_sums,
                                                       bool to_keys, int from)
{
    int queries = min(TILE_COLS, at.queries - from), keys = at.last - at.first;
    tile_clear(d);
    for (int k = 0; k < a.n_parts && a.dctx[0] && to_keys; k++)
        add_products(d, o, a.kv[k] + value_at(a, at, k) + (ptrdiff_t)at.first * a.ld_kv[k], a.ld_kv[k], keys,
                     a.dctx[k] + ctx_at(a, at, k) + (ptrdiff_t)from * a.ld_ctx[k], a.ld_ctx[k], queries, a.width[k]);
    Real gate = gate_of(a, at.h);
    TILE_UNROLL for (int j = 0; j < TILE_SIDE; j++)
    {
        int q = from + tile_col(j);
        uint64_t key = a.drop.p > 0 ? cuda_drop_key(drop, q) : 0;
        Real sum = q < at.queries ? row_sums[((ptrdiff_t)at.h * a.n_sent + at.b) * a.longest + q] : 0;
        TILE_UNROLL for (int i = 0; i < TILE_SIDE; i++)
        {
            int k = at.first + tile_row(i);
            bool in = q < at.queries && k < at.last;
            Real by = a.drop.p > 0 ? cuda_dropped(drop, key, k, 1) : 1;
            Real g = in ? gate * by * d.v[i][j] : 0;
            if (in && a.dprobs) g += a.dprobs[at.block + (ptrdiff_t)q * at.keys + k];
            d.v[i][j] = p.v[i][j] * (g - sum);
            p.v[i][j] *= by;
        }
    }
}

/* dK and dV; without sums of rows dV alone, without dropout: relevance. */
static __global__ void __launch_bounds__(TILE_THREADS)
    attention_keys(AttentionArgs a, CudaDrop drop, const Real *row_sums)
{
    Place at;
    if (!place(&at, a, true)) return;
    TileOperands *o = cuda_shared<TileOperands>();
    const bool to_keys = row_sums && wants_logits(a, a.dkv, at.h);
    drop = drop_of(drop, at);
    Chunk chunk;
    for (int first = 0; chunk_of(&chunk, a, first); first += CHUNKS) {
        Tile dk[CHUNKS], dv[CHUNKS];
        TILE_UNROLL for (int c = 0; c < CHUNKS; c++) tile_clear(dk[c]), tile_clear(dv[c]);
        for (int from = 0; from < at.queries; from += TILE_COLS) {
            int queries = min(TILE_COLS, at.queries - from);
            Tile p, d;
            read_transposed(p, o, a.probs + at.block, at, from);
            if (row_sums) logit_gradients(p, d, o, a, at, drop, row_sums, to_keys, from);
            if (to_keys) tile_put(o->left, d);
            TILE_UNROLL for (int c = 0; c < CHUNKS; c++)
            {
                if (!to_keys || !chunk_of(&chunk, a, first + c)) break;
                int k = chunk.p, ld = a.ld_q[k];
                if (a.dkv[k])
                    add_weighted(dk[c], o, queries, a.q[k] + query_at(a, at, k) + chunk.c + (ptrdiff_t)from * ld, ld,
                                 chunk.n);
            }
            tile_put(o->left, p);
            TILE_UNROLL for (int c = 0; c < CHUNKS; c++)
            {
                if (!a.dctx[0] || !chunk_of(&chunk, a, first + c)) break;
                int k = chunk.p, ld = a.ld_ctx[k];
                if (a.dkv[k])
                    add_weighted(dv[c], o, queries, a.dctx[k] + ctx_at(a, at, k) + chunk.c + (ptrdiff_t)from * ld, ld,
                                 chunk.n);
            }
            __syncthreads();
        }
        TILE_UNROLL for (int c = 0; c < CHUNKS; c++)
        {
            if (!chunk_of(&chunk, a, first + c)) break;
            int k = chunk.p, ld = a.ld_kv[k];
            if (!a.dkv[k]) continue;
            if (to_keys)
                store(a.dkv[k] + key_at(a, at, k) + chunk.c, ld, dk[c], at, chunk.n, (Real)(1 / a.scale), true);
            if (a.dctx[0])
                store(a.dkv[k] + value_at(a, at, k) + chunk.c, ld, dv[c], at, chunk.n, gate_of(a, at.h), true);
        }
    }
}

/* The launch of a kernel that has blocks of keys. */
static dim3 key_blocks(const AttentionArgs *a)
{
    return cuda_place_blocks(a->n_sent, a->longest_keys, a->n_heads, TILE_ROWS);
}

void cuda_attention_bwd(const AttentionArgs *a)
{
    if (a->n_sent <= 0 || a->longest <= 0 || a->longest_keys <= 0) return;
    const dim3 blocks = cuda_place_blocks(a->n_sent, a->longest, a->n_heads, TILE_ROWS);
    const size_t rows = (size_t)a->n_heads * (size_t)a->n_sent * (size_t)a->longest,
                 gates = (size_t)a->n_heads * blocks.x;
    double *scratch = (double *)cuda_scratch("attention_bwd", gates * sizeof(double) + rows * sizeof(Real));
    if (!scratch) return;
    Sums sums = { (Real *)(scratch + gates), scratch };
    AttentionArgs b = *a;
    if (!b.dctx[0]) b.dgates = NULL; /* the gates are the context's */
    LAUNCH(attention_queries, blocks, TILE_THREADS, sizeof(TileOperands), b, cuda_drop_of(b.drop), sums);
    LAUNCH(attention_keys, key_blocks(a), TILE_THREADS, sizeof(TileOperands), b, cuda_drop_of(b.drop), sums.rows);
    if (b.dgates) LAUNCH(gate_sums, b.n_heads, BLOCK, WARP * sizeof(double), b.dgates, sums.gates, (int)blocks.x);
}

void cuda_attention_relevance(const AttentionArgs *a)
{
    if (a->n_sent <= 0 || a->longest_keys <= 0 || !a->dctx[0]) return;
    LAUNCH(attention_keys, key_blocks(a), TILE_THREADS, sizeof(TileOperands), *a, cuda_drop_of(a->drop), NULL);
}
