/* Whole outputs in one pass, and one token at a time with the keys and values of those before it;
 * both use the same layers, and in both masks and gates act on the heads. */
#include "lal/decoder.h"

#include <math.h>
#include <stdio.h>

static Status cross_declare(CrossAttention *ca, ParamSet *ps, const char *prefix, const DecoderConfig *c, int heads,
                            Error *e)
{
    long all = (long)heads * c->d_kv;
    char name[PARAM_NAME_MAX];
    Status s = OK;
    *ca = (CrossAttention){ .heads = heads, .q = -1, .q_bias = -1, .kv = -1, .kv_bias = -1, .proj = -1 };
    if (heads > 0) {
        s = param_declare(&ca->q, ps, e, 2, c->d, all, 0, "%s.w_q", prefix);
        if (s == OK) s = param_declare(&ca->q_bias, ps, e, 1, all, 0, 0, "%s.b_q", prefix);
        if (s == OK) s = param_declare(&ca->kv, ps, e, 2, c->d, 2 * all, 0, "%s.w_kv", prefix);
        if (s == OK) s = param_declare(&ca->kv_bias, ps, e, 1, 2 * all, 0, 0, "%s.b_kv", prefix);
        if (s == OK) s = param_declare(&ca->proj, ps, e, 2, all, c->d, 0, "%s.proj.weight", prefix);
    }
    if (s == OK) s = param_declare(&ca->proj_bias, ps, e, 1, c->d, 0, 0, "%s.proj.bias", prefix);
    snprintf(name, sizeof name, "%s.layer_norm", prefix);
    return s == OK ? norm_declare(&ca->norm, ps, name, c->d, LAYERS_PLAIN.norm, e) : s;
}

/* As self_attention_init draws. */
static void cross_init(const CrossAttention *ca, const DecoderConfig *c, ParamSet *ps, unsigned long seed)
{
    double spread = sqrt(2.0 / ((double)(c->d + ca->heads) * c->d_kv));
    norm_init(&ca->norm, ps);
    if (ca->heads == 0) return;
    param_init_normal(ps, ca->q, spread, seed);
    param_init_normal(ps, ca->kv, spread, seed);
    param_init_constant(ps, ca->q_bias, 0);
    param_init_constant(ps, ca->kv_bias, 0);
    linear_init(ca->proj, ca->proj_bias, ps, seed);
}

/* ---- heads and their gates */

/* Numbers the heads of a layer; returns how many pruning has left. memory [n_heads] */
static int number_heads(Decoder *dec, DecoderStack stack, int l, int *memory)
{
    const DecoderConfig *c = &dec->c;
    dec->head[stack][l] = memory;
    return head_numbers_left(c->kept ? &c->kept[(int)stack * c->n_layers + l] : NULL, c->n_heads, memory);
}

static Status declare_gate(Decoder *dec, ParamSet *ps, DecoderStack stack, int l, const char *name, int heads, Error *e)
{
    const EncoderOptions *o = dec->c.options;
    if (!dec->gated[stack] || heads == 0) return OK;
    const HardConcrete c = { o->gates.beta, o->gates.gamma, o->gates.zeta, o->gates.eval == GATES_BINARY };
    return head_gate_declare(&dec->gate[stack][l], ps, name, heads, (GateKind)o->gates.kind, c, o->gates.lr_scale, e);
}

/* Constant gates of a decoder are the last ones of the list. */
static void init_gates(const Decoder *dec, ParamSet *ps)
{
    const EncoderOptions *o = dec->c.options;
    int each = dec->c.n_layers * dec->c.n_heads, at = o ? o->gates.constant.n : 0;
    for (int s = 0; s < DECODER_STACKS; s++) at -= dec->gated[s] ? each : 0;
    for (int s = 0; s < DECODER_STACKS; s++)
        for (int l = 0; l < dec->c.n_layers && dec->gated[s]; l++, at += dec->c.n_heads) {
            const HeadGate *g = decoder_gate(dec, (DecoderStack)s, l);
            if (!g) continue;
            head_gate_init(g, ps, o->gates.log_alpha_init);
            for (int h = 0; g->kind == GATES_CONSTANT && h < g->heads; h++)
                param_values(ps, g->param)[h] = (Real)o->gates.constant.item[at + dec->head[s][l][h]];
        }
}

