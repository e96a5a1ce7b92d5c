#include "tests/grad/cases.h"

#include <string.h>

#include "base/rng.h"
#include "lal/heads/guidance.h"

static int pairs(const Batch *b)
{
    int n = 0;
    for (int k = 0; k < b->n_sent; k++) n += (b->start[k + 1] - b->start[k]) * (b->start[k + 1] - b->start[k]);
    return n;
}

/* Keys that the tokens of sentence k attend to in another batch: more than its tokens, fewer, or none. */
static int keys_of(const Batch *b, int k)
{
    int m = b->start[k + 1] - b->start[k];
    return k % 4 == 0 ? m + 3 : k % 4 == 1 ? (m + 1) / 2 : k % 4 == 2 ? m / 3 : 0;
}

static int other_keys(const Batch *b)
{
    int n = 0;
    for (int k = 0; k < b->n_sent; k++) n += keys_of(b, k);
    return n;
}

static int cross_pairs(const Batch *b)
{
    int n = 0;
    for (int k = 0; k < b->n_sent; k++) n += (b->start[k + 1] - b->start[k]) * keys_of(b, k);
    return n;
}

int case_size(const char *product, const Dims *d)
{
    int size = 1, plus = 0;
    for (const char *p = product; *p && *p != ' '; p++) {
        switch (*p) {
        case 'T': size *= d->batch->n_tokens; break;
        case 'F': size *= d->batch->n_tokens - d->batch->n_sent; break;
        case 'B': size *= d->batch->n_sent; break;
        case 'P': size *= pairs(d->batch); break;
        case 'K': size *= other_keys(d->batch); break;
        case 'C': size *= cross_pairs(d->batch); break;
        case 'D': size *= d->d; break;
        case 'E': size *= d->e; break;
        case 'H': size *= d->heads; break;
        case 'Y': size *= d->types; break;
        case 'L': size *= d->batch->longest > 0 ? 2 * d->batch->longest - 1 : 0; break;
        case 'S': size *= d->spans; break;
        case '+': plus = 1; break;
        default: size *= *p - '0';
        }
    }
    return size + plus;
}

void case_shape(const char *shape, const Dims *d, int *rows, int *cols)
{
    *rows = case_size(shape, d);
    *cols = case_size(strchr(shape, ' ') + 1, d);
}

int case_params(const GradCase *c)
{
    int n = 0;
    while (n < CASE_MAX_PARAMS && c->shape[n]) n++;
    return n;
}

static int *ints(Tape *t, int n) { return tape_host(t, (size_t)n + 1, sizeof(int)); }

/* The function `name` of a row: an op of the parameters p at the sizes d. */
#define OP(name, tensor)                                    \
    static Tensor *name(Tape *t, Tensor **p, const Dims *d) \
    {                                                       \
        (void)d;                                            \
        return tensor;                                      \
    }

/* Numbers without a gradient. */
static Tensor *constant(Tape *t, int rows, int cols)
{
    size_t n = (size_t)rows * (size_t)cols;
    Real *x = tape_host(t, n + 1, sizeof *x);
    for (size_t k = 0; x && k < n; k++) x[k] = (Real)rng_normal(7, k);
    return tape_constant(t, x, rows, cols);
}

/* The sentence of every token. */
static int *sentence_of(Tape *t, const Batch *b)
{
    int *s = ints(t, b->n_tokens);
    for (int k = 0; k < b->n_sent; k++)
        for (int i = b->start[k]; i < b->start[k + 1]; i++) s[i] = k;
    return s;
}

OP(linear, op_linear(t, p[0], p[1], p[2], false))
OP(linear_relu, op_linear(t, p[0], p[1], p[2], true))

static Tensor *linear_views(Tape *t, Tensor **p, const Dims *d)
{
    Tensor *y = tape_new(t, p[0]->rows, d->e);
    for (int k = 0; k < 2; k++)
        if (!op_linear_into(
                t, tape_columns(t, y, k * d->e / 2, d->e / 2), tape_columns(t, p[0], k * d->d / 2, d->d / 2),
                tape_columns(t, tape_rows(t, p[1], k * d->d / 2, d->d / 2), k * d->e / 2, d->e / 2), NULL, false))
            return NULL;
    return y;
}

