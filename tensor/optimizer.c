/* tensor/optimizer.c */
#include "tensor/optimizer.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

/* Slabs are added in at most RANGES_MAX ranges of at least RANGE_MIN numbers, and worked on in blocks that stay in the
 * cache of a core. */
enum { RANGES_MAX = 64, RANGE_MIN = 1 << 14, ADD_BLOCK = 1 << 14, UPDATE_BLOCK = 1 << 16 };

static Real *new_slab(const ParamSet *ps)
{
    Real *p = mem_aligned(ps->trained, sizeof *p);
    if (p) memset(p, 0, ps->trained * sizeof *p);
    return p;
}

static bool allocate(Optimizer *o)
{
    o->grads = mem_calloc((size_t)o->c.n_threads, sizeof *o->grads);
    o->sum = new_slab(o->ps);
    o->slab[OPTIMIZER_M] = new_slab(o->ps);
    o->slab[OPTIMIZER_V] = new_slab(o->ps);
    o->turn = turn_new(o->n_ranges);
    bool ok = o->grads && o->sum && o->slab[OPTIMIZER_M] && o->slab[OPTIMIZER_V] && o->turn;
    if (ok && o->c.average > 0) {
        ok = (o->slab[OPTIMIZER_AVERAGE] = new_slab(o->ps)) != NULL;
        if (ok) memcpy(o->slab[OPTIMIZER_AVERAGE], o->ps->values, o->ps->trained * sizeof(Real));
    }
    for (int k = 0; k < o->c.n_threads && ok; k++) ok = (o->grads[k] = new_slab(o->ps)) != NULL;
    return ok;
}

Status optimizer_init(Optimizer *o, ParamSet *ps, const Kernels *k, OptimizerConfig c, Error *e)
{
    *o = (Optimizer){ .c = c, .ps = ps, .k = k };
    if (!ps->trained) return error_set(e, ERR_CONFIG, "found only frozen parameters, expected some to train");
    o->range = ((ps->trained + RANGES_MAX - 1) / RANGES_MAX + 15) / 16 * 16;
    if (o->range < RANGE_MIN) o->range = RANGE_MIN;
    o->n_ranges = (int)((ps->trained + o->range - 1) / o->range);
    return allocate(o) ? OK : error_set(e, ERR_NOMEM, "out of memory for %zu parameters in training", ps->size);
}

void optimizer_fini(Optimizer *o)
{
    for (int k = 0; o->grads && k < o->c.n_threads; k++) mem_free(o->grads[k]);
    for (int k = 0; k < OPTIMIZER_SLABS; k++) mem_free(o->slab[k]);
    mem_free(o->grads);
    mem_free(o->sum);
    turn_free(o->turn);
    *o = (Optimizer){ 0 };
}

/* ---- the sum */

void optimizer_begin(Optimizer *o) { turn_reset(o->turn); }

Real *optimizer_gradients(Optimizer *o, int thread) { return o->grads[thread]; }

/* sum += g, or sum = g for the first sub-batch; g = 0. Numbers from .. to. */
static void add_and_clear(Optimizer *o, Real *g, size_t from, size_t to, bool first)
{
    for (size_t n; from < to; from += n) {
        n = to - from < ADD_BLOCK ? to - from : ADD_BLOCK;
        if (first) memcpy(o->sum + from, g + from, n * sizeof *g);
        else o->k->add(o->sum + from, (int)n, g + from, (int)n, 1, (int)n);
        memset(g + from, 0, n * sizeof *g);
    }
}

void optimizer_add(Optimizer *o, int thread, int item)
{
    for (int r = 0; r < o->n_ranges; r++) {
        size_t from = (size_t)r * o->range, to = from + o->range < o->ps->trained ? from + o->range : o->ps->trained;
        turn_wait(o->turn, r, item);
        add_and_clear(o, o->grads[thread], from, to, item == 0);
        turn_done(o->turn, r);
    }
}

void optimizer_skip(Optimizer *o, int thread, int item)
{
    memset(o->grads[thread], 0, o->ps->trained * sizeof **o->grads);
    for (int r = 0; r < o->n_ranges; r++) {
        turn_wait(o->turn, r, item);
        turn_done(o->turn, r);
    }
}

