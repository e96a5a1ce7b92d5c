/* Projected attention layers: their start, their gradients, masks and fixed
 * heads in them. */
#include <string.h>

#include "base/rng.h"
#include "lal/heads/attention_mask.h"
#include "lal/projected_attention.h"
#include "tensor/optimizer.h"
#include "tests/support/check.h"
#include "tests/support/weighted.h"

enum { D = 6, WIDTH = 4, HEADS = 2, TOKENS = 7 };
static const int START[] = { 0, 3, 7 };
static const Batch BATCH = { 2, START, TOKENS, 4 };
static const OptimizerConfig ADAM = { .n_threads = 1, .beta1 = 0.9, .beta2 = 0.98, .eps = 1e-9 };

typedef struct Layer {
    ParamSet ps;
    ProjectedAttention pa;
    Tape t;
    Optimizer o;
    Real x[TOKENS * D];
    const HeadControl *control;
    Tensor *probs;
} Layer;

static void layer_init(Layer *y)
{
    *y = (Layer){ 0 };
    params_init(&y->ps);
    assert_ok(projected_attention_declare(&y->pa, &y->ps, "encoder.pal_0", D, WIDTH, HEADS, HEADS, NULL, test_error()));
    assert_ok(params_finish(&y->ps, test_error()));
    projected_attention_init(&y->pa, &y->ps, 0.02, 1);
    assert_ok(optimizer_init(&y->o, &y->ps, device_cpu(), ADAM, test_error()));
    tape_init(&y->t, device_cpu());
    for (size_t i = 0; i < sizeof y->x / sizeof *y->x; i++) y->x[i] = (Real)rng_normal(3, i);
}

static void layer_fini(Layer *y)
{
    tape_fini(&y->t);
    optimizer_fini(&y->o);
    params_fini(&y->ps);
}

/* The output and, if it is not NULL, a loss in `loss`: the sum of all values, each with a weight of its own. */
static Tensor *forward(Layer *y, Real *grads, Tensor **loss)
{
    tape_reset(&y->t, true, false, 0);
    Forward f = { &y->t, &y->ps, grads, &BATCH, NULL, false };
    Tensor *x = tape_constant(&y->t, y->x, TOKENS, D),
           *out = projected_attention_forward(&f, &y->pa, x, 0, y->control, &y->probs);
    if (!out) fail_msg("%s", y->t.error.message);
    if (loss) *loss = weighted_total(&y->t, out, 4, 0);
    return out;
}

static void update(Layer *y, long number)
{
    Tensor *loss;
    optimizer_begin(&y->o, (const int[]){ 1 });
    forward(y, optimizer_gradients(&y->o, 0), &loss);
    assert_int_equal(tape_backward(&y->t, loss), OK);
    optimizer_add(&y->o, 0, 0);
    optimizer_step(&y->o, 0.01, number, optimizer_norm(&y->o));
}

/* Parameters that differ from `before`, as bits: bit k of parameter k. */
static unsigned moved(const Layer *y, const Real *before)
{
    unsigned bits = 0;
    for (int k = 0; k < y->ps.n; k++)
        if (memcmp(param_values(&y->ps, k), before + y->ps.p[k].offset, param_count(&y->ps.p[k]) * sizeof(Real)) != 0)
            bits |= 1u << k;
    return bits;
}

static unsigned bit(int param) { return 1u << param; }

TEST(at_first_the_layer_adds_nothing_and_after_two_updates_all_of_it_has_moved)
{
    MADE(Layer, layer_init, layer_fini, y);
    FREED(free_pointer) Real *before = mem_alloc(y.ps.size, sizeof *before);
    memcpy(before, params_values(&y.ps), y.ps.size * sizeof *before);
    Tensor *out = forward(&y, NULL, NULL);
    for (int k = 0; k < TOKENS * D; k++) assert_true(out->data[k] == 0);
    update(&y, 1);
    assert_int_equal(moved(&y, before), bit(y.pa.up) | bit(y.pa.up_bias));
    update(&y, 2);
    unsigned all = bit(y.ps.n) - 1, keys = bit(y.pa.qkv_bias[1]); /* a bias of all keys changes no softmax */
    assert_int_equal(moved(&y, before) | keys, all);
}

TEST(a_start_with_zeros_alone_never_moves_anything_but_the_last_bias)
{
    MADE(Layer, layer_init, layer_fini, y);
    memset(params_values(&y.ps), 0, y.ps.size * sizeof(Real));
    FREED(free_pointer) Real *before = mem_calloc(y.ps.size, sizeof *before);
    for (long k = 1; k <= 20; k++) update(&y, k);
    assert_int_equal(moved(&y, before), bit(y.pa.up_bias));
}

