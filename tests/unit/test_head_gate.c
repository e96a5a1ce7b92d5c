/* Gates of heads, and the sum of the probabilities that they are open. */
#include <math.h>
#include <string.h>

#include "lal/heads/head_gate.h"
#include "tests/support/check.h"
#include "tests/support/checking_device.h"

static const HardConcrete DEFAULT = { 0.33, -0.1, 1.1, false };

/* The gate of one head with log_alpha and a draw, and its slope, by the op. */
static double gate_of(double log_alpha, double u, HardConcrete c, double *slope)
{
    Real host = (Real)log_alpha, gradient;
    static const int at[1] = { 0 };
    static const Real one[1] = { 1 };
    MADE(Tape, tape_init, tape_fini, t, test_device());
    tape_reset(&t, true, true, 0);
    Tensor *x = tape_constant(&t, &host, 1, 1);
    x->needs_grad = true;
    Tensor *y = op_hard_concrete(&t, x, &u, c);
    assert_non_null(y);
    double gate = tape_number(&t, y);
    assert_int_equal(tape_backward(&t, op_pick(&t, y, at, at, one, 1, 0)), OK);
    assert_true(tape_download(&t, &gradient, tape_grad_of(x), sizeof gradient));
    *slope = (double)gradient;
    return gate;
}

TEST(gates_have_the_values_that_were_computed_by_hand)
{
    static const struct {
        double log_alpha, u, beta, gate, slope, open, evaluated;
    } rows[] = { { 0, 0.5, 0.33, 0.5, 0.909091, 0.688112, 0.5 },
                 { 2.5, 0.01, 0.33, 0, 0, 0.964129, 1 },
                 { -2.5, 0.99, 0.33, 1, 0, 0.153333, 0 }, /* a draw may open a closed head */
                 { 0.3, 0.6, 2.0 / 3, 0.790815, 0.344283, 0.869733, 0.589331 } };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        HardConcrete c = { rows[k].beta, -0.1, 1.1, false };
        double slope, gate = gate_of(rows[k].log_alpha, rows[k].u, c, &slope);
        assert_within(gate, rows[k].gate, 1e-6);
        assert_within(slope, rows[k].slope, 1e-6);
        assert_within(hard_concrete_open(rows[k].log_alpha, c), rows[k].open, 1e-6);
        assert_within(hard_concrete_evaluated(rows[k].log_alpha, c), rows[k].evaluated, 1e-6);
    }
    assert_within(hard_concrete_one(0, DEFAULT), 0.311888, 1e-6);
}

/* 1e6 draws of a log_alpha: the shares of gates that are not 0, and that are 1. */
static void count_draws(double log_alpha, double *open, double *one)
{
    enum { HEADS = 1000, BATCHES = 1000 };
    static Real x[HEADS], gates[HEADS];
    static double u[HEADS];
    HeadGate g = { GATES_HARD_CONCRETE, DEFAULT, HEADS, 0 };
    long not_zero = 0, ones = 0;
    MADE(Tape, tape_init, tape_fini, t, device_cpu());
    for (int h = 0; h < HEADS; h++) x[h] = (Real)log_alpha;
    for (int batch = 0; batch < BATCHES; batch++) {
        tape_reset(&t, false, true, 0);
        head_gate_draw(&g, (uint64_t)batch, u);
        Tensor *y = op_hard_concrete(&t, tape_constant(&t, x, 1, HEADS), u, DEFAULT);
        assert_non_null(y);
        assert_true(tensor_download(&t, y, gates));
        for (int h = 0; h < HEADS; h++) not_zero += gates[h] != 0, ones += gates[h] == 1;
    }
    *open = (double)not_zero / HEADS / BATCHES;
    *one = (double)ones / HEADS / BATCHES;
}

TEST(a_million_draws_have_the_probabilities_of_the_formulas)
{
    static const double values[] = { -2.5, -0.7, 0, 0.4, 2.5 };
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        double open, one, p = hard_concrete_open(values[k], DEFAULT), q = hard_concrete_one(values[k], DEFAULT);
        count_draws(values[k], &open, &one);
        assert_within(open, p, 3 * sqrt(p * (1 - p) / 1e6));
        assert_within(one, q, 3 * sqrt(q * (1 - q) / 1e6));
    }
}

/* ---- gates of a layer */

typedef struct Layer {
    ParamSet ps;
    HeadGate gate;
    Tape t;
    Forward f;
    Real gradient[64];
} Layer;

static void layer_init(Layer *y, GateKind kind, HardConcrete c, const double *values, int heads)
{
    params_init(&y->ps);
    assert_ok(head_gate_declare(&y->gate, &y->ps, "encoder.attn_1", heads, kind, c, 10, test_error()));
    assert_ok(params_finish(&y->ps, test_error()));
    head_gate_init(&y->gate, &y->ps, 2.5);
    for (int h = 0; values && h < heads; h++) param_values(&y->ps, y->gate.param)[h] = (Real)values[h];
    memset(y->gradient, 0, sizeof y->gradient);
    tape_init(&y->t, device_cpu());
    tape_reset(&y->t, true, true, 0);
    y->f = (Forward){ &y->t, &y->ps, y->gradient, NULL, NULL, false };
}

static void layer_fini(Layer *y)
{
    tape_fini(&y->t);
    params_fini(&y->ps);
}

static const double FOUR[] = { 2.5, -3, 0.2, 1.1 };

