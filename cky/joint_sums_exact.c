/* The recurrences of joint_sums.h, a row of all heads at a time. Numbers are m 2^e with m in [1, 4), so that the heads
 * of a span may have values as different as exp(-1e5) and exp(1e5): a given arc may lead to the worst of them. */
#include <stdint.h>
#include <string.h>

#include "cky/joint_sums.h"
#include "tensor/cpu/level.h"
#include "tensor/cpu/level/sum_product.h"

#define NEGLIGIBLE 1e-26 /* a probability that no sum notices */

/* m 2^e. */
typedef struct Number {
    double m, e;
} Number;

/* The numbers m 2^e of a row or a table. */
typedef struct Scaled {
    double *m, *e;
} Scaled;

typedef struct Chart {
    const JointWeights *w;
    int n, width;            /* n + 1 rounded up to SUM_ALIGN */
    Scaled f, out;           /* [chart_size, width] F; raw' */
    Scaled arc, arc_by_head; /* [width, width] T(d, g), rows are d; rows are g */
    Scaled adjoint, x;       /* [width] F' of one span; raw, or the sums of F' T */
    SumTerm *term;           /* [width] */
    const CpuLevel *level;
} Chart;

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

static Number number_at(Scaled row, int h) { return (Number){ row.m[h], row.e[h] }; }
static void number_set(Scaled row, int h, Number x) { row.m[h] = x.m, row.e[h] = x.e; }
static Number product(Number x, Number y)
{
    return x.m > 0 && y.m > 0 ? (Number){ x.m * y.m, x.e + y.e } : (Number){ 0, SUM_LEAST };
}
static double value(Number x) { return x.m * power(x.e); }

static Scaled row_of(const Chart *c, Scaled table, ptrdiff_t k)
{
    return (Scaled){ table.m + k * c->width, table.e + k * c->width };
}
static Scaled row_at(const Chart *c, Scaled table, int i, int j) { return row_of(c, table, chart_span(c->n, i, j)); }

/* x y at columns from .. to - 1 */
static SumTerm rows_term(Scaled x, Scaled y, int from, int to)
{
    return (SumTerm){ x.m, x.e, y.m, y.e, false, from, to };
}
static SumTerm number_term(const Number *x, Scaled y, int from, int to)
{
    return (SumTerm){ &x->m, &x->e, y.m, y.e, true, from, to };
}
static SumTerm scalar_term(Scaled x, int h, Scaled y, int from, int to)
{
    return (SumTerm){ x.m + h, x.e + h, y.m, y.e, true, from, to };
}

/* Sets columns from .. to - 1 of a row to the sum of n terms, and the others to 0. */
static void sum_terms(const Chart *c, int n, Scaled row, int from, int to)
{
    int first = from / SUM_ALIGN * SUM_ALIGN, last = (to + SUM_ALIGN - 1) / SUM_ALIGN * SUM_ALIGN;
    c->level->sum_products(row.m, row.e, c->term, n, first, last);
    for (int h = 0; h < c->width; h++)
        if (h < from || h >= to) number_set(row, h, (Number){ 0, SUM_LEAST });
}

/* Z */
static Number fill_inside(const Chart *c)
{
    for (int length = 1; length <= c->n; length++)
        for (int i = 0, j = length; j <= c->n; i++, j++) {
            Scaled f = row_at(c, c->f, i, j), raw = c->x;
            long span = chart_span(c->n, i, j);
            Number head = number_of_log(c->w->head[span]), dependent = number_of_log(c->w->dependent[span]);
            int terms = 0;
            for (int k = i + 1; k < j; k++)
                c->term[terms++] = rows_term(row_at(c, c->f, i, k), row_at(c, c->f, k, j), i, j);
            sum_terms(c, terms, raw, i, j);
            if (length == 1) number_set(raw, i, (Number){ 1, 0 });
            terms = 0;
            for (int h = i; h < j; h++)
                if (raw.m[h] > 0) c->term[terms++] = scalar_term(raw, h, row_of(c, c->arc, h), 0, c->n + 1);
            sum_terms(c, terms, f, 0, c->n + 1);
            for (int h = 0; h <= c->n; h++)
                number_set(f, h,
                           h >= i && h < j ? product(head, number_at(raw, h)) : product(dependent, number_at(f, h)));
        }
    return number_at(row_at(c, c->f, 0, c->n), c->n);
}

/* F' */
static void gather(const Chart *c, int i, int j, Number z)
{
    int terms = 0;
    for (int k = j + 1; k <= c->n; k++)
        c->term[terms++] = rows_term(row_at(c, c->out, i, k), row_at(c, c->f, j, k), i, k);
    for (int k = 0; k < i; k++) c->term[terms++] = rows_term(row_at(c, c->out, k, j), row_at(c, c->f, k, i), k, j);
    sum_terms(c, terms, c->adjoint, 0, c->n + 1);
    if (j - i == c->n) number_set(c->adjoint, c->n, (Number){ 2 / z.m, -z.e - 1 });
}

