/* One macro defines the product of each number type; tiles of all sizes are loops of
 * fixed length, so that sums stay in registers. */
#include <math.h>

#include "tensor/cpu/level/product.h"

#ifndef INLINE /* by the Makefile, with sanitizers */
#define INLINE static inline __attribute__((always_inline))
#endif

/* What all rows of a vector of columns need: column and n of C, the bias, the least result. */
typedef struct Columns {
    Vector bias, least;
    int at, n;
} Columns;

INLINE Columns columns_of(const ProductEnd *e, int at, int n)
{
    Columns c = { .at = at, .n = n < WIDTH ? n : WIDTH, .least = (Vector){ 0 } - (e->relu ? 0 : (Real)INFINITY) };
    if (e->bias && n > 0) c.bias = n < WIDTH ? vector_start(e->bias + at, n) : vector_at(e->bias + at);
    return c;
}

/* c = act(y + bias), where NaN stays, or c += y */
INLINE void put(const ProductEnd *e, const Columns *c, int row, Vector y)
{
    Real *to = e->c + (ptrdiff_t)row * e->ldc + c->at;
    y = vector_max(c->least, y + c->bias);
    if (c->n < WIDTH) vector_put_start(to, e->add ? y + vector_start(to, c->n) : y, c->n);
    else vector_put(to, e->add ? y + vector_at(to) : y);
}

/* Defines the product NAME. SUM is the type of the sums and of B's vectors, GROUP the type that A's groups are made of;
 * WORDS of these are a group, and as many vectors have groups of B. Tiles have at most MOST rows. ADD(sum, group,
 * vectors) adds products to the sum; END(end, sum, row, of_column) makes a Vector of it, where of_column is what
 * OF_COLUMN(end, column) gives for the columns of that vector. */
#define PRODUCT(NAME, SUM, GROUP, WORDS, MOST, ADD, OF_COLUMN, END) \
    PRODUCT_SUMS(NAME, SUM, GROUP, WORDS, ADD, OF_COLUMN, END)      \
    PRODUCT_LOOPS(NAME, SUM, GROUP, MOST)
#define PRODUCT_SUMS(NAME, SUM, GROUP, WORDS, ADD, OF_COLUMN, END)                                                     \
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
        const ProductEnd e = *end;                                                                                     \
        for (int v = 0; v < vectors; v++) {                                                                            \
            columns[v] = columns_of(&e, column + v * WIDTH, v + 1 < vectors ? WIDTH : n - v * WIDTH);                  \
            of_column[v] = OF_COLUMN(&e, column + v * WIDTH);                                                          \
        }                                                                                                              \
        _Pragma("GCC unroll 16") for (int r = 0; r < rows; r++) for (int v = 0; v < vectors; v++)                      \
            put(&e, &columns[v], at + r, END(&e, sum[r][v], at + r, of_column[v]));                                    \
    }

/* Defines the product NAME from tiles of at most MOST rows. */
#define PRODUCT_LOOPS(NAME, SUM, GROUP, MOST)                                                                        \
    /* At most `left` rows; returns how many. */                                                                     \
    static int NAME##_rows(int left, int k, const GROUP *a, ptrdiff_t row, ptrdiff_t step, const SUM *b, int stride, \
                           const ProductEnd *end, int at, int column, int n)                                         \
    {                                                                                                                \
        TILE(NAME, MOST, 12)                                                                                         \
        TILE(NAME, MOST, 8)                                                                                          \
        TILE(NAME, MOST, 6)                                                                                          \
        TILE(NAME, MOST, 4)                                                                                          \
        TILE(NAME, MOST, 2)                                                                                          \
        TILE(NAME, MOST, 1)                                                                                          \
        return left; /* never */                                                                                     \
    }                                                                                                                \
    void NAME(int m, int n, int k, const GROUP *a, ptrdiff_t row, ptrdiff_t step, const SUM *b, int stride,          \
              ptrdiff_t panel, const ProductEnd *end)                                                                \
    {                                                                                                                \
        for (int column = 0; column < n; column += PANEL, b += panel)                                                \
            for (int r = 0; r < m;)                                                                                  \
                r += NAME##_rows(m - r, k, a + r * row, row, step, b, stride, end, r, column,                        \
                                 n - column < PANEL ? n - column : PANEL);                                           \
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

