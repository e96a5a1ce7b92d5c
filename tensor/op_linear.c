/* tensor/op_linear.c: linear maps, embedding sums, dropout, sums. */
#include <string.h>

#include "tensor/ops.h"

typedef struct LinearAttr {
    bool relu;
} LinearAttr;

/* dL/d(x w + bias), *ld its leading dimension; NULL: memory is out. */
static const Real *before_activation(Tape *t, const Node *nd, int *ld)
{
    const Tensor *y = nd->out[0];
    const Real *dy = tape_grad_of(y);
    *ld = y->ld;
    if (!((const LinearAttr *)nd->attr)->relu) return dy;
    Real *d = tape_scratch(t, tensor_size(y), sizeof *d);
    if (!d) return NULL;
    t->k->relu_bwd(d, dy, y->ld, y->data, y->ld, y->rows, y->cols);
    *ld = y->cols;
    return d;
}

static void linear_backward(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0];
    Tensor *x = nd->in[0], *w = nd->in[1], *bias = nd->in[2];
    int ld;
    const Real *dy = before_activation(t, nd, &ld);
    if (!dy) return;
    Real *dx = tape_grad(t, x), *dw = tape_grad(t, w), *db = bias ? tape_grad(t, bias) : NULL;
    if (dx) t->k->gemm(false, true, x->rows, x->cols, y->cols, 1, dy, ld, w->data, w->ld, 1, dx, x->ld);
    if (dw) t->k->gemm(true, false, x->cols, y->cols, x->rows, 1, x->data, x->ld, dy, ld, 1, dw, w->ld);
    if (db) t->k->column_sum(db, dy, ld, y->rows, y->cols);
}

static void linear_relevance(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0], *w = nd->in[1], *bias = nd->in[2];
    int ld;
    const Real *dy = before_activation(t, nd, &ld);
    if (!dy) return;
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx) t->k->gemm(false, true, y->rows, w->rows, y->cols, 1, dy, ld, w->data, w->ld, 1, dx, nd->in[0]->ld);
    for (int r = 0; bias && r < y->rows; r++)
        for (int c = 0; c < y->cols; c++) t->bias_part += (double)dy[(ptrdiff_t)r * ld + c] * (double)bias->data[c];
}

static const OpDesc LINEAR = { "linear", linear_backward, linear_relevance };

Tensor *op_linear_into(Tape *t, Tensor *y, Tensor *x, Tensor *w, Tensor *bias, bool relu)
{
    if (!x || !w || !y) return NULL;
    if (x->cols != w->rows || (bias && bias->cols != w->cols) || y->rows != x->rows || y->cols != w->cols)
        return tape_fail(t, ERR_RANGE, "linear: [%d, %d] x [%d, %d] -> [%d, %d]", x->rows, x->cols, w->rows, w->cols,
                         y->rows, y->cols);
    Node *nd = tape_record(t, &LINEAR, y, sizeof(LinearAttr));
    if (!nd) return NULL;
    nd->in[0] = x;
    nd->in[1] = w;
    nd->in[2] = bias;
    *(LinearAttr *)nd->attr = (LinearAttr){ relu };
    t->k->gemm(false, false, x->rows, w->cols, x->cols, 1, x->data, x->ld, w->data, w->ld, 0, y->data, y->ld);
    if (bias || relu) t->k->bias_act(y->data, y->ld, bias ? bias->data : NULL, y->rows, y->cols, relu);
    return y;
}

Tensor *op_linear(Tape *t, Tensor *x, Tensor *w, Tensor *bias, bool relu)
{
    if (!x || !w) return NULL;
    return op_linear_into(t, tape_new(t, x->rows, w->cols), x, w, bias, relu);
}

/* ---- embedding sums */

typedef struct EmbedAttr {
    int n;
    EmbedArgs term[MAX_EMBED_TERMS];
} EmbedAttr;

static void embed_backward(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0];
    EmbedAttr *at = nd->attr;
    for (int k = 0; k < at->n; k++) at->term[k].dtable = tape_grad(t, nd->in[k]);
    t->k->embed_bwd(tape_grad_of(y), y->ld, y->rows, y->cols, at->term, at->n);
}

static const OpDesc EMBED = { "embed", embed_backward, NULL };

