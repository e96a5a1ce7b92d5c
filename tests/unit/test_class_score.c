/* Accuracy, macro-F1, tables and comparisons of classes (eval/class_score.h). */
#include <string.h>

#include "eval/class_score.h"
#include "tests/support/check.h"

static const char *const names[] = { "news", "bio", "vlog" };

/* gold news 3, bio 2, vlog 1; one news is taken for bio, the vlog for news. */
static void fill(ClassScores *s)
{
    static const int gold[] = { 0, 0, 0, 1, 1, 2 }, pred[] = { 0, 0, 1, 1, 1, 0 };
    assert_ok(class_scores_init(s, 3, test_error()));
    for (int k = 0; k < 6; k++) class_scores_add(s, gold[k], pred[k]);
}

TEST(accuracy_and_macro_f1_are_those_computed_by_hand)
{
    MADE(ClassScores, fill, class_scores_fini, s);
    assert_within(class_scores_value(&s, CLASS_ACCURACY), 100.0 * 4 / 6, 1e-9);
    /* news 2*2/(3+3), bio 2*2/(2+3), vlog 0 */
    assert_within(class_scores_value(&s, CLASS_MACRO_F1), 100.0 * (4.0 / 6 + 4.0 / 5 + 0) / 3, 1e-9);
    assert_within(class_scores_constant(&s, 0, CLASS_ACCURACY), 50, 1e-9);
    assert_within(class_scores_constant(&s, 0, CLASS_MACRO_F1), 100.0 * (6.0 / 9) / 3, 1e-9);
    ClassRow r = class_scores_row(&s, 1);
    assert_int_equal(r.gold, 2);
    assert_int_equal(r.pred, 3);
    assert_int_equal(r.right, 2);
    assert_within(class_row_precision(r), 200.0 / 3, 1e-9);
    assert_within(class_row_recall(r), 100, 1e-9);
}

TEST(a_class_that_gold_does_not_have_is_not_in_the_mean)
{
    FREED(class_scores_fini) ClassScores s;
    assert_ok(class_scores_init(&s, 3, test_error()));
    assert_within(class_scores_value(&s, CLASS_ACCURACY), 0, 1e-9); /* of nothing */
    assert_within(class_scores_value(&s, CLASS_MACRO_F1), 0, 1e-9);
    class_scores_add(&s, 0, 0);
    class_scores_add(&s, 1, 1);
    assert_within(class_scores_value(&s, CLASS_MACRO_F1), 100, 1e-9);
    class_scores_add(&s, 1, 2);
    assert_within(class_scores_value(&s, CLASS_MACRO_F1), 100.0 * (1 + 2.0 / 3) / 2, 1e-9);
}

TEST(tables_show_counts_and_confusions)
{
    MADE(ClassScores, fill, class_scores_fini, s);
    class_scores_table(&s, names, test_out());
    assert_non_null(strstr(test_written(), "bio         2          3       2      66.67  100.00   80.00\n"));
    assert_non_null(strstr(test_written(), "news    1     2     1     .\n"));
    assert_non_null(strstr(test_written(), "vlog    3     1     .     .\n"));
    class_scores_members(&s, names, test_out());
    assert_non_null(strstr(test_written(),
                           "\"bio\": {\"gold\": 2, \"predicted\": 3, \"right\": 2, \"precision\": 66.67, "
                           "\"recall\": 100.00, \"f1\": 80.00}"));
    assert_non_null(strstr(test_written(),
                           "\"confusion\": {\"news\": {\"news\": 2, \"bio\": 1}, \"bio\": {\"bio\": 2}, "
                           "\"vlog\": {\"news\": 1}}"));
}

enum { N = 60, RUNS = 2, SAMPLES = 2000 };