#if defined PRODUCT_BF16 && !defined PRODUCT_AMX

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
#elif defined __wasm_simd128__
    return sum + (IntVector)wasm_i32x4_dot_i16x8(wasm_i32x4_splat((int)*a), (v128_t)*b);
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

#ifndef PRODUCT_INT8_PAIRS
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
#endif

#ifdef PRODUCT_INT8_PAIRS
/* As PRODUCT_SUMS; but while products are added, sum[r] has columns 0 and 1 of rows r and r + 1, and sum[r + 1] has
 * columns 2 and 3 of both. */
INLINE void product_int8_tile(int rows, int vectors, int k, const uint32_t *a, ptrdiff_t row, ptrdiff_t step,
                              const IntVector *b, int stride, const ProductEnd *end, int at, int column, int n)
{
    IntVector sum[TILE_ROWS][TILE_VECTORS] = { { { 0 } } };
    for (int g = 0; g < k; g++, a += step, b += stride)
#pragma GCC unroll 16
        for (int r = 0; r < rows; r += 2) {
            const uint32_t *x = a + r * row, *y = r + 1 < rows ? x + row : x;
            int8x16_t pair = vcombine_s8(vld1_s8((const int8_t *)x), vld1_s8((const int8_t *)y));
            for (int v = 0; v < 2 * vectors; v++)
                sum[r + v % 2][v / 2] = (IntVector)vmmlaq_s32((int32x4_t)sum[r + v % 2][v / 2], pair, (int8x16_t)b[v]);
        }
    for (int v = 0; v < vectors; v++) {
        const Columns columns = columns_of(end, column + v * WIDTH, n - v * WIDTH);
        const IntVector of_column = of_column_int(end, column + v * WIDTH);
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            int64x2_t left = (int64x2_t)sum[r & ~1][v], right = (int64x2_t)sum[r | 1][v];
            IntVector of_row = (IntVector)(r % 2 ? vzip2q_s64(left, right) : vzip1q_s64(left, right));
            Vector y = end_int(end, of_row, at + r, of_column);
            put(end, &columns, at + r, y);
        }
    }
}

PRODUCT_LOOPS(product_int8, IntVector, uint32_t, INT8_ROWS)
#elif defined PRODUCT_AMX
static __typeof__(product_int8) few_int8;
PRODUCT(few_int8, IntVector, uint32_t, INT8_WORDS, INT8_ROWS, add_int8, of_column_int, end_int)
#else
PRODUCT(product_int8, IntVector, uint32_t, INT8_WORDS, INT8_ROWS, add_int8, of_column_int, end_int)
#endif

#endif

#ifdef PRODUCT_AMX

/* ---- tiles */

/* Tiles 0 to 3 have sums, two of rows by two of columns; 4 and 5 have A's rows, 6 and 7 B's. They belong to the thread
 * until they are released: then it has no more state than before, to be saved for a signal or another thread. */
