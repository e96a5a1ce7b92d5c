/* lal/encoder.c */
#include "lal/encoder.h"

#include <math.h>
#include <stdio.h>

/* Fencepost vectors hold columns of the token before, then columns of the token after. With label heads they are the
 * halves of every head. Without, even columns come from before and odd ones from after, so that each half holds content
 * and position. With combine_as_self the reference cuts in the middle. */
static void fill_source(Encoder *enc)
{
    int half = enc->width / 2, p = enc->c.lal.d_proj / 2;
    bool heads = enc->c.use_lal && !enc->c.lal.combine_as_self;
    for (int j = 0; j < enc->width; j++) {
        int side = encoder_fence_side(enc, j), k = j - side * half;
        enc->fence_source[j] = heads            ? encoder_token_column(enc, side, k / p, k % p)
                               : enc->c.use_lal ? j
                                                : 2 * k + side;
    }
}

/* Projected attention beside layer l, if it is to have one. */
static Status declare_pal(Encoder *enc, ParamSet *ps, int l, Error *e)
{
    const EncoderOptions *o = enc->c.options;
    if (!o || !head_numbers_has(&o->pal.layers, l)) return OK;
    int first = 0;
    while (first < l && !enc->has_pal[first]) first++;
    char name[PARAM_NAME_MAX];
    snprintf(name, sizeof name, "encoder.pal_%d", l);
    enc->has_pal[l] = true;
    return projected_attention_declare(&enc->pal[l], ps, name, enc->c.d_model, o->pal.width, o->pal.heads,
                                       o->pal.share && first < l ? &enc->pal[first] : NULL, e);
}

/* What projected attention adds to a residual of layer l; NULL without, or with the tape's error. */
static Tensor *beside(const Forward *f, const Encoder *enc, int l, Tensor *x, Dropouts drop, const EncoderControl *c,
                      EncoderOutput *out)
{
    const HeadControl *on = c && c->layer ? &c->layer[enc->c.n_layers + 1 + l] : NULL;
    if (!enc->has_pal[l]) return NULL;
    Tensor *y = projected_attention_forward(f, &enc->pal[l], x, drop.attention, on,
                                            f->t->recording ? &out->pal_probs[l] : NULL);
    return op_dropout(f->t, y, drop.residual, f->sentence_of);
}

int encoder_head_row(const Encoder *enc, int l, int h)
{
    for (int k = 0; k < enc->attn[l].heads; k++)
        if (enc->head[l][k] == h) return k;
    return -1;
}

/* The numbers of the heads of layer l; how many. */
static int number_heads(Encoder *enc, int l, int *memory)
{
    const HeadNumbers *kept = enc->c.kept ? &enc->c.kept[l] : NULL;
    int n = 0;
    enc->head[l] = memory;
    for (int h = 0; h < enc->c.n_heads; h++)
        if (!kept || kept->all || head_numbers_has(kept, h)) memory[n++] = h;
    return n;
}

/* The gates of layer l, if its stack has any. */
static Status declare_gate(Encoder *enc, ParamSet *ps, int l, int heads, Error *e)
{
    const EncoderOptions *o = enc->c.options;
    if (!o || heads == 0 || !encoder_options_gates(o, l == enc->c.n_layers ? STACK_LABEL : STACK_SELF)) return OK;
    char name[PARAM_NAME_MAX];
    HardConcrete c = { o->gates.beta, o->gates.gamma, o->gates.zeta, o->gates.eval == GATES_BINARY };
    snprintf(name, sizeof name, "encoder.attn_%d", l);
    enc->gated[l] = true;
    return head_gate_declare(&enc->gate[l], ps, name, heads, (GateKind)o->gates.kind, c, o->gates.lr_scale, e);
}

static void init_gates(const Encoder *enc, ParamSet *ps)
{
    const EncoderOptions *o = enc->c.options;
    for (int l = 0, first = 0; l <= enc->c.n_layers; l++) {
        if (!enc->gated[l]) continue;
        const HeadGate *g = &enc->gate[l];
        head_gate_init(g, ps, o->gates.log_alpha_init);
        bool self = l < enc->c.n_layers;
        for (int h = 0; g->kind == GATES_CONSTANT && h < g->heads; h++)
            param_values(ps, g->param)[h] = (Real)o->gates.constant.item[first + (self ? enc->head[l][h] : h)];
        first += self ? enc->c.n_heads : g->heads;
    }
}

