/* Inside and outside sums on the host give the derivative by every cell; only cells that matter are
 * scored again, with a gradient, and a constant makes up for the others. */
#include "cky/tree_loss.h"

#include <math.h>

#include "cky/marginals.h"

/* Label cells to be scored with a gradient; each span of them is a row. */
typedef struct Cells {
    int *spans; /* [2 n_rows] */
    int *row, *col;
    Real *weight; /* [n], as are row and col */
    int n_rows, n, span_cap, row_cap, col_cap, weight_cap;
    double constant;
} Cells;

/* Adds the cells of a span, weight [labels], if they matter; what they contribute to the value is taken from the
 * constant. */
static bool add_span(Cells *c, int begin, int end, const Real *weight, const Real *scores, int labels, double cut)
{
    double size = 0;
    for (int l = 0; l < labels; l++) size += fabs((double)weight[l]);
    if (!(size > cut)) return true;
    if (!mem_reserve(c->spans, &c->span_cap, 2 * (c->n_rows + 1)) || !mem_reserve(c->row, &c->row_cap, c->n + labels) ||
        !mem_reserve(c->col, &c->col_cap, c->n + labels) || !mem_reserve(c->weight, &c->weight_cap, c->n + labels))
        return false;
    for (int l = 0; l < labels; l++) {
        if (weight[l] == 0) continue;
        c->row[c->n] = c->n_rows;
        c->col[c->n] = l;
        c->weight[c->n++] = weight[l];
        c->constant -= (double)weight[l] * (double)scores[l];
    }
    c->spans[2 * (ptrdiff_t)c->n_rows] = begin;
    c->spans[2 * c->n_rows++ + 1] = end;
    return true;
}

/* Makes the derivatives of the probabilities, and adds the loss to the constant. */
static void subtract_teacher(const SoftTree *tree, int labels, const Real *scores, Marginals *m, Cells *c)
{
    c->constant += m->log_z;
    for (int k = 0; k < tree->n_spans; k++) {
        const SoftSpan *x = &tree->spans[k];
        long cell = chart_span(tree->n_words, x->at.begin, x->at.end) * labels + x->at.label - 1;
        m->label[cell] -= (Real)x->p;
        c->constant -= (double)x->p * (double)scores[cell];
    }
}

static Status sentence(const Forward *f, const SpanScorer *s, Tensor *g, const SoftTree *tree, int first, double cut,
                       Arena *scratch, Cells *c)
{
    int n = tree->n_words, labels = s->n_labels - 1;
    Marginals m;
    Error *e = &f->t->error;
    Real *scores = arena_alloc(scratch, (size_t)chart_size(n) * (size_t)labels, sizeof *scores);
    if (!scores) return error_set(e, ERR_NOMEM, "out of memory for a training chart of %d words", n);
    Status status = span_scorer_score_all(f, s, g, first, n, scores);
    if (status == OK && f->t->device->measures) { /* any cell may matter */
        for (size_t k = 0; k < (size_t)chart_size(n) * (size_t)labels; k++) scores[k] = 1;
        m = (Marginals){ .label = scores };
    } else if (status == OK) status = marginals_compute(scores, n, s->n_labels, NULL, 1, scratch, &m, e);
    if (status != OK) return status;
    subtract_teacher(tree, labels, scores, &m, c);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j <= n; j++) {
            long at = chart_span(n, i, j) * labels;
            if (!add_span(c, first + i, first + j, m.label + at, scores + at, labels, cut))
                return error_set(e, ERR_NOMEM, "out of memory for a training chart of %d words", n);
        }
    return OK;
}

Tensor *tree_loss(const Forward *forward, const SpanScorer *scorer, Tensor *g, const SoftTree *trees, double cut,
                  Arena *scratch)
{
    if (!g) return NULL;
    Cells c = { 0 };
    bool room = mem_reserve(c.spans, &c.span_cap, 1) && mem_reserve(c.row, &c.row_cap, 1) &&
                mem_reserve(c.col, &c.col_cap, 1) && mem_reserve(c.weight, &c.weight_cap, 1);
    Status status = room ? OK : error_set(&forward->t->error, ERR_NOMEM, "tree_loss: out of memory");
    for (int k = 0; k < forward->batch->n_sent && status == OK; k++) {
        ArenaMark mark = arena_mark(scratch);
        if (trees[k].n_spans)
            status = sentence(forward, scorer, g, &trees[k], batch_fencepost(forward->batch, k), cut, scratch, &c);
        arena_rewind(scratch, mark);
    }
    Tensor *loss = status == OK ? op_pick(forward->t, span_scorer_score(forward, scorer, g, c.spans, c.n_rows), c.row,
                                          c.col, c.weight, c.n, c.constant)
                                : NULL;
    mem_free_each(c.spans, c.row, c.col, c.weight);
    return loss;
}