TEST(the_penalty_is_the_expected_number_of_open_gates)
{
    MADE(Layer, layer_init, layer_fini, y, GATES_HARD_CONCRETE, DEFAULT, FOUR, 4);
    Tensor *penalty = head_gate_penalty(&y.f, &y.gate), *loss = penalty;
    double lambda = 0.05, gates[4];
    loss = op_weighted_sum(&y.t, &penalty, &lambda, 1);
    assert_within(tape_number(&y.t, loss), 0.133068, 1e-6);
    assert_int_equal(tape_backward(&y.t, loss), OK);
    for (int h = 0; h < 4; h++) {
        double step = 1e-4, up = hard_concrete_open(FOUR[h] + step, DEFAULT),
               down = hard_concrete_open(FOUR[h] - step, DEFAULT);
        assert_within((double)y.gradient[h], lambda * (up - down) / 2 / step, 1e-6);
    }
    assert_ok(head_gate_values(&y.gate, &y.ps, gates, test_error()));
    assert_true(gates[0] == 1 && gates[1] == 0 && gates[2] > 0 && gates[3] > 0);
    assert_int_equal(head_gate_open(gates, 4), 3);
    assert_int_equal(head_gate_between(gates, 4), 2);
}

TEST(the_binary_rule_closes_a_gate_whose_log_alpha_is_negative)
{
    static const double values[] = { 0.01, 3, -0.01, -3 };
    HardConcrete c = DEFAULT;
    double gates[4];
    c.binary = true;
    MADE(Layer, layer_init, layer_fini, y, GATES_HARD_CONCRETE, c, values, 4);
    assert_ok(head_gate_values(&y.gate, &y.ps, gates, test_error()));
    assert_true(gates[0] == 1 && gates[1] == 1 && gates[2] == 0 && gates[3] == 0);
}

static void gates_of(Layer *y, uint64_t key, Real *gates)
{
    Tensor *g = head_gate_forward(&y->f, &y->gate, key);
    assert_non_null(g);
    assert_true(tensor_download(&y->t, g, gates));
}

TEST(sub_batches_of_one_key_share_their_gates_and_layers_do_not)
{
    static const double zeros[8] = { 0 };
    Real a[8], b[8], c[8], d[8];
    MADE(Layer, layer_init, layer_fini, y, GATES_HARD_CONCRETE, DEFAULT, zeros, 8);
    gates_of(&y, 5, a);
    tape_reset(&y.t, true, true, 99); /* another sub-batch has another key of dropout */
    gates_of(&y, 5, b);
    gates_of(&y, 6, c);
    assert_memory_equal(a, b, sizeof a);
    assert_true(memcmp(a, c, sizeof a) != 0);
    HeadGate other = y.gate;
    double u[8], v[8];
    other.param++;
    head_gate_draw(&y.gate, 5, u);
    head_gate_draw(&other, 5, v);
    assert_true(memcmp(u, v, sizeof u) != 0);
    y.t.training = false;
    gates_of(&y, 5, d);
    for (int h = 0; h < 8; h++) assert_within((double)d[h], 0.5, 1e-7);
}

TEST(gates_are_1_at_first_and_have_a_learning_rate_of_their_own)
{
    for (int kind = GATES_HARD_CONCRETE; kind <= GATES_CONSTANT; kind++) {
        Real gates[3];
        FREED(layer_fini) Layer y;
        if (kind == GATES_CONSTANT) { /* the set would have nothing to train */
            params_init(&y.ps);
            assert_ok(head_gate_declare(&y.gate, &y.ps, "a", 3, GATES_CONSTANT, DEFAULT, 10, test_error()));
            assert_true(y.ps.p[0].frozen);
            assert_string_equal(y.ps.p[0].name, "a.gate.constant");
            params_fini(&y.ps);
            continue;
        }
        layer_init(&y, (GateKind)kind, DEFAULT, NULL, 3);
        assert_string_equal(y.ps.p[0].name,
                            kind == GATES_FREE ? "encoder.attn_1.gate.factor" : "encoder.attn_1.gate.log_alpha");
        assert_true(y.ps.group[0].rate == 10 && y.ps.group[0].decay == 0);
        y.t.training = false;
        gates_of(&y, 1, gates);
        for (int h = 0; h < 3; h++) assert_true(gates[h] == 1);
        assert_true((head_gate_penalty(&y.f, &y.gate) != NULL) == (kind == GATES_HARD_CONCRETE));
    }
}

TEST(a_log_alpha_that_is_no_number_is_an_error_with_its_name)
{
    static const double values[] = { 1, NAN };
    double gates[2];
    MADE(Layer, layer_init, layer_fini, y, GATES_HARD_CONCRETE, DEFAULT, values, 2);
    assert_fails_with(head_gate_values(&y.gate, &y.ps, gates, test_error()), ERR_RANGE,
                      "encoder.attn_1.gate.log_alpha[1] is ");
    assert_fails_with(head_gate_values(&y.gate, &y.ps, gates, test_error()), ERR_RANGE,
                      "nan, expected a finite number");
}

TEST(draws_outside_of_0_and_1_are_refused)
{
    static const double bad[] = { 0, 1, -1, NAN };
    for (int k = 0; k < 4; k++) {
        MADE(Layer, layer_init, layer_fini, y, GATES_HARD_CONCRETE, DEFAULT, NULL, 1);
        assert_null(op_hard_concrete(&y.t, forward_param(&y.f, y.gate.param), &bad[k], DEFAULT));
        assert_int_equal(tape_status(&y.t), ERR_RANGE);
    }
}
