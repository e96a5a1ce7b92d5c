/* Every metric is a function of sums over sentences, so that a sample is a sum of other rows; only
 * sentences in which the systems differ are exchanged. */
#include "eval/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "eval/randomisation.h"

static double ratio(const double *sums) { return sums[1] != 0 ? 100 * sums[0] / sums[1] : 0; }

const SumScore COMPARE_RATIO = { 2, ratio };

typedef struct Test {
    const SumScore *score;
    const double *const *a, *const *b; /* [runs][n * width] of compare_sums */
    int runs, n;
    RandomisationPair *pairs; /* [n_pairs] sentences of runs in which the numbers of the systems differ */
    int n_pairs, cap;
    double *sums[2];   /* [runs * width] of a and of b */
    double *sample[2]; /* [runs * width] of a sample of each */
} Test;

static const double *row(const Test *t, const double *numbers, int k)
{
    return numbers + (size_t)k * (size_t)t->score->width;
}

static void add(const Test *t, double *sums, const double *numbers)
{
    for (int i = 0; i < t->score->width; i++) sums[i] += numbers[i];
}

/* The mean score over runs of a system with these sums. */
static double mean_score(const Test *t, const double *sums)
{
    double mean = 0;
    for (int r = 0; r < t->runs; r++) mean += t->score->value(row(t, sums, r)) / t->runs;
    return mean;
}

/* ---- bootstrap */

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

/* The difference between the systems, of which there is one run, in sample k. */
static double resampled(const Test *t, uint64_t seed, long k)
{
    size_t size = (size_t)t->score->width * sizeof(double);
    uint64_t key = rng_key(seed, 0xb0, (uint64_t)k, 0);
    memset(t->sample[0], 0, size);
    memset(t->sample[1], 0, size);
    for (int i = 0; i < t->n; i++) {
        int drawn = (int)(((uint64_t)rng_bits32(key, (uint32_t)i) * (uint64_t)t->n) >> 32);
        add(t, t->sample[0], row(t, t->a[0], drawn));
        add(t, t->sample[1], row(t, t->b[0], drawn));
    }
    return t->score->value(t->sample[0]) - t->score->value(t->sample[1]);
}

static bool bootstrap(const Test *t, long samples, uint64_t seed, Comparison *out)
{
    long not_better = 0;
    bool a_better = out->a >= out->b;
    double *differences = mem_calloc((size_t)samples, sizeof *differences);
    if (!differences) return false;
    for (long k = 0; k < samples; k++) {
        differences[k] = resampled(t, seed, k);
        not_better += a_better ? differences[k] <= 0 : differences[k] >= 0;
    }
    qsort(differences, (size_t)samples, sizeof *differences, ascending);
    out->low = differences[(long)(0.025 * (double)(samples - 1))];
    out->high = differences[(long)ceil(0.975 * (double)(samples - 1))];
    out->p_bootstrap = (double)(not_better + 1) / (double)(samples + 1);
    mem_free(differences);
    return true;
}

/* ---- approximate randomisation */

static void start(void *context)
{
    const Test *t = context;
    size_t size = (size_t)t->runs * (size_t)t->score->width * sizeof(double);
    for (int k = 0; k < 2; k++) memcpy(t->sample[k], t->sums[k], size);
}

static void exchange(void *context, int pair)
{
    const Test *t = context;
    RandomisationPair p = t->pairs[pair];
    const double *a = row(t, t->a[p.run], p.sentence), *b = row(t, t->b[p.run], p.sentence);
    double *x = t->sample[0] + (size_t)p.run * (size_t)t->score->width,
           *y = t->sample[1] + (size_t)p.run * (size_t)t->score->width;
    for (int i = 0; i < t->score->width; i++) {
        x[i] += b[i] - a[i];
        y[i] += a[i] - b[i];
    }
}

static double difference(void *context)
{
    const Test *t = context;
    return mean_score(t, t->sample[0]) - mean_score(t, t->sample[1]);
}

/* The sums of both systems, and the pairs that differ. */
static bool collect(Test *t)
{
    size_t width = (size_t)t->score->width, size = (size_t)t->runs * width;
    for (int k = 0; k < 2; k++) {
        t->sums[k] = mem_calloc(size, sizeof(double));
        t->sample[k] = mem_calloc(size, sizeof(double));
        if (!t->sums[k] || !t->sample[k]) return false;
    }
    for (int r = 0; r < t->runs; r++)
        for (int k = 0; k < t->n; k++) {
            const double *a = row(t, t->a[r], k), *b = row(t, t->b[r], k);
            add(t, t->sums[0] + (size_t)r * width, a);
            add(t, t->sums[1] + (size_t)r * width, b);
            if (memcmp(a, b, width * sizeof *a) == 0) continue;
            if (!mem_reserve(t->pairs, &t->cap, t->n_pairs + 1)) return false;
            t->pairs[t->n_pairs++] = (RandomisationPair){ r, k };
        }
    return true;
}

