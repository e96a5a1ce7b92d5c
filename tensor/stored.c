/* Rows are decoded under a lock, and a flag for each says that it is in its place; readers of
 * decoded rows take no lock. */
#include "tensor/stored.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/arena.h"
#include "tensor/int4.h"
#include "tensor/int8.h"

struct Stored {
    StoredSource source;
    Real *values;
    atomic_bool whole;
    atomic_uchar *row; /* [source.rows]: is it in its place? */
    pthread_mutex_t lock;
};

static Real scale_of(const StoredSource *s, size_t k)
{
    Real scale = 1;
    if (s->scale) dtype_reals(s->scale_dtype, s->scale + k * dtype_size(s->scale_dtype), 1, &scale);
    return scale;
}

/* Numbers from .. from + n - 1 of row r. */
static void read_row(const StoredSource *s, size_t r, size_t from, size_t n, Real *out)
{
    size_t at = r * s->cols + from;
    if (s->dtype == DT_I8) int8_decode((const int8_t *)s->data + at, n, scale_of(s, r), out);
    else if (s->dtype == DT_U8) {
        const uint8_t *q = s->data + r * int4_bytes(s->cols);
        Real scale = 0;
        for (size_t c = from; c < from + n; c++) {
            if (c == from || c % INT4_GROUP == 0) scale = scale_of(s, r * int4_groups(s->cols) + c / INT4_GROUP);
            out[c - from] = (Real)int4_number(q, c) * scale;
        }
    } else dtype_reals(s->dtype, s->data + at * dtype_size(s->dtype), n, out);
}

void stored_source_read(const StoredSource *source, size_t from, size_t count, Real *out)
{
    for (size_t done = 0; done < count;) {
        size_t at = from + done, r = at / source->cols, left = (r + 1) * source->cols - at;
        size_t part = left < count - done ? left : count - done;
        read_row(source, r, at % source->cols, part, out + done);
        done += part;
    }
}

Stored *stored_new(const StoredSource *source, Real *values)
{
    Stored *s = mem_calloc(1, sizeof *s);
    if (!s) return NULL;
    *s = (Stored){ .source = *source, .values = values, .row = mem_calloc(source->rows, sizeof *s->row) };
    if (s->row && pthread_mutex_init(&s->lock, NULL) == 0) return s;
    mem_free_each(s->row, s);
    return NULL;
}

void stored_free(Stored *stored)
{
    if (!stored) return;
    pthread_mutex_destroy(&stored->lock);
    mem_free_each(stored->row, stored);
}

bool stored_whole(const Stored *stored) { return atomic_load_explicit(&stored->whole, memory_order_acquire); }

/* Is row r in its place? */
static bool has_row(const Stored *s, size_t r) { return atomic_load_explicit(&s->row[r], memory_order_acquire); }

static void make_row(Stored *s, size_t r)
{
    if (has_row(s, r)) return;
    stored_source_read(&s->source, r * s->source.cols, s->source.cols, s->values + r * s->source.cols);
    atomic_store_explicit(&s->row[r], 1, memory_order_release);
}

void stored_all(Stored *stored)
{
    if (stored_whole(stored)) return;
    pthread_mutex_lock(&stored->lock);
    for (size_t r = 0; r < stored->source.rows && !stored_whole(stored); r++) make_row(stored, r);
    atomic_store_explicit(&stored->whole, true, memory_order_release);
    pthread_mutex_unlock(&stored->lock);
}

void stored_rows(Stored *stored, const int *index, int n)
{
    if (stored_whole(stored)) return;
    int k = 0;
    while (k < n && has_row(stored, (size_t)index[k])) k++;
    if (k == n) return;
    pthread_mutex_lock(&stored->lock);
    for (; k < n; k++) make_row(stored, (size_t)index[k]);
    pthread_mutex_unlock(&stored->lock);
}

void stored_read(const Stored *stored, size_t from, size_t count, Real *out)
{
    if (stored_whole(stored)) memcpy(out, stored->values + from, count * sizeof *out);
    else stored_source_read(&stored->source, from, count, out);
}

bool weight_narrow(const Weight *weight)
{
    return weight->stored && (weight->stored->source.dtype == DT_I8 || weight->stored->source.dtype == DT_U8);
}

const int8_t *weight_int8(const Weight *weight, int r, Real *scale)
{
    if (!weight->stored || weight->stored->source.dtype != DT_I8) return NULL;
    const StoredSource *source = &weight->stored->source;
    size_t at = (size_t)(weight->values - weight->stored->values) + (size_t)r * (size_t)weight->cols;
    *scale = scale_of(source, at / source->cols); /* its rows may be several of the weight's */
    return (const int8_t *)source->data + at;
}

void weight_read(const Weight *weight, size_t from, size_t count, Real *out)
{
    if (weight->stored)
        stored_read(weight->stored, (size_t)(weight->values - weight->stored->values) + from, count, out);
    else memcpy(out, weight->values + from, count * sizeof *out);
}

const Real *tensor_lookup(const Tensor *table, const int *index, int n)
{
    if (table->data) return table->data;
    if (index && table->weight->first_row == 0) stored_rows(table->weight->stored, index, n);
    else stored_all(table->weight->stored);
    return table->weight->values;
}
