/* Scores counted by hand. */
#include "base/rng.h"
#include "eval/compare.h"
#include "eval/report.h"
#include "eval/score.h"
#include "tests/support/conllu.h"
#include "treebank/bracket.h"

static Sentence *tree(Treebank *tb, const char *text)
{
    assert_ok(bracket_read(tb, text_block(view(text), "f"), (BracketOptions){ .strip_functions = true }, test_error()));
    return &tb->s[tb->n - 1];
}

static void assert_brackets(const char *gold, const char *pred, long n_gold, long n_pred, long matched)
{
    Scores s = { 0 };
    MADE(Treebank, treebank_init, treebank_fini, g);
    MADE(Treebank, treebank_init, treebank_fini, p);
    assert_ok(score_add(&s, tree(&g, gold), tree(&p, pred), PUNCT_AUTO, test_error()));
    assert_int_equal(s.gold_brackets, n_gold);
    assert_int_equal(s.pred_brackets, n_pred);
    assert_int_equal(s.matched_brackets, matched);
    assert_int_equal(s.complete, n_gold == n_pred && n_pred == matched);
}

TEST(brackets_are_counted_as_by_evalb)
{
    assert_brackets("(TOP (S (NP (N a)) (VP (V b))))", "(TOP (S (NP (N a)) (VP (V b))))", 3, 3, 3);
    assert_brackets("(TOP (S (NP (N a)) (VP (V b))))", "(TOP (S (N a) (NP (V b))))", 3, 2, 1);
    /* punctuation is removed from both, so phrases that differ only by it match */
    assert_brackets("(TOP (S (NP (N a)) (VP (V b) (. .))))", "(TOP (S (NP (N a)) (VP (V b)) (. .)))", 3, 3, 3);
    assert_brackets("(TOP (S (NP (N a)) (X (, ,)) (VP (V b))))", "(TOP (S (NP (N a)) (, ,) (VP (V b))))", 3, 3, 3);
    /* PRT equals ADVP; duplicates match one to one */
    assert_brackets("(TOP (S (PRT (R a)) (V b)))", "(TOP (S (ADVP (R a)) (V b)))", 2, 2, 2);
    assert_brackets("(TOP (NP (NP (N a))))", "(TOP (NP (N a)))", 2, 1, 1);
}

TEST(arcs_and_tags_are_counted)
{
    static const char *words[] = { "a", "b", ".", "c" }, *gold_tags[] = { "N", "V", ".", "N" },
                      *pred_tags[] = { "N", "N", ".", "N" };
    static const char *gold_types[] = { "nsubj", "root", "punct", "dobj" },
                      *pred_types[] = { "nsubj", "root", "punct", "iobj" };
    static int gold_heads[] = { 2, 0, 2, 2 }, pred_heads[] = { 2, 0, 1, 2 };
    Sentence g = { .n_words = 4, .words = words, .tags = gold_tags, .heads = gold_heads, .types = gold_types }, p = g;
    p.tags = pred_tags;
    p.heads = pred_heads;
    p.types = pred_types;
    Scores s = { 0 };
    assert_ok(score_add(&s, &g, &p, PUNCT_PTB, test_error()));
    score_members(&s, test_out());
    assert_string_equal(test_written(),
                        "\"sentences\": 1, \"words\": 4, \"unscored\": 0, \"missing_trees\": 0, "
                        "\"precision\": null, \"recall\": null, \"f1\": null, \"complete\": null, "
                        "\"uas\": 75.00, \"las\": 50.00, \"uas_nopunct\": 100.00, \"las_nopunct\": 66.67, "
                        "\"tag_accuracy\": 75.00, \"label_accuracy\": 75.00, "
                        "\"label_accuracy_nopunct\": 66.67, \"complete_heads\": 0.00, "
                        "\"complete_arcs\": 0.00, \"complete_heads_nopunct\": 100.00, "
                        "\"complete_arcs_nopunct\": 0.00, \"root_accuracy\": 100.00, \"upos\": null, "
                        "\"xpos\": null, \"ufeats\": null, \"alltags\": null, \"lemmas\": null, "
                        "\"clas\": null, \"mlas\": null, \"blex\": null");
    p.n_words = 3;
    assert_int_equal(score_add(&s, &g, &p, PUNCT_PTB, test_error()), ERR_RANGE);
    static const char *others[] = { "a", "b", "!", "c" };
    p.n_words = 4;
    p.words = others;
    assert_fails(score_add(&s, &g, &p, PUNCT_PTB, test_error()), ERR_RANGE,
                 "found word 3 '!', expected '.' as in the gold sentence");
    assert_int_equal(s.words, 4); /* nothing was added */
    p.words = words;
    g.has_tree = true;
    assert_ok(score_add(&s, &g, &p, PUNCT_PTB, test_error()));
    assert_int_equal(s.missing_trees, 1);
    assert_int_equal(s.trees, 0);
}

