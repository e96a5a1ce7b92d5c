/* tensor/params.h
 * The parameters of a model, in slabs: one block for the values, one for the gradients, two for Adam's moments, so that
 * clearing, clipping, updating and saving are one loop each. Weights of linear maps are laid out [in, out]. */
#ifndef LAL_TENSOR_PARAMS_H
#define LAL_TENSOR_PARAMS_H

#include "base/error.h"
#include "tensor/tape.h"

enum { PARAM_NAME_MAX = 64, PARAM_MAX_DIMS = 3 };

typedef struct Param {
    char name[PARAM_NAME_MAX];
    int n_dims, dim[PARAM_MAX_DIMS]; /* as in the model file */
    int rows, cols;                  /* as the ops see it: all dimensions but the last are rows */
    size_t offset;                   /* in the slabs, a multiple of 16; known behind params_finish */
    bool frozen;                     /* not trained: only in the slab of values, behind all trained ones */
} Param;

typedef struct ParamSet {
    Param *p; /* [n]; pointers to Param are stable only after params_finish */
    int n, cap;
    size_t size;    /* numbers in the slab of values, padding included */
    size_t trained; /* the first of them, which a slab of gradients or moments has too */
    Real *values;
    bool owns_values;
} ParamSet;

void params_init(ParamSet *ps);
void params_fini(ParamSet *ps);
/* Declares a parameter, dims [n_dims], all > 0; *k becomes its number. ERR_CONFIG when too large or empty, ERR_NOMEM.
 */
Status params_add(ParamSet *ps, const char *name, int n_dims, const int *dims, int *k, Error *e);
/* Keeps parameter k out of training. Before params_finish. */
void params_freeze(ParamSet *ps, int k);
/* Lays out the slabs, trained parameters first, and allocates the values (zero). */
Status params_finish(ParamSet *ps, Error *e);
int params_find(const ParamSet *ps, const char *name);
static inline size_t param_count(const Param *p) { return (size_t)p->rows * (size_t)p->cols; }
static inline Real *param_values(const ParamSet *ps, int k) { return ps->values + ps->p[k].offset; }
/* Sum of the parameters' sizes, without padding. */
size_t params_total(const ParamSet *ps);

/* Initial values, a function of seed and name only. */
void param_init_uniform(ParamSet *ps, int k, double bound, unsigned long seed);
void param_init_normal(ParamSet *ps, int k, double std, unsigned long seed);
void param_init_constant(ParamSet *ps, int k, double value);

/* The parameter as a tensor of the tape; grads is a gradient slab [ps->trained], or NULL. */
Tensor *param_tensor(Tape *t, const ParamSet *ps, int k, Real *grads);

#endif