OP(row_products, op_row_products(t, p[0], p[1]))
OP(relu, op_relu(t, p[0]))
OP(gelu, op_gelu(t, p[0]))
OP(add, op_add(t, p[0], p[1]))

static Tensor *embed(Tape *t, Tensor **p, const Dims *d)
{
    int n = d->batch->n_tokens, *a = ints(t, n), *b = ints(t, n);
    for (int k = 0; k < n; k++) a[k] = k * 5 % 7, b[k] = k % 7;
    EmbedTerm terms[3] = { { p[0], a, 0.3, sentence_of(t, d->batch) },
                           { p[1], b, 0.2, NULL },
                           { p[2], NULL, 0, NULL } };
    return op_embed(t, terms, 3, n, d->d);
}

static Tensor *embed_mean(Tape *t, Tensor **p, const Dims *d)
{
    int n = d->batch->n_tokens, *start = ints(t, n + 1), *item = ints(t, 3 * n); /* 0, 1, 2, 3, 0, 1, ... rows each */
    start[0] = 0;
    for (int k = 0; k < n; k++) start[k + 1] = start[k] + k % 4;
    for (int k = 0; k < start[n]; k++) item[k] = k * 5 % 7;
    return op_embed_mean(t, p[0], start, item, n);
}

OP(dropout, op_dropout(t, p[0], 0.4, sentence_of(t, d->batch)))

static Tensor *gather(Tape *t, Tensor **p, const Dims *d)
{
    int n = d->batch->n_tokens, *a = ints(t, n);
    for (int k = 0; k < n; k++) a[k] = n - 1 - k / 2;
    return op_gather(t, p[0], a, n);
}

OP(norm, op_norm(t, p[0], p[1], p[2], NORM_UNBIASED_STD, 1e-3))
OP(norm_variance, op_norm(t, p[0], p[1], p[2], NORM_VARIANCE, 1e-12))
OP(residual_norm,
   op_residual_norm(t, p[0], p[1], NULL, 0.25, sentence_of(t, d->batch), p[2], p[3], NORM_UNBIASED_STD, 1e-3))

static Tensor *residual_norm_rows(Tape *t, Tensor **p, const Dims *d)
{
    int *s = sentence_of(t, d->batch);
    return op_residual_norm(t, p[0], p[1], s, 0.25, s, p[2], p[3], NORM_UNBIASED_STD, 1e-3);
}

/* Context with one more column: a weighted sum of the attention weights, so that their own gradient is checked, too. */
static Tensor *both(Tape *t, Tensor *ctx, Tensor *probs)
{
    if (!ctx || !probs) return NULL;
    int n = probs->rows * probs->cols, *r = ints(t, n), *c = ints(t, n), *zero = ints(t, ctx->rows);
    Real *w = tape_host(t, (size_t)n + 1, sizeof *w);
    for (int k = 0; k < n; k++) r[k] = k / probs->cols, c[k] = k % probs->cols, w[k] = (Real)((k * 37 % 11) - 5) / 5;
    for (int k = 0; k < ctx->rows; k++) zero[k] = 0;
    Tensor *column = op_gather(t, op_pick(t, probs, r, c, w, n, 0), zero, ctx->rows),
           *z = tape_new(t, ctx->rows, ctx->cols + 1);
    EmbedTerm a = { ctx, NULL, 0, NULL }, b = { column, NULL, 0, NULL };
    if (!z || !op_embed_into(t, tape_columns(t, z, 0, ctx->cols), &a, 1) ||
        !op_embed_into(t, tape_columns(t, z, ctx->cols, 1), &b, 1))
        return NULL;
    return z;
}

static Tensor *attend(Tape *t, Tensor **p, AttentionSpec spec, const Batch *b)
{
    Tensor *probs = NULL, *ctx = op_attention(t, p, &spec, b, &probs);
    return both(t, ctx, probs);
}

/* An attention with one part, with biases by slot and gates. */
static AttentionSpec spec_of(const Dims *d, Tensor *bias, Tensor *gates, const int *slot)
{
    AttentionSpec spec = { .n_heads = d->heads, .n_parts = 1, .scale = 1.3, .dropout = 0.2 };
    spec.bias = bias;
    spec.gates = gates;
    spec.slot_of_head = slot;
    return spec;
}

