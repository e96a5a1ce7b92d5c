/* Each op with a rule of its own has a function that fills `fresh`, what its inputs get, which is
 * then rescaled and added */
#include "tensor/share.h"

#include <math.h>
#include <string.h>

#include "tensor/node_attrs.h"

/* What an output gives to each unit of a positive and of a negative impact. */
typedef struct Split {
    double up, down;
} Split;

static Split split_of(double relevance, double positive, double negative)
{
    return (Split){ SHARE_POSITIVE * relevance / (positive + SHARE_EPSILON),
                    SHARE_NEGATIVE * relevance / (negative - SHARE_EPSILON) };
}

static double taken(Split s, double impact) { return impact * (impact > 0 ? s.up : s.down); }

/* The impacts on an output. */
typedef struct Impacts {
    double positive, negative;
} Impacts;

static void count(Impacts *sums, double impact)
{
    sums->positive += impact > 0 ? impact : 0;
    sums->negative += impact > 0 ? 0 : impact;
}

static Split divided(double relevance, const Impacts *sums)
{
    return split_of(relevance, sums->positive, sums->negative);
}

static double absolute(const Real *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs((double)x[i]);
    return sum;
}

static double absolute_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fabs(x[i]);
    return sum;
}

static double rescaled(double before, double after) { return after > 0 ? before / after : 0; }

/* to += factor fresh; to may be NULL. */
static void add(Real *to, const double *fresh, int n, double factor)
{
    for (int i = 0; to && i < n; i++) to[i] += (Real)(factor * fresh[i]);
}

static double *zeros(Tape *t, size_t n)
{
    double *x = tape_scratch(t, n, sizeof *x);
    return x ? memset(x, 0, n * sizeof *x) : NULL;
}

static const Real *at_row(const Real *x, const Tensor *like, int r) { return x + (ptrdiff_t)r * like->ld; }

/* ---- linear maps */

/* Weight of input i on output j: w[i * of_input + j * of_output]. */
typedef struct Weights {
    const Real *w, *bias;
    ptrdiff_t of_input, of_output;
    int in, out;
} Weights;

/* What is needed for a row: [in] what it gets, [out] biases by input, sums of impacts and splits. */
typedef struct RowMemory {
    double *fresh, *each;
    Impacts *sums;
    Split *splits;
} RowMemory;

/* Adds to `to` [in] what a row x gets of r [out]. */
static void share_row(const Weights *w, const Real *x, const Real *r, Real *to, const RowMemory *m)
{
    memset(m->sums, 0, (size_t)w->out * sizeof *m->sums);
    for (int i = 0; i < w->in; i++) {
        const Real *row = w->w + i * w->of_input;
        for (int j = 0; j < w->out; j++) count(&m->sums[j], (double)x[i] * (double)row[j * w->of_output] + m->each[j]);
    }
    for (int j = 0; j < w->out; j++) m->splits[j] = divided((double)r[j], &m->sums[j]);
    for (int i = 0; i < w->in; i++) {
        const Real *row = w->w + i * w->of_input;
        double sum = 0;
        for (int j = 0; j < w->out; j++)
            sum += taken(m->splits[j], (double)x[i] * (double)row[j * w->of_output] + m->each[j]);
        m->fresh[i] = sum;
    }
    add(to, m->fresh, w->in, rescaled(absolute(r, w->out), absolute_of(m->fresh, (size_t)w->in)));
}

/* Rows first, first + step, ... of x and y. */
static void share_rows(Tape *t, const Weights *w, Tensor *x, const Tensor *y, int first, int step)
{
    Real *to = tape_grad(t, x);
    const Real *r = tape_grad_of(y);
    const RowMemory m = { zeros(t, (size_t)w->in), zeros(t, (size_t)w->out),
                          tape_scratch(t, (size_t)w->out, sizeof *m.sums),
                          tape_scratch(t, (size_t)w->out, sizeof *m.splits) };
    if (!to || tape_status(t) != OK) return;
    for (int j = 0; j < w->out && w->bias; j++) m.each[j] = (double)w->bias[j] / w->in;
    for (int k = first; k < y->rows; k += step)
        if (absolute(at_row(r, y, k), y->cols) > 0)
            share_row(w, tensor_row(x, k), at_row(r, y, k), to + (ptrdiff_t)k * x->ld, &m);
}

