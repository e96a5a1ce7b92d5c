/* Attention by sentence and head; each [m, m] block is small and stays in cache. */
#include <math.h>
#include <string.h>

#include "tensor/cpu/level/kernels.h"
#include "tensor/cpu/level/math.h"
#include "tensor/cpu/level/small.h"
#include "base/rng.h"

/* Softmax of a row in place; a row of -INFINITY gives zeros. room: it has room for whole vectors, and the numbers after
 * the n become 0. */
static inline void softmax_row(Real *x, int n, bool room)
{
    if (n == 0) return;
    VectorMask place;
    for (int l = 0; l < WIDTH; l++) place[l] = l;
    const Vector none = (Vector){ 0 } - (Real)INFINITY;
    int last = (vectors_of(n) - 1) * WIDTH, left = n - last;
    bool whole = room || left == WIDTH;
    VectorMask inside = place < left;
    Vector most = none, sum = { 0 }, y = whole ? vector_at(x + last) : vector_start(x + last, left);
    y = (Vector)((inside & (VectorMask)y) | (~inside & (VectorMask)none));
    for (int i = 0; i < last; i += WIDTH) most = vector_max(vector_at(x + i), most);
    Real max = vector_largest(vector_max(y, most));
    if (!(max > -INFINITY)) max = 0;
    for (int i = 0; i < last; i += WIDTH) {
        Vector e = vector_exp(vector_at(x + i) - max);
        sum += e;
        vector_put(x + i, e);
    }
    y = vector_exp(y - max);
    Real all = vector_sum(sum + y), inv = all == 0 ? 0 : 1 / all;
    for (int i = 0; i < last; i += WIDTH) vector_put(x + i, vector_at(x + i) * inv);
    if (whole) vector_put(x + last, y * inv);
    else vector_put_start(x + last, y * inv, left);
}

/* The pairs of a head and sentence: m queries by n keys. */
typedef struct Block {
    int h, b, m, n;
    long at;              /* the first of them in probs, and the counter of their dropout */
    ptrdiff_t query, key; /* rows of the first query and key */
} Block;

static Block block_of(const AttentionArgs *a, int h, int b)
{
    Block x = { .h = h, .b = b, .query = a->start[b], .key = a->key_start[b] };
    x.m = a->start[b + 1] - a->start[b];
    x.n = a->key_start[b + 1] - a->key_start[b];
    x.at = h * a->pair_start[a->n_sent] + a->pair_start[b];
    return x;
}

/* Where the queries, keys, values and contexts of a block begin in part p. */
static ptrdiff_t query_at(const AttentionArgs *a, const Block *x, int p)
{
    return x->query * a->ld_q[p] + (ptrdiff_t)x->h * a->width[p];
}

static ptrdiff_t key_at(const AttentionArgs *a, const Block *x, int p)
{
    return x->key * a->ld_kv[p] + (ptrdiff_t)x->h * a->width[p];
}

static ptrdiff_t value_at(const AttentionArgs *a, const Block *x, int p)
{
    return x->key * a->ld_kv[p] + (ptrdiff_t)(a->n_heads + x->h) * a->width[p];
}

static ptrdiff_t context_at(const AttentionArgs *a, const Block *x, int p)
{
    return x->query * a->ld_ctx[p] + (ptrdiff_t)x->h * a->width[p];
}

static void drop_block(const AttentionArgs *a, const Block *x, Real *to, const Real *from)
{
    Drop d = a->drop;
    d.group = NULL;
    d.key = rng_key(d.key, (uint64_t)x->at, 0, 0);
    cpu_drop(to, x->n, from, x->n, x->m, x->n, d, false);
}

static bool is_fixed(const AttentionArgs *a, int h) { return a->fixed && a->fixed[h]; }

/* Logits of keys that are not allowed become -INFINITY. */
static void mask_block(const AttentionArgs *a, const Block *x, Real *block, int ld)
{
    int m = x->m, n = x->n;
    for (int i = 0; a->causal && i < m; i++)
        for (int j = n - m + i < 0 ? 0 : n - m + i + 1; j < n; j++) block[(ptrdiff_t)i * ld + j] = -INFINITY;
    if (!a->mask || a->mask_of_head[x->h] < 0) return;
    const uint64_t *row = a->mask + (long)a->mask_of_head[x->h] * a->mask_words + a->mask_start[x->b];
    for (int i = 0; i < m; i++, block += ld, row += (n + 63) / 64)
        for (int j = 0; j < n; j++)
            if (!(row[j / 64] >> j % 64 & 1)) block[j] = -INFINITY;
}

