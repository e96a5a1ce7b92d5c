/* Sums over joint trees and lists of the best ones against enumeration of every derivation.
 * What is given is read off the derivations, not off masks. */
#include <stdlib.h>

#include "base/rng.h"
#include "cky/constraint.h"
#include "cky/joint_marginals.h"
#include "cky/joint_sums.h"
#include "cky/k_best.h"
#include "tensor/cpu/level.h"
#include "tensor/cpu/level/sum_product.h"
#include "tests/support/check.h"

enum { MOST = 6, SPANS = MOST * (MOST + 1) / 2, LABELS = 4, LONG = 40 };

typedef struct Open { /* a node that is not yet expanded */
    int i, j, h;
    bool dependent; /* or the root */
} Open;

/* The derivations of a result. Its key has 2 bits for the label of each span and 3 for each head. */
typedef struct Result {
    uint64_t key;
    double score;    /* of its best derivation */
    long double sum; /* of exp */
    long derivations;
} Result;

typedef struct Case {
    JointScores s;
    Real labels[SPANS * (LABELS - 1)], arcs[(MOST + 1) * (MOST + 1)];
    Constraint given;
    int given_heads[MOST];
    Span given_spans[2];
    unsigned char state[SPANS];
    /* of the enumeration: the derivation so far, and sums over all of them */
    Span nodes[2 * MOST];
    Open open[2 * MOST];
    int n_nodes, n_open, heads[MOST];
    long double z, node[SPANS], label[SPANS * (LABELS - 1)], arc[(MOST + 1) * (MOST + 1)];
    long derivations;
    Result *result; /* [n_results] of all derivations, or NULL: they are not kept */
    long n_results, cap;
} Case;

static void draw(Case *c, int n, int n_labels, double scale, uint64_t key)
{
    *c = (Case){ .s = { n, n_labels, c->labels, c->arcs, NULL, 1, 1 }, .given = { .n = n } };
    for (long k = 0; k < chart_size(n) * (n_labels - 1); k++)
        c->labels[k] = (Real)(scale * (rng_normal(key, (uint64_t)k) - 0.3));
    for (int k = 0; k < (n + 1) * (n + 1); k++) c->arcs[k] = (Real)(scale * rng_normal(key + 1, (uint64_t)k));
}

static bool draws(uint64_t key, uint64_t i, double probability) { return rng_uniform(key, i) < probability; }
static int below(uint64_t key, uint64_t i, int n) { return (int)(rng_uniform(key, i) * n); }

/* ---- every derivation */

static long cell(const JointScores *s, Span x)
{
    return chart_span(s->n, x.begin, x.end) * (s->n_labels - 1) + x.label - 1;
}

static bool may_have(const Case *c, const Open *x, int label)
{
    bool whole = x->j - x->i == c->s.n, word = x->j - x->i == 1;
    if (label == CHART_EMPTY) return !whole && (!x->dependent || word);
    if (label == CHART_GROUP && (whole || word)) return false;
    return c->labels[cell(&c->s, (Span){ x->i, x->j, label })] > (Real)-INFINITY;
}

static bool has_given(const Case *c)
{
    for (int w = 0; w < c->s.n && c->given.heads; w++)
        if (c->given_heads[w] != HEAD_FREE && c->given_heads[w] != c->heads[w]) return false;
    for (int k = 0; k < c->given.n_spans; k++) {
        Span x = c->given_spans[k];
        bool found = false;
        for (int node = 0; node < c->n_nodes; node++)
            found |= c->nodes[node].begin == x.begin && c->nodes[node].end == x.end && c->nodes[node].label;
        if (!found) return false;
    }
    return true;
}

static uint64_t key_of(int n, const Span *nodes, int n_nodes, const int *heads)
{
    uint64_t key = 0;
    for (int k = 0; k < n_nodes; k++)
        if (nodes[k].label > CHART_GROUP)
            key |= (uint64_t)nodes[k].label << 2 * chart_span(n, nodes[k].begin, nodes[k].end);
    for (int w = 0; w < n; w++) key |= (uint64_t)heads[w] << (42 + 3 * w);
    return key;
}

static void keep_result(Case *c, double score)
{
    if (c->n_results == c->cap) {
        c->cap = 2 * c->cap + 64;
        assert_non_null(c->result = realloc(c->result, (size_t)c->cap * sizeof *c->result));
    }
    c->result[c->n_results++] =
        (Result){ key_of(c->s.n, c->nodes, c->n_nodes, c->heads), score, expl((long double)score), 1 };
}

static void count(Case *c, bool keep)
{
    const JointScores *s = &c->s;
    double score = 0;
    if (!has_given(c)) return;
    for (int k = 0; k < c->n_nodes; k++)
        if (c->nodes[k].label) score += s->span_weight * (double)c->labels[cell(s, c->nodes[k])];
    for (int w = 1; w <= s->n; w++) score += s->arc_weight * (double)c->arcs[w * (s->n + 1) + c->heads[w - 1]];
    if (!(score > -INFINITY)) return;
    long double p = expl((long double)score);
    c->derivations++;
    c->z += p;
    for (int k = 0; k < c->n_nodes; k++) {
        c->node[chart_span(s->n, c->nodes[k].begin, c->nodes[k].end)] += p;
        if (c->nodes[k].label) c->label[cell(s, c->nodes[k])] += p;
    }
    for (int w = 1; w <= s->n; w++) c->arc[w * (s->n + 1) + c->heads[w - 1]] += p;
    if (keep) keep_result(c, score);
}

