/* Lemmas as changes of their words. */
#include <string.h>

#include "base/rng.h"
#include "parser/model/lemma_script.h"
#include "tests/support/check.h"

static void assert_script(const char *word, const char *lemma, const char *script)
{
    lemma_script(test_out(), word, lemma);
    assert_string_equal(test_written(), script);
    assert_string_equal(lemma_script_apply(test_written(), word, test_arena()), lemma);
}

TEST(scripts)
{
    assert_script("dogs", "dog", "l0,1,|");
    assert_script("Dogs", "dog", "l0,1,|");
    assert_script("Flies", "fly", "l0,3,|y");
    assert_script("Paris", "Paris", "k0,0,|");
    assert_script("PARIS", "Paris", "t0,0,|");
    assert_script("gekauft", "kaufen", "l2,1,|en");
    assert_script("mengambil", "ambil", "l4,0,|");
    assert_script("went", "go", "=go");
    assert_script("\xc3\x89\x74\xc3\xa9s", "\xc3\xa9t\xc3\xa9", "l0,1,|"); /* "Étés" */
    assert_script("was", "be|am", "=be|am");
    assert_script(",", ",", "l0,0,|");
}

TEST(words_that_a_script_does_not_fit)
{
    static const char *const scripts[] = {
        "l2,3,|", "l", "", "l1", "l-1,0,|", "x0,0|", "l0,99999999999,|", "=", "l1,0"
    };
    for (size_t k = 0; k < sizeof scripts / sizeof *scripts; k++)
        assert_string_equal(lemma_script_apply(scripts[k], "Dogs", test_arena()), "Dogs");
    assert_string_equal(lemma_script_apply("l0,4,|", "Dogs", test_arena()), "Dogs"); /* nothing would be left */
}

TEST(every_script_gives_its_lemma)
{
    static const char *const letters[] = { "a", "B", "b", "\xc3\xa9", "\xe4\xb8\xad", ",", "=", "7" };
    for (uint64_t key = 0; key < 3000; key++) {
        char text[2][1000] = { "", "" };
        for (int side = 0, i = 0; side < 2; side++) {
            int n = 1 + (int)(rng_uniform(key, (uint64_t)(1000 + side)) * (key % 50 ? 6 : 150));
            for (int k = 0; k < n; k++) strcat(text[side], letters[(int)(rng_uniform(key, (uint64_t)i++) * 8)]);
        }
        lemma_script(test_out(), text[0], text[1]);
        assert_string_equal(lemma_script_apply(test_written(), text[0], test_arena()), text[1]);
    }
}