/* A mask on head 0, head 1 fixed to the next token. */
static HeadControl control_of(MaskSet *set, Arena *a)
{
    static const int slots[HEADS] = { 0, 1 }, fixed[HEADS] = { 0, 1 };
    uint8_t allowed[16];
    assert_ok(mask_set_init(set, &BATCH, 2, 0, a, test_error()));
    for (int b = 0; b < BATCH.n_sent; b++) {
        int m = START[b + 1] - START[b];
        for (int i = 0; i < m * m; i++) allowed[i] = i / m != i % m; /* all but itself */
        mask_set_pairs(set, 0, b, allowed);
        for (int i = 0; i < m * m; i++) allowed[i] = i / m + 1 == i % m;
        mask_set_pairs(set, 1, b, allowed);
    }
    return (HeadControl){ .mask = &set->mask, .slot_of_head = slots, .fixed = fixed };
}

TEST(patterns_act_on_its_heads)
{
    MaskSet set;
    MADE(Layer, layer_init, layer_fini, y);
    HeadControl control = control_of(&set, test_arena());
    y.control = &control;
    forward(&y, NULL, NULL);
    const Real *p = y.probs->data, *q = p + y.probs->cols; /* the first sentence: 3 tokens */
    for (int i = 0; i < 3; i++) assert_true(p[i * 3 + i] == 0);
    assert_true(q[1] == 1 && q[3 + 2] == 1);
    for (int j = 0; j < 3; j++) assert_true(fabs((double)q[6 + j] - 1.0 / 3) < 1e-6);
}

TEST(gradients_agree_with_finite_differences)
{
    /* float tells a wrong gradient from rounding only where it is very wrong */
    double h = sizeof(Real) < 8 ? 1e-2 : 1e-5, tolerance = sizeof(Real) < 8 ? 1e-2 : 1e-6;
    MaskSet set;
    MADE(Layer, layer_init, layer_fini, y);
    HeadControl control = control_of(&set, test_arena());
    for (int k = 0; k < y.ps.n; k++) param_init_normal(&y.ps, k, 1, 9);
    for (int controlled = 0; controlled < 2; controlled++) {
        Tensor *loss;
        double diff = 0, size = 0;
        y.control = controlled ? &control : NULL;
        FREED(free_pointer) Real *g = mem_calloc(y.ps.trained, sizeof *g);
        forward(&y, g, &loss);
        assert_int_equal(tape_backward(&y.t, loss), OK);
        for (int k = 0; k < y.ps.n; k++)
            for (size_t i = 0; i < param_count(&y.ps.p[k]); i++) {
                Real *w = param_values(&y.ps, k) + i, keep = *w;
                *w = (Real)((double)keep + h);
                forward(&y, NULL, &loss);
                double up = tape_number(&y.t, loss);
                *w = (Real)((double)keep - h);
                forward(&y, NULL, &loss);
                double want = (up - tape_number(&y.t, loss)) / 2 / h, found = (double)g[y.ps.p[k].offset + i];
                *w = keep;
                diff += (want - found) * (want - found);
                size += want * want;
            }
        if (sqrt(diff) > tolerance * sqrt(size)) fail_msg("relative error %.2e", sqrt(diff / size));
    }
}

TEST(layers_may_share_their_projections)
{
    ProjectedAttention first, second;
    MADE(ParamSet, params_init, params_fini, ps);
    assert_ok(projected_attention_declare(&first, &ps, "encoder.pal_0", D, WIDTH, HEADS, HEADS, NULL, test_error()));
    assert_ok(projected_attention_declare(&second, &ps, "encoder.pal_1", D, WIDTH, HEADS, HEADS, &first, test_error()));
    assert_int_equal(ps.n, 16);
    assert_true(second.down == first.down && second.up_bias == first.up_bias && second.qkv[0] != first.qkv[0]);
    assert_fails_with(projected_attention_declare(&first, &ps, "encoder.pal_2", D, 250, 4, 4, NULL, test_error()),
                      ERR_CONFIG, "encoder.pal_2: width 250 is not a multiple of its heads, 4");
}

/* The sizes of the paper: 256 wide beside vectors of 768 and 1,024. */
TEST(a_layer_has_the_number_of_parameters_of_the_paper)
{
    static const int sizes[][2] = { { 768, 591616 }, { 1024, 722944 } };
    for (int k = 0; k < 2; k++) {
        ProjectedAttention pa;
        MADE(ParamSet, params_init, params_fini, ps);
        assert_ok(projected_attention_declare(&pa, &ps, "pal", sizes[k][0], 256, 4, 4, NULL, test_error()));
        assert_int_equal(params_total(&ps), sizes[k][1]);
    }
}