/* The first pair of a block in the bias of its head; -1: it has none. */
static long bias_at(const AttentionArgs *a, const Block *x)
{
    int slot = a->slot_of_head[x->h];
    return slot < 0 ? -1 : slot * a->pair_start[a->n_sent] + a->pair_start[x->b];
}

static void add_bias(const AttentionArgs *a, const Block *x, Real *block, int ld)
{
    long at = a->bias ? bias_at(a, x) : -1;
    if (at >= 0) cpu_add(block, ld, a->bias + at, x->n, x->m, x->n);
}

/* ---- short sentences: one head's block, of rows of whole vectors, on the stack. Queries and keys of both parts are
 * one product, and so are the contexts. */

enum { SHORT = 64, NARROW = 64 }; /* words; width of all parts */

static bool is_short(const AttentionArgs *a, const Block *x)
{
    int width = 0;
    for (int p = 0; p < a->n_parts; p++) width += a->width[p];
    return x->m <= SHORT && x->n <= SHORT && width <= NARROW;
}

static void short_block(const AttentionArgs *a, const Block *x)
{
    Vector keys[NARROW * SHORT / WIDTH], values[SHORT * NARROW / WIDTH], space[SHORT * SHORT / WIDTH],
        out[SHORT * NARROW / WIDTH];
    Real query[SHORT * NARROW], *block = (Real *)space, *context = (Real *)out;
    int m = x->m, n = x->n, stride = vectors_of(n), ld = stride * WIDTH, width = 0;
    Real *probs = a->probs ? a->probs + x->at : NULL;
    for (int p = 0; p < a->n_parts; p++) width += a->width[p];
    int wide = vectors_of(width);
    for (int p = 0, at = 0; p < a->n_parts; at += a->width[p++]) {
        int w = a->width[p], ldq = a->ld_q[p], l = a->ld_kv[p];
        const Real *q = a->q[p] + query_at(a, x, p), *k = a->kv[p] + key_at(a, x, p), *v = a->kv[p] + value_at(a, x, p);
        for (int i = 0; i < m; i++) small_copy(query + (ptrdiff_t)i * width + at, q + (ptrdiff_t)i * ldq, w);
        small_vectors(keys + (ptrdiff_t)at * stride, stride, k, l, true, n, w);
        for (int i = 0; i < n; i++) small_copy((Real *)(values + (ptrdiff_t)i * wide) + at, v + (ptrdiff_t)i * l, w);
    }
    for (int i = 0; width % WIDTH && i < n; i++) /* nothing there is used, but it is read */
        memset((Real *)(values + (ptrdiff_t)i * wide) + width, 0, (size_t)(wide * WIDTH - width) * sizeof(Real));
    if (is_fixed(a, x->h)) memset(block, 0, (size_t)m * (size_t)ld * sizeof *block);
    else
        small_product(m, ld, width, (Real)(1 / a->scale), (SmallOperand){ query, width, 1 }, keys, stride, false, block,
                      ld);
    add_bias(a, x, block, ld);
    mask_block(a, x, block, ld);
    for (int i = 0; i < m; i++) softmax_row(block + (ptrdiff_t)i * ld, n, true);
    Real *dense = probs ? probs : a->scratch;
    if (probs || a->drop.p > 0) cpu_scale(dense, n, block, ld, m, n, 1);
    if (a->drop.p > 0) {
        drop_block(a, x, a->scratch, dense);
        cpu_scale(block, ld, a->scratch, n, m, n, 1);
    }
    small_product(m, wide * WIDTH, n, a->gates ? a->gates[x->h] : 1, (SmallOperand){ block, ld, 1 }, values, wide,
                  false, context, wide * WIDTH);
    for (int p = 0, at = 0; p < a->n_parts; at += a->width[p++])
        for (int i = 0; i < m; i++)
            small_copy(a->ctx[p] + context_at(a, x, p) + (ptrdiff_t)i * a->ld_ctx[p],
                       context + (ptrdiff_t)i * wide * WIDTH + at, a->width[p]);
}

/* ---- long ones, and wide ones */

