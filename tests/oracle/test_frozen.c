/* What relevance is (tape_relevance): the slope of the network whose attention weights,
 * signs of ReLUs and divisors of norms are held at their values. Here that network is computed by plain loops in
 * double, from the input to the scores of spans; with its constants held it is affine in the input. */
#include "base/rng.h"
#include "cky/span_score.h"
#include "lal/encoder.h"
#include "tests/support/check.h"

enum { LAYERS = 2, D = 8, HEADS = 2, W = 4, FF = 10, LABEL_HEADS = 3, LABEL_W = 6, PROJ = 4, HIDDEN = 7, LABELS = 4 };
enum { M = 6, WIDTH = LABEL_HEADS * PROJ, SPANS = 3 };
static const int START[] = { 0, M }, SENTENCE[M] = { 0 }, SPAN[2 * SPANS] = { 0, 4, 1, 2, 2, 4 };
static const Batch BATCH = { 1, START, M, M };

typedef struct Net {
    ParamSet ps;
    Encoder enc;
    SpanScorer scorer;
} Net;

/* What is held. */
typedef struct Constants {
    bool held; /* false: computed from the input and written here */
    double attention[LAYERS][HEADS][M][M], label[LABEL_HEADS][M];
    double divisor[LAYERS][2][M], label_divisor[M][LABEL_HEADS], span_divisor[SPANS];
    bool on[LAYERS][M][FF], span_on[SPANS][HIDDEN];
} Constants;

static double weight(const Net *y, int param, int i) { return (double)param_values(&y->ps, param)[i]; }

/* out [n] = x w + b, w [in, n] from row `row` of a parameter; b -1: none. */
static void linear(const Net *y, int w, int row, int b, const double *x, int in, int n, double *out)
{
    for (int j = 0; j < n; j++) {
        out[j] = b >= 0 ? weight(y, b, j) : 0;
        for (int i = 0; i < in; i++) out[j] += x[i] * weight(y, w, (row + i) * n + j);
    }
}

static void norm(const Net *y, const Norm *n, double *x, int cols, bool held, double *divisor)
{
    double mean = 0, squares = 0;
    for (int j = 0; j < cols; j++) mean += x[j] / cols;
    for (int j = 0; j < cols; j++) squares += (x[j] - mean) * (x[j] - mean);
    if (!held) *divisor = sqrt(squares / (cols - 1)) + n->spec.eps;
    for (int j = 0; j < cols; j++) x[j] = (x[j] - mean) / *divisor * weight(y, n->a, j) + weight(y, n->b, j);
}

static void relu(double *x, int n, bool held, bool *on)
{
    for (int j = 0; j < n; j++) {
        if (!held) on[j] = x[j] > 0;
        if (!on[j]) x[j] = 0;
    }
}

static void softmax(double *logits)
{
    double sum = 0;
    for (int j = 0; j < M; j++) sum += logits[j] = exp(logits[j]);
    for (int j = 0; j < M; j++) logits[j] /= sum;
}

static void self_attention(const Net *y, int l, double x[M][D], Constants *c)
{
    const SelfAttention *sa = &y->enc.attn[l];
    double qkv[M][3 * HEADS * W];
    for (int t = 0; t < M; t++) linear(y, sa->qkv[0], 0, -1, x[t], D, 3 * HEADS * W, qkv[t]);
    for (int h = 0; h < HEADS && !c->held; h++)
        for (int i = 0; i < M; i++) {
            for (int j = 0; j < M; j++) {
                double dot = 0;
                for (int k = 0; k < W; k++) dot += qkv[i][h * W + k] * qkv[j][(HEADS + h) * W + k];
                c->attention[l][h][i][j] = dot / sqrt(D);
            }
            softmax(c->attention[l][h][i]);
        }
    for (int i = 0; i < M; i++) {
        double ctx[HEADS * W] = { 0 }, z[D];
        for (int h = 0; h < HEADS; h++)
            for (int j = 0; j < M; j++)
                for (int k = 0; k < W; k++)
                    ctx[h * W + k] += c->attention[l][h][i][j] * qkv[j][(2 * HEADS + h) * W + k];
        linear(y, sa->proj[0], 0, -1, ctx, HEADS * W, D, z);
        for (int k = 0; k < D; k++) x[i][k] += z[k];
        norm(y, &sa->norm, x[i], D, c->held, &c->divisor[l][0][i]);
    }
}