Status encoder_declare(Encoder *enc, ParamSet *ps, EncoderConfig c, Error *e)
{
    *enc = (Encoder){ .c = c };
    if (c.n_layers > MAX_LAYERS - 1)
        return error_set(e, ERR_CONFIG, "n_layers %d, at most %d", c.n_layers, MAX_LAYERS - 1);
    if (c.d_model % 2) return error_set(e, ERR_CONFIG, "d_model %d must be even", c.d_model);
    int parts = c.partitioned ? 2 : 1;
    char name[PARAM_NAME_MAX];
    Status s = head_plan_init(&enc->plan, c.n_layers, c.n_heads, c.use_lal ? c.lal.heads : 0,
                              c.use_lal && c.lal.q_as_matrix, c.options ? c.options->pal.heads : 0, e);
    if (s == OK && c.options) s = head_plan_take(&enc->plan, c.options, e);
    int *numbers = enc->head[0] = mem_alloc((size_t)c.n_layers * (size_t)c.n_heads + 1, sizeof *numbers);
    if (s == OK && !numbers) s = error_set(e, ERR_NOMEM, "out of memory for the encoder");
    for (int l = 0; l < c.n_layers && s == OK; l++) {
        int heads = number_heads(enc, l, numbers + l * c.n_heads);
        snprintf(name, sizeof name, "encoder.attn_%d", l);
        s = self_attention_declare(&enc->attn[l], ps, name, c.d_model, heads, c.d_kv, parts, LAYERS_LAL, e);
        if (s == OK) s = declare_gate(enc, ps, l, heads, e);
        if (s == OK) s = declare_pal(enc, ps, l, e);
        snprintf(name, sizeof name, "encoder.ff_%d", l);
        if (s == OK)
            s = feed_forward_declare(&enc->ff[l], ps, name, c.d_model, c.d_ff, parts, c.d_model / 2, LAYERS_LAL, e);
    }
    enc->c.kept = NULL;
    enc->width = c.d_model;
    if (c.use_lal && s == OK) {
        enc->c.lal.d = c.d_model;
        enc->width = label_attention_width(&enc->c.lal);
        snprintf(name, sizeof name, "encoder.attn_%d", c.n_layers);
        s = label_attention_declare(&enc->lal, ps, name, enc->c.lal, e);
        if (s == OK) s = declare_gate(enc, ps, c.n_layers, c.lal.heads, e);
        snprintf(name, sizeof name, "encoder.ff_%d", c.n_layers);
        if (s == OK && c.lal_pwff)
            s = feed_forward_declare(&enc->lal_ff, ps, name, enc->width, c.d_ff, c.lal.partitioned ? 2 : 1,
                                     c.d_model / 2, LAYERS_LAL, e);
    }
    if (s != OK) return s;
    enc->fence_source = mem_alloc((size_t)enc->width, sizeof *enc->fence_source);
    if (!enc->fence_source) return error_set(e, ERR_NOMEM, "out of memory for the encoder");
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
        label_attention_init(&enc->lal, ps, seed);
        if (enc->c.lal_pwff) feed_forward_init(&enc->lal_ff, ps, seed);
    }
    init_gates(enc, ps);
}

void encoder_fini(Encoder *enc)
{
    mem_free(enc->fence_source);
    mem_free(enc->head[0]); /* the first of one block */
    head_plan_fini(&enc->plan);
    *enc = (Encoder){ 0 };
}

/* The gates of a layer as constants, times factors. */
static Tensor *fixed_gates(const Forward *f, const Encoder *enc, int l, const Real *factors, int heads)
{
    double *gates = tape_host(f->t, (size_t)heads, sizeof *gates);
    Real *product = tape_host(f->t, (size_t)heads, sizeof *product);
    if (!gates || !product) return NULL;
    if (enc->gated[l] && head_gate_values(&enc->gate[l], f->params, gates, &f->t->error) != OK) return NULL;
    for (int h = 0; h < heads; h++) product[h] = factors[h] * (enc->gated[l] ? (Real)gates[h] : 1);
    return tape_constant(f->t, product, 1, heads);
}

/* list [n_heads], or NULL, of a layer from which heads were pruned: that of the heads that it has. */
static const int *of_kept(const Forward *f, const Encoder *enc, int l, const int *list)
{
    int heads = enc->attn[l].heads;
    if (!list || heads == enc->c.n_heads) return list;
    int *kept = tape_host(f->t, (size_t)heads, sizeof *kept);
    for (int k = 0; kept && k < heads; k++) kept[k] = list[enc->head[l][k]];
    return kept;
}

