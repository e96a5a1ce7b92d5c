/* Products with packed weights (tensor/cpu/level/packed.h), against loops. */
#include "base/rng.h"
#include "base/thread.h"
#include "tensor/cpu/cpu.h"
#include "tensor/int8.h"
#include "tensor/params.h"
#include "tests/support/check.h"
#include "tests/support/levels.h"

enum { MOST_ROWS = 700, MOST_K = 330, MOST_N = 400, LD = 420 };
static Real x[MOST_ROWS * LD], y[MOST_ROWS * LD], expected[MOST_ROWS * LD];

/* A parameter [k, n] on a tape, with a place for packed copies of a level. */
typedef struct Case {
    const CpuLevel *level;
    ParamSet ps;
    Tape t;
    Weight w;
} Case;

static void case_init(Case *c, const CpuLevel *level, int k, int n)
{
    int number;
    c->level = level;
    assert_int_equal(level->device.set_products(PRODUCTS_REAL, NULL), OK);
    params_init(&c->ps);
    assert_int_equal(params_add(&c->ps, "w", 2, (int[]){ k, n }, &number, NULL), OK);
    assert_int_equal(params_finish(&c->ps, NULL), OK);
    param_init_normal(&c->ps, 0, 1, 3);
    assert_int_equal(params_constant(&c->ps, &level->device, NULL), OK);
    tape_init(&c->t, &level->device);
    tape_reset(&c->t, false, false, 0);
    c->w = *param_tensor(&c->t, &c->ps, 0, NULL)->weight;
    for (int i = 0; i < MOST_ROWS * LD; i++) x[i] = (Real)rng_normal(1, (uint64_t)i);
}

static void case_fini(Case *c)
{
    tape_fini(&c->t);
    params_fini(&c->ps);
}

static bool product(const Case *c, Real *to, int ldy, const Real *from, int ldx, int rows)
{
    return c->level->packed(to, ldy, from, ldx, rows, &c->w, NULL, false);
}

/* From now on products of the level are these; false: it has none. */
static bool choose(const CpuLevel *level, Products p)
{
    Error e = { 0 };
    if (level->device.set_products(p, &e) == OK) return true;
    assert_int_equal(e.code, ERR_CONFIG);
    assert_non_null(strstr(e.message, "products "));
    return false;
}

static const int SHAPES[][2] = { { 160, 384 }, { 320, 160 }, { 33, 17 }, { 128, 142 },
                                 { 64, 16 },   { 48, 400 },  { 7, 5 },   { 1, 33 } };
enum { N_SHAPES = sizeof SHAPES / sizeof *SHAPES };

TEST_LEVELS(products_with_packed_weights_are_those_of_loops)
{
    static const int rows[] = { 1, 2, 11, 12, 13, 17, 80, 257 };
    static Real plain[257 * LD];
    for (int s = 0; s < N_SHAPES; s++) {
        int k = SHAPES[s][0], n = SHAPES[s][1];
        MADE(Case, case_init, case_fini, c, level, k, n);
        for (int kind = 0; kind < 16; kind++) {
            int ldx = kind & 8 ? k : LD, ldy = kind & 1 ? n : LD;
            const Real *bias = kind & 2 ? x : NULL;
            if (kind % 8 == 0) plain_product(false, false, 257, n, k, 1, x, ldx, c.w.values, n, 0, plain, n);
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
                int m = rows[r];
                for (int i = 0; i < (m + 1) * LD; i++) y[i] = expected[i] = 77;
                assert_true(level->packed(y, ldy, x, ldx, m, &c.w, bias, kind & 4));
                for (int i = 0; i < m; i++) memcpy(expected + i * ldy, plain + i * n, (size_t)n * sizeof *plain);
                level->device.kernels->bias_act(expected, ldy, bias, m, n, kind & 4);
                assert_close(y, expected, (size_t)((m + 1) * LD), 1e-5, 1e-5 * sqrt(k)); /* and nothing beyond y */
            }
        }
    }
}