Tensor *op_embed_into(Tape *t, Tensor *y, const EmbedTerm *terms, int n_terms)
{
    if (!y) return NULL;
    if (n_terms < 1 || n_terms > MAX_EMBED_TERMS) return tape_fail(t, ERR_RANGE, "embed: %d terms", n_terms);
    Node *nd = tape_record(t, &EMBED, y, sizeof(EmbedAttr));
    if (!nd) return NULL;
    EmbedAttr *at = nd->attr;
    at->n = n_terms;
    for (int k = 0; k < n_terms; k++) {
        const EmbedTerm *m = &terms[k];
        if (!m->table) return NULL;
        if (m->table->cols != y->cols || (!m->index && m->table->rows != y->rows))
            return tape_fail(t, ERR_RANGE, "embed: term %d is [%d, %d] for [%d, %d]", k, m->table->rows, m->table->cols,
                             y->rows, y->cols);
        if (m->index)
            for (int r = 0; r < y->rows; r++)
                if (m->index[r] < 0 || m->index[r] >= m->table->rows)
                    return tape_fail(t, ERR_RANGE, "embed: index %d of a table with %d rows", m->index[r],
                                     m->table->rows);
        bool drop = t->training && m->dropout > 0;
        nd->in[k] = m->table;
        at->term[k] = (EmbedArgs){ m->table->data,
                                   NULL,
                                   m->table->ld,
                                   m->index ? tape_ints(t, m->index, y->rows) : NULL,
                                   { drop ? m->dropout : 0, drop ? tape_next_key(t) : 0,
                                     drop && m->group ? tape_ints(t, m->group, y->rows) : NULL } };
    }
    if (tape_status(t) != OK) return NULL;
    t->k->embed_fwd(y->data, y->ld, y->rows, y->cols, at->term, n_terms);
    return y;
}

Tensor *op_embed(Tape *t, const EmbedTerm *terms, int n_terms, int rows, int cols)
{
    return op_embed_into(t, tape_new(t, rows, cols), terms, n_terms);
}

typedef struct EmbedMeanAttr {
    const int *start, *item;
} EmbedMeanAttr;

static void embed_mean_backward(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0];
    const EmbedMeanAttr *at = nd->attr;
    Real *dtable = tape_grad(t, nd->in[0]);
    if (dtable) t->k->embed_mean_bwd(dtable, nd->in[0]->ld, tape_grad_of(y), at->start, at->item, y->rows, y->cols);
}

static const OpDesc EMBED_MEAN = { "embed_mean", embed_mean_backward, NULL };

Tensor *op_embed_mean(Tape *t, Tensor *table, const int *start, const int *item, int rows)
{
    if (!table) return NULL;
    for (int r = 0; r < rows; r++)
        if (start[r + 1] < start[r]) return tape_fail(t, ERR_RANGE, "embed_mean: row %d ends before it starts", r);
    for (int i = 0; i < start[rows]; i++)
        if (item[i] < 0 || item[i] >= table->rows)
            return tape_fail(t, ERR_RANGE, "embed_mean: index %d of a table with %d rows", item[i], table->rows);
    Tensor *y = tape_new(t, rows, table->cols);
    Node *nd = y ? tape_record(t, &EMBED_MEAN, y, sizeof(EmbedMeanAttr)) : NULL;
    if (!nd) return NULL;
    EmbedMeanAttr *at = nd->attr;
    nd->in[0] = table;
    y->needs_grad = table->needs_grad;
    at->start = tape_ints(t, start, rows + 1);
    at->item = tape_ints(t, item, start[rows]);
    if (!at->start || !at->item) return NULL;
    t->k->embed_mean_fwd(y->data, table->data, table->ld, at->start, at->item, rows, y->cols);
    return y;
}

Tensor *op_gather(Tape *t, Tensor *x, const int *index, int rows)
{
    if (!x) return NULL;
    EmbedTerm term = { x, index, 0, NULL };
    return op_embed(t, &term, 1, rows, x->cols);
}

Tensor *op_add(Tape *t, Tensor *x, Tensor *z)
{
    if (!x || !z) return NULL;
    EmbedTerm terms[2] = { { x, NULL, 0, NULL }, { z, NULL, 0, NULL } };
    return op_embed(t, terms, 2, x->rows, x->cols);
}

Tensor *op_dropout(Tape *t, Tensor *x, double p, const int *group)
{
    if (!x || !t->training || p <= 0) return x;
    EmbedTerm term = { x, NULL, p, group };
    return op_embed(t, &term, 1, x->rows, x->cols);
}

/* ---- ReLU */

static void relu_backward(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0];
    Real *dx = tape_grad(t, nd->in[0]);
    Real *d = tape_scratch(t, tensor_size(y), sizeof *d);
    if (!dx || !d) return;
    t->k->relu_bwd(d, tape_grad_of(y), y->ld, y->data, y->ld, y->rows, y->cols);
    t->k->add(dx, nd->in[0]->ld, d, y->cols, y->rows, y->cols);
}

static const OpDesc RELU = { "relu", relu_backward, NULL };

Tensor *op_relu(Tape *t, Tensor *x)
{
    if (!x) return NULL;
    Tensor *y = tape_new(t, x->rows, x->cols);
    Node *nd = y ? tape_record(t, &RELU, y, 0) : NULL;
    if (!nd) return NULL;
    nd->in[0] = x;
    for (int r = 0; r < x->rows; r++) memcpy(tensor_row(y, r), tensor_row(x, r), (size_t)x->cols * sizeof(Real));
    t->k->bias_act(y->data, y->ld, NULL, y->rows, y->cols, true);
    return y;
}

