/* How sure a model is of a sentence, against sums over all results and over pieces. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "base/rng.h"
#include "cky/k_best.h"
#include "parser/parse/f1_fit.h"
#include "parser/parse/confidence.h"
#include "parser/parse/long_sentence.h"
#include "parser/parse/parser.h"
#include "tests/support/toy.h"

/* ---- all results of three words */

enum { N = 3, LABELS = 4, SPANS = N * (N + 1) / 2, ARCS = (N + 1) * (N + 1), RESULTS_MOST = 20000 };

/* Scores with labels 1 (<H>) to 3, weights of a model whose fit differs from what its decoder does, all results. */
typedef struct All {
    Real labels[SPANS * (LABELS - 1)], arcs[ARCS];
    SpanBest best[SPANS];
    JointScores s;
    JointTree *tree[RESULTS_MOST];
    Confidence *sure[RESULTS_MOST];
    int n;
    Arena a;
} All;

static void take_best(All *x, int i, int j)
{
    long at = chart_span(N, i, j);
    const Real *row = x->labels + at * (LABELS - 1);
    int proper = row[2] > row[1] ? 3 : 2, any = row[0] > row[proper - 1] ? CHART_GROUP : proper;
    x->best[at] = (SpanBest){ row[any - 1], row[proper - 1], any, proper };
}

static void all_init(All *x)
{
    const JointWeights weights = { .span = 0.6, .arc = 0.9, .sentences = 10 };
    double log_z;
    *x = (All){ .s = { N, LABELS, x->labels, x->arcs, NULL, 1, 1 } };
    arena_init(&x->a, 1 << 16);
    confidence_weights(&weights, 0.25, &x->s);
    for (int k = 0; k < SPANS * (LABELS - 1); k++) x->labels[k] = (Real)rng_normal(7, (uint64_t)k);
    for (int k = 0; k < ARCS; k++) x->arcs[k] = (Real)rng_normal(8, (uint64_t)k);
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j <= N; j++) take_best(x, i, j);
    KBest *list = k_best_new(x->best, x->labels, LABELS, x->arcs, NULL, N, (Real)INFINITY, &x->a, test_error());
    assert_non_null(list);
    for (;; x->n++) {
        assert_true(x->n < RESULTS_MOST);
        assert_ok(k_best_next(list, &x->a, &x->tree[x->n], test_error()));
        if (!x->tree[x->n]) break;
        Parsed p = { .n_words = N, .heads = x->tree[x->n]->heads };
        const ConfidenceCase one = { &x->s, x->tree[x->n], true, NULL, NULL };
        assert_ok(confidence_new(&one, &x->a, &x->a, &p, &log_z, test_error()));
        x->sure[x->n] = p.confidence;
    }
}

static void all_fini(All *x) { arena_fini(&x->a); }

static bool has_phrase(const JointTree *t, const Span *x)
{
    for (int k = 0; k < t->n_nodes; k++)
        if (memcmp(&t->nodes[k], x, sizeof *x) == 0) return true;
    return false;
}

TEST(weights_are_of_the_scores_of_the_model)
{
    JointScores s = { .n = 1 };
    JointWeights weights = { .span = 0.6, .arc = 0.9, .sentences = 10 };
    confidence_weights(&weights, 0.25, &s);
    assert_within(s.span_weight, 2.4, 1e-12);
    assert_within(s.arc_weight, 1.2, 1e-12);
    confidence_weights(&weights, 1, &s); /* scores of arcs are 0 then */
    assert_true(s.span_weight == 0.6 && s.arc_weight == 1);
    weights.sentences = 0;
    confidence_weights(&weights, 0.25, &s);
    assert_true(s.span_weight == 1 && s.arc_weight == 1);
}

TEST(probabilities_of_all_trees_sum_to_1)
{
    MADE(All, all_init, all_fini, x);
    double sum = 0;
    for (int k = 0; k < x.n; k++) sum += x.sure[k]->p_tree;
    assert_true(x.n > 1000);
    assert_within(sum, 1, 1e-9);
}

