/* tests/unit/test_small.c: products of small matrices on the CPU, against loops. */
#include "base/rng.h"
#include "tensor/cpu/cpu.h"
#include "tests/support/check.h"
#include "tests/support/levels.h"

enum { LD = 140, SIZE = LD * LD };
static Real a[SIZE], b[SIZE], was[SIZE], c[SIZE], expected[SIZE];

static void fill(void)
{
    static bool filled;
    for (int i = 0; i < SIZE && !filled; i++) {
        a[i] = (Real)rng_normal(1, (uint64_t)i);
        b[i] = (Real)rng_normal(2, (uint64_t)i);
        was[i] = (Real)rng_normal(3, (uint64_t)i);
    }
    filled = true;
    memcpy(c, was, sizeof c);
    memcpy(expected, was, sizeof c);
}

static void compare(const CpuLevel *level, int m, int n, int k, int kind)
{
    bool ta = kind & 1, tb = kind & 2, adds = kind & 4;
    Real alpha = kind & 8 ? (Real)0.375 : 1;
    fill();
    cpu_plain_product(ta, tb, m, n, k, alpha, a, LD, b, LD, adds, expected, LD);
    assert_true(level->small(ta, tb, m, n, k, alpha, a, LD, b, LD, adds, c, LD));
    for (int i = 0; i < SIZE; i++) /* also what lies beside C */
        if (!(fabs((double)(c[i] - expected[i])) < 1e-4))
            fail_msg("[%d, %d] x %d, kind %d, number %d: found %.7g, expected %.7g", m, n, k, kind, i, (double)c[i],
                     (double)expected[i]);
}

TEST_LEVELS(products_are_those_of_loops)
{
    static const int rows[] = { 1, 5, 6, 7, 23 }, sizes[] = { 1, 3, 4, 15, 16, 17, 31, 33, 48, 65 };
    for (int kind = 0; kind < 16; kind++)
        for (size_t m = 0; m < sizeof rows / sizeof *rows; m++)
            for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
                for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
                    compare(level, rows[m], sizes[n], sizes[k], kind);
    compare(level, 130, 64, 128, 3);
}

TEST_LEVELS(an_element_does_not_depend_on_other_rows_and_columns)
{
    Real one;
    fill();
    assert_true(level->small(false, true, 29, 37, 21, (Real)0.3, a, LD, b, LD, false, c, LD));
    for (int r = 0; r < 29; r++)
        for (int j = 0; j < 37; j++) {
            assert_true(level->small(false, true, 1, 1, 21, (Real)0.3, a + r * LD, LD, b + j * LD, LD, false, &one, 1));
            assert_true(one == c[r * LD + j]);
        }
}

TEST_LEVELS(larger_ones_are_left_alone)
{
    fill();
    assert_false(level->small(false, false, 2, 128, 65, 1, a, LD, b, LD, false, c, LD));
    assert_memory_equal(c, expected, sizeof c);
}
