/* Declarations with names, first values, and two outputs that layers of a brief pass write by
 * turns. */
#include "tensor/layers.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

Tensor *forward_param(const Forward *forward, int k)
{
    return param_tensor(forward->t, forward->params, k, forward->grads);
}

Tensor *forward_param_rows(const Forward *forward, int k, int from, int n)
{
    return param_rows(forward->t, forward->params, k, forward->grads, from, n);
}

Tensor *forward_weight_rows(const Forward *forward, int k, int from, int n)
{
    return param_operand(forward->t, forward->params, k, forward->grads, from, n);
}

LayerMemory layer_memory(const Forward *forward, const Tensor *x)
{
    LayerMemory m = { .f = forward };
    for (int k = 0; k < 2 && forward->brief && x; k++) m.out[k] = tape_new(forward->t, x->rows, x->cols);
    return m;
}

void layer_memory_begin(LayerMemory *memory) { memory->mark = tape_mark(memory->f->t); }

Tensor *layer_memory_end(LayerMemory *memory, Tensor *y)
{
    Tensor *out = memory->out[memory->layer++ % 2];
    if (!memory->f->brief || !y) return y;
    const EmbedTerm term = { y, NULL, 0, NULL };
    out = op_embed_into(memory->f->t, out, &term, 1);
    tape_rewind(memory->f->t, memory->mark);
    return out;
}

Tensor *forward_weight(const Forward *forward, int k)
{
    return forward_weight_rows(forward, k, 0, forward->params->p[k].rows);
}

Status param_declare(int *k, ParamSet *ps, Error *error, int n_dims, long d0, long d1, long d2, const char *fmt, ...)
{
    char name[PARAM_NAME_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    if (d0 > INT_MAX || d1 > INT_MAX || d2 > INT_MAX)
        return error_set(error, ERR_CONFIG, "parameter %s: found a dimension above %d", name, INT_MAX);
    int dims[3] = { (int)d0, (int)d1, (int)d2 };
    return params_add(ps, name, n_dims, dims, k, error);
}

Status linear_declare(int *weight, int *bias, ParamSet *ps, const char *prefix, int in, int out, Error *error)
{
    Status s = param_declare(weight, ps, error, 2, in, out, 0, "%s.weight", prefix);
    if (s == OK && bias) s = param_declare(bias, ps, error, 1, out, 0, 0, "%s.bias", prefix);
    return s;
}

void linear_init(int weight, int bias, ParamSet *ps, unsigned long seed)
{
    double bound = 1 / sqrt((double)ps->p[weight].rows);
    param_init_uniform(ps, weight, bound, seed);
    if (bias >= 0) param_init_uniform(ps, bias, bound, seed);
}

Status norm_declare(Norm *norm, ParamSet *ps, const char *prefix, int width, NormSpec spec, Error *error)
{
    bool lal = spec.kind == NORM_UNBIASED_STD;
    norm->spec = spec;
    Status s = param_declare(&norm->a, ps, error, 1, width, 0, 0, "%s.%s", prefix, lal ? "a_2" : "weight");
    return s != OK ? s : param_declare(&norm->b, ps, error, 1, width, 0, 0, "%s.%s", prefix, lal ? "b_2" : "bias");
}

void norm_init(const Norm *norm, ParamSet *ps)
{
    param_init_constant(ps, norm->a, 1);
    param_init_constant(ps, norm->b, 0);
}

Tensor *norm_forward(const Forward *forward, const Norm *norm, Tensor *x)
{
    return op_norm(forward->t, x, forward_param(forward, norm->a), forward_param(forward, norm->b), norm->spec.kind,
                   norm->spec.eps);
}

Tensor *norm_residual(const Forward *forward, const Norm *norm, Tensor *x, Tensor *z, const int *z_row, double dropout,
                      const int *group)
{
    return op_residual_norm(forward->t, x, z, z_row, dropout, group, forward_param(forward, norm->a),
                            forward_param(forward, norm->b), norm->spec.kind, norm->spec.eps);
}