/* ---- GELU */

static void gelu_walk(Tape *t, const Node *nd, bool relevance)
{
    const Tensor *y = nd->out[0];
    Tensor *x = nd->in[0];
    Real *dx = tape_grad(t, x);
    if (dx) t->k->gelu_bwd(dx, x->ld, tape_grad_of(y), y->ld, x->data, x->ld, y->rows, y->cols, relevance);
}

static void gelu_backward(Tape *t, const Node *nd) { gelu_walk(t, nd, false); }
static void gelu_relevance(Tape *t, const Node *nd) { gelu_walk(t, nd, true); }

static const OpDesc GELU = { "gelu", gelu_backward, gelu_relevance };

Tensor *op_gelu(Tape *t, Tensor *x)
{
    if (!x) return NULL;
    Tensor *y = tape_new(t, x->rows, x->cols);
    Node *nd = y ? tape_record(t, &GELU, y, 0) : NULL;
    if (!nd) return NULL;
    nd->in[0] = x;
    t->k->gelu_fwd(y->data, y->ld, x->data, x->ld, y->rows, y->cols);
    return y;
}

/* ---- heads apart and together */

typedef struct HeadsAttr {
    int heads, parts;
} HeadsAttr;

/* Moves between `together` [n, parts x heads x w] and `apart` [n * heads, parts x w], one being written; `add` sums
 * instead. */
static void regroup(Real *together, int ld, Real *apart, int n, HeadsAttr a, int w, bool to_apart, bool add)
{
    for (int r = 0; r < n; r++)
        for (int p = 0; p < a.parts; p++)
            for (int h = 0; h < a.heads; h++) {
                Real *x = together + (ptrdiff_t)r * ld + (p * a.heads + h) * w;
                Real *y = apart + ((ptrdiff_t)r * a.heads + h) * (a.parts * w) + p * w;
                Real *to = to_apart ? y : x;
                const Real *from = to_apart ? x : y;
                for (int c = 0; c < w; c++) to[c] = from[c] + (add ? to[c] : 0);
            }
}

static void split_backward(Tape *t, const Node *nd)
{
    const HeadsAttr *at = nd->attr;
    Tensor *x = nd->in[0], *y = nd->out[0];
    Real *dx = tape_grad(t, x);
    if (dx) regroup(dx, x->ld, tape_grad(t, y), x->rows, *at, y->cols / at->parts, false, true);
}

static const OpDesc SPLIT = { "split_heads", split_backward, NULL };

static Tensor *regrouped(Tape *t, const OpDesc *op, Tensor *x, int rows, int cols, HeadsAttr a, bool to_apart)
{
    Tensor *y = tape_new(t, rows, cols);
    Node *nd = y ? tape_record(t, op, y, sizeof(HeadsAttr)) : NULL;
    if (!nd) return NULL;
    nd->in[0] = x;
    *(HeadsAttr *)nd->attr = a;
    if (to_apart) regroup(x->data, x->ld, y->data, x->rows, a, y->cols / a.parts, true, false);
    else regroup(y->data, y->ld, x->data, y->rows, a, x->cols / a.parts, false, false);
    return y;
}

Tensor *op_split_heads(Tape *t, Tensor *x, int heads, int n_parts)
{
    if (!x) return NULL;
    if (heads < 1 || n_parts < 1 || x->cols % (heads * n_parts))
        return tape_fail(t, ERR_RANGE, "split_heads: %d columns, %d heads", x->cols, heads);
    return regrouped(t, &SPLIT, x, x->rows * heads, x->cols / heads, (HeadsAttr){ heads, n_parts }, true);
}

static void join_backward(Tape *t, const Node *nd)
{
    const HeadsAttr *at = nd->attr;
    Tensor *x = nd->in[0], *y = nd->out[0];
    Real *dx = tape_grad(t, x);
    if (dx) regroup(tape_grad(t, y), y->ld, dx, y->rows, *at, x->cols / at->parts, true, true);
}

static const OpDesc JOIN = { "join_heads", join_backward, NULL };

Tensor *op_join_heads(Tape *t, Tensor *x, int heads, int n_parts)
{
    if (!x) return NULL;
    if (heads < 1 || n_parts < 1 || x->rows % heads || x->cols % n_parts || x->ld != x->cols)
        return tape_fail(t, ERR_RANGE, "join_heads: [%d, %d], %d heads", x->rows, x->cols, heads);
    return regrouped(t, &JOIN, x, x->rows / heads, x->cols * heads, (HeadsAttr){ heads, n_parts }, false);
}
