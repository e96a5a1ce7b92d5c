/* Numbers stored in 4 bits: x = q * scale with -8 <= q <= 7 and a scale in half precision, of either sign, for each
 * group of INT4_GROUP numbers of a row (the last group may have fewer). Two numbers are a byte, q + 8 of the first in
 * its low half; a row begins with a byte. Products are exact, and encoding decoded numbers gives the same bytes and
 * scales. */
#pragma once

#include <stdint.h>

#include "tensor/tensor.h"

enum { INT4_GROUP = 32 };

/* Bytes and groups of a row of count numbers. */
static inline size_t int4_bytes(size_t count) { return (count + 1) / 2; }
static inline size_t int4_groups(size_t count) { return (count + INT4_GROUP - 1) / INT4_GROUP; }

/* Encodes the count <= INT4_GROUP numbers of a group to q [int4_bytes(count)], by the scale of nine that leaves the
 * least sum of squared errors, which it returns; 0: all become 0. The scale is infinite, and nothing encoded, if a
 * number is not finite or too large for half precision. */
float int4_encode(const Real *x, size_t count, uint8_t *q);
/* Number `at` of a row whose bytes begin at q. */
static inline int int4_number(const uint8_t *q, size_t at) { return (q[at / 2] >> (at % 2 * 4) & 15) - 8; }
