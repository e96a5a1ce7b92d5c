/* tests/oracle/test_label_attention.c: the restructured label attention layer against the literal order of Mrini et al.
 * 2020 (keys and values of every token, one head at a time, plain loops in double); and sentences do not see each
 * other. */
#include "base/rng.h"
#include "lal/label_attention.h"
#include "tests/support/check.h"
#include "tests/support/checking_device.h"

enum { D = 12, HEADS = 5, KV = 6, PROJ = 4, TOKENS = 11 };
static const int START[] = { 0, 1, 5, TOKENS };

typedef struct Layer {
    ParamSet ps;
    LabelAttention la;
} Layer;

static void layer_make(Layer *l, LabelAttentionConfig c)
{
    Error e = { 0 };
    params_init(&l->ps);
    assert_int_equal(label_attention_declare(&l->la, &l->ps, "lal", c, &e), OK);
    assert_int_equal(params_finish(&l->ps, &e), OK);
    for (int k = 0; k < l->ps.n; k++) param_init_normal(&l->ps, k, 0.5, 3);
    assert_int_equal(params_upload(&l->ps, test_device(), &e), OK);
}

static void run(const Layer *l, const Real *x, int tokens, const int *start, int n_sent, Real *out)
{
    Tape t;
    int sentence_of[TOKENS], longest = 0;
    for (int s = 0; s < n_sent; s++) {
        for (int k = start[s]; k < start[s + 1]; k++) sentence_of[k] = s;
        if (start[s + 1] - start[s] > longest) longest = start[s + 1] - start[s];
    }
    Batch b = { n_sent, start, tokens, longest };
    tape_init(&t, test_device());
    tape_reset(&t, false, false, 0);
    Forward f = { &t, &l->ps, NULL, &b, sentence_of };
    LabelAttentionTrace trace;
    Tensor *y =
        label_attention_forward(&f, &l->la, tape_constant(&t, x, tokens, D), 2.5, (Dropouts){ 0, 0, 0 }, NULL, &trace);
    if (!y) fail_msg("%s", t.error.message);
    assert_true(tensor_download(&t, y, out));
    tape_fini(&t);
}

static double weight(const Layer *l, int k, int i) { return (double)param_values(&l->ps, k)[i]; }

/* One head of one sentence, one token: norm(R (x_t + g_h)). */
static void literal(const Layer *l, const Real *x, int from, int to, int h, Real *out)
{
    const LabelAttention *la = &l->la;
    double logit[TOKENS], sum = 0, g[D] = { 0 }, max = -INFINITY;
    for (int t = from; t < to; t++) {
        logit[t] = 0;
        for (int p = 0; p < la->parts; p++) {
            int d0 = part_start(D, la->parts, p), dp = part_width(D, la->parts, p), w = part_width(KV, la->parts, p);
            for (int a = 0; a < w; a++) {
                double key = 0;
                for (int j = 0; j < dp; j++)
                    key += (double)x[t * D + d0 + j] * weight(l, la->k[p], (h * dp + j) * w + a);
                logit[t] += key * weight(l, la->q[p], h * w + a) / 2.5;
            }
        }
        max = fmax(max, logit[t]);
    }
    for (int t = from; t < to; t++) sum += exp(logit[t] - max);
    for (int t = from; t < to; t++)
        for (int p = 0; p < la->parts; p++) {
            int d0 = part_start(D, la->parts, p), dp = part_width(D, la->parts, p), w = part_width(KV, la->parts, p);
            for (int a = 0; a < w; a++) {
                double value = 0;
                for (int j = 0; j < dp; j++)
                    value += (double)x[t * D + d0 + j] * weight(l, la->v[p], (h * dp + j) * w + a);
                for (int j = 0; j < dp; j++)
                    g[d0 + j] += exp(logit[t] - max) / sum * value * weight(l, la->proj[p], a * dp + j);
            }
        }
    for (int t = from; t < to; t++) {
        double r[PROJ] = { 0 }, mean = 0, var = 0;
        for (int j = 0; j < D; j++)
            for (int a = 0; a < PROJ; a++) r[a] += ((double)x[t * D + j] + g[j]) * weight(l, la->reduce, j * PROJ + a);
        for (int a = 0; a < PROJ; a++) mean += r[a] / PROJ;
        for (int a = 0; a < PROJ; a++) var += (r[a] - mean) * (r[a] - mean) / (PROJ - 1);
        for (int a = 0; a < PROJ; a++)
            out[t * HEADS * PROJ + h * PROJ + a] =
                (Real)((r[a] - mean) / (sqrt(var) + 1e-3) * weight(l, la->norm.a, a) + weight(l, la->norm.b, a));
    }
}

static void check(bool partitioned)
{
    Layer l;
    Real x[TOKENS * D], found[TOKENS * HEADS * PROJ], want[TOKENS * HEADS * PROJ], alone[TOKENS * HEADS * PROJ];
    layer_make(
        &l, (LabelAttentionConfig){ .d = D, .heads = HEADS, .d_kv = KV, .d_proj = PROJ, .partitioned = partitioned });
    for (int i = 0; i < TOKENS * D; i++) x[i] = (Real)rng_normal(8, (uint64_t)i);
    run(&l, x, TOKENS, START, 3, found);
    for (int s = 0; s < 3; s++)
        for (int h = 0; h < HEADS; h++) literal(&l, x, START[s], START[s + 1], h, want);
    assert_close(found, want, TOKENS * HEADS * PROJ, 1e-4, 1e-4);
    for (int s = 0; s < 3; s++) { /* a sentence alone gives the same */
        int start[] = { 0, START[s + 1] - START[s] }, width = HEADS * PROJ;
        run(&l, x + START[s] * D, start[1], start, 1, alone);
        assert_close(alone, found + START[s] * width, (size_t)(start[1] * width), 1e-5, 1e-5);
    }
    params_fini(&l.ps);
}

TEST(label_attention_equals_the_literal_order)
{
    UNUSED_STATE;
    check(true);
    check(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(label_attention_equals_the_literal_order) };
    return cmocka_run_group_tests_name("label attention", tests, NULL, NULL);
}
