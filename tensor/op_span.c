/* tensor/op_span.c: fenceposts, span features, arc and type scores. */
#include <string.h>

#include "tensor/ops.h"

typedef struct FenceAttr {
    const int *source, *start;
    int n_sent;
} FenceAttr;

static void fenceposts_backward(Tape *t, const Node *nd)
{
    const FenceAttr *at = nd->attr;
    Real *dy = tape_grad(t, nd->in[0]);
    if (dy) t->k->fencepost_bwd(dy, tape_grad_of(nd->out[0]), at->source, at->start, at->n_sent, nd->out[0]->cols);
}

static const OpDesc FENCEPOSTS = { "fenceposts", fenceposts_backward, NULL };

Tensor *op_fenceposts(Tape *t, Tensor *y, const int *source, const Batch *batch)
{
    if (!y) return NULL;
    if (y->rows != batch->n_tokens || y->ld != y->cols || y->cols % 2)
        return tape_fail(t, ERR_RANGE, "fenceposts: [%d, %d]", y->rows, y->cols);
    Tensor *f = tape_new(t, y->rows - batch->n_sent, y->cols);
    Node *nd = f ? tape_record(t, &FENCEPOSTS, f, sizeof(FenceAttr)) : NULL;
    if (!nd) return NULL;
    nd->in[0] = y;
    FenceAttr *at = nd->attr;
    *at = (FenceAttr){ tape_ints(t, source, y->cols), tape_ints(t, batch->start, batch->n_sent + 1), batch->n_sent };
    if (tape_status(t) != OK) return NULL;
    t->k->fencepost_fwd(f->data, y->data, at->source, at->start, at->n_sent, y->cols);
    return f;
}

typedef struct SpanAttr {
    const int *spans;
} SpanAttr;

static void span_diff_backward(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0];
    Tensor *g = nd->in[0], *bias = nd->in[1];
    Real *dg = tape_grad(t, g), *db = bias ? tape_grad(t, bias) : NULL;
    if (tape_status(t) == OK)
        t->k->span_diff_bwd(dg, g->ld, db, tape_grad_of(y), ((const SpanAttr *)nd->attr)->spans, y->rows, y->cols);
}

static void span_diff_relevance(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0], *bias = nd->in[1];
    const Real *dy = tape_grad_of(y);
    Real *dg = tape_grad(t, nd->in[0]);
    if (dg) t->k->span_diff_bwd(dg, nd->in[0]->ld, NULL, dy, ((const SpanAttr *)nd->attr)->spans, y->rows, y->cols);
    for (int r = 0; bias && r < y->rows; r++)
        for (int c = 0; c < y->cols; c++) t->bias_part += (double)dy[(ptrdiff_t)r * y->ld + c] * (double)bias->data[c];
}

static const OpDesc SPAN_DIFF = { "span_diff", span_diff_backward, span_diff_relevance };

Tensor *op_span_diff(Tape *t, Tensor *g, const int *spans, int n, Tensor *bias)
{
    if (!g) return NULL;
    for (int s = 0; s < n; s++)
        if (spans[2 * s] < 0 || spans[2 * s] >= spans[2 * s + 1] || spans[2 * s + 1] >= g->rows)
            return tape_fail(t, ERR_RANGE, "span_diff: span %d is (%d, %d) but g has %d rows", s, spans[2 * s],
                             spans[2 * s + 1], g->rows);
    Tensor *y = tape_new(t, n, g->cols);
    Node *nd = y ? tape_record(t, &SPAN_DIFF, y, sizeof(SpanAttr)) : NULL;
    const int *copy = nd ? tape_ints(t, spans, 2 * n) : NULL;
    if (!copy) return NULL;
    nd->in[0] = g;
    nd->in[1] = bias;
    ((SpanAttr *)nd->attr)->spans = copy;
    t->k->span_diff_fwd(y->data, g->data, g->ld, copy, bias ? bias->data : NULL, n, g->cols);
    return y;
}

/* ---- arcs */

typedef struct ArcAttr {
    const int *start; /* of fenceposts, [n_sent + 1] */
    int n_sent;
} ArcAttr;

/* The head side of the sentence whose fenceposts are rows from .. from + n: x + last, dense. */
static void head_side(Real *to, const Tensor *x, const Tensor *last, int from, int n)
{
    for (int r = 0; r < n; r++)
        for (int c = 0; c < x->cols; c++) to[(ptrdiff_t)r * x->cols + c] = tensor_row(x, from + r)[c] + last->data[c];
}

