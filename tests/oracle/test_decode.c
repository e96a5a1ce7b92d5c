/* The chart decoders against enumeration of every tree, and the joint one against the plain
 * O(n^5) recurrence. */
#include "base/rng.h"
#include "cky/decode.h"
#include "tests/support/best.h"
#include "tests/support/check.h"

enum { MOST = 24 };

static Real score(uint64_t key, uint64_t i) { return (Real)rng_normal(key, i); }

typedef struct Charts {
    int n;
    SpanBest best[MOST * (MOST + 1) / 2];
    Real arcs[(MOST + 1) * (MOST + 1)];
} Charts;

static void charts_draw(Charts *c, int n, int n_labels, uint64_t key)
{
    Real labels[16];
    c->n = n;
    for (long k = 0; k < chart_size(n); k++) {
        for (int l = 0; l + 1 < n_labels; l++) labels[l] = score(key, (uint64_t)(k * 16 + l)) - (Real)0.5;
        c->best[k] = span_best(labels, n_labels);
    }
    for (int k = 0; k < (n + 1) * (n + 1); k++) c->arcs[k] = score(key + 1, (uint64_t)k);
}

/* What a node adds: dependents of two words and more must be labelled, the sentence must be, <H> is allowed on neither
 * one word nor the sentence. */
static double node_score(const Charts *c, int i, int j, bool dependent)
{
    const SpanBest *b = &c->best[chart_span(c->n, i, j)];
    if (i == 0 && j == c->n) return (double)b->proper;
    if (j - i == 1) return fmax(0, (double)b->proper);
    return dependent ? (double)b->any : fmax(0, (double)b->any);
}

static double arc(const Charts *c, int dependent, int head) { return (double)c->arcs[dependent * (c->n + 1) + head]; }

/* Every tree over (i, j) whose head word is h, no table: the best score, the node's own included. */
static double enumerate(const Charts *c, int i, int j, int h, bool dependent)
{
    double best = -INFINITY, own = node_score(c, i, j, dependent);
    if (j - i == 1) return own;
    for (int k = i + 1; k < j; k++) {
        bool left = h <= k; /* words are 1-based: (i, k) holds i+1 .. k */
        double head = left ? enumerate(c, i, k, h, false) : enumerate(c, k, j, h, false);
        int from = left ? k : i, to = left ? j : k;
        for (int d = from + 1; d <= to; d++) best = fmax(best, head + enumerate(c, from, to, d, true) + arc(c, d, h));
    }
    return own + best;
}

static double table[MOST + 1][MOST + 1][MOST + 1][2]; /* [i][j][h][dependent] */

static double plain_n5(const Charts *c)
{
    int n = c->n;
    for (int len = 1; len <= n; len++)
        for (int i = 0, j = len; j <= n; i++, j++)
            for (int h = i + 1; h <= j; h++) {
                double best = len == 1 ? 0 : -INFINITY;
                for (int k = i + 1; k < j; k++) {
                    bool left = h <= k;
                    double head = left ? table[i][k][h][0] : table[k][j][h][0];
                    int from = left ? k : i, to = left ? j : k;
                    for (int d = from + 1; d <= to; d++) best = fmax(best, head + table[from][to][d][1] + arc(c, d, h));
                }
                for (int dependent = 0; dependent < 2; dependent++)
                    table[i][j][h][dependent] = best + node_score(c, i, j, dependent);
            }
    double best = -INFINITY;
    for (int h = 1; h <= n; h++) best = fmax(best, table[0][n][h][0] + arc(c, h, 0));
    return best;
}

/* The score of the tree is the sum of its labels and arcs, and every constraint is satisfied. */
static void assert_adds_up(const Charts *c, const JointTree *t)
{
    double sum = 0;
    assert_int_equal(t->n_nodes, 2 * c->n - 1);
    for (int k = 0; k < t->n_nodes; k++) {
        const Span *x = &t->nodes[k];
        const SpanBest *b = &c->best[chart_span(c->n, x->begin, x->end)];
        if (x->label == CHART_EMPTY) continue;
        assert_true(x->label == b->any_label || x->label == b->proper_label);
        sum += (double)(x->label == b->any_label ? b->any : b->proper);
    }
    for (int w = 1; w <= c->n; w++) sum += arc(c, w, t->heads[w - 1]);
    assert_true(fabs(sum - t->score) < 1e-4);
}

