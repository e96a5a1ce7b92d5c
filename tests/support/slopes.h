/* Gradients of parameters against finite differences. */
#pragma once

#include "tensor/params.h"
#include "tests/support/check.h"
#include "tests/support/checking_device.h"

/* The gradients of the trained parameters of a ParamSet, on test_device and in host memory. */
typedef struct Slopes {
    size_t n;
    Real *on_device, *host;
} Slopes;

/* Once the parameters are finished. */
static inline void slopes_init(Slopes *s, const ParamSet *ps)
{
    *s = (Slopes){ ps->trained, device_zeros(test_device(), ps->trained), mem_calloc(ps->trained, sizeof *s->host) };
    assert_true(s->on_device && s->host);
}

static inline void slopes_fini(Slopes *s)
{
    test_device()->free(s->on_device);
    mem_free(s->host);
}

/* Those of a loss, whose forward pass has on_device as its gradients. */
static inline void slopes_backward(Slopes *s, Tape *t, Tensor *loss)
{
    assert_int_equal(tape_backward(t, loss), OK);
    assert_true(tape_download(t, s->host, s->on_device, s->n * sizeof *s->host));
}

/* grads [ps->trained], in host memory, are those of value(context), which reads the values of ps: the relative L2 error
 * of each trained parameter's gradient is below 1e-6. In a float build the gradients only have to be finite, and not
 * all 0. */
static inline void assert_slopes(ParamSet *ps, const Real *grads, double (*value)(void *context), void *context,
                                 const char *what)
{
    double all = 0;
    for (size_t i = 0; i < ps->trained; i++) all += (double)grads[i] * (double)grads[i];
    assert_true(all > 0 && isfinite(all));
    for (int k = 0; k < ps->n && sizeof(Real) == 8; k++) {
        const Param *p = &ps->p[k];
        double diff = 0, size = 0;
        for (size_t i = 0; i < param_count(p) && !p->frozen; i++) {
            Real *x = param_values(ps, k) + i, keep = *x;
            *x = (Real)((double)keep + 1e-5);
            double up = value(context);
            *x = (Real)((double)keep - 1e-5);
            double want = (up - value(context)) / 2e-5, found = (double)grads[p->offset + i];
            *x = keep;
            diff += (want - found) * (want - found);
            size += want * want;
        }
        if (sqrt(diff) > 1e-6 * fmax(sqrt(size), 1e-2 * sqrt(all)))
            fail_msg("%s, %s: relative error %.2e", what, p->name, sqrt(diff / fmax(size, 1e-300)));
    }
}
