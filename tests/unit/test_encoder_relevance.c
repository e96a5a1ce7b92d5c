/* tests/unit/test_encoder_relevance.c: relevance with all options of heads at once: a score is the sum of the relevance
 * over any cut through the encoder and of what biases take after it. */
#include <string.h>

#include "base/rng.h"
#include "lal/encoder.h"
#include "tests/support/check.h"

enum { LAYERS = 2, HEADS = 3, LABEL_HEADS = 4, D = 16, TOKENS = 13, PLANS = 5, LONE = 3 };
static const int START[] = { 0, 6, 13 }, SENTENCE[TOKENS] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 };
static const Batch BATCH = { 2, START, TOKENS, 7 };
static const char *const WORDS[] = { "a", "b", "c", "d", "." };
static const PatternSentence SENTENCES[] = { { .n = 4, .words = WORDS }, { .n = 5, .words = WORDS } };

typedef struct Net {
    ParamSet ps;
    Encoder enc;
    EncoderOptions options;
    Arena memory;
    Pattern pattern[PLANS];
    PatternList list[PLANS];
    int n_plans;
    Tape t;
    EncoderOutput out;
    Tensor *x, *score;
} Net;

static void add_plan(Net *y, const char *pattern, HeadUse use, int layer, int head)
{
    Error e = { 0 };
    int k = y->n_plans++;
    assert_int_equal(pattern_read(&y->pattern[k], pattern, NULL, &y->memory, &e), OK);
    y->list[k] = (PatternList){ 1, &y->pattern[k] };
    assert_int_equal(head_plan_add(&y->enc.plan, &y->list[k], use, 1, &layer, &head, &e), OK);
}

static void net_init(Net *y, bool pal, int pal_at, bool pwff)
{
    Error e = { 0 };
    *y = (Net){ .enc = { .width = 0 } };
    arena_init(&y->memory, 4096);
    tape_init(&y->t, device_cpu());
    params_init(&y->ps);
    encoder_options_defaults(&y->options);
    y->options.gates.kind = GATES_FREE;
    y->options.gates.stacks = "self label";
    y->options.pal.layers.all = pal;
    y->options.pal.width = 8;
    y->options.pal.heads = 2;
    y->options.pal.at = pal_at;
    EncoderConfig c = { .d_model = D,
                        .n_layers = LAYERS,
                        .n_heads = HEADS,
                        .d_kv = 8,
                        .d_ff = 24,
                        .partitioned = true,
                        .use_lal = true,
                        .lal_pwff = pwff,
                        .lal = { .heads = LABEL_HEADS, .d_kv = 6, .d_proj = 4, .partitioned = true },
                        .options = &y->options };
    assert_int_equal(encoder_declare(&y->enc, &y->ps, c, &e), OK);
    assert_int_equal(params_finish(&y->ps, &e), OK);
    encoder_init(&y->enc, &y->ps, 5);
    for (int k = 0; k < y->ps.n; k++) /* biases, shifts and gates too; U of projected attention is not 0 */
        for (size_t i = 0; i < param_count(&y->ps.p[k]); i++)
            param_values(&y->ps, k)[i] += (Real)(0.3 * rng_normal((uint64_t)k + 50, i));
}

static void net_fini(Net *y)
{
    tape_fini(&y->t);
    encoder_fini(&y->enc);
    params_fini(&y->ps);
    arena_fini(&y->memory);
}

/* The score is a weighted sum of the fencepost vectors in `rows`. */
static void forward(Net *y, int first, int n_rows)
{
    static Real x[TOKENS * D], w[TOKENS * LABEL_HEADS * 4];
    static int r[TOKENS * LABEL_HEADS * 4], c[TOKENS * LABEL_HEADS * 4];
    Error e = { 0 };
    EncoderControl control = { .layer = NULL };
    for (size_t i = 0; i < TOKENS * D; i++) x[i] = (Real)rng_normal(7, i);
    tape_reset(&y->t, true, false, 0);
    assert_int_equal(head_plan_control(&y->enc.plan, SENTENCES, &BATCH, &y->memory, &control.layer, &e), OK);
    Forward f = { &y->t, &y->ps, NULL, &BATCH, SENTENCE };
    y->x = tape_constant(&y->t, x, TOKENS, D);
    y->x->needs_grad = true;
    encoder_forward(&f, &y->enc, y->x, (Dropouts){ 0 }, &control, &y->out);
    if (!y->out.fencepost) fail_msg("%s", y->t.error.message);
    int cols = y->out.fencepost->cols, n = n_rows * cols;
    for (int k = 0; k < n; k++) {
        r[k] = first + k / cols;
        c[k] = k % cols;
        w[k] = (Real)rng_normal(4, (uint64_t)k);
    }
    y->score = op_pick(&y->t, y->out.fencepost, r, c, w, n, 1.5);
}

