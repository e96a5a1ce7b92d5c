/* The level's vector register, and how many rows of a product are computed at once so that their sums have registers
 * (tensor/cpu/level/product.h). */
#pragma once

/* AMX_MODEL, of tests: the registers of AMX and AVX-512 in plain C. */
#if defined LAL_REAL_DOUBLE || defined AMX_MODEL
#define PLAIN_VECTORS
#endif
#if defined __x86_64__ && !defined PLAIN_VECTORS
#include <immintrin.h> /* takes gcc a third of a second */
#elif defined __aarch64__
#include <arm_neon.h>
#elif defined __wasm_simd128__
#include <wasm_simd128.h>
#endif
#include <stdint.h>
#include <string.h>

#include "tensor/tensor.h"

#if defined AMX_MODEL
enum { VECTOR_BYTES = 64, TILE_ROWS = 2 /* is compiled in seconds */ };
#elif defined __AVX512F__
enum { VECTOR_BYTES = 64, TILE_ROWS = 12 };
#elif defined __AVX2__
enum { VECTOR_BYTES = 32, TILE_ROWS = 6 };
#elif defined __aarch64__
enum { VECTOR_BYTES = 16, TILE_ROWS = 8 };
#elif defined __wasm_simd128__
enum { VECTOR_BYTES = 16, TILE_ROWS = 4 };
#else
enum { VECTOR_BYTES = 16, TILE_ROWS = 6 };
#endif
enum { WIDTH = VECTOR_BYTES / sizeof(Real) };

typedef Real Vector __attribute__((vector_size(VECTOR_BYTES)));
/* What a comparison gives: in each place all ones, or 0. */
#ifdef LAL_REAL_DOUBLE
typedef int64_t VectorMask __attribute__((vector_size(VECTOR_BYTES)));
#else
typedef int32_t VectorMask __attribute__((vector_size(VECTOR_BYTES)));
#endif

static inline Vector vector_at(const Real *x)
{
    Vector v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline __attribute__((always_inline)) void vector_put(Real *x, Vector v) { memcpy(x, &v, sizeof v); }

#if defined __AVX2__ && !defined __AVX512F__ && !defined PLAIN_VECTORS
/* All ones in the first n places. */
static inline __m256i first_places(int n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
#endif

/* The first n numbers at x, n < WIDTH, and zeros. */
static inline __attribute__((always_inline)) Vector vector_start(const Real *x, int n)
{
#if defined __AVX512F__ && !defined PLAIN_VECTORS
    return (Vector)_mm512_maskz_loadu_ps((__mmask16)((1U << n) - 1), x);
#elif defined __AVX2__ && !defined PLAIN_VECTORS
    return (Vector)_mm256_maskload_ps(x, first_places(n));
#else
    Vector v = { 0 };
#pragma GCC unroll 16
    for (int l = 0; l < WIDTH; l++)
        if (l < n) v[l] = x[l];
    return v;
#endif
}

/* Writes the first n numbers of v to x, n < WIDTH. */
static inline __attribute__((always_inline)) void vector_put_start(Real *x, Vector v, int n)
{
#if defined __AVX512F__ && !defined PLAIN_VECTORS
    _mm512_mask_storeu_ps(x, (__mmask16)((1U << n) - 1), (__m512)v);
#elif defined __AVX2__ && !defined PLAIN_VECTORS
    _mm256_maskstore_ps(x, first_places(n), (__m256)v);
#else
#pragma GCC unroll 16
    for (int l = 0; l < WIDTH; l++)
        if (l < n) x[l] = v[l];
#endif
}

#if defined __SSE__ && !defined PLAIN_VECTORS
#if defined __AVX512F__
#define PICK(op) (Vector) _mm512_##op##_ps((__m512)x, (__m512)y)
#elif defined __AVX__
#define PICK(op) (Vector) _mm256_##op##_ps((__m256)x, (__m256)y)
#else
#define PICK(op) (Vector) _mm_##op##_ps((__m128)x, (__m128)y)
#endif
#elif defined __wasm_simd128__ && !defined PLAIN_VECTORS
#define PICK(op) (Vector) wasm_f32x4_p##op((v128_t)y, (v128_t)x) /* the first one where one is NaN */
#endif

/* The larger one in each place; y where one is NaN. */
static inline __attribute__((always_inline)) Vector vector_max(Vector x, Vector y)
{
#ifdef PICK
    return PICK(max);
#else
    VectorMask mask = x > y;
    return (Vector)((mask & (VectorMask)x) | (~mask & (VectorMask)y));
#endif
}

/* The smaller one in each place; y where one is NaN. */
static inline __attribute__((always_inline)) Vector vector_min(Vector x, Vector y)
{
#ifdef PICK
    return PICK(min);
#else
    return -vector_max(-x, -y);
#endif
}

/* A bit for each place of what a comparison gives, the lowest one for the first. */
static inline unsigned vector_places(VectorMask mask)
{
#if defined __AVX512F__ && !defined PLAIN_VECTORS
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask);
#elif defined __AVX__ && !defined PLAIN_VECTORS
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif defined __SSE__ && !defined PLAIN_VECTORS
    return (unsigned)_mm_movemask_ps((__m128)mask);
#elif defined __wasm_simd128__ && !defined PLAIN_VECTORS
    return wasm_i32x4_bitmask((v128_t)mask);
#else
    unsigned places = 0;
    for (int l = 0; l < WIDTH; l++) places |= (mask[l] != 0 ? 1U : 0U) << l;
    return places;
#endif
}

/* FOLD takes all places of a vector together: it halves the vector by an operation on two numbers. */
#if defined __SSE__ && !defined PLAIN_VECTORS
#if defined __AVX512F__
#define HALF(x, op) _mm256_##op##_ps(_mm512_castps512_ps256((__m512)(x)), _mm512_extractf32x8_ps((__m512)(x), 1))
#elif defined __AVX__
#define HALF(x, op) ((__m256)(x))
#endif
#ifdef __AVX__
#define QUARTER(x, op) _mm_##op##_ps(_mm256_castps256_ps128(HALF(x, op)), _mm256_extractf128_ps(HALF(x, op), 1))
#else
#define QUARTER(x, op) ((__m128)(x))
#endif
#define FOLD(x, op)                                \
    __m128 y = QUARTER(x, op);                     \
    y = _mm_##op##_ps(y, _mm_movehl_ps(y, y));     \
    y = _mm_##op##_ss(y, _mm_shuffle_ps(y, y, 1)); \
    return _mm_cvtss_f32(y)
#endif

static inline Real vector_largest(Vector x)
{
#ifdef FOLD
    FOLD(x, max);
#elif defined __aarch64__ && !defined PLAIN_VECTORS
    return vmaxnmvq_f32((float32x4_t)x);
#else
    Real most = x[0];
    for (int l = 1; l < WIDTH; l++) most = x[l] > most ? x[l] : most;
    return most;
#endif
}

static inline Real vector_sum(Vector x)
{
#ifdef FOLD
    FOLD(x, add);
#elif defined __aarch64__ && !defined PLAIN_VECTORS
    return vaddvq_f32((float32x4_t)x);
#elif defined __wasm_simd128__ && !defined PLAIN_VECTORS
    return (x[0] + x[2]) + (x[1] + x[3]); /* as x86-64 */
#else
    Real sum = x[0];
    for (int l = 1; l < WIDTH; l++) sum += x[l];
    return sum;
#endif
}

/* Vectors that hold n numbers. */
static inline int vectors_of(int n) { return (n + WIDTH - 1) / WIDTH; }
