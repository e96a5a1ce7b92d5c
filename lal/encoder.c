/* Numbers the heads and blocks that pruning has left, declares the layers, says what acts on the
 * heads of each, and runs them; fencepost vectors come last. */
#include "lal/encoder.h"

#include <math.h>
#include <stdio.h>

/* Fencepost vectors hold columns of the token before, then columns of the token after: with label heads, one half of
 * every head's block each; without, even columns of the token before and odd columns of the token after, so that each
 * half holds content and position. With combine_as_self the vector is cut in the middle, as in the reference. */
static void fill_source(Encoder *enc)
{
    int half = enc->width / 2, p = enc->c.lal.d_proj / 2;
    bool heads = enc->block_head != NULL;
    for (int j = 0; j < enc->width; j++) {
        int side = encoder_fence_side(enc, j), k = j - side * half;
        enc->fence_source[j] = heads                     ? encoder_token_column(enc, side, k / p, k % p)
                               : encoder_has_blocks(enc) ? j
                                                         : 2 * k + side;
    }
}

int encoder_head_row(const Encoder *enc, LayerId layer, int head)
{
    for (int k = 0; k < encoder_heads(enc, layer); k++)
        if (enc->head[layer][k] == head) return k;
    return -1;
}

/* Numbers the heads of a layer, which had `all` before pruning; returns how many are left. memory [all] */
static int number_heads(Encoder *enc, LayerId layer, int all, int *memory)
{
    enc->head[layer] = memory;
    return head_numbers_left(enc->c.kept ? &enc->c.kept[layer] : NULL, all, memory);
}

/* ---- gates */

int encoder_heads_before(const Encoder *enc, LayerId layer)
{
    const LayerPlace at = encoder_place(enc, layer);
    if (at.stack == STACK_LABEL) return enc->c.use_lal ? enc->c.lal.heads : 0;
    if (at.stack == STACK_SELF) return enc->c.n_heads;
    return enc->has_pal[at.l] ? enc->c.options->pal.heads : 0;
}

bool encoder_gates_outputs(const Encoder *enc)
{
    return enc->gated[layer_label(enc->c.n_layers)] && enc->c.options->gates.label_at == GATES_AT_OUTPUT;
}

/* The gates of a layer, if its stack has any. */
static Status declare_gate(Encoder *enc, ParamSet *ps, LayerId layer, int heads, Error *e)
{
    const EncoderOptions *o = enc->c.options;
    const LayerPlace at = encoder_place(enc, layer);
    if (!o || heads == 0 || !encoder_options_gates(o, at.stack)) return OK;
    char name[PARAM_NAME_MAX];
    HardConcrete c = { o->gates.beta, o->gates.gamma, o->gates.zeta, o->gates.eval == GATES_BINARY };
    if (at.stack == STACK_PAL) snprintf(name, sizeof name, "encoder.pal_%d", at.l);
    else snprintf(name, sizeof name, "encoder.attn_%d", layer);
    enc->gated[layer] = true;
    return head_gate_declare(&enc->gate[layer], ps, name, heads, (GateKind)o->gates.kind, c, o->gates.lr_scale, e);
}

static void init_gates(const Encoder *enc, ParamSet *ps)
{
    const EncoderOptions *o = enc->c.options;
    for (LayerId l = 0, first = 0; o && l < layer_count(enc->c.n_layers); l++) {
        const HeadGate *g = &enc->gate[l];
        if (enc->gated[l]) head_gate_init(g, ps, o->gates.log_alpha_init);
        for (int h = 0; enc->gated[l] && g->kind == GATES_CONSTANT && h < g->heads; h++)
            param_values(ps, g->param)[h] = (Real)o->gates.constant.item[first + enc->head[l][h]];
        if (encoder_options_gates(o, encoder_place(enc, l).stack)) first += encoder_heads_before(enc, l);
    }
}

/* ---- what acts on the heads of a layer */

/* What acts on the heads of a layer. weights: of head_plan_weights, or NULL. factors [heads]: EncoderControl.factors of
 * this layer, or NULL. */
static HeadControl layer_control(const Forward *f, const Encoder *enc, const EncoderControl *c, Tensor *weights,
                                 LayerId l, const Real *factors)
{
    HeadControl h = { 0 };
    bool outputs = l == layer_label(enc->c.n_layers) && encoder_gates_outputs(enc), gated = enc->gated[l];
    int heads = encoder_heads(enc, l), before = encoder_heads_before(enc, l);
    if (c && c->layer) h = c->layer[l];
    h.slot_of_head = transformer_kept(f, h.slot_of_head, before, enc->head[l], heads);
    h.fixed = transformer_kept(f, h.fixed, before, enc->head[l], heads);
    h.bias = h.bias_of_head ? weights : NULL;
    h.bias_of_head = transformer_kept(f, h.bias_of_head, before, enc->head[l], heads);
    if (heads == 0) return h;
    if (factors) h.gates = head_gate_factors(f, gated && !outputs ? &enc->gate[l] : NULL, factors, heads);
    if (gated && (outputs || !factors)) {
        Tensor *gates = c && c->factors ? head_gate_factors(f, &enc->gate[l], NULL, heads)
                                        : head_gate_forward(f, &enc->gate[l], c ? c->gate_key : 0);
        *(outputs ? &h.outputs : &h.gates) = gates;
    }
    return h;
}

