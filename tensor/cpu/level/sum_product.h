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
    int one_x;
    int from, to;
    double factor; /* sum_common sets it */
} SumTerm;

/* m[h] 2^e[h] = the sum of n terms at column h, m in [1, 2) or 0; from <= h < to, multiples of SUM_ALIGN. The largest
 * exponent is found first, then products are added that are scaled to it: each is exact to rounding, or below 2^-1000
 * of the sum. */
void sum_products(double *m, double *e, const SumTerm *term, int n, int from, int to);

/* sum_products for rows that have one exponent each, at xe, ye and e, which takes a third of the time: numbers below
 * 2^-1000 of the largest one of a row are lost. The largest m is in [1, 2), or all are 0. */
void sum_common(double *m, double *e, SumTerm *term, int n, int from, int to);

/* y[k] = exp(factor (x[k] - most)) for k < n, with *most the largest x; their sum. factor > 0; 0 for what is below
 * 1e-300. Where all x are -INFINITY, or n is 0, *most is that and the sum 0. */
double sum_exponentials(double *y, const Real *x, double factor, int n, double *most);