static Tensor *attention(Tape *t, Tensor **p, const Dims *d)
{
    const AttentionSpec spec = { .n_heads = d->heads, .n_parts = 2, .scale = 1.7, .dropout = 0.2 };
    return attend(t, p, spec, d->batch);
}

/* Two heads with a bias of their own, one without; every head with a gate. */
static Tensor *attention_bias_gates(Tape *t, Tensor **p, const Dims *d)
{
    int *slot = ints(t, d->heads);
    for (int h = 0; h < d->heads; h++) slot[h] = h < 2 ? 1 - h : -1;
    return attend(t, p, spec_of(d, p[1], p[2], slot), d->batch);
}

/* The context alone, so that without a tape there are no attention weights in memory, and one part that needs no
 * gradient. */
static Tensor *attention_alone(Tape *t, Tensor **p, const Dims *d)
{
    int n = d->batch->n_tokens, cols = 3 * d->heads * d->d;
    Real *x = tape_host(t, (size_t)n * (size_t)cols + 1, sizeof *x);
    for (int k = 0; k < n * cols; k++) x[k] = (Real)(k * 7 % 17) / 8 - 1;
    Tensor *parts[] = { tape_constant(t, x, n, cols), p[0] };
    AttentionSpec spec = { .n_heads = d->heads, .n_parts = 2, .scale = 1.7, .dropout = 0.2, .gates = p[1] };
    return op_attention(t, parts, &spec, d->batch, NULL);
}

/* The weights alone, all heads with the same bias. */
static Tensor *attention_probs(Tape *t, Tensor **p, const Dims *d)
{
    int *slot = ints(t, d->heads);
    for (int h = 0; h < d->heads; h++) slot[h] = 0;
    const AttentionSpec spec = spec_of(d, p[1], p[2], slot);
    Tensor *probs = NULL;
    return op_attention(t, p, &spec, d->batch, &probs) ? probs : NULL;
}

/* Four rows of a table for any distance. */
static Tensor *relative_bias(Tape *t, Tensor **p, const Dims *d)
{
    int n = case_size("L", d), *row = ints(t, n);
    for (int k = 0; k < n; k++) row[k] = k * k % 4;
    return op_relative_bias(t, p[0], row, d->batch);
}

OP(relative_logits, op_relative_logits(t, p[0], p[1], p[2], p[3], d->heads, 1.6, d->batch))

/* Every key but one in three, by turns; of two slots, `words` each. */
static AttentionMask some_mask(Tape *t, long words)
{
    uint64_t *bits = tape_host(t, (size_t)(2 * words) + 1, sizeof *bits);
    for (long k = 0; k < 2 * words; k++) bits[k] = k % 5 == 3 ? 0 : 0xdb6db6db6db6db6du >> k % 3;
    return (AttentionMask){ 2, words, bits };
}

/* Two slots, one token in three forbidden in each, for two heads; a third head is fixed. */
static Tensor *attention_mask_fixed(Tape *t, Tensor **p, const Dims *d)
{
    int *slot = ints(t, d->heads), *fixed = ints(t, d->heads);
    const AttentionMask mask = some_mask(t, attention_mask_words(d->batch));
    for (int h = 0; h < d->heads; h++) slot[h] = h < 2 ? 1 - h : -1, fixed[h] = h == 1;
    AttentionSpec spec = spec_of(d, NULL, p[1], NULL);
    spec.mask = &mask;
    spec.mask_of_head = slot;
    spec.fixed = fixed;
    return attend(t, p, spec, d->batch);
}

/* Causal with a mask for two heads, of which one is fixed, and a bias for the third. */
static Tensor *attention_causal(Tape *t, Tensor **p, const Dims *d)
{
    int *slot = ints(t, d->heads), *fixed = ints(t, d->heads), *bias = ints(t, d->heads);
    const AttentionMask mask = some_mask(t, attention_mask_words(d->batch));
    for (int h = 0; h < d->heads; h++) slot[h] = h < 2 ? 1 - h : -1, fixed[h] = h == 1, bias[h] = h < 2 ? -1 : 0;
    AttentionSpec spec = spec_of(d, p[1], p[2], bias);
    spec.mask = &mask;
    spec.mask_of_head = slot;
    spec.fixed = fixed;
    spec.causal = true;
    return attend(t, p, spec, d->batch);
}