/* Takes an open node, gives it each label, splits it everywhere, with each word of the other part as dependent. */
static void expand(Case *c, bool keep)
{
    if (c->n_open == 0) {
        count(c, keep);
        return;
    }
    Open x = c->open[--c->n_open];
    for (int label = 0; label < c->s.n_labels; label++) {
        if (!may_have(c, &x, label)) continue;
        c->nodes[c->n_nodes++] = (Span){ x.i, x.j, label };
        if (x.j - x.i == 1) expand(c, keep);
        for (int k = x.i + 1; k < x.j; k++) {
            int from = x.h > k ? x.i : k, to = x.h > k ? k : x.j;
            for (int d = from + 1; d <= to; d++) {
                c->heads[d - 1] = x.h;
                c->open[c->n_open++] = (Open){ from, to, d, true };
                c->open[c->n_open++] = (Open){ x.h > k ? k : x.i, x.h > k ? x.j : k, x.h, false };
                expand(c, keep);
                c->n_open -= 2;
            }
        }
        c->n_nodes--;
    }
    c->open[c->n_open++] = x;
}

static int by_key(const void *x, const void *y)
{
    uint64_t a = ((const Result *)x)->key, b = ((const Result *)y)->key;
    return (a > b) - (a < b);
}

/* With keep, derivations are joined to results in the end, in the order of their keys. */
static void enumerate(Case *c, bool keep)
{
    for (int h = 1; h <= c->s.n; h++) {
        c->heads[h - 1] = 0;
        c->open[c->n_open++] = (Open){ 0, c->s.n, h, true };
        expand(c, keep);
        c->n_open--;
    }
    long kept = 0;
    if (c->n_results) qsort(c->result, (size_t)c->n_results, sizeof *c->result, by_key);
    for (long k = 0; k < c->n_results; k++) {
        Result *last = &c->result[kept ? kept - 1 : 0], *x = &c->result[k];
        if (kept == 0 || last->key != x->key) {
            c->result[kept++] = *x;
            continue;
        }
        last->score = fmax(last->score, x->score);
        last->sum += x->sum;
        last->derivations++;
    }
    c->n_results = kept;
}

static void case_init(Case *c) { memset(c, 0, sizeof *c); }
static void case_fini(Case *c) { free(c->result); }

/* ---- sums */

static JointMarginals compute(const JointScores *s, Arena *a)
{
    JointMarginals m;
    double log_z;
    assert_ok(joint_marginals(s, a, a, &m, test_error()));
    assert_ok(joint_log_z(s, a, &log_z, test_error()));
    if (m.log_z > -INFINITY) assert_within(log_z, m.log_z, 1e-12 * fabs(m.log_z));
    else assert_true(log_z == m.log_z);
    return m;
}

static void assert_shares(const char *what, const double *found, const long double *sum, long double z, long n)
{
    for (long k = 0; k < n; k++) {
        double expected = z > 0 ? (double)(sum[k] / z) : 0;
        if (!(fabs(found[k] - expected) <= 1e-9))
            fail_msg("%s %ld: found %.12f, expected %.12f", what, k, found[k], expected);
    }
}

static void constrain(Case *c)
{
    if (!c->given.heads && !c->given.n_spans) return;
    constraint_mask_arcs(&c->given, c->arcs);
    constraint_states(&c->given, c->state);
    c->s.state = c->state;
}

/* Against the enumeration, which is done here. */
static void compare(Case *c)
{
    int n = c->s.n;
    enumerate(c, false);
    constrain(c);
    JointMarginals m = compute(&c->s, test_arena());
    if (c->z > 0) assert_within(m.log_z, (double)logl(c->z), 1e-11 * (1 + fabs(m.log_z)));
    else assert_true(m.log_z == -INFINITY);
    assert_shares("arc", m.arc, c->arc, c->z, (n + 1) * (n + 1));
    assert_shares("node", m.node, c->node, c->z, chart_size(n));
    assert_shares("label", m.label, c->label, c->z, chart_size(n) * (c->s.n_labels - 1));
}

TEST(probabilities_are_those_of_all_derivations)
{
    static Case c;
    for (int n = 1; n <= 5; n++)
        for (uint64_t key = 0; key < (n < 5 ? 12 : 2); key++) {
            draw(&c, n, n == 5 ? 3 : 3 + (int)(key % 2), 0.5 + (double)(key % 3), 31 * (uint64_t)n + key);
            c.s.span_weight = key % 2 ? 1 : 0.7;
            c.s.arc_weight = key % 3 ? 1 : 1.6;
            compare(&c);
        }
}

/* The figures were counted by another program. */
TEST(the_sum_of_zero_scores_is_the_number_of_derivations)
{
    static const long derivations[] = { 0, 1, 8, 96, 1408, 23040, 403456 };
    static Case c;
    for (int n = 1; n <= MOST; n++) {
        draw(&c, n, 3, 0, 1);
        for (long k = 0; k < chart_size(n); k++) c.labels[2 * k] = (Real)-INFINITY; /* no <H> */
        compare(&c);
        assert_int_equal(c.derivations, derivations[n]);
    }
}

static void mask(Case *c, uint64_t key)
{
    for (long k = 0; k < chart_size(c->s.n) * (c->s.n_labels - 1); k++)
        if (draws(key, (uint64_t)k, 0.3)) c->labels[k] = (Real)-INFINITY;
    for (int k = 0; k < (c->s.n + 1) * (c->s.n + 1); k++)
        if (draws(key + 1, (uint64_t)k, 0.2)) c->arcs[k] = (Real)-INFINITY;
}

TEST(what_is_masked_has_no_probability)
{
    static Case c;
    int impossible = 0;
    for (int n = 1; n <= 5; n++)
        for (uint64_t key = 0; key < 20; key++) {
            draw(&c, n, LABELS, 1, 900 + (uint64_t)n);
            mask(&c, 77 * key + (uint64_t)n);
            compare(&c);
            impossible += !(c.z > 0);
        }
    assert_true(impossible > 3 && impossible < 50);
}

