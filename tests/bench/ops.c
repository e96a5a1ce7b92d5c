/* Time of each op of the gradient table, forward and forward with backward, at the sizes of the
 * shipped model. One JSON object per line. */
#include <stdio.h>

#include "base/rng.h"
#include "base/thread.h"
#include "tests/grad/cases.h"

typedef struct Inputs {
    Real *value[CASE_MAX_PARAMS], *grad[CASE_MAX_PARAMS];
    int rows[CASE_MAX_PARAMS], cols[CASE_MAX_PARAMS], n;
} Inputs;

static bool run(const GradCase *c, Tape *t, const Inputs *in, const Dims *d, bool backward)
{
    Tensor *x[CASE_MAX_PARAMS];
    tape_reset(t, backward, true, 1);
    for (int k = 0; k < in->n; k++) x[k] = tape_wrap(t, in->value[k], in->grad[k], in->rows[k], in->cols[k], true);
    Tensor *y = c->build(t, x, d);
    if (!y || !backward) return y != NULL;
    static const int at[1] = { 0 };
    static const Real one[1] = { 1 };
    Tensor *loss = op_pick(t, y, at, at, one, 1, 0);
    return loss && tape_backward(t, loss) == OK;
}

/* Microseconds per run: the minimum over several intervals of 20 ms. -1 if the op fails. */
static double time_of(const GradCase *c, Tape *t, const Inputs *in, const Dims *d, bool backward)
{
    double best = 1e30;
    if (!run(c, t, in, d, backward)) return -1;
    for (int interval = 0; interval < 5; interval++) {
        double begin = clock_seconds(), now = begin;
        int runs = 0;
        for (; now - begin < 0.02; now = clock_seconds(), runs++) run(c, t, in, d, backward);
        if ((now - begin) / runs < best) best = (now - begin) / runs;
    }
    return best * 1e6;
}

int main(void)
{
    enum { SENTENCES = 20, TOKENS = 30 };
    int start[SENTENCES + 1];
    for (int k = 0; k <= SENTENCES; k++) start[k] = k * TOKENS;
    Batch b = { SENTENCES, start, SENTENCES * TOKENS, TOKENS };
    Dims d = { &b, 320, 32, 8, 45, 400, 0 };
    Tape t;
    tape_init(&t, device_cpu());
    for (const GradCase *c = GRAD_CASES; c->name; c++) {
        Inputs in = { .n = case_params(c) };
        bool ok = true;
        for (int k = 0; k < in.n; k++) {
            case_shape(c->shape[k], &d, &in.rows[k], &in.cols[k]);
            size_t n = (size_t)in.rows[k] * (size_t)in.cols[k];
            in.value[k] = mem_aligned(n, sizeof(Real));
            in.grad[k] = mem_calloc(n, sizeof(Real));
            ok = ok && in.value[k] && in.grad[k];
            for (size_t i = 0; ok && i < n; i++) in.value[k][i] = (Real)rng_normal((uint64_t)k, i);
        }
        if (ok)
            printf("{\"name\": \"op-%s\", \"forward_us\": %.1f, \"with_backward_us\": %.1f}\n", c->name,
                   time_of(c, &t, &in, &d, false), time_of(c, &t, &in, &d, true));
        for (int k = 0; k < in.n; k++) {
            mem_free(in.value[k]);
            mem_free(in.grad[k]);
        }
    }
    tape_fini(&t);
    return 0;
}
