/* Slabs are added range by range, in the order of the sub-batches, by whichever thread has one;
 * then updates go block by block, group by group. */
#include "tensor/optimizer.h"

#include <math.h>

#include "base/arena.h"

/* On the CPU slabs are added in at most RANGES_MAX ranges of at least RANGE_MIN numbers, and worked on in blocks that
 * stay in the cache of a core. Other devices have one range, and as few blocks as there can be: each is a launch. */
enum { RANGES_MAX = 64, RANGE_MIN = 1 << 14, ADD_BLOCK = 1 << 14, UPDATE_BLOCK = 1 << 14, LARGE_BLOCK = 1 << 30 };

static Real *new_slab(const Optimizer *o) { return device_zeros(o->d, o->ps->trained); }

/* Before another thread works on what this one has: all is done. One thread alone goes on while the device works. */
static void hand_over(const Optimizer *o)
{
    if (o->c.n_threads > 1) o->d->synchronise(NULL);
}

/* y = x of n numbers */
static void copy_numbers(const Optimizer *o, Real *y, const Real *x, size_t n)
{
    o->d->kernels->scale(y, (int)n, x, (int)n, 1, (int)n, 1);
}

/* Slabs for sums of lanes. */
static int levels(const Optimizer *o)
{
    int k = 0;
    while (1 << k < o->c.lanes) k++;
    return k;
}

static bool allocate(Optimizer *o)
{
    o->grads = mem_calloc((size_t)o->c.n_threads, sizeof *o->grads);
    o->sum = new_slab(o);
    o->slab[OPTIMIZER_M] = new_slab(o);
    o->slab[OPTIMIZER_V] = new_slab(o);
    o->squares = o->d->alloc(sizeof *o->squares);
    o->turn = turn_new(o->n_ranges);
    o->team = thread_team_new(o->c.n_threads);
    bool ok = o->squares && o->grads && o->sum && o->slab[OPTIMIZER_M] && o->slab[OPTIMIZER_V] && o->turn && o->team;
    for (int k = 0; k < levels(o) && ok; k++) ok = (o->lane[k] = new_slab(o)) != NULL;
    if (ok && o->c.average > 0) {
        ok = (o->slab[OPTIMIZER_AVERAGE] = new_slab(o)) != NULL;
        for (size_t at = 0, n; ok && at < o->ps->trained; at += n) {
            n = o->ps->trained - at < o->block ? o->ps->trained - at : o->block;
            copy_numbers(o, o->slab[OPTIMIZER_AVERAGE] + at, o->values + at, n);
        }
    }
    for (int k = 0; k < o->c.n_threads && ok; k++) ok = (o->grads[k] = new_slab(o)) != NULL;
    return ok;
}

Status optimizer_init(Optimizer *optimizer, ParamSet *ps, const Device *device, OptimizerConfig config, Error *error)
{
    const Kernels *k = device->kernels;
    *optimizer = (Optimizer){ .c = config, .ps = ps, .d = device };
    if (!optimizer->c.lanes) optimizer->c.lanes = 1;
    if (!ps->trained) return error_set(error, ERR_CONFIG, "found only frozen parameters, expected some to train");
    if (!k->fill || !k->scale || !k->add || !k->squares || !k->average || !k->exchange || !k->adam)
        return error_set(error, ERR_CONFIG, "training: a kernel is missing on %s", device->name);
    Status s = params_upload(ps, device, error);
    if (s != OK) return s;
    optimizer->values = device->host_memory ? params_values(ps) : ps->on_device;
    optimizer->range = ((ps->trained + RANGES_MAX - 1) / RANGES_MAX + 15) / 16 * 16;
    if (optimizer->range < RANGE_MIN) optimizer->range = RANGE_MIN;
    if (!device->host_memory) optimizer->range = ps->trained;
    optimizer->block = device->host_memory ? UPDATE_BLOCK : LARGE_BLOCK;
    optimizer->add_block = device->host_memory ? ADD_BLOCK : LARGE_BLOCK;
    optimizer->n_ranges = (int)((ps->trained + optimizer->range - 1) / optimizer->range);
    if (allocate(optimizer)) return OK;
    return error_set(error, ERR_NOMEM,
                     "out of memory on %s for training: %d slabs of %.1f MiB, one of gradients for each of %d threads",
                     device->name, 3 + (config.average > 0) + levels(optimizer) + config.n_threads,
                     (double)ps->trained * (double)sizeof *optimizer->values / (1 << 20), config.n_threads);
}

void optimizer_fini(Optimizer *optimizer)
{
    if (!optimizer->d) return;
    for (int k = 0; optimizer->grads && k < optimizer->c.n_threads; k++) optimizer->d->free(optimizer->grads[k]);
    for (int k = 0; k < OPTIMIZER_SLABS; k++) {
        optimizer->d->free(optimizer->slab[k]);
        mem_free(optimizer->mapped[k]);
    }
    for (int k = 0; k < OPTIMIZER_LEVELS; k++) optimizer->d->free(optimizer->lane[k]);
    mem_free(optimizer->grads);
    optimizer->d->free(optimizer->sum);
    optimizer->d->free(optimizer->squares);
    turn_free(optimizer->turn);
    thread_team_free(optimizer->team);
    *optimizer = (Optimizer){ 0 };
}

