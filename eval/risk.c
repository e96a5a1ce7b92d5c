/* Sentences are sorted by how sure the model is; curves, areas and words to correct are sums along that
 * order, and equally sure ones count as one block. */
#include "eval/risk.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_writer.h"

enum { BINS = 10, RANDOM = RISK_ORDERS, IDEAL, ROWS, TARGETS = 5 };

static const int SHARE[RISK_SHARES] = { 100, 90, 80, 70, 60, 50 };
static const int TARGET[TARGETS] = { 92, 94, 96, 98, 99 };

void risk_set(RiskSentence *sentence, const Scores *s)
{
    long brackets = s->gold_brackets + s->pred_brackets;
    bool trees = s->trees > 0, arcs = s->dep.all.words > 0;
    sentence->risk[RISK_F1] = brackets ? 1 - 2 * (double)s->matched_brackets / (double)brackets : NAN;
    sentence->risk[RISK_LAS] = arcs ? 1 - (double)s->dep.all.both / (double)s->dep.all.words : NAN;
    bool right = (!trees || s->complete) && (!arcs || s->dep.all.complete);
    sentence->risk[RISK_EXACT] = trees || arcs ? !right : NAN;
    sentence->words = s->words;
    sentence->gold = s->gold_brackets;
    sentence->pred = s->pred_brackets;
    sentence->matched = s->matched_brackets;
}

/* ---- curves */

typedef struct Pair {
    double sure, risk;
} Pair;

static int by_sure(const void *a, const void *b)
{
    const Pair *x = a, *y = b;
    return (x->sure < y->sure) - (x->sure > y->sure);
}

/* Gives equally sure ones their mean risk. */
static void level_ties(Pair *x, int n)
{
    for (int from = 0, to; from < n; from = to) {
        double sum = 0;
        for (to = from; to < n && x[to].sure == x[from].sure; to++) sum += x[to].risk;
        for (int k = from; k < to; k++) x[k].risk = sum / (to - from);
    }
}

Status risk_curve(const double *sure, const double *risk, int n, RiskCurve *to, Error *error)
{
    Pair *x = mem_alloc((size_t)n, sizeof *x);
    if (!x) return error_set(error, ERR_NOMEM, "out of memory for risks");
    for (int k = 0; k < n; k++) x[k] = (Pair){ sure[k], risk[k] };
    qsort(x, (size_t)n, sizeof *x, by_sure);
    level_ties(x, n);
    double sum = 0;
    to->area = 0;
    for (int k = 1; k <= n; k++) {
        sum += x[k - 1].risk;
        to->area += sum / k / n;
        for (int s = 0; s < RISK_SHARES; s++)
            if (k == ((long)n * SHARE[s] + 99) / 100) to->risk[s] = sum / k;
    }
    mem_free(x);
    return OK;
}

/* ---- correcting */

typedef struct Doubt {
    double sure;
    const RiskSentence *x;
} Doubt;

static int by_doubt(const void *a, const void *b)
{
    const Doubt *x = a, *y = b;
    return (x->sure > y->sure) - (x->sure < y->sure);
}

/* Sums over sentences. After correction, matched and predicted brackets are the gold ones. */
static RiskSentence sum_of(const Doubt *d, int n)
{
    RiskSentence sum = { .words = 0 };
    for (int k = 0; k < n; k++) {
        sum.words += d[k].x->words;
        sum.gold += d[k].x->gold;
        sum.pred += d[k].x->pred;
        sum.matched += d[k].x->matched;
    }
    return sum;
}

/* How much 2 matched - target (gold + pred) grows when x is corrected; F1 is the target where it is 0. */
static double gain_of(const RiskSentence *x, double target)
{
    return 2 * (double)(x->gold - x->matched) + target * (double)(x->pred - x->gold);
}