static void share_linear(Tape *t, const Node *nd)
{
    const Tensor *w = nd->in[1], *bias = nd->in[2];
    const Weights weights = { w->data, bias ? bias->data : NULL, w->ld, 1, w->rows, w->cols };
    share_rows(t, &weights, nd->in[0], nd->out[0], 0, 1);
}

static void share_row_products(Tape *t, const Node *nd)
{
    const Tensor *table = nd->in[1];
    const Weights weights = { table->data, NULL, 1, table->ld, table->cols, table->rows };
    share_rows(t, &weights, nd->in[0], nd->out[0], 0, 1);
}

static void share_head_linear(Tape *t, const Node *nd)
{
    const Tensor *v = nd->in[1], *z = nd->in[0];
    int heads = ((const HeadsAttr *)nd->attr)->heads;
    for (int h = 0; h < heads; h++) {
        const Weights weights = { tensor_row(v, h * z->cols), NULL, v->ld, 1, z->cols, v->cols };
        share_rows(t, &weights, nd->in[0], nd->out[0], h, heads);
    }
}

/* ---- sums */

/* Terms of a sum over n columns, with a constant beside them: what each gets of r [n] is added to to[k], if it is not
 * NULL. fresh [terms * n] */
static void share_terms(const Real *const *term, const double *sign, int terms, const Real *bias, const Real *r, int n,
                        Real *const *to, double *fresh)
{
    for (int c = 0; c < n; c++) {
        Impacts sums = { 0, 0 };
        double impact[MAX_EMBED_TERMS];
        for (int k = 0; k < terms; k++) {
            impact[k] = sign[k] * (double)term[k][c] + (bias ? (double)bias[c] / terms : 0);
            count(&sums, impact[k]);
        }
        const Split s = divided((double)r[c], &sums);
        for (int k = 0; k < terms; k++) fresh[(ptrdiff_t)k * n + c] = taken(s, impact[k]);
    }
    double factor = rescaled(absolute(r, n), absolute_of(fresh, (size_t)terms * (size_t)n));
    for (int k = 0; k < terms; k++) add(to[k], fresh + (ptrdiff_t)k * n, n, factor);
}

static void share_embed(Tape *t, const Node *nd)
{
    double plus[MAX_EMBED_TERMS];
    const EmbedArgs *a = nd->attr;
    const Tensor *y = nd->out[0];
    const Real *r = tape_grad_of(y), *term[MAX_EMBED_TERMS];
    Real *grad[MAX_EMBED_TERMS], *to[MAX_EMBED_TERMS];
    double *fresh = zeros(t, (size_t)a->n * (size_t)y->cols);
    for (int k = 0; k < a->n; k++) plus[k] = 1, grad[k] = tape_grad(t, nd->in[k]);
    for (int row = 0; fresh && tape_status(t) == OK && row < y->rows; row++) {
        for (int k = 0; k < a->n; k++) {
            ptrdiff_t at = (ptrdiff_t)(a->term[k].index ? a->term[k].index[row] : row) * a->term[k].ld;
            term[k] = a->term[k].table + at;
            to[k] = grad[k] ? grad[k] + at : NULL;
        }
        share_terms(term, plus, a->n, NULL, at_row(r, y, row), y->cols, to, fresh);
    }
}

static void share_span_diff(Tape *t, const Node *nd)
{
    static const double signs[] = { -1, 1 };
    const int *spans = ((const SpanAttr *)nd->attr)->spans;
    const Tensor *y = nd->out[0], *bias = nd->in[1];
    Tensor *g = nd->in[0];
    const Real *r = tape_grad_of(y);
    Real *grad = tape_grad(t, g);
    double *fresh = zeros(t, 2 * (size_t)y->cols);
    for (int k = 0; grad && fresh && k < y->rows; k++, spans += 2) {
        const Real *const term[] = { tensor_row(g, spans[0]), tensor_row(g, spans[1]) };
        Real *const to[] = { grad + (ptrdiff_t)spans[0] * g->ld, grad + (ptrdiff_t)spans[1] * g->ld };
        share_terms(term, signs, 2, bias ? bias->data : NULL, at_row(r, y, k), y->cols, to, fresh);
    }
}

/* ---- norms */

