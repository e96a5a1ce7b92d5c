/* Every op of the case table against finite differences, in double: relative L2 error below 1e-6 with h = 1e-5. In a
 * float build the same cases only have to run and give finite numbers: float cannot tell a wrong gradient from
 * rounding. On another device than the CPU losses, gradients and relevances are compared with the CPU's as well; on
 * CUDA, which is emulated (tests/cuda/emulator.h), they are compared instead: differences take too many passes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "tensor/cuda/gpu.h"
#include "tests/grad/case_run.h"
#include "tests/support/checking_device.h"
#include "tests/support/test.h"

/* Cases that a device could not run for lack of a kernel. */
static const GradCase *skipped[400];
static int n_skipped;

/* Whether the case ran. One that needs a kernel which the device lacks is skipped. */
static bool ran(const GradCase *c, const Tape *t)
{
    if (t->error.code == OK) return true;
    if (t->error.code != ERR_CONFIG || !strstr(t->error.message, " kernel on "))
        fail_msg("%s: %s", c->name, t->error.message);
    for (int k = 0; k < n_skipped; k++)
        if (skipped[k] == c) return false;
    printf("skipped %s\n", t->error.message);
    skipped[n_skipped++] = c;
    return false;
}

/* One parameter's gradient against differences of the loss. */
static void check_param(const GradCase *c, Tape *t, CaseParams *p, const Dims *d, int k)
{
    double diff = 0, size = 0;
    for (size_t i = 0; i < case_size_of(p, k); i++) {
        if (!isfinite((double)p->grad[k][i])) fail_msg("%s: parameter %d: gradient %zu", c->name, k, i);
        if (sizeof(Real) < 8 || test_device_any() == device_cuda()) continue;
        Real keep = p->value[k][i];
        p->value[k][i] = (Real)((double)keep + 1e-5);
        double up = case_run(c, t, p, d, CASE_FORWARD);
        p->value[k][i] = (Real)((double)keep - 1e-5);
        double want = (up - case_run(c, t, p, d, CASE_FORWARD)) / 2e-5;
        p->value[k][i] = keep;
        diff += (want - (double)p->grad[k][i]) * (want - (double)p->grad[k][i]);
        size += want * want;
    }
    if (!(sqrt(diff) <= 1e-6 * fmax(sqrt(size), 1e-2)))
        fail_msg("%s: parameter %d: relative error %.2e", c->name, k, sqrt(diff / fmax(size, 1e-300)));
}

static void check(const GradCase *c, const Dims *d)
{
    FREED(case_params_free) CaseParams p;
    MADE(Tape, tape_init, tape_fini, t, test_device_any());
    case_params_make(c, d, &p, test_device_any());
    case_run(c, &t, &p, d, CASE_BACKWARD);
    if (d->apart && t.error.code == ERR_RANGE) return; /* this op takes no view */
    for (int k = 0, all = ran(c, &t) ? p.n : 0; k < all; k++) check_param(c, &t, &p, d, k);
}

static void check_all(const int *start, int n_sent, int longest)
{
    Batch b = { n_sent, start, start[n_sent], longest };
    Dims d = { &b, 10, 6, 3, 4, 9, 0 };
    for (const GradCase *c = GRAD_CASES; c->name; c++) check(c, &d);
}

TEST(gradients_agree_with_finite_differences)
{
    static const int start[] = { 0, 4, 9, 11 };
    check_all(start, 3, 5);
}

TEST(gradients_of_sentences_of_one_token_agree)
{
    static const int start[] = { 0, 1, 3 };
    check_all(start, 2, 2);
}

TEST(gradients_of_views_at_odd_places_agree)
{
    static const int start[] = { 0, 4, 5 };
    Batch b = { 2, start, 5, 4 };
    for (int apart = 1; apart < 4; apart += 2) {
        Dims d = { &b, 10, 6, 3, 4, 9, apart }, narrow = { &b, 2, 2, 3, 1, 1, apart };
        for (const GradCase *c = GRAD_CASES; c->name; c++) {
            check(c, &d);
            check(c, &narrow);
        }
    }
}

TEST(gradients_of_narrow_operands_agree)
{
    static const int start[] = { 0, 1, 3 };
    Batch b = { 2, start, 3, 2 };
    for (int spans = 0; spans < 2; spans++) {
        Dims d = { &b, 2, 2, 3, 1, spans, 0 };
        for (const GradCase *c = GRAD_CASES; c->name; c++) check(c, &d);
    }
}

