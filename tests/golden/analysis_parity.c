/* tests/golden/analysis_parity.c
 * analysis_parity DIR: measures of heads against recorded numbers: patterns.json and toy.json (sets of patterns),
 * global_relevance.json, head_functions.json (over recorded attention of sentences.json), taylor.json (importance of
 * heads), and relevance.json: a whole small network (self-attention with gates, feed-forward, label attention, scorer),
 * relevance at every cut under the rule of tape_relevance, and its halves rule on a biaffine score. Last line "N
 * passed, N failed". */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "lal/head_importance.h"
#include "lal/head_measures.h"
#include "lal/transformer.h"
#include "tensor/ops.h"
#include "tests/support/checking_device.h"

static int passed, failed;

static void check(const char *what, const double *found, const double *expected, int n)
{
    double worst = 0, largest = 0, tolerance = sizeof(Real) == sizeof(double) ? 1e-9 : 1e-4;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(expected[i]));
        if (!(fabs(found[i] - expected[i]) <= worst)) worst = fabs(found[i] - expected[i]);
    }
    bool ok = n > 0 && worst <= tolerance * fmax(largest, 1);
    *(ok ? &passed : &failed) += 1;
    printf("%s %s (%d numbers, off by %.1e)\n", ok ? "ok    " : "FAILED", what, n, worst);
}

/* All numbers below a JSON value, row by row; n is their count. */
static double *numbers(const cJSON *j, int *n)
{
    double *all = NULL;
    *n = 0;
    if (cJSON_IsNumber(j)) {
        all = malloc(sizeof *all);
        if (all) all[(*n)++] = j->valuedouble;
        return all;
    }
    const cJSON *x;
    cJSON_ArrayForEach(x, j)
    {
        int k;
        double *part = numbers(x, &k), *more = realloc(all, (size_t)(*n + k + 1) * sizeof *all);
        if (!more) exit(2);
        all = more;
        for (int i = 0; i < k; i++) all[(*n)++] = part[i];
        free(part);
    }
    return all;
}

static void check_json(const char *what, const double *found, int n, const cJSON *expected)
{
    int k;
    double *e = numbers(expected, &k);
    if (k != n) {
        failed++;
        printf("FAILED %s: %d numbers, expected %d\n", what, n, k);
    } else check(what, found, e, n);
    free(e);
}

/* A tensor that wants coefficients. */
static Tensor *wanted(Tape *t, const Real *host, int rows, int cols)
{
    Tensor *x = tape_constant(t, host, rows, cols);
    if (x) x->needs_grad = true;
    return x;
}

/* A tensor [rows, cols] that wants coefficients, from numbers in that order, or from those of its transpose. */
static Tensor *tensor(Tape *t, const cJSON *j, int rows, int cols, bool transposed)
{
    int n;
    double *v = numbers(j, &n);
    Real *x = tape_host(t, (size_t)n + 1, sizeof *x);
    if (!x || n != rows * cols) {
        fprintf(stderr, "found %d numbers, expected %d x %d\n", n, rows, cols);
        exit(2);
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) x[r * cols + c] = (Real)(transposed ? v[c * rows + r] : v[r * cols + c]);
    free(v);
    return wanted(t, x, rows, cols);
}

static const cJSON *item(const cJSON *j, const char *name)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(j, name);
    if (!x) {
        fprintf(stderr, "no %s\n", name);
        exit(2);
    }
    return x;
}

static int length(const cJSON *j) { return cJSON_GetArraySize(j); }

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

/* Heads [heads, d, w] become the columns of one matrix [d, heads * w]. */
static void put_heads(Real *to, int ld, int from, const cJSON *heads, int d, int w)
{
    for (int h = 0; h < length(heads); h++) {
        int n;
        double *v = numbers(cJSON_GetArrayItem(heads, h), &n);
        for (int r = 0; r < d; r++)
            for (int c = 0; c < w; c++) to[r * ld + from + h * w + c] = (Real)v[r * w + c];
        free(v);
    }
}

