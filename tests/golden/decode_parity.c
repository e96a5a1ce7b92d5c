/* Decode_parity DIR: joint decodes of recorded charts. Trees and heads must be equal, or, where several trees have the
 * best score, ours must be valid and have the recorded score. Last line "N passed, N failed". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cky/decode.h"
#include "tests/support/best.h"
#include "tests/support/fixture.h"
#include "treebank/tree.h"

typedef struct Chart {
    int n, labels;
    Real *s, *t;
} Chart;

static Real label_score(const Chart *c, const Span *x)
{
    return c->s[((ptrdiff_t)x->begin * (c->n + 1) + x->end) * c->labels + x->label];
}

static bool has_labelled(const JointTree *tree, int n, int begin, int end)
{
    for (int k = 0; k < 2 * n - 1; k++)
        if (tree->nodes[k].begin == begin && tree->nodes[k].end == end)
            return end - begin == 1 || tree->nodes[k].label != CHART_EMPTY;
    return false;
}

/* Words head[] governs, itself included: the span below a word must be a labelled node of the tree (or one word). */
static bool valid(const Chart *c, const JointTree *tree)
{
    int word, n = c->n;
    const char *what;
    if (tree->n_nodes != 2 * n - 1 || !tree_heads_valid(tree->heads, n, &word, &what)) return false;
    for (int k = 0; k < 2 * n - 1; k++) {
        const Span *x = &tree->nodes[k];
        bool special = x->end - x->begin == 1 || (x->begin == 0 && x->end == n);
        if (special && x->label == CHART_GROUP) return false;
        if (x->begin == 0 && x->end == n && x->label == CHART_EMPTY) return false;
    }
    for (int w = 1; w <= n; w++) { /* the yield of every word is contiguous and is a node */
        int lo = w, hi = w, count = 0;
        for (int v = 1; v <= n; v++) {
            int a = v;
            while (a && a != w) a = tree->heads[a - 1];
            if (!a) continue;
            count++;
            if (v < lo) lo = v;
            if (v > hi) hi = v;
        }
        if (hi - lo + 1 != count || !has_labelled(tree, n, lo - 1, hi)) return false;
    }
    return true;
}

static double total(const Chart *c, const JointTree *tree)
{
    double sum = 0;
    for (int k = 0; k < tree->n_nodes; k++) sum += (double)label_score(c, &tree->nodes[k]);
    for (int w = 1; w <= c->n; w++) sum += (double)c->t[(ptrdiff_t)w * (c->n + 1) + tree->heads[w - 1]];
    return sum;
}

static bool same_tree(const JointTree *tree, const int32_t *nodes, const int32_t *heads, int n)
{
    bool same = true;
    for (int w = 0; w < n; w++) same = same && heads[w] == tree->heads[w];
    /* labelled nodes only: unlabelled binarisations tie */
    int k = 0;
    for (int q = 0; q < 2 * n - 1; q++) {
        if (nodes[3 * q + 2] == CHART_EMPTY) continue;
        while (k < tree->n_nodes && tree->nodes[k].label == CHART_EMPTY) k++;
        if (k == tree->n_nodes || tree->nodes[k].begin != nodes[3 * q] || tree->nodes[k].end != nodes[3 * q + 1] ||
            tree->nodes[k].label != nodes[3 * q + 2])
            return false;
        k++;
    }
    for (; k < tree->n_nodes; k++) same = same && tree->nodes[k].label == CHART_EMPTY;
    return same;
}

static bool check(const SafeTensors *st, const cJSON *json, const char *name)
{
    (void)json;
    const StTensor *shape = safetensors_find(st, "in/label_scores");
    Chart c = { .s = fixture_reals(st, "in/label_scores", NULL), .t = fixture_reals(st, "in/arc_scores", NULL) };
    FREED(free_pointer)
    int32_t *nodes = fixture_ints(st, "out/nodes", NULL), *heads = fixture_ints(st, "out/heads", NULL);
    FREED(free_pointer) Real *score = fixture_reals(st, "out/score", NULL);
    MADE(Arena, arena_init, arena_fini, a, 1 << 20);
    bool ok = shape && c.s && c.t && nodes && heads && score;
    double diff = NAN;
    const char *kind = "incomplete file";
    if (ok) {
        c.n = (int)shape->dim[0] - 1;
        c.labels = (int)shape->dim[2];
        SpanBest *best = arena_alloc(&a, (size_t)chart_size(c.n), sizeof *best);
        for (int i = 0; i < c.n; i++)
            for (int j = i + 1; j <= c.n; j++)
                best[chart_span(c.n, i, j)] = span_best(c.s + ((ptrdiff_t)i * (c.n + 1) + j) * c.labels + 1, c.labels);
        Error e = { 0 };
        JointTree *tree = joint_decode(best, c.t, c.n, &a, &a, &e);
        ok = tree && valid(&c, tree);
        if (tree) {
            double want = (double)*score, size = fabs(want) > 1 ? fabs(want) : 1;
            diff = fabs(tree->score - want) / size;
            double own = fabs(total(&c, tree) - tree->score) / size;
            bool bare = c.n == 1 && nodes[2] == CHART_EMPTY; /* the reference may leave one word bare; ours labels it */
            bool same = bare || same_tree(tree, nodes, heads, c.n);
            kind = !ok ? "NOT VALID" : same ? "equal" : "another tree of the same score";
            ok = ok && diff <= 1e-4 && own <= 1e-4;
        }
    }
    printf("%-6s %-28s score %.1e  %s\n", ok ? "ok" : "FAILED", name, diff, kind);
    mem_free(c.s);
    mem_free(c.t);
    return ok;
}

int main(int argc, char **argv) { return fixture_check_all(argc, argv, check); }
