/* Self-attention and feed-forward with biases, the usual norm and GELU (BERT's layers,
 * Devlin et al. 2019) against plain loops in double. The partitioned form is checked by tests/golden. */
#include "base/rng.h"
#include "lal/transformer.h"
#include "tests/support/check.h"
#include "tests/support/checking_device.h"

enum { D = 12, HEADS = 3, W = 4, FF = 10, TOKENS = 9 };
static const int START[] = { 0, 2, TOKENS };
static const LayerOptions BERT = { { NORM_VARIANCE, 1e-12 }, ACTIVATION_GELU, true };

typedef struct Layers {
    ParamSet ps;
    SelfAttention sa;
    FeedForward ff;
    Tape t;
    Real x[TOKENS * D]; /* the input */
    Tensor *in, *y;     /* between the layers, and the output */
} Layers;

static void layers_init(Layers *l)
{
    params_init(&l->ps);
    assert_ok(self_attention_declare(&l->sa, &l->ps, "sa", D, HEADS, W, 1, BERT, test_error()));
    assert_ok(feed_forward_declare(&l->ff, &l->ps, "ff", D, FF, 1, 0, BERT, test_error()));
    assert_ok(params_finish(&l->ps, test_error()));
    for (int k = 0; k < l->ps.n; k++) param_init_normal(&l->ps, k, 0.5, 3);
    assert_ok(params_upload(&l->ps, test_device(), test_error()));
    for (int i = 0; i < TOKENS * D; i++) l->x[i] = (Real)rng_normal(8, (uint64_t)i);
    tape_init(&l->t, test_device());
}

static void layers_fini(Layers *l)
{
    tape_fini(&l->t);
    params_fini(&l->ps);
}

static void layers_run(Layers *l, bool record)
{
    static const int sentence_of[TOKENS] = { 0, 0, 1, 1, 1, 1, 1, 1, 1 };
    static const Batch b = { 2, START, TOKENS, TOKENS - 2 };
    const Dropouts none = { 0, 0, 0 };
    tape_reset(&l->t, record, false, 0);
    Forward f = { &l->t, &l->ps, NULL, &b, sentence_of, false };
    l->in = self_attention_forward(&f, &l->sa, tape_constant(&l->t, l->x, TOKENS, D), NULL, 2, none, NULL, NULL);
    l->y = feed_forward_forward(&f, &l->ff, l->in, NULL, none, sentence_of, NULL);
    if (!l->y) fail_msg("%s", l->t.error.message);
}

static double weight(const Layers *l, int k, int i) { return (double)param_values(&l->ps, k)[i]; }

/* out = x w + b for one row. */
static void linear(const Layers *l, int w, int b, const double *x, int in, int n, double *out)
{
    for (int j = 0; j < n; j++) {
        out[j] = weight(l, b, j);
        for (int i = 0; i < in; i++) out[j] += x[i] * weight(l, w, i * n + j);
    }
}

static void norm(const Layers *l, const Norm *n, double *x)
{
    double mean = 0, var = 0;
    for (int j = 0; j < D; j++) mean += x[j] / D;
    for (int j = 0; j < D; j++) var += (x[j] - mean) * (x[j] - mean) / D;
    for (int j = 0; j < D; j++) x[j] = (x[j] - mean) / sqrt(var + 1e-12) * weight(l, n->a, j) + weight(l, n->b, j);
}

/* Token t of the sentence from .. to - 1, with the queries, keys and values of all tokens. */
static void attend(double qkv[][3 * HEADS * W], int from, int to, int t, double scale, double *ctx)
{
    for (int h = 0; h < HEADS; h++) {
        double p[TOKENS], sum = 0;
        for (int u = from; u < to; u++) {
            double logit = 0;
            for (int a = 0; a < W; a++) logit += qkv[t][h * W + a] * qkv[u][HEADS * W + h * W + a];
            sum += p[u] = exp(logit / scale);
        }
        for (int a = 0; a < W; a++) {
            ctx[h * W + a] = 0;
            for (int u = from; u < to; u++) ctx[h * W + a] += p[u] / sum * qkv[u][2 * HEADS * W + h * W + a];
        }
    }
}

