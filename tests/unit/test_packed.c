/* tests/unit/test_packed.c: products with packed weights (tensor/cpu/packed.h), against loops. Where oneDNN or its fast
 * kernels are not there, that is reported and nothing is compared. */
#include <string.h>

#include "base/rng.h"
#include "base/thread.h"
#include "tensor/cpu/cpu.h"
#include "tensor/cpu/packed.h"
#include "tensor/int8.h"
#include "tensor/params.h"
#include "tests/support/check.h"

enum { MOST_ROWS = 700, MOST_K = 330, MOST_N = 400, LD = 420 };
static Real x[MOST_ROWS * LD], y[MOST_ROWS * LD], expected[MOST_ROWS * LD];

/* A parameter [k, n] on a tape, with a place for packed copies. */
typedef struct Case {
    ParamSet ps;
    Tape t;
    Weight w;
} Case;

static void case_init(Case *c, int k, int n)
{
    int number;
    params_init(&c->ps);
    assert_int_equal(params_add(&c->ps, "w", 2, (int[]){ k, n }, &number, NULL), OK);
    assert_int_equal(params_finish(&c->ps, NULL), OK);
    param_init_normal(&c->ps, 0, 1, 3);
    assert_int_equal(params_constant(&c->ps, device_cpu(), NULL), OK);
    tape_init(&c->t, device_cpu());
    tape_reset(&c->t, false, false, 0);
    c->w = *param_tensor(&c->t, &c->ps, 0, NULL)->weight;
    for (int i = 0; i < MOST_ROWS * LD; i++) x[i] = (Real)rng_normal(1, (uint64_t)i);
}

static void case_fini(Case *c)
{
    tape_fini(&c->t);
    params_fini(&c->ps);
}

static bool available(void)
{
    MADE(Case, case_init, case_fini, c, 32, 32);
    bool there = cpu_packed_product(y, LD, x, LD, 20, &c.w, NULL, false);
    if (!there) print_message("skipped: no fast products of oneDNN\n");
    return there;
}

static void need_products(void)
{
    if (!available()) skip();
}

static const int SHAPES[][2] = {
    { 160, 384 }, { 320, 160 }, { 33, 17 }, { 128, 142 }, { 64, 16 }, { 48, 400 }, { 7, 5 }
};
enum { N_SHAPES = sizeof SHAPES / sizeof *SHAPES };

TEST(products_with_packed_weights_are_those_of_loops)
{
    static const int rows[] = { 1, 2, 15, 16, 17, 63, 80, 255, 256, 257, 600, 700 };
    static Real product[MOST_ROWS * MOST_N];
    need_products();
    for (int s = 0; s < N_SHAPES; s++) {
        int k = SHAPES[s][0], n = SHAPES[s][1];
        MADE(Case, case_init, case_fini, c, k, n);
        for (int way = 0; way < 2; way++) {
            int ldx = way ? k : LD;
            cpu_plain_product(false, false, MOST_ROWS, n, k, 1, x, ldx, c.w.values, n, 0, product, n);
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
                for (int kind = 0; kind < 8; kind++) {
                    int ldy = kind & 1 ? n : LD, m = rows[r];
                    const Real *bias = kind & 2 ? x : NULL;
                    for (int i = 0; i < MOST_ROWS * LD; i++) y[i] = expected[i] = 77;
                    for (int i = 0; i < m; i++) memcpy(expected + i * ldy, product + i * n, (size_t)n * sizeof *y);
                    assert_true(cpu_packed_product(y, ldy, x, ldx, m, &c.w, bias, kind & 4));
                    cpu_bias_act(expected, ldy, bias, m, n, kind & 4);
                    assert_close(y, expected, MOST_ROWS * LD, 1e-5, 1e-5 * sqrt(k)); /* and nothing beyond y */
                }
        }
    }
}

/* To the bit: a sentence has the same scores in every batch. */
TEST(a_row_does_not_depend_on_the_rows_around_it)
{
    need_products();
    static const Products operands[] = { PRODUCTS_REAL, PRODUCTS_BF16, PRODUCTS_INT8 };
    for (int o = 0; o < 3; o++) {
        cpu_packed_operands(operands[o]);
        for (int s = 0; s < N_SHAPES; s++) {
            int k = SHAPES[s][0], n = SHAPES[s][1];
            MADE(Case, case_init, case_fini, c, k, n);
            bool there = cpu_packed_product(expected, LD, x, LD, MOST_ROWS, &c.w, NULL, false);
            for (int from = 0, m = 1; there && from + m <= MOST_ROWS; from += m, m = 1 + (3 * m) % 290) {
                assert_true(cpu_packed_product(y, LD, x + (ptrdiff_t)from * LD, LD, m, &c.w, NULL, false));
                for (int r = 0; r < m; r++)
                    assert_memory_equal(y + r * LD, expected + (from + r) * LD, (size_t)n * sizeof *y);
            }
        }
    }
    cpu_packed_operands(PRODUCTS_REAL);
}

TEST(operands_are_rounded_if_asked_for)
{
    need_products();
    MADE(Case, case_init, case_fini, c, 160, 384);
    static Real exact[100 * LD];
    assert_true(cpu_packed_product(exact, LD, x, LD, 100, &c.w, NULL, false));
    cpu_packed_operands(PRODUCTS_BF16);
    bool there = cpu_packed_product(y, LD, x, LD, 100, &c.w, NULL, false);
    cpu_packed_operands(PRODUCTS_REAL);
    double worst = 0;
    for (int r = 0; r < 100; r++)
        for (int i = 0; i < 384; i++) worst = fmax(worst, fabs((double)(y[r * LD + i] - exact[r * LD + i])));
    if (there) assert_true(worst > 1e-3 && worst < 0.5); /* of sums of 160 products with a deviation of 1 */
    assert_true(cpu_packed_product(y, LD, x, LD, 100, &c.w, NULL, false));
    for (int r = 0; r < 100; r++) assert_memory_equal(y + r * LD, exact + r * LD, 384 * sizeof *y);
}

