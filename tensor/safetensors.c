/* Conversions of number types, a reader that uses nothing before it is checked, and a writer
 * that wants all tensors declared first. */
#include "tensor/safetensors.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_writer.h"

static const struct {
    const char *name;
    size_t size;
} KINDS[DTYPES] = { { "F32", 4 }, { "F64", 8 }, { "F16", 2 }, { "BF16", 2 },
                    { "I32", 4 }, { "I64", 8 }, { "U8", 1 },  { "I8", 1 } };

enum { MAX_DIM = 1000000000 };

size_t dtype_size(DType type) { return KINDS[type].size; }
const char *dtype_name(DType type) { return KINDS[type].name; }

float dtype_bfloat_to_float(uint16_t h)
{
    uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

uint16_t dtype_float_to_bfloat(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    if ((u & 0x7fffffff) > 0x7f800000) return (uint16_t)((u >> 16) | 0x40); /* NaN stays NaN */
    return (uint16_t)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}

/* Without branches, so that loops over it are vectorised. */
float dtype_half_to_float(uint16_t h)
{
    uint32_t a = (uint32_t)(h & 0x7fff) << 13, exponent = a & 0x0f800000, sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t u = a + (112u << 23), below = a + 0x38800000; /* exponent bias 15 -> 127; 2^-14 more */
    float f;
    memcpy(&f, &below, sizeof f);
    f -= 0x1p-14f; /* of a subnormal m * 2^-24: (2^-14 + m * 2^-24) - 2^-14 */
    memcpy(&below, &f, sizeof f);
    u = exponent == 0x0f800000 ? a | 0x7f800000 : u;
    u = (exponent ? u : below) | sign;
    memcpy(&f, &u, sizeof f);
    return f;
}

uint16_t dtype_float_to_half(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    uint32_t sign = (u >> 16) & 0x8000, a = u & 0x7fffffff;
    if (a > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    if (a >= 0x47800000) return (uint16_t)(sign | 0x7c00); /* 65536 and more */
    if (a < 0x38800000) {                                  /* below 2^-14: subnormal */
        float f;
        memcpy(&f, &a, sizeof f);
        f += 0.5f; /* the sum's low bits are the rounded multiple of 2^-24 */
        memcpy(&u, &f, sizeof u);
        return (uint16_t)(sign | (u - 0x3f000000));
    }
    a += 0xc8000fff + ((a >> 13) & 1); /* exponent bias 127 -> 15, round to nearest even */
    return (uint16_t)(sign | (a >> 13));
}

/* ---- reading: nothing in the header is used before it is checked */

static Status bad(const SafeTensors *st, Error *e, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static Status bad(const SafeTensors *st, Error *e, const char *fmt, ...)
{
    char what[640];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return error_at(e, ERR_FORMAT, st->path, 0, 0, "not a valid safetensors file: %s", what);
}

/* A whole number from 0 to most, which is below 2^53. false if the item is anything else. */
static bool whole_number(const cJSON *x, double most, size_t *out)
{
    if (!cJSON_IsNumber(x) || !(x->valuedouble >= 0 && x->valuedouble <= most) ||
        x->valuedouble != floor(x->valuedouble))
        return false;
    *out = (size_t)x->valuedouble;
    return true;
}

/* Names appear in messages, so they may not contain control characters. */
static Status check_name(const SafeTensors *st, const char *name, Error *e)
{
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return bad(st, e, "found a name with a control character, expected text");
    return OK;
}

/* dtype, shape and count; *bytes is the size of a tensor of that shape, a double because it may exceed any integer. */
static Status read_shape(const SafeTensors *st, const cJSON *entry, StTensor *t, double *bytes, Error *e)
{
    const cJSON *dtype = json_get(entry, "dtype"), *shape = json_get(entry, "shape"), *x;
    if (!cJSON_IsString(dtype) || !cJSON_IsArray(shape))
        return bad(st, e, "tensor %s: found no dtype or no shape, expected both", entry->string);
    int d = 0;
    while (d < DTYPES && strcmp(KINDS[d].name, dtype->valuestring) != 0) d++;
    if (d == DTYPES)
        return bad(st, e, "tensor %s: found an unknown dtype, expected F32, F64, F16, BF16, I32, I64, U8 or I8",
                   entry->string);
    t->dtype = (DType)d;
    *bytes = (double)dtype_size(t->dtype);
    cJSON_ArrayForEach(x, shape)
    {
        size_t dim;
        if (t->n_dims == ST_MAX_DIMS || !whole_number(x, MAX_DIM, &dim))
            return bad(st, e, "tensor %s: found another shape, expected at most %d whole numbers from 0 to %d",
                       entry->string, ST_MAX_DIMS, MAX_DIM);
        t->dim[t->n_dims++] = (long)dim;
        *bytes *= (double)dim;
    }
    return OK;
}

static Status read_tensor(SafeTensors *st, const cJSON *entry, size_t data_size, Error *e)
{
    StTensor t = { 0 };
    double bytes = 0;
    size_t from, to;
    if (!cJSON_IsObject(entry) || cJSON_GetArraySize(entry) != 3)
        return bad(st, e, "tensor %s: expected an object of dtype, shape and data_offsets", entry->string);
    Status s = read_shape(st, entry, &t, &bytes, e);
    if (s != OK) return s;
    const cJSON *offsets = json_get(entry, "data_offsets");
    if (!cJSON_IsArray(offsets) || cJSON_GetArraySize(offsets) != 2 ||
        !whole_number(offsets->child, (double)data_size, &from) ||
        !whole_number(offsets->child->next, (double)data_size, &to) || to < from)
        return bad(st, e, "tensor %s: found other data_offsets, expected two whole numbers from 0 to %zu",
                   entry->string, data_size);
    if ((double)(to - from) != bytes)
        return bad(st, e, "tensor %s: found %zu bytes of data, expected %.0f by its shape", entry->string, to - from,
                   bytes);
    t.count = (to - from) / dtype_size(t.dtype);
    t.data = st->map.data + st->header_size + from;
    int before = st->names.n, k = map_add(&st->names, entry->string, strlen(entry->string));
    if (k < 0) return error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
    if (k != before) return bad(st, e, "found two tensors named %s", entry->string);
    t.name = st->names.keys[k];
    st->t[k] = t;
    return OK;
}

static Status read_metadata(SafeTensors *st, const cJSON *meta, Error *e)
{
    const cJSON *x;
    if (st->values) return bad(st, e, "found __metadata__ twice");
    if (!cJSON_IsObject(meta)) return bad(st, e, "found no object as __metadata__");
    st->values = arena_alloc(&st->arena, (size_t)cJSON_GetArraySize(meta), sizeof *st->values);
    if (!st->values) return error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
    cJSON_ArrayForEach(x, meta)
    {
        Status s = check_name(st, x->string, e);
        if (s != OK) return s;
        if (!cJSON_IsString(x)) return bad(st, e, "metadata %s: found another value, expected a string", x->string);
        int before = st->keys.n, k = map_add(&st->keys, x->string, strlen(x->string));
        if (k < 0) return error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
        if (k != before) return bad(st, e, "found metadata %s twice", x->string);
        st->values[k] = arena_strndup(&st->arena, x->valuestring, strlen(x->valuestring));
        if (!st->values[k]) return error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
    }
    return OK;
}

static int by_place(const void *a, const void *b)
{
    const StTensor *x = *(const StTensor *const *)a, *y = *(const StTensor *const *)b;
    if (x->data != y->data) return x->data < y->data ? -1 : 1;
    return x->count < y->count ? -1 : x->count > y->count; /* empty ones first */
}

/* Tensors follow one another to the end of the file, without gaps and overlaps, as the format requires; so their sizes
 * add up to at most the size of the file. */
static Status check_layout(const SafeTensors *st, Error *e)
{
    size_t n = (size_t)st->names.n;
    const StTensor **order = mem_alloc(n, sizeof(StTensor *));
    if (!order) return error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
    for (size_t k = 0; k < n; k++) order[k] = &st->t[k];
    if (n) qsort(order, n, sizeof(StTensor *), by_place);
    const unsigned char *begin = st->map.data + st->header_size, *end = begin;
    Status s = OK;
    for (size_t k = 0; k < n && s == OK; k++) {
        if (order[k]->data != end)
            s = bad(st, e, "tensor %s: found its data at byte %td, expected %td, where the tensor before it ends",
                    order[k]->name, order[k]->data - begin, end - begin);
        else end += order[k]->count * dtype_size(order[k]->dtype);
    }
    if (s == OK && end != st->map.data + st->map.size)
        s = bad(st, e, "found %td bytes after the last tensor, expected none", st->map.data + st->map.size - end);
    mem_free(order);
    return s;
}

/* The header as JSON; NULL with e filled. */
static cJSON *parse_header(const SafeTensors *st, Error *e)
{
    const char *text = (const char *)st->map.data + 8;
    size_t len = st->header_size - 8;
    while (len && text[len - 1] == ' ') len--;
    cJSON *root = NULL;
    bool object = len > 1 && text[0] == '{' && text[len - 1] == '}';
    if (object && json_parse(text, len, &root, e) == ERR_NOMEM) return NULL;
    if (!root) bad(st, e, "found another header, expected one JSON object and blanks");
    return root;
}

static Status read_header(SafeTensors *st, Error *e)
{
    const unsigned char *p = st->map.data;
    if (st->map.size < 8) return bad(st, e, "found %zu bytes, expected at least 8", st->map.size);
    uint64_t len = 0;
    for (int i = 7; i >= 0; i--) len = len << 8 | p[i];
    if (len > ST_MAX_HEADER || len > st->map.size - 8)
        return bad(st, e, "found a header of %llu bytes, expected at most %zu", (unsigned long long)len,
                   st->map.size - 8 < ST_MAX_HEADER ? st->map.size - 8 : ST_MAX_HEADER);
    st->header_size = 8 + (size_t)len;
    if (memchr(p + 8, 0, (size_t)len)) return bad(st, e, "found a NUL byte in the header");
    cJSON *root = parse_header(st, e);
    if (!root) return e->code;
    Status s = OK;
    st->t = mem_calloc((size_t)cJSON_GetArraySize(root) + 1, sizeof *st->t);
    if (!st->t) s = error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
    const cJSON *x;
    cJSON_ArrayForEach(x, root)
    {
        if (s == OK) s = check_name(st, x->string, e);
        if (s != OK) break;
        bool meta = strcmp(x->string, "__metadata__") == 0;
        s = meta ? read_metadata(st, x, e) : read_tensor(st, x, st->map.size - st->header_size, e);
    }
    cJSON_Delete(root);
    return s == OK ? check_layout(st, e) : s;
}

Status safetensors_open(SafeTensors *st, const char *path, Error *error)
{
    return safetensors_open_above(st, path, 0, error);
}

Status safetensors_map(SafeTensors *st, const char *path, size_t map_above, Error *error)
{
    *st = (SafeTensors){ 0 };
    map_init(&st->names);
    map_init(&st->keys);
    arena_init(&st->arena, 65536);
    snprintf(st->path, sizeof st->path, "%s", path);
    return filemap_open(&st->map, path, map_above, error);
}

Status safetensors_open_above(SafeTensors *st, const char *path, size_t map_above, Error *error)
{
    Status s = safetensors_map(st, path, map_above, error);
    if (s == OK) s = read_header(st, error);
    if (s != OK) safetensors_close(st);
    return s;
}

Status safetensors_end(const SafeTensors *st, Status status, Error *error)
{
    if (filemap_unchanged(&st->map, NULL)) return status;
    if (error) *error = (Error){ 0 };
    return error_at(error, ERR_IO, st->path, 0, 0, "the model file was changed while it was read");
}

FileMap safetensors_take(SafeTensors *st)
{
    FileMap map = st->map;
    st->map = (FileMap){ 0 };
    return map;
}

void safetensors_close(SafeTensors *st)
{
    filemap_close(&st->map);
    map_fini(&st->names);
    map_fini(&st->keys);
    mem_free(st->t);
    arena_fini(&st->arena);
    *st = (SafeTensors){ 0 };
}

const StTensor *safetensors_find(const SafeTensors *st, const char *name)
{
    int k = map_find(&st->names, name, strlen(name));
    return k < 0 ? NULL : &st->t[k];
}

const char *safetensors_metadata(const SafeTensors *st, const char *key)
{
    int k = map_find(&st->keys, key, strlen(key));
    return k < 0 ? NULL : st->values[k];
}

bool dtype_reals(DType type, const unsigned char *text, size_t count, Real *out)
{
    switch (type) {
    case DT_F32:
        for (size_t i = 0; i < count; i++) {
            float x;
            memcpy(&x, text + 4 * i, sizeof x);
            out[i] = (Real)x;
        }
        return true;
    case DT_F64:
        for (size_t i = 0; i < count; i++) {
            double x;
            memcpy(&x, text + 8 * i, sizeof x);
            out[i] = (Real)x;
        }
        return true;
    case DT_F16:
        for (size_t i = 0; i < count; i++)
            out[i] = (Real)dtype_half_to_float((uint16_t)(text[2 * i] | text[2 * i + 1] << 8));
        return true;
    case DT_BF16:
        for (size_t i = 0; i < count; i++)
            out[i] = (Real)dtype_bfloat_to_float((uint16_t)(text[2 * i] | text[2 * i + 1] << 8));
        return true;
    default: return false;
    }
}

Status safetensors_reals(const SafeTensors *st, const StTensor *tensor, Real *out, Error *error)
{
    enum { BLOCK = 4096 }; /* converted, then checked while still in the cache */
    Real block[BLOCK];
    for (size_t from = 0; from < tensor->count; from += BLOCK) {
        size_t n = tensor->count - from < BLOCK ? tensor->count - from : BLOCK;
        Real *to = out ? out + from : block;
        if (!dtype_reals(tensor->dtype, tensor->data + from * dtype_size(tensor->dtype), n, to))
            return error_at(error, ERR_FORMAT, st->path, 0, 0, "tensor %s: found %s, expected numbers", tensor->name,
                            dtype_name(tensor->dtype));
        size_t k = reals_finite(to, n);
        if (k < n)
            return error_at(error, ERR_NUMERIC, st->path, 0, 0,
                            "tensor %s: found %g as number %zu, expected finite numbers", tensor->name, (double)to[k],
                            from + k);
    }
    return OK;
}

void stwriter_init(StWriter *writer)
{
    *writer = (StWriter){ 0 };
    strbuf_puts(&writer->header, "{");
}

void stwriter_metadata(StWriter *writer, const char *key, const char *value)
{
    if (writer->header.len == 1) json_object(&writer->header, "__metadata__");
    json_string(&writer->header, key, value);
}

void stwriter_declare(StWriter *writer, const char *name, DType dtype, const int *dims, int n_dims)
{
    size_t size = dtype_size(dtype);
    for (int d = 0; d < n_dims; d++) size *= (size_t)dims[d];
    if (writer->offset == 0 && writer->header.len > 1) json_object_end(&writer->header); /* the metadata */
    if (writer->header.len > 1) json_line(&writer->header);
    json_object(&writer->header, name);
    json_string(&writer->header, "dtype", dtype_name(dtype));
    json_ints(&writer->header, "shape", dims, n_dims);
    json_array(&writer->header, "data_offsets");
    json_long(&writer->header, NULL, (long)writer->offset);
    json_long(&writer->header, NULL, (long)(writer->offset + size));
    json_array_end(&writer->header);
    json_object_end(&writer->header);
    writer->offset += size;
}

Status stwriter_begin(StWriter *writer, const char *path, Error *error)
{
    strbuf_putc(&writer->header, '}');
    /* data begins at a multiple of 64 */
    while (writer->header.len % 64 != 56 && !writer->header.failed) strbuf_putc(&writer->header, ' ');
    if (writer->header.failed) return error_set(error, ERR_NOMEM, "out of memory writing %s", path);
    if (writer->header.len > ST_MAX_HEADER)
        return error_at(error, ERR_LIMIT, path, 0, 0, "found a header of %zu bytes, expected at most %d",
                        writer->header.len, ST_MAX_HEADER);
    Status s = filewriter_open_plain(&writer->file, path, error);
    if (s != OK) return s;
    unsigned char len[8];
    for (int i = 0; i < 8; i++) len[i] = (unsigned char)(writer->header.len >> (8 * i));
    stwriter_bytes(writer, len, 8);
    stwriter_bytes(writer, writer->header.ptr, writer->header.len);
    return OK;
}

void stwriter_bytes(StWriter *writer, const void *data, size_t size) { filewriter_write(&writer->file, data, size); }

void stwriter_reals(StWriter *writer, DType dtype, const Real *x, size_t count)
{
    enum { BLOCK = 1 << 13 };
    unsigned char block[BLOCK * sizeof(double)];
    for (size_t from = 0; from < count; from += BLOCK) {
        size_t n = count - from < BLOCK ? count - from : BLOCK;
        for (size_t i = 0; i < n; i++) {
            if (dtype == DT_F16 || dtype == DT_BF16) {
                float f = (float)x[from + i];
                uint16_t h = dtype == DT_F16 ? dtype_float_to_half(f) : dtype_float_to_bfloat(f);
                memcpy(block + 2 * i, &h, sizeof h);
            } else if (dtype == DT_F64) {
                double d = (double)x[from + i];
                memcpy(block + 8 * i, &d, sizeof d);
            } else {
                float f = (float)x[from + i];
                memcpy(block + 4 * i, &f, sizeof f);
            }
        }
        stwriter_bytes(writer, block, n * dtype_size(dtype));
    }
}

Status stwriter_end(StWriter *writer, bool commit, Error *error)
{
    Status s = filewriter_close(&writer->file, commit, error);
    strbuf_fini(&writer->header);
    return s;
}
