/* The parameters of a model and their values, in one block ("slab"). Gradients, Adam's moments and the running average
 * are slabs too (tensor/optimizer.h); they begin like the slab of values and hold only what is trained. Weights of
 * linear maps are laid out [in, out]. */
#pragma once

#include "base/error.h"
#include "base/filemap.h"
#include "tensor/stored.h"
#include "tensor/tape.h"

enum { PARAM_NAME_MAX = 64, PARAM_MAX_DIMS = 3 };

typedef struct Param {
    char name[PARAM_NAME_MAX];
    int n_dims, dim[PARAM_MAX_DIMS]; /* as in the model file */
    int rows, cols;                  /* as the ops see it: all dimensions but the last are rows */
    size_t offset;                   /* in the slabs, a multiple of 16; known after params_finish */
    bool frozen;                     /* not trained: only in the slab of values, after all trained ones */
    bool unclipped;                  /* its gradient is not part of the norm that is clipped */
    bool table;                      /* its rows are looked up, one or a few for a token */
    bool fine;                       /* see Weight (tensor/tensor.h) */
} Param;

/* Parameters that are trained alike; they are one range of the slabs. */
typedef struct ParamGroup {
    double rate;  /* factor of the learning rate */
    double decay; /* weight decay (tensor/optimizer.h) */
    long warmup;  /* updates in which the factor rises from 0 to rate */
    bool frozen;  /* not trained; the numbers above are 0 */
    bool unclipped;
    size_t offset, size; /* the range, padding included */
} ParamGroup;

/* How parameters whose names begin with `prefix` are trained. */
typedef struct ParamRule {
    char prefix[PARAM_NAME_MAX];
    double rate, decay;
    long warmup;
    bool frozen;
} ParamRule;

typedef struct ParamSet {
    Param *p; /* [n], in the order of the model file; pointers to Param are stable only after params_finish */
    int n, cap;
    ParamRule *rule; /* [n_rules] */
    int n_rules, cap_rules;
    ParamGroup *group; /* [n_groups], in the order of the slabs; known after params_finish */
    int n_groups, cap_groups;
    size_t size;           /* numbers in the slab of values, padding included */
    size_t trained;        /* the first of them, which the other slabs have too */
    Real *slab;            /* [size] values in host memory; read them through param_values and params_values */
    void *memory;          /* the allocation that holds the slab */
    bool on_demand;        /* most values come from params_store; set before params_finish */
    Stored **stored;       /* [n] parameters that are decoded on first use, or NULL; entries may be NULL */
    FileMap file;          /* the file that they are decoded from */
    const Device *device;  /* holds the copy that passes read; NULL without a copy, which host memory does not need */
    Real *on_device;       /* [size] */
    PackedWeight **packed; /* [n] of device `packs`, or NULL: the values may change */
    const Device *packs;
} ParamSet;

void params_init(ParamSet *ps);
void params_fini(ParamSet *ps);
/* Declares a parameter, dims [n_dims], all > 0; *k becomes its number. ERR_CONFIG when too large or empty, ERR_NOMEM.
 */
Status params_add(ParamSet *ps, const char *name, int n_dims, const int *dims, int *k, Error *error);
/* Keeps parameter k out of training; keeps its gradient out of clipping. Before params_finish. */
void params_freeze(ParamSet *ps, int k);
void params_unclip(ParamSet *ps, int k);
/* Parameter k is a table of words, pieces or the like: it may be stored in fewer bits than matrices. */
void params_table(ParamSet *ps, int k);
/* Small differences of the products of parameter k count (Weight, tensor/tensor.h). */
void params_fine(ParamSet *ps, int k);
/* How parameters whose names begin with `prefix` ("": all) are trained: with `rate` times the learning rate, of which
 * update t of the first `warmup` has the share t / warmup, and weight decay `decay`, or not at all. Only parameters
 * with two dimensions or more decay: biases and norms do not. If several prefixes match, the one given last counts.
 * Before params_finish; the parameters may be declared later. Without any call: rate 1, decay 0, warm-up 0. ERR_RANGE
 * where a number is negative or not finite, ERR_CONFIG if the prefix is too long, ERR_NOMEM. */
Status params_group(ParamSet *ps, const char *prefix, double rate, double decay, long warmup, bool frozen,
                    Error *error);
/* Lays out the slabs and allocates the values (zero). Trained parameters come first, group by group; groups are in the
 * order of their first parameters, and parameters of a group in the order of their declaration. ERR_NOMEM. */
Status params_finish(ParamSet *ps, Error *error);
/* The number of a parameter, or -1. */
int params_find(const ParamSet *ps, const char *name);
static inline size_t param_count(const Param *param) { return (size_t)param->rows * (size_t)param->cols; }
/* Values in host memory, of one parameter or of all [size]; decodes those that are stored. These values are loaded,
 * initialised and saved, and explanations read them. */
Real *param_values(const ParamSet *ps, int k);
Real *params_values(const ParamSet *ps);
/* Parameter k is decoded from `source` on first use (tensor/stored.h). The memory of the source must outlive the set;
 * params_fini closes ps->file, in which it may lie. After params_finish. ERR_NOMEM. */
Status params_store(ParamSet *ps, int k, const StoredSource *source, Error *error);
/* How many parameters have names that begin with `prefix`. */
int params_matching(const ParamSet *ps, const char *prefix);
/* Copies the values to a device, for passes on tapes of it; replaces an earlier copy. To be called again when values
 * have changed; no pass may run meanwhile. On a device whose memory is the host's, passes read the values themselves
 * and this does nothing. ERR_NOMEM, or the device's error. */
Status params_upload(ParamSet *ps, const Device *device, Error *error);
/* From now on the values do not change, so products on this device may keep copies of them in orders of their own,
 * which all threads share (tensor/device.h). ERR_NOMEM. params_upload, for other values, ends this. */
Status params_constant(ParamSet *ps, const Device *device, Error *error);
/* Copies the values back from the device, after training on it. */
Status params_download(ParamSet *ps, Error *error);
/* Sum of the parameters' sizes, without padding. */
size_t params_total(const ParamSet *ps);

/* Initial values, a function of seed and name only. */
void param_init_uniform(ParamSet *ps, int k, double bound, unsigned long seed);
void param_init_normal(ParamSet *ps, int k, double std, unsigned long seed);
void param_init_constant(ParamSet *ps, int k, double value);

/* The parameter as a tensor of the tape, with its handle for products; grads is a slab of gradients [ps->trained] on
 * the tape's device, or NULL. A frozen parameter has no gradient. ERR_CONFIG where the device has no copy of the
 * values. */
Tensor *param_tensor(Tape *tape, const ParamSet *ps, int k, Real *grads);
/* Rows from .. from + n - 1 of parameter k, as a tensor like that of param_tensor. ERR_RANGE. */
Tensor *param_rows(Tape *tape, const ParamSet *ps, int k, Real *grads, int from, int n);
/* param_rows for ops that read the parameter through its handle or look up rows (the matrices of op_linear,
 * op_head_linear and op_bilinear, the tables of op_embed and op_embed_mean): where nothing is recorded, its values may
 * stay stored, and `data` is NULL then. */
Tensor *param_operand(Tape *tape, const ParamSet *ps, int k, Real *grads, int from, int n);
