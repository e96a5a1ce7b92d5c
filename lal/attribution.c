/* lal/attribution.c: coefficients at three cuts (outputs, views, contexts of the label heads) give all parts. */
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

/* The head's outputs and the bias of its norm, over the tokens. */
static void add_outputs(const Forward *f, const Encoder *enc, const EncoderOutput *out, int sentence,
                        HeadAttribution *a)
{
    int p = enc->c.lal.d_proj, from = f->batch->start[sentence];
    const Real *c = tape_grad_of(out->lal), *b = f->params->values + f->params->p[enc->lal.norm.b].offset;
    for (int t = from; c && t < from + a->tokens; t++)
        for (int h = 0; h < a->heads; h++) {
            const Real *at = c + (ptrdiff_t)t * out->lal->ld + h * p;
            a->head[h] += dot(at, tensor_row(out->lal, t) + h * p, p);
            a->norm[h] += p > 1 ? dot(at, b, p) : 0; /* a norm of width 1 is none */
        }
}

static void add_views(const Forward *f, const EncoderOutput *out, int sentence, HeadAttribution *a)
{
    const Tensor *view = out->trace.view, *context = out->trace.context, *x = out->contextual,
                 *probs = out->trace.probs;
    const Real *c = tape_grad_of(view), *cz = tape_grad_of(context);
    int from = f->batch->start[sentence];
    for (int h = 0; h < a->heads; h++) {
        int row = sentence * a->heads + h;
        if (c) a->view[h] = dot(c + (ptrdiff_t)row * view->ld, tensor_row(view, row), view->cols);
        a->own[h] = a->head[h] - a->view[h] - a->norm[h];
        for (int t = 0; a->word && cz && t < a->tokens; t++)
            a->word[(ptrdiff_t)h * a->tokens + t] =
                (double)tensor_row(probs, from + t)[h] *
                dot(cz + (ptrdiff_t)row * context->ld, tensor_row(x, from + t), x->cols);
    }
}

Status attribute_heads(const Forward *f, const Encoder *enc, const EncoderOutput *out, Tensor *score, int sentence,
                       bool words, Arena *arena, HeadAttribution *a, Error *e)
{
    const LabelAttentionConfig *c = &enc->c.lal;
    if (!encoder_has_label_heads(&enc->c)) return error_set(e, ERR_CONFIG, NO_LABEL_HEADS);
    *a = (HeadAttribution){ .heads = c->heads, .tokens = f->batch->start[sentence + 1] - f->batch->start[sentence] };
    if (!allocate(a, words, arena)) return error_set(e, ERR_NOMEM, "out of memory explaining a score");
    Tensor *keep[] = { out->lal, out->trace.view, out->trace.context };
    if (tape_relevance(f->t, score, keep, 3, out->trace.context) != OK) {
        *e = f->t->error;
        return e->code;
    }
    a->score = (double)score->data[0];
    add_outputs(f, enc, out, sentence, a);
    add_views(f, out, sentence, a);
    /* behind the views there is no bias but that of the norm, which the heads have taken */
    a->bias = f->t->bias_part;
    for (int h = 0; h < a->heads; h++) a->bias -= a->norm[h];
    return OK;
}

double attribution_error(const HeadAttribution *a)
{
    double sum = a->bias - a->score;
    for (int h = 0; h < a->heads; h++) sum += a->head[h];
    return fabs(sum) / fmax(1, fabs(a->score));
}
