/* Relevance by layer-wise rules (tensor/share.h) of small networks, against the rule as it is written: every op is a
 * function in double, whose Jacobian is taken by differences. */
#include <math.h>

#include "base/rng.h"
#include "tensor/ops.h"
#include "tensor/share.h"
#include "tests/support/check.h"

enum { MOST = 64 };

/* y = f(x). */
typedef void Function(const void *context, const double *x, double *y);

/* What the inputs x [n] of a function with m outputs get of r [m], added to out. Literally: impacts J x + f(0) / n,
 * positive and negative ones divided by their sums, half and half, then rescaled. */
static void share(Function *f, const void *context, const double *x, int n, const double *r, int m, double *out)
{
    double zero[MOST] = { 0 }, bias[MOST], fresh[MOST] = { 0 }, before = 0, after = 0;
    static double impact[MOST][MOST];
    assert_true(n <= MOST && m <= MOST);
    f(context, zero, bias);
    for (int i = 0; i < n; i++) {
        double moved[MOST], up[MOST], down[MOST], step = 1e-5;
        memcpy(moved, x, (size_t)n * sizeof *x);
        moved[i] = x[i] + step;
        f(context, moved, up);
        moved[i] = x[i] - step;
        f(context, moved, down);
        for (int j = 0; j < m; j++) impact[j][i] = (up[j] - down[j]) / (2 * step) * x[i] + bias[j] / n;
    }
    for (int j = 0; j < m; j++) {
        double positive = 1e-5, negative = -1e-5;
        for (int i = 0; i < n; i++) *(impact[j][i] > 0 ? &positive : &negative) += impact[j][i];
        for (int i = 0; i < n; i++) fresh[i] += r[j] * 0.5 * impact[j][i] / (impact[j][i] > 0 ? positive : negative);
        before += fabs(r[j]);
    }
    for (int i = 0; i < n; i++) after += fabs(fresh[i]);
    for (int i = 0; i < n && after > 0; i++) out[i] += fresh[i] * before / after;
}

/* Joins what a second reader gives, `more`, to `r`, and keeps the absolute sum of both. */
static void join(double *r, const double *more, int n)
{
    double apart = 0, after = 0;
    for (int i = 0; i < n; i++) apart += fabs(r[i]) + fabs(more[i]);
    for (int i = 0; i < n; i++) after += fabs(r[i] += more[i]);
    for (int i = 0; i < n; i++) r[i] *= apart / after;
}

static void draw(Real *x, int n, uint64_t seed)
{
    for (int i = 0; i < n; i++) x[i] = (Real)rng_normal(rng_key(seed, 7, 0, 0), (uint64_t)i);
}

/* ---- a layer of a Transformer, and spans */

enum { TOKENS = 5, D = 6, FF = 7, HEADS = 2, W = 3, ALL = HEADS * W, OUT = 4, SPANS = 3 };
static const int START[] = { 0, 3, TOKENS }, SPAN[2 * SPANS] = { 0, 2, 1, 2, 3, 4 };
static const Batch BATCH = { 2, START, TOKENS, 3 };

typedef struct Linear {
    int in, out;
    Real w[MOST * MOST], b[MOST];
} Linear;

typedef struct Norm {
    int n;
    NormKind kind;
    double eps;
    Real a[D], b[D];
} Norm;

static void linear(const void *context, const double *x, double *y)
{
    const Linear *l = context;
    for (int j = 0; j < l->out; j++) {
        y[j] = (double)l->b[j];
        for (int i = 0; i < l->in; i++) y[j] += x[i] * (double)l->w[i * l->out + j];
    }
}

static void norm(const void *context, const double *x, double *y)
{
    const Norm *o = context;
    double mean = 0, squares = 0;
    for (int j = 0; j < o->n; j++) mean += x[j] / o->n;
    for (int j = 0; j < o->n; j++) squares += (x[j] - mean) * (x[j] - mean);
    double divisor = o->kind == NORM_VARIANCE ? sqrt(squares / o->n + o->eps) : sqrt(squares / (o->n - 1)) + o->eps;
    for (int j = 0; j < o->n; j++) y[j] = (x[j] - mean) / divisor * (double)o->a[j] + (double)o->b[j];
}