typedef struct NormRow {
    const Real *a, *b;
    double mean, inv;
    NormKind kind;
    double eps;
    int n;
} NormRow;

/* Row s [n] before the norm gets of r: out [n]. J_ij = a_i inv (d_ij - 1/n - g s^_i s^_j), s^ the normalised row. */
static void share_norm_row(const NormRow *w, const Real *s, const Real *r, double *fresh, Real *out)
{
    int n = w->n;
    double rest = 1 - w->eps * w->inv, /* the deviation times inv, where eps is added to it */
        g = w->kind == NORM_VARIANCE ? 1. / n
            : rest > 0               ? 1 / ((n - 1) * rest)
                                     : 0;
    memset(fresh, 0, (size_t)n * sizeof *fresh);
    for (int i = 0; i < n; i++) {
        double si = ((double)s[i] - w->mean) * w->inv, scale = (double)w->a[i] * w->inv, each = (double)w->b[i] / n;
        Impacts sums = { 0, 0 };
        if (r[i] == 0) continue;
        for (int pass = 0; pass < 2; pass++) {
            const Split split = divided((double)r[i], &sums);
            for (int j = 0; j < n; j++) {
                double sj = ((double)s[j] - w->mean) * w->inv,
                       impact = scale * ((i == j) - 1. / n - g * si * sj) * (double)s[j] + each;
                if (pass == 0) count(&sums, impact);
                else fresh[j] += taken(split, impact);
            }
        }
    }
    double factor = rescaled(absolute(r, n), absolute_of(fresh, (size_t)n));
    for (int j = 0; j < n; j++) out[j] = (Real)(factor * fresh[j]);
}

static void share_norm(Tape *t, const Node *nd)
{
    static const double plus[] = { 1, 1 };
    const NormAttr *at = nd->attr;
    const Tensor *y = nd->out[0], *z = nd->in[3];
    const Real *r = tape_grad_of(y);
    int n = y->cols;
    Tensor *x = nd->in[0];
    Real *dx = tape_grad(t, x), *dz = z ? tape_grad(t, nd->in[3]) : NULL,
         *sum = tape_scratch(t, (size_t)n, sizeof *sum);
    double *fresh = zeros(t, 2 * (size_t)n);
    for (int k = 0; sum && fresh && tape_status(t) == OK && k < y->rows; k++) {
        const NormRow row = {
            nd->in[1]->data, nd->in[2]->data, (double)at->mean[k], (double)at->inv[k], at->kind, at->eps, n
        };
        share_norm_row(&row, at->x + (ptrdiff_t)k * at->ldx, at_row(r, y, k), fresh, sum);
        if (!z) {
            for (int c = 0; dx && c < n; c++) dx[(ptrdiff_t)k * x->ld + c] += sum[c];
            continue;
        }
        int of = at->z_row ? at->z_row[k] : k;
        const Real *const term[] = { tensor_row(x, k), tensor_row(z, of) };
        Real *const to[] = { dx ? dx + (ptrdiff_t)k * x->ld : NULL, dz ? dz + (ptrdiff_t)of * z->ld : NULL };
        share_terms(term, plus, 2, NULL, sum, n, to, fresh);
    }
}

static void share_label_norm(Tape *t, const Node *nd)
{
    static const double plus[] = { 1, 1 };
    const LabelNormAttr *at = nd->attr;
    Tensor *r = nd->in[0], *delta = nd->in[1];
    const Tensor *y = nd->out[0];
    const Real *relevance = tape_grad_of(y);
    int n = r->cols;
    Real *dr = tape_grad(t, r), *dd = tape_grad(t, delta), *row = tape_scratch(t, 2 * (size_t)n, sizeof *row);
    double *fresh = zeros(t, 2 * (size_t)n);
    for (int k = 0; row && fresh && dr && dd && k < r->rows; k++)
        for (int h = 0; h < at->heads; h++) {
            int of = at->first[k] + h;
            const ptrdiff_t i = (ptrdiff_t)k * at->heads + h;
            const Real *const term[] = { tensor_row(r, k), tensor_row(delta, of) };
            Real *const to[] = { dr + (ptrdiff_t)k * r->ld, dd + (ptrdiff_t)of * delta->ld }, *sum = row + n;
            const NormRow norm = {
                nd->in[2]->data, nd->in[3]->data, (double)at->mean[i], (double)at->inv[i], NORM_UNBIASED_STD, at->eps, n
            };
            for (int c = 0; c < n; c++) row[c] = term[0][c] + term[1][c];
            share_norm_row(&norm, row, at_row(relevance, y, k) + (ptrdiff_t)h * n, fresh, sum);
            share_terms(term, plus, 2, NULL, sum, n, to, fresh);
        }
}