double optimizer_norm(const Optimizer *o)
{
    double lane[8] = { 0 }, sum = 0;
    size_t n = o->ps->trained, whole = n - n % 8;
    for (size_t i = 0; i < whole; i += 8)
        for (size_t l = 0; l < 8; l++) lane[l] += (double)o->sum[i + l] * (double)o->sum[i + l];
    for (size_t i = whole; i < n; i++) lane[i - whole] += (double)o->sum[i] * (double)o->sum[i];
    for (int l = 0; l < 8; l++) sum += lane[l];
    return sqrt(sum);
}

/* ---- the update */

typedef struct Update {
    const Optimizer *o;
    const ParamGroup *group;
    double lr, scale, average, correction1, correction2;
} Update;

static int blocks(size_t n) { return (int)((n + UPDATE_BLOCK - 1) / UPDATE_BLOCK); }

static void update_block(void *context, int worker, int item)
{
    (void)worker;
    const Update *u = context;
    const Optimizer *o = u->o;
    size_t done = (size_t)item * UPDATE_BLOCK, from = u->group->offset + done,
           n = u->group->size - done < UPDATE_BLOCK ? u->group->size - done : UPDATE_BLOCK;
    Real *w = o->ps->values + from, *average = o->slab[OPTIMIZER_AVERAGE];
    o->k->adam(w, o->sum + from, o->slab[OPTIMIZER_M] + from, o->slab[OPTIMIZER_V] + from, n, u->lr, u->group->decay,
               o->c.beta1, o->c.beta2, o->c.eps, u->correction1, u->correction2, u->scale);
    if (!average) return;
    Real keep = (Real)u->average, *avg = average + from;
    for (size_t i = 0; i < n; i++) avg[i] = keep * avg[i] + (1 - keep) * w[i];
}

void optimizer_step(Optimizer *o, double lr, long t, double norm)
{
    double ramp = (1 + (double)t) / (10 + (double)t);
    Update u = { .o = o,
                 .scale = o->c.clip > 0 && norm > o->c.clip ? o->c.clip / norm : 1,
                 .average = ramp < o->c.average ? ramp : o->c.average,
                 .correction1 = 1 - pow(o->c.beta1, (double)t),
                 .correction2 = 1 - pow(o->c.beta2, (double)t) };
    for (int g = 0; g < o->ps->n_groups && !o->ps->group[g].frozen; g++) {
        u.group = &o->ps->group[g];
        u.lr = lr * u.group->rate;
        parallel_for(o->c.n_threads, blocks(u.group->size), update_block, &u);
    }
}

/* ---- the average and the other slabs */

static void swap_block(void *context, int worker, int item)
{
    (void)worker;
    const Optimizer *o = context;
    size_t from = (size_t)item * UPDATE_BLOCK,
           to = from + UPDATE_BLOCK < o->ps->trained ? from + UPDATE_BLOCK : o->ps->trained;
    Real *w = o->ps->values, *average = o->slab[OPTIMIZER_AVERAGE];
    for (size_t i = from; i < to; i++) {
        Real x = w[i];
        w[i] = average[i];
        average[i] = x;
    }
}

void optimizer_swap_average(Optimizer *o)
{
    if (o->slab[OPTIMIZER_AVERAGE]) parallel_for(o->c.n_threads, blocks(o->ps->trained), swap_block, o);
}

Real *optimizer_map(Optimizer *o, OptimizerSlab which) { return o->slab[which]; }

void optimizer_unmap(Optimizer *o, OptimizerSlab which, bool changed) { (void)o, (void)which, (void)changed; }

bool optimizer_negative_square(const Optimizer *o, int *param, size_t *at, double *value)
{
    for (int k = 0; k < o->ps->n; k++) {
        const Param *p = &o->ps->p[k];
        if (p->frozen) continue;
        const Real *v = o->slab[OPTIMIZER_V] + p->offset;
        for (size_t i = 0; i < param_count(p); i++) {
            if (!(v[i] < 0)) continue;
            *param = k;
            *at = i;
            *value = (double)v[i];
            return true;
        }
    }
    return false;
}
