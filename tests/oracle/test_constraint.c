/* Decoding under given arcs and spans against every tree of up to 7 words. The trees
 * are written out, and whether one has what is given is read off it, not off a mask. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cky/constraint.h"
#include "tests/support/best.h"
#include "tests/support/check.h"

enum { MOST = 7, SPANS = MOST * (MOST + 1) / 2, N_LABELS = 5 };

/* A binary tree: of each span that is a node, the split and whether its head is on the right side. */
typedef struct Shape {
    int n;
    int split[MOST][MOST + 1];
    bool right[MOST][MOST + 1];
    bool node[SPANS], dependent[SPANS];
    int heads[MOST];
} Shape;

typedef struct Case {
    int n;
    SpanBest best[SPANS];
    Real arcs[(MOST + 1) * (MOST + 1)];
    Constraint c;
    int heads[MOST];
    Span spans[SPANS];
    /* what the search is for */
    double top;
    int labels[SPANS], tree_heads[MOST]; /* of the best tree */
    long most;                           /* the largest weight of given arcs, or of spans, in a tree */
    bool count_spans;
} Case;

static uint64_t below(uint64_t key, uint64_t i, uint64_t n) { return (uint64_t)(rng_uniform(key, i) * (double)n); }

/* Fills in heads and dependents of the nodes below (i, j); returns its head word. */
static int find_heads(Shape *t, int i, int j, bool dependent)
{
    long k = chart_span(t->n, i, j);
    t->node[k] = true;
    t->dependent[k] = dependent;
    if (j - i == 1) return j;
    int split = t->split[i][j];
    bool right = t->right[i][j];
    int a = find_heads(t, i, split, right), b = find_heads(t, split, j, !right);
    t->heads[(right ? a : b) - 1] = right ? b : a;
    return right ? b : a;
}

/* The label of a node and its score; -INFINITY if no label is allowed. */
static double node_label(const Case *x, const Shape *t, int i, int j, bool given, int *label)
{
    long k = chart_span(x->n, i, j);
    const SpanBest *b = &x->best[k];
    bool whole = j - i == x->n, word = j - i == 1;
    Real own = whole || word ? b->proper : b->any;
    *label = whole || word ? b->proper_label : b->any_label;
    bool must = whole || given || (t->dependent[k] && !word);
    if (must || own > 0) return (double)own;
    *label = CHART_EMPTY;
    return 0;
}

static bool has_span(const Case *x, int i, int j)
{
    for (int k = 0; k < x->c.n_spans; k++)
        if (x->c.spans[k].begin == i && x->c.spans[k].end == j) return true;
    return false;
}

static bool has_given(const Case *x, const Shape *t)
{
    for (int w = 0; w < x->n && x->c.heads; w++)
        if (x->c.heads[w] != HEAD_FREE && x->c.heads[w] != t->heads[w]) return false;
    for (int k = 0; k < x->c.n_spans; k++)
        if (!t->node[chart_span(x->n, x->c.spans[k].begin, x->c.spans[k].end)]) return false;
    return true;
}

/* How many of the given arcs (or spans) the tree has, then how short they are. */
static long weight_of(const Case *x, const Shape *t)
{
    long sum = 0, unit = x->n * x->n + x->n + 1;
    for (int w = 0; w < x->n && x->c.heads && !x->count_spans; w++)
        if (x->c.heads[w] == t->heads[w]) sum += unit - labs((long)t->heads[w] - (w + 1));
    for (int k = 0; k < x->c.n_spans && x->count_spans; k++) {
        Span s = x->c.spans[k];
        if (t->node[chart_span(x->n, s.begin, s.end)]) sum += unit - (s.end - s.begin);
    }
    return sum;
}

static void try_tree(Case *x, Shape *t)
{
    double sum = 0;
    int labels[SPANS] = { 0 };
    memset(t->node, 0, sizeof t->node);
    t->heads[find_heads(t, 0, x->n, false) - 1] = 0;
    bool arcs = true; /* of spans, only trees with the arcs count */
    for (int w = 0; w < x->n && x->count_spans && x->c.heads; w++)
        arcs = arcs && (x->c.heads[w] == HEAD_FREE || x->c.heads[w] == t->heads[w]);
    if (arcs && weight_of(x, t) > x->most) x->most = weight_of(x, t);
    if (!has_given(x, t)) return;
    for (int i = 0; i < x->n; i++)
        for (int j = i + 1; j <= x->n; j++)
            if (t->node[chart_span(x->n, i, j)])
                sum += node_label(x, t, i, j, has_span(x, i, j), &labels[chart_span(x->n, i, j)]);
    for (int w = 1; w <= x->n; w++) sum += (double)x->arcs[w * (x->n + 1) + t->heads[w - 1]];
    if (sum <= x->top) return;
    x->top = sum;
    memcpy(x->labels, labels, sizeof labels);
    memcpy(x->tree_heads, t->heads, sizeof t->heads);
}