/* The terms of a sum, one after the other; context: how many columns. */
static void sum(const void *context, const double *x, double *y)
{
    int n = *(const int *)context;
    for (int j = 0; j < n; j++) y[j] = x[j] + x[n + j];
}

/* A head in a sentence of n tokens: queries, keys, values, [n, W] each. */
static void attention(const void *context, const double *x, double *y)
{
    int n = *(const int *)context;
    const double *q = x, *k = x + n * W, *v = x + 2 * n * W;
    for (int i = 0; i < n; i++) {
        double p[TOKENS], all = 0;
        for (int j = 0; j < n; j++) {
            double logit = 0;
            for (int a = 0; a < W; a++) logit += q[i * W + a] * k[j * W + a];
            all += p[j] = exp(logit / 1.5);
        }
        for (int c = 0; c < W; c++) {
            y[i * W + c] = 0;
            for (int j = 0; j < n; j++) y[i * W + c] += p[j] / all * v[j * W + c];
        }
    }
}

typedef struct Layer {
    Linear up, down, qkv, proj, last;
    Norm first, second;
    Real x[TOKENS * D], bias[OUT];
    double a[TOKENS][D], hidden[TOKENS][FF], u[TOKENS][D], qkvs[TOKENS][3 * ALL], ctx[TOKENS][ALL], z[TOKENS][D],
        y[TOKENS][D], g[TOKENS][D], f[TOKENS][OUT], spans[SPANS][OUT];
} Layer;

static void draw_linear(Linear *l, int in, int out, uint64_t seed)
{
    l->in = in;
    l->out = out;
    draw(l->w, in * out, seed);
    draw(l->b, out, seed + 100);
}

static void draw_norm(Norm *n, int cols, NormKind kind, double eps, uint64_t seed)
{
    *n = (Norm){ .n = cols, .kind = kind, .eps = eps };
    draw(n->a, cols, seed);
    draw(n->b, cols, seed + 100);
}

static Tensor *constant(Tape *t, const Real *x, int rows, int cols) { return tape_constant(t, x, rows, cols); }

static Tensor *apply(Tape *t, Tensor *x, const Linear *l, bool relu)
{
    return op_linear(t, x, constant(t, l->w, l->in, l->out), constant(t, l->b, 1, l->out), relu);
}

static Tensor *residual(Tape *t, Tensor *x, Tensor *z, const Norm *n)
{
    return op_residual_norm(t, x, z, NULL, 0, NULL, constant(t, n->a, 1, n->n), constant(t, n->b, 1, n->n), n->kind,
                            n->eps);
}

static void copy(const Tape *t, const Tensor *x, double *out)
{
    const Real *values = tensor_numbers((Tape *)(uintptr_t)t, x);
    for (size_t i = 0; i < tensor_size(x); i++) out[i] = (double)values[i];
}

/* x c of a kept tensor against r. */
static void assert_relevance(Tape *t, const Tensor *x, const double *r)
{
    double largest = 0, tolerance = sizeof(Real) == sizeof(double) ? 1e-6 : 2e-4;
    HostMatrix value = tensor_host(t, x, &t->host), c = tensor_host_grad(t, x, &t->host);
    assert_non_null(c.data);
    for (int i = 0; i < x->rows * x->cols; i++) largest = fmax(largest, fabs(r[i]));
    assert_true(largest > 0);
    for (int i = 0; i < x->rows; i++)
        for (int j = 0; j < x->cols; j++)
            assert_within((double)host_row(&value, i)[j] * (double)host_row(&c, i)[j], r[i * x->cols + j],
                          tolerance * largest);
}

static double total(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(x[i]);
    return sum;
}

