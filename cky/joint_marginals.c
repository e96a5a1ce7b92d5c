/* With head(i,j) and dependent(i,j) the sums of exp(score) over what a span may be as the side of the head (not a
 * phrase: 1; <H>; labels) and as a dependent or the whole sentence, and T(d,g) = exp(score of the arc from g to d):
 *   raw(i,j,h) = sum over k of  Dep(i,k,h) Any(k,j,h)  [h > k]  +  Any(i,k,h) Dep(k,j,h)  [h <= k];  a word: 1
 *   Any = raw head,   Dep(i,j,g) = dependent sum over h' of raw(i,j,h') T(h',g),   Z = Dep(0,n,0)
 * Adjoints x' = dZ/dx, from long spans to short ones, gather what reverse mode would scatter:
 *   Any'(i,j,h) = sum over j' > j of raw'(i,j',h) Dep(j,j',h)  +  sum over i' < i of raw'(i',j,h) Dep(i',i,h)
 *   Dep'(i,j,g) = the same with Any(j,j',g), where g in (j,j'], and Any(i',i,g), where g in (i',i]
 *   X'(h) = sum over g of Dep'(i,j,g) T(h,g),   raw' = head Any' + dependent X'
 * Numbers are m 2^e with m in [1, 4), so that the heads of a span may have values as different as exp(-1e5) and
 * exp(1e5): a given arc may lead to the worst of them. Rows are 0 outside what they are about, so that sums of their
 * products need no cases (tensor/cpu/level/sum_product.h).
 *
 * First a row is tried to have one e for all its numbers, which is three times as fast and as exact where arcs do not
 * differ by more than MOST_APART and every Any and raw' is above LEAST_KEPT of the largest one of its row: products of
 * two rows are not lost then, and what a row of Dep or Dep' loses is far below what counts, because these differ by
 * what arcs differ, beyond what cancels out. Where that fails all is done again with an e for each number. */
#include "cky/joint_marginals.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tensor/cpu/level.h"
#include "tensor/cpu/level/sum_product.h"

#define NEGLIGIBLE 1e-26 /* a probability that no sum notices */
#define MOST_APART 277.0 /* logarithm of 2^400 */
#define LEAST_KEPT 0x1p-500

/* m 2^e. */
typedef struct Number {
    double m, e;
} Number;

/* The numbers m 2^e of a row or a table; a row has one e or as many as m. */
typedef struct Scaled {
    double *m, *e;
} Scaled;

