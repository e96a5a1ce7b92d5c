/* An observer of parsing that explains every phrase and arc of a batch and adds the
 * contributions to its category. */
#include "explain/fast/why_sums.h"

#include "explain/explain.h"

Status why_sums_init(WhySums *sums, const Model *model, Error *error)
{
    Error own = { 0 };
    *sums = (WhySums){ .on = false };
    head_summary_init(&sums->sums, model->net.encoder.c.lal.heads);
    sums->sums.row = model->net.encoder.label_row;
    Status s = why_init(&sums->why, model, true, true, &own);
    sums->on = s == OK;
    if (s == ERR_CONFIG) return OK;
    if (s != OK) *error = own;
    return s;
}

void why_sums_fini(WhySums *sums)
{
    why_fini(&sums->why);
    head_summary_fini(&sums->sums);
}

static Status add(WhySums *x, const Model *m, const Parsed *p, const WhyItem *item, double *head, Error *e)
{
    bool arc = item->at.label == LABEL_NONE;
    const char *category =
        arc ? p->types ? p->types[item->at.begin - 1] : NULL : decision_label(m, EXPLAIN_SPAN, item->at.label);
    HeadAttribution a = {
        .heads = x->sums.heads, .row = x->sums.row, .score = item->score, .rest = item->rest, .head = head
    };
    a.bias = a.score - a.rest;
    for (int h = 0; h < a.heads; h++) {
        head[h] = (double)item->head[h];
        a.bias -= head[h];
    }
    return head_summary_add(&x->sums, category ? category : "arc", &a, NULL, -1, e);
}

static Status add_sentence(WhySums *x, Worker *w, const Parsed *p, int sentence, Error *e)
{
    size_t most = (size_t)p->n_phrases + (size_t)p->n_words, heads = (size_t)x->sums.heads;
    ArenaMark mark = arena_mark(&w->scratch);
    WhyItem *items = arena_alloc(&w->scratch, most, sizeof *items);
    Real *parts = arena_alloc(&w->scratch, most * heads, sizeof *parts);
    double *head = arena_alloc(&w->scratch, heads, sizeof *head);
    Status s = items && parts && head ? OK : error_set(e, ERR_NOMEM, "out of memory explaining");
    int n = 0;
    for (int k = 0; k < p->n_phrases && s == OK && x->why.phrases; k++)
        items[n++] = (WhyItem){ .sentence = sentence, .at = model_span(w->m, &p->phrases[k]) };
    for (int c = 0; c < p->n_words && p->heads && s == OK && x->why.arcs; c++)
        items[n++] = (WhyItem){ .sentence = sentence, .at = { c + 1, p->heads[c], LABEL_NONE } };
    for (int k = 0; k < n; k++) items[k].head = parts + (size_t)k * heads;
    if (s == OK) s = why_explain(&x->why, w, items, n, e);
    for (int k = 0; k < n && s == OK; k++) s = add(x, w->m, p, &items[k], head, e);
    arena_rewind(&w->scratch, mark);
    return s;
}

static Status add_batch(const void *context, Worker *w, Parsed *result, Arena *out, Error *e)
{
    WhySums *x = *(WhySums *const *)context;
    Status s = OK;
    (void)out;
    for (int k = 0; x->on && k < w->packed.batch.n_sent && s == OK; k++) s = add_sentence(x, w, &result[k], k, e);
    return s;
}

ParseObserver why_sums_observer(WhySums *const *sums) { return (ParseObserver){ .batch = add_batch, .context = sums }; }
