/* In logarithms, with own(i,j) = log of the sum over the labels of a span of exp(score / temperature):
 *   inside(i,j)  = own(i,j) + log sum over k of exp(inside(i,k) + inside(k,j));  a single word: own(i,j)
 *   outside(i,j) = log sum over the spans (i,m), (m,j) that (i,j) is a part of, of
 *                  exp(outside(whole) + own(whole) + inside(other part)),  outside(0,n) = 0
 *   p(i,j is a node) = exp(outside(i,j) + inside(i,j) - inside(0,n)) */
#include "cky/marginals.h"

#include <math.h>

#include "tensor/cpu/level.h"

typedef struct Chart {
    int n, labels;
    double *own, *inside, *outside; /* [chart_size(n)] */
    double *term;                   /* [2 n] summands of one logarithm */
    Real *score;                    /* [labels] of a span, -INFINITY of those that it cannot have */
    double *of_label;               /* [labels] their exponentials */
} Chart;

/* log sum exp; -INFINITY without a summand above that. */
static double log_sum(const double *x, int n)
{
    double most = -INFINITY, sum = 0;
    for (int k = 0; k < n; k++) most = x[k] > most ? x[k] : most;
    if (isinf(most) && most < 0) return most;
    for (int k = 0; k < n; k++) sum += exp(x[k] - most);
    return most + log(sum);
}

/* Sets own of a span, and its labels to their shares of it. */
static double label_shares(const Chart *c, int i, int j, const Real *scores, const Real *mask, double temperature,
                           Real *share)
{
    bool whole = j - i == c->n;
    int first = (whole || j == i + 1 ? CHART_GROUP + 1 : CHART_GROUP) - 1; /* the column of a label is its number - 1 */
    double most;
    for (int l = 0; l < c->labels; l++) c->score[l] = l >= first && (!mask || mask[l] == 0) ? scores[l] : -INFINITY;
    double sum = cpu_level()->sum_exponentials(c->of_label, c->score, 1 / temperature, c->labels, &most);
    most /= temperature;
    double top = whole || most > 0 ? most : 0, by = exp(most - top);
    sum = by * sum + (whole ? 0 : exp(-top)); /* the empty label */
    for (int l = 0; l < c->labels; l++) share[l] = (Real)(c->of_label[l] * by / sum);
    return top + log(sum);
}

static double at(const Chart *c, const double *table, int i, int j) { return table[chart_span(c->n, i, j)]; }

static void fill_inside(const Chart *c)
{
    for (int len = 1; len <= c->n; len++)
        for (int i = 0, j = len; j <= c->n; i++, j++) {
            long s = chart_span(c->n, i, j);
            c->inside[s] = c->own[s];
            for (int k = i + 1; k < j; k++) c->term[k - i - 1] = at(c, c->inside, i, k) + at(c, c->inside, k, j);
            if (len > 1) c->inside[s] += log_sum(c->term, len - 1);
        }
}

static void fill_outside(const Chart *c)
{
    c->outside[chart_span(c->n, 0, c->n)] = 0;
    for (int len = c->n - 1; len >= 1; len--)
        for (int i = 0, j = len; j <= c->n; i++, j++) {
            int terms = 0;
            for (int m = 0; m < i; m++)
                c->term[terms++] = at(c, c->outside, m, j) + at(c, c->own, m, j) + at(c, c->inside, m, i);
            for (int m = j + 1; m <= c->n; m++)
                c->term[terms++] = at(c, c->outside, i, m) + at(c, c->own, i, m) + at(c, c->inside, j, m);
            c->outside[chart_span(c->n, i, j)] = log_sum(c->term, terms);
        }
}

Status marginals_compute(const Real *scores, int n, int n_labels, const Real *mask, double temperature, Arena *arena,
                         Marginals *out, Error *error)
{
    size_t spans = (size_t)chart_size(n), labels = (size_t)n_labels - 1;
    Chart c = { .n = n,
                .labels = n_labels - 1,
                .own = arena_alloc(arena, spans, sizeof(double)),
                .inside = arena_alloc(arena, spans, sizeof(double)),
                .outside = arena_alloc(arena, spans, sizeof(double)),
                .term = arena_alloc(arena, 2 * (size_t)n, sizeof(double)),
                .score = arena_alloc(arena, labels, sizeof(Real)),
                .of_label = arena_alloc(arena, labels, sizeof(double)) };
    *out =
        (Marginals){ 0, arena_alloc(arena, spans, sizeof(double)), arena_alloc(arena, spans * labels, sizeof(Real)) };
    if (!c.own || !c.inside || !c.outside || !c.term || !c.score || !c.of_label || !out->node || !out->label)
        return error_set(error, ERR_NOMEM, "out of memory for the probabilities of %d words", n);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j <= n; j++) {
            size_t s = (size_t)chart_span(n, i, j);
            c.own[s] = label_shares(&c, i, j, scores + s * labels, mask, temperature, out->label + s * labels);
        }
    fill_inside(&c);
    fill_outside(&c);
    out->log_z = at(&c, c.inside, 0, n);
    for (size_t s = 0; s < spans; s++) {
        out->node[s] = exp(c.outside[s] + c.inside[s] - out->log_z);
        for (size_t l = 0; l < labels; l++)
            out->label[s * labels + l] = (Real)(out->node[s] * (double)out->label[s * labels + l]);
    }
    return OK;
}
