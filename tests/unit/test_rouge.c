/* ROUGE (eval/rouge.h). seed_parity compares more of it with recorded scores. */
#include "base/arena.h"
#include "eval/rouge.h"
#include "tests/support/check.h"

/* The scores of texts whose sentences are lines. */
static Status score(const char *output, const char *reference, RougeScore scores[ROUGE_MEASURES])
{
    StrView lines[2][8];
    int n[2] = { 0, 0 };
    for (int k = 0; k < 2; k++)
        for (size_t at = 0; text_line(view(k ? reference : output), &at, &lines[k][n[k]]);) n[k]++;
    return rouge_score(lines[0], n[0], lines[1], n[1], scores, test_error());
}

static void words(const char *text, const char *expected)
{
    FREED(strbuf_fini) StrBuf found = { 0 };
    strbuf_puts(&found, "");
    rouge_words(view(text), &found);
    assert_string_equal(found.ptr, expected);
}

TEST(words_are_of_small_letters_and_digits)
{
    words("The U.S. has 3.5% -- don't!", "the u s has 3 5 don t");
    words("Stra\xc3\x9f"
          "e na\xc3\xafve",
          "stra e na ve");
    words("\xc4\xb0stanbul 5\xe2\x84\xaa", "i stanbul 5k"); /* a dotted I, the sign of kelvin */
    words("?!", "");
}

TEST(ngrams_are_clipped)
{
    RougeScore s[ROUGE_MEASURES];
    assert_ok(score("A a a b", "a b b", s));
    assert_within(s[ROUGE_1].precision, 2.0 / 4, 1e-12);
    assert_within(s[ROUGE_1].recall, 2.0 / 3, 1e-12);
    assert_within(s[ROUGE_1].f, 2 * 0.5 * (2.0 / 3) / (0.5 + 2.0 / 3), 1e-12);
    assert_within(s[ROUGE_2].precision, 1.0 / 3, 1e-12);
    assert_within(s[ROUGE_2].recall, 1.0 / 2, 1e-12);
}

TEST(ngrams_run_over_the_ends_of_sentences)
{
    RougeScore s[ROUGE_MEASURES];
    assert_ok(score("a\nb", "a b", s));
    assert_within(s[ROUGE_2].f, 1, 1e-12);
}

TEST(subsequences_are_as_in_lin_2004)
{
    RougeScore s[ROUGE_MEASURES];
    assert_ok(score("police kill the gunman", "police killed the gunman", s));
    assert_within(s[ROUGE_LSUM].recall, 3.0 / 4, 1e-12);
    assert_ok(score("the gunman kill police", "police killed the gunman", s));
    assert_within(s[ROUGE_LSUM].recall, 2.0 / 4, 1e-12);
    assert_ok(score("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5", s));
    assert_within(s[ROUGE_LSUM].recall, 4.0 / 5, 1e-12);
    assert_within(s[ROUGE_LSUM].precision, 4.0 / 10, 1e-12);
}

TEST(a_word_is_matched_as_often_as_both_texts_have_it)
{
    RougeScore s[ROUGE_MEASURES];
    assert_ok(score("a b", "a b\na c\nb", s));
    assert_within(s[ROUGE_LSUM].precision, 1, 1e-12);
    assert_within(s[ROUGE_LSUM].recall, 2.0 / 5, 1e-12);
}

TEST(of_equally_long_subsequences_the_one_from_the_ends_counts)
{
    RougeScore s[ROUGE_MEASURES];
    /* with the first sentence it is "a", not "b"; with the second it is "a", too */
    assert_ok(score("b a\na", "a b", s));
    assert_within(s[ROUGE_LSUM].recall, 1.0 / 2, 1e-12);
}

TEST(a_text_against_itself_has_1_and_an_empty_one_0)
{
    RougeScore s[ROUGE_MEASURES];
    assert_ok(score("a b c\nd e", "a b c\nd e", s));
    for (int k = 0; k < ROUGE_MEASURES; k++) assert_within(s[k].f, 1, 1e-12);
    assert_ok(score("", "a", s));
    for (int k = 0; k < ROUGE_MEASURES; k++) assert_within(s[k].f + s[k].precision + s[k].recall, 0, 0);
    assert_ok(score("a", "?", s));
    for (int k = 0; k < ROUGE_MEASURES; k++) assert_within(s[k].f, 0, 0);
}

TEST(means_come_from_sums_over_documents)
{
    RougeScore s[ROUGE_MEASURES];
    double sums[ROUGE_NUMBERS] = { 0 }, numbers[ROUGE_NUMBERS];
    assert_within(ROUGE_OF_SUMS[ROUGE_1].value(sums), 0, 0);
    for (int document = 0; document < 2; document++) {
        assert_ok(score(document ? "a b" : "a b c d", "a b", s));
        rouge_numbers(s, numbers);
        for (int k = 0; k < ROUGE_NUMBERS; k++) sums[k] += numbers[k];
    }
    assert_within(rouge_mean(sums, ROUGE_1).precision, 0.75, 1e-12);
    assert_within(rouge_mean(sums, ROUGE_1).recall, 1, 1e-12);
    assert_within(ROUGE_OF_SUMS[ROUGE_1].value(sums), 100 * (1 + 2.0 / 3) / 2, 1e-9);
    assert_within(ROUGE_OF_SUMS[ROUGE_2].value(sums), 100 * (1 + 2.0 / 4) / 2, 1e-9);
    assert_within(ROUGE_OF_SUMS[ROUGE_LSUM].value(sums), 100 * (1 + 2.0 / 3) / 2, 1e-9);
}

TEST(memory_may_run_out)
{
    RougeScore s[ROUGE_MEASURES];
    assert_reports_no_memory(score("a b c\nd e", "b c\nd", s));
}