static void feed_forward(const Net *y, int l, double x[M][D], Constants *c)
{
    const FeedForward *ff = &y->enc.ff[l];
    for (int t = 0; t < M; t++) {
        double hidden[FF], z[D];
        linear(y, ff->w1[0], 0, ff->b1[0], x[t], D, FF, hidden);
        relu(hidden, FF, c->held, c->on[l][t]);
        linear(y, ff->w2[0], 0, ff->b2[0], hidden, FF, D, z);
        for (int k = 0; k < D; k++) x[t][k] += z[k];
        norm(y, &ff->norm, x[t], D, c->held, &c->divisor[l][1][t]);
    }
}

static void label_attention(const Net *y, double x[M][D], double out[M][WIDTH], Constants *c)
{
    const LabelAttention *la = &y->enc.lal;
    for (int h = 0; h < LABEL_HEADS; h++) {
        double mean[D] = { 0 }, value[LABEL_W], view[D];
        for (int t = 0; t < M && !c->held; t++) {
            double key[LABEL_W], dot = 0;
            linear(y, la->k[0], h * D, -1, x[t], D, LABEL_W, key);
            for (int k = 0; k < LABEL_W; k++) dot += key[k] * weight(y, la->q[0], h * LABEL_W + k);
            c->label[h][t] = dot / sqrt(D);
        }
        if (!c->held) softmax(c->label[h]);
        for (int t = 0; t < M; t++)
            for (int k = 0; k < D; k++) mean[k] += c->label[h][t] * x[t][k];
        linear(y, la->v[0], h * D, -1, mean, D, LABEL_W, value);
        linear(y, la->proj[0], 0, -1, value, LABEL_W, D, view);
        for (int t = 0; t < M; t++) {
            double sum[D], *to = out[t] + h * PROJ;
            for (int k = 0; k < D; k++) sum[k] = x[t][k] + view[k];
            linear(y, la->reduce, 0, -1, sum, D, PROJ, to);
            norm(y, &la->norm, to, PROJ, c->held, &c->label_divisor[t][h]);
        }
    }
}

/* The sum of the scores of label k + 1 of span k. */
static double score_of(const Net *y, const Real *input, Constants *c)
{
    double x[M][D], word[M][WIDTH], g[M - 1][HIDDEN], sum = 0;
    for (int i = 0; i < M * D; i++) x[i / D][i % D] = (double)input[i];
    for (int l = 0; l < LAYERS; l++) {
        self_attention(y, l, x, c);
        feed_forward(y, l, x, c);
    }
    label_attention(y, x, word, c);
    for (int f = 0; f < M - 1; f++) {
        double fence[WIDTH];
        for (int j = 0; j < WIDTH; j++) fence[j] = word[f + encoder_fence_side(&y->enc, j)][y->enc.fence_source[j]];
        linear(y, y->scorer.w1, 0, -1, fence, WIDTH, HIDDEN, g[f]);
    }
    for (int k = 0; k < SPANS; k++) {
        double hidden[HIDDEN], score[LABELS - 1];
        for (int j = 0; j < HIDDEN; j++)
            hidden[j] = g[SPAN[2 * k + 1]][j] - g[SPAN[2 * k]][j] + weight(y, y->scorer.b1, j);
        norm(y, &y->scorer.norm, hidden, HIDDEN, c->held, &c->span_divisor[k]);
        relu(hidden, HIDDEN, c->held, c->span_on[k]);
        linear(y, y->scorer.w2, 0, y->scorer.b2, hidden, HIDDEN, LABELS - 1, score);
        sum += score[k];
    }
    return sum;
}

