/* The notes that are asked for are made while the worker still holds the forward pass:
 * probabilities first, then contributions, a row of floats for each phrase and arc. */
#include "api/api_observe.h"

/* A row of floats: the parts of an explained decision, and the rest of its score. */
static void put_row(const WhyItem *x, int heads, float *row)
{
    double rest = x->score;
    for (int h = 0; h < heads; h++) {
        row[h] = (float)x->head[h];
        rest -= (double)x->head[h];
    }
    row[heads] = (float)rest;
}

/* Explains the phrases and arcs of sentence k of the batch. */
static Status explain(const Why *y, Worker *w, int k, const Parsed *p, ApiObserved *to, Arena *out, Error *e)
{
    size_t row = (size_t)y->all + 1, phrases = (size_t)p->n_phrases, words = p->heads ? (size_t)p->n_words : 0;
    float *rows = arena_calloc(out, (phrases + words) * row, sizeof *rows);
    WhyItem *items = arena_alloc(&w->scratch, phrases + words, sizeof *items);
    float **place = arena_alloc(&w->scratch, phrases + words, sizeof(*place));
    Real *parts = arena_alloc(&w->scratch, (phrases + words) * (size_t)y->all, sizeof *parts);
    int n = 0;
    if (!rows || !items || !place || !parts) return error_set(e, ERR_NOMEM, "out of memory explaining");
    for (int j = 0; j < p->n_phrases; j++) {
        Span at = model_span(y->m, &p->phrases[j]);
        if (at.label <= 0) continue; /* it was given, and the model has no such label */
        place[n] = rows + (size_t)j * row;
        items[n++] = (WhyItem){ .sentence = k, .at = at };
    }
    for (int c = 0; c < (int)words; c++) {
        place[n] = rows + (phrases + (size_t)c) * row;
        items[n++] = (WhyItem){ .sentence = k, .at = { c + 1, p->heads[c], LABEL_NONE } };
    }
    for (int j = 0; j < n; j++) items[j].head = parts + (ptrdiff_t)j * y->all;
    Status s = why_explain(y, w, items, n, e);
    for (int j = 0; j < n && s == OK; j++) put_row(&items[j], y->all, place[j]);
    to->phrases = rows;
    to->arcs = words ? rows + phrases * row : NULL;
    to->heads = y->all;
    return s;
}

static Status observe(const void *context, Worker *w, Parsed *result, Arena *out, Error *e)
{
    const ApiObserver *x = context;
    const ParseObserver soft = soft_observer(&x->options);
    int n = w->packed.batch.n_sent;
    ApiObserved *all = arena_calloc(out, (size_t)n, sizeof *all);
    Status s = all ? OK : error_set(e, ERR_NOMEM, "out of memory for probabilities");
    if (s == OK && x->probabilities) s = soft.batch(soft.context, w, result, out, e);
    for (int k = 0; k < n && s == OK; k++) {
        ArenaMark mark = arena_mark(&w->scratch);
        if (x->probabilities) all[k].soft = result[k].extra;
        if (x->contributions) s = explain(&x->why, w, k, &result[k], &all[k], out, e);
        result[k].extra = &all[k];
        arena_rewind(&w->scratch, mark);
    }
    return s;
}

Status api_observer(ApiObserver *observer, const Model *model, ParseObserver *parse_observer, Error *error)
{
    *parse_observer = (ParseObserver){ 0 };
    if ((observer->contributions || observer->notes) && !observer->ready) {
        Status s = why_init(&observer->why, model, model->c.trees, model->c.arcs, error);
        if (s != OK) {
            why_fini(&observer->why);
            observer->why = (Why){ 0 };
            return s;
        }
        observer->ready = true;
    }
    if (observer->probabilities || observer->contributions)
        *parse_observer = (ParseObserver){ .batch = observe, .context = observer };
    return OK;
}

void api_observer_fini(ApiObserver *observer)
{
    if (observer->ready) why_fini(&observer->why);
}
