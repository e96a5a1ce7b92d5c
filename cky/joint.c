/* The recurrence, for span (i, j) and head h (a word of the span, 1-based):
 *   raw(i,j,h) = max over k of  Dep(i,k,h) + Any(k,j,h)  if h in (k, j],   Any(i,k,h) + Dep(k,j,h)  if h in (i, k]
 *   Any(i,j,h) = raw + max(o, 0)    One(i,j,h) = raw + o    (o: best allowed label of the span; leaves: raw = 0)
 *   Dep(a,b,g) = max over h' in (a,b] of X(a,b,h') + t(h',g),   X = Any for single words, One for longer spans
 * Only Any and Dep are stored, as rows over heads 0..n padded to whole vectors; Any is -inf outside its span, so the
 * inner loops need no cases. One differs from Any by a constant of the span. Choices are recomputed in the back-trace.
 * A span that must be a phrase has One for Any; a span that must be no node has rows of -inf.
 *
 * Most spans are in no tree that is nearly the best one, which joint_bound.c shows in a fraction of the time. So the
 * recurrence is first tried over the spans of trees that may score little less than the bound of all trees. If the best
 * tree there scores less, the recurrence runs again over the spans of trees that may score as much as that tree; a span
 * is dropped as soon as its raw, now known, says that it is in none. */
#include "cky/joint.h"

#include <math.h>

#include "tensor/cpu/level.h"
#include "tensor/cpu/level/max_plus.h"

enum { LANE = MAX_PLUS_ALIGN };

static int row_width(int n) { return (n + 1 + LANE - 1) / LANE * LANE; }

double joint_decode_bytes(int n)
{
    double w = row_width(n), bounds = 2.0 * (double)chart_size(n) + 5.0 * (n + 2) * (2 * w + LANE);
    return ((2.0 * (double)chart_size(n) + n + 2) * w + bounds) * (double)sizeof(Real) + (double)chart_size(n) +
           128.0 * n;
}

static SpanState state_of(const JointChart *c, int i, int j) { return joint_state(c->state, c->n, i, j); }

/* Label of the head side: words are labelled only if that is better than nothing, longer spans if it is not worse. */
static int any_label(const JointChart *c, int i, int j)
{
    int label;
    Real o = joint_own(c, i, j, &label);
    if (state_of(c, i, j) == SPAN_PHRASE) return label;
    if (j - i == 1) return o > 0 ? label : CHART_EMPTY;
    return o < 0 ? CHART_EMPTY : label;
}

static void fill_any(const JointChart *c, const CpuLevel *level, int i, int j)
{
    Real *a = joint_any(c, i, j);
    int w = c->width;
    for (int h = 0; h < w; h++) a[h] = -INFINITY;
    if (j - i == 1) a[j] = 0;
    int lo = (i + 1) / LANE * LANE, hi = (j / LANE + 1) * LANE; /* whole vectors around i+1 .. j */
    long l = chart_span(c->n, i, i + 1), r = chart_span(c->n, i + 1, j);
    for (int k = i + 1; k < j;) {
        enum { MOST = 64 };
        const Real *left[2 * MOST], *right[2 * MOST];
        int n = 0;
        for (; k < j && n < 2 * MOST; l++, r += c->n - ++k) {
            left[n] = c->dep + l * w, right[n] = c->any + r * w;
            left[n + 1] = c->any + l * w, right[n + 1] = c->dep + r * w;
            n += joint_both(c, l, r) ? 2 : 0;
        }
        level->max_plus_pairs(a, left, right, n, lo, hi);
    }
    Real plus = joint_plus(c, i, j);
    for (int h = lo; h < hi; h++) a[h] += plus;
}

/* No node is over the span. */
static void fill_none(const JointChart *c, int i, int j)
{
    Real *a = joint_any(c, i, j), *d = joint_dep(c, i, j);
    for (int h = 0; h < c->width; h++) a[h] = d[h] = -INFINITY;
}

static void fill_dep(const JointChart *c, const CpuLevel *level, int i, int j)
{
    level->max_plus_rows(joint_dep(c, i, j), joint_any(c, i, j) + i + 1, joint_offset(c, i, j),
                         c->t + (ptrdiff_t)(i + 1) * c->width, j - i, c->width);
}

