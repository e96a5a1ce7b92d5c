/* A few scales are tried for each group, and the one with the least error is taken. */
#include "tensor/int4.h"

#include <math.h>
#include <string.h>

#include "tensor/safetensors.h"

enum { LEAST = -8, MOST = 7, CANDIDATES = 9 };

static int rounded(double x, double scale)
{
    double q = scale != 0 ? rint(x / scale) : 0;
    return q < LEAST ? LEAST : q > MOST ? MOST : (int)q;
}

/* Candidates map the largest number to -7, -7.25, ..., -9, so rounding it is weighed against rounding the others;
 * of equal errors the first one counts. */
static double best_scale(const double *x, size_t n)
{
    double largest = 0, least = INFINITY, best = 0;
    for (size_t i = 0; i < n; i++) largest = fabs(x[i]) > fabs(largest) ? x[i] : largest;
    for (int c = 0; c < CANDIDATES; c++) {
        double scale = (double)dtype_half_to_float(dtype_float_to_half((float)(largest / (-7 - 0.25 * c)))), error = 0;
        for (size_t i = 0; i < n; i++) {
            double d = x[i] - rounded(x[i], scale) * scale;
            error += d * d;
        }
        if (error < least) {
            least = error;
            best = scale;
        }
    }
    return best;
}

float int4_encode(const Real *x, size_t count, uint8_t *q)
{
    double y[INT4_GROUP] = { 0 };
    for (size_t i = 0; i < count; i++) {
        y[i] = (double)x[i];
        if (!(fabs(y[i]) <= 7 * 65504.0)) return INFINITY;
    }
    /* Twice, so that what was decoded is encoded as before. */
    double scale = best_scale(y, count);
    for (size_t i = 0; i < count; i++) y[i] = rounded(y[i], scale) * scale;
    scale = best_scale(y, count);
    memset(q, 0, int4_bytes(count));
    for (size_t i = 0; i < count; i++) q[i / 2] |= (uint8_t)((rounded(y[i], scale) - LEAST) << (i % 2 * 4));
    return (float)scale;
}
