/* The training decoder. */
#include <math.h>

#include "cky/decode.h"

/* Best label of every span with its augmented score. The root excludes the empty label. */
static void best_labels(const Real *scores, int n_labels, const GoldTree *g, Real *best, int *label, const int *gold)
{
    long spans = chart_size(g->n_words), root = chart_span(g->n_words, 0, g->n_words);
    for (long s = 0; s < spans; s++) {
        const Real *x = scores + s * (n_labels - 1);
        int gl = gold[s], arg = CHART_EMPTY;
        Real b = s == root ? -INFINITY : gl == CHART_EMPTY ? 0 : 1;
        for (int l = 1; l < n_labels; l++) {
            Real v = x[l - 1] + (l == gl ? 0 : 1);
            if (v > b) {
                b = v;
                arg = l;
            }
        }
        best[s] = b;
        label[s] = arg;
    }
}

/* left[(i, k)] is stored by i and right[(k, j)] by j, so that the loop over k reads consecutive memory. */
static void fill(int n, const Real *best, Real *left, Real *right, int *split)
{
    for (int len = 1; len <= n; len++)
        for (int i = 0; i + len <= n; i++) {
            int j = i + len, arg = i + 1;
            Real v = best[chart_span(n, i, j)];
            const Real *l = left + (ptrdiff_t)i * (n + 1), *r = right + (ptrdiff_t)j * (n + 1);
            if (len > 1) {
                Real m = -INFINITY;
                for (int k = i + 1; k < j; k++) {
                    Real x = l[k] + r[k];
                    if (x > m) {
                        m = x;
                        arg = k;
                    }
                }
                v += m;
            }
            left[(ptrdiff_t)i * (n + 1) + j] = right[(ptrdiff_t)j * (n + 1) + i] = v;
            split[chart_span(n, i, j)] = arg;
        }
}

static bool decode(const Real *scores, int n_labels, const GoldTree *g, Arena *scratch, Span *nodes, double *augmented,
                   int *delta)
{
    int n = g->n_words;
    size_t spans = (size_t)chart_size(n), square = (size_t)(n + 1) * (size_t)(n + 1);
    Real *best = arena_alloc(scratch, spans, sizeof *best), *left = arena_alloc(scratch, square, sizeof *left);
    Real *right = arena_alloc(scratch, square, sizeof *right);
    int *label = arena_alloc(scratch, spans, sizeof *label), *split = arena_alloc(scratch, spans, sizeof *split);
    int *gold = arena_calloc(scratch, spans, sizeof *gold),
        *stack = arena_alloc(scratch, 2 * (size_t)n + 4, sizeof *stack);
    if (!best || !left || !right || !label || !split || !gold || !stack) return false;
    for (int k = 0; k < g->n_nodes; k++) gold[chart_span(n, g->nodes[k].begin, g->nodes[k].end)] = g->nodes[k].label;
    best_labels(scores, n_labels, g, best, label, gold);
    fill(n, best, left, right, split);
    *augmented = (double)left[n];
    *delta = 0;
    int depth = 0, count = 0;
    stack[depth++] = 0;
    stack[depth++] = n;
    while (depth > 0) {
        int j = stack[--depth], i = stack[--depth];
        long s = chart_span(n, i, j);
        nodes[count++] = (Span){ i, j, label[s] };
        if (label[s] != gold[s]) ++*delta;
        if (j - i == 1) continue;
        stack[depth++] = split[s];
        stack[depth++] = j;
        stack[depth++] = i;
        stack[depth++] = split[s];
    }
    return true;
}

Span *margin_decode(const Real *scores, int n_labels, const GoldTree *gold, Arena *scratch, Arena *out,
                    double *augmented, int *delta, Error *error)
{
    Span *nodes =
        arena_alloc(out, 2 * (size_t)gold->n_words, sizeof *nodes); /* before the mark: both arenas may be the same */
    ArenaMark mark = arena_mark(scratch);
    if (nodes && !decode(scores, n_labels, gold, scratch, nodes, augmented, delta)) nodes = NULL;
    if (!nodes) error_set(error, ERR_NOMEM, "out of memory for a training chart of %d words", gold->n_words);
    arena_rewind(scratch, mark);
    return nodes;
}
