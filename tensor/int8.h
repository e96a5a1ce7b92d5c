/* Numbers stored in 8 bits: x = q * scale with a scale for each row and -127 <= q <= 127. So the largest number of a
 * row is 127 * scale, and each number is off by at most half a scale. A scale has 16 significant bits: products are
 * exact, and encoding decoded numbers gives the same q and the same scale. */
#pragma once

#include <stdint.h>

#include "tensor/tensor.h"

enum { INT8_MOST = 127 };

/* The scale of a row of count numbers; 0 if all are smaller than 1e-36 and become 0. Infinite or NaN if the row cannot
 * be stored: a number is not finite, or 127 * scale would not be a float. */
float int8_scale(const Real *x, size_t count);
/* Divides by the scale and rounds to nearest even. */
void int8_encode(const Real *x, size_t count, float scale, int8_t *q);
void int8_decode(const int8_t *q, size_t count, Real scale, Real *x);