static Tensor *self_attention(Net *net, const cJSON *j, const cJSON *gate, const Batch *batch)
{
    Tape *t = &net->t;
    const cJSON *wq = item(j, "wq");
    int d = net->d, heads = net->heads = length(wq), w = length(cJSON_GetArrayItem(cJSON_GetArrayItem(wq, 0), 0));
    int ld = 3 * heads * w;
    Real *all = tape_host(t, (size_t)d * (size_t)ld, sizeof *all);
    put_heads(all, ld, 0, wq, d, w);
    put_heads(all, ld, heads * w, item(j, "wk"), d, w);
    put_heads(all, ld, 2 * heads * w, item(j, "wv"), d, w);
    net->qkv = op_linear(t, net->x, wanted(t, all, d, ld), NULL, false);
    AttentionSpec spec = { .n_heads = heads,
                           .n_parts = 1,
                           .scale = item(j, "scale")->valuedouble,
                           .gates = tensor(t, gate, 1, heads, false) };
    net->ctx = op_attention(t, &net->qkv, &spec, batch, NULL);
    return net->z = op_linear(t, net->ctx, tensor(t, item(j, "wo"), heads * w, d, false), NULL, false);
}

static Tensor *residual(Tape *t, const cJSON *j, Tensor *x, Tensor *z, const char *a, const char *b)
{
    return op_residual_norm(t, x, z, NULL, 0, NULL, tensor(t, item(j, a), 1, x->cols, false),
                            tensor(t, item(j, b), 1, x->cols, false), NORM_UNBIASED_STD, NORM_LAL.eps);
}

static Tensor *label_attention(Net *net, const cJSON *j, const Batch *batch)
{
    Tape *t = &net->t;
    const cJSON *u = item(j, "u"), *v = item(j, "v");
    int heads = net->label_heads = length(u), d = net->d, w = length(cJSON_GetArrayItem(cJSON_GetArrayItem(v, 0), 0));
    net->p = d; /* of reduce */
    net->context = op_label_attention(t, net->encoded, tensor(t, u, heads, d, false), item(j, "temper")->valuedouble, 0,
                                      batch, &net->probs);
    Tensor *c = tape_new(t, heads, w), *reduce = tensor(t, item(j, "reduce"), d, net->p, true);
    op_head_linear_into(t, c, net->context, tensor(t, v, heads * d, w, false), heads);
    net->view =
        op_linear(t, op_linear(t, c, tensor(t, item(j, "proj"), w, d, false), NULL, false), reduce, NULL, false);
    int first[TOKENS_MOST] = { 0 };
    return net->y = op_label_norm(t, op_linear(t, net->encoded, reduce, NULL, false), net->view, first, heads,
                                  tensor(t, item(j, "ln3_a"), 1, net->p, false),
                                  tensor(t, item(j, "ln3_b"), 1, net->p, false), NORM_LAL.eps);
}

static void build(Net *net, const cJSON *j, const cJSON *gate)
{
    Tape *t = &net->t;
    const cJSON *x = item(j, "x"), *b1 = item(j, "b1"), *sb1 = item(j, "sb1");
    net->m = length(x);
    net->d = length(cJSON_GetArrayItem(x, 0));
    int start[2] = { 0, net->m }, d = net->d, m = net->m;
    Batch batch = { 1, start, m, m };
    net->x = tensor(t, x, m, d, false);
    net->attended = residual(t, j, net->x, self_attention(net, j, gate, &batch), "ln1_a", "ln1_b");
    net->hidden = op_linear(t, net->attended, tensor(t, item(j, "w1"), d, length(b1), true),
                            tensor(t, b1, 1, length(b1), false), true);
    net->u = op_linear(t, net->hidden, tensor(t, item(j, "w2"), length(b1), d, true),
                       tensor(t, item(j, "b2"), 1, d, false), false);
    net->encoded = residual(t, j, net->attended, net->u, "ln2_a", "ln2_b");
    Tensor *y = label_attention(net, j, &batch);
    int source[256], width = y->cols, half = net->p / 2;
    for (int k = 0; k < width; k++) { /* forward halves of all heads, then backward halves */
        int i = k % (width / 2);
        source[k] = i / half * net->p + (k >= width / 2 ? half : 0) + i % half;
    }
    net->fence = op_fenceposts(t, y, source, &batch);
    int hidden = length(sb1), span[2] = { 0, m - 2 };
    Tensor *g = op_linear(t, net->fence, tensor(t, item(j, "s1"), width, hidden, true), NULL, false);
    Tensor *s = op_norm(t, op_span_diff(t, g, span, 1, tensor(t, sb1, 1, hidden, false)),
                        tensor(t, item(j, "ln4_a"), 1, hidden, false), tensor(t, item(j, "ln4_b"), 1, hidden, false),
                        NORM_UNBIASED_STD, NORM_LAL.eps);
    net->score = op_linear(t, op_relu(t, s), tensor(t, item(j, "s2"), hidden, 1, true),
                           tensor(t, item(j, "sb2"), 1, 1, false), false);
}

