/* Small functions that compilers vectorise. */
#pragma once

#include <math.h>
#include <stdint.h>

#include "tensor/cpu/level/vector.h"

static inline Real real_sqrt(Real x)
{
#ifdef LAL_REAL_DOUBLE
    return sqrt(x);
#else
    return sqrtf(x);
#endif
}

/* exp(x). In float: 2^k * p(r) with a degree-6 polynomial, relative error below 2e-7; below -87 it is 0. */
static inline Real real_exp(Real x)
{
#ifdef LAL_REAL_DOUBLE
    return exp(x);
#else
    float c = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
    float k = c * 1.44269504f + 12582912.0f; /* rounds to a whole number in the low bits */
    uint32_t bits;
    memcpy(&bits, &k, sizeof bits);
    k -= 12582912.0f;
    float r = c - k * 0.693359375f + k * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    uint32_t power = (bits + 127) << 23; /* the magic constant's low bits hold k, the rest is shifted out */
    float scale;
    memcpy(&scale, &power, sizeof scale);
    return x < -87.0f ? 0.0f : p * scale;
#endif
}

/* real_exp in each place; NaN stays. */
static inline Vector vector_exp(Vector x)
{
    Vector y = x;
#ifdef LAL_REAL_DOUBLE
    for (int l = 0; l < WIDTH; l++) y[l] = exp(x[l]);
#else
    const Vector least = (Vector){ 0 } - 87, most = (Vector){ 0 } + 88;
    Vector c = vector_max(least, -vector_max(-most, -x)), k = c * 1.44269504f + 12582912.0f, r;
    VectorMask power = ((VectorMask)k + 127) << 23; /* as in real_exp */
    k -= 12582912.0f;
    r = c - k * 0.693359375f + k * 2.12194440e-4f;
    y = r * 1.9875691500e-4f + 1.3981999507e-3f;
    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = y * (r * r) + r + 1.0f;
    y = (Vector)((VectorMask)(y * (Vector)power) & ~(VectorMask)(x < least));
#endif
    return y;
}

/* The distribution function of the normal distribution. In float by Abramowitz and Stegun 7.1.26, absolute error below
 * 3e-7. */
static inline Real real_normal(Real x)
{
#ifdef LAL_REAL_DOUBLE
    return 0.5 * erfc(-x * 0.70710678118654752440);
#else
    float z = fabsf(x) * 0.707106781f, t = 1 / (1 + 0.3275911f * z), p = 1.061405429f;
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    float above = 0.5f * p * t * real_exp(-z * z);
    return x < 0 ? above : 1 - above;
#endif
}

/* real_normal in each place. */
static inline Vector vector_normal(Vector x)
{
    Vector y = { 0 };
#ifdef LAL_REAL_DOUBLE
    for (int l = 0; l < WIDTH; l++) y[l] = real_normal(x[l]);
#else
    const VectorMask below = x < 0;
    Vector z = (Vector)((VectorMask)x & INT32_MAX) * 0.707106781f, t = 1 / (1 + 0.3275911f * z), p;
    p = 1.061405429f * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    p = 0.5f * p * t * vector_exp(-z * z); /* beyond |x| */
    y = (Vector)((below & (VectorMask)p) | (~below & (VectorMask)(1 - p)));
#endif
    return y;
}

static inline Real real_sigmoid(Real x) { return 1 / (1 + real_exp(-x)); }
static inline Real real_tanh(Real x) { return 2 * real_sigmoid(2 * x) - 1; }

/* Sums of a row in four vectors while it is long enough, in a fixed order: each place adds few numbers, so that the sum
 * of a row of some hundreds is exact to about the rounding of Real, and no addition waits for the one before. */
static inline double sum_of(const Real *x, int n)
{
    Vector a = { 0 }, b = a, c = a, d = a;
    double rest = 0;
    int i = 0;
    for (; i + 4 * WIDTH <= n; i += 4 * WIDTH) {
        a += vector_at(x + i), b += vector_at(x + i + WIDTH);
        c += vector_at(x + i + 2 * WIDTH), d += vector_at(x + i + 3 * WIDTH);
    }
    for (; i + WIDTH <= n; i += WIDTH) a += vector_at(x + i);
    for (; i < n; i++) rest += (double)x[i];
    return rest + (double)vector_sum((a + b) + (c + d));
}

static inline double dot_of(const Real *x, const Real *y, int n)
{
    Vector a = { 0 }, b = a, c = a, d = a;
    double rest = 0;
    int i = 0;
    for (; i + 4 * WIDTH <= n; i += 4 * WIDTH) {
        a += vector_at(x + i) * vector_at(y + i);
        b += vector_at(x + i + WIDTH) * vector_at(y + i + WIDTH);
        c += vector_at(x + i + 2 * WIDTH) * vector_at(y + i + 2 * WIDTH);
        d += vector_at(x + i + 3 * WIDTH) * vector_at(y + i + 3 * WIDTH);
    }
    for (; i + WIDTH <= n; i += WIDTH) a += vector_at(x + i) * vector_at(y + i);
    for (; i < n; i++) rest += (double)x[i] * (double)y[i];
    return rest + (double)vector_sum((a + b) + (c + d));
}

static inline Vector vector_squares(const Real *x, Real mean)
{
    Vector d = vector_at(x) - mean;
    return d * d;
}

/* sum (x - mean)^2 */
static inline double squares_of(const Real *x, Real mean, int n)
{
    Vector a = { 0 }, b = a, c = a, d = a;
    double rest = 0;
    int i = 0;
    for (; i + 4 * WIDTH <= n; i += 4 * WIDTH) {
        a += vector_squares(x + i, mean), b += vector_squares(x + i + WIDTH, mean);
        c += vector_squares(x + i + 2 * WIDTH, mean), d += vector_squares(x + i + 3 * WIDTH, mean);
    }
    for (; i + WIDTH <= n; i += WIDTH) a += vector_squares(x + i, mean);
    for (; i < n; i++) rest += (double)(x[i] - mean) * (double)(x[i] - mean);
    return rest + (double)vector_sum((a + b) + (c + d));
}

/* The largest of x [n], -INFINITY without any; NaN does not count. */
static inline Real max_of(const Real *x, int n)
{
    Real most = -INFINITY;
    int i = 0;
    if (n >= WIDTH) {
        Vector v = (Vector){ 0 } - (Real)INFINITY;
        for (; i + WIDTH <= n; i += WIDTH) v = vector_max(vector_at(x + i), v);
        most = vector_largest(v);
    }
    for (; i < n; i++) most = x[i] > most ? x[i] : most;
    return most;
}