/* The terms `first` and `second` [D] of a norm of their sum get r. */
static void share_residual(const Norm *n, const double *first, const double *second, const double *r, double *to_first,
                           double *to_second)
{
    double both[2 * D], before[D], middle[D] = { 0 }, out[2 * D] = { 0 };
    for (int j = 0; j < D; j++) both[j] = first[j], both[D + j] = second[j], before[j] = first[j] + second[j];
    share(norm, n, before, D, r, D, middle);
    share(sum, &(int){ D }, both, 2 * D, middle, D, out);
    memcpy(to_first, out, D * sizeof *out);
    memcpy(to_second, out + D, D * sizeof *out);
}

/* f gets r of the span features: two inputs and a bias in each column; a row is rescaled as a whole. */
static void share_spans(const Layer *l, double r[SPANS][OUT], double out[TOKENS][OUT])
{
    for (int s = 0; s < SPANS; s++) {
        double fresh[2][OUT], after = 0;
        for (int c = 0; c < OUT; c++) {
            double z[2] = { -l->f[SPAN[2 * s]][c] + (double)l->bias[c] / 2,
                            l->f[SPAN[2 * s + 1]][c] + (double)l->bias[c] / 2 },
                   positive = 1e-5, negative = -1e-5;
            for (int k = 0; k < 2; k++) *(z[k] > 0 ? &positive : &negative) += z[k];
            for (int k = 0; k < 2; k++)
                after += fabs(fresh[k][c] = r[s][c] * 0.5 * z[k] / (z[k] > 0 ? positive : negative));
        }
        for (int k = 0; k < 2; k++)
            for (int c = 0; c < OUT && after > 0; c++)
                out[SPAN[2 * s + k]][c] += fresh[k][c] * total(r[s], OUT) / after;
    }
}

/* Head h of sentence s: what queries, keys and values get of the relevance of the contexts. */
static void share_head(const Layer *l, int s, int h, double r[TOKENS][ALL], double out[TOKENS][3 * ALL])
{
    int n = START[s + 1] - START[s];
    double x[MOST], given[MOST], got[MOST] = { 0 };
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++)
            for (int a = 0; a < W; a++) x[(k * n + i) * W + a] = l->qkvs[START[s] + i][k * ALL + h * W + a];
    for (int i = 0; i < n; i++)
        for (int a = 0; a < W; a++) given[i * W + a] = r[START[s] + i][h * W + a];
    share(attention, &n, x, 3 * n * W, given, n * W, got);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++)
            for (int a = 0; a < W; a++) out[START[s] + i][k * ALL + h * W + a] = got[(k * n + i) * W + a];
}

/* Fills r_x, r_ctx with the relevance of the input and of the contexts for the picked scores. */
static void plain(const Layer *l, double score, double r_x[TOKENS][D], double r_ctx[TOKENS][ALL])
{
    double spans[SPANS][OUT] = { { 0 } }, f[TOKENS][OUT] = { { 0 } }, y[TOKENS][D] = { { 0 } }, a[TOKENS][D],
           z[TOKENS][D], more[TOKENS][D] = { { 0 } }, qkv[TOKENS][3 * ALL] = { { 0 } }, u[TOKENS][D],
           hidden[TOKENS][FF] = { { 0 } };
    double picked = fabs(l->spans[0][1]) + fabs(l->spans[2][3]);
    spans[0][1] = l->spans[0][1] * fabs(score) / picked;
    spans[2][3] = l->spans[2][3] * fabs(score) / picked;
    share_spans(l, spans, f);
    double whole = total(spans[0], SPANS * OUT) / total(f[0], TOKENS * OUT); /* fencepost 2 gets of two spans */
    for (int i = 0; i < TOKENS * OUT; i++) f[i / OUT][i % OUT] *= whole;
    for (int t = 0; t < TOKENS; t++) {
        share(linear, &l->last, l->g[t], D, f[t], OUT, y[t]); /* and through the GELU */
        share_residual(&l->second, l->a[t], l->z[t], y[t], a[t], z[t]);
        memset(r_ctx[t], 0, sizeof r_ctx[t]);
        share(linear, &l->proj, l->ctx[t], ALL, z[t], D, r_ctx[t]);
    }
    for (int s = 0; s < 2; s++)
        for (int h = 0; h < HEADS; h++) share_head(l, s, h, r_ctx, qkv);
    for (int t = 0; t < TOKENS; t++) share(linear, &l->qkv, l->a[t], D, qkv[t], 3 * ALL, more[t]);
    join(a[0], more[0], TOKENS * D);
    memset(more, 0, sizeof more);
    for (int t = 0; t < TOKENS; t++) {
        double x[D];
        for (int j = 0; j < D; j++) x[j] = (double)l->x[t * D + j];
        share_residual(&l->first, x, l->u[t], a[t], r_x[t], u[t]);
        share(linear, &l->down, l->hidden[t], FF, u[t], D, hidden[t]);
        share(linear, &l->up, x, D, hidden[t], FF, more[t]); /* through the ReLU */
    }
    join(r_x[0], more[0], TOKENS * D);
}

