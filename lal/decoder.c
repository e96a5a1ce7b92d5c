/* lal/decoder.c */
#include "lal/decoder.h"

#include <math.h>
#include <stdio.h>

static Status cross_declare(CrossAttention *ca, ParamSet *ps, const char *prefix, const DecoderConfig *c, Error *e)
{
    long all = (long)c->n_heads * c->d_kv;
    char name[PARAM_NAME_MAX];
    Status s = param_declare(&ca->q, ps, e, 2, c->d, all, 0, "%s.w_q", prefix);
    if (s == OK) s = param_declare(&ca->q_bias, ps, e, 1, all, 0, 0, "%s.b_q", prefix);
    if (s == OK) s = param_declare(&ca->kv, ps, e, 2, c->d, 2 * all, 0, "%s.w_kv", prefix);
    if (s == OK) s = param_declare(&ca->kv_bias, ps, e, 1, 2 * all, 0, 0, "%s.b_kv", prefix);
    if (s == OK) s = param_declare(&ca->proj, ps, e, 2, all, c->d, 0, "%s.proj.weight", prefix);
    if (s == OK) s = param_declare(&ca->proj_bias, ps, e, 1, c->d, 0, 0, "%s.proj.bias", prefix);
    snprintf(name, sizeof name, "%s.layer_norm", prefix);
    return s == OK ? norm_declare(&ca->norm, ps, name, c->d, LAYERS_PLAIN.norm, e) : s;
}

/* As self_attention_init draws. */
static void cross_init(const CrossAttention *ca, const DecoderConfig *c, ParamSet *ps, unsigned long seed)
{
    double spread = sqrt(2.0 / ((double)(c->d + c->n_heads) * c->d_kv));
    param_init_normal(ps, ca->q, spread, seed);
    param_init_normal(ps, ca->kv, spread, seed);
    param_init_constant(ps, ca->q_bias, 0);
    param_init_constant(ps, ca->kv_bias, 0);
    linear_init(ca->proj, ca->proj_bias, ps, seed);
    norm_init(&ca->norm, ps);
}

Status decoder_declare(Decoder *dec, ParamSet *ps, DecoderConfig c, Error *e)
{
    *dec = (Decoder){ .c = c };
    if (c.n_layers > DECODER_LAYERS_MOST)
        return error_set(e, ERR_CONFIG, "decoder_layers %d, at most %d", c.n_layers, DECODER_LAYERS_MOST);
    Status s = OK;
    for (int l = 0; l < c.n_layers && s == OK; l++) {
        char name[32];
        snprintf(name, sizeof name, "decoder.self_%d", l);
        s = self_attention_declare(&dec->self[l], ps, name, c.d, c.n_heads, c.d_kv, 1, LAYERS_PLAIN, e);
        snprintf(name, sizeof name, "decoder.cross_%d", l);
        if (s == OK) s = cross_declare(&dec->cross[l], ps, name, &dec->c, e);
        snprintf(name, sizeof name, "decoder.ff_%d", l);
        if (s == OK) s = feed_forward_declare(&dec->ff[l], ps, name, c.d, c.d_ff, 1, 0, LAYERS_PLAIN, e);
    }
    return s;
}

void decoder_init(const Decoder *dec, ParamSet *ps, unsigned long seed)
{
    for (int l = 0; l < dec->c.n_layers; l++) {
        self_attention_init(&dec->self[l], ps, seed);
        cross_init(&dec->cross[l], &dec->c, ps, seed);
        feed_forward_init(&dec->ff[l], ps, seed);
    }
}

bool decoder_source(const Forward *f, const Decoder *dec, Tensor *x, const Batch *batch, DecoderSource *out)
{
    *out = (DecoderSource){ .batch = batch };
    for (int l = 0; l < dec->c.n_layers; l++) {
        const CrossAttention *ca = &dec->cross[l];
        out->kv[l] = op_linear(f->t, x, forward_weight(f, ca->kv), forward_param(f, ca->kv_bias), false);
        if (!out->kv[l]) return false;
    }
    return true;
}

/* x [tokens, d] -> norm(x + drop(O attention(x, source))), [tokens, d]. */
static Tensor *cross_forward(const Forward *f, const Decoder *dec, int l, Tensor *x, const DecoderSource *source,
                             Dropouts drop, const HeadControl *control, SelfAttentionTrace *trace)
{
    const CrossAttention *ca = &dec->cross[l];
    const DecoderConfig *c = &dec->c;
    Tape *t = f->t;
    Tensor *probs = NULL, *q = op_linear(t, x, forward_weight(f, ca->q), forward_param(f, ca->q_bias), false);
    AttentionSpec spec = attention_spec(c->n_heads, 1, sqrt((double)c->d_kv), drop.attention, control);
    Tensor *ctx = op_cross_attention(t, q, source->kv[l], &spec, f->batch, source->batch, t->recording ? &probs : NULL);
    if (trace) *trace = (SelfAttentionTrace){ probs, ctx };
    Tensor *z = op_linear(t, ctx, forward_weight(f, ca->proj), forward_param(f, ca->proj_bias), false);
    return z ? norm_residual(f, &ca->norm, x, z, NULL, drop.residual, f->sentence_of) : NULL;
}

