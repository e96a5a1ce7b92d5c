/* Hidden states, attention and gradients of a pretrained encoder. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "embeddings/pretrained_encoder.h"
#include "tests/golden/encoders.h"
#include "tests/support/checking_device.h"
#include "tests/support/whole_numbers.h"

typedef struct States {
    PretrainedEncoder pe;
    ParamSet ps;
    Tape t;
    Real *device_grads, *grads; /* [trained] */
    const SafeTensors *recorded;
    char name[100]; /* of the folder and the case */
} States;

static double *recorded_reals(const SafeTensors *st, const StTensor *t)
{
    Error e = { 0 };
    FREED(free_pointer) Real *x = recorded_room(t->count + 1, sizeof *x);
    double *y = recorded_room(t->count + 1, sizeof *y);
    if (!x || !y || safetensors_reals(st, t, x, &e) != OK) recorded_stop("%s", e.message);
    for (size_t i = 0; i < t->count; i++) y[i] = (double)x[i];
    return y;
}

/* |found - expected| is at most `share` of the largest |expected|, or of `least` if that is larger. */
static void compare(States *s, const char *what, const double *found, int rows, int cols, double share, double least)
{
    const StTensor *t = safetensors_find(s->recorded, what);
    if (!t || t->count != (size_t)rows * (size_t)cols) {
        recorded_verdict(false, "%s: %s: %s", s->name, what, t ? "another number of values" : "not recorded");
        return;
    }
    double *expected = recorded_reals(s->recorded, t), largest = least, worst = 0;
    for (size_t i = 0; i < t->count; i++) {
        double off = fabs(found[i] - expected[i]);
        worst = isnan(off) ? INFINITY : fmax(worst, off);
        largest = fmax(largest, fabs(expected[i]));
    }
    recorded_verdict(worst <= share * largest, "%s: %s: %.1e of the largest", s->name, what, worst / largest);
    free(expected);
}

static void compare_tensor(States *s, const char *what, const Tensor *x)
{
    if (!x) recorded_stop("%s: %s", what, s->t.error.message);
    HostMatrix host = tensor_host(&s->t, x, &s->t.host);
    FREED(free_pointer) double *found = recorded_room((size_t)(x->rows * x->cols + 1), sizeof *found);
    if (!found || !host.data) recorded_stop("out of memory");
    for (int r = 0; r < x->rows; r++)
        for (int c = 0; c < x->cols; c++) found[r * x->cols + c] = (double)host_row(&host, r)[c];
    compare(s, what, found, x->rows, x->cols, 1e-4, 0);
}

static void compare_gradients(States *s)
{
    PretrainedTensor list[PRETRAINED_TENSORS_MOST];
    char name[128];
    double largest = 0;
    for (size_t i = 0; i < s->ps.trained; i++) largest = fmax(largest, fabs((double)s->grads[i]));
    for (int l = -1; l < s->pe.c.n_layers; l++) {
        int n = pretrained_encoder_tensors(&s->pe, &s->ps, l, list);
        for (int k = 0; k < n; k++) {
            const PretrainedTensor *x = &list[k];
            const Param *p = &s->ps.p[x->param];
            FREED(free_pointer) double *found = recorded_room((size_t)(x->rows * x->cols), sizeof *found);
            for (int r = 0; r < x->rows; r++)
                for (int c = 0; c < x->cols; c++)
                    found[r * x->cols + c] =
                        (double)s->grads[p->offset + (size_t)x->column +
                                         (x->transposed ? (size_t)c * (size_t)p->cols + (size_t)r
                                                        : (size_t)r * (size_t)p->cols + (size_t)c)];
            snprintf(name, sizeof name, "grad/%.95s", x->name);
            /* biases of keys have no gradient but rounding */
            compare(s, name, found, x->rows, x->cols, 1e-3, largest * 1e-3);
        }
    }
}

