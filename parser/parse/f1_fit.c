/* Four weights: a constant, the logit of the expected F1, the length, the grammar; Newton steps are
 * halved until the loss falls. */
#include "parser/parse/f1_fit.h"

#include <math.h>

#include "parser/parse/confidence.h"
#include "parser/parse/evaluate.h"

enum { N = F1_FEATURES, STEPS_MOST = 100 };
#define CLOSE 1e-9 /* a shorter step ends the search */

static const double IDENTITY[N] = { 0, 1, 0, 0 };

static F1Map map_of(const double w[N], int n) { return (F1Map){ w[0], w[1], w[2], w[3], n }; }

/* -log likelihood and prior; gradient g and second derivatives h, or NULL. */
static double loss_at(const F1Case *x, int n, const double w[N], double g[N], double h[N][N])
{
    double loss = 0;
    for (int i = 0; i < N; i++) {
        loss += (w[i] - IDENTITY[i]) * (w[i] - IDENTITY[i]) / 2;
        if (g) g[i] = w[i] - IDENTITY[i];
        for (int j = 0; j < N && h; j++) h[i][j] = i == j;
    }
    for (int k = 0; k < n; k++) {
        double f[N], y = x[k].found;
        confidence_f1_features(x[k].expected, x[k].words, x[k].grammar, f);
        double z = w[0] * f[0] + w[1] * f[1] + w[2] * f[2] + w[3] * f[3], p = 1 / (1 + exp(-z));
        loss += log1p(exp(-fabs(z))) + fmax(z, 0) - y * z;
        for (int i = 0; i < N && g; i++) {
            g[i] += (p - y) * f[i];
            for (int j = 0; j < N && h; j++) h[i][j] += p * (1 - p) * f[i] * f[j];
        }
    }
    return loss;
}

/* Solves h step = -g by Gaussian elimination; the prior makes h positive definite, so no pivot is 0. */
static void find_step(double h[N][N], const double g[N], double step[N])
{
    for (int i = 0; i < N; i++) step[i] = -g[i];
    for (int i = 0; i < N; i++)
        for (int r = i + 1; r < N; r++) {
            double by = h[r][i] / h[i][i];
            for (int c = i; c < N; c++) h[r][c] -= by * h[i][c];
            step[r] -= by * step[i];
        }
    for (int i = N - 1; i >= 0; i--) {
        for (int c = i + 1; c < N; c++) step[i] -= h[i][c] * step[c];
        step[i] /= h[i][i];
    }
}

void f1_fit_cases(F1Map *to, const F1Case *f1_case, int n)
{
    double w[N] = { IDENTITY[0], IDENTITY[1], IDENTITY[2], IDENTITY[3] }, g[N], h[N][N], step[N];
    for (int k = 0; k < STEPS_MOST; k++) {
        double loss = loss_at(f1_case, n, w, g, h), size = 0, next[N];
        find_step(h, g, step);
        for (int i = 0; i < N; i++) size = fmax(size, fabs(step[i]));
        if (size < CLOSE) break;
        do {
            for (int i = 0; i < N; i++) next[i] = w[i] + step[i];
            for (int i = 0; i < N; i++) step[i] /= 2;
            size /= 2;
        } while (loss_at(f1_case, n, next, NULL, NULL) > loss && size > CLOSE);
        for (int i = 0; i < N; i++) w[i] = next[i];
    }
    *to = map_of(w, n);
}

/* The sentences that have an expected F1 and brackets; *n their number. */
static Status parse_cases(const Model *m, const Treebank *gold, const ParseOptions *parse, int n_threads, F1Case *x,
                          int *n, Error *e)
{
    EvaluateOptions o = { .parse = *parse, .n_threads = n_threads };
    Evaluation ev = { .risk = mem_calloc((size_t)gold->n, sizeof *ev.risk) };
    o.parse.confidence = true;
    Status s = ev.risk ? evaluate_model(m, gold, &o, &ev, e) : error_set(e, ERR_NOMEM, "out of memory for confidence");
    *n = 0;
    for (int k = 0; k < gold->n && s == OK; k++) {
        const RiskSentence *r = &ev.risk[k];
        if (r->sure[RISK_BY_F1] >= 0 && !isnan(r->risk[RISK_F1]))
            x[(*n)++] = (F1Case){ r->sure[RISK_BY_F1], 1 - r->risk[RISK_F1], gold->s[k].n_words, r->grammar };
    }
    mem_free(ev.risk);
    return s;
}

/* values [2 n]: room for the expected F1 and the one found. */
static void measure(F1Fit *to, const F1Case *x, int n, double *values)
{
    double *expected = values, *found = values + n;
    for (int k = 0; k < n; k++) {
        expected[k] = x[k].expected;
        found[k] = x[k].found;
    }
    to->before = risk_error(expected, found, n);
    for (int k = 0; k < n; k++) expected[k] = confidence_f1(&to->map, x[k].expected, x[k].words, x[k].grammar);
    to->error = risk_error(expected, found, n);
}

Status f1_fit(F1Fit *to, const Model *model, const Treebank *gold, const ParseOptions *options, int n_threads,
              Error *error)
{
    F1Case *x = mem_alloc((size_t)gold->n, sizeof *x);
    double *values = mem_alloc(2 * (size_t)gold->n, sizeof *values);
    int n;
    Status s = x && values ? parse_cases(model, gold, options, n_threads, x, &n, error)
                           : error_set(error, ERR_NOMEM, "out of memory for confidence");
    if (s == OK) {
        f1_fit_cases(&to->map, x, n);
        measure(to, x, n, values);
    }
    mem_free_each(x, values);
    return s;
}
