/* Multi-head attention and label attention. */
#include "tensor/node_attrs.h"

static AttentionArgs with_gradients(Tape *t, const Node *nd)
{
    AttentionArgs a = *(const AttentionArgs *)nd->attr;
    const Real *dctx = tape_grad_of(nd->out[0]);
    int column = 0;
    for (int p = 0; p < a.n_parts; p++) {
        a.dq[p] = tape_grad(t, nd->in[QUERIES + p]);
        a.dkv[p] = tape_grad(t, nd->in[KEYS + p]);
        a.dctx[p] = dctx ? dctx + column : NULL;
        column += a.n_heads * a.width[p];
    }
    return a;
}

static void attention_backward(Tape *t, const Node *nd)
{
    const Tensor *probs = nd->out[1];
    AttentionArgs a = with_gradients(t, nd);
    a.dprobs = probs ? tape_grad_of(probs) : NULL;
    if (nd->in[BIAS]) a.dbias = tape_grad(t, nd->in[BIAS]);
    if (nd->in[GATES]) a.dgates = tape_grad(t, nd->in[GATES]);
    if (tape_status(t) == OK) tape_run(t, nd->op->name, attention_bwd, &a);
}

static void attention_relevance(Tape *t, const Node *nd)
{
    AttentionArgs a = with_gradients(t, nd);
    if (tape_status(t) == OK) tape_run(t, nd->op->name, attention_relevance, &a);
}

static const OpDesc ATTENTION = { "attention", attention_backward, attention_relevance };

static int tokens_of(const Batch *batch, int b) { return batch->start[b + 1] - batch->start[b]; }

long attention_mask_words(const Batch *batch)
{
    long words = 0;
    for (int b = 0; b < batch->n_sent; b++)
        words += (long)tokens_of(batch, b) * attention_mask_row(tokens_of(batch, b));
    return words;
}

long *op_attention_pairs(Tape *tape, const Batch *queries, const Batch *keys)
{
    long *start = tape_host(tape, (size_t)queries->n_sent + 1, sizeof *start);
    if (!start) return NULL;
    start[0] = 0;
    for (int b = 0; b < queries->n_sent; b++)
        start[b + 1] = start[b] + (long)tokens_of(queries, b) * tokens_of(keys, b);
    return start;
}

/* The mask and the fixed heads of spec in a. */
static bool take_mask(Tape *t, const AttentionSpec *spec, const Batch *queries, const Batch *keys, AttentionArgs *a)
{
    int heads = spec->n_heads, n_sent = queries->n_sent;
    if (spec->fixed) a->fixed = tape_upload(t, spec->fixed, (size_t)heads, sizeof(int));
    if (!spec->mask || !spec->mask_of_head) return true;
    long *start = tape_host(t, (size_t)n_sent + 1, sizeof *start);
    if (!start) return false;
    start[0] = 0;
    for (int b = 0; b < n_sent; b++)
        start[b + 1] = start[b] + (long)tokens_of(queries, b) * attention_mask_row(tokens_of(keys, b));
    long words = start[n_sent];
    for (int h = 0; h < heads; h++)
        if (spec->mask_of_head[h] >= spec->mask->slots || spec->mask->words != words) {
            tape_fail(t, ERR_RANGE, "attention: mask of %d slots and %ld words for slot %d and %ld words",
                      spec->mask->slots, spec->mask->words, spec->mask_of_head[h], words);
            return false;
        }
    a->mask = tape_upload(t, spec->mask->bits, (size_t)(spec->mask->slots * words), sizeof(uint64_t));
    a->mask_words = words;
    a->mask_start = tape_upload(t, start, (size_t)n_sent, sizeof *start);
    a->mask_of_head = tape_upload(t, spec->mask_of_head, (size_t)heads, sizeof(int));
    return true;
}