static int longest_of(const ArcAttr *at)
{
    int longest = 0;
    for (int s = 0; s < at->n_sent; s++)
        if (at->start[s + 1] - at->start[s] > longest) longest = at->start[s + 1] - at->start[s];
    return longest;
}

static void arc_scores_backward(Tape *t, const Node *nd)
{
    const ArcAttr *at = nd->attr;
    Tensor *x = nd->in[0], *b = nd->in[1], *last = nd->in[2];
    const Real *ds = tape_grad_of(nd->out[0]);
    int d = b->cols, longest = longest_of(at);
    Real *dx = tape_grad(t, x), *db = tape_grad(t, b), *dlast = tape_grad(t, last);
    Real *side = tape_scratch(t, (size_t)longest * (size_t)(d + 1), sizeof *side);
    for (int s = 0; s < at->n_sent && tape_status(t) == OK; s++) {
        int from = at->start[s], n = at->start[s + 1] - from;
        if (db) {
            head_side(side, x, last, from, n);
            t->k->gemm(false, false, n, d, n, 1, ds, n, side, d + 1, 1, db + (ptrdiff_t)from * b->ld, b->ld);
        }
        t->k->gemm(true, false, n, d, n, 1, ds, n, tensor_row(b, from), b->ld, 0, side, d + 1);
        for (int g = 0; g < n; g++) {
            Real *row = side + (ptrdiff_t)g * (d + 1);
            row[d] = 0;
            for (int c = 0; c < n; c++) row[d] += ds[(ptrdiff_t)c * n + g];
        }
        if (dx) t->k->add(dx + (ptrdiff_t)from * x->ld, x->ld, side, d + 1, n, d + 1);
        if (dlast) t->k->column_sum(dlast, side, d + 1, n, d + 1);
        ds += (ptrdiff_t)n * n;
    }
}

/* Each side takes half of their product; the dependents take all of last's columns, its corner is a bias. */
static void arc_scores_relevance(Tape *t, const Node *nd)
{
    const ArcAttr *at = nd->attr;
    Tensor *x = nd->in[0], *b = nd->in[1];
    const Tensor *last = nd->in[2];
    const Real *ds = tape_grad_of(nd->out[0]);
    int d = b->cols;
    Real *dx = tape_grad(t, x), *db = tape_grad(t, b), half = (Real)0.5;
    for (int s = 0; s < at->n_sent && tape_status(t) == OK; s++) {
        int from = at->start[s], n = at->start[s + 1] - from;
        if (db)
            t->k->gemm(false, false, n, d, n, half, ds, n, tensor_row(x, from), x->ld, 1, db + (ptrdiff_t)from * b->ld,
                       b->ld);
        if (dx)
            t->k->gemm(true, false, n, d, n, half, ds, n, tensor_row(b, from), b->ld, 1, dx + (ptrdiff_t)from * x->ld,
                       x->ld);
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int g = 0; g < n; g++) {
                Real v = ds[(ptrdiff_t)c * n + g];
                sum += (double)v;
                if (dx) dx[(ptrdiff_t)(from + g) * x->ld + d] += v;
            }
            for (int k = 0; db && k < d; k++)
                db[(ptrdiff_t)(from + c) * b->ld + k] += (Real)(sum * (double)last->data[k]);
            t->bias_part += sum * (double)last->data[d];
        }
        ds += (ptrdiff_t)n * n;
    }
}

static const OpDesc ARC_SCORES = { "arc_scores", arc_scores_backward, arc_scores_relevance };

