/* Layers of each kind as compositions on the tape: BERT's are those of
 * lal/transformer.h, MPNet adds a bias, XLNet has attention of its own. */
#include "embeddings/pretrained_encoder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FARTHEST = 128 };

int pretrained_encoder_bucket(int distance, int n_buckets)
{
    int half = n_buckets / 2, exact = half / 2, n = distance < 0 ? -distance : distance, from = distance < 0 ? half : 0;
    if (n < exact) return from + n;
    float steps = logf((float)n / (float)exact) / logf((float)FARTHEST / (float)exact) * (float)(half - exact);
    int bucket = exact + (int)steps;
    return from + (bucket < half ? bucket : half - 1);
}

/* ---- parameters */

static Status declare_table(int *k, ParamSet *ps, const char *name, int rows, int cols, Error *e)
{
    *k = -1;
    return rows > 0 ? param_declare(k, ps, e, 2, rows, cols, 0, "pretrained.%s.weight", name) : OK;
}

static Status declare_relative(RelativeAttention *ra, ParamSet *ps, const char *prefix, const PretrainedConfig *c,
                               Error *e)
{
    int width = c->n_heads * c->d_head;
    Status s = param_declare(&ra->w_r, ps, e, 2, c->d_model, width, 0, "%s.w_r", prefix);
    if (s == OK) s = param_declare(&ra->r_w, ps, e, 1, width, 0, 0, "%s.r_w", prefix);
    return s == OK ? param_declare(&ra->r_r, ps, e, 1, width, 0, 0, "%s.r_r", prefix) : s;
}

Status pretrained_encoder_declare(PretrainedEncoder *pe, ParamSet *ps, PretrainedConfig config, Error *error)
{
    if (config.n_layers < 0 || config.n_layers > PRETRAINED_LAYERS_MOST)
        return error_set(error, ERR_CONFIG, "found %d layers, expected 0 to %d", config.n_layers,
                         PRETRAINED_LAYERS_MOST);
    bool xlnet = config.kind == PRETRAINED_XLNET;
    LayerOptions o = { { NORM_VARIANCE, config.norm_eps }, ACTIVATION_GELU, !xlnet };
    char prefix[PARAM_NAME_MAX];
    *pe = (PretrainedEncoder){ .c = config };
    Status s = declare_table(&pe->piece, ps, "piece", config.n_pieces, config.d_model, error);
    if (s == OK && config.n_pieces) params_table(ps, pe->piece);
    if (s == OK) s = declare_table(&pe->position, ps, "position", config.n_positions, config.d_model, error);
    if (s == OK) s = declare_table(&pe->type, ps, "type", config.n_types, config.d_model, error);
    if (s == OK) s = declare_table(&pe->distance, ps, "distance", config.n_buckets, config.n_heads, error);
    if (s == OK && !xlnet) s = norm_declare(&pe->norm, ps, "pretrained.layer_norm", config.d_model, o.norm, error);
    for (int l = 0; l < config.n_layers && s == OK; l++) {
        snprintf(prefix, sizeof prefix, "pretrained.attn_%d", l);
        s = self_attention_declare(&pe->attn[l], ps, prefix, config.d_model, config.n_heads, config.d_head, 1, o,
                                   error);
        if (s == OK && xlnet) s = declare_relative(&pe->relative[l], ps, prefix, &config, error);
        snprintf(prefix, sizeof prefix, "pretrained.ff_%d", l);
        if (s == OK) s = feed_forward_declare(&pe->ff[l], ps, prefix, config.d_model, config.d_ff, 1, 0, o, error);
    }
    return s;
}

Status pretrained_encoder_declare_pal(PretrainedEncoder *pe, ParamSet *ps, const EncoderOptions *options, Error *error)
{
    const ProjectedAttention *shared = NULL;
    char prefix[PARAM_NAME_MAX];
    Status s = OK;
    pe->pal_at = (PalAt)options->pal.at;
    for (int l = 0; l < pe->c.n_layers && s == OK; l++) {
        if (!head_numbers_has(&options->pal.pretrained_layers, l)) continue;
        snprintf(prefix, sizeof prefix, "pretrained.pal_%d", l);
        pe->has_pal[l] = true;
        s = projected_attention_declare(&pe->pal[l], ps, prefix, pe->c.d_model, options->pal.width, options->pal.heads,
                                        options->pal.heads, shared, error);
        if (options->pal.share && !shared) shared = &pe->pal[l];
    }
    return s;
}

