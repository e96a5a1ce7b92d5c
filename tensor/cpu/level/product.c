/* One macro defines the product of each number type; tiles of all sizes are loops of
 * fixed length, so that sums stay in registers. */
#include <math.h>

#include "tensor/cpu/level/product.h"

#ifndef INLINE /* by the Makefile, with sanitizers */
#define INLINE static inline __attribute__((always_inline))
#endif

/* What all rows of a vector of columns need: column and n of C, the bias, the least result, and for END the columns. */
typedef struct Columns {
    Vector bias, least;
    int at, n;
} Columns;

INLINE Columns columns_of(const ProductEnd *e, int at, int n)
{
    Columns c = { .at = at, .n = n < WIDTH ? n : WIDTH, .least = (Vector){ 0 } - (e->relu ? 0 : (Real)INFINITY) };
    if (e->bias && c.n == WIDTH) c.bias = vector_at(e->bias + at);
    else if (e->bias && n > 0) memcpy(&c.bias, e->bias + at, (size_t)n * sizeof *e->bias);
    return c;
}

/* c = act(y + bias), where NaN stays, or c += y */
INLINE void put(const ProductEnd *e, const Columns *c, int row, Vector y)
{
    Real *to = e->c + (ptrdiff_t)row * e->ldc + c->at;
    Vector was = { 0 };
    if (e->add) memcpy(&was, to, (size_t)c->n * sizeof *to);
    y = vector_max(c->least, y + c->bias) + was;
    memcpy(to, &y, (size_t)c->n * sizeof *to);
}

/* Defines the product NAME. SUM is the type of the sums and of B's vectors, GROUP the type that A's groups are made of;
 * WORDS of these are a group, and as many vectors have groups of B. Tiles have at most MOST rows. ADD(sum, group,
 * vectors) adds products to the sum; END(end, sum, row, of_column) makes a Vector of it, where of_column is what
 * OF_COLUMN(end, column) gives for the columns of that vector. */
#define PRODUCT(NAME, SUM, GROUP, WORDS, MOST, ADD, OF_COLUMN, END)                                                    \
    /* Rows from `at` on of the columns of C from `column` on. */                                                      \
    INLINE void NAME##_tile(int rows, int vectors, int k, const GROUP *a, ptrdiff_t row, ptrdiff_t step, const SUM *b, \
                            int stride, const ProductEnd *end, int at, int column, int n)                              \
    {                                                                                                                  \
        SUM sum[TILE_ROWS][TILE_VECTORS] = { { { 0 } } }, of_column[TILE_VECTORS];                                     \
        Columns columns[TILE_VECTORS];                                                                                 \
        const GROUP *from[4]; /* of three rows each: few addresses */                                                  \
        for (int j = 0; j < 4; j++) from[j] = a + (3 * j < rows ? 3 * j : 0) * row;                                    \
        for (int g = 0; g < k; g++, b += stride) {                                                                     \
            SUM of_b[TILE_VECTORS * WORDS];                                                                            \
            for (int v = 0; v < vectors * WORDS; v++) of_b[v] = b[v];                                                  \
            _Pragma("GCC unroll 16") for (int r = 0; r < rows; r++) for (int v = 0; v < vectors; v++) sum[r][v] =      \
                ADD(sum[r][v], from[r / 3] + r % 3 * row, of_b + v * WORDS);                                           \
            _Pragma("GCC unroll 4") for (int j = 0; j < 4; j++) from[j] += step;                                       \
        }                                                                                                              \
        for (int v = 0; v < vectors; v++) {                                                                            \
            columns[v] = columns_of(end, column + v * WIDTH, n - v * WIDTH);                                           \
            of_column[v] = OF_COLUMN(end, column + v * WIDTH);                                                         \
        }                                                                                                              \
        if (n >= vectors * WIDTH) { /* the sums stay in registers */                                                   \
            _Pragma("GCC unroll 16") for (int r = 0; r < rows; r++) for (int v = 0; v < vectors; v++)                  \
            {                                                                                                          \
                Real *to = end->c + (ptrdiff_t)(at + r) * end->ldc + column + v * WIDTH;                               \
                Vector y = vector_max(columns[v].least, END(end, sum[r][v], at + r, of_column[v]) + columns[v].bias);  \
                if (end->add) y += vector_at(to);                                                                      \
                memcpy(to, &y, sizeof y);                                                                              \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        SUM out[TILE_ROWS][TILE_VECTORS];                                                                              \
        _Pragma("GCC unroll 16") for (int r = 0; r < rows; r++) for (int v = 0; v < vectors; v++) out[r][v] =          \
            sum[r][v];                                                                                                 \
        for (int r = 0; r < rows; r++)                                                                                 \
            for (int v = 0; v < vectors; v++)                                                                          \
                put(end, &columns[v], at + r, END(end, out[r][v], at + r, of_column[v]));                              \
    }                                                                                                                  \
    /* At most `left` rows; returns how many. */                                                                       \
    static int NAME##_rows(int left, int k, const GROUP *a, ptrdiff_t row, ptrdiff_t step, const SUM *b, int stride,   \
                           const ProductEnd *end, int at, int column, int n)                                           \
    {                                                                                                                  \
        TILE(NAME, MOST, 12)                                                                                           \
        TILE(NAME, MOST, 8)                                                                                            \
        TILE(NAME, MOST, 6)                                                                                            \
        TILE(NAME, MOST, 4)                                                                                            \
        TILE(NAME, MOST, 2)                                                                                            \
        TILE(NAME, MOST, 1)                                                                                            \
        return left; /* never */                                                                                       \
    }                                                                                                                  \
    void NAME(int m, int n, int k, const GROUP *a, ptrdiff_t row, ptrdiff_t step, const SUM *b, int stride,            \
              ptrdiff_t panel, const ProductEnd *end)                                                                  \
    {                                                                                                                  \
        for (int column = 0; column < n; column += PANEL, b += panel)                                                  \
            for (int r = 0; r < m;)                                                                                    \
                r += NAME##_rows(m - r, k, a + r * row, row, step, b, stride, end, r, column,                          \
                                 n - column < PANEL ? n - column : PANEL);                                             \
    }