/* Do the bias and the gates of spec fit, where there are `pairs` pairs of query and key? */
static bool fits(Tape *t, const AttentionSpec *spec, long pairs)
{
    int heads = spec->n_heads;
    const Tensor *bias = spec->bias;
    for (int h = 0; bias && h < heads; h++)
        if (spec->slot_of_head[h] >= bias->rows || bias->cols != pairs || bias->ld != bias->cols)
            tape_fail(t, ERR_RANGE, "attention: bias is [%d, %d] for slot %d and %ld pairs", bias->rows, bias->cols,
                      spec->slot_of_head[h], pairs);
    if (spec->gates && (int)tensor_size(spec->gates) != heads)
        tape_fail(t, ERR_RANGE, "attention: %zu gates for %d heads", tensor_size(spec->gates), heads);
    return tape_status(t) == OK;
}

/* The parts side by side, in and out. */
static void take_parts(Node *nd, Tensor *const *q, Tensor *const *kv, const Tensor *ctx, AttentionArgs *a)
{
    int column = 0;
    for (int p = 0; p < a->n_parts; p++) {
        a->width[p] = q[p]->cols / a->n_heads;
        a->q[p] = q[p]->data;
        a->ld_q[p] = q[p]->ld;
        a->kv[p] = kv[p]->data;
        a->ld_kv[p] = kv[p]->ld;
        a->ctx[p] = ctx->data + column;
        a->ld_ctx[p] = ctx->ld;
        column += q[p]->cols;
        nd->in[QUERIES + p] = q[p];
        nd->in[KEYS + p] = kv[p];
    }
}

static void take_bias_and_gates(Tape *t, Node *nd, const AttentionSpec *spec, AttentionArgs *a)
{
    if (spec->bias) {
        a->bias = spec->bias->data;
        a->slot_of_head = tape_upload(t, spec->slot_of_head, (size_t)spec->n_heads, sizeof(int));
        nd->in[BIAS] = spec->bias;
    }
    if (spec->gates) {
        a->gates = spec->gates->data;
        nd->in[GATES] = spec->gates;
    }
}

/* Attention of queries q[p] to keys and values kv[p], whose shapes fit each other and the batches. */
static Tensor *attend(Tape *t, Tensor *const *q, Tensor *const *kv, const AttentionSpec *spec, const Batch *queries,
                      const Batch *keys, Tensor **probs)
{
    size_t starts = (size_t)queries->n_sent + 1;
    const long *pair_start = op_attention_pairs(t, queries, keys);
    if (!pair_start || !fits(t, spec, pair_start[queries->n_sent])) return NULL;
    long width = 0;
    for (int p = 0; p < spec->n_parts; p++) width += q[p]->cols;
    Tensor *ctx = tape_new(t, queries->n_tokens, width), *pr = NULL;
    const AttentionArgs args = { .n_heads = spec->n_heads,
                                 .n_parts = spec->n_parts,
                                 .scale = spec->scale,
                                 .n_sent = queries->n_sent,
                                 .longest = queries->longest,
                                 .longest_keys = keys->longest,
                                 .start = tape_upload(t, queries->start, starts, sizeof(int)),
                                 .pair_start = tape_upload(t, pair_start, starts, sizeof *pair_start),
                                 .causal = spec->causal };
    Node *nd = tape_record(t, &ATTENTION, ctx, &args, sizeof args, NULL);
    if (!nd) return NULL;
    AttentionArgs *a = nd->attr;
    a->key_start = keys == queries ? a->start : tape_upload(t, keys->start, starts, sizeof(int));
    take_parts(nd, q, kv, ctx, a);
    take_bias_and_gates(t, nd, spec, a);
    if (!take_mask(t, spec, queries, keys, a)) return NULL;
    if (t->training && spec->dropout > 0) a->drop = (Drop){ spec->dropout, tape_next_key(t), NULL };
    a->scratch = tape_scratch(t, 2 * (size_t)a->longest * (size_t)a->longest_keys, sizeof(Real));
    if (t->recording || probs) {
        pr = tape_new(t, spec->n_heads, pair_start[queries->n_sent]);
        if (!pr) return NULL;
        a->probs = pr->data;
        node_output(nd, 1, pr);
    }
    if (probs) *probs = pr;
    if (tape_status(t) != OK) return NULL;
    tape_run(t, ATTENTION.name, attention_fwd, a);
    return tape_done(t, ctx);
}

