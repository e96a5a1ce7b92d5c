/* Seq2seq.*: an encoder-decoder with masks and gates, forward and backward, and beam
 * search with a second model. The recorded numbers of the pieces that begin and end a text are 1 and 0, ours 0 and 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lal/heads/attention_mask.h"
#include "parser/task/translate/search.h"
#include "parser/task/translate/translate_pass.h"
#include "tests/golden/seeds.h"
#include "tests/support/checking_device.h"
#include "tests/support/fixture.h"
#include "tests/support/recorded.h"

FREES(cJSON, cJSON_Delete)

enum { SENTENCES_MOST = 16, HEADS_MOST = 16, LAYERS_MOST = 8 };

typedef struct Net {
    const SafeTensors *weights;
    int heads, layers, pieces;
    Network net;
    ParamSet ps;
    Real *grads; /* [trained] on the device */
} Net;

static int other_piece(int k) { return k < 2 ? 1 - k : k; }

/* ---- weights and gradients in our layout */

/* "decoder.cross_1.w_kv" is columns of "decoder.1.cross.w_k" and "w_v". */
static const struct {
    const char *ours, *theirs;
} BLOCKS[] = { { "encoder.attn_", "encoder.%d.self." },
               { "encoder.ff_", "encoder.%d.ff." },
               { "decoder.self_", "decoder.%d.self." },
               { "decoder.cross_", "decoder.%d.cross." },
               { "decoder.ff_", "decoder.%d.ff." } };
static const struct {
    const char *ours, *theirs[3];
} PARTS[] = { { "w_qkv", { "w_q", "w_k", "w_v" } },
              { "b_qkv", { "b_q", "b_k", "b_v" } },
              { "w_kv", { "w_k", "w_v" } },
              { "b_kv", { "b_k", "b_v" } },
              { "w_q", { "w_q" } },
              { "b_q", { "b_q" } },
              { "proj.weight", { "w_o" } },
              { "proj.bias", { "b_o" } },
              { "w_1.weight", { "w_1" } },
              { "w_1.bias", { "b_1" } },
              { "w_2.weight", { "w_2" } },
              { "w_2.bias", { "b_2" } },
              { "layer_norm.weight", { "norm.weight" } },
              { "layer_norm.bias", { "norm.bias" } } };

/* Copies the columns of a recorded tensor to column `at` of out [rows, cols]; returns the next column, -1: there is no
 * such tensor. A tensor of one dimension is a row. */
static int take_columns(const SafeTensors *st, const char *name, int rows, int cols, int at, Real *out)
{
    size_t count;
    FREED(free_pointer) Real *x = fixture_reals(st, name, &count);
    int n = x ? (int)count / rows : 0;
    if (!x || n * rows != (int)count || at + n > cols) return -1;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < n; c++) out[(ptrdiff_t)r * cols + at + c] = x[(ptrdiff_t)r * n + c];
    return at + n;
}

static bool take_embedding(const SafeTensors *st, const char *prefix, const Param *p, Real *out)
{
    char name[200];
    snprintf(name, sizeof name, "%sembedding", prefix);
    size_t count;
    FREED(free_pointer) Real *x = fixture_reals(st, name, &count);
    if (!x || count != param_count(p)) return false;
    for (int k = 0; k < p->rows; k++)
        memcpy(out + (ptrdiff_t)k * p->cols, x + (ptrdiff_t)other_piece(k) * p->cols, (size_t)p->cols * sizeof *out);
    return true;
}

