/* Spans are scored in blocks, of which the scores or only the best labels are kept, so that the
 * hidden layer of all n^2 spans never exists at once. */
#include "cky/span_score.h"

enum { BLOCK = 1024, CPU_BLOCK = 96 }; /* spans scored at once; in the cache of a CPU */

Status span_scorer_declare(SpanScorer *scorer, ParamSet *ps, int d, int d_phrase, int hidden, int n_labels,
                           Error *error)
{
    *scorer = (SpanScorer){ .n_labels = n_labels, .phrase = -1 };
    Status status = linear_declare(&scorer->w1, &scorer->b1, ps, "f_label.0", d, hidden, error);
    if (status == OK && d_phrase)
        status = linear_declare(&scorer->phrase, NULL, ps, "f_label.phrase", d_phrase, hidden, error);
    if (scorer->phrase >= 0) params_fine(ps, scorer->phrase); /* of running sums, which grow with the sentence */
    if (status == OK) status = norm_declare(&scorer->norm, ps, "f_label.1", hidden, NORM_LAL, error);
    return status != OK ? status
                        : linear_declare(&scorer->w2, &scorer->b2, ps, "f_label.3", hidden, n_labels - 1, error);
}

void span_scorer_init(const SpanScorer *scorer, ParamSet *ps, unsigned long seed)
{
    linear_init(scorer->w1, scorer->b1, ps, seed);
    if (scorer->phrase >= 0) linear_init(scorer->phrase, -1, ps, seed);
    norm_init(&scorer->norm, ps);
    linear_init(scorer->w2, scorer->b2, ps, seed);
}

Tensor *span_scorer_project(const Forward *forward, const SpanScorer *scorer, Tensor *fenceposts, Tensor *phrases)
{
    Tape *t = forward->t;
    Tensor *g = op_linear(t, fenceposts, forward_weight(forward, scorer->w1), NULL, false);
    if (scorer->phrase < 0 || !phrases) return g;
    return op_add(t, g, op_linear(t, phrases, forward_weight(forward, scorer->phrase), NULL, false));
}

Tensor *span_scorer_score(const Forward *forward, const SpanScorer *scorer, Tensor *g, const int *spans, int n)
{
    Tensor *y =
        norm_forward(forward, &scorer->norm, op_span_diff(forward->t, g, spans, n, forward_param(forward, scorer->b1)));
    return op_linear(forward->t, op_relu(forward->t, y), forward_weight(forward, scorer->w2),
                     forward_param(forward, scorer->b2), false);
}

/* Where the scores of a sentence go: reduced, on the device, or all of them, on the host. */
typedef struct Scored {
    SpanBest *best;
    const Real *mask; /* for best, on the device, or NULL */
    Real *scores;
} Scored;

static Status block(const Forward *f, const SpanScorer *s, Tensor *g, const int *spans, int n, Scored to)
{
    Tape *t = f->t;
    TapeMark mark = tape_mark(t);
    Tensor *y = span_scorer_score(f, s, g, spans, n);
    if (y && to.best) tape_run(t, "span_scorer_score", span_best, to.best, y->data, y->ld, to.mask, n, s->n_labels);
    if (y && to.scores) tensor_fetch(t, y, to.scores);
    tape_rewind(t, mark);
    return tape_status(t);
}

static Status sentence(const Forward *f, const SpanScorer *s, Tensor *g, int first, int n, Scored to)
{
    int spans[2 * BLOCK], count = 0, most = f->t->device->host_memory ? CPU_BLOCK : BLOCK;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j <= n; j++) {
            spans[2 * (ptrdiff_t)count] = first + i;
            spans[2 * count + 1] = first + j;
            if (++count < most && !(i == n - 1 && j == n)) continue;
            Status status = block(f, s, g, spans, count, to);
            if (status != OK) return status;
            if (to.best) to.best += count;
            if (to.scores) to.scores += (ptrdiff_t)count * (s->n_labels - 1);
            count = 0;
        }
    return OK;
}

static Status waited(const Forward *f, Status status)
{
    if (status == OK) tape_wait(f->t);
    return status == OK ? tape_status(f->t) : status;
}

Status span_scorer_score_list(const Forward *forward, const SpanScorer *scorer, Tensor *g, const int *spans, int n,
                              Real *scores)
{
    bool recording = forward->t->recording;
    Status status = OK;
    forward->t->recording = false;
    for (int from = 0; from < n && status == OK; from += BLOCK) {
        int count = n - from < BLOCK ? n - from : BLOCK;
        Scored to = { .scores = scores + (ptrdiff_t)from * (scorer->n_labels - 1) };
        status = block(forward, scorer, g, spans + 2 * (ptrdiff_t)from, count, to);
    }
    forward->t->recording = recording;
    return waited(forward, status);
}

Status span_scorer_fetch_all(const Forward *forward, const SpanScorer *scorer, Tensor *g, int first, int n,
                             Real *scores)
{
    bool recording = forward->t->recording;
    forward->t->recording = false;
    Status status = sentence(forward, scorer, g, first, n, (Scored){ .scores = scores });
    forward->t->recording = recording;
    return status;
}

Status span_scorer_score_all(const Forward *forward, const SpanScorer *scorer, Tensor *g, int first, int n,
                             Real *scores)
{
    return waited(forward, span_scorer_fetch_all(forward, scorer, g, first, n, scores));
}

long span_count(const Batch *batch)
{
    long n = 0;
    for (int k = 0; k < batch->n_sent; k++) n += chart_size(batch_words(batch, k));
    return n;
}

Status span_best_fetch(const Forward *forward, const SpanScorer *scorer, Tensor *g, const Real *mask, SpanBest *best)
{
    Tape *t = forward->t;
    const Batch *b = forward->batch;
    bool recording = t->recording;
    t->recording = false;
    TapeMark mark = tape_mark(t);
    size_t n = (size_t)span_count(b);
    SpanBest *reduced = tape_scratch(t, n, sizeof *reduced), *to = reduced;
    if (mask) mask = tape_upload(t, mask, (size_t)scorer->n_labels - 1, sizeof *mask);
    for (int k = 0; reduced && k < b->n_sent && tape_status(t) == OK; k++) {
        sentence(forward, scorer, g, batch_fencepost(b, k), batch_words(b, k), (Scored){ .best = to, .mask = mask });
        to += chart_size(batch_words(b, k));
    }
    if (tape_status(t) == OK) tape_fetch(t, best, reduced, n * sizeof *best);
    tape_rewind(t, mark);
    t->recording = recording;
    return tape_status(t);
}