/* ---- projected attention */

/* Declares projected attention beside layer l, if the options ask for it; memory [pal.heads]. */
static Status declare_pal(Encoder *enc, ParamSet *ps, int l, int *memory, Error *e)
{
    const EncoderOptions *o = enc->c.options;
    if (!o || !head_numbers_has(&o->pal.layers, l)) return OK;
    int first = 0;
    while (first < l && !enc->has_pal[first]) first++;
    char name[PARAM_NAME_MAX];
    snprintf(name, sizeof name, "encoder.pal_%d", l);
    enc->has_pal[l] = true;
    LayerId layer = layer_pal(enc->c.n_layers, l);
    int left = number_heads(enc, layer, o->pal.heads, memory);
    Status s = projected_attention_declare(&enc->pal[l], ps, name, enc->c.d_model, o->pal.width, o->pal.heads, left,
                                           o->pal.share && first < l ? &enc->pal[first] : NULL, e);
    return s == OK ? declare_gate(enc, ps, layer, left, e) : s;
}

/* What projected attention adds to a residual of layer l; NULL without, or with the tape's error. */
static Tensor *beside(const Forward *f, const Encoder *enc, int l, Tensor *x, Dropouts drop, const EncoderControl *c,
                      Tensor *weights, EncoderOutput *out)
{
    if (!enc->has_pal[l]) return NULL;
    HeadControl on = layer_control(f, enc, c, weights, layer_pal(enc->c.n_layers, l), NULL);
    Tensor *y = projected_attention_forward(f, &enc->pal[l], x, drop.attention, &on,
                                            f->t->recording ? &out->pal_probs[l] : NULL);
    return op_dropout(f->t, y, drop.residual, f->sentence_of);
}

/* ---- parameters */

/* Numbers the blocks of a token's vector. If a feed-forward follows, or heads have projections of their own, all heads
 * keep their blocks; else the heads that were pruned share one block, or have none. memory [2][heads before pruning +
 * 1] */
static void number_blocks(Encoder *enc, int *memory)
{
    LabelAttentionConfig *c = &enc->lal.c;
    const bool all_stay = enc->c.lal_pwff || c->own_reduce;
    int all = enc->c.lal.heads, n = 0, *head = enc->block_head = memory, *row = memory + all + 1;
    for (int h = 0; h < all; h++) {
        int k = enc->label_row ? enc->label_row[h] : h;
        if (k < 0 && !all_stay) continue;
        head[n] = k < 0 ? -1 : h;
        row[n++] = k;
    }
    if (!all_stay && enc->c.shared_block) {
        head[n] = row[n] = -1;
        n++;
    }
    if (!enc->label_row) return;
    c->head_of_block = row;
    c->blocks = n;
}

/* Declares the label attention layer and its feed-forward; memory [4][heads before pruning + 1]. */
static Status declare_label_heads(Encoder *enc, ParamSet *ps, int *memory, Error *e)
{
    EncoderConfig *c = &enc->c;
    const LayerId layer = layer_label(c->n_layers);
    char name[PARAM_NAME_MAX];
    c->lal.d = c->d_model;
    enc->lal.c = c->lal;
    enc->lal.c.heads = number_heads(enc, layer, c->lal.heads, memory);
    memory += c->lal.heads + 1;
    if (enc->lal.c.heads < c->lal.heads) {
        enc->label_row = memory;
        for (int h = 0; h < c->lal.heads; h++) memory[h] = encoder_head_row(enc, layer, h);
    }
    snprintf(name, sizeof name, "encoder.attn_%d", layer);
    Status s = OK;
    if (!c->phrases_alone) {
        if (!c->lal.combine_as_self) number_blocks(enc, memory + c->lal.heads + 1);
        enc->width = label_attention_width(&enc->lal.c);
        if (enc->width == 0)
            return error_set(e, ERR_CONFIG, "all label heads were pruned at their outputs, expected one that is left");
        s = label_attention_declare(&enc->lal, ps, name, enc->lal.c, e);
    }
    if (s == OK && c->d_phrase)
        s = phrase_attention_declare(&enc->phrase, ps, name, c->d_model, enc->lal.c.heads, c->d_phrase,
                                     c->phrases_alone && !c->lal.uniform, e);
    if (s == OK) s = declare_gate(enc, ps, layer, enc->lal.c.heads, e);
    snprintf(name, sizeof name, "encoder.ff_%d", layer);
    if (s == OK && c->lal_pwff)
        s = feed_forward_declare(&enc->lal_ff, ps, name, enc->width, c->d_ff, c->lal.partitioned ? 2 : 1,
                                 c->d_model / 2, LAYERS_LAL, e);
    return s;
}

