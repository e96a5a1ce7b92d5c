/* eval/compare.c */
#include "eval/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"

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
    out->p_bootstrap = (double)not_better / (double)samples;
}

static void randomise(const Ratio *a, const Ratio *b, int n, long samples, uint64_t seed, Comparison *out)
{
    long as_large = 0;
    double observed = fabs(out->a - out->b);
    for (long k = 0; k < samples; k++) {
        Ratio x = { 0, 0 }, y = { 0, 0 };
        uint64_t key = rng_key(seed, 0xa4, (uint64_t)k, 0);
        for (int i = 0; i < n; i++) {
            bool swap = rng_bits32(key, (uint32_t)i) >> 31;
            add(&x, swap ? b[i] : a[i]);
            add(&y, swap ? a[i] : b[i]);
        }
        as_large += fabs(percent(x) - percent(y)) >= observed - 1e-12;
    }
    out->p_random = (double)(as_large + 1) / (double)(samples + 1);
}

Status compare_scores(const Scores *a, const Scores *b, int n, CompareMetric metric, long samples, uint64_t seed,
                      Comparison *out, Error *e)
{
    Ratio *x = mem_calloc((size_t)n, sizeof *x), *y = mem_calloc((size_t)n, sizeof *y), sum_a = { 0, 0 },
          sum_b = { 0, 0 };
    double *differences = mem_calloc((size_t)samples, sizeof *differences);
    Status s = x && y && differences ? OK : error_set(e, ERR_NOMEM, "out of memory comparing");
    if (s == OK) {
        for (int i = 0; i < n; i++) {
            add(&sum_a, x[i] = ratio_of(&a[i], metric));
            add(&sum_b, y[i] = ratio_of(&b[i], metric));
        }
        *out = (Comparison){ .a = percent(sum_a), .b = percent(sum_b) };
        bootstrap(x, y, n, samples, seed, differences, out);
        randomise(x, y, n, samples, seed, out);
    }
    mem_free(x);
    mem_free(y);
    mem_free(differences);
    return s;
}
