/* Numbers in rows. A Tensor is a row-major matrix; sentences are packed one after the other without padding. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The number type of everything: float, or double with `make REAL=double` (gradient checks). */
#ifdef LAL_REAL_DOUBLE
typedef double Real;
#define REAL_NAME "double"
#else
typedef float Real;
#define REAL_NAME "float"
#endif

/* Index of the first of count numbers that is not finite; count if all are finite. */
static inline size_t reals_finite(const Real *x, size_t count)
{
    for (size_t from = 0; from < count; from += 256) {
        size_t to = count - from < 256 ? count : from + 256;
        int bad = 0;
        for (size_t i = from; i < to; i++)
            bad |= x[i] - x[i] != 0; /* true of NaN and of infinities; a loop without branches */
        for (size_t i = from; bad && i < to; i++)
            if (x[i] - x[i] != 0) return i;
    }
    return count;
}

/* Copies of a weight, or of rows of it, in orders or number types of the device's own. */
typedef struct PackedWeight PackedWeight;

/* A weight matrix [rows, cols] as an operand of a product. A kernel may read copies in `packed` instead of the values,
 * and make them. */
typedef struct Weight {
    const Real *values; /* with `stored`, perhaps not decoded yet: weight_values (tensor/stored.h) */
    int rows, cols, ld;
    PackedWeight *packed; /* or NULL: the values may change */
    int first_row;        /* where the values begin in the whole parameter */
    bool fine;            /* small differences of its products count: whole numbers have 16 bits, not 8 */
    struct Stored *stored;
} Weight;

struct Node;

/* Element (r, c) is data[r * ld + c]. A view shares the memory of its base: columns through ld, rows through the
 * pointer. The gradient has the shape of the base and is made when backward first touches it. Host code reads numbers
 * through tape_number, tensor_host and tensor_download (tensor/tape.h). */
typedef struct Tensor {
    Real *data; /* memory of the device, as is grad: only kernels read and write it. NULL: see param_operand */
    Real *grad; /* a base: NULL until touched, or the parameter's slab; a view does not use it */
    int rows, cols, ld;
    struct Tensor *base;       /* NULL, or the tensor this is a view of */
    ptrdiff_t offset;          /* where a view begins, in elements of the base */
    struct Node *first_writer; /* the earliest node that writes a base; its gradient is released after that */
    bool needs_grad;
    bool is_param; /* the gradient is kept */
    bool keep;     /* the gradient of a base that is not a parameter is kept, too, until the next tape_relevance */
    const Weight *weight; /* the handle of a parameter for products; else NULL */
} Tensor;

/* The tensor as an operand of a product: a parameter's handle, or one of the numbers alone. */
static inline Weight tensor_weight(const Tensor *w)
{
    Weight plain = { w->data, w->rows, w->cols, w->ld, NULL, 0, false, NULL };
    return w->weight ? *w->weight : plain;
}

/* Numbers [rows, cols] in host memory, to be read; data NULL: there are none. */
typedef struct HostMatrix {
    const Real *data;
    int rows, cols, ld;
} HostMatrix;

static inline const Real *host_row(const HostMatrix *matrix, int r) { return matrix->data + (ptrdiff_t)r * matrix->ld; }

/* Sentences of a packed batch: tokens start[b] .. start[b+1]-1 belong to sentence b, START and STOP included. */
typedef struct Batch {
    int n_sent;
    const int *start; /* [n_sent + 1], start[0] = 0 */
    int n_tokens;     /* start[n_sent] */
    int longest;      /* largest number of tokens of one sentence */
} Batch;

/* Words of sentence s: its tokens without START and STOP. */
static inline int batch_words(const Batch *batch, int s) { return batch->start[s + 1] - batch->start[s] - 2; }
/* A sentence of n words has n + 1 fenceposts, one fewer than tokens: row of the first of sentence s. Fencepost k lies
 * between tokens k and k + 1 of the sentence. */
static inline int batch_fencepost(const Batch *batch, int s) { return batch->start[s] - s; }
/* Token before (side 0) or after (side 1) a fencepost row of sentence s. */
static inline int batch_fencepost_token(int row, int s, int side) { return row + s + side; }
/* Arc scores of a sentence: [n + 1, n + 1]. */
static inline ptrdiff_t batch_arcs(const Batch *batch, int s)
{
    ptrdiff_t fenceposts = batch_words(batch, s) + 1;
    return fenceposts * fenceposts;
}

static inline size_t tensor_size(const Tensor *x) { return (size_t)x->rows * (size_t)x->cols; }
static inline Real *tensor_row(const Tensor *x, int r) { return x->data + (ptrdiff_t)r * x->ld; }
