/* constraint_relax decodes with counts in place of scores: 1 for each given arc, then for each given span. */
#include "cky/constraint.h"

#include <math.h>
#include <stdlib.h>

/* Longest sentence whose counts and lengths together are exact in float: n (n^2 + n + 1) < 2^24. */
enum { LENGTHS_MOST = 250 };

void constraint_mask_arcs(const Constraint *constraint, Real *t)
{
    int width = constraint->n + 1;
    for (int w = 1; w <= constraint->n && constraint->heads; w++)
        for (int g = 0; g < width && constraint->heads[w - 1] != HEAD_FREE; g++)
            if (g != constraint->heads[w - 1]) t[(ptrdiff_t)w * width + g] = (Real)-INFINITY;
}

/* Every span that crosses (a, b) begins or ends inside it, between a + 1 and b - 1. */
static void close_crossing(const Constraint *c, Span x, unsigned char *state)
{
    for (int k = x.begin + 1; k < x.end; k++) {
        for (int i = 0; i < x.begin; i++) state[chart_span(c->n, i, k)] = SPAN_NONE;
        for (int j = x.end + 1; j <= c->n; j++) state[chart_span(c->n, k, j)] = SPAN_NONE;
    }
}

void constraint_states(const Constraint *constraint, unsigned char *state)
{
    for (long k = 0; k < chart_size(constraint->n); k++) state[k] = SPAN_FREE;
    for (int k = 0; k < constraint->n_spans; k++) close_crossing(constraint, constraint->spans[k], state);
    for (int k = 0; k < constraint->n_spans; k++)
        state[chart_span(constraint->n, constraint->spans[k].begin, constraint->spans[k].end)] = SPAN_PHRASE;
}

/* The weight of something of this length: sums are compared by the number of summands, then by their lengths. */
static Real weight(int n, int length) { return n > LENGTHS_MOST ? 1 : (Real)(n * n + n + 1 - length); }

static void count_arcs(const Constraint *c, Real *t)
{
    int width = c->n + 1;
    for (int w = 1; w <= c->n; w++) {
        int g = c->heads[w - 1];
        if (g != HEAD_FREE) t[(ptrdiff_t)w * width + g] = weight(c->n, abs(w - g));
    }
}

static void free_arcs(Constraint *c, const JointTree *tree)
{
    for (int w = 0; w < c->n; w++)
        if (c->heads[w] != tree->heads[w]) c->heads[w] = HEAD_FREE;
}

static void count_spans(const Constraint *c, SpanBest *s)
{
    for (int k = 0; k < c->n_spans; k++) {
        const Span *x = &c->spans[k];
        SpanBest *b = &s[chart_span(c->n, x->begin, x->end)];
        b->any = b->proper = weight(c->n, x->end - x->begin);
    }
}

/* in_tree [chart_size] and freed [n_spans] are working memory. */
static void free_spans(Constraint *c, const JointTree *tree, unsigned char *in_tree, Span *freed)
{
    int kept = 0, n_freed = 0;
    for (int k = 0; k < tree->n_nodes; k++) in_tree[chart_span(c->n, tree->nodes[k].begin, tree->nodes[k].end)] = 1;
    for (int k = 0; k < c->n_spans; k++) {
        Span x = c->spans[k];
        if (in_tree[chart_span(c->n, x.begin, x.end)]) c->spans[kept++] = x;
        else freed[n_freed++] = x;
    }
    for (int k = 0; k < n_freed; k++) c->spans[kept + k] = freed[k];
    c->n_spans = kept;
}

static bool relax(Constraint *c, Arena *scratch, Error *e)
{
    size_t spans = (size_t)chart_size(c->n), pairs = (size_t)(c->n + 1) * (size_t)(c->n + 1);
    SpanBest *s = arena_alloc(scratch, spans, sizeof *s);
    Real *t = arena_calloc(scratch, pairs, sizeof *t);
    unsigned char *in_tree = arena_calloc(scratch, spans, sizeof *in_tree);
    Span *freed = arena_alloc(scratch, (size_t)c->n_spans, sizeof *freed);
    JointTree *tree = NULL;
    if (!s || !t || !in_tree || !freed) return false;
    for (size_t k = 0; k < spans; k++) s[k] = (SpanBest){ 0, 0, CHART_GROUP + 1, CHART_GROUP + 1 };
    if (c->heads) {
        count_arcs(c, t);
        if (!(tree = joint_decode(s, t, c->n, scratch, scratch, e))) return false;
        free_arcs(c, tree);
    }
    if (c->n_spans == 0) return true;
    for (size_t k = 0; k < pairs; k++) t[k] = 0;
    constraint_mask_arcs(c, t);
    count_spans(c, s);
    if (!(tree = joint_decode(s, t, c->n, scratch, scratch, e))) return false;
    free_spans(c, tree, in_tree, freed);
    return true;
}

Status constraint_relax(Constraint *constraint, Arena *scratch, Error *error)
{
    ArenaMark mark = arena_mark(scratch);
    bool ok = relax(constraint, scratch, error);
    arena_rewind(scratch, mark);
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory for the constraints of %d words", constraint->n);
}

/* ---- why an arc was freed */

static bool on_cycle(const int *given, int n, int w)
{
    int at = given[w - 1];
    for (int step = 0; step < n && at > 0 && at != w; step++) at = given[at - 1];
    return at == w;
}

static bool arcs_cross(int dependent, int head, int other, int other_head)
{
    int a = dependent < head ? dependent : head, b = dependent < head ? head : dependent;
    int c = other < other_head ? other : other_head, d = other < other_head ? other_head : other;
    return (a < c && c < b && b < d) || (c < a && a < d && d < b);
}

ArcFault constraint_fault(const int *given, const int *kept, int n, int word, int *other)
{
    int head = given[word - 1];
    *other = 0;
    if (head == word) return ARC_SELF;
    if (on_cycle(given, n, word)) return ARC_CYCLE;
    for (int v = 1; v <= n; v++) {
        if (kept[v - 1] == HEAD_FREE) continue;
        *other = v;
        if (head == 0 && kept[v - 1] == 0) return ARC_ROOT;
        if (arcs_cross(word, head, v, kept[v - 1])) return ARC_CROSSES;
    }
    *other = 0;
    return ARC_OTHER;
}
