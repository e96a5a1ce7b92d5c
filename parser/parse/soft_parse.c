/* An observer of parsing that turns the scores of a batch into distributions and keeps
 * the values above a limit, the decision first. */
#include "parser/parse/soft_parse.h"

#include "parser/parse/parse_network.h"
#include "parser/parse/places.h"

#include <math.h>
#include <stdlib.h>

void soft_distribution(const Real *x, const bool *allowed, int n, double temperature, double *p)
{
    double most = -INFINITY, sum = 0;
    for (int k = 0; k < n; k++)
        if (!allowed || allowed[k]) most = fmax(most, (double)x[k] / temperature);
    for (int k = 0; k < n; k++) {
        p[k] = !allowed || allowed[k] ? exp((double)x[k] / temperature - most) : 0;
        sum += p[k];
    }
    for (int k = 0; k < n; k++) p[k] /= sum;
}

Real *soft_span_scores(Worker *worker, int k, Error *error)
{
    const Batch *b = &worker->packed.batch;
    const SpanScorer *s = &parse_network(&worker->m->net)->span;
    int n = batch_words(b, k);
    Real *scores = arena_alloc(&worker->scratch, (size_t)chart_size(n) * (size_t)(s->n_labels - 1), sizeof *scores);
    if (!scores) {
        error_set(error, ERR_NOMEM, "out of memory for the probabilities of %d words", n);
        return NULL;
    }
    if (span_scorer_score_all(&worker->forward, s, parse_scores(&worker->net)->g, batch_fencepost(b, k), n, scores) ==
        OK)
        return scores;
    worker_status(worker, error);
    return NULL;
}

Status soft_marginals(Worker *worker, const Real *scores, int n, const Real *mask, double temperature,
                      Marginals *marginals, Error *error)
{
    double nodes = 0;
    Status s = marginals_compute(scores, n, parse_network(&worker->m->net)->span.n_labels, mask, temperature,
                                 &worker->scratch, marginals, error);
    if (s != OK) return s;
    for (long k = 0; k < chart_size(n); k++) nodes += marginals->node[k];
    /* a binary tree has 2 n - 1 nodes */
    return fabs(nodes / (2 * n - 1) - 1) < 1e-3 ? OK : model_overflows(worker->m, "probabilities of spans", error);
}

/* Rows of distributions that grow. */
typedef struct Rows {
    int *start;
    SoftValue *v; /* [cap] */
    int words, n, cap;
} Rows;