/* a is right in all sentences, b in those whose number is a multiple of `every`. */
static Comparison compare(int every, ClassMetric metric, int runs)
{
    int gold[N], right[N], wrong[N];
    const int *a[RUNS] = { right, right }, *b[RUNS] = { wrong, wrong };
    Comparison c;
    for (int k = 0; k < N; k++) {
        gold[k] = right[k] = k % 3;
        wrong[k] = k % every == 0 ? gold[k] : (gold[k] + 1) % 3;
    }
    assert_ok(class_scores_compare(gold, a, b, runs, N, 3, metric, SAMPLES, 7, &c, test_error()));
    return c;
}

TEST(randomisation_tells_a_large_difference_from_none)
{
    for (int metric = 0; metric < CLASS_METRICS; metric++) {
        Comparison same = compare(1, (ClassMetric)metric, 1), far = compare(4, (ClassMetric)metric, 1);
        assert_within(same.a, 100, 1e-9);
        assert_within(same.b, 100, 1e-9);
        assert_within(same.p_random, 1, 1e-9);
        assert_within(far.b, 25, 1e-9);
        assert_within(far.p_random, 1.0 / (SAMPLES + 1), 1e-9);
    }
}

/* Two runs of two sentences that differ: a wins three of the four, and both are wrong in the fourth, so an exchange
 * there changes nothing. Of the 2^3 assignments of the others two have a difference as large: none and all. */
TEST(p_is_exact_where_few_sentences_differ)
{
    const int gold[] = { 0, 1, 0, 1 }, right[] = { 0, 1, 0, 1 }, wrong[] = { 1, 0, 0, 1 }, half[] = { 0, 1, 2, 0 },
              other[] = { 0, 1, 1, 1 };
    const int *a[] = { right, other }, *b[] = { wrong, half };
    Comparison c;
    assert_ok(class_scores_compare(gold, a, b, 1, 4, 3, CLASS_ACCURACY, 4, 3, &c, test_error()));
    assert_within(c.a - c.b, 50, 1e-9);
    assert_within(c.p_random, 2.0 / 4, 1e-12);
    assert_ok(class_scores_compare(gold, a, b, 2, 4, 3, CLASS_ACCURACY, 16, 3, &c, test_error()));
    assert_within(c.a - c.b, 37.5, 1e-9);           /* 3 sentences of 8 */
    assert_within(c.p_random, 2.0 * 2 / 16, 1e-12); /* the sentence that both have wrong is free */
}

/* Where more assignments are possible than samples, they are drawn. */
TEST(p_of_samples_is_near_the_exact_one)
{
    int gold[16], a[16], b[16];
    const int *as[] = { a }, *bs[] = { b };
    Comparison exact, sampled, again;
    for (int k = 0; k < 16; k++) {
        gold[k] = k % 3;
        a[k] = k % 4 ? gold[k] : (gold[k] + 1) % 3;
        b[k] = k % 5 > 1 ? gold[k] : (gold[k] + 2) % 3;
    }
    for (int m = 0; m < CLASS_METRICS; m++) {
        assert_ok(class_scores_compare(gold, as, bs, 1, 16, 3, (ClassMetric)m, 1 << 16, 3, &exact, test_error()));
        assert_ok(class_scores_compare(gold, as, bs, 1, 16, 3, (ClassMetric)m, 500, 3, &sampled, test_error()));
        assert_ok(class_scores_compare(gold, as, bs, 1, 16, 3, (ClassMetric)m, 500, 3, &again, test_error()));
        assert_memory_equal(&sampled, &again, sizeof sampled);
        assert_within(sampled.a, exact.a, 0);
        assert_within(sampled.p_random, exact.p_random, 0.08);
        assert_true(sampled.p_random != exact.p_random);
    }
}

TEST(runs_are_counted_together)
{
    Comparison one = compare(2, CLASS_ACCURACY, 1), two = compare(2, CLASS_ACCURACY, 2);
    assert_within(one.a, two.a, 1e-9);
    assert_within(one.b, two.b, 1e-9);
}
