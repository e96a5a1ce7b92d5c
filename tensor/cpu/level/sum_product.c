/* tensor/cpu/level/sum_product.c */
#include "tensor/cpu/level/sum_product.h"

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

void sum_products(double *m, double *e, const SumTerm *t, int n, int from, int to)
{
    for (; from < to; from += SUM_ALIGN) sum_block(m, e, t, n, from);
}
