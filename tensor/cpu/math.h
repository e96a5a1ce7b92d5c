/* tensor/cpu/math.h: small functions that compilers vectorise. */
#ifndef LAL_TENSOR_CPU_MATH_H
#define LAL_TENSOR_CPU_MATH_H

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

/* Sums in eight double lanes: exact enough for norms, and vectorised in a fixed order of additions. */
static inline double sum_of(const Real *x, int n)
{
    double lane[8] = { 0 }, s = 0;
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++) lane[l] += (double)x[i + l];
    for (; i < n; i++) s += (double)x[i];
    for (int l = 0; l < 8; l++) s += lane[l];
    return s;
}

/* sum (x - mean)^2 */
static inline double squares_of(const Real *x, Real mean, int n)
{
    double lane[8] = { 0 }, s = 0;
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++) {
            double d = (double)(x[i + l] - mean);
            lane[l] += d * d;
        }
    for (; i < n; i++) s += (double)(x[i] - mean) * (double)(x[i] - mean);
    for (int l = 0; l < 8; l++) s += lane[l];
    return s;
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

static inline double dot_of(const Real *x, const Real *y, int n)
{
    double lane[8] = { 0 }, s = 0;
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++) lane[l] += (double)x[i + l] * (double)y[i + l];
    for (; i < n; i++) s += (double)x[i] * (double)y[i];
    for (int l = 0; l < 8; l++) s += lane[l];
    return s;
}

#endif