static void values_of(Tape *t, const Tensor *x, double *out)
{
    HostMatrix m = tensor_host(t, x, &t->host);
    for (int r = 0; r < x->rows; r++)
        for (int c = 0; c < x->cols; c++) out[r * x->cols + c] = (double)host_row(&m, r)[c];
}

static void check_label_heads(Net *net, const cJSON *frozen)
{
    double head[HEADS_MOST], view[HEADS_MOST], own[HEADS_MOST], word[HEADS_MOST * TOKENS_MOST], rows[TOKENS_MOST];
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
    int n;
    double *norm = numbers(item(item(frozen, "bias"), "label.norm"), &n), all = 0, parts = norm ? norm[0] : 0;
    check_json("label heads", head, net->label_heads, item(frozen, "label_head"));
    check_json("their views", view, net->label_heads, item(frozen, "label_head_view"));
    check_json("their views over words", word, net->label_heads * net->m, item(frozen, "label_head_word"));
    int k;
    double *expected = numbers(item(frozen, "label_head_own_word"), &k);
    for (int h = 0; h < net->label_heads; h++) {
        own[h] = expected[h];
        all += head[h];
        parts += own[h] + view[h];
    }
    check("heads = own words + views + bias", &all, &parts, 1);
    free(expected);
    free(norm);
}

static void check_frozen(const cJSON *j)
{
    Net net = { .d = 0 };
    tape_init(&net.t, test_device());
    tape_reset(&net.t, true, false, 0);
    const cJSON *frozen = item(j, "frozen");
    build(&net, item(j, "net"), item(frozen, "gate"));
    double score = tape_number(&net.t, net.score), values[4096], rows[TOKENS_MOST];
    check_json("score", &score, 1, item(frozen, "score"));
    values_of(&net.t, net.encoded, values);
    check_json("encoder output", values, net.m * net.d, item(frozen, "encoder_out"));
    values_of(&net.t, net.fence, values);
    check_json("fenceposts", values, net.fence->rows * net.fence->cols, item(frozen, "fenceposts"));
    Tensor *keep[] = { net.x, net.ctx, net.z, net.attended, net.u, net.encoded, net.y, net.view, net.context };
    if (tape_relevance(&net.t, net.score, keep, sizeof keep / sizeof *keep, NULL) != OK) {
        printf("FAILED relevance: %s\n", net.t.error.message);
        failed++;
        return;
    }
    double bias = net.t.bias_part, sum = total(&net.t, net.x) + bias;
    check_json("bias parts", &bias, 1, item(frozen, "bias_total"));
    check("conservation at the input", &sum, &score, 1);
    check_label_heads(&net, frozen);
    row_relevance(&net.t, net.encoded, 0, net.d, rows);
    check_json("tokens at the encoder output", rows, net.m, item(frozen, "encoder_out_token"));
    row_relevance(&net.t, net.attended, 0, net.d, rows);
    check_json("tokens behind attention", rows, net.m, item(frozen, "after_attention_token"));
    double part = total(&net.t, net.u);
    check_json("feed-forward", &part, 1, item(frozen, "feed_forward"));
    double self[HEADS_MOST], share[HEADS_MOST], all = 0;
    int w = net.ctx->cols / net.heads;
    for (int h = 0; h < net.heads; h++) {
        self[h] = 0;
        row_relevance(&net.t, net.ctx, h * w, w, rows);
        for (int t = 0; t < net.m; t++) self[h] += rows[t];
        all += fabs(self[h]);
    }
    for (int h = 0; h < net.heads; h++) share[h] = fabs(self[h]) / all;
    check_json("self-attention heads", self, net.heads, item(frozen, "self_head"));
    check_json("their shares", share, net.heads, item(frozen, "self_head_share"));
    row_relevance(&net.t, net.x, 0, net.d, rows);
    check_json("tokens at the input", rows, net.m, item(frozen, "token"));
    HostMatrix x = tensor_host(&net.t, net.x, &net.t.host), c = tensor_host_grad(&net.t, net.x, &net.t.host);
    for (int r = 0; r < net.m; r++)
        for (int k = 0; k < net.d; k++) values[r * net.d + k] = (double)host_row(&x, r)[k] * (double)host_row(&c, r)[k];
    check_json("every number of the input", values, net.m * net.d, item(frozen, "input"));
    tape_fini(&net.t);
}

