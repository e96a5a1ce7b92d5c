/* One number of many, for gradients and relevance. */
#pragma once

#include "base/rng.h"
#include "tensor/ops.h"

/* constant + the sum of the numbers of y, each with a weight of its own: number k has rng_normal(key, k). [1, 1]; NULL
 * if y is. */
static inline Tensor *weighted_total(Tape *t, Tensor *y, uint64_t key, double constant)
{
    if (!y) return NULL;
    size_t n = tensor_size(y); /* may be 0 */
    int *r = tape_host(t, n + 1, sizeof *r), *c = tape_host(t, n + 1, sizeof *c);
    Real *w = tape_host(t, n + 1, sizeof *w);
    for (size_t k = 0; k < n; k++) {
        r[k] = (int)k / y->cols;
        c[k] = (int)k % y->cols;
        w[k] = (Real)rng_normal(key, k);
    }
    return op_pick(t, y, r, c, w, (int)n, constant);
}

/* The relevance of a tensor after tape_relevance: each of its numbers times the coefficient. 0 without coefficients. */
static inline double relevance_of(Tape *t, const Tensor *x)
{
    HostMatrix v = tensor_host(t, x, &t->host), c = tensor_host_grad(t, x, &t->host);
    double sum = 0;
    for (int r = 0; r < v.rows && c.data; r++)
        for (int k = 0; k < v.cols; k++) sum += (double)host_row(&v, r)[k] * (double)host_row(&c, r)[k];
    return sum;
}
