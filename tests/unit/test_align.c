/* The measures of the CoNLL 2018 shared task, counted by hand. */
#include "tests/support/conllu.h"

static void expect_count(const AlignScores *s, AlignMeasure m, long gold, long pred, long matched, long aligned)
{
    const AlignCount *c = &s->of[m];
    if (c->gold != gold || c->pred != pred || c->matched != matched || c->aligned != aligned)
        fail_msg("measure %d: found %ld %ld %ld %ld, expected %ld %ld %ld %ld", (int)m, c->gold, c->pred, c->matched,
                 c->aligned, gold, pred, matched, aligned);
}

/* ---- by hand */

TEST(different_words_are_aligned_by_characters)
{
    const char *gold = "1\twell\t_\tR\tR\t_\t3\tadvmod\t_\t_\n2\t-\t_\tH\tH\t_\t3\tpunct\t_\t_\n3\tknown\t_\tJ\tJ\t_"
                       "\t4\tamod\t_\t_\n4\tman\t_\tN\tN\t_\t0\troot\t_\t_\n5\t.\t_\t.\t.\t_\t4\tpunct\t_\t_\n\n"
                       "1\the\t_\tP\tP\t_\t2\tnsubj:x\t_\t_\n2\tsat\t_\tV\tV\t_\t0\troot\t_\t_\n";
    AlignScores s = scores(gold, "1\twell-known\t_\tJ\tJ\t_\t2\tamod\t_\t_\n2\tman\t_\tN\tN\t_\t0\troot\t_\t_\n3\t.\t_"
                                 "\t,\t,\t_\t1\tpunct\t_\t_\n\n"
                                 "1\the\t_\tP\tP\t_\t2\tnsubj:y\t_\t_\n2\tsat\t_\tV\tV\t_\t0\troot\t_\t_\n");
    expect_count(&s, ALIGN_TOKENS, 7, 5, 4, -1);
    expect_count(&s, ALIGN_WORDS, 7, 5, 4, -1); /* man . he sat */
    expect_count(&s, ALIGN_XPOS, 7, 5, 3, 4);
    expect_count(&s, ALIGN_UAS, 7, 5, 3, 4);  /* the head of the full stop is a word that was not matched */
    expect_count(&s, ALIGN_LAS, 7, 5, 3, 4);  /* subtypes are ignored */
    expect_count(&s, ALIGN_CLAS, 5, 4, 3, 3); /* without punctuation */
    expect_count(&s, ALIGN_SENTENCES, 2, 2, 2, -1);
    s = scores(gold, "1\twell-known\t_\tJ\tJ\t_\t2\tamod\t_\t_\n2\tman\t_\tN\tN\t_\t0\troot\t_\t_\n\n1\t.he\t_\tP\tP\t_"
                     "\t2\tx\t_\t_\n2\tsat\t_\tV\tV\t_\t0\troot\t_\t_\n");
    expect_count(&s, ALIGN_SENTENCES, 2, 2, 0, -1); /* the boundaries differ */
    expect_count(&s, ALIGN_WORDS, 7, 4, 2, -1);
}

TEST(other_characters_are_an_error_with_both_places)
{
    AlignScores s;
    MADE(Treebank, read_conllu, treebank_fini, g,
         "1\twell\t_\tR\tR\t_\t2\tamod\t_\t_\n2\tman\t_\tN\tN\t_\t0\troot\t_\t_\n");
    MADE(Treebank, read_conllu, treebank_fini, p,
         "1\twell\t_\tR\tR\t_\t2\tamod\t_\t_\n2\tmen\t_\tN\tN\t_\t0\troot\t_\t_\n");
    assert_fails(align_score(&g, &p, "g", "p", &s, test_error()), ERR_FORMAT,
                 "p:2: found 'men', expected 'man' as at g:2");
}

/* The message for two texts: lines count comments, rows of ranges and empty lines. */
static void expect_difference(const char *gold, const char *pred, const char *message)
{
    AlignScores s;
    MADE(Treebank, read_conllu, treebank_fini, g, gold);
    MADE(Treebank, read_conllu, treebank_fini, p, pred);
    *test_error() = (Error){ 0 };
    assert_fails(align_score(&g, &p, "g", "p", &s, test_error()), ERR_FORMAT, message);
}