TEST(gradients_of_an_empty_batch_agree)
{
    static const int start[] = { 0 };
    check_all(start, 0, 0);
}

/* Difference of n numbers, relative to their size or `least`. */
static void agree(const GradCase *c, const char *what, const Real *a, const Real *b, size_t n, double least)
{
    double diff = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        diff += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        size += (double)b[i] * (double)b[i];
    }
    if (!(sqrt(diff) <= (sizeof(Real) < 8 ? 1e-5 : 1e-12) * fmax(sqrt(size), least)))
        fail_msg("%s: %s: relative difference %.2e", c->name, what, sqrt(diff / fmax(size, 1e-300)));
}

static void compare_with_cpu(const GradCase *c, const Dims *d, CaseWalk walk)
{
    FREED(case_params_free) CaseParams p, q;
    char what[40];
    MADE(Tape, tape_init, tape_fini, t, test_device_any());
    MADE(Tape, tape_init, tape_fini, u, device_cpu());
    case_params_make(c, d, &p, t.device);
    case_params_make(c, d, &q, u.device);
    Real found = (Real)case_run(c, &t, &p, d, walk), expected = (Real)case_run(c, &u, &q, d, walk);
    if (ran(c, &t)) {
        Real part = (Real)t.bias_part, want = (Real)u.bias_part;
        agree(c, "loss", &found, &expected, 1, sqrt(p.outputs)); /* terms of either sign, about 1 each */
        if (walk == CASE_RELEVANCE) agree(c, "part of the biases", &part, &want, 1, 1e-2);
        for (int k = 0; k < p.n; k++) {
            snprintf(what, sizeof what, "%s of parameter %d", walk == CASE_RELEVANCE ? "relevance" : "gradient", k);
            agree(c, what, p.grad[k], q.grad[k], case_size_of(&p, k), 1e-2);
        }
    }
}

/* At sizes where rows have more numbers than a block has threads, and some sentences more tokens than a warp or a tile
 * of pairs (tensor/cuda/tile.h). */
TEST(the_device_agrees_with_the_cpu)
{
    static const int start[] = { 0, 37, 38, 71, 75 };
    Batch b = { 4, start, 75, 37 };
    static const int long_start[] = { 0, 130, 131, 197 };
    Batch longer = { 3, long_start, 197, 130 };
    Dims small = { &b, 36, 20, 3, 5, 70, 0 }, wide = { &b, 300, 6, 3, 4, 9, 0 }, tall = { &longer, 10, 70, 3, 4, 9, 0 };
    if (test_device_any() == device_cpu()) skip();
    for (const GradCase *c = GRAD_CASES; c->name; c++) {
        compare_with_cpu(c, &small, CASE_BACKWARD);
        compare_with_cpu(c, &small, CASE_RELEVANCE);
        compare_with_cpu(c, &wide, CASE_BACKWARD);
        compare_with_cpu(c, &tall, CASE_FORWARD);
        compare_with_cpu(c, &tall, CASE_BACKWARD);
        compare_with_cpu(c, &tall, CASE_RELEVANCE);
    }
}

TEST(wrong_shapes_are_refused_with_a_message)
{
    MADE(Tape, tape_init, tape_fini, t, test_device_any());
    tape_reset(&t, true, false, 0);
    Tensor *x = tape_new(&t, 3, 4), *w = tape_new(&t, 5, 2);
    assert_null(op_linear(&t, x, w, NULL, false));
    assert_int_equal(tape_status(&t), ERR_RANGE);
    assert_string_equal(t.error.message, "linear: [3, 4] x [5, 2] -> [3, 2]");
    assert_null(op_relu(&t, NULL)); /* an earlier op failed: its message stands */
}

TEST(running_out_of_memory_is_reported_at_every_allocation)
{
    for (long n = 0; n < 40; n++) { /* large enough that every op needs a new block of an arena */
        FREED(free_pointer) Real *x = mem_calloc(4000 * 1000, sizeof *x), *g = mem_calloc(4000 * 1000, sizeof *g);
        int start[] = { 0, 4000 };
        Batch b = { 1, start, 4000, 4000 };
        MADE(Tape, tape_init, tape_fini, t, device_cpu());
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
    }
}

TEST(only_a_device_that_lacks_kernels_leaves_cases_out)
{
    if (n_skipped && !device_lacks(test_device_any())) fail_msg("%d cases were skipped", n_skipped);
    if (n_skipped) print_message("skipped %d cases\n", n_skipped);
    if (n_skipped) skip();
}