static void give(Case *c, uint64_t key)
{
    c->given.heads = c->given_heads;
    c->given.spans = c->given_spans;
    for (int w = 0; w < c->s.n; w++)
        c->given_heads[w] = draws(key, (uint64_t)w, 0.2) ? below(key + 1, (uint64_t)w, c->s.n + 1) : HEAD_FREE;
    for (uint64_t k = 0; k < 2; k++) {
        int i = below(key + 2, k, c->s.n), j = i + 1 + below(key + 3, k, c->s.n - i);
        Span x = { i, j, 0 };
        bool crosses = c->given.n_spans && (spans_cross(x, c->given_spans[0]) ||
                                            (x.begin == c->given_spans[0].begin && x.end == c->given_spans[0].end));
        if (!crosses) c->given_spans[c->given.n_spans++] = x;
    }
}

TEST(given_parts_are_certain)
{
    static Case c;
    int impossible = 0;
    for (int n = 1; n <= 5; n++)
        for (uint64_t key = 0; key < 20; key++) {
            draw(&c, n, 3, 1, 400 + 20 * (uint64_t)n + key);
            give(&c, 5 * key);
            compare(&c);
            impossible += !(c.z > 0);
        }
    assert_true(impossible > 3 && impossible < 70);
}

/* A sentence of any length. */
static JointScores long_scores(int n, int n_labels, double scale, uint64_t key, Arena *a)
{
    size_t labels = (size_t)chart_size(n) * (size_t)(n_labels - 1), arcs = (size_t)(n + 1) * (size_t)(n + 1);
    Real *label = arena_alloc(a, labels, sizeof *label), *arc = arena_alloc(a, arcs, sizeof *arc);
    assert_true(label && arc);
    for (size_t k = 0; k < labels; k++) label[k] = (Real)(scale * (2 * rng_uniform(key, k) - 1));
    for (size_t k = 0; k < arcs; k++) arc[k] = (Real)(scale * (2 * rng_uniform(key + 1, k) - 1));
    return (JointScores){ n, n_labels, label, arc, NULL, 1, 1 };
}

static void assert_adds_up(const JointMarginals *m, int n)
{
    double nodes = 0;
    for (long k = 0; k < chart_size(n); k++) nodes += m->node[k];
    assert_within(nodes, 2 * n - 1, 1e-9);
    for (int w = 1; w <= n; w++) {
        double heads = 0;
        for (int g = 0; g <= n; g++) heads += m->arc[w * (n + 1) + g];
        assert_within(heads, 1, 1e-9);
        assert_within(m->node[chart_span(n, w - 1, w)], 1, 1e-9);
    }
    assert_within(m->node[chart_span(n, 0, n)], 1, 1e-9);
}

static SpanBest *best_labels(const JointScores *s, Arena *a)
{
    SpanBest *best = arena_alloc(a, (size_t)chart_size(s->n), sizeof *best);
    assert_non_null(best);
    for (long k = 0; k < chart_size(s->n); k++) {
        best[k] = (SpanBest){ (Real)-INFINITY, (Real)-INFINITY, CHART_GROUP, CHART_GROUP + 1 };
        for (int l = 1; l < s->n_labels; l++) {
            Real x = s->labels[k * (s->n_labels - 1) + l - 1];
            if (x > best[k].any) best[k].any = x, best[k].any_label = l;
            if (l > CHART_GROUP && x > best[k].proper) best[k].proper = x, best[k].proper_label = l;
        }
    }
    return best;
}

TEST(heads_and_nodes_add_up_whatever_the_scores)
{
    static const double scale[] = { 0.1, 3, 100, 1e4, 1e6 };
    for (int n = 20; n <= LONG; n += 20)
        for (size_t k = 0; k < sizeof scale / sizeof *scale; k++) {
            MADE(Arena, arena_init, arena_fini, a, 1 << 20);
            JointScores s = long_scores(n, 4, scale[k], 17 * k + (uint64_t)n, &a);
            JointMarginals m = compute(&s, &a);
            JointTree *best = joint_decode(best_labels(&s, &a), s.arcs, n, &a, &a, test_error());
            assert_adds_up(&m, n);
            double rounding = sizeof(Real) < 8 ? 1e-5 * scale[k] * n : 1e-9 * scale[k];
            assert_true(m.log_z > best->score - rounding);
            if (scale[k] >= 1e4) assert_within(m.log_z, best->score, n * log(17) + rounding);
        }
}

static void assert_equal_rows(const double *x, const double *y, long n)
{
    for (long k = 0; k < n; k++) assert_within(x[k], y[k], 1e-9);
}

/* Both ways to sum; plain doubles hold the numbers of the smaller scales. */
static bool same_either_way(const JointScores *s, Arena *a)
{
    size_t spans = (size_t)chart_size(s->n), arcs = (size_t)((s->n + 1) * (s->n + 1));
    double *weight = arena_alloc(a, 3 * spans, sizeof *weight);
    JointSums x[2];
    bool held;
    for (int k = 0; k < 2; k++)
        x[k] = (JointSums){ 0, arena_calloc(a, spans, sizeof(double)), arena_calloc(a, spans, sizeof(double)),
                            arena_calloc(a, arcs, sizeof(double)) };
    for (int i = 0; i < s->n; i++)
        for (int j = i + 1; j <= s->n; j++) {
            long k = chart_span(s->n, i, j);
            double label = (double)s->labels[k * (s->n_labels - 1)];
            bool empty = joint_may_be_empty(s->state, s->n, i, j, true);
            weight[k] = label;
            weight[spans + (size_t)k] = j - i == s->n ? label : log1p(exp(label));
            weight[2 * spans + (size_t)k] = empty ? log1p(exp(label)) : label;
        }
    const JointWeights w = { s, weight, weight + spans, weight + 2 * spans };
    assert_true(joint_sums_exact(&w, a, &x[0]) && joint_sums_in_tiles(&w, a, &x[1], &held));
    if (!held) return false;
    assert_within(x[1].log_z, x[0].log_z, 1e-9);
    assert_equal_rows(x[1].as_head, x[0].as_head, (long)spans);
    assert_equal_rows(x[1].as_dependent, x[0].as_dependent, (long)spans);
    assert_equal_rows(x[1].arc, x[0].arc, (long)arcs);
    return true;
}

