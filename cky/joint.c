/* cky/joint.c
 * The recurrence, for span (i, j) and head h (a word of the span, 1-based):
 *   raw(i,j,h) = max over k of  Dep(i,k,h) + Any(k,j,h)  if h in (k, j],   Any(i,k,h) + Dep(k,j,h)  if h in (i, k]
 *   Any(i,j,h) = raw + max(o, 0)    One(i,j,h) = raw + o    (o: best allowed label of the span; leaves: raw = 0)
 *   Dep(a,b,g) = max over h' in (a,b] of X(a,b,h') + t(h',g),   X = Any for single words, One for longer spans
 * Only Any and Dep are stored, as rows over heads 0..n padded to whole vectors; Any is -inf outside its span, so the
 * inner loops need no cases. One differs from Any by a constant of the span. Choices are recomputed in the back-trace.
 * A span that must be a phrase has One for Any; a span that must be no node has rows of -inf. */
#include <math.h>

#include "cky/decode.h"
#include "tensor/cpu/level.h"
#include "tensor/cpu/level/max_plus.h"

enum { LANE = MAX_PLUS_ALIGN };

typedef struct Chart {
    int n, width; /* width: n + 1 rounded up to LANE */
    const SpanBest *s;
    const unsigned char *state; /* [chart_size] SpanState, or NULL: SPAN_FREE */
    Real *any, *dep, *t;        /* [chart_size, width] twice; [n + 1, width] */
    const CpuLevel *level;
} Chart;

static int row_width(int n) { return (n + 1 + LANE - 1) / LANE * LANE; }

double joint_decode_bytes(int n)
{
    double w = row_width(n);
    return (2.0 * (double)chart_size(n) + n + 2) * w * (double)sizeof(Real) + 64.0 * n;
}

static bool whole_or_word(const Chart *c, int i, int j) { return j - i == 1 || (i == 0 && j == c->n); }

/* Best label allowed on the span, and its score. */
static Real own_score(const Chart *c, int i, int j, int *label)
{
    const SpanBest *b = &c->s[chart_span(c->n, i, j)];
    bool proper = whole_or_word(c, i, j);
    *label = proper ? b->proper_label : b->any_label;
    return proper ? b->proper : b->any;
}

static Real *any_row(const Chart *c, int i, int j) { return c->any + chart_span(c->n, i, j) * c->width; }
static Real *dep_row(const Chart *c, int i, int j) { return c->dep + chart_span(c->n, i, j) * c->width; }

static SpanState state_of(const Chart *c, int i, int j)
{
    return c->state ? (SpanState)c->state[chart_span(c->n, i, j)] : SPAN_FREE;
}

/* What the label of the span adds to Any. */
static Real any_plus(const Chart *c, int i, int j, Real o) { return o > 0 || state_of(c, i, j) == SPAN_PHRASE ? o : 0; }

/* Label of the head side: words are labelled only if that is better than nothing, longer spans if it is not worse. */
static int any_label(const Chart *c, int i, int j)
{
    int label;
    Real o = own_score(c, i, j, &label);
    if (state_of(c, i, j) == SPAN_PHRASE) return label;
    if (j - i == 1) return o > 0 ? label : CHART_EMPTY;
    return o < 0 ? CHART_EMPTY : label;
}

/* Add this to Any to get the score of the span attached as a dependent. */
static Real dependent_offset(const Chart *c, int i, int j)
{
    int label;
    Real o = own_score(c, i, j, &label);
    return j - i == 1 ? 0 : o - any_plus(c, i, j, o);
}

static void fill_any(const Chart *c, int i, int j)
{
    Real *a = any_row(c, i, j);
    int w = c->width, label;
    for (int h = 0; h < w; h++) a[h] = -INFINITY;
    if (j - i == 1) a[j] = 0;
    int lo = (i + 1) / LANE * LANE, hi = (j / LANE + 1) * LANE; /* whole vectors around i+1 .. j */
    for (int k = i + 1; k < j;) {
        enum { MOST = 64 };
        const Real *left[2 * MOST], *right[2 * MOST];
        int n = 0;
        for (; k < j && n < 2 * MOST; k++) {
            left[n] = dep_row(c, i, k), right[n++] = any_row(c, k, j);
            left[n] = any_row(c, i, k), right[n++] = dep_row(c, k, j);
        }
        c->level->max_plus_pairs(a, left, right, n, lo, hi);
    }
    Real plus = any_plus(c, i, j, own_score(c, i, j, &label));
    for (int h = lo; h < hi; h++) a[h] += plus;
}

/* No node is over the span. */
static void fill_none(const Chart *c, int i, int j)
{
    Real *a = any_row(c, i, j), *d = dep_row(c, i, j);
    for (int h = 0; h < c->width; h++) a[h] = d[h] = -INFINITY;
}

static void fill_dep(const Chart *c, int i, int j)
{
    c->level->max_plus_rows(dep_row(c, i, j), any_row(c, i, j) + i + 1, dependent_offset(c, i, j),
                            c->t + (ptrdiff_t)(i + 1) * c->width, j - i, c->width);
}

