/* tensor/op_norm.c: layer norm, alone and behind a residual. */
#include "tensor/ops.h"

typedef struct NormAttr {
    Real *mean, *inv;
    const Real *x; /* what was normalised */
    int ldx;
    NormKind kind;
    double eps;
    /* residual */
    Drop drop;
    const int *z_row;
} NormAttr;

static void norm_backward(Tape *t, const Node *nd)
{
    const NormAttr *at = nd->attr;
    const Tensor *y = nd->out[0];
    Tensor *x = nd->in[0], *a = nd->in[1], *b = nd->in[2];
    t->k->norm_bwd(tape_grad(t, x), x->ld, tape_grad(t, a), tape_grad(t, b), tape_grad_of(y), y->ld, at->x, at->ldx,
                   a->data, at->mean, at->inv, y->rows, y->cols, at->kind, at->eps);
}

static void norm_relevance(Tape *t, const Node *nd)
{
    const NormAttr *at = nd->attr;
    const Tensor *y = nd->out[0];
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx)
        t->bias_part += t->k->norm_relevance(dx, nd->in[0]->ld, tape_grad_of(y), y->ld, nd->in[1]->data,
                                             nd->in[2]->data, at->inv, y->rows, y->cols);
}

static const OpDesc NORM = { "norm", norm_backward, norm_relevance };

static Tensor *norm_of(Tape *t, const OpDesc *op, const Real *data, int ldx, int rows, int cols, Tensor *a, Tensor *b,
                       NormKind kind, double eps, Node **node)
{
    if (a->cols != cols || b->cols != cols)
        return tape_fail(t, ERR_RANGE, "norm: %d columns, weights of %d", cols, a->cols);
    Tensor *y = tape_new(t, rows, cols);
    Node *nd = y ? tape_record(t, op, y, sizeof(NormAttr)) : NULL;
    if (!nd) return NULL;
    NormAttr *at = nd->attr;
    *at = (NormAttr){ .x = data, .ldx = ldx, .kind = kind, .eps = eps };
    at->mean = tape_scratch(t, (size_t)rows, sizeof(Real));
    at->inv = tape_scratch(t, (size_t)rows, sizeof(Real));
    if (!at->mean || !at->inv) return NULL;
    nd->in[1] = a;
    nd->in[2] = b;
    t->k->norm_fwd(y->data, y->ld, data, ldx, a->data, b->data, at->mean, at->inv, rows, cols, kind, eps);
    *node = nd;
    return y;
}

Tensor *op_norm(Tape *t, Tensor *x, Tensor *a, Tensor *b, NormKind kind, double eps)
{
    if (!x || !a || !b) return NULL;
    if (x->cols == 1) return x;
    Node *nd;
    Tensor *y = norm_of(t, &NORM, x->data, x->ld, x->rows, x->cols, a, b, kind, eps, &nd);
    if (y) nd->in[0] = x;
    return y;
}

/* Hands d, dense, to both sides of the sum. */
static void residual_pass(Tape *t, const Node *nd, const Real *d)
{
    const NormAttr *at = nd->attr;
    const Tensor *y = nd->out[0];
    Tensor *x = nd->in[0], *z = nd->in[3];
    Real *dx = tape_grad(t, x), *dz = tape_grad(t, z);
    if (dx) t->k->add(dx, x->ld, d, y->cols, y->rows, y->cols);
    if (!dz) return;
    EmbedArgs term = { z->data, dz, z->ld, at->z_row, at->drop };
    t->k->embed_bwd(d, y->cols, y->rows, y->cols, &term, 1);
}

static Real *zeros(Tape *t, const Tensor *y)
{
    Real *d = tape_scratch(t, tensor_size(y), sizeof *d);
    for (size_t i = 0; d && i < tensor_size(y); i++) d[i] = 0;
    return d;
}

static void residual_norm_backward(Tape *t, const Node *nd)
{
    const NormAttr *at = nd->attr;
    const Tensor *y = nd->out[0];
    Tensor *a = nd->in[1], *b = nd->in[2];
    Real *d = zeros(t, y);
    if (!d) return;
    t->k->norm_bwd(d, y->cols, tape_grad(t, a), tape_grad(t, b), tape_grad_of(y), y->ld, at->x, at->ldx, a->data,
                   at->mean, at->inv, y->rows, y->cols, at->kind, at->eps);
    residual_pass(t, nd, d);
}

static void residual_norm_relevance(Tape *t, const Node *nd)
{
    const NormAttr *at = nd->attr;
    const Tensor *y = nd->out[0];
    Real *d = zeros(t, y);
    if (!d) return;
    t->bias_part += t->k->norm_relevance(d, y->cols, tape_grad_of(y), y->ld, nd->in[1]->data, nd->in[2]->data, at->inv,
                                         y->rows, y->cols);
    residual_pass(t, nd, d);
}

static const OpDesc RESIDUAL_NORM = { "residual_norm", residual_norm_backward, residual_norm_relevance };

Tensor *op_residual_norm(Tape *t, Tensor *x, Tensor *z, const int *z_row, double p, const int *group, Tensor *a,
                         Tensor *b, NormKind kind, double eps)
{
    if (!x || !z || !a || !b) return NULL;
    if (x->cols != z->cols || (!z_row && x->rows != z->rows))
        return tape_fail(t, ERR_RANGE, "residual_norm: [%d, %d] + [%d, %d]", x->rows, x->cols, z->rows, z->cols);
    Real *sum = tape_scratch(t, tensor_size(x), sizeof *sum);
    bool drop = t->training && p > 0;
    EmbedArgs terms[2] = { { .table = x->data, .ld = x->ld }, { .table = z->data, .ld = z->ld } };
    if (z_row) terms[1].index = tape_ints(t, z_row, x->rows);
    if (drop) terms[1].drop = (Drop){ p, tape_next_key(t), group ? tape_ints(t, group, x->rows) : NULL };
    if (tape_status(t) != OK) return NULL;
    t->k->embed_fwd(sum, x->cols, x->rows, x->cols, terms, 2);
    Node *nd;
    Tensor *y = norm_of(t, &RESIDUAL_NORM, sum, x->cols, x->rows, x->cols, a, b, kind, eps, &nd);
    if (!y) return NULL;
    nd->in[0] = x;
    nd->in[3] = z;
    NormAttr *at = nd->attr;
    at->drop = terms[1].drop;
    at->z_row = terms[1].index;
    return y;
}

const Real *norm_inverse(const Tensor *y)
{
    const Node *nd = y ? y->first_writer : NULL;
    return nd && (nd->op == &NORM || nd->op == &RESIDUAL_NORM) ? ((const NormAttr *)nd->attr)->inv : NULL;
}
