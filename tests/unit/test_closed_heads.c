/* What a head whose gate is 0 still learns in an encoder. */
#include "base/rng.h"
#include "lal/encoder.h"
#include "lal/head_importance.h"
#include "tests/support/check.h"
#include "tests/support/weighted.h"

enum { LAYERS = 2, HEADS = 3, LABEL_HEADS = 4, D = 16, TOKENS = 13, CLOSED = 1 };
static const int START[] = { 0, 6, 13 }, SENTENCE[TOKENS] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 };
static const Batch BATCH = { 2, START, TOKENS, 7 };
static const PatternSentence SENTENCES[] = { { .n = 4 }, { .n = 5 } };

/* Head CLOSED of layer 0 and of the label attention layer have the gate 0; the other gates are 1. */
typedef struct Net {
    ParamSet ps;
    Encoder enc;
    EncoderOptions options;
    Arena memory;
    Pattern pattern[2];
    PatternList list[2];
    Real *gradient;
    Tape t;
} Net;

static void guide(Net *y, int which, const char *pattern, int layer)
{
    static const int head = CLOSED;
    assert_ok(pattern_read(&y->pattern[which], pattern, NULL, &y->memory, test_error()));
    y->list[which] = (PatternList){ 1, &y->pattern[which] };
    assert_ok(head_plan_add(&y->enc.plan, &y->list[which], USE_GUIDE, 1, &layer, &head, test_error()));
}

static void net_init(Net *y)
{
    *y = (Net){ .gradient = NULL };
    arena_init(&y->memory, 4096);
    tape_init(&y->t, device_cpu());
    params_init(&y->ps);
    encoder_options_defaults(&y->options);
    y->options.gates.kind = GATES_FREE;
    y->options.gates.stacks = "self label";
    EncoderConfig c = { .d_model = D,
                        .n_layers = LAYERS,
                        .n_heads = HEADS,
                        .d_kv = 8,
                        .d_ff = 24,
                        .partitioned = true,
                        .use_lal = true,
                        .lal = { .heads = LABEL_HEADS, .d_kv = 6, .d_proj = 4, .partitioned = true },
                        .options = &y->options };
    assert_ok(encoder_declare(&y->enc, &y->ps, c, test_error()));
    assert_ok(params_finish(&y->ps, test_error()));
    encoder_init(&y->enc, &y->ps, 5);
    for (int l = 0; l <= LAYERS; l += LAYERS) param_values(&y->ps, y->enc.gate[l].param)[CLOSED] = 0;
    y->gradient = mem_calloc(y->ps.trained, sizeof *y->gradient);
    assert_non_null(y->gradient);
    guide(y, 0, "next", 0);
    guide(y, 1, "first", LAYERS);
}

static void net_fini(Net *y)
{
    mem_free(y->gradient);
    tape_fini(&y->t);
    encoder_fini(&y->enc);
    params_fini(&y->ps);
    arena_fini(&y->memory);
}

/* The gradient of a weighted sum of all fencepost vectors, and of the guidance of the closed heads. */
static void backward(Net *y, bool guided)
{
    static Real x[TOKENS * D];
    GuidanceTargets targets[2] = { { 0 } };
    EncoderOutput out;
    for (size_t i = 0; i < TOKENS * D; i++) x[i] = (Real)rng_normal(7, i);
    tape_reset(&y->t, true, true, 0);
    Forward f = { &y->t, &y->ps, y->gradient, &BATCH, SENTENCE, false };
    encoder_forward(&f, &y->enc, tape_constant(&y->t, x, TOKENS, D), (Dropouts){ 0 }, NULL, &out);
    if (!out.fencepost) fail_msg("%s", y->t.error.message);
    assert_ok(head_plan_targets(&y->enc.plan, SENTENCES, &BATCH, targets, &y->memory, test_error()));
    Tensor *terms[2] = { weighted_total(&y->t, out.fencepost, 4, 0),
                         encoder_guidance(&f, &y->enc, &out, targets, GUIDANCE_ROW, EMPTY_UNIFORM, 2) };
    Tensor *loss = op_weighted_sum(&y->t, terms, (const double[]){ 1, 1 }, guided ? 2 : 1);
    assert_int_equal(tape_backward(&y->t, loss), OK);
    for (int k = 0; k < 2; k++) guidance_targets_fini(&targets[k]);
}

/* Is the gradient of a slice of a parameter exactly 0? */
static bool is_zero(const Net *y, const HeadSlice *s)
{
    const Param *p = &y->ps.p[s->param];
    for (int r = s->row; r < s->row + s->rows; r++)
        for (int c = s->col; c < s->col + s->cols; c++)
            if (y->gradient[p->offset + (size_t)(r * p->cols + c)] != 0) return false;
    return true;
}

/* The slices of self-attention are queries, keys, values and output of each half, those of a label head queries, keys
 * and values; the first two of each move under guidance. */
static void assert_learns(const Net *y, int layer, int head, bool queries_and_keys, bool others)
{
    HeadSlice s[HEAD_SLICES];
    int n = head_slices(&y->enc, layer, head, s), of_half = layer < LAYERS ? 4 : 3;
    assert_int_equal(n, 2 * of_half);
    for (int k = 0; k < n; k++) {
        bool want = k % of_half < 2 ? queries_and_keys : others;
        if (is_zero(y, &s[k]) == want) fail_msg("layer %d head %d: weights %d of the head", layer, head, k);
    }
    assert_true(y->gradient[y->ps.p[y->enc.gate[layer].param].offset + (size_t)head] != 0); /* the gate itself */
}

TEST(the_weights_of_a_closed_head_have_no_gradient_but_its_gate_has)
{
    MADE(Net, net_init, net_fini, y);
    backward(&y, false);
    assert_learns(&y, 0, CLOSED, false, false);
    assert_learns(&y, LAYERS, CLOSED, false, false);
    assert_learns(&y, 0, CLOSED + 1, true, true);
    assert_learns(&y, LAYERS, CLOSED + 1, true, true);
}

TEST(guidance_moves_the_queries_and_keys_of_a_closed_head_and_nothing_else_of_it)
{
    MADE(Net, net_init, net_fini, y);
    backward(&y, true);
    assert_learns(&y, 0, CLOSED, true, false);
    assert_learns(&y, LAYERS, CLOSED, true, false);
}