/* The recorded tensor, prefix "" or "grad/", of a parameter. */
static bool in_our_layout(const SafeTensors *st, const char *prefix, const Param *p, Real *out)
{
    char block[100], name[200], *part = NULL;
    if (strcmp(p->name, "embedding.embs.0.weight") == 0) return take_embedding(st, prefix, p, out);
    for (size_t b = 0; b < sizeof BLOCKS / sizeof *BLOCKS && !part; b++) {
        size_t len = strlen(BLOCKS[b].ours);
        if (strncmp(p->name, BLOCKS[b].ours, len) != 0) continue;
        int layer = (int)strtol(p->name + len, &part, 10);
        snprintf(block, sizeof block, BLOCKS[b].theirs, layer); /* NOLINT */
    }
    int at = 0;
    for (size_t k = 0; part && k < sizeof PARTS / sizeof *PARTS; k++) {
        if (strcmp(part + 1, PARTS[k].ours) != 0) continue;
        for (int i = 0; i < 3 && PARTS[k].theirs[i] && at >= 0; i++) {
            snprintf(name, sizeof name, "%s%s%s", prefix, block, PARTS[k].theirs[i]);
            at = take_columns(st, name, p->rows, p->cols, at, out);
        }
    }
    return at == p->cols;
}

static void must(bool ok, const char *what)
{
    if (!ok) recorded_stop("seq2seq: %s", what);
}

static int dim_of(const SafeTensors *st, const char *name, int d)
{
    const StTensor *t = safetensors_find(st, name);
    must(t != NULL, name);
    return (int)t->dim[d];
}

static void net_init(Net *n, const SafeTensors *weights, int heads)
{
    Error e = { 0 };
    *n = (Net){ .weights = weights, .heads = heads };
    int d = dim_of(weights, "embedding", 1), all = dim_of(weights, "encoder.0.self.w_q", 1),
        d_ff = dim_of(weights, "encoder.0.ff.w_1", 1);
    char name[40] = "";
    do snprintf(name, sizeof name, "encoder.%d.self.w_q", ++n->layers);
    while (safetensors_find(weights, name));
    n->pieces = dim_of(weights, "embedding", 0);
    const DecoderConfig decoder = {
        .d = d, .n_layers = n->layers, .n_heads = heads, .d_kv = all / heads, .d_ff = d_ff
    };
    NetworkConfig c = { .task = &TASK_TRANSLATE,
                        .embedding = { .d_model = d, .plain = true, .n_words = n->pieces },
                        .encoder = { .d_model = d,
                                     .n_layers = n->layers,
                                     .n_heads = heads,
                                     .d_kv = all / heads,
                                     .d_ff = d_ff,
                                     .plain = true },
                        .own = &decoder };
    params_init(&n->ps);
    must(network_declare(&n->net, &n->ps, c, &e) == OK && params_finish(&n->ps, &e) == OK, e.message);
    for (int k = 0; k < n->ps.n; k++)
        must(in_our_layout(weights, "", &n->ps.p[k], param_values(&n->ps, k)), n->ps.p[k].name);
    n->grads = device_zeros(test_device(), n->ps.trained);
    must(n->grads && params_upload(&n->ps, test_device(), &e) == OK, e.message);
}

static void net_fini(Net *n)
{
    network_fini(&n->net);
    params_fini(&n->ps);
    test_device()->free(n->grads);
}

/* ---- a case */

typedef struct Case {
    Net *net;
    const SafeTensors *st;
    const char *name;
    Tape t;
    Arena a;
    Batch batch; /* sources */
    TokenInputs in;
    int start[SENTENCES_MOST + 1], *labels[SENTENCES_MOST];
    int targets; /* pieces that are scored */
    HeadControl encoder[2 * LAYERS_MOST + 1], self[LAYERS_MOST], cross[LAYERS_MOST];
    MaskSet masks[LAYERS_MOST];
    int slot_of_head[LAYERS_MOST][HEADS_MOST];
    Tensor *log_alpha[3 * LAYERS_MOST]; /* of the gates: self-attention, then both of the decoder */
} Case;

static Case *case_new(Net *net, const char *name)
{
    Case *c = recorded_room(1, sizeof *c);
    *c = (Case){ .net = net, .name = name };
    arena_init(&c->a, 1 << 16);
    tape_init(&c->t, test_device());
    return c;
}

