/* Parameters are declared, sorted into groups, laid out in one slab, given first values, and handed
 * to tapes as tensors. */
#include "tensor/params.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"

enum { SLAB_ALIGN = 64 }; /* bytes */

void params_init(ParamSet *ps) { *ps = (ParamSet){ 0 }; }

static void drop_packed(ParamSet *ps)
{
    for (int k = 0; ps->packed && k < ps->n; k++) ps->packs->unpack(ps->packed[k]);
    mem_free(ps->packed);
    ps->packed = NULL;
}

void params_fini(ParamSet *ps)
{
    drop_packed(ps);
    mem_free_each(ps->p, ps->rule, ps->group);
    for (int k = 0; ps->stored && k < ps->n; k++) stored_free(ps->stored[k]);
    mem_free(ps->stored);
    filemap_close(&ps->file);
    mem_free(ps->memory);
    if (ps->on_device) ps->device->free(ps->on_device);
    *ps = (ParamSet){ 0 };
}

Status params_add(ParamSet *ps, const char *name, int n_dims, const int *dims, int *k, Error *error)
{
    Param p = { .n_dims = n_dims, .rows = 1, .cols = dims[n_dims - 1] };
    double total = 1;
    if (strlen(name) >= PARAM_NAME_MAX || n_dims > PARAM_MAX_DIMS)
        return error_set(error, ERR_CONFIG, "parameter %s: name too long or too many dimensions", name);
    snprintf(p.name, sizeof p.name, "%s", name);
    for (int d = 0; d < n_dims; d++) {
        if (dims[d] <= 0)
            return error_set(error, ERR_CONFIG, "parameter %s: found a dimension of %d, expected at least 1", name,
                             dims[d]);
        total *= dims[d];
        p.dim[d] = dims[d];
    }
    if (total > 1e9)
        return error_set(error, ERR_CONFIG, "parameter %s: found %.3g numbers, expected at most 1e9", name, total);
    for (int d = 0; d + 1 < n_dims; d++) p.rows *= dims[d];
    if (!mem_reserve(ps->p, &ps->cap, ps->n + 1))
        return error_set(error, ERR_NOMEM, "out of memory for parameter %s", name);
    *k = ps->n;
    ps->p[ps->n++] = p;
    return OK;
}

void params_freeze(ParamSet *ps, int k) { ps->p[k].frozen = true; }
void params_unclip(ParamSet *ps, int k) { ps->p[k].unclipped = true; }
void params_table(ParamSet *ps, int k) { ps->p[k].table = true; }

void params_fine(ParamSet *ps, int k) { ps->p[k].fine = true; }

Status params_group(ParamSet *ps, const char *prefix, double rate, double decay, long warmup, bool frozen, Error *error)
{
    ParamRule r = { .rate = rate, .decay = decay, .warmup = warmup, .frozen = frozen };
    if (!(rate >= 0 && rate < INFINITY && decay >= 0 && decay < INFINITY && warmup >= 0))
        return error_set(error, ERR_RANGE,
                         "group %s: found rate %g, decay %g and warm-up %ld, expected numbers not below 0", prefix,
                         rate, decay, warmup);
    if (strlen(prefix) >= sizeof r.prefix)
        return error_set(error, ERR_CONFIG, "group %s: found a prefix of %zu bytes, expected at most %zu", prefix,
                         strlen(prefix), sizeof r.prefix - 1);
    if (!mem_reserve(ps->rule, &ps->cap_rules, ps->n_rules + 1))
        return error_set(error, ERR_NOMEM, "out of memory for group %s", prefix);
    snprintf(r.prefix, sizeof r.prefix, "%s", prefix);
    ps->rule[ps->n_rules++] = r;
    return OK;
}

static bool begins_with(const char *name, const char *prefix) { return strncmp(name, prefix, strlen(prefix)) == 0; }

