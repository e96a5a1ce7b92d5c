/* Gates of an encoder in all places: contexts of self-attention, contexts or outputs of
 * label heads, contexts of projected attention; what a head whose gate is 0 still learns. One gate alone:
 * test_head_gate.c. */
#include "base/rng.h"
#include "lal/encoder.h"
#include "lal/head_importance.h"
#include "tests/support/check.h"
#include "tests/support/weighted.h"

enum { LAYERS = 2, HEADS = 2, LABEL_HEADS = 3, PAL_HEADS = 2, D = 8, PROJ = 4, TOKENS = 9, KEY = 77 };
enum { LABEL = LAYERS, PAL = LAYERS + 2 }; /* layers of gates; projected attention is beside layer 1 */
static const int START[] = { 0, 4, 9 }, SENTENCE[TOKENS] = { 0, 0, 0, 0, 1, 1, 1, 1, 1 };
static const Batch BATCH = { 2, START, TOKENS, 5 };
static const double BETA = 1; /* few draws are clipped */

static const int CONSTANT[] = { 1, 0, 0, 0, /* self-attention */ 0, 1, 1, /* label heads */ 0, 1 /* PAL */ };

typedef struct Net {
    ParamSet ps;
    Encoder enc;
    EncoderOptions options;
    Tape t;
    EncoderOutput out;
} Net;

/* stacks: NULL for a model without gates. The parameters that both have are the same. */
static void net_init(Net *y, const char *stacks, GateLabelAt at, int kind)
{
    static const int beside[] = { 1 };
    *y = (Net){ .enc = { .width = 0 } };
    tape_init(&y->t, device_cpu());
    params_init(&y->ps);
    encoder_options_defaults(&y->options);
    y->options.gates.kind = stacks ? kind : GATES_NONE;
    y->options.gates.stacks = stacks;
    y->options.gates.label_at = (int)at;
    y->options.gates.beta = BETA;
    y->options.gates.constant = (HeadNumbers){ .n = 9, .item = CONSTANT };
    y->options.pal.layers = (HeadNumbers){ .n = 1, .item = beside };
    y->options.pal.width = 4;
    y->options.pal.heads = PAL_HEADS;
    EncoderConfig c = { .d_model = D,
                        .n_layers = LAYERS,
                        .n_heads = HEADS,
                        .d_kv = 4,
                        .d_ff = 10,
                        .partitioned = true,
                        .use_lal = true,
                        .lal = { .heads = LABEL_HEADS, .d_kv = 4, .d_proj = PROJ, .partitioned = true },
                        .options = &y->options };
    assert_ok(encoder_declare(&y->enc, &y->ps, c, test_error()));
    assert_ok(params_finish(&y->ps, test_error()));
    encoder_init(&y->enc, &y->ps, 5);
    for (int k = 0; k < y->ps.n; k++) { /* projected attention adds something */
        const char *name = y->ps.p[k].name;
        if (strstr(name, "pal_") && !strstr(name, "gate")) param_init_normal(&y->ps, k, 0.7, strlen(name));
    }
}

static void net_fini(Net *y)
{
    tape_fini(&y->t);
    encoder_fini(&y->enc);
    params_fini(&y->ps);
}

static Real *gates_of(const Net *y, int layer) { return param_values(&y->ps, y->enc.gate[layer].param); }

/* A pass, recorded; with a loss: a weighted sum of the fenceposts and 0.7 times the penalty. */
static Tensor *forward(Net *y, bool training, Real *grads)
{
    static Real x[TOKENS * D];
    const EncoderControl control = { .gate_key = KEY };
    for (size_t i = 0; i < TOKENS * D; i++) x[i] = (Real)rng_normal(7, i);
    tape_reset(&y->t, true, training, 0);
    Forward f = { &y->t, &y->ps, grads, &BATCH, SENTENCE, false };
    encoder_forward(&f, &y->enc, tape_constant(&y->t, x, TOKENS, D), (Dropouts){ 0 }, &control, &y->out);
    if (!y->out.fencepost) fail_msg("%s", y->t.error.message);
    Tensor *parts[] = { weighted_total(&y->t, y->out.fencepost, 4, 0), encoder_gate_penalty(&f, &y->enc) };
    return parts[1] ? op_weighted_sum(&y->t, parts, (const double[]){ 1, 0.7 }, 2) : parts[0];
}