/* The dependent's head word h' of Dep(i, j, g). */
static int dependent_head(const Chart *c, int i, int j, int g)
{
    const Real *a = any_row(c, i, j);
    Real offset = dependent_offset(c, i, j), best = -INFINITY;
    int head = i + 1;
    for (int h = i + 1; h <= j; h++) {
        Real x = a[h] + offset + c->t[(ptrdiff_t)h * c->width + g];
        if (x > best) {
            best = x;
            head = h;
        }
    }
    return head;
}

/* The split of raw(i, j, h); *head_right: is the head on its right side? */
static int best_split(const Chart *c, int i, int j, int h, bool *head_right)
{
    Real best = -INFINITY;
    int split = i + 1;
    *head_right = h > i + 1;
    for (int k = i + 1; k < j; k++) {
        bool right = h > k;
        Real x = right ? dep_row(c, i, k)[h] + any_row(c, k, j)[h] : any_row(c, i, k)[h] + dep_row(c, k, j)[h];
        if (x > best) {
            best = x;
            split = k;
            *head_right = right;
        }
    }
    return split;
}

typedef struct Todo {
    int i, j, h;
    bool one; /* labelled, as a dependent or the root */
} Todo;

static void backtrace(const Chart *c, int root, JointTree *tree, Todo *stack)
{
    int depth = 0;
    stack[depth++] = (Todo){ 0, c->n, root, true };
    tree->heads[root - 1] = 0;
    while (depth > 0) {
        Todo t = stack[--depth];
        bool whole = t.i == 0 && t.j == c->n, leaf = t.j - t.i == 1;
        int label;
        own_score(c, t.i, t.j, &label);
        if (leaf ? !whole : !t.one) label = any_label(c, t.i, t.j);
        tree->nodes[tree->n_nodes++] = (Span){ t.i, t.j, label };
        if (leaf) continue;
        bool head_right;
        int k = best_split(c, t.i, t.j, t.h, &head_right);
        int di = head_right ? t.i : k, dj = head_right ? k : t.j, d = dependent_head(c, di, dj, t.h);
        tree->heads[d - 1] = t.h;
        Todo dep = { di, dj, d, true }, head = { head_right ? k : t.i, head_right ? t.j : k, t.h, false };
        stack[depth++] = head_right ? head : dep; /* the left one is taken next: pre-order */
        stack[depth++] = head_right ? dep : head;
    }
}

static JointTree *tree_new(int n, Arena *out)
{
    JointTree *tree = arena_calloc(out, 1, sizeof *tree);
    if (!tree) return NULL;
    tree->nodes = arena_alloc(out, 2 * (size_t)n, sizeof *tree->nodes);
    tree->heads = arena_alloc(out, (size_t)n, sizeof *tree->heads);
    return tree->nodes && tree->heads ? tree : NULL;
}

static bool decode(Chart *c, const Real *t, JointTree *tree, Arena *scratch)
{
    int n = c->n, w = c->width;
    size_t cells = (size_t)chart_size(n) * (size_t)w;
    c->any = arena_alloc(scratch, cells, sizeof(Real));
    c->dep = arena_alloc(scratch, cells, sizeof(Real));
    c->t = arena_alloc(scratch, (size_t)(n + 1) * (size_t)w, sizeof(Real));
    Todo *stack = arena_alloc(scratch, (size_t)n + 2, sizeof *stack);
    if (!c->any || !c->dep || !c->t || !stack) return false;
    for (int r = 0; r <= n; r++)
        for (int g = 0; g < w; g++) c->t[(ptrdiff_t)r * w + g] = g <= n ? t[(ptrdiff_t)r * (n + 1) + g] : -INFINITY;
    for (int len = 1; len <= n; len++)
        for (int i = 0; i + len <= n; i++) {
            if (state_of(c, i, i + len) == SPAN_NONE) {
                fill_none(c, i, i + len);
                continue;
            }
            fill_any(c, i, i + len);
            fill_dep(c, i, i + len);
        }
    /* the root is labelled, also when it is a single word (where Any has raw = 0 plus the label only if positive) */
    int label;
    Real o = own_score(c, 0, n, &label), best = -INFINITY;
    int root = 1;
    for (int h = 1; h <= n; h++) {
        Real x = any_row(c, 0, n)[h] - any_plus(c, 0, n, o) + o + c->t[(ptrdiff_t)h * w];
        if (x > best) {
            best = x;
            root = h;
        }
    }
    tree->score = (double)best;
    if (best > (Real)-INFINITY) backtrace(c, root, tree, stack);
    return true;
}

JointTree *joint_decode_under(const SpanBest *s, const Real *t, const unsigned char *state, int n, Arena *scratch,
                              Arena *out, Error *e)
{
    if (n < 1) {
        error_set(e, ERR_RANGE, "joint_decode: %d words", n);
        return NULL;
    }
    Chart c = { .n = n, .width = row_width(n), .s = s, .state = state, .level = cpu_level() };
    JointTree *tree = tree_new(n, out); /* before the mark: both arenas may be the same */
    ArenaMark mark = arena_mark(scratch);
    if (tree && !decode(&c, t, tree, scratch)) tree = NULL;
    if (!tree)
        error_set(e, ERR_NOMEM, "out of memory for a chart of %d words (%.0f MiB)", n, joint_decode_bytes(n) / 1048576);
    arena_rewind(scratch, mark);
    return tree;
}