/* How a parameter is trained, by the last rule that matches. */
static ParamGroup group_of(const ParamSet *ps, const Param *p)
{
    ParamGroup g = { .rate = 1, .frozen = p->frozen, .unclipped = p->unclipped };
    for (int k = 0; k < ps->n_rules; k++) {
        const ParamRule *r = &ps->rule[k];
        if (begins_with(p->name, r->prefix))
            g = (ParamGroup){ .rate = r->rate,
                              .decay = p->n_dims > 1 ? r->decay : 0,
                              .warmup = r->warmup,
                              .frozen = p->frozen || r->frozen,
                              .unclipped = p->unclipped };
    }
    return g.frozen ? (ParamGroup){ .frozen = true } : g;
}

static bool same_group(const ParamGroup *a, const ParamGroup *b)
{
    return a->rate == b->rate && a->decay == b->decay && a->warmup == b->warmup && a->frozen == b->frozen &&
           a->unclipped == b->unclipped;
}

/* The distinct groups, in the order of their first parameters, the frozen one last. false: out of memory. */
static bool find_groups(ParamSet *ps)
{
    for (int frozen = 0; frozen < 2; frozen++)
        for (int k = 0; k < ps->n; k++) {
            ParamGroup g = group_of(ps, &ps->p[k]);
            bool known = g.frozen != frozen;
            for (int i = 0; i < ps->n_groups && !known; i++) known = same_group(&g, &ps->group[i]);
            if (known) continue;
            if (!mem_reserve(ps->group, &ps->cap_groups, ps->n_groups + 1)) return false;
            ps->group[ps->n_groups++] = g;
        }
    return true;
}

/* Gives the parameters of group g their places. */
static void lay_out(ParamSet *ps, ParamGroup *g)
{
    g->offset = ps->size;
    for (int k = 0; k < ps->n; k++) {
        Param *p = &ps->p[k];
        ParamGroup own = group_of(ps, p);
        if (!same_group(&own, g)) continue;
        p->offset = ps->size;
        ps->size += (param_count(p) + 15) / 16 * 16;
    }
    g->size = ps->size - g->offset;
    if (!g->frozen) ps->trained = ps->size;
}

Status params_finish(ParamSet *ps, Error *error)
{
    if (!find_groups(ps)) return error_set(error, ERR_NOMEM, "out of memory for parameter groups");
    for (int i = 0; i < ps->n_groups; i++) lay_out(ps, &ps->group[i]);
    for (int k = 0; k < ps->n; k++) ps->p[k].frozen = group_of(ps, &ps->p[k]).frozen;
    /* On demand, most of the slab may never be used: calloc leaves fresh pages untouched. */
    size_t bytes = ps->size * sizeof *ps->slab, align = SLAB_ALIGN;
    ps->memory = ps->on_demand ? mem_calloc(bytes + align, 1) : mem_aligned(bytes, 1);
    if (!ps->memory) return error_set(error, ERR_NOMEM, "out of memory for %zu parameters", ps->size);
    ps->slab = (Real *)(((uintptr_t)ps->memory + align - 1) / align * align);
    if (!ps->on_demand) memset(ps->slab, 0, bytes);
    return OK;
}

Real *param_values(const ParamSet *ps, int k)
{
    if (ps->stored && ps->stored[k]) stored_all(ps->stored[k]);
    return ps->slab + ps->p[k].offset;
}

Real *params_values(const ParamSet *ps)
{
    for (int k = 0; k < ps->n; k++) param_values(ps, k);
    return ps->slab;
}

Status params_store(ParamSet *ps, int k, const StoredSource *source, Error *error)
{
    if (!ps->stored) ps->stored = mem_calloc((size_t)ps->n, sizeof *ps->stored);
    if (ps->stored) ps->stored[k] = stored_new(source, ps->slab + ps->p[k].offset);
    return ps->stored && ps->stored[k] ? OK
                                       : error_set(error, ERR_NOMEM, "out of memory for parameter %s", ps->p[k].name);
}