static double loss_of(Net *y) { return tape_number(&y->t, forward(y, true, NULL)); }

TEST(gradients_of_gates_in_all_places_agree_with_finite_differences)
{
    double h = sizeof(Real) < 8 ? 1e-2 : 1e-5, tolerance = sizeof(Real) < 8 ? 3e-2 : 1e-6;
    for (int at = GATES_AT_CONTEXT; at <= GATES_AT_OUTPUT; at++) {
        double diff = 0, size = 0;
        int moving = 0;
        MADE(Net, net_init, net_fini, y, "self label pal", (GateLabelAt)at, GATES_HARD_CONCRETE);
        for (LayerId l = 0; l < layer_count(LAYERS); l++)
            for (int k = 0; y.enc.gated[l] && k < y.enc.gate[l].heads; k++)
                gates_of(&y, l)[k] = (Real)(0.4 * rng_normal(3, (uint64_t)(8 * l + k)));
        FREED(free_pointer) Real *g = mem_calloc(y.ps.trained, sizeof *g);
        assert_int_equal(tape_backward(&y.t, forward(&y, true, g)), OK);
        for (LayerId l = 0; l < layer_count(LAYERS); l++)
            for (int k = 0; y.enc.gated[l] && k < y.enc.gate[l].heads; k++) {
                Real *w = &gates_of(&y, l)[k], keep = *w;
                double found = (double)g[y.ps.p[y.enc.gate[l].param].offset + (size_t)k];
                *w = (Real)((double)keep + h);
                double up = loss_of(&y), want;
                *w = (Real)((double)keep - h);
                want = (up - loss_of(&y)) / 2 / h;
                *w = keep;
                diff += (want - found) * (want - found);
                size += want * want;
                moving += fabs(want) > 0.05;
            }
        assert_true(moving > 6); /* of 9 gates */
        if (sqrt(diff) > tolerance * sqrt(size)) fail_msg("label_at %d: relative error %.2e", at, sqrt(diff / size));
    }
}

TEST(the_penalty_counts_the_open_gates_of_all_stacks)
{
    double expected = 0;
    const HardConcrete c = { BETA, -0.1, 1.1, false };
    MADE(Net, net_init, net_fini, y, "self label pal", GATES_AT_OUTPUT, GATES_HARD_CONCRETE);
    assert_true(params_find(&y.ps, "encoder.pal_1.gate.log_alpha") >= 0);
    assert_true(params_find(&y.ps, "encoder.pal_0.gate.log_alpha") < 0);
    for (LayerId l = 0; l < layer_count(LAYERS); l++)
        for (int k = 0; y.enc.gated[l] && k < y.enc.gate[l].heads; k++) {
            gates_of(&y, l)[k] = (Real)rng_normal(3, (uint64_t)(8 * l + k));
            expected += hard_concrete_open((double)gates_of(&y, l)[k], c);
        }
    forward(&y, false, NULL);
    Forward f = { &y.t, &y.ps, NULL, &BATCH, SENTENCE, false };
    double found = tape_number(&y.t, encoder_gate_penalty(&f, &y.enc));
    assert_true(fabs(found - expected) < 1e-5);
}

static void assert_same(const Tensor *a, const Tensor *b)
{
    assert_true(a->rows == b->rows && a->cols == b->cols);
    assert_memory_equal(a->data, b->data, tensor_size(a) * sizeof(Real));
}

TEST(open_gates_are_no_gates)
{
    static const char *const stacks[] = { "label", "pal", "self label pal" };
    for (size_t k = 0; k < sizeof stacks / sizeof *stacks; k++)
        for (int kind = GATES_HARD_CONCRETE; kind <= GATES_FREE; kind++) {
            MADE(Net, net_init, net_fini, plain, NULL, GATES_AT_OUTPUT, 0);
            MADE(Net, net_init, net_fini, open, stacks[k], GATES_AT_OUTPUT, kind);
            forward(&plain, false, NULL);
            forward(&open, false, NULL);
            assert_same(open.out.fencepost, plain.out.fencepost);
        }
}