static void long_block(const AttentionArgs *a, const Block *x)
{
    int m = x->m, n = x->n;
    Real *block = a->probs ? a->probs + x->at : a->scratch, gate = a->gates ? a->gates[x->h] : 1;
    if (is_fixed(a, x->h)) memset(block, 0, (size_t)m * (size_t)n * sizeof *block);
    for (int p = 0; p < a->n_parts && !is_fixed(a, x->h); p++)
        cpu_gemm(false, true, m, n, a->width[p], (Real)(1 / a->scale), a->q[p] + query_at(a, x, p), a->ld_q[p],
                 a->kv[p] + key_at(a, x, p), a->ld_kv[p], p > 0, block, n);
    add_bias(a, x, block, n);
    mask_block(a, x, block, n);
    for (int i = 0; i < m; i++) softmax_row(block + (ptrdiff_t)i * n, n, false);
    const Real *used = block;
    if (a->drop.p > 0) {
        drop_block(a, x, a->scratch, block);
        used = a->scratch;
    }
    for (int p = 0; p < a->n_parts; p++)
        cpu_gemm(false, false, m, a->width[p], n, gate, used, n, a->kv[p] + value_at(a, x, p), a->ld_kv[p], false,
                 a->ctx[p] + context_at(a, x, p), a->ld_ctx[p]);
}

void cpu_attention_fwd(const AttentionArgs *a)
{
    for (int b = 0; b < a->n_sent; b++)
        for (int h = 0; h < a->n_heads; h++) {
            Block x = block_of(a, h, b);
            if (is_short(a, &x)) short_block(a, &x);
            else long_block(a, &x);
        }
}

/* dS = A * (dA - rowsum(dA * A)), in place of dA. */
static void softmax_bwd_block(Real *da, const Real *probs, int m, int n)
{
    for (int i = 0; i < m; i++, da += n, probs += n) {
        Real dot = (Real)dot_of(da, probs, n);
        for (int j = 0; j < n; j++) da[j] = probs[j] * (da[j] - dot);
    }
}

static double blocks_dot(const Real *x, const Real *y, int m, int n)
{
    double sum = 0;
    for (int i = 0; i < m; i++, x += n, y += n) sum += dot_of(x, y, n);
    return sum;
}

/* dA in da, and what the context gives to values and gates. `dropped` is for the weights after dropout. */
static void context_bwd(const AttentionArgs *a, const Block *x, Real *da, Real *dropped)
{
    int m = x->m, n = x->n;
    const Real *used = a->probs + x->at;
    Real gate = a->gates ? a->gates[x->h] : 1;
    if (a->drop.p > 0) {
        drop_block(a, x, dropped, used);
        used = dropped;
    }
    for (int p = 0; p < a->n_parts; p++) {
        int w = a->width[p], ld = a->ld_kv[p];
        ptrdiff_t v = value_at(a, x, p);
        const Real *dc = a->dctx[p] + context_at(a, x, p);
        cpu_gemm(false, true, m, n, w, 1, dc, a->ld_ctx[p], a->kv[p] + v, ld, p > 0, da, n);
        if (a->dkv[p]) cpu_gemm(true, false, n, w, m, gate, used, n, dc, a->ld_ctx[p], true, a->dkv[p] + v, ld);
    }
    /* of the context without its gate, which may be 0 */
    if (a->dgates) a->dgates[x->h] += (Real)blocks_dot(used, da, m, n);
    if (gate != 1) cpu_scale(da, n, da, n, m, n, gate);
    if (a->drop.p > 0) drop_block(a, x, da, da);
}

/* What the logits, with gradient ds, give to queries and keys. */
static void logits_bwd(const AttentionArgs *a, const Block *x, const Real *ds)
{
    int m = x->m, n = x->n;
    Real inv = (Real)(1 / a->scale);
    for (int p = 0; p < a->n_parts; p++) {
        int w = a->width[p];
        ptrdiff_t q = query_at(a, x, p), k = key_at(a, x, p);
        if (a->dq[p])
            cpu_gemm(false, false, m, w, n, inv, ds, n, a->kv[p] + k, a->ld_kv[p], true, a->dq[p] + q, a->ld_q[p]);
        if (a->dkv[p])
            cpu_gemm(true, false, n, w, m, inv, ds, n, a->q[p] + q, a->ld_q[p], true, a->dkv[p] + k, a->ld_kv[p]);
    }
}