/* ---- attention */

/* A head in a sentence: m queries, n keys, w columns of all parts; copies side by side. */
typedef struct HeadBlock {
    int m, n, w;
    bool fixed;
    const Real *probs;              /* [m, n] */
    double *q, *k, *v, *r;          /* queries / scale, keys, values, relevance of the context, [., w] */
    double *to_q, *to_k, *to_v, *d; /* what they get; [n] scratch */
} HeadBlock;

/* What output c of query i gives, o its value. */
static void share_output(const HeadBlock *b, int i, int c, double o)
{
    const Real *p = b->probs + (ptrdiff_t)i * b->n;
    const double *q = b->q + (ptrdiff_t)i * b->w;
    Impacts sums = { 0, 0 };
    for (int j = 0; j < b->n; j++) b->d[j] = b->fixed ? 0 : (double)p[j] * (b->v[(ptrdiff_t)j * b->w + c] - o);
    for (int pass = 0; pass < 2; pass++) {
        const Split s = divided(b->r[(ptrdiff_t)i * b->w + c], &sums);
        for (int j = 0; j < b->n; j++) {
            double impact = (double)p[j] * b->v[(ptrdiff_t)j * b->w + c];
            if (pass == 0) count(&sums, impact);
            else b->to_v[(ptrdiff_t)j * b->w + c] += taken(s, impact);
        }
        for (int a = 0; a < b->w && !b->fixed; a++) {
            double all = 0;
            for (int j = 0; j < b->n; j++) {
                double impact = b->d[j] * q[a] * b->k[(ptrdiff_t)j * b->w + a];
                all += impact;
                if (pass == 0) count(&sums, impact);
                else b->to_k[(ptrdiff_t)j * b->w + a] += taken(s, impact);
            }
            if (pass == 0) count(&sums, all);
            else b->to_q[(ptrdiff_t)i * b->w + a] += taken(s, all);
        }
    }
}

static void share_block(const HeadBlock *b)
{
    for (int i = 0; i < b->m; i++)
        for (int c = 0; c < b->w; c++) {
            double o = 0, sum = 0; /* weights are rounded: where one is nearly 1, v - o needs their own sum */
            for (int j = 0; j < b->n; j++) {
                double p = (double)b->probs[(ptrdiff_t)i * b->n + j];
                o += p * b->v[(ptrdiff_t)j * b->w + c];
                sum += p;
            }
            if (b->r[(ptrdiff_t)i * b->w + c] != 0 && sum > 0) share_output(b, i, c, o / sum);
        }
}

/* Columns of a part, `from` in the block, w of them: rows of x to block, or block to rows of x times a factor. */
static void copy_part(double *block, int width, int from, const Real *x, ptrdiff_t ld, int rows, int w, double factor)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < w; c++) block[(ptrdiff_t)r * width + from + c] = factor * (double)x[(ptrdiff_t)r * ld + c];
}

static void add_part(const double *block, int width, int from, Real *x, ptrdiff_t ld, int rows, int w, double factor)
{
    for (int r = 0; x && r < rows; r++) add(x + (ptrdiff_t)r * ld, block + (ptrdiff_t)r * width + from, w, factor);
}

/* The memory of a block. */
static bool block_memory(Tape *t, HeadBlock *b)
{
    size_t queries = (size_t)b->m * (size_t)b->w, keys = (size_t)b->n * (size_t)b->w;
    double *x = zeros(t, 3 * queries + 4 * keys + (size_t)b->n);
    double **const all[] = { &b->q, &b->r, &b->to_q, &b->k, &b->v, &b->to_k, &b->to_v, &b->d };
    for (int k = 0; x && k < 8; k++, x += k <= 3 ? queries : keys) *all[k] = x;
    return b->d != NULL;
}

