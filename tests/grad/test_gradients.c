/* tests/grad/test_gradients.c
 * Every op of the case table against finite differences, in double: relative L2 error below 1e-6 with h = 1e-5. In a
 * float build the same cases only have to run and give finite numbers: float cannot tell a wrong gradient from
 * rounding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "tests/grad/cases.h"
#include "tests/support/checking_device.h"

typedef struct Params {
    Real *value[CASE_MAX_PARAMS], *grad[CASE_MAX_PARAMS];      /* in host memory */
    Real *on_device[CASE_MAX_PARAMS], *dgrad[CASE_MAX_PARAMS]; /* the same on the device */
    int rows[CASE_MAX_PARAMS], cols[CASE_MAX_PARAMS], n;
} Params;

/* sum of all outputs, each with its own weight. */
static Tensor *scalar(Tape *t, Tensor *y)
{
    if (!y) return NULL;
    int n = y->rows * y->cols, *r = tape_host(t, (size_t)n + 1, sizeof *r), *c = tape_host(t, (size_t)n + 1, sizeof *c);
    Real *w = tape_host(t, (size_t)n + 1, sizeof *w);
    for (int k = 0; k < n; k++) {
        r[k] = k / y->cols;
        c[k] = k % y->cols;
        w[k] = (Real)rng_normal(99, (uint64_t)k);
    }
    return op_pick(t, y, r, c, w, n, 0);
}

static size_t size_of(const Params *p, int k) { return (size_t)p->rows[k] * (size_t)p->cols[k]; }

static double run(const GradCase *c, Tape *t, Params *p, const Dims *d, bool backward)
{
    Tensor *in[CASE_MAX_PARAMS];
    tape_reset(t, backward, true, 12345);
    for (int k = 0; k < p->n; k++) {
        t->device->upload(p->on_device[k], p->value[k], size_of(p, k) * sizeof(Real), NULL);
        in[k] = tape_wrap(t, p->on_device[k], p->dgrad[k], p->rows[k], p->cols[k], true);
    }
    Tensor *loss = scalar(t, c->build(t, in, d));
    if (!loss) fail_msg("%s: %s", c->name, t->error.message);
    if (backward) assert_int_equal(tape_backward(t, loss), OK);
    for (int k = 0; backward && k < p->n; k++)
        assert_true(tape_download(t, p->grad[k], p->dgrad[k], size_of(p, k) * sizeof(Real)));
    return tape_number(t, loss);
}

static void params_make(const GradCase *c, const Dims *d, Params *p)
{
    p->n = case_params(c);
    for (int k = 0; k < p->n; k++) {
        case_shape(c->shape[k], d, &p->rows[k], &p->cols[k]);
        size_t n = size_of(p, k);
        p->value[k] = mem_calloc(n, sizeof(Real));
        p->grad[k] = mem_calloc(n, sizeof(Real));
        p->on_device[k] = device_zeros(test_device(), n);
        p->dgrad[k] = device_zeros(test_device(), n);
        for (size_t i = 0; i < n; i++) {
            double x = rng_normal((uint64_t)k + 1, i);
            p->value[k][i] = (Real)(x + (x < 0 ? -0.05 : 0.05)); /* away from the kink of ReLU */
        }
    }
}

static void params_free(Params *p)
{
    for (int k = 0; k < p->n; k++) {
        mem_free(p->value[k]);
        mem_free(p->grad[k]);
        test_device()->free(p->on_device[k]);
        test_device()->free(p->dgrad[k]);
    }
}

