/* One parameter for each head; what its values mean in training and in evaluation follows
 * from the kind of gate. */
#include "lal/heads/head_gate.h"

#include <math.h>
#include <stdio.h>

#include "base/rng.h"

Status head_gate_declare(HeadGate *gate, ParamSet *ps, const char *prefix, int heads, GateKind kind,
                         HardConcrete hard_concrete, double rate, Error *error)
{
    static const char *const names[] = {
        [GATES_HARD_CONCRETE] = "log_alpha", [GATES_FREE] = "factor", [GATES_CONSTANT] = "constant"
    };
    char name[PARAM_NAME_MAX];
    *gate = (HeadGate){ .kind = kind, .c = hard_concrete, .heads = heads };
    snprintf(name, sizeof name, "%s.gate.%s", prefix, names[kind]);
    Status s = params_add(ps, name, 1, &heads, &gate->param, error);
    if (s != OK) return s;
    if (kind == GATES_CONSTANT) params_freeze(ps, gate->param);
    else params_unclip(ps, gate->param);
    return kind == GATES_CONSTANT ? OK : params_group(ps, name, rate, 0, 0, false, error);
}

void head_gate_init(const HeadGate *gate, ParamSet *ps, double log_alpha)
{
    param_init_constant(ps, gate->param, gate->kind == GATES_HARD_CONCRETE ? log_alpha : 1);
}

void head_gate_draw(const HeadGate *gate, uint64_t key, double *u)
{
    uint64_t layer = rng_key(key, (uint64_t)gate->param, 0, 0);
    for (int h = 0; h < gate->heads; h++)
        u[h] = HARD_CONCRETE_MARGIN + (1 - 2 * HARD_CONCRETE_MARGIN) * rng_uniform(layer, (uint64_t)h);
}

Tensor *head_gate_forward(const Forward *forward, const HeadGate *gate, uint64_t key)
{
    Tensor *x = forward_param(forward, gate->param);
    if (gate->kind != GATES_HARD_CONCRETE) return x;
    if (!forward->t->training) return op_hard_concrete_evaluated(forward->t, x, gate->c);
    double *u = tape_host(forward->t, (size_t)gate->heads, sizeof *u);
    if (!u) return NULL;
    head_gate_draw(gate, key, u);
    return op_hard_concrete(forward->t, x, u, gate->c);
}

Tensor *head_gate_penalty(const Forward *forward, const HeadGate *gate)
{
    if (gate->kind != GATES_HARD_CONCRETE)
        return tape_fail(forward->t, ERR_RANGE, "%s has no penalty", forward->params->p[gate->param].name);
    return op_l0_penalty(forward->t, forward_param(forward, gate->param), gate->c);
}

Tensor *head_gate_factors(const Forward *forward, const HeadGate *gate, const Real *factors, int heads)
{
    double *gates = tape_host(forward->t, (size_t)heads, sizeof *gates);
    Real *product = tape_host(forward->t, (size_t)heads, sizeof *product);
    if (!gates || !product) return NULL;
    if (gate && head_gate_values(gate, forward->params, gates, &forward->t->error) != OK) return NULL;
    for (int h = 0; h < heads; h++) product[h] = (factors ? factors[h] : 1) * (gate ? (Real)gates[h] : 1);
    return tape_constant(forward->t, product, 1, heads);
}

Status head_gate_values(const HeadGate *gate, const ParamSet *ps, double *gates, Error *error)
{
    const Real *x = param_values(ps, gate->param);
    for (int h = 0; h < gate->heads; h++) {
        if (!isfinite((double)x[h]))
            return error_set(error, ERR_RANGE, "%s[%d] is %g, expected a finite number", ps->p[gate->param].name, h,
                             (double)x[h]);
        gates[h] = gate->kind == GATES_HARD_CONCRETE ? hard_concrete_evaluated((double)x[h], gate->c) : (double)x[h];
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
