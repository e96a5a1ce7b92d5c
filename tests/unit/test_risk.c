/* Risk against coverage, by hand and over all orders. */
#include <math.h>

#include "eval/risk.h"
#include "tests/support/check.h"

enum { N = 4 };

static RiskCurve curve_of(const double *sure, const double *risk, int n)
{
    RiskCurve c;
    assert_ok(risk_curve(sure, risk, n, &c, test_error()));
    return c;
}

TEST(a_curve_by_hand)
{
    const double sure[N] = { 0.6, 0.9, 0.7, 0.8 }, risk[N] = { 1, 0, 1, 0 };
    RiskCurve c = curve_of(sure, risk, N);
    assert_within(c.area, (0 + 0 + 1.0 / 3 + 1.0 / 2) / 4, 1e-12);
    const double shares[RISK_SHARES] = { 0.5, 0.5, 0.5, 1.0 / 3, 1.0 / 3, 0 }; /* of 4, 4, 4, 3, 3 and 2 sentences */
    for (int s = 0; s < RISK_SHARES; s++) assert_within(c.risk[s], shares[s], 1e-12);
    c = curve_of(sure, risk, 1);
    for (int s = 0; s < RISK_SHARES; s++) assert_true(c.risk[s] == 1 && c.area == 1);
}

/* Sets sure to permutation number k of 1 .. N. */
static void permute(int k, double *sure)
{
    int left[N] = { 1, 2, 3, 4 };
    for (int i = 0; i < N; i++) {
        int at = k % (N - i);
        k /= N - i;
        sure[i] = left[at];
        left[at] = left[N - 1 - i];
    }
}

TEST(equal_confidence_is_the_mean_over_all_orders_and_the_ideal_order_the_best)
{
    enum { ORDERS = 24 };
    const double risk[N] = { 0.3, 0, 0.9, 0.25 }, equal[N] = { 0.5, 0.5, 0.5, 0.5 },
                 ideal[N] = { -0.3, 0, -0.9, -0.25 };
    double area = 0, half = 0, least = 1;
    for (int k = 0; k < ORDERS; k++) {
        double sure[N];
        permute(k, sure);
        RiskCurve c = curve_of(sure, risk, N);
        area += c.area / ORDERS;
        half += c.risk[RISK_SHARES - 1] / ORDERS;
        least = fmin(least, c.area);
    }
    RiskCurve c = curve_of(equal, risk, N);
    assert_within(c.area, area, 1e-12);
    assert_within(c.risk[RISK_SHARES - 1], half, 1e-12);
    assert_within(curve_of(ideal, risk, N).area, least, 1e-12);
}

static double effort_of(const double *sure, const RiskSentence *x, int n, double target)
{
    double share = NAN;
    assert_ok(risk_effort(sure, x, n, target, &share, test_error()));
    return share;
}

TEST(the_words_to_correct_by_hand)
{
    /* F1 before: 2 * 12 / 36 = 2 / 3; after the first sentence 2 * 14 / 35 = 0.8, after two of them 2 * 15 / 34 */
    const RiskSentence x[] = { { .words = 10, .gold = 6, .pred = 7, .matched = 4 },
                               { .words = 30, .gold = 5, .pred = 6, .matched = 4 },
                               { .words = 20, .gold = 6, .pred = 6, .matched = 4 } };
    const double sure[] = { 0.1, 0.2, 0.3 }, reversed[] = { 0.3, 0.2, 0.1 }, equal[] = { -1, -1, -1 };
    assert_within(effort_of(sure, x, 3, 0.6), 0, 1e-12);
    assert_within(effort_of(sure, x, 3, 0.8), 10.0 / 60, 1e-12);
    assert_within(effort_of(sure, x, 3, 30.0 / 34), 40.0 / 60, 1e-12);
    assert_within(effort_of(sure, x, 3, 1), 1, 1e-12);
    assert_within(effort_of(reversed, x, 3, 2.0 * 14 / 36), 20.0 / 60, 1e-12);
    /* half of all: 2 * (12 + 2.5) of 17 + (19 + 17) / 2 */
    assert_within(effort_of(equal, x, 3, 29.0 / 35), 0.5, 1e-12);
}

