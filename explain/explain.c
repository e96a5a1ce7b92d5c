/* A score is picked from the forward pass that the worker holds and walked back to the label
 * heads; to leave heads out, the scorers run again on what the others have made. */
#include "explain/explain.h"

#include "parser/parse/parse_network.h"
#include "parser/parse/rule_types.h"

#include <math.h>

/* Labels are numbered from 1: number 0 is no phrase. */
static int first_number(ExplainKind kind) { return kind == EXPLAIN_SPAN ? 1 : kind == EXPLAIN_TAG ? N_RESERVED : 0; }

Status explain_decisions(const Model *model, const Parsed *parsed, ExplainKind kind, Arena *arena, Decision **out,
                         int *n, Error *error)
{
    int most = kind == EXPLAIN_SPAN ? parsed->n_phrases : kind == EXPLAIN_TAG || parsed->heads ? parsed->n_words : 0;
    if (kind == EXPLAIN_TAG && !parsed->tags) most = 0;
    Decision *d = *out = arena_alloc(arena, (size_t)most, sizeof *d);
    *n = 0;
    if (!d) return error_set(error, ERR_NOMEM, "out of memory inspecting");
    for (int k = 0; k < most; k++) {
        if (kind == EXPLAIN_TYPE && parsed->heads[k] == 0) continue; /* the type of the root follows from its head */
        Decision *to = &d[(*n)++];
        *to = (Decision){ .kind = kind, .against = LABEL_NONE };
        if (kind == EXPLAIN_SPAN) to->at = model_span(model, &parsed->phrases[k]);
        else if (kind == EXPLAIN_TAG) to->at = (Span){ k + 1, k + 1, vocab_find(&model->tags, parsed->tags[k]) };
        else to->at = (Span){ k + 1, parsed->heads[k], LABEL_NONE };
        if (kind == EXPLAIN_TYPE) to->at.label = vocab_find(&model->types, parsed->types[k]);
        if (kind != EXPLAIN_ARC && to->at.label < first_number(kind)) --*n; /* not the model's: given, or of a rule */
    }
    return OK;
}

static const Vocab *names_of(const Model *m, ExplainKind kind)
{
    return kind == EXPLAIN_SPAN ? &m->labels : kind == EXPLAIN_TAG ? &m->tags : &m->types;
}

static const char *const WHAT[EXPLAIN_KINDS] = { "label", "arc", "type", "tag" };