Tensor *op_attention(Tape *tape, Tensor *const *qkv, const AttentionSpec *spec, const Batch *batch, Tensor **probs)
{
    int parts = spec->n_parts, heads = spec->n_heads;
    Tensor *q[MAX_PARTS], *kv[MAX_PARTS];
    if (parts < 1 || parts > MAX_PARTS) return tape_fail(tape, ERR_RANGE, "attention: %d parts", parts);
    for (int p = 0; p < parts; p++) {
        if (!qkv[p]) return NULL;
        if (qkv[p]->cols % (3 * heads) || qkv[p]->rows != batch->n_tokens)
            return tape_fail(tape, ERR_RANGE, "attention: part %d is [%d, %d] for %d heads, %d tokens", p, qkv[p]->rows,
                             qkv[p]->cols, heads, batch->n_tokens);
        int width = qkv[p]->cols / 3;
        q[p] = tape_columns(tape, qkv[p], 0, width);
        kv[p] = tape_columns(tape, qkv[p], width, 2 * width);
        if (!q[p] || !kv[p]) return NULL;
    }
    return attend(tape, q, kv, spec, batch, batch, probs);
}

Tensor *op_cross_attention(Tape *tape, Tensor *q, Tensor *kv, const AttentionSpec *spec, const Batch *queries,
                           const Batch *keys, Tensor **probs)
{
    int heads = spec->n_heads;
    if (!q || !kv) return NULL;
    if (spec->n_parts != 1) return tape_fail(tape, ERR_RANGE, "attention: %d parts, expected 1", spec->n_parts);
    if (queries->n_sent != keys->n_sent)
        return tape_fail(tape, ERR_RANGE, "attention: queries of %d sentences, keys of %d", queries->n_sent,
                         keys->n_sent);
    if (q->cols % heads || kv->cols != 2L * q->cols || q->rows != queries->n_tokens || kv->rows != keys->n_tokens)
        return tape_fail(tape, ERR_RANGE,
                         "attention: queries [%d, %d], keys and values [%d, %d] for %d heads, %d and %d "
                         "tokens",
                         q->rows, q->cols, kv->rows, kv->cols, heads, queries->n_tokens, keys->n_tokens);
    return attend(tape, &q, &kv, spec, queries, keys, probs);
}

/* ---- label attention */

static void label_query_backward(Tape *t, const Node *nd)
{
    const Tensor *u = nd->out[0];
    Tensor *k = nd->in[0], *q = nd->in[1];
    Real *dk = tape_grad(t, k), *dq = tape_grad(t, q);
    if (tape_status(t) == OK)
        tape_run(t, nd->op->name, label_query_bwd, tape_grad_of(u), u->ld, k->data, q->data, dk, dq, q->rows, u->cols,
                 q->cols);
}

static const OpDesc LABEL_QUERY = { "label_query", label_query_backward, tape_no_relevance };

Tensor *op_label_query_into(Tape *tape, Tensor *u, Tensor *k, Tensor *q)
{
    if (!u || !k || !q) return NULL;
    if (k->rows != (long)q->rows * u->cols || k->cols != q->cols || u->rows != q->rows)
        return tape_fail(tape, ERR_RANGE, "label_query: keys [%d, %d], queries [%d, %d]", k->rows, k->cols, q->rows,
                         q->cols);
    if (k->ld != k->cols || q->ld != q->cols) return tape_fail(tape, ERR_RANGE, "label_query: not contiguous");
    if (!tape_record(tape, &LABEL_QUERY, u, NULL, 0, k, q)) return NULL;
    tape_run(tape, LABEL_QUERY.name, label_query_fwd, u->data, u->ld, tensor_weight(k), tensor_weight(q));
    return tape_done(tape, u);
}