Tensor *decoder_gate_penalty(const Forward *forward, const Decoder *dec)
{
    Tensor *sum = NULL;
    for (int s = 0; s < DECODER_STACKS; s++)
        for (int l = 0; l < dec->c.n_layers; l++) {
            const HeadGate *g = decoder_gate(dec, (DecoderStack)s, l);
            if (!g || g->kind != GATES_HARD_CONCRETE) continue;
            Tensor *open = head_gate_penalty(forward, g);
            sum = sum ? op_add(forward->t, sum, open) : open;
        }
    return sum;
}

/* The factors of a layer, times its gates if it has any. */
static Tensor *factors_of(const Forward *f, const Decoder *dec, DecoderStack stack, int l, const Real *factors)
{
    const HeadGate *g = decoder_gate(dec, stack, l);
    for (int k = 0; k < (int)stack * dec->c.n_layers + l; k++)
        factors += decoder_heads(dec, k < dec->c.n_layers ? DECODER_SELF : DECODER_CROSS, k % dec->c.n_layers);
    return head_gate_factors(f, g, factors, decoder_heads(dec, stack, l));
}

/* Masks, gates and factors of the heads of a layer; c->weights belong to heads of self-attention alone. */
static HeadControl control_of(const Forward *f, const Decoder *dec, DecoderStack stack, int l, const DecoderControl *c)
{
    const HeadControl *given = !c ? NULL : stack == DECODER_SELF ? c->self : c->cross;
    HeadControl on = given ? given[l] : (HeadControl){ 0 };
    const HeadGate *g = decoder_gate(dec, stack, l);
    const int *head = dec->head[stack][l], left = decoder_heads(dec, stack, l);
    on.slot_of_head = transformer_kept(f, on.slot_of_head, dec->c.n_heads, head, left);
    on.fixed = transformer_kept(f, on.fixed, dec->c.n_heads, head, left);
    on.bias = c && on.bias_of_head ? c->weights : NULL;
    on.bias_of_head = transformer_kept(f, on.bias_of_head, dec->c.n_heads, head, left);
    if (c && c->factors && decoder_heads(dec, stack, l)) on.gates = factors_of(f, dec, stack, l, c->factors);
    else if (g) on.gates = head_gate_forward(f, g, c ? c->gate_key : 0);
    on.causal = stack == DECODER_SELF;
    return on;
}

/* ---- parameters */

Status decoder_declare(Decoder *dec, ParamSet *ps, DecoderConfig config, Error *error)
{
    *dec = (Decoder){ .c = config };
    if (config.n_layers > DECODER_LAYERS_MOST)
        return error_set(error, ERR_CONFIG, "decoder_layers %d, at most %d", config.n_layers, DECODER_LAYERS_MOST);
    size_t all = DECODER_STACKS * (size_t)config.n_layers * (size_t)config.n_heads;
    int *numbers = dec->numbers = mem_alloc(all, sizeof *numbers);
    if (!numbers) return error_set(error, ERR_NOMEM, "out of memory for the decoder");
    Status s = OK;
    for (int k = 0; k < DECODER_STACKS && s == OK; k++) {
        dec->gated[k] = config.options && encoder_options_gates_decoder(config.options, (DecoderStack)k);
        s = head_plan_init_decoder(&dec->plan[k], (DecoderStack)k, config.n_layers, config.n_heads, error);
        if (s == OK && config.options) s = head_plan_take(&dec->plan[k], config.options, error);
    }
    for (int l = 0; l < config.n_layers && s == OK; l++, numbers += DECODER_STACKS * config.n_heads) {
        char name[32];
        int self = number_heads(dec, DECODER_SELF, l, numbers),
            cross = number_heads(dec, DECODER_CROSS, l, numbers + config.n_heads);
        snprintf(name, sizeof name, "decoder.self_%d", l);
        s = self_attention_declare(&dec->self[l], ps, name, config.d, self, config.d_kv, 1, LAYERS_PLAIN, error);
        if (s == OK) s = declare_gate(dec, ps, DECODER_SELF, l, name, self, error);
        snprintf(name, sizeof name, "decoder.cross_%d", l);
        if (s == OK) s = cross_declare(&dec->cross[l], ps, name, &dec->c, cross, error);
        if (s == OK) s = declare_gate(dec, ps, DECODER_CROSS, l, name, cross, error);
        snprintf(name, sizeof name, "decoder.ff_%d", l);
        if (s == OK) s = feed_forward_declare(&dec->ff[l], ps, name, config.d, config.d_ff, 1, 0, LAYERS_PLAIN, error);
    }
    dec->c.kept = NULL;
    return s;
}