TEST(punctuation_is_defined_by_its_set)
{
    static const char *tags[] = { "``", "'", "", ".", "PU", "PUNCT", "-LRB-", "$", "NN", ":" },
                      *types[] = { "x", "x", "x", "x", "x", "punct", "punct", "x", "x", "x" };
    static const struct {
        PunctSet set;
        const char *words; /* 1 where punctuation */
    } cases[] = { { PUNCT_AUTO, "1001100001" }, { PUNCT_PTB, "1001000001" },      { PUNCT_CTB, "0000100000" },
                  { PUNCT_UD, "0000011000" },   { PUNCT_LAL_2020, "1111100001" }, { PUNCT_NONE, "0000000000" } };
    Sentence s = { .n_words = 10, .tags = tags, .types = types };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int w = 0; w < 10; w++) assert_int_equal(punct_set_has(cases[k].set, &s, w), cases[k].words[w] == '1');
    s.tags = NULL;
    assert_false(punct_set_has(PUNCT_PTB, &s, 0));
}

/* Universal Dependencies of the Penn Treebank's tags: "-LRB-" is punctuation there, and ":" as a conjunction is not. */
TEST(punctuation_of_universal_dependencies_is_found)
{
    static const char *tags[] = { "NN", "-LRB-", ".", "_", ":" }, *types[] = { "root", "punct", "punct", "obj", "cc" },
                      *upos[] = { "NOUN", "PUNCT", "PUNCT", "PUNCT", "CCONJ" },
                      *stanford[] = { "root", "prep", "punct", "dobj", "cc" };
    static int heads[] = { 0, 1, 1, 1, 1 };
    Sentence s[2] = { { .n_words = 5, .tags = tags, .types = types, .heads = heads, .upos = upos },
                      { .n_words = 5, .tags = tags, .types = stanford, .heads = heads } };
    const Treebank ud = { .s = s, .n = 1 }, both = { .s = s, .n = 2 };
    assert_int_equal(punct_set_of(PUNCT_AUTO, &ud), PUNCT_UD);
    assert_int_equal(punct_set_of(PUNCT_AUTO, &both), PUNCT_AUTO);
    assert_int_equal(punct_set_of(PUNCT_PTB, &ud), PUNCT_PTB);
    for (int w = 0; w < 5; w++) assert_int_equal(punct_set_has(PUNCT_UD, s, w), w >= 1 && w <= 3);
    s[0].upos = NULL;
    tags[4] = "PU"; /* tags of the Penn Chinese Treebank beside relations of UD */
    assert_int_equal(punct_set_of(PUNCT_AUTO, &ud), PUNCT_AUTO);
    tags[4] = ":";
    types[1] = "punct:left";
    tags[3] = "PUNCT";
    for (int w = 0; w < 5; w++) assert_int_equal(punct_set_has(PUNCT_UD, s, w), w >= 1 && w <= 3);
    s[0].heads = NULL;
    assert_int_equal(punct_set_of(PUNCT_AUTO, &ud), PUNCT_AUTO);
    s[1].upos = upos; /* parts of speech beside other relations */
    assert_int_equal(punct_set_of(PUNCT_AUTO, &(Treebank){ .s = s + 1, .n = 1 }), PUNCT_UD);
    types[1] = "punct";
    tags[3] = "_";
}

TEST(tags_that_a_side_lacks_are_not_scored)
{
    static const char *words[] = { "a", "b" }, *none[] = { "_", "_" }, *half[] = { "N", "_" };
    Sentence g = { .n_words = 2, .words = words, .tags = none }, p = g;
    FREED(strbuf_fini) StrBuf out = { 0 };
    const struct {
        const char **gold, **pred, *expected;
    } cases[] = { { none, none, "null" },   { none, half, "null" }, { half, none, "null" },
                  { half, half, "100.00" }, { NULL, half, "null" }, { half, words, "0.00" } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Scores s = { 0 };
        g.tags = cases[k].gold;
        p.tags = cases[k].pred;
        assert_ok(score_add(&s, &g, &p, PUNCT_AUTO, test_error()));
        strbuf_clear(&out);
        score_members(&s, &out);
        assert_non_null(strstr(out.ptr, test_format("\"tag_accuracy\": %s,", cases[k].expected)));
        score_text(&s, &out);
        assert_int_equal(strstr(out.ptr, "\ntags ") != NULL, strcmp(cases[k].expected, "null") != 0);
    }
}

