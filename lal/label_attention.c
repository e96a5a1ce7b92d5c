/* Contexts of all heads in a sentence, their views through M, then a norm over each token and
 * head; with a mask between P and R, M cannot be used. */
#include "lal/label_attention.h"

#include <math.h>
#include <stdio.h>

int label_attention_blocks(const LabelAttentionConfig *config)
{
    return config->head_of_block ? config->blocks : config->heads;
}

int label_attention_width(const LabelAttentionConfig *config)
{
    return config->combine_as_self ? config->d : label_attention_blocks(config) * config->d_proj;
}

Status label_attention_declare(LabelAttention *la, ParamSet *ps, const char *prefix, LabelAttentionConfig config,
                               Error *error)
{
    *la = (LabelAttention){ .c = config, .parts = config.partitioned ? 2 : 1, .reduce = -1 };
    if (config.partitioned && (config.d % 2 || config.d_kv % 2))
        return error_set(error, ERR_CONFIG, "%s: d_model %d and lal_d_kv %d must be even", prefix, config.d,
                         config.d_kv);
    if (config.d_proj % 2) return error_set(error, ERR_CONFIG, "%s: lal_d_proj %d must be even", prefix, config.d_proj);
    if (config.q_as_matrix && config.uniform)
        return error_set(error, ERR_CONFIG,
                         "lal_uniform: found queries from every token (lal_q_as_matrix), expected "
                         "none");
    if (config.combine_as_self && config.own_reduce)
        return error_set(error, ERR_CONFIG,
                         "lal_own_reduce: found heads that are combined (lal_combine_as_self), "
                         "expected separate ones");
    Status s = OK;
    for (int p = 0; p < la->parts; p++) la->q[p] = la->k[p] = -1;
    for (int p = 0; p < la->parts && config.heads > 0 && s == OK; p++) {
        const char *digit = la->parts == 1 ? "" : p == 0 ? "1" : "2";
        int w = part_width(config.d_kv, la->parts, p), dp = part_width(config.d, la->parts, p);
        if (config.q_as_matrix)
            s = param_declare(&la->qkv[p], ps, error, 2, dp, 3 * (long)config.heads * w, 0, "%s.w_qkv%s", prefix,
                              digit);
        else {
            if (!config.uniform)
                s = param_declare(&la->q[p], ps, error, 2, config.heads, w, 0, "%s.w_qs%s", prefix, digit);
            if (s == OK && !config.uniform)
                s = param_declare(&la->k[p], ps, error, 3, config.heads, dp, w, "%s.w_ks%s", prefix, digit);
            if (s == OK) s = param_declare(&la->v[p], ps, error, 3, config.heads, dp, w, "%s.w_vs%s", prefix, digit);
        }
        if (s == OK)
            s = param_declare(&la->proj[p], ps, error, 2, config.combine_as_self ? (long)config.heads * w : w, dp, 0,
                              "%s.proj%s.weight", prefix, digit);
    }
    if (s == OK && !config.combine_as_self)
        s = param_declare(&la->reduce, ps, error, 2, config.d,
                          config.d_proj * (config.own_reduce ? (long)label_attention_blocks(&config) : 1), 0,
                          "%s.reduce_proj.weight", prefix);
    char name[PARAM_NAME_MAX];
    snprintf(name, sizeof name, "%s.layer_norm", prefix);
    return s != OK
               ? s
               : norm_declare(&la->norm, ps, name, config.combine_as_self ? config.d : config.d_proj, NORM_LAL, error);
}

