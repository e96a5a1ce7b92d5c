/* Mantissas and exponents of a block of columns are added in vectors. Plain products are
 * made like products of matrices (tensor/cpu/level/product.c): parts of the result that have registers. */
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

#if defined __AVX512F__ || defined __aarch64__ /* 32 registers */
enum { ROWS = 4, COLUMNS = 4 };
#else
enum { ROWS = 4, COLUMNS = 2 };
#endif

#define UNROLL _Pragma("GCC unroll 16")

/* At most ROWS x COLUMNS blocks of y, some vectors of each block at a time. */
INLINE void tile_part(double *y, SumTile x, SumTile z, int rows, int inner, int columns, int vectors)
{
    for (int h = 0; h < SUM_ALIGN; h += vectors * DOUBLES) {
        Doubles sum[ROWS][COLUMNS][VECTORS];
        UNROLL for (int r = 0; r < rows; r++) UNROLL for (int c = 0; c < columns; c++)
            UNROLL for (int v = 0; v < vectors; v++) sum[r][c][v] =
                at(y + (r * SUM_SIDE + c) * SUM_ALIGN + h + v * DOUBLES);
        const double *of_x = x.m + h, *of_z = z.m + h;
        for (int k = 0; k < inner; k++, of_x += x.column * SUM_ALIGN, of_z += z.row * SUM_ALIGN) {
            Doubles one[COLUMNS][VECTORS];
            UNROLL for (int c = 0; c < columns; c++) UNROLL for (int v = 0; v < vectors; v++) one[c][v] =
                at(of_z + c * z.column * SUM_ALIGN + v * DOUBLES);
            UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < vectors; v++)
            {
                Doubles by = at(of_x + r * x.row * SUM_ALIGN + v * DOUBLES);
                UNROLL for (int c = 0; c < columns; c++) sum[r][c][v] += by * one[c][v];
            }
        }
        UNROLL for (int r = 0; r < rows; r++) UNROLL for (int c = 0; c < columns; c++)
            UNROLL for (int v = 0; v < vectors; v++)
                memcpy(y + (r * SUM_SIDE + c) * SUM_ALIGN + h + v * DOUBLES, &sum[r][c][v], sizeof sum[r][c][v]);
    }
}

/* Fetches as many numbers of both tiles as a part of y has. */
INLINE void fetch_part(const double *x, const double *z)
{
    UNROLL for (int k = 0; k < ROWS * COLUMNS; k++)
    {
        __builtin_prefetch(x + k * SUM_ALIGN);
        __builtin_prefetch(z + k * SUM_ALIGN);
    }
}

/* At most ROWS rows of blocks of y. Fetches as many numbers of the tiles next_x and next_z, if it has ROWS. */
INLINE void tile_rows(double *y, SumTile x, SumTile z, int rows, int inner, int columns, const double *next_x,
                      const double *next_z)
{
    int c = 0;
    for (; c + COLUMNS <= columns; c += COLUMNS, z.m += COLUMNS * z.column * SUM_ALIGN) {
        if (rows == ROWS) fetch_part(next_x + c * ROWS * SUM_ALIGN, next_z + c * ROWS * SUM_ALIGN);
        tile_part(y + c * SUM_ALIGN, x, z, rows, inner, COLUMNS, 1);
    }
    for (; c < columns; c++, z.m += z.column * SUM_ALIGN)
        tile_part(y + c * SUM_ALIGN, x, z, rows, inner, 1, rows == 1 ? VECTORS : 1);
}

static void sum_pair(double *y, const SumPair *p, int rows, int columns, int block, const double *next_x,
                     const double *next_z)
{
    SumTile x = { p->x.m + block * SUM_TILE, p->x.row, p->x.column };
    SumTile z = { p->z.m + block * SUM_TILE, p->z.row, p->z.column };
    int r = 0;
    for (; r + ROWS <= rows; r += ROWS, x.m += ROWS * x.row * SUM_ALIGN) {
        int at = r * SUM_SIDE * SUM_ALIGN;
        tile_rows(y + at, x, z, ROWS, p->inner, columns, next_x + at, next_z + at);
    }
    for (; r < rows; r++, x.m += x.row * SUM_ALIGN)
        tile_rows(y + r * SUM_SIDE * SUM_ALIGN, x, z, 1, p->inner, columns, NULL, NULL);
}

void sum_tiles(double *y, const SumPair *pair, int n, int rows, int columns, int blocks)
{
    for (int b = 0; b < blocks; b++, y += SUM_TILE)
        for (int k = 0; k < n; k++) {
            bool last = k + 1 == n;
            const SumPair *next = &pair[last ? 0 : k + 1];
            int at = (last ? b + 1 : b) * SUM_TILE;
            sum_pair(y, &pair[k], rows, columns, b, next->x.m + at, next->z.m + at);
        }
}

/* Some vectors of at most TILE_ROWS rows. */
INLINE void rows_part(double *y, const double *x, ptrdiff_t row, ptrdiff_t column, const double *z, int rows, int inner,
                      int width, int vectors)
{
    Doubles sum[TILE_ROWS][2];
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < vectors; v++) sum[r][v] =
        at(y + r * width + v * DOUBLES);
    for (int k = 0; k < inner; k++, x += column, z += width) {
        Doubles of_z[2];
        UNROLL for (int v = 0; v < vectors; v++) of_z[v] = at(z + v * DOUBLES);
        UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < vectors; v++) sum[r][v] +=
            x[r * row] * of_z[v];
    }
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < vectors; v++)
        memcpy(y + r * width + v * DOUBLES, &sum[r][v], sizeof sum[r][v]);
}

void sum_rows(double *y, const double *x, ptrdiff_t row, ptrdiff_t column, const double *z, int rows, int inner,
              int columns, int width)
{
    enum { STEP = VECTORS > 1 ? 2 : 1 };
    for (int some; rows > 0; rows -= some, x += some * row, y += some * width) {
        some = rows >= TILE_ROWS ? TILE_ROWS : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
        for (int c = 0; c < columns; c += STEP * DOUBLES) {
            if (some == TILE_ROWS) rows_part(y + c, x, row, column, z + c, TILE_ROWS, inner, width, STEP);
            else if (some == 4) rows_part(y + c, x, row, column, z + c, 4, inner, width, STEP);
            else if (some == 2) rows_part(y + c, x, row, column, z + c, 2, inner, width, STEP);
            else rows_part(y + c, x, row, column, z + c, 1, inner, width, STEP);
        }
    }
}
