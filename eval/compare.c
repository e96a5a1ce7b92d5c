/* eval/compare.c */
#include "eval/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "eval/randomisation.h"

/* part / whole, each a sum over sentences. */
typedef struct Ratio {
    long part, whole;
} Ratio;

static Ratio ratio_of(const Scores *s, CompareMetric metric)
{
    if (metric == COMPARE_F1) return (Ratio){ 2 * s->matched_brackets, s->gold_brackets + s->pred_brackets };
    return (Ratio){ metric == COMPARE_UAS ? s->dep.nopunct.heads : s->dep.nopunct.both, s->dep.nopunct.words };
}

static double percent(Ratio r) { return score_percent(r.part, r.whole); }

static void add(Ratio *sum, Ratio x)
{
    sum->part += x.part;
    sum->whole += x.whole;
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static void bootstrap(const Ratio *a, const Ratio *b, int n, long samples, uint64_t seed, double *differences,
                      Comparison *out)
{
    long not_better = 0;
    bool a_better = out->a >= out->b;
    for (long k = 0; k < samples; k++) {
        Ratio x = { 0, 0 }, y = { 0, 0 };
        uint64_t key = rng_key(seed, 0xb0, (uint64_t)k, 0);
        for (int i = 0; i < n; i++) {
            int s = (int)(((uint64_t)rng_bits32(key, (uint32_t)i) * (uint64_t)n) >> 32);
            add(&x, a[s]);
            add(&y, b[s]);
        }
        differences[k] = percent(x) - percent(y);
        not_better += a_better ? differences[k] <= 0 : differences[k] >= 0;
    }
    qsort(differences, (size_t)samples, sizeof *differences, ascending);
    out->low = differences[(long)(0.025 * (double)(samples - 1))];
    out->high = differences[(long)ceil(0.975 * (double)(samples - 1))];
    out->p_bootstrap = (double)(not_better + 1) / (double)(samples + 1);
}

/* ---- approximate randomisation */

typedef struct Test {
    RandomisationPair *pairs; /* [n] where the counts of the systems differ */
    Ratio *change;            /* [n] an exchange adds it to the sums of a and takes it from the sums of b */
    int n, runs;
    const Ratio *a, *b; /* [runs] sums */
    Ratio *x, *y;       /* [runs] sums of a sample */
} Test;

static void start(void *context)
{
    const Test *t = context;
    memcpy(t->x, t->a, (size_t)t->runs * sizeof *t->x);
    memcpy(t->y, t->b, (size_t)t->runs * sizeof *t->y);
}

static void exchange(void *context, int pair)
{
    const Test *t = context;
    int r = t->pairs[pair].run;
    t->x[r].part += t->change[pair].part;
    t->x[r].whole += t->change[pair].whole;
    t->y[r].part -= t->change[pair].part;
    t->y[r].whole -= t->change[pair].whole;
}

static double mean_difference(void *context)
{
    const Test *t = context;
    double sum = 0;
    for (int r = 0; r < t->runs; r++) sum += percent(t->x[r]) - percent(t->y[r]);
    return sum / t->runs;
}

/* The sums of both systems, and the pairs that differ. */
static bool collect(Test *t, Ratio *sum_a, Ratio *sum_b, const Scores *const *a, const Scores *const *b, int n,
                    CompareMetric metric)
{
    int cap = 0, cap_change = 0;
    for (int r = 0; r < t->runs; r++)
        for (int k = 0; k < n; k++) {
            Ratio x = ratio_of(&a[r][k], metric), y = ratio_of(&b[r][k], metric);
            add(&sum_a[r], x);
            add(&sum_b[r], y);
            if (x.part == y.part && x.whole == y.whole) continue;
            if (!mem_reserve(t->pairs, &cap, t->n + 1) || !mem_reserve(t->change, &cap_change, t->n + 1)) return false;
            t->pairs[t->n] = (RandomisationPair){ r, k };
            t->change[t->n++] = (Ratio){ y.part - x.part, y.whole - x.whole };
        }
    return true;
}

Status compare_runs(const Scores *const *a, const Scores *const *b, int runs, int n, CompareMetric metric, long samples,
                    uint64_t seed, Comparison *out, Error *e)
{
    Ratio *sums = mem_calloc((size_t)runs, 4 * sizeof *sums);
    Test t = { .runs = runs, .a = sums };
    bool ok = sums != NULL;
    if (ok) {
        t.b = sums + runs;
        t.x = sums + 2 * (ptrdiff_t)runs;
        t.y = sums + 3 * (ptrdiff_t)runs;
        ok = collect(&t, sums, sums + runs, a, b, n, metric);
    }
    if (ok) {
        const Randomisation r = { t.pairs, t.n, &t, start, exchange, mean_difference };
        *out =
            (Comparison){ .low = NAN, .high = NAN, .p_bootstrap = NAN, .p_random = randomisation_p(&r, samples, seed) };
        for (int k = 0; k < runs; k++) {
            out->a += percent(t.a[k]) / runs;
            out->b += percent(t.b[k]) / runs;
        }
    }
    mem_free(sums);
    mem_free(t.pairs);
    mem_free(t.change);
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory comparing");
}

double compare_score(const Scores *s, CompareMetric metric, bool *known)
{
    Ratio r = ratio_of(s, metric);
    if (known) *known = metric == COMPARE_F1 ? s->trees > 0 : r.whole > 0;
    return percent(r);
}

/* ---- several comparisons */

bool compare_holm(const double *p, int n, double *adjusted)
{
    double *sorted = mem_calloc((size_t)n + 1, sizeof *sorted), *largest = mem_calloc((size_t)n + 1, sizeof *largest);
    bool ok = sorted && largest;
    if (ok) {
        memcpy(sorted, p, (size_t)n * sizeof *p);
        qsort(sorted, (size_t)n, sizeof *sorted, ascending);
        for (int k = 0; k < n; k++) {
            largest[k] = fmin(1, (n - k) * sorted[k]);
            if (k && largest[k] < largest[k - 1]) largest[k] = largest[k - 1];
        }
        for (int i = 0; i < n; i++) {
            int k = 0;
            while (sorted[k] < p[i]) k++; /* equal values have one adjusted value: the first one */
            adjusted[i] = largest[k];
        }
    }
    mem_free(sorted);
    mem_free(largest);
    return ok;
}

/* ---- two outputs */

Status compare_scores(const Scores *a, const Scores *b, int n, CompareMetric metric, long samples, uint64_t seed,
                      Comparison *out, Error *e)
{
    Ratio *x = mem_calloc((size_t)n, sizeof *x), *y = mem_calloc((size_t)n, sizeof *y);
    double *differences = mem_calloc((size_t)samples, sizeof *differences);
    bool ok = x && y && differences;
    Status s = ok ? compare_runs(&a, &b, 1, n, metric, samples, seed, out, e)
                  : error_set(e, ERR_NOMEM, "out of memory comparing");
    if (ok && s == OK) {
        for (int i = 0; i < n; i++) {
            x[i] = ratio_of(&a[i], metric);
            y[i] = ratio_of(&b[i], metric);
        }
        bootstrap(x, y, n, samples, seed, differences, out);
    }
    mem_free(x);
    mem_free(y);
    mem_free(differences);
    return s;
}