/* expected [rows, n] = x w as it is in 8 bits (tensor/device.h), in double. */
static void expect_int8(const Weight *w, int rows)
{
    static int8_t q[MOST_K * MOST_N];
    static Real scale[MOST_K];
    int k = w->rows, n = w->cols;
    for (int i = 0; i < k; i++) {
        scale[i] = int8_scale(w->values + i * n, (size_t)n);
        int8_encode(w->values + i * n, (size_t)n, (float)scale[i], q + i * n);
    }
    for (int r = 0; r < rows; r++) {
        Real most = 0;
        for (int i = 0; i < k; i++) most = (Real)fmax((double)most, fabs((double)(x[r * LD + i] * scale[i])));
        Real up = 127 / most;
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int i = 0; i < k; i++) sum += rint((double)(x[r * LD + i] * scale[i] * up)) * q[i * n + c];
            expected[r * LD + c] = (Real)(sum * (double)most / 127);
        }
    }
}

TEST(products_in_int8_are_those_of_whole_numbers)
{
    need_products();
    for (int s = 0; s < N_SHAPES; s++) {
        int k = SHAPES[s][0], n = SHAPES[s][1], rows = 37;
        MADE(Case, case_init, case_fini, c, k, n);
        cpu_packed_operands(PRODUCTS_INT8);
        for (int i = 0; i < k; i++) x[5 * LD + i] = 0;
        expect_int8(&c.w, rows);
        for (int i = 0; i < n; i++) expected[5 * LD + i] = 0;
        bool there = cpu_packed_product(y, LD, x, LD, rows, &c.w, NULL, false);
        if (!there) print_message("[%d, %d]: no fast products in int8\n", k, n);
        for (int r = 0; r < rows && there; r++) assert_close(y + r * LD, expected + r * LD, (size_t)n, 1e-5, 1e-5);
        /* other rows do not become what one of them is */
        static const float odd[] = { NAN, INFINITY, -INFINITY };
        for (int o = 0; o < 3 && there; o++) {
            x[7 * LD + k / 2] = (Real)odd[o];
            assert_true(cpu_packed_product(y, LD, x, LD, rows, &c.w, NULL, false));
            for (int i = 0; i < n; i++) assert_true(isfinite(y[7 * LD + i]) == 0);
            assert_close(y + 8 * LD, expected + 8 * LD, (size_t)n, 1e-5, 1e-5);
        }
        cpu_packed_operands(PRODUCTS_REAL);
    }
}

TEST(rows_of_a_weight_are_packed_apart)
{
    need_products();
    MADE(Case, case_init, case_fini, c, 96, 40);
    for (int from = 0; from <= 64; from += 32) {
        Weight part = *param_rows(&c.t, &c.ps, 0, NULL, from, 32)->weight;
        assert_true(cpu_packed_product(y, LD, x, LD, 50, &part, NULL, false));
        cpu_plain_product(false, false, 50, 40, 32, 1, x, LD, c.w.values + from * 40, 40, 0, expected, LD);
        for (int r = 0; r < 50; r++) assert_close(y + r * LD, expected + r * LD, 40, 1e-5, 1e-4);
    }
}

TEST(values_that_may_change_are_not_packed)
{
    MADE(Case, case_init, case_fini, c, 32, 32);
    Real *grads = device_zeros(device_cpu(), c.ps.trained);
    assert_non_null(grads);
    assert_null(param_tensor(&c.t, &c.ps, 0, grads)->weight->packed);
    if (available()) {
        assert_true(cpu_packed_product(y, LD, x, LD, 20, &c.w, NULL, false));
        for (int i = 0; i < 32 * 32; i++) param_values(&c.ps, 0)[i] += 1;
        assert_int_equal(params_upload(&c.ps, device_cpu(), NULL), OK);
        const Weight *w = param_tensor(&c.t, &c.ps, 0, NULL)->weight;
        assert_null(w->packed);
        assert_false(cpu_packed_product(y, LD, x, LD, 20, w, NULL, false));
        assert_int_equal(params_constant(&c.ps, device_cpu(), NULL), OK);
        w = param_tensor(&c.t, &c.ps, 0, NULL)->weight;
        assert_true(cpu_packed_product(y, LD, x, LD, 20, w, NULL, false));
        cpu_plain_product(false, false, 20, 32, 32, 1, x, LD, w->values, 32, 0, expected, LD);
        for (int r = 0; r < 20; r++) assert_close(y + r * LD, expected + r * LD, 32, 1e-5, 1e-4);
    }
    device_cpu()->free(grads);
}

enum { N_ITEMS = 24 };
static Real by_thread[N_ITEMS][300 * 160];

static void product(void *context, int worker, int item)
{
    (void)worker;
    const Case *c = context;
    if (!cpu_packed_product(by_thread[item], 160, x, LD, 300, &c->w, NULL, false)) by_thread[item][0] = 1e9f;
}

TEST(threads_share_the_copies_and_get_the_same_bits)
{
    need_products();
    MADE(Case, case_init, case_fini, c, 320, 160);
    for (int round = 0; round < 3; round++) {
        parallel_for(4, N_ITEMS, product, &c);
        for (int k = 1; k < N_ITEMS; k++) assert_memory_equal(by_thread[k], by_thread[0], sizeof by_thread[0]);
    }
    assert_true(by_thread[0][0] < 1e9f);
}
