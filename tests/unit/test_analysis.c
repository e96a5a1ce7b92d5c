/* Columns of what CoNLL-U says of words. */
#include <string.h>

#include "parser/model/analysis.h"
#include "parser/model/seen_lemmas.h"
#include "tests/support/check.h"

#define ROWS 6
static const char *WORDS[ROWS] = { "Dogs", "bark", "cats", "barks", "and", "Dog" };
static const char *UPOS[ROWS] = { "NOUN", "VERB", "NOUN", "VERB", "CCONJ", "NOUN" };
static const char *FEATS[ROWS] = { "Number=Plur", "_", "Number=Plur", "Number=Sing|Person=3", "_", "Number=Sing" };
static const char *LEMMAS[ROWS] = { "dog", "bark", "cat", "bark", "and", "dog" };
static const Sentence SENTENCE = { .n_words = ROWS, .words = WORDS, .upos = UPOS, .feats = FEATS, .lemmas = LEMMAS };

typedef struct Setting {
    Vocab values, bundles, lemmas;
    Arena a;
    Analysis x;
} Setting;

static void setting_init(Setting *s)
{
    vocab_init(&s->values);
    vocab_init(&s->bundles);
    vocab_init(&s->lemmas);
    arena_init(&s->a, 0);
    assert_true(analysis_count(&s->values, &s->bundles, &s->lemmas, &SENTENCE));
    assert_true(analysis_sort(&s->values, &s->lemmas));
    assert_ok(analysis_read(&s->x, &s->values, &s->bundles, &s->lemmas, &s->a, test_error()));
}

static void setting_fini(Setting *s)
{
    vocab_fini(&s->values);
    vocab_fini(&s->bundles);
    vocab_fini(&s->lemmas);
    arena_fini(&s->a);
}

static int at(const Setting *s, const char *value)
{
    int k = vocab_find(&s->values, value);
    assert_true(k >= 0);
    return k;
}

TEST(values_of_a_column_are_together)
{
    static const char *const sorted[] = { "upos=NOUN",   "upos=VERB", "upos=CCONJ", "Number=",      "Number=Plur",
                                          "Number=Sing", "Person=",   "Person=3",   "lemma=l0,0,|", "lemma=l0,1,|" };
    MADE(Setting, setting_init, setting_fini, s);
    assert_int_equal(vocab_size(&s.values), sizeof sorted / sizeof *sorted);
    for (int k = 0; k < vocab_size(&s.values); k++) assert_string_equal(vocab_text(&s.values, k), sorted[k]);
    assert_int_equal(s.x.n, 4);
    assert_true(s.x.upos == 0 && s.x.lemma == 3);
    assert_true(s.x.column[1].first == 3 && s.x.column[1].n == 3);
    assert_int_equal(s.x.n_bundles, 5);
}

TEST(gold)
{
    static const int expected[ROWS][4] = { { 0, 1, 0, 1 }, { 1, 0, 0, 0 }, { 0, 1, 0, 1 },
                                           { 1, 2, 1, 1 }, { 2, 0, 0, 0 }, { 0, 2, 0, 0 } };
    MADE(Setting, setting_init, setting_fini, s);
    const int *got;
    assert_true(analysis_gold(&s.x, &SENTENCE, &s.a, &got));
    assert_memory_equal(got, expected, sizeof expected);
    const char *upos[] = { "X" }, *feats[] = { "Number=Dual|Gender=Fem" }, *lemmas[] = { "went" }, *words[] = { "go" };
    const Sentence unseen = { .n_words = 1, .words = words, .upos = upos, .feats = feats, .lemmas = lemmas };
    assert_true(analysis_gold(&s.x, &unseen, &s.a, &got));
    assert_true(got[0] == -1 && got[1] == 0 && got[2] == 0 && got[3] == -1);
    assert_true(analysis_gold(&s.x, &(Sentence){ .n_words = 1, .words = words }, &s.a, &got));
    assert_null(got);
}

TEST(decisions)
{
    MADE(Setting, setting_init, setting_fini, s);
    Real scores[10] = { 0 };
    AnalysedWord w;
    scores[at(&s, "upos=VERB")] = 2;
    scores[at(&s, "lemma=l0,1,|")] = 1;
    scores[at(&s, "Number=Plur")] = 3; /* no verb had this */
    scores[at(&s, "Person=3")] = (Real)0.5;
    assert_true(analysis_choose(&s.x, "Runs", scores, &s.a, &w));
    assert_string_equal(w.upos, "VERB");
    assert_string_equal(w.feats, "Number=Sing|Person=3");
    assert_string_equal(w.lemma, "run");
    scores[at(&s, "Person=3")] = -1;
    assert_true(analysis_choose(&s.x, "Runs", scores, &s.a, &w));
    assert_string_equal(w.feats, "_");
    scores[at(&s, "upos=NOUN")] = 3;
    assert_true(analysis_choose(&s.x, "Runs", scores, &s.a, &w));
    assert_string_equal(w.upos, "NOUN");
    assert_string_equal(w.feats, "Number=Plur");
}

