/* Probabilities of spans against enumeration of every tree, and against differences of
 * the normaliser. */
#include "base/rng.h"
#include "cky/marginals.h"
#include "tests/support/check.h"

enum { MOST = 6, LABELS = 5 };

typedef struct Case {
    int n, n_labels;
    const Real *mask;
    double temperature;
    Real scores[MOST * (MOST + 1) / 2 * (LABELS - 1)];
    /* of the enumeration: the tree so far, spans that are still to be split, sums over all trees */
    Span nodes[2 * MOST], open[2 * MOST];
    int n_nodes, n_open;
    long double z, node[MOST * (MOST + 1) / 2], label[MOST * (MOST + 1) / 2 * (LABELS - 1)];
    long trees;
} Case;

static void draw(Case *c, int n, int n_labels, double scale, uint64_t key)
{
    *c = (Case){ .n = n, .n_labels = n_labels, .temperature = 0.5 + (double)(key % 3) / 2 };
    for (long k = 0; k < chart_size(n) * (n_labels - 1); k++)
        c->scores[k] = (Real)(scale * rng_normal(key, (uint64_t)k));
}

static bool may_have(const Case *c, Span x)
{
    bool whole = x.end - x.begin == c->n, word = x.end - x.begin == 1;
    if (x.label == CHART_EMPTY) return !whole;
    return !(x.label == CHART_GROUP && (whole || word)) && !(c->mask && c->mask[x.label - 1] != 0);
}

static long cell(const Case *c, Span x) { return chart_span(c->n, x.begin, x.end) * (c->n_labels - 1) + x.label - 1; }

static void count_tree(Case *c)
{
    long double score = 0;
    for (int k = 0; k < c->n_nodes; k++)
        if (c->nodes[k].label) score += (long double)c->scores[cell(c, c->nodes[k])] / (long double)c->temperature;
    long double p = expl(score);
    c->trees++;
    c->z += p;
    for (int k = 0; k < c->n_nodes; k++) {
        c->node[chart_span(c->n, c->nodes[k].begin, c->nodes[k].end)] += p;
        if (c->nodes[k].label) c->label[cell(c, c->nodes[k])] += p;
    }
}

/* Every tree: takes an open span, gives it each label, splits it everywhere. */
static void enumerate(Case *c)
{
    if (c->n_open == 0) {
        count_tree(c);
        return;
    }
    Span x = c->open[--c->n_open];
    for (x.label = 0; x.label < c->n_labels; x.label++) {
        if (!may_have(c, x)) continue;
        c->nodes[c->n_nodes++] = x;
        if (x.end - x.begin == 1) enumerate(c);
        for (int k = x.begin + 1; k < x.end; k++) {
            c->open[c->n_open++] = (Span){ x.begin, k, 0 };
            c->open[c->n_open++] = (Span){ k, x.end, 0 };
            enumerate(c);
            c->n_open -= 2;
        }
        c->n_nodes--;
    }
    c->open[c->n_open++] = x;
}

static Marginals compute(const Case *c, Arena *a)
{
    Marginals m;
    assert_ok(marginals_compute(c->scores, c->n, c->n_labels, c->mask, c->temperature, a, &m, test_error()));
    return m;
}

static void compare(Case *c)
{
    double tolerance = 1e-6;
    c->open[c->n_open++] = (Span){ 0, c->n, 0 };
    enumerate(c);
    Marginals m = compute(c, test_arena());
    assert_within(m.log_z, (double)logl(c->z), 1e-10 * (1 + fabs(m.log_z)));
    for (long s = 0; s < chart_size(c->n); s++) {
        assert_within(m.node[s], (double)(c->node[s] / c->z), tolerance);
        for (int l = 0; l + 1 < c->n_labels; l++) {
            long k = s * (c->n_labels - 1) + l;
            assert_within((double)m.label[k], (double)(c->label[k] / c->z), tolerance);
        }
    }
}

