/* eval/compare.h
 * Significance of the difference between two outputs for the same sentences: paired bootstrap (Efron and Tibshirani
 * 1993; Berg-Kirkpatrick et al. 2012) and approximate randomisation (Noreen 1989) over sentences. */
#ifndef LAL_EVAL_COMPARE_H
#define LAL_EVAL_COMPARE_H

#include <stdint.h>

#include "eval/score.h"

/* UAS and LAS are without punctuation. */
typedef enum CompareMetric { COMPARE_F1, COMPARE_UAS, COMPARE_LAS, COMPARE_METRICS } CompareMetric;

typedef struct Comparison {
    double a, b;        /* percent */
    double low, high;   /* 95 % bootstrap interval of a - b */
    double p_bootstrap; /* one-sided: proportion of samples in which the better output is not better */
    double p_random;    /* two-sided: (swaps with a difference at least as large + 1) / (samples + 1) */
} Comparison;

/* a [n], b [n]: the scores of each sentence. Each test draws `samples` samples; the same seed gives the same numbers.
 * ERR_NOMEM. */
Status compare_scores(const Scores *a, const Scores *b, int n, CompareMetric metric, long samples, uint64_t seed,
                      Comparison *out, Error *e);

#endif