/* The words of d [n] that are corrected, as a share of all. */
static double correct(const Doubt *d, int n, double target)
{
    RiskSentence all = sum_of(d, n);
    double missing = target * (double)(all.gold + all.pred) - 2 * (double)all.matched, words = 0;
    for (int from = 0, to; from < n && missing > 0; from = to) {
        for (to = from; to < n && d[to].sure == d[from].sure;) to++;
        RiskSentence block = sum_of(d + from, to - from);
        double gain = gain_of(&block, target);
        double part = gain > missing ? missing / gain : 1;
        words += part * (double)block.words;
        missing -= part * gain;
    }
    return all.words ? words / (double)all.words : 0;
}

Status risk_effort(const double *sure, const RiskSentence *sentence, int n, double target, double *share, Error *error)
{
    Doubt *d = mem_alloc((size_t)n, sizeof *d);
    if (!d) return error_set(error, ERR_NOMEM, "out of memory for risks");
    for (int k = 0; k < n; k++) d[k] = (Doubt){ sure[k], &sentence[k] };
    qsort(d, (size_t)n, sizeof *d, by_doubt);
    *share = correct(d, n, target);
    mem_free(d);
    return OK;
}

double risk_error(const double *expected, const double *found, int n)
{
    double gap[BINS] = { 0 }, sum = 0;
    for (int k = 0; k < n; k++) gap[(int)fmin(expected[k] * BINS, BINS - 1)] += expected[k] - found[k];
    for (int b = 0; b < BINS; b++) sum += fabs(gap[b]);
    return n ? sum / n : NAN;
}

/* ---- all orders of all kinds of risk */

static const char *const ROW[ROWS][2] = { /* in JSON, and for people */
                                          [RISK_BY_F1] = { "expected_f1", "expected F1" },
                                          [RISK_BY_MAP] = { "calibrated_f1", "calibrated F1" },
                                          [RISK_BY_LAS] = { "expected_las", "expected LAS" },
                                          [RISK_BY_TREE] = { "p_tree", "p_tree" },
                                          [RISK_BY_ARCS] = { "arcs", "softmax of arcs" },
                                          [RISK_BY_LENGTH] = { "length", "length" },
                                          [RANDOM] = { "random", "random" },
                                          [IDEAL] = { "ideal", "ideal" }
};
static const char *const KIND[RISK_KINDS][2] = { { "f1", "1 - F1" }, { "las", "1 - LAS" }, { "exact", "not exact" } };

typedef struct Table {
    int n;          /* sentences that have this risk; 0: the rest is not set */
    bool has[ROWS]; /* does the model have it? */
    RiskCurve curve[ROWS];
} Table;

static Status make_table(const RiskSentence *x, int n, RiskKind kind, Table *t, Error *e)
{
    double *sure = mem_alloc((size_t)n, sizeof *sure), *risk = mem_alloc((size_t)n, sizeof *risk);
    Status s = sure && risk ? OK : error_set(e, ERR_NOMEM, "out of memory for risks");
    *t = (Table){ .n = 0 };
    for (int k = 0; k < n && s == OK; k++)
        if (!isnan(x[k].risk[kind])) risk[t->n++] = x[k].risk[kind];
    for (int row = 0; row < ROWS && t->n && s == OK; row++) {
        int at = 0;
        t->has[row] = row == RANDOM || row == IDEAL || row == RISK_BY_LENGTH;
        for (int k = 0; k < n; k++) {
            if (isnan(x[k].risk[kind])) continue;
            sure[at++] = row == RANDOM ? 0 : row == IDEAL ? -x[k].risk[kind] : x[k].sure[row];
            if (row < RISK_ORDERS) t->has[row] |= x[k].sure[row] >= 0;
        }
        s = risk_curve(sure, risk, t->n, &t->curve[row], e);
    }
    mem_free_each(sure, risk);
    return s;
}

