/* eval/compare.h
 * Is the difference between two outputs for the same sentences more than chance? Paired bootstrap (Efron and Tibshirani
 * 1993; Berg-Kirkpatrick et al. 2012) and approximate randomisation (Noreen 1989), sentence by sentence, on sums that
 * are whole numbers. */
#ifndef LAL_EVAL_COMPARE_H
#define LAL_EVAL_COMPARE_H

#include <stdint.h>

#include "eval/score.h"

typedef enum CompareMetric {
    COMPARE_F1,
    COMPARE_UAS,
    COMPARE_LAS,
    COMPARE_METRICS
} CompareMetric; /* UAS and LAS without punctuation */

typedef struct Comparison {
    double a, b;        /* percent */
    double low, high;   /* 95 % interval of a - b over the bootstrap */
    double p_bootstrap; /* one-sided: share of samples in which the better one is not better */
    double p_random;    /* two-sided: (swaps with a difference at least as large + 1) / (samples + 1) */
} Comparison;

/* a and b hold the scores of each sentence alone, [n]. Uses `samples` draws for each test; the same seed gives the same
 * numbers. ERR_NOMEM. */
Status compare_scores(const Scores *a, const Scores *b, int n, CompareMetric metric, long samples, uint64_t seed,
                      Comparison *out, Error *e);

#endif