static void check_biaffine(const cJSON *j)
{
    Tape t;
    tape_init(&t, test_device());
    tape_reset(&t, true, false, 0);
    const cJSON *h = item(j, "head");
    int d = length(h), start[2] = { 0, 3 };
    Batch batch = { 1, start, 3, 3 }; /* two fenceposts: row 0 the dependent's and head's own vectors, the other zero */
    Tensor *omega = tensor(&t, item(j, "omega"), d + 1, d + 1, false), *side[2];
    for (int k = 0; k < 2; k++) {
        Real *rows = tape_host(&t, 2 * (size_t)d, sizeof *rows);
        const cJSON *of = k ? item(j, "dependent") : h;
        for (int c = 0; c < 2 * d; c++) rows[c] = c < d ? (Real)cJSON_GetArrayItem(of, c)->valuedouble : 0;
        side[k] = wanted(&t, rows, 2, d);
    }
    Tensor *a = side[0], *b = side[1];
    Tensor *x = op_linear(&t, a, tape_rows(&t, omega, 0, d), NULL, false);
    Tensor *arcs = op_arc_scores(&t, x, b, tape_rows(&t, omega, d, 1), &batch);
    Tensor *score = op_pick(&t, arcs, (const int[]){ 0 }, (const int[]){ 0 }, (const Real[]){ 1 }, 1, 0);
    double s = tape_number(&t, score), part[64] = { 0 };
    check_json("biaffine score", &s, 1, item(j, "score"));
    tape_relevance(&t, score, (Tensor *[]){ a, b }, 2, NULL);
    for (int way = 0; way < 2; way++) {
        HostMatrix v = tensor_host(&t, side[way], &t.host), c = tensor_host_grad(&t, side[way], &t.host);
        for (int k = 0; k < d; k++) part[k] = (double)v.data[k] * (double)c.data[k];
        check_json(way ? "biaffine dependent" : "biaffine head", part, d, item(j, way ? "r_dependent" : "r_head"));
    }
    double corner = t.bias_part;
    check_json("biaffine corner", &corner, 1, item(j, "corner"));
    tape_fini(&t);
}

/* ---- patterns and measures over recorded attention */

typedef struct Sentences { /* of sentences.json */
    PatternSentence *s;    /* [n] */
    int **counts;
    const char **id;
    int n, top500_count;
} Sentences;

static int *int_list(const cJSON *j)
{
    int *v = malloc((size_t)(length(j) + 1) * sizeof *v);
    if (!v) exit(2);
    for (int k = 0; k < length(j); k++) v[k] = (int)lrint(cJSON_GetArrayItem(j, k)->valuedouble);
    return v;
}

static const char **string_list(const cJSON *j)
{
    const char **v = malloc((size_t)(length(j) + 1) * sizeof *v);
    if (!v) exit(2);
    for (int k = 0; k < length(j); k++) v[k] = cJSON_GetArrayItem(j, k)->valuestring;
    return v;
}

static PatternSentence sentence_of(const cJSON *j)
{
    const cJSON *c = item(j, "constituents");
    int(*spans)[2] = malloc((size_t)(length(c) + 1) * sizeof *spans);
    if (!spans) exit(2);
    for (int k = 0; k < length(c); k++)
        for (int x = 0; x < 2; x++) spans[k][x] = (int)cJSON_GetArrayItem(cJSON_GetArrayItem(c, k), x + 1)->valuedouble;
    return (PatternSentence){ .n = length(item(j, "words")),
                              .words = string_list(item(j, "words")),
                              .heads = int_list(item(j, "heads")),
                              .types = string_list(item(j, "types")),
                              .df = int_list(item(j, "df")),
                              .spans = (const int(*)[2])spans,
                              .n_spans = length(c) };
}

static void free_sentence(PatternSentence *s)
{
    free((void *)(uintptr_t)s->words);
    free((void *)(uintptr_t)s->heads);
    free((void *)(uintptr_t)s->types);
    free((void *)(uintptr_t)s->df);
    free((void *)(uintptr_t)s->spans);
}