static void case_free(Case *c)
{
    tape_fini(&c->t);
    arena_fini(&c->a);
    free(c);
}

/* The layers with heads, as they are recorded; kind 0: encoder, 1: decoder, 2: of the decoder to the source. */
static void layer_name(const char *what, int kind, int layer, const char *end, char *out, size_t size)
{
    static const char *const stacks[][2] = { { "encoder", "self" }, { "decoder", "self" }, { "decoder", "cross" } };
    snprintf(out, size, "%s%s.%d.%s%s", what, stacks[kind][0], layer, stacks[kind][1], end);
}

static HeadControl *control_of(Case *c, int kind, int layer)
{
    return kind == 0 ? &c->encoder[layer] : kind == 1 ? &c->self[layer] : &c->cross[layer];
}

static void *room(Case *c, size_t n, size_t size)
{
    void *p = arena_calloc(&c->a, n + 1, size);
    must(p != NULL, "out of memory");
    return p;
}

static void read_texts(Case *c)
{
    char name[40];
    int tokens = 0;
    for (int s = 0; s < SENTENCES_MOST; s++) {
        snprintf(name, sizeof name, "source%d", s);
        const StTensor *t = safetensors_find(c->st, name);
        if (!t) break;
        c->start[s + 1] = c->start[s] + (int)t->count;
        if ((int)t->count > c->batch.longest) c->batch.longest = (int)t->count;
        c->batch.n_sent = s + 1;
    }
    tokens = c->start[c->batch.n_sent];
    c->batch.start = c->start;
    c->batch.n_tokens = tokens;
    int *word = room(c, (size_t)tokens, sizeof *word), *position = room(c, (size_t)tokens, sizeof *position);
    for (int s = 0; s < c->batch.n_sent; s++) {
        size_t n;
        snprintf(name, sizeof name, "source%d", s);
        FREED(free_pointer) int32_t *source = fixture_ints(c->st, name, &n);
        for (size_t k = 0; k < n; k++) {
            word[c->start[s] + (int)k] = other_piece(source[k]);
            position[c->start[s] + (int)k] = (int)k;
        }
        snprintf(name, sizeof name, "target%d", s);
        FREED(free_pointer) int32_t *target = fixture_ints(c->st, name, &n);
        c->labels[s] = room(c, n + 1, sizeof(int));
        c->labels[s][0] = (int)n;
        for (size_t k = 0; k < n; k++) c->labels[s][k + 1] = other_piece(target[k]);
        c->targets += (int)n + 1;
    }
    c->in = (TokenInputs){ .word = word, .position = position };
}

/* The recorded masks of heads, if there are any. */
static void read_masks(Case *c, int layer)
{
    char end[40], name[100];
    int heads = c->net->heads;
    Error e = { 0 };
    must(mask_set_init(&c->masks[layer], &c->batch, heads, 0, &c->a, &e) == OK, e.message);
    for (int h = 0; h < heads; h++) {
        c->slot_of_head[layer][h] = -1;
        for (int s = 0; s < c->batch.n_sent; s++) {
            snprintf(end, sizeof end, "/%d/%d", h, s);
            layer_name("mask/", 0, layer, end, name, sizeof name);
            const StTensor *t = safetensors_find(c->st, name);
            if (!t) continue;
            must(t->dtype == DT_U8, name);
            uint8_t *allowed = room(c, t->count, 1);
            memcpy(allowed, t->data, t->count);
            mask_set_pairs(&c->masks[layer], h, s, allowed);
            c->slot_of_head[layer][h] = h;
        }
    }
    c->encoder[layer].mask = &c->masks[layer].mask;
    c->encoder[layer].slot_of_head = c->slot_of_head[layer];
}