TEST(a_lemma_that_the_word_had_goes_before_that_of_a_script)
{
    MADE(Setting, setting_init, setting_fini, s);
    Real scores[10] = { 0 };
    AnalysedWord w;
    scores[at(&s, "upos=NOUN")] = 2;
    scores[at(&s, "lemma=l0,0,|")] = 1;
    assert_true(analysis_choose(&s.x, "DOGS", scores, &s.a, &w));
    assert_string_equal(w.lemma, "dogs"); /* only "Dogs" was seen */
    assert_true(analysis_choose(&s.x, "Dogs", scores, &s.a, &w));
    assert_string_equal(w.lemma, "dog");
    scores[at(&s, "upos=VERB")] = 3;
    assert_true(analysis_choose(&s.x, "Dogs", scores, &s.a, &w));
    assert_string_equal(w.lemma, "dogs"); /* but as a noun */
}

static void put_seen(Vocab *v, const char *word, const char *lemma, int times)
{
    for (int k = 0; k < times; k++) assert_true(seen_lemmas_count(v, word, "X", lemma));
}

TEST(of_several_lemmas_the_one_of_the_script_or_the_most_frequent)
{
    FREED(vocab_fini) Vocab v;
    vocab_init(&v);
    put_seen(&v, "saw", "see", 2);
    put_seen(&v, "sawn", "saw", 9);
    put_seen(&v, "saw", "saw", 1);
    put_seen(&v, "sa", "sa", 5);
    put_seen(&v, "a b", "c", 1); /* has no place in it, nor has the next one */
    put_seen(&v, "ab", "a b", 1);
    assert_true(seen_lemmas_sort(&v));
    assert_ok(seen_lemmas_check(&v, test_error()));
    assert_int_equal(vocab_size(&v), 4);
    assert_string_equal(seen_lemmas_choose(&v, "saw", "X", "saw"), "saw");
    assert_string_equal(seen_lemmas_choose(&v, "saw", "X", "sa"), "see");
    assert_string_equal(seen_lemmas_choose(&v, "SAW", "X", "sa"), "see");
    assert_string_equal(seen_lemmas_choose(&v, "s", "X", "t"), "t");
    assert_string_equal(seen_lemmas_choose(&v, "sawn", "X", "t"), "saw");
    assert_string_equal(seen_lemmas_choose(&v, "sawn", "Y", "t"), "t");
}

TEST(words_that_are_their_own_lemmas_need_no_list)
{
    FREED(vocab_fini) Vocab v;
    vocab_init(&v);
    put_seen(&v, "b", "b", 1);
    put_seen(&v, "a", "a", 1);
    assert_true(seen_lemmas_sort(&v));
    assert_int_equal(vocab_size(&v), 0);
}

TEST(lists_of_lemmas_that_are_damaged)
{
    FREED(vocab_fini) Vocab v, none;
    vocab_init(&v);
    vocab_init(&none);
    put_seen(&v, "b", "b", 1);
    put_seen(&v, "a", "a", 1);
    assert_fails_with(seen_lemmas_check(&v, test_error()), ERR_FORMAT, "found \"a X a\" too late");
    assert_true(vocab_count(&none, "b X", 3, 1) >= 0);
    assert_fails_with(seen_lemmas_check(&none, test_error()), ERR_FORMAT, "found \"b X\", expected a word");
}

static void assert_refused(const char *values, const char *bundle, const char *what)
{
    FREED(vocab_fini) Vocab v, b, lemmas;
    Analysis x;
    vocab_init(&v);
    vocab_init(&b);
    vocab_init(&lemmas);
    for (const char *p = values; *p; p += strcspn(p, " "), p += *p == ' ')
        assert_true(vocab_count(&v, p, strcspn(p, " "), 1) >= 0);
    if (bundle) assert_true(vocab_count(&b, bundle, strlen(bundle), 1) >= 0);
    assert_fails_with(analysis_read(&x, &v, &b, &lemmas, test_arena(), test_error()), ERR_FORMAT, what);
}

TEST(files_that_are_damaged)
{
    assert_refused("upos=A upos", NULL, "a value without =");
    assert_refused("upos=A Case= Case=Nom upos=B", NULL, "a column in two places");
    assert_refused("upos=A Case=Nom", NULL, "a feature that is not empty before the others");
    assert_refused("upos=A", "A", "a bundle without a blank");
}

TEST(every_allocation_may_fail)
{
    for (long n = 0; allocation_fails(n); n++) {
        FREED(vocab_fini) Vocab values, bundles, lemmas;
        MADE(Arena, arena_init, arena_fini, a, 0);
        Analysis x;
        const int *gold;
        vocab_init(&values);
        vocab_init(&bundles);
        vocab_init(&lemmas);
        mem_fail_after(n);
        bool good = analysis_count(&values, &bundles, &lemmas, &SENTENCE) && analysis_sort(&values, &lemmas);
        good = good && analysis_read(&x, &values, &bundles, &lemmas, &a, test_error()) == OK;
        assert_done_or_no_memory(good && analysis_gold(&x, &SENTENCE, &a, &gold));
    }
}
