/* parser/inspect.c */
#include "parser/inspect.h"

#include <math.h>
#include <string.h>

Status decisions_of(const Parsed *p, ExplainKind kind, Arena *arena, Decision **out, int *n, Error *e)
{
    const Sentence *s = &p->s;
    int most = kind == EXPLAIN_SPAN ? s->n_phrases : s->heads ? s->n_words : 0;
    Decision *d = *out = arena_alloc(arena, (size_t)most, sizeof *d);
    StrBuf label = { 0 };
    bool ok = d != NULL;
    *n = 0;
    for (int k = 0, next; ok && kind == EXPLAIN_SPAN && k < s->n_phrases; k = next) {
        next = tree_chain(s, k);
        strbuf_clear(&label);
        tree_chain_label(&label, s, k, next);
        const char *copy = label.failed ? NULL : arena_strndup(arena, label.ptr, label.len);
        d[(*n)++] = (Decision){ kind, s->phrases[k].begin, s->phrases[k].end, copy, NULL };
        ok = copy != NULL;
    }
    for (int w = 0; ok && kind != EXPLAIN_SPAN && w < most; w++)
        if (kind == EXPLAIN_ARC || s->heads[w]) /* the type of the root follows from its head */
            d[(*n)++] = (Decision){ kind, w + 1, s->heads[w], kind == EXPLAIN_TYPE ? s->types[w] : NULL, NULL };
    strbuf_fini(&label);
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory inspecting");
}

static Status number_of(const Vocab *v, const char *what, const char *name, int first, int *out, Error *e)
{
    *out = vocab_find(v, name);
    return *out >= first ? OK : error_set(e, ERR_CONFIG, "found %s '%s', which the model does not know; lal info lists them", what, name);
}

/* What is explained, [1, 1], or NULL with *e. */
static Tensor *score_of(ParseWorker *w, const Decision *d, Error *e)
{
    const Model *m = w->m;
    int n = w->packed.batch.n_tokens - 2, label = 0, against = 0, r[2] = { 0, 0 };
    Real sign[2] = { 1, -1 };
    bool span = d->kind == EXPLAIN_SPAN;
    if (span ? d->begin < 0 || d->begin >= d->end || d->end > n : d->begin < 1 || d->begin > n || d->end < 0 || d->end > n) {
        error_set(e, ERR_RANGE,
                  span ? "found words %d to %d, expected a span of words 1 to %d" : "found word %d and head %d, expected words up to %d",
                  span ? d->begin + 1 : d->begin, d->end, n);
        return NULL;
    }
    const Vocab *names = span ? &m->labels : &m->types;
    const char *what = span ? "label" : "type";
    int first = span ? 1 : 0;
    if (d->kind != EXPLAIN_ARC && number_of(names, what, d->label, first, &label, e) != OK) return NULL;
    if (d->against && number_of(names, what, d->against, first, &against, e) != OK) return NULL;
    int count = d->against ? 2 : 1;
    Tensor *from;
    int column[2] = { label - first, against - first };
    if (span) from = span_scores(&w->forward, &m->net.span, w->net.g, (const int[]){ d->begin, d->end }, 1);
    else if (d->kind == EXPLAIN_TYPE) {
        from = w->types;
        r[0] = r[1] = d->begin;
    } else {
        from = w->net.arc.arcs;
        column[0] = d->begin * (n + 1) + d->end;
    }
    Tensor *score = op_pick(&w->tape, from, r, column, sign, count, 0);
    if (!score) *e = w->tape.error;
    return score;
}

Status explain(ParseWorker *w, const Decision *d, bool words, Arena *arena, HeadAttribution *a, Error *e)
{
    Tensor *score = score_of(w, d, e);
    return score ? attribute_heads(&w->forward, &w->m->net.encoder, &w->net.encoder, score, 0, words, arena, a, e) : e->code;
}

/* Fencepost k of the sentence from token vectors: rows `first` (token k) and first + 1 of z. */
static void fencepost_of(const Encoder *enc, const Tensor *z, int first, Real *out)
{
    for (int j = 0; j < enc->width; j++) out[j] = tensor_row(z, first + (j >= enc->width / 2))[enc->fence_source[j]];
}

