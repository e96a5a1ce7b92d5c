/* tensor/stored.h
 * The values of a parameter as a model file has them. Its numbers are made, in their place in the slab of values, when
 * somebody first reads them: of a table, those of the rows that are looked up. So a parse touches only the memory of
 * what it needs. Thread safe. */
#ifndef LAL_TENSOR_STORED_H
#define LAL_TENSOR_STORED_H

#include "tensor/safetensors.h"

typedef struct StoredSource {
    DType dtype, scale_dtype;
    const unsigned char *data;  /* [rows, cols], memory of somebody else */
    const unsigned char *scale; /* [rows] of scale_dtype, or NULL: 1; not aligned */
    size_t rows, cols;
} StoredSource;

/* n numbers from number `from`. */
void stored_source_read(const StoredSource *s, size_t from, size_t n, Real *out);

typedef struct Stored Stored;

/* `values` is where the numbers are to be, [rows * cols]; it and the source outlive the result. NULL when out of
 * memory. */
Stored *stored_new(const StoredSource *source, Real *values);
void stored_free(Stored *s);
/* All numbers are in their place from now on; those of the rows index [n]. */
void stored_all(Stored *s);
void stored_rows(Stored *s, const int *index, int n);
/* Copies numbers without making them: n from number `from` of values, which need not be there. */
void stored_read(const Stored *s, size_t from, size_t n, Real *out);
/* Are all in their place? */
bool stored_whole(const Stored *s);
const Real *stored_values(const Stored *s);

/* The values of a weight, all in their place; n of them from number `from`, which need not be; those of the rows
 * index [n] of a table. */
static inline const Real *weight_values(const Weight *w)
{
    if (w->stored) stored_all(w->stored);
    return w->values;
}
void weight_read(const Weight *w, size_t from, size_t n, Real *out);
const Real *tensor_lookup(const Tensor *table, const int *index, int n);

#endif
