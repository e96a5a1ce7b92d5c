/* cky/marginals.c
 * In logarithms, with own(i,j) = log of the sum over the labels of a span of exp(score / temperature):
 *   inside(i,j)  = own(i,j) + log sum over k of exp(inside(i,k) + inside(k,j));  a single word: own(i,j)
 *   outside(i,j) = log sum over the spans (i,m), (m,j) that (i,j) is a part of, of
 *                  exp(outside(whole) + own(whole) + inside(other part)),  outside(0,n) = 0
 *   p(i,j is a node) = exp(outside(i,j) + inside(i,j) - inside(0,n)) */
#include "cky/marginals.h"

#include <math.h>

typedef struct Chart {
    int n;
    double *own, *inside, *outside; /* [chart_size(n)] */
    double *term;                   /* [2 n] summands of one logarithm */
} Chart;

/* log sum exp; -INFINITY without a summand above that. */
static double log_sum(const double *x, int n)
{
    double most = -INFINITY, sum = 0;
    for (int k = 0; k < n; k++) most = fmax(most, x[k]);
    if (isinf(most) && most < 0) return most;
    for (int k = 0; k < n; k++) sum += exp(x[k] - most);
    return most + log(sum);
}

static bool may_have(const Real *mask, int label) { return !mask || mask[label - 1] == 0; }

/* Sets own of a span, and its labels to their shares of it. */
static double label_shares(const Real *scores, int n_labels, const Real *mask, double temperature, bool word,
                           bool whole, Real *share)
{
    int first = word || whole ? CHART_GROUP + 1 : CHART_GROUP;
    double most = whole ? -INFINITY : 0, sum = 0;
    for (int l = first; l < n_labels; l++)
        if (may_have(mask, l)) most = fmax(most, (double)scores[l - 1] / temperature);
    if (!whole) sum = exp(-most); /* the empty label */
    for (int l = 1; l < n_labels; l++) {
        bool may = l >= first && may_have(mask, l);
        double e = may ? exp((double)scores[l - 1] / temperature - most) : 0;
        share[l - 1] = (Real)e;
        sum += e;
    }
    for (int l = 1; l < n_labels; l++) share[l - 1] = (Real)((double)share[l - 1] / sum);
    return most + log(sum);
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

Status marginals_compute(const Real *scores, int n, int n_labels, const Real *mask, double temperature, Arena *a,
                         Marginals *out, Error *e)
{
    size_t spans = (size_t)chart_size(n), labels = (size_t)n_labels - 1;
    Chart c = { .n = n,
                .own = arena_alloc(a, spans, sizeof(double)),
                .inside = arena_alloc(a, spans, sizeof(double)),
                .outside = arena_alloc(a, spans, sizeof(double)),
                .term = arena_alloc(a, 2 * (size_t)n, sizeof(double)) };
    *out = (Marginals){ 0, arena_alloc(a, spans, sizeof(double)), arena_alloc(a, spans * labels, sizeof(Real)) };
    if (!c.own || !c.inside || !c.outside || !c.term || !out->node || !out->label)
        return error_set(e, ERR_NOMEM, "out of memory for the probabilities of %d words", n);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j <= n; j++) {
            size_t s = (size_t)chart_span(n, i, j);
            c.own[s] = label_shares(scores + s * labels, n_labels, mask, temperature, j == i + 1, j - i == n,
                                    out->label + s * labels);
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
