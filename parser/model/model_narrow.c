/* Weights of 8 and 4 bits in a model file (docs/FORMATS.md) */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parser/model/model_file_internal.h"
#include "tensor/int4.h"
#include "tensor/int8.h"

/* Small tables, of treebanks or types of sequences, are added to every token: rounding them shifts all, and saves
 * nothing. */
enum { LEAST_ROWS = 8 };

DType model_stored(const Param *param, DType dtype)
{
    if (!is_narrow(dtype)) return dtype;
    if (param->n_dims == 1 || param->dim[0] < LEAST_ROWS) return DT_F16;
    return param->table ? DT_U8 : dtype;
}

/* Each index of the first dimension is a row with scales of its own. */
static size_t row_size(const Param *p) { return param_count(p) / (size_t)p->dim[0]; }

/* The tensors of a parameter: numbers, of I8 in its own shape, of U8 [rows, bytes]; of I8 scales [rows, 1] or
 * [rows, 1, 1], of U8 [rows, groups]. */
typedef struct Tensors {
    char scales[PARAM_NAME_MAX + 8]; /* the name */
    int n_dims, dim[PARAM_MAX_DIMS], scale_dim[PARAM_MAX_DIMS];
} Tensors;

static Tensors tensors_of(const Param *p, DType dtype)
{
    size_t n = row_size(p);
    Tensors t = { .n_dims = p->n_dims, .scale_dim = { p->dim[0], 1, 1 } };
    memcpy(t.dim, p->dim, sizeof t.dim);
    if (dtype == DT_U8) {
        t.n_dims = 2;
        t.dim[1] = (int)int4_bytes(n);
        t.scale_dim[1] = (int)int4_groups(n);
    }
    snprintf(t.scales, sizeof t.scales, "%s.scale", p->name);
    return t;
}

/* Numbers that have one scale. */
static size_t group_size(const Param *p, DType dtype) { return dtype == DT_U8 ? INT4_GROUP : row_size(p); }

static bool fits(const Real *x, size_t n, DType dtype)
{
    uint8_t q[INT4_GROUP];
    return isfinite(dtype == DT_U8 ? int4_encode(x, n, q) : int8_scale(x, n));
}

size_t model_narrow_unfit(const Param *param, const Real *x, DType dtype)
{
    size_t n = row_size(param), group = group_size(param, dtype);
    for (size_t from = 0, size; from < param_count(param); from += size) {
        size_t left = n - from % n, at = 0;
        size = left < group ? left : group;
        if (fits(x + from, size, dtype)) continue;
        while (at + 1 < size && fits(x + from + at, 1, dtype)) at++;
        return from + at;
    }
    return param_count(param);
}

/* ---- writing: scales of 4 bytes, then of 2, vectors, and the numbers of 8 and 4 bits, so that all are aligned */

typedef enum Part { SCALES_I8, SCALES_U8, VECTORS, NUMBERS, N_PARTS } Part;

void model_narrow_declare(StWriter *writer, const Model *model, DType dtype)
{
    for (Part part = 0; part < N_PARTS; part++)
        for (int k = 0; k < model->ps.n; k++) {
            const Param *p = &model->ps.p[k];
            DType stored = model_stored(p, dtype);
            const Tensors t = tensors_of(p, stored);
            if (part == SCALES_I8 && stored == DT_I8) stwriter_declare(writer, t.scales, DT_F32, t.scale_dim, t.n_dims);
            if (part == SCALES_U8 && stored == DT_U8) stwriter_declare(writer, t.scales, DT_F16, t.scale_dim, t.n_dims);
            if (part == VECTORS && !is_narrow(stored)) stwriter_declare(writer, p->name, stored, p->dim, p->n_dims);
            if (part == NUMBERS && is_narrow(stored)) stwriter_declare(writer, p->name, stored, t.dim, t.n_dims);
        }
}

/* The scales, or the numbers, of a row of 8 bits. */
static void write_row(StWriter *w, const Real *x, size_t n, bool scales)
{
    int8_t q[4096];
    float scale = int8_scale(x, n);
    if (scales) stwriter_reals(w, DT_F32, &(Real){ scale }, 1);
    for (size_t from = 0; from < n && !scales; from += sizeof q) {
        size_t part = n - from < sizeof q ? n - from : sizeof q;
        int8_encode(x + from, part, scale, q);
        stwriter_bytes(w, q, part);
    }
}

/* The scales, or the numbers, of a row of 4 bits, group by group. */
static void write_groups(StWriter *w, const Real *x, size_t n, bool scales)
{
    for (size_t from = 0; from < n; from += INT4_GROUP) {
        uint8_t q[INT4_GROUP / 2];
        size_t part = n - from < INT4_GROUP ? n - from : INT4_GROUP;
        Real scale = (Real)int4_encode(x + from, part, q);
        if (scales) stwriter_reals(w, DT_F16, &scale, 1);
        else stwriter_bytes(w, q, int4_bytes(part));
    }
}

