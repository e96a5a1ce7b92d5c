/* All products that are not OpenBLAS's. C is computed in tiles of at most TILE_ROWS rows by TILE_VECTORS vectors of
 * columns, whose sums stay in registers while they run over k. A is read where it lies, one group at a time: a number
 * of Real, two of 16 bits, or four of 8. B is in vectors: vector v of row g has a group of each of WIDTH columns. Each
 * element of C is one sum over k in order, so it depends on its row and column alone, to the bit. */
#pragma once

#include "tensor/cpu/level/vector.h"

enum { TILE_VECTORS = 2, PANEL = TILE_VECTORS * WIDTH };

/* What becomes of the sums: c = act(alpha sum + bias), or c += alpha sum. */
typedef struct ProductEnd {
    Real alpha; /* of product_real */
    bool add, relu;
    const Real *bias; /* [n] or NULL; not with add */
    Real *c;
    int ldc;
    /* In products of whole numbers the sum of row r, less zero[r] column[c], is multiplied by[r]. */
    const Real *by;
    const int32_t *zero, *column; /* [m], [n, up to a whole vector]; NULL: 0 */
} ProductEnd;

/* As few parts of at most `most` as n needs, and as equal as they can be: the size of each. */
static inline int equal_part(int n, int most)
{
    int parts = (n + most - 1) / most;
    return parts > 0 ? (n + parts - 1) / parts : 0;
}

/* C [m, n] of A and B, k groups: group (r, g) of A is a[r * row + g * step]; row g of columns j * PANEL and following
 * begins at vector j * panel + g * stride of B. */
void product_real(int m, int n, int k, const Real *a, ptrdiff_t row, ptrdiff_t step, const Vector *b, int stride,
                  ptrdiff_t panel, const ProductEnd *end);

#ifndef LAL_REAL_DOUBLE
/* Products as product_real, of groups of two numbers in bfloat16, two whole numbers of 16 bits, four of 8 bits. The
 * bytes of A are from PRODUCT_INT8, the least one, to 255 more, the bytes of B from -128 to 127. A product is there
 * only where the level has instructions for it. Sums of whole numbers are exact and must be smaller than 2^31.
 * PRODUCT_INT8_QUADS: groups are of eight bytes. Four products of a group are added in 16 bits, of numbers 0, 1, 4 and
 * 5, and four of numbers 2, 3, 6 and 7: each sum of four must be smaller than 2^15. A vector of B has numbers 0 to 3 of
 * WIDTH groups, and the vector after it numbers 4 to 7.
 * PRODUCT_INT8_PAIRS: groups are of eight bytes. A vector of B has the groups of two columns.
 * PRODUCT_INT16_APART: in 16 bits a vector of B has first the first numbers of all its groups, then the second ones.
 * PRODUCT_AMX: products of bfloat16 and of more than a few rows of bytes are of tiles, registers of AMX_ROWS rows of
 * 64 bytes, which have as many groups of A's rows, or rows of B's groups. There the groups of a row of A lie side by
 * side (step is 1), and k is a multiple of equal_part(k, AMX_ROWS). Sums of bfloat16 are in another order than those
 * of vectors, and denormal numbers in them, operands and results, are zeros. */
typedef int32_t IntVector __attribute__((vector_size(VECTOR_BYTES)));
#if defined __AMX_INT8__ || defined AMX_MODEL
#define PRODUCT_AMX
#endif
#if defined __AVX512BF16__ || defined PRODUCT_AMX
#define PRODUCT_BF16
void product_bf16(int m, int n, int k, const uint32_t *a, ptrdiff_t row, ptrdiff_t step, const Vector *b, int stride,
                  ptrdiff_t panel, const ProductEnd *end);
#endif
#if defined __SSE2__ || defined __aarch64__ || defined __wasm_simd128__
#define PRODUCT_INT16
#ifdef __aarch64__
#define PRODUCT_INT16_APART
#endif
void product_int16(int m, int n, int k, const uint32_t *a, ptrdiff_t row, ptrdiff_t step, const IntVector *vector,
                   int stride, ptrdiff_t panel, const ProductEnd *end);
#endif
#if defined __AVX512VNNI__ || defined __AVXVNNI__
#define PRODUCT_INT8 0
#elif defined __AVX2__
#define PRODUCT_INT8 0
#define PRODUCT_INT8_QUADS
#elif defined __ARM_FEATURE_MATMUL_INT8
#define PRODUCT_INT8 (-128)
#define PRODUCT_INT8_PAIRS
#elif defined __ARM_FEATURE_DOTPROD
#define PRODUCT_INT8 (-128)
#endif
#ifdef PRODUCT_INT8
void product_int8(int m, int n, int k, const uint32_t *a, ptrdiff_t row, ptrdiff_t step, const IntVector *vector,
                  int stride, ptrdiff_t panel, const ProductEnd *end);
#endif
#endif
#ifdef PRODUCT_AMX
enum { HAS_AMX = 1, AMX_ROWS = 16 };
#else
enum { HAS_AMX = 0, AMX_ROWS = 1 };
#endif
/* Words of a group of bytes, and vectors of B that have a group of each of WIDTH columns. */
#if defined PRODUCT_INT8_QUADS || defined PRODUCT_INT8_PAIRS
enum { INT8_WORDS = 2 };
#else
enum { INT8_WORDS = 1 };
#endif
