/* Approximate randomisation (Noreen 1989): could a difference between two systems come from chance? Under the null
 * hypothesis their outputs for a sentence may be exchanged. */
#pragma once

#include <stdint.h>

/* A sentence of a run in which the two systems differ. */
typedef struct RandomisationPair {
    int run, sentence;
} RandomisationPair;

/* The statistic, kept by the caller, is changed one exchange at a time. */
typedef struct Randomisation {
    const RandomisationPair *pairs; /* [n] the pairs of a run stand one after the other */
    int n;
    void *context;
    void (*start)(void *context);              /* nothing is exchanged */
    void (*exchange)(void *context, int pair); /* exchanges the outputs of pair 0 .. n-1 */
    double (*difference)(void *context);       /* between the systems as they are now; NaN is not allowed */
} Randomisation;

/* Two-sided p of the difference d. A sample exchanges each pair with probability 1/2, independently: p = (1 + samples
 * with |d*| >= |d|) / (1 + samples). Where the pairs have no more than `samples` assignments, all 2^n are tried, and p
 * is their share with |d*| >= |d|, exactly. A pair is drawn by its run, its sentence and the seed, so the same seed
 * gives the same p. */
double randomisation_p(const Randomisation *randomisation, long samples, uint64_t seed);

/* The difference between two systems, each of one output or of several runs with different seeds. */
typedef struct Comparison {
    double a, b;        /* percent, means over the runs */
    double low, high;   /* 95 % bootstrap interval of a - b; NAN where there is no bootstrap */
    double p_bootstrap; /* one-sided: (1 + samples in which the better output is not better) / (1 + samples); or NAN */
    double p_random;    /* two-sided, randomisation_p */
} Comparison;