/* The counts are those of lal eval --align, sentence by sentence (tests/unit/test_align.c counts them by hand). */
TEST(columns_of_gold_words_have_the_measures_of_aligned_ones)
{
#define ROW(id, form, lemma, upos, feats, head, type) \
#id "\t" form "\t" lemma "\t" upos "\tT\t" feats "\t" #head "\t" type "\t_\t_\n"
    const char *gold = "1-2\tthedogs\t_\t_\t_\t_\t_\t_\t_\t_\n" ROW(1, "the", "the", "DET", "Definite=Def", 2, "det")
        ROW(2, "dogs", "dog", "NOUN", "Number=Plur", 3, "nsubj")
            ROW(3, "bark", "bark", "VERB", "_", 0, "root") "\n" ROW(1, "yes", "_", "INTJ", "_", 0, "root");
    const char *pred = ROW(1, "the", "a", "DET", "Definite=Def|X=Y", 2, "det:x")
        ROW(2, "dogs", "dogs", "NOUN", "Number=Sing", 3, "nsubj")
            ROW(3, "bark", "bark", "NOUN", "_", 0, "root") "\n" ROW(1, "yes", "yes", "INTJ", "_", 0, "root");
#undef ROW
    MADE(Treebank, read_conllu, treebank_fini, g, gold);
    MADE(Treebank, read_conllu, treebank_fini, p, pred);
    AlignScores aligned;
    Scores s = { 0 };
    assert_ok(align_score(&g, &p, "g", "p", &aligned, test_error()));
    for (int k = 0; k < g.n; k++) assert_ok(score_add(&s, &g.s[k], &p.s[k], PUNCT_AUTO, test_error()));
    for (int m = ALIGN_UPOS; m < ALIGN_MEASURES; m++)
        assert_memory_equal(&s.columns.of[m], &aligned.of[m], sizeof aligned.of[m]);
    score_text(&s, test_out());
    assert_non_null(strstr(test_written(),
                           "columns    UPOS 75.00  XPOS 100.00  UFeats 75.00  AllTags 50.00  Lemmas 50.00\n"
                           "content    CLAS 100.00  MLAS 33.33  BLEX 66.67\n"));
    bool known;
    assert_true(fabs(compare_score(&s, COMPARE_MLAS, &known) - 100.0 / 3) < 1e-9 && known);
    Comparison c;
    Scores right = { 0 };
    assert_ok(score_add(&right, &g.s[0], &g.s[0], PUNCT_AUTO, test_error()));
    assert_ok(compare_scores(&right, &s, 1, COMPARE_UFEATS, 9, 1, &c, test_error()));
    assert_true(c.a == 100 && c.b == 75);
    for (int k = 0; k < p.n; k++) p.s[k].feats = p.s[k].lemmas = NULL; /* columns that a system does not have */
    s = (Scores){ 0 };
    for (int k = 0; k < g.n; k++) assert_ok(score_add(&s, &g.s[k], &p.s[k], PUNCT_AUTO, test_error()));
    score_text(&s, test_out());
    assert_non_null(strstr(test_written(), "columns    UPOS 75.00  XPOS 100.00\ncontent    CLAS 100.00\n"));
    for (int k = 0; k < p.n; k++) p.s[k].upos = NULL;
    s = (Scores){ 0 };
    for (int k = 0; k < g.n; k++) assert_ok(score_add(&s, &g.s[k], &p.s[k], PUNCT_AUTO, test_error()));
    score_column(&s, ALIGN_UPOS, &known);
    assert_false(known);
}

