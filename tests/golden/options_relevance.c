/* Relevance.json: a whole small network (self-attention with gates, feed-forward,
 * label attention, scorer), relevance at every cut under the rule of tape_relevance, and its halves rule on a biaffine
 * score. */
#include <math.h>
#include <stdlib.h>

#include "lal/transformer.h"
#include "tensor/ops.h"
#include "tests/golden/options.h"
#include "tests/support/checking_device.h"

/* sum of x c over the columns from .. from + n of each row. */
static void row_relevance(Tape *t, const Tensor *of, int from, int n, double *out)
{
    HostMatrix x = tensor_host(t, of, &t->host), c = tensor_host_grad(t, of, &t->host);
    for (int r = 0; r < of->rows; r++) {
        out[r] = 0;
        for (int k = from; c.data && k < from + n; k++)
            out[r] += (double)host_row(&x, r)[k] * (double)host_row(&c, r)[k];
    }
}

static double total(Tape *t, const Tensor *x)
{
    double rows[64], sum = 0;
    row_relevance(t, x, 0, x->cols, rows);
    for (int r = 0; r < x->rows; r++) sum += rows[r];
    return sum;
}

enum { HEADS_MOST = 16, TOKENS_MOST = 64 };

typedef struct Net {
    Tape t;
    int d, m, heads, label_heads, p;
    Tensor *x, *qkv, *ctx, *z, *attended, *hidden, *u, *encoded, *y, *view, *context, *probs, *fence, *score;
} Net;

static void net_fini(Net *net) { tape_fini(&net->t); }

static Tensor *self_attention(Net *net, const cJSON *j, const cJSON *gate, const Batch *batch)
{
    Tape *t = &net->t;
    const cJSON *wq = recorded_item(j, "wq");
    int d = net->d, heads = net->heads = recorded_length(wq),
        w = recorded_length(cJSON_GetArrayItem(cJSON_GetArrayItem(wq, 0), 0));
    int ld = 3 * heads * w;
    Real *all = options_host(t, (size_t)d * (size_t)ld, sizeof *all);
    options_projections(all, j, heads, d, w);
    net->qkv = op_linear(t, net->x, options_wanted(t, all, d, ld), NULL, false);
    AttentionSpec spec = { .n_heads = heads,
                           .n_parts = 1,
                           .scale = recorded_number(j, "scale"),
                           .gates = options_tensor(t, gate, 1, heads, false) };
    net->ctx = op_attention(t, &net->qkv, &spec, batch, NULL);
    return net->z = op_linear(t, net->ctx, options_tensor(t, recorded_item(j, "wo"), heads * w, d, false), NULL, false);
}

static Tensor *residual(Tape *t, const cJSON *j, Tensor *x, Tensor *z, const char *a, const char *b)
{
    return op_residual_norm(t, x, z, NULL, 0, NULL, options_tensor(t, recorded_item(j, a), 1, x->cols, false),
                            options_tensor(t, recorded_item(j, b), 1, x->cols, false), NORM_UNBIASED_STD, NORM_LAL.eps);
}

static Tensor *label_attention(Net *net, const cJSON *j, const Batch *batch)
{
    Tape *t = &net->t;
    const cJSON *u = recorded_item(j, "u"), *v = recorded_item(j, "v");
    int heads = net->label_heads = recorded_length(u), d = net->d,
        w = recorded_length(cJSON_GetArrayItem(cJSON_GetArrayItem(v, 0), 0));
    net->p = d; /* of reduce */
    LabelAttentionSpec spec = { .scale = recorded_number(j, "temper") };
    net->context =
        op_label_attention(t, net->encoded, options_tensor(t, u, heads, d, false), &spec, batch, &net->probs);
    Tensor *c = tape_new(t, heads, w), *reduce = options_tensor(t, recorded_item(j, "reduce"), d, net->p, true);
    op_head_linear_into(t, c, net->context, options_tensor(t, v, heads * d, w, false), heads);
    net->view = op_linear(t, op_linear(t, c, options_tensor(t, recorded_item(j, "proj"), w, d, false), NULL, false),
                          reduce, NULL, false);
    int first[TOKENS_MOST] = { 0 };
    return net->y = op_label_norm(t, op_linear(t, net->encoded, reduce, NULL, false), net->view, first, heads,
                                  options_tensor(t, recorded_item(j, "ln3_a"), 1, net->p, false),
                                  options_tensor(t, recorded_item(j, "ln3_b"), 1, net->p, false), NORM_LAL.eps);
}

