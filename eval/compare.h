/* Significance of the difference between two outputs for the same sentences: paired bootstrap (Efron and Tibshirani
 * 1993; Berg-Kirkpatrick et al. 2012) and approximate randomisation (Noreen 1989) over sentences, of one run of each
 * system or of several. */
#pragma once

#include <stdint.h>

#include "eval/randomisation.h"
#include "eval/score.h"

/* A score that is computed from sums of `width` numbers over sentences or documents. */
typedef struct SumScore {
    int width;
    double (*value)(const double *sums); /* in percent; finite also for sums of nothing */
} SumScore;
/* Width 2: 100 times the first sum divided by the second one, 0 where that is 0. */
extern const SumScore COMPARE_RATIO;

/* Compares two systems with `runs` runs each, run r of a with run r of b: a[r], b[r] [n * width], the numbers of each
 * sentence 0 .. n-1. The score of each run is computed from its sums, and the statistic is the mean over runs of the
 * difference; p_random comes from randomisation_p (eval/randomisation.h), where a pair is a sentence of a run, and says
 * nothing of the deviation between seeds. A single run is bootstrapped, too. Each test draws `samples` samples; the
 * same seed gives the same numbers. ERR_NOMEM. */
Status compare_sums(const SumScore *score, const double *const *a, const double *const *b, int runs, int n,
                    long samples, uint64_t seed, Comparison *out, Error *error);

/* UAS and LAS are without punctuation; score_column gives the columns of CoNLL-U. */
typedef enum CompareMetric {
    COMPARE_F1,
    COMPARE_UAS,
    COMPARE_LAS,
    COMPARE_UPOS,
    COMPARE_UFEATS,
    COMPARE_LEMMAS,
    COMPARE_CLAS,
    COMPARE_MLAS,
    COMPARE_BLEX,
    COMPARE_METRICS
} CompareMetric;

/* compare_sums for one run of each system: a [n], b [n], the scores of each sentence. */
Status compare_scores(const Scores *a, const Scores *b, int n, CompareMetric metric, long samples, uint64_t seed,
                      Comparison *out, Error *error);
/* compare_sums for several runs, a[r][k], b[r][k] for sentence k in run r; never with a bootstrap. */
Status compare_runs(const Scores *const *a, const Scores *const *b, int runs, int n, CompareMetric metric, long samples,
                    uint64_t seed, Comparison *out, Error *error);

/* The score of one metric, in percent; *known (may be NULL): is there anything to score? */
double compare_score(const Scores *scores, CompareMetric metric, bool *known);
