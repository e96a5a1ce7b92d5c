/* One function declares, one initialises and one runs each half of a layer; without heads
 * attention is its bias alone. */
#include "lal/transformer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static Tensor *bias_of(const Forward *f, int k) { return k >= 0 ? forward_param(f, k) : NULL; }

static const char *part_digit(int parts, int p) { return parts == 1 ? "" : p == 0 ? "1" : "2"; }
static const char *part_letter(int parts, int p) { return parts == 1 ? "" : p == 0 ? "c" : "p"; }

Status self_attention_declare(SelfAttention *sa, ParamSet *ps, const char *prefix, int d, int heads, int d_kv,
                              int parts, LayerOptions options, Error *error)
{
    *sa = (SelfAttention){ .d = d, .heads = heads, .parts = parts };
    for (int p = 0; p < MAX_PARTS; p++) sa->qkv_bias[p] = sa->proj_bias[p] = -1;
    if (parts > 1 && (d % 2 || d_kv % 2))
        return error_set(error, ERR_CONFIG, "%s: d_model %d and d_kv %d must be even to be partitioned", prefix, d,
                         d_kv);
    Status s = OK;
    for (int p = 0; p < parts && s == OK; p++) {
        int w = part_width(d_kv, parts, p), dp = part_width(d, parts, p);
        const char *digit = part_digit(parts, p);
        if (heads > 0)
            s = param_declare(&sa->qkv[p], ps, error, 2, dp, 3 * (long)heads * w, 0, "%s.w_qkv%s", prefix, digit);
        if (heads > 0 && s == OK)
            s = param_declare(&sa->proj[p], ps, error, 2, (long)heads * w, dp, 0, "%s.proj%s.weight", prefix, digit);
        if (s != OK || !options.attention_biases) continue;
        if (heads > 0)
            s = param_declare(&sa->qkv_bias[p], ps, error, 1, 3 * (long)heads * w, 0, 0, "%s.b_qkv%s", prefix, digit);
        if (s == OK) s = param_declare(&sa->proj_bias[p], ps, error, 1, dp, 0, 0, "%s.proj%s.bias", prefix, digit);
    }
    char name[PARAM_NAME_MAX];
    snprintf(name, sizeof name, "%s.layer_norm", prefix);
    return s != OK ? s : norm_declare(&sa->norm, ps, name, d, options.norm, error);
}

void self_attention_init(const SelfAttention *sa, ParamSet *ps, unsigned long seed)
{
    for (int p = 0; p < sa->parts && sa->heads > 0; p++) {
        const Param *q = &ps->p[sa->qkv[p]];
        int w = q->cols / 3 / sa->heads;
        param_init_normal(ps, sa->qkv[p], sqrt(2.0 / ((double)q->rows * w + (double)sa->heads * w)), seed);
        linear_init(sa->proj[p], sa->proj_bias[p], ps, seed);
        if (sa->qkv_bias[p] >= 0) param_init_constant(ps, sa->qkv_bias[p], 0);
    }
    norm_init(&sa->norm, ps);
}

Tensor *transformer_add_bias(const Forward *forward, Tensor *x, int bias)
{
    Tape *t = forward->t;
    size_t most = !x ? 0 : (size_t)(x->rows > x->cols ? x->rows : x->cols);
    Real *zero = x ? tape_host(t, most, sizeof *zero) : NULL;
    if (!zero) return NULL;
    memset(zero, 0, most * sizeof *zero);
    /* as the output of attention to nothing, so that relevance counts it as a bias */
    Tensor *z = op_linear(t, tape_constant(t, zero, x->rows, 1), tape_constant(t, zero, 1, x->cols),
                          forward_param(forward, bias), false);
    return z ? op_add(t, x, z) : NULL;
}

const int *transformer_kept(const Forward *forward, const int *list, int before, const int *head, int left)
{
    if (!list || left == before) return list;
    int *kept = tape_host(forward->t, (size_t)left, sizeof *kept);
    for (int k = 0; kept && k < left; k++) kept[k] = list[head[k]];
    return kept;
}

/* x and what attention without heads adds to it; layers with biases have one part. */
static Tensor *without_heads(const Forward *f, const SelfAttention *sa, Tensor *x)
{
    return sa->proj_bias[0] < 0 ? x : transformer_add_bias(f, x, sa->proj_bias[0]);
}

