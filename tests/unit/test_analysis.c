/* tests/unit/test_analysis.c: columns of what CoNLL-U says of words. */
#include <string.h>

#include "parser/model/analysis.h"
#include "tests/support/check.h"

#define ROWS 6
static const char *WORDS[ROWS] = { "Dogs", "bark", "cats", "barks", "and", "Dog" };
static const char *UPOS[ROWS] = { "NOUN", "VERB", "NOUN", "VERB", "CCONJ", "NOUN" };
static const char *FEATS[ROWS] = { "Number=Plur", "_", "Number=Plur", "Number=Sing|Person=3", "_", "Number=Sing" };
static const char *LEMMAS[ROWS] = { "dog", "bark", "cat", "bark", "and", "dog" };
static const Sentence SENTENCE = { .n_words = ROWS, .words = WORDS, .upos = UPOS, .feats = FEATS, .lemmas = LEMMAS };

typedef struct Setting {
    Vocab values, bundles;
    Arena a;
    Analysis x;
} Setting;

static void setting_init(Setting *s)
{
    vocab_init(&s->values);
    vocab_init(&s->bundles);
    arena_init(&s->a, 0);
    assert_true(analysis_count(&s->values, &s->bundles, &SENTENCE));
    assert_true(analysis_sort(&s->values));
    assert_ok(analysis_read(&s->x, &s->values, &s->bundles, &s->a, test_error()));
}

static void setting_fini(Setting *s)
{
    vocab_fini(&s->values);
    vocab_fini(&s->bundles);
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

static void assert_refused(const char *values, const char *bundle, const char *what)
{
    FREED(vocab_fini) Vocab v, b;
    MADE(Arena, arena_init, arena_fini, a, 0);
    Analysis x;
    vocab_init(&v);
    vocab_init(&b);
    for (const char *p = values; *p; p += strcspn(p, " "), p += *p == ' ')
        assert_true(vocab_count(&v, p, strcspn(p, " "), 1) >= 0);
    if (bundle) assert_true(vocab_count(&b, bundle, strlen(bundle), 1) >= 0);
    assert_fails_with(analysis_read(&x, &v, &b, &a, test_error()), ERR_FORMAT, what);
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
        FREED(vocab_fini) Vocab values, bundles;
        MADE(Arena, arena_init, arena_fini, a, 0);
        Analysis x;
        const int *gold;
        vocab_init(&values);
        vocab_init(&bundles);
        mem_fail_after(n);
        bool good = analysis_count(&values, &bundles, &SENTENCE) && analysis_sort(&values);
        good = good && analysis_read(&x, &values, &bundles, &a, test_error()) == OK;
        assert_done_or_no_memory(good && analysis_gold(&x, &SENTENCE, &a, &gold));
    }
}