/* The control of layer l, whose heads number `heads` and begin with head `first` of the model. */
static HeadControl layer_control(const Forward *f, const Encoder *enc, const EncoderControl *c, int l, int first,
                                 int heads)
{
    HeadControl h = { 0 };
    if (c && c->layer) h = c->layer[l];
    if (l < enc->c.n_layers) {
        h.slot_of_head = of_kept(f, enc, l, h.slot_of_head);
        h.fixed = of_kept(f, enc, l, h.fixed);
    }
    h.gates = c && c->factors ? fixed_gates(f, enc, l, c->factors + first, heads)
              : enc->gated[l] ? head_gate_forward(f, &enc->gate[l], c ? c->gate_key : 0)
                              : NULL;
    return h;
}

void encoder_forward(const Forward *f, const Encoder *enc, Tensor *x, Dropouts drop, const EncoderControl *control,
                     EncoderOutput *out)
{
    *out = (EncoderOutput){ 0 };
    double scale = sqrt((double)enc->c.d_model);
    int first = 0, layers = enc->c.n_layers;
    for (int l = 0; l < layers; l++) {
        HeadControl on_layer = layer_control(f, enc, control, l, first, enc->attn[l].heads);
        first += enc->attn[l].heads;
        Tensor *pal = beside(f, enc, l, x, drop, control, out);
        bool at_ff = enc->has_pal[l] && enc->c.options->pal.at == PAL_AT_FF;
        if (enc->has_pal[l] && !pal) return;
        x = self_attention_forward(f, &enc->attn[l], x, at_ff ? NULL : pal, scale, drop, &on_layer, &out->attention[l]);
        x = feed_forward_forward(f, &enc->ff[l], x, at_ff ? pal : NULL, drop, f->sentence_of, NULL);
        out->layer[l] = x;
        if (!x) return;
    }
    out->contextual = x;
    if (enc->c.use_lal) {
        HeadControl on_label = layer_control(f, enc, control, layers, first, enc->c.lal.heads);
        x = out->lal = label_attention_forward(f, &enc->lal, x, scale, drop, &on_label, &out->trace);
        if (enc->c.lal_pwff) x = feed_forward_forward(f, &enc->lal_ff, x, NULL, drop, f->sentence_of, out->lal_hidden);
    }
    out->word = x;
    out->fencepost = op_fenceposts(f->t, x, enc->fence_source, f->batch);
}

/* The sum of x and y, each NULL or [1, 1]. */
static Tensor *plus(Tape *t, Tensor *x, Tensor *y)
{
    Tensor *both[2] = { x, y };
    return !x ? y : !y ? x : op_weighted_sum(t, both, (const double[]){ 1, 1 }, 2);
}

/* The guided heads of layer l, out [plan.heads of the guides]; their number. */
static int guided_heads(const Encoder *enc, int l, const GuidanceTargets *targets, GuidanceEmptyRow empty,
                        GuidedHead *out)
{
    const HeadPlan *p = &enc->plan;
    int n = 0;
    for (int g = 0; g < p->n_guides; g++)
        for (int k = 0; k < p->guide[g].n; k++) {
            if (p->guide[g].layer[k] != l) continue;
            int h = p->guide[g].head[k], row = l < enc->c.n_layers ? encoder_head_row(enc, l, h) : h;
            bool masked = p->slot_of_head[l] && p->slot_of_head[l][h] >= 0;
            if (row >= 0) out[n++] = (GuidedHead){ row, &targets[g], masked ? EMPTY_SKIP : empty };
        }
    return n;
}

Tensor *encoder_guidance(const Forward *f, const Encoder *enc, const EncoderOutput *out, const GuidanceTargets *targets,
                         GuidanceNorm norm, GuidanceEmptyRow empty, double sentences)
{
    const HeadPlan *p = &enc->plan;
    size_t most = 0;
    for (int g = 0; g < p->n_guides; g++) most += (size_t)p->guide[g].n;
    GuidedHead *heads = tape_host(f->t, most, sizeof *heads);
    Tensor *sum = NULL;
    for (int l = 0; heads && l <= 2 * p->layers; l++) {
        int n = guided_heads(enc, l, targets, empty, heads);
        Tensor *probs = l < p->layers    ? out->attention[l].probs
                        : l == p->layers ? out->trace.probs
                                         : out->pal_probs[l - p->layers - 1];
        if (n == 0) continue;
        Tensor *loss =
            guidance_loss(f->t, probs, l == p->layers && !p->label_rows, heads, n, f->batch, norm, sentences);
        if (!loss) return NULL;
        sum = plus(f->t, sum, loss);
    }
    return sum;
}

Tensor *encoder_gate_penalty(const Forward *f, const Encoder *enc)
{
    Tensor *sum = NULL;
    for (int l = 0; l <= enc->c.n_layers; l++)
        if (enc->gated[l] && enc->gate[l].kind == GATES_HARD_CONCRETE)
            sum = plus(f->t, sum, head_gate_penalty(f, &enc->gate[l]));
    return sum;
}
