/* Boundaries between the segments of documents, such as sections: precision, recall and F1, and the errors P_k
 * (Beeferman et al. 1999) and WindowDiff (Pevzner and Hearst 2002), which count windows instead, so that a boundary
 * that is nearly right costs less than one that is far away.
 * A document of n >= 1 sentences has n - 1 gaps: bit k of reference [n - 1] and output [n - 1] says whether a segment
 * begins with sentence k + 1, counted from 0. A window of k sentences has the k gaps after each of them; a document has
 * n - k windows. */
#pragma once

#include <stdbool.h>

#include "eval/compare.h"

/* The window of the measures: half the mean length of the segments of the reference, rounded half up, at least 2. */
int boundaries_window(const bool *reference, int n);

/* The shares, 0 .. 1, of windows of k >= 1 gaps in which exactly one of the two has a boundary (P_k), and in which they
 * have different numbers of boundaries (WindowDiff). false, with nothing set, where there is no window: k >= n. */
bool boundaries_errors(const bool *reference, const bool *output, int n, int k, double *p_k, double *window_diff);

/* A set of documents has the sums of their counts. */
typedef struct BoundaryCounts {
    long right, found, expected; /* boundaries */
    double p_k, window_diff;     /* sums of the errors, with the window of each document */
    long windowed;               /* documents that have windows, which alone are in these sums */
} BoundaryCounts;

/* Adds the counts of a document. */
void boundaries_count(const bool *reference, const bool *output, int n, BoundaryCounts *counts);

typedef enum BoundaryMetric {
    BOUNDARY_F1,
    BOUNDARY_P_K,
    BOUNDARY_WINDOW_DIFF,
    BOUNDARY_PRECISION,
    BOUNDARY_RECALL,
    BOUNDARY_METRICS
} BoundaryMetric;

/* In percent. F1, precision and recall are computed from sums over documents, 0 where there is nothing to divide by;
 * P_k and WindowDiff are means over the documents that have windows, NAN if none does. */
double boundaries_value(const BoundaryCounts *counts, BoundaryMetric metric);

/* Counts as numbers that compare_sums adds up, and the metrics of sums: F1, P_k, WindowDiff; 0 where boundaries_value
 * has NAN. */
enum { BOUNDARY_NUMBERS = 6, BOUNDARY_COMPARED = BOUNDARY_WINDOW_DIFF + 1 };
void boundaries_numbers(const BoundaryCounts *counts, double numbers[BOUNDARY_NUMBERS]);
BoundaryCounts boundaries_counts(const double numbers[BOUNDARY_NUMBERS]);
/* Replaces the sums of the errors of windows by the ones of `from`. */
void boundaries_take_windows(const double from[BOUNDARY_NUMBERS], double to[BOUNDARY_NUMBERS]);
extern const SumScore BOUNDARIES_OF_SUMS[BOUNDARY_COMPARED];
