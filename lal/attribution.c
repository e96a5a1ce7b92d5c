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
            else a->pruned += part;
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
    double *gates = NULL, norms;
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
    Tensor *keep[] = { out->lal, out->trace.view, out->trace.context };
    tape_relevance(forward->t, score, keep, 3, out->trace.context);
    TapeMark mark = tape_mark(forward->t);
    attribution->score = tape_number(forward->t, score);
    norms = add_outputs(forward, enc, out, sentence, gates, attribution);
    add_views(forward, out, sentence, attribution);
    tape_rewind(forward->t, mark);
    if (tape_status(forward->t) != OK) {
        *error = forward->t->error;
        return error->code;
    }
    /* after the views only the norm has a bias, which the blocks have taken */
    attribution->bias = forward->t->bias_part - norms;
    return OK;
}

double attribution_error(const HeadAttribution *attribution)
{
    double sum = attribution->bias + attribution->pruned - attribution->score;
    for (int h = 0; h < attribution->heads; h++) sum += attribution->head[h];
    return fabs(sum) / fmax(1, fabs(attribution->score));
}