void label_attention_init(const LabelAttention *la, ParamSet *ps, unsigned long seed)
{
    const LabelAttentionConfig *c = &la->c;
    for (int p = 0; p < la->parts && c->heads > 0; p++) {
        double w = part_width(c->d_kv, la->parts, p), dp = part_width(c->d, la->parts, p),
               std = sqrt(2 / (dp * w + c->heads * w));
        if (c->q_as_matrix) param_init_normal(ps, la->qkv[p], std, seed);
        else {
            if (la->q[p] >= 0) param_init_normal(ps, la->q[p], sqrt(2 / (w + c->heads)), seed);
            if (la->k[p] >= 0) param_init_normal(ps, la->k[p], std, seed);
            param_init_normal(ps, la->v[p], std, seed);
        }
        linear_init(la->proj[p], -1, ps, seed);
    }
    if (la->reduce >= 0) linear_init(la->reduce, -1, ps, seed);
    norm_init(&la->norm, ps);
}

/* The heads' contexts: [n_sent * heads, d_kv] from query vectors, [tokens * heads, d_kv] from a query matrix. */
static Tensor *contexts(const Forward *f, const LabelAttention *la, Tensor *x, double scale, double dropout,
                        const HeadControl *control, LabelAttentionTrace *trace)
{
    Tape *t = f->t;
    const LabelAttentionConfig *c = &la->c;
    if (c->q_as_matrix) {
        Tensor *qkv[MAX_PARTS];
        for (int p = 0; p < la->parts; p++) {
            Tensor *part = tape_columns(t, x, part_start(c->d, la->parts, p), part_width(c->d, la->parts, p));
            qkv[p] = op_linear(t, part, forward_weight(f, la->qkv[p]), NULL, false);
            if (!qkv[p]) return NULL;
        }
        AttentionSpec spec = attention_spec(c->heads, la->parts, scale, dropout, control);
        return op_split_heads(t, op_attention(t, qkv, &spec, f->batch, &trace->probs), c->heads, la->parts);
    }
    Tensor *u = c->uniform ? tape_zeros(t, c->heads, c->d) : tape_new(t, c->heads, c->d);
    for (int p = 0; p < la->parts && u && !c->uniform; p++) {
        Tensor *part = tape_columns(t, u, part_start(c->d, la->parts, p), part_width(c->d, la->parts, p));
        if (!op_label_query_into(t, part, forward_param(f, la->k[p]), forward_param(f, la->q[p]))) return NULL;
    }
    LabelAttentionSpec spec = label_attention_spec(scale, dropout, control);
    Tensor *z = trace->context = op_label_attention(t, x, u, &spec, f->batch, &trace->probs),
           *ctx = z ? tape_new(t, z->rows, c->d_kv) : NULL;
    for (int p = 0; p < la->parts && ctx; p++) {
        Tensor *from = tape_columns(t, z, part_start(c->d, la->parts, p), part_width(c->d, la->parts, p));
        Tensor *to = tape_columns(t, ctx, part_start(c->d_kv, la->parts, p), part_width(c->d_kv, la->parts, p));
        if (!op_head_linear_into(t, to, from, forward_weight(f, la->v[p]), c->heads)) return NULL;
    }
    if (control && control->gates) ctx = op_scale_rows(t, ctx, control->gates);
    return ctx;
}

/* [P1 c ; P2 c]: rows of contexts -> rows of width d. With combine_as_self a row holds all heads of one sentence or
 * token. */
static Tensor *project(const Forward *f, const LabelAttention *la, Tensor *ctx)
{
    Tape *t = f->t;
    const LabelAttentionConfig *c = &la->c;
    Tensor *g = ctx ? tape_new(t, ctx->rows, c->d) : NULL;
    for (int p = 0; p < la->parts && g; p++) {
        int w = f->params->p[la->proj[p]].rows;
        Tensor *from = tape_columns(t, ctx, p == 0 ? 0 : ctx->cols - w, w);
        Tensor *to = tape_columns(t, g, part_start(c->d, la->parts, p), part_width(c->d, la->parts, p));
        if (!op_linear_into(t, to, from, forward_weight(f, la->proj[p]), NULL, false)) return NULL;
    }
    return g;
}

