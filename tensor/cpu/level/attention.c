/* tensor/cpu/level/attention.c: attention by sentence and head; each [m, m] block is small and stays in cache. */
#include <math.h>
#include <string.h>

#include "tensor/cpu/level/kernels.h"
#include "tensor/cpu/level/math.h"
#include "tensor/cpu/level/small.h"
#include "base/rng.h"

/* Softmax of one row in place; a row of -INFINITY gives zeros. */
static void softmax_row(Real *x, int n)
{
    Real max = max_of(x, n);
    if (!(max > -INFINITY)) {
        memset(x, 0, (size_t)n * sizeof *x);
        return;
    }
    Vector sum = { 0 }, y;
    Real rest = 0;
    int i = 0;
    for (; i + WIDTH <= n; i += WIDTH) {
        y = vector_exp(vector_at(x + i) - max);
        sum += y;
        memcpy(x + i, &y, sizeof y);
    }
    for (; i < n; i++) rest += x[i] = real_exp(x[i] - max);
    Real inv = 1 / (rest + vector_sum(sum));
    for (i = 0; i < n; i++) x[i] *= inv;
}

/* Index of head h, sentence b in probs, and the counter of its dropout. */
static long block_of(const AttentionArgs *a, int h, int b)
{
    return (long)h * a->pair_start[a->n_sent] + a->pair_start[b];
}

static void drop_block(const AttentionArgs *a, Real *to, const Real *from, int h, int b, int m)
{
    Drop d = a->drop;
    d.group = NULL;
    d.key = rng_key(d.key, (uint64_t)block_of(a, h, b), 0, 0);
    cpu_drop(to, m, from, m, m, m, d, false);
}

static bool is_fixed(const AttentionArgs *a, int h) { return a->fixed && a->fixed[h]; }

/* Logits of keys that are not allowed become -INFINITY. */
static void mask_block(const AttentionArgs *a, Real *block, int ld, int h, int b, int m)
{
    if (!a->mask || a->mask_of_head[h] < 0) return;
    const uint64_t *row = a->mask + (long)a->mask_of_head[h] * a->mask_words + a->mask_start[b];
    for (int i = 0; i < m; i++, block += ld, row += (m + 63) / 64)
        for (int j = 0; j < m; j++)
            if (!(row[j / 64] >> j % 64 & 1)) block[j] = -INFINITY;
}

static void add_bias(const AttentionArgs *a, Real *block, int ld, int h, int b, int m)
{
    if (!a->bias || a->slot_of_head[h] < 0) return;
    cpu_add(block, ld, a->bias + (long)a->slot_of_head[h] * a->pair_start[a->n_sent] + a->pair_start[b], m, m, m);
}

/* ---- short sentences: one head's block, of rows of whole vectors, on the stack. Queries and keys of both parts are
 * one product, and so are the contexts. */

enum { SHORT = 64, NARROW = 64 }; /* words; width of all parts */

static bool is_short(const AttentionArgs *a, int m)
{
    int width = 0;
    for (int p = 0; p < a->n_parts; p++) width += a->width[p];
    return m <= SHORT && width <= NARROW;
}

