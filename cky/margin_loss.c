/* Charts are searched on the host for the worst tree; then only the cells in which that tree and
 * the gold tree differ are scored again, with a gradient. */
#include "cky/margin_loss.h"

typedef struct Cells { /* label cells to be scored with a gradient */
    int *spans, *row, *col;
    Real *weight;
    int n;
    double constant;
} Cells;

static void add_cell(Cells *c, int begin, int end, int label, Real weight)
{
    c->spans[2 * (ptrdiff_t)c->n] = begin;
    c->spans[2 * c->n + 1] = end;
    c->row[c->n] = c->n;
    c->col[c->n] = label - 1;
    c->weight[c->n++] = weight;
}

/* Adds weight * score of every node with a label that is not in both trees. Both lists are in pre-order over the same
 * words, but may hold different spans: gold is looked up by span. */
static void add_tree(Cells *c, const Span *nodes, int n, const int *other, int n_words, int first, Real weight)
{
    for (int k = 0; k < n; k++) {
        if (nodes[k].label == CHART_EMPTY || other[chart_span(n_words, nodes[k].begin, nodes[k].end)] == nodes[k].label)
            continue;
        add_cell(c, first + nodes[k].begin, first + nodes[k].end, nodes[k].label, weight);
    }
}

/* In place of a search, on the measuring device: as many cells as the trees of a sentence can have. */
static void add_most(Cells *c, const GoldTree *gold, int first)
{
    for (int k = 0; k < 2 * gold->n_words - 1; k++) add_cell(c, first, first + 1, 1, 1);
    for (int k = 0; k < gold->n_nodes; k++)
        if (gold->nodes[k].label != CHART_EMPTY) add_cell(c, first, first + 1, 1, -1);
}

/* The search in the scores of a sentence, which are in host memory. */
static Status sentence(const Forward *f, const SpanScorer *s, const Real *scores, const GoldTree *gold, int first,
                       Arena *scratch, Cells *c, MarginStats *stats)
{
    int n = gold->n_words;
    size_t spans = (size_t)chart_size(n);
    int *pred_label = arena_calloc(scratch, spans, sizeof *pred_label),
        *gold_label = arena_calloc(scratch, spans, sizeof *gold_label);
    if (!pred_label || !gold_label)
        return error_set(&f->t->error, ERR_NOMEM, "out of memory for a training chart of %d words", n);
    if (f->t->device->measures) {
        add_most(c, gold, first);
        return OK;
    }
    double augmented;
    int delta;
    Span *nodes = margin_decode(scores, s->n_labels, gold, scratch, scratch, &augmented, &delta, &f->t->error);
    if (!nodes) return tape_status(f->t);
    double gold_score = 0;
    for (int k = 0; k < gold->n_nodes; k++) {
        long at = chart_span(n, gold->nodes[k].begin, gold->nodes[k].end);
        gold_label[at] = gold->nodes[k].label;
        gold_score += (double)scores[at * (s->n_labels - 1) + gold->nodes[k].label - 1];
    }
    for (int k = 0; k < 2 * n - 1; k++) pred_label[chart_span(n, nodes[k].begin, nodes[k].end)] = nodes[k].label;
    add_tree(c, nodes, 2 * n - 1, gold_label, n, first, 1);
    add_tree(c, gold->nodes, gold->n_nodes, pred_label, n, first, -1);
    c->constant += delta;
    stats->delta += delta;
    stats->hinge += augmented - gold_score;
    stats->last_nodes = nodes;
    return OK;
}

/* The scores of all sentences that have a tree, copied from the device with one wait. */
static Real **score(const Forward *f, const SpanScorer *s, Tensor *g, const GoldTree *gold, Arena *scratch)
{
    const Batch *b = f->batch;
    Real **scores = arena_calloc(scratch, (size_t)b->n_sent, sizeof *scores);
    if (!scores) return tape_fail(f->t, ERR_NOMEM, "margin_loss: out of memory");
    for (int k = 0; k < b->n_sent; k++) {
        int n = gold[k].n_words;
        if (!gold[k].n_nodes) continue;
        scores[k] = arena_alloc(scratch, (size_t)chart_size(n) * (size_t)(s->n_labels - 1), sizeof *scores[k]);
        if (!scores[k]) return tape_fail(f->t, ERR_NOMEM, "out of memory for a training chart of %d words", n);
        if (span_scorer_fetch_all(f, s, g, batch_fencepost(b, k), n, scores[k]) != OK) return NULL;
    }
    return tape_wait(f->t) ? scores : NULL;
}

Tensor *margin_loss(const Forward *forward, const SpanScorer *scorer, Tensor *g, const GoldTree *gold, Arena *scratch,
                    MarginStats *stats)
{
    if (!g) return NULL;
    *stats = (MarginStats){ 0 };
    const Batch *b = forward->batch;
    size_t most = 4 * (size_t)b->n_tokens;
    Cells c = { .spans = arena_alloc(scratch, 2 * most, sizeof *c.spans),
                .row = arena_alloc(scratch, most, sizeof *c.row),
                .col = arena_alloc(scratch, most, sizeof *c.col),
                .weight = arena_alloc(scratch, most, sizeof *c.weight) };
    if (!c.spans || !c.row || !c.col || !c.weight)
        return tape_fail(forward->t, ERR_NOMEM, "margin_loss: out of memory");
    Real **scores = score(forward, scorer, g, gold, scratch);
    if (!scores) return NULL;
    for (int k = 0; k < b->n_sent; k++)
        if (scores[k] &&
            sentence(forward, scorer, scores[k], &gold[k], batch_fencepost(b, k), scratch, &c, stats) != OK)
            return NULL;
    return op_pick(forward->t, span_scorer_score(forward, scorer, g, c.spans, c.n), c.row, c.col, c.weight, c.n,
                   c.constant);
}
