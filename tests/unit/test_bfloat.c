/* Products with operands rounded to bfloat16, against loops, on each level that has instructions for them. */
#include "base/rng.h"
#include "base/thread.h"
#include "tensor/cpu/cpu.h"
#include "tensor/device.h"
#include "tests/support/check.h"
#include "tests/support/levels.h"

enum { M = 530, N = 149, K = 133, LD = 540 };
static Real a[LD * LD], b[LD * LD], c[LD * LD], expected[LD * LD];

/* From now on products of the level are these; false: it has none. */
static bool has_products(const CpuLevel *level)
{
    Error e = { 0 };
    Status s = level->device.set_products(PRODUCTS_BF16, &e);
    if (s == OK) return true;
    assert_int_equal(s, ERR_CONFIG);
    assert_non_null(strstr(e.message, "products in bf16: "));
    print_message("skipped: %s\n", e.message);
    return false;
}

static Real rounded(Real x)
{
    float f = (float)x, next;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    u = (u + 0x7fff + ((u >> 16) & 1)) & 0xffff0000;
    memcpy(&next, &u, sizeof next);
    return (Real)next;
}

static void fill(void)
{
    for (int i = 0; i < LD * LD; i++) {
        a[i] = (Real)rng_normal(1, (uint64_t)i);
        b[i] = (Real)rng_normal(2, (uint64_t)i);
        c[i] = expected[i] = (Real)rng_normal(3, (uint64_t)i);
    }
}

/* The product of the rounded operands in double. */
static void expect(bool ta, bool tb, bool adds)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = adds ? (double)expected[i * LD + j] : 0;
            for (int k = 0; k < K; k++)
                sum += (double)rounded(ta ? a[k * LD + i] : a[i * LD + k]) *
                       (double)rounded(tb ? b[j * LD + k] : b[k * LD + j]);
            expected[i * LD + j] = (Real)sum;
        }
}

TEST_LEVELS(products_are_those_of_rounded_operands)
{
    if (!has_products(level)) return;
    for (int kind = 0; kind < 8; kind++) {
        bool ta = kind & 1, tb = kind & 2, adds = kind & 4;
        fill();
        expect(ta, tb, adds);
        level->device.kernels->gemm(ta, tb, M, N, K, 1, a, LD, b, LD, adds, c, LD);
        for (int i = 0; i < LD * LD; i++)
            if (!(fabs((double)(c[i] - expected[i])) < 1e-4))
                fail_msg("kind %d, number %d: found %.7g, expected %.7g", kind, i, (double)c[i], (double)expected[i]);
    }
}

TEST_LEVELS(what_is_not_finite_stays_so)
{
    if (!has_products(level)) return;
    static const float odd[] = { NAN, INFINITY, -INFINITY, 3.4e38f };
    for (int k = 0; k < 4; k++) {
        fill();
        a[5 * LD + 7] = (Real)odd[k];
        level->device.kernels->gemm(false, false, M, N, K, 1, a, LD, b, LD, 0, c, LD);
        assert_true(!isfinite(c[5 * LD + 3]));
        assert_true(isfinite(c[6 * LD + 3]) != 0);
    }
}

static Real by_thread[4][M * N];

static void product(void *context, int worker, int item)
{
    const CpuLevel *level = context;
    (void)worker;
    level->device.kernels->gemm(false, true, M, N, K, 1, a, LD, b, LD, 0, by_thread[item], N);
}

TEST_LEVELS(threads_get_the_same_bits)
{
    if (!has_products(level)) return;
    fill();
    parallel_for(4, 4, product, (void *)level);
    for (int k = 1; k < 4; k++) assert_memory_equal(by_thread[k], by_thread[0], sizeof by_thread[0]);
}

TEST_LEVELS(small_products_and_other_factors_stay_in_float)
{
    if (!has_products(level)) return;
    fill();
    memcpy(expected, c, sizeof c);
    level->device.kernels->gemm(false, false, 15, N, K, 1, a, LD, b, LD, 0, c, LD);
    plain_product(false, false, 15, N, K, 1, a, LD, b, LD, 0, expected, LD);
    for (int i = 0; i < 15 * LD; i++) assert_true(fabs((double)(c[i] - expected[i])) < 1e-3);
    level->device.kernels->gemm(false, false, M, N, K, (Real)0.5, a, LD, b, LD, 0, c, LD);
    plain_product(false, false, M, N, K, (Real)0.5, a, LD, b, LD, 0, expected, LD);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) assert_true(fabs((double)(c[i * LD + j] - expected[i * LD + j])) < 1e-3);
}