TEST(expected_scores_are_sums_over_all_trees)
{
    MADE(All, all_init, all_fini, x);
    for (int k = 0; k < x.n; k += 97) {
        const JointTree *t = x.tree[k];
        double f1 = 0, arcs = 0;
        int phrases = 0;
        for (int node = 0; node < t->n_nodes; node++) phrases += t->nodes[node].label > CHART_GROUP;
        for (int other = 0; other < x.n; other++) {
            const JointTree *o = x.tree[other];
            int same = 0, heads = 0;
            for (int node = 0; node < t->n_nodes; node++)
                same += t->nodes[node].label > CHART_GROUP && has_phrase(o, &t->nodes[node]);
            for (int c = 0; c < N; c++) heads += o->heads[c] == t->heads[c];
            f1 += x.sure[other]->p_tree * same / phrases;
            arcs += x.sure[other]->p_tree * heads / N;
        }
        assert_within(x.sure[k]->expected_f1, f1, 1e-9);
        double mean = 0;
        for (int p = 0; p < phrases; p++) mean += (double)x.sure[k]->phrase[p] / phrases;
        assert_within(mean, f1, 1e-6);
        assert_within(x.sure[k]->expected_las, arcs, 1e-6); /* Confidence.arc is float */
    }
}

/* ---- a model */

enum { SENTENCES = 8 };

typedef struct Toy {
    Bench b;
    Model m;
    ParseOptions o;
    ParseInput in[SENTENCES];
    Parsed p[SENTENCES], other[SENTENCES];
    Worker w;
    Arena a;
} Toy;

static void toy_init(Toy *x)
{
    bench_init(&x->b, 40);
    toy_model(&x->m, &x->b);
    worker_init(&x->w, &x->m, device_cpu());
    arena_init(&x->a, 1 << 16);
    x->o = parse_defaults(&x->m);
    x->o.confidence = true;
    for (int k = 0; k < SENTENCES; k++) x->in[k] = parse_input(&x->b.dev.trees.s[k]);
}

static void toy_fini(Toy *x)
{
    arena_fini(&x->a);
    worker_fini(&x->w);
    model_fini(&x->m);
    bench_fini(&x->b);
}

static void parse(Toy *x, const ParseOptions *o, Parsed *to)
{
    assert_ok(parse_batch(&x->w, x->in, SENTENCES, o, &x->a, to, test_error()));
}

static const JointWeights FITTED = { 0.7, 1.1, 60, { -0.4, 0.8, 0.2, 0, 50 } };

static void assert_known(double p) { assert_true(p > 0 && p <= 1); }

static void assert_same(const Confidence *x, const Confidence *y)
{
    assert_within(x->p_tree, y->p_tree, 1e-6);
    assert_within(x->expected_f1, y->expected_f1, 1e-6);
    assert_within(x->calibrated_f1, y->calibrated_f1, 1e-6);
    assert_within(x->expected_las, y->expected_las, 1e-6);
}

TEST(a_parse_is_the_same_with_its_confidence)
{
    MADE(Toy, toy_init, toy_fini, x);
    ParseOptions off = x.o;
    off.confidence = false;
    parse(&x, &x.o, x.p);
    parse(&x, &off, x.other);
    for (int k = 0; k < SENTENCES; k++) {
        const Confidence *sure = x.p[k].confidence;
        assert_true(x.p[k].score == x.other[k].score && !x.other[k].confidence);
        assert_memory_equal(x.p[k].heads, x.other[k].heads, (size_t)x.p[k].n_words * sizeof(int));
        assert_known(sure->p_tree);
        assert_known(sure->expected_f1);
        assert_known(sure->expected_las);
        assert_true(sure->p_tree <= sure->expected_f1);
    }
}

TEST(the_best_parses_have_the_same_distribution)
{
    MADE(Toy, toy_init, toy_fini, x);
    x.m.joint = (JointWeights){ .span = 0.7, .arc = 1.1, .sentences = 60 };
    parse(&x, &x.o, x.p);
    x.o.k_best = 3;
    parse(&x, &x.o, x.other);
    for (int k = 0; k < SENTENCES; k++) {
        assert_same(x.p[k].confidence, x.other[k].confidence);
        assert_within(x.other[k].best[0].probability, x.p[k].confidence->p_tree, 1e-9);
        assert_ptr_equal(x.other[k].best[0].confidence, x.other[k].confidence);
        assert_null(x.other[k].best[1].confidence);
    }
}

