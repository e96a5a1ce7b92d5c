/* cky/joint_marginals.c
 * With head(i,j) and dependent(i,j) the sums of exp(score) over what a span may be as the side of the head (not a
 * phrase: 1; <H>; labels) and as a dependent or the whole sentence, and T(d,g) = exp(score of the arc from g to d):
 *   raw(i,j,h) = sum over k of  Dep(i,k,h) Any(k,j,h)  [h > k]  +  Any(i,k,h) Dep(k,j,h)  [h <= k];  a word: 1
 *   Any = raw head,   Dep(i,j,g) = dependent sum over h' of raw(i,j,h') T(h',g),   Z = Dep(0,n,0)
 * Adjoints x' = dZ/dx, from long spans to short ones, gather what reverse mode would scatter:
 *   Any'(i,j,h) = sum over j' > j of raw'(i,j',h) Dep(j,j',h)  +  sum over i' < i of raw'(i',j,h) Dep(i',i,h)
 *   Dep'(i,j,g) = the same with Any(j,j',g), where g in (j,j'], and Any(i',i,g), where g in (i',i]
 *   X'(h) = sum over g of Dep'(i,j,g) T(h,g),   raw' = head Any' + dependent X'
 * Numbers are m 2^e with m in [1, 4), so that the heads of a span may have values as different as exp(-1e5) and
 * exp(1e5): a given arc may lead to the worst of them. Rows are 0 outside what they are about, so that sums of their
 * products need no cases (tensor/cpu/level/sum_product.h). */
#include "cky/joint_marginals.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tensor/cpu/level.h"
#include "tensor/cpu/level/sum_product.h"

#define NEGLIGIBLE (-60) /* logarithm of what no sum in double notices */

typedef struct Number {
    double m, e;
} Number;

/* The same of a row or a table. */
typedef struct Scaled {
    double *m, *e;
} Scaled;

typedef struct Chart {
    const JointScores *s;
    int n, width;            /* n + 1 rounded up to SUM_ALIGN */
    Scaled any, dep;         /* [chart_size, width] */
    Scaled out_raw, out_dep; /* adjoints */
    Scaled arc, arc_by_head; /* [width, width] T(d, g), rows are d; rows are g */
    Number *head, *ratio;    /* [chart_size] head; dependent / head */
    double *labelled;        /* [chart_size] share of the labels, <H> included, in head */
    Scaled out_any, out_x;   /* [width] of one span */
    SumTerm *term;           /* [2 n + 2] */
    const CpuLevel *level;
} Chart;

/* ---- numbers with exponents */

/* 2^e, e whole, at most 1023; e below -1022 counts as that. */
static inline double power(double e)
{
    double shifted = (e > -1022 ? e : -1022) + (0x1p52 + 1023);
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits <<= 52;
    memcpy(&e, &bits, sizeof e);
    return e;
}

static Number number_of_log(double x)
{
    if (!(x > -INFINITY)) return (Number){ 0, SUM_LEAST };
    double e = floor(x * M_LOG2E);
    return (Number){ exp(x - e * M_LN2), e };
}

static double number_log(Number x) { return x.m > 0 ? log(x.m) + x.e * M_LN2 : -INFINITY; }

static Number number_at(Scaled s, ptrdiff_t k) { return (Number){ s.m[k], s.e[k] }; }
static Scaled scaled_at(Scaled s, ptrdiff_t k) { return (Scaled){ s.m + k, s.e + k }; }

static void scaled_set(Scaled s, ptrdiff_t k, Number x)
{
    s.m[k] = x.m;
    s.e[k] = x.e;
}

/* x y at columns from .. to - 1 */
static SumTerm rows_term(Scaled x, Scaled y, int from, int to)
{
    return (SumTerm){ x.m, x.e, y.m, y.e, false, from, to };
}

static SumTerm scalar_term(Scaled x, Scaled y, int from, int to)
{
    return (SumTerm){ x.m, x.e, y.m, y.e, true, from, to };
}

static void clear(Scaled row, int from, int to)
{
    for (int h = from; h < to; h++) scaled_set(row, h, (Number){ 0, SUM_LEAST });
}