Status encoder_declare(Encoder *enc, ParamSet *ps, EncoderConfig config, Error *error)
{
    *enc = (Encoder){ .c = config };
    enc->c.lal_pwff = config.lal_pwff && !config.phrases_alone;
    if (config.n_layers > MAX_LAYERS - 1)
        return error_set(error, ERR_CONFIG, "n_layers %d, at most %d", config.n_layers, MAX_LAYERS - 1);
    if (config.d_model % 2) return error_set(error, ERR_CONFIG, "d_model %d must be even", config.d_model);
    if (config.plain && (config.partitioned || config.use_lal))
        return error_set(error, ERR_CONFIG, "layers plain: found %s, expected neither partitioned nor use_lal",
                         config.partitioned ? "partitioned" : "use_lal");
    const LayerOptions layer = config.plain ? LAYERS_PLAIN : LAYERS_LAL;
    int parts = config.partitioned ? 2 : 1;
    char name[PARAM_NAME_MAX];
    Status s =
        head_plan_init(&enc->plan, config.n_layers, config.n_heads, config.use_lal ? config.lal.heads : 0,
                       config.use_lal && config.lal.q_as_matrix, config.options ? config.options->pal.heads : 0, error);
    if (s == OK && config.pretrained_layers)
        s = head_plan_add_pretrained(&enc->plan, config.pretrained_layers, config.pretrained_heads, error);
    if (s == OK && config.options) s = head_plan_take(&enc->plan, config.options, error);
    size_t self = (size_t)config.n_layers * (size_t)config.n_heads,
           label = config.use_lal ? (size_t)config.lal.heads : 0;
    size_t pal = config.options ? (size_t)config.n_layers * (size_t)config.options->pal.heads : 0;
    int *numbers = enc->numbers = mem_alloc(self + 4 * (label + 1) + pal, sizeof *numbers),
        *pal_numbers = numbers ? numbers + self + 4 * (label + 1) : NULL;
    if (s == OK && !numbers) s = error_set(error, ERR_NOMEM, "out of memory for the encoder");
    for (int l = 0; l < config.n_layers && s == OK; l++) {
        int heads = number_heads(enc, l, config.n_heads, numbers + (ptrdiff_t)l * config.n_heads);
        snprintf(name, sizeof name, "encoder.attn_%d", l);
        s = self_attention_declare(&enc->attn[l], ps, name, config.d_model, heads, config.d_kv, parts, layer, error);
        if (s == OK) s = declare_gate(enc, ps, l, heads, error);
        if (s == OK)
            s = declare_pal(enc, ps, l, pal_numbers + (config.options ? l * config.options->pal.heads : 0), error);
        snprintf(name, sizeof name, "encoder.ff_%d", l);
        if (s == OK)
            s = feed_forward_declare(&enc->ff[l], ps, name, config.d_model, config.d_ff, parts, config.d_model / 2,
                                     layer, error);
    }
    enc->width = config.d_model;
    if (config.use_lal && s == OK) s = declare_label_heads(enc, ps, numbers + self, error);
    enc->c.kept = NULL;
    if (s != OK) return s;
    enc->fence_source = mem_alloc((size_t)enc->width, sizeof *enc->fence_source);
    if (!enc->fence_source) return error_set(error, ERR_NOMEM, "out of memory for the encoder");
    fill_source(enc);
    return OK;
}

void encoder_init(const Encoder *enc, ParamSet *ps, unsigned long seed)
{
    for (int l = 0; l < enc->c.n_layers; l++) {
        self_attention_init(&enc->attn[l], ps, seed);
        feed_forward_init(&enc->ff[l], ps, seed);
        if (enc->has_pal[l]) projected_attention_init(&enc->pal[l], ps, enc->c.options->pal.init_std, seed);
    }
    if (enc->c.use_lal) {
        if (!enc->c.phrases_alone) label_attention_init(&enc->lal, ps, seed);
        if (enc->c.lal_pwff) feed_forward_init(&enc->lal_ff, ps, seed);
        if (enc->c.d_phrase) phrase_attention_init(&enc->phrase, ps, seed);
    }
    init_gates(enc, ps);
}

void encoder_fini(Encoder *enc)
{
    mem_free_each(enc->fence_source, enc->numbers);
    head_plan_fini(&enc->plan);
    *enc = (Encoder){ 0 };
}

