/* Attention.json: self-attention with masks, a fixed head, a learned bias and gates,
 * forward and backward; label_attention.json: label heads with sets of keys and gates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lal/heads/attention_mask.h"
#include "tests/golden/options.h"
#include "tests/support/checking_device.h"

enum { HEADS_MOST = 64 };

typedef struct Net {
    Tape t;
    const cJSON *j;
    int heads, m, d, w;
    int start[2];
    Batch batch;
    double *bias;                                    /* [heads * m * m] as recorded */
    int fixed[HEADS_MOST], mask_of_head[HEADS_MOST]; /* slot, or -1 */
    int slot_of_head[HEADS_MOST];                    /* of a bias that is not only 0 and -inf, or -1 */
    MaskSet masks;
    Arena arena;
    Tensor *x, *qkv, *wo, *gate, *bias_slots, *probs, *context, *y;
} Net;

/* The bias of a head allows or forbids, and does nothing else. */
static bool is_mask(const Net *net, int h)
{
    int mm = net->m * net->m;
    for (int k = 0; k < mm; k++)
        if (net->bias[h * mm + k] != 0 && net->bias[h * mm + k] != -INFINITY) return false;
    return true;
}

static void net_init(Net *net, const cJSON *j)
{
    const cJSON *wq = recorded_item(j, "wq"), *x = recorded_item(j, "x"), *fixed = recorded_item(j, "fixed");
    *net = (Net){ .j = j, .heads = recorded_length(wq), .m = recorded_length(x) };
    if (net->heads > HEADS_MOST) recorded_stop("found %d heads, expected at most %d", net->heads, HEADS_MOST);
    net->d = recorded_length(cJSON_GetArrayItem(wq, 0));
    net->w = recorded_length(cJSON_GetArrayItem(cJSON_GetArrayItem(wq, 0), 0));
    net->start[1] = net->m;
    net->batch = (Batch){ 1, net->start, net->m, net->m };
    net->bias = recorded_exactly(recorded_item(j, "bias"), net->heads * net->m * net->m);
    int n;
    FREED(free_pointer) double *list = recorded_numbers(fixed, &n);
    for (int k = 0; k < n; k++) net->fixed[(int)list[k]] = 1;
    arena_init(&net->arena, 4096);
    tape_init(&net->t, test_device());
}

static void net_fini(Net *net)
{
    tape_fini(&net->t);
    arena_fini(&net->arena);
    free(net->bias);
}

/* Masks of the heads whose bias is one, as bits; the other heads keep their bias. */
static void make_masks(Net *net)
{
    int mm = net->m * net->m, slots = 0;
    uint8_t *allowed = arena_alloc(&net->arena, (size_t)mm, 1);
    if (!allowed || mask_set_init(&net->masks, &net->batch, net->heads, 0, &net->arena, NULL) != OK)
        recorded_stop("out of memory for masks");
    for (int h = 0; h < net->heads; h++) {
        net->slot_of_head[h] = net->mask_of_head[h] = -1;
        if (!is_mask(net, h)) {
            net->slot_of_head[h] = h;
            continue;
        }
        net->mask_of_head[h] = slots;
        for (int k = 0; k < mm; k++) allowed[k] = net->bias[h * mm + k] == 0;
        mask_set_pairs(&net->masks, slots++, 0, allowed);
    }
}