/* Sets columns from .. to - 1 of a row to the sum of n terms, and the others to 0. */
static void sum_terms(const Chart *c, int n, Scaled row, int from, int to)
{
    int first = from / SUM_ALIGN * SUM_ALIGN, last = (to + SUM_ALIGN - 1) / SUM_ALIGN * SUM_ALIGN;
    c->level->sum_products(row.m, row.e, c->term, n, first, last);
    clear(row, 0, from);
    clear(row, to, c->width);
}

static void scale_row(Scaled row, int width, Number by)
{
    for (int h = 0; h < width; h++) {
        row.m[h] *= by.m;
        row.e[h] = row.m[h] > 0 ? row.e[h] + by.e : SUM_LEAST;
    }
}

/* ---- labels */

/* Sets share [n_labels - 1], if it is not NULL, to what each label is of the sum over labels; returns the logarithm of
 * that sum. */
static double label_shares(const JointScores *s, int i, int j, double *share)
{
    int labels = s->n_labels - 1, first = joint_first_label(s->n, i, j) - 1;
    const Real *x = s->labels + chart_span(s->n, i, j) * labels;
    double most = -INFINITY, sum = 0;
    for (int l = first; l < labels; l++) most = (double)x[l] > most ? (double)x[l] : most;
    for (int l = 0; l < labels && share; l++) share[l] = 0;
    if (!(most > -INFINITY)) return most;
    for (int l = first; l < labels; l++) {
        double below = s->span_weight * ((double)x[l] - most), weight = below > NEGLIGIBLE ? exp(below) : 0;
        if (share) share[l] = weight;
        sum += weight;
    }
    for (int l = 0; l < labels && share; l++) share[l] /= sum;
    return s->span_weight * most + log(sum);
}

/* log(exp(x) + 1) */
static double log_with_empty(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }

static void weigh_span(const Chart *c, int i, int j, double *share)
{
    const JointScores *s = c->s;
    long k = chart_span(c->n, i, j);
    double labels = label_shares(s, i, j, share), head = labels;
    if (joint_may_be_empty(s->state, c->n, i, j, false)) head = log_with_empty(labels);
    double dependent = joint_may_be_empty(s->state, c->n, i, j, true) ? head : labels;
    if (joint_state(s->state, c->n, i, j) == SPAN_NONE) head = -INFINITY;
    c->head[k] = number_of_log(head);
    c->ratio[k] = number_of_log(head > -INFINITY ? dependent - head : -INFINITY);
    c->labelled[k] = head > -INFINITY ? exp(labels - head) : 0;
}

/* ---- inside */

static Scaled row_at(const Chart *c, Scaled table, int i, int j)
{
    return scaled_at(table, chart_span(c->n, i, j) * c->width);
}

static void fill_any(const Chart *c, int i, int j)
{
    Scaled any = row_at(c, c->any, i, j);
    Number head = c->head[chart_span(c->n, i, j)];
    int terms = 0;
    if (j - i == 1 || head.m <= 0) {
        clear(any, 0, c->width);
        if (j - i == 1) scaled_set(any, j, head);
        return;
    }
    for (int k = i + 1; k < j; k++) {
        c->term[terms++] = rows_term(row_at(c, c->dep, i, k), row_at(c, c->any, k, j), k + 1, j + 1);
        c->term[terms++] = rows_term(row_at(c, c->any, i, k), row_at(c, c->dep, k, j), i + 1, k + 1);
    }
    sum_terms(c, terms, any, i + 1, j + 1);
    scale_row(any, c->width, head);
}

/* The whole sentence has a Dep of the root alone. */
static void fill_dep(const Chart *c, int i, int j)
{
    Scaled any = row_at(c, c->any, i, j), dep = row_at(c, c->dep, i, j);
    int terms = 0, first = j - i == c->n ? 0 : 1;
    for (int h = i + 1; h <= j; h++)
        if (any.m[h] > 0)
            c->term[terms++] =
                scalar_term(scaled_at(any, h), scaled_at(c->arc, (ptrdiff_t)h * c->width), first, c->n + 1);
    sum_terms(c, terms, dep, first, c->n + 1);
    clear(dep, i + 1, j + 1);
    scale_row(dep, c->width, c->ratio[chart_span(c->n, i, j)]);
}

