/* cky/span_score.c */
#include "cky/span_score.h"

#include <string.h>

enum { BLOCK = 1024 }; /* spans scored at once */

Status span_scorer_declare(SpanScorer *s, ParamSet *ps, int d, int hidden, int n_labels, Error *e)
{
    s->n_labels = n_labels;
    Status st = linear_declare(&s->w1, &s->b1, ps, "f_label.0", d, hidden, e);
    if (st == OK) st = norm_declare(&s->norm, ps, "f_label.1", hidden, NORM_LAL, e);
    return st != OK ? st : linear_declare(&s->w2, &s->b2, ps, "f_label.3", hidden, n_labels - 1, e);
}

void span_scorer_init(const SpanScorer *s, ParamSet *ps, unsigned long seed)
{
    linear_init(s->w1, s->b1, ps, seed);
    norm_init(&s->norm, ps);
    linear_init(s->w2, s->b2, ps, seed);
}

Tensor *span_project(const Forward *f, const SpanScorer *s, Tensor *fenceposts)
{
    return op_linear(f->t, fenceposts, forward_param(f, s->w1), NULL, false);
}

Tensor *span_scores(const Forward *f, const SpanScorer *s, Tensor *g, const int *spans, int n)
{
    Tensor *y = norm_forward(f, &s->norm, op_span_diff(f->t, g, spans, n, forward_param(f, s->b1)));
    return op_linear(f->t, op_relu(f->t, y), forward_param(f, s->w2), forward_param(f, s->b2), false);
}

static Status block(const Forward *f, const SpanScorer *s, Tensor *g, const int *spans, int n, SpanBest *best,
                    Real *scores)
{
    ArenaMark device = arena_mark(&f->t->device), host = arena_mark(&f->t->host);
    Tensor *y = span_scores(f, s, g, spans, n);
    int wide = s->n_labels - 1;
    if (y && best)
        for (int k = 0; k < n; k++) best[k] = span_best(tensor_row(y, k), s->n_labels);
    if (y && scores) memcpy(scores, y->data, (size_t)n * (size_t)wide * sizeof *scores);
    arena_rewind(&f->t->device, device);
    arena_rewind(&f->t->host, host);
    return tape_status(f->t);
}

Status span_score_all(const Forward *f, const SpanScorer *s, Tensor *g, int first, int n, SpanBest *best, Real *scores)
{
    bool recording = f->t->recording;
    f->t->recording = false;
    int spans[2 * BLOCK], count = 0;
    long done = 0;
    Status st = OK;
    for (int i = 0; i < n && st == OK; i++)
        for (int j = i + 1; j <= n && st == OK; j++) {
            spans[2 * count] = first + i;
            spans[2 * count + 1] = first + j;
            if (++count < BLOCK && !(i == n - 1 && j == n)) continue;
            st = block(f, s, g, spans, count, best ? best + done : NULL,
                       scores ? scores + done * (s->n_labels - 1) : NULL);
            done += count;
            count = 0;
        }
    f->t->recording = recording;
    return st;
}