static void amx_begin(int rows, int groups)
{
    struct {
        uint8_t palette, start_row, unused[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } shape = { .palette = 1 };
    for (int t = 0; t < 8; t++) {
        shape.bytes[t] = (uint16_t)(t == 4 || t == 5 ? groups * 4 : VECTOR_BYTES);
        shape.rows[t] = (uint8_t)(t < 6 ? rows : groups);
    }
    __asm__ volatile("" : : "r"(&shape) : "memory"); /* gcc 12 takes only its first 8 bytes for read */
    _tile_loadconfig(&shape);
}

#define AMX_DOT(sum, a, b)                   \
    do {                                     \
        if (bf16) _tile_dpbf16ps(sum, a, b); \
        else _tile_dpbusd(sum, a, b);        \
    } while (0)

/* The sums of two tiles of rows, which begin at a[0] and a[1], by the two vectors of columns of a panel; a[1] NULL: of
 * one tile of rows. */
INLINE void amx_sums(bool bf16, bool wide, int k, int groups, const uint32_t *const *a, ptrdiff_t row, const Vector *b,
                     Vector sum[4][AMX_ROWS])
{
    const ptrdiff_t bytes = row * (ptrdiff_t)sizeof **a, panel = PANEL * (ptrdiff_t)sizeof **a;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int g = 0; g < k; g += groups, b += groups * TILE_VECTORS) {
        _tile_loadd(6, b, panel);
        _tile_loadd(4, a[0] + g, bytes);
        AMX_DOT(0, 4, 6);
        if (wide) {
            _tile_loadd(7, b + 1, panel);
            AMX_DOT(1, 4, 7);
        }
        if (!a[1]) continue;
        _tile_loadd(5, a[1] + g, bytes);
        AMX_DOT(2, 5, 6);
        if (wide) AMX_DOT(3, 5, 7);
    }
    _tile_stored(0, sum[0], VECTOR_BYTES);
    if (wide) _tile_stored(1, sum[1], VECTOR_BYTES);
    if (a[1]) _tile_stored(2, sum[2], VECTOR_BYTES);
    if (a[1] && wide) _tile_stored(3, sum[3], VECTOR_BYTES);
}

/* Rows from..to - 1 of C, whose sums follow each other, and a vector of columns of n. */
INLINE void amx_end(bool bf16, const Vector *sum, const ProductEnd *end, int from, int to, int column, int n)
{
    const Columns columns = columns_of(end, column, n);
    const IntVector of_column = bf16 ? (IntVector){ 0 } : of_column_int(end, column);
    for (int r = from; r < to; r++, sum++) {
        Vector y = bf16 ? end_real(end, *sum, r, *sum) : end_int(end, (IntVector)*sum, r, of_column);
        put(end, &columns, r, y);
    }
}

/* All tiles have as many rows: the last ones begin earlier, and their first rows, which are there already, are computed
 * for nothing. Panels are in the outer loop, because A is what the cache holds (packed.c). */
INLINE void product_amx(bool bf16, int m, int n, int k, const uint32_t *a, ptrdiff_t row, const Vector *b,
                        ptrdiff_t panel, const ProductEnd *end)
{
    int rows = equal_part(m, AMX_ROWS), groups = equal_part(k, AMX_ROWS);
    amx_begin(rows, groups);
    for (int column = 0; column < n; column += PANEL, b += panel)
        for (int r = 0; r < m; r += 2 * rows) {
            Vector sum[4][AMX_ROWS];
            const uint32_t *from[2] = { NULL, NULL };
            int done[2] = { 0, 0 }, left = n - column;
            for (int t = 0, at = r; t < 2 && at < m; t++, at += rows) {
                done[t] = at > m - rows ? at - (m - rows) : 0;
                from[t] = a + (at - done[t]) * row;
            }
            amx_sums(bf16, left > WIDTH, k, groups, from, row, b, sum);
            for (int t = 0; t < 4; t++) {
                int at = r + t / 2 * rows, c = t % 2 * WIDTH;
                if (from[t / 2] && c < left)
                    amx_end(bf16, sum[t] + done[t / 2], end, at, at + rows - done[t / 2], column + c, left - c);
            }
        }
    _tile_release();
}

void product_bf16(int m, int n, int k, const uint32_t *a, ptrdiff_t row, ptrdiff_t step, const Vector *b, int stride,
                  ptrdiff_t panel, const ProductEnd *end)
{
    (void)step, (void)stride;
    product_amx(true, m, n, k, a, row, b, panel, end);
}

/* A tile by a tile takes 16 cycles, whatever rows it has (Intel's manual; not measured here), and VNNI 8 for each row
 * of it, two vectors at a time. */
enum { FEW_ROWS = 2 };

void product_int8(int m, int n, int k, const uint32_t *a, ptrdiff_t row, ptrdiff_t step, const IntVector *vector,
                  int stride, ptrdiff_t panel, const ProductEnd *end)
{
    if (m <= FEW_ROWS) few_int8(m, n, k, a, row, step, vector, stride, panel, end);
    else product_amx(false, m, n, k, a, row, (const Vector *)vector, panel, end);
}

#endif