static Number fill_inside(const Chart *c, double *share)
{
    int labels = c->s->n_labels - 1;
    for (int len = 1; len <= c->n; len++)
        for (int i = 0, j = len; j <= c->n; i++, j++) {
            weigh_span(c, i, j, share ? share + chart_span(c->n, i, j) * labels : NULL);
            fill_any(c, i, j);
            fill_dep(c, i, j);
        }
    return number_at(row_at(c, c->dep, 0, c->n), 0);
}

/* ---- outside */

static void gather_any(const Chart *c, int i, int j)
{
    int terms = 0;
    for (int k = j + 1; k <= c->n; k++)
        c->term[terms++] = rows_term(row_at(c, c->out_raw, i, k), row_at(c, c->dep, j, k), i + 1, j + 1);
    for (int k = 0; k < i; k++)
        c->term[terms++] = rows_term(row_at(c, c->out_raw, k, j), row_at(c, c->dep, k, i), i + 1, j + 1);
    sum_terms(c, terms, c->out_any, i + 1, j + 1);
}

static void gather_dep(const Chart *c, int i, int j)
{
    Scaled out = row_at(c, c->out_dep, i, j);
    int terms = 0;
    for (int k = j + 1; k <= c->n; k++)
        c->term[terms++] = rows_term(row_at(c, c->out_raw, i, k), row_at(c, c->any, j, k), j + 1, k + 1);
    for (int k = 0; k < i; k++)
        c->term[terms++] = rows_term(row_at(c, c->out_raw, k, j), row_at(c, c->any, k, i), k + 1, i + 1);
    sum_terms(c, terms, out, 1, c->n + 1);
    if (j - i == c->n) scaled_set(out, 0, (Number){ 1, 0 });
}

/* X', and raw' = head (Any' + ratio X'). */
static void gather_raw(const Chart *c, int i, int j)
{
    Scaled dep = row_at(c, c->out_dep, i, j), raw = row_at(c, c->out_raw, i, j);
    Number *ratio = &c->ratio[chart_span(c->n, i, j)];
    double one = 1, zero = 0;
    int terms = 0;
    for (int g = 0; g <= c->n; g++)
        if (dep.m[g] > 0)
            c->term[terms++] =
                scalar_term(scaled_at(dep, g), scaled_at(c->arc_by_head, (ptrdiff_t)g * c->width), i + 1, j + 1);
    sum_terms(c, terms, c->out_x, i + 1, j + 1);
    c->term[0] = scalar_term((Scaled){ &one, &zero }, c->out_any, i + 1, j + 1);
    c->term[1] = scalar_term((Scaled){ &ratio->m, &ratio->e }, c->out_x, i + 1, j + 1);
    sum_terms(c, 2, raw, i + 1, j + 1);
    scale_row(raw, c->width, c->head[chart_span(c->n, i, j)]);
}

static Number product(Number a, Number b) { return (Number){ a.m * b.m, a.e + b.e }; }

/* Adds the probabilities of the arcs of the span as a dependent; returns that it is one. z: 1 / Z. */
static double add_arcs(const Chart *c, int i, int j, Number z, double *arc)
{
    Scaled any = row_at(c, c->any, i, j), dep = row_at(c, c->out_dep, i, j);
    Number by = product(c->ratio[chart_span(c->n, i, j)], z);
    double sum = 0;
    for (int h = i + 1; h <= j; h++) {
        Number one = product(number_at(any, h), by), p = product(one, number_at(c->out_x, h));
        double probability = p.m * power(p.e);
        sum += probability;
        if (probability < exp(NEGLIGIBLE)) continue;
        Scaled t = scaled_at(c->arc, (ptrdiff_t)h * c->width);
        double *to = arc + (ptrdiff_t)h * (c->n + 1);
        for (int g = 0; g <= i; g++) to[g] += one.m * t.m[g] * dep.m[g] * power(one.e + t.e[g] + dep.e[g]);
        for (int g = j + 1; g <= c->n; g++) to[g] += one.m * t.m[g] * dep.m[g] * power(one.e + t.e[g] + dep.e[g]);
    }
    return sum;
}