/* The output of a gated label head is the gate times what it is without, by both rules. */
TEST(gates_at_outputs_are_factors_on_outputs)
{
    static const Real log_alpha[LABEL_HEADS] = { -3, 0.6f, 3 };
    for (int binary = 0; binary < 2; binary++) {
        MADE(Net, net_init, net_fini, plain, NULL, GATES_AT_OUTPUT, 0);
        MADE(Net, net_init, net_fini, gated, "label", GATES_AT_OUTPUT, GATES_HARD_CONCRETE);
        memcpy(gates_of(&gated, LABEL), log_alpha, sizeof log_alpha);
        gated.enc.gate[LABEL].c.binary = binary;
        const double g[LABEL_HEADS] = { 0, binary ? 1 : 1.2 / (1 + exp(-0.6)) - 0.1, 1 };
        forward(&plain, false, NULL);
        forward(&gated, false, NULL);
        for (int r = 0; r < TOKENS; r++)
            for (int c = 0; c < LABEL_HEADS * PROJ; c++) {
                double want = g[c / PROJ] * (double)tensor_row(plain.out.lal, r)[c];
                assert_true(fabs((double)tensor_row(gated.out.lal, r)[c] - want) <= 1e-5 * (1 + fabs(want)));
                if (c < PROJ) assert_true(tensor_row(gated.out.lal, r)[c] == 0);
            }
        assert_same(gated.out.trace.probs, plain.out.trace.probs);
    }
}

/* A gate of projected attention is a factor on the values of its head, by both rules; the penultimate one is on
 * attention of a layer that has none. */
TEST(gates_of_projected_attention_are_factors_on_values)
{
    static const Real log_alpha[PAL_HEADS] = { 0.6f, -3 };
    for (int binary = 0; binary < 2; binary++) {
        MADE(Net, net_init, net_fini, scaled, NULL, GATES_AT_CONTEXT, 0);
        MADE(Net, net_init, net_fini, gated, "pal", GATES_AT_CONTEXT, GATES_HARD_CONCRETE);
        assert_true(gated.enc.gated[PAL] && !gated.enc.gated[PAL - 1]);
        memcpy(gates_of(&gated, PAL), log_alpha, sizeof log_alpha);
        gated.enc.gate[PAL].c.binary = binary;
        const double g[PAL_HEADS] = { binary ? 1 : 1.2 / (1 + exp(-0.6)) - 0.1, 0 };
        const ProjectedAttention *pa = &scaled.enc.pal[1];
        int w = pa->width / PAL_HEADS;
        for (int c = 0; c < pa->width; c++) {
            for (int r = 0; r < pa->width; r++) {
                Real *v = &param_values(&scaled.ps, pa->qkv[2])[r * pa->width + c];
                *v = (Real)(g[c / w] * (double)*v);
            }
            Real *b = &param_values(&scaled.ps, pa->qkv_bias[2])[c];
            *b = (Real)(g[c / w] * (double)*b);
        }
        forward(&scaled, false, NULL);
        forward(&gated, false, NULL);
        const Tensor *a = scaled.out.fencepost, *b = gated.out.fencepost;
        for (size_t i = 0; i < tensor_size(a); i++) assert_true(fabs((double)(a->data[i] - b->data[i])) < 2e-5);
    }
}

/* Constant gates are read layer by layer of self-attention, then label heads, then projected attention. */
TEST(constant_gates_are_in_the_order_of_stacks)
{
    MADE(Net, net_init, net_fini, y, "self label pal", GATES_AT_OUTPUT, GATES_CONSTANT);
    static const int layers[] = { 0, 1, LABEL, PAL };
    for (int k = 0, n = 0; k < 4; k++)
        for (int h = 0; h < y.enc.gate[layers[k]].heads; h++, n++)
            assert_true(gates_of(&y, layers[k])[h] == (Real)CONSTANT[n]);
}

/* ---- closed heads */