/* The plain form, without dropout, of parts. */
static Tensor *attention_causal_parts(Tape *t, Tensor **p, const Dims *d)
{
    const AttentionSpec spec = { .n_heads = d->heads, .n_parts = 2, .scale = 1.7, .causal = true };
    return attend(t, p, spec, d->batch);
}

/* The keys of keys_of. */
static Batch key_batch(Tape *t, const Batch *b)
{
    int *start = ints(t, b->n_sent + 1);
    Batch keys = { .n_sent = b->n_sent, .start = start };
    start[0] = 0;
    for (int k = 0; k < b->n_sent; k++) {
        start[k + 1] = start[k] + keys_of(b, k);
        if (keys_of(b, k) > keys.longest) keys.longest = keys_of(b, k);
    }
    keys.n_tokens = start[b->n_sent];
    return keys;
}

static Tensor *cross_attend(Tape *t, Tensor **p, AttentionSpec spec, const Batch *b)
{
    const Batch keys = key_batch(t, b);
    Tensor *probs = NULL, *ctx = op_cross_attention(t, p[0], p[1], &spec, b, &keys, &probs);
    return both(t, ctx, probs);
}

static Tensor *cross_attention(Tape *t, Tensor **p, const Dims *d)
{
    int *slot = ints(t, d->heads);
    for (int h = 0; h < d->heads; h++) slot[h] = h < 2 ? 1 - h : -1;
    return cross_attend(t, p, spec_of(d, p[2], p[3], slot), d->batch);
}

/* With a mask for two heads, of which one is fixed; causal, without dropout. */
static Tensor *cross_attention_causal(Tape *t, Tensor **p, const Dims *d)
{
    int *slot = ints(t, d->heads), *fixed = ints(t, d->heads);
    const Batch *b = d->batch;
    long words = 0;
    for (int k = 0; k < b->n_sent; k++)
        words += (long)(b->start[k + 1] - b->start[k]) * attention_mask_row(keys_of(b, k));
    const AttentionMask mask = some_mask(t, words);
    for (int h = 0; h < d->heads; h++) slot[h] = h < 2 ? 1 - h : -1, fixed[h] = h == 1;
    AttentionSpec spec = spec_of(d, NULL, p[2], NULL);
    spec.dropout = 0;
    spec.mask = &mask;
    spec.mask_of_head = slot;
    spec.fixed = fixed;
    spec.causal = true;
    return cross_attend(t, p, spec, b);
}

/* The context alone, without weights in memory, of keys and values that need no gradient. */
static Tensor *cross_attention_constant(Tape *t, Tensor **p, const Dims *d)
{
    const Batch keys = key_batch(t, d->batch);
    const AttentionSpec spec = { .n_heads = d->heads, .n_parts = 1, .scale = 1.7 };
    Tensor *kv = constant(t, keys.n_tokens, 2 * d->heads * d->e);
    return op_cross_attention(t, p[0], kv, &spec, d->batch, &keys, NULL);
}

/* A constant bias of -infinity for all keys of the first token of each sentence, and for some pairs of others. */
static Tensor *attention_closed_row(Tape *t, Tensor **p, const Dims *d)
{
    const Batch *b = d->batch;
    int n = pairs(b), *slot = ints(t, d->heads);
    Real *bias = tape_host(t, (size_t)n + 1, sizeof *bias), *at = bias;
    for (int s = 0; s < b->n_sent; s++) {
        int m = b->start[s + 1] - b->start[s];
        for (int k = 0; k < m * m; k++) *at++ = k < m || k % 5 == 3 ? -INFINITY : 0;
    }
    for (int h = 0; h < d->heads; h++) slot[h] = h ? 0 : -1;
    AttentionSpec spec = spec_of(d, tape_constant(t, bias, 1, n), p[1], slot);
    spec.dropout = 0;
    return attend(t, p, spec, b);
}

/* With these draws, gates between 0 and 1 and one that is 0 or 1, far from where they become so. */
static Tensor *hard_concrete(Tape *t, Tensor **p, const Dims *d)
{
    double *u = tape_host(t, (size_t)d->heads, sizeof *u);
    for (int h = 0; h < d->heads; h++) u[h] = 0.3 + 0.2 * (h % 3);
    return op_hard_concrete(t, p[0], u, (HardConcrete){ 0.66, -0.1, 1.1, false });
}

