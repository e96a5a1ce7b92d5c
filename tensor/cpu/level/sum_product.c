/* Mantissas and exponents of a block of columns are added in vectors: with an
 * exponent for each number, or with one for the whole row. */
#include "tensor/cpu/level/sum_product.h"

#include <math.h>

#include "tensor/cpu/level/vector.h"

typedef double Doubles __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t DoublesMask __attribute__((vector_size(VECTOR_BYTES)));
enum { DOUBLES = VECTOR_BYTES / sizeof(double), VECTORS = SUM_ALIGN / DOUBLES };

#define INLINE static inline __attribute__((always_inline))

INLINE Doubles at(const double *x)
{
    Doubles v;
    memcpy(&v, x, sizeof v);
    return v;
}

INLINE Doubles larger(Doubles x, Doubles y)
{
#if defined __AVX512F__ && !defined LAL_REAL_DOUBLE
    return (Doubles)_mm512_max_pd((__m512d)x, (__m512d)y);
#elif defined __AVX__ && !defined LAL_REAL_DOUBLE
    return (Doubles)_mm256_max_pd((__m256d)x, (__m256d)y);
#elif defined __SSE2__ && !defined LAL_REAL_DOUBLE
    return (Doubles)_mm_max_pd((__m128d)x, (__m128d)y);
#else
    DoublesMask mask = x > y;
    return (Doubles)((mask & (DoublesMask)x) | (~mask & (DoublesMask)y));
#endif
}

/* 2^e, e at most 1023; below -1022 it counts as that. */
INLINE Doubles power(Doubles e)
{
    Doubles shifted = larger(e, (Doubles){ 0 } - 1022) + (0x1p52 + 1023); /* the exponent is in the lowest bits */
    return (Doubles)((DoublesMask)shifted << 52);
}

/* The exponent of x, which is not below 2^-1022, and what is left of it. */
INLINE Doubles split(Doubles x, Doubles *mantissa)
{
    DoublesMask bits = (DoublesMask)x, one = (DoublesMask)((Doubles){ 0 } + 1),
                high = (DoublesMask)((Doubles){ 0 } + 0x1p52);
    *mantissa = (Doubles)((bits & 0xfffffffffffff) | one);
    return (Doubles)((bits >> 52) | high) - (0x1p52 + 1023);
}

INLINE int outside(const SumTerm *t, int column) { return t->to <= column || t->from >= column + SUM_ALIGN; }

INLINE Doubles x_at(const double *x, int one, int column) { return one ? (Doubles){ 0 } + x[0] : at(x + column); }

static void sum_block(double *m, double *e, const SumTerm *t, int n, int column)
{
    Doubles most[VECTORS], sum[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        most[v] = (Doubles){ 0 } + 4 * SUM_LEAST;
        sum[v] = (Doubles){ 0 };
    }
    for (int k = 0; k < n; k++)
        if (!outside(&t[k], column))
            for (int v = 0, h = column; v < VECTORS; v++, h += DOUBLES)
                most[v] = larger(x_at(t[k].xe, t[k].one_x, h) + at(t[k].ye + h), most[v]);
    for (int k = 0; k < n; k++)
        if (!outside(&t[k], column))
            for (int v = 0, h = column; v < VECTORS; v++, h += DOUBLES)
                sum[v] += x_at(t[k].xm, t[k].one_x, h) * at(t[k].ym + h) *
                          power(x_at(t[k].xe, t[k].one_x, h) + at(t[k].ye + h) - most[v]);
    for (int v = 0, h = column; v < VECTORS; v++, h += DOUBLES) {
        Doubles mantissa, exponent = split(sum[v], &mantissa) + most[v];
        DoublesMask positive = sum[v] > 0;
        mantissa = (Doubles)(positive & (DoublesMask)mantissa);
        exponent =
            (Doubles)((positive & (DoublesMask)exponent) | (~positive & (DoublesMask)((Doubles){ 0 } + SUM_LEAST)));
        memcpy(m + h, &mantissa, sizeof mantissa);
        memcpy(e + h, &exponent, sizeof exponent);
    }
}

void sum_products(double *m, double *e, const SumTerm *term, int n, int from, int to)
{
    for (; from < to; from += SUM_ALIGN) sum_block(m, e, term, n, from);
}