/* The dependent's head word h' of Dep(i, j, g). */
static int dependent_head(const JointChart *c, int i, int j, int g)
{
    const Real *a = joint_any(c, i, j);
    Real offset = joint_offset(c, i, j), best = -INFINITY;
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
static int best_split(const JointChart *c, int i, int j, int h, bool *head_right)
{
    Real best = -INFINITY;
    int split = i + 1;
    *head_right = h > i + 1;
    for (int k = i + 1; k < j; k++) {
        if (!joint_both(c, chart_span(c->n, i, k), chart_span(c->n, k, j))) continue;
        bool right = h > k;
        Real x = right ? joint_dep(c, i, k)[h] + joint_any(c, k, j)[h] : joint_any(c, i, k)[h] + joint_dep(c, k, j)[h];
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

static void backtrace(const JointChart *c, int root, JointTree *tree, Todo *stack)
{
    int depth = 0;
    stack[depth++] = (Todo){ 0, c->n, root, true };
    tree->heads[root - 1] = 0;
    while (depth > 0) {
        Todo t = stack[--depth];
        bool whole = t.i == 0 && t.j == c->n, leaf = t.j - t.i == 1;
        int label;
        joint_own(c, t.i, t.j, &label);
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

JointTree *joint_tree_new(int n, Arena *out)
{
    JointTree *tree = arena_calloc(out, 1, sizeof *tree);
    if (!tree) return NULL;
    tree->nodes = arena_alloc(out, 2 * (size_t)n, sizeof *tree->nodes);
    tree->heads = arena_alloc(out, (size_t)n, sizeof *tree->heads);
    return tree->nodes && tree->heads ? tree : NULL;
}

bool joint_chart_new(JointChart *chart, const SpanBest *best, const Real *t, const unsigned char *state, int n,
                     Arena *arena)
{
    int w = row_width(n);
    size_t cells = (size_t)chart_size(n) * (size_t)w;
    *chart = (JointChart){ .n = n, .width = w, .s = best, .state = state };
    chart->any = arena_alloc(arena, cells, sizeof *chart->any);
    chart->dep = arena_alloc(arena, cells, sizeof *chart->dep);
    chart->t = arena_alloc(arena, (size_t)(n + 1) * (size_t)w, sizeof *chart->t);
    if (!chart->any || !chart->dep || !chart->t) return false;
    for (int r = 0; r <= n; r++)
        for (int g = 0; g < w; g++) chart->t[(ptrdiff_t)r * w + g] = g <= n ? t[(ptrdiff_t)r * (n + 1) + g] : -INFINITY;
    return true;
}

/* Is the span in no tree that scores least, now that Any is known? raw(i,j,h) lacks the arc of h, which is at most the
 * largest one. */
static bool hopeless(const JointChart *c, int i, int j)
{
    const Real *any = joint_any(c, i, j), *arc = c->bound->arc;
    Real best = -INFINITY;
    for (int h = i + 1; h <= j; h++) best = any[h] + arc[h] > best ? any[h] + arc[h] : best;
    return best - joint_plus(c, i, j) + c->bound->out[chart_span(c->n, i, j)] < c->least;
}

/* Fills it; again when kept has changed, which loses the spans that turn out to be in no tree that scores least. */
static void fill_chart(const JointChart *c)
{
    const CpuLevel *level = cpu_level();
    for (int len = 1; len <= c->n; len++)
        for (int i = 0; i + len <= c->n; i++) {
            if (c->kept && !c->kept[chart_span(c->n, i, i + len)]) continue;
            if (state_of(c, i, i + len) == SPAN_NONE) {
                fill_none(c, i, i + len);
                continue;
            }
            fill_any(c, level, i, i + len);
            if (c->kept && c->least > (Real)-INFINITY && len > 1 && len < c->n && hopeless(c, i, i + len)) {
                c->kept[chart_span(c->n, i, i + len)] = 0;
                continue;
            }
            fill_dep(c, level, i, i + len);
        }
}

/* The root is labelled, also when it is a single word (where Any has raw = 0 plus the label only if positive). */
Real joint_whole(const JointChart *chart, int head)
{
    int label;
    Real o = joint_own(chart, 0, chart->n, &label);
    return joint_any(chart, 0, chart->n)[head] - joint_plus(chart, 0, chart->n) + o;
}

/* The score of the best tree, and its root. */
static Real best_root(const JointChart *c, int *root)
{
    Real best = -INFINITY;
    *root = 1;
    for (int h = 1; h <= c->n; h++) {
        Real x = joint_whole(c, h) + c->t[(ptrdiff_t)h * c->width];
        if (x > best) {
            best = x;
            *root = h;
        }
    }
    return best;
}

/* Chooses the spans of trees that may score as computed. */
static void keep(JointChart *c, Real score)
{
    const JointBound *b = c->bound;
    c->least = score - b->unit * (b->sizes + (score > 0 ? score : -score));
    for (long k = 0; k < chart_size(c->n); k++) c->kept[k] = b->of[k] >= c->least;
}

bool joint_chart_search(JointChart *chart, const Real *t, Real reach, Arena *arena)
{
    const Real slack = (Real)0.6; /* of it depends how many spans are kept, and how often that was too few */
    JointBound *b = arena_calloc(arena, 1, sizeof *b);
    chart->kept = NULL;
    if (reach < (Real)INFINITY) {
        chart->kept = arena_alloc(arena, (size_t)chart_size(chart->n), sizeof *chart->kept);
        if (!b || !chart->kept || !joint_bound(chart, t, b, arena)) return false;
        chart->bound = b;
    }
    Real best = -INFINITY;
    if (chart->kept && b->most > (Real)-INFINITY) {
        keep(chart, b->most - slack - reach);
        chart->least = -INFINITY; /* of what is kept a tree is wanted in any case */
        fill_chart(chart);
        int root;
        best = best_root(chart, &root);
        if (best >= b->most - slack) return true;
    }
    if (best > (Real)-INFINITY) keep(chart, best - reach);
    else chart->kept = NULL;
    fill_chart(chart);
    return true;
}

JointTree *joint_decode_under(const SpanBest *best, const Real *t, const unsigned char *state, int n, Arena *scratch,
                              Arena *out, Error *error)
{
    if (n < 1) {
        error_set(error, ERR_RANGE, "joint_decode: %d words", n);
        return NULL;
    }
    JointChart c;
    JointTree *tree = joint_tree_new(n, out); /* before the mark: both arenas may be the same */
    ArenaMark mark = arena_mark(scratch);
    Todo *stack = arena_alloc(scratch, (size_t)n + 2, sizeof *stack);
    if (tree && stack && joint_chart_new(&c, best, t, state, n, scratch) && joint_chart_search(&c, t, 0, scratch)) {
        int root;
        tree->score = (double)best_root(&c, &root);
        if (tree->score > -INFINITY) backtrace(&c, root, tree, stack);
    } else tree = NULL;
    if (!tree)
        error_set(error, ERR_NOMEM, "out of memory for a chart of %d words (%.0f MiB)", n,
                  joint_decode_bytes(n) / 1048576);
    arena_rewind(scratch, mark);
    return tree;
}