TEST(sums_in_tiles_are_those_of_numbers_with_exponents)
{
    static const double scale[] = { 0, 0.1, 1, 3, 10, 1e3 };
    static const int length[] = { 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 50, 64 };
    for (size_t n = 0; n < sizeof length / sizeof *length; n++)
        for (size_t k = 0; k < sizeof scale / sizeof *scale; k++) {
            MADE(Arena, arena_init, arena_fini, a, 1 << 20);
            JointScores s = long_scores(length[n], 3, scale[k], 5 * k + n, &a);
            bool held = same_either_way(&s, &a);
            if (scale[k] <= 3) assert_true(held);
            if (scale[k] == 1e3 && length[n] > 7) assert_false(held);
        }
}

/* Where a tree stands out, as it does in a parser's scores, most sums of a long sentence are next to nothing. */
TEST(sums_in_tiles_hold_long_sentences_whose_tree_stands_out)
{
    const int n = 100;
    for (int by = 4; by <= 12; by += 4) {
        MADE(Arena, arena_init, arena_fini, a, 1 << 20);
        JointScores s = long_scores(n, 3, 3, (uint64_t)by, &a);
        JointTree *tree = joint_decode(best_labels(&s, &a), s.arcs, n, &a, &a, test_error());
        for (int w = 1; w <= n; w++) ((Real *)(uintptr_t)s.arcs)[w * (n + 1) + tree->heads[w - 1]] += (Real)by;
        assert_true(same_either_way(&s, &a));
    }
}

/* Scores all of which are far from 0 on one side, and heads that scores within their span speak against. */
TEST(sums_neither_overflow_nor_vanish)
{
    int n = LONG;
    for (int sign = -1; sign <= 1; sign += 2) {
        JointScores s = long_scores(n, 3, 0, 1, test_arena());
        Real *labels = (Real *)(uintptr_t)s.labels, *arcs = (Real *)(uintptr_t)s.arcs;
        for (long k = 0; k < 2 * chart_size(n); k++) labels[k] = (Real)(100 * sign);
        for (int k = 0; k < (n + 1) * (n + 1); k++) arcs[k] = (Real)(100 * sign);
        JointMarginals m = compute(&s, test_arena());
        assert_adds_up(&m, n);
        for (int w = 2; w <= n; w++) /* the first word is the only good head, and must not be the root */
            for (int g = 0; g <= n; g++) arcs[w * (n + 1) + g] = g == 1 ? (Real)1e4 : 0;
        for (int g = 0; g <= n; g++) arcs[n + 1 + g] = g == n ? 0 : (Real)-INFINITY;
        m = compute(&s, test_arena());
        assert_adds_up(&m, n);
        assert_within(m.arc[n + 1 + n], 1, 1e-9);
        assert_within(m.log_z > 1e5, 1, 0);
    }
}

TEST(the_sum_has_the_probabilities_as_its_slope)
{
    static Case c;
    double h = sizeof(Real) < 8 ? 0.0625 : 1e-4, tolerance = sizeof(Real) < 8 ? 1e-3 : 1e-8;
    draw(&c, 6, LABELS, 1, 77);
    c.s.span_weight = 0.75;
    JointMarginals m = compute(&c.s, test_arena());
    long n_labels = chart_size(6) * (LABELS - 1);
    for (long k = 0; k < n_labels + 7 * 7; k++) {
        Real *x = k < n_labels ? &c.labels[k] : &c.arcs[k - n_labels], keep = *x;
        double p = k < n_labels ? 0.75 * m.label[k] : m.arc[k - n_labels], up, down;
        assert_ok(joint_log_z((*x = (Real)((double)keep + h), &c.s), test_arena(), &up, test_error()));
        assert_ok(joint_log_z((*x = (Real)((double)keep - h), &c.s), test_arena(), &down, test_error()));
        double width = (double)(Real)((double)keep + h) - (double)(Real)((double)keep - h);
        assert_within((up - down) / width, p, tolerance);
        *x = keep;
    }
}

TEST(scores_that_no_sum_holds_are_an_error)
{
    static Case c;
    JointMarginals m;
    static const double bad[] = { NAN, INFINITY, 1e10, -1e10 };
    for (size_t k = 0; k < 2 * sizeof bad / sizeof *bad; k++) {
        draw(&c, 3, 3, 1, 4);
        *(k % 2 ? &c.labels[5] : &c.arcs[6]) = (Real)bad[k / 2];
        assert_fails(joint_marginals(&c.s, test_arena(), test_arena(), &m, test_error()), ERR_RANGE,
                     "probabilities of trees: scores are above 1e+09");
    }
}

TEST(every_allocation_of_the_sums_may_fail)
{
    static Case c;
    draw(&c, 6, LABELS, 1, 3);
    for (long n = 0; allocation_fails(n); n++) {
        JointMarginals m;
        MADE(Arena, arena_init, arena_fini, a, 256);
        mem_fail_after(n);
        assert_ok_or_no_memory(joint_marginals(&c.s, &a, &a, &m, test_error()));
    }
}

/* ---- sums of one result */