typedef struct WeightsAttr {
    double scale;
    int n_sent;
    const int *start;
} WeightsAttr;

static void label_weights_backward(Tape *t, const Node *nd)
{
    const WeightsAttr *at = nd->attr;
    const char *who = nd->op->name;
    Tensor *x = nd->in[0], *u = nd->in[1], *probs = nd->out[0];
    int heads = u->rows, d = x->cols, tokens = x->rows;
    Real *dx = tape_grad(t, x), *du = tape_grad(t, u), *dp = tape_scratch(t, tensor_size(probs), sizeof *dp);
    if (!dp || tape_status(t) != OK) return;
    tape_run(t, who, scale, dp, heads, tape_grad_of(probs), heads, tokens, heads, 1);
    tape_run(t, who, segment_softmax_bwd, dp, probs->data, heads, at->start, at->n_sent, at->scale);
    if (dx) tape_run(t, who, gemm, false, false, tokens, d, heads, 1, dp, heads, u->data, u->ld, 1, dx, x->ld);
    if (du) tape_run(t, who, gemm, true, false, heads, d, tokens, 1, dp, heads, x->data, x->ld, 1, du, u->ld);
}

static const OpDesc LABEL_WEIGHTS = { "label_weights", label_weights_backward, tape_no_relevance };

Tensor *op_label_weights(Tape *tape, Tensor *x, Tensor *u, const LabelAttentionSpec *spec, const Batch *batch)
{
    const char *who = LABEL_WEIGHTS.name;
    if (!x || !u) return NULL;
    if (x->cols != u->cols || x->rows != batch->n_tokens)
        return tape_fail(tape, ERR_RANGE, "label_weights: x [%d, %d], u [%d, %d]", x->rows, x->cols, u->rows, u->cols);
    int heads = u->rows;
    for (int h = 0; spec->keys && h < heads; h++)
        if (spec->keys_of_head[h] >= KEY_SLOTS_MOST)
            return tape_fail(tape, ERR_RANGE, "label_weights: slot %d of keys", spec->keys_of_head[h]);
    Tensor *p = tape_new(tape, batch->n_tokens, heads);
    const WeightsAttr at = { 1 / spec->scale, batch->n_sent,
                             tape_upload(tape, batch->start, (size_t)batch->n_sent + 1, sizeof(int)) };
    if (!tape_record(tape, &LABEL_WEIGHTS, p, &at, sizeof at, x, u)) return NULL;
    tape_run(tape, who, gemm, false, true, x->rows, heads, x->cols, 1, x->data, x->ld, u->data, u->ld, 0, p->data,
             heads);
    if (spec->keys)
        tape_run(tape, who, mask_keys, p->data, heads, x->rows,
                 tape_upload(tape, spec->keys, (size_t)x->rows, sizeof *spec->keys),
                 tape_upload(tape, spec->keys_of_head, (size_t)heads, sizeof(int)));
    tape_run(tape, who, segment_softmax_fwd, p->data, heads, at.start, at.n_sent, at.scale);
    return tape_done(tape, p);
}

/* dx += p dz within sentences */
static void add_values(Tape *t, const Node *nd, const Real *dz, Real *dx)
{
    const MeansAttr *at = nd->attr;
    const Tensor *p = nd->in[0], *x = nd->in[1];
    int heads = p->cols, d = x->cols;
    for (int b = 0; b < at->n_sent; b++) {
        int s = at->start[b], m = at->start[b + 1] - s;
        tape_run(t, nd->op->name, gemm, false, false, m, d, heads, 1, tensor_row(p, s), p->ld,
                 dz + (ptrdiff_t)b * heads * d, d, 1, dx + (ptrdiff_t)s * x->ld, x->ld);
    }
}

