/* tensor/params.c */
#include "tensor/params.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"

void params_init(ParamSet *ps) { *ps = (ParamSet){ 0 }; }

void params_fini(ParamSet *ps)
{
    mem_free(ps->p);
    if (ps->owns_values) mem_free(ps->values);
    *ps = (ParamSet){ 0 };
}

Status params_add(ParamSet *ps, const char *name, int n_dims, const int *dims, int *k, Error *e)
{
    Param p = { .n_dims = n_dims, .rows = 1, .cols = dims[n_dims - 1] };
    double total = 1;
    if (strlen(name) >= PARAM_NAME_MAX || n_dims > PARAM_MAX_DIMS)
        return error_set(e, ERR_CONFIG, "parameter %s: name too long or too many dimensions", name);
    snprintf(p.name, sizeof p.name, "%s", name);
    for (int d = 0; d < n_dims; d++) {
        if (dims[d] <= 0)
            return error_set(e, ERR_CONFIG, "parameter %s: found a dimension of %d, expected at least 1", name,
                             dims[d]);
        total *= dims[d];
        p.dim[d] = dims[d];
    }
    if (total > 1e9)
        return error_set(e, ERR_CONFIG, "parameter %s: found %.3g numbers, expected at most 1e9", name, total);
    for (int d = 0; d + 1 < n_dims; d++) p.rows *= dims[d];
    if (!mem_reserve(ps->p, &ps->cap, ps->n + 1))
        return error_set(e, ERR_NOMEM, "out of memory for parameter %s", name);
    *k = ps->n;
    ps->p[ps->n++] = p;
    return OK;
}

void params_freeze(ParamSet *ps, int k) { ps->p[k].frozen = true; }

Status params_finish(ParamSet *ps, Error *e)
{
    for (int frozen = 0; frozen < 2; frozen++) {
        for (int k = 0; k < ps->n; k++) {
            if (ps->p[k].frozen != frozen) continue;
            ps->p[k].offset = ps->size;
            ps->size += (param_count(&ps->p[k]) + 15) / 16 * 16;
        }
        if (!frozen) ps->trained = ps->size;
    }
    ps->values = mem_aligned(ps->size, sizeof *ps->values);
    if (!ps->values) return error_set(e, ERR_NOMEM, "out of memory for %zu parameters", ps->size);
    memset(ps->values, 0, ps->size * sizeof *ps->values);
    ps->owns_values = true;
    return OK;
}

int params_find(const ParamSet *ps, const char *name)
{
    for (int k = 0; k < ps->n; k++)
        if (strcmp(ps->p[k].name, name) == 0) return k;
    return -1;
}

size_t params_total(const ParamSet *ps)
{
    size_t sum = 0;
    for (int k = 0; k < ps->n; k++) sum += param_count(&ps->p[k]);
    return sum;
}

static uint64_t key_of(const ParamSet *ps, int k, unsigned long seed)
{
    return rng_key(seed, text_hash(ps->p[k].name, strlen(ps->p[k].name)), 0x1417, 0);
}

void param_init_uniform(ParamSet *ps, int k, double bound, unsigned long seed)
{
    Real *w = param_values(ps, k);
    uint64_t key = key_of(ps, k, seed);
    for (size_t i = 0; i < param_count(&ps->p[k]); i++) w[i] = (Real)((2 * rng_uniform(key, i) - 1) * bound);
}

void param_init_normal(ParamSet *ps, int k, double std, unsigned long seed)
{
    Real *w = param_values(ps, k);
    uint64_t key = key_of(ps, k, seed);
    for (size_t i = 0; i < param_count(&ps->p[k]); i++) w[i] = (Real)(rng_normal(key, i) * std);
}

void param_init_constant(ParamSet *ps, int k, double value)
{
    Real *w = param_values(ps, k);
    for (size_t i = 0; i < param_count(&ps->p[k]); i++) w[i] = (Real)value;
}

Tensor *param_tensor(Tape *t, const ParamSet *ps, int k, Real *grads)
{
    const Param *p = &ps->p[k];
    if (p->frozen) grads = NULL;
    return tape_wrap(t, ps->values + p->offset, grads ? grads + p->offset : NULL, p->rows, p->cols, grads != NULL);
}