/* The logarithm of the probability of a result, from the sum over all trees that are made to be it. */
static double log_sum_forced(const JointScores *s, const JointTree *tree, Arena *a)
{
    int n = s->n, labels = s->n_labels - 1;
    Span *spans = arena_alloc(a, 2 * (size_t)n, sizeof *spans);
    Real *label = arena_alloc(a, (size_t)chart_size(n) * (size_t)labels, sizeof *label);
    Real *arcs = arena_alloc(a, (size_t)(n + 1) * (size_t)(n + 1), sizeof *arcs);
    unsigned char *state = arena_alloc(a, (size_t)chart_size(n), 1);
    double log_z;
    assert_true(spans && label && arcs && state);
    Constraint c = { n, tree->heads, spans, 0 };
    for (long k = 0; k < chart_size(n) * labels; k++)
        label[k] = k % labels == CHART_GROUP - 1 ? s->labels[k] : (Real)-INFINITY;
    for (int k = 0; k < tree->n_nodes; k++) {
        Span x = tree->nodes[k];
        if (x.label <= CHART_GROUP) continue;
        long at = chart_span(n, x.begin, x.end) * labels;
        label[at + CHART_GROUP - 1] = (Real)-INFINITY;
        label[at + x.label - 1] = s->labels[at + x.label - 1];
        spans[c.n_spans++] = x;
    }
    memcpy(arcs, s->arcs, (size_t)(n + 1) * (size_t)(n + 1) * sizeof *arcs);
    constraint_mask_arcs(&c, arcs);
    constraint_states(&c, state);
    JointScores forced = { n, s->n_labels, label, arcs, state, s->span_weight, s->arc_weight };
    assert_ok(joint_log_z(&forced, a, &log_z, test_error()));
    return log_z;
}

TEST(the_sum_of_a_result_is_the_sum_of_all_trees_that_are_it)
{
    for (uint64_t key = 0; key < 40; key++) {
        MADE(Arena, arena_init, arena_fini, a, 1 << 18);
        int n = 1 + (int)(3 * key % 32);
        JointScores s = long_scores(n, 4, key % 4 ? 2 : 300, key, &a);
        s.span_weight = key % 2 ? 1 : 0.8;
        double log_sum;
        JointTree *tree = joint_decode(best_labels(&s, &a), s.arcs, n, &a, &a, test_error());
        assert_ok(joint_log_sum(&s, tree, &a, &log_sum, test_error()));
        assert_within(log_sum, log_sum_forced(&s, tree, &a), 1e-9 * (1 + fabs(log_sum)));
    }
}

/* The phrases and heads of a key, and no other nodes. */
static JointTree *tree_of(const Case *c, const Result *r, JointTree *tree)
{
    int n = c->s.n;
    tree->n_nodes = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j <= n; j++) {
            int label = (int)(r->key >> 2 * chart_span(n, i, j) & 3);
            if (label) tree->nodes[tree->n_nodes++] = (Span){ i, j, label };
        }
    for (int w = 0; w < n; w++) tree->heads[w] = (int)(r->key >> (42 + 3 * w) & 7);
    return tree;
}

/* Returns the most derivations of a result. */
static long compare_results(Case *c)
{
    Span nodes[SPANS];
    int heads[MOST];
    JointTree tree = { .nodes = nodes, .heads = heads };
    long most = 0;
    enumerate(c, true);
    for (long k = 0; k < c->n_results; k++) {
        const Result *r = &c->result[k];
        double log_sum;
        assert_ok(joint_log_sum(&c->s, tree_of(c, r, &tree), test_arena(), &log_sum, test_error()));
        assert_within(log_sum, (double)logl(r->sum), 1e-9);
        most = r->derivations > most ? r->derivations : most;
    }
    return most;
}

/* The figures were counted by another program. */
TEST(results_have_the_sums_of_their_derivations)
{
    static const long results[] = { 0, 1, 8, 88, 1184, 17792 }, most[] = { 0, 1, 1, 2, 3, 6 };
    for (int n = 1; n <= 5; n++) {
        MADE(Case, case_init, case_fini, c);
        draw(&c, n, 3, 0, 1);
        for (long k = 0; k < chart_size(n); k++) c.labels[2 * k] = (Real)-INFINITY; /* no <H> */
        assert_int_equal(compare_results(&c), most[n]);
        assert_int_equal(c.n_results, results[n]);
    }
    for (int n = 1; n <= 4; n++)
        for (uint64_t key = 0; key < 6; key++) {
            MADE(Case, case_init, case_fini, c);
            draw(&c, n, 3 + (int)(key % 2), 1, 70 * (uint64_t)n + key);
            if (key > 3) mask(&c, key);
            c.s.span_weight = 0.8;
            compare_results(&c);
        }
}

/* ---- the best results */

static Result *find_result(Case *c, uint64_t key)
{
    Result at = { .key = key };
    return bsearch(&at, c->result, (size_t)c->n_results, sizeof *c->result, by_key);
}

static void assert_equal_trees(const JointTree *found, const JointTree *expected, int n)
{
    assert_true(found->score == expected->score);
    assert_int_equal(found->n_nodes, expected->n_nodes);
    assert_memory_equal(found->nodes, expected->nodes, (size_t)expected->n_nodes * sizeof *expected->nodes);
    assert_memory_equal(found->heads, expected->heads, (size_t)n * sizeof *expected->heads);
}

/* Labels, arcs and heads of the tree add up to its score. */
static void assert_score(const JointScores *s, const JointTree *tree, double tolerance)
{
    double sum = 0;
    assert_int_equal(tree->n_nodes, 2 * s->n - 1);
    for (int k = 0; k < tree->n_nodes; k++)
        if (tree->nodes[k].label != CHART_EMPTY) sum += (double)s->labels[cell(s, tree->nodes[k])];
    for (int w = 1; w <= s->n; w++) sum += (double)s->arcs[w * (s->n + 1) + tree->heads[w - 1]];
    assert_within(tree->score, sum, tolerance);
}

