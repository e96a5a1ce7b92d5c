/* Parameters that are decoded on first use. A Stored refers to the values of a parameter in a mapped model file and
 * decodes them into the slab of values: the whole parameter, or single rows of a table. So parsing touches only the
 * memory that it needs. Thread safe. */
#pragma once

#include "tensor/safetensors.h"

typedef struct StoredSource {
    DType dtype, scale_dtype;
    const unsigned char *data; /* [rows, cols] of dtype, U8: in 4 bits (tensor/int4.h); borrowed, not aligned */
    /* Scales, of scale_dtype, borrowed, not aligned: [rows], with 4 bits [rows, int4_groups(cols)]; NULL: all 1 */
    const unsigned char *scale;
    size_t rows, cols;
} StoredSource;

/* Decodes numbers from .. from + count - 1 to out [count]. */
void stored_source_read(const StoredSource *source, size_t from, size_t count, Real *out);

typedef struct Stored Stored;

/* values [rows * cols] receives the decoded numbers. It and the memory of the source are borrowed until stored_free.
 * NULL when out of memory. */
Stored *stored_new(const StoredSource *source, Real *values);
void stored_free(Stored *stored);
/* Decodes into values what has not been decoded yet: everything, or the rows index [n], each in 0 .. rows - 1. */
void stored_all(Stored *stored);
void stored_rows(Stored *stored, const int *index, int n);
/* Copies numbers from .. from + count - 1 to out [count]; decodes nothing into values. */
void stored_read(const Stored *stored, size_t from, size_t count, Real *out);
/* Has everything been decoded into values? */
bool stored_whole(const Stored *stored);

/* The values of a weight, decoded if necessary. */
static inline const Real *weight_values(const Weight *weight)
{
    if (weight->stored) stored_all(weight->stored);
    return weight->values;
}
/* Has the file the weight in 8 or 4 bits? */
bool weight_narrow(const Weight *weight);
/* Row r of a weight as its file has it in 8 bits, and the scale of that row (tensor/int8.h); NULL: the file has other
 * numbers. Borrowed until stored_free. */
const int8_t *weight_int8(const Weight *weight, int r, Real *scale);
/* Copies values from .. from + count - 1 of a weight, rows without gaps, to out [count]; see stored_read. */
void weight_read(const Weight *weight, size_t from, size_t count, Real *out);
/* The values of a table whose rows index [n] are about to be read; index NULL: all rows. Other rows may not be decoded.
 */
const Real *tensor_lookup(const Tensor *table, const int *index, int n);