/* To the bit: a sentence has the same scores in every batch. */
TEST_LEVELS(a_row_does_not_depend_on_the_rows_around_it)
{
    static const Products operands[] = { PRODUCTS_REAL, PRODUCTS_BF16, PRODUCTS_INT16, PRODUCTS_INT8 };
    for (int o = 0; o < 4; o++)
        for (int s = 0; s < N_SHAPES && choose(level, operands[o]); s++) {
            int k = SHAPES[s][0], n = SHAPES[s][1];
            MADE(Case, case_init, case_fini, c, level, k, n); /* chooses, too */
            assert_true(choose(level, operands[o]) && product(&c, expected, LD, x, LD, MOST_ROWS));
            for (int from = 0, m = 1; from + m <= MOST_ROWS; from += m, m = 1 + (3 * m) % 290) {
                assert_true(product(&c, y, LD, x + (ptrdiff_t)from * LD, LD, m));
                for (int r = 0; r < m; r++)
                    assert_memory_equal(y + r * LD, expected + (from + r) * LD, (size_t)n * sizeof *y);
            }
        }
}

TEST_LEVELS(operands_are_rounded_if_asked_for)
{
    static Real exact[100 * LD];
    static const struct Rounded {
        Products operands;
        double least, most; /* error of sums of 160 products with a deviation of 1 */
    } rounded[] = { { PRODUCTS_BF16, 1e-3, 0.5 }, { PRODUCTS_INT16, 1e-3, 0.5 }, { PRODUCTS_INT8, 1e-3, 1.5 } };
    MADE(Case, case_init, case_fini, c, level, 160, 384);
    assert_true(product(&c, exact, LD, x, LD, 100));
    for (int k = 0; k < 3; k++) {
        double worst = 0;
        if (!choose(level, rounded[k].operands)) continue;
        assert_true(product(&c, y, LD, x, LD, 100));
        for (int r = 0; r < 100; r++)
            for (int i = 0; i < 384; i++) worst = fmax(worst, fabs((double)(y[r * LD + i] - exact[r * LD + i])));
        assert_true(worst > rounded[k].least && worst < rounded[k].most);
        assert_true(choose(level, PRODUCTS_REAL));
        assert_true(product(&c, y, LD, x, LD, 100));
        for (int r = 0; r < 100; r++) assert_memory_equal(y + r * LD, exact + r * LD, 384 * sizeof *y);
    }
}

/* How a level multiplies bytes: like int16, in sums of 32 bits, or with sums of four products in 16 bits. */
typedef enum Bytes { BYTES_NONE, BYTES_WHOLE, BYTES_QUADS } Bytes;

static Bytes bytes_of(const CpuLevel *level)
{
    if (strcmp(level->name, "x86-64") == 0 || strcmp(level->name, "neon") == 0) return BYTES_NONE;
    return strcmp(level->name, "x86-64-v3") == 0 || strcmp(level->name, "x86-64-v4") == 0 ? BYTES_QUADS : BYTES_WHOLE;
}

/* The largest sum of weights of one sign whose products are added in 16 bits: numbers 0, 1, 4, 5 and 2, 3, 6, 7 of
 * eight. */
static int largest_quad(const int8_t *q, int k, int n)
{
    int most = 1;
    for (int c = 0; c < n; c++)
        for (int from = 0; from < k; from += 8) {
            int sum[2][2] = { { 0 } };
            for (int i = from; i < from + 8 && i < k; i++)
                sum[(i - from) / 2 % 2][q[i * n + c] < 0] += abs(q[i * n + c]);
            for (int s = 0; s < 4; s++) most = sum[s / 2][s % 2] > most ? sum[s / 2][s % 2] : most;
        }
    return most;
}

/* Rounds the weights again where products are added in 16 bits (tensor/device.h); returns the steps of activations. */
static int fit_quads(int8_t *q, Real *scale, int k, int n)
{
    double squares = 0;
    for (int i = 0; i < k * n; i++) squares += q[i] * q[i];
    double broader = fmax(1, sqrt(9 * sqrt(squares / k / n) * largest_quad(q, k, n) / 32767));
    for (int i = 0; i < k * n; i++) q[i] = (int8_t)rint(q[i] / broader);
    for (int i = 0; i < k; i++) scale[i] *= (Real)broader;
    int steps = 32767 / largest_quad(q, k, n) - 1;
    return steps < 254 ? steps : 254;
}

/* The range of the activations of a row, and how many steps it is divided into (tensor/device.h). */
typedef struct Steps {
    double least, size, steps;
} Steps;