void encoder_forward(const Forward *forward, const Encoder *enc, Tensor *x, Dropouts drop,
                     const EncoderControl *control, EncoderOutput *out)
{
    *out = (EncoderOutput){ 0 };
    /* The parser's layers divide by sqrt(d_model), like the code of Mrini et al. 2020; their text says sqrt(d_kv). */
    double scale = sqrt((double)(enc->c.plain ? enc->c.d_kv : enc->c.d_model));
    const Real *factors = control ? control->factors : NULL;
    int layers = enc->c.n_layers;
    Tensor *weights =
        control && control->layer ? head_plan_weights(&enc->plan, forward->t, forward->batch, forward->batch) : NULL;
    LayerMemory memory = layer_memory(forward, x);
    for (int l = 0; l < layers; l++) {
        layer_memory_begin(&memory);
        HeadControl on_layer = layer_control(forward, enc, control, weights, l, factors);
        if (factors) factors += enc->attn[l].heads;
        Tensor *pal = beside(forward, enc, l, x, drop, control, weights, out);
        bool at_ff = enc->has_pal[l] && enc->c.options->pal.at == PAL_AT_FF;
        if (enc->has_pal[l] && !pal) return;
        x = self_attention_forward(forward, &enc->attn[l], x, at_ff ? NULL : pal, scale, drop, &on_layer,
                                   &out->attention[l]);
        x = feed_forward_forward(forward, &enc->ff[l], x, at_ff ? pal : NULL, drop, forward->sentence_of, NULL);
        x = layer_memory_end(&memory, x);
        if (forward->brief) out->attention[l] = (SelfAttentionTrace){ NULL, NULL };
        else out->layer[l] = x;
        if (!x) return;
    }
    out->contextual = x;
    if (control && control->words_alone) return;
    if (enc->c.use_lal) {
        HeadControl on_label = layer_control(forward, enc, control, NULL, layer_label(layers), factors);
        if (!enc->c.phrases_alone)
            x = out->lal = label_attention_forward(forward, &enc->lal, x, scale, drop, &on_label, &out->trace);
        if (enc->c.lal_pwff)
            x = feed_forward_forward(forward, &enc->lal_ff, x, NULL, drop, forward->sentence_of, out->lal_hidden);
        if (enc->c.d_phrase)
            out->phrase = phrase_attention_forward(forward, &enc->phrase, out->contextual, out->trace.probs, drop,
                                                   &on_label, &out->phrase_trace);
        if (enc->c.phrases_alone) out->trace.probs = out->phrase_trace.probs;
    }
    out->word = x;
    out->fencepost = op_fenceposts(forward->t, x, enc->fence_source, forward->batch);
}

/* The sum of x and y, each NULL or [1, 1]. */
static Tensor *plus(Tape *t, Tensor *x, Tensor *y)
{
    Tensor *both[2] = { x, y };
    return !x ? y : !y ? x : op_weighted_sum(t, both, (const double[]){ 1, 1 }, 2);
}

/* encoder_head_row of all heads of a layer; NULL: none was pruned, or with the tape's error. */
static const int *rows_of_heads(const Forward *f, const Encoder *enc, LayerId l)
{
    int heads = encoder_heads_before(enc, l);
    if (heads == encoder_heads(enc, l)) return NULL;
    int *row = tape_host(f->t, (size_t)heads, sizeof *row);
    for (int h = 0; row && h < heads; h++) row[h] = encoder_head_row(enc, l, h);
    return row;
}

Tensor *encoder_guidance(const Forward *forward, const Encoder *enc, const EncoderOutput *out,
                         const GuidanceTargets *targets, GuidanceNorm norm, GuidanceEmptyRow empty, double sentences)
{
    const HeadPlan *p = &enc->plan;
    Tensor *sum = NULL;
    for (LayerId l = 0; l < layer_count(p->layers) && p->n_guides; l++) {
        const LayerPlace at = encoder_place(enc, l);
        Tensor *probs = at.stack == STACK_SELF    ? out->attention[at.l].probs
                        : at.stack == STACK_LABEL ? out->trace.probs
                                                  : out->pal_probs[at.l];
        const int *row = rows_of_heads(forward, enc, l);
        Tensor *loss =
            head_plan_guidance(forward->t, p, l, probs, row, targets, forward->batch, norm, empty, sentences);
        if (tape_status(forward->t) != OK) return NULL;
        sum = plus(forward->t, sum, loss);
    }
    return sum;
}

Tensor *encoder_gate_penalty(const Forward *forward, const Encoder *enc)
{
    Tensor *sum = NULL;
    for (LayerId l = 0; l < layer_count(enc->c.n_layers); l++)
        if (enc->gated[l] && enc->gate[l].kind == GATES_HARD_CONCRETE)
            sum = plus(forward->t, sum, head_gate_penalty(forward, &enc->gate[l]));
    return sum;
}
