/* Fenceposts, span features, arc and type scores. */
#include "tensor/node_attrs.h"

typedef struct FenceAttr {
    const int *source, *start;
    int n_sent;
} FenceAttr;

static void fenceposts_backward(Tape *t, const Node *nd)
{
    const FenceAttr *at = nd->attr;
    Real *dy = tape_grad(t, nd->in[0]);
    if (dy)
        tape_run(t, nd->op->name, fencepost_bwd, dy, tape_grad_of(nd->out[0]), at->source, at->start, at->n_sent,
                 nd->out[0]->cols);
}

static const OpDesc FENCEPOSTS = { "fenceposts", fenceposts_backward, NULL };

Tensor *op_fenceposts(Tape *tape, Tensor *y, const int *source, const Batch *batch)
{
    if (!y) return NULL;
    if (y->rows != batch->n_tokens || y->ld != y->cols || y->cols % 2)
        return tape_fail(tape, ERR_RANGE, "fenceposts: [%d, %d]", y->rows, y->cols);
    Tensor *f = tape_new(tape, y->rows - batch->n_sent, y->cols);
    const FenceAttr at = { tape_upload(tape, source, (size_t)y->cols, sizeof *source),
                           tape_upload(tape, batch->start, (size_t)batch->n_sent + 1, sizeof(int)), batch->n_sent };
    if (!tape_record(tape, &FENCEPOSTS, f, &at, sizeof at, y)) return NULL;
    tape_run(tape, FENCEPOSTS.name, fencepost_fwd, f->data, y->data, at.source, at.start, at.n_sent, y->cols);
    return tape_done(tape, f);
}

static void span_diff_backward(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0];
    Tensor *g = nd->in[0], *bias = nd->in[1];
    Real *dg = tape_grad(t, g), *db = bias ? tape_grad(t, bias) : NULL;
    if (tape_status(t) == OK)
        tape_run(t, nd->op->name, span_diff_bwd, dg, g->ld, db, tape_grad_of(y), ((const SpanAttr *)nd->attr)->spans,
                 y->rows, y->cols);
}

static void span_diff_relevance(Tape *t, const Node *nd)
{
    const Tensor *y = nd->out[0], *bias = nd->in[1];
    const Real *dy = tape_grad_of(y);
    Real *dg = tape_grad(t, nd->in[0]);
    if (dg)
        tape_run(t, nd->op->name, span_diff_bwd, dg, nd->in[0]->ld, NULL, dy, ((const SpanAttr *)nd->attr)->spans,
                 y->rows, y->cols);
    if (bias) tape_run(t, nd->op->name, bias_relevance, t->part, dy, y->ld, bias->data, y->rows, y->cols);
}

static const OpDesc SPAN_DIFF = { "span_diff", span_diff_backward, span_diff_relevance };

Tensor *op_span_diff(Tape *tape, Tensor *g, const int *spans, int n, Tensor *bias)
{
    if (!g) return NULL;
    for (int s = 0; s < n; s++) {
        const int *span = spans + 2 * (ptrdiff_t)s;
        if (span[0] < 0 || span[0] > span[1] || span[1] >= g->rows)
            return tape_fail(tape, ERR_RANGE, "span_diff: span %d is (%d, %d) but g has %d rows", s, span[0], span[1],
                             g->rows);
    }
    Tensor *y = tape_new(tape, n, g->cols);
    const SpanAttr at = { tape_upload(tape, spans, 2 * (size_t)n, sizeof *spans) };
    if (!tape_record(tape, &SPAN_DIFF, y, &at, sizeof at, g, bias)) return NULL;
    tape_run(tape, SPAN_DIFF.name, span_diff_fwd, y->data, g->data, g->ld, at.spans, bias ? bias->data : NULL, n,
             g->cols);
    return tape_done(tape, y);
}

/* ---- arcs */

/* The arguments with room for gradients. */
static ArcArgs with_gradients(Tape *t, const Node *nd)
{
    ArcArgs a = *(const ArcArgs *)nd->attr;
    a.ds = tape_grad_of(nd->out[0]);
    a.dx = tape_grad(t, nd->in[0]);
    a.db = tape_grad(t, nd->in[1]);
    return a;
}

static void arc_scores_backward(Tape *t, const Node *nd)
{
    ArcArgs a = with_gradients(t, nd);
    a.dlast = tape_grad(t, nd->in[2]);
    if (tape_status(t) == OK) tape_run(t, nd->op->name, arc_scores_bwd, &a);
}

static void arc_scores_walk_relevance(Tape *t, const Node *nd)
{
    ArcArgs a = with_gradients(t, nd);
    a.part = t->part;
    if (tape_status(t) == OK) tape_run(t, nd->op->name, arc_scores_relevance, &a);
}

static const OpDesc ARC_SCORES = { "arc_scores", arc_scores_backward, arc_scores_walk_relevance };