void pretrained_encoder_init_pal(const PretrainedEncoder *pe, ParamSet *ps, double std, unsigned long seed)
{
    for (int l = 0; l < pe->c.n_layers; l++)
        if (pe->has_pal[l]) projected_attention_init(&pe->pal[l], ps, std, seed);
}

/* ---- forward */

static Tensor *embed(const Forward *f, const PretrainedEncoder *pe, const int *piece)
{
    const PretrainedConfig *c = &pe->c;
    Tape *t = f->t;
    const Batch *batch = f->batch;
    int first = c->n_positions - c->most_pieces, n = batch->n_tokens,
        *position = tape_host(t, (size_t)n, sizeof *position), *type = tape_host(t, (size_t)n, sizeof *type);
    if (!position || !type) return NULL;
    for (int b = 0; b < batch->n_sent; b++)
        for (int i = batch->start[b]; i < batch->start[b + 1]; i++) {
            position[i] = first + i - batch->start[b];
            type[i] = 0;
        }
    if (c->most_pieces && batch->longest > c->most_pieces)
        return tape_fail(t, ERR_RANGE, "found a sequence of %d pieces, expected at most %d", batch->longest,
                         c->most_pieces);
    EmbedTerm term[3] = { { forward_weight(f, pe->piece), piece, 0, NULL } };
    int terms = 1;
    if (pe->position >= 0) term[terms++] = (EmbedTerm){ forward_weight(f, pe->position), position, 0, NULL };
    if (pe->type >= 0) term[terms++] = (EmbedTerm){ forward_weight(f, pe->type), type, 0, NULL };
    Tensor *x = op_embed(t, term, terms, n, c->d_model);
    return c->kind == PRETRAINED_XLNET ? x : norm_forward(f, &pe->norm, x);
}

/* The bias of all layers of MPNet. */
static Tensor *distance_bias(const Forward *f, const PretrainedEncoder *pe)
{
    int longest = f->batch->longest, *row = tape_host(f->t, 2 * (size_t)longest + 1, sizeof *row);
    if (!row) return NULL;
    for (int d = 1 - longest; d < longest; d++) row[d + longest - 1] = pretrained_encoder_bucket(d, pe->c.n_buckets);
    return op_relative_bias(f->t, forward_param(f, pe->distance), row, f->batch);
}

/* R of all distances 1 - longest .. longest - 1, a constant. */
static Tensor *sinusoids(const Forward *f, int longest, int d)
{
    int rows = longest > 0 ? 2 * longest - 1 : 0, half = d / 2;
    Real *r = tape_host(f->t, (size_t)rows * (size_t)d + 1, sizeof *r);
    if (!r) return NULL;
    for (int k = 0; k < rows; k++)
        for (int u = 0; u < half; u++) {
            double angle = (k - longest + 1) / pow(10000, 2.0 * u / d);
            r[(ptrdiff_t)k * d + u] = (Real)sin(angle);
            r[(ptrdiff_t)k * d + half + u] = (Real)cos(angle);
        }
    return tape_constant(f->t, r, rows, d);
}

/* The attention of XLNet: lal/transformer.h with a bias that depends on its queries and keys. beside: as in
 * self_attention_forward. */
static Tensor *relative_attention(const Forward *f, const PretrainedEncoder *pe, int l, Tensor *x, Tensor *beside,
                                  Tensor *distances, Dropouts drop, const HeadControl *control,
                                  SelfAttentionTrace *trace)
{
    const SelfAttention *sa = &pe->attn[l];
    const RelativeAttention *ra = &pe->relative[l];
    Tape *t = f->t;
    int heads = pe->c.n_heads;
    double scale = sqrt(pe->c.d_head);
    Tensor *qkv = op_linear(t, x, forward_weight(f, sa->qkv[0]), NULL, false),
           *r = op_linear(t, distances, forward_weight(f, ra->w_r), NULL, false);
    AttentionSpec spec = attention_spec(heads, 1, scale, drop.attention, control);
    spec.bias =
        op_relative_logits(t, qkv, r, forward_param(f, ra->r_w), forward_param(f, ra->r_r), heads, scale, f->batch);
    if (!spec.bias) return NULL;
    trace->context = op_attention(t, &qkv, &spec, f->batch, t->recording ? &trace->probs : NULL);
    Tensor *z = op_linear(t, trace->context, forward_weight(f, sa->proj[0]), NULL, false);
    if (beside) x = op_add(t, x, beside);
    return norm_residual(f, &sa->norm, x, z, NULL, drop.residual, NULL);
}