static void forward(Net *net, bool bits, bool gates)
{
    Tape *t = &net->t;
    const cJSON *j = net->j;
    int ld = 3 * net->heads * net->w, mm = net->m * net->m;
    tape_reset(t, true, false, 0);
    Real *all = options_host(t, (size_t)(net->d * ld), sizeof *all),
         *bias = options_host(t, (size_t)(net->heads * mm), sizeof *bias);
    options_projections(all, j, net->heads, net->d, net->w);
    for (int k = 0; k < net->heads * mm; k++) bias[k] = (Real)net->bias[k];
    net->x = options_tensor(t, recorded_item(j, "x"), net->m, net->d, false);
    net->qkv = options_wanted(t, all, net->d, ld);
    net->wo = options_tensor(t, recorded_item(j, "wo"), net->heads * net->w, net->d, false);
    net->gate = options_tensor(t, recorded_item(j, "gate"), 1, net->heads, false);
    net->bias_slots = options_wanted(t, bias, net->heads, mm);
    AttentionSpec spec = { .n_heads = net->heads, .n_parts = 1, .scale = recorded_number(j, "scale") };
    int slots[HEADS_MOST];
    for (int h = 0; h < net->heads; h++) slots[h] = h;
    spec.bias = net->bias_slots;
    spec.slot_of_head = bits ? net->slot_of_head : slots;
    spec.fixed = net->fixed;
    if (bits) spec.mask = &net->masks.mask, spec.mask_of_head = net->mask_of_head;
    if (gates) spec.gates = net->gate;
    Tensor *projected = op_linear(t, net->x, net->qkv, NULL, false);
    net->context = op_attention(t, &projected, &spec, &net->batch, &net->probs);
    net->y = op_linear(t, net->context, net->wo, NULL, false);
    if (!net->y) recorded_stop("%s", t->error.message);
}

/* context [m, heads * w] with the recorded [heads, m, w]. */
static void check_contexts(Net *net)
{
    int n = net->heads * net->m * net->w;
    FREED(free_pointer) double *found = recorded_room((size_t)n, sizeof *found);
    HostMatrix c = tensor_host(&net->t, net->context, &net->t.host);
    if (!found || !c.data) recorded_stop("out of memory");
    for (int h = 0; h < net->heads; h++)
        for (int i = 0; i < net->m; i++)
            for (int k = 0; k < net->w; k++)
                found[(h * net->m + i) * net->w + k] = (double)host_row(&c, i)[h * net->w + k];
    recorded_compare("contexts before gates", found, n, recorded_item(net->j, "context"));
}

static void check_gradients(Net *net, bool bits)
{
    static const char *const names[] = { "wq", "wk", "wv" };
    Tape *t = &net->t;
    const cJSON *grad = recorded_item(net->j, "grad");
    Tensor *terms[2] = { options_weighted(t, net->y, recorded_item(net->j, "dy")),
                         options_weighted(t, net->probs, recorded_item(net->j, "dprobs")) };
    static const double one[2] = { 1, 1 };
    if (tape_backward(t, op_weighted_sum(t, terms, one, 2)) != OK) recorded_stop("%s", t->error.message);
    HostMatrix qkv = tensor_host_grad(t, net->qkv, &t->host);
    for (int k = 0; k < 3; k++)
        options_compare_projection(names[k], qkv, k, recorded_item(grad, names[k]), net->heads, net->w);
    options_compare("wo", tensor_host_grad(t, net->wo, &t->host), recorded_item(grad, "wo"), false);
    options_compare("x", tensor_host_grad(t, net->x, &t->host), recorded_item(grad, "x"), false);
    options_compare("gates", tensor_host_grad(t, net->gate, &t->host), recorded_item(grad, "gate"), false);
    if (!bits)
        options_compare("bias", tensor_host_grad(t, net->bias_slots, &t->host), recorded_item(grad, "bias"), false);
}

void options_attention(const cJSON *attention)
{
    MADE(Net, net_init, net_fini, net, attention);
    recorded_mark(cJSON_GetObjectItemCaseSensitive(attention, "words")); /* the bias has what masks make of them */
    recorded_mark(recorded_item(attention, "heads"));
    make_masks(&net);
    for (int bits = 0; bits < 2; bits++) {
        printf("%s\n", bits ? "       masks as bits" : "       masks as a bias");
        forward(&net, bits, false);
        check_contexts(&net);
        forward(&net, bits, true);
        options_compare("probs", tensor_host(&net.t, net.probs, &net.t.host), recorded_item(attention, "probs"), false);
        options_compare("y", tensor_host(&net.t, net.y, &net.t.host), recorded_item(attention, "y"), false);
        check_gradients(&net, bits);
    }
}

/* ---- label attention */