static void label_means_backward(Tape *t, const Node *nd)
{
    const MeansAttr *at = nd->attr;
    Tensor *p = nd->in[0], *x = nd->in[1];
    int heads = p->cols, d = x->cols;
    const Real *dz = tape_grad_of(nd->out[0]);
    Real *dp = tape_grad(t, p), *dx = tape_grad(t, x);
    if (tape_status(t) != OK) return;
    for (int b = 0; dp && b < at->n_sent; b++) {
        int s = at->start[b], m = at->start[b + 1] - s;
        tape_run(t, nd->op->name, gemm, false, true, m, heads, d, 1, tensor_row(x, s), x->ld,
                 dz + (ptrdiff_t)b * heads * d, d, 1, dp + (ptrdiff_t)s * p->ld, p->ld);
    }
    if (dx) add_values(t, nd, dz, dx);
}

/* x through the weighted sum alone. */
static void label_means_relevance(Tape *t, const Node *nd)
{
    Real *dx = tape_grad(t, nd->in[1]);
    if (dx) add_values(t, nd, tape_grad_of(nd->out[0]), dx);
}

static const OpDesc LABEL_MEANS = { "label_means", label_means_backward, label_means_relevance };

/* z[b * heads + h] = sum over the tokens t of sentence b of p[t, h] x_t */
static Tensor *label_means(Tape *tape, Tensor *p, Tensor *x, const Batch *batch)
{
    if (!p || !x) return NULL;
    int heads = p->cols, d = x->cols;
    Tensor *z = tape_new(tape, (long)batch->n_sent * heads, d);
    const MeansAttr at = { batch->n_sent, tape_keep(tape, batch->start, (size_t)batch->n_sent + 1, sizeof(int)) };
    if (!tape_record(tape, &LABEL_MEANS, z, &at, sizeof at, p, x)) return NULL;
    for (int b = 0; b < batch->n_sent; b++) {
        int s = batch->start[b], m = batch->start[b + 1] - s;
        tape_run(tape, LABEL_MEANS.name, gemm, true, false, heads, d, m, 1, tensor_row(p, s), p->ld, tensor_row(x, s),
                 x->ld, 0, z->data + (ptrdiff_t)b * heads * d, d);
    }
    return tape_done(tape, z);
}

Tensor *op_label_attention(Tape *tape, Tensor *x, Tensor *u, const LabelAttentionSpec *spec, const Batch *batch,
                           Tensor **probs)
{
    Tensor *p = op_label_weights(tape, x, u, spec, batch);
    if (probs) *probs = p;
    return label_means(tape, op_dropout(tape, p, spec->dropout, NULL), x, batch);
}

/* ---- attention inside phrases */

/* Gradients of the values and, unless dp is NULL, of the weights. */
static void sums_gradients(Tape *t, const Node *nd, Real *dp)
{
    const SumsAttr *at = nd->attr;
    const Tensor *p = nd->in[0], *v = nd->in[1];
    Real *dv = tape_grad(t, nd->in[1]), *running = tape_scratch(t, (size_t)v->cols, sizeof *running);
    if (running && tape_status(t) == OK)
        tape_run(t, nd->op->name, phrase_sums_bwd, dp, dv, tape_grad_of(nd->out[0]), p->data, v->data, at->start,
                 at->n_sent, p->cols, v->cols / p->cols, at->scale, running);
}

static void phrase_sums_backward(Tape *t, const Node *nd) { sums_gradients(t, nd, tape_grad(t, nd->in[0])); }

static void phrase_sums_relevance(Tape *t, const Node *nd) { sums_gradients(t, nd, NULL); }

static const OpDesc PHRASE_SUMS = { "phrase_sums", phrase_sums_backward, phrase_sums_relevance };

