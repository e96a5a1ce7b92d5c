/* tensor/cpu/math.h: small functions that compilers vectorise. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tensor/tensor.h"

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

static inline Real real_sigmoid(Real x) { return 1 / (1 + real_exp(-x)); }
static inline Real real_tanh(Real x) { return 2 * real_sigmoid(2 * x) - 1; }

/* Sums of a row in lanes, four vectors of them while the row is long enough, in a fixed order: each lane adds few
 * numbers, so that the sum of a row of some hundreds is exact to about the rounding of Real, and an addition does not
 * wait for the one before. */
typedef Real Lanes __attribute__((vector_size(64)));
enum { LANES = sizeof(Lanes) / sizeof(Real) };

static inline Lanes lanes_of(const Real *x)
{
    Lanes v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* The sum of all lanes. */
static inline double sum_of_lanes(Lanes a)
{
    typedef Real Half __attribute__((vector_size(32)));
    typedef Real Quarter __attribute__((vector_size(16)));
    Half h[2];
    Quarter q[2];
    double s = 0;
    memcpy(h, &a, sizeof h);
    h[0] += h[1];
    memcpy(q, &h[0], sizeof q);
    q[0] += q[1];
    for (size_t l = 0; l < sizeof q[0] / sizeof(Real); l++) s += (double)q[0][l];
    return s;
}

static inline double sum_of(const Real *x, int n)
{
    Lanes a = { 0 }, b = a, c = a, d = a;
    double rest = 0;
    int i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        a += lanes_of(x + i), b += lanes_of(x + i + LANES);
        c += lanes_of(x + i + 2 * LANES), d += lanes_of(x + i + 3 * LANES);
    }
    for (; i + LANES <= n; i += LANES) a += lanes_of(x + i);
    for (; i < n; i++) rest += (double)x[i];
    return rest + sum_of_lanes((a + b) + (c + d));
}

static inline double dot_of(const Real *x, const Real *y, int n)
{
    Lanes a = { 0 }, b = a, c = a, d = a;
    double rest = 0;
    int i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        a += lanes_of(x + i) * lanes_of(y + i);
        b += lanes_of(x + i + LANES) * lanes_of(y + i + LANES);
        c += lanes_of(x + i + 2 * LANES) * lanes_of(y + i + 2 * LANES);
        d += lanes_of(x + i + 3 * LANES) * lanes_of(y + i + 3 * LANES);
    }
    for (; i + LANES <= n; i += LANES) a += lanes_of(x + i) * lanes_of(y + i);
    for (; i < n; i++) rest += (double)x[i] * (double)y[i];
    return rest + sum_of_lanes((a + b) + (c + d));
}

static inline Lanes lanes_squares(const Real *x, Real mean)
{
    Lanes d = lanes_of(x) - mean;
    return d * d;
}

/* sum (x - mean)^2 */
static inline double squares_of(const Real *x, Real mean, int n)
{
    Lanes a = { 0 }, b = a, c = a, d = a;
    double rest = 0;
    int i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        a += lanes_squares(x + i, mean), b += lanes_squares(x + i + LANES, mean);
        c += lanes_squares(x + i + 2 * LANES, mean), d += lanes_squares(x + i + 3 * LANES, mean);
    }
    for (; i + LANES <= n; i += LANES) a += lanes_squares(x + i, mean);
    for (; i < n; i++) rest += (double)(x[i] - mean) * (double)(x[i] - mean);
    return rest + sum_of_lanes((a + b) + (c + d));
}

static inline Real max_of(const Real *x, int n)
{
    Real lane[16], m = -INFINITY;
    int i = 0;
    if (n >= 16) {
        for (int l = 0; l < 16; l++) lane[l] = x[l];
        for (i = 16; i + 16 <= n; i += 16)
            for (int l = 0; l < 16; l++) lane[l] = x[i + l] > lane[l] ? x[i + l] : lane[l];
        for (int l = 0; l < 16; l++) m = lane[l] > m ? lane[l] : m;
    }
    for (; i < n; i++) m = x[i] > m ? x[i] : m;
    return m;
}

/* The largest of |x|; numbers that are none do not count. */
static inline Real largest_of(const Real *x, int n)
{
    Real lane[4 * LANES] = { 0 }, m = 0;
    int i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES)
        for (int l = 0; l < 4 * LANES; l++) {
            Real size = x[i + l] < 0 ? -x[i + l] : x[i + l];
            lane[l] = size > lane[l] ? size : lane[l];
        }
    for (; i < n; i++) {
        Real size = x[i] < 0 ? -x[i] : x[i];
        m = size > m ? size : m;
    }
    for (int l = 0; l < 2 * LANES; l++) lane[l] = lane[l] > lane[l + 2 * LANES] ? lane[l] : lane[l + 2 * LANES];
    for (int l = 0; l < LANES; l++) lane[l] = lane[l] > lane[l + LANES] ? lane[l] : lane[l + LANES];
    for (int l = 0; l < LANES / 2; l++) lane[l] = lane[l] > lane[l + LANES / 2] ? lane[l] : lane[l + LANES / 2];
    for (int l = 0; l < LANES / 4; l++) lane[l] = lane[l] > lane[l + LANES / 4] ? lane[l] : lane[l + LANES / 4];
    for (int l = 0; l < LANES / 4; l++) m = lane[l] > m ? lane[l] : m;
    return m;
}
