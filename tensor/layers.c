/* Declarations with names, first values, and two outputs that layers of a brief pass write by
 * turns. */
#include "tensor/layers.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

Tensor *forward_param(const Forward *f, int k) { return param_tensor(f->t, f->params, k, f->grads); }

Tensor *forward_param_rows(const Forward *f, int k, int from, int n)
{
    return param_rows(f->t, f->params, k, f->grads, from, n);
}

Tensor *forward_weight_rows(const Forward *f, int k, int from, int n)
{
    return param_operand(f->t, f->params, k, f->grads, from, n);
}

LayerMemory layer_memory(const Forward *f, const Tensor *x)
{
    LayerMemory m = { .f = f };
    for (int k = 0; k < 2 && f->brief && x; k++) m.out[k] = tape_new(f->t, x->rows, x->cols);
    return m;
}

void layer_memory_begin(LayerMemory *m) { m->mark = tape_mark(m->f->t); }

Tensor *layer_memory_end(LayerMemory *m, Tensor *y)
{
    Tensor *out = m->out[m->layer++ % 2];
    if (!m->f->brief || !y) return y;
    const EmbedTerm term = { y, NULL, 0, NULL };
    out = op_embed_into(m->f->t, out, &term, 1);
    tape_rewind(m->f->t, m->mark);
    return out;
}

Tensor *forward_weight(const Forward *f, int k) { return forward_weight_rows(f, k, 0, f->params->p[k].rows); }

Status param_declare(int *k, ParamSet *ps, Error *e, int n_dims, long d0, long d1, long d2, const char *fmt, ...)
{
    char name[PARAM_NAME_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    if (d0 > INT_MAX || d1 > INT_MAX || d2 > INT_MAX)
        return error_set(e, ERR_CONFIG, "parameter %s: found a dimension above %d", name, INT_MAX);
    int dims[3] = { (int)d0, (int)d1, (int)d2 };
    return params_add(ps, name, n_dims, dims, k, e);
}

Status linear_declare(int *weight, int *bias, ParamSet *ps, const char *prefix, int in, int out, Error *e)
{
    Status s = param_declare(weight, ps, e, 2, in, out, 0, "%s.weight", prefix);
    if (s == OK && bias) s = param_declare(bias, ps, e, 1, out, 0, 0, "%s.bias", prefix);
    return s;
}

void linear_init(int weight, int bias, ParamSet *ps, unsigned long seed)
{
    double bound = 1 / sqrt((double)ps->p[weight].rows);
    param_init_uniform(ps, weight, bound, seed);
    if (bias >= 0) param_init_uniform(ps, bias, bound, seed);
}

Status norm_declare(Norm *n, ParamSet *ps, const char *prefix, int width, NormSpec spec, Error *e)
{
    bool lal = spec.kind == NORM_UNBIASED_STD;
    n->spec = spec;
    Status s = param_declare(&n->a, ps, e, 1, width, 0, 0, "%s.%s", prefix, lal ? "a_2" : "weight");
    return s != OK ? s : param_declare(&n->b, ps, e, 1, width, 0, 0, "%s.%s", prefix, lal ? "b_2" : "bias");
}

void norm_init(const Norm *n, ParamSet *ps)
{
    param_init_constant(ps, n->a, 1);
    param_init_constant(ps, n->b, 0);
}

Tensor *norm_forward(const Forward *f, const Norm *n, Tensor *x)
{
    return op_norm(f->t, x, forward_param(f, n->a), forward_param(f, n->b), n->spec.kind, n->spec.eps);
}

Tensor *norm_residual(const Forward *f, const Norm *n, Tensor *x, Tensor *z, const int *z_row, double dropout,
                      const int *group)
{
    return op_residual_norm(f->t, x, z, z_row, dropout, group, forward_param(f, n->a), forward_param(f, n->b),
                            n->spec.kind, n->spec.eps);
}
