/* Linear maps, embedding sums, dropout, sums. */
#include "tensor/ops.h"
#include "tensor/stored.h"

typedef struct LinearAttr {
    bool relu;
} LinearAttr;

/* dL/d(x w + bias), *ld its leading dimension; NULL: out of memory. */
static const Real *before_activation(Tape *t, const Node *nd, int *ld)
{
    const Tensor *y = nd->out[0];
    const Real *dy = tape_grad_of(y);
    *ld = y->ld;
    if (!((const LinearAttr *)nd->attr)->relu) return dy;
    Real *d = tape_scratch(t, tensor_size(y), sizeof *d);
    if (!d) return NULL;
    tape_run(t, nd->op->name, relu_bwd, d, dy, y->ld, y->data, y->ld, y->rows, y->cols);
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
    const char *who = nd->op->name;
    if (dx) tape_run(t, who, gemm, false, true, x->rows, x->cols, y->cols, 1, dy, ld, w->data, w->ld, 1, dx, x->ld);
    if (dw) tape_run(t, who, gemm, true, false, x->cols, y->cols, x->rows, 1, x->data, x->ld, dy, ld, 1, dw, w->ld);
    if (db) tape_run(t, who, column_sum, db, dy, ld, y->rows, y->cols);
}

static void linear_relevance(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0], *w = nd->in[1], *bias = nd->in[2];
    int ld;
    const Real *dy = before_activation(t, nd, &ld);
    if (!dy) return;
    const char *who = nd->op->name;
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx)
        tape_run(t, who, gemm, false, true, y->rows, w->rows, y->cols, 1, dy, ld, w->data, w->ld, 1, dx, nd->in[0]->ld);
    if (bias) tape_run(t, who, bias_relevance, t->part, dy, ld, bias->data, y->rows, y->cols);
}

static const OpDesc LINEAR = { "linear", linear_backward, linear_relevance };

Tensor *op_linear_into(Tape *tape, Tensor *y, Tensor *x, Tensor *w, Tensor *bias, bool relu)
{
    if (!x || !w || !y) return NULL;
    if (x->cols != w->rows || (bias && bias->cols != w->cols) || y->rows != x->rows || y->cols != w->cols)
        return tape_fail(tape, ERR_RANGE, "linear: [%d, %d] x [%d, %d] -> [%d, %d]", x->rows, x->cols, w->rows, w->cols,
                         y->rows, y->cols);
    if (!tape_record(tape, &LINEAR, y, &(LinearAttr){ relu }, sizeof(LinearAttr), x, w, bias)) return NULL;
    const char *who = LINEAR.name;
    const Real *added = bias ? bias->data : NULL;
    if (!x->weight) {
        tape_run(tape, who, linear, y->data, y->ld, x->data, x->ld, x->rows, tensor_weight(w), added, relu);
        return tape_done(tape, y);
    }
    tape_run(tape, who, weight_product, y->data, y->ld, *x->weight, tensor_weight(w));
    if (bias || relu) tape_run(tape, who, bias_act, y->data, y->ld, added, y->rows, y->cols, relu);
    return tape_done(tape, y);
}

Tensor *op_linear(Tape *tape, Tensor *x, Tensor *w, Tensor *bias, bool relu)
{
    if (!x || !w) return NULL;
    return op_linear_into(tape, tape_new(tape, x->rows, w->cols), x, w, bias, relu);
}

/* ---- products with a table */

static void row_products_backward(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0];
    Tensor *x = nd->in[0], *table = nd->in[1];
    const Real *dy = tape_grad_of(y);
    Real *dx = tape_grad(t, x), *dtable = tape_grad(t, table);
    const char *who = nd->op->name;
    if (dx)
        tape_run(t, who, gemm, false, false, x->rows, x->cols, y->cols, 1, dy, y->ld, table->data, table->ld, 1, dx,
                 x->ld);
    if (dtable)
        tape_run(t, who, gemm, true, false, y->cols, x->cols, x->rows, 1, dy, y->ld, x->data, x->ld, 1, dtable,
                 table->ld);
}

/* x alone: the table is a weight. */
static void row_products_relevance(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0], *table = nd->in[1];
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx)
        tape_run(t, nd->op->name, gemm, false, false, y->rows, table->cols, y->cols, 1, tape_grad_of(y), y->ld,
                 table->data, table->ld, 1, dx, nd->in[0]->ld);
}

