/* Products of the CPU without a library, against loops. */
#include "base/rng.h"
#include "tensor/cpu/cpu.h"
#include "tests/support/check.h"
#include "tests/support/levels.h"

enum { LD = 300, SIZE = LD * LD };
static Real a[SIZE], b[SIZE], was[SIZE], c[SIZE], expected[SIZE];

/* Also makes C what it was, up to this row. */
static void fill(int rows)
{
    static bool filled;
    for (int i = 0; i < SIZE && !filled; i++) {
        a[i] = (Real)rng_normal(1, (uint64_t)i);
        b[i] = (Real)rng_normal(2, (uint64_t)i);
        was[i] = (Real)rng_normal(3, (uint64_t)i);
    }
    filled = true;
    memcpy(c, was, (size_t)rows * LD * sizeof *c);
    memcpy(expected, was, (size_t)rows * LD * sizeof *c);
}

static void compare(const CpuLevel *level, int m, int n, int k, int kind)
{
    bool ta = kind & 1, tb = kind & 2, adds = kind & 4;
    Real alpha = kind & 8 ? (Real)0.375 : 1;
    fill(m + 1);
    plain_product(ta, tb, m, n, k, alpha, a, LD, b, LD, adds, expected, LD);
    level->device.kernels->gemm(ta, tb, m, n, k, alpha, a, LD, b, LD, adds, c, LD);
    for (int i = 0; i < (m + 1) * LD; i++) /* also what lies beside C */
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
}

TEST_LEVELS(large_products_are_those_of_loops)
{
    static const int shapes[][3] = { { 130, 64, 128 }, { 13, 130, 100 }, { 3, 33, 256 }, { 25, 290, 257 },
                                     { 40, 31, 300 },  { 2, 300, 1 },    { 9, 1, 300 },  { 7, 17, 0 } };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kind = 0; kind < 16; kind++) compare(level, shapes[s][0], shapes[s][1], shapes[s][2], kind);
}

TEST_LEVELS(an_element_does_not_depend_on_other_rows_and_columns)
{
    Real one;
    for (int k = 21; k < LD; k += 259) {
        fill(29);
        level->device.kernels->gemm(false, true, 29, 37, k, (Real)0.3, a, LD, b, LD, false, c, LD);
        for (int r = 0; r < 29; r++)
            for (int j = 0; j < 37; j++) {
                level->device.kernels->gemm(false, true, 1, 1, k, (Real)0.3, a + r * LD, LD, b + j * LD, LD, false,
                                            &one, 1);
                assert_true(one == c[r * LD + j]);
            }
    }
}