static void build(Net *net, const cJSON *j, const cJSON *gate)
{
    Tape *t = &net->t;
    const cJSON *x = recorded_item(j, "x"), *b1 = recorded_item(j, "b1"), *sb1 = recorded_item(j, "sb1");
    net->m = recorded_length(x);
    net->d = recorded_length(cJSON_GetArrayItem(x, 0));
    int start[2] = { 0, net->m }, d = net->d, m = net->m;
    Batch batch = { 1, start, m, m };
    net->x = options_tensor(t, x, m, d, false);
    net->attended = residual(t, j, net->x, self_attention(net, j, gate, &batch), "ln1_a", "ln1_b");
    net->hidden = op_linear(t, net->attended, options_tensor(t, recorded_item(j, "w1"), d, recorded_length(b1), true),
                            options_tensor(t, b1, 1, recorded_length(b1), false), true);
    net->u = op_linear(t, net->hidden, options_tensor(t, recorded_item(j, "w2"), recorded_length(b1), d, true),
                       options_tensor(t, recorded_item(j, "b2"), 1, d, false), false);
    net->encoded = residual(t, j, net->attended, net->u, "ln2_a", "ln2_b");
    Tensor *y = label_attention(net, j, &batch);
    int source[256], width = y->cols, half = net->p / 2;
    for (int k = 0; k < width; k++) { /* forward halves of all heads, then backward halves */
        int i = k % (width / 2);
        source[k] = i / half * net->p + (k >= width / 2 ? half : 0) + i % half;
    }
    net->fence = op_fenceposts(t, y, source, &batch);
    int hidden = recorded_length(sb1), span[2] = { 0, m - 2 };
    Tensor *g = op_linear(t, net->fence, options_tensor(t, recorded_item(j, "s1"), width, hidden, true), NULL, false);
    Tensor *s =
        op_norm(t, op_span_diff(t, g, span, 1, options_tensor(t, sb1, 1, hidden, false)),
                options_tensor(t, recorded_item(j, "ln4_a"), 1, hidden, false),
                options_tensor(t, recorded_item(j, "ln4_b"), 1, hidden, false), NORM_UNBIASED_STD, NORM_LAL.eps);
    net->score = op_linear(t, op_relu(t, s), options_tensor(t, recorded_item(j, "s2"), hidden, 1, true),
                           options_tensor(t, recorded_item(j, "sb2"), 1, 1, false), false);
}

static void values_of(Tape *t, const Tensor *x, double *out)
{
    HostMatrix m = tensor_host(t, x, &t->host);
    for (int r = 0; r < x->rows; r++)
        for (int c = 0; c < x->cols; c++) out[r * x->cols + c] = (double)host_row(&m, r)[c];
}

static void check_label_heads(Net *net, const cJSON *frozen)
{
    double head[HEADS_MOST], view[HEADS_MOST], word[HEADS_MOST * TOKENS_MOST], rows[TOKENS_MOST];
    Arena *host = &net->t.host;
    HostMatrix cz = tensor_host_grad(&net->t, net->context, host), encoded = tensor_host(&net->t, net->encoded, host),
               probs = tensor_host(&net->t, net->probs, host);
    row_relevance(&net->t, net->view, 0, net->view->cols, view);
    for (int h = 0; h < net->label_heads; h++) {
        head[h] = 0;
        row_relevance(&net->t, net->y, h * net->p, net->p, rows);
        for (int t = 0; t < net->m; t++) head[h] += rows[t];
        for (int t = 0; t < net->m; t++) {
            double sum = 0;
            for (int c = 0; cz.data && c < net->d; c++)
                sum += (double)host_row(&cz, h)[c] * (double)host_row(&encoded, t)[c];
            word[h * net->m + t] = (double)host_row(&probs, t)[h] * sum;
        }
    }
    double all = 0, parts = recorded_number(recorded_item(frozen, "bias"), "label.norm");
    recorded_compare("label heads", head, net->label_heads, recorded_item(frozen, "label_head"));
    recorded_compare("their views", view, net->label_heads, recorded_item(frozen, "label_head_view"));
    recorded_compare("their views over words", word, net->label_heads * net->m,
                     recorded_item(frozen, "label_head_word"));
    FREED(free_pointer) double *own = recorded_exactly(recorded_item(frozen, "label_head_own_word"), net->label_heads);
    for (int h = 0; h < net->label_heads; h++) {
        all += head[h];
        parts += own[h] + view[h];
    }
    recorded_check("heads = own words + views + bias", &all, &parts, 1);
}