static void short_block(const AttentionArgs *a, int h, int b)
{
    Vector keys[NARROW * SHORT / WIDTH], values[SHORT * NARROW / WIDTH], space[SHORT * SHORT / WIDTH],
        out[SHORT * NARROW / WIDTH];
    Real query[SHORT * NARROW], *block = (Real *)space, *context = (Real *)out;
    int s = a->start[b], m = a->start[b + 1] - s, stride = vectors_of(m), ld = stride * WIDTH, width = 0;
    Real *probs = a->probs ? a->probs + block_of(a, h, b) : NULL;
    for (int p = 0; p < a->n_parts; p++) width += a->width[p];
    int wide = vectors_of(width);
    for (int p = 0, at = 0; p < a->n_parts; at += a->width[p++]) {
        int w = a->width[p], l = a->ld_qkv[p];
        const Real *q = a->qkv[p] + (ptrdiff_t)s * l + (ptrdiff_t)h * w, *k = q + (ptrdiff_t)a->n_heads * w,
                   *v = k + (ptrdiff_t)a->n_heads * w;
        for (int i = 0; i < m; i++) small_copy(query + (ptrdiff_t)i * width + at, q + (ptrdiff_t)i * l, w);
        small_vectors(keys + (ptrdiff_t)at * stride, stride, k, l, true, m, w);
        for (int i = 0; i < m; i++) small_copy((Real *)(values + (ptrdiff_t)i * wide) + at, v + (ptrdiff_t)i * l, w);
    }
    for (int i = 0; width % WIDTH && i < m; i++) /* nothing there is used, but it is read */
        memset((Real *)(values + (ptrdiff_t)i * wide) + width, 0, (size_t)(wide * WIDTH - width) * sizeof(Real));
    if (is_fixed(a, h)) memset(block, 0, (size_t)m * (size_t)ld * sizeof *block);
    else
        small_product(m, ld, width, (Real)(1 / a->scale), (SmallOperand){ query, width, 1 }, keys, stride, false, block,
                      ld);
    add_bias(a, block, ld, h, b, m);
    mask_block(a, block, ld, h, b, m);
    for (int i = 0; i < m; i++) {
        for (int k = m; k < ld; k++) block[i * ld + k] = -INFINITY;
        softmax_row(block + (ptrdiff_t)i * ld, ld);
    }
    Real *dense = probs ? probs : a->scratch;
    if (probs || a->drop.p > 0) cpu_scale(dense, m, block, ld, m, m, 1);
    if (a->drop.p > 0) {
        drop_block(a, a->scratch, dense, h, b, m);
        cpu_scale(block, ld, a->scratch, m, m, m, 1);
    }
    small_product(m, wide * WIDTH, m, a->gates ? a->gates[h] : 1, (SmallOperand){ block, ld, 1 }, values, wide, false,
                  context, wide * WIDTH);
    for (int p = 0, at = 0; p < a->n_parts; at += a->width[p++])
        for (int i = 0; i < m; i++)
            small_copy(a->ctx[p] + (ptrdiff_t)(s + i) * a->ld_ctx[p] + (ptrdiff_t)h * a->width[p],
                       context + (ptrdiff_t)i * wide * WIDTH + at, a->width[p]);
}

/* ---- long ones, and wide ones */

static void long_block(const AttentionArgs *a, int h, int b)
{
    int s = a->start[b], m = a->start[b + 1] - s;
    Real *block = a->probs ? a->probs + block_of(a, h, b) : a->scratch, gate = a->gates ? a->gates[h] : 1;
    if (is_fixed(a, h)) memset(block, 0, (size_t)m * (size_t)m * sizeof *block);
    for (int p = 0; p < a->n_parts && !is_fixed(a, h); p++) {
        int w = a->width[p], ld = a->ld_qkv[p];
        const Real *q = a->qkv[p] + (ptrdiff_t)s * ld + (ptrdiff_t)h * w, *k = q + (ptrdiff_t)a->n_heads * w;
        cpu_gemm(false, true, m, m, w, (Real)(1 / a->scale), q, ld, k, ld, p > 0, block, m);
    }
    add_bias(a, block, m, h, b, m);
    mask_block(a, block, m, h, b, m);
    for (int i = 0; i < m; i++) softmax_row(block + (ptrdiff_t)i * m, m);
    const Real *used = block;
    if (a->drop.p > 0) {
        drop_block(a, a->scratch, block, h, b, m);
        used = a->scratch;
    }
    for (int p = 0; p < a->n_parts; p++) {
        int w = a->width[p], ld = a->ld_qkv[p];
        const Real *v = a->qkv[p] + (ptrdiff_t)s * ld + (ptrdiff_t)(2 * a->n_heads + h) * w;
        cpu_gemm(false, false, m, w, m, gate, used, m, v, ld, false,
                 a->ctx[p] + (ptrdiff_t)s * a->ld_ctx[p] + (ptrdiff_t)h * w, a->ld_ctx[p]);
    }
}