int params_matching(const ParamSet *ps, const char *prefix)
{
    int n = 0;
    for (int k = 0; k < ps->n; k++) n += begins_with(ps->p[k].name, prefix);
    return n;
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

Status params_constant(ParamSet *ps, const Device *device, Error *error)
{
    drop_packed(ps);
    if (!device->packed) return OK;
    ps->packs = device;
    ps->packed = mem_calloc((size_t)ps->n, sizeof *ps->packed);
    bool ok = ps->packed != NULL;
    for (int k = 0; k < ps->n && ok; k++) ok = (ps->packed[k] = device->packed()) != NULL;
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory for %d parameters", ps->n);
}

Status params_upload(ParamSet *ps, const Device *device, Error *error)
{
    drop_packed(ps);
    if (device->host_memory) return OK;
    if (ps->on_device && ps->device != device) {
        ps->device->free(ps->on_device);
        ps->on_device = NULL;
    }
    if (!ps->on_device) ps->on_device = device->alloc(ps->size * sizeof *ps->on_device);
    ps->device = device;
    if (!ps->on_device)
        return error_set(error, ERR_NOMEM, "out of memory for %zu parameters on %s", ps->size, device->name);
    Status s = device->upload(ps->on_device, params_values(ps), ps->size * sizeof *ps->slab, error);
    return s == OK ? device->synchronise(error) : s;
}

Status params_download(ParamSet *ps, Error *error)
{
    if (!ps->on_device) return OK;
    return ps->device->download(params_values(ps), ps->on_device, ps->size * sizeof *ps->slab, error);
}

/* The slab of values that passes on the tape's device read. */
static const Real *slab_for(Tape *t, const ParamSet *ps)
{
    if (t->device->host_memory || t->device->measures) return ps->slab;
    if (ps->on_device && ps->device == t->device) return ps->on_device;
    return tape_fail(t, ERR_CONFIG, "the parameters are not on %s", t->device->name);
}

static Tensor *rows_of(Tape *t, const ParamSet *ps, int k, Real *grads, int from, int n, Stored *stored)
{
    const Param *p = &ps->p[k];
    const Real *slab = slab_for(t, ps);
    if (from < 0 || n < 0 || from + n > p->rows)
        return tape_fail(t, ERR_RANGE, "%s: rows %d..%d of %d", p->name, from, from + n, p->rows);
    Weight *weight = slab ? tape_host(t, 1, sizeof *weight) : NULL;
    if (!weight) return NULL;
    size_t at = p->offset + (size_t)from * (size_t)p->cols;
    *weight = (Weight){ .values = slab + at,
                        .rows = n,
                        .cols = p->cols,
                        .ld = p->cols,
                        .first_row = from,
                        .fine = p->fine,
                        .stored = stored };
    if (ps->packed && ps->packs == t->device && !grads && !t->exact) weight->packed = ps->packed[k];
    if (p->frozen) grads = NULL;
    Real *data = stored ? NULL : (Real *)(uintptr_t)weight->values;
    Tensor *x = tape_wrap(t, data, grads ? grads + at : NULL, n, p->cols, grads != NULL);
    if (x) x->weight = weight;
    return x;
}

Tensor *param_rows(Tape *tape, const ParamSet *ps, int k, Real *grads, int from, int n)
{
    param_values(ps, k);
    return rows_of(tape, ps, k, grads, from, n, NULL);
}

Tensor *param_tensor(Tape *tape, const ParamSet *ps, int k, Real *grads)
{
    return param_rows(tape, ps, k, grads, 0, ps->p[k].rows);
}

Tensor *param_operand(Tape *tape, const ParamSet *ps, int k, Real *grads, int from, int n)
{
    Stored *s = ps->stored ? ps->stored[k] : NULL;
    if (!s || stored_whole(s) || grads || tape->recording || !tape->device->host_memory)
        return param_rows(tape, ps, k, grads, from, n);
    return rows_of(tape, ps, k, NULL, from, n, s);
}