TEST(a_report_counts_by_label_length_type_and_distance)
{
    MADE(Treebank, treebank_init, treebank_fini, gold);
    MADE(Treebank, treebank_init, treebank_fini, pred);
    Sentence *g = tree(&gold, "(TOP (S (NP (D the) (N cat)) (VP (V sat) (ADVP (R down)))))"),
             *p = tree(&pred, "(TOP (S (NX (D the) (N cat)) (VP (V sat) (R down))))");
    g->heads = (int[]){ 2, 3, 0, 3 };
    p->heads = (int[]){ 2, 3, 0, 2 };
    g->types = (const char *[]){ "det", "nsubj", "root", "advmod" };
    p->types = (const char *[]){ "det", "dobj", "root", "advmod" };
    p->tags = (const char *[]){ "D", "V", "V", "R" };
    MADE(Report, report_init, report_fini, r);
    assert_ok(report_add(&r, g, p, test_error()));
    report_write(&r, REPORT_TSV, test_out());
    assert_string_equal(test_written(), "section\tkey\tgold\tpredicted\tmatched\tprecision\trecall\tf1\n"
                                        "label\tADVP\t1\t0\t0\t0.00\t0.00\t0.00\n"
                                        "label\tNP\t1\t0\t0\t0.00\t0.00\t0.00\n"
                                        "label\tS\t1\t1\t1\t100.00\t100.00\t100.00\n"
                                        "label\tVP\t1\t1\t1\t100.00\t100.00\t100.00\n"
                                        "label\tNX\t0\t1\t0\t0.00\t0.00\t0.00\n"
                                        "span_length\t1\t1\t0\t0\t0.00\t0.00\t0.00\n"
                                        "span_length\t2\t2\t2\t1\t50.00\t50.00\t50.00\n"
                                        "span_length\t4\t1\t1\t1\t100.00\t100.00\t100.00\n"
                                        "sentence_length\t1-5\t4\t3\t2\t66.67\t50.00\t57.14\n"
                                        "label_confusion\tADVP -> (none)\t\t\t1\t\t\t\n"
                                        "label_confusion\tNP -> NX\t\t\t1\t\t\t\n"
                                        "type\tadvmod\t1\t1\t0\t0.00\t0.00\t0.00\n"
                                        "type\tdet\t1\t1\t1\t100.00\t100.00\t100.00\n"
                                        "type\tnsubj\t1\t0\t0\t0.00\t0.00\t0.00\n"
                                        "type\troot\t1\t1\t1\t100.00\t100.00\t100.00\n"
                                        "type\tdobj\t0\t1\t0\t0.00\t0.00\t0.00\n"
                                        "distance\troot\t1\t1\t1\t100.00\t100.00\t100.00\n"
                                        "distance\t-2\t0\t1\t0\t0.00\t0.00\t0.00\n"
                                        "distance\t-1\t1\t0\t0\t0.00\t0.00\t0.00\n"
                                        "distance\t1\t2\t2\t2\t100.00\t100.00\t100.00\n"
                                        "arc_sentence_length\t1-5\t4\t4\t3\t75.00\t75.00\t75.00\n"
                                        "crossing\tprojective\t4\t4\t2\t50.00\t50.00\t50.00\n"
                                        "type_confusion\tnsubj -> dobj\t\t\t1\t\t\t\n"
                                        "tag\tD\t1\t1\t1\t100.00\t100.00\t100.00\n"
                                        "tag\tN\t1\t0\t0\t0.00\t0.00\t0.00\n"
                                        "tag\tR\t1\t1\t1\t100.00\t100.00\t100.00\n"
                                        "tag\tV\t1\t2\t1\t50.00\t100.00\t66.67\n"
                                        "tag_confusion\tN -> V\t\t\t1\t\t\t\n");
    g->heads = (int[]){ 3, 4, 0, 3 }; /* the first two arcs cross */
    assert_ok(report_add(&r, g, p, test_error()));
    report_write(&r, REPORT_TSV, test_out());
    assert_non_null(strstr(test_written(), "\ncrossing\tcrossing\t4\t4\t1\t"));
}

/* One sentence is the same in every sample of the bootstrap, and has two assignments of randomisation; where the
 * systems differ, no sample of the first and both of the latter count. */