/* The probability that the span is a node and the side of the head. */
static double head_probability(const Chart *c, int i, int j, Number z)
{
    Scaled any = row_at(c, c->any, i, j);
    double sum = 0;
    for (int h = i + 1; h <= j; h++) {
        Number p = product(product(number_at(any, h), number_at(c->out_any, h)), z);
        sum += p.m * power(p.e);
    }
    return sum;
}

/* Turns shares of labels into probabilities. */
static void add_span(const Chart *c, int i, int j, Number z, JointMarginals *m)
{
    long k = chart_span(c->n, i, j);
    int labels = c->s->n_labels - 1;
    double dependent = add_arcs(c, i, j, z, m->arc), head = head_probability(c, i, j, z);
    bool may_be_empty = joint_may_be_empty(c->s->state, c->n, i, j, true);
    double labelled = head * c->labelled[k] + dependent * (may_be_empty ? c->labelled[k] : 1);
    m->node[k] = head + dependent;
    for (int l = 0; l < labels; l++) m->label[k * labels + l] *= labelled;
}

static void fill_outside(const Chart *c, Number z, JointMarginals *m)
{
    Number inverse = { 1 / z.m, -z.e };
    for (int len = c->n; len >= 1; len--)
        for (int i = 0, j = len; j <= c->n; i++, j++) {
            gather_any(c, i, j);
            gather_dep(c, i, j);
            gather_raw(c, i, j);
            add_span(c, i, j, inverse, m);
        }
}

/* ---- both */

static Scaled scaled_new(Arena *a, size_t n)
{
    return (Scaled){ arena_alloc(a, n, sizeof(double)), arena_alloc(a, n, sizeof(double)) };
}

static bool has_memory(Scaled s) { return s.m && s.e; }

double joint_marginals_bytes(int n)
{
    double width = n + SUM_ALIGN, spans = (double)chart_size(n);
    return 64 * spans * width + 32 * width * width + 40 * spans + 200 * width;
}

static bool chart_new(Chart *c, const JointScores *s, bool outside, Arena *a)
{
    int padded = (s->n + SUM_ALIGN) / SUM_ALIGN * SUM_ALIGN;
    size_t width = (size_t)padded, spans = (size_t)chart_size(s->n), cells = spans * width;
    *c = (Chart){ .s = s, .n = s->n, .width = padded, .level = cpu_level() };
    c->any = scaled_new(a, cells);
    c->dep = scaled_new(a, cells);
    c->arc = scaled_new(a, width * width);
    c->head = arena_alloc(a, spans, sizeof *c->head);
    c->ratio = arena_alloc(a, spans, sizeof *c->ratio);
    c->labelled = arena_alloc(a, spans, sizeof *c->labelled);
    c->term = arena_alloc(a, 2 * width, sizeof *c->term);
    if (!has_memory(c->any) || !has_memory(c->dep) || !has_memory(c->arc) || !c->head || !c->ratio || !c->labelled ||
        !c->term)
        return false;
    for (int d = 0; d <= c->n; d++)
        for (int g = 0; g < c->width; g++) {
            double x = g <= c->n ? (double)s->arcs[d * (c->n + 1) + g] : -INFINITY;
            scaled_set(c->arc, (ptrdiff_t)d * c->width + g, number_of_log(s->arc_weight * x));
        }
    if (!outside) return true;
    c->out_raw = scaled_new(a, cells);
    c->out_dep = scaled_new(a, cells);
    c->arc_by_head = scaled_new(a, width * width);
    c->out_any = scaled_new(a, width);
    c->out_x = scaled_new(a, width);
    if (!has_memory(c->out_raw) || !has_memory(c->out_dep) || !has_memory(c->arc_by_head) || !has_memory(c->out_any) ||
        !has_memory(c->out_x))
        return false;
    for (int g = 0; g <= c->n; g++)
        for (int d = 0; d < c->width; d++)
            scaled_set(c->arc_by_head, (ptrdiff_t)g * c->width + d,
                       d <= c->n ? number_at(c->arc, (ptrdiff_t)d * c->width + g) : (Number){ 0, SUM_LEAST });
    return true;
}