/* All results one after the other, each once, with its score; their probabilities add up to 1. */
static void compare_lists(Case *c)
{
    int n = c->s.n;
    MADE(Arena, arena_init, arena_fini, a, 1 << 16);
    enumerate(c, true);
    constrain(c);
    SpanBest *best = best_labels(&c->s, &a);
    JointTree *tree, *one = joint_decode_under(best, c->arcs, c->s.state, n, &a, &a, test_error());
    KBest *list = k_best_new(best, c->labels, c->s.n_labels, c->arcs, c->s.state, n, (Real)INFINITY, &a, test_error());
    double last = INFINITY, log_z, log_sum, sum = 0;
    long found = 0;
    assert_true(one && list);
    assert_ok(joint_log_z(&c->s, &a, &log_z, test_error()));
    for (; assert_ok(k_best_next(list, &a, &tree, test_error())), tree; found++) {
        Result *r = find_result(c, key_of(n, tree->nodes, tree->n_nodes, tree->heads));
        if (!r || !r->derivations) fail_msg("result %ld of %d words is none, or was found before", found, n);
        if (found == 0) assert_equal_trees(tree, one, n);
        assert_score(&c->s, tree, 1e-4);
        assert_within(tree->score, r->score, 1e-4);
        assert_true(tree->score <= last);
        assert_ok(joint_log_sum(&c->s, tree, &a, &log_sum, test_error()));
        sum += exp(log_sum - log_z);
        last = tree->score;
        r->derivations = 0;
    }
    assert_int_equal(found, c->n_results);
    if (found) assert_within(sum, 1, 1e-9);
    else assert_true(one->score == -INFINITY);
}

TEST(lists_of_the_best_results_are_complete_and_in_order)
{
    static const long results[] = { 0, 1, 8, 88, 1184, 17792 };
    for (int n = 1; n <= 5; n++)
        for (uint64_t key = 0; key < (n == 5 ? 2 : 6); key++) {
            MADE(Case, case_init, case_fini, c);
            draw(&c, n, key % 2 && n < 5 ? LABELS : 3, 1, 600 + 20 * (uint64_t)n + key);
            for (long k = 0; k < chart_size(n) && key % 2 == 0; k++) c.labels[2 * k] = (Real)-INFINITY; /* no <H> */
            if (n == 5 && key) continue;
            compare_lists(&c);
            if (key % 2 == 0) assert_int_equal(c.n_results, results[n]);
        }
}

TEST(results_with_equal_scores_are_all_found)
{
    for (int n = 1; n <= 4; n++)
        for (uint64_t key = 0; key < 20; key++) {
            MADE(Case, case_init, case_fini, c);
            draw(&c, n, 3 + (int)(key % 2), 1, 800 + 20 * (uint64_t)n + key);
            for (long k = 0; k < chart_size(n) * (c.s.n_labels - 1); k++)
                c.labels[k] = (Real)round((double)c.labels[k]);
            for (int k = 0; k < (n + 1) * (n + 1); k++) c.arcs[k] = key % 3 ? (Real)round((double)c.arcs[k]) : 0;
            compare_lists(&c);
        }
}

TEST(lists_have_what_is_given_and_nothing_masked)
{
    int impossible = 0;
    for (int n = 1; n <= 4; n++)
        for (uint64_t key = 0; key < 40; key++) {
            MADE(Case, case_init, case_fini, c);
            draw(&c, n, 3 + (int)(key % 2), 1, 300 + 20 * (uint64_t)n + key);
            if (key % 4 < 2) mask(&c, 7 * key);
            if (key % 4) give(&c, 5 * key);
            compare_lists(&c);
            impossible += c.n_results == 0;
        }
    assert_true(impossible > 5 && impossible < 120);
}

/* The results within reach of the best one are the first ones of the whole list [n]. */
static void compare_near(const JointScores *s, const SpanBest *best, const Real *labels, JointTree *const *tree, int n,
                         Real reach, Arena *a)
{
    KBest *list = k_best_new(best, labels, s->n_labels, s->arcs, NULL, s->n, reach, a, test_error());
    for (int k = 0; k < n && tree[k]; k++) {
        JointTree *near;
        bool wanted = (Real)tree[k]->score >= (Real)tree[0]->score - reach;
        assert_ok(k_best_next(list, a, &near, test_error()));
        assert_true((near != NULL) == wanted);
        if (!wanted) return;
        assert_equal_trees(near, tree[k], s->n);
    }
}

/* The other results of a long sentence are no better, and different; fewer of them are found within reach. */
TEST(lists_of_long_sentences_begin_with_the_best_tree)
{
    enum { K = 60 };
    for (uint64_t key = 0; key < 24; key++) {
        MADE(Arena, arena_init, arena_fini, a, 1 << 20);
        int n = 1 + (int)(7 * key % 40);
        JointScores s = long_scores(n, 5, 2, key, &a);
        Real *labels = (Real *)(uintptr_t)s.labels;
        for (long k = 0; k < 4 * chart_size(n) && key % 3 == 0; k++) labels[k] = (Real)round((double)labels[k]);
        SpanBest *best = best_labels(&s, &a);
        JointTree *tree[K] = { NULL }, *one = joint_decode(best, s.arcs, n, &a, &a, test_error());
        KBest *list = k_best_new(best, labels, 5, s.arcs, NULL, n, (Real)INFINITY, &a, test_error());
        for (int k = 0; k < K && (k == 0 || tree[k - 1]); k++) {
            assert_ok(k_best_next(list, &a, &tree[k], test_error()));
            if (!tree[k]) continue;
            assert_score(&s, tree[k], 1e-3);
            if (k) assert_true(tree[k]->score <= tree[k - 1]->score);
            for (int l = 0; l < k; l++) {
                bool heads = memcmp(tree[k]->heads, tree[l]->heads, (size_t)n * sizeof(int)) == 0;
                assert_false(heads && memcmp(tree[k]->nodes, tree[l]->nodes, (size_t)(2 * n - 1) * sizeof(Span)) == 0);
            }
        }
        assert_equal_trees(tree[0], one, n);
        assert_true(n < 3 || tree[K - 1]);
        compare_near(&s, best, labels, tree, K, (Real)(key % 5) / 4, &a);
    }
}

