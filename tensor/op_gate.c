/* Gates of attention heads; see tensor/hard_concrete.h. */
#include <math.h>

#include "tensor/ops.h"

typedef struct GateAttr {
    HardConcrete c;
    const double *noise; /* [heads] on the device */
} GateAttr;

static void hard_concrete_backward(Tape *t, const Node *nd)
{
    const GateAttr *at = nd->attr;
    Tensor *x = nd->in[0];
    Real *dx = tape_grad(t, x);
    if (dx)
        tape_run(t, nd->op->name, hard_concrete_bwd, dx, tape_grad_of(nd->out[0]), x->data, at->noise, x->cols, at->c);
}

static const OpDesc HARD_CONCRETE = { "hard_concrete", hard_concrete_backward, NULL };

static bool is_row(Tape *t, const char *who, const Tensor *x)
{
    if (x->rows != 1) tape_fail(t, ERR_RANGE, "%s: log_alpha is [%d, %d], expected one row", who, x->rows, x->cols);
    return x->rows == 1;
}

Tensor *op_hard_concrete(Tape *tape, Tensor *log_alpha, const double *u, HardConcrete gate)
{
    if (!log_alpha || !is_row(tape, HARD_CONCRETE.name, log_alpha)) return NULL;
    int heads = log_alpha->cols;
    double *noise = tape_host(tape, (size_t)heads, sizeof *noise);
    if (!noise) return NULL;
    for (int h = 0; h < heads; h++) {
        if (!(u[h] > 0 && u[h] < 1))
            return tape_fail(tape, ERR_RANGE, "hard_concrete: draw %d is %g, expected one between 0 and 1", h, u[h]);
        noise[h] = log(u[h]) - log1p(-u[h]);
    }
    Tensor *y = tape_new(tape, 1, heads);
    const GateAttr at = { gate, tape_upload(tape, noise, (size_t)heads, sizeof *noise) };
    if (!tape_record(tape, &HARD_CONCRETE, y, &at, sizeof at, log_alpha)) return NULL;
    tape_run(tape, HARD_CONCRETE.name, hard_concrete_fwd, y->data, log_alpha->data, at.noise, heads, gate);
    return tape_done(tape, y);
}

Tensor *op_hard_concrete_evaluated(Tape *tape, Tensor *log_alpha, HardConcrete gate)
{
    static const char who[] = "hard_concrete_evaluated";
    if (!log_alpha || !is_row(tape, who, log_alpha)) return NULL;
    Tensor *y = tape_new(tape, 1, log_alpha->cols);
    if (!y) return NULL;
    y->needs_grad = false;
    tape_run(tape, who, hard_concrete_evaluated, y->data, log_alpha->data, log_alpha->cols, gate);
    return tape_done(tape, y);
}

static void l0_penalty_backward(Tape *t, const Node *nd)
{
    const GateAttr *at = nd->attr;
    Tensor *x = nd->in[0];
    Real *dx = tape_grad(t, x);
    if (dx) tape_run(t, nd->op->name, l0_penalty_bwd, dx, tape_grad_of(nd->out[0]), x->data, x->cols, at->c);
}

static const OpDesc L0_PENALTY = { "l0_penalty", l0_penalty_backward, NULL };

Tensor *op_l0_penalty(Tape *tape, Tensor *log_alpha, HardConcrete gate)
{
    if (!log_alpha || !is_row(tape, L0_PENALTY.name, log_alpha)) return NULL;
    Tensor *y = tape_new(tape, 1, 1);
    if (!tape_record(tape, &L0_PENALTY, y, &(GateAttr){ .c = gate }, sizeof(GateAttr), log_alpha)) return NULL;
    tape_run(tape, L0_PENALTY.name, l0_penalty_fwd, y->data, log_alpha->data, log_alpha->cols, gate);
    return tape_done(tape, y);
}