/* Not NaN, not +INFINITY. */
static bool in_range(const Real *x, size_t n, double weight)
{
    bool good = true;
    for (size_t k = 0; k < n; k++) {
        double y = weight * (double)x[k];
        good &= y <= JOINT_SCORE_MOST && (y >= -JOINT_SCORE_MOST || y == -INFINITY);
    }
    return good;
}

static Status check_scores(const JointScores *s, Error *e)
{
    size_t labels = (size_t)chart_size(s->n) * (size_t)(s->n_labels - 1), width = (size_t)s->n + 1;
    if (in_range(s->labels, labels, s->span_weight) && in_range(s->arcs + width, width * (width - 1), s->arc_weight))
        return OK;
    return error_set(e, ERR_RANGE, "probabilities of trees: scores are above %g", JOINT_SCORE_MOST);
}

static Status no_memory(int n, Error *e)
{
    return error_set(e, ERR_NOMEM, "out of memory for the probabilities of trees of %d words (%.0f MiB)", n,
                     joint_marginals_bytes(n) / 1048576);
}

static bool marginals_new(const JointScores *s, Arena *out, JointMarginals *m)
{
    size_t spans = (size_t)chart_size(s->n), width = (size_t)s->n + 1;
    *m = (JointMarginals){ -INFINITY, arena_calloc(out, width * width, sizeof(double)),
                           arena_calloc(out, spans, sizeof(double)),
                           arena_alloc(out, spans * (size_t)(s->n_labels - 1), sizeof(double)) };
    return m->arc && m->node && m->label;
}

Status joint_marginals(const JointScores *s, Arena *scratch, Arena *out, JointMarginals *m, Error *e)
{
    if (check_scores(s, e) != OK) return e->code;
    if (!marginals_new(s, out, m)) return no_memory(s->n, e);
    ArenaMark mark = arena_mark(scratch);
    Chart c;
    bool good = chart_new(&c, s, true, scratch);
    if (good) {
        Number z = fill_inside(&c, m->label);
        m->log_z = number_log(z);
        if (z.m > 0) fill_outside(&c, z, m);
        else memset(m->label, 0, (size_t)chart_size(s->n) * (size_t)(s->n_labels - 1) * sizeof *m->label);
    }
    arena_rewind(scratch, mark);
    return good ? OK : no_memory(s->n, e);
}

Status joint_log_z(const JointScores *s, Arena *scratch, double *log_z, Error *e)
{
    if (check_scores(s, e) != OK) return e->code;
    ArenaMark mark = arena_mark(scratch);
    Chart c;
    bool good = chart_new(&c, s, false, scratch);
    if (good) *log_z = number_log(fill_inside(&c, NULL));
    arena_rewind(scratch, mark);
    return good ? OK : no_memory(s->n, e);
}

/* ---- one result
 * A head takes its dependents from inside outwards on each side: its nodes are a path on the lattice of how many of the
 * left and of the right ones it has, which goes through every phrase of the result that it is the head of. */

typedef struct Lattice {
    const JointScores *s;
    int *label;        /* [chart_size] of the result's phrases, CHART_EMPTY elsewhere */
    int *begin, *end;  /* [n + 1] the words below each word, as a span */
    int *left, *right; /* [n + 1] where spans begin with a of the left dependents, end with b of the right ones */
    int n_left, n_right;
    double *path; /* [n + 1] by b: the logarithm of the sum over paths to (a, b) */
} Lattice;

static double log_add(double x, double y)
{
    double most = fmax(x, y);
    return most > -INFINITY ? most + log1p(exp(fmin(x, y) - most)) : most;
}

static double label_score(const JointScores *s, int i, int j, int label)
{
    return label < 0 ? 0 : s->span_weight * (double)s->labels[chart_span(s->n, i, j) * (s->n_labels - 1) + label - 1];
}