static Status compare(Test t, bool with_bootstrap, long samples, uint64_t seed, Comparison *out, Error *e)
{
    bool ok = collect(&t);
    if (ok) {
        const Randomisation r = { t.pairs, t.n_pairs, &t, start, exchange, difference };
        *out = (Comparison){ .a = mean_score(&t, t.sums[0]),
                             .b = mean_score(&t, t.sums[1]),
                             .low = NAN,
                             .high = NAN,
                             .p_bootstrap = NAN,
                             .p_random = randomisation_p(&r, samples, seed) };
    }
    if (ok && with_bootstrap) ok = bootstrap(&t, samples, seed, out);
    for (int k = 0; k < 2; k++) mem_free_each(t.sums[k], t.sample[k]);
    mem_free(t.pairs);
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory comparing");
}

Status compare_sums(const SumScore *score, const double *const *a, const double *const *b, int runs, int n,
                    long samples, uint64_t seed, Comparison *out, Error *error)
{
    return compare((Test){ .score = score, .a = a, .b = b, .runs = runs, .n = n }, runs == 1, samples, seed, out,
                   error);
}

/* ---- scores of sentences */

/* The measure of columns that a metric is from COMPARE_UPOS on. */
static AlignMeasure column_of(CompareMetric metric)
{
    static const AlignMeasure columns[COMPARE_METRICS] = {
        [COMPARE_UPOS] = ALIGN_UPOS, [COMPARE_UFEATS] = ALIGN_UFEATS, [COMPARE_LEMMAS] = ALIGN_LEMMAS,
        [COMPARE_CLAS] = ALIGN_CLAS, [COMPARE_MLAS] = ALIGN_MLAS,     [COMPARE_BLEX] = ALIGN_BLEX
    };
    return columns[metric];
}

/* The sums whose ratio a metric is. */
static void parts_of(const Scores *s, CompareMetric metric, double parts[2])
{
    if (metric >= COMPARE_UPOS) {
        const AlignCount *c = &s->columns.of[column_of(metric)];
        parts[0] = (double)(2 * c->matched);
        parts[1] = (double)(c->gold + c->pred);
        return;
    }
    const DepCounts *d = &s->dep.nopunct;
    bool f1 = metric == COMPARE_F1;
    parts[0] = (double)(f1 ? 2 * s->matched_brackets : metric == COMPARE_UAS ? d->heads : d->both);
    parts[1] = (double)(f1 ? s->gold_brackets + s->pred_brackets : d->words);
}

double compare_score(const Scores *scores, CompareMetric metric, bool *known)
{
    double parts[2];
    if (metric >= COMPARE_UPOS) return score_column(scores, column_of(metric), known);
    parts_of(scores, metric, parts);
    if (known) *known = metric == COMPARE_F1 ? scores->trees > 0 : parts[1] > 0;
    return ratio(parts);
}

static double *parts_of_run(const Scores *s, int n, CompareMetric metric)
{
    double *parts = mem_calloc((size_t)n + 1, 2 * sizeof *parts);
    for (int k = 0; k < n && parts; k++) parts_of(&s[k], metric, parts + 2 * (ptrdiff_t)k);
    return parts;
}

static Status compare_parts(const Scores *const *a, const Scores *const *b, int runs, int n, CompareMetric metric,
                            bool with_bootstrap, long samples, uint64_t seed, Comparison *out, Error *e)
{
    double **parts = mem_calloc((size_t)runs, 2 * sizeof *parts);
    bool ok = parts != NULL;
    for (int r = 0; r < 2 * runs && ok; r++)
        ok = (parts[r] = parts_of_run(r < runs ? a[r] : b[r - runs], n, metric)) != NULL;
    const double *const *of = (const double *const *)parts;
    Status status = ok ? compare((Test){ .score = &COMPARE_RATIO, .a = of, .b = of + runs, .runs = runs, .n = n },
                                 with_bootstrap, samples, seed, out, e)
                       : error_set(e, ERR_NOMEM, "out of memory comparing");
    for (int r = 0; r < 2 * runs && parts; r++) mem_free(parts[r]);
    mem_free(parts);
    return status;
}

Status compare_scores(const Scores *a, const Scores *b, int n, CompareMetric metric, long samples, uint64_t seed,
                      Comparison *out, Error *error)
{
    return compare_parts(&a, &b, 1, n, metric, true, samples, seed, out, error);
}

Status compare_runs(const Scores *const *a, const Scores *const *b, int runs, int n, CompareMetric metric, long samples,
                    uint64_t seed, Comparison *out, Error *error)
{
    return compare_parts(a, b, runs, n, metric, false, samples, seed, out, error);
}
