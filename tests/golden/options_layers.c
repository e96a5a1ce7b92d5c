/* Pal.json: a projected attention layer from three starts, with gradients. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lal/projected_attention.h"
#include "tests/golden/options.h"
#include "tests/support/checking_device.h"

enum { PAL_PARAMS = 10 };

typedef struct Pal {
    ProjectedAttention layer;
    ParamSet ps;
    const char *name[PAL_PARAMS]; /* in the file */
    int param[PAL_PARAMS];
    Tape t;
    Real *grads; /* on the device */
    int d, width;
} Pal;

static void pal_init(Pal *p, const cJSON *params)
{
    Error e = { 0 };
    *p = (Pal){ .width = recorded_length(recorded_item(params, "down")),
                .d = recorded_length(recorded_item(params, "up")) };
    params_init(&p->ps);
    tape_init(&p->t, test_device());
    if (projected_attention_declare(&p->layer, &p->ps, "encoder.pal_0", p->d, p->width, 1, 1, NULL, &e) != OK ||
        params_finish(&p->ps, &e) != OK || !(p->grads = device_zeros(test_device(), p->ps.trained)))
        recorded_stop("%s", e.message);
    const ProjectedAttention *y = &p->layer;
    const char *const names[] = { "down", "down_b", "wq", "bq", "wk", "bk", "wv", "bv", "up", "up_b" };
    const int numbers[] = { y->down,        y->down_bias, y->qkv[0],      y->qkv_bias[0], y->qkv[1],
                            y->qkv_bias[1], y->qkv[2],    y->qkv_bias[2], y->up,          y->up_bias };
    memcpy(p->name, names, sizeof names);
    memcpy(p->param, numbers, sizeof numbers);
}

static void pal_fini(Pal *p)
{
    test_device()->free(p->grads);
    tape_fini(&p->t);
    params_fini(&p->ps);
}

/* Recorded matrices have a row for each output. */
static void pal_load(Pal *p, const cJSON *params, const char *run)
{
    Error e = { 0 };
    for (int k = 0; k < PAL_PARAMS; k++) {
        const Param *to = &p->ps.p[p->param[k]];
        FREED(free_pointer) double *v = recorded_exactly(recorded_item(params, p->name[k]), to->rows * to->cols);
        bool zero = strcmp(run, "all_zero") == 0 || (strcmp(run, "up_zero") == 0 && strncmp(p->name[k], "up", 2) == 0);
        for (int r = 0; r < to->rows; r++)
            for (int c = 0; c < to->cols; c++)
                param_values(&p->ps, p->param[k])[r * to->cols + c] = zero ? 0 : (Real)v[c * to->rows + r];
    }
    if (params_upload(&p->ps, test_device(), &e) != OK) recorded_stop("%s", e.message);
}

/* Has the parameter a gradient where one is recorded, and none where none is? A recorded one that is only rounding, as
 * that of the biases of keys, does not count. */
static bool moves_as_recorded(const Real *g, int n, const cJSON *run, const char *name)
{
    const cJSON *list = recorded_item(run, "nonzero");
    double *expected = recorded_exactly(recorded_item(recorded_item(run, "grad"), name), n), largest = 0;
    bool listed = false, moves = false;
    for (int k = 0; k < recorded_length(list); k++) listed |= strcmp(recorded_string(list, k), name) == 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(expected[i]));
        moves |= g[i] != 0;
    }
    free(expected);
    return listed ? moves || largest < 1e-12 : !moves;
}

static void pal_run(Pal *p, const cJSON *j, const cJSON *run)
{
    Tape *t = &p->t;
    const cJSON *x = recorded_item(j, "x");
    int m = recorded_length(x), start[2] = { 0, m }, wrong = 0;
    Batch batch = { 1, start, m, m };
    Forward f = { t, &p->ps, p->grads, &batch, NULL, false };
    char name[100];
    size_t n = p->ps.trained;
    FREED(free_pointer) Real *grads = recorded_room(n, sizeof *grads);
    test_device()->upload(p->grads, grads, n * sizeof *grads, NULL);
    pal_load(p, recorded_item(j, "params"), run->string);
    tape_reset(t, true, false, 0);
    Tensor *y = projected_attention_forward(&f, &p->layer, options_tensor(t, x, m, p->d, false), 0, NULL, NULL);
    if (tape_backward(t, options_weighted(t, y, recorded_item(j, "dy"))) != OK ||
        !tape_download(t, grads, p->grads, n * sizeof *grads))
        recorded_stop("%s", t->error.message);
    snprintf(name, sizeof name, "projected attention, %s", run->string);
    options_compare(name, tensor_host(t, y, &t->host), recorded_item(run, "out"), false);
    for (int k = 0; k < PAL_PARAMS; k++) {
        const Param *of = &p->ps.p[p->param[k]];
        const Real *g = grads + of->offset;
        wrong += !moves_as_recorded(g, of->rows * of->cols, run, p->name[k]);
        snprintf(name, sizeof name, "  gradient of %s", p->name[k]);
        options_compare(name, (HostMatrix){ g, of->rows, of->cols, of->cols },
                        recorded_item(recorded_item(run, "grad"), p->name[k]), true);
    }
    recorded_verdict(!wrong, "  the parameters that have a gradient");
}

void options_projected(const cJSON *pal)
{
    const cJSON *run;
    MADE(Pal, pal_init, pal_fini, p, recorded_item(pal, "params"));
    cJSON_ArrayForEach(run, recorded_item(pal, "runs")) pal_run(&p, pal, run);
}