/* keys [m]: bit h for the keys of head h. */
static void key_bits(const cJSON *lists, uint64_t *keys)
{
    for (int h = 0; h < recorded_length(lists); h++) {
        int n;
        FREED(free_pointer) double *list = recorded_numbers(cJSON_GetArrayItem(lists, h), &n);
        for (int k = 0; k < n; k++) keys[(int)list[k]] |= (uint64_t)1 << h;
    }
}

typedef struct LabelNet {
    Tape t;
    Tensor *probs, *view, *y;
} LabelNet;

/* With gates on the contexts or, if `on_output`, on what the norm makes of them. */
static void label_forward(LabelNet *net, const cJSON *j, bool on_output)
{
    Tape *t = &net->t;
    const cJSON *x = recorded_item(j, "x"), *u = recorded_item(j, "u"), *v = recorded_item(j, "v");
    int m = recorded_length(x), d = recorded_length(cJSON_GetArrayItem(x, 0)), heads = recorded_length(u),
        w = recorded_length(cJSON_GetArrayItem(cJSON_GetArrayItem(v, 0), 0)),
        p = recorded_length(recorded_item(j, "norm_a")), start[2] = { 0, m }, slots[HEADS_MOST];
    Batch batch = { 1, start, m, m };
    if (heads > HEADS_MOST) recorded_stop("found %d label heads, expected at most %d", heads, HEADS_MOST);
    tape_reset(t, true, false, 0);
    uint64_t *keys = options_host(t, (size_t)m, sizeof *keys);
    int *first = options_host(t, (size_t)m, sizeof *first);
    memset(keys, 0, (size_t)m * sizeof *keys);
    memset(first, 0, (size_t)m * sizeof *first);
    key_bits(recorded_item(j, "keys"), keys);
    for (int h = 0; h < heads; h++) slots[h] = h;
    LabelAttentionSpec spec = { .scale = recorded_number(j, "temper"), .keys = keys, .keys_of_head = slots };
    Tensor *gate = options_tensor(t, recorded_item(j, "gate"), 1, heads, false),
           *token = options_tensor(t, x, m, d, false),
           *reduce = options_tensor(t, recorded_item(j, "reduce"), d, p, true);
    Tensor *z = op_label_attention(t, token, options_tensor(t, u, heads, d, false), &spec, &batch, &net->probs),
           *c = op_head_linear_into(t, tape_new(t, heads, w), z, options_tensor(t, v, heads * d, w, false), heads);
    if (!on_output) c = op_scale_rows(t, c, gate);
    net->view = op_linear(t, c, options_tensor(t, recorded_item(j, "proj"), w, d, false), NULL, false);
    Tensor *y = op_label_norm(t, op_linear(t, token, reduce, NULL, false), op_linear(t, net->view, reduce, NULL, false),
                              first, heads, options_tensor(t, recorded_item(j, "norm_a"), 1, p, false),
                              options_tensor(t, recorded_item(j, "norm_b"), 1, p, false), 1e-3);
    net->y = on_output ? op_join_heads(t, op_scale_rows(t, op_split_heads(t, y, heads, 1), gate), heads, 1) : y;
    if (!net->y) recorded_stop("%s", t->error.message);
}

void options_label_attention(const cJSON *j)
{
    LabelNet net;
    recorded_mark(cJSON_GetObjectItemCaseSensitive(j, "words"));
    recorded_mark(recorded_item(j, "heads"));
    tape_init(&net.t, test_device());
    label_forward(&net, j, true);
    options_compare("probs of label heads", tensor_host(&net.t, net.probs, &net.t.host), recorded_item(j, "probs"),
                    true);
    options_compare("views", tensor_host(&net.t, net.view, &net.t.host), recorded_item(j, "view"), false);
    options_compare("gates on outputs", tensor_host(&net.t, net.y, &net.t.host), recorded_item(j, "y_output"), false);
    label_forward(&net, j, false);
    options_compare("gates on contexts", tensor_host(&net.t, net.y, &net.t.host), recorded_item(j, "y_context"), false);
    tape_fini(&net.t);
}