static Steps steps_of(Products p, int bytes, const Real *row, int k)
{
    Steps s = { 0, 0, fmin(32767, floor(2147483647.0 / 128 / k)) };
    double most = 0;
    for (int i = 0; i < k; i++) {
        s.least = fmin(s.least, (double)row[i]);
        most = fmax(most, (double)row[i]);
    }
    s.size = fmax(most, -s.least);
    if (p == PRODUCTS_INT8) s.size = most - s.least, s.steps = bytes;
    return s;
}

/* expected [rows, n] = x w in whole numbers, in double; p is what is asked of the level. */
static void expect_whole(const Case *c, int rows, Products p)
{
    const Weight *w = &c->w;
    static int8_t q[MOST_K * MOST_N];
    static Real scale[MOST_K], row[MOST_K];
    int k = w->rows, n = w->cols, steps = 254;
    Bytes bytes = bytes_of(c->level);
    if (bytes == BYTES_NONE) p = PRODUCTS_INT16;
    for (int i = 0; i < k; i++) {
        scale[i] = int8_scale(w->values + i * n, (size_t)n);
        int8_encode(w->values + i * n, (size_t)n, (float)scale[i], q + i * n);
    }
    if (p == PRODUCTS_INT8 && bytes == BYTES_QUADS) steps = fit_quads(q, scale, k, n);
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < k; i++) row[i] = x[r * LD + i] * scale[i];
        const Steps s = steps_of(p, steps, row, k);
        Real up = (Real)s.steps / (Real)s.size;
        double zero = p == PRODUCTS_INT8 ? floor((double)((Real)-s.least * up + (Real)0.5)) : 0;
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int i = 0; i < k; i++) sum += (rint((double)(row[i] * up + (Real)zero)) - zero) * q[i * n + j];
            expected[r * LD + j] = (Real)(sum * s.size / s.steps);
        }
    }
}

/* Weights, or activations, of the largest size: sums are as large as they can be. */
static void make_extreme(Case *c, bool weights)
{
    Real *to = weights ? param_values(&c->ps, 0) : x;
    int n = weights ? c->w.rows * c->w.cols : MOST_ROWS * LD;
    for (int i = 0; i < n; i++) to[i] = to[i] < 0 ? -1 : 1;
}

TEST_LEVELS(products_of_whole_numbers_are_exact)
{
    enum { ROWS = 37 };
    static const Products operands[] = { PRODUCTS_INT16, PRODUCTS_INT8 };
    for (int o = 0; o < 2; o++)
        for (int s = 0; s < N_SHAPES + 3 && choose(level, operands[o]); s++) {
            int k = SHAPES[s % N_SHAPES][0], n = SHAPES[s % N_SHAPES][1];
            MADE(Case, case_init, case_fini, c, level, k, n);
            for (int w = 0; s >= N_SHAPES && w < 2; w++)
                if ((s - N_SHAPES + 1) >> w & 1) make_extreme(&c, w);
            assert_int_equal(params_constant(&c.ps, &level->device, NULL), OK);
            c.w = *param_tensor(&c.t, &c.ps, 0, NULL)->weight;
            for (int i = 0; i < k; i++) x[5 * LD + i] = 0;
            expect_whole(&c, ROWS, operands[o]);
            for (int i = 0; i < n; i++) expected[5 * LD + i] = 0;
            assert_true(choose(level, operands[o]) && product(&c, y, LD, x, LD, ROWS));
            for (int r = 0; r < ROWS; r++) assert_close(y + r * LD, expected + r * LD, (size_t)n, 1e-5, 1e-5);
            /* other rows do not become what one of them is */
            static const float odd[] = { NAN, INFINITY, -INFINITY };
            for (int i = 0; i < 3; i++) {
                x[7 * LD + k / 2] = (Real)odd[i];
                assert_true(product(&c, y, LD, x, LD, ROWS));
                for (int j = 0; j < n; j++) assert_true(isfinite(y[7 * LD + j]) == 0);
                assert_close(y + 8 * LD, expected + 8 * LD, (size_t)n, 1e-5, 1e-5);
            }
        }
}