TEST(relevance_by_rules_is_that_of_plain_loops)
{
    static Layer l;
    static const int rows[] = { 0, 2 }, columns[] = { 1, 3 };
    static const Real ones[] = { 1, 1 };
    for (uint64_t seed = 0; seed < 4; seed++) {
        Tape t;
        tape_init(&t, device_cpu());
        tape_reset(&t, true, false, 0);
        draw(l.x, TOKENS * D, 1000 + seed);
        draw(l.bias, OUT, 1100 + seed);
        draw_linear(&l.up, D, FF, 10 + seed);
        draw_linear(&l.down, FF, D, 20 + seed);
        draw_linear(&l.qkv, D, 3 * ALL, 30 + seed);
        draw_linear(&l.proj, ALL, D, 40 + seed);
        draw_linear(&l.last, D, OUT, 50 + seed);
        draw_norm(&l.first, D, NORM_VARIANCE, 1e-5, 60 + seed);
        draw_norm(&l.second, D, NORM_UNBIASED_STD, 1e-3, 70 + seed);
        const AttentionSpec spec = { .n_heads = HEADS, .n_parts = 1, .scale = 1.5 };
        Tensor *x = tape_wrap(&t, l.x, NULL, TOKENS, D, true), *hidden = apply(&t, x, &l.up, true),
               *u = apply(&t, hidden, &l.down, false), *a = residual(&t, x, u, &l.first),
               *qkv = apply(&t, a, &l.qkv, false), *ctx = op_attention(&t, &qkv, &spec, &BATCH, NULL),
               *z = apply(&t, ctx, &l.proj, false), *y = residual(&t, a, z, &l.second), *g = op_gelu(&t, y),
               *f = apply(&t, g, &l.last, false),
               *spans = op_span_diff(&t, f, SPAN, SPANS, constant(&t, l.bias, 1, OUT)),
               *score = op_pick(&t, spans, rows, columns, ones, 2, 0);
        if (!score) fail_msg("%s", t.error.message);
        copy(&t, hidden, l.hidden[0]), copy(&t, u, l.u[0]), copy(&t, a, l.a[0]), copy(&t, qkv, l.qkvs[0]);
        copy(&t, ctx, l.ctx[0]), copy(&t, z, l.z[0]), copy(&t, g, l.g[0]), copy(&t, f, l.f[0]);
        copy(&t, spans, l.spans[0]);
        double r_x[TOKENS][D] = { { 0 } }, r_ctx[TOKENS][ALL], s = tape_number(&t, score);
        plain(&l, s, r_x, r_ctx);
        Tensor *keep[] = { x, ctx };
        assert_int_equal(share_relevance(&t, score, keep, 2, NULL), OK);
        assert_relevance(&t, ctx, r_ctx[0]);
        assert_relevance(&t, x, r_x[0]);
        assert_within(total(r_x[0], TOKENS * D), fabs(s), 1e-4 * fabs(s)); /* the score's absolute sum */
        tape_fini(&t);
    }
}

