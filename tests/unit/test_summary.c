/* Sentences that are chosen as a summary (eval/summary.h). seed_parity compares them with
 * recorded ones. */
#include "base/arena.h"
#include "base/rng.h"
#include "eval/rouge.h"
#include "eval/summary.h"
#include "tests/support/check.h"

enum { MOST_SENTENCES = 8 };

/* F of ROUGE-1 plus F of ROUGE-2 of the chosen sentences and sentence `more`. */
static double value_of(const StrView *sentences, int n, StrView summary, const bool *chosen, int more)
{
    StrView output[MOST_SENTENCES];
    RougeScore s[ROUGE_MEASURES];
    int k = 0;
    for (int i = 0; i < n; i++)
        if (chosen[i] || i == more) output[k++] = sentences[i];
    assert_ok(rouge_score(output, k, &summary, 1, s, test_error()));
    return s[ROUGE_1].f + s[ROUGE_2].f;
}

static double plain_oracle(const StrView *sentences, int n, StrView summary, int most, bool *chosen)
{
    double value = 0;
    memset(chosen, 0, (size_t)n * sizeof *chosen);
    for (int picked = 0, best = 0; picked < most && best >= 0; picked++) {
        best = -1;
        for (int k = 0; k < n; k++) {
            double found = chosen[k] ? 0 : value_of(sentences, n, summary, chosen, k);
            if (found <= value) continue;
            best = k;
            value = found;
        }
        if (best >= 0) chosen[best] = true;
    }
    return value;
}

/* A sentence of up to six words of one letter; blanks and signs between them. */
static StrView random_sentence(uint64_t key, uint32_t from, char text[32])
{
    uint32_t words = rng_bits32(key, from) % 7;
    int n = 0;
    for (uint32_t w = 0; w < words; w++) {
        text[n++] = (char)('a' + (int)(rng_bits32(key, from + 1 + w) % 5));
        text[n++] = w % 2 ? ' ' : '.';
    }
    return (StrView){ text, (size_t)n };
}

TEST(the_oracle_agrees_with_plain_rouge)
{
    int several = 0;
    for (uint64_t round = 0; round < 200; round++) {
        char text[MOST_SENTENCES + 1][32];
        StrView sentences[MOST_SENTENCES];
        uint64_t key = rng_key(5, round, 0, 0);
        int n = 1 + (int)(rng_bits32(key, 999) % MOST_SENTENCES), most = 1 + (int)(round % 4), picked = 0;
        bool found[MOST_SENTENCES], expected[MOST_SENTENCES];
        for (int k = 0; k < n; k++) sentences[k] = random_sentence(key, 10 * (uint32_t)k, text[k]);
        StrView summary = random_sentence(key, 500, text[MOST_SENTENCES]);
        double value, plain = plain_oracle(sentences, n, summary, most, expected);
        assert_ok(summary_oracle(sentences, n, &summary, 1, most, found, &value, test_error()));
        assert_within(value, plain, 1e-12);
        for (int k = 0; k < n; k++) {
            assert_int_equal(found[k], expected[k]);
            picked += found[k];
        }
        several += picked > 1;
    }
    assert_true(several > 20);
}

static void chosen_by_scores(const char *expected, int most, bool block)
{
    static const char *const texts[] = { "one two three four", "five six", "zero one two three", "seven", "" };
    static const double scores[] = { 0.5, 0.9, 0.5, 0.7, 0.1 };
    StrView sentences[5];
    bool chosen[5];
    char found[6] = "";
    for (int k = 0; k < 5; k++) sentences[k] = view(texts[k]);
    assert_ok(summary_choose(sentences, scores, 5, most, block, chosen, test_error()));
    for (int k = 0; k < 5; k++) found[k] = chosen[k] ? '1' : '0';
    assert_string_equal(found, expected);
}

TEST(the_highest_scores_are_chosen_the_earlier_of_equal_ones)
{
    chosen_by_scores("00000", 0, false);
    chosen_by_scores("01010", 2, false);
    chosen_by_scores("11010", 3, false);
    chosen_by_scores("11111", 9, false);
}

TEST(a_sentence_that_repeats_three_words_is_left_out)
{
    chosen_by_scores("11010", 3, true);
    chosen_by_scores("11011", 4, true);
    chosen_by_scores("11011", 9, true);
}

TEST(memory_may_run_out)
{
    StrView sentences[] = { view("a b c d"), view("c d e f"), view("e") }, summary = view("c d e a b");
    const double scores[] = { 1, 2, 3 };
    bool chosen[3];
    assert_reports_no_memory(summary_oracle(sentences, 3, &summary, 1, 2, chosen, NULL, test_error()));
    assert_reports_no_memory(summary_choose(sentences, scores, 3, 3, true, chosen, test_error()));
}