/* Adds the probabilities of the arcs of the span as a dependent, where x has the sums of F' T. */
static void add_arcs(const Chart *c, int i, int j, Number head, Number dependent, double *arc)
{
    if (!(head.m > 0)) return;
    Number by = product(dependent, (Number){ 1 / head.m, -head.e });
    for (int h = i; h < j; h++) {
        Number one = product(number_at(row_at(c, c->f, i, j), h), by);
        if (value(product(one, number_at(c->x, h))) < NEGLIGIBLE) continue;
        Scaled t = row_of(c, c->arc, h);
        double *to = arc + (ptrdiff_t)(h + 1) * (c->n + 1);
        for (int g = 0; g <= c->n; g++)
            if (g < i || g >= j)
                to[(g + 1) % (c->n + 1)] += value(product(one, product(number_at(t, g), number_at(c->adjoint, g))));
    }
}

static void fill_outside(const Chart *c, Number z, JointSums *sums)
{
    for (int length = c->n; length >= 1; length--)
        for (int i = 0, j = length; j <= c->n; i++, j++) {
            Scaled f = row_at(c, c->f, i, j);
            long span = chart_span(c->n, i, j);
            Number head = number_of_log(c->w->head[span]), dependent = number_of_log(c->w->dependent[span]);
            int terms = 0;
            gather(c, i, j, z);
            sums->as_head[span] = sums->as_dependent[span] = 0;
            for (int h = 0; h <= c->n; h++)
                (h >= i && h < j ? sums->as_head : sums->as_dependent)[span] +=
                    value(product(number_at(f, h), number_at(c->adjoint, h)));
            for (int g = 0; g <= c->n; g++)
                if ((g < i || g >= j) && c->adjoint.m[g] > 0)
                    c->term[terms++] = scalar_term(c->adjoint, g, row_of(c, c->arc_by_head, g), i, j);
            sum_terms(c, terms, c->x, i, j);
            c->term[0] = number_term(&head, c->adjoint, i, j);
            c->term[1] = number_term(&dependent, c->x, i, j);
            sum_terms(c, 2, row_at(c, c->out, i, j), i, j);
            add_arcs(c, i, j, head, dependent, sums->arc);
        }
}

static bool scaled_new(const Chart *c, Scaled *x, Arena *a, size_t rows)
{
    size_t size = rows * (size_t)c->width;
    x->m = arena_alloc(a, size, sizeof *x->m);
    x->e = arena_alloc(a, size, sizeof *x->e);
    return x->m && x->e;
}

static bool chart_new(Chart *c, const JointWeights *w, bool outside, Arena *a)
{
    size_t spans = (size_t)chart_size(w->s->n), width;
    *c = (Chart){ .w = w, .n = w->s->n, .level = cpu_level() };
    c->width = (c->n + SUM_ALIGN) / SUM_ALIGN * SUM_ALIGN;
    width = (size_t)c->width;
    c->term = arena_alloc(a, width, sizeof *c->term);
    if (!c->term || !scaled_new(c, &c->f, a, spans) || !scaled_new(c, &c->x, a, 1) || !scaled_new(c, &c->arc, a, width))
        return false;
    if (outside && (!scaled_new(c, &c->out, a, spans) || !scaled_new(c, &c->adjoint, a, 1) ||
                    !scaled_new(c, &c->arc_by_head, a, width)))
        return false;
    for (int d = 0; d < c->width; d++)
        for (int g = 0; g < c->width; g++) {
            Number t = number_of_log(d < c->n && g <= c->n ? joint_arc(w->s, d, g) : -INFINITY);
            number_set(row_of(c, c->arc, d), g, t);
            if (outside) number_set(row_of(c, c->arc_by_head, g), d, t);
        }
    return true;
}

double joint_sums_exact_bytes(int n)
{
    double width = n + SUM_ALIGN, spans = (double)chart_size(n);
    return 32 * spans * width + 32 * width * width + 100 * width;
}

bool joint_sums_exact(const JointWeights *weights, Arena *scratch, JointSums *sums)
{
    Chart c;
    bool good = chart_new(&c, weights, sums->as_head, scratch);
    if (!good) return false;
    Number z = fill_inside(&c);
    sums->log_z = z.m > 0 ? log(z.m) + z.e * M_LN2 : -INFINITY;
    if (sums->as_head && z.m > 0) fill_outside(&c, z, sums);
    return true;
}
