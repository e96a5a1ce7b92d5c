/* Prune.json: self-attention without its closed heads; label heads whose closed ones
 * share a block of the output. */
#include <stdlib.h>
#include <string.h>

#include "lal/encoder_prune.h"
#include "tests/golden/options.h"
#include "tests/support/checking_device.h"

enum { HEADS_MOST = 64 };

static Real *reals(size_t n) { return recorded_room(n + 1, sizeof(Real)); }

static Real *reals_of(const cJSON *j, int n)
{
    FREED(free_pointer) double *v = recorded_exactly(j, n);
    Real *x = reals((size_t)n);
    for (int k = 0; k < n; k++) x[k] = (Real)v[k];
    return x;
}

/* ---- self-attention */

typedef struct Layer {
    SelfAttention sa;
    ParamSet ps;
    int d, w;
} Layer;

static void layer_init(Layer *y, int d, int heads, int w)
{
    Error e = { 0 };
    *y = (Layer){ .d = d, .w = w };
    params_init(&y->ps);
    if (self_attention_declare(&y->sa, &y->ps, "attention", d, heads, w, 1, LAYERS_LAL, &e) != OK ||
        params_finish(&y->ps, &e) != OK)
        recorded_stop("%s", e.message);
}

/* y of the layer; gates [1, heads] of j or NULL. */
static void check_output(const char *name, const Layer *y, const cJSON *j, const cJSON *gate, const cJSON *expected)
{
    const cJSON *x = recorded_item(j, "x");
    int m = recorded_length(x), start[2] = { 0, m }, heads = y->sa.heads;
    Batch batch = { 1, start, m, m };
    MADE(Tape, tape_init, tape_fini, t, test_device());
    tape_reset(&t, false, false, 0);
    Tensor *qkv =
        op_linear(&t, options_tensor(&t, x, m, y->d, false),
                  options_wanted(&t, param_values(&y->ps, y->sa.qkv[0]), y->d, 3 * heads * y->w), NULL, false);
    AttentionSpec spec = { .n_heads = heads,
                           .n_parts = 1,
                           .scale = recorded_number(j, "scale"),
                           .gates = gate ? options_tensor(&t, gate, 1, heads, false) : NULL };
    Tensor *z = op_linear(&t, op_attention(&t, &qkv, &spec, &batch, NULL),
                          options_wanted(&t, param_values(&y->ps, y->sa.proj[0]), heads * y->w, y->d), NULL, false);
    options_compare(name, tensor_host(&t, z, &t.host), expected, false);
}

static void check_weights(const Layer *y, const cJSON *expected)
{
    static const char *const names[] = { "wq", "wk", "wv" };
    int heads = y->sa.heads, cols = 3 * heads * y->w;
    HostMatrix qkv = { param_values(&y->ps, y->sa.qkv[0]), y->d, cols, cols },
               wo = { param_values(&y->ps, y->sa.proj[0]), heads * y->w, y->d, y->d };
    for (int k = 0; k < 3; k++)
        options_compare_projection(names[k], qkv, k, recorded_item(expected, names[k]), heads, y->w);
    options_compare("wo", wo, recorded_item(expected, "wo"), false);
}

static void check_self(const cJSON *j)
{
    const cJSON *wq = recorded_item(j, "wq"), *gate = recorded_item(j, "gate"), *first = cJSON_GetArrayItem(wq, 0);
    int heads = recorded_length(wq), d = recorded_length(first), w = recorded_length(cJSON_GetArrayItem(first, 0)),
        n = 0, row[HEADS_MOST];
    double kept[HEADS_MOST], *gates = recorded_exactly(gate, heads);
    Layer big, small;
    if (heads > HEADS_MOST) recorded_stop("found %d heads, expected at most %d", heads, HEADS_MOST);
    for (int h = 0; h < heads; h++)
        if (gates[h] != 0) row[n] = h, kept[n++] = h;
    recorded_compare("open heads", kept, n, recorded_item(j, "kept"));
    layer_init(&big, d, heads, w);
    layer_init(&small, d, n, w);
    options_projections(param_values(&big.ps, big.sa.qkv[0]), j, heads, d, w);
    FREED(free_pointer) Real *wo = reals_of(recorded_item(j, "wo"), heads * w * d);
    memcpy(param_values(&big.ps, big.sa.proj[0]), wo, (size_t)(heads * w * d) * sizeof *wo);
    check_output("y with gates", &big, j, gate, recorded_item(j, "y"));
    encoder_prune_attention(&big.sa, &big.ps, row, gates, &small.sa, &small.ps);
    check_weights(&small, recorded_item(j, "small"));
    check_output("y without closed heads", &small, j, NULL, recorded_item(j, "y_pruned"));
    params_fini(&small.ps);
    params_fini(&big.ps);
    free(gates);
}

/* ---- label heads */

/* The layer's output times w1, w1 [heads * p, out]. The recorded norm has scale 1 and shift 0, and its logits are not
 * divided. Blocks that are not `taken` are left out of the output. */