/* The recorded gates of a layer, if there are any. */
static void read_gates(Case *c, int kind, int layer)
{
    char name[100];
    int heads = c->net->heads;
    layer_name("", kind, layer, ".gate.log_alpha", name, sizeof name);
    FREED(free_pointer) Real *x = fixture_reals(c->st, name, NULL);
    if (!x) return;
    layer_name("", kind, layer, ".gate.u", name, sizeof name);
    FREED(free_pointer) Real *u = fixture_reals(c->st, name, NULL);
    double draws[HEADS_MOST];
    must(u && heads <= HEADS_MOST, name);
    for (int h = 0; h < heads; h++) draws[h] = (double)u[h];
    Tensor *log_alpha = tape_constant(&c->t, x, 1, heads);
    must(log_alpha != NULL, "out of memory");
    log_alpha->needs_grad = true;
    c->log_alpha[kind * LAYERS_MOST + layer] = log_alpha;
    control_of(c, kind, layer)->gates = op_hard_concrete(&c->t, log_alpha, draws, HARD_CONCRETE_DEFAULT);
}

/* ---- comparisons */

static void compare(const Case *c, const char *name, const double *found, int n)
{
    size_t count;
    FREED(free_pointer) Real *x = fixture_reals(c->st, name, &count);
    FREED(free_pointer) double *expected = recorded_room(count + 1, sizeof *expected);
    char what[160];
    snprintf(what, sizeof what, "%s: %s", c->name, name);
    if (!x || (int)count != n) {
        recorded_verdict(false, "%s: %zu numbers, expected %d", what, x ? count : 0, n);
        return;
    }
    for (int k = 0; k < n; k++) expected[k] = (double)x[k];
    recorded_check(what, found, expected, n);
}

/* Rows from .. from + n - 1 of a tensor; pieces: its columns are pieces. */
static void compare_rows(Case *c, const char *what, int s, const Tensor *x, int from, int n, bool pieces)
{
    char name[60];
    must(x != NULL, c->t.error.message);
    HostMatrix host = tensor_host(&c->t, x, &c->a);
    double *found = room(c, (size_t)(n * x->cols), sizeof *found);
    for (int r = 0; r < n; r++)
        for (int k = 0; k < x->cols; k++)
            found[r * x->cols + (pieces ? other_piece(k) : k)] = (double)host_row(&host, from + r)[k];
    snprintf(name, sizeof name, "%s%d", what, s);
    compare(c, name, found, n * x->cols);
}

/* The weights of a layer, [heads, pairs], sentence by sentence. */
static void compare_probs(Case *c, int kind, int layer, const Tensor *probs)
{
    char end[20], name[100];
    must(probs != NULL, "no attention weights");
    HostMatrix host = tensor_host(&c->t, probs, &c->a);
    for (int s = 0, at = 0; s < c->batch.n_sent; s++) {
        int source = c->start[s + 1] - c->start[s], target = c->labels[s][0] + 1,
            pairs = (kind ? target : source) * (kind == 1 ? target : source);
        double *found = room(c, (size_t)(probs->rows * pairs), sizeof *found);
        for (int h = 0; h < probs->rows; h++)
            for (int k = 0; k < pairs; k++) found[h * pairs + k] = (double)host_row(&host, h)[at + k];
        snprintf(end, sizeof end, "/%d", s);
        layer_name("probs/", kind, layer, end, name, sizeof name);
        compare(c, name, found, probs->rows * pairs);
        at += pairs;
    }
}