static const OpDesc ROW_PRODUCTS = { "row_products", row_products_backward, row_products_relevance };

Tensor *op_row_products(Tape *tape, Tensor *x, Tensor *table)
{
    if (!x || !table) return NULL;
    if (x->cols != table->cols)
        return tape_fail(tape, ERR_RANGE, "row_products: x [%d, %d], table [%d, %d]", x->rows, x->cols, table->rows,
                         table->cols);
    Tensor *y = tape_new(tape, x->rows, table->rows);
    if (!tape_record(tape, &ROW_PRODUCTS, y, NULL, 0, x, table)) return NULL;
    tape_run(tape, ROW_PRODUCTS.name, gemm, false, true, x->rows, table->rows, x->cols, 1, x->data, x->ld, table->data,
             table->ld, 0, y->data, y->ld);
    return tape_done(tape, y);
}

/* ---- embedding sums */

static void embed_backward(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0];
    EmbedArgs *a = nd->attr;
    for (int k = 0; k < a->n; k++) a->term[k].dtable = tape_grad(t, nd->in[k]);
    if (tape_status(t) == OK) tape_run(t, nd->op->name, embed_bwd, tape_grad_of(y), y->ld, y->rows, y->cols, a);
}

static const OpDesc EMBED = { "embed", embed_backward, NULL };

static bool indices_fit(Tape *t, const EmbedTerm *m, const Tensor *y)
{
    for (int r = 0; m->index && r < y->rows; r++)
        if (m->index[r] < 0 || m->index[r] >= m->table->rows) {
            tape_fail(t, ERR_RANGE, "embed: index %d of a table with %d rows", m->index[r], m->table->rows);
            return false;
        }
    return true;
}

Tensor *op_embed_into(Tape *tape, Tensor *y, const EmbedTerm *terms, int n_terms)
{
    if (!y) return NULL;
    if (n_terms < 1 || n_terms > MAX_EMBED_TERMS) return tape_fail(tape, ERR_RANGE, "embed: %d terms", n_terms);
    Node *nd = tape_record(tape, &EMBED, y, &(EmbedArgs){ .n = n_terms }, sizeof(EmbedArgs), NULL);
    if (!nd) return NULL;
    EmbedArgs *a = nd->attr;
    size_t rows = (size_t)y->rows;
    for (int k = 0; k < n_terms; k++) {
        const EmbedTerm *m = &terms[k];
        if (!m->table) return NULL;
        if (m->table->cols != y->cols || (!m->index && m->table->rows != y->rows))
            return tape_fail(tape, ERR_RANGE, "embed: term %d is [%d, %d] for [%d, %d]", k, m->table->rows,
                             m->table->cols, y->rows, y->cols);
        if (!indices_fit(tape, m, y)) return NULL;
        bool drop = tape->training && m->dropout > 0;
        nd->in[k] = m->table;
        a->term[k] = (EmbedLookup){ .table = tensor_lookup(m->table, m->index, y->rows),
                                    .ld = m->table->ld,
                                    .index = m->index ? tape_upload(tape, m->index, rows, sizeof(int)) : NULL };
        if (drop)
            a->term[k].drop = (Drop){ m->dropout, tape_next_key(tape),
                                      m->group ? tape_upload(tape, m->group, rows, sizeof(int)) : NULL };
    }
    if (tape_status(tape) == OK) tape_run(tape, EMBED.name, embed_fwd, y->data, y->ld, y->rows, y->cols, a);
    return tape_done(tape, y);
}

Tensor *op_embed(Tape *tape, const EmbedTerm *terms, int n_terms, int rows, int cols)
{
    return op_embed_into(tape, tape_new(tape, rows, cols), terms, n_terms);
}

typedef struct EmbedMeanAttr {
    const int *start, *item;
} EmbedMeanAttr;

static void embed_mean_backward(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0];
    const EmbedMeanAttr *at = nd->attr;
    Real *dtable = tape_grad(t, nd->in[0]);
    if (dtable)
        tape_run(t, nd->op->name, embed_mean_bwd, dtable, nd->in[0]->ld, tape_grad_of(y), at->start, at->item, y->rows,
                 y->cols);
}

