/* tests/support/best.h: the kernel that reduces label scores, for one span in host memory. */
#ifndef LAL_TESTS_SUPPORT_BEST_H
#define LAL_TESTS_SUPPORT_BEST_H

#include "tensor/cpu/cpu.h"

/* scores [n_labels - 1] of labels 1 .. n_labels - 1 */
static inline SpanBest span_best(const Real *scores, int n_labels)
{
    SpanBest best;
    cpu_span_best(&best, scores, n_labels - 1, NULL, 1, n_labels);
    return best;
}

#endif
