/* A score is picked from the forward pass that the worker holds and walked back to the label
 * heads; to leave heads out, the two fenceposts of a span are computed again. */
#include "explain/explain.h"

#include "parser/parse/parse_network.h"

#include <math.h>

Status explain_decisions(const Model *model, const Parsed *parsed, ExplainKind kind, Arena *arena, Decision **out,
                         int *n, Error *error)
{
    int most = kind == EXPLAIN_SPAN ? parsed->n_phrases : parsed->heads ? parsed->n_words : 0;
    Decision *d = *out = arena_alloc(arena, (size_t)most, sizeof *d);
    *n = 0;
    if (!d) return error_set(error, ERR_NOMEM, "out of memory inspecting");
    for (int k = 0; k < most; k++) {
        if (kind == EXPLAIN_TYPE && parsed->heads[k] == 0) continue; /* the type of the root follows from its head */
        Decision *to = &d[(*n)++];
        *to = (Decision){ .kind = kind, .against = LABEL_NONE };
        if (kind == EXPLAIN_SPAN) to->at = model_span(model, &parsed->phrases[k]);
        else to->at = (Span){ k + 1, parsed->heads[k], LABEL_NONE };
        if (kind == EXPLAIN_TYPE) to->at.label = vocab_find(&model->types, parsed->types[k]);
    }
    return OK;
}

/* Labels are numbered from 1: number 0 is no phrase. */
static int first_number(ExplainKind kind) { return kind == EXPLAIN_SPAN ? 1 : 0; }

static const Vocab *names_of(const Model *m, ExplainKind kind) { return kind == EXPLAIN_SPAN ? &m->labels : &m->types; }

Status decision_find(const Model *model, ExplainKind kind, const char *name, int *number, Error *error)
{
    *number = vocab_find(names_of(model, kind), name);
    return *number >= first_number(kind)
               ? OK
               : error_set(error, ERR_CONFIG, "found %s '%s', which the model does not know; lal model info lists them",
                           kind == EXPLAIN_SPAN ? "label" : "type", name);
}

const char *decision_label(const Model *model, ExplainKind kind, int number)
{
    return kind == EXPLAIN_ARC || number < 0 ? NULL : vocab_text(names_of(model, kind), number);
}

static bool number_known(const Model *m, ExplainKind kind, int number)
{
    return number >= first_number(kind) && number < vocab_size(names_of(m, kind));
}

/* How the k-th of the scores x [n] stands among them; with `none`, "no phrase", of score 0, is one more. first: the
 * number of x[0]. */
static Standing standing_of(const Real *x, int n, int k, bool none, int first)
{
    Standing out = { .rival = RIVAL_NONE, .rival_score = none ? 0 : -INFINITY };
    for (int i = 0; i < n; i++) {
        if (i == k || !((double)x[i] > out.rival_score)) continue;
        out.rival = first + i;
        out.rival_score = (double)x[i];
    }
    double most = fmax((double)x[k], out.rival_score), sum = none ? exp(-most) : 0;
    for (int i = 0; i < n; i++) sum += exp((double)x[i] - most);
    out.p = exp((double)x[k] - most) / sum;
    return out;
}

/* The score to explain, [1, 1], or NULL with *e. */
static Tensor *score_of(Worker *w, const Decision *d, Standing *standing, Error *e)
{
    const Model *m = w->m;
    int n = w->packed.batch.n_tokens - 2, r[2] = { 0, 0 };
    Real sign[2] = { 1, -1 };
    bool span = d->kind == EXPLAIN_SPAN;
    int begin = d->at.begin, end = d->at.end;
    if (span ? begin < 0 || begin >= end || end > n : begin < 1 || begin > n || end < 0 || end > n) {
        error_set(e, ERR_RANGE,
                  span ? "found words %d to %d, expected a span of words 1 to %d"
                       : "found word %d and head %d, expected words up to %d",
                  span ? begin + 1 : begin, end, n);
        return NULL;
    }
    if ((d->kind != EXPLAIN_ARC && !number_known(m, d->kind, d->at.label)) ||
        (d->against != LABEL_NONE && !number_known(m, d->kind, d->against))) {
        error_set(e, ERR_RANGE, "found %s %d and %d, expected numbers of the model's", span ? "labels" : "types",
                  d->at.label, d->against);
        return NULL;
    }
    int count = d->against != LABEL_NONE ? 2 : 1, first = first_number(d->kind);
    Tensor *from;
    int column[2] = { d->at.label - first, d->against - first };
    if (span)
        from = span_scorer_score(&w->forward, &parse_network(&m->net)->span, parse_scores(&w->net)->g,
                                 (const int[]){ begin, end }, 1);
    else if (d->kind == EXPLAIN_TYPE) {
        from = w->types;
        r[0] = r[1] = begin;
    } else {
        from = parse_scores(&w->net)->arc.arcs;
        column[0] = begin * (n + 1) + end;
    }
    HostMatrix x = { .data = NULL };
    if (standing) x = tensor_host(&w->tape, from, &w->scratch);
    if (x.data && d->kind == EXPLAIN_ARC)
        *standing = standing_of(x.data + (ptrdiff_t)begin * (n + 1), n + 1, end, false, 0);
    else if (x.data)
        *standing = standing_of(host_row(&x, r[0]), x.cols, column[0], span && !(begin == 0 && end == n),
                                first); /* the whole sentence is a phrase */
    Tensor *score = from ? op_pick(&w->tape, from, r, column, sign, count, 0) : NULL;
    worker_status(w, e);
    return score;
}