/* To the bit: as if all products were of 16 bits. */
TEST_LEVELS(fine_weights_are_multiplied_in_16_bits)
{
    MADE(Case, case_init, case_fini, c, level, 256, 128);
    if (!choose(level, PRODUCTS_INT16)) return;
    assert_true(!c.w.fine && product(&c, expected, LD, x, LD, 20));
    params_fine(&c.ps, 0);
    c.w = *param_tensor(&c.t, &c.ps, 0, NULL)->weight;
    assert_true(choose(level, PRODUCTS_INT8) && product(&c, y, LD, x, LD, 20));
    for (int r = 0; r < 20; r++) assert_memory_equal(y + r * LD, expected + r * LD, 128 * sizeof *y);
}

/* Without bias, which only some of them add with a fused multiply-add. */
TEST(products_of_bytes_have_the_same_bits_on_all_levels_that_add_in_32_bits)
{
    const CpuLevel *level, *first = NULL;
    for (int l = 0; (level = tested_level(l)); l++) {
        if (bytes_of(level) != BYTES_WHOLE || !choose(level, PRODUCTS_INT8)) continue;
        MADE(Case, case_init, case_fini, c, level, 160, 142);
        assert_true(choose(level, PRODUCTS_INT8) && product(&c, first ? y : expected, LD, x, LD, 100));
        for (int r = 0; first && r < 100; r++) assert_memory_equal(y + r * LD, expected + r * LD, 142 * sizeof *y);
        if (first) print_message("%s as %s\n", level->name, first->name);
        first = first ? first : level;
    }
}

TEST_LEVELS(rows_of_a_weight_are_packed_apart)
{
    MADE(Case, case_init, case_fini, c, level, 96, 40);
    for (int from = 0; from <= 64; from += 32) {
        Weight part = *param_rows(&c.t, &c.ps, 0, NULL, from, 32)->weight;
        assert_true(level->packed(y, LD, x, LD, 50, &part, NULL, false));
        plain_product(false, false, 50, 40, 32, 1, x, LD, c.w.values + from * 40, 40, 0, expected, LD);
        for (int r = 0; r < 50; r++) assert_close(y + r * LD, expected + r * LD, 40, 1e-5, 1e-4);
    }
}

TEST_LEVELS(values_that_may_change_are_not_packed)
{
    MADE(Case, case_init, case_fini, c, level, 32, 32);
    Real *grads = device_zeros(&level->device, c.ps.trained);
    assert_non_null(grads);
    assert_null(param_tensor(&c.t, &c.ps, 0, grads)->weight->packed);
    assert_true(product(&c, y, LD, x, LD, 20));
    for (int i = 0; i < 32 * 32; i++) param_values(&c.ps, 0)[i] += 1;
    assert_int_equal(params_upload(&c.ps, &level->device, NULL), OK);
    c.w = *param_tensor(&c.t, &c.ps, 0, NULL)->weight;
    assert_null(c.w.packed);
    assert_false(product(&c, y, LD, x, LD, 20));
    assert_int_equal(params_constant(&c.ps, &level->device, NULL), OK);
    c.w = *param_tensor(&c.t, &c.ps, 0, NULL)->weight;
    assert_true(product(&c, y, LD, x, LD, 20));
    plain_product(false, false, 20, 32, 32, 1, x, LD, c.w.values, 32, 0, expected, LD);
    for (int r = 0; r < 20; r++) assert_close(y + r * LD, expected + r * LD, 32, 1e-5, 1e-4);
    level->device.free(grads);
}

enum { N_ITEMS = 24 };
static Real by_thread[N_ITEMS][300 * 160];

static void one_product(void *context, int worker, int item)
{
    (void)worker;
    if (!product(context, by_thread[item], 160, x, LD, 300)) by_thread[item][0] = 1e9f;
}

TEST_LEVELS(threads_share_the_copies_and_get_the_same_bits)
{
    MADE(Case, case_init, case_fini, c, level, 320, 160);
    for (int round = 0; round < 3; round++) {
        parallel_for(4, N_ITEMS, one_product, &c);
        for (int k = 1; k < N_ITEMS; k++) assert_memory_equal(by_thread[k], by_thread[0], sizeof by_thread[0]);
    }
    assert_true(by_thread[0][0] < 1e9f);
}