/* ---- the sum */

void optimizer_begin(Optimizer *optimizer, const int *lane_items)
{
    for (int k = 0; k < optimizer->c.lanes; k++)
        optimizer->lane_end[k] = lane_items[k] + (k ? optimizer->lane_end[k - 1] : 0);
    turn_reset(optimizer->turn);
    if (lane_items[0] == 0) optimizer->d->kernels->fill(optimizer->sum, optimizer->ps->trained, 0);
}

Real *optimizer_gradients(Optimizer *optimizer, int thread) { return optimizer->grads[thread]; }

static void add_numbers(const Optimizer *o, Real *y, const Real *x, size_t n)
{
    o->d->kernels->add(y, (int)n, x, (int)n, 1, (int)n);
}

/* Adds the sum of a lane, which is whole, to the sums of lanes before it, and keeps the result for the next. */
static void end_lane(Optimizer *o, int lane, size_t from, size_t n)
{
    int k = 0;
    for (; lane >> k & 1; k++) add_numbers(o, o->sum + from, o->lane[k] + from, n);
    if (lane + 1 < o->c.lanes) copy_numbers(o, o->lane[k] + from, o->sum + from, n);
}

/* Adds sub-batch `item`, whose gradient is g, and g = 0; n numbers from `from` on. */
static void add_block(Optimizer *o, Real *g, int item, size_t from, size_t n)
{
    int lane = 0;
    while (item >= o->lane_end[lane]) lane++;
    bool last = item + 1 == o->lane_end[o->c.lanes - 1];
    if (item == (lane ? o->lane_end[lane - 1] : 0)) copy_numbers(o, o->sum + from, g + from, n);
    else add_numbers(o, o->sum + from, g + from, n);
    o->d->kernels->fill(g + from, n, 0);
    if (item + 1 == o->lane_end[lane]) end_lane(o, lane, from, n);
    while (last && ++lane < o->c.lanes) {
        o->d->kernels->fill(o->sum + from, n, 0);
        end_lane(o, lane, from, n);
    }
}

/* The slab of the only sub-batch becomes the sum. */
static void take_sum(Optimizer *o, int thread)
{
    Real *sum = o->grads[thread];
    o->grads[thread] = o->sum;
    o->sum = sum;
    o->d->kernels->fill(o->grads[thread], o->ps->trained, 0);
    hand_over(o);
}

void optimizer_add(Optimizer *optimizer, int thread, int item)
{
    if (optimizer->c.lanes == 1 && optimizer->lane_end[0] == 1) {
        take_sum(optimizer, thread);
        return;
    }
    for (int r = 0; r < optimizer->n_ranges; r++) {
        size_t from = (size_t)r * optimizer->range,
               to = from + optimizer->range < optimizer->ps->trained ? from + optimizer->range : optimizer->ps->trained;
        turn_wait(optimizer->turn, r, item);
        for (size_t n; from < to; from += n) {
            n = to - from < optimizer->add_block ? to - from : optimizer->add_block;
            add_block(optimizer, optimizer->grads[thread], item, from, n);
        }
        hand_over(optimizer); /* what fails shows in the norm */
        turn_done(optimizer->turn, r);
    }
}

void optimizer_skip(Optimizer *optimizer, int thread, int item)
{
    optimizer->d->kernels->fill(optimizer->grads[thread], optimizer->ps->trained, 0);
    for (int r = 0; r < optimizer->n_ranges; r++) {
        turn_wait(optimizer->turn, r, item);
        turn_done(optimizer->turn, r);
    }
}

Status optimizer_sum_group(Optimizer *optimizer, Group *group, Error *error)
{
    if (group_size(group) == 1) return OK;
    const size_t n = optimizer->ps->trained;
    Status s = group_sum(group, optimizer->d, optimizer->sum, optimizer->grads[0], n, error);
    optimizer->d->kernels->fill(optimizer->grads[0], n / 2 + 1, 0); /* what was scratch */
    return s;
}

/* The sum of the squares of n numbers of the gradient; NAN where it cannot be read. */
static double squares_of(const Optimizer *o, size_t from, size_t n)
{
    double squares;
    o->d->kernels->squares(o->squares, o->sum + from, n);
    return o->d->download(&squares, o->squares, sizeof squares, NULL) == OK ? squares : (double)NAN;
}