void decoder_init(const Decoder *dec, ParamSet *ps, unsigned long seed)
{
    for (int l = 0; l < dec->c.n_layers; l++) {
        self_attention_init(&dec->self[l], ps, seed);
        cross_init(&dec->cross[l], &dec->c, ps, seed);
        feed_forward_init(&dec->ff[l], ps, seed);
    }
    init_gates(dec, ps);
}

void decoder_fini(Decoder *dec)
{
    mem_free(dec->numbers);
    for (int s = 0; s < DECODER_STACKS; s++) head_plan_fini(&dec->plan[s]);
    *dec = (Decoder){ 0 };
}

bool decoder_source(const Forward *forward, const Decoder *dec, Tensor *x, const Batch *batch, const uint64_t *keys,
                    DecoderSource *out)
{
    *out = (DecoderSource){ .batch = batch, .keys = keys };
    for (int l = 0; l < dec->c.n_layers; l++) {
        const CrossAttention *ca = &dec->cross[l];
        if (ca->heads == 0) continue;
        out->kv[l] =
            op_linear(forward->t, x, forward_weight(forward, ca->kv), forward_param(forward, ca->kv_bias), false);
        if (!out->kv[l]) return false;
    }
    return true;
}

/* x [tokens, d] -> norm(x + drop(O attention(x, source))), [tokens, d]. */
static Tensor *cross_forward(const Forward *f, const Decoder *dec, int l, Tensor *x, const DecoderSource *source,
                             Dropouts drop, const DecoderControl *control, SelfAttentionTrace *trace)
{
    const CrossAttention *ca = &dec->cross[l];
    const DecoderConfig *c = &dec->c;
    Tape *t = f->t;
    if (ca->heads == 0) return norm_forward(f, &ca->norm, transformer_add_bias(f, x, ca->proj_bias));
    HeadControl on = control_of(f, dec, DECODER_CROSS, l, control);
    Tensor *probs = NULL, *q = op_linear(t, x, forward_weight(f, ca->q), forward_param(f, ca->q_bias), false);
    AttentionSpec spec = attention_spec(ca->heads, 1, sqrt((double)c->d_kv), drop.attention, &on);
    Tensor *ctx = op_cross_attention(t, q, source->kv[l], &spec, f->batch, source->batch, t->recording ? &probs : NULL);
    if (trace) *trace = (SelfAttentionTrace){ probs, ctx };
    Tensor *z = op_linear(t, ctx, forward_weight(f, ca->proj), forward_param(f, ca->proj_bias), false);
    return z ? norm_residual(f, &ca->norm, x, z, NULL, drop.residual, f->sentence_of) : NULL;
}