static const OpDesc EMBED_MEAN = { "embed_mean", embed_mean_backward, NULL };

Tensor *op_embed_mean(Tape *tape, Tensor *table, const int *start, const int *item, int rows)
{
    if (!table) return NULL;
    for (int r = 0; r < rows; r++)
        if (start[r + 1] < start[r]) return tape_fail(tape, ERR_RANGE, "embed_mean: row %d ends before it starts", r);
    for (int i = 0; i < start[rows]; i++)
        if (item[i] < 0 || item[i] >= table->rows)
            return tape_fail(tape, ERR_RANGE, "embed_mean: index %d of a table with %d rows", item[i], table->rows);
    Tensor *y = tape_new(tape, rows, table->cols);
    const EmbedMeanAttr at = { tape_upload(tape, start, (size_t)rows + 1, sizeof *start),
                               tape_upload(tape, item, (size_t)start[rows], sizeof *item) };
    if (!tape_record(tape, &EMBED_MEAN, y, &at, sizeof at, table)) return NULL;
    y->needs_grad = table->needs_grad;
    const Real *values = tensor_lookup(table, item, start[rows]);
    tape_run(tape, EMBED_MEAN.name, embed_mean_fwd, y->data, values, table->ld, at.start, at.item, rows, y->cols);
    return tape_done(tape, y);
}

Tensor *op_gather(Tape *tape, Tensor *x, const int *index, int rows)
{
    if (!x) return NULL;
    EmbedTerm term = { x, index, 0, NULL };
    return op_embed(tape, &term, 1, rows, x->cols);
}

Tensor *op_add(Tape *tape, Tensor *x, Tensor *z)
{
    if (!x || !z) return NULL;
    EmbedTerm terms[2] = { { x, NULL, 0, NULL }, { z, NULL, 0, NULL } };
    return op_embed(tape, terms, 2, x->rows, x->cols);
}

Tensor *op_dropout(Tape *tape, Tensor *x, double p, const int *group)
{
    if (!x || !tape->training || p <= 0) return x;
    EmbedTerm term = { x, NULL, p, group };
    return op_embed(tape, &term, 1, x->rows, x->cols);
}

/* ---- ReLU */

static void relu_backward(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0];
    Real *dx = tape_grad(t, nd->in[0]);
    Real *d = tape_scratch(t, tensor_size(y), sizeof *d);
    if (!dx || !d) return;
    tape_run(t, nd->op->name, relu_bwd, d, tape_grad_of(y), y->ld, y->data, y->ld, y->rows, y->cols);
    tape_run(t, nd->op->name, add, dx, nd->in[0]->ld, d, y->cols, y->rows, y->cols);
}

static const OpDesc RELU = { "relu", relu_backward, NULL };

Tensor *op_relu(Tape *tape, Tensor *x)
{
    if (!x) return NULL;
    Tensor *y = tape->recording ? tape_new(tape, x->rows, x->cols) : x;
    if (!tape_record(tape, &RELU, y, NULL, 0, x)) return NULL;
    tape_run(tape, RELU.name, relu_fwd, y->data, y->ld, x->data, x->ld, y->rows, y->cols);
    return tape_done(tape, y);
}

/* dx += factor dy */
static void scale_rows_relevance(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0], *factor = nd->in[1];
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx)
        tape_run(t, nd->op->name, scale_rows, dx, nd->in[0]->ld, tape_grad_of(y), y->ld, factor->data, factor->cols,
                 y->rows, y->cols, true);
}

static void scale_rows_backward(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0], *x = nd->in[0];
    Real *dfactor = tape_grad(t, nd->in[1]);
    scale_rows_relevance(t, nd);
    if (dfactor)
        tape_run(t, nd->op->name, scale_rows_bwd, dfactor, x->data, x->ld, tape_grad_of(y), y->ld, nd->in[1]->cols,
                 y->rows, y->cols);
}

static const OpDesc SCALE_ROWS = { "scale_rows", scale_rows_backward, scale_rows_relevance };

