/* tests/oracle/test_transformer.c: self-attention and feed-forward with biases, the usual norm and GELU (BERT's layers,
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
} Layers;

static void layers_make(Layers *l)
{
    params_init(&l->ps);
    assert_ok(self_attention_declare(&l->sa, &l->ps, "sa", D, HEADS, W, 1, BERT, test_error()));
    assert_ok(feed_forward_declare(&l->ff, &l->ps, "ff", D, FF, 1, 0, BERT, test_error()));
    assert_ok(params_finish(&l->ps, test_error()));
    for (int k = 0; k < l->ps.n; k++) param_init_normal(&l->ps, k, 0.5, 3);
    assert_ok(params_upload(&l->ps, test_device(), test_error()));
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

static void plain(const Layers *l, const Real *x, double scale, Real *out)
{
    double in[TOKENS][D], qkv[TOKENS][3 * HEADS * W];
    for (int t = 0; t < TOKENS; t++) {
        for (int j = 0; j < D; j++) in[t][j] = (double)x[t * D + j];
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
    Layers l;
    Tape t;
    Real x[TOKENS * D], want[TOKENS * D], found[TOKENS * D];
    int sentence_of[TOKENS];
    for (int k = 0; k < TOKENS; k++) sentence_of[k] = k >= START[1];
    for (int i = 0; i < TOKENS * D; i++) x[i] = (Real)rng_normal(8, (uint64_t)i);
    layers_make(&l);
    Batch b = { 2, START, TOKENS, TOKENS - START[1] };
    tape_init(&t, test_device());
    tape_reset(&t, false, false, 0);
    Forward f = { &t, &l.ps, NULL, &b, sentence_of, false };
    Dropouts none = { 0, 0, 0 };
    Tensor *y = tape_constant(&t, x, TOKENS, D);
    y = self_attention_forward(&f, &l.sa, y, NULL, 2, none, NULL, NULL);
    y = feed_forward_forward(&f, &l.ff, y, NULL, none, sentence_of, NULL);
    if (!y) fail_msg("%s", t.error.message);
    plain(&l, x, 2, want);
    assert_true(tensor_download(&t, y, found));
    assert_close(found, want, TOKENS * D, 1e-4, 1e-4);
    tape_fini(&t);
    params_fini(&l.ps);
}

/* With Phi(x) of GELU held constant, a number of the output is affine in the input of the feed-forward layer. */
TEST(relevance_through_gelu_adds_up)
{
    Layers l;
    Tape t;
    Real x[TOKENS * D];
    int sentence_of[TOKENS];
    for (int k = 0; k < TOKENS; k++) sentence_of[k] = k >= START[1];
    for (int i = 0; i < TOKENS * D; i++) x[i] = (Real)rng_normal(8, (uint64_t)i);
    layers_make(&l);
    Batch b = { 2, START, TOKENS, TOKENS - START[1] };
    tape_init(&t, test_device());
    tape_reset(&t, true, false, 0);
    Forward f = { &t, &l.ps, NULL, &b, sentence_of, false };
    Dropouts none = { 0, 0, 0 };
    Tensor *in = self_attention_forward(&f, &l.sa, tape_constant(&t, x, TOKENS, D), NULL, 2, none, NULL, NULL);
    Tensor *y = feed_forward_forward(&f, &l.ff, in, NULL, none, sentence_of, NULL);
    Tensor *score = op_pick(&t, y, (const int[]){ 4, 1 }, (const int[]){ 3, 7 }, (const Real[]){ 1, -2 }, 2, 0);
    if (!score) fail_msg("%s", t.error.message);
    assert_int_equal(tape_relevance(&t, score, &in, 1, in), OK);
    Arena a;
    arena_init(&a, 4096);
    HostMatrix v = tensor_host(&t, in, &a), c = tensor_host_grad(&t, in, &a);
    assert_non_null(c.data);
    double sum = t.bias_part, want = tape_number(&t, score);
    for (int r = 0; r < TOKENS; r++)
        for (int j = 0; j < D; j++) sum += (double)host_row(&v, r)[j] * (double)host_row(&c, r)[j];
    if (!(fabs(sum - want) < 1e-5 * fmax(1, fabs(want))))
        fail_msg("%g, expected %g; biases %g", sum, want, t.bias_part);
    arena_fini(&a);
    tape_fini(&t);
    params_fini(&l.ps);
}
