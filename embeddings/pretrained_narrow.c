/* Feed-forward layers with fewer hidden units */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "embeddings/pretrained_encoder.h"

/* A hidden unit of a layer. */
typedef struct Unit {
    double mean, variance; /* of its value before the activation */
    double expected;       /* of its activation */
    double importance;
    int number;
    bool kept;
} Unit;

/* Means and variances before the activation, of inputs that come out of a norm. */
static void measure_sums(const FeedForward *ff, const Norm *norm, const ParamSet *ps, Unit *unit)
{
    const Real *w = param_values(ps, ff->w1[0]), *b = param_values(ps, ff->b1[0]), *scale = param_values(ps, norm->a),
               *shift = param_values(ps, norm->b);
    for (int j = 0; j < ff->d_ff; j++) unit[j] = (Unit){ .mean = (double)b[j], .number = j };
    for (int i = 0; i < ff->d; i++)
        for (int j = 0; j < ff->d_ff; j++) {
            double x = (double)*w++, spread = x * (double)scale[i];
            unit[j].mean += x * (double)shift[i];
            unit[j].variance += spread * spread;
        }
}

/* What relu makes of a normal variable, and how much of its variance gets into the output. */
static void measure_units(const FeedForward *ff, const ParamSet *ps, Unit *unit)
{
    const Real *v = param_values(ps, ff->w2[0]);
    for (int j = 0; j < ff->d_ff; j++) {
        Unit *u = &unit[j];
        double mu = u->mean, sigma = sqrt(u->variance), size = 0, variance = 0;
        u->expected = mu > 0 ? mu : 0;
        if (sigma > 0) {
            double z = mu / sigma, below = erfc(-z / sqrt(2)) / 2, density = exp(-z * z / 2) / sqrt(2 * acos(-1));
            u->expected = mu * below + sigma * density;
            variance = (mu * mu + u->variance) * below + mu * sigma * density - u->expected * u->expected;
        }
        for (int c = 0; c < ff->d; c++, v++) size += (double)*v * (double)*v;
        u->importance = variance > 0 ? variance * size : 0;
    }
}

static int by_importance(const void *a, const void *b)
{
    const Unit *x = a, *y = b;
    if (x->importance != y->importance) return x->importance > y->importance ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_number(const void *a, const void *b)
{
    const Unit *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Copies all values of parameter `from` to parameter `to`. */
static void copy_values(const ParamSet *wide, int from, ParamSet *ps, int to)
{
    memcpy(param_values(ps, to), param_values(wide, from), param_count(&ps->p[to]) * sizeof(Real));
}

/* The units that are kept, [wide->d_ff] units in their order. */
static void copy_units(const FeedForward *wide, const ParamSet *from, const FeedForward *ff, ParamSet *ps,
                       const Unit *unit)
{
    const Real *w1 = param_values(from, wide->w1[0]), *b1 = param_values(from, wide->b1[0]),
               *w2 = param_values(from, wide->w2[0]);
    Real *to_w1 = param_values(ps, ff->w1[0]), *to_b1 = param_values(ps, ff->b1[0]),
         *to_w2 = param_values(ps, ff->w2[0]), *to_b2 = param_values(ps, ff->b2[0]);
    ptrdiff_t d = ff->d;
    for (int j = 0, k = 0; j < wide->d_ff; j++) {
        if (!unit[j].kept) continue;
        for (ptrdiff_t i = 0; i < d; i++) to_w1[i * ff->d_ff + k] = w1[i * wide->d_ff + j];
        to_b1[k] = b1[j];
        memcpy(to_w2 + k * d, w2 + j * d, (size_t)d * sizeof(Real));
        k++;
    }
    copy_values(from, wide->b2[0], ps, ff->b2[0]);
    for (ptrdiff_t c = 0; c < d; c++) {
        double lost = 0;
        for (int j = 0; j < wide->d_ff; j++)
            if (!unit[j].kept) lost += unit[j].expected * (double)w2[j * d + c];
        to_b2[c] = (Real)((double)to_b2[c] + lost);
    }
}

Status pretrained_encoder_narrow(const PretrainedEncoder *wide, const ParamSet *from, const PretrainedEncoder *pe,
                                 ParamSet *ps, Error *error)
{
    int n = wide->c.d_ff, kept = pe->c.d_ff;
    Unit *unit = mem_alloc((size_t)n, sizeof *unit);
    if (!unit) return error_set(error, ERR_NOMEM, "out of memory for the feed-forward layers of an encoder");
    for (int l = 0; l < pe->c.n_layers; l++) {
        const FeedForward *ff = &wide->ff[l];
        measure_sums(ff, &wide->attn[l].norm, from, unit);
        measure_units(ff, from, unit);
        qsort(unit, (size_t)n, sizeof *unit, by_importance);
        for (int k = 0; k < kept; k++) unit[k].kept = true;
        qsort(unit, (size_t)n, sizeof *unit, by_number);
        copy_units(ff, from, &pe->ff[l], ps, unit);
        copy_values(from, ff->norm.a, ps, pe->ff[l].norm.a);
        copy_values(from, ff->norm.b, ps, pe->ff[l].norm.b);
    }
    mem_free(unit);
    return OK;
}
