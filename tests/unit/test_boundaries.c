/* Boundaries of segments (eval/boundaries.h). seed_parity compares the errors with
 * recorded ones. */
#include "base/rng.h"
#include "eval/boundaries.h"
#include "tests/support/check.h"

enum { MOST = 40 };

/* The gaps of a text of 0 and 1; returns the number of sentences. */
static int read_bits(const char *text, bool *bits)
{
    int n = 0;
    for (; text[n]; n++) bits[n] = text[n] == '1';
    return n + 1;
}

TEST(the_window_is_half_a_segment_rounded_half_up_and_at_least_two)
{
    static const struct {
        const char *reference;
        int window;
    } cases[] = {
        { "", 2 }, { "1", 2 }, { "0000", 3 }, { "00000", 3 }, { "0001000100", 2 }, { "00000000010000000", 5 }
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bool bits[MOST];
        int n = read_bits(cases[k].reference, bits);
        assert_int_equal(boundaries_window(bits, n), cases[k].window);
    }
}

TEST(errors_are_shares_of_windows)
{
    bool reference[MOST], output[MOST];
    double p_k, window_diff;
    int n = read_bits("101", reference);
    read_bits("011", output);
    assert_true(boundaries_errors(reference, output, n, 2, &p_k, &window_diff));
    assert_within(p_k, 0, 0);
    assert_within(window_diff, 0.5, 0);
    assert_false(boundaries_errors(reference, output, n, 4, &p_k, &window_diff));
}

/* Each window counted on its own. */
static void plain_errors(const bool *reference, const bool *output, int n, int k, double *p_k, double *window_diff)
{
    *p_k = *window_diff = 0;
    for (int w = 0; w < n - k; w++) {
        int a = 0, b = 0;
        for (int i = w; i < w + k; i++) {
            a += reference[i];
            b += output[i];
        }
        *p_k += (double)((a && !b) || (!a && b)) / (n - k);
        *window_diff += (double)(a != b) / (n - k);
    }
}

TEST(errors_agree_with_plain_loops_and_are_symmetric)
{
    for (uint32_t round = 0; round < 300; round++) {
        bool reference[MOST], output[MOST];
        uint64_t key = rng_key(1, round, 0, 0);
        int n = 2 + (int)(rng_bits32(key, 1000) % (MOST - 1)), k = 1 + (int)(rng_bits32(key, 1001) % (uint32_t)n);
        double found[4], expected[2];
        for (uint32_t i = 0; i < (uint32_t)n - 1; i++) {
            reference[i] = rng_bits32(key, i) % 4 == 0;
            output[i] = rng_bits32(key, 500 + i) % 3 == 0;
        }
        bool some = boundaries_errors(reference, output, n, k, &found[0], &found[1]);
        assert_int_equal(some, k < n);
        if (!some) continue;
        plain_errors(reference, output, n, k, &expected[0], &expected[1]);
        boundaries_errors(output, reference, n, k, &found[2], &found[3]);
        for (int i = 0; i < 4; i++) assert_within(found[i], expected[i % 2], 1e-12);
    }
}

TEST(scores_come_from_sums_of_boundaries_and_means_of_errors)
{
    static const char *const documents[][2] = { { "0100", "0110" }, { "1", "0" }, { "", "" }, { "00", "00" } };
    BoundaryCounts c = { 0 };
    for (size_t k = 0; k < sizeof documents / sizeof *documents; k++) {
        bool reference[MOST], output[MOST];
        int n = read_bits(documents[k][0], reference);
        read_bits(documents[k][1], output);
        boundaries_count(reference, output, n, &c);
    }
    assert_within(boundaries_value(&c, BOUNDARY_PRECISION), 50, 1e-9);
    assert_within(boundaries_value(&c, BOUNDARY_RECALL), 50, 1e-9);
    assert_within(boundaries_value(&c, BOUNDARY_F1), 50, 1e-9);
    /* windows of two gaps: 01, 10, 00 against 01, 11, 10; and 00 against 00 */
    assert_int_equal(c.windowed, 2);
    assert_within(boundaries_value(&c, BOUNDARY_P_K), 100.0 * (1.0 / 3 + 0) / 2, 1e-9);
    assert_within(boundaries_value(&c, BOUNDARY_WINDOW_DIFF), 100.0 * (2.0 / 3 + 0) / 2, 1e-9);
    double sums[BOUNDARY_NUMBERS];
    boundaries_numbers(&c, sums);
    for (int m = 0; m < BOUNDARY_COMPARED; m++)
        assert_within(BOUNDARIES_OF_SUMS[m].value(sums), boundaries_value(&c, (BoundaryMetric)m), 0);
    c = (BoundaryCounts){ 0 };
    boundaries_numbers(&c, sums);
    assert_within(BOUNDARIES_OF_SUMS[BOUNDARY_P_K].value(sums), 0, 0);
    assert_within(boundaries_value(&c, BOUNDARY_F1), 0, 0);
    assert_true(isnan(boundaries_value(&c, BOUNDARY_P_K)));
}