static void net_init(Net *y)
{
    const EncoderConfig c = { .d_model = D,
                              .n_layers = LAYERS,
                              .n_heads = HEADS,
                              .d_kv = W,
                              .d_ff = FF,
                              .use_lal = true,
                              .lal = { .heads = LABEL_HEADS, .d_kv = LABEL_W, .d_proj = PROJ } };
    params_init(&y->ps);
    assert_ok(encoder_declare(&y->enc, &y->ps, c, test_error()));
    assert_ok(span_scorer_declare(&y->scorer, &y->ps, y->enc.width, 0, HIDDEN, LABELS, test_error()));
    assert_ok(params_finish(&y->ps, test_error()));
    encoder_init(&y->enc, &y->ps, 5);
    span_scorer_init(&y->scorer, &y->ps, 5);
    for (int k = 0; k < y->ps.n; k++) /* biases and shifts too */
        for (size_t i = 0; i < param_count(&y->ps.p[k]); i++)
            param_values(&y->ps, k)[i] += (Real)(0.3 * rng_normal((uint64_t)k + 50, i));
}

static void net_fini(Net *y)
{
    encoder_fini(&y->enc);
    params_fini(&y->ps);
}

/* The score by the tape; c [M * D] its relevance coefficients at the input. */
static double relevance_of(const Net *y, const Real *input, Real *c)
{
    static const int row[SPANS] = { 0, 1, 2 };
    static const Real one[SPANS] = { 1, 1, 1 };
    EncoderOutput out;
    MADE(Tape, tape_init, tape_fini, t, device_cpu());
    tape_reset(&t, true, false, 0);
    Forward f = { &t, &y->ps, NULL, &BATCH, SENTENCE, false };
    Tensor *x = tape_constant(&t, input, M, D);
    x->needs_grad = true;
    encoder_forward(&f, &y->enc, x, (Dropouts){ 0 }, NULL, &out);
    Tensor *g = span_scorer_project(&f, &y->scorer, out.fencepost, NULL),
           *score = op_pick(&t, span_scorer_score(&f, &y->scorer, g, SPAN, SPANS), row, row, one, SPANS, 0);
    double found = tape_number(&t, score);
    if (tape_relevance(&t, score, &x, 1, NULL) != OK) fail_msg("%s", t.error.message);
    memcpy(c, tensor_host_grad(&t, x, &t.host).data, M * D * sizeof *c);
    return found;
}

static void assert_near(double found, double expected)
{
    assert_within(found, expected, (sizeof(Real) < 8 ? 1e-4 : 1e-10) * fmax(1, fabs(expected)));
}

TEST(relevance_is_the_slope_of_the_network_with_its_constants_held)
{
    static Constants c;
    static const double steps[] = { 1e-3, 1, -2, 10 };
    Real x[M * D], moved[M * D], slope[M * D];
    MADE(Net, net_init, net_fini, y);
    for (size_t i = 0; i < M * D; i++) x[i] = (Real)rng_normal(7, i);
    double score = score_of(&y, x, &c);
    assert_near(relevance_of(&y, x, slope), score);
    c.held = true;
    assert_near(score_of(&y, x, &c), score);
    for (int k = 0; k < 4; k++) {
        double expected = score;
        for (size_t i = 0; i < M * D; i++) {
            double direction = rng_normal(9 + (uint64_t)k, i);
            moved[i] = (Real)((double)x[i] + steps[k] * direction);
            expected += ((double)moved[i] - (double)x[i]) * (double)slope[i];
        }
        assert_near(score_of(&y, moved, &c), expected);
        Constants own = { .held = false }; /* which is not the network itself */
        if (steps[k] >= 1) assert_true(fabs(score_of(&y, moved, &own) - expected) > 1e-2);
    }
}