Status score_without(ParseWorker *w, const Decision *d, const bool *removed, double *score, Error *e)
{
    const Encoder *enc = &w->m->net.encoder;
    const Forward *f = &w->forward;
    Tape *t = &w->tape;
    int label, n = w->packed.batch.n_tokens - 2, p = enc->c.lal.d_proj, tokens[4] = { d->begin, d->begin + 1, d->end, d->end + 1 };
    if (!encoder_has_label_heads(&enc->c)) return error_set(e, ERR_CONFIG, NO_LABEL_HEADS);
    if (d->kind != EXPLAIN_SPAN || d->begin < 0 || d->begin >= d->end || d->end > n)
        return error_set(e, ERR_RANGE, "found no span of words 1 to %d", n);
    if (number_of(&w->m->labels, "label", d->label, 1, &label, e) != OK) return e->code;
    ArenaMark device = arena_mark(&t->device), host = arena_mark(&t->host);
    bool recording = t->recording;
    t->recording = false;
    Tensor *y = tape_new(t, 4, enc->width), *fence = tape_new(t, 2, enc->width), *z = y, *s = NULL;
    for (int r = 0; y && r < 4; r++)
        for (int c = 0; c < enc->width; c++) tensor_row(y, r)[c] = removed[c / p] ? 0 : tensor_row(w->net.encoder.lal, tokens[r])[c];
    if (y && enc->c.lal_pwff) z = feed_forward_forward(f, &enc->lal_ff, y, (Dropouts){ 0, 0, 0 }, NULL, NULL);
    if (z && fence) {
        fencepost_of(enc, z, 0, tensor_row(fence, 0));
        fencepost_of(enc, z, 2, tensor_row(fence, 1));
        s = span_scores(f, &w->m->net.span, span_project(f, &w->m->net.span, fence), (const int[]){ 0, 1 }, 1);
    }
    t->recording = recording;
    if (s) *score = (double)s->data[label - 1];
    else *e = t->error;
    arena_rewind(&t->device, device);
    arena_rewind(&t->host, host);
    return s ? OK : e->code;
}

Status paper_share(ParseWorker *w, int begin, int end, double *share, Error *e)
{
    const Encoder *enc = &w->m->net.encoder;
    const Tensor *f = w->net.encoder.fencepost;
    int heads = enc->c.lal.heads, half = enc->c.lal.d_proj / 2;
    if (!encoder_has_label_heads(&enc->c)) return error_set(e, ERR_CONFIG, NO_LABEL_HEADS);
    double low = INFINITY, high = -INFINITY, sum = 0;
    for (int h = 0; h < heads; h++) {
        share[h] = 0;
        for (int part = 0; part < 2; part++) /* all forward halves come first */
            for (int c = 0; c < half; c++) {
                int column = part * heads * half + h * half + c;
                share[h] += (double)tensor_row(f, end)[column] - (double)tensor_row(f, begin)[column];
            }
        low = fmin(low, share[h]);
        high = fmax(high, share[h]);
    }
    for (int h = 0; h < heads; h++) sum += share[h] = exp(high > low ? (share[h] - low) / (high - low) : 0);
    for (int h = 0; h < heads; h++) share[h] /= sum;
    return OK;
}

HeadFocus head_focus(const ParseWorker *w, int h, int begin, int end)
{
    const Tensor *probs = w->net.encoder.trace.probs;
    HeadFocus f = { 0, 0, -1 };
    for (int k = 0; k < w->packed.batch.n_tokens - 2; k++) {
        double weight = (double)tensor_row(probs, k + 1)[h];
        if (k >= begin && k < end) f.inside += weight;
        if (f.word >= 0 && weight <= f.most) continue;
        f.most = weight;
        f.word = k;
    }
    return f;
}

/* ---- sums */

void head_summary_init(HeadSummary *s, int heads)
{
    *s = (HeadSummary){ .heads = heads };
    map_init(&s->names);
}

void head_summary_fini(HeadSummary *s)
{
    for (int k = 0; k < s->names.n && s->c; k++) {
        mem_free(s->c[k].top);
        mem_free(s->c[k].share);
    }
    mem_free(s->c);
    mem_free(s->confidence);
    map_fini(&s->names);
}

static Category *category_of(HeadSummary *s, const char *name)
{
    int k = map_find(&s->names, name, strlen(name));
    if (k >= 0) return &s->c[k];
    size_t heads = (size_t)s->heads;
    long *top = mem_calloc(2 * heads, sizeof *top);
    double *share = mem_calloc(2 * heads, sizeof *share);
    if (top && share && mem_reserve((void **)&s->c, &s->cap, s->names.n + 1, sizeof *s->c) && (k = map_add(&s->names, name, strlen(name))) >= 0) {
        s->c[k] = (Category){ .name = s->names.keys[k], .top = top, .top_right = top + heads, .share = share, .part = share + heads };
        return &s->c[k];
    }
    mem_free(top);
    mem_free(share);
    return NULL;
}

Status head_summary_add(HeadSummary *s, const char *category, const HeadAttribution *a, const double *share, int in_gold, Error *e)
{
    Category *c = category_of(s, category);
    if (!c) return error_set(e, ERR_NOMEM, "out of memory summing up");
    double sum = 0;
    int top = 0;
    for (int h = 0; h < s->heads; h++) {
        double now = share ? share[h] : fabs(a->head[h]), best = share ? share[top] : fabs(a->head[top]);
        sum += now;
        if (now > best) top = h;
    }
    for (int h = 0; h < s->heads; h++) {
        if (sum > 0) c->share[h] += (share ? share[h] : fabs(a->head[h])) / sum;
        c->part[h] += a->head[h];
    }
    c->n++;
    c->top[top]++;
    if (in_gold >= 0) c->gold++;
    if (in_gold > 0) {
        c->right++;
        c->top_right[top]++;
    }
    s->explained++;
    double error = attribution_error(a);
    if (!(error <= s->worst)) s->worst = error;
    return OK;
}