static void read_sentences(Sentences *all, const cJSON *j)
{
    const cJSON *list = item(j, "sentences");
    all->n = length(list);
    all->top500_count = (int)item(j, "top500_count")->valuedouble;
    all->s = calloc((size_t)all->n, sizeof *all->s);
    all->counts = calloc((size_t)all->n, sizeof *all->counts);
    all->id = calloc((size_t)all->n, sizeof *all->id);
    if (!all->s || !all->counts || !all->id) exit(2);
    for (int k = 0; k < all->n; k++) {
        const cJSON *x = cJSON_GetArrayItem(list, k);
        all->s[k] = sentence_of(x);
        all->counts[k] = int_list(item(x, "count"));
        all->id[k] = item(x, "id")->valuestring;
    }
}

static void free_sentences(Sentences *all)
{
    for (int k = 0; k < all->n; k++) {
        free_sentence(&all->s[k]);
        free(all->counts[k]);
    }
    free(all->s);
    free(all->counts);
    free(all->id);
}

static uint8_t *fill(const char *name, const PatternSentence *s)
{
    Pattern p;
    Error e = { 0 };
    Arena scratch;
    arena_init(&scratch, 4096);
    uint8_t *allowed = malloc((size_t)(s->n + 2) * (size_t)(s->n + 2));
    if (!allowed || pattern_read(&p, name, &e) != OK || pattern_fill(&p, s, allowed, &scratch, &e) != OK) {
        fprintf(stderr, "%s: %s\n", name, e.message);
        exit(2);
    }
    arena_fini(&scratch);
    return allowed;
}

/* Expected rows: one list of keys for all, or a list for each token. */
static bool same_rows(const uint8_t *allowed, int m, const cJSON *rows, const cJSON *keys)
{
    for (int i = 0; i < m; i++) {
        const cJSON *row = keys ? keys : cJSON_GetArrayItem(rows, i);
        int want = 0;
        for (int j = 0; j < m; j++) want += allowed[i * m + j];
        if (want != length(row)) return false;
        for (int k = 0; k < length(row); k++)
            if (!allowed[i * m + (int)cJSON_GetArrayItem(row, k)->valuedouble]) return false;
    }
    return true;
}

static void check_patterns(const cJSON *patterns, const Sentences *all)
{
    const cJSON *first = item(cJSON_GetArrayItem(patterns, 0), "patterns"), *p;
    cJSON_ArrayForEach(p, first)
    {
        int wrong = 0;
        for (int k = 0; k < all->n; k++) {
            const cJSON *x = item(item(cJSON_GetArrayItem(patterns, k), "patterns"), p->string);
            uint8_t *allowed = fill(p->string, &all->s[k]);
            wrong +=
                !same_rows(allowed, all->s[k].n + 2, cJSON_GetObjectItem(x, "rows"), cJSON_GetObjectItem(x, "keys"));
            free(allowed);
        }
        *(wrong ? &failed : &passed) += 1;
        printf("%s pattern %s in %d sentences\n", wrong ? "FAILED" : "ok    ", p->string, all->n);
    }
}

static void check_toy(const cJSON *toy)
{
    const cJSON *p;
    PatternSentence s = sentence_of(item(toy, "sentence"));
    int wrong = 0;
    cJSON_ArrayForEach(p, item(toy, "rows"))
    {
        uint8_t *allowed = fill(p->string, &s);
        wrong += !same_rows(allowed, s.n + 2, p, NULL);
        free(allowed);
    }
    free_sentence(&s);
    *(wrong ? &failed : &passed) += 1;
    printf("%s patterns of the worked example\n", wrong ? "FAILED" : "ok    ");
}

enum { RECORDED_MOST = 64 };

/* Attention of the recorded sentences: weights [sentence][head], numbers to be freed. */
static int recorded(const cJSON *j, const Sentences *all, const cJSON *attention, const PatternSentence **s,
                    const int **counts, HeadWeights *w, Real **memory)
{
    const cJSON *ids = item(j, "sentences");
    int heads = length(cJSON_GetArrayItem(attention, 0));
    for (int k = 0; k < length(ids); k++) {
        int i = 0, n;
        while (i < all->n && strcmp(all->id[i], cJSON_GetArrayItem(ids, k)->valuestring) != 0) i++;
        if (i == all->n || heads > RECORDED_MOST) exit(2);
        s[k] = &all->s[i];
        counts[k] = all->counts[i];
        double *v = numbers(cJSON_GetArrayItem(attention, k), &n);
        memory[k] = malloc((size_t)n * sizeof(Real));
        if (!memory[k]) exit(2);
        for (int x = 0; x < n; x++) memory[k][x] = (Real)v[x];
        free(v);
        int m = s[k]->n + 2;
        for (int h = 0; h < heads; h++)
            w[k * RECORDED_MOST + h] = (HeadWeights){ memory[k] + (ptrdiff_t)h * m * m, m, 1 };
    }
    return heads;
}

