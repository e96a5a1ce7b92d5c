/* Sums of which the largest is wanted, for the chart of the joint decoder (cky/joint.c); in host memory. They are the
 * same bits on every level. Of NaN nothing is promised. */
#pragma once

#include "tensor/tensor.h"

enum { MAX_PLUS_ALIGN = 16 }; /* columns come in multiples of this */

/* a[h] = the largest of a[h] and of x[p][h] + y[p][h], p < n, n even; from <= h < to, multiples of MAX_PLUS_ALIGN. */
void max_plus_pairs(Real *a, const Real *const *x, const Real *const *y, int n, int from, int to);
/* a[h] = the largest of x[r] + plus + rows[r * width + h], r < n, h < width, a multiple of MAX_PLUS_ALIGN; -INFINITY
 * without any. */
void max_plus_rows(Real *a, const Real *x, Real plus, const Real *rows, int n, int width);