enum { CLOSED = 1 }; /* the head of layer 0 and of the label attention layer whose gate is 0; the others are 1 */

/* The gradient of a weighted sum of all fencepost vectors and, with guidance, of that of the closed heads. */
static Real *closed_backward(Net *y, bool guided)
{
    static const PatternSentence sentences[] = { { .n = 2 }, { .n = 3 } };
    static const int layers[] = { 0, LABEL }, head = CLOSED;
    Pattern pattern[2];
    PatternList list[] = { { 1, &pattern[0] }, { 1, &pattern[1] } };
    GuidanceTargets targets[2] = { { 0 } };
    MADE(Arena, arena_init, arena_fini, a, 4096);
    Real *gradient = mem_calloc(y->ps.trained, sizeof *gradient);
    for (int k = 0; k < 2; k++) {
        gates_of(y, layers[k])[CLOSED] = 0;
        assert_ok(pattern_read(&pattern[k], k ? "first" : "next", NULL, &a, test_error()));
        assert_ok(head_plan_add(&y->enc.plan, &list[k], USE_GUIDE, 1, &layers[k], &head, test_error()));
    }
    Tensor *terms[2] = { forward(y, true, gradient) };
    Forward f = { &y->t, &y->ps, gradient, &BATCH, SENTENCE, false };
    assert_ok(head_plan_targets(&y->enc.plan, sentences, &BATCH, targets, &a, test_error()));
    terms[1] = encoder_guidance(&f, &y->enc, &y->out, targets, GUIDANCE_ROW, EMPTY_UNIFORM, 2);
    Tensor *loss = op_weighted_sum(&y->t, terms, (const double[]){ 1, 1 }, guided ? 2 : 1);
    assert_int_equal(tape_backward(&y->t, loss), OK);
    for (int k = 0; k < 2; k++) guidance_targets_fini(&targets[k]);
    return gradient;
}

/* Is the gradient of a slice of a parameter exactly 0? */
static bool is_zero(const Net *y, const Real *gradient, const HeadSlice *s)
{
    const Param *p = &y->ps.p[s->param];
    for (int r = s->row; r < s->row + s->rows; r++)
        for (int c = s->col; c < s->col + s->cols; c++)
            if (gradient[p->offset + (size_t)(r * p->cols + c)] != 0) return false;
    return true;
}

/* The slices of self-attention are queries, keys, values and output of each half, those of a label head queries, keys
 * and values; the first two of each move under guidance. */
static void assert_learns(const Net *y, const Real *gradient, int layer, int head, bool queries_and_keys, bool others)
{
    HeadSlice s[HEAD_SLICES];
    int n = head_slices(&y->enc, layer, head, s), of_half = layer < LAYERS ? 4 : 3;
    assert_int_equal(n, 2 * of_half);
    for (int k = 0; k < n; k++) {
        bool want = k % of_half < 2 ? queries_and_keys : others;
        if (is_zero(y, gradient, &s[k]) == want) fail_msg("layer %d head %d: weights %d of the head", layer, head, k);
    }
    assert_true(gradient[y->ps.p[y->enc.gate[layer].param].offset + (size_t)head] != 0); /* the gate itself */
}

TEST(the_weights_of_a_closed_head_have_no_gradient_but_its_gate_has)
{
    MADE(Net, net_init, net_fini, y, "self label", GATES_AT_CONTEXT, GATES_FREE);
    FREED(free_pointer) Real *gradient = closed_backward(&y, false);
    for (int head = 0; head < 2; head++) {
        assert_learns(&y, gradient, 0, head, head != CLOSED, head != CLOSED);
        assert_learns(&y, gradient, LABEL, head, head != CLOSED, head != CLOSED);
    }
}

TEST(guidance_moves_the_queries_and_keys_of_a_closed_head_and_nothing_else_of_it)
{
    MADE(Net, net_init, net_fini, y, "self label", GATES_AT_CONTEXT, GATES_FREE);
    FREED(free_pointer) Real *gradient = closed_backward(&y, true);
    assert_learns(&y, gradient, 0, CLOSED, true, false);
    assert_learns(&y, gradient, LABEL, CLOSED, true, false);
}