OP(l0_penalty, op_l0_penalty(t, p[0], HARD_CONCRETE_DEFAULT))

/* Sets of keys in memory of the tape: row r has r % 3 of the tokens of its sentence, fewer if it has fewer. */
static GuidanceTargets some_targets(Tape *t, const Batch *b, bool one_row)
{
    int rows = one_row ? b->n_sent : b->n_tokens, r = 0;
    GuidanceTargets s = { .start = ints(t, rows + 1), .key = ints(t, 2 * rows), .rows = rows };
    s.start[0] = 0;
    for (int k = 0; k < b->n_sent; k++) {
        int m = b->start[k + 1] - b->start[k];
        for (int i = 0; i < (one_row ? 1 : m); i++, r++) {
            for (int n = 0; n < r % 3 && n < m; n++) s.key[s.keys++] = (r + n) % m;
            s.start[r + 1] = s.keys;
        }
    }
    return s;
}

/* Two guided heads, one of them twice, under all norms and rules for empty rows, each with its own weight. */
static Tensor *guidance_of(Tape *t, Tensor *probs, const Batch *b, bool one_row)
{
    GuidanceTargets targets = some_targets(t, b, one_row);
    Tensor *terms[9];
    double weight[9];
    for (int k = 0; k < 9; k++) {
        GuidedHead heads[3] = { { 0, &targets, (GuidanceEmptyRow)(k % 3), false },
                                { 2, &targets, (GuidanceEmptyRow)(k % 3), false },
                                { 0, &targets, (GuidanceEmptyRow)((k + 1) % 3), false } };
        terms[k] = guidance_loss(t, probs, one_row, heads, 3, b, (GuidanceNorm)(k / 3), 3);
        weight[k] = (k * 7 % 9) - 3.5;
    }
    return op_weighted_sum(t, terms, weight, 9);
}
OP(guidance, guidance_of(t, p[0], d->batch, false))
OP(guidance_label, guidance_of(t, p[0], d->batch, true))
OP(label_query, op_label_query_into(t, tape_new(t, d->heads, d->d), p[0], p[1]))

static Tensor *label_attention(Tape *t, Tensor **p, const Dims *d)
{
    LabelAttentionSpec spec = { .scale = 1.9, .dropout = 0.2 };
    Tensor *probs = NULL, *z = op_label_attention(t, p[0], p[1], &spec, d->batch, &probs);
    return both(t, z, probs);
}

static Tensor *label_attention_keys(Tape *t, Tensor **p, const Dims *d)
{
    int *slot = ints(t, d->heads), n = d->batch->n_tokens;
    uint64_t *keys = tape_host(t, (size_t)n + 1, sizeof *keys);
    for (int h = 0; h < d->heads; h++) slot[h] = h % 3 - 1;
    for (int k = 0; k < n; k++) keys[k] = (uint64_t)(k % 4);
    LabelAttentionSpec spec = { .scale = 1.9, .dropout = 0.2, .keys = keys, .keys_of_head = slot };
    Tensor *probs = NULL, *z = op_label_attention(t, p[0], p[1], &spec, d->batch, &probs);
    return both(t, z, probs);
}

OP(head_dots, op_head_dots(t, p[0], p[1], d->heads, 0.7))
OP(phrase_sums, op_phrase_sums(t, p[0], p[1], 0.3, d->batch))
OP(scale_rows, op_scale_rows(t, p[0], p[1]))
OP(head_linear, op_head_linear_into(t, tape_new(t, p[0]->rows, d->e), p[0], p[1], d->heads))

static Tensor *label_norm_of(Tape *t, Tensor **p, const Dims *d, int heads)
{
    int *s = sentence_of(t, d->batch);
    for (int k = 0; k < d->batch->n_tokens; k++) s[k] *= heads;
    return op_label_norm(t, p[0], p[1], s, heads, p[2], p[3], 1e-3);
}
OP(label_norm, label_norm_of(t, p, d, d->heads))
OP(label_norm_many, label_norm_of(t, p, d, 3 * d->heads))

/* Each token has rows of its own. */
static Tensor *label_norm_tokens(Tape *t, Tensor **p, const Dims *d)
{
    int *first = ints(t, d->batch->n_tokens);
    for (int k = 0; k < d->batch->n_tokens; k++) first[k] = k * d->heads;
    return op_label_norm(t, p[0], p[1], first, d->heads, p[2], p[3], 1e-3);
}