/* Head h in sentence b. */
static void share_head(Tape *t, const Node *nd, const AttentionArgs *a, int h, int s)
{
    const Real *relevance = tape_grad_of(nd->out[0]);
    HeadBlock b = { .m = a->start[s + 1] - a->start[s],
                    .n = a->key_start[s + 1] - a->key_start[s],
                    .fixed = a->fixed && a->fixed[h],
                    .probs = a->probs + h * a->pair_start[a->n_sent] + a->pair_start[s] };
    for (int p = 0; p < a->n_parts; p++) b.w += a->width[p];
    if (!block_memory(t, &b)) return;
    for (int p = 0, from = 0, column = 0; p < a->n_parts; column += a->n_heads * a->width[p], from += a->width[p++]) {
        int w = a->width[p], all = a->n_heads * w;
        ptrdiff_t query = (ptrdiff_t)a->start[s] * a->ld_q[p] + h * w,
                  key = (ptrdiff_t)a->key_start[s] * a->ld_kv[p] + h * w;
        copy_part(b.q, b.w, from, a->q[p] + query, a->ld_q[p], b.m, w, 1 / a->scale);
        copy_part(b.k, b.w, from, a->kv[p] + key, a->ld_kv[p], b.n, w, 1);
        copy_part(b.v, b.w, from, a->kv[p] + key + all, a->ld_kv[p], b.n, w, 1);
        copy_part(b.r, b.w, from, relevance + (ptrdiff_t)a->start[s] * a->ld_ctx[p] + column + h * w, a->ld_ctx[p], b.m,
                  w, 1);
    }
    share_block(&b);
    size_t queries = (size_t)b.m * (size_t)b.w, keys = (size_t)b.n * (size_t)b.w;
    double factor = rescaled(absolute_of(b.r, queries),
                             absolute_of(b.to_q, queries) + absolute_of(b.to_k, keys) + absolute_of(b.to_v, keys));
    for (int p = 0, from = 0; p < a->n_parts; from += a->width[p++]) {
        int w = a->width[p], all = a->n_heads * w;
        ptrdiff_t query = (ptrdiff_t)a->start[s] * a->ld_q[p] + h * w,
                  key = (ptrdiff_t)a->key_start[s] * a->ld_kv[p] + h * w;
        add_part(b.to_q, b.w, from, a->dq[p] ? a->dq[p] + query : NULL, a->ld_q[p], b.m, w, factor);
        add_part(b.to_k, b.w, from, a->dkv[p] ? a->dkv[p] + key : NULL, a->ld_kv[p], b.n, w, factor);
        add_part(b.to_v, b.w, from, a->dkv[p] ? a->dkv[p] + key + all : NULL, a->ld_kv[p], b.n, w, factor);
    }
}

static void share_attention(Tape *t, const Node *nd)
{
    AttentionArgs a = *(const AttentionArgs *)nd->attr;
    for (int p = 0; p < a.n_parts; p++) {
        a.dq[p] = tape_grad(t, nd->in[QUERIES + p]);
        a.dkv[p] = tape_grad(t, nd->in[KEYS + p]);
    }
    for (int s = 0; s < a.n_sent; s++)
        for (int h = 0; h < a.n_heads && tape_status(t) == OK; h++) {
            TapeMark mark = tape_mark(t);
            share_head(t, nd, &a, h, s);
            tape_rewind(t, mark);
        }
}

/* ---- label heads, whose attention is constant */

/* y[j] = sum_i p_i x_i in one column: y is out, i < n; strides of p, x and to. */
static void share_mean(const Real *p, ptrdiff_t ldp, const Real *x, ptrdiff_t ldx, double relevance, int n,
                       double *fresh)
{
    Impacts sums = { 0, 0 };
    for (int i = 0; i < n; i++) count(&sums, (double)p[i * ldp] * (double)x[i * ldx]);
    const Split s = divided(relevance, &sums);
    for (int i = 0; i < n; i++) fresh[i * ldx] += taken(s, (double)p[i * ldp] * (double)x[i * ldx]);
}