void cpu_attention_bwd(const AttentionArgs *a)
{
    Real *dropped = a->scratch, *da = a->scratch + (ptrdiff_t)a->longest * a->longest_keys;
    for (int b = 0; b < a->n_sent; b++)
        for (int h = 0; h < a->n_heads; h++) {
            Block x = block_of(a, h, b);
            if (a->dctx[0]) context_bwd(a, &x, da, dropped);
            else memset(da, 0, (size_t)x.m * (size_t)x.n * sizeof *da);
            if (a->dprobs) cpu_add(da, x.n, a->dprobs + x.at, x.n, x.m, x.n);
            softmax_bwd_block(da, a->probs + x.at, x.m, x.n);
            long bias = a->dbias ? bias_at(a, &x) : -1;
            if (bias >= 0) cpu_add(a->dbias + bias, x.n, da, x.n, x.m, x.n);
            if (!is_fixed(a, h)) logits_bwd(a, &x, da);
        }
}

/* Values alone: dv_j += sum_i gate A[i, j] dctx_i. */
void cpu_attention_relevance(const AttentionArgs *a)
{
    for (int b = 0; b < a->n_sent; b++)
        for (int h = 0; h < a->n_heads; h++) {
            Block x = block_of(a, h, b);
            for (int p = 0; p < a->n_parts; p++)
                if (a->dkv[p] && a->dctx[p])
                    cpu_gemm(true, false, x.n, a->width[p], x.m, a->gates ? a->gates[h] : 1, a->probs + x.at, x.n,
                             a->dctx[p] + context_at(a, &x, p), a->ld_ctx[p], true, a->dkv[p] + value_at(a, &x, p),
                             a->ld_kv[p]);
        }
}

void cpu_mask_keys(Real *p, int heads, int tokens, const uint64_t *keys, const int *slot)
{
    for (int t = 0; t < tokens; t++, p += heads)
        for (int h = 0; h < heads; h++)
            if (slot[h] >= 0 && !(keys[t] >> slot[h] & 1)) p[h] = -INFINITY;
}

enum { SOFTMAX_HEADS = 64 }; /* heads computed together: one column block */

void cpu_segment_softmax_fwd(Real *p, int heads, const int *start, int n_sent, double scale)
{
    Real max[SOFTMAX_HEADS], sum[SOFTMAX_HEADS], sc = (Real)scale;
    for (int b = 0; b < n_sent; b++)
        for (int h0 = 0; h0 < heads; h0 += SOFTMAX_HEADS) {
            int n = heads - h0 < SOFTMAX_HEADS ? heads - h0 : SOFTMAX_HEADS;
            for (int h = 0; h < n; h++) max[h] = -INFINITY, sum[h] = 0;
            for (int t = start[b]; t < start[b + 1]; t++) {
                Real *x = p + (ptrdiff_t)t * heads + h0;
                for (int h = 0; h < n; h++) {
                    x[h] *= sc;
                    max[h] = x[h] > max[h] ? x[h] : max[h];
                }
            }
            for (int h = 0; h < n; h++) max[h] = max[h] > -INFINITY ? max[h] : 0; /* all masked: exp gives 0 */
            for (int t = start[b]; t < start[b + 1]; t++) {
                Real *x = p + (ptrdiff_t)t * heads + h0;
                for (int h = 0; h < n; h++) {
                    x[h] = real_exp(x[h] - max[h]);
                    sum[h] += x[h];
                }
            }
            for (int h = 0; h < n; h++) sum[h] = sum[h] > 0 ? 1 / sum[h] : 0;
            for (int t = start[b]; t < start[b + 1]; t++) {
                Real *x = p + (ptrdiff_t)t * heads + h0;
                for (int h = 0; h < n; h++) x[h] *= sum[h];
            }
        }
}

void cpu_segment_softmax_bwd(Real *dp, const Real *p, int heads, const int *start, int n_sent, double scale)
{
    Real dot[SOFTMAX_HEADS], sc = (Real)scale;
    for (int b = 0; b < n_sent; b++)
        for (int h0 = 0; h0 < heads; h0 += SOFTMAX_HEADS) {
            int n = heads - h0 < SOFTMAX_HEADS ? heads - h0 : SOFTMAX_HEADS;
            for (int h = 0; h < n; h++) dot[h] = 0;
            for (int t = start[b]; t < start[b + 1]; t++) {
                const Real *d = dp + (ptrdiff_t)t * heads + h0, *x = p + (ptrdiff_t)t * heads + h0;
                for (int h = 0; h < n; h++) dot[h] += d[h] * x[h];
            }
            for (int t = start[b]; t < start[b + 1]; t++) {
                Real *d = dp + (ptrdiff_t)t * heads + h0;
                const Real *x = p + (ptrdiff_t)t * heads + h0;
                for (int h = 0; h < n; h++) d[h] = sc * x[h] * (d[h] - dot[h]);
            }
        }
}