void decoder_forward(const Forward *f, const Decoder *dec, Tensor *y, const DecoderSource *source, Dropouts drop,
                     const DecoderControl *control, DecoderOutput *out)
{
    *out = (DecoderOutput){ 0 };
    double scale = sqrt((double)dec->c.d_kv);
    for (int l = 0; l < dec->c.n_layers && y; l++) {
        HeadControl on = control && control->self ? control->self[l] : (HeadControl){ 0 };
        on.causal = true;
        y = self_attention_forward(f, &dec->self[l], y, NULL, scale, drop, &on, &out->self[l]);
        if (!y) return;
        y = cross_forward(f, dec, l, y, source, drop, control && control->cross ? &control->cross[l] : NULL,
                          &out->cross[l]);
        if (y) y = feed_forward_forward(f, &dec->ff[l], y, NULL, drop, f->sentence_of, NULL);
    }
    out->hidden = y;
}

/* ---- one token at a time */

/* The cache of a layer with the keys and values of new tokens, kv [outputs, 2 * heads * w]. */
static Tensor *append(const Forward *f, Tensor *kv, Tensor *before, int length, const int *parent)
{
    Tape *t = f->t;
    int each = kv->cols, outputs = kv->rows;
    Tensor *all = tape_new(t, outputs, (long)(length + 1) * each);
    if (!all) return NULL;
    EmbedTerm old = { before, parent, 0, NULL }, added = { kv, NULL, 0, NULL };
    if (length && !op_embed_into(t, tape_columns(t, all, 0, length * each), &old, 1)) return NULL;
    return op_embed_into(t, tape_columns(t, all, length * each, each), &added, 1) ? all : NULL;
}

/* Outputs of so many tokens as the sentences of a batch; start NULL: the tape has the error. */
static Batch batch_of(Tape *t, int outputs, int tokens)
{
    int *start = tape_host(t, (size_t)outputs + 1, sizeof *start);
    for (int k = 0; start && k <= outputs; k++) start[k] = k * tokens;
    return (Batch){ .n_sent = outputs, .start = start, .n_tokens = outputs * tokens, .longest = tokens };
}

/* Self-attention of one new token for each output to all of its tokens. */
static Tensor *self_step(const Forward *f, const Decoder *dec, int l, Tensor *x, const int *parent,
                         const DecoderCache *before, DecoderCache *after)
{
    const SelfAttention *sa = &dec->self[l];
    Tape *t = f->t;
    int all = sa->heads * dec->c.d_kv, length = before->length;
    Tensor *qkv = op_linear(t, x, forward_weight(f, sa->qkv[0]), forward_param(f, sa->qkv_bias[0]), false);
    Tensor *kv = qkv ? append(f, tape_columns(t, qkv, all, 2 * all), before->kv[l], length, parent) : NULL;
    if (!kv) return NULL;
    after->kv[l] = kv;
    Batch added = batch_of(t, x->rows, 1), written = batch_of(t, x->rows, length + 1);
    if (!added.start || !written.start) return NULL;
    AttentionSpec spec = attention_spec(sa->heads, 1, sqrt((double)dec->c.d_kv), 0, NULL);
    Tensor *rows = tape_wrap(t, kv->data, NULL, written.n_tokens, 2 * all, false);
    Tensor *ctx = op_cross_attention(t, tape_columns(t, qkv, 0, all), rows, &spec, &added, &written, NULL);
    Tensor *z = op_linear(t, ctx, forward_weight(f, sa->proj[0]), forward_param(f, sa->proj_bias[0]), false);
    return z ? norm_residual(f, &sa->norm, x, z, NULL, 0, NULL) : NULL;
}

Tensor *decoder_step(const Forward *f, const Decoder *dec, Tensor *y, const DecoderSource *source, const int *parent,
                     const DecoderCache *before, DecoderCache *after)
{
    *after = (DecoderCache){ .length = before->length + 1 };
    for (int l = 0; l < dec->c.n_layers && y; l++) {
        y = self_step(f, dec, l, y, parent, before, after);
        if (y) y = cross_forward(f, dec, l, y, source, (Dropouts){ 0 }, NULL, NULL);
        if (y) y = feed_forward_forward(f, &dec->ff[l], y, NULL, (Dropouts){ 0 }, NULL, NULL);
    }
    return y;
}