static void check_relevance_of_patterns(const cJSON *j, const PatternSentence *const *s, const HeadWeights *w,
                                        int heads)
{
    const cJSON *p;
    int sentences = length(item(j, "sentences"));
    cJSON_ArrayForEach(p, item(j, "patterns"))
    {
        GlobalRelevance g;
        Error e = { 0 };
        double gr[RECORDED_MOST], one[3], above[RECORDED_MOST];
        char what[100];
        if (global_relevance_init(&g, heads, &e) != OK) exit(2);
        for (int k = 0; k < sentences; k++) {
            uint8_t *allowed = fill(p->string, s[k]);
            global_relevance_add(&g, allowed, s[k]->n, w + (ptrdiff_t)k * RECORDED_MOST);
            free(allowed);
        }
        for (int h = 0; h < heads; h++) gr[h] = g.sum[h] / (double)g.sentences;
        ThreeSigma t = three_sigma(gr, heads);
        one[0] = t.mean, one[1] = t.deviation, one[2] = t.threshold;
        int n = 0;
        for (int h = 0; h < heads; h++)
            if (gr[h] > t.threshold) above[n++] = h;
        snprintf(what, sizeof what, "global relevance of %s", p->string);
        check_json(what, gr, heads, item(p, "gr"));
        const double expected[3] = { item(p, "mean")->valuedouble, item(p, "std")->valuedouble,
                                     item(p, "threshold")->valuedouble };
        check("  mean, deviation, threshold", one, expected, 3);
        if (n || length(item(p, "significant"))) check_json("  heads above it", above, n, item(p, "significant"));
        global_relevance_fini(&g);
    }
}

static void check_shares(const char *what, const long *hits, long queries, int heads, const cJSON *expected)
{
    double share[RECORDED_MOST];
    for (int h = 0; h < heads; h++) share[h] = (double)hits[h] / (double)queries;
    check_json(what, share, heads, expected);
}

static void check_functions(const cJSON *j, const PatternSentence *const *s, const int *const *counts,
                            const HeadWeights *w, int heads)
{
    HeadFunctions f;
    Error e = { 0 };
    const cJSON *syntactic = item(j, "syntactic");
    static const char *const directions[] = { "dep_to_head", "head_to_dep" };
    if (head_functions_init(&f, heads, &e) != OK) exit(2);
    f.rare_below = (int)item(j, "top500_count")->valuedouble;
    char name[100];
    for (int r = 0; r < HEAD_RELATIONS; r++)
        for (int d = 0; d < 2; d++) {
            snprintf(name, sizeof name, "%s %s", HEAD_RELATION_NAMES[r], directions[d]);
            f.offset[r][d] = (int)item(item(syntactic, name), "offset")->valuedouble;
        }
    for (int k = 0; k < length(item(j, "sentences")); k++)
        head_functions_add(&f, s[k], counts[k], w + (ptrdiff_t)k * RECORDED_MOST);
    double confidence[RECORDED_MOST];
    for (int h = 0; h < heads; h++) confidence[h] = f.confidence[h] / (double)f.queries;
    check_json("confidence", confidence, heads, item(j, "confidence"));
    for (int d = 0; d < 2; d++) {
        const cJSON *x = item(item(j, "positional"), d ? "1" : "-1");
        double queries = (double)f.positional_queries[d];
        check_json(
            d ? "next word" : "previous word",
            (check_shares("  share", f.positional[d], f.positional_queries[d], heads, item(x, "share")), &queries), 1,
            item(x, "queries"));
    }
    for (int r = 0; r < HEAD_RELATIONS; r++)
        for (int d = 0; d < 2; d++) {
            snprintf(name, sizeof name, "%s %s", HEAD_RELATION_NAMES[r], directions[d]);
            const cJSON *x = item(syntactic, name);
            double queries = (double)f.relation_queries[r][d], baseline = (double)f.baseline[r][d] / queries;
            check_json(name, &queries, 1, item(x, "queries"));
            if (queries == 0) continue;
            check_shares("  accuracy", f.relation[r][d], f.relation_queries[r][d], heads, item(x, "accuracy"));
            check_json("  baseline", &baseline, 1, item(x, "baseline"));
        }
    const cJSON *rare = item(j, "rare");
    double queries = (double)f.rare_queries;
    check_json("rare words", &queries, 1, item(rare, "queries"));
    check_shares("  the rarest", f.rare_one, f.rare_queries, heads, item(rare, "one"));
    check_shares("  the two rarest", f.rare_two, f.rare_queries, heads, item(rare, "two"));
    head_functions_fini(&f);
}

