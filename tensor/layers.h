/* What every network here is built of: a forward pass over named parameters, linear layers and layer norms. A layer is
 * a struct of parameter numbers: X_declare adds the parameters to a ParamSet (ERR_CONFIG, ERR_NOMEM), X_init gives them
 * their initial values, and a forward function applies them. Weights are laid out [in, out]. */
#pragma once

#include "tensor/ops.h"
#include "tensor/params.h"

/* What a forward pass needs in addition to its inputs. */
typedef struct Forward {
    Tape *t;
    const ParamSet *params;
    Real *grads; /* gradient slab on the tape's device, or NULL */
    const Batch *batch;
    const int *sentence_of; /* [tokens] the sentence of each token: groups of feature dropout; NULL: usual dropout */
    bool brief;             /* outputs of inner layers are not kept; only where the tape does not record */
} Forward;

/* In a brief pass, each layer of a stack reuses the memory of the layer before it, which is still in the cache, and its
 * output is copied out of it. In other passes this does nothing. */
typedef struct LayerMemory {
    const Forward *f;
    Tensor *out[2]; /* outputs of the layers with even and odd numbers; NULL unless the pass is brief */
    int layer;
    TapeMark mark;
} LayerMemory;
/* Begins a stack of layers whose outputs have the shape of x. */
LayerMemory layer_memory(const Forward *forward, const Tensor *x);
void layer_memory_begin(LayerMemory *memory);
/* y, or the copy of it; valid until the layer after the next one ends. NULL if y is, or with the tape's error. */
Tensor *layer_memory_end(LayerMemory *memory, Tensor *y);

/* Parameter k as a tensor of the pass, and its rows from .. from + n - 1. */
Tensor *forward_param(const Forward *forward, int k);
Tensor *forward_param_rows(const Forward *forward, int k, int from, int n);
/* Parameter k, and its rows from .. from + n - 1, as an operand of products or as a table whose rows are looked up
 * (param_operand). */
Tensor *forward_weight(const Forward *forward, int k);
Tensor *forward_weight_rows(const Forward *forward, int k, int from, int n);

/* A vector of width d in `parts` parts (content and position): width and first column of part p. Of two halves the
 * first is the larger one. */
static inline int part_width(int d, int parts, int p) { return parts == 1 ? d : p == 0 ? d - d / 2 : d / 2; }
static inline int part_start(int d, int parts, int p) { return p == 0 || parts == 1 ? 0 : d - d / 2; }

/* Adds a parameter of n_dims dimensions; the others are ignored. ERR_CONFIG if one of them is no int, which a product
 * may be, or if params_add refuses it. */
Status param_declare(int *k, ParamSet *ps, Error *error, int n_dims, long d0, long d1, long d2, const char *fmt, ...)
    __attribute__((format(printf, 8, 9)));

/* y = x w + b: <prefix>.weight [in, out] and, if bias is not NULL, <prefix>.bias [out]. Both are drawn uniformly from
 * +-1 / sqrt(in); bias -1: none. */
Status linear_declare(int *weight, int *bias, ParamSet *ps, const char *prefix, int in, int out, Error *error);
void linear_init(int weight, int bias, ParamSet *ps, unsigned long seed);

/* Which layer norm. */
typedef struct NormSpec {
    NormKind kind;
    double eps;
} NormSpec;

/* The norm of Mrini et al. 2020 (code): eps is added to the standard deviation, outside the root. */
#define NORM_LAL ((NormSpec){ NORM_UNBIASED_STD, 1e-3 })

/* Scale a and shift b, [width] each: <prefix>.a_2 and .b_2 for NORM_UNBIASED_STD, .weight and .bias for NORM_VARIANCE.
 * They start as 1 and 0. */
typedef struct Norm {
    int a, b;
    NormSpec spec;
} Norm;

Status norm_declare(Norm *norm, ParamSet *ps, const char *prefix, int width, NormSpec spec, Error *error);
void norm_init(const Norm *norm, ParamSet *ps);
Tensor *norm_forward(const Forward *forward, const Norm *norm, Tensor *x);
/* norm(x + drop(z)), see op_residual_norm; z_row and group may be NULL. */
Tensor *norm_residual(const Forward *forward, const Norm *norm, Tensor *x, Tensor *z, const int *z_row, double dropout,
                      const int *group);