static Tensor *label_output(Tape *t, const cJSON *j, const int *taken, int n_taken, const Real *w1, int out)
{
    const cJSON *x = recorded_item(j, "x"), *u = recorded_item(j, "u"), *v = recorded_item(j, "v");
    int m = recorded_length(x), d = recorded_length(cJSON_GetArrayItem(x, 0)), heads = recorded_length(u),
        w = recorded_length(cJSON_GetArrayItem(cJSON_GetArrayItem(v, 0), 0)),
        p = recorded_length(recorded_item(j, "reduce")), start[2] = { 0, m };
    Batch batch = { 1, start, m, m };
    tape_reset(t, false, false, 0);
    int *first = options_host(t, (size_t)m, sizeof *first);
    Real *a = options_host(t, (size_t)p, sizeof *a), *b = options_host(t, (size_t)p, sizeof *b);
    for (int k = 0; k < p; k++) a[k] = 1, b[k] = 0;
    memset(first, 0, (size_t)m * sizeof *first);
    LabelAttentionSpec spec = { .scale = 1 };
    Tensor *token = options_tensor(t, x, m, d, false),
           *reduce = options_tensor(t, recorded_item(j, "reduce"), d, p, true),
           *z = op_label_attention(t, token, options_tensor(t, u, heads, d, false), &spec, &batch, NULL),
           *c = op_head_linear_into(t, tape_new(t, heads, w), z, options_tensor(t, v, heads * d, w, false), heads);
    c = op_scale_rows(t, c, options_tensor(t, recorded_item(j, "gate"), 1, heads, false));
    Tensor *view = op_linear(t, c, options_tensor(t, recorded_item(j, "proj"), w, d, false), NULL, false),
           *y = op_label_norm(t, op_linear(t, token, reduce, NULL, false), op_linear(t, view, reduce, NULL, false),
                              first, heads, options_wanted(t, a, 1, p), options_wanted(t, b, 1, p), NORM_LAL.eps),
           *blocks = y ? tape_new(t, m, n_taken * p) : NULL;
    for (int k = 0; blocks && k < n_taken; k++) {
        EmbedTerm block = { tape_columns(t, y, taken[k] * p, p), NULL, 0, NULL };
        if (!op_embed_into(t, tape_columns(t, blocks, k * p, p), &block, 1)) recorded_stop("%s", t->error.message);
    }
    return op_linear(t, blocks, options_wanted(t, w1, n_taken * p, out), NULL, false);
}

/* The rows of the weights of blocks [heads * width, cols], those of closed heads added up as the last one. How many
 * blocks are left. */
static int share_block(const Real *w, int heads, int width, int cols, const bool *closed, Real *out)
{
    int size = width * cols, open = 0, n = 0;
    for (int h = 0; h < heads; h++) open += !closed[h];
    for (int h = 0; h < heads; h++)
        for (int i = 0, to = closed[h] ? open : n++; i < size; i++) out[to * size + i] += w[h * size + i];
    return open + (open < heads);
}

static void check_label(const cJSON *j)
{
    const cJSON *recorded = recorded_item(j, "w1");
    int heads = recorded_length(recorded_item(j, "u")), out = recorded_length(recorded),
        p = recorded_length(recorded_item(j, "reduce")), taken[HEADS_MOST], all[HEADS_MOST], n = 0, any = -1;
    bool closed[HEADS_MOST];
    FREED(free_pointer) double *gates = recorded_exactly(recorded_item(j, "gate"), heads);
    if (heads > HEADS_MOST) recorded_stop("found %d label heads, expected at most %d", heads, HEADS_MOST);
    for (int h = 0; h < heads; h++) {
        all[h] = h;
        closed[h] = gates[h] == 0;
        if (closed[h]) any = h;
        else taken[n++] = h;
    }
    if (any >= 0) taken[n++] = any; /* what they share */
    FREED(free_pointer)
    Real *w = reals_of(recorded, heads * p * out), *w1 = reals((size_t)(heads * p * out)),
         *fewer = reals((size_t)(heads * p * out));
    for (int k = 0; k < heads * p; k++) /* recorded with a row for each output */
        for (int c = 0; c < out; c++) w1[k * out + c] = w[c * heads * p + k];
    int blocks = share_block(w1, heads, p, out, closed, fewer);
    recorded_verdict(blocks == n, "closed label heads share a block");
    options_compare("its weights", (HostMatrix){ fewer, n * p, out, out }, recorded_item(j, "w1_collapsed"), true);
    MADE(Tape, tape_init, tape_fini, t, test_device());
    Tensor *y = label_output(&t, j, all, heads, w1, out);
    options_compare("output with gates", tensor_host(&t, y, &t.host), recorded_item(j, "out"), false);
    y = label_output(&t, j, taken, n, fewer, out);
    options_compare("output with the shared block", tensor_host(&t, y, &t.host), recorded_item(j, "out_collapsed"),
                    false);
}

void options_prune(const cJSON *prune)
{
    check_self(recorded_item(prune, "self"));
    check_label(recorded_item(prune, "label"));
}
