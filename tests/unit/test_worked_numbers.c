/* Relevance and importance of the smallest cases, computed by hand. */
#include "lal/head_importance.h"
#include "tensor/ops.h"
#include "tests/support/check.h"
#include "tests/support/checking_device.h"

static void assert_near(double found, double expected) { assert_within(found, expected, 1e-6); }

/* Numbers whose gradient is wanted. */
static Tensor *wanted(Tape *t, const Real *x, int rows, int cols)
{
    Tensor *y = tape_constant(t, x, rows, cols);
    y->needs_grad = true;
    return y;
}

static Tensor *first_of(Tape *t, Tensor *y)
{
    static const int at[] = { 0 };
    static const Real one[] = { 1 };
    return op_pick(t, y, at, at, one, 1, 0);
}

TEST(the_relevance_of_a_linear_map_is_its_terms)
{
    static const Real x[] = { 1, 2 }, w[] = { 3, -1 }, b[] = { (Real)0.5 };
    MADE(Tape, tape_init, tape_fini, t, test_device());
    tape_reset(&t, true, false, 0);
    Tensor *in = wanted(&t, x, 1, 2),
           *z = first_of(&t, op_linear(&t, in, wanted(&t, w, 2, 1), wanted(&t, b, 1, 1), false));
    assert_near(tape_number(&t, z), 1.5);
    assert_int_equal(tape_relevance(&t, z, &in, 1, NULL), OK);
    HostMatrix c = tensor_host_grad(&t, in, &t.host);
    assert_near((double)c.data[0] * 1, 3);
    assert_near((double)c.data[1] * 2, -2);
    assert_near(t.bias_part, 0.5);
}

TEST(the_relevance_of_a_norm_holds_its_divisor)
{
    static const Real x[] = { 1, 2, 3, 4 }, ones[] = { 1, 1, 1, 1 }, zeros[] = { 0, 0, 0, 0 };
    MADE(Tape, tape_init, tape_fini, t, test_device());
    tape_reset(&t, true, false, 0);
    Tensor *z = wanted(&t, x, 1, 4),
           *y = op_norm(&t, z, wanted(&t, ones, 1, 4), wanted(&t, zeros, 1, 4), NORM_UNBIASED_STD, 1e-3),
           *score = first_of(&t, y); /* the divisor is 1.290994 + .001 */
    assert_int_equal(tape_relevance(&t, score, &z, 1, NULL), OK);
    HostMatrix c = tensor_host_grad(&t, z, &t.host);
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        assert_near((double)c.data[k], k ? -.193499 : .580498);
        sum += (double)c.data[k] * (double)x[k];
    }
    assert_near(sum, -1.160996);
    assert_near(tape_number(&t, score), -1.160996);
}

/* L = (y - 5)^2 / 2 of y = w o, w = 3, o = 2: w dL/dw = o dL/do = 6, the derivative of L by a factor on o. */
TEST(taylor_importance_of_one_weight_is_that_of_its_gate)
{
    const double w = 3, o = 2, target = 5, slope = w * o - target, step = 1e-6;
    const HeadSlice slice = { 0, 0, 1, 0, 1 };
    const Real weight = (Real)w, gradient = (Real)(slope * o), context = (Real)o, dcontext = (Real)(slope * w);
    double sum = 0, squares = 0, gate, absolute;
    const int width = 1;
    head_slice_products(&weight, &gradient, 1, &slice, &sum, &squares);
    head_importance_contexts(&context, &dcontext, 1, 1, 1, &width, 1, &gate, &absolute);
    assert_near(sum, 6);
    assert_near(squares, 36);
    assert_near(gate, 6);
    double up = w * o * (1 + step) - target, down = w * o * (1 - step) - target;
    assert_near((up * up - down * down) / 2 / (2 * step), gate);
}