static Tensor *combined(const Forward *f, const LabelAttention *la, Tensor *x, Tensor *ctx, Dropouts drop)
{
    const LabelAttentionConfig *c = &la->c;
    Tensor *z = project(f, la, op_join_heads(f->t, ctx, c->heads, la->parts));
    return norm_residual(f, &la->norm, x, z, c->q_as_matrix ? NULL : f->sentence_of, c->resdrop ? drop.residual : 0,
                         f->sentence_of);
}

/* M = P R, part by part: rows are columns of the context. */
static Tensor *premultiplied(const Forward *f, const LabelAttention *la)
{
    Tape *t = f->t;
    const LabelAttentionConfig *c = &la->c;
    Tensor *m = tape_new(t, c->d_kv, c->d_proj);
    for (int p = 0; p < la->parts && m; p++) {
        Tensor *to = tape_rows(t, m, part_start(c->d_kv, la->parts, p), part_width(c->d_kv, la->parts, p));
        Tensor *r = forward_weight_rows(f, la->reduce, part_start(c->d, la->parts, p), part_width(c->d, la->parts, p));
        if (!op_linear_into(t, to, forward_weight(f, la->proj[p]), r, NULL, false)) return NULL;
    }
    return m;
}

/* The heads' own projections, [heads * d, d_proj], of R [d, blocks * d_proj]. */
static Tensor *own_projections(const Forward *f, const LabelAttention *la)
{
    const LabelAttentionConfig *c = &la->c;
    int blocks = label_attention_blocks(c), *index = tape_host(f->t, (size_t)c->heads * (size_t)c->d, sizeof *index);
    if (!index) return NULL;
    for (int b = 0; b < blocks; b++) {
        int h = c->head_of_block ? c->head_of_block[b] : b;
        for (int r = 0; r < c->d && h >= 0; r++) index[(ptrdiff_t)h * c->d + r] = r * blocks + b;
    }
    Tensor *apart = op_split_heads(f->t, forward_param(f, la->reduce), blocks, 1);
    return op_gather(f->t, apart, index, c->heads * c->d);
}

/* The heads' views R g_h of rows of contexts. */
static Tensor *views(const Forward *f, const LabelAttention *la, Tensor *ctx, double dropout)
{
    Tape *t = f->t;
    const LabelAttentionConfig *c = &la->c;
    bool masked = ctx && c->resdrop && t->training && dropout > 0;
    if (!ctx || (!masked && !c->own_reduce)) return op_linear(t, ctx, premultiplied(f, la), NULL, false);
    /* M cannot be pre-multiplied: the mask is between P and R, or each head has its own R */
    Tensor *g = project(f, la, ctx);
    int *group = tape_host(t, (size_t)ctx->rows, sizeof *group);
    for (int r = 0; group && r < ctx->rows; r++)
        group[r] = c->q_as_matrix ? f->sentence_of[r / c->heads] * c->heads + r % c->heads : r;
    if (!group) return NULL;
    if (masked) g = op_dropout(t, g, dropout, group);
    if (!c->own_reduce) return op_linear(t, g, forward_weight(f, la->reduce), NULL, false);
    return op_head_linear_into(t, tape_new(t, ctx->rows, c->d_proj), g, own_projections(f, la), c->heads);
}

/* Rows of views [n * heads] by the blocks of the output, [n * blocks]: 0 for a block without a head. */
static Tensor *by_block(Tape *t, const LabelAttentionConfig *c, Tensor *view)
{
    if (!view || !c->head_of_block) return view;
    int n = view->rows / c->heads, rows = 0, used = 0,
        *start = tape_host(t, (size_t)n * (size_t)c->blocks + 1, sizeof *start),
        *item = tape_host(t, (size_t)view->rows, sizeof *item);
    if (!start || !item) return NULL;
    for (int k = 0; k < n; k++)
        for (int b = 0; b < c->blocks; b++) {
            start[rows++] = used;
            if (c->head_of_block[b] >= 0) item[used++] = k * c->heads + c->head_of_block[b];
        }
    start[rows] = used;
    return op_embed_mean(t, view, start, item, rows);
}