Status decision_find(const Model *model, ExplainKind kind, const char *name, int *number, Error *error)
{
    *number = vocab_find(names_of(model, kind), name);
    return *number >= first_number(kind)
               ? OK
               : error_set(error, ERR_CONFIG, "found %s '%s', which the model does not know; lal model info lists them",
                           WHAT[kind], name);
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

/* The scores of a pass, of the worker's, or of one without some heads; types [words + 1, types] or, of the second, of
 * the arc of the decision alone, in row 0; tags [words + 2, tags]. */
typedef struct Scores {
    Tensor *g, *arcs, *types, *tags;
    int type_row;
} Scores;

/* Is the decision one of the sentence and of the model? ERR_RANGE. */
static Status check_decision(const Worker *w, const Decision *d, Error *e)
{
    int n = w->packed.batch.n_tokens - 2, begin = d->at.begin, end = d->at.end;
    bool span = d->kind == EXPLAIN_SPAN;
    if (span ? begin < 0 || begin >= end || end > n : begin < 1 || begin > n || end < 0 || end > n)
        return error_set(e, ERR_RANGE,
                         span ? "found words %d to %d, expected a span of words 1 to %d"
                              : "found word %d and head %d, expected words up to %d",
                         span ? begin + 1 : begin, end, n);
    if ((d->kind != EXPLAIN_ARC && !number_known(w->m, d->kind, d->at.label)) ||
        (d->against != LABEL_NONE && !number_known(w->m, d->kind, d->against)))
        return error_set(e, ERR_RANGE, "found %ss %d and %d, expected numbers of the model's", WHAT[d->kind],
                         d->at.label, d->against);
    return OK;
}

/* The scores of the types of word `begin` with what head rules add, in scratch; NULL when out of memory. */
static const Real *type_scores(Worker *w, const HostMatrix *types, int begin)
{
    Real *x = arena_alloc(&w->scratch, (size_t)types->cols, sizeof *x);
    for (int y = 0; x && y < types->cols; y++)
        x[y] = host_row(types, begin)[y] + rule_types_add(w->m, w->rule_type[begin], y);
    return x;
}

/* The score to explain, [1, 1], or NULL with *e. */
static Tensor *score_of(Worker *w, const Scores *scores, const Decision *d, Standing *standing, Error *e)
{
    const Model *m = w->m;
    int n = w->packed.batch.n_tokens - 2, r[2] = { 0, 0 };
    Real sign[2] = { 1, -1 };
    bool span = d->kind == EXPLAIN_SPAN;
    int begin = d->at.begin, end = d->at.end;
    if (check_decision(w, d, e) != OK) return NULL;
    int count = d->against != LABEL_NONE ? 2 : 1, first = first_number(d->kind);
    Tensor *from;
    int column[2] = { d->at.label - first, d->against - first };
    if (span)
        from = span_scorer_score(&w->forward, &parse_network(&m->net)->span, scores->g, (const int[]){ begin, end }, 1);
    else if (d->kind == EXPLAIN_TYPE) {
        from = scores->types;
        r[0] = r[1] = scores->type_row;
    } else if (d->kind == EXPLAIN_TAG) {
        from = scores->tags;
        r[0] = r[1] = begin;
        column[0] = d->at.label;
        column[1] = d->against;
    } else {
        from = scores->arcs;
        column[0] = begin * (n + 1) + end;
    }
    HostMatrix x = { .data = NULL };
    if (standing) x = tensor_host(&w->tape, from, &w->scratch);
    if (x.data && d->kind == EXPLAIN_ARC)
        *standing = standing_of(x.data + (ptrdiff_t)begin * (n + 1), n + 1, end, false, 0);
    else if (x.data && span)
        *standing = standing_of(host_row(&x, 0), x.cols, column[0], !(begin == 0 && end == n),
                                first); /* the whole sentence is a phrase */
    else if (x.data && d->kind == EXPLAIN_TAG)
        *standing = standing_of(host_row(&x, begin) + first, x.cols - first, column[0] - first, false, first);
    else if (x.data) {
        const Real *row = type_scores(w, &x, begin);
        if (!row) {
            error_set(e, ERR_NOMEM, "out of memory inspecting");
            return NULL;
        }
        *standing = standing_of(row, x.cols, column[0], false, first);
        for (int k = 0; k < count; k++)
            standing->rules += (double)(sign[k] * rule_types_add(m, w->rule_type[begin], column[k]));
    }
    Tensor *score = from ? op_pick(&w->tape, from, r, column, sign, count, 0) : NULL;
    worker_status(w, e);
    return score;
}

Status explain_decision(Worker *worker, const Decision *decision, bool words, Arena *arena,
                        HeadAttribution *attribution, Standing *standing, Error *error)
{
    const ParseScores *own = parse_scores(&worker->net);
    const Scores scores = { own->g, own->arc.arcs, worker->types, own->tags, decision->at.begin };
    Tensor *score = score_of(worker, &scores, decision, standing, error);
    if (score && !attribution) return OK;
    if (score && decision->kind == EXPLAIN_TAG)
        return attribution_words(&worker->forward, worker->net.embedding, score, 0, arena, attribution, error);
    return score ? attribution_heads(&worker->forward, &worker->m->net.encoder, &worker->net.encoder, score, 0, words,
                                     arena, attribution, error)
                 : error->code;
}

/* A copy of x where the columns of removed heads are 0: column c is of the head in row c / width of `head` [x->cols /
 * width], numbered as before pruning, -1: of none. */
static Tensor *without_columns(Tape *t, const Tensor *x, int width, const int *head, const bool *removed)
{
    HostMatrix from = tensor_host(t, x, &t->host);
    Real *to = from.data ? tape_host(t, tensor_size(x), sizeof *to) : NULL;
    for (int r = 0; to && r < x->rows; r++)
        for (int c = 0; c < x->cols; c++) {
            int h = head[c / width];
            to[(ptrdiff_t)r * x->cols + c] = h >= 0 && removed[h] ? 0 : host_row(&from, r)[c];
        }
    return to ? tape_constant(t, to, x->rows, x->cols) : NULL;
}

/* What the scorers read, without removed heads. */
static void without_heads(Worker *w, const bool *removed, Tensor **fencepost, Tensor **phrase)
{
    const Encoder *enc = &w->m->net.encoder;
    const EncoderOutput *x = &w->net.encoder;
    Tape *t = &w->tape;
    *fencepost = x->fencepost;
    *phrase = x->phrase
                  ? without_columns(t, x->phrase, enc->phrase.values, enc->head[layer_label(enc->c.n_layers)], removed)
                  : NULL;
    if (!encoder_has_blocks(enc)) return;
    Tensor *y = without_columns(t, x->lal, enc->c.lal.d_proj, enc->block_head, removed);
    if (enc->c.lal_pwff)
        y = feed_forward_forward(&w->forward, &enc->lal_ff, y, NULL, (Dropouts){ 0, 0, 0 }, NULL, NULL);
    *fencepost = op_fenceposts(t, y, enc->fence_source, &w->packed.batch);
}

Status explain_score_without(Worker *worker, const Decision *decision, const bool *removed, double *score, Error *error)
{
    const ParseNetwork *own = parse_network(&worker->m->net);
    const Forward *f = &worker->forward;
    Tape *t = &worker->tape;
    if (!encoder_has_label_heads(&worker->m->net.encoder)) return error_set(error, ERR_CONFIG, NO_LABEL_HEADS);
    if (check_decision(worker, decision, error) != OK) return error->code;
    if (decision->kind == EXPLAIN_TAG)
        return error_set(error, ERR_RANGE, "found a tag, in which no label head has a part");
    TapeMark mark = tape_mark(t);
    bool recording = t->recording;
    t->recording = false;
    Tensor *fencepost, *phrase, *found;
    ArcFeatures arc = { 0 };
    without_heads(worker, removed, &fencepost, &phrase);
    if (decision->kind != EXPLAIN_SPAN) arc_scorer_forward(f, &own->arc, fencepost, phrase, &arc);
    const Scores scores = {
        .g = decision->kind == EXPLAIN_SPAN ? span_scorer_project(f, &own->span, fencepost, phrase) : NULL,
        .arcs = arc.arcs,
        .types = decision->kind == EXPLAIN_TYPE
                     ? arc_scorer_arc_types(f, &own->arc, &arc, &decision->at.begin, &decision->at.end, 1)
                     : NULL
    };
    found = score_of(worker, &scores, decision, NULL, error);
    if (found) *score = tape_number(t, found);
    t->recording = recording;
    tape_rewind(t, mark);
    if (tape_status(t) != OK) *error = t->error;
    return tape_status(t);
}

/* Parses from these outputs of the encoder; the worker keeps its own. */
static Status parse_from(Worker *w, Tensor *fencepost, Tensor *phrase, const ParseInput *in, const ParseOptions *o,
                         TapeMark mark, Arena *out, Parsed *parsed, Error *e)
{
    const NetworkOutput net = w->net;
    const HostMatrix attention = w->attention;
    const int *rule_type = w->rule_type;
    Tensor *types = w->types;
    w->net.encoder.fencepost = fencepost;
    w->net.encoder.phrase = phrase;
    Status status = parse_from_outputs(w, in, 1, o, out, parsed, e);
    w->net = net;
    w->types = types;
    w->rule_type = rule_type;
    w->attention = attention;
    tape_rewind(&w->tape, mark);
    return status;
}

Status explain_parse_again(Worker *worker, const ParseInput *in, const ParseOptions *options, Arena *out,
                           Parsed *parsed, Error *error)
{
    Tape *t = &worker->tape;
    const EncoderOutput *x = &worker->net.encoder;
    bool recording = t->recording;
    t->recording = false;
    Status status = parse_from(worker, x->fencepost, x->phrase, in, options, tape_mark(t), out, parsed, error);
    t->recording = recording;
    return status;
}

Status explain_parse_without(Worker *worker, const ParseInput *in, const ParseOptions *options, const bool *removed,
                             Arena *out, Parsed *parsed, Error *error)
{
    Tape *t = &worker->tape;
    if (!encoder_has_label_heads(&worker->m->net.encoder)) return error_set(error, ERR_CONFIG, NO_LABEL_HEADS);
    const TapeMark mark = tape_mark(t);
    Tensor *fencepost, *phrase;
    bool recording = t->recording;
    t->recording = false;
    without_heads(worker, removed, &fencepost, &phrase);
    Status status = parse_from(worker, fencepost, phrase, in, options, mark, out, parsed, error);
    t->recording = recording;
    return status;
}

/* Sums of the features f_j - f_i of a span within each head. */
static void feature_sums(const Encoder *enc, const HostMatrix *f, const HostMatrix *p, int begin, int end, double *sum)
{
    int half = enc->c.lal.d_proj / 2, values = enc->phrase.values;
    for (int b = 0; f->data && b < label_attention_blocks(&enc->lal.c); b++)
        for (int k = 0; k < 2 * half && enc->block_head[b] >= 0; k++) {
            int column = encoder_fence_column(enc, k / half, b, k % half);
            sum[enc->block_head[b]] += (double)host_row(f, end)[column] - (double)host_row(f, begin)[column];
        }
    for (int c = 0; p->data && c < p->cols; c++)
        sum[enc->head[layer_label(enc->c.n_layers)][c / values]] +=
            (double)host_row(p, end)[c] - (double)host_row(p, begin)[c];
}

Status explain_paper_share(Worker *worker, int begin, int end, double *share, Error *error)
{
    const Encoder *enc = &worker->m->net.encoder;
    Tape *t = &worker->tape;
    int heads = enc->c.lal.heads;
    if (!encoder_has_label_heads(enc)) return error_set(error, ERR_CONFIG, NO_LABEL_HEADS);
    TapeMark mark = tape_mark(t);
    HostMatrix f = { .data = NULL }, p = tensor_host(t, worker->net.encoder.phrase, &t->host);
    if (encoder_has_blocks(enc)) f = tensor_host(t, worker->net.encoder.fencepost, &t->host);
    if (!f.data && !p.data) {
        *error = t->error;
        return error->code;
    }
    double low = INFINITY, high = -INFINITY, sum = 0;
    for (int h = 0; h < heads; h++) share[h] = 0;
    feature_sums(enc, &f, &p, begin, end, share);
    for (int h = 0; h < heads; h++)
        if (!enc->label_row || enc->label_row[h] >= 0) {
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
