/* Taylor.json: the importance of the heads of one attention. The loss is
 * 1/2 |y - target|^2 in each sentence; gradients are means over the sentences. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lal/head_importance.h"
#include "tensor/ops.h"
#include "tests/golden/options.h"
#include "tests/support/checking_device.h"

enum { HEADS_MOST = 64 };

typedef struct Taylor {
    int heads, d, w; /* w: width of a head */
    double scale;
    size_t n_qkv, n_out;       /* numbers of the projections [d, 3 * heads * w] and of wo [heads * w, d] */
    Real *values, *grads;      /* of both, on the host */
    Real *there, *grads_there; /* the same on the device */
    int sentences, tokens;
    double gate[HEADS_MOST], gate_abs[HEADS_MOST], gate_token[HEADS_MOST]; /* sums over the sentences */
} Taylor;

static void taylor_init(Taylor *y, const cJSON *j, const Device *device)
{
    const cJSON *wq = recorded_item(j, "wq"), *first = cJSON_GetArrayItem(wq, 0);
    *y = (Taylor){ .heads = recorded_length(wq),
                   .d = recorded_length(first),
                   .w = recorded_length(cJSON_GetArrayItem(first, 0)),
                   .scale = recorded_number(j, "scale") };
    y->n_out = (size_t)y->d * (size_t)(y->heads * y->w);
    y->n_qkv = 3 * y->n_out;
    size_t n = y->n_qkv + y->n_out;
    y->values = recorded_room(n, sizeof(Real));
    y->grads = recorded_room(n, sizeof(Real));
    y->there = device_zeros(device, n);
    y->grads_there = device_zeros(device, n);
    if (y->heads > HEADS_MOST) recorded_stop("found %d heads, expected at most %d", y->heads, HEADS_MOST);
    if (!y->values || !y->grads || !y->there || !y->grads_there) recorded_stop("out of memory");
    options_projections(y->values, j, y->heads, y->d, y->w);
    FREED(free_pointer) double *wo = recorded_exactly(recorded_item(j, "wo"), (int)y->n_out);
    for (size_t k = 0; k < y->n_out; k++) y->values[y->n_qkv + k] = (Real)wo[k];
    device->upload(y->there, y->values, n * sizeof(Real), NULL);
}

static void taylor_fini(Taylor *y, const Device *device)
{
    device->free(y->there);
    device->free(y->grads_there);
    free(y->values);
    free(y->grads);
}

/* 1/2 |y - target|^2 of a sentence; adds its gradients. */
static double add_sentence(Taylor *y, Tape *t, const cJSON *sentence)
{
    const cJSON *words = recorded_item(sentence, "x");
    int m = recorded_length(words), n = m * y->d, start[2] = { 0, m };
    Batch batch = { 1, start, m, m };
    tape_reset(t, true, false, 0);
    Tensor *qkv = tape_wrap(t, y->there, y->grads_there, y->d, 3 * y->heads * y->w, true),
           *wo = tape_wrap(t, y->there + y->n_qkv, y->grads_there + y->n_qkv, y->heads * y->w, y->d, true);
    Tensor *projected = op_linear(t, options_tensor(t, words, m, y->d, false), qkv, NULL, false);
    AttentionSpec spec = { .n_heads = y->heads, .n_parts = 1, .scale = y->scale };
    Tensor *context = op_attention(t, &projected, &spec, &batch, NULL), *out = op_linear(t, context, wo, NULL, false);
    int *rows = options_host(t, (size_t)n, sizeof *rows), *cols = options_host(t, (size_t)n, sizeof *cols);
    Real *weights = options_host(t, (size_t)n, sizeof *weights);
    if (!rows || !cols || !weights || !out) recorded_stop("%s", t->error.message);
    double *target = recorded_exactly(recorded_item(sentence, "target"), n), loss = 0;
    HostMatrix found = tensor_host(t, out, &t->host);
    for (int k = 0; k < n; k++) { /* a weighted sum of out with the gradient out - target */
        double difference = (double)found.data[k] - target[k];
        rows[k] = k / y->d;
        cols[k] = k % y->d;
        weights[k] = (Real)difference;
        loss += difference * difference / 2;
    }
    free(target);
    context->keep = true;
    if (tape_backward(t, op_pick(t, out, rows, cols, weights, n, 0)) != OK) recorded_stop("%s", t->error.message);
    double sum[HEADS_MOST], absolute[HEADS_MOST];
    HostMatrix c = tensor_host(t, context, &t->host), dc = tensor_host_grad(t, context, &t->host);
    head_importance_contexts(c.data, dc.data, c.ld, m, y->heads, &y->w, 1, sum, absolute);
    for (int h = 0; h < y->heads; h++) {
        y->gate[h] += sum[h];
        y->gate_abs[h] += fabs(sum[h]);
        y->gate_token[h] += absolute[h];
    }
    y->sentences++;
    y->tokens += m;
    return loss;
}