/* ---- importance: taylor.json, one attention with heads apart, loss 1/2 |y - target|^2 of each sentence */

static void check_normalised(const cJSON *j, const char *name, const double *raw, int heads)
{
    static const char *const how[] = { "raw", "layer_l2", "layer_sum", "minmax" };
    for (int k = 0; k < 4; k++) {
        double values[RECORDED_MOST];
        char what[100];
        for (int h = 0; h < heads; h++) values[h] = raw[h];
        head_normalise(values, &heads, 1, (HeadNormalise)k);
        snprintf(what, sizeof what, "%s, %s", name, how[k]);
        check_json(what, values, heads, item(item(j, name), how[k]));
    }
}

static void check_taylor(const cJSON *j)
{
    const cJSON *wq = item(j, "wq"), *sentences = item(j, "sentences"), *x;
    int heads = length(wq), d = length(cJSON_GetArrayItem(wq, 0)),
        w = length(cJSON_GetArrayItem(cJSON_GetArrayItem(wq, 0), 0)), count = 0, tokens = 0;
    size_t n_qkv = (size_t)d * 3 * (size_t)(heads * w), n_out = (size_t)(heads * w) * (size_t)d;
    Real *values = calloc(n_qkv + n_out, sizeof *values), *grads = calloc(n_qkv + n_out, sizeof *grads);
    double gate[RECORDED_MOST] = { 0 }, gate_token[RECORDED_MOST] = { 0 }, group[RECORDED_MOST], param[RECORDED_MOST];
    if (!values || !grads || heads > RECORDED_MOST) exit(2);
    int ld = 3 * heads * w, n;
    double *wo = numbers(item(j, "wo"), &n);
    put_heads(values, ld, 0, wq, d, w);
    put_heads(values, ld, heads * w, item(j, "wk"), d, w);
    put_heads(values, ld, 2 * heads * w, item(j, "wv"), d, w);
    for (size_t k = 0; k < n_out; k++) values[n_qkv + k] = (Real)wo[k];
    free(wo);
    const Device *device = test_device();
    size_t bytes = (n_qkv + n_out) * sizeof *values;
    Real *weights_there = device_zeros(device, n_qkv + n_out), *grads_there = device_zeros(device, n_qkv + n_out);
    device->upload(weights_there, values, bytes, NULL);
    Tape t;
    tape_init(&t, device);
    cJSON_ArrayForEach(x, sentences)
    {
        const cJSON *words = item(x, "x"), *target = item(x, "target");
        int m = length(words), start[2] = { 0, m };
        Batch batch = { 1, start, m, m };
        tape_reset(&t, true, false, 0);
        Tensor *qkv = tape_wrap(&t, weights_there, grads_there, d, ld, true),
               *out = tape_wrap(&t, weights_there + n_qkv, grads_there + n_qkv, heads * w, d, true);
        double *want = numbers(target, &n);
        Tensor *projected = op_linear(&t, tensor(&t, words, m, d, false), qkv, NULL, false);
        AttentionSpec spec = { .n_heads = heads, .n_parts = 1, .scale = item(j, "scale")->valuedouble };
        Tensor *ctx = op_attention(&t, &projected, &spec, &batch, NULL), *y = op_linear(&t, ctx, out, NULL, false);
        /* the loss as a weighted sum of y whose gradient is y - target */
        int *rows = malloc((size_t)(m * d) * sizeof *rows), *cols = malloc((size_t)(m * d) * sizeof *cols);
        Real *weights = malloc((size_t)(m * d) * sizeof *weights);
        if (!rows || !cols || !weights || !y) exit(2);
        HostMatrix found = tensor_host(&t, y, &t.host);
        for (int k = 0; k < m * d; k++) {
            rows[k] = k / d;
            cols[k] = k % d;
            weights[k] = (Real)((double)found.data[k] - want[k]);
        }
        ctx->keep = true;
        if (tape_backward(&t, op_pick(&t, y, rows, cols, weights, m * d, 0)) != OK) exit(2);
        double sum[RECORDED_MOST], absolute[RECORDED_MOST];
        HostMatrix c = tensor_host(&t, ctx, &t.host), dc = tensor_host_grad(&t, ctx, &t.host);
        head_importance_contexts(c.data, dc.data, c.ld, m, heads, &w, 1, sum, absolute);
        for (int h = 0; h < heads; h++) {
            gate[h] += fabs(sum[h]);
            gate_token[h] += absolute[h];
        }
        count++;
        tokens += m;
        free(want);
        free(rows);
        free(cols);
        free(weights);
    }
    tape_download(&t, grads, grads_there, bytes);
    for (int h = 0; h < heads; h++) {
        double sum = 0, squares = 0;
        for (int k = 0; k < 3; k++)
            head_slice_products(values, grads, 3 * heads * w, &(HeadSlice){ 0, 0, d, (k * heads + h) * w, w }, &sum,
                                &squares);
        head_slice_products(values + n_qkv, grads + n_qkv, d, &(HeadSlice){ 0, h * w, w, 0, d }, &sum, &squares);
        group[h] = sum * sum / count / count;
        param[h] = squares / count / count;
        gate[h] /= count;
        gate_token[h] /= tokens;
    }
    check_normalised(j, "taylor_param", param, heads);
    check_normalised(j, "taylor_group", group, heads);
    check_normalised(j, "gate", gate, heads);
    check_normalised(j, "gate_token", gate_token, heads);
    tape_fini(&t);
    device->free(weights_there);
    device->free(grads_there);
    free(values);
    free(grads);
}