static bool is_pal_frozen(const ProjectedAttention *pa, const ParamSet *ps)
{
    const int ends[] = { pa->down, pa->down_bias, pa->up, pa->up_bias };
    bool frozen = true;
    for (int k = 0; k < 4; k++) frozen = frozen && ps->p[ends[k]].frozen;
    for (int k = 0; k < 3; k++) frozen = frozen && ps->p[pa->qkv[k]].frozen && ps->p[pa->qkv_bias[k]].frozen;
    return frozen;
}

/* Whether the tensors of layer l, or with l = -1 the tables, are all kept out of training. */
static bool is_frozen(const PretrainedEncoder *pe, const ParamSet *ps, int l)
{
    PretrainedTensor list[PRETRAINED_TENSORS_MOST];
    bool frozen = l < 0 || !pe->has_pal[l] || is_pal_frozen(&pe->pal[l], ps);
    for (int k = pretrained_encoder_tensors(pe, ps, l, list) - 1; k >= 0 && frozen; k--)
        frozen = ps->p[list[k].param].frozen;
    return frozen;
}

/* The slot of the bias of each head, 0 .. heads - 1; -1 of heads that attend without logits. */
static const int *bias_slots(const Forward *f, int heads, const int *fixed)
{
    int *slots = tape_host(f->t, (size_t)heads, sizeof *slots);
    for (int h = 0; slots && h < heads; h++) slots[h] = fixed && fixed[h] ? -1 : h;
    return slots;
}

/* One layer, x [pieces, d_model]; bias: MPNet's, distances: XLNet's, else NULL. control: as in
 * pretrained_encoder_forward. */
static Tensor *layer_forward(const Forward *f, const PretrainedEncoder *pe, int l, Tensor *x, Tensor *bias,
                             Tensor *distances, Dropouts drop, const HeadControl *control, PretrainedOutput *out)
{
    const PretrainedConfig *c = &pe->c;
    HeadControl acting = control ? control[l] : (HeadControl){ .mask = NULL };
    Tensor *pal = NULL;
    acting.bias = bias;
    acting.bias_of_head = bias_slots(f, c->n_heads, acting.fixed);
    if (pe->has_pal[l])
        pal = projected_attention_forward(f, &pe->pal[l], x, drop.attention, control ? &control[c->n_layers + l] : NULL,
                                          f->t->recording ? &out->pal_probs[l] : NULL);
    if (!acting.bias_of_head || (pe->has_pal[l] && !pal)) return NULL;
    bool at_ff = pe->pal_at == PAL_AT_FF;
    SelfAttentionTrace *trace = &out->attention[l];
    if (distances) x = relative_attention(f, pe, l, x, at_ff ? NULL : pal, distances, drop, &acting, trace);
    else x = self_attention_forward(f, &pe->attn[l], x, at_ff ? NULL : pal, sqrt(c->d_head), drop, &acting, trace);
    return feed_forward_forward(f, &pe->ff[l], x, at_ff ? pal : NULL, drop, NULL, NULL);
}

void pretrained_encoder_forward(const Forward *forward, const PretrainedEncoder *pe, const int *piece,
                                const HeadControl *control, PretrainedOutput *out)
{
    const PretrainedConfig *c = &pe->c;
    bool xlnet = c->kind == PRETRAINED_XLNET;
    Forward plain = *forward;
    plain.sentence_of = NULL;
    *out = (PretrainedOutput){ .hidden = { NULL } };
    Dropouts drop = { c->attention_dropout, xlnet ? c->dropout : 0, c->dropout };
    Tensor *x = op_dropout(forward->t, embed(&plain, pe, piece), c->dropout, NULL);
    if (!x) return;
    Tensor *distances =
               xlnet ? op_dropout(forward->t, sinusoids(&plain, forward->batch->longest, c->d_model), c->dropout, NULL)
                     : NULL,
           *bias = pe->distance >= 0 ? distance_bias(&plain, pe) : NULL;
    bool frozen = forward->t->training && is_frozen(pe, forward->params, -1); /* so are the layers so far */
    if (!forward->brief || c->n_layers == 0) out->hidden[0] = x;
    if ((xlnet && !distances) || (pe->distance >= 0 && !bias)) return;
    LayerMemory memory = layer_memory(&plain, x);
    for (int l = 0; l < c->n_layers && x; l++) {
        layer_memory_begin(&memory);
        x = layer_forward(&plain, pe, l, x, bias, distances, drop, control, out);
        frozen = frozen && is_frozen(pe, forward->params, l);
        if (x && frozen) x->needs_grad = false; /* the backward pass ends here */
        x = layer_memory_end(&memory, x);
        if (!forward->brief || l == c->n_layers - 1) out->hidden[l + 1] = x;
    }
}