/* Fills start, pair_start and longest; *pairs is their number. */
static bool arc_layout(Tape *t, const Batch *batch, ArcArgs *a, long *pairs)
{
    size_t n = (size_t)batch->n_sent + 1;
    int *start = tape_host(t, n, sizeof *start);
    long *pair_start = tape_host(t, n, sizeof *pair_start);
    if (!start || !pair_start) return false;
    *pairs = 0;
    for (int s = 0; s <= batch->n_sent; s++) {
        start[s] = batch->start[s] - s;
        int m = s ? start[s] - start[s - 1] : 0;
        *pairs += (long)m * m;
        pair_start[s] = *pairs;
        if (m > a->longest) a->longest = m;
    }
    a->n_sent = batch->n_sent;
    a->start = tape_upload(t, start, n, sizeof *start);
    a->pair_start = tape_upload(t, pair_start, n, sizeof *pair_start);
    return tape_status(t) == OK;
}

Tensor *op_arc_scores(Tape *tape, Tensor *x, Tensor *b, Tensor *last, const Batch *batch)
{
    if (!x || !b || !last) return NULL;
    int rows = batch->n_tokens - batch->n_sent, d = b->cols;
    if (x->cols != d + 1 || x->rows != rows || b->rows != rows || last->cols != d + 1)
        return tape_fail(tape, ERR_RANGE, "arc_scores: x [%d, %d], b [%d, %d]", x->rows, x->cols, b->rows, b->cols);
    ArcArgs a = { .d = d, .x = x->data, .ldx = x->ld, .b = b->data, .ldb = b->ld, .last = last->data };
    long pairs;
    if (!arc_layout(tape, batch, &a, &pairs)) return NULL;
    a.scratch = tape_scratch(tape, (size_t)a.longest * (size_t)(d + 1), sizeof(Real));
    Tensor *y = tape_new(tape, 1, pairs);
    if (!y) return NULL;
    a.s = y->data;
    if (!tape_record(tape, &ARC_SCORES, y, &a, sizeof a, x, b, last)) return NULL;
    tape_run(tape, ARC_SCORES.name, arc_scores_fwd, &a);
    return tape_done(tape, y);
}

/* ---- what lies between the words of an arc */

typedef struct BetweenAttr {
    int n_sent;
    const int *start; /* [n_sent + 1] fenceposts, on the host */
    long most;        /* fenceposts of the longest sentence, squared */
} BetweenAttr;

/* products [2, n, n] = weights times sums, by their two halves, of a sentence of n fenceposts from row s. */
static void weigh(Tape *t, const Tensor *sums, const Tensor *weights, int s, int n, Real *products)
{
    for (int side = 0; side < 2; side++)
        tape_run(t, "between", gemm, false, true, n, n, sums->cols, 1,
                 tensor_row(weights, s) + (ptrdiff_t)side * sums->cols, weights->ld, tensor_row(sums, s), sums->ld, 0,
                 products + side * (ptrdiff_t)n * n, n);
}

/* Gradients, or with `relevance` of the sums alone. */
static void between_gradients(Tape *t, const Node *nd, bool relevance)
{
    const BetweenAttr *at = nd->attr;
    const char *who = nd->op->name;
    Tensor *p = nd->in[0];
    int w = p->cols;
    Real *dp = tape_grad(t, p), *da = tape_scratch(t, 2 * (size_t)at->most, sizeof *da);
    if (!da || tape_status(t) != OK) return;
    for (int of_heads = 0; of_heads < 2; of_heads++) {
        Tensor *e = nd->in[1 + of_heads];
        const Real *ds = tape_grad_of(nd->out[0]);
        Real *de = relevance ? NULL : tape_grad(t, e);
        for (int b = 0; e && b < at->n_sent; b++) {
            int s = at->start[b], n = at->start[b + 1] - s;
            tape_run(t, who, between_bwd, da, ds, n, of_heads);
            for (int side = 0; side < 2; side++) {
                const Real *d = da + side * (ptrdiff_t)n * n, *es = tensor_row(e, s) + (ptrdiff_t)side * w;
                if (dp)
                    tape_run(t, who, gemm, true, false, n, w, n, 1, d, n, es, e->ld, 1, dp + (ptrdiff_t)s * p->ld,
                             p->ld);
                if (de)
                    tape_run(t, who, gemm, false, false, n, w, n, 1, d, n, tensor_row(p, s), p->ld, 1,
                             de + (ptrdiff_t)s * e->ld + (ptrdiff_t)side * w, e->ld);
            }
            ds += (ptrdiff_t)n * n;
        }
    }
}

static void between_backward(Tape *t, const Node *nd) { between_gradients(t, nd, false); }
static void between_relevance(Tape *t, const Node *nd) { between_gradients(t, nd, true); }

static const OpDesc BETWEEN = { "between", between_backward, between_relevance };