/* ---- label heads */

enum { LABELS = 3, P = 4 };

typedef struct Label {
    Real x[TOKENS * D], u[LABELS * D], m[LABELS * D * P], r[D * P], values[TOKENS * LABELS * 2];
    Norm norm;
    double p[TOKENS][LABELS];
} Label;

typedef struct Mean {
    const double (*p)[LABELS];
    int from, n;
} Mean;

/* The means of a sentence's tokens [n, D] by all heads: [LABELS, D]. */
static void means(const void *context, const double *x, double *y)
{
    const Mean *o = context;
    for (int h = 0; h < LABELS; h++)
        for (int c = 0; c < D; c++) {
            y[h * D + c] = 0;
            for (int i = 0; i < o->n; i++) y[h * D + c] += o->p[o->from + i][h] * x[i * D + c];
        }
}

TEST(label_heads_share_by_the_same_rule)
{
    static Label l;
    static const int first[TOKENS] = { 0, 0, 0, LABELS, LABELS };
    const LabelAttentionSpec spec = { .scale = 2 };
    Tape t;
    tape_init(&t, device_cpu());
    tape_reset(&t, true, false, 0);
    draw(l.x, TOKENS * D, 1), draw(l.u, LABELS * D, 2), draw(l.m, LABELS * D * P, 3), draw(l.r, D * P, 4);
    draw_norm(&l.norm, P, NORM_UNBIASED_STD, 1e-3, 5);
    Tensor *x = tape_wrap(&t, l.x, NULL, TOKENS, D, true), *own = tape_wrap(&t, l.x, NULL, TOKENS, D, true), *probs,
           *z = op_label_attention(&t, x, constant(&t, l.u, LABELS, D), &spec, &BATCH, &probs),
           *delta = op_head_linear_into(&t, tape_new(&t, 2 * LABELS, P), z, constant(&t, l.m, LABELS * D, P), LABELS),
           *r = op_linear(&t, own, constant(&t, l.r, D, P), NULL, false),
           *y = op_label_norm(&t, r, delta, first, LABELS, constant(&t, l.norm.a, 1, P), constant(&t, l.norm.b, 1, P),
                              l.norm.eps);
    Tensor *score = op_pick(&t, y, (const int[]){ 1 }, (const int[]){ P + 2 }, (const Real[]){ 1 }, 1, 0);
    if (!score) fail_msg("%s", t.error.message);
    double rows[TOKENS][P], deltas[2 * LABELS][P], zs[2 * LABELS][D], before[P], both[2 * P],
        given[P] = { 0 }, middle[P] = { 0 }, out[2 * P] = { 0 }, to_z[LABELS * D] = { 0 }, to_x[TOKENS * D] = { 0 };
    copy(&t, probs, l.p[0]), copy(&t, r, rows[0]), copy(&t, delta, deltas[0]), copy(&t, z, zs[0]);
    given[2] = tape_number(&t, score);
    for (int j = 0; j < P; j++) /* head 1 at token 1, of the first sentence */
        both[j] = rows[1][j], both[P + j] = deltas[1][j], before[j] = both[j] + both[P + j];
    share(norm, &l.norm, before, P, given, P, middle);
    share(sum, &(int){ P }, both, 2 * P, middle, P, out);
    static Linear head;
    head.in = D;
    head.out = P;
    memcpy(head.w, l.m + D * P, sizeof(Real) * D * P);
    share(linear, &head, zs[1], D, out + P, P, to_z + D);
    double tokens[3 * D];
    for (int i = 0; i < 3 * D; i++) tokens[i] = (double)l.x[i];
    share(means, &(Mean){ (const double(*)[LABELS])l.p, 0, 3 }, tokens, 3 * D, to_z, LABELS * D, to_x);
    Tensor *keep[] = { x, own };
    assert_int_equal(share_relevance(&t, score, keep, 2, NULL), OK);
    assert_relevance(&t, x, to_x);
    tape_fini(&t);
}
