/* The scale is rounded to 16 significant bits, so that q * scale is exact. */
#include "tensor/int8.h"

#include <float.h>
#include <math.h>
#include <string.h>

float int8_scale(const Real *x, size_t count)
{
    Real most = 0;
    for (size_t i = 0; i < count; i++) most = x[i] > most ? x[i] : -x[i] > most ? -x[i] : most;
    if (reals_finite(x, count) < count || most > FLT_MAX) return INFINITY;
    float scale = (float)(most / INT8_MOST);
    if (scale < FLT_MIN) return 0; /* subnormal: has fewer bits */
    uint32_t u;
    memcpy(&u, &scale, sizeof u);
    u = (u + 0x80) & 0xffffff00;
    memcpy(&scale, &u, sizeof u);
    return INT8_MOST * scale <= FLT_MAX ? scale : INFINITY;
}

void int8_encode(const Real *x, size_t count, float scale, int8_t *q)
{
    for (size_t i = 0; i < count; i++) q[i] = scale > 0 ? (int8_t)rint((double)x[i] / (double)scale) : 0;
}

void int8_decode(const int8_t *q, size_t count, Real scale, Real *x)
{
    for (size_t i = 0; i < count; i++) x[i] = q[i] * scale;
}
