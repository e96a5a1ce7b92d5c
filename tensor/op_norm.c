/* Layer norm, alone and of a residual sum. */
#include "tensor/node_attrs.h"

static void norm_backward(Tape *t, const Node *nd)
{
    const NormAttr *at = nd->attr;
    const Tensor *y = nd->out[0];
    Tensor *x = nd->in[0], *a = nd->in[1], *b = nd->in[2];
    Real *dx = tape_grad(t, x), *da = tape_grad(t, a), *db = tape_grad(t, b);
    if (tape_status(t) == OK)
        tape_run(t, nd->op->name, norm_bwd, dx, x->ld, da, db, tape_grad_of(y), y->ld, at->x, at->ldx, a->data,
                 at->mean, at->inv, y->rows, y->cols, at->kind, at->eps);
}

static void norm_relevance(Tape *t, const Node *nd)
{
    const NormAttr *at = nd->attr;
    const Tensor *y = nd->out[0];
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx)
        tape_run(t, nd->op->name, norm_relevance, dx, nd->in[0]->ld, tape_grad_of(y), y->ld, nd->in[1]->data,
                 nd->in[2]->data, at->inv, y->rows, y->cols, t->part);
}

static const OpDesc NORM = { "norm", norm_backward, norm_relevance };

/* The norm of x, or, with z, of the sum of terms, which are they; it is written to at.x, dense, or, if that is NULL, to
 * where the norm will be. */
static Tensor *norm_of(Tape *t, const OpDesc *op, NormAttr at, Tensor *x, Tensor *z, const EmbedArgs *terms, Tensor *a,
                       Tensor *b)
{
    int rows = x->rows, cols = x->cols;
    if (a->cols != cols || b->cols != cols)
        return tape_fail(t, ERR_RANGE, "norm: %d columns, weights of %d", cols, a->cols);
    Tensor *y = tape_new(t, rows, cols);
    if (!y) return NULL;
    if (!at.x) at.x = y->data;
    at.mean = tape_scratch(t, (size_t)rows, sizeof(Real));
    at.inv = tape_scratch(t, (size_t)rows, sizeof(Real));
    if (!tape_record(t, op, y, &at, sizeof at, x, a, b, z)) return NULL;
    if (z)
        tape_run(t, op->name, residual_norm_fwd, y->data, y->ld, at.x, terms, a->data, b->data, at.mean, at.inv, rows,
                 cols, at.kind, at.eps);
    else
        tape_run(t, op->name, norm_fwd, y->data, y->ld, at.x, at.ldx, a->data, b->data, at.mean, at.inv, rows, cols,
                 at.kind, at.eps);
    return tape_done(t, y);
}

Tensor *op_norm(Tape *tape, Tensor *x, Tensor *a, Tensor *b, NormKind kind, double eps)
{
    if (!x || !a || !b) return NULL;
    if (x->cols == 1) return x;
    const NormAttr at = { .x = x->data, .ldx = x->ld, .kind = kind, .eps = eps };
    return norm_of(tape, &NORM, at, x, NULL, NULL, a, b);
}

/* Adds d, dense, to the gradients of both terms of the sum. */
static void residual_pass(Tape *t, const Node *nd, const Real *d)
{
    const NormAttr *at = nd->attr;
    const Tensor *y = nd->out[0];
    Tensor *x = nd->in[0], *z = nd->in[3];
    Real *dx = tape_grad(t, x), *dz = tape_grad(t, z);
    if (dx) tape_run(t, nd->op->name, add, dx, x->ld, d, y->cols, y->rows, y->cols);
    if (!dz) return;
    EmbedArgs a = { .n = 1, .term = { { z->data, dz, z->ld, at->z_row, at->drop } } };
    tape_run(t, nd->op->name, embed_bwd, d, y->cols, y->rows, y->cols, &a);
}

static Real *zeros(Tape *t, const Tensor *y)
{
    Real *d = tape_scratch(t, tensor_size(y), sizeof *d);
    if (d) tape_run(t, "residual_norm", fill, d, tensor_size(y), 0);
    return d;
}

static void residual_norm_backward(Tape *t, const Node *nd)
{
    const NormAttr *at = nd->attr;
    const Tensor *y = nd->out[0];
    Tensor *a = nd->in[1], *b = nd->in[2];
    Real *d = zeros(t, y);
    if (!d) return;
    Real *da = tape_grad(t, a), *db = tape_grad(t, b);
    tape_run(t, nd->op->name, norm_bwd, d, y->cols, da, db, tape_grad_of(y), y->ld, at->x, at->ldx, a->data, at->mean,
             at->inv, y->rows, y->cols, at->kind, at->eps);
    residual_pass(t, nd, d);
}

static void residual_norm_relevance(Tape *t, const Node *nd)
{
    const NormAttr *at = nd->attr;
    const Tensor *y = nd->out[0];
    Real *d = zeros(t, y);
    if (!d) return;
    tape_run(t, nd->op->name, norm_relevance, d, y->cols, tape_grad_of(y), y->ld, nd->in[1]->data, nd->in[2]->data,
             at->inv, y->rows, y->cols, t->part);
    residual_pass(t, nd, d);
}

static const OpDesc RESIDUAL_NORM = { "residual_norm", residual_norm_backward, residual_norm_relevance };

Tensor *op_residual_norm(Tape *tape, Tensor *x, Tensor *z, const int *z_row, double p, const int *group, Tensor *a,
                         Tensor *b, NormKind kind, double eps)
{
    if (!x || !z || !a || !b) return NULL;
    if (x->cols != z->cols || (!z_row && x->rows != z->rows))
        return tape_fail(tape, ERR_RANGE, "residual_norm: [%d, %d] + [%d, %d]", x->rows, x->cols, z->rows, z->cols);
    Real *sum = tape->recording ? tape_scratch(tape, tensor_size(x), sizeof *sum) : NULL; /* NULL: normed in place */
    bool drop = tape->training && p > 0;
    size_t rows = (size_t)x->rows;
    EmbedArgs e = { .n = 2, .term = { { .table = x->data, .ld = x->ld }, { .table = z->data, .ld = z->ld } } };
    if (z_row) e.term[1].index = tape_upload(tape, z_row, rows, sizeof *z_row);
    if (drop)
        e.term[1].drop = (Drop){ p, tape_next_key(tape), group ? tape_upload(tape, group, rows, sizeof *group) : NULL };
    const NormAttr at = {
        .x = sum, .ldx = x->cols, .kind = kind, .eps = eps, .drop = e.term[1].drop, .z_row = e.term[1].index
    };
    return norm_of(tape, &RESIDUAL_NORM, at, x, z, &e, a, b);
}

HostMatrix op_norm_inverse(Tape *tape, const Tensor *y, Arena *arena)
{
    const Node *nd = y ? y->first_writer : NULL;
    if (!nd || (nd->op != &NORM && nd->op != &RESIDUAL_NORM)) return (HostMatrix){ .data = NULL };
    Tensor inverse = { .data = ((const NormAttr *)nd->attr)->inv, .rows = y->rows, .cols = 1, .ld = 1 };
    return tensor_host(tape, &inverse, arena);
}
