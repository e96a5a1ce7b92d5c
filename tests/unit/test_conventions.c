/* What depends on the treebank that is followed: its own labels, tags of shapes. */
#define _POSIX_C_SOURCE 200809L
#include "base/rng.h"
#include "parser/parse/parser.h"
#include "tests/support/best.h"
#include "tests/support/further.h"

/* A model of two treebanks, toy and other, which has TITLE for S, loaded from its file. */
static void load_two(Model *m, Bench *b)
{
    MADE(Corpus, toy_corpus, corpus_fini, other, "other", 80, 3);
    Corpus both[] = { b->train, other };
    rename_labels(&other.trees, "S", "TITLE");
    TrainArgs a = toy(b, in(b, "a"), NULL, 1);
    a.corpora = both;
    a.n_corpora = 2;
    a.treebank = "toy";
    train_and_load(m, &a);
}

/* How many phrases of the dev set have a chain with this label; the number of all in *all. */
static int count_label(const Bench *b, const Model *m, int treebank, const char *label, int *all)
{
    FREED(parser_fini) Parser p;
    int found = 0;
    *all = 0;
    assert_ok(parser_init(&p, m, device_default(), 1, test_error()));
    p.o.treebank = treebank;
    for (int s = 0; s < b->dev.trees.n; s++) {
        const Sentence *gold = &b->dev.trees.s[s];
        ParseInput input = { gold->n_words, gold->words, NULL, NULL, NULL, NULL };
        assert_ok(parser_run(&p, &input, 1, NULL, NULL, test_error()));
        const Sentence *sent = parsed_sentence(&p.result[0], test_arena());
        for (int k = 0; k < sent->n_phrases; k++) found += strcmp(sent->phrases[k].label, label) == 0;
        *all += sent->n_phrases;
    }
    return found;
}

TEST(labels_of_another_treebank_never_appear)
{
    int all, toy, other;
    MADE(Bench, bench_init, bench_fini, b, 80);
    MADE(Model, load_two, model_fini, m, &b);
    assert_true(vocab_find(&m.own_labels, "TITLE other") >= 0);
    assert_true(vocab_find(&m.own_labels, "S toy") >= 0);
    assert_int_equal(vocab_find(&m.own_labels, "NP toy"), -1);
    toy = vocab_find(&m.treebanks, "toy");
    other = vocab_find(&m.treebanks, "other");
    assert_int_equal(m.default_treebank, toy);
    assert_int_equal(count_label(&b, &m, toy, "TITLE", &all), 0);
    assert_true(all > 100);
    assert_true(count_label(&b, &m, toy, "S", &all) > 40);
    assert_int_equal(count_label(&b, &m, other, "S", &all), 0);
    assert_true(count_label(&b, &m, other, "TITLE", &all) > 0);
}

TEST(a_treebank_alone_has_no_labels_of_its_own)
{
    Real *mask;
    MADE(Bench, bench_init, bench_fini, b, 20);
    TrainArgs args = toy(&b, in(&b, "a"), NULL, 1);
    MADE(Model, train_and_load, model_fini, m, &args);
    assert_int_equal(vocab_size(&m.own_labels), 0);
    assert_true(model_label_mask(&m, 0, test_arena(), &mask));
    assert_null(mask);
    /* if the mask would leave no label, there is none */
    char own[64];
    for (int l = 2; l < vocab_size(&m.labels); l++) {
        int n = snprintf(own, sizeof own, "%s nobody", vocab_text(&m.labels, l));
        assert_true(vocab_count(&m.own_labels, own, (size_t)n, 1) >= 0);
    }
    assert_true(model_label_mask(&m, 1, test_arena(), &mask));
    assert_null(mask);
}

TEST(the_best_label_is_the_best_of_those_that_may_be_chosen)
{
    enum { LABELS = 9 };
    for (uint64_t key = 0; key < 200; key++) {
        Real x[LABELS - 1], mask[LABELS - 1];
        int proper = 0, any = 0;
        for (int l = 1; l < LABELS; l++) {
            x[l - 1] = (Real)rng_normal(key, (uint64_t)l);
            bool masked = l > 2 && rng_uniform(key, (uint64_t)(100 + l)) < 0.6;
            mask[l - 1] = masked ? (Real)-INFINITY : 0;
            if (l > 1 && !masked && (!proper || x[l - 1] > x[proper - 1])) proper = l;
            if (!masked && (!any || x[l - 1] > x[any - 1])) any = l;
        }
        SpanBest best;
        device_cpu()->kernels->span_best(&best, x, LABELS - 1, mask, 1, LABELS);
        assert_int_equal(best.proper_label, proper);
        assert_int_equal(best.any_label, any);
        assert_true(best.proper == x[proper - 1] && best.any == x[any - 1]);
    }
}

TEST(shapes_give_tags_unless_they_are_given_or_a_treebank_is_named)
{
    static const char *const words[] = { "the", "river", "https://example.org", ":-)", "!!!" };
    static const char *const given[] = { "DT", "NN", "NN", "NN", "NN" };
    static const char *const want[] = { NULL, NULL, "ADD", "NFP", "." };
    FREED(parser_fini) Parser p;
    MADE(Bench, bench_init, bench_fini, b, 20);
    TrainArgs args = toy(&b, in(&b, "a"), NULL, 1);
    MADE(Model, train_and_load, model_fini, m, &args);
    assert_ok(parser_init(&p, &m, device_default(), 1, test_error()));
    for (int k = 0; k < 3; k++) {
        ParseInput input = { 5, words, k == 1 ? given : NULL, NULL, NULL, NULL };
        p.o.shape_tags = k < 2;
        p.o.max_words = 3; /* in pieces, which are joined */
        assert_ok(parser_run(&p, &input, 1, NULL, NULL, test_error()));
        const Sentence *sent = parsed_sentence(&p.result[0], test_arena());
        for (int w = 0; w < 5; w++) {
            if (k == 1) assert_string_equal(sent->tags[w], given[w]);
            else if (k == 0 && want[w]) assert_string_equal(sent->tags[w], want[w]);
            else assert_true(vocab_find(&m.tags, sent->tags[w]) >= N_RESERVED);
        }
    }
}