void cpu_phrase_sums_fwd(Real *y, const Real *p, const Real *v, const int *start, int n_sent, int heads, int m,
                         double scale)
{
    int cols = heads * m;
    for (int b = 0; b < n_sent; b++) {
        const Real by = (Real)(scale * (start[b + 1] - start[b])), *last = NULL;
        for (int t = start[b]; t + 1 < start[b + 1]; t++, last = y, y += cols)
            for (int h = 0; h < heads; h++) {
                const Real a = by * p[(ptrdiff_t)t * heads + h], *x = v + (ptrdiff_t)t * cols;
                for (int c = h * m; c < (h + 1) * m; c++) y[c] = (last ? last[c] : 0) + a * x[c];
            }
    }
}

void cpu_phrase_sums_bwd(Real *dp, Real *dv, const Real *dy, const Real *p, const Real *v, const int *start, int n_sent,
                         int heads, int m, double scale, Real *running)
{
    int cols = heads * m;
    for (int b = 0; b < n_sent; b++) {
        const Real by = (Real)(scale * (start[b + 1] - start[b]));
        memset(running, 0, (size_t)cols * sizeof *running);
        for (int t = start[b + 1] - 2; t >= start[b]; t--) {
            const Real *d = dy + (ptrdiff_t)(t - b) * cols, *x = v + (ptrdiff_t)t * cols;
            for (int c = 0; c < cols; c++) running[c] += d[c];
            for (int h = 0; h < heads; h++) {
                const ptrdiff_t at = (ptrdiff_t)t * heads + h;
                Real a = by * p[at], sum = 0;
                for (int c = h * m; c < (h + 1) * m; c++) sum += running[c] * x[c];
                if (dp) dp[at] += by * sum;
                for (int c = h * m; dv && c < (h + 1) * m; c++) dv[(ptrdiff_t)t * cols + c] += a * running[c];
            }
        }
    }
}

void cpu_head_dots_fwd(Real *y, const Real *a, const Real *b, int rows, int heads, int m, double scale)
{
    for (ptrdiff_t k = 0; k < (ptrdiff_t)rows * heads; k++) {
        Real sum = 0;
        for (int j = 0; j < m; j++) sum += a[k * m + j] * b[k * m + j];
        y[k] = (Real)scale * sum;
    }
}

void cpu_head_dots_bwd(Real *da, Real *db, const Real *dy, const Real *a, const Real *b, int rows, int heads, int m,
                       double scale)
{
    for (ptrdiff_t k = 0; k < (ptrdiff_t)rows * heads; k++) {
        const Real d = (Real)scale * dy[k];
        for (int j = 0; da && j < m; j++) da[k * m + j] += d * b[k * m + j];
        for (int j = 0; db && j < m; j++) db[k * m + j] += d * a[k * m + j];
    }
}

void cpu_label_query_fwd(Real *u, int ldu, Weight k, Weight q)
{
    int heads = q.rows, d_in = k.rows / heads, d_a = q.cols;
    for (int h = 0; h < heads; h++)
        for (int c = 0; c < d_in; c++)
            u[(ptrdiff_t)h * ldu + c] =
                (Real)dot_of(k.values + ((ptrdiff_t)h * d_in + c) * d_a, q.values + (ptrdiff_t)h * d_a, d_a);
}

void cpu_label_query_bwd(const Real *du, int ldu, const Real *k, const Real *q, Real *dk, Real *dq, int heads, int d_in,
                         int d_a)
{
    for (int h = 0; h < heads; h++)
        for (int c = 0; c < d_in; c++) {
            Real g = du[(ptrdiff_t)h * ldu + c];
            ptrdiff_t row = ((ptrdiff_t)h * d_in + c) * d_a;
            for (int e = 0; e < d_a; e++) {
                if (dk) dk[row + e] += g * q[(ptrdiff_t)h * d_a + e];
                if (dq) dq[(ptrdiff_t)h * d_a + e] += g * k[row + e];
            }
        }
}

void cpu_head_linear(Real *y, int ldy, const Real *z, int ldz, int rows, int heads, Weight v)
{
    int d_in = v.rows / heads;
    for (int h = 0; h < heads; h++) {
        Weight own = v;
        own.values += (ptrdiff_t)h * d_in * v.ld;
        own.rows = d_in;
        own.first_row += h * d_in;
        cpu_linear(y + (ptrdiff_t)h * ldy, heads * ldy, z + (ptrdiff_t)h * ldz, heads * ldz, rows, own, NULL, false);
    }
}
