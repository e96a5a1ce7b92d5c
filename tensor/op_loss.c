/* tensor/op_loss.c: losses, each a [1, 1] tensor. */
#include <string.h>

#include "tensor/ops.h"

typedef struct EntropyAttr {
    const long *row;
    const int *len, *gold;
    int rows;
} EntropyAttr;

static void cross_entropy_backward(Tape *t, const Node *nd)
{
    const EntropyAttr *at = nd->attr;
    Real *dx = tape_grad(t, nd->in[0]);
    if (dx)
        t->k->cross_entropy_bwd(dx, nd->in[0]->data, at->row, at->len, at->gold, at->rows, *tape_grad_of(nd->out[0]));
}

static const OpDesc CROSS_ENTROPY = { "cross_entropy", cross_entropy_backward, NULL };

Tensor *op_cross_entropy(Tape *t, Tensor *x, const long *row, const int *len, const int *gold, int rows)
{
    if (!x) return NULL;
    if (x->ld != x->cols) return tape_fail(t, ERR_RANGE, "cross_entropy: not contiguous");
    for (int r = 0; r < rows; r++)
        if (gold[r] >= len[r] || row[r] < 0 || (size_t)row[r] + (size_t)len[r] > tensor_size(x))
            return tape_fail(t, ERR_RANGE, "cross_entropy: row %d wants %d of %d", r, gold[r], len[r]);
    Tensor *y = tape_new(t, 1, 1);
    Node *nd = y ? tape_record(t, &CROSS_ENTROPY, y, sizeof(EntropyAttr)) : NULL;
    long *copy = arena_alloc(&t->host, (size_t)rows, sizeof *copy);
    if (!nd || !copy) return NULL;
    if (rows) memcpy(copy, row, (size_t)rows * sizeof *copy);
    nd->in[0] = x;
    *(EntropyAttr *)nd->attr = (EntropyAttr){ copy, tape_ints(t, len, rows), tape_ints(t, gold, rows), rows };
    if (tape_status(t) != OK) return NULL;
    y->data[0] = (Real)t->k->cross_entropy_fwd(x->data, row, len, gold, rows);
    return y;
}

typedef struct PickAttr {
    const int *r, *c;
    const Real *weight;
    int n;
    double constant;
} PickAttr;

static void pick_backward(Tape *t, const Node *nd)
{
    const PickAttr *at = nd->attr;
    Tensor *x = nd->in[0];
    Real *dx = tape_grad(t, x), dy = *tape_grad_of(nd->out[0]);
    for (int i = 0; dx && i < at->n; i++) dx[(ptrdiff_t)at->r[i] * x->ld + at->c[i]] += dy * at->weight[i];
}

static void pick_relevance(Tape *t, const Node *nd)
{
    pick_backward(t, nd);
    t->bias_part += ((const PickAttr *)nd->attr)->constant * (double)*tape_grad_of(nd->out[0]);
}

static const OpDesc PICK = { "pick", pick_backward, pick_relevance };

Tensor *op_pick(Tape *t, Tensor *x, const int *r, const int *c, const Real *weight, int n, double constant)
{
    if (!x) return NULL;
    double sum = constant;
    for (int i = 0; i < n; i++) {
        if (r[i] < 0 || r[i] >= x->rows || c[i] < 0 || c[i] >= x->cols)
            return tape_fail(t, ERR_RANGE, "pick: (%d, %d) of [%d, %d]", r[i], c[i], x->rows, x->cols);
        sum += (double)weight[i] * (double)tensor_row(x, r[i])[c[i]];
    }
    Tensor *y = tape_new(t, 1, 1);
    Node *nd = y ? tape_record(t, &PICK, y, sizeof(PickAttr)) : NULL;
    Real *w = arena_alloc(&t->host, (size_t)n, sizeof *w);
    if (!nd || !w) return NULL;
    if (n) memcpy(w, weight, (size_t)n * sizeof *w);
    nd->in[0] = x;
    *(PickAttr *)nd->attr = (PickAttr){ tape_ints(t, r, n), tape_ints(t, c, n), w, n, constant };
    if (tape_status(t) != OK) return NULL;
    y->data[0] = (Real)sum;
    return y;
}

typedef struct SumAttr {
    int n;
    double weight[NODE_INPUTS];
} SumAttr;

static void weighted_sum_backward(Tape *t, const Node *nd)
{
    const SumAttr *at = nd->attr;
    for (int i = 0; i < at->n; i++) {
        Real *dx = tape_grad(t, nd->in[i]);
        if (dx) *dx += (Real)(at->weight[i] * (double)*tape_grad_of(nd->out[0]));
    }
}

static const OpDesc WEIGHTED_SUM = { "weighted_sum", weighted_sum_backward, NULL };

Tensor *op_weighted_sum(Tape *t, Tensor *const *x, const double *weight, int n)
{
    if (n > NODE_INPUTS) return tape_fail(t, ERR_RANGE, "weighted_sum: %d terms", n);
    Tensor *y = tape_new(t, 1, 1);
    Node *nd = y ? tape_record(t, &WEIGHTED_SUM, y, sizeof(SumAttr)) : NULL;
    if (!nd) return NULL;
    SumAttr *at = nd->attr;
    double sum = 0;
    at->n = n;
    for (int i = 0; i < n; i++) {
        if (!x[i]) return NULL;
        nd->in[i] = x[i];
        at->weight[i] = weight[i];
        sum += weight[i] * (double)x[i]->data[0];
    }
    y->data[0] = (Real)sum;
    return y;
}
