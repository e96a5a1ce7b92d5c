/* Sums of products of numbers far beyond the range of double, for the probabilities of joint trees
 * (cky/joint_marginals.c); in host memory. A number is m 2^e, with e a whole number in a double, between -2^44 and 2^44
 * where m is in [1, 4), SUM_LEAST where m is 0. */
#pragma once

#include "tensor/tensor.h"

enum { SUM_ALIGN = 8 };     /* columns come in multiples of this */
#define SUM_LEAST (-0x1p48) /* the exponent of 0 */

/* The products of two rows, or of the number x and a row, at columns from <= h < to; elsewhere they are 0: the caller
 * has zeros there, or reads no such column. */
typedef struct SumTerm {
    const double *xm, *xe, *ym, *ye;
    int one_x, from, to;
} SumTerm;

/* m[h] 2^e[h] = the sum of n terms at column h, m in [1, 2) or 0; from <= h < to, multiples of SUM_ALIGN. The largest
 * exponent is found first, then products are added that are scaled to it: each is exact to rounding, or below 2^-1000
 * of the sum. */
void sum_products(double *m, double *e, const SumTerm *term, int n, int from, int to);

/* A tile: for each of some blocks of SUM_ALIGN numbers, SUM_SIDE x SUM_SIDE of these. Where a row and where a column of
 * it begins, in blocks: SUM_SIDE and 1, transposed 1 and SUM_SIDE. */
enum { SUM_SIDE = 16, SUM_TILE = (SUM_SIDE * SUM_SIDE + 1) * SUM_ALIGN };
typedef struct SumTile {
    const double *m;
    int row, column;
} SumTile;

/* A product of two tiles, or of parts of them: columns of x, rows of z. */
typedef struct SumPair {
    SumTile x, z;
    int inner;
} SumPair;

/* y[r][c] += the sum over n pairs and k < inner of x[r][k] z[k][c], number by number, for r < rows, c < columns and
 * each of `blocks` blocks; y has rows of SUM_SIDE. */
void sum_tiles(double *y, const SumPair *pair, int n, int rows, int columns, int blocks);

/* y[r][h] += the sum over k < inner of x[r row + k column] z[k][h], for r < rows, h < columns, a multiple of SUM_ALIGN;
 * y and z have rows of `width`. */
void sum_rows(double *y, const double *x, ptrdiff_t row, ptrdiff_t column, const double *z, int rows, int inner,
              int columns, int width);

/* y[k] = exp(factor (x[k] - most)) for k < n, with *most the largest x; their sum. factor > 0; 0 for what is below
 * 1e-300. Where all x are -INFINITY, or n is 0, *most is that and the sum 0. */
double sum_exponentials(double *y, const Real *x, double factor, int n, double *most);