double optimizer_norm(const Optimizer *optimizer)
{
    double squares = 0;
    bool all = true;
    for (int g = 0; g < optimizer->ps->n_groups; g++) all = all && !optimizer->ps->group[g].unclipped;
    if (all) return sqrt(squares_of(optimizer, 0, optimizer->ps->trained));
    for (int g = 0; g < optimizer->ps->n_groups && !optimizer->ps->group[g].frozen; g++) {
        double part = squares_of(optimizer, optimizer->ps->group[g].offset, optimizer->ps->group[g].size);
        squares += optimizer->ps->group[g].unclipped ? 0 * part : part; /* 0 times what is not finite is not finite */
    }
    return sqrt(squares);
}

/* ---- the update */

typedef struct Update {
    const Optimizer *o;
    const ParamGroup *group;
    double lr, scale, average, correction1, correction2;
} Update;

static int blocks(const Optimizer *o, size_t n) { return (int)((n + o->block - 1) / o->block); }

static void update_block(void *context, int worker, int item)
{
    (void)worker;
    const Update *u = context;
    const Optimizer *o = u->o;
    size_t done = (size_t)item * o->block, from = u->group->offset + done,
           n = u->group->size - done < o->block ? u->group->size - done : o->block;
    Real *w = o->values + from, *average = o->slab[OPTIMIZER_AVERAGE];
    const Kernels *k = o->d->kernels;
    k->adam(w, o->sum + from, o->slab[OPTIMIZER_M] + from, o->slab[OPTIMIZER_V] + from, n, u->lr, u->group->decay,
            o->c.beta1, o->c.beta2, o->c.eps, u->correction1, u->correction2, u->scale);
    if (average) k->average(average + from, w, n, (Real)u->average);
    hand_over(o);
}

void optimizer_step(Optimizer *optimizer, double lr, long t, double norm)
{
    double ramp = (1 + (double)t) / (10 + (double)t),
           clipped = optimizer->c.clip > 0 && norm > optimizer->c.clip ? optimizer->c.clip / norm : 1;
    Update u = { .o = optimizer,
                 .average = ramp < optimizer->c.average ? ramp : optimizer->c.average,
                 .correction1 = 1 - pow(optimizer->c.beta1, (double)t),
                 .correction2 = 1 - pow(optimizer->c.beta2, (double)t) };
    for (int g = 0; g < optimizer->ps->n_groups && !optimizer->ps->group[g].frozen; g++) {
        u.group = &optimizer->ps->group[g];
        u.lr = lr * u.group->rate * (t < u.group->warmup ? (double)t / (double)u.group->warmup : 1);
        u.scale = u.group->unclipped ? 1 : clipped;
        thread_team_run(optimizer->team, blocks(optimizer, u.group->size), update_block, &u);
    }
}

/* ---- the average and the other slabs */

static void swap_block(void *context, int worker, int item)
{
    (void)worker;
    const Optimizer *o = context;
    size_t from = (size_t)item * o->block, n = o->ps->trained - from < o->block ? o->ps->trained - from : o->block;
    o->d->kernels->exchange(o->values + from, o->slab[OPTIMIZER_AVERAGE] + from, n);
    hand_over(o);
}

void optimizer_swap_average(Optimizer *optimizer)
{
    if (optimizer->slab[OPTIMIZER_AVERAGE])
        thread_team_run(optimizer->team, blocks(optimizer, optimizer->ps->trained), swap_block, optimizer);
}

Real *optimizer_map(Optimizer *optimizer, OptimizerSlab which)
{
    size_t n = optimizer->ps->trained;
    if (optimizer->d->host_memory || !optimizer->slab[which]) return optimizer->slab[which];
    Real *copy = optimizer->mapped[which] = mem_alloc(n, sizeof *copy);
    if (copy && optimizer->d->download(copy, optimizer->slab[which], n * sizeof *copy, NULL) != OK)
        optimizer_unmap(optimizer, which, false);
    return optimizer->mapped[which];
}

void optimizer_unmap(Optimizer *optimizer, OptimizerSlab which, bool changed)
{
    Real *copy = optimizer->mapped[which];
    if (copy && changed)
        optimizer->d->upload(optimizer->slab[which], copy, optimizer->ps->trained * sizeof *copy, NULL);
    mem_free(copy);
    optimizer->mapped[which] = NULL;
}

/* The first negative number of v [trained]. */
static bool find_negative(const ParamSet *ps, const Real *v, int *param, size_t *at)
{
    for (*param = 0; *param < ps->n; ++*param) {
        const Param *p = &ps->p[*param];
        for (*at = 0; *at < param_count(p) && !p->frozen; ++*at)
            if (v[p->offset + *at] < 0) return true;
    }
    return false;
}

bool optimizer_negative_square(Optimizer *optimizer, int *param, size_t *at, double *value)
{
    const Real *v = optimizer_map(optimizer, OPTIMIZER_V);
    bool found = v && find_negative(optimizer->ps, v, param, at);
    if (found) *value = (double)v[optimizer->ps->p[*param].offset + *at];
    optimizer_unmap(optimizer, OPTIMIZER_V, false);
    return found;
}