static double relevance_of(Net *y, const Tensor *cut, int row)
{
    HostMatrix x = tensor_host(&y->t, cut, &y->t.host), c = tensor_host_grad(&y->t, cut, &y->t.host);
    double sum = 0;
    for (int k = 0; k < x.cols && c.data; k++) sum += (double)host_row(&x, row)[k] * (double)host_row(&c, row)[k];
    return sum;
}

static void check_cut(Net *y, Tensor *cut, const char *name)
{
    if (tape_relevance(&y->t, y->score, &cut, 1, cut == y->x ? NULL : cut) != OK) fail_msg("%s", y->t.error.message);
    double score = tape_number(&y->t, y->score), sum = y->t.bias_part;
    for (int r = 0; r < cut->rows; r++) sum += relevance_of(y, cut, r);
    double tolerance = sizeof(Real) < 8 ? 1e-4 : 1e-10;
    if (!(fabs(sum - score) <= tolerance * fmax(1, fabs(score)))) fail_msg("%s: %.12g of %.12g", name, sum, score);
}

TEST(relevance_is_conserved_with_masks_gates_and_projected_attention)
{
    UNUSED_STATE;
    static Net y;
    for (int variant = 0; variant < 6; variant++) {
        net_init(&y, variant % 3 > 0, variant % 3 == 2 ? PAL_AT_ATTENTION : PAL_AT_FF, variant >= 3);
        add_plan(&y, "rel_pos", USE_MASK, 0, 2);
        add_plan(&y, "next", USE_FIXED, 1, 1);
        add_plan(&y, "seprat", USE_MASK, LAYERS, 1); /* a label head */
        if (variant % 3) add_plan(&y, "prev", USE_FIXED, LAYERS + 1, 0);
        forward(&y, 0, TOKENS - 2);
        check_cut(&y, y.x, "input");
        for (int l = 0; l < LAYERS; l++) check_cut(&y, y.out.layer[l], "output of a layer");
        check_cut(&y, y.out.fencepost, "fenceposts");
        net_fini(&y);
    }
}

/* In every layer all heads are masked to the token itself, and label heads to START: token LONE acts on itself
 * alone. */
TEST(a_token_that_no_other_attends_to_has_no_relevance_elsewhere)
{
    UNUSED_STATE;
    static Net y;
    Pattern self, first;
    PatternList selves = { 1, &self }, firsts = { 1, &first };
    Error e = { 0 };
    int layer[LAYERS * HEADS], head[LAYERS * HEADS], label[LABEL_HEADS], number[LABEL_HEADS];
    net_init(&y, false, PAL_AT_FF, false);
    assert_int_equal(pattern_read(&self, "self", NULL, &y.memory, &e), OK);
    assert_int_equal(pattern_read(&first, "first", NULL, &y.memory, &e), OK);
    for (int k = 0; k < LAYERS * HEADS; k++) layer[k] = k / HEADS, head[k] = k % HEADS;
    for (int h = 0; h < LABEL_HEADS; h++) label[h] = LAYERS, number[h] = h;
    assert_int_equal(head_plan_add(&y.enc.plan, &selves, USE_MASK, LAYERS * HEADS, layer, head, &e), OK);
    assert_int_equal(head_plan_add(&y.enc.plan, &firsts, USE_MASK, LABEL_HEADS, label, number, &e), OK);
    forward(&y, 0, 2); /* fenceposts 0 and 1: of tokens 0, 1 and 2 */
    check_cut(&y, y.x, "input");
    for (int r = 0; r < TOKENS; r++) assert_true((relevance_of(&y, y.x, r) != 0) == (r < LONE));
    net_fini(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relevance_is_conserved_with_masks_gates_and_projected_attention),
        cmocka_unit_test(a_token_that_no_other_attends_to_has_no_relevance_elsewhere),
    };
    return cmocka_run_group_tests_name("relevance with options", tests, NULL, NULL);
}
