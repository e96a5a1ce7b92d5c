/* One parameter for each head; what its values mean in training and in evaluation follows
 * from the kind of gate. */
#include "lal/heads/head_gate.h"

#include <math.h>
#include <stdio.h>

#include "base/rng.h"

Status head_gate_declare(HeadGate *g, ParamSet *ps, const char *prefix, int heads, GateKind kind, HardConcrete c,
                         double rate, Error *e)
{
    static const char *const names[] = {
        [GATES_HARD_CONCRETE] = "log_alpha", [GATES_FREE] = "factor", [GATES_CONSTANT] = "constant"
    };
    char name[PARAM_NAME_MAX];
    *g = (HeadGate){ .kind = kind, .c = c, .heads = heads };
    snprintf(name, sizeof name, "%s.gate.%s", prefix, names[kind]);
    Status s = params_add(ps, name, 1, &heads, &g->param, e);
    if (s != OK) return s;
    if (kind == GATES_CONSTANT) params_freeze(ps, g->param);
    else params_unclip(ps, g->param);
    return kind == GATES_CONSTANT ? OK : params_group(ps, name, rate, 0, 0, false, e);
}

void head_gate_init(const HeadGate *g, ParamSet *ps, double log_alpha)
{
    param_init_constant(ps, g->param, g->kind == GATES_HARD_CONCRETE ? log_alpha : 1);
}

void head_gate_draw(const HeadGate *g, uint64_t key, double *u)
{
    uint64_t layer = rng_key(key, (uint64_t)g->param, 0, 0);
    for (int h = 0; h < g->heads; h++)
        u[h] = HARD_CONCRETE_MARGIN + (1 - 2 * HARD_CONCRETE_MARGIN) * rng_uniform(layer, (uint64_t)h);
}

Tensor *head_gate_forward(const Forward *f, const HeadGate *g, uint64_t key)
{
    Tensor *x = forward_param(f, g->param);
    if (g->kind != GATES_HARD_CONCRETE) return x;
    if (!f->t->training) return op_hard_concrete_evaluated(f->t, x, g->c);
    double *u = tape_host(f->t, (size_t)g->heads, sizeof *u);
    if (!u) return NULL;
    head_gate_draw(g, key, u);
    return op_hard_concrete(f->t, x, u, g->c);
}

Tensor *head_gate_penalty(const Forward *f, const HeadGate *g)
{
    if (g->kind != GATES_HARD_CONCRETE)
        return tape_fail(f->t, ERR_RANGE, "%s has no penalty", f->params->p[g->param].name);
    return op_l0_penalty(f->t, forward_param(f, g->param), g->c);
}

Tensor *head_gate_factors(const Forward *f, const HeadGate *g, const Real *factors, int heads)
{
    double *gates = tape_host(f->t, (size_t)heads, sizeof *gates);
    Real *product = tape_host(f->t, (size_t)heads, sizeof *product);
    if (!gates || !product) return NULL;
    if (g && head_gate_values(g, f->params, gates, &f->t->error) != OK) return NULL;
    for (int h = 0; h < heads; h++) product[h] = (factors ? factors[h] : 1) * (g ? (Real)gates[h] : 1);
    return tape_constant(f->t, product, 1, heads);
}

Status head_gate_values(const HeadGate *g, const ParamSet *ps, double *gates, Error *e)
{
    const Real *x = param_values(ps, g->param);
    for (int h = 0; h < g->heads; h++) {
        if (!isfinite((double)x[h]))
            return error_set(e, ERR_RANGE, "%s[%d] is %g, expected a finite number", ps->p[g->param].name, h,
                             (double)x[h]);
        gates[h] = g->kind == GATES_HARD_CONCRETE ? hard_concrete_evaluated((double)x[h], g->c) : (double)x[h];
    }
    return OK;
}

int head_gate_open(const double *gates, int heads)
{
    int n = 0;
    for (int h = 0; h < heads; h++) n += gates[h] != 0;
    return n;
}

int head_gate_between(const double *gates, int heads)
{
    int n = 0;
    for (int h = 0; h < heads; h++) n += gates[h] > 0 && gates[h] < 1;
    return n;
}
