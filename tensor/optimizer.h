/* Training of the parameters of a set: sums of gradients over sub-batches, clipping, Adam (Kingma and Ba 2015) with
 * decoupled weight decay (Loshchilov and Hutter 2019, algorithm 2), and a running average of the values. With gradient
 * g (after clipping), update t = 1, 2, ..., learning rate lr, and rate, warm-up and decay of the parameter's group:
 *
 *     m = beta1 m + (1 - beta1) g
 *     v = beta2 v + (1 - beta2) g^2
 *     w = w - r lr (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + decay w),   r = rate min(1, t / warmup)
 *     average = a average + (1 - a) w,   a = min((1 + t) / (10 + t), the option `average`)
 *
 * All slabs hold trained parameters only, [ps->trained] numbers each: one of gradients for each thread, their sum, m, v
 * and, if wanted, the average. They lie on the device, as do the values that are trained: where the device's memory is
 * not the host's, ps->values follow only by params_download. Gradients are added in the order of the sub-batches,
 * whichever thread computed them, so all results are bit-equal for any number of threads. Loops over slabs are in this
 * module alone.
 *
 * Lanes, a power of two, are for results that are bit-equal for any number of processes, too: the sub-batches are dealt
 * to them, each lane is added in order, and lanes are added as a balanced binary tree, (0 + 1), (2 + 3), then pairs of
 * pairs, whose upper levels are group_sum. */
#pragma once

#include "base/thread.h"
#include "tensor/device.h"
#include "tensor/group.h"
#include "tensor/params.h"

typedef struct OptimizerConfig {
    int n_threads;
    double beta1, beta2, eps; /* of Adam */
    double clip;              /* largest norm of the gradient; 0: no clipping */
    double average;           /* largest decay of the running average, below 1; 0: no average */
    int lanes;                /* of this process; 0: 1 */
} OptimizerConfig;

typedef enum OptimizerSlab { OPTIMIZER_M, OPTIMIZER_V, OPTIMIZER_AVERAGE, OPTIMIZER_SLABS } OptimizerSlab;

enum { OPTIMIZER_LEVELS = 8 }; /* 2 to this power lanes at most */

typedef struct Optimizer {
    OptimizerConfig c;
    ParamSet *ps;
    const Device *d;
    Real *values;                 /* [trained] and more, in memory of the device */
    Real **grads;                 /* [n_threads][trained] */
    Real *sum;                    /* [trained] */
    Real *lane[OPTIMIZER_LEVELS]; /* [trained] each: sums of 1, 2, 4, ... lanes that wait for the next as many */
    int lane_end[(1 << OPTIMIZER_LEVELS)]; /* [c.lanes] the sub-batches of this update up to the end of each lane */
    Real *slab[OPTIMIZER_SLABS];
    Real *mapped[OPTIMIZER_SLABS]; /* copies in host memory, NULL: not mapped, or in place */
    double *squares;               /* one number */
    size_t range;                  /* numbers of the ranges that are added one by one */
    size_t block, add_block;       /* numbers that one kernel works on: in an update, in adding */
    int n_ranges;
    Turn *turn;       /* [n_ranges] queues */
    ThreadTeam *team; /* of n_threads, also for who computes gradients */
} Optimizer;

/* The average starts as the values are now. ps stays in use, after params_finish; its values are uploaded.
 * optimizer_fini is needed after failure too. ERR_CONFIG if no parameter is trained or the device cannot train,
 * ERR_NOMEM, errors of the device. */
Status optimizer_init(Optimizer *optimizer, ParamSet *ps, const Device *device, OptimizerConfig config, Error *error);
void optimizer_fini(Optimizer *optimizer);

/* ---- an update: optimizer_begin; for each sub-batch a backward pass into the slab of a thread, then optimizer_add or
 * optimizer_skip; optimizer_norm; optimizer_step */

/* The next sub-batch is number 0. lane_items [c.lanes]: how many each lane has, those of the first lane first; empty
 * lanes come last. */
void optimizer_begin(Optimizer *optimizer, const int *lane_items);
/* The slab of gradients of a thread, zero; for Forward.grads. */
Real *optimizer_gradients(Optimizer *optimizer, int thread);
/* Adds the slab of the thread as the gradient of sub-batch `item`, after the sub-batches before it, and clears it.
 * Sub-batches are numbered 0, 1, ... and started in this order. Called by several threads at once: each works on
 * another range of the numbers. */
void optimizer_add(Optimizer *optimizer, int thread, int item);
/* Sub-batch `item` failed: it is not waited for, and the slab of the thread is cleared. The sum is of no use then. */
void optimizer_skip(Optimizer *optimizer, int thread, int item);
/* The sum becomes that of all processes of the group. Errors of group_sum, the device; ERR_NOMEM. */
Status optimizer_sum_group(Optimizer *optimizer, Group *group, Error *error);
/* The norm of the summed gradient but for unclipped parameters, before clipping; not finite if one of its numbers is
 * not, on overflow, or where the device failed. */
double optimizer_norm(const Optimizer *optimizer);
/* Update number `t` with the summed gradient, whose norm is `norm`. With one thread neither this nor optimizer_add
 * waits for the device. */
void optimizer_step(Optimizer *optimizer, double lr, long t, double norm);

/* ---- the average and the other slabs */

/* Exchanges the trained values and their average; twice: as before. Without an average nothing happens. */
void optimizer_swap_average(Optimizer *optimizer);
/* The numbers of a slab, [ps->trained], in the host's memory; NULL if there is no average, or out of memory. To be
 * given back before the next update; changed: the numbers were written. */
Real *optimizer_map(Optimizer *optimizer, OptimizerSlab which);
void optimizer_unmap(Optimizer *optimizer, OptimizerSlab which, bool changed);
/* Has v a negative number, as no mean of squares is? The first one: its parameter, its index there, its value. */
bool optimizer_negative_square(Optimizer *optimizer, int *param, size_t *at, double *value);