Status explain_decision(Worker *worker, const Decision *decision, bool words, Arena *arena,
                        HeadAttribution *attribution, Standing *standing, Error *error)
{
    Tensor *score = score_of(worker, decision, standing, error);
    return score ? attribution_heads(&worker->forward, &worker->m->net.encoder, &worker->net.encoder, score, 0, words,
                                     arena, attribution, error)
                 : error->code;
}

/* Fencepost k of the sentence from token vectors: rows `first` (token k) and first + 1 of z. */
static void fencepost_of(const Encoder *enc, const HostMatrix *z, int first, Real *out)
{
    for (int j = 0; j < enc->width; j++) out[j] = host_row(z, first + encoder_fence_side(enc, j))[enc->fence_source[j]];
}

/* Does block b of a token's vector belong to a removed head? */
static bool left_out(const Encoder *enc, const bool *removed, int b)
{
    return enc->block_head[b] >= 0 && removed[enc->block_head[b]];
}

Status explain_score_without(Worker *worker, const Decision *decision, const bool *removed, double *score, Error *error)
{
    const Encoder *enc = &worker->m->net.encoder;
    const Forward *f = &worker->forward;
    Tape *t = &worker->tape;
    int begin = decision->at.begin, end = decision->at.end, n = worker->packed.batch.n_tokens - 2,
        p = enc->c.lal.d_proj, tokens[4] = { begin, begin + 1, end, end + 1 };
    if (!encoder_has_label_heads(enc)) return error_set(error, ERR_CONFIG, NO_LABEL_HEADS);
    if (decision->kind != EXPLAIN_SPAN || begin < 0 || begin >= end || end > n ||
        !number_known(worker->m, decision->kind, decision->at.label))
        return error_set(error, ERR_RANGE, "found no span of words 1 to %d", n);
    TapeMark mark = tape_mark(t);
    bool recording = t->recording;
    t->recording = false;
    size_t width = (size_t)enc->width;
    HostMatrix lal = tensor_host(t, worker->net.encoder.lal, &t->host), z = { .data = NULL };
    Real *rows = tape_host(t, 4 * width, sizeof *rows), *fence = tape_host(t, 2 * width, sizeof *fence), at = 0;
    for (int r = 0; rows && lal.data && r < 4; r++)
        for (int c = 0; c < enc->width; c++)
            rows[(size_t)r * width + (size_t)c] = left_out(enc, removed, c / p) ? 0 : host_row(&lal, tokens[r])[c];
    Tensor *y = tape_status(t) == OK ? tape_constant(t, rows, 4, enc->width) : NULL, *s = NULL;
    if (y && enc->c.lal_pwff) y = feed_forward_forward(f, &enc->lal_ff, y, NULL, (Dropouts){ 0, 0, 0 }, NULL, NULL);
    if (y) z = tensor_host(t, y, &t->host);
    if (z.data) {
        fencepost_of(enc, &z, 0, fence);
        fencepost_of(enc, &z, 2, fence + width);
        Tensor *g =
            span_scorer_project(f, &parse_network(&worker->m->net)->span, tape_constant(t, fence, 2, enc->width));
        s = span_scorer_score(f, &parse_network(&worker->m->net)->span, g, (const int[]){ 0, 1 }, 1);
    }
    t->recording = recording;
    if (s && tape_download(t, &at, s->data + (decision->at.label - 1), sizeof at)) *score = (double)at;
    tape_rewind(t, mark);
    if (tape_status(t) != OK) *error = t->error;
    return tape_status(t);
}

Status explain_paper_share(Worker *worker, int begin, int end, double *share, Error *error)
{
    const Encoder *enc = &worker->m->net.encoder;
    Tape *t = &worker->tape;
    int heads = enc->c.lal.heads, half = enc->c.lal.d_proj / 2;
    if (!encoder_has_label_heads(enc)) return error_set(error, ERR_CONFIG, NO_LABEL_HEADS);
    TapeMark mark = tape_mark(t);
    HostMatrix f = tensor_host(t, worker->net.encoder.fencepost, &t->host);
    if (!f.data) {
        *error = t->error;
        return error->code;
    }
    double low = INFINITY, high = -INFINITY, sum = 0;
    for (int h = 0; h < heads; h++) share[h] = 0;
    for (int b = 0; b < label_attention_blocks(&enc->lal.c); b++) {
        int h = enc->block_head[b];
        if (h < 0) continue;
        for (int side = 0; side < 2; side++)
            for (int c = 0; c < half; c++) {
                int column = encoder_fence_column(enc, side, b, c);
                share[h] += (double)host_row(&f, end)[column] - (double)host_row(&f, begin)[column];
            }
        low = fmin(low, share[h]);
        high = fmax(high, share[h]);
    }
    tape_rewind(t, mark);
    for (int h = 0; h < heads; h++)
        if (!enc->label_row || enc->label_row[h] >= 0)
            sum += share[h] = exp(high > low ? (share[h] - low) / (high - low) : 0);
    for (int h = 0; h < heads; h++) share[h] /= sum;
    return OK;
}

/* The attention of label head h, numbered as before pruning, to a word (0-based); 0 of a pruned one. */
static double weight_of(const Worker *w, int h, int word)
{
    const int *row = w->m->net.encoder.label_row;
    int k = row ? row[h] : h;
    return k < 0 ? 0 : (double)host_row(&w->attention, word + 1)[k];
}

HeadFocus explain_focus(const Worker *worker, int head, int begin, int end)
{
    HeadFocus f = { 0, 0, -1 };
    const int *row = worker->m->net.encoder.label_row;
    for (int k = 0; k < worker->packed.batch.n_tokens - 2 && !(row && row[head] < 0); k++) {
        double weight = weight_of(worker, head, k);
        if (k >= begin && k < end) f.inside += weight;
        if (f.word >= 0 && weight <= f.most) continue;
        f.most = weight;
        f.word = k;
    }
    return f;
}