/* Computes a tile of r rows, if r are left: a loop of its own, in which the sums have registers. */
#define TILE(NAME, MOST, r)                                                                          \
    if (r <= MOST && r <= left) {                                                                    \
        if (n > WIDTH) NAME##_tile(r, TILE_VECTORS, k, a, row, step, b, stride, end, at, column, n); \
        else NAME##_tile(r, 1, k, a, row, step, b, stride, end, at, column, n);                      \
        return r;                                                                                    \
    }

INLINE Vector add_real(Vector sum, const Real *a, const Vector *b) { return sum + *a * *b; }

INLINE Vector of_column_real(const ProductEnd *e, int column)
{
    (void)e, (void)column;
    return (Vector){ 0 };
}

INLINE Vector end_real(const ProductEnd *e, Vector sum, int row, Vector of_column)
{
    (void)row, (void)of_column;
    return e->alpha * sum;
}

PRODUCT(product_real, Vector, Real, 1, TILE_ROWS, add_real, of_column_real, end_real)

#ifdef PRODUCT_BF16

INLINE Vector add_bf16(Vector sum, const uint32_t *a, const Vector *b)
{
    return (Vector)_mm512_dpbf16_ps((__m512)sum, (__m512bh)_mm512_set1_epi32((int)*a), (__m512bh)*b);
}

PRODUCT(product_bf16, Vector, uint32_t, 1, TILE_ROWS, add_bf16, of_column_real, end_real)

#endif

#ifdef PRODUCT_INT16

INLINE IntVector add_int16(IntVector sum, const uint32_t *a, const IntVector *b)
{
#if defined __AVX512VNNI__
    return (IntVector)_mm512_dpwssd_epi32((__m512i)sum, _mm512_set1_epi32((int)*a), (__m512i)*b);
#elif defined __AVX512BW__
    return sum + (IntVector)_mm512_madd_epi16(_mm512_set1_epi32((int)*a), (__m512i)*b);
#elif defined __AVXVNNI__
    return (IntVector)_mm256_dpwssd_avx_epi32((__m256i)sum, _mm256_set1_epi32((int)*a), (__m256i)*b);
#elif defined __AVX2__
    return sum + (IntVector)_mm256_madd_epi16(_mm256_set1_epi32((int)*a), (__m256i)*b);
#elif defined __SSE2__
    return sum + (IntVector)_mm_madd_epi16(_mm_set1_epi32((int)*a), (__m128i)*b);
#else
    int16x4_t x = vcreate_s16(*a);
    sum = (IntVector)vmlal_lane_s16((int32x4_t)sum, vget_low_s16((int16x8_t)*b), x, 0);
    return (IntVector)vmlal_high_lane_s16((int32x4_t)sum, (int16x8_t)*b, x, 1);
#endif
}

INLINE IntVector of_column_int(const ProductEnd *e, int column)
{
    IntVector sums = { 0 };
    if (e->column) memcpy(&sums, e->column + column, sizeof sums);
    return sums;
}

INLINE Vector end_int(const ProductEnd *e, IntVector sum, int row, IntVector of_column)
{
    if (e->zero) sum -= e->zero[row] * of_column;
    return e->by[row] * __builtin_convertvector(sum, Vector);
}

PRODUCT(product_int16, IntVector, uint32_t, 1, TILE_ROWS, add_int16, of_column_int, end_int)

#endif

#ifdef PRODUCT_INT8

#ifdef PRODUCT_INT8_QUADS
#ifdef __AVX512BW__
#define INT8(op) _mm512_##op
typedef __m512i IntRegister;
enum { INT8_ROWS = 8 };
#else
#define INT8(op) _mm256_##op
typedef __m256i IntRegister;
enum { INT8_ROWS = 4 };
#endif
#else
enum { INT8_ROWS = TILE_ROWS };
#endif

INLINE IntVector add_int8(IntVector sum, const uint32_t *a, const IntVector *b)
{
#if defined __AVX512VNNI__
    return (IntVector)_mm512_dpbusd_epi32((__m512i)sum, _mm512_set1_epi32((int)*a), (__m512i)*b);
#elif defined __AVXVNNI__
    return (IntVector)_mm256_dpbusd_avx_epi32((__m256i)sum, _mm256_set1_epi32((int)*a), (__m256i)*b);
#elif defined PRODUCT_INT8_QUADS
    IntRegister quads = INT8(add_epi16)(INT8(maddubs_epi16)(INT8(set1_epi32)((int)a[0]), (IntRegister)b[0]),
                                        INT8(maddubs_epi16)(INT8(set1_epi32)((int)a[1]), (IntRegister)b[1]));
    return sum + (IntVector)INT8(madd_epi16)(quads, INT8(set1_epi16)(1));
#else
    return (IntVector)vdotq_lane_s32((int32x4_t)sum, (int8x16_t)*b, vcreate_s8(*a), 0);
#endif
}

PRODUCT(product_int8, IntVector, uint32_t, INT8_WORDS, INT8_ROWS, add_int8, of_column_int, end_int)

#endif