static void compare_gradients(Case *c)
{
    const ParamSet *ps = &c->net->ps;
    Real *grads = room(c, ps->trained, sizeof *grads);
    must(tape_download(&c->t, grads, c->net->grads, ps->trained * sizeof *grads), c->t.error.message);
    for (int k = 0; k < ps->n; k++) {
        const Param *p = &ps->p[k];
        int n = (int)param_count(p);
        Real *want = room(c, (size_t)n, sizeof *want);
        double *expected = room(c, (size_t)n, sizeof *expected), *found = room(c, (size_t)n, sizeof *found);
        char what[160];
        snprintf(what, sizeof what, "%s: gradient of %s", c->name, p->name);
        must(in_our_layout(c->st, "grad/", p, want), what);
        for (int i = 0; i < n; i++) {
            expected[i] = (double)want[i];
            found[i] = (double)grads[p->offset + (size_t)i];
        }
        recorded_check(what, found, expected, n);
    }
    for (int kind = 0; kind < 3; kind++)
        for (int l = 0; l < c->net->layers; l++) {
            const Tensor *x = c->log_alpha[kind * LAYERS_MOST + l];
            char name[100];
            double found[HEADS_MOST];
            if (!x) continue;
            HostMatrix g = tensor_host_grad(&c->t, x, &c->a);
            for (int h = 0; h < x->cols; h++) found[h] = (double)g.data[h];
            layer_name("grad/", kind, l, ".gate.log_alpha", name, sizeof name);
            compare(c, name, found, x->cols);
        }
}

/* ---- the network on a case */

/* loss + 0.05 times the expected number of open gates, NULL without gates. */
static Tensor *with_penalty(Case *c, Tensor *loss)
{
    Tensor *terms[3 * LAYERS_MOST + 1] = { loss };
    double weights[3 * LAYERS_MOST + 1] = { 1 };
    int n = 1;
    for (int k = 0; k < 3 * LAYERS_MOST; k++) {
        if (!c->log_alpha[k]) continue;
        terms[n] = op_l0_penalty(&c->t, c->log_alpha[k], HARD_CONCRETE_DEFAULT);
        weights[n++] = 0.05;
    }
    return n > 1 ? op_weighted_sum(&c->t, terms, weights, n) : NULL;
}

static void compare_number(Case *c, const char *name, const Tensor *x)
{
    double found = tape_number(&c->t, x);
    compare(c, name, &found, 1);
}

static void check_outputs(Case *c, const NetworkOutput *out, const DecoderOutput *decoder, const Tensor *scores)
{
    for (int s = 0, at = 0; s < c->batch.n_sent; s++) {
        int n = c->labels[s][0] + 1;
        compare_rows(c, "memory", s, out->encoder.word, c->start[s], c->start[s + 1] - c->start[s], false);
        compare_rows(c, "hidden", s, decoder->hidden, at, n, false);
        compare_rows(c, "logits", s, scores, at, n, true);
        at += n;
    }
    for (int l = 0; l < c->net->layers; l++) {
        compare_probs(c, 0, l, out->encoder.attention[l].probs);
        compare_probs(c, 1, l, decoder->self[l].probs);
        compare_probs(c, 2, l, decoder->cross[l].probs);
    }
}

static void run_case(Case *c, double smoothing)
{
    Net *n = c->net;
    Tape *t = &c->t;
    tape_reset(t, true, true, 0); /* gates are drawn; there is no dropout */
    read_texts(c);
    for (int l = 0; l < n->layers; l++) {
        read_masks(c, l);
        for (int kind = 0; kind < 3; kind++) read_gates(c, kind, l);
    }
    const EncoderControl control = { .layer = c->encoder };
    const DecoderControl on_decoder = { .self = c->self, .cross = c->cross };
    Forward f = { .t = t, .params = &n->ps, .grads = n->grads, .batch = &c->batch };
    NetworkOutput out;
    must(network_forward(&f, &n->net, &c->in, &control, &out) == OK, t->error.message);
    TranslatePass pass;
    must(translate_pass(&f, &n->net, &out, (const int *const *)c->labels, &on_decoder, &pass), t->error.message);
    check_outputs(c, &out, &pass.decoder, pass.scores);
    Tensor *nll = NULL, *sum = translate_loss(&f, &pass, smoothing, &nll);
    const double share = 1.0 / c->targets;
    Tensor *loss = op_weighted_sum(t, &sum, &share, 1), *mean = op_weighted_sum(t, &nll, &share, 1);
    must(loss && mean, t->error.message);
    compare_number(c, "loss", loss);
    compare_number(c, "nll", mean);
    Tensor *penalised = with_penalty(c, loss);
    if (penalised) compare_number(c, "loss_with_penalty", penalised);
    must(tape_backward(t, penalised ? penalised : loss) == OK, t->error.message);
    compare_gradients(c);
}

