/* BLEU and clipped n-grams (eval/bleu.h, eval/ngrams.h). seed_parity compares more of it with
 * recorded scores. */
#include "base/arena.h"
#include "eval/bleu.h"
#include "eval/ngrams.h"
#include "tests/support/check.h"

static void tokens(const char *line, const char *expected)
{
    FREED(strbuf_fini) StrBuf found = { 0 };
    strbuf_puts(&found, "");
    bleu_tokenize(view(line), &found);
    assert_string_equal(found.ptr, expected);
}

static BleuCounts counts(const char *output, const char *first, const char *second)
{
    BleuCounts c = { 0 };
    StrView references[] = { view(first), view(second ? second : "") };
    assert_ok(bleu_count(view(output), references, second ? 2 : 1, &c, test_error()));
    return c;
}

TEST(signs_are_tokens_but_points_and_commas_in_numbers_are_not)
{
    tokens("Hello, world!", "Hello , world !");
    tokens("3.5% of 1,000 (a.b)", "3.5 % of 1,000 ( a . b )");
    tokens("in 1990-95, pre-war don't", "in 1990 - 95 , pre-war don't");
    tokens("...", ". . .");
    tokens(" \xc2\xa0 ", "");
}

TEST(escapes_are_undone_once_and_in_order)
{
    tokens("a &quot;b&quot; &lt;c&gt;", "a \" b \" < c >");
    tokens("&amp;lt; &amp;quot;", "< & quot ;");
    tokens("x<skipped>y", "xy");
}

TEST(an_ngram_is_matched_as_often_as_one_reference_has_it)
{
    StrView references[] = { view("the cat is on the mat"), view("there is a cat on the mat") };
    NgramMatches m;
    assert_ok(ngrams_match(view("the the the the the the the"), references, 2, 1, &m, test_error()));
    assert_int_equal(m.matched, 2); /* Papineni et al. 2002, section 2.1 */
    assert_int_equal(m.total, 7);
    assert_ok(ngrams_match(view("on the mat"), references, 2, 2, &m, test_error()));
    assert_int_equal(m.matched, 2);
    assert_ok(ngrams_match(view("on the"), references, 2, 3, &m, test_error()));
    assert_int_equal(m.total, 0);
    assert_int_equal(ngrams_words(view("")), 0);
    assert_int_equal(ngrams_words(view("on the mat")), 3);
}

TEST(bleu_is_the_one_computed_by_hand)
{
    BleuCounts c = counts("a b c d", "a b x d e", NULL);
    Bleu b = bleu_score(&c, false);
    assert_within(b.precision[0], 75, 1e-9);
    assert_within(b.precision[1], 100.0 / 3, 1e-9);
    assert_within(b.precision[2], 100.0 / 2 / 2, 1e-9); /* 0 of 2, smoothed to a half of one */
    assert_within(b.precision[3], 100.0 / 1 / 4, 1e-9); /* 0 of 1, smoothed to a quarter */
    assert_within(b.brevity, exp(1 - 5.0 / 4), 1e-12);
    assert_within(b.bleu, 100 * exp(-0.25) * pow(3.0 / 4 / 3 / 4 / 4, 0.25), 1e-9);
}

TEST(a_text_against_itself_has_100_and_without_a_common_word_0)
{
    BleuCounts c = counts("A black dog runs.", "A black dog runs.", NULL);
    assert_within(bleu_score(&c, false).bleu, 100, 1e-9);
    c = counts("A black dog runs.", "no word here", NULL);
    assert_within(bleu_score(&c, false).bleu, 0, 0);
    c = counts("", "a b", NULL);
    assert_within(bleu_score(&c, false).bleu, 0, 0);
    assert_within(bleu_score(&c, false).brevity, 0, 0);
    c = counts("a", "", NULL);
    assert_within(bleu_score(&c, true).bleu, 0, 0);
}

TEST(a_short_line_has_a_score_of_the_orders_it_has)
{
    BleuCounts c = counts("a dog", "a dog", NULL);
    assert_within(bleu_score(&c, false).bleu, 0, 0);
    assert_within(bleu_score(&c, true).bleu, 100, 1e-9);
}

TEST(of_several_references_the_nearest_in_length_counts_then_the_shorter)
{
    assert_int_equal(counts("a b c", "a b c d e", "a b").reference, 2);
    assert_int_equal(counts("a b c", "a b c d", "a b").reference, 2);
    assert_int_equal(counts("a b c", "a b", "a b c d").reference, 2);
    assert_int_equal(counts("a b c", "a b c d", "a").reference, 4);
}

/* ---- significance */

enum { LINES = 8 };

/* BLEU of the text that has line k of b where bit k of `taken` is set, else line k of a. */
static double mixed(BleuCounts (*lines)[LINES], int taken)
{
    BleuCounts sum = { 0 };
    for (int k = 0; k < LINES; k++) {
        const BleuCounts *c = &lines[taken >> k & 1][k];
        for (int order = 0; order < BLEU_ORDER; order++) {
            sum.matched[order] += c->matched[order];
            sum.total[order] += c->total[order];
        }
        sum.output += c->output;
        sum.reference += c->reference;
    }
    return bleu_score(&sum, false).bleu;
}

TEST(p_of_randomisation_is_exact_over_all_exchanges)
{
    static const char *const texts[3][LINES] = {
        { "a b c d e", "f g h i", "a c e g i", "b d f h", "a a b b c", "i h g f e", "c d e f", "g h" },
        { "a b c d e", "f g h", "a c e g i h", "b d f h", "a b b c", "i h g f", "c d e f g", "g h" },
        { "a b c d", "f g i h", "a c e g", "d b f h", "a a b b", "h g f e i", "c d f e", "h" }
    };
    BleuCounts lines[2][LINES];
    double numbers[2][LINES * BLEU_NUMBERS];
    for (int system = 0; system < 2; system++)
        for (int k = 0; k < LINES; k++) {
            lines[system][k] = counts(texts[1 + system][k], texts[0][k], NULL);
            bleu_numbers(&lines[system][k], numbers[system] + (ptrdiff_t)k * BLEU_NUMBERS);
        }
    double observed = fabs(mixed(lines, 0) - mixed(lines, (1 << LINES) - 1));
    int as_large = 0;
    for (int taken = 0; taken < 1 << LINES; taken++)
        as_large += fabs(mixed(lines, taken) - mixed(lines, taken ^ ((1 << LINES) - 1))) >= observed - 1e-9;
    const double *a = numbers[0], *b = numbers[1];
    Comparison c;
    assert_ok(compare_sums(&BLEU_OF_SUMS, &a, &b, 1, LINES, 1 << LINES, 1, &c, test_error()));
    assert_within(c.a, mixed(lines, 0), 1e-9);
    assert_within(c.b, mixed(lines, (1 << LINES) - 1), 1e-9);
    assert_within(c.p_random, (double)as_large / (1 << LINES), 1e-12);
    assert_true(as_large > 2 && as_large < 1 << LINES);
    assert_true(c.low < c.a - c.b && c.a - c.b < c.high && c.p_bootstrap > 0 && c.p_bootstrap < 0.5);
}

TEST(memory_may_run_out)
{
    BleuCounts c = { 0 };
    StrView reference = view("a black dog runs.");
    assert_reports_no_memory(bleu_count(view("a dog runs."), &reference, 1, &c, test_error()));
}