static void compare(Charts *c, double want, uint64_t key)
{
    JointTree *t = joint_decode(c->best, c->arcs, c->n, test_arena(), test_arena(), test_error());
    assert_non_null(t);
    if (fabs(t->score - want) > 1e-4 * (1 + fabs(want)))
        fail_msg("n = %d, key %llu: found %.6f, expected %.6f", c->n, (unsigned long long)key, t->score, want);
    assert_adds_up(c, t);
}

TEST(joint_decoding_finds_the_best_of_all_trees)
{
    static Charts c;
    for (int n = 1; n <= 6; n++)
        for (uint64_t key = 0; key < 60; key++) {
            double best = -INFINITY;
            charts_draw(&c, n, key % 3 == 0 ? 3 : 6, 1000 * (uint64_t)n + 7 * key);
            for (int h = 1; h <= n; h++) best = fmax(best, enumerate(&c, 0, n, h, false) + arc(&c, h, 0));
            compare(&c, best, key);
        }
}

TEST(joint_decoding_equals_the_plain_recurrence)
{
    static Charts c;
    for (int n = 7; n <= MOST; n++)
        for (uint64_t key = 0; key < 6; key++) {
            charts_draw(&c, n, 5, 77 * (uint64_t)n + key);
            compare(&c, plain_n5(&c), key);
        }
}

TEST(decoding_repeats_itself_when_scores_are_equal)
{
    static Charts c;
    charts_draw(&c, 9, 4, 1);
    for (long k = 0; k < chart_size(9); k++) c.best[k] = (SpanBest){ 1, 1, 2, 2 };
    for (int k = 0; k < 100; k++) c.arcs[k] = 0;
    JointTree *t = joint_decode(c.best, c.arcs, 9, test_arena(), test_arena(), test_error()),
              *u = joint_decode(c.best, c.arcs, 9, test_arena(), test_arena(), test_error());
    assert_memory_equal(t->heads, u->heads, 9 * sizeof *t->heads);
    assert_memory_equal(t->nodes, u->nodes, 17 * sizeof *t->nodes);
    assert_int_equal(t->nodes[1].end, 1); /* the smallest split */
}

TEST(every_allocation_of_the_decoder_may_fail)
{
    static Charts c;
    charts_draw(&c, 20, 4, 3);
    for (long n = 0; allocation_fails(n); n++) {
        MADE(Arena, arena_init, arena_fini, a, 4096);
        mem_fail_after(n);
        assert_ok_or_no_memory(joint_decode(c.best, c.arcs, 20, &a, &a, test_error()) ? OK : ERR_NOMEM);
    }
}

/* ---- margin */

typedef struct Margin {
    int n, n_labels;
    const Real *scores;
    const GoldTree *gold;
} Margin;

static int gold_label(const GoldTree *g, int i, int j)
{
    for (int k = 0; k < g->n_nodes; k++)
        if (g->nodes[k].begin == i && g->nodes[k].end == j) return g->nodes[k].label;
    return CHART_EMPTY;
}

static double margin_enumerate(const Margin *m, int i, int j)
{
    int gold = gold_label(m->gold, i, j);
    bool root = i == 0 && j == m->n;
    double own = root ? -INFINITY : gold != CHART_EMPTY, best = -INFINITY;
    for (int l = 1; l < m->n_labels; l++)
        own = fmax(own, (double)m->scores[chart_span(m->n, i, j) * (m->n_labels - 1) + l - 1] + (l != gold));
    if (j - i == 1) return own;
    for (int k = i + 1; k < j; k++) best = fmax(best, margin_enumerate(m, i, k) + margin_enumerate(m, k, j));
    return own + best;
}