TEST(p_values_of_one_sentence_are_known)
{
    const Scores right = { .gold_brackets = 4, .pred_brackets = 4, .matched_brackets = 4 };
    const Scores half = { .gold_brackets = 4, .pred_brackets = 4, .matched_brackets = 2 };
    Comparison c;
    assert_ok(compare_scores(&right, &half, 1, COMPARE_F1, 9, 1, &c, test_error()));
    assert_true(fabs(c.p_bootstrap - 1.0 / 10) < 1e-12 && c.p_random == 1 && c.low == 50 && c.high == 50);
    assert_ok(compare_scores(&half, &right, 1, COMPARE_F1, 9, 1, &c, test_error()));
    assert_true(fabs(c.p_bootstrap - 1.0 / 10) < 1e-12 && c.low == -50);
    assert_ok(compare_scores(&half, &half, 1, COMPARE_F1, 9, 1, &c, test_error()));
    assert_true(c.p_bootstrap == 1 && c.p_random == 1);
}

/* System a is better in all six sentences: of the 64 assignments, only the two that exchange all sentences or none have
 * as large a difference. */
TEST(few_assignments_are_counted_exactly)
{
    enum { N = 6 };
    Scores a[N], b[N];
    Comparison c;
    for (int k = 0; k < N; k++) {
        a[k] = (Scores){ .gold_brackets = 4, .pred_brackets = 4, .matched_brackets = 4 };
        b[k] = (Scores){ .gold_brackets = 4, .pred_brackets = 4, .matched_brackets = 2 };
    }
    assert_ok(compare_scores(a, b, N, COMPARE_F1, 64, 1, &c, test_error()));
    assert_true(fabs(c.p_random - 2.0 / 64) < 1e-12 && fabs(c.p_bootstrap - 1.0 / 65) < 1e-12);
}

TEST(significance_tests_distinguish_chance_from_difference)
{
    enum { N = 400, SAMPLES = 2000 };
    static Scores a[N], b[N], c[N];
    Comparison same, small, large, again;
    for (int k = 0; k < N;
         k++) { /* b has as many errors as a, but elsewhere; c has two more errors in every fourth sentence */
        int right = 18 - (int)(4 * rng_uniform(1, (uint64_t)k)), moved = 18 - (int)(4 * rng_uniform(2, (uint64_t)k));
        a[k] = (Scores){ .gold_brackets = 20,
                         .pred_brackets = 20,
                         .matched_brackets = right,
                         .dep.nopunct = { .words = 20, .heads = right, .both = right - 1 } };
        b[k] = (Scores){ .gold_brackets = 20, .pred_brackets = 20, .matched_brackets = moved };
        c[k] = (Scores){ .gold_brackets = 20, .pred_brackets = 20, .matched_brackets = right - 2 * (k % 4 == 0) };
    }
    assert_ok(compare_scores(a, a, N, COMPARE_F1, SAMPLES, 1, &same, test_error()));
    assert_true(same.low == 0 && same.high == 0 && same.p_random == 1 && same.p_bootstrap == 1);
    assert_ok(compare_scores(a, b, N, COMPARE_F1, SAMPLES, 1, &small, test_error()));
    assert_true(small.p_random > 0.05 && small.low < 0 && small.high > 0);
    assert_ok(compare_scores(a, c, N, COMPARE_F1, SAMPLES, 1, &large, test_error()));
    assert_true(fabs(large.a - large.b - 2.5) < 1e-9); /* 2 of 20 in a quarter of the sentences */
    assert_true(large.low > 1.8 && large.low < 2.5 && large.high > 2.5 && large.high < 3.2);
    assert_true(fabs(large.p_bootstrap - 1.0 / (SAMPLES + 1)) < 1e-12);
    assert_true(fabs(large.p_random - 1.0 / (SAMPLES + 1)) < 1e-12);
    assert_ok(compare_scores(a, c, N, COMPARE_F1, SAMPLES, 1, &again, test_error()));
    assert_memory_equal(&again, &large, sizeof again);
    assert_ok(compare_scores(a, a, N, COMPARE_UAS, SAMPLES, 1, &again, test_error()));
    assert_true(again.a > 0 && fabs(again.a - same.a) < 1e-9);
    assert_ok(compare_scores(a, a, N, COMPARE_LAS, SAMPLES, 1, &small, test_error()));
    assert_true(fabs(again.a - small.a - 5) < 1e-9);
}

/* ---- several runs */

enum { MOST_RUNS = 3, MOST_SENTENCES = 8 };
typedef Scores Run[MOST_SENTENCES];

static void add_brackets(Scores *sum, const Scores *s)
{
    sum->gold_brackets += s->gold_brackets;
    sum->pred_brackets += s->pred_brackets;
    sum->matched_brackets += s->matched_brackets;
}