Tensor *op_between(Tape *tape, Tensor *sums, Tensor *dependent, Tensor *head, const Batch *batch)
{
    if (!sums || !dependent || !head) return NULL;
    int w = sums->cols, *start = tape_host(tape, (size_t)batch->n_sent + 1, sizeof *start);
    if (!start) return NULL;
    if (sums->rows != batch->n_tokens - batch->n_sent || dependent->rows != sums->rows || dependent->cols != 2 * w ||
        head->rows != sums->rows || head->cols != 2 * w)
        return tape_fail(tape, ERR_RANGE, "between: sums [%d, %d], weights [%d, %d] and [%d, %d]", sums->rows, w,
                         dependent->rows, dependent->cols, head->rows, head->cols);
    BetweenAttr at = { batch->n_sent, start, 0 };
    long pairs = 0;
    for (int b = 0; b <= batch->n_sent; b++) {
        start[b] = batch->start[b] - b;
        long n = b ? start[b] - start[b - 1] : 0;
        pairs += n * n;
        if (n * n > at.most) at.most = n * n;
    }
    Tensor *y = tape_new(tape, 1, pairs);
    Real *products = tape_scratch(tape, 2 * (size_t)at.most, sizeof *products);
    if (!products || !tape_record(tape, &BETWEEN, y, &at, sizeof at, sums, dependent, head)) return NULL;
    Real *out = y->data;
    for (int b = 0; b < at.n_sent; b++) {
        int s = start[b], n = start[b + 1] - s;
        for (int of_heads = 0; of_heads < 2; of_heads++) {
            weigh(tape, sums, of_heads ? head : dependent, s, n, products);
            tape_run(tape, BETWEEN.name, between_fwd, out, products, n, of_heads);
        }
        out += (ptrdiff_t)n * n;
    }
    return tape_done(tape, y);
}

/* ---- types */

static void bilinear_backward(Tape *t, const Node *nd)
{
    const Tensor *s = nd->out[0];
    Tensor *a = nd->in[0], *b = nd->in[1], *u = nd->in[2];
    Real *scratch = tape_scratch(t, 2 * (size_t)BILINEAR_ROWS * (size_t)u->cols, sizeof *scratch);
    Real *da = tape_grad(t, a), *db = tape_grad(t, b), *du = tape_grad(t, u);
    if (tape_status(t) == OK)
        tape_run(t, nd->op->name, bilinear_bwd, tape_grad_of(s), s->ld, da, a->ld, db, b->ld, du, a->data, a->ld,
                 b->data, b->ld, u->data, s->rows, a->cols, s->cols, scratch);
}

/* Each factor gets half of the product. */
static void bilinear_relevance(Tape *t, const Node *nd)
{
    const Tensor *s = nd->out[0];
    Tensor *a = nd->in[0], *b = nd->in[1], *u = nd->in[2];
    const Real *ds = tape_grad_of(s);
    Real *scratch = tape_scratch(t, 2 * (size_t)BILINEAR_ROWS * (size_t)u->cols, sizeof *scratch),
         *half = tape_scratch(t, tensor_size(s), sizeof *half);
    Real *da = tape_grad(t, a), *db = tape_grad(t, b);
    if (tape_status(t) != OK) return;
    tape_run(t, nd->op->name, scale, half, s->cols, ds, s->ld, s->rows, s->cols, (Real)0.5);
    tape_run(t, nd->op->name, bilinear_bwd, half, s->cols, da, a->ld, db, b->ld, NULL, a->data, a->ld, b->data, b->ld,
             u->data, s->rows, a->cols, s->cols, scratch);
}

static const OpDesc BILINEAR = { "bilinear", bilinear_backward, bilinear_relevance };

Tensor *op_bilinear(Tape *tape, Tensor *a, Tensor *b, Tensor *u, int types)
{
    if (!a || !b || !u) return NULL;
    if (a->cols != b->cols || a->rows != b->rows || u->rows != a->cols || u->cols != (long)types * a->cols)
        return tape_fail(tape, ERR_RANGE, "bilinear: a [%d, %d], b [%d, %d], u [%d, %d]", a->rows, a->cols, b->rows,
                         b->cols, u->rows, u->cols);
    if (u->ld != u->cols) return tape_fail(tape, ERR_RANGE, "bilinear: not contiguous");
    Tensor *s = tape_new(tape, a->rows, types);
    Real *scratch = tape_scratch(tape, (size_t)BILINEAR_ROWS * (size_t)u->cols, sizeof *scratch);
    if (!tape_record(tape, &BILINEAR, s, NULL, 0, a, b, u)) return NULL;
    tape_run(tape, BILINEAR.name, bilinear_fwd, s->data, s->ld, a->data, a->ld, b->data, b->ld, tensor_weight(u),
             a->rows, scratch);
    return tape_done(tape, s);
}
