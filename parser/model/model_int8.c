/* parser/model/model_int8.c: weights of 8 bits in a model file (docs/FORMATS.md) */
#include <math.h>
#include <stdio.h>

#include "parser/model/model_file_internal.h"
#include "tensor/int8.h"

/* Small tables, of treebanks or types of sequences, are added to every token: rounding them shifts all, and saves
 * nothing. */
enum { LEAST_ROWS = 8 };

DType model_stored(const Param *p, DType dtype)
{
    return dtype == DT_I8 && (p->n_dims == 1 || p->dim[0] < LEAST_ROWS) ? DT_F16 : dtype;
}

static bool is_narrow(const Param *p) { return model_stored(p, DT_I8) == DT_I8; }
/* Each index of the first dimension is a row with a scale of its own. */
static size_t row_size(const Param *p) { return param_count(p) / (size_t)p->dim[0]; }

/* The tensor with the scales of a parameter: [rows, 1] or [rows, 1, 1]. */
typedef struct Scales {
    char name[PARAM_NAME_MAX + 8];
    int dim[PARAM_MAX_DIMS];
} Scales;

static Scales scales_of(const Param *p)
{
    Scales x = { .dim = { p->dim[0], 1, 1 } };
    snprintf(x.name, sizeof x.name, "%s.scale", p->name);
    return x;
}

size_t model_int8_unfit(const Param *p, const Real *x)
{
    size_t n = row_size(p);
    for (size_t from = 0; from < param_count(p); from += n) {
        size_t at = 0;
        if (isfinite(int8_scale(x + from, n))) continue;
        while (at + 1 < n && isfinite(int8_scale(x + from + at, 1))) at++;
        return from + at;
    }
    return param_count(p);
}

/* ---- writing: scales, then vectors, then the numbers of 8 bits, so that all are aligned */

void model_int8_declare(StWriter *w, const Model *m)
{
    for (int part = 0; part < 3; part++)
        for (int k = 0; k < m->ps.n; k++) {
            const Param *p = &m->ps.p[k];
            const Scales x = scales_of(p);
            if (part == 0 && is_narrow(p)) stwriter_declare(w, x.name, DT_F32, x.dim, p->n_dims);
            if (part == 1 && !is_narrow(p)) stwriter_declare(w, p->name, DT_F16, p->dim, p->n_dims);
            if (part == 2 && is_narrow(p)) stwriter_declare(w, p->name, DT_I8, p->dim, p->n_dims);
        }
}

static void write_row(StWriter *w, const Real *x, size_t n)
{
    int8_t q[4096];
    float scale = int8_scale(x, n);
    for (size_t from = 0; from < n; from += sizeof q) {
        size_t part = n - from < sizeof q ? n - from : sizeof q;
        int8_encode(x + from, part, scale, q);
        stwriter_bytes(w, q, part);
    }
}

void model_int8_write(StWriter *w, const Model *m)
{
    for (int part = 0; part < 3; part++)
        for (int k = 0; k < m->ps.n; k++) {
            const Param *p = &m->ps.p[k];
            const Real *x = param_values(&m->ps, k);
            size_t n = row_size(p);
            if (part == 1 && !is_narrow(p)) stwriter_reals(w, DT_F16, x, param_count(p));
            for (size_t from = 0; is_narrow(p) && from < param_count(p); from += n) {
                Real scale = part == 0 ? (Real)int8_scale(x + from, n) : 0;
                if (part == 0) stwriter_reals(w, DT_F32, &scale, 1);
                if (part == 2) write_row(w, x + from, n);
            }
        }
}

/* ---- reading */

Status model_int8_check(const SafeTensors *st, const Param *p, const StTensor *t, Error *e)
{
    const Scales scales = scales_of(p);
    const StTensor *x;
    if (t->dtype == DT_I8) return model_find_tensor(st, scales.name, p->n_dims, scales.dim, &x, e);
    if (!safetensors_find(st, scales.name)) return OK;
    return error_at(e, ERR_FORMAT, st->path, 0, 0, "tensor %s: found scales of %s, which is %s, expected I8",
                    scales.name, p->name, dtype_name(t->dtype));
}

Status model_int8_source(const SafeTensors *st, const Param *p, const StTensor *t, StoredSource *source, Error *e)
{
    const Scales scales = scales_of(p);
    const StTensor *x = safetensors_find(st, scales.name);
    size_t rows = (size_t)p->dim[0], n = row_size(p), width = dtype_size(x->dtype);
    Status s = safetensors_reals(st, x, NULL, e);
    for (size_t r = 0; r < rows && s == OK; r++) {
        const int8_t *q = (const int8_t *)t->data + r * n;
        Real scale, product;
        dtype_reals(x->dtype, x->data + r * width, 1, &scale);
        if (scale < 0)
            s = error_at(e, ERR_FORMAT, st->path, 0, 0, "tensor %s: found %g as number %zu, expected at least 0",
                         scales.name, (double)scale, r);
        for (size_t c = 0; c < n && s == OK && !isfinite(scale * INT8_MIN); c++) {
            int8_decode(q + c, 1, scale, &product);
            if (!isfinite(product))
                s = error_at(e, ERR_NUMERIC, st->path, 0, 0,
                             "tensor %s: found %g as number %zu, whose products exceed the range of numbers",
                             scales.name, (double)scale, r);
        }
    }
    *source = (StoredSource){
        .dtype = DT_I8, .scale_dtype = x->dtype, .data = t->data, .scale = x->data, .rows = rows, .cols = n
    };
    return s;
}