OP(split_heads, op_split_heads(t, p[0], d->heads, 2))
OP(join_heads, op_join_heads(t, p[0], d->heads, 2))

static Tensor *fenceposts(Tape *t, Tensor **p, const Dims *d)
{
    int *source = ints(t, d->d);
    for (int k = 0; k < d->d; k++) source[k] = k < d->d / 2 ? 2 * k : 2 * (k - d->d / 2) + 1;
    return op_fenceposts(t, p[0], source, d->batch);
}

/* Spans over neighbouring rows; none when there are not two rows. */
OP(between, op_between(t, p[0], p[1], p[2], d->batch))

static Tensor *span_diff(Tape *t, Tensor **p, const Dims *d)
{
    int n = d->spans, rows = p[0]->rows, *s = ints(t, 2 * n);
    if (rows < 2) n = 0;
    for (int k = 0; k < n; k++) {
        s[2 * k] = k * 3 % (rows - 1);
        s[2 * k + 1] = s[2 * k] + 1 + k % (rows - 1 - s[2 * k]);
    }
    return op_span_diff(t, p[0], s, n, p[1]);
}

/* Many spans from few rows, of columns of a wider matrix; no bias. */
static Tensor *span_diff_view(Tape *t, Tensor **p, const Dims *d)
{
    int n = 5 * d->spans, rows = p[0]->rows, *s = ints(t, 2 * n);
    if (rows < 2) n = 0;
    for (int k = 0; k < n; k++) {
        s[2 * k] = k % 3 ? 0 : k % (rows - 1);
        s[2 * k + 1] = rows - 1;
    }
    return op_span_diff(t, tape_columns(t, op_relu(t, p[0]), d->d / 2, d->d), s, n, NULL);
}

OP(arc_scores, op_arc_scores(t, p[0], p[1], p[2], d->batch))

static Tensor *arc_scores_views(Tape *t, Tensor **p, const Dims *d)
{
    Tensor *both = op_relu(t, p[0]); /* parameters have no views */
    return op_arc_scores(t, tape_columns(t, both, 0, d->d + 1), tape_columns(t, both, d->d + 1, d->d),
                         constant(t, 1, d->d + 1), d->batch);
}

OP(arc_scores_heads, op_arc_scores(t, p[0], constant(t, p[0]->rows, d->d), p[1], d->batch))
OP(arc_scores_dependents, op_arc_scores(t, constant(t, p[0]->rows, d->d + 1), p[0], p[1], d->batch))
OP(bilinear, op_bilinear(t, p[0], p[1], p[2], d->types))

/* Ragged rows that do not begin at a column of their own; one in five is skipped. */
static Tensor *cross_entropy_of(Tape *t, Tensor *x, double smoothing, Tensor **nll)
{
    int n = x->rows, *len = ints(t, n), *gold = ints(t, n);
    long *row = tape_host(t, (size_t)n + 1, sizeof *row);
    for (int k = 0; k < n; k++) {
        row[k] = (long)k * x->cols + (k % 2);
        len[k] = x->cols - (x->cols > 3 ? k % 3 : 0) - 1;
        gold[k] = k % 5 == 4 ? -1 : k % len[k];
    }
    return op_smoothed_cross_entropy(t, x, row, len, gold, n, smoothing, nll);
}
OP(cross_entropy, cross_entropy_of(t, p[0], 0, NULL))

static Tensor *cross_entropy_smoothed(Tape *t, Tensor **p, const Dims *d)
{
    Tensor *nll = NULL, *loss = cross_entropy_of(t, p[0], 0.1, &nll);
    (void)d;
    return nll && !nll->needs_grad ? loss : NULL;
}

static Tensor *soft_cross_entropy(Tape *t, Tensor **p, const Dims *d)
{
    int n = p[0]->rows, k = 0, *len = ints(t, n), *first = ints(t, n), *index = ints(t, 3 * n);
    long *row = tape_host(t, (size_t)n + 1, sizeof *row);
    Real *weight = tape_host(t, 3 * (size_t)n + 1, sizeof *weight);
    (void)d;
    first[0] = 0;
    for (int r = 0; r < n; r++) {
        row[r] = (long)r * p[0]->cols + (r % 2);
        len[r] = p[0]->cols - (p[0]->cols > 2 ? r % 2 : 0) - 1;
        for (int v = 0; v < r % 4 && v < len[r]; v++) {
            index[k] = (r + v % 2) % len[r]; /* the third one is the first again */
            weight[k++] = (Real)(0.5 / (1 + v));
        }
        first[r + 1] = k;
    }
    return op_soft_cross_entropy(t, p[0], row, len, first, index, weight, n);
}