static int by_probability(const void *a, const void *b)
{
    const SoftValue *x = a, *y = b;
    if (x->p != y->p) return x->p < y->p ? 1 : -1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Adds the distribution p [n] of a word. */
static bool rows_add(Rows *r, const double *p, int n, int decided, double min)
{
    int first = r->n;
    if (!mem_reserve(r->v, &r->cap, r->n + n)) return false;
    r->v[r->n++] = (SoftValue){ decided, (float)p[decided] };
    for (int k = 0; k < n; k++)
        if (k != decided && p[k] >= min) r->v[r->n++] = (SoftValue){ k, (float)p[k] };
    qsort(r->v + first + 1, (size_t)(r->n - first - 1), sizeof *r->v, by_probability);
    r->start[++r->words] = r->n;
    return true;
}

/* What is needed for the rows of one sentence. */
typedef struct Sent {
    const SoftOptions *o;
    const Model *m;
    const Parsed *p;
    int n;
    bool *allowed; /* [the most values of a row], as is probability */
    double *probability;
    Arena *out;
} Sent;

/* Row w of one kind: the scores x of `len` values, which of them are allowed, and the decision. */
static bool row(const Sent *s, Rows *r, const Real *x, int len, int decided)
{
    soft_distribution(x, s->allowed, len, s->o->temperature, s->probability);
    return rows_add(r, s->probability, len, decided, s->o->min);
}

static bool tag_row(const Sent *s, Rows *r, const Real *x, int len)
{
    int best = N_RESERVED;
    for (int k = 0; k < len; k++) s->allowed[k] = k >= N_RESERVED && !places_has(vocab_text(&s->m->tags, k));
    for (int k = N_RESERVED; k < len; k++)
        if (s->allowed[k] && x[k] > x[best]) best = k;
    return row(s, r, x, len, best);
}

static bool head_row(const Sent *s, Rows *r, const Real *x, int w)
{
    for (int g = 0; g <= s->n; g++) s->allowed[g] = g != w + 1;
    return row(s, r, x, s->n + 1, s->p->heads[w]);
}

/* A row of types, as in parsing: "root" if and only if the head is 0, or where there is no other. */
static bool type_row(const Sent *s, Rows *r, const Real *x, int len, int w)
{
    int root = s->m->root_type, decided = vocab_find(&s->m->types, s->p->types[w]);
    bool is_root = decided == root;
    for (int k = 0; k < len; k++) s->allowed[k] = is_root ? k == root : k != root;
    return row(s, r, x, len, decided);
}

typedef enum RowKind { ROW_TAGS, ROW_HEADS, ROW_TYPES } RowKind;

/* The rows of a sentence, in the arena. scores: of the first word; next: the distance to the scores of the next word.
 */
static bool make_rows(const Sent *s, RowKind kind, const Real *scores, ptrdiff_t next, int len, SoftRows *to)
{
    Rows r = { .start = arena_calloc(s->out, (size_t)s->n + 1, sizeof *r.start) };
    bool ok = r.start != NULL;
    for (int w = 0; w < s->n && ok; w++, scores += next)
        ok = kind == ROW_TAGS    ? tag_row(s, &r, scores, len)
             : kind == ROW_HEADS ? head_row(s, &r, scores, w)
                                 : type_row(s, &r, scores, len, w);
    SoftValue *v = ok ? arena_alloc(s->out, (size_t)r.n, sizeof *v) : NULL;
    for (int k = 0; v && k < r.n; k++) v[k] = r.v[k];
    mem_free(r.v);
    *to = (SoftRows){ r.start, v };
    return v != NULL;
}

/* ---- spans */

static int by_place(const void *a, const void *b)
{
    const SoftSpan *x = a, *y = b;
    if (x->at.begin != y->at.begin) return x->at.begin < y->at.begin ? -1 : 1;
    if (x->at.end != y->at.end) return x->at.end > y->at.end ? -1 : 1;
    if (x->p != y->p) return x->p < y->p ? 1 : -1;
    return (x->at.label > y->at.label) - (x->at.label < y->at.label);
}

static int best_of(const Real *p, int labels)
{
    int best = 0;
    for (int l = 1; l < labels; l++)
        if (p[l] > p[best]) best = l;
    return best;
}

static bool take_spans(const Sent *s, const Marginals *m, int labels, SoftTree *to)
{
    SoftSpan *list = NULL;
    int cap = 0, n = 0;
    bool ok = true;
    for (int i = 0; i < s->n && ok; i++)
        for (int j = i + 1; j <= s->n && ok; j++) {
            long at = chart_span(s->n, i, j);
            const Real *p = m->label + at * labels;
            int best = j - i == s->n ? best_of(p, labels) : -1;
            if (m->node[at] < s->o->min && best < 0) continue;
            ok = mem_reserve(list, &cap, n + labels);
            for (int l = 0; l < labels && ok; l++)
                if ((double)p[l] >= s->o->min || l == best) list[n++] = (SoftSpan){ { i, j, l + 1 }, (float)p[l] };
        }
    SoftSpan *spans = ok ? arena_alloc(s->out, (size_t)n, sizeof *spans) : NULL;
    for (int k = 0; spans && k < n; k++) spans[k] = list[k];
    if (spans) qsort(spans, (size_t)n, sizeof *spans, by_place);
    mem_free(list);
    to->spans = spans;
    to->n_spans = n;
    return spans != NULL;
}

static Status make_spans(Worker *w, int k, const Sent *s, SoftTree *to, Error *e)
{
    int n_labels = parse_network(&w->m->net)->span.n_labels;
    Real *mask;
    Marginals m;
    if (!model_label_mask(w->m, s->o->treebank, &w->scratch, &mask))
        return error_set(e, ERR_NOMEM, "out of memory for probabilities");
    const Real *scores = soft_span_scores(w, k, e);
    if (!scores) return e->code;
    Status status = soft_marginals(w, scores, s->n, mask, s->o->span_temperature, &m, e);
    if (status != OK) return status;
    return take_spans(s, &m, n_labels - 1, to) ? OK : error_set(e, ERR_NOMEM, "out of memory for probabilities");
}

/* ---- a batch */

/* Scores of a batch in host memory; data NULL: there are none. */
typedef struct Scores {
    HostMatrix tags, types, arcs;
} Scores;

static Status sentence(Worker *w, int k, const Real *arcs, const Scores *scores, Sent *s, SoftTargets *to, Error *e)
{
    const Batch *b = &w->packed.batch;
    bool ok = true;
    to->tree.n_words = s->n;
    if (scores->tags.data)
        ok = make_rows(s, ROW_TAGS, host_row(&scores->tags, b->start[k] + 1), scores->tags.ld, scores->tags.cols,
                       &to->tags);
    if (s->p->heads) ok = ok && make_rows(s, ROW_HEADS, arcs + s->n + 1, s->n + 1, s->n + 1, &to->heads);
    if (s->p->heads && s->p->types)
        ok = ok && make_rows(s, ROW_TYPES, host_row(&scores->types, batch_fencepost(b, k) + 1), scores->types.ld,
                             scores->types.cols, &to->types);
    if (!ok) return error_set(e, ERR_NOMEM, "out of memory for probabilities");
    return w->m->c.trees ? make_spans(w, k, s, &to->tree, e) : OK;
}

static Status make_soft(const void *context, Worker *w, Parsed *result, Arena *out, Error *e)
{
    const Batch *b = &w->packed.batch;
    Scores scores = { tensor_host(&w->tape, parse_scores(&w->net)->tags, &w->scratch),
                      tensor_host(&w->tape, w->types, &w->scratch),
                      tensor_host(&w->tape, parse_scores(&w->net)->arc.arcs, &w->scratch) };
    int most = b->longest + 1;
    if (most < scores.tags.cols) most = scores.tags.cols;
    if (most < scores.types.cols) most = scores.types.cols;
    Sent s = { .o = context,
               .m = w->m,
               .allowed = arena_alloc(&w->scratch, (size_t)most, sizeof *s.allowed),
               .probability = arena_alloc(&w->scratch, (size_t)most, sizeof *s.probability),
               .out = out };
    SoftTargets *soft = arena_calloc(out, (size_t)b->n_sent, sizeof *soft);
    if (worker_status(w, e) != OK) return e->code;
    if (!s.allowed || !s.probability || !soft) return error_set(e, ERR_NOMEM, "out of memory for probabilities");
    Status status = OK;
    const Real *arcs = scores.arcs.data;
    for (int k = 0; k < b->n_sent && status == OK; arcs += batch_arcs(b, k++)) {
        ArenaMark mark = arena_mark(&w->scratch);
        s.p = &result[k];
        s.n = result[k].n_words;
        status = sentence(w, k, arcs, &scores, &s, &soft[k], e);
        result[k].extra = &soft[k];
        arena_rewind(&w->scratch, mark);
    }
    return status;
}

ParseObserver soft_observer(const SoftOptions *options)
{
    return (ParseObserver){ .batch = make_soft, .context = options };
}