TEST(other_characters_are_named_with_their_token)
{
#define WORD(id, form) #id "\t" form "\t_\t_\t_\t_\t0\troot\t_\t_\n"
#define AFTER(id, form) #id "\t" form "\t_\t_\t_\t_\t1\tdep\t_\t_\n"
#define RANGE(ids, form) ids "\t" form "\t_\t_\t_\t_\t_\t_\t_\t_\n"
    const char *token = "# c\n# d\n" WORD(1, "Il") RANGE("2-3", "du") AFTER(2, "de") AFTER(3, "le");
    const char *words = WORD(1, "Il") AFTER(2, "de") AFTER(3, "le");
    expect_difference(token, words, "p:2: found 'de', expected 'du', the token of the words 'de' 'le', as at g:4");
    expect_difference(words, token, "p:4: found 'du', the token of the words 'de' 'le', expected 'de' as at g:2");
    expect_difference(token,
                      WORD(1, "Il") "1.1"
                                    "\tE\t_\t_\t_\t_\t_\t_\t_\t_\n" AFTER(2, "x"),
                      "p:3: found 'x', expected 'du', the token of the words 'de' 'le', as at g:4");
    /* texts that look the same, or do so in what is shown of them */
    expect_difference(WORD(1, "\u00e0"), WORD(1, "a\u0300"),
                      "p:1: found 'a\u0300' (U+0061 U+0300), expected '\u00e0' "
                      "(U+00E0) as at g:1");
    expect_difference(WORD(1, "xa"), WORD(1, "x\u0430"),
                      "p:1: found 'x\u0430' (U+0430), expected 'xa' (U+0061) as at g:1");
    expect_difference(WORD(1, "xaa"), WORD(1, "x") AFTER(2, "aaa"),
                      "p:2: found more text, 'xaaa', expected the end of the text after 'xaa' at g:1");
    expect_difference(WORD(1, "a") AFTER(2, "b"), WORD(1, "a"),
                      "p:1: found the end of the text after 'a', expected more text, 'ab' at g:2");
#undef WORD
#undef AFTER
#undef RANGE
}

TEST(words_of_one_token_are_matched_by_their_forms)
{
    /* "Il va au bal" with au = a le; a system that splits the token differently, and one that does not split it */
    const char *gold =
        "1\tIl\t_\tP\tP\t_\t2\tnsubj\t_\t_\n2\tva\t_\tV\tV\t_\t0\troot\t_\t_\n3-4\tau\t_\t_\t_\t_\t_\t_\t_"
        "\t_\n3\ta\t_\tI\tI\t_\t5\tcase\t_\t_\n4\tle\t_\tD\tD\t_\t5\tdet\t_\t_\n5\tbal\t_\tN\tN\t_\t2"
        "\tobl\t_\t_\n";
    AlignScores s = scores(gold, gold);
    expect_count(&s, ALIGN_TOKENS, 4, 4, 4, -1);
    expect_count(&s, ALIGN_LAS, 5, 5, 5, 5);
    s = scores(gold,
               "1\tIl\t_\tP\tP\t_\t2\tnsubj\t_\t_\n2\tva\t_\tV\tV\t_\t0\troot\t_\t_\n3-5\tau\t_\t_\t_\t_\t_\t_\t_\t_"
               "\n3\tx\t_\tI\tI\t_\t5\tcase\t_\t_\n4\tA\t_\tI\tI\t_\t6\tcase\t_\t_\n5\ty\t_\tD\tD\t_\t6\tdet\t_"
               "\t_\n6\tbal\t_\tN\tN\t_\t2\tobl\t_\t_\n");
    expect_count(&s, ALIGN_LAS, 5, 6, 4, 4); /* Il va a bal */
    expect_count(&s, ALIGN_SENTENCES, 1, 1, 1, -1);
    const char *whole =
        "1\tIl\t_\tP\tP\t_\t2\tnsubj\t_\t_\n2\tva\t_\tV\tV\t_\t0\troot\t_\t_\n3\tau\t_\tI\tI\t_\t4\tcase"
        "\t_\t_\n4\tbal\t_\tN\tN\t_\t2\tobl\t_\t_\n";
    s = scores(whole, gold);
    expect_count(&s, ALIGN_WORDS, 4, 5, 3, -1); /* "au" is not one of the words */
    expect_count(&s, ALIGN_TOKENS, 4, 4, 4, -1);
    /* the system's token covers part of the next word, so both are one stretch */
    s = scores(gold,
               "1\tIl\t_\tP\tP\t_\t2\tnsubj\t_\t_\n2\tva\t_\tV\tV\t_\t0\troot\t_\t_\n3-4\taubal\t_\t_\t_\t_\t_\t_\t_"
               "\t_\n3\tle\t_\tD\tD\t_\t4\tdet\t_\t_\n4\tbal\t_\tN\tN\t_\t2\tobl\t_\t_\n");
    expect_count(&s, ALIGN_WORDS, 5, 4, 4, -1); /* Il va le bal */
}