typedef struct Chart {
    const JointScores *s;
    int n, width;            /* n + 1 rounded up to SUM_ALIGN */
    bool common, *lost;      /* rows have one e each; whether one has a number below LEAST_KEPT */
    Scaled any, dep;         /* [chart_size, width] */
    Scaled out_raw, out_dep; /* adjoints */
    Scaled arc, arc_by_head; /* [width, width] T(d, g), rows are d; rows are g */
    Number *head, *ratio;    /* [chart_size] head; dependent / head */
    double *labelled;        /* [chart_size] share of the labels, <H> included, in head */
    double *label_sum;       /* [chart_size] what labels weigh together */
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

/* At a column of a row. */
static Scaled scaled_at(const Chart *c, Scaled row, int h)
{
    return (Scaled){ row.m + h, row.e + (c->common ? 0 : h) };
}
static Number number_at(const Chart *c, Scaled row, int h) { return (Number){ row.m[h], row.e[c->common ? 0 : h] }; }

static void scaled_set(const Chart *c, Scaled row, int h, Number x)
{
    row.m[h] = x.m;
    row.e[c->common ? 0 : h] = x.e;
}

static Scaled row_of(const Chart *c, Scaled table, ptrdiff_t k)
{
    return (Scaled){ table.m + k * c->width, table.e + k * (c->common ? 1 : c->width) };
}

/* x y at columns from .. to - 1 */
static SumTerm rows_term(Scaled x, Scaled y, int from, int to)
{
    return (SumTerm){ x.m, x.e, y.m, y.e, false, from, to, 0 };
}

static SumTerm scalar_term(Scaled x, Scaled y, int from, int to)
{
    return (SumTerm){ x.m, x.e, y.m, y.e, true, from, to, 0 };
}

static void clear(const Chart *c, Scaled row, int from, int to)
{
    for (int h = from; h < to; h++) row.m[h] = 0;
    for (int h = from; h < to && !c->common; h++) row.e[h] = SUM_LEAST;
}

static void clear_all(const Chart *c, Scaled row)
{
    clear(c, row, 0, c->width);
    row.e[0] = SUM_LEAST;
}

/* Sets columns from .. to - 1 of a row to the sum of n terms, and the others to 0. */
static void sum_terms(const Chart *c, int n, Scaled row, int from, int to)
{
    int first = from / SUM_ALIGN * SUM_ALIGN, last = (to + SUM_ALIGN - 1) / SUM_ALIGN * SUM_ALIGN;
    if (c->common) c->level->sum_common(row.m, row.e, c->term, n, first, last);
    else c->level->sum_products(row.m, row.e, c->term, n, first, last);
    clear(c, row, 0, from);
    clear(c, row, to, c->width);
}

static void scale_row(const Chart *c, Scaled row, Number by)
{
    for (int h = 0; h < c->width; h++) row.m[h] *= by.m;
    if (c->common) row.e[0] += by.e;
    else
        for (int h = 0; h < c->width; h++) row.e[h] = row.m[h] > 0 ? row.e[h] + by.e : SUM_LEAST;
}

/* What sum_terms gave at columns from .. to - 1, where nothing is 0. */
static void check_row(const Chart *c, Scaled row, int from, int to)
{
    double least = 1;
    for (int h = from; h < to; h++) least = row.m[h] < least ? row.m[h] : least;
    if (c->common && least < LEAST_KEPT) *c->lost = true;
}

/* ---- labels */

/* Sets share [n_labels - 1] to what labels weigh and *sum to how much together; returns the logarithm of the sum over
 * labels. */
static double weigh_labels(const Chart *c, int i, int j, double *share, double *sum)
{
    const JointScores *s = c->s;
    int labels = s->n_labels - 1, first = joint_first_label(s->n, i, j) - 1;
    double most;
    for (int l = 0; l < first; l++) share[l] = 0;
    *sum = c->level->sum_exponentials(share + first, s->labels + chart_span(s->n, i, j) * labels + first,
                                      s->span_weight, labels - first, &most);
    return *sum > 0 ? s->span_weight * most + log(*sum) : -INFINITY;
}

/* log(exp(x) + 1) */
static double log_with_empty(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }

static void weigh_span(const Chart *c, int i, int j, double *share)
{
    const JointScores *s = c->s;
    long k = chart_span(c->n, i, j);
    double labels = weigh_labels(c, i, j, share, &c->label_sum[k]), head = labels;
    if (joint_may_be_empty(s->state, c->n, i, j, false)) head = log_with_empty(labels);
    double dependent = joint_may_be_empty(s->state, c->n, i, j, true) ? head : labels;
    if (joint_state(s->state, c->n, i, j) == SPAN_NONE) head = -INFINITY;
    c->head[k] = number_of_log(head);
    c->ratio[k] = number_of_log(head > -INFINITY ? dependent - head : -INFINITY);
    c->labelled[k] = head > -INFINITY ? exp(labels - head) : 0;
}

/* share: [chart_size, n_labels - 1], or with `one` [n_labels - 1] for all spans in turn */
static void weigh_spans(const Chart *c, double *share, bool one)
{
    for (int i = 0; i < c->n; i++)
        for (int j = i + 1; j <= c->n; j++)
            weigh_span(c, i, j, one ? share : share + chart_span(c->n, i, j) * (c->s->n_labels - 1));
}

/* ---- inside */

static Scaled row_at(const Chart *c, Scaled table, int i, int j) { return row_of(c, table, chart_span(c->n, i, j)); }

static void fill_any(const Chart *c, int i, int j)
{
    Scaled any = row_at(c, c->any, i, j);
    Number head = c->head[chart_span(c->n, i, j)];
    int terms = 0;
    if (j - i == 1 || head.m <= 0) {
        clear_all(c, any);
        if (j - i == 1) scaled_set(c, any, j, head);
        return;
    }
    for (int k = i + 1; k < j; k++) {
        c->term[terms++] = rows_term(row_at(c, c->dep, i, k), row_at(c, c->any, k, j), k + 1, j + 1);
        c->term[terms++] = rows_term(row_at(c, c->any, i, k), row_at(c, c->dep, k, j), i + 1, k + 1);
    }
    sum_terms(c, terms, any, i + 1, j + 1);
    check_row(c, any, i + 1, j + 1);
    scale_row(c, any, head);
}

/* The whole sentence has a Dep of the root alone. */
static void fill_dep(const Chart *c, int i, int j)
{
    Scaled any = row_at(c, c->any, i, j), dep = row_at(c, c->dep, i, j);
    int terms = 0, first = j - i == c->n ? 0 : 1;
    for (int h = i + 1; h <= j; h++)
        if (any.m[h] > 0) c->term[terms++] = scalar_term(scaled_at(c, any, h), row_of(c, c->arc, h), first, c->n + 1);
    sum_terms(c, terms, dep, first, c->n + 1);
    clear(c, dep, i + 1, j + 1);
    scale_row(c, dep, c->ratio[chart_span(c->n, i, j)]);
}

/* Z */
static Number fill_inside(const Chart *c)
{
    for (int len = 1; len <= c->n; len++)
        for (int i = 0, j = len; j <= c->n && !*c->lost; i++, j++) {
            fill_any(c, i, j);
            fill_dep(c, i, j);
        }
    return number_at(c, row_at(c, c->dep, 0, c->n), 0);
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
    if (j - i == c->n) scaled_set(c, out, 0, (Number){ 1, 0 });
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
            c->term[terms++] = scalar_term(scaled_at(c, dep, g), row_of(c, c->arc_by_head, g), i + 1, j + 1);
    sum_terms(c, terms, c->out_x, i + 1, j + 1);
    c->term[0] = scalar_term((Scaled){ &one, &zero }, c->out_any, i + 1, j + 1);
    c->term[1] = scalar_term((Scaled){ &ratio->m, &ratio->e }, c->out_x, i + 1, j + 1);
    sum_terms(c, 2, raw, i + 1, j + 1);
    check_row(c, raw, i + 1, j + 1);
    scale_row(c, raw, c->head[chart_span(c->n, i, j)]);
}

static Number product(Number a, Number b) { return (Number){ a.m * b.m, a.e + b.e }; }

/* Adds the probabilities of arcs to heads from .. to - 1. */
static void add_heads(const Chart *c, Number one, Scaled t, Scaled dep, int from, int to, double *arc)
{
    if (c->common) {
        double factor = one.m * power(one.e + t.e[0] + dep.e[0]);
        for (int g = from; g < to; g++) arc[g] += factor * t.m[g] * dep.m[g];
    } else
        for (int g = from; g < to; g++) arc[g] += one.m * t.m[g] * dep.m[g] * power(one.e + t.e[g] + dep.e[g]);
}

/* Adds the probabilities of the arcs of the span as a dependent; returns that it is one. z: 1 / Z. */
static double add_arcs(const Chart *c, int i, int j, Number z, double *arc)
{
    Scaled any = row_at(c, c->any, i, j), dep = row_at(c, c->out_dep, i, j);
    Number by = product(c->ratio[chart_span(c->n, i, j)], z);
    double sum = 0;
    for (int h = i + 1; h <= j; h++) {
        Number one = product(number_at(c, any, h), by), p = product(one, number_at(c, c->out_x, h));
        double probability = p.m * power(p.e);
        sum += probability;
        if (probability < NEGLIGIBLE) continue;
        Scaled t = row_of(c, c->arc, h);
        double *to = arc + (ptrdiff_t)h * (c->n + 1);
        add_heads(c, one, t, dep, 0, i + 1, to);
        add_heads(c, one, t, dep, j + 1, c->n + 1, to);
    }
    return sum;
}

/* The probability that the span is a node and the side of the head. */
static double head_probability(const Chart *c, int i, int j, Number z)
{
    Scaled any = row_at(c, c->any, i, j);
    double sum = 0;
    for (int h = i + 1; h <= j; h++) {
        Number p = product(product(number_at(c, any, h), number_at(c, c->out_any, h)), z);
        sum += p.m * power(p.e);
    }
    return sum;
}

/* Turns weights of labels into probabilities. */
static void add_span(const Chart *c, int i, int j, Number z, JointMarginals *m)
{
    long k = chart_span(c->n, i, j);
    int labels = c->s->n_labels - 1;
    double dependent = add_arcs(c, i, j, z, m->arc), head = head_probability(c, i, j, z);
    bool may_be_empty = joint_may_be_empty(c->s->state, c->n, i, j, true);
    double labelled = head * c->labelled[k] + dependent * (may_be_empty ? c->labelled[k] : 1);
    m->node[k] = head + dependent;
    if (c->label_sum[k] > 0) labelled /= c->label_sum[k];
    for (int l = 0; l < labels; l++) m->label[k * labels + l] *= labelled;
}

static void fill_outside(const Chart *c, Number z, JointMarginals *m)
{
    Number inverse = { 1 / z.m, -z.e };
    for (int len = c->n; len >= 1; len--)
        for (int i = 0, j = len; j <= c->n && !*c->lost; i++, j++) {
            gather_any(c, i, j);
            gather_dep(c, i, j);
            gather_raw(c, i, j);
            add_span(c, i, j, inverse, m);
        }
}

/* ---- both */

static Scaled scaled_new(const Chart *c, Arena *a, size_t rows)
{
    size_t width = (size_t)c->width;
    return (Scaled){ arena_alloc(a, rows * width, sizeof(double)),
                     arena_alloc(a, c->common ? rows : rows * width, sizeof(double)) };
}

static bool has_memory(Scaled s) { return s.m && s.e; }

double joint_marginals_bytes(int n)
{
    double width = n + SUM_ALIGN, spans = (double)chart_size(n);
    return 64 * spans * width + 32 * width * width + 40 * spans + 200 * width;
}

/* The weighted score of an arc; no word is its own head, and the root has none. */
static double arc_score(const JointScores *s, int d, int g)
{
    return d == 0 || d == g || g > s->n ? -INFINITY : s->arc_weight * (double)s->arcs[d * (s->n + 1) + g];
}

/* How far two scores of arcs are apart. */
static double arcs_apart(const JointScores *s)
{
    double least = INFINITY, most = -INFINITY;
    for (int d = 1; d <= s->n; d++)
        for (int g = 0; g <= s->n; g++) {
            if (g == d) continue;
            least = fmin(least, arc_score(s, d, g));
            most = fmax(most, arc_score(s, d, g));
        }
    return least > -INFINITY ? most - least : INFINITY;
}

/* Sets a row of T: of a dependent, or, by_head, of a head. */
static void set_arcs(const Chart *c, Scaled row, int word, bool by_head)
{
    double most = -INFINITY;
    for (int w = 0; w < c->width; w++) {
        double x = w > c->n ? -INFINITY : by_head ? arc_score(c->s, w, word) : arc_score(c->s, word, w);
        if (!c->common) scaled_set(c, row, w, number_of_log(x));
        row.m[w] = c->common ? x : row.m[w];
        most = fmax(most, x);
    }
    if (!c->common) return;
    Number largest = number_of_log(most);
    row.e[0] = largest.e;
    for (int w = 0; w < c->width; w++) row.m[w] = largest.m * exp(row.m[w] - (most > -INFINITY ? most : 0));
}

static bool chart_new(Chart *c, const JointScores *s, bool common, bool outside, Arena *a)
{
    int padded = (s->n + SUM_ALIGN) / SUM_ALIGN * SUM_ALIGN;
    size_t width = (size_t)padded, spans = (size_t)chart_size(s->n);
    c->s = s;
    c->n = s->n;
    c->width = padded;
    c->level = cpu_level();
    c->common = common;
    c->any = scaled_new(c, a, spans);
    c->dep = scaled_new(c, a, spans);
    c->arc = scaled_new(c, a, width);
    c->head = arena_alloc(a, spans, sizeof *c->head);
    c->ratio = arena_alloc(a, spans, sizeof *c->ratio);
    c->labelled = arena_alloc(a, spans, sizeof *c->labelled);
    c->label_sum = arena_alloc(a, spans, sizeof *c->label_sum);
    c->term = arena_alloc(a, 2 * width, sizeof *c->term);
    if (!has_memory(c->any) || !has_memory(c->dep) || !has_memory(c->arc) || !c->head || !c->ratio || !c->labelled ||
        !c->label_sum || !c->term)
        return false;
    for (int d = 0; d <= c->n; d++) set_arcs(c, row_of(c, c->arc, d), d, false);
    if (!outside) return true;
    c->out_raw = scaled_new(c, a, spans);
    c->out_dep = scaled_new(c, a, spans);
    c->arc_by_head = scaled_new(c, a, width);
    c->out_any = scaled_new(c, a, 1);
    c->out_x = scaled_new(c, a, 1);
    if (!has_memory(c->out_raw) || !has_memory(c->out_dep) || !has_memory(c->arc_by_head) || !has_memory(c->out_any) ||
        !has_memory(c->out_x))
        return false;
    for (int g = 0; g <= c->n; g++) set_arcs(c, row_of(c, c->arc_by_head, g), g, true);
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

/* Fills m, or without `outside` log_z alone, with an e for each row or for each number; false: out of memory. With
 * *lost it is to be done again. */
static bool fill(const JointScores *s, bool common, bool outside, Arena *scratch, JointMarginals *m, bool *lost)
{
    ArenaMark mark = arena_mark(scratch);
    Chart c = { .lost = lost };
    bool good = chart_new(&c, s, common, outside, scratch);
    if (good) {
        weigh_spans(&c, m->label, !outside);
        Number z = fill_inside(&c);
        if (!*lost) m->log_z = number_log(z);
        if (outside && !*lost && z.m > 0) fill_outside(&c, z, m);
    }
    arena_rewind(scratch, mark);
    return good;
}

static Status fill_either(const JointScores *s, bool outside, Arena *scratch, JointMarginals *m, Error *e)
{
    size_t spans = (size_t)chart_size(s->n), width = (size_t)s->n + 1;
    bool lost = arcs_apart(s) > MOST_APART;
    bool good = lost || fill(s, true, outside, scratch, m, &lost);
    if (good && lost) {
        if (outside) memset(m->arc, 0, width * width * sizeof *m->arc);
        lost = false;
        good = fill(s, false, outside, scratch, m, &lost);
    }
    if (outside && !(m->log_z > -INFINITY)) memset(m->label, 0, spans * (size_t)(s->n_labels - 1) * sizeof *m->label);
    return good ? OK : no_memory(s->n, e);
}

Status joint_marginals(const JointScores *scores, Arena *scratch, Arena *out, JointMarginals *marginals, Error *error)
{
    if (check_scores(scores, error) != OK) return error->code;
    if (!marginals_new(scores, out, marginals)) return no_memory(scores->n, error);
    return fill_either(scores, true, scratch, marginals, error);
}

Status joint_log_z(const JointScores *scores, Arena *scratch, double *log_z, Error *error)
{
    if (check_scores(scores, error) != OK) return error->code;
    ArenaMark mark = arena_mark(scratch);
    JointMarginals m = { .log_z = -INFINITY,
                         .label = arena_alloc(scratch, (size_t)(scores->n_labels - 1), sizeof *m.label) };
    Status status = m.label ? fill_either(scores, false, scratch, &m, error) : no_memory(scores->n, error);
    arena_rewind(scratch, mark);
    *log_z = m.log_z;
    return status;
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

Status joint_log_sum(const JointScores *scores, const JointTree *tree, Arena *scratch, double *log_sum, Error *error)
{
    ArenaMark mark = arena_mark(scratch);
    Lattice l;
    bool good = lattice_new(&l, scores, tree, scratch);
    double sum = 0;
    if (good) find_spans(&l, tree->heads);
    for (int h = 1; h <= scores->n && good; h++) {
        find_dependents(&l, tree->heads, h);
        sum += head_sum(&l) +
               scores->arc_weight * (double)scores->arcs[(ptrdiff_t)h * (scores->n + 1) + tree->heads[h - 1]];
    }
    arena_rewind(scratch, mark);
    *log_sum = sum;
    return good ? OK : no_memory(scores->n, error);
}