static Tensor *logistic_loss(Tape *t, Tensor **p, const Dims *d)
{
    int n = p[0]->rows, *row = ints(t, n), *label = ints(t, n);
    (void)d;
    for (int k = 0; k < n; k++) row[k] = k * 2 % n, label[k] = k % 3 == 0;
    return op_logistic_loss(t, p[0], row, label, n);
}

static Tensor *pick(Tape *t, Tensor **p, const Dims *d)
{
    int n = p[0]->rows, *r = ints(t, n), *c = ints(t, n);
    Real *w = tape_host(t, (size_t)n + 1, sizeof *w);
    for (int k = 0; k < n; k++) r[k] = k / 2, c[k] = k % d->d, w[k] = (Real)(k % 3) - 1;
    return op_pick(t, p[0], r, c, w, n, 3);
}

static Tensor *weighted_sum(Tape *t, Tensor **p, const Dims *d)
{
    Tensor *a = cross_entropy(t, p, d), *b = pick(t, p, d), *terms[3] = { a, b, a };
    double w[3] = { 0.5, -2, 0.75 };
    return op_weighted_sum(t, terms, w, 3);
}

/* Recurrent weights as small as those of models: with larger ones a rounding error grows from step to step. */
static Tensor *recurrent(Tape *t, Tensor *w)
{
    static const Real tenth = (Real)0.1;
    return op_scale_rows(t, w, tape_constant(t, &tenth, 1, 1));
}

static Tensor *lstm_of(Tape *t, Tensor **p, const Dims *d, bool reversed)
{
    Tensor *w = recurrent(t, p[2]);
    return op_lstm(t, NULL, p[0], d->batch->start, d->batch->n_sent, reversed, p[1], w, p[3], p[4]);
}
OP(lstm, lstm_of(t, p, d, false))
OP(lstm_reversed, lstm_of(t, p, d, true))

/* Sequences of 0 to 6 steps, both directions side by side. */
static Tensor *lstm_spellings(Tape *t, Tensor **p, const Dims *d)
{
    int tokens = d->batch->n_tokens, n = 0, *start = ints(t, 2 * tokens + 1);
    for (start[0] = 0; start[n] < tokens; n++) {
        int length = n * 5 % 7;
        start[n + 1] = start[n] + length < tokens ? start[n] + length : tokens;
    }
    Tensor *x = constant(t, tokens, d->e), *y = tape_new(t, n, 2 * d->d), *other = constant(t, 1, 4 * d->d);
    Tensor *w = recurrent(t, p[1]);
    for (int r = 0; r < 2; r++)
        if (!op_lstm(t, tape_columns(t, y, r * d->d, d->d), x, start, n, r == 1, p[0], w, p[2], other)) return NULL;
    return y;
}

/* Inputs and the step before have a gradient, weights have none. */
static Tensor *lstm_constant_weights(Tape *t, Tensor **p, const Dims *d)
{
    int h = d->e;
    return op_lstm(t, NULL, p[0], d->batch->start, d->batch->n_sent, false, constant(t, d->d, 4 * h),
                   recurrent(t, constant(t, h, 4 * h)), constant(t, 1, 4 * h), constant(t, 1, 4 * h));
}