static void plain(const Layers *l, double scale, Real *out)
{
    double in[TOKENS][D], qkv[TOKENS][3 * HEADS * W];
    for (int t = 0; t < TOKENS; t++) {
        for (int j = 0; j < D; j++) in[t][j] = (double)l->x[t * D + j];
        linear(l, l->sa.qkv[0], l->sa.qkv_bias[0], in[t], D, 3 * HEADS * W, qkv[t]);
    }
    for (int t = 0; t < TOKENS; t++) {
        int s = t >= START[1];
        double ctx[HEADS * W], y[D], hidden[FF], z[D];
        attend(qkv, START[s], START[s + 1], t, scale, ctx);
        linear(l, l->sa.proj[0], l->sa.proj_bias[0], ctx, HEADS * W, D, y);
        for (int j = 0; j < D; j++) y[j] += in[t][j];
        norm(l, &l->sa.norm, y);
        linear(l, l->ff.w1[0], l->ff.b1[0], y, D, FF, hidden);
        for (int j = 0; j < FF; j++) hidden[j] *= 0.5 * (1 + erf(hidden[j] / sqrt(2.0)));
        linear(l, l->ff.w2[0], l->ff.b2[0], hidden, FF, D, z);
        for (int j = 0; j < D; j++) z[j] += y[j];
        norm(l, &l->ff.norm, z);
        for (int j = 0; j < D; j++) out[t * D + j] = (Real)z[j];
    }
}

TEST(layers_with_biases_the_usual_norm_and_gelu)
{
    Real want[TOKENS * D], found[TOKENS * D];
    MADE(Layers, layers_init, layers_fini, l);
    layers_run(&l, false);
    plain(&l, 2, want);
    assert_true(tensor_download(&l.t, l.y, found));
    assert_close(found, want, TOKENS * D, 1e-4, 1e-4);
}

/* With Phi(x) of GELU held constant, a number of the output is affine in the input of the feed-forward layer. */
TEST(relevance_through_gelu_adds_up)
{
    MADE(Layers, layers_init, layers_fini, l);
    layers_run(&l, true);
    Tensor *score = op_pick(&l.t, l.y, (const int[]){ 4, 1 }, (const int[]){ 3, 7 }, (const Real[]){ 1, -2 }, 2, 0);
    assert_non_null(score);
    assert_int_equal(tape_relevance(&l.t, score, &l.in, 1, l.in), OK);
    HostMatrix v = tensor_host(&l.t, l.in, test_arena()), c = tensor_host_grad(&l.t, l.in, test_arena());
    assert_non_null(c.data);
    double sum = l.t.bias_part, want = tape_number(&l.t, score);
    for (int r = 0; r < TOKENS; r++)
        for (int j = 0; j < D; j++) sum += (double)host_row(&v, r)[j] * (double)host_row(&c, r)[j];
    assert_within(sum, want, 1e-5 * fmax(1, fabs(want)));
}

/* norm(x + the biases of the output). */
TEST(a_layer_without_heads_has_its_output_biases_and_its_norm)
{
    MADE(ParamSet, params_init, params_fini, ps);
    MADE(Tape, tape_init, tape_fini, t, test_device());
    SelfAttention sa;
    Real x[3 * D], found[3 * D];
    double mean = 0, var = 0, y[D];
    static const int start[] = { 0, 3 };
    const Batch b = { 1, start, 3, 3 };
    assert_ok(self_attention_declare(&sa, &ps, "sa", D, 0, W, 1, LAYERS_PLAIN, test_error()));
    assert_ok(params_finish(&ps, test_error()));
    for (int k = 0; k < ps.n; k++) param_init_normal(&ps, k, 0.5, 3);
    assert_ok(params_upload(&ps, test_device(), test_error()));
    for (int i = 0; i < 3 * D; i++) x[i] = (Real)rng_normal(8, (uint64_t)i);
    tape_reset(&t, false, false, 0);
    const Forward f = { .t = &t, .params = &ps, .batch = &b };
    Tensor *in = tape_constant(&t, x, 3, D),
           *out = self_attention_forward(&f, &sa, in, NULL, 1, (Dropouts){ 0, 0, 0 }, NULL, NULL);
    if (!out) fail_msg("%s", t.error.message);
    assert_true(tensor_download(&t, out, found));
    const Real *bias = param_values(&ps, sa.proj_bias[0]),
               *n[2] = { param_values(&ps, sa.norm.a), param_values(&ps, sa.norm.b) };
    for (int j = 0; j < D; j++) mean += (y[j] = (double)x[D + j] + (double)bias[j]) / D;
    for (int j = 0; j < D; j++) var += (y[j] - mean) * (y[j] - mean) / D;
    for (int j = 0; j < D; j++)
        assert_within((double)found[D + j], (y[j] - mean) / sqrt(var + 1e-5) * (double)n[0][j] + (double)n[1][j], 1e-5);
}