TEST(weights_that_undo_the_decoder_s_are_weights_of_1)
{
    MADE(Toy, toy_init, toy_fini, x);
    parse(&x, &x.o, x.p);
    x.m.joint = (JointWeights){ .span = x.m.c.lambda, .arc = 1 - x.m.c.lambda, .sentences = 60 };
    parse(&x, &x.o, x.other);
    for (int k = 0; k < SENTENCES; k++) assert_same(x.p[k].confidence, x.other[k].confidence);
    x.m.joint.span *= 3;
    parse(&x, &x.o, x.other);
    assert_true(x.p[0].confidence->expected_f1 != x.other[0].confidence->expected_f1);
}

TEST(the_expected_f1_goes_through_the_map_of_the_model)
{
    MADE(Toy, toy_init, toy_fini, x);
    parse(&x, &x.o, x.p);
    for (int k = 0; k < SENTENCES; k++) assert_true(x.p[k].confidence->calibrated_f1 == PROBABILITY_UNKNOWN);
    x.m.joint = FITTED;
    parse(&x, &x.o, x.p);
    for (int k = 0; k < SENTENCES; k++) {
        double f1 = x.p[k].confidence->expected_f1,
               odds = exp(-0.4) * pow(f1 / (1 - f1), 0.8) * pow(x.p[k].n_words, 0.2);
        assert_within(x.p[k].confidence->calibrated_f1, odds / (1 + odds), 1e-9);
    }
    x.m.joint.f1.grammar = 0.7; /* without a grammar nothing is known */
    parse(&x, &x.o, x.p);
    for (int k = 0; k < SENTENCES; k++) assert_true(x.p[k].confidence->calibrated_f1 == PROBABILITY_UNKNOWN);
    toy_grammar(&x.m, 0.1);
    parse(&x, &x.o, x.p);
    for (int k = 0; k < SENTENCES; k++) {
        const Confidence *sure = x.p[k].confidence;
        double odds = exp(-0.4 + 0.7 * x.p[k].grammar / x.p[k].n_words) *
                      pow(sure->expected_f1 / (1 - sure->expected_f1), 0.8) * pow(x.p[k].n_words, 0.2);
        assert_true(x.p[k].grammar < 0);
        assert_within(sure->calibrated_f1, odds / (1 + odds), 1e-9);
    }
    const F1Map *map = &FITTED.f1;
    assert_true(confidence_f1(map, 0, 3, 0) > 0 && confidence_f1(map, 1, 3, 0) < 1);
    assert_true(confidence_f1(map, PROBABILITY_UNKNOWN, 3, 0) == PROBABILITY_UNKNOWN);
    assert_true(confidence_f1(NULL, 0.5, 3, 0) == PROBABILITY_UNKNOWN);
}

TEST(a_map_is_found_again_from_sentences_that_follow_it)
{
    enum { CASES = 4000 };
    static F1Case x[CASES];
    const F1Map from = { -0.4, 0.8, 0.2, 0.7, 50 };
    F1Map map;
    for (int k = 0; k < CASES; k++) {
        x[k].expected = 0.05 + 0.9 * rng_uniform(3, (uint64_t)k);
        x[k].words = 1 + (int)(40 * rng_uniform(4, (uint64_t)k));
        x[k].grammar = -x[k].words * rng_uniform(5, (uint64_t)k);
        x[k].found = confidence_f1(&from, x[k].expected, x[k].words, x[k].grammar);
    }
    f1_fit_cases(&map, x, CASES);
    assert_int_equal(map.sentences, CASES);
    for (int k = 0; k < CASES; k += 71) /* the prior is weak, but there */
        assert_within(confidence_f1(&map, x[k].expected, x[k].words, x[k].grammar), x[k].found, 2e-3);
    f1_fit_cases(&map, x, 0);
    assert_true(map.bias == 0 && map.expected == 1 && map.words == 0 && map.sentences == 0);
    for (int k = 0; k < CASES; k++) x[k] = (F1Case){ 1, k % 2, 1, 0 }; /* of one kind: the prior decides the rest */
    f1_fit_cases(&map, x, CASES);
    assert_within(confidence_f1(&map, 1, 1, 0), 0.5, 0.01);
}