Tensor *op_arc_scores(Tape *t, Tensor *x, Tensor *b, Tensor *last, const Batch *batch)
{
    if (!x || !b || !last) return NULL;
    int rows = batch->n_tokens - batch->n_sent, d = b->cols;
    if (x->cols != d + 1 || x->rows != rows || b->rows != rows || last->cols != d + 1)
        return tape_fail(t, ERR_RANGE, "arc_scores: x [%d, %d], b [%d, %d]", x->rows, x->cols, b->rows, b->cols);
    int *start = arena_alloc(&t->host, (size_t)batch->n_sent + 1, sizeof *start);
    if (!start) return tape_fail(t, ERR_NOMEM, "arc_scores: out of memory");
    long total = 0;
    for (int s = 0; s <= batch->n_sent; s++) {
        start[s] = batch->start[s] - s;
        if (s) total += (long)(start[s] - start[s - 1]) * (start[s] - start[s - 1]);
    }
    if (total > 0x7fffffff) return tape_fail(t, ERR_LIMIT, "arc_scores: %ld pairs in one batch", total);
    Tensor *y = tape_new(t, 1, (int)total);
    Node *nd = y ? tape_record(t, &ARC_SCORES, y, sizeof(ArcAttr)) : NULL;
    if (!nd) return NULL;
    nd->in[0] = x;
    nd->in[1] = b;
    nd->in[2] = last;
    *(ArcAttr *)nd->attr = (ArcAttr){ start, batch->n_sent };
    Real *side = tape_scratch(t, (size_t)longest_of(nd->attr) * (size_t)(d + 1), sizeof *side), *out = y->data;
    for (int s = 0; s < batch->n_sent && side; s++) {
        int from = start[s], n = start[s + 1] - from;
        head_side(side, x, last, from, n);
        for (int c = 0; c < n; c++)
            for (int g = 0; g < n; g++) out[(ptrdiff_t)c * n + g] = side[(ptrdiff_t)g * (d + 1) + d];
        t->k->gemm(false, true, n, n, d, 1, tensor_row(b, from), b->ld, side, d + 1, 1, out, n);
        out += (ptrdiff_t)n * n;
    }
    return side ? y : NULL;
}

/* ---- types */

static void bilinear_backward(Tape *t, const Node *nd)
{
    const Tensor *s = nd->out[0];
    Tensor *a = nd->in[0], *b = nd->in[1], *u = nd->in[2];
    Real *scratch = tape_scratch(t, 2 * (size_t)BILINEAR_ROWS * (size_t)u->cols, sizeof *scratch);
    Real *da = tape_grad(t, a), *db = tape_grad(t, b), *du = tape_grad(t, u);
    if (tape_status(t) == OK)
        t->k->bilinear_bwd(tape_grad_of(s), s->ld, da, a->ld, db, b->ld, du, a->data, a->ld, b->data, b->ld, u->data,
                           s->rows, a->cols, s->cols, scratch);
}

/* Each factor takes half of the product. */
static void bilinear_relevance(Tape *t, const Node *nd)
{
    const Tensor *s = nd->out[0];
    Tensor *a = nd->in[0], *b = nd->in[1], *u = nd->in[2];
    const Real *ds = tape_grad_of(s);
    Real *scratch = tape_scratch(t, 2 * (size_t)BILINEAR_ROWS * (size_t)u->cols, sizeof *scratch),
         *half = tape_scratch(t, tensor_size(s), sizeof *half);
    Real *da = tape_grad(t, a), *db = tape_grad(t, b);
    if (tape_status(t) != OK) return;
    for (int r = 0; r < s->rows; r++)
        for (int c = 0; c < s->cols; c++) half[(ptrdiff_t)r * s->cols + c] = ds[(ptrdiff_t)r * s->ld + c] / 2;
    t->k->bilinear_bwd(half, s->cols, da, a->ld, db, b->ld, NULL, a->data, a->ld, b->data, b->ld, u->data, s->rows,
                       a->cols, s->cols, scratch);
}

static const OpDesc BILINEAR = { "bilinear", bilinear_backward, bilinear_relevance };

Tensor *op_bilinear(Tape *t, Tensor *a, Tensor *b, Tensor *u, int types)
{
    if (!a || !b || !u) return NULL;
    if (a->cols != b->cols || a->rows != b->rows || u->rows != a->cols || u->cols != types * a->cols)
        return tape_fail(t, ERR_RANGE, "bilinear: a [%d, %d], b [%d, %d], u [%d, %d]", a->rows, a->cols, b->rows,
                         b->cols, u->rows, u->cols);
    Tensor *s = tape_new(t, a->rows, types);
    Node *nd = s ? tape_record(t, &BILINEAR, s, 0) : NULL;
    Real *scratch = tape_scratch(t, (size_t)BILINEAR_ROWS * (size_t)u->cols, sizeof *scratch);
    if (!nd || !scratch) return NULL;
    nd->in[0] = a;
    nd->in[1] = b;
    nd->in[2] = u;
    t->k->bilinear_fwd(s->data, s->ld, a->data, a->ld, b->data, b->ld, u->data, a->rows, a->cols, types, scratch);
    return s;
}