TEST(margin_decoding_finds_the_worst_offender)
{
    for (uint64_t key = 0; key < 100; key++) {
        int n = 1 + (int)(key % 8), n_labels = 2 + (int)(key % 4), delta;
        Real scores[8 * 9 / 2 * 5];
        Span nodes[3] = { { 0, n, n_labels - 1 }, { 0, n - 1, 1 }, { n - 2, n - 1, 1 } };
        GoldTree gold = { n, n > 2 ? 3 : 1, nodes };
        double augmented, again = 0;
        for (long k = 0; k < chart_size(n) * (n_labels - 1); k++) scores[k] = score(key + 500, (uint64_t)k);
        Span *t = margin_decode(scores, n_labels, &gold, test_arena(), test_arena(), &augmented, &delta, test_error());
        assert_non_null(t);
        Margin m = { n, n_labels, scores, &gold };
        assert_true(fabs(augmented - margin_enumerate(&m, 0, n)) < 1e-4);
        int differ = 0;
        for (int k = 0; k < 2 * n - 1; k++) {
            int l = t[k].label, g = gold_label(&gold, t[k].begin, t[k].end);
            differ += l != g;
            again += (l ? (double)scores[chart_span(n, t[k].begin, t[k].end) * (n_labels - 1) + l - 1] : 0) + (l != g);
        }
        assert_true(fabs(augmented - again) < 1e-4);
        assert_int_equal(delta, differ);
    }
}

/* ---- arcs alone */

/* Do the heads lead to the root from everywhere, by one word? */
static bool is_tree(const int *heads, int n)
{
    int roots = 0;
    for (int d = 1; d <= n; d++) {
        int at = d;
        for (int steps = 0; at && steps <= n; steps++) at = heads[at - 1];
        if (at) return false;
        roots += heads[d - 1] == 0;
    }
    return roots == 1;
}

/* The best sum of all (n + 1)^n choices of heads that are trees. */
static double best_arcs(const Real *t, int n)
{
    int heads[MOST] = { 0 };
    double best = -INFINITY;
    for (int k = 0; k < n;) {
        double sum = 0;
        for (int d = 0; d < n; d++) sum += (double)t[(d + 1) * (n + 1) + heads[d]];
        if (sum > best && is_tree(heads, n)) best = sum;
        for (k = 0; k < n && heads[k] == n; k++) heads[k] = 0;
        if (k < n) heads[k]++;
    }
    return best;
}

static void assert_best_arcs(const Real *t, int n, Arena *a)
{
    int heads[MOST];
    double sum = 0, got = arcs_decode(t, n, a, heads), best = best_arcs(t, n);
    if (best == -INFINITY) {
        assert_true(got == -INFINITY);
        return;
    }
    assert_true(is_tree(heads, n));
    for (int d = 0; d < n; d++) sum += (double)t[(d + 1) * (n + 1) + heads[d]];
    assert_true(got == sum);
    assert_true(fabs(best - sum) < 1e-6);
}

TEST(arcs_alone_equal_enumeration)
{
    Real t[(MOST + 1) * (MOST + 1)];
    for (int n = 1; n <= 7; n++) {
        for (uint64_t try = 0; try < (n < 7 ? 100 : 6); try++) {
            uint64_t key = rng_key(7, (uint64_t)n, try, 0);
            for (int k = 0; k < (n + 1) * (n + 1); k++) {
                t[k] = score(key, (uint64_t)k) * (try % 3 == 0 ? 100 : 1);
                if (try % 3 == 1) t[k] = (Real)round((double)t[k]);                          /* ties */
                if (try % 5 == 1 && score(key + 1, (uint64_t)k) > 0) t[k] = (Real)-INFINITY; /* some must not be */
            }
            for (int d = 1; d <= n && try % 2; d++) t[d * (n + 1)] += 50; /* roots that are good */
            assert_best_arcs(t, n, test_arena());
        }
    }
}

TEST(arcs_alone_of_long_sentences)
{
    enum { N = 306 };
    Real *t = arena_alloc(test_arena(), (size_t)(N + 1) * (N + 1), sizeof *t);
    int *heads = arena_alloc(test_arena(), N, sizeof *heads), *wanted = arena_alloc(test_arena(), N, sizeof *wanted);
    for (uint64_t key = 1; key < 6; key++) {
        for (int k = 0; k < (N + 1) * (N + 1); k++) t[k] = score(key, (uint64_t)k) / 100;
        for (int d = 1; d <= N; d++) { /* a tree whose arcs are better than all others: to earlier words of an order */
            int place = (d * 7) % (N + 1),
                above = place == 1 ? 0 : 1 + (int)(rng_uniform(key, (uint64_t)d) * (place - 1));
            wanted[d - 1] = above ? (above * 44) % (N + 1) : 0; /* 7 * 44 = 1 modulo 307 */
            t[d * (N + 1) + wanted[d - 1]] += 1;
        }
        assert_true(arcs_decode(t, N, test_arena(), heads) > N / 2.0);
        assert_memory_equal(heads, wanted, N * sizeof *heads);
    }
}
