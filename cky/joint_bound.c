/* The recurrence of cky/joint.c without heads, over all words at once. With o and plus = max(o, 0) as there, raw of a
 * word 0, and A(i,j) the largest t(h,g) of a word h in the span and a word g outside:
 *   raw(i,j) = max over k of  Dep(i,k) + Any(k,j),  Any(i,k) + Dep(k,j)
 *   Any = raw + plus,   Dep = raw + o + A, of a word raw + plus + A
 * Each t(h,g) is at least what it is in a tree, and no tree has a score above raw(0,n) + o + the largest t(h,0). Every
 * word has one head, so t is taken less the largest of each word first: A is 0 where a word would leave the span for
 * the head that it likes best, and the bound is near the best score where most words can.
 *
 * Outside a span, what the rest of a tree adds to raw, from long spans to short ones:
 *   out(i,j) = max(outAny + plus, outDep + o + A),   outAny = max over r of  out(i,r) + Dep(j,r),  out(r,j) + Dep(r,i)
 * and outDep with Any. A tree that has the span scores at most max(outAny + Any, outDep + Dep).
 *
 * Tables are rows by length, columns are the first word, so that spans of one length are vectors
 * (tensor/cpu/level/max_plus.h); what is beyond the sentence is -INFINITY, on both sides. */
#include <float.h>
#include <math.h>

#include "cky/joint.h"
#include "tensor/cpu/level.h"
#include "tensor/cpu/level/max_plus.h"

typedef struct Bounds {
    int n, width;
    ptrdiff_t stride;                   /* of rows, which have `width` columns before the first word */
    Real *plus, *own, *any, *dep, *out; /* [n + 1, stride]; own is o + A */
    Real *row[2];
    const Real **x, **y;
    Real *arcs; /* [n + 1] sums of the largest t of each word */
    Real rest;  /* of every bound: the last one, and what the root lacks of its own */
    Real sizes; /* no sum of the scores of a tree is larger than this and how far the tree is from the best one */
} Bounds;

static Real *row_of(const Bounds *b, Real *table, int length) { return table + length * b->stride + b->width; }

/* Columns of the spans of a length, in whole vectors. */
static int columns(const Bounds *b, int length)
{
    return (b->n - length + MAX_PLUS_ALIGN) / MAX_PLUS_ALIGN * MAX_PLUS_ALIGN;
}

static bool bounds_new(Bounds *b, int n, Arena *a)
{
    Real **tables[] = { &b->plus, &b->own, &b->any, &b->dep, &b->out, &b->row[0], &b->row[1] };
    b->n = n;
    b->width = (n / MAX_PLUS_ALIGN + 1) * MAX_PLUS_ALIGN;
    b->stride = 2 * b->width + MAX_PLUS_ALIGN;
    b->rest = -INFINITY;
    b->sizes = 0;
    b->x = arena_alloc(a, 2 * (size_t)n, sizeof *b->x);
    b->y = arena_alloc(a, 2 * (size_t)n, sizeof *b->y);
    b->arcs = arena_calloc(a, (size_t)n + 1, sizeof *b->arcs);
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        size_t size = (k < 5 ? (size_t)n + 1 : 1) * (size_t)b->stride;
        Real *table = *tables[k] = arena_alloc(a, size, sizeof *table);
        if (!table || !b->x || !b->y || !b->arcs) return false;
        for (size_t i = 0; i < size; i++) table[i] = -INFINITY;
    }
    return true;
}

static Real larger(Real x, Real y) { return x > y ? x : y; }

/* Sets plus, and own without A. */
static void take_labels(Bounds *b, const JointChart *c)
{
    Real most = 0;
    for (int i = 0; i < b->n; i++)
        for (int j = i + 1; j <= b->n; j++) {
            int label;
            if (joint_state(c->state, b->n, i, j) == SPAN_NONE) continue;
            Real o = joint_own(c, i, j, &label), plus = joint_plus(c, i, j);
            row_of(b, b->plus, j - i)[i] = plus;
            row_of(b, b->own, j - i)[i] = j - i == 1 && b->n > 1 ? plus : o;
            most = larger(most, plus);
        }
    b->sizes += (Real)(4 * b->n) * most;
}

