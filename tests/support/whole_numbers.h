/* The whole numbers of a recorded tensor, which models have none of. */
#pragma once

#include <string.h>

#include "tensor/safetensors.h"

/* false for a tensor of another type than I32 and I64, or with a number of more than 32 bits. */
static inline bool whole_numbers(const StTensor *t, int32_t *out)
{
    if (t->dtype != DT_I32 && t->dtype != DT_I64) return false;
    for (size_t i = 0; i < t->count; i++) {
        int64_t x = 0; /* little-endian */
        memcpy(&x, t->data + i * dtype_size(t->dtype), dtype_size(t->dtype));
        out[i] = (int32_t)x;
        if (t->dtype == DT_I64 && out[i] != x) return false;
    }
    return true;
}