TEST(every_allocation_of_the_tables_may_fail)
{
    const RiskSentence x[] = { { { 0.9, 0.9, 0.5, 0.8, -3, 0.8 }, { 0.2, 0.5, 1 }, 3, 5, 5, 4, 0 },
                               { { 0.7, 0.8, 0.4, 0.6, -2, 0.9 }, { 0, 0, 0 }, 2, 2, 2, 2, 0 } };
    for (long n = 0; allocation_fails(n); n++) {
        FREED(strbuf_fini) StrBuf out = { 0 };
        mem_fail_after(n);
        assert_done_or_no_memory(risk_text(x, 2, &out, test_error()) == OK && !out.failed);
    }
}

TEST(the_calibration_error_is_a_mean_over_bins)
{
    const double expected[] = { 0.91, 0.99, 1, 0.55, 0.52 }, found[] = { 1, 0.8, 0.9, 0.5, 0.7 };
    /* 0.9 .. 1: 2.9 expected, 2.7 found; 0.5 .. 0.6: 1.07 and 1.2 */
    assert_within(risk_error(expected, found, 5), (0.2 + 0.13) / 5, 1e-12);
    assert_true(isnan(risk_error(expected, found, 0)));
}

TEST(risks_come_from_the_scores_of_a_sentence)
{
    RiskSentence x;
    Scores s = { .trees = 1, .gold_brackets = 4, .pred_brackets = 6, .matched_brackets = 4 };
    risk_set(&x, &s);
    assert_within(x.risk[RISK_F1], 0.2, 1e-12);
    assert_true(isnan(x.risk[RISK_LAS]) && x.risk[RISK_EXACT] == 1);
    s = (Scores){ .trees = 1, .complete = 1, .dep.all = { .words = 5, .both = 4, .sentences = 1 } };
    risk_set(&x, &s); /* all brackets are left out of the score */
    assert_within(x.risk[RISK_LAS], 0.2, 1e-12);
    assert_true(isnan(x.risk[RISK_F1]) && x.risk[RISK_EXACT] == 1);
    s.dep.all.complete = 1;
    risk_set(&x, &s);
    assert_true(x.risk[RISK_EXACT] == 0);
    s = (Scores){ .words = 2 };
    risk_set(&x, &s);
    assert_true(isnan(x.risk[RISK_EXACT]));
}

TEST(what_a_model_does_not_have_is_not_written)
{
    FREED(strbuf_fini) StrBuf json = { 0 };
    const RiskSentence x[] = { { .sure = { -1, 0.9, -1, 0.8, -3, -1 }, .risk = { NAN, 0.5, 1 } },
                               { .sure = { -1, -1, -1, -1, -2, -1 }, .risk = { NAN, 0, 0 } } };
    assert_ok(risk_text(x, 2, test_out(), test_error()));
    assert_ok(risk_json(x, 2, &json, test_error()));
    assert_null(strstr(test_written(), "F1"));
    assert_null(strstr(test_written(), "p_tree"));
    assert_non_null(strstr(test_written(), "\n1 - LAS "));
    /* the sentence without a parse is the last one, although it is right, and the shorter one */
    assert_non_null(strstr(test_written(), "\nexpected LAS     25.00  25.00  25.00  25.00  25.00  50.00  37.500\n"));
    assert_non_null(strstr(test_written(), "\nlength           25.00  25.00  25.00  25.00  25.00   0.00  12.500\n"));
    assert_null(strstr(json.ptr, "p_tree"));
    assert_non_null(strstr(json.ptr, "\"las\": {\"sentences\": 2, \"expected_las\": {\"risk\": [25.000, 25.000, "
                                     "25.000, 25.000, 25.000, 50.000], \"area\": 37.5000}, "));
}
