/* Windows are counted by sliding them over the gaps; a corpus has sums over documents, of which
 * precision and recall are ratios and the window errors are means. */
#include "eval/boundaries.h"

#include <math.h>

static int count(const bool *bits, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++) sum += bits[k];
    return sum;
}

int boundaries_window(const bool *reference, int n)
{
    int segments = count(reference, n - 1) + 1, half = (n + segments) / (2 * segments);
    return half > 2 ? half : 2;
}

bool boundaries_errors(const bool *reference, const bool *output, int n, int k, double *p_k, double *window_diff)
{
    int windows = n - k, one = 0, different = 0;
    if (windows <= 0) return false;
    int expected = count(reference, k), found = count(output, k);
    for (int w = 0;; w++) {
        one += (expected > 0) != (found > 0);
        different += expected != found;
        if (w == windows - 1) break;
        expected += reference[w + k] - reference[w];
        found += output[w + k] - output[w];
    }
    *p_k = (double)one / windows;
    *window_diff = (double)different / windows;
    return true;
}

void boundaries_count(const bool *reference, const bool *output, int n, BoundaryCounts *c)
{
    double one, different;
    for (int k = 0; k < n - 1; k++) c->right += reference[k] && output[k];
    c->expected += count(reference, n - 1);
    c->found += count(output, n - 1);
    if (!boundaries_errors(reference, output, n, boundaries_window(reference, n), &one, &different)) return;
    c->p_k += one;
    c->window_diff += different;
    c->windowed++;
}

static double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

double boundaries_value(const BoundaryCounts *c, BoundaryMetric metric)
{
    double right = (double)c->right, found = (double)c->found, expected = (double)c->expected;
    switch (metric) {
    case BOUNDARY_PRECISION: return percent(right, found);
    case BOUNDARY_RECALL: return percent(right, expected);
    case BOUNDARY_F1: return percent(2 * right, found + expected);
    default: break;
    }
    double sum = metric == BOUNDARY_P_K ? c->p_k : c->window_diff;
    return c->windowed ? 100 * sum / (double)c->windowed : NAN;
}

/* ---- sums */

void boundaries_numbers(const BoundaryCounts *c, double numbers[BOUNDARY_NUMBERS])
{
    const double all[BOUNDARY_NUMBERS] = { (double)c->right, (double)c->found, (double)c->expected,
                                           c->p_k,           c->window_diff,   (double)c->windowed };
    for (int k = 0; k < BOUNDARY_NUMBERS; k++) numbers[k] = all[k];
}

BoundaryCounts boundaries_counts(const double numbers[BOUNDARY_NUMBERS])
{
    return (BoundaryCounts){ (long)numbers[0], (long)numbers[1], (long)numbers[2],
                             numbers[3],       numbers[4],       (long)numbers[5] };
}

void boundaries_take_windows(const double from[BOUNDARY_NUMBERS], double to[BOUNDARY_NUMBERS])
{
    for (int k = 3; k < BOUNDARY_NUMBERS; k++) to[k] = from[k];
}

static double of_sums(const double *sums, BoundaryMetric metric)
{
    BoundaryCounts c = boundaries_counts(sums);
    double value = boundaries_value(&c, metric);
    return isnan(value) ? 0 : value;
}

static double f1(const double *sums) { return of_sums(sums, BOUNDARY_F1); }
static double p_k(const double *sums) { return of_sums(sums, BOUNDARY_P_K); }
static double window_diff(const double *sums) { return of_sums(sums, BOUNDARY_WINDOW_DIFF); }

const SumScore BOUNDARIES_OF_SUMS[BOUNDARY_COMPARED] = { [BOUNDARY_F1] = { BOUNDARY_NUMBERS, f1 },
                                                         [BOUNDARY_P_K] = { BOUNDARY_NUMBERS, p_k },
                                                         [BOUNDARY_WINDOW_DIFF] = { BOUNDARY_NUMBERS, window_diff } };