Tensor *op_phrase_sums(Tape *tape, Tensor *probs, Tensor *values, double scale, const Batch *batch)
{
    if (!probs || !values) return NULL;
    if (probs->rows != batch->n_tokens || values->rows != probs->rows || values->cols % probs->cols ||
        probs->ld != probs->cols || values->ld != values->cols || values->cols > (long)probs->cols * PHRASE_VALUES_MOST)
        return tape_fail(tape, ERR_RANGE, "phrase_sums: weights [%d, %d], values [%d, %d]", probs->rows, probs->cols,
                         values->rows, values->cols);
    Tensor *y = tape_new(tape, values->rows - batch->n_sent, values->cols);
    const SumsAttr at = { scale, batch->n_sent,
                          tape_upload(tape, batch->start, (size_t)batch->n_sent + 1, sizeof(int)) };
    if (!tape_record(tape, &PHRASE_SUMS, y, &at, sizeof at, probs, values)) return NULL;
    tape_run(tape, PHRASE_SUMS.name, phrase_sums_fwd, y->data, probs->data, values->data, at.start, at.n_sent,
             probs->cols, values->cols / probs->cols, scale);
    return tape_done(tape, y);
}

typedef struct DotsAttr {
    int heads;
    double scale;
} DotsAttr;

static void head_dots_backward(Tape *t, const Node *nd)
{
    const DotsAttr *at = nd->attr;
    Tensor *a = nd->in[0], *b = nd->in[1];
    Real *da = tape_grad(t, a), *db = tape_grad(t, b);
    if (tape_status(t) == OK)
        tape_run(t, nd->op->name, head_dots_bwd, da, db, tape_grad_of(nd->out[0]), a->data, b->data, a->rows, at->heads,
                 a->cols / at->heads, at->scale);
}

static const OpDesc HEAD_DOTS = { "head_dots", head_dots_backward, NULL };

Tensor *op_head_dots(Tape *tape, Tensor *a, Tensor *b, int heads, double scale)
{
    if (!a || !b) return NULL;
    if (a->rows != b->rows || a->cols != b->cols || a->ld != a->cols || b->ld != b->cols || a->cols % heads)
        return tape_fail(tape, ERR_RANGE, "head_dots: [%d, %d] and [%d, %d], %d heads", a->rows, a->cols, b->rows,
                         b->cols, heads);
    const DotsAttr at = { heads, scale };
    Tensor *y = tape_new(tape, a->rows, heads);
    if (!tape_record(tape, &HEAD_DOTS, y, &at, sizeof at, a, b)) return NULL;
    tape_run(tape, HEAD_DOTS.name, head_dots_fwd, y->data, a->data, b->data, a->rows, heads, a->cols / heads, scale);
    return tape_done(tape, y);
}

static void head_linear_backward(Tape *t, const Node *nd)
{
    Tensor *y = nd->out[0], *z = nd->in[0], *v = nd->in[1];
    int heads = ((const HeadsAttr *)nd->attr)->heads, n = z->rows / heads, in = z->cols, out = y->cols;
    const Real *dy = tape_grad_of(y);
    Real *dz = tape_grad(t, z), *dv = tape_grad(t, v);
    for (int h = 0; h < heads; h++) {
        const Real *dyh = dy + (ptrdiff_t)h * y->ld, *zh = tensor_row(z, h), *vh = tensor_row(v, h * in);
        if (dz)
            tape_run(t, nd->op->name, gemm, false, true, n, in, out, 1, dyh, heads * y->ld, vh, v->ld, 1,
                     dz + (ptrdiff_t)h * z->ld, heads * z->ld);
        if (dv)
            tape_run(t, nd->op->name, gemm, true, false, in, out, n, 1, zh, heads * z->ld, dyh, heads * y->ld, 1,
                     dv + (ptrdiff_t)h * in * v->ld, v->ld);
    }
}

static const OpDesc HEAD_LINEAR = { "head_linear", head_linear_backward, NULL };