/* A tree stands out from the others by more and more, so that few spans need to be searched; a list searches all. Some
 * of its phrases are given, or arcs that it lacks are masked. */
TEST(the_best_tree_is_found_among_few_spans)
{
    for (uint64_t key = 0; key < 120; key++) {
        MADE(Arena, arena_init, arena_fini, a, 1 << 20);
        int n = 1 + (int)(11 * key % 47);
        JointScores s = long_scores(n, 5, 2, key, &a);
        Real *labels = (Real *)(uintptr_t)s.labels, *arcs = (Real *)(uintptr_t)s.arcs, more = (Real)(key % 9) / 2;
        JointTree *tree = joint_decode(best_labels(&s, &a), arcs, n, &a, &a, test_error());
        unsigned char *given = key % 3 ? NULL : arena_calloc(&a, (size_t)chart_size(n), 1);
        for (int k = 0; k < tree->n_nodes; k++) {
            Span x = tree->nodes[k];
            if (x.label != CHART_EMPTY) labels[cell(&s, x)] += more;
            if (given && k % 4 == 0 && x.label != CHART_EMPTY) given[chart_span(n, x.begin, x.end)] = SPAN_PHRASE;
        }
        for (int w = 1; w <= n; w++)
            for (int h = 0; h <= n; h++) {
                Real *arc = &arcs[w * (n + 1) + h];
                if (h == tree->heads[w - 1]) *arc += more;
                else if (key % 5 == 0 && draws(key, (uint64_t)(w * n + h), 0.3)) *arc = (Real)-INFINITY;
                if (key % 7 == 0) *arc *= 1000;
            }
        SpanBest *best = best_labels(&s, &a);
        JointTree *first, *one = joint_decode_under(best, arcs, given, n, &a, &a, test_error());
        KBest *list = k_best_new(best, labels, 5, arcs, given, n, (Real)INFINITY, &a, test_error());
        assert_ok(k_best_next(list, &a, &first, test_error()));
        assert_equal_trees(first, one, n);
    }
}

TEST(every_allocation_of_a_list_may_fail)
{
    static Case c;
    draw(&c, 6, LABELS, 1, 3);
    for (long n = 0; allocation_fails(n); n++) {
        MADE(Arena, arena_init, arena_fini, a, 256);
        SpanBest *best = best_labels(&c.s, &a);
        JointTree *tree = NULL;
        mem_fail_after(n);
        KBest *list = k_best_new(best, c.labels, LABELS, c.arcs, NULL, 6, (Real)INFINITY, &a, test_error());
        Status status = list ? OK : ERR_NOMEM;
        for (int k = 0; k < 100 && status == OK; k++) status = k_best_next(list, &a, &tree, test_error());
        assert_ok_or_no_memory(status);
    }
}

/* ---- the kernel below the sums */

TEST(sums_of_scaled_products_agree_on_all_levels)
{
    enum { TERMS = 7, COLUMNS = 3 * SUM_ALIGN };
    double xm[TERMS][COLUMNS], xe[TERMS][COLUMNS], ym[TERMS][COLUMNS], ye[TERMS][COLUMNS], m[COLUMNS], e[COLUMNS];
    SumTerm t[TERMS];
    for (uint64_t key = 0; key < 30; key++) {
        double spread = key % 3 == 0 ? 4 : key % 3 == 1 ? 300 : 1e8;
        for (int k = 0; k < TERMS; k++) {
            t[k] =
                (SumTerm){ xm[k], xe[k], ym[k], ye[k], k % 3 == 1, k % 2 * SUM_ALIGN, COLUMNS - k % 4 * SUM_ALIGN / 2 };
            for (int h = 0; h < COLUMNS; h++) {
                bool in = h >= t[k].from && h < t[k].to, zero = !in || draws(key, (uint64_t)(k * COLUMNS + h), 0.3);
                ym[k][h] = zero ? 0 : 1 + 3 * rng_uniform(key + 1, (uint64_t)(k * COLUMNS + h));
                ye[k][h] = zero ? SUM_LEAST : floor(spread * rng_normal(key + 2, (uint64_t)(k * COLUMNS + h)));
                xm[k][h] = 1 + rng_uniform(key + 3, (uint64_t)(k * COLUMNS + h));
                xe[k][h] = floor(spread * rng_normal(key + 4, (uint64_t)(k * COLUMNS + h)));
            }
        }
        const CpuLevel *level;
        for (int l = 0; (level = cpu_level_at(l)); l++) {
            level->sum_products(m, e, t, TERMS, 0, COLUMNS);
            for (int h = 0; h < COLUMNS; h++) {
                double most = -INFINITY, sum = 0; /* of exponents; of products over 2^most */
                for (int k = 0; k < TERMS; k++)
                    if (ym[k][h] > 0) most = fmax(most, xe[k][t[k].one_x ? 0 : h] + ye[k][h]);
                for (int k = 0; k < TERMS; k++) {
                    int x = t[k].one_x ? 0 : h;
                    double below = fmax(-1e4, xe[k][x] + ye[k][h] - most);
                    if (ym[k][h] > 0) sum += ldexp(xm[k][x] * ym[k][h], (int)below);
                }
                assert_true(sum > 0 ? m[h] >= 1 && m[h] < 2 : m[h] == 0 && e[h] == SUM_LEAST);
                if (sum > 0) assert_within(ldexp(m[h], (int)(e[h] - most)), sum, 1e-13 * sum);
            }
        }
    }
}