static cJSON *read_json(const char *dir, const char *name)
{
    char path[600];
    StrBuf text = { 0 };
    Error e = { 0 };
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (file_read(path, &text, &e) != OK) {
        printf("       %s is not there: its measures are not checked\n", name);
        return NULL;
    }
    cJSON *j = cJSON_ParseWithLength(text.ptr, text.len);
    strbuf_fini(&text);
    if (!j) {
        fprintf(stderr, "%s: cannot be read as JSON\n", path);
        exit(2);
    }
    return j;
}

/* Everything that needs sentences.json. */
static void check_sentences(const char *dir, const cJSON *sentences)
{
    Sentences all;
    const PatternSentence *s[RECORDED_MOST];
    const int *counts[RECORDED_MOST];
    static HeadWeights w[RECORDED_MOST * RECORDED_MOST];
    Real *memory[RECORDED_MOST] = { NULL };
    cJSON *patterns = read_json(dir, "patterns.json"), *gr = read_json(dir, "global_relevance.json"),
          *functions = read_json(dir, "head_functions.json");
    read_sentences(&all, sentences);
    if (patterns) check_patterns(patterns, &all);
    if (gr) {
        int heads = recorded(gr, &all, item(gr, "attention"), s, counts, w, memory);
        check_relevance_of_patterns(gr, s, w, heads);
        if (functions) check_functions(functions, s, counts, w, heads);
    }
    for (int k = 0; k < RECORDED_MOST; k++) free(memory[k]);
    free_sentences(&all);
    cJSON_Delete(patterns);
    cJSON_Delete(gr);
    cJSON_Delete(functions);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: analysis_parity DIR\n", stderr);
        return 2;
    }
    cJSON *relevance = read_json(argv[1], "relevance.json"), *toy = read_json(argv[1], "toy.json"),
          *taylor = read_json(argv[1], "taylor.json");
    cJSON *sentences = read_json(argv[1], "sentences.json");
    if (relevance) {
        check_frozen(relevance);
        check_biaffine(item(item(relevance, "epsilon"), "biaffine"));
    }
    if (toy) check_toy(toy);
    if (sentences) check_sentences(argv[1], sentences);
    if (taylor) check_taylor(taylor);
    cJSON_Delete(relevance);
    cJSON_Delete(toy);
    cJSON_Delete(taylor);
    cJSON_Delete(sentences);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