/* Adds A to own, sets rest and arc [n + 1], the largest t of each word. */
static void take_arcs(Bounds *b, const Real *t, Real *arc)
{
    int n = b->n;
    Real root = -INFINITY, *before = b->any, *after = b->dep; /* borrowed: for heads before a span, after it */
    for (int h = 1; h <= n; h++) {
        const Real *of = t + (ptrdiff_t)h * (n + 1);
        Real most = -INFINITY, x = -INFINITY;
        for (int g = 0; g <= n; g++)
            if (g != h) most = larger(most, of[g]);
        arc[h] = most;
        b->arcs[h] = b->arcs[h - 1] + most;
        b->sizes += 2 * larger(most, -most);
        if (!(most > (Real)-INFINITY)) return;
        root = larger(root, of[0] - most);
        for (int i = 0; i < h; i++) row_of(b, before, h - i)[i] = x = i > 0 ? larger(x, of[i] - most) : x;
        x = -INFINITY;
        for (int j = n; j >= h; j--) {
            row_of(b, after, j - h + 1)[h - 1] = x;
            x = larger(x, of[j] - most);
        }
    }
    b->rest = b->arcs[n] + root;
    for (int length = 1; length < n; length++) {
        Real *left = row_of(b, before, length), *right = row_of(b, after, length), *own = row_of(b, b->own, length);
        for (int i = 0; i + length <= n; i++) {
            left[i] = larger(left[i], left[i - b->stride]);
            right[i] = larger(right[i], right[i + 1 - b->stride]);
            own[i] += larger(left[i], right[i]);
        }
    }
}

/* The largest sums of `terms` pairs of rows that begin at x and y. */
static Real *largest(const Bounds *b, int which, int terms, int length)
{
    Real *row = b->row[which] + b->width;
    for (int i = 0; i < columns(b, length); i++) row[i] = -INFINITY;
    cpu_level()->max_plus_pairs(row, b->x, b->y, terms, 0, columns(b, length));
    return row;
}

static void fill_inside(const Bounds *b)
{
    for (int length = 1; length <= b->n; length++) {
        Real *any = row_of(b, b->any, length), *dep = row_of(b, b->dep, length);
        const Real *plus = row_of(b, b->plus, length), *own = row_of(b, b->own, length), *raw;
        for (int k = 1; k < length; k++) {
            b->x[2 * k - 2] = row_of(b, b->dep, k), b->y[2 * k - 2] = row_of(b, b->any, length - k) + k;
            b->x[2 * k - 1] = row_of(b, b->any, k), b->y[2 * k - 1] = row_of(b, b->dep, length - k) + k;
        }
        raw = largest(b, 0, 2 * (length - 1), length);
        for (int i = 0; i + length <= b->n; i++) {
            any[i] = (length > 1 ? raw[i] : 0) + plus[i];
            dep[i] = (length > 1 ? raw[i] : 0) + own[i];
        }
    }
}

/* What the rest of a tree adds to a span as the side of a head, `with` dep, or as a dependent, `with` any. */
static const Real *outside(const Bounds *b, Real *with, int which, int length)
{
    int terms = 0;
    for (int r = 1; length + r <= b->n; r++) {
        b->x[terms] = row_of(b, b->out, length + r), b->y[terms++] = row_of(b, with, r) + length;
        b->x[terms] = row_of(b, b->out, length + r) - r, b->y[terms++] = row_of(b, with, r) - r;
    }
    return largest(b, which, terms, length);
}

bool joint_bound(const JointChart *chart, const Real *t, JointBound *bound, Arena *arena)
{
    Bounds b;
    int n = chart->n;
    bound->of = arena_alloc(arena, (size_t)chart_size(n), sizeof *bound->of);
    bound->out = arena_alloc(arena, (size_t)chart_size(n), sizeof *bound->out);
    bound->arc = arena_calloc(arena, (size_t)n + 1, sizeof *bound->arc);
    if (!bound->of || !bound->out || !bound->arc || !bounds_new(&b, n, arena)) return false;
    take_labels(&b, chart);
    take_arcs(&b, t, bound->arc);
    fill_inside(&b);
    row_of(&b, b.out, n)[0] = row_of(&b, b.own, n)[0];
    bound->most = bound->of[chart_span(n, 0, n)] = row_of(&b, b.dep, n)[0] + b.rest;
    /* Half an epsilon for each addition: 4 n for the score of a tree, 6 n for its bound, 2 n for sums of arcs. */
    bound->unit = 6 * (Real)(n + 1) * (Real)(sizeof(Real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON);
    bound->sizes = b.sizes;
    for (int length = n - 1; length > 0; length--) {
        const Real *as_head = outside(&b, b.dep, 0, length), *as_dependent = outside(&b, b.any, 1, length);
        const Real *any = row_of(&b, b.any, length), *dep = row_of(&b, b.dep, length);
        const Real *plus = row_of(&b, b.plus, length), *own = row_of(&b, b.own, length);
        Real *out = row_of(&b, b.out, length);
        for (int i = 0; i + length <= n; i++) {
            out[i] = larger(as_head[i] + plus[i], as_dependent[i] + own[i]);
            long k = chart_span(n, i, i + length);
            bound->of[k] = larger(as_head[i] + any[i], as_dependent[i] + dep[i]) + b.rest;
            bound->out[k] = out[i] + b.rest - (b.arcs[i + length] - b.arcs[i]);
        }
    }
    return true;
}