const GradCase GRAD_CASES[] = {
    { "linear", { "T D", "D E", "1 E" }, linear },
    { "linear_relu", { "T D", "D E", "1 E" }, linear_relu },
    { "linear_views", { "T D", "D E" }, linear_views },
    { "row_products", { "T D", "E D" }, row_products },
    { "relu", { "T D" }, relu },
    { "gelu", { "T D" }, gelu },
    { "add", { "T D", "T D" }, add },
    { "embed", { "7 D", "7 D", "T D" }, embed },
    { "embed_mean", { "7 D" }, embed_mean },
    { "dropout", { "T D" }, dropout },
    { "gather", { "T D" }, gather },
    { "norm", { "T D", "1 D", "1 D" }, norm },
    { "norm_variance", { "T D", "1 D", "1 D" }, norm_variance },
    { "residual_norm", { "T D", "T D", "1 D", "1 D" }, residual_norm },
    { "residual_norm_rows", { "T D", "B D", "1 D", "1 D" }, residual_norm_rows },
    { "attention", { "T 3HE", "T 3HD" }, attention },
    { "attention_bias_gates", { "T 3HE", "2 P", "1 H" }, attention_bias_gates },
    { "attention_alone", { "T 3HE", "1 H" }, attention_alone },
    { "attention_probs", { "T 3HE", "1 P", "1 H" }, attention_probs },
    { "relative_bias", { "4 H" }, relative_bias },
    { "relative_logits", { "T 3HE", "L HE", "1 HE", "1 HE" }, relative_logits },
    { "attention_mask_fixed", { "T 3HE", "1 H" }, attention_mask_fixed },
    { "attention_closed_row", { "T 3HE", "1 H" }, attention_closed_row },
    { "attention_causal", { "T 3HE", "1 P", "1 H" }, attention_causal },
    { "attention_causal_parts", { "T 3HE", "T 3HD" }, attention_causal_parts },
    { "cross_attention", { "T HE", "K 2HE", "2 C", "1 H" }, cross_attention },
    { "cross_attention_causal", { "T HE", "K 2HE", "1 H" }, cross_attention_causal },
    { "cross_attention_constant", { "T HE" }, cross_attention_constant },
    { "attention_guidance", { "H P" }, guidance },
    { "attention_guidance_label", { "T H" }, guidance_label },
    { "hard_concrete", { "1 H" }, hard_concrete },
    { "l0_penalty", { "1 H" }, l0_penalty },
    { "label_query", { "HD E", "H E" }, label_query },
    { "label_attention", { "T D", "H D" }, label_attention },
    { "head_dots", { "T 3H", "T 3H" }, head_dots },
    { "phrase_sums", { "T H", "T 3H" }, phrase_sums },
    { "label_attention_keys", { "T D", "H D" }, label_attention_keys },
    { "scale_rows", { "T D", "1 H" }, scale_rows },
    { "head_linear", { "BH D", "HD E" }, head_linear },
    { "label_norm", { "T E", "BH E", "1 E", "1 E" }, label_norm },
    { "label_norm_many", { "T E", "3BH E", "1 E", "1 E" }, label_norm_many },
    { "label_norm_tokens", { "T E", "TH E", "1 E", "1 E" }, label_norm_tokens },
    { "label_norm_wide", { "T D", "BH D", "1 D", "1 D" }, label_norm },
    { "split_heads", { "T 2HE" }, split_heads },
    { "join_heads", { "TH 2E" }, join_heads },
    { "fenceposts", { "T D" }, fenceposts },
    { "between", { "F D", "F 2D", "F 2D" }, between },
    { "span_diff", { "F D", "1 D" }, span_diff },
    { "span_diff_view", { "F 2D" }, span_diff_view },
    { "arc_scores", { "F D+", "F D", "1 D+" }, arc_scores },
    { "arc_scores_views", { "F 2D+" }, arc_scores_views },
    { "arc_scores_heads", { "F D+", "1 D+" }, arc_scores_heads },
    { "arc_scores_dependents", { "F D", "1 D+" }, arc_scores_dependents },
    { "bilinear", { "F E", "F E", "E YE" }, bilinear },
    { "cross_entropy", { "T D" }, cross_entropy },
    { "cross_entropy_smoothed", { "T D" }, cross_entropy_smoothed },
    { "soft_cross_entropy", { "T D" }, soft_cross_entropy },
    { "logistic_loss", { "T 1" }, logistic_loss },
    { "pick", { "T D" }, pick },
    { "weighted_sum", { "T D" }, weighted_sum },
    { "lstm", { "T D", "D 4E", "E 4E", "1 4E", "1 4E" }, lstm },
    { "lstm_reversed", { "T D", "D 4E", "E 4E", "1 4E", "1 4E" }, lstm_reversed },
    { "lstm_spellings", { "E 4D", "D 4D", "1 4D" }, lstm_spellings },
    { "lstm_constant_weights", { "T D" }, lstm_constant_weights },
    { NULL, { NULL }, NULL },
};