static void share_label_means(Tape *t, const Node *nd)
{
    const MeansAttr *at = nd->attr;
    const Tensor *p = nd->in[0], *z = nd->out[0];
    Tensor *x = nd->in[1];
    int heads = p->cols;
    Real *to = tape_grad(t, x);
    const Real *r = tape_grad_of(z);
    double *fresh = zeros(t, (size_t)x->rows * (size_t)x->ld);
    for (int b = 0; to && fresh && b < at->n_sent; b++) {
        int s = at->start[b], m = at->start[b + 1] - s;
        double before = 0, *row = fresh + (ptrdiff_t)s * x->ld;
        for (int h = 0; h < heads; h++) {
            const Real *given = at_row(r, z, b * heads + h);
            before += absolute(given, z->cols);
            for (int c = 0; c < z->cols; c++)
                if (given[c] != 0)
                    share_mean(tensor_row(p, s) + h, p->ld, tensor_row(x, s) + c, x->ld, (double)given[c], m, row + c);
        }
        double factor = rescaled(before, absolute_of(row, (size_t)m * (size_t)x->ld));
        for (int k = 0; k < m; k++) add(to + (ptrdiff_t)(s + k) * x->ld, row + (ptrdiff_t)k * x->ld, x->cols, factor);
    }
}

static void share_phrase_sums(Tape *t, const Node *nd)
{
    const SumsAttr *at = nd->attr;
    const Tensor *p = nd->in[0], *y = nd->out[0];
    Tensor *v = nd->in[1];
    Real *to = tape_grad(t, v);
    const Real *r = tape_grad_of(y);
    int each = v->cols / p->cols;
    double *fresh = zeros(t, (size_t)v->rows * (size_t)v->ld);
    for (int b = 0; to && fresh && b < at->n_sent; b++) {
        int s = at->start[b], m = at->start[b + 1] - s;
        double before = 0, *row = fresh + (ptrdiff_t)s * v->ld;
        for (int k = 0; k + 1 < m; k++) { /* row k sums tokens 0 .. k; the scale is the same for all of them */
            const Real *given = at_row(r, y, s - b + k);
            before += absolute(given, y->cols);
            for (int c = 0; c < y->cols; c++)
                if (given[c] != 0)
                    share_mean(tensor_row(p, s) + c / each, p->ld, tensor_row(v, s) + c, v->ld, (double)given[c], k + 1,
                               row + c);
        }
        double factor = rescaled(before, absolute_of(row, (size_t)m * (size_t)v->ld));
        for (int k = 0; k < m; k++) add(to + (ptrdiff_t)(s + k) * v->ld, row + (ptrdiff_t)k * v->ld, v->cols, factor);
    }
}

/* ---- the others */

/* Relevance goes to the first input as it is. */
static void share_pass(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0];
    Real *to = tape_grad(t, nd->in[0]);
    const Real *r = tape_grad_of(y);
    for (int k = 0; to && k < y->rows; k++)
        for (int c = 0; c < y->cols; c++) to[(ptrdiff_t)k * nd->in[0]->ld + c] += at_row(r, y, k)[c];
}

static Tensor *base_of(Tensor *x) { return x->base ? x->base : x; }

static size_t size_of(const Tensor *base) { return base->grad ? (size_t)base->rows * (size_t)base->ld : 0; }

/* The gradient of an output, which is its relevance, becomes a coefficient. */
static void to_coefficients(const Tensor *y)
{
    Real *r = (Real *)(uintptr_t)tape_grad_of(y);
    for (int k = 0; r && k < y->rows; k++)
        for (int c = 0; c < y->cols; c++) {
            double value = (double)tensor_row(y, k)[c];
            Real *at = r + (ptrdiff_t)k * y->ld + c;
            *at = (Real)((double)*at / (value + (value < 0 ? -SHARE_EPSILON : SHARE_EPSILON)));
        }
}

/* By coefficients. */
static void share_others(Tape *t, Node *nd, Tensor *const *base, int n)
{
    Tensor *y = base_of(nd->out[0]);
    size_t kept = y->keep ? size_of(y) : 0; /* it has its relevance in the end, too */
    Real *copy = tape_scratch(t, kept, sizeof *copy);
    if (!copy) return;
    memcpy(copy, y->grad, kept * sizeof *copy);
    for (int k = 0; k < NODE_OUTPUTS; k++)
        if (nd->out[k]) to_coefficients(nd->out[k]);
    (nd->op->relevance ? nd->op->relevance : nd->op->backward)(t, nd);
    if (kept) memcpy(y->grad, copy, kept * sizeof *copy);
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < size_of(base[i]); k++)
            base[i]->grad[k] = base[i]->grad[k] == 0 ? 0 : base[i]->grad[k] * base[i]->data[k];
}