void model_narrow_write(StWriter *writer, const Model *model, DType dtype)
{
    for (Part part = 0; part < N_PARTS; part++)
        for (int k = 0; k < model->ps.n; k++) {
            const Param *p = &model->ps.p[k];
            const Real *x = param_values(&model->ps, k);
            DType stored = model_stored(p, dtype);
            size_t n = row_size(p);
            if (part == VECTORS && !is_narrow(stored)) stwriter_reals(writer, stored, x, param_count(p));
            if (part == VECTORS || !is_narrow(stored)) continue;
            if (part != NUMBERS && (part == SCALES_U8) != (stored == DT_U8)) continue;
            for (size_t from = 0; from < param_count(p); from += n)
                (stored == DT_U8 ? write_groups : write_row)(writer, x + from, n, part != NUMBERS);
        }
}

/* ---- rounding */

static void round_row(Real *x, size_t n)
{
    int8_t q[4096];
    float scale = int8_scale(x, n);
    for (size_t from = 0; from < n && isfinite(scale); from += sizeof q) {
        size_t part = n - from < sizeof q ? n - from : sizeof q;
        int8_encode(x + from, part, scale, q);
        int8_decode(q, part, scale, x + from);
    }
}

static void round_groups(Real *x, size_t n)
{
    for (size_t from = 0; from < n; from += INT4_GROUP) {
        uint8_t q[INT4_GROUP / 2];
        size_t part = n - from < INT4_GROUP ? n - from : INT4_GROUP;
        Real scale = dtype_half_to_float(dtype_float_to_half(int4_encode(x + from, part, q)));
        for (size_t i = 0; i < part && isfinite(scale); i++) x[from + i] = (Real)int4_number(q, i) * scale;
    }
}

void model_round(const Param *param, DType dtype, Real *values)
{
    DType stored = model_stored(param, dtype);
    size_t n = param_count(param), row = row_size(param);
    for (size_t from = 0; from < n && is_narrow(stored); from += row)
        (stored == DT_U8 ? round_groups : round_row)(values + from, row);
    for (size_t i = 0; i < n && stored == DT_F16; i++)
        values[i] = dtype_half_to_float(dtype_float_to_half((float)values[i]));
    for (size_t i = 0; i < n && stored == DT_BF16; i++)
        values[i] = dtype_bfloat_to_float(dtype_float_to_bfloat((float)values[i]));
}

/* ---- reading */

Status model_narrow_find(const SafeTensors *st, const Param *param, const StTensor **tensor, Error *error)
{
    const StTensor *there = safetensors_find(st, param->name), *scales;
    DType dtype = there && there->dtype == DT_U8 && param->n_dims > 1 ? DT_U8 : DT_I8;
    const Tensors shapes = tensors_of(param, dtype);
    Status s = model_find_tensor(st, param->name, shapes.n_dims, shapes.dim, tensor, error);
    if (s != OK) return s;
    if (is_narrow((*tensor)->dtype))
        return model_find_tensor(st, shapes.scales, shapes.n_dims, shapes.scale_dim, &scales, error);
    if (!safetensors_find(st, shapes.scales)) return OK;
    return error_at(error, ERR_FORMAT, st->path, 0, 0, "tensor %s: found scales of %s, which is %s, expected I8 or U8",
                    shapes.scales, param->name, dtype_name((*tensor)->dtype));
}

/* Is the scale of the n numbers from `at` on sound? k: its index. */
static Status check_scale(const StoredSource *source, const char *path, const char *name, size_t at, size_t n, size_t k,
                          Error *e)
{
    Real scale, product;
    dtype_reals(source->scale_dtype, source->scale + k * dtype_size(source->scale_dtype), 1, &scale);
    if (scale < 0 && source->dtype == DT_I8)
        return error_at(e, ERR_FORMAT, path, 0, 0, "tensor %s: found %g as number %zu, expected at least 0", name,
                        (double)scale, k);
    for (size_t c = 0; c < n && !isfinite(scale * INT8_MIN); c++) {
        stored_source_read(source, at + c, 1, &product);
        if (!isfinite(product))
            return error_at(e, ERR_NUMERIC, path, 0, 0,
                            "tensor %s: found %g as number %zu, whose products exceed the range of numbers", name,
                            (double)scale, k);
    }
    return OK;
}

Status model_narrow_source(const SafeTensors *st, const Param *param, const StTensor *tensor, StoredSource *source,
                           Error *error)
{
    const Tensors shapes = tensors_of(param, tensor->dtype);
    const StTensor *x = safetensors_find(st, shapes.scales);
    size_t rows = (size_t)param->dim[0], n = row_size(param), group = group_size(param, tensor->dtype), k = 0;
    Status s = safetensors_reals(st, x, NULL, error);
    *source = (StoredSource){
        .dtype = tensor->dtype, .scale_dtype = x->dtype, .data = tensor->data, .scale = x->data, .rows = rows, .cols = n
    };
    for (size_t from = 0, size; from < rows * n && s == OK; from += size) {
        size_t left = n - from % n;
        size = left < group ? left : group;
        s = check_scale(source, st->path, shapes.scales, from, size, k++, error);
    }
    return s;
}