Tensor *self_attention_forward(const Forward *forward, const SelfAttention *sa, Tensor *x, Tensor *beside, double scale,
                               Dropouts drop, const HeadControl *control, SelfAttentionTrace *trace)
{
    Tape *t = forward->t;
    Tensor *probs = NULL, *qkv[MAX_PARTS];
    if (trace) *trace = (SelfAttentionTrace){ NULL, NULL };
    if (sa->heads == 0)
        return norm_forward(forward, &sa->norm, without_heads(forward, sa, beside ? op_add(t, x, beside) : x));
    Tensor *z = x ? tape_new(t, x->rows, sa->d) : NULL;
    TapeMark mark = tape_mark(t);
    for (int p = 0; p < sa->parts; p++) {
        Tensor *part = tape_columns(t, x, part_start(sa->d, sa->parts, p), part_width(sa->d, sa->parts, p));
        qkv[p] = op_linear(t, part, forward_weight(forward, sa->qkv[p]), bias_of(forward, sa->qkv_bias[p]), false);
        if (!qkv[p]) return NULL;
    }
    AttentionSpec spec = attention_spec(sa->heads, sa->parts, scale, drop.attention, control);
    Tensor *ctx = op_attention(t, qkv, &spec, forward->batch, t->recording ? &probs : NULL);
    if (!z || !ctx) return NULL;
    if (trace && !forward->brief) *trace = (SelfAttentionTrace){ probs, ctx };
    for (int p = 0, from = 0; p < sa->parts; p++) {
        int w = forward->params->p[sa->proj[p]].rows;
        Tensor *out = tape_columns(t, z, part_start(sa->d, sa->parts, p), part_width(sa->d, sa->parts, p));
        if (!op_linear_into(t, out, tape_columns(t, ctx, from, w), forward_weight(forward, sa->proj[p]),
                            bias_of(forward, sa->proj_bias[p]), false))
            return NULL;
        from += w;
    }
    if (forward->brief) tape_rewind(t, mark); /* what follows takes the memory of queries and keys, in the cache */
    if (beside) x = op_add(t, x, beside);
    return norm_residual(forward, &sa->norm, x, z, NULL, drop.residual, forward->sentence_of);
}

Status feed_forward_declare(FeedForward *ff, ParamSet *ps, const char *prefix, int d, int d_ff, int parts, int cut,
                            LayerOptions options, Error *error)
{
    *ff = (FeedForward){
        .d = d, .d_ff = d_ff, .parts = parts, .cut = parts == 1 ? 0 : cut, .activation = options.activation
    };
    if (parts > 1 && (d_ff % 2 || cut >= d))
        return error_set(error, ERR_CONFIG, "%s: d_ff %d must be even, and %d below %d", prefix, d_ff, cut, d);
    Status s = OK;
    char name[PARAM_NAME_MAX];
    for (int p = 0; p < parts && s == OK; p++) {
        int in = parts == 1 ? d : p == 0 ? d - cut : cut, hidden = d_ff / parts;
        snprintf(name, sizeof name, "%s.w_1%s", prefix, part_letter(parts, p));
        s = linear_declare(&ff->w1[p], &ff->b1[p], ps, name, in, hidden, error);
        snprintf(name, sizeof name, "%s.w_2%s", prefix, part_letter(parts, p));
        if (s == OK) s = linear_declare(&ff->w2[p], &ff->b2[p], ps, name, hidden, in, error);
    }
    snprintf(name, sizeof name, "%s.layer_norm", prefix);
    return s != OK ? s : norm_declare(&ff->norm, ps, name, d, options.norm, error);
}

void feed_forward_init(const FeedForward *ff, ParamSet *ps, unsigned long seed)
{
    for (int p = 0; p < ff->parts; p++) {
        linear_init(ff->w1[p], ff->b1[p], ps, seed);
        linear_init(ff->w2[p], ff->b2[p], ps, seed);
    }
    norm_init(&ff->norm, ps);
}

Tensor *feed_forward_forward(const Forward *forward, const FeedForward *ff, Tensor *x, Tensor *beside, Dropouts drop,
                             const int *group, Tensor **hidden_out)
{
    Tape *t = forward->t;
    Tensor *u = x ? tape_new(t, x->rows, ff->d) : NULL;
    if (!u) return NULL;
    TapeMark mark = tape_mark(t);
    for (int p = 0; p < ff->parts; p++) {
        int from = p == 0 ? 0 : ff->d - ff->cut, w = ff->parts == 1 ? ff->d : p == 0 ? ff->d - ff->cut : ff->cut;
        Tensor *hidden = op_linear(t, tape_columns(t, x, from, w), forward_weight(forward, ff->w1[p]),
                                   forward_param(forward, ff->b1[p]), ff->activation == ACTIVATION_RELU);
        if (ff->activation == ACTIVATION_GELU) hidden = op_gelu(t, hidden);
        if (hidden_out) hidden_out[p] = hidden;
        hidden = op_dropout(t, hidden, drop.relu, group);
        if (!op_linear_into(t, tape_columns(t, u, from, w), hidden, forward_weight(forward, ff->w2[p]),
                            forward_param(forward, ff->b2[p]), false))
            return NULL;
    }
    if (forward->brief && !hidden_out) tape_rewind(t, mark);
    if (beside) x = op_add(t, x, beside);
    return norm_residual(forward, &ff->norm, x, u, NULL, drop.residual, group);
}