TEST(arcs_of_enhanced_graphs_are_counted_without_empty_nodes)
{
#define WORD(id, form, head, deps) #id "\t" form "\t_\t_\t_\t_\t" #head "\tx\t" deps "\t_\n"
    const char *gold = WORD(1, "Tom", 2, "2:nsubj|3.1:nsubj:xsubj") WORD(2, "ate", 0, "0:root")
        WORD(3, "figs", 2, "2:obj") "3.1\t_\t_\t_\t_\t_\t_\t_\t2:conj:and\t_\n" WORD(4, "nuts", 2, "3.1:obj");
    AlignScores s = scores(gold, gold);
    expect_count(&s, ALIGN_ELAS, 5, 5, 5, 5);
    s = scores(gold, WORD(1, "Tom", 2, "2:nsubj:pass|2:conj>nsubj:xsubj") WORD(2, "ate", 0, "0:root")
                         WORD(3, "figs", 2, "2:obj|2:obj") WORD(4, "nuts", 2, "2:conj:and>obj"));
    expect_count(&s, ALIGN_ELAS, 5, 6, 3, 5); /* ate, figs once, nuts */
    expect_count(&s, ALIGN_EULAS, 5, 6, 5, 5);
    /* words that are not matched, and columns that are no graph */
    s = scores(gold, WORD(1, "Tomate", 0, "0:root") WORD(2, "figs", 1, "1:obj|x|:obj|3|9:obj|7.1:obj")
                         WORD(3, "nuts", 1, "_"));
    expect_count(&s, ALIGN_ELAS, 5, 2, 0, 2);
    bool in_pred;
    assert_null(align_missing(&s, ALIGN_ELAS, &in_pred));
    s = scores(gold, WORD(1, "Tomate", 0, "_") WORD(2, "figs", 1, "_") WORD(3, "nuts", 1, "_"));
    assert_string_equal(align_missing(&s, ALIGN_ELAS, &in_pred), "no enhanced graphs");
    assert_true(in_pred);
    /* empty nodes below each other */
    scores(WORD(1, "a", 0, "1.1:x|1.2:x") "1.1\t_\t_\t_\t_\t_\t_\t_\t1.2:x|1.1:x\t_\n"
                                          "1.2\t_\t_\t_\t_\t_\t_\t_\t1.1:x|1.2:x\t_\n",
           WORD(1, "a", 0, "0:root"));
#undef WORD
}

/* "dogs that bark": relations cc and mark are functional, punct is neither */
#define ROW(id, form, lemma, upos, feats, head, type) \
#id "\t" form "\t" lemma "\t" upos "\tT\t" feats "\t" #head "\t" type "\t_\t_\n"