/* Blocks of y times the gates [1, heads] of their heads. */
static Tensor *scaled(Tape *t, const LabelAttentionConfig *c, Tensor *y, Tensor *gates)
{
    int blocks = label_attention_blocks(c);
    if (c->head_of_block) { /* the gates of blocks: those of their heads, or 1 */
        int *index = tape_host(t, (size_t)blocks, sizeof *index);
        Tensor *all = tape_new(t, 1, c->heads + 1), *one = tape_constant(t, (const Real[]){ 1 }, 1, 1);
        EmbedTerm heads = { gates, NULL, 0, NULL }, last = { one, NULL, 0, NULL };
        if (!index || !all || !one || !op_embed_into(t, tape_columns(t, all, 0, c->heads), &heads, 1) ||
            !op_embed_into(t, tape_columns(t, all, c->heads, 1), &last, 1))
            return NULL;
        for (int b = 0; b < blocks; b++) index[b] = c->head_of_block[b] < 0 ? c->heads : c->head_of_block[b];
        gates = op_gather(t, op_split_heads(t, all, c->heads + 1, 1), index, blocks);
        gates = op_join_heads(t, gates, blocks, 1);
    }
    return op_join_heads(t, op_scale_rows(t, op_split_heads(t, y, blocks, 1), gates), blocks, 1);
}

/* norm(R_b x_t + view[first[t] + b]) of each token and block, where each has a projection R_b of its own. */
static Tensor *own_norms(const Forward *f, const LabelAttention *la, Tensor *r, Tensor *view, const int *first)
{
    Tape *t = f->t;
    int blocks = label_attention_blocks(&la->c), rows = r ? r->rows : 0,
        *index = tape_host(t, (size_t)rows * (size_t)blocks, sizeof *index);
    if (!index || !r || !view) return NULL;
    for (int k = 0; k < rows * blocks; k++) index[k] = first[k / blocks] + k % blocks;
    const EmbedTerm terms[] = { { .table = op_split_heads(t, r, blocks, 1) }, { .table = view, .index = index } };
    return op_join_heads(t, norm_forward(f, &la->norm, op_embed(t, terms, 2, rows * blocks, la->c.d_proj)), blocks, 1);
}

Tensor *label_attention_forward(const Forward *forward, const LabelAttention *la, Tensor *x, double scale,
                                Dropouts drop, const HeadControl *control, LabelAttentionTrace *trace)
{
    Tape *t = forward->t;
    const LabelAttentionConfig *c = &la->c;
    int blocks = label_attention_blocks(c);
    *trace = (LabelAttentionTrace){ NULL, NULL, NULL };
    if (!x) return NULL;
    if (c->heads == 0 && c->combine_as_self) return norm_forward(forward, &la->norm, x);
    Tensor *ctx = c->heads ? contexts(forward, la, x, scale, drop.attention, control, trace) : NULL, *view;
    if (c->heads && !ctx) return NULL;
    if (c->combine_as_self) return combined(forward, la, x, ctx, drop);
    int *first = tape_host(t, (size_t)x->rows, sizeof *first);
    if (!first) return NULL;
    if (c->heads) {
        view = by_block(t, c, trace->view = views(forward, la, ctx, drop.residual));
        for (int r = 0; view && r < x->rows; r++) first[r] = (c->q_as_matrix ? r : forward->sentence_of[r]) * blocks;
    } else {
        view = tape_zeros(t, blocks, c->d_proj);
        for (int r = 0; r < x->rows; r++) first[r] = 0;
    }
    Tensor *r = op_linear(t, x, forward_weight(forward, la->reduce), NULL, false),
           *y = c->own_reduce ? own_norms(forward, la, r, view, first)
                              : op_label_norm(t, r, view, first, blocks, forward_param(forward, la->norm.a),
                                              forward_param(forward, la->norm.b), la->norm.spec.eps);
    return y && control && control->outputs ? scaled(t, c, y, control->outputs) : y;
}
