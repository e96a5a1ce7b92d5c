/* tensor/safetensors.c */
#include "tensor/safetensors.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} DTYPES[] = { { "F32", 4 }, { "F64", 8 }, { "F16", 2 }, { "BF16", 2 }, { "I32", 4 }, { "I64", 8 }, { "U8", 1 } };

enum { N_DTYPES = sizeof DTYPES / sizeof *DTYPES, MAX_HEADER = 64 << 20 };

size_t dtype_size(DType d) { return DTYPES[d].size; }
const char *dtype_name(DType d) { return DTYPES[d].name; }

float bfloat_to_float(uint16_t h)
{
    uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

uint16_t float_to_bfloat(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    if ((u & 0x7fffffff) > 0x7f800000) return (uint16_t)((u >> 16) | 0x40); /* NaN stays NaN */
    return (uint16_t)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}

float half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = (h >> 10) & 31, m = h & 0x3ff, u;
    if (e == 31) u = sign | 0x7f800000 | (m << 13);
    else if (e) u = sign | ((e + 112) << 23) | (m << 13);
    else { /* zero or subnormal: m * 2^-24 */ float f = (float)m * 0x1p-24f;
        memcpy(&u, &f, sizeof u);
        u |= sign;
    }
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

uint16_t float_to_half(float x)
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

static Status bad(SafeTensors *st, Error *e, const char *what, const char *name)
{
    return error_at(e, ERR_FORMAT, st->path, 0, 0, "not a sound safetensors file: %s%s%s", what, name ? " " : "", name ? name : "");
}

static Status read_tensor(SafeTensors *st, const cJSON *entry, size_t data_size, Error *e)
{
    const cJSON *dtype = cJSON_GetObjectItemCaseSensitive(entry, "dtype"), *shape = cJSON_GetObjectItemCaseSensitive(entry, "shape");
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(entry, "data_offsets"), *x;
    if (!cJSON_IsString(dtype) || !cJSON_IsArray(shape) || cJSON_GetArraySize(offsets) != 2) return bad(st, e, "incomplete entry", entry->string);
    int d = 0;
    while (d < N_DTYPES && strcmp(DTYPES[d].name, dtype->valuestring) != 0) d++;
    if (d == N_DTYPES) return bad(st, e, "unknown dtype of", entry->string);
    StTensor t = { .dtype = (DType)d, .count = 1 };
    cJSON_ArrayForEach(x, shape)
    {
        if (t.n_dims == ST_MAX_DIMS || !cJSON_IsNumber(x) || x->valuedouble < 0 || x->valuedouble > 1e9)
            return bad(st, e, "bad shape of", entry->string);
        t.dim[t.n_dims++] = (long)x->valuedouble;
        double total = (double)t.count * x->valuedouble;
        if (total > (double)data_size) return bad(st, e, "shape larger than the file:", entry->string);
        t.count *= (size_t)x->valuedouble;
    }
    double from = cJSON_GetArrayItem(offsets, 0)->valuedouble, to = cJSON_GetArrayItem(offsets, 1)->valuedouble;
    if (!(from >= 0) || !(to >= from) || to > (double)data_size || to - from != (double)(t.count * dtype_size(t.dtype)))
        return bad(st, e, "offsets beyond the data, or unlike the shape:", entry->string);
    t.data = st->map.data + st->header_size + (size_t)from;
    int before = st->names.n, k = map_add(&st->names, entry->string, strlen(entry->string));
    if (k < 0) return error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
    if (k != before) return bad(st, e, "two tensors named", entry->string);
    t.name = st->names.keys[k];
    st->t[k] = t;
    return OK;
}

static Status read_metadata(SafeTensors *st, const cJSON *meta, Error *e)
{
    const cJSON *x;
    int n = cJSON_GetArraySize(meta);
    st->values = arena_alloc(&st->arena, (size_t)n, sizeof *st->values);
    if (!st->values) return error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
    cJSON_ArrayForEach(x, meta)
    {
        if (!cJSON_IsString(x)) return bad(st, e, "metadata that is no string:", x->string);
        int before = st->keys.n, k = map_add(&st->keys, x->string, strlen(x->string));
        if (k < 0) return error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
        if (k != before) return bad(st, e, "metadata key twice:", x->string);
        st->values[k] = arena_strndup(&st->arena, x->valuestring, strlen(x->valuestring));
        if (!st->values[k]) return error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
    }
    return OK;
}

static Status read_header(SafeTensors *st, Error *e)
{
    const unsigned char *p = st->map.data;
    if (st->map.size < 8) return bad(st, e, "shorter than 8 bytes", NULL);
    uint64_t len = 0;
    for (int i = 7; i >= 0; i--) len = len << 8 | p[i];
    if (len > MAX_HEADER || len > st->map.size - 8) return bad(st, e, "header longer than the file", NULL);
    st->header_size = 8 + (size_t)len;
    if (memchr(p + 8, 0, (size_t)len)) return bad(st, e, "NUL byte in the header", NULL);
    cJSON *root = cJSON_ParseWithLength((const char *)p + 8, (size_t)len);
    if (!cJSON_IsObject(root)) {
        cJSON_Delete(root);
        return bad(st, e, "header is no JSON object", NULL);
    }
    Status s = OK;
    st->t = mem_calloc((size_t)cJSON_GetArraySize(root) + 1, sizeof *st->t);
    if (!st->t) s = error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
    const cJSON *x;
    cJSON_ArrayForEach(x, root)
    {
        if (s != OK) break;
        s = strcmp(x->string, "__metadata__") == 0 ? read_metadata(st, x, e) : read_tensor(st, x, st->map.size - st->header_size, e);
    }
    cJSON_Delete(root);
    return s;
}

Status safetensors_open(SafeTensors *st, const char *path, Error *e)
{
    *st = (SafeTensors){ 0 };
    map_init(&st->names);
    map_init(&st->keys);
    arena_init(&st->arena, 65536);
    snprintf(st->path, sizeof st->path, "%s", path);
    Status s = filemap_open(&st->map, path, e);
    if (s == OK) s = read_header(st, e);
    if (s != OK) safetensors_close(st);
    return s;
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

Status safetensors_reals(const SafeTensors *st, const StTensor *t, Real *out, Error *e)
{
    for (size_t i = 0; i < t->count; i++) {
        const unsigned char *p = t->data + i * dtype_size(t->dtype);
        switch (t->dtype) {
        case DT_F32: {
            float x;
            memcpy(&x, p, sizeof x);
            out[i] = (Real)x;
            break;
        }
        case DT_F64: {
            double x;
            memcpy(&x, p, sizeof x);
            out[i] = (Real)x;
            break;
        }
        case DT_F16: out[i] = (Real)half_to_float((uint16_t)(p[0] | p[1] << 8)); break;
        case DT_BF16: out[i] = (Real)bfloat_to_float((uint16_t)(p[0] | p[1] << 8)); break;
        default: return error_at(e, ERR_FORMAT, st->path, 0, 0, "%s holds %s, expected numbers", t->name, dtype_name(t->dtype));
        }
    }
    return OK;
}

Status safetensors_ints(const SafeTensors *st, const StTensor *t, int32_t *out, Error *e)
{
    for (size_t i = 0; i < t->count; i++) {
        const unsigned char *p = t->data + i * dtype_size(t->dtype);
        if (t->dtype == DT_I32) memcpy(&out[i], p, sizeof *out);
        else if (t->dtype == DT_I64) {
            int64_t x;
            memcpy(&x, p, sizeof x);
            out[i] = (int32_t)x;
        } else return error_at(e, ERR_FORMAT, st->path, 0, 0, "%s holds %s, expected whole numbers", t->name, dtype_name(t->dtype));
    }
    return OK;
}

void stwriter_init(StWriter *w)
{
    *w = (StWriter){ 0 };
    strbuf_puts(&w->header, "{");
}

void stwriter_metadata(StWriter *w, const char *key, const char *value)
{
    strbuf_puts(&w->header, w->header.len == 1 ? "\"__metadata__\": {" : ", ");
    strbuf_json(&w->header, key, strlen(key));
    strbuf_puts(&w->header, ": ");
    strbuf_json(&w->header, value, strlen(value));
}

void stwriter_declare(StWriter *w, const char *name, DType dtype, const int *dims, int n_dims)
{
    if (w->offset == 0 && w->header.len > 1) strbuf_putc(&w->header, '}'); /* the metadata */
    if (w->header.len > 1) strbuf_puts(&w->header, ",\n");
    strbuf_json(&w->header, name, strlen(name));
    strbuf_printf(&w->header, ": {\"dtype\": \"%s\", \"shape\": [", dtype_name(dtype));
    size_t size = dtype_size(dtype);
    for (int d = 0; d < n_dims; d++) {
        strbuf_printf(&w->header, "%s%d", d ? ", " : "", dims[d]);
        size *= (size_t)dims[d];
    }
    strbuf_printf(&w->header, "], \"data_offsets\": [%zu, %zu]}", w->offset, w->offset + size);
    w->offset += size;
}

Status stwriter_begin(StWriter *w, const char *path, Error *e)
{
    strbuf_putc(&w->header, '}');
    while (w->header.len % 64 != 56) strbuf_putc(&w->header, ' '); /* data begins at a multiple of 64 */
    if (w->header.failed) return error_set(e, ERR_NOMEM, "out of memory writing %s", path);
    Status s = filewriter_open(&w->file, path, e);
    if (s != OK) return s;
    unsigned char len[8];
    for (int i = 0; i < 8; i++) len[i] = (unsigned char)(w->header.len >> (8 * i));
    stwriter_bytes(w, len, 8);
    stwriter_bytes(w, w->header.ptr, w->header.len);
    return OK;
}

void stwriter_bytes(StWriter *w, const void *data, size_t size) { filewriter_write(&w->file, data, size); }

void stwriter_reals(StWriter *w, DType dtype, const Real *x, size_t count)
{
    unsigned char buf[8192];
    size_t size = dtype_size(dtype), used = 0;
    for (size_t i = 0; i < count; i++) {
        if (dtype == DT_F16 || dtype == DT_BF16) {
            uint16_t h = dtype == DT_F16 ? float_to_half((float)x[i]) : float_to_bfloat((float)x[i]);
            memcpy(buf + used, &h, sizeof h);
        } else if (dtype == DT_F64) {
            double d = (double)x[i];
            memcpy(buf + used, &d, sizeof d);
        } else {
            float f = (float)x[i];
            memcpy(buf + used, &f, sizeof f);
        }
        used += size;
        if (used + 8 > sizeof buf || i + 1 == count) {
            stwriter_bytes(w, buf, used);
            used = 0;
        }
    }
}

Status stwriter_end(StWriter *w, bool commit, Error *e)
{
    Status s = filewriter_close(&w->file, commit, e);
    strbuf_fini(&w->header);
    return s;
}