void cpu_attention_fwd(const AttentionArgs *a)
{
    for (int b = 0; b < a->n_sent; b++) {
        bool brief = is_short(a, a->start[b + 1] - a->start[b]);
        for (int h = 0; h < a->n_heads; h++)
            if (brief) short_block(a, h, b);
            else long_block(a, h, b);
    }
}

/* dS = A * (dA - rowsum(dA * A)), in place of dA. */
static void softmax_bwd_block(Real *da, const Real *probs, int m)
{
    for (int i = 0; i < m; i++, da += m, probs += m) {
        Real dot = (Real)dot_of(da, probs, m);
        for (int j = 0; j < m; j++) da[j] = probs[j] * (da[j] - dot);
    }
}

static double blocks_dot(const Real *x, const Real *y, int m)
{
    double sum = 0;
    for (int i = 0; i < m; i++, x += m, y += m) sum += dot_of(x, y, m);
    return sum;
}

void cpu_attention_bwd(const AttentionArgs *a)
{
    long longest2 = (long)a->longest * a->longest;
    Real *dropped = a->scratch, *da = a->scratch + longest2;
    Real inv = (Real)(1 / a->scale);
    for (int b = 0; b < a->n_sent; b++) {
        int s = a->start[b], m = a->start[b + 1] - s;
        long mm = (long)m * m;
        for (int h = 0; h < a->n_heads; h++) {
            const Real *probs = a->probs + block_of(a, h, b), *used = probs;
            Real gate = a->gates ? a->gates[h] : 1;
            memset(da, 0, (size_t)mm * sizeof *da);
            if (a->dctx[0]) {
                if (a->drop.p > 0) {
                    drop_block(a, dropped, probs, h, b, m);
                    used = dropped;
                }
                for (int p = 0; p < a->n_parts; p++) {
                    int w = a->width[p], ld = a->ld_qkv[p];
                    ptrdiff_t v = (ptrdiff_t)s * ld + (ptrdiff_t)(2 * a->n_heads + h) * w;
                    const Real *dc = a->dctx[p] + (ptrdiff_t)s * a->ld_ctx[p] + (ptrdiff_t)h * w;
                    cpu_gemm(false, true, m, m, w, 1, dc, a->ld_ctx[p], a->qkv[p] + v, ld, p > 0, da, m);
                    if (a->dqkv[p])
                        cpu_gemm(true, false, m, w, m, gate, used, m, dc, a->ld_ctx[p], true, a->dqkv[p] + v, ld);
                }
                /* of the context without its gate, which may be 0 */
                if (a->dgates) a->dgates[h] += (Real)blocks_dot(used, da, m);
                if (gate != 1) cpu_scale(da, m, da, m, m, m, gate);
                if (a->drop.p > 0) drop_block(a, da, da, h, b, m);
            }
            if (a->dprobs) cpu_add(da, m, a->dprobs + block_of(a, h, b), m, m, m);
            softmax_bwd_block(da, probs, m);
            if (a->dbias && a->slot_of_head[h] >= 0)
                cpu_add(a->dbias + (long)a->slot_of_head[h] * a->pair_start[a->n_sent] + a->pair_start[b], m, da, m, m,
                        m);
            for (int p = 0; p < a->n_parts; p++) {
                if (!a->dqkv[p] || is_fixed(a, h)) continue;
                int w = a->width[p], ld = a->ld_qkv[p];
                ptrdiff_t q = (ptrdiff_t)s * ld + (ptrdiff_t)h * w, k = q + (ptrdiff_t)a->n_heads * w;
                cpu_gemm(false, false, m, w, m, inv, da, m, a->qkv[p] + k, ld, true, a->dqkv[p] + q, ld);
                cpu_gemm(true, false, m, w, m, inv, da, m, a->qkv[p] + q, ld, true, a->dqkv[p] + k, ld);
            }
        }
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