static void check(const GradCase *c, const Dims *d)
{
    Tape t;
    Params p;
    tape_init(&t, test_device());
    params_make(c, d, &p);
    run(c, &t, &p, d, true);
    for (int k = 0; k < p.n; k++) {
        double diff = 0, size = 0;
        size_t n = size_of(&p, k);
        for (size_t i = 0; i < n; i++) {
            assert_true(isfinite((double)p.grad[k][i]));
            if (sizeof(Real) < 8) continue;
            Real keep = p.value[k][i];
            p.value[k][i] = (Real)((double)keep + 1e-5);
            double up = run(c, &t, &p, d, false);
            p.value[k][i] = (Real)((double)keep - 1e-5);
            double want = (up - run(c, &t, &p, d, false)) / 2e-5;
            p.value[k][i] = keep;
            diff += (want - (double)p.grad[k][i]) * (want - (double)p.grad[k][i]);
            size += want * want;
        }
        if (sqrt(diff) > 1e-6 * fmax(sqrt(size), 1e-2))
            fail_msg("%s: parameter %d: relative error %.2e", c->name, k, sqrt(diff / fmax(size, 1e-300)));
    }
    params_free(&p);
    tape_fini(&t);
}

static void check_all(const int *start, int n_sent, int longest)
{
    Batch b = { n_sent, start, start[n_sent], longest };
    Dims d = { &b, 10, 6, 3, 4, 9 };
    for (const GradCase *c = GRAD_CASES; c->name; c++) check(c, &d);
}

static void gradients_agree_with_finite_differences(void **state)
{
    (void)state;
    static const int start[] = { 0, 4, 9, 11 };
    check_all(start, 3, 5);
}

static void one_token_sentences_work(void **state)
{
    (void)state;
    static const int start[] = { 0, 1, 3 };
    check_all(start, 2, 2);
}

static void an_empty_batch_works(void **state)
{
    (void)state;
    static const int start[] = { 0 };
    check_all(start, 0, 0);
}

static void wrong_shapes_are_refused_with_a_message(void **state)
{
    (void)state;
    Tape t;
    tape_init(&t, test_device());
    tape_reset(&t, true, false, 0);
    Tensor *x = tape_new(&t, 3, 4), *w = tape_new(&t, 5, 2);
    assert_null(op_linear(&t, x, w, NULL, false));
    assert_int_equal(tape_status(&t), ERR_RANGE);
    assert_string_equal(t.error.message, "linear: [3, 4] x [5, 2] -> [3, 2]");
    assert_null(op_relu(&t, NULL)); /* an earlier op failed: its message stands */
    tape_fini(&t);
}

static void running_out_of_memory_is_reported_at_every_allocation(void **state)
{
    (void)state;
    for (long n = 0; n < 40; n++) { /* large enough that every op needs a new block of an arena */
        Tape t;
        Real *x = mem_calloc(4000 * 1000, sizeof *x), *g = mem_calloc(4000 * 1000, sizeof *g);
        int start[] = { 0, 4000 };
        Batch b = { 1, start, 4000, 4000 };
        tape_init(&t, device_cpu());
        tape_reset(&t, true, true, 1);
        mem_fail_after(n);
        Tensor *in = tape_wrap(&t, x, g, 4000, 1000, true);
        Tensor *y = op_dropout(&t, op_relu(&t, op_add(&t, in, in)), 0.5, NULL);
        int *source = tape_host(&t, 1000, sizeof *source);
        for (int k = 0; source && k < 1000; k++) source[k] = k;
        Tensor *f = source ? op_fenceposts(&t, y, source, &b) : NULL;
        static const int at[1] = { 0 };
        static const Real one[1] = { 1 };
        Tensor *loss = op_pick(&t, f, at, at, one, 1, 0);
        Status s = loss ? tape_backward(&t, loss) : tape_status(&t);
        mem_fail_after(-1);
        assert_true(s == OK ? loss != NULL : s == ERR_NOMEM);
        if (n == 0) assert_int_equal(s, ERR_NOMEM);
        if (n == 39) assert_int_equal(s, OK);
        mem_free(x);
        mem_free(g);
        tape_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_finite_differences),
        cmocka_unit_test(one_token_sentences_work),
        cmocka_unit_test(an_empty_batch_works),
        cmocka_unit_test(wrong_shapes_are_refused_with_a_message),
        cmocka_unit_test(running_out_of_memory_is_reported_at_every_allocation),
    };
    return cmocka_run_group_tests_name("gradients " REAL_NAME, tests, NULL, NULL);
}