/* Splits the pending spans in every way. */
static void every_tree(Case *x, Shape *t, Span *pending, int n)
{
    while (n > 0 && pending[n - 1].end - pending[n - 1].begin == 1) n--;
    if (n == 0) {
        try_tree(x, t);
        return;
    }
    Span at = pending[n - 1], kept[MOST + 1];
    memcpy(kept, pending, (size_t)n * sizeof *kept);
    for (int k = at.begin + 1; k < at.end; k++)
        for (int right = 0; right < 2; right++) {
            memcpy(pending, kept, (size_t)n * sizeof *kept);
            t->split[at.begin][at.end] = k;
            t->right[at.begin][at.end] = right;
            pending[n - 1] = (Span){ at.begin, k, 0 };
            pending[n] = (Span){ k, at.end, 0 };
            every_tree(x, t, pending, n + 1);
        }
}

static void search(Case *x, bool count_spans)
{
    Shape t = { .n = x->n };
    Span pending[2 * MOST + 1] = { { 0, x->n, 0 } };
    x->count_spans = count_spans;
    x->top = -INFINITY;
    x->most = 0;
    every_tree(x, &t, pending, 1);
}

static void draw_scores(Case *x, int n, uint64_t key)
{
    Real labels[N_LABELS];
    *x = (Case){ .n = n, .c = { .n = n } };
    for (long k = 0; k < chart_size(n); k++) {
        for (int l = 0; l + 1 < N_LABELS; l++) labels[l] = (Real)rng_normal(key, (uint64_t)(k * 16 + l)) - (Real)0.5;
        x->best[k] = span_best(labels, N_LABELS);
    }
    for (int k = 0; k < (n + 1) * (n + 1); k++) x->arcs[k] = (Real)rng_normal(key + 1, (uint64_t)k);
}

/* Heads of any kind, cycles and words that are their own heads included, each given with this probability. */
static void draw_heads(Case *x, uint64_t key, double given)
{
    x->c.heads = x->heads;
    for (int w = 0; w < x->n; w++)
        x->heads[w] =
            rng_uniform(key, (uint64_t)w) < given ? (int)below(key + 1, (uint64_t)w, (uint64_t)x->n + 1) : HEAD_FREE;
}

/* Distinct spans that may cross. */
static void draw_spans(Case *x, uint64_t key, int n)
{
    x->c.spans = x->spans;
    for (int k = 0; k < n; k++) {
        int i = (int)below(key, 2 * (uint64_t)k, (uint64_t)x->n);
        int j = i + 1 + (int)below(key, 2 * (uint64_t)k + 1, (uint64_t)(x->n - i));
        if (!has_span(x, i, j)) x->spans[x->c.n_spans++] = (Span){ i, j, 0 };
    }
}

static bool cross(const Case *x)
{
    for (int k = 0; k < x->c.n_spans; k++)
        for (int j = 0; j < k; j++)
            if (spans_cross(x->spans[k], x->spans[j])) return true;
    return false;
}

static JointTree *decode(const Case *x, Arena *a)
{
    Real t[(MOST + 1) * (MOST + 1)];
    unsigned char state[SPANS];
    memcpy(t, x->arcs, sizeof t);
    constraint_mask_arcs(&x->c, t);
    constraint_states(&x->c, state);
    JointTree *tree = joint_decode_under(x->best, t, state, x->n, a, a, test_error());
    assert_non_null(tree);
    return tree;
}

static void assert_same(const Case *x, const JointTree *tree, uint64_t key)
{
    int labels[SPANS] = { 0 };
    if (fabs(tree->score - x->top) > 1e-4)
        fail_msg("n = %d, key %llu: found %.6f, expected %.6f", x->n, (unsigned long long)key, tree->score, x->top);
    for (int k = 0; k < tree->n_nodes; k++)
        labels[chart_span(x->n, tree->nodes[k].begin, tree->nodes[k].end)] = tree->nodes[k].label;
    assert_int_equal(tree->n_nodes, 2 * x->n - 1);
    assert_memory_equal(labels, x->labels, sizeof labels);
    assert_memory_equal(tree->heads, x->tree_heads, (size_t)x->n * sizeof *tree->heads);
}

/* What is drawn in case `key`: arcs, spans or both, few or many. */
static void draw(Case *x, int n, uint64_t key)
{
    static const double share[] = { 0.2, 0.5, 1 };
    draw_scores(x, n, 7000 + 31 * key);
    if (key % 3 != 1) draw_heads(x, 500 + 2 * key, share[key / 3 % 3]);
    if (key % 3 != 0) draw_spans(x, 900 + key, 1 + (int)(key / 9 % 4));
}

TEST(decoding_under_constraints_finds_the_best_tree_that_has_them)
{
    static Case x;
    int found = 0, impossible = 0;
    for (int n = 1; n <= MOST; n++)
        for (uint64_t key = 0; key < 180; key++) {
            draw(&x, n, key);
            if (cross(&x)) continue; /* constraint_states expects that they nest */
            search(&x, false);
            JointTree *tree = decode(&x, test_arena());
            if (x.top > -INFINITY) assert_same(&x, tree, key);
            else assert_true(tree->score == -INFINITY && tree->n_nodes == 0);
            found += x.top > -INFINITY;
            impossible += x.top == -INFINITY;
        }
    assert_true(found > 100 && impossible > 100);
}