typedef struct ShareRow {
    const char *op;
    void (*share)(Tape *t, const Node *nd);
} ShareRow;

static const ShareRow RULES[] = { { "linear", share_linear },
                                  { "row_products", share_row_products },
                                  { "head_linear", share_head_linear },
                                  { "embed", share_embed },
                                  { "span_diff", share_span_diff },
                                  { "norm", share_norm },
                                  { "residual_norm", share_norm },
                                  { "label_norm", share_label_norm },
                                  { "attention", share_attention },
                                  { "label_means", share_label_means },
                                  { "phrase_sums", share_phrase_sums },
                                  { "relu", share_pass },
                                  { "gelu", share_pass },
                                  { "scale_rows", share_pass } };

/* Where several ops read a tensor, the sum of what they give has the sum of their absolute sums. */
static void join(Tensor *base, const Real *before)
{
    size_t size = size_of(base);
    double apart = absolute(before, (int)size) + absolute(base->grad, (int)size);
    for (size_t k = 0; k < size; k++) base->grad[k] += before[k];
    Real factor = (Real)rescaled(apart, absolute(base->grad, (int)size));
    for (size_t k = 0; k < size; k++) base->grad[k] *= factor;
}

/* The bases of the inputs that take something, each once; returns their number. */
static int takers(const Node *nd, Tensor **base)
{
    int n = 0;
    for (int k = 0; k < NODE_INPUTS; k++) {
        Tensor *x = nd->in[k] ? base_of(nd->in[k]) : NULL;
        bool seen = !x || !x->needs_grad || x->is_param || x == base_of(nd->out[0]);
        for (int i = 0; i < n; i++) seen = seen || base[i] == x;
        if (!seen) base[n++] = x;
    }
    return n;
}

static double relevance_of(const Node *nd)
{
    double sum = 0;
    for (int k = 0; k < NODE_OUTPUTS; k++) {
        const Tensor *y = nd->out[k];
        const Real *r = tape_grad_of(y);
        for (int i = 0; r && i < y->rows; i++) sum += absolute(at_row(r, y, i), y->cols);
    }
    return sum;
}

static void pass(Tape *t, Node *nd)
{
    Tensor *base[NODE_INPUTS];
    Real *before[NODE_INPUTS];
    size_t rule = 0, rules = sizeof RULES / sizeof *RULES;
    int n = takers(nd, base);
    double given = relevance_of(nd), got = 0;
    TapeMark mark = tape_mark(t);
    for (int i = 0; i < n; i++) before[i] = base[i]->grad, base[i]->grad = NULL;
    while (rule < rules && strcmp(RULES[rule].op, nd->op->name) != 0) rule++;
    if (rule < rules) RULES[rule].share(t, nd);
    else share_others(t, nd, base, n);
    for (int i = 0; i < n; i++) got += absolute(base[i]->grad, (int)size_of(base[i]));
    Real factor = (Real)rescaled(given, got); /* rows of an input may have been given to by several outputs */
    for (int i = 0; i < n; i++) {
        for (size_t k = 0; k < size_of(base[i]); k++) base[i]->grad[k] *= factor;
        if (!base[i]->grad) base[i]->grad = before[i];
        else if (before[i]) join(base[i], before[i]);
    }
    tape_rewind(t, mark);
}

Status share_relevance(Tape *tape, Tensor *score, Tensor *const *keep, int n_keep, const Tensor *until)
{
    if (!tape->device->host_memory) {
        tape_fail(tape, ERR_CONFIG, "relevance by layer-wise rules: found memory of %s, expected that of the host",
                  tape->device->name);
        return tape->error.code;
    }
    Status s = tape_relevance_by(tape, score, tape_number(tape, score), pass, keep, n_keep, until);
    for (int k = 0; k < n_keep && s == OK; k++) {
        Tensor *x = base_of(keep[k]);
        bool seen = false;
        for (int i = 0; i < k; i++) seen = seen || base_of(keep[i]) == x;
        for (size_t i = 0; x->grad && !seen && i < (size_t)x->rows * (size_t)x->ld; i++)
            x->grad[i] = x->data[i] == 0 ? 0 : x->grad[i] / x->data[i];
    }
    return s;
}