TEST(arcs_that_are_given_are_certain)
{
    MADE(Toy, toy_init, toy_fini, x);
    x.m.joint = FITTED;
    Given given[SENTENCES] = { 0 };
    for (int k = 0; k < SENTENCES; k++) {
        given[k].heads = x.b.dev.trees.s[k].heads;
        x.in[k].given = &given[k];
    }
    parse(&x, &x.o, x.p);
    for (int k = 0; k < SENTENCES; k++) assert_true(x.p[k].confidence->calibrated_f1 == PROBABILITY_UNKNOWN);
    for (int k = 0; k < SENTENCES; k++)
        for (int c = 0; c < x.p[k].n_words && !x.p[k].n_freed; c++)
            assert_within((double)x.p[k].confidence->arc[c], 1, 1e-6);
}

TEST(what_is_not_decoded_together_has_no_probability_together)
{
    MADE(Toy, toy_init, toy_fini, x);
    x.m.c.decode = DECODE_ARCS;
    x.m.c.type_rules = 0; /* which read the tree */
    x.o.arc_probability = true;
    parse(&x, &x.o, x.p);
    x.m.c.trees = false;
    parse(&x, &x.o, x.other);
    for (int k = 0; k < SENTENCES; k++) {
        const Confidence *both = x.p[k].confidence, *arcs = x.other[k].confidence;
        assert_true(both->p_tree < 0 && arcs->p_tree < 0 && arcs->expected_f1 < 0);
        assert_known(both->expected_f1);
        double mean = 0;
        for (int c = 0; c < x.p[k].n_words; c++) mean += (double)x.p[k].arc_prob[c] / x.p[k].n_words;
        assert_true(both->expected_las > 0 && both->expected_las <= mean + 1e-6);
        assert_within(both->expected_las, arcs->expected_las, 1e-6);
    }
    x.m.c.trees = true;
    x.m.c.arcs = false;
    x.m.c.decode = DECODE_JOINT;
    parse(&x, &x.o, x.other);
    for (int k = 0; k < SENTENCES; k++) {
        assert_true(x.other[k].confidence->p_tree < 0 && x.other[k].confidence->expected_las < 0);
        assert_known(x.other[k].confidence->expected_f1);
    }
}

TEST(a_sentence_in_pieces_has_products_and_means)
{
    MADE(Toy, toy_init, toy_fini, x);
    ParseInput *part;
    Parsed piece[64], whole;
    int n, phrases = 0, words = 0;
    double p_tree = 1, f1 = 0, mapped = 0, las = 0;
    x.m.joint = FITTED;
    x.o.max_words = 3;
    assert_ok(long_sentence_parts(LANGUAGES[0], &x.in[0], &x.o, &x.a, &part, &n, test_error()));
    assert_true(n > 1 && n <= 64);
    assert_ok(parse_batch(&x.w, part, n, &x.o, &x.a, piece, test_error()));
    assert_ok(long_sentence_join(&x.m, piece, n, &x.in[0], &x.o, &x.a, &whole, test_error()));
    for (int k = 0; k < n; k++) {
        p_tree *= piece[k].confidence->p_tree;
        f1 += piece[k].confidence->expected_f1 * piece[k].n_phrases;
        mapped += piece[k].confidence->calibrated_f1 * piece[k].n_phrases;
        las += piece[k].confidence->expected_las * piece[k].n_words;
        phrases += piece[k].n_phrases;
        words += piece[k].n_words;
    }
    assert_same(whole.confidence, &(Confidence){ p_tree, f1 / phrases, mapped / phrases, las / words, NULL, NULL });
    piece[1].confidence = NULL; /* it has a flat tree */
    assert_ok(long_sentence_join(&x.m, piece, n, &x.in[0], &x.o, &x.a, &whole, test_error()));
    assert_null(whole.confidence);
}