static void check_cases(const char *dir, Net *net)
{
    static const double smoothing[] = { 0.1, 0, 0.1 };
    for (int k = 0; k < 3; k++) {
        char name[40], path[4096];
        SafeTensors st;
        Error e = { 0 };
        snprintf(name, sizeof name, "seq2seq.case%d", k);
        snprintf(path, sizeof path, "%s/%s.safetensors", dir, name);
        if (safetensors_open(&st, path, &e) != OK) continue;
        Case *c = case_new(net, name);
        c->st = &st;
        run_case(c, smoothing[k]);
        case_free(c);
        safetensors_close(&st);
        /* gradients are added up */
        test_device()->free(net->grads);
        net->grads = device_zeros(test_device(), net->ps.trained);
        must(net->grads != NULL, "out of memory");
    }
}

/* ---- relevance */

/* Sources and targets of a JSON record, [source] with the pieces that begin and end it, as texts of a case. */
static int *pieces_of(Case *c, const cJSON *list, int *n)
{
    FREED(free_pointer) double *x = recorded_numbers(list, n);
    int *piece = room(c, (size_t)*n, sizeof *piece);
    for (int k = 0; k < *n; k++) piece[k] = other_piece((int)x[k]);
    return piece;
}

/* One source becomes the batch of the case. */
static void take_source(Case *c, const cJSON *source)
{
    int n, *word = pieces_of(c, source, &n), *position = room(c, (size_t)n, sizeof *position);
    for (int k = 0; k < n; k++) position[k] = k;
    c->start[1] = n;
    c->batch = (Batch){ .n_sent = 1, .start = c->start, .n_tokens = n, .longest = n };
    c->in = (TokenInputs){ .word = word, .position = position };
}

/* What the heads of a layer contribute: their contexts times coefficients; and their shares of the magnitudes. */
static void compare_heads(Case *c, const cJSON *j, const char *name, const Tensor *context)
{
    double found[HEADS_MOST] = { 0 }, share[HEADS_MOST], all = 0;
    int heads = c->net->heads, w = context->cols / heads;
    HostMatrix x = tensor_host(&c->t, context, &c->a), g = tensor_host_grad(&c->t, context, &c->a);
    char what[100];
    for (int r = 0; r < x.rows; r++)
        for (int k = 0; k < x.cols; k++) found[k / w] += (double)host_row(&x, r)[k] * (double)host_row(&g, r)[k];
    for (int h = 0; h < heads; h++) all += fabs(found[h]);
    for (int h = 0; h < heads; h++) share[h] = fabs(found[h]) / all;
    snprintf(what, sizeof what, "%s: %s", c->name, name);
    recorded_compare(what, found, heads, recorded_item(recorded_item(j, "heads"), name));
    recorded_compare(what, share, heads, recorded_item(recorded_item(j, "share"), name));
}

/* What embedded pieces contribute, in found; returns what their positions do: x is the sum of both. */
static double compare_pieces(Case *c, const cJSON *j, const char *name, const Tensor *x, const int *piece, double *sum)
{
    double positions = 0;
    int n = x->rows, d = x->cols;
    double *found = room(c, (size_t)n, sizeof *found);
    HostMatrix value = tensor_host(&c->t, x, &c->a), g = tensor_host_grad(&c->t, x, &c->a);
    const Real *table = param_values(&c->net->ps, c->net->net.embedding.words);
    for (int r = 0; r < n; r++)
        for (int k = 0; k < d; k++) {
            double part = sqrt(d) * (double)table[(ptrdiff_t)piece[r] * d + k], by = (double)host_row(&g, r)[k];
            found[r] += part * by;
            positions += ((double)host_row(&value, r)[k] - part) * by;
        }
    for (int r = 0; r < n; r++) *sum += found[r];
    char what[100];
    snprintf(what, sizeof what, "%s: %s", c->name, name);
    recorded_compare(what, found, n, recorded_item(j, name));
    return positions;
}