Tensor *op_scale_rows(Tape *tape, Tensor *x, Tensor *factor)
{
    if (!x || !factor) return NULL;
    if (factor->rows != 1 || factor->cols < 1)
        return tape_fail(tape, ERR_RANGE, "scale_rows: factors [%d, %d]", factor->rows, factor->cols);
    Tensor *y = tape_new(tape, x->rows, x->cols);
    if (!tape_record(tape, &SCALE_ROWS, y, NULL, 0, x, factor)) return NULL;
    tape_run(tape, SCALE_ROWS.name, scale_rows, y->data, y->ld, x->data, x->ld, factor->data, factor->cols, y->rows,
             y->cols, false);
    return tape_done(tape, y);
}

/* ---- GELU */

static void gelu_walk(Tape *t, const Node *nd, bool relevance)
{
    const Tensor *y = nd->out[0];
    Tensor *x = nd->in[0];
    Real *dx = tape_grad(t, x);
    if (dx)
        tape_run(t, nd->op->name, gelu_bwd, dx, x->ld, tape_grad_of(y), y->ld, x->data, x->ld, y->rows, y->cols,
                 relevance);
}

static void gelu_backward(Tape *t, const Node *nd) { gelu_walk(t, nd, false); }
static void gelu_relevance(Tape *t, const Node *nd) { gelu_walk(t, nd, true); }

static const OpDesc GELU = { "gelu", gelu_backward, gelu_relevance };

Tensor *op_gelu(Tape *tape, Tensor *x)
{
    if (!x) return NULL;
    Tensor *y = tape->recording ? tape_new(tape, x->rows, x->cols) : x;
    if (!tape_record(tape, &GELU, y, NULL, 0, x)) return NULL;
    tape_run(tape, GELU.name, gelu_fwd, y->data, y->ld, x->data, x->ld, y->rows, y->cols);
    return tape_done(tape, y);
}

/* ---- splitting and joining heads */

typedef struct HeadsAttr {
    int heads, parts;
} HeadsAttr;

static void split_backward(Tape *t, const Node *nd)
{
    const HeadsAttr *at = nd->attr;
    const Tensor *x = nd->in[0], *y = nd->out[0];
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx)
        tape_run(t, nd->op->name, join_heads, dx, x->ld, tape_grad_of(y), x->rows, at->heads, at->parts,
                 y->cols / at->parts, true);
}

static const OpDesc SPLIT = { "split_heads", split_backward, NULL };

Tensor *op_split_heads(Tape *tape, Tensor *x, int heads, int n_parts)
{
    if (!x) return NULL;
    if (heads < 1 || n_parts < 1 || x->cols % ((long)heads * n_parts))
        return tape_fail(tape, ERR_RANGE, "split_heads: %d columns, %d heads", x->cols, heads);
    Tensor *y = tape_new(tape, (long)x->rows * heads, x->cols / heads);
    const HeadsAttr at = { heads, n_parts };
    if (!tape_record(tape, &SPLIT, y, &at, sizeof at, x)) return NULL;
    tape_run(tape, SPLIT.name, split_heads, y->data, x->data, x->ld, x->rows, heads, n_parts, y->cols / n_parts, false);
    return tape_done(tape, y);
}

static void join_backward(Tape *t, const Node *nd)
{
    const HeadsAttr *at = nd->attr;
    const Tensor *x = nd->in[0], *y = nd->out[0];
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx)
        tape_run(t, nd->op->name, split_heads, dx, tape_grad_of(y), y->ld, y->rows, at->heads, at->parts,
                 x->cols / at->parts, true);
}

static const OpDesc JOIN = { "join_heads", join_backward, NULL };

Tensor *op_join_heads(Tape *tape, Tensor *x, int heads, int n_parts)
{
    if (!x) return NULL;
    if (heads < 1 || n_parts < 1 || x->rows % heads || x->cols % n_parts || x->ld != x->cols)
        return tape_fail(tape, ERR_RANGE, "join_heads: [%d, %d], %d heads", x->rows, x->cols, heads);
    Tensor *y = tape_new(tape, x->rows / heads, (long)x->cols * heads);
    const HeadsAttr at = { heads, n_parts };
    if (!tape_record(tape, &JOIN, y, &at, sizeof at, x)) return NULL;
    tape_run(tape, JOIN.name, join_heads, y->data, y->ld, x->data, y->rows, heads, n_parts, x->cols / n_parts, false);
    return tape_done(tape, y);
}
