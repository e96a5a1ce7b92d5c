/* parser/insight/explain.c */
#include "parser/insight/explain.h"

#include <math.h>
#include <string.h>

Status decisions_of(const Parsed *p, ExplainKind kind, Arena *arena, Decision **out, int *n, Error *e)
{
    const Sentence *s = &p->s;
    int most = s->heads ? s->n_words : 0;
    const Phrase *chain = kind == EXPLAIN_SPAN ? tree_chains(s, arena, &most) : NULL;
    Decision *d = *out = arena_alloc(arena, (size_t)most, sizeof *d);
    bool ok = d && (chain || kind != EXPLAIN_SPAN);
    *n = 0;
    for (int k = 0; ok && chain && k < most; k++) {
        const char *label = arena_strndup(arena, chain[k].label, strlen(chain[k].label));
        d[(*n)++] = (Decision){ kind, chain[k].begin, chain[k].end, label, NULL };
        ok = label != NULL;
    }
    for (int w = 0; ok && !chain && w < most; w++)
        if (kind == EXPLAIN_ARC || s->heads[w]) /* the type of the root follows from its head */
            d[(*n)++] = (Decision){ kind, w + 1, s->heads[w], kind == EXPLAIN_TYPE ? s->types[w] : NULL, NULL };
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory inspecting");
}

static Status number_of(const Vocab *v, const char *what, const char *name, int first, int *out, Error *e)
{
    *out = vocab_find(v, name);
    return *out >= first ? OK
                         : error_set(e, ERR_CONFIG, "found %s '%s', which the model does not know; lal info lists them",
                                     what, name);
}

/* Softmax of x [n] at k; with `none`, an alternative of score 0 is added. */
static double softmax_at(const Real *x, int n, int k, bool none)
{
    double most = none ? 0 : -INFINITY, sum = 0;
    for (int i = 0; i < n; i++) most = fmax(most, (double)x[i]);
    for (int i = 0; i < n; i++) sum += exp((double)x[i] - most);
    return exp((double)x[k] - most) / (sum + (none ? exp(-most) : 0));
}

/* The score to explain, [1, 1], or NULL with *e. */
static Tensor *score_of(ParseWorker *w, const Decision *d, double *p, Error *e)
{
    const Model *m = w->m;
    int n = w->packed.batch.n_tokens - 2, label = 0, against = 0, r[2] = { 0, 0 };
    Real sign[2] = { 1, -1 };
    bool span = d->kind == EXPLAIN_SPAN;
    if (span ? d->begin < 0 || d->begin >= d->end || d->end > n
             : d->begin < 1 || d->begin > n || d->end < 0 || d->end > n) {
        error_set(e, ERR_RANGE,
                  span ? "found words %d to %d, expected a span of words 1 to %d"
                       : "found word %d and head %d, expected words up to %d",
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
    if (p && from && d->kind == EXPLAIN_ARC)
        *p = softmax_at(from->data + (ptrdiff_t)d->begin * (n + 1), n + 1, d->end, false);
    else if (p && from)
        *p = softmax_at(tensor_row(from, r[0]), from->cols, column[0],
                        span && !(d->begin == 0 && d->end == n)); /* the whole sentence is a phrase */
    Tensor *score = from ? op_pick(&w->tape, from, r, column, sign, count, 0) : NULL;
    if (!score) *e = w->tape.error;
    return score;
}

Status explain(ParseWorker *w, const Decision *d, bool words, Arena *arena, HeadAttribution *a, double *p, Error *e)
{
    Tensor *score = score_of(w, d, p, e);
    return score ? attribute_heads(&w->forward, &w->m->net.encoder, &w->net.encoder, score, 0, words, arena, a, e)
                 : e->code;
}

/* Fencepost k of the sentence from token vectors: rows `first` (token k) and first + 1 of z. */
static void fencepost_of(const Encoder *enc, const Tensor *z, int first, Real *out)
{
    for (int j = 0; j < enc->width; j++)
        out[j] = tensor_row(z, first + encoder_fence_side(enc, j))[enc->fence_source[j]];
}

Status score_without(ParseWorker *w, const Decision *d, const bool *removed, double *score, Error *e)
{
    const Encoder *enc = &w->m->net.encoder;
    const Forward *f = &w->forward;
    Tape *t = &w->tape;
    int label, n = w->packed.batch.n_tokens - 2, p = enc->c.lal.d_proj,
               tokens[4] = { d->begin, d->begin + 1, d->end, d->end + 1 };
    if (!encoder_has_label_heads(&enc->c)) return error_set(e, ERR_CONFIG, NO_LABEL_HEADS);
    if (d->kind != EXPLAIN_SPAN || d->begin < 0 || d->begin >= d->end || d->end > n)
        return error_set(e, ERR_RANGE, "found no span of words 1 to %d", n);
    if (number_of(&w->m->labels, "label", d->label, 1, &label, e) != OK) return e->code;
    ArenaMark device = arena_mark(&t->device), host = arena_mark(&t->host);
    bool recording = t->recording;
    t->recording = false;
    Tensor *y = tape_new(t, 4, enc->width), *fence = tape_new(t, 2, enc->width), *z = y, *s = NULL;
    for (int r = 0; y && r < 4; r++)
        for (int c = 0; c < enc->width; c++)
            tensor_row(y, r)[c] = removed[c / p] ? 0 : tensor_row(w->net.encoder.lal, tokens[r])[c];
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
        for (int side = 0; side < 2; side++)
            for (int c = 0; c < half; c++) {
                int column = encoder_fence_column(enc, side, h, c);
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