void decoder_forward(const Forward *forward, const Decoder *dec, Tensor *y, const DecoderSource *source, Dropouts drop,
                     const DecoderControl *control, DecoderOutput *out)
{
    DecoderControl all = control ? *control : (DecoderControl){ 0 };
    double scale = sqrt((double)dec->c.d_kv);
    *out = (DecoderOutput){ 0 };
    if (!decoder_masks(forward, dec, source, forward->batch, &all)) return;
    for (int l = 0; l < dec->c.n_layers && y; l++) {
        HeadControl on = control_of(forward, dec, DECODER_SELF, l, &all);
        y = self_attention_forward(forward, &dec->self[l], y, NULL, scale, drop, &on, &out->self[l]);
        if (y) y = cross_forward(forward, dec, l, y, source, drop, &all, &out->cross[l]);
        if (y) y = feed_forward_forward(forward, &dec->ff[l], y, NULL, drop, forward->sentence_of, NULL);
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

/* A batch of `outputs` sentences with `tokens` tokens each; start NULL: the tape has the error. */
static Batch batch_of(Tape *t, int outputs, int tokens)
{
    int *start = tape_host(t, (size_t)outputs + 1, sizeof *start);
    for (int k = 0; start && k <= outputs; k++) start[k] = k * tokens;
    return (Batch){ .n_sent = outputs, .start = start, .n_tokens = outputs * tokens, .longest = tokens };
}

/* Self-attention of one new token for each output, `added`, to all of its tokens. */
static Tensor *self_step(const Forward *f, const Decoder *dec, int l, Tensor *x, const Batch *added, const int *parent,
                         const DecoderControl *control, const DecoderCache *before, DecoderCache *after)
{
    const SelfAttention *sa = &dec->self[l];
    Tape *t = f->t;
    int all = sa->heads * dec->c.d_kv, length = before->length;
    if (sa->heads == 0) return norm_forward(f, &sa->norm, transformer_add_bias(f, x, sa->proj_bias[0]));
    Tensor *qkv = op_linear(t, x, forward_weight(f, sa->qkv[0]), forward_param(f, sa->qkv_bias[0]), false);
    Tensor *kv = qkv ? append(f, tape_columns(t, qkv, all, 2 * all), before->kv[l], length, parent) : NULL;
    if (!kv) return NULL;
    after->kv[l] = kv;
    Batch written = batch_of(t, x->rows, length + 1);
    if (!written.start) return NULL;
    HeadControl on = control_of(f, dec, DECODER_SELF, l, control);
    AttentionSpec spec = attention_spec(sa->heads, 1, sqrt((double)dec->c.d_kv), 0, &on);
    Tensor *rows = tape_wrap(t, kv->data, NULL, written.n_tokens, 2 * all, false);
    Tensor *ctx = op_cross_attention(t, tape_columns(t, qkv, 0, all), rows, &spec, added, &written, NULL);
    Tensor *z = op_linear(t, ctx, forward_weight(f, sa->proj[0]), forward_param(f, sa->proj_bias[0]), false);
    return z ? norm_residual(f, &sa->norm, x, z, NULL, 0, NULL) : NULL;
}

Tensor *decoder_step(const Forward *forward, const Decoder *dec, Tensor *y, const DecoderSource *source,
                     const int *parent, const int *const *written, const DecoderCache *before, DecoderCache *after)
{
    DecoderControl on = { .written = written };
    const Batch added = batch_of(forward->t, y ? y->rows : 0, 1);
    *after = (DecoderCache){ .length = before->length + 1 };
    if (!y || !added.start || !decoder_masks(forward, dec, source, &added, &on)) return NULL;
    for (int l = 0; l < dec->c.n_layers && y; l++) {
        y = self_step(forward, dec, l, y, &added, parent, &on, before, after);
        if (y) y = cross_forward(forward, dec, l, y, source, (Dropouts){ 0 }, &on, NULL);
        if (y) y = feed_forward_forward(forward, &dec->ff[l], y, NULL, (Dropouts){ 0 }, NULL, NULL);
    }
    return y;
}