static int largest(const Real *x, int n)
{
    int best = 0;
    for (int k = 1; k < n; k++)
        if (x[k] > x[best]) best = k;
    return best;
}

/* The sum of the largest scores of all places. */
static Tensor *largest_scores(Case *c, Tensor *scores)
{
    int n = scores->rows, *row = room(c, (size_t)n, sizeof *row), *best = room(c, (size_t)n, sizeof *best);
    Real *one = room(c, (size_t)n, sizeof *one);
    HostMatrix host = tensor_host(&c->t, scores, &c->a);
    for (int r = 0; r < n; r++) {
        row[r] = r;
        best[r] = largest(host_row(&host, r), host.cols);
        one[r] = 1;
    }
    return op_pick(&c->t, scores, row, best, one, n, 0);
}

static Tensor *context_of(int kind, int layer, const NetworkOutput *out, const TranslatePass *pass)
{
    return kind == 0   ? out->encoder.attention[layer].context
           : kind == 1 ? pass->decoder.self[layer].context
                       : pass->decoder.cross[layer].context;
}

static void check_relevance_of(Net *net, const cJSON *j)
{
    Case *c = case_new(net, "seq2seq.relevance.json");
    int n, *target;
    tape_reset(&c->t, true, false, 0);
    take_source(c, recorded_item(j, "source"));
    target = pieces_of(c, recorded_item(j, "target"), &n);
    int *labels = room(c, (size_t)n + 1, sizeof *labels), *written = room(c, (size_t)n + 1, sizeof *written);
    labels[0] = n;
    for (int k = 0; k < n; k++) labels[k + 1] = written[k + 1] = target[k]; /* after START */
    const int *all = labels;
    Forward f = { .t = &c->t, .params = &net->ps, .grads = net->grads, .batch = &c->batch };
    NetworkOutput out;
    TranslatePass pass;
    must(network_forward(&f, &net->net, &c->in, NULL, &out) == OK &&
             translate_pass(&f, &net->net, &out, &all, NULL, &pass),
         c->t.error.message);
    Tensor *score = largest_scores(c, pass.scores), *keep[3 * LAYERS_MOST + 2] = { out.embedding, pass.embedding };
    for (int l = 0; l < net->layers; l++)
        for (int kind = 0; kind < 3; kind++) keep[2 + 3 * l + kind] = context_of(kind, l, &out, &pass);
    must(score && tape_relevance(&c->t, score, keep, 2 + 3 * net->layers, NULL) == OK, c->t.error.message);
    double total = tape_number(&c->t, score), sum = 0, rest = c->t.bias_part;
    recorded_compare("seq2seq.relevance.json: score", &total, 1, recorded_item(j, "score"));
    for (int l = 0; l < net->layers; l++) {
        char name[40];
        for (int kind = 0; kind < 3; kind++) {
            layer_name("", kind, l, "", name, sizeof name);
            compare_heads(c, j, name, context_of(kind, l, &out, &pass));
        }
    }
    rest += compare_pieces(c, j, "source_pieces", out.embedding, c->in.word, &sum);
    rest += compare_pieces(c, j, "target_pieces", pass.embedding, written, &sum);
    recorded_compare("seq2seq.relevance.json: biases and positions", &rest, 1,
                     recorded_item(j, "biases_and_positions"));
    sum += rest;
    recorded_check("seq2seq.relevance.json: conserved", &sum, &total, 1);
    case_free(c);
}

static void check_relevance(const char *dir, Net *net)
{
    FREED(cJSON_Delete_at) cJSON *j = recorded_open(dir, "seq2seq.relevance.json");
    for (const cJSON *x = j ? j->child : NULL; x; x = x->next) check_relevance_of(net, x);
}

