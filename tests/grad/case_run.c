#include "tests/grad/case_run.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/rng.h"
#include "tests/support/weighted.h"

size_t case_size_of(const CaseParams *p, int k) { return (size_t)p->rows[k] * (size_t)p->cols[k]; }

double case_run(const GradCase *c, Tape *t, CaseParams *p, const Dims *d, CaseWalk walk)
{
    Tensor *in[CASE_MAX_PARAMS];
    tape_reset(t, walk != CASE_FORWARD, walk != CASE_RELEVANCE, 12345);
    for (int k = 0; k < p->n; k++) {
        t->device->upload(p->on_device[k], p->value[k], case_size_of(p, k) * sizeof(Real), NULL);
        if (walk != CASE_FORWARD) t->device->kernels->fill(p->dgrad[k], case_size_of(p, k), 0);
        in[k] = tape_wrap(t, p->on_device[k], p->dgrad[k], p->rows[k], p->cols[k], true);
        if (d->apart) in[k] = tape_columns(t, in[k], d->apart, p->cols[k] - 2 * d->apart);
    }
    Tensor *y = c->build(t, in, d), *loss = weighted_total(t, y, 99, 0);
    p->outputs = y ? y->rows * y->cols : 0;
    if (walk == CASE_BACKWARD) tape_backward(t, loss);
    if (walk == CASE_RELEVANCE) tape_relevance(t, loss, NULL, 0, NULL);
    for (int k = 0; walk != CASE_FORWARD && k < p->n; k++)
        tape_download(t, p->grad[k], p->dgrad[k], case_size_of(p, k) * sizeof(Real));
    return tape_number(t, loss);
}

void case_params_make(const GradCase *c, const Dims *d, CaseParams *p, const Device *device)
{
    const char *given = getenv("CASE_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 0;
    p->device = device;
    p->n = case_params(c);
    p->outputs = 0;
    for (int k = 0; k < p->n; k++) {
        case_shape(c->shape[k], d, &p->rows[k], &p->cols[k]);
        p->cols[k] += 2 * d->apart;
        size_t n = case_size_of(p, k);
        p->value[k] = mem_calloc(n, sizeof(Real));
        p->grad[k] = mem_calloc(n, sizeof(Real));
        p->on_device[k] = device_zeros(device, n);
        p->dgrad[k] = device_zeros(device, n);
        for (size_t i = 0; i < n; i++) {
            double x = rng_normal(seed * 1000 + (uint64_t)k + 1, i);
            int at = (int)(i % (size_t)p->cols[k]);
            bool used = at >= d->apart && at < p->cols[k] - d->apart;
            p->value[k][i] = used ? (Real)(x + (x < 0 ? -0.05 : 0.05)) : (Real)NAN; /* away from the kink of ReLU */
        }
    }
}

void case_params_free(CaseParams *p)
{
    for (int k = 0; k < p->n; k++) {
        mem_free(p->value[k]);
        mem_free(p->grad[k]);
        p->device->free(p->on_device[k]);
        p->device->free(p->dgrad[k]);
    }
}