/* Words to correct, by target. */
typedef struct Effort {
    double now;     /* F1 without corrections; NAN: there are no brackets, and the rest is not set */
    bool has[ROWS]; /* does the model have it? */
    double share[ROWS][TARGETS];
} Effort;

/* What correcting brings for each word orders the sentences ideally, as in a fractional knapsack. */
static double effort_sure(const RiskSentence *x, int row, double target)
{
    if (row < RISK_ORDERS) return x->sure[row];
    return row == RANDOM || !x->words ? 0 : -gain_of(x, target) / (double)x->words;
}

static Status make_effort(const RiskSentence *x, int n, Effort *to, Error *e)
{
    double *sure = mem_alloc((size_t)n, sizeof *sure);
    long brackets = 0, matched = 0;
    Status s = sure ? OK : error_set(e, ERR_NOMEM, "out of memory for risks");
    for (int k = 0; k < n; k++) {
        brackets += x[k].gold + x[k].pred;
        matched += x[k].matched;
    }
    *to = (Effort){ .now = brackets ? 2 * (double)matched / (double)brackets : NAN };
    for (int row = 0; row < ROWS && brackets && s == OK; row++) {
        to->has[row] = row == RANDOM || row == IDEAL || row == RISK_BY_LENGTH;
        for (int k = 0; k < n && row < RISK_ORDERS; k++) to->has[row] |= x[k].sure[row] >= 0;
        for (int t = 0; t < TARGETS && s == OK; t++) {
            for (int k = 0; k < n; k++) sure[k] = effort_sure(&x[k], row, TARGET[t] / 100.0);
            s = risk_effort(sure, x, n, TARGET[t] / 100.0, &to->share[row][t], e);
        }
    }
    mem_free(sure);
    return s;
}

/* Expected F1 and the one found of the sentences that have both. */
typedef struct Expectation {
    int n;
    double expected, found, error; /* means, and risk_error */
} Expectation;

static Status expect_f1(const RiskSentence *x, int n, RiskOrder by, Expectation *to, Error *e)
{
    double *expected = mem_alloc((size_t)n, sizeof *expected), *found = mem_alloc((size_t)n, sizeof *found);
    *to = (Expectation){ .n = 0 };
    if (expected && found) {
        for (int k = 0; k < n; k++) {
            if (isnan(x[k].risk[RISK_F1]) || x[k].sure[by] < 0) continue;
            expected[to->n] = x[k].sure[by];
            found[to->n++] = 1 - x[k].risk[RISK_F1];
        }
        for (int k = 0; k < to->n; k++) {
            to->expected += expected[k] / to->n;
            to->found += found[k] / to->n;
        }
        to->error = risk_error(expected, found, to->n);
    } else error_set(e, ERR_NOMEM, "out of memory for risks");
    mem_free_each(expected, found);
    return e->code;
}

/* What is compared with the F1 that is found. */
enum { EXPECTATIONS = 2 };
static const RiskOrder EXPECTED[EXPECTATIONS] = { RISK_BY_F1, RISK_BY_MAP };

static void put_rows(const Table *t, const char *name, StrBuf *out)
{
    strbuf_printf(out, "\n%-15s", name);
    for (int s = 0; s < RISK_SHARES; s++) strbuf_printf(out, " %4d %%", SHARE[s]);
    strbuf_puts(out, "    area\n");
    for (int row = 0; row < ROWS; row++) {
        if (!t->has[row]) continue;
        strbuf_printf(out, "%-15s", ROW[row][1]);
        for (int s = 0; s < RISK_SHARES; s++) strbuf_printf(out, " %6.2f", 100 * t->curve[row].risk[s]);
        strbuf_printf(out, " %7.3f\n", 100 * t->curve[row].area);
    }
}