static void draw_numbers(double *x, int n, uint64_t key)
{
    for (int k = 0; k < n; k++) x[k] = rng_uniform(key, (uint64_t)k);
}

/* Any part of a tile, and either side as it is or transposed. */
TEST(products_of_tiles_agree_on_all_levels)
{
    enum { BLOCKS = 2 };
    static double x[2][BLOCKS * SUM_TILE], z[2][BLOCKS * SUM_TILE], y[BLOCKS * SUM_TILE];
    const CpuLevel *level;
    for (uint64_t key = 0; key < 2; key++) {
        draw_numbers(x[key], BLOCKS * SUM_TILE, key);
        draw_numbers(z[key], BLOCKS * SUM_TILE, key + 2);
    }
    for (uint64_t key = 0; key < 40; key++)
        for (int l = 0; (level = cpu_level_at(l)); l++) {
            int rows = 1 + below(key, 0, SUM_SIDE), columns = 1 + below(key, 1, SUM_SIDE), blocks = 1 + (int)(key & 1);
            SumPair pair[2];
            for (int p = 0; p < 2; p++) {
                bool of_x = draws(key, 2 + (uint64_t)p, 0.5), of_z = draws(key, 4 + (uint64_t)p, 0.5);
                pair[p].x = (SumTile){ x[p], of_x ? 1 : SUM_SIDE, of_x ? SUM_SIDE : 1 };
                pair[p].z = (SumTile){ z[p], of_z ? 1 : SUM_SIDE, of_z ? SUM_SIDE : 1 };
                pair[p].inner = below(key, 6 + (uint64_t)p, SUM_SIDE + 1);
            }
            draw_numbers(y, BLOCKS * SUM_TILE, 9);
            level->sum_tiles(y, pair, 2, rows, columns, blocks);
            for (int at = 0; at < BLOCKS * SUM_TILE; at++) {
                int b = at / SUM_TILE, r = at % SUM_TILE / SUM_ALIGN / SUM_SIDE,
                    c = at % SUM_TILE / SUM_ALIGN % SUM_SIDE;
                double sum = rng_uniform(9, (uint64_t)at);
                for (int p = 0; p < 2 && b < blocks && r < rows && c < columns; p++)
                    for (int k = 0; k < pair[p].inner; k++)
                        sum += pair[p].x.m[b * SUM_TILE + (r * pair[p].x.row + k * pair[p].x.column) * SUM_ALIGN +
                                           at % SUM_ALIGN] *
                               pair[p].z.m[b * SUM_TILE + (k * pair[p].z.row + c * pair[p].z.column) * SUM_ALIGN +
                                           at % SUM_ALIGN];
                assert_within(y[at], sum, 1e-13 * sum);
            }
        }
}

TEST(products_of_rows_agree_on_all_levels)
{
    enum { ROWS = 19, INNER = 5, SIDE = 3 * SUM_ALIGN };
    double x[ROWS * SIDE], y[ROWS * SIDE], z[INNER * SIDE];
    const CpuLevel *level;
    draw_numbers(x, ROWS * SIDE, 1);
    draw_numbers(z, INNER * SIDE, 2);
    for (int l = 0; (level = cpu_level_at(l)); l++)
        for (int rows = 0; rows <= ROWS; rows++)
            for (int turn = 0; turn < 2; turn++) {
                int columns = rows % 4 * SUM_ALIGN, row = turn ? 1 : SIDE, column = turn ? SIDE : 1;
                draw_numbers(y, ROWS * SIDE, 3);
                level->sum_rows(y, x, row, column, z, rows, INNER, columns, SIDE);
                for (int r = 0; r < ROWS; r++)
                    for (int h = 0; h < SIDE; h++) {
                        double sum = rng_uniform(3, (uint64_t)(r * SIDE + h));
                        for (int k = 0; k < INNER && r < rows && h < columns; k++)
                            sum += x[r * row + k * column] * z[k * SIDE + h];
                        assert_within(y[r * SIDE + h], sum, 1e-13 * sum);
                    }
            }
}

TEST(exponentials_agree_on_all_levels)
{
    enum { MOST_REALS = 21 };
    Real x[MOST_REALS];
    double y[MOST_REALS], most;
    const CpuLevel *level;
    for (int l = 0; (level = cpu_level_at(l)); l++)
        for (int n = 0; n <= MOST_REALS; n++) {
            double largest = -INFINITY, sum = 0, all;
            for (int k = 0; k < n; k++) {
                x[k] = k % 5 == 3 ? (Real)-INFINITY : (Real)(200 * rng_normal((uint64_t)n, (uint64_t)k));
                largest = fmax(largest, (double)x[k]);
            }
            all = level->sum_exponentials(y, x, 1.75, n, &most);
            assert_true(most == largest);
            for (int k = 0; k < n; k++) {
                double below = 1.75 * ((double)x[k] - largest), one = below < -700 ? 0 : exp(below);
                assert_within(y[k], one, 1e-15 * one);
                sum += y[k];
            }
            assert_within(all, sum, 1e-14 * sum);
        }
    for (int k = 0; k < MOST_REALS; k++) x[k] = (Real)-INFINITY;
    assert_true(cpu_level()->sum_exponentials(y, x, 1, MOST_REALS, &most) == 0 && most == -INFINITY && y[20] == 0);
}