Tensor *op_head_linear_into(Tape *tape, Tensor *y, Tensor *z, Tensor *v, int heads)
{
    if (!y || !z || !v) return NULL;
    if (heads < 1 || v->rows != (long)heads * z->cols || v->cols != y->cols || z->rows % heads || y->rows != z->rows)
        return tape_fail(tape, ERR_RANGE, "head_linear: z [%d, %d], v [%d, %d], %d heads", z->rows, z->cols, v->rows,
                         v->cols, heads);
    if (!tape_record(tape, &HEAD_LINEAR, y, &(HeadsAttr){ heads }, sizeof(HeadsAttr), z, v)) return NULL;
    tape_run(tape, HEAD_LINEAR.name, head_linear, y->data, y->ld, z->data, z->ld, z->rows / heads, heads,
             tensor_weight(v));
    return tape_done(tape, y);
}

static void label_norm_backward(Tape *t, const Node *nd)
{
    const LabelNormAttr *at = nd->attr;
    Tensor *r = nd->in[0], *delta = nd->in[1], *a = nd->in[2], *b = nd->in[3];
    Real *dr = tape_grad(t, r), *ddelta = tape_grad(t, delta), *da = tape_grad(t, a), *db = tape_grad(t, b);
    if (tape_status(t) == OK)
        tape_run(t, nd->op->name, label_norm_bwd, dr, ddelta, da, db, tape_grad_of(nd->out[0]), r->data, delta->data,
                 at->first, a->data, at->mean, at->inv, r->rows, at->heads, r->cols, at->eps);
}

static void label_norm_relevance(Tape *t, const Node *nd)
{
    const LabelNormAttr *at = nd->attr;
    Tensor *r = nd->in[0], *delta = nd->in[1];
    Real *dr = tape_grad(t, r), *ddelta = tape_grad(t, delta);
    if (tape_status(t) == OK)
        tape_run(t, nd->op->name, label_norm_relevance, dr, ddelta, tape_grad_of(nd->out[0]), at->first,
                 nd->in[2]->data, nd->in[3]->data, at->inv, r->rows, at->heads, r->cols, t->part);
}

static const OpDesc LABEL_NORM = { "label_norm", label_norm_backward, label_norm_relevance };

Tensor *op_label_norm(Tape *tape, Tensor *r, Tensor *delta, const int *first, int heads, Tensor *a, Tensor *b,
                      double eps)
{
    if (!r || !delta || !a || !b) return NULL;
    if (delta->cols != r->cols || a->cols != r->cols || r->ld != r->cols || delta->ld != delta->cols)
        return tape_fail(tape, ERR_RANGE, "label_norm: r [%d, %d], delta [%d, %d]", r->rows, r->cols, delta->rows,
                         delta->cols);
    for (int k = 0; k < r->rows; k++)
        if (first[k] < 0 || first[k] + heads > delta->rows)
            return tape_fail(tape, ERR_RANGE, "label_norm: row %d of %d", first[k], delta->rows);
    for (int k = 1; k < r->rows; k++)
        if (first[k] != first[k - 1] && first[k] - heads < first[k - 1])
            return tape_fail(tape, ERR_RANGE, "label_norm: row %d after row %d, expected the same or %d more", first[k],
                             first[k - 1], heads);
    Tensor *y = tape_new(tape, r->rows, (long)heads * r->cols);
    size_t n = (size_t)r->rows * (size_t)heads;
    const LabelNormAttr at = { heads, eps, tape_upload(tape, first, (size_t)r->rows, sizeof *first),
                               tape_scratch(tape, n, sizeof(Real)), tape_scratch(tape, n, sizeof(Real)) };
    if (!tape_record(tape, &LABEL_NORM, y, &at, sizeof at, r, delta, a, b)) return NULL;
    tape_run(tape, LABEL_NORM.name, label_norm_fwd, y->data, r->data, delta->data, at.first, a->data, b->data, at.mean,
             at.inv, r->rows, heads, r->cols, eps);
    return tape_done(tape, y);
}