static void put_effort(const Effort *x, StrBuf *out)
{
    strbuf_printf(out, "\nwords in sentences to correct, the least sure first, from F1 %.2f to\n%-15s", 100 * x->now,
                  "");
    for (int t = 0; t < TARGETS; t++) strbuf_printf(out, " %6d", TARGET[t]);
    strbuf_putc(out, '\n');
    for (int row = 0; row < ROWS; row++) {
        if (!x->has[row]) continue;
        strbuf_printf(out, "%-15s", ROW[row][1]);
        for (int t = 0; t < TARGETS; t++) strbuf_printf(out, " %6.2f", 100 * x->share[row][t]);
        strbuf_putc(out, '\n');
    }
}

Status risk_text(const RiskSentence *sentence, int n, StrBuf *out, Error *error)
{
    Effort effort;
    Status s = OK;
    strbuf_puts(out, "\nmean risk of the surest sentences\n");
    for (int kind = 0; kind < RISK_KINDS && s == OK; kind++) {
        Table t;
        s = make_table(sentence, n, (RiskKind)kind, &t, error);
        if (s == OK && t.n) put_rows(&t, KIND[kind][1], out);
    }
    for (int k = 0; k < EXPECTATIONS && s == OK; k++) {
        Expectation f1;
        s = expect_f1(sentence, n, EXPECTED[k], &f1, error);
        if (s == OK && f1.n)
            strbuf_printf(out, "%s%s %.2f, found %.2f, calibration error %.2f, means of %d sentences\n", k ? "" : "\n",
                          ROW[EXPECTED[k]][1], 100 * f1.expected, 100 * f1.found, 100 * f1.error, f1.n);
    }
    if (s == OK) s = make_effort(sentence, n, &effort, error);
    if (s == OK && !isnan(effort.now)) put_effort(&effort, out);
    return s;
}

static void put_effort_members(const Effort *x, StrBuf *out)
{
    json_object(out, "effort");
    json_real(out, "now", "%.3f", 100 * x->now);
    json_ints(out, "f1", TARGET, TARGETS);
    for (int row = 0; row < ROWS; row++) {
        if (!x->has[row]) continue;
        json_array(out, ROW[row][0]);
        for (int t = 0; t < TARGETS; t++) json_real(out, NULL, "%.3f", 100 * x->share[row][t]);
        json_array_end(out);
    }
    json_object_end(out);
}

static void put_members(const Table *t, const char *name, StrBuf *out)
{
    json_object(out, name);
    json_long(out, "sentences", t->n);
    for (int row = 0; row < ROWS; row++) {
        if (!t->has[row]) continue;
        json_object(out, ROW[row][0]);
        json_array(out, "risk");
        for (int s = 0; s < RISK_SHARES; s++) json_real(out, NULL, "%.3f", 100 * t->curve[row].risk[s]);
        json_array_end(out);
        json_real(out, "area", "%.4f", 100 * t->curve[row].area);
        json_object_end(out);
    }
    json_object_end(out);
}

Status risk_json(const RiskSentence *sentence, int n, StrBuf *out, Error *error)
{
    Effort effort;
    Status s = OK;
    json_object(out, NULL);
    json_ints(out, "coverage", SHARE, RISK_SHARES);
    for (int kind = 0; kind < RISK_KINDS && s == OK; kind++) {
        Table t;
        s = make_table(sentence, n, (RiskKind)kind, &t, error);
        if (s == OK && t.n) put_members(&t, KIND[kind][0], out);
    }
    for (int k = 0; k < EXPECTATIONS && s == OK; k++) {
        Expectation f1;
        s = expect_f1(sentence, n, EXPECTED[k], &f1, error);
        if (s == OK && f1.n)
            json_record(out, ROW[EXPECTED[k]][0], "sentences: %d, expected: %.3f, found: %.3f, error: %.3f", f1.n,
                        100 * f1.expected, 100 * f1.found, 100 * f1.error);
    }
    if (s == OK) s = make_effort(sentence, n, &effort, error);
    if (s == OK && !isnan(effort.now)) put_effort_members(&effort, out);
    json_object_end(out);
    return s;
}
