/* Lemmas of words by their tag. */
#include "language/english/ud/lemma.h"
#include "tests/support/check.h"

typedef struct Case {
    const char *form, *tag, *lemma;
} Case;

static void check(const Case *cases, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const char *lemma = lemma_find(cases[k].form, cases[k].tag, test_arena());
        if (!lemma || strcmp(lemma, cases[k].lemma) != 0)
            fail_msg("%s %s: found %s, expected %s", cases[k].form, cases[k].tag, lemma ? lemma : "nothing",
                     cases[k].lemma);
    }
}
#define CHECK(cases) check(cases, sizeof(cases) / sizeof *(cases))

TEST(regular_and_irregular_words_have_their_lemmas)
{
    static const Case cases[] = {
        { "went", "VBD", "go" },
        { "gone", "VBN", "go" },
        { "hoped", "VBD", "hope" },
        { "hopped", "VBD", "hop" },
        { "making", "VBG", "make" },
        { "underwent", "VBD", "undergo" },
        { "tries", "VBZ", "try" },
        { "is", "VBZ", "be" },
        { "am", "VBP", "be" },
        { "were", "VBD", "be" },
        { "been", "VBN", "be" },
        { "cities", "NNS", "city" },
        { "boxes", "NNS", "box" },
        { "children", "NNS", "child" },
        { "wives", "NNS", "wife" },
        { "potatoes", "NNS", "potato" },
        { "series", "NNS", "series" },
        { "analyses", "NNS", "analysis" },
        { "better", "JJR", "good" },
        { "better", "RBR", "well" },
        { "biggest", "JJS", "big" },
        { "happier", "JJR", "happy" },
        { "me", "PRP", "I" },
        { "them", "PRP", "they" },
        { "her", "PRP", "she" },
        { "her", "PRP$", "her" },
        { "these", "DT", "this" },
        { "an", "DT", "a" },
        { "quickly", "RB", "quickly" },
        { "left", "JJ", "left" },
        { "left", "VBD", "leave" },
        { "saw", "NN", "saw" },
        { "saw", "VBD", "see" },
        { "dogs", "NNS", "dog" },
        { "barks", "VBZ", "bark" },
        { "barks", "NNS", "bark" },
        { "(", "-LRB-", "(" },
        { "1,200", "CD", "1200" },
        { "1,234,567.5", "CD", "1234567.5" },
        { "demoted", "VBN", "demote" },
        { "drooped", "VBD", "droop" },
        { "enlivening", "VBG", "enliven" },
        { "aches", "NNS", "ache" },
        { "singing", "VBG", "sing" },
        { "freed", "VBN", "free" },
        { "travelling", "VBG", "travel" },
        { "...", ":", "..." },
        { "12,3", "CD", "12,3" },
        { "?", ".", "?" },
    };
    CHECK(cases);
}

TEST(parts_of_contractions_have_full_lemmas)
{
    static const Case cases[] = {
        { "n't", "RB", "not" },  { "n’t", "RB", "not" },  { "N’T", "RB", "not" },   { "ca", "MD", "can" },
        { "Ca", "MD", "can" },   { "wo", "MD", "will" },  { "sha", "MD", "shall" }, { "'ll", "MD", "will" },
        { "’ll", "MD", "will" }, { "'d", "MD", "would" }, { "’d", "MD", "would" },  { "'d", "VBD", "have" },
        { "'re", "VBP", "be" },  { "’re", "VBP", "be" },  { "'ve", "VBP", "have" }, { "’ve", "VB", "have" },
        { "'m", "VBP", "be" },   { "’m", "VBP", "be" },   { "'s", "VBZ", "be" },    { "’s", "VBZ", "be" },
        { "’S", "VBZ", "be" },   { "'s", "POS", "'s" },   { "’s", "POS", "'s" },    { "’", "POS", "'s" },
        { "’s", "PRP", "we" },   { "gon", "VBG", "go" },  { "na", "TO", "to" },     { "wan", "VBP", "want" },
        { "ta", "TO", "to" },    { "got", "VBN", "get" }, { "Gon", "VBG", "go" },   { "’em", "PRP", "they" },
        { "ai", "VBP", "be" },   { "“", "``", "\"" },     { "”", "''", "\"" },
    };
    CHECK(cases);
}

TEST(capitals_belong_to_names)
{
    static const Case cases[] = {
        { "The", "DT", "the" },
        { "Morphed", "VBD", "morph" },
        { "Children", "NNS", "child" },
        { "CHILDREN", "NNS", "child" },
        { "WENT", "VBD", "go" },
        { "Google", "NNP", "Google" },
        { "McDonald", "NNP", "McDonald" },
        { "NASA", "NNP", "NASA" },
        { "STRUMPOVSKY", "NNP", "Strumpovsky" },
        { "Americans", "NNPS", "American" },
        { "American", "JJ", "American" },
        { "I", "PRP", "I" },
        { "mRNAs", "NNS", "mRNA" },
        { "HTTP://EXAMPLE.ORG/A", "ADD", "HTTP://EXAMPLE.ORG/A" },
        { "XD", "NFP", "XD" },
        { "#Tag", "NNP", "#Tag" },
        { "PCR", "NN", "PCR" },
        { "HIV-1", "NN", "HIV-1" },
        { "TREE", "NN", "tree" },
        { "A", "DT", "a" },
        { "i", "PRP", "I" },
        { "You", "PRP", "you" },
        { "O’Brien", "NNP", "O'Brien" },
        { "École", "NNP", "École" },
        { "Études", "NNS", "étude" },
    };
    CHECK(cases);
}

TEST(unknown_tags_keep_the_word)
{
    static const Case cases[] = { { "Words", "Nab", "Words" }, { "Words", NULL, "Words" }, { "", "NNS", "" } };
    CHECK(cases);
}

TEST(arcs_tell_has_from_is)
{
    const char *words[] = { "He", "’s", "been", "told", "it", "'s", "gone" },
               *tags[] = { "PRP", "VBZ", "VBN", "VBN", "PRP", "VBZ", "VBN" },
               *types[] = { "nsubj:pass", "aux", "aux:pass", "root", "nsubj", "aux", "ccomp" };
    int heads[] = { 4, 4, 4, 0, 7, 7, 4 };
    Sentence sent = { .n_words = 7, .words = words, .tags = tags, .heads = heads, .types = types };
    const char **lemmas = lemma_sentence(&sent, test_arena());
    assert_string_equal(lemmas[1], "have");
    assert_string_equal(lemmas[2], "be");
    assert_string_equal(lemmas[3], "tell");
    assert_string_equal(lemmas[5], "have");
    types[5] = "aux:pass";
    assert_string_equal(lemma_sentence(&sent, test_arena())[5], "be");
    words[5] = "is";
    types[5] = "aux";
    assert_string_equal(lemma_sentence(&sent, test_arena())[5], "be");
    words[5] = "'s";
    sent.heads = NULL;
    assert_string_equal(lemma_sentence(&sent, test_arena())[5], "be");
}

TEST(a_failed_allocation_is_no_lemma)
{
    for (long n = 0, found = 0; !found; n++) {
        MADE(Arena, arena_init, arena_fini, arena, 1 << 12);
        mem_fail_after(n);
        const char *lemma = lemma_find("Went", "VBD", &arena);
        mem_fail_after(-1);
        found = lemma != NULL;
        if (lemma) assert_string_equal(lemma, "go");
        assert_true(n < 100);
    }
}
