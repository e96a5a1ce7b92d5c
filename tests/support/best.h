/* The kernel that reduces label scores, for one span in host memory. */
#pragma once

#include "tensor/device.h"

/* scores [n_labels - 1] of labels 1 .. n_labels - 1 */
static inline SpanBest span_best(const Real *scores, int n_labels)
{
    SpanBest best;
    device_cpu()->kernels->span_best(&best, scores, n_labels - 1, NULL, 1, n_labels);
    return best;
}