/* p by all assignments of swaps, counted plainly. */
static double brute_force_p(Run *a, Run *b, int runs, int n)
{
    double observed = 0;
    long as_large = 0, all = 1L << (runs * n);
    for (long swaps = 0; swaps < all; swaps++) {
        double mean = 0;
        for (int r = 0; r < runs; r++) {
            Scores x = { 0 }, y = { 0 };
            for (int k = 0; k < n; k++) {
                bool swapped = swaps >> (r * n + k) & 1;
                add_brackets(&x, swapped ? &b[r][k] : &a[r][k]);
                add_brackets(&y, swapped ? &a[r][k] : &b[r][k]);
            }
            mean += (score_f1(&x) - score_f1(&y)) / runs;
        }
        if (swaps == 0) observed = fabs(mean);
        as_large += fabs(mean) >= observed - 1e-9;
    }
    return (double)as_large / (double)all;
}

static void fill_runs(Run *a, Run *b, int runs, int n, uint64_t seed)
{
    for (int r = 0; r < runs; r++)
        for (int k = 0; k < n; k++) {
            uint64_t at = (uint64_t)(r * n + k);
            long gold = 4 + (long)(10 * rng_uniform(seed, at));
            for (int system = 0; system < 2; system++) {
                double u = rng_uniform(seed + 1 + (uint64_t)system, at),
                       v = rng_uniform(seed + 7, 2 * at + (uint64_t)system);
                (system ? b : a)[r][k] = (Scores){ .trees = 1,
                                                   .gold_brackets = gold,
                                                   .pred_brackets = gold + (long)(3 * v),
                                                   .matched_brackets = gold - system - (long)(3 * u) };
            }
        }
}

TEST(the_randomisation_test_has_the_worked_p)
{
    static const long words[] = { 4, 2, 6 }, heads[2][3] = { { 3, 2, 5 }, { 2, 2, 3 } };
    Scores s[2][3] = { 0 };
    for (int k = 0; k < 6; k++)
        s[k / 3][k % 3].dep.nopunct = (DepCounts){ .words = words[k % 3], .heads = heads[k / 3][k % 3] };
    const Scores *a = s[0], *b = s[1];
    Comparison c;
    assert_ok(compare_runs(&a, &b, 1, 3, COMPARE_UAS, 8, 1, &c, test_error()));
    assert_true(fabs(c.a - c.b - 25) < 1e-12); /* 3 of 12 */
    assert_true(c.p_random == 0.5);            /* 4 of 8 */
}

TEST(runs_of_several_seeds_are_compared_as_by_brute_force)
{
    Run a[MOST_RUNS], b[MOST_RUNS];
    const Scores *as[MOST_RUNS] = { a[0], a[1], a[2] }, *bs[MOST_RUNS] = { b[0], b[1], b[2] };
    Comparison c, again;
    double least = 1, most = 0;
    for (uint64_t seed = 0; seed < 8; seed++) { /* all assignments of 2 x 5 pairs */
        fill_runs(a, b, 2, 5, seed);
        double p = brute_force_p(a, b, 2, 5);
        assert_ok(compare_runs(as, bs, 2, 5, COMPARE_F1, 1024, 1, &c, test_error()));
        assert_true(fabs(c.p_random - p) < 1e-12);
        least = fmin(least, p);
        most = fmax(most, p);
    }
    assert_true(least < 0.1 && most > 0.1); /* the cases differ */
    enum { SAMPLES = 40000 };
    fill_runs(a, b, 3, 6, 20); /* a sample of 2^18 */
    double p = brute_force_p(a, b, 3, 6);
    assert_ok(compare_runs(as, bs, 3, 6, COMPARE_F1, SAMPLES, 1, &c, test_error()));
    assert_true(p > 0.001 && p < 0.9 && c.p_random != p);
    assert_true(fabs(c.p_random - p) < 4 * sqrt(p * (1 - p) / SAMPLES));
    assert_ok(compare_runs(as, bs, 3, 6, COMPARE_F1, SAMPLES, 1, &again, test_error()));
    assert_memory_equal(&again, &c, sizeof c);
    assert_ok(compare_runs(as, bs, 3, 6, COMPARE_F1, SAMPLES, 2, &again, test_error()));
    assert_true(again.p_random != c.p_random);
    assert_ok(compare_runs(as, as, 3, 6, COMPARE_F1, SAMPLES, 1, &again, test_error()));
    assert_true(again.p_random == 1 && again.a == again.b && again.a == c.a);
}
