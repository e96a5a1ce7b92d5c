/* tests/support/slopes.h: gradients of parameters against finite differences. */
#ifndef LAL_TESTS_SUPPORT_SLOPES_H
#define LAL_TESTS_SUPPORT_SLOPES_H

#include "tensor/params.h"
#include "tests/support/check.h"

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

#endif