/* exp(x) for x from -700 to 0, to two units in the last place; 0 below. */
INLINE Doubles exponential(Doubles x)
{
    static const double inverse[] = {
        1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
        1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1,           1
    };
    const double round = 0x1.8p52, ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
    DoublesMask in = x >= -700;
    x = larger(x, (Doubles){ 0 } - 700);
    Doubles n = x * 1.4426950408889634 + round - round, r = x - n * ln2_high - n * ln2_low, sum = { 0 };
    for (size_t k = 0; k < sizeof inverse / sizeof *inverse; k++) sum = sum * r + inverse[k];
    return (Doubles)(in & (DoublesMask)(sum * power(n)));
}

typedef Real Reals __attribute__((vector_size(sizeof(Doubles) / sizeof(double) * sizeof(Real))));

/* Up to DOUBLES numbers; -INFINITY follows. */
INLINE Doubles some_reals(const Real *x, int n)
{
    Reals v;
    if (n >= DOUBLES) memcpy(&v, x, sizeof v);
    else
        for (int k = 0; k < DOUBLES; k++) v[k] = k < n ? x[k] : (Real)-INFINITY;
    return __builtin_convertvector(v, Doubles);
}

INLINE double largest_of(Doubles x)
{
    double most = x[0];
    for (int k = 1; k < DOUBLES; k++) most = x[k] > most ? x[k] : most;
    return most;
}

double sum_exponentials(double *y, const Real *x, double factor, int n, double *most)
{
    Doubles largest = (Doubles){ 0 } - INFINITY, sum = { 0 };
    for (int k = 0; k < n; k += DOUBLES) largest = larger(largest, some_reals(x + k, n - k));
    *most = largest_of(largest);
    if (!(*most > -INFINITY)) {
        for (int k = 0; k < n; k++) y[k] = 0;
        return 0;
    }
    for (int k = 0; k < n; k += DOUBLES) {
        Doubles v = exponential((some_reals(x + k, n - k) - *most) * factor);
        sum += v;
        memcpy(y + k, &v, sizeof(double) * (size_t)(n - k < DOUBLES ? n - k : DOUBLES));
    }
    double all = 0;
    for (int k = 0; k < DOUBLES; k++) all += sum[k];
    return all;
}

/* The largest exponent; the factors of all terms. */
static double set_factors(SumTerm *t, int n)
{
    double most = 4 * SUM_LEAST;
    for (int k = 0; k < n; k++) {
        t[k].factor = t[k].xe[0] + t[k].ye[0];
        if (t[k].factor > most) most = t[k].factor;
    }
    for (int k = 0; k < n; k++) {
        double below = t[k].factor - most;
        t[k].factor = below < -1022 ? 0 : power((Doubles){ 0 } + below)[0] * (t[k].one_x ? t[k].xm[0] : 1);
    }
    return most;
}

/* Returns the larger of `largest` and the sums. */
static Doubles common_block(double *m, const SumTerm *t, int n, int column, Doubles largest)
{
    Doubles sum[VECTORS];
    for (int v = 0; v < VECTORS; v++) sum[v] = (Doubles){ 0 };
    for (int k = 0; k < n; k++)
        if (!outside(&t[k], column))
            for (int v = 0, h = column; v < VECTORS; v++, h += DOUBLES) {
                Doubles y = at(t[k].ym + h) * t[k].factor;
                sum[v] += t[k].one_x ? y : at(t[k].xm + h) * y;
            }
    for (int v = 0, h = column; v < VECTORS; v++, h += DOUBLES) {
        largest = larger(largest, sum[v]);
        memcpy(m + h, &sum[v], sizeof sum[v]);
    }
    return largest;
}

void sum_common(double *m, double *e, SumTerm *term, int n, int from, int to)
{
    Doubles largest = { 0 }, mantissa;
    double most = set_factors(term, n);
    for (int column = from; column < to; column += SUM_ALIGN) largest = common_block(m, term, n, column, largest);
    double one = largest_of(largest);
    *e = SUM_LEAST;
    if (one < 0x1p-1022) one = 0;
    if (one > 0) {
        double exponent = split((Doubles){ 0 } + one, &mantissa)[0];
        *e = most + exponent;
        one = power((Doubles){ 0 } - exponent)[0];
    }
    for (int h = from; h < to; h++) m[h] *= one;
}
