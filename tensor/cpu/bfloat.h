/* tensor/cpu/bfloat.h */
#pragma once

#include <stdint.h>

#include "tensor/tensor.h"

/* to [rows, cols] = from as bfloat16, rounded to nearest even; what is not finite stays so. */
void bfloat_round(uint16_t *to, const Real *from, int ld, int rows, int cols);