TEST(content_words_are_scored_with_tags_features_lemmas_and_functional_children)
{
    const char *gold = ROW(1, "the", "the", "DET", "Definite=Def|PronType=Art", 2, "det")
        ROW(2, "dogs", "dog", "NOUN", "Number=Plur", 4, "nsubj") ROW(3, "have", "have", "AUX", "_", 4, "aux:x")
            ROW(4, "barked", "bark", "VERB", "Tense=Past", 0, "root") ROW(5, "hm", "_", "INTJ", "_", 4, "discourse")
                ROW(6, ".", ".", "PUNCT", "_", 4, "punct");
    AlignScores s = scores(gold, gold);
    for (int m = 0; m < ALIGN_MEASURES; m++) {
        bool in_pred;
        assert_int_equal(s.of[m].matched, s.of[m].gold);
        assert_int_equal(s.of[m].matched, s.of[m].pred);
        if (m <= ALIGN_BLEX) assert_null(align_missing(&s, (AlignMeasure)m, &in_pred));
    }
    expect_count(&s, ALIGN_MLAS, 3, 3, 3, 3); /* dogs barked hm */
    /* features in another order, with one that is not universal, and a subtype: nothing changes */
    s = scores(gold, ROW(1, "the", "the", "DET", "PronType=Art|Definite=Def", 2, "det")
                         ROW(2, "dogs", "dog", "NOUN", "Number=Plur|Typo=Yes", 4, "nsubj:y")
                             ROW(3, "have", "have", "AUX", "_", 4, "aux")
                                 ROW(4, "barked", "bark", "VERB", "Tense=Past", 0, "root")
                                     ROW(5, "hm", "hmm", "INTJ", "_", 4, "discourse")
                                         ROW(6, ".", ".", "PUNCT", "_", 4, "punct"));
    expect_count(&s, ALIGN_UFEATS, 6, 6, 6, 6);
    expect_count(&s, ALIGN_LEMMAS, 6, 6, 6, 6); /* the gold lemma "_" is any lemma */
    expect_count(&s, ALIGN_MLAS, 3, 3, 3, 3);
    expect_count(&s, ALIGN_BLEX, 3, 3, 3, 3);
    /* the determiner's features and the relation of "have" are wrong: MLAS of dogs and barked; the lemma of "dogs"
     * is */
    s = scores(
        gold,
        ROW(1, "the", "the", "DET", "PronType=Dem", 2, "det") ROW(2, "dogs", "dogs", "NOUN", "Number=Plur", 4, "nsubj")
            ROW(3, "have", "have", "AUX", "_", 4, "advmod") ROW(4, "barked", "bark", "VERB", "Tense=Past", 0, "root")
                ROW(5, "hm", "_", "X", "_", 4, "discourse") ROW(6, ".", ".", "PUNCT", "_", 4, "punct"));
    expect_count(&s, ALIGN_UPOS, 6, 6, 5, 6);
    expect_count(&s, ALIGN_UFEATS, 6, 6, 5, 6);
    expect_count(&s, ALIGN_ALLTAGS, 6, 6, 4, 6);
    expect_count(&s, ALIGN_LEMMAS, 6, 6, 5, 6);
    expect_count(&s, ALIGN_UAS, 6, 6, 6, 6);
    expect_count(&s, ALIGN_LAS, 6, 6, 5, 6);
    expect_count(&s, ALIGN_CLAS, 3, 4, 3, 3); /* "have" is a predicted content word */
    expect_count(&s, ALIGN_MLAS, 3, 4, 0, 3); /* children of dogs and of barked; the tag of hm */
    expect_count(&s, ALIGN_BLEX, 3, 4, 2, 3);
}

TEST(tokens_that_only_one_side_joins_are_their_words)
{
    const char *apart = ROW(1, "I", "I", "PRON", "_", 4, "nsubj") ROW(2, "do", "do", "AUX", "_", 4, "aux")
        ROW(3, "n't", "not", "PART", "_", 4, "advmod") ROW(4, "know", "know", "VERB", "_", 0, "root");
    const char *joined = ROW(1, "I", "I", "PRON", "_", 4,
                             "nsubj") "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n" ROW(2, "do", "do", "AUX", "_", 4, "aux")
        ROW(3, "n't", "not", "PART", "_", 4, "advmod") ROW(4, "know", "know", "VERB", "_", 0, "root");
    AlignScores s = scores(apart, joined);
    expect_count(&s, ALIGN_TOKENS, 4, 4, 4, -1);
    expect_count(&s, ALIGN_LAS, 4, 4, 4, 4);
    s = scores(joined, apart);
    expect_count(&s, ALIGN_TOKENS, 4, 4, 4, -1);
    /* with such tokens on both sides they are tokens, as the shared task has it */
    const char *both = "1-2\tI do\t_\t_\t_\t_\t_\t_\t_\t_\n" ROW(1, "I", "I", "PRON", "_", 4, "nsubj")
        ROW(2, "do", "do", "AUX", "_", 4, "aux") ROW(3, "n't", "not", "PART", "_", 4, "advmod")
            ROW(4, "know", "know", "VERB", "_", 0, "root");
    s = scores(both, joined);
    expect_count(&s, ALIGN_TOKENS, 3, 3, 1, -1); /* know */
    expect_count(&s, ALIGN_WORDS, 4, 4, 4, -1);
    /* words that do not spell the token stay one token */
    s = scores(ROW(1, "dont", "x", "X", "_", 0, "root"),
               "1-2\tdont\t_\t_\t_\t_\t_\t_\t_\t_\n" ROW(1, "do", "x", "X", "_", 0, "root")
                   ROW(2, "not", "x", "X", "_", 1, "dep"));
    expect_count(&s, ALIGN_TOKENS, 1, 1, 1, -1);
    expect_count(&s, ALIGN_WORDS, 1, 2, 0, -1);
}