/* Every arc or span that stays was given. */
static int kept_arcs(const Case *x, const int *given, long *weight)
{
    int kept = 0;
    for (int w = 0; w < x->n && x->c.heads; w++) {
        if (x->c.heads[w] == HEAD_FREE) continue;
        assert_int_equal(x->c.heads[w], given[w]);
        *weight += x->n * x->n + x->n + 1 - labs((long)given[w] - (w + 1));
        kept++;
    }
    return kept;
}

TEST(as_few_arcs_and_spans_as_possible_are_freed)
{
    static Case x, before;
    for (int n = 1; n <= MOST; n++)
        for (uint64_t key = 0; key < 90; key++) {
            draw(&x, n, key);
            before = x;
            long arcs = 0, spans = 0;
            if (x.c.heads) search(&x, false);
            long most_arcs = x.most;
            assert_ok(constraint_relax(&x.c, test_arena(), test_error()));
            kept_arcs(&x, before.heads, &arcs);
            assert_int_equal(arcs, most_arcs);
            int kept = x.c.n_spans;
            for (int k = 0; k < kept; k++) spans += n * n + n + 1 - (x.spans[k].end - x.spans[k].begin);
            x.c.n_spans = before.c.n_spans; /* all of them, in another order */
            search(&x, true);
            assert_int_equal(spans, x.most);
            x.c.n_spans = kept;
            search(&x, false);
            assert_true(x.top > -INFINITY);
            assert_same(&x, decode(&x, test_arena()), key);
        }
}

TEST(a_given_parse_is_found_again)
{
    static Case x;
    for (uint64_t key = 0; key < 60; key++) {
        int n = 1 + (int)(key % MOST);
        draw_scores(&x, n, 40 + key);
        JointTree *plain = joint_decode(x.best, x.arcs, n, test_arena(), test_arena(), test_error());
        x.c.heads = x.heads;
        x.c.spans = x.spans;
        memcpy(x.heads, plain->heads, (size_t)n * sizeof *x.heads);
        for (int k = 0; k < plain->n_nodes && key % 2; k++)
            if (plain->nodes[k].label != CHART_EMPTY) x.spans[x.c.n_spans++] = plain->nodes[k];
        JointTree *tree = decode(&x, test_arena());
        assert_int_equal(tree->n_nodes, plain->n_nodes);
        assert_memory_equal(tree->nodes, plain->nodes, (size_t)plain->n_nodes * sizeof *plain->nodes);
        assert_memory_equal(tree->heads, plain->heads, (size_t)n * sizeof *plain->heads);
        assert_int_equal(constraint_relax(&x.c, test_arena(), test_error()), OK); /* frees nothing */
        assert_memory_equal(x.heads, plain->heads, (size_t)n * sizeof *plain->heads);
    }
}

TEST(the_fault_of_an_arc_is_named)
{
    static const struct {
        int n, given[5], freed, other;
        ArcFault fault;
    } cases[] = {
        { 3, { 2, 0, 3 }, 3, 0, ARC_SELF },
        { 3, { 2, 1, 0 }, 1, 0, ARC_CYCLE },         /* the arc to word 3 would be the root's */
        { 3, { 0, 1, 0 }, 3, 1, ARC_ROOT },          /* the root at the smaller position stays */
        { 4, { 3, 0, 2, 2 }, 1, 2, ARC_CROSSES },    /* an arc over the root */
        { 5, { 2, 0, 5, 2, 2 }, 4, 3, ARC_CROSSES }, /* 3 <- 5 and 2 -> 4 are of the same length: positions decide */
        { 3, { 3, HEAD_FREE, 2 }, 1, 0, ARC_OTHER }, /* the root would be below an arc that needs it */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int heads[5], other;
        memcpy(heads, cases[k].given, sizeof heads);
        Constraint c = { .n = cases[k].n, .heads = heads };
        assert_ok(constraint_relax(&c, test_arena(), test_error()));
        for (int w = 1; w <= c.n; w++)
            if ((heads[w - 1] != cases[k].given[w - 1]) != (w == cases[k].freed))
                fail_msg("case %zu: word %d is %s", k, w, heads[w - 1] == HEAD_FREE ? "freed" : "kept");
        assert_int_equal(constraint_fault(cases[k].given, heads, c.n, cases[k].freed, &other), cases[k].fault);
        assert_int_equal(other, cases[k].other);
    }
}

TEST(every_allocation_of_relaxing_may_fail)
{
    for (long n = 0; allocation_fails(n); n++) {
        int heads[20];
        Span spans[] = { { 0, 5, 0 }, { 3, 9, 0 } };
        Constraint c = { .n = 20, .heads = heads, .spans = spans, .n_spans = 2 };
        for (int w = 0; w < 20; w++) heads[w] = 20 - w;
        MADE(Arena, arena_init, arena_fini, a, 4096);
        mem_fail_after(n);
        assert_ok_or_no_memory(constraint_relax(&c, &a, test_error()));
    }
}