static void check_frozen(const cJSON *j)
{
    FREED(net_fini) Net net = { .d = 0 };
    tape_init(&net.t, test_device());
    tape_reset(&net.t, true, false, 0);
    const cJSON *frozen = recorded_item(j, "frozen");
    build(&net, recorded_item(j, "net"), recorded_item(frozen, "gate"));
    double score = tape_number(&net.t, net.score), values[4096], rows[TOKENS_MOST];
    recorded_compare("score", &score, 1, recorded_item(frozen, "score"));
    values_of(&net.t, net.encoded, values);
    recorded_compare("encoder output", values, net.m * net.d, recorded_item(frozen, "encoder_out"));
    values_of(&net.t, net.fence, values);
    recorded_compare("fenceposts", values, net.fence->rows * net.fence->cols, recorded_item(frozen, "fenceposts"));
    Tensor *keep[] = { net.x, net.ctx, net.z, net.attended, net.u, net.encoded, net.y, net.view, net.context };
    if (tape_relevance(&net.t, net.score, keep, sizeof keep / sizeof *keep, NULL) != OK) {
        recorded_verdict(false, "relevance: %s", net.t.error.message);
        return;
    }
    int n;
    FREED(free_pointer) double *by_place = recorded_numbers(recorded_item(frozen, "bias"), &n);
    double places = 0;
    for (int k = 0; k < n; k++) places += by_place[k];
    double bias = net.t.bias_part, sum = total(&net.t, net.x) + bias;
    recorded_compare("bias parts", &bias, 1, recorded_item(frozen, "bias_total"));
    recorded_check("bias parts = their sum by place", &bias, &places, 1);
    recorded_check("conservation at the input", &sum, &score, 1);
    check_label_heads(&net, frozen);
    row_relevance(&net.t, net.encoded, 0, net.d, rows);
    recorded_compare("tokens at the encoder output", rows, net.m, recorded_item(frozen, "encoder_out_token"));
    row_relevance(&net.t, net.attended, 0, net.d, rows);
    recorded_compare("tokens after attention", rows, net.m, recorded_item(frozen, "after_attention_token"));
    double part = total(&net.t, net.u);
    recorded_compare("feed-forward", &part, 1, recorded_item(frozen, "feed_forward"));
    part = total(&net.t, net.x) - total(&net.t, net.z); /* attention passes on what it gets: it has no bias */
    recorded_compare("residual into the first norm", &part, 1, recorded_item(frozen, "residual_into_norm1"));
    double self[HEADS_MOST], share[HEADS_MOST], all = 0;
    int w = net.ctx->cols / net.heads;
    for (int h = 0; h < net.heads; h++) {
        self[h] = 0;
        row_relevance(&net.t, net.ctx, h * w, w, rows);
        for (int t = 0; t < net.m; t++) self[h] += rows[t];
        all += fabs(self[h]);
    }
    for (int h = 0; h < net.heads; h++) share[h] = fabs(self[h]) / all;
    recorded_compare("self-attention heads", self, net.heads, recorded_item(frozen, "self_head"));
    recorded_compare("their shares", share, net.heads, recorded_item(frozen, "self_head_share"));
    row_relevance(&net.t, net.x, 0, net.d, rows);
    recorded_compare("tokens at the input", rows, net.m, recorded_item(frozen, "token"));
    HostMatrix x = tensor_host(&net.t, net.x, &net.t.host), c = tensor_host_grad(&net.t, net.x, &net.t.host);
    for (int r = 0; r < net.m; r++)
        for (int k = 0; k < net.d; k++) values[r * net.d + k] = (double)host_row(&x, r)[k] * (double)host_row(&c, r)[k];
    recorded_compare("every number of the input", values, net.m * net.d, recorded_item(frozen, "input"));
}

static void check_biaffine(const cJSON *j)
{
    MADE(Tape, tape_init, tape_fini, t, test_device());
    tape_reset(&t, true, false, 0);
    const cJSON *h = recorded_item(j, "head");
    int d = recorded_length(h), start[2] = { 0, 3 };
    Batch batch = { 1, start, 3, 3 }; /* two fenceposts: row 0 the dependent's and head's own vectors, the other zero */
    Tensor *omega = options_tensor(&t, recorded_item(j, "omega"), d + 1, d + 1, false), *side[2];
    for (int k = 0; k < 2; k++) {
        Real *rows = options_host(&t, 2 * (size_t)d, sizeof *rows);
        FREED(free_pointer) double *own = recorded_exactly(k ? recorded_item(j, "dependent") : h, d);
        for (int c = 0; c < 2 * d; c++) rows[c] = c < d ? (Real)own[c] : 0;
        side[k] = options_wanted(&t, rows, 2, d);
    }
    Tensor *a = side[0], *b = side[1];
    Tensor *x = op_linear(&t, a, tape_rows(&t, omega, 0, d), NULL, false);
    Tensor *arcs = op_arc_scores(&t, x, b, tape_rows(&t, omega, d, 1), &batch);
    Tensor *score = op_pick(&t, arcs, (const int[]){ 0 }, (const int[]){ 0 }, (const Real[]){ 1 }, 1, 0);
    double s = tape_number(&t, score), part[64] = { 0 };
    recorded_compare("biaffine score", &s, 1, recorded_item(j, "score"));
    tape_relevance(&t, score, (Tensor *[]){ a, b }, 2, NULL);
    for (int way = 0; way < 2; way++) {
        HostMatrix v = tensor_host(&t, side[way], &t.host), c = tensor_host_grad(&t, side[way], &t.host);
        for (int k = 0; k < d; k++) part[k] = (double)v.data[k] * (double)c.data[k];
        recorded_compare(way ? "biaffine dependent" : "biaffine head", part, d,
                         recorded_item(j, way ? "r_dependent" : "r_head"));
    }
    double corner = t.bias_part;
    recorded_compare("biaffine corner", &corner, 1, recorded_item(j, "corner"));
}

void options_relevance(const cJSON *relevance)
{
    static const char *const left_out[] = { "eps", "linear", "add" }; /* of the epsilon rule, which lal does not have */
    const cJSON *epsilon = recorded_item(relevance, "epsilon");
    check_frozen(relevance);
    check_biaffine(recorded_item(epsilon, "biaffine"));
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++) recorded_leave_out(epsilon, left_out[k]);
}