/* ---- beam search */

static bool same_output(const Beam *b, const BeamOutput *x, const cJSON *j)
{
    int n, piece[64], found = x->node >= 0 ? b->node[x->node].length : 0;
    FREED(free_pointer) double *expected = recorded_numbers(recorded_item(j, "pieces"), &n);
    const double limit = sizeof(Real) == 8 ? 1e-9 : 1e-4;
    bool same = n == found && n <= 64;
    if (same) beam_pieces(b, x, piece);
    for (int k = 0; k < n && same; k++) same = piece[k] == other_piece((int)expected[k]);
    return same && fabs(x->log_p - recorded_number(j, "log_probability")) <= limit * 10 &&
           fabs(x->score - recorded_number(j, "score")) <= limit * 10;
}

static bool check_search(Net *net, SearchMemory *memory, const cJSON *j)
{
    Case *c = case_new(net, "seq2seq.beam.json");
    Beam beam;
    Error e = { 0 };
    tape_reset(&c->t, false, false, 0);
    take_source(c, recorded_item(j, "source"));
    const BeamOptions o = { .beam = (int)recorded_number(j, "beam"),
                            .penalty = recorded_number(j, "alpha"),
                            .most = (int)recorded_number(j, "most"),
                            .start = TOKEN_START,
                            .stop = TOKEN_STOP };
    Forward f = { .t = &c->t, .params = &net->ps, .batch = &c->batch, .brief = true };
    NetworkOutput out;
    must(network_forward(&f, &net->net, &c->in, NULL, &out) == OK, c->t.error.message);
    must(beam_init(&beam, o, &e) == OK && search_run(memory, &f, &net->net, &out, &beam, &c->a, &e) == OK, e.message);
    const cJSON *finished = recorded_item(j, "finished"), *outputs = recorded_item(j, "outputs")->child;
    bool same = cJSON_IsNull(finished) || (int)finished->valuedouble == beam.n_finished;
    for (int k = 0; outputs && same; outputs = outputs->next, k++)
        same = k < beam.n_finished && same_output(&beam, &beam.finished[k], outputs);
    beam_fini(&beam);
    case_free(c);
    return same;
}

static void check_beam(const char *dir, int heads)
{
    char path[4096];
    SafeTensors weights;
    SearchMemory memory;
    Net net;
    Error e = { 0 };
    FREED(cJSON_Delete_at) cJSON *j = recorded_open(dir, "seq2seq.beam.json");
    int wrong = 0;
    if (!j) return;
    snprintf(path, sizeof path, "%s/seq2seq.beam.safetensors", dir);
    must(safetensors_open(&weights, path, &e) == OK, e.message);
    net_init(&net, &weights, heads);
    search_memory_init(&memory, test_device());
    for (const cJSON *x = j->child; x; x = x->next) wrong += !check_search(&net, &memory, x);
    recorded_verdict(j->child && !wrong, "seq2seq.beam.json: %d searches, %d wrong", recorded_length(j), wrong);
    search_memory_fini(&memory);
    net_fini(&net);
    safetensors_close(&weights);
}

void seed_translation(const char *dir)
{
    char path[4096];
    SafeTensors weights, first;
    Error e = { 0 };
    snprintf(path, sizeof path, "%s/seq2seq.safetensors", dir);
    if (safetensors_open(&weights, path, &e) != OK) {
        printf("skip   seq2seq.safetensors: not in the folder\n");
        return;
    }
    snprintf(path, sizeof path, "%s/seq2seq.case0.safetensors", dir);
    must(safetensors_open(&first, path, &e) == OK, e.message);
    int heads = dim_of(&first, "probs/encoder.0.self/0", 0);
    safetensors_close(&first);
    Net net;
    net_init(&net, &weights, heads);
    check_cases(dir, &net);
    check_relevance(dir, &net);
    net_fini(&net);
    safetensors_close(&weights);
    check_beam(dir, heads);
}
