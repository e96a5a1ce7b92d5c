/* Coefficients at three cuts (outputs, views, contexts of the label heads) give all contributions. */
#include "lal/attribution.h"

#include <math.h>

static double dot(const Real *a, const Real *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static bool allocate(HeadAttribution *a, bool words, Arena *arena)
{
    size_t n = (size_t)a->heads;
    a->head = arena_calloc(arena, n, sizeof *a->head);
    a->own = arena_calloc(arena, n, sizeof *a->own);
    a->view = arena_calloc(arena, n, sizeof *a->view);
    a->norm = arena_calloc(arena, n, sizeof *a->norm);
    a->word = words ? arena_calloc(arena, n * (size_t)a->tokens, sizeof *a->word) : NULL;
    return a->head && a->own && a->view && a->norm && (a->word || !words);
}

/* <gradient, x> over the rows of a sentence, first .. first + rows - 1. */
static double product_of(Tape *t, const Tensor *x, int first, int rows)
{
    HostMatrix c = tensor_host_grad(t, x, &t->host), y = tensor_host(t, x, &t->host);
    double sum = 0;
    for (int r = first; c.data && y.data && r < first + rows; r++) sum += dot(host_row(&c, r), host_row(&y, r), y.cols);
    return sum;
}

/* The sums of attention inside phrases, and their words. Returns the biases of values, which are the words'. */
static double add_phrases(const Forward *f, const Encoder *enc, const EncoderOutput *out, int sentence,
                          HeadAttribution *a)
{
    Tape *t = f->t;
    int m = enc->phrase.values, from = f->batch->start[sentence];
    HostMatrix c = tensor_host_grad(t, out->phrase, &t->host), y = tensor_host(t, out->phrase, &t->host),
               cv = tensor_host_grad(t, out->phrase_trace.values, &t->host),
               v = tensor_host(t, out->phrase_trace.values, &t->host);
    const Real *b = param_values(f->params, enc->phrase.b);
    double biases = 0;
    for (int h = 0; h < a->heads; h++) {
        ptrdiff_t k = a->row ? a->row[h] : h;
        if (k < 0) continue;
        double sum = 0;
        for (int r = from - sentence; c.data && y.data && r < from - sentence + a->tokens - 1; r++)
            sum += dot(host_row(&c, r) + k * m, host_row(&y, r) + k * m, m);
        a->head[h] += sum;
        a->view[h] += sum;
        for (int i = 0; cv.data && v.data && i < a->tokens; i++) {
            const Real *at = host_row(&cv, from + i) + k * m;
            if (a->word) a->word[(ptrdiff_t)h * a->tokens + i] += dot(at, host_row(&v, from + i) + k * m, m);
            biases += dot(at, b + k * m, m);
        }
    }
    if (!encoder_has_blocks(enc)) a->rest += product_of(t, out->fencepost, from - sentence, a->tokens - 1);
    return biases;
}

/* The outputs of blocks, and the part of the bias of their norm, over the tokens: to the heads, and of blocks that
 * have none to the pruned part. gates [heads of the model]: factors on outputs, or NULL. Returns the biases of all
 * blocks. */
static double add_outputs(const Forward *f, const Encoder *enc, const EncoderOutput *out, int sentence,
                          const double *gates, HeadAttribution *a)
{
    int p = enc->c.lal.d_proj, from = f->batch->start[sentence];
    const Real *b = param_values(f->params, enc->lal.norm.b);
    HostMatrix c = tensor_host_grad(f->t, out->lal, &f->t->host), y = tensor_host(f->t, out->lal, &f->t->host);
    double norms = 0;
    for (int t = from; c.data && y.data && t < from + a->tokens; t++)
        for (int k = 0; k < label_attention_blocks(&enc->lal.c); k++) {
            const Real *at = host_row(&c, t) + (ptrdiff_t)k * p;
            int h = enc->block_head[k];
            double part = dot(at, host_row(&y, t) + (ptrdiff_t)k * p, p),
                   norm = p > 1 ? dot(at, b, p) : 0; /* a norm of width 1 is the identity */
            if (h >= 0 && gates) norm *= gates[a->row ? a->row[h] : h];
            norms += norm;
            if (h >= 0) a->head[h] += part, a->norm[h] += norm;
            else a->rest += part;
        }
    return norms;
}

static void add_views(const Forward *f, const EncoderOutput *out, int sentence, HeadAttribution *a)
{
    Tape *t = f->t;
    HostMatrix view = tensor_host(t, out->trace.view, &t->host), c = tensor_host_grad(t, out->trace.view, &t->host),
               none = { .data = NULL };
    HostMatrix cz = a->word ? tensor_host_grad(t, out->trace.context, &t->host) : none,
               x = cz.data ? tensor_host(t, out->contextual, &t->host) : none,
               probs = cz.data ? tensor_host(t, out->trace.probs, &t->host) : none;
    int from = f->batch->start[sentence], left = attribution_left(a);
    if (tape_status(t) != OK) return;
    for (int h = 0; h < a->heads; h++) {
        int k = a->row ? a->row[h] : h, row = sentence * left + k;
        if (k < 0) continue;
        if (c.data) a->view[h] = dot(host_row(&c, row), host_row(&view, row), view.cols);
        a->own[h] = a->head[h] - a->view[h] - a->norm[h];
        for (int i = 0; cz.data && i < a->tokens; i++)
            a->word[(ptrdiff_t)h * a->tokens + i] =
                (double)host_row(&probs, from + i)[k] * dot(host_row(&cz, row), host_row(&x, from + i), x.cols);
    }
}

int attribution_left(const HeadAttribution *attribution)
{
    int n = 0;
    for (int h = 0; h < attribution->heads; h++) n += attribution_has(attribution, h);
    return n;
}

Status attribution_heads(const Forward *forward, const Encoder *enc, const EncoderOutput *out, Tensor *score,
                         int sentence, bool words, Arena *arena, HeadAttribution *attribution, Error *error)
{
    const LayerId label = layer_label(enc->c.n_layers);
    double *gates = NULL, norms, biases = 0;
    if (!encoder_has_label_heads(enc)) return error_set(error, ERR_CONFIG, NO_LABEL_HEADS);
    *attribution = (HeadAttribution){ .heads = enc->c.lal.heads,
                                      .tokens = forward->batch->start[sentence + 1] - forward->batch->start[sentence],
                                      .row = enc->label_row };
    if (encoder_gates_outputs(enc)) {
        gates = arena_alloc(arena, (size_t)enc->lal.c.heads, sizeof *gates);
        Status s = gates ? head_gate_values(&enc->gate[label], forward->params, gates, error) : OK;
        if (s != OK) return s;
    }
    if (!allocate(attribution, words, arena) || (encoder_gates_outputs(enc) && !gates))
        return error_set(error, ERR_NOMEM, "out of memory explaining a score");
    bool blocks = encoder_has_blocks(enc);
    Tensor *keep[5], *until = blocks ? out->trace.context : out->phrase_trace.values;
    int n = 0;
    if (blocks) keep[n++] = out->lal, keep[n++] = out->trace.view, keep[n++] = out->trace.context;
    else keep[n++] = out->fencepost;
    if (out->phrase) keep[n++] = out->phrase, keep[n++] = out->phrase_trace.values;
    tape_relevance(forward->t, score, keep, n, until);
    TapeMark mark = tape_mark(forward->t);
    attribution->score = tape_number(forward->t, score);
    norms = blocks ? add_outputs(forward, enc, out, sentence, gates, attribution) : 0;
    if (blocks) add_views(forward, out, sentence, attribution);
    if (out->phrase) biases = add_phrases(forward, enc, out, sentence, attribution);
    if (blocks) norms += biases; /* the walk has passed the values */
    tape_rewind(forward->t, mark);
    if (tape_status(forward->t) != OK) {
        *error = forward->t->error;
        return error->code;
    }
    /* after the views only the norm has a bias, which the blocks have taken */
    attribution->bias = forward->t->bias_part - norms;
    return OK;
}

Status attribution_words(const Forward *forward, Tensor *x, Tensor *score, int sentence, Arena *arena,
                         HeadAttribution *attribution, Error *error)
{
    Tape *t = forward->t;
    int from = forward->batch->start[sentence], n = forward->batch->start[sentence + 1] - from;
    *attribution = (HeadAttribution){ .tokens = n, .input = arena_alloc(arena, (size_t)n, sizeof(double)) };
    if (!attribution->input) return error_set(error, ERR_NOMEM, "out of memory explaining a score");
    tape_relevance(t, score, &x, 1, x);
    TapeMark mark = tape_mark(t);
    attribution->score = tape_number(t, score);
    for (int k = 0; k < n; k++) attribution->input[k] = product_of(t, x, from + k, 1);
    tape_rewind(t, mark);
    if (tape_status(t) != OK) *error = t->error;
    attribution->bias = t->bias_part;
    return tape_status(t);
}

double attribution_error(const HeadAttribution *attribution)
{
    double sum = attribution->bias + attribution->rest - attribution->score;
    for (int h = 0; h < attribution->heads; h++) sum += attribution->head[h];
    for (int k = 0; attribution->input && k < attribution->tokens; k++) sum += attribution->input[k];
    return fabs(sum) / fmax(1, fabs(attribution->score));
}