static Tensor *weighted(States *s, Tensor *x)
{
    const StTensor *w = safetensors_find(s->recorded, "loss_weight");
    int n = x->rows * x->cols, *rows = tape_host(&s->t, (size_t)n, sizeof *rows),
        *cols = tape_host(&s->t, (size_t)n, sizeof *cols);
    Real *weight = tape_host(&s->t, (size_t)n, sizeof *weight);
    if (!rows || !cols || !weight || w->count != (size_t)n || safetensors_reals(s->recorded, w, weight, NULL) != OK)
        recorded_stop("%s: loss_weight cannot be read", s->name);
    for (int k = 0; k < n; k++) {
        rows[k] = k / x->cols;
        cols[k] = k % x->cols;
    }
    return op_pick(&s->t, x, rows, cols, weight, n, 0);
}

static void check_case(States *s)
{
    const StTensor *ids = safetensors_find(s->recorded, "ids");
    int m = ids ? (int)ids->count : 0, start[2] = { 0, m };
    FREED(free_pointer) int32_t *piece = recorded_room((size_t)(m + 1), sizeof *piece);
    if (!piece || !ids || !whole_numbers(ids, piece)) recorded_stop("%s: ids cannot be read", s->name);
    bool gradients = safetensors_find(s->recorded, "loss_weight") != NULL;
    Batch batch = { 1, start, m, m };
    Forward f = { &s->t, &s->ps, gradients ? s->device_grads : NULL, &batch, NULL, false };
    PretrainedOutput out;
    char name[32];
    memset(s->grads, 0, s->ps.trained * sizeof *s->grads);
    test_device()->upload(s->device_grads, s->grads, s->ps.trained * sizeof *s->grads, NULL);
    tape_reset(&s->t, true, false, 0);
    pretrained_encoder_forward(&f, &s->pe, piece, NULL, &out);
    for (int l = 0; l <= s->pe.c.n_layers; l++) {
        snprintf(name, sizeof name, "hidden%d", l);
        compare_tensor(s, name, out.hidden[l]);
    }
    compare_tensor(s, "attention0", out.attention[0].probs);
    if (gradients) {
        Tensor *loss = weighted(s, out.hidden[s->pe.c.n_layers]);
        if (tape_backward(&s->t, loss) != OK ||
            !tape_download(&s->t, s->grads, s->device_grads, s->ps.trained * sizeof *s->grads))
            recorded_stop("%s: %s", s->name, s->t.error.message);
        compare_tensor(s, "loss", loss);
        compare_gradients(s);
    }
}

static bool read_weights(States *s, const EncoderFolder *f, Error *e)
{
    PretrainedConfig c;
    SafeTensorsSet weights;
    char path[700];
    encoders_model(f, "config.json", path, sizeof path);
    bool good = pretrained_config_read(&c, path, e) == OK && safetensors_set_open(&weights, f->weights, e) == OK;
    if (!good) return false;
    good = pretrained_encoder_declare(&s->pe, &s->ps, c, e) == OK && params_finish(&s->ps, e) == OK &&
           pretrained_encoder_read(&s->pe, &s->ps, &weights, NULL, e) == OK &&
           params_upload(&s->ps, test_device(), e) == OK;
    safetensors_set_close(&weights);
    return good;
}

void encoders_states(const EncoderFolder *f)
{
    Error e = { 0 };
    States s = { .name = "" };
    SafeTensors st;
    char path[700], name[64];
    if (!f->weights[0]) {
        recorded_skip("%s: has no weights, nor has LAL_ENCODERS/%s", f->name, f->name);
        return;
    }
    params_init(&s.ps);
    tape_init(&s.t, test_device());
    bool good = read_weights(&s, f, &e);
    recorded_verdict(good, "%s: weights%s%s", f->name, good ? "" : ": ", e.message);
    s.device_grads = device_zeros(test_device(), s.ps.trained);
    s.grads = recorded_room(s.ps.trained + 1, sizeof *s.grads);
    if (!s.device_grads || !s.grads) recorded_stop("out of memory");
    for (int k = 0; good; k++) {
        snprintf(name, sizeof name, "case%d.safetensors", k);
        if (!encoders_recorded(f, name, path, sizeof path)) break;
        if (safetensors_open(&st, path, &e) != OK) recorded_stop("%s", e.message);
        snprintf(s.name, sizeof s.name, "%s: case %d", f->name, k);
        s.recorded = &st;
        if (safetensors_find(&st, "hidden0")) check_case(&s);
        safetensors_close(&st);
    }
    test_device()->free(s.device_grads);
    free(s.grads);
    tape_fini(&s.t);
    params_fini(&s.ps);
}