TEST(columns_that_a_file_lacks_are_named)
{
    const char *full = ROW(1, "a", "x", "X", "Case=Nom", 0, "root"), *bare = "1\ta\t_\t_\tT\t_\t0\troot\t_\t_\n",
               *stanford = "1\ta\tx\tX\tT\tCase=Nom\t0\tpobj\t_\t_\n";
    bool in_pred;
    AlignScores s = scores(full, bare);
    assert_null(align_missing(&s, ALIGN_XPOS, &in_pred));
    assert_null(align_missing(&s, ALIGN_LAS, &in_pred));
    assert_string_equal(align_missing(&s, ALIGN_LEMMAS, &in_pred), "no lemmas");
    assert_true(in_pred);
    assert_string_equal(align_missing(&s, ALIGN_UPOS, &in_pred), "no universal tags");
    assert_string_equal(align_missing(&s, ALIGN_ALLTAGS, &in_pred), "no universal tags");
    assert_string_equal(align_missing(&s, ALIGN_UFEATS, &in_pred), "no features");
    assert_string_equal(align_missing(&s, ALIGN_BLEX, &in_pred), "no lemmas");
    s = scores(bare, full);
    assert_string_equal(align_missing(&s, ALIGN_MLAS, &in_pred), "no universal tags");
    assert_false(in_pred);
    s = scores(bare, bare);
    assert_string_equal(align_missing(&s, ALIGN_LEMMAS, &in_pred), "no lemmas");
    assert_null(align_missing(&s, ALIGN_BLEX, &in_pred)); /* what both lack is equal, as in the shared task */
    s = scores(stanford, full);
    assert_string_equal(align_missing(&s, ALIGN_CLAS, &in_pred), "no Universal Dependencies");
    assert_null(align_missing(&s, ALIGN_LAS, &in_pred));
    s = scores(full, bare);
    align_write(&s, ALIGN_TEXT, "g", "p", test_out());
    assert_non_null(strstr(test_written(), "Lemmas            -  no lemmas in p\n"));
    assert_non_null(
        strstr(test_written(), "LAS               1         1         1     100.00  100.00  100.00    100.00\n"));
    align_write(&s, ALIGN_JSON, "g", "p", test_out());
    assert_non_null(strstr(test_written(), "\"lemmas\": null, \"uas\": {\"gold\": 1, \"predicted\": 1, \"matched\": 1, "
                                           "\"precision\": 100.00, \"recall\": 100.00, \"f1\": 100.00, \"aligned\": 1, "
                                           "\"accuracy\": 100.00}"));
    align_write(&s, ALIGN_TSV, "g", "p", test_out());
    assert_non_null(strstr(test_written(), "words\t1\t1\t1\t100.00\t100.00\t100.00\t\t\nxpos\t"));
    assert_null(strstr(test_written(), "lemmas"));
}

TEST(out_of_memory_is_an_error)
{
    FREED(treebank_fini) Treebank tb;
    read_conllu(
        &tb,
        "1-2\tau\t_\t_\t_\t_\t_\t_\t_\t_\n1\tA\ta\tX\tI\tCase=Nom\t3\tcase\t_\t_\n2\tle\tle\tX\tD\t_\t3\tdet\t_\t_\n"
        "3\tbal\tbal\tX\tN\t_\t0\troot\t_\t_\n");
    AlignScores s;
    assert_reports_no_memory(align_score(&tb, &tb, "g", "p", &s, test_error()));
}