/* The logarithm of what a node may be. */
static double node_sum(const Lattice *l, int i, int j, bool dependent)
{
    const JointScores *s = l->s;
    int label = l->label[chart_span(s->n, i, j)];
    if (label != CHART_EMPTY) return label_score(s, i, j, label);
    if (joint_state(s->state, s->n, i, j) == SPAN_NONE) return -INFINITY;
    double empty = joint_may_be_empty(s->state, s->n, i, j, dependent) ? 0 : -INFINITY;
    return joint_is_proper(s->n, i, j) ? empty : log_add(empty, label_score(s, i, j, CHART_GROUP));
}

static double head_sum(const Lattice *l)
{
    for (int b = 0; b <= l->n_right; b++) l->path[b] = -INFINITY;
    for (int a = 0; a <= l->n_left; a++)
        for (int b = 0; b <= l->n_right; b++) {
            int i = l->left[a], j = l->right[b];
            double before = a + b == 0 ? 0 : log_add(l->path[b], b > 0 ? l->path[b - 1] : -INFINITY);
            l->path[b] = before + node_sum(l, i, j, a == l->n_left && b == l->n_right);
            if (l->label[chart_span(l->s->n, i, j)] == CHART_EMPTY) continue;
            for (int k = 0; k <= l->n_right; k++) /* paths that go around the phrase */
                if (k != b) l->path[k] = -INFINITY;
        }
    return l->path[l->n_right];
}

static void find_spans(Lattice *l, const int *heads)
{
    int n = l->s->n;
    for (int w = 1; w <= n; w++) {
        l->begin[w] = w - 1;
        l->end[w] = w;
    }
    for (int w = 1; w <= n; w++)
        for (int at = heads[w - 1]; at > 0; at = heads[at - 1]) {
            if (w - 1 < l->begin[at]) l->begin[at] = w - 1;
            if (w > l->end[at]) l->end[at] = w;
        }
}

static void find_dependents(Lattice *l, const int *heads, int h)
{
    l->n_left = l->n_right = 0;
    l->left[0] = h - 1;
    l->right[0] = h;
    for (int w = h - 1; w > l->begin[h]; w--)
        if (heads[w - 1] == h) l->left[++l->n_left] = l->begin[w];
    for (int w = h + 1; w <= l->end[h]; w++)
        if (heads[w - 1] == h) l->right[++l->n_right] = l->end[w];
}

static bool lattice_new(Lattice *l, const JointScores *s, const JointTree *tree, Arena *a)
{
    size_t width = (size_t)s->n + 1;
    int *words = arena_alloc(a, 4 * width, sizeof *words);
    *l = (Lattice){ .s = s,
                    .label = arena_calloc(a, (size_t)chart_size(s->n), sizeof *l->label),
                    .path = arena_alloc(a, width, sizeof *l->path) };
    if (!words || !l->label || !l->path) return false;
    l->begin = words;
    l->end = words + width;
    l->left = words + 2 * width;
    l->right = words + 3 * width;
    for (int k = 0; k < tree->n_nodes; k++) {
        Span x = tree->nodes[k];
        if (x.label > CHART_GROUP || x.label < 0) l->label[chart_span(s->n, x.begin, x.end)] = x.label;
    }
    return true;
}

Status joint_log_sum(const JointScores *s, const JointTree *tree, Arena *scratch, double *log_sum, Error *e)
{
    ArenaMark mark = arena_mark(scratch);
    Lattice l;
    bool good = lattice_new(&l, s, tree, scratch);
    double sum = 0;
    if (good) find_spans(&l, tree->heads);
    for (int h = 1; h <= s->n && good; h++) {
        find_dependents(&l, tree->heads, h);
        sum += head_sum(&l) + s->arc_weight * (double)s->arcs[(ptrdiff_t)h * (s->n + 1) + tree->heads[h - 1]];
    }
    arena_rewind(scratch, mark);
    *log_sum = sum;
    return good ? OK : no_memory(s->n, e);
}
