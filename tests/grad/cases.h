/* One row for each op. The row alone gives the gradient check, the one-token and empty-batch cases (test_gradients.c)
 * and a timing (tests/bench/ops.c). */
#pragma once

#include "tensor/ops.h"

enum { CASE_MAX_PARAMS = 6 };

/* Sizes at which an op is checked. */
typedef struct Dims {
    const Batch *batch;
    int d, e, heads, types; /* d and e even */
    int spans;
    int apart; /* columns of NaN on both sides of each parameter, which is a view then; 0: none */
} Dims;

typedef struct GradCase {
    const char *name;
    /* "rows cols", each a product of letters: T tokens, F fenceposts, B sentences, P pairs, K keys of another batch
     * and C its pairs with the tokens, L distances, D d, E e, H heads, Y types, S spans, 1 3 4 numbers, "+" adds one */
    const char *shape[CASE_MAX_PARAMS];
    Tensor *(*build)(Tape *t, Tensor **p, const Dims *d);
} GradCase;

extern const GradCase GRAD_CASES[]; /* ends with name NULL */

/* Value of one product, such as "3HE". */
int case_size(const char *product, const Dims *d);
/* Rows and columns of "3HE D". */
void case_shape(const char *shape, const Dims *d, int *rows, int *cols);
int case_params(const GradCase *c);