TEST(probabilities_are_those_of_all_trees)
{
    static Case c;
    static const long all[] = { 0, 1, 1, 2, 5, 14, 42 }; /* Catalan numbers */
    for (int n = 1; n <= MOST; n++)
        for (uint64_t key = 0; key < 8; key++) {
            int n_labels = n == MOST ? 3 : 3 + (int)(key % 2);
            draw(&c, n, n_labels, 2, 31 * (uint64_t)n + key);
            compare(&c);
            long one = n == 1 ? n_labels - 2 : (n_labels - 2) * (long)pow(n_labels - 1, n) * (long)pow(n_labels, n - 2);
            assert_int_equal(c.trees, all[n] * one);
        }
}

TEST(masked_labels_have_no_probability)
{
    static Case c;
    static const Real mask[LABELS - 1] = { 0, (Real)-INFINITY, 0, (Real)-INFINITY };
    for (int n = 1; n < MOST; n++) {
        draw(&c, n, n == MOST - 1 ? 4 : LABELS, 2, 900 + (uint64_t)n);
        c.mask = mask;
        compare(&c);
    }
}

TEST(large_scores_neither_overflow_nor_vanish)
{
    static Case c;
    for (uint64_t key = 0; key < 20; key++) {
        draw(&c, 6, LABELS, 1e4, key);
        Marginals m = compute(&c, test_arena());
        double nodes = 0;
        assert_true(isfinite(m.log_z));
        for (long s = 0; s < chart_size(6); s++) nodes += m.node[s];
        assert_within(nodes, 11, 1e-6);
    }
    for (int sign = -1; sign <= 1; sign += 2) { /* all labels alike: the empty one is certain, or never there */
        draw(&c, 5, LABELS, 0, 1);
        for (long k = 0; k < chart_size(5) * (LABELS - 1); k++) c.scores[k] = (Real)(sign * 1e4);
        Marginals m = compute(&c, test_arena());
        double labelled = 0;
        for (long k = 0; k < chart_size(5) * (LABELS - 1); k++) labelled += (double)m.label[k];
        assert_within(labelled, sign < 0 ? 1 : 9, 1e-5);
    }
}

/* Of any length: each word is a node, and nodes add up. */
TEST(long_sentences_have_as_many_nodes_as_a_binary_tree)
{
    enum { N = 90 };
    Marginals m;
    Real *scores = arena_alloc(test_arena(), (size_t)chart_size(N) * 2, sizeof *scores);
    for (long k = 0; k < chart_size(N) * 2; k++) scores[k] = (Real)(3 * rng_normal(5, (uint64_t)k));
    assert_ok(marginals_compute(scores, N, 3, NULL, 1, test_arena(), &m, test_error()));
    double nodes = 0;
    for (long s = 0; s < chart_size(N); s++) nodes += m.node[s];
    assert_within(nodes, 2 * N - 1, 1e-6);
    for (int w = 0; w < N; w++) assert_within(m.node[chart_span(N, w, w + 1)], 1, 1e-9);
    assert_within(m.node[chart_span(N, 0, N)], 1, 1e-9);
}

TEST(the_normaliser_has_the_probabilities_as_its_slope)
{
    static Case c;
    double h = sizeof(Real) < 8 ? 0.0625 : 1e-5, tolerance = sizeof(Real) < 8 ? 1e-3 : 1e-9;
    draw(&c, 5, LABELS, 1, 77);
    c.temperature = 0.75;
    Marginals m = compute(&c, test_arena());
    for (long k = 0; k < chart_size(5) * (LABELS - 1); k++) {
        Real keep = c.scores[k];
        c.scores[k] = (Real)((double)keep + h);
        double x = (double)c.scores[k], up = compute(&c, test_arena()).log_z;
        c.scores[k] = (Real)((double)keep - h);
        double slope = (up - compute(&c, test_arena()).log_z) / (x - (double)c.scores[k]);
        c.scores[k] = keep;
        assert_within(slope, (double)m.label[k] / c.temperature, tolerance);
    }
}

TEST(every_allocation_may_fail)
{
    static Case c;
    draw(&c, 6, LABELS, 1, 3);
    for (long n = 0; allocation_fails(n); n++) {
        Marginals m;
        MADE(Arena, arena_init, arena_fini, a, 256);
        mem_fail_after(n);
        assert_ok_or_no_memory(marginals_compute(c.scores, 6, LABELS, NULL, 1, &a, &m, test_error()));
    }
}