/* The slice of head h in wq, wk, wv or wo (part 0 .. 3) of a matrix with `ld` columns at `from` in the numbers. */
static HeadSlice slice(const Taylor *y, int part, int h, size_t *from, int *ld)
{
    *from = part < 3 ? 0 : y->n_qkv;
    *ld = part < 3 ? 3 * y->heads * y->w : y->d;
    return part < 3 ? (HeadSlice){ 0, 0, y->d, (part * y->heads + h) * y->w, y->w }
                    : (HeadSlice){ 0, h * y->w, y->w, 0, y->d };
}

/* The mean gradient of one part, and the identity of its Taylor sum, sum of value times gradient by head. */
static void check_part(const Taylor *y, int part, const cJSON *j)
{
    static const char *const parts[] = { "wq", "wk", "wv", "wo" };
    int n = 0, ld;
    size_t from;
    double *mean = recorded_room(y->n_out, sizeof *mean), identity[HEADS_MOST] = { 0 };
    char name[100];
    for (int h = 0; h < y->heads; h++) {
        double squares = 0;
        HeadSlice s = slice(y, part, h, &from, &ld);
        const Real *grads = y->grads + from;
        for (int r = 0; r < s.rows; r++)
            for (int c = 0; c < s.cols; c++) mean[n++] = (double)grads[(s.row + r) * ld + s.col + c] / y->sentences;
        head_slice_products(y->values + from, grads, ld, &s, &identity[h], &squares);
        identity[h] /= y->sentences;
    }
    snprintf(name, sizeof name, "mean gradient of %s", parts[part]);
    recorded_compare(name, mean, n, recorded_item(recorded_item(j, "mean_grad"), parts[part]));
    snprintf(name, sizeof name, "Taylor sums of %s", parts[part]);
    recorded_compare(name, identity, y->heads, recorded_item(recorded_item(j, "identities"), parts[part]));
    free(mean);
}

static void check_normalised(const cJSON *j, const char *measure, const double *raw, int heads)
{
    static const char *const how[] = { "raw", "layer_l2", "layer_sum", "minmax" };
    for (int k = 0; k < 4; k++) {
        double values[HEADS_MOST];
        char name[100];
        for (int h = 0; h < heads; h++) values[h] = raw[h];
        head_normalise(values, &heads, 1, (HeadNormalise)k);
        snprintf(name, sizeof name, "%s, %s", measure, how[k]);
        recorded_compare(name, values, heads, recorded_item(recorded_item(j, measure), how[k]));
    }
}

static void check_measures(Taylor *y, const cJSON *j)
{
    double group[HEADS_MOST], param[HEADS_MOST], n = y->sentences;
    for (int h = 0; h < y->heads; h++) {
        double sum = 0, squares = 0;
        for (int part = 0; part < 4; part++) {
            size_t from;
            int ld;
            HeadSlice s = slice(y, part, h, &from, &ld);
            head_slice_products(y->values + from, y->grads + from, ld, &s, &sum, &squares);
        }
        group[h] = sum * sum / n / n;
        param[h] = squares / n / n;
        y->gate[h] /= n;
        y->gate_abs[h] /= n;
        y->gate_token[h] /= y->tokens;
    }
    check_normalised(j, "taylor_param", param, y->heads);
    check_normalised(j, "taylor_group", group, y->heads);
    check_normalised(j, "gate", y->gate_abs, y->heads);
    check_normalised(j, "gate_token", y->gate_token, y->heads);
    recorded_compare("mean gradient of the gates", y->gate, y->heads,
                     recorded_item(recorded_item(j, "mean_grad"), "gate"));
    recorded_compare("Taylor sums of the gates", y->gate, y->heads,
                     recorded_item(recorded_item(j, "identities"), "gate"));
}

void options_importance(const cJSON *taylor)
{
    const cJSON *sentences = recorded_item(taylor, "sentences"), *x;
    const Device *device = test_device();
    FREED(free_pointer) double *loss = recorded_room((size_t)(recorded_length(sentences) + 1), sizeof *loss);
    Taylor y;
    MADE(Tape, tape_init, tape_fini, t, device);
    taylor_init(&y, taylor, device);
    cJSON_ArrayForEach(x, sentences)
    {
        double of_sentence = add_sentence(&y, &t, x);
        loss[y.sentences - 1] = of_sentence;
    }
    tape_download(&t, y.grads, y.grads_there, (y.n_qkv + y.n_out) * sizeof(Real));
    check_measures(&y, taylor);
    recorded_compare("loss", loss, y.sentences, recorded_item(taylor, "loss"));
    for (int part = 0; part < 4; part++) check_part(&y, part, taylor);
    taylor_fini(&y, device);
}
