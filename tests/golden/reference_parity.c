/* Reference_parity [--all] DIR: runs the network on every case of a folder of numbers recorded from the reference
 * implementation (manifest.json names the cases and says what each tensor holds) and compares forward values, decoded
 * trees, loss and gradients. One line a case with the largest relative differences; last line "N passed, N failed". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lal/attribution.h"
#include "parser/model/network.h"
#include "parser/parse/parse_network.h"
#include "parser/task/parse/parse_loss.h"
#include "tests/support/best.h"
#include "tests/support/checking_device.h"
#include "tests/support/fixture.h"

enum { MAX_TOKENS = 4096 };

typedef struct Case {
    const cJSON *json;
    const SafeTensors *st;
    Network net;
    ParamSet ps;
    Real *grads; /* [trained] on the device */
    Tape tape;
    Arena arena;
    int n;
    double forward, loss, gradient, score; /* largest relative differences */
    double completeness;                   /* largest attribution_error; 0 without label heads of their own */
    long explained;
    bool equal; /* decoded trees, heads, types */
    char worst[96];
    double worst_ratio;
} Case;

static int hparam(const Case *c, const char *name)
{
    const cJSON *h = cJSON_GetObjectItem(cJSON_GetObjectItem(c->json, "hparams"), name);
    return cJSON_IsBool(h) ? cJSON_IsTrue(h) : h ? (int)h->valuedouble : 0;
}

static int size_of(const Case *c, const char *name)
{
    return (int)cJSON_GetObjectItem(cJSON_GetObjectItem(c->json, "sizes"), name)->valuedouble;
}

static int rows_of(const Case *c, const char *name)
{
    const StTensor *t = safetensors_find(c->st, name);
    return t ? (int)t->dim[0] : 0;
}

static NetworkConfig config(const Case *c, ParseNetworkConfig *own)
{
    NetworkConfig k = { .task = &TASK_PARSE };
    int d = hparam(c, "d_model");
    bool partitioned = hparam(c, "partitioned");
    k.embedding = (EmbeddingConfig){ .d_model = d,
                                     .partitioned = partitioned,
                                     .n_positions = hparam(c, "sentence_max_len"),
                                     .n_tags = hparam(c, "use_tags") ? size_of(c, "tags") : 0,
                                     .n_words = hparam(c, "use_words") ? size_of(c, "words") : 0,
                                     .n_chars = rows_of(c, "param/char_encoder.emb.weight"),
                                     .d_char = hparam(c, "d_char_emb") };
    const cJSON *heads = cJSON_GetObjectItem(c->json, "label_heads");
    k.encoder = (EncoderConfig){ .d_model = d,
                                 .n_layers = hparam(c, "num_layers"),
                                 .n_heads = hparam(c, "num_heads"),
                                 .d_kv = hparam(c, "d_kv"),
                                 .d_ff = hparam(c, "d_ff"),
                                 .partitioned = partitioned,
                                 .use_lal = hparam(c, "use_lal"),
                                 .lal_pwff = hparam(c, "lal_pwff") };
    k.encoder.lal = (LabelAttentionConfig){ .heads = heads ? (int)heads->valuedouble : size_of(c, "labels") - 2,
                                            .d_kv = hparam(c, "lal_d_kv"),
                                            .d_proj = hparam(c, "lal_d_proj"),
                                            .partitioned = hparam(c, "lal_partitioned"),
                                            .q_as_matrix = hparam(c, "lal_q_as_matrix"),
                                            .combine_as_self = hparam(c, "lal_combine_as_self"),
                                            .resdrop = hparam(c, "lal_resdrop") };
    *own = (ParseNetworkConfig){ .d_label_hidden = hparam(c, "d_label_hidden"),
                                 .n_labels = size_of(c, "labels"),
                                 .arc = { .d_arc = hparam(c, "d_biaffine"),
                                          .d_type = hparam(c, "d_label_hidden"),
                                          .n_types = size_of(c, "types") } };
    k.own = own;
    return k;
}

/* ---- weights: theirs are [out, in] for linear maps and [heads, in, out] for attention; ours [in, out] */

/* Copies theirs [rows, cols] transposed to ours [cols, rows] (ld), or back adds nothing: a pure permutation. */
static void transpose(Real *ours, int ld, const Real *theirs, int rows, int cols)
{
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < cols; k++) ours[(ptrdiff_t)k * ld + r] = theirs[(ptrdiff_t)r * cols + k];
}

/* w_qkv1 consists of w_qs1, w_ks1, w_vs1 [heads, d, w]. */
static bool gather_qkv(const Case *c, const char *kind, const Param *p, Real *out)
{
    const char *at = strstr(p->name, ".w_qkv");
    for (int which = 0; which < 3; which++) {
        char name[160];
        snprintf(name, sizeof name, "%s/%.*s.w_%cs%s", kind, (int)(at - p->name), p->name, "qkv"[which],
                 at + strlen(".w_qkv"));
        const StTensor *t = safetensors_find(c->st, name);
        size_t count;
        FREED(free_pointer) Real *x = fixture_reals(c->st, name, &count);
        if (!x) return false;
        int heads = (int)t->dim[0], d = (int)t->dim[1], w = (int)t->dim[2];
        for (int h = 0; h < heads; h++)
            for (int i = 0; i < d; i++)
                for (int k = 0; k < w; k++)
                    out[(ptrdiff_t)i * p->cols + (which * heads + h) * w + k] = x[((ptrdiff_t)h * d + i) * w + k];
    }
    return true;
}

static bool is_table(const char *name)
{
    return strstr(name, "embedding.embs") || strstr(name, "position_table") || strstr(name, "char_encoder.emb") ||
           strstr(name, "dep_weight") || strstr(name, ".w_qs") || strstr(name, ".w_ks") || strstr(name, ".w_vs");
}

/* The tensor kind/NAME (param or grad) in our layout. */
static bool in_our_layout(const Case *c, const char *kind, const Param *p, Real *out)
{
    if (strstr(p->name, ".w_qkv")) return gather_qkv(c, kind, p, out);
    char name[160];
    snprintf(name, sizeof name, "%s/%s", kind, p->name);
    size_t count;
    FREED(free_pointer) Real *x = fixture_reals(c->st, name, &count);
    if (!x || count != param_count(p)) return false;
    if (p->n_dims == 1 || is_table(p->name)) memcpy(out, x, count * sizeof *x);
    else if (strstr(p->name, "bilinear.U")) { /* [types, d, d] -> [d, types * d] */
        int d = p->rows, types = p->cols / d;
        for (int y = 0; y < types; y++)
            for (int i = 0; i < d; i++)
                for (int j = 0; j < d; j++) out[(ptrdiff_t)i * p->cols + y * d + j] = x[((ptrdiff_t)y * d + i) * d + j];
    } else transpose(out, p->cols, x, p->cols, p->rows);
    return true;
}

/* ---- comparisons */

static void note(Case *c, double *worst, double d, double limit, const char *name)
{
    if (!(d <= *worst)) *worst = d;
    if (!(d / limit <= c->worst_ratio)) {
        c->worst_ratio = d / limit;
        snprintf(c->worst, sizeof c->worst, "%s %.1e", name, d);
    }
}

static void compare_reals(Case *c, const char *name, const Real *ours, double *worst)
{
    size_t n;
    FREED(free_pointer) Real *want = fixture_reals(c->st, name, &n);
    if (!want) return;
    note(c, worst, relative_difference(ours, want, n, 1e-3), 1e-4, name);
}

static void compare_tensor(Case *c, const char *name, const Tensor *x)
{
    if (x && x->ld == x->cols) compare_reals(c, name, tensor_host(&c->tape, x, &c->arena).data, &c->forward);
}

static int arg_max(const Real *x, int n)
{
    int best = 0;
    for (int k = 1; k < n; k++)
        if (x[k] > x[best]) best = k;
    return best;
}

/* Label scores [n + 1, n + 1, L] as recorded hold both triangles; ours is compared above the diagonal. */
static void check_label_scores(Case *c, const Real *scores, int labels)
{
    size_t count;
    FREED(free_pointer) Real *want = fixture_reals(c->st, "out/label_scores", &count);
    if (!want) return;
    int n = c->n;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j <= n; j++)
            note(c, &c->forward,
                 relative_difference(scores + chart_span(n, i, j) * (labels - 1),
                                     want + ((ptrdiff_t)i * (n + 1) + j) * labels + 1, (size_t)labels - 1, 1e-3),
                 1e-4, "label_scores");
}

static void check_decode(Case *c, const Real *label_scores, const Real *arcs, const HostMatrix *types, Arena *a)
{
    int n = c->n, labels = parse_network(&c->net)->c.n_labels;
    const cJSON *lambda_json = cJSON_GetObjectItem(cJSON_GetObjectItem(c->json, "hparams"), "const_lada");
    double lambda = lambda_json ? lambda_json->valuedouble : 0.5;
    Real *s = arena_alloc(a, (size_t)(labels - 1), sizeof *s),
         *t = arena_alloc(a, (size_t)(n + 1) * (size_t)(n + 1), sizeof *t);
    SpanBest *best = arena_alloc(a, (size_t)chart_size(n), sizeof *best);
    for (long k = 0; k < chart_size(n); k++) {
        for (int l = 0; l < labels - 1; l++) s[l] = (Real)(lambda * (double)label_scores[k * (labels - 1) + l]);
        best[k] = span_best(s, labels);
    }
    for (int k = 0; k < (n + 1) * (n + 1); k++) t[k] = (Real)((1 - lambda) * (double)arcs[k]);
    Error e = { 0 };
    JointTree *tree = joint_decode(best, t, n, a, a, &e);
    Real got = tree ? (Real)tree->score : NAN;
    compare_reals(c, "out/decode_score", &got, &c->score);
    FREED(free_pointer)
    int32_t *heads = fixture_ints(c->st, "out/decode_heads", NULL),
            *nodes = fixture_ints(c->st, "out/decode_nodes", NULL);
    FREED(free_pointer) int32_t *want_types = fixture_ints(c->st, "out/decode_types", NULL);
    for (int w = 0; tree && heads && w < n; w++) c->equal = c->equal && heads[w] == tree->heads[w];
    for (int k = 0; tree && nodes && k < 2 * n - 1; k++) {
        const Span *x = &tree->nodes[k];
        bool unlabelled_word = n == 1 && nodes[2] == 0; /* the reference may leave a single word bare; ours labels it */
        bool same = nodes[3 * k] == x->begin && nodes[3 * k + 1] == x->end && nodes[3 * k + 2] == x->label;
        c->equal = c->equal && (same || (unlabelled_word && x->label >= 2));
    }
    for (int w = 0; want_types && w < n; w++)
        c->equal = c->equal && want_types[w] == arg_max(host_row(types, w + 1), types->cols);
}

static void check_training(Case *c, const Forward *f, const NetworkOutput *out, Arena *a)
{
    size_t n_gold;
    FREED(free_pointer)
    int32_t *nodes = fixture_ints(c->st, "gold/nodes", &n_gold), *heads = fixture_ints(c->st, "gold/heads", NULL);
    FREED(free_pointer) int32_t *types = fixture_ints(c->st, "gold/types", NULL);
    if (nodes && heads && types && safetensors_find(c->st, "out/loss")) {
        Span *gold = arena_alloc(a, n_gold / 3 + 1, sizeof *gold);
        for (size_t k = 0; k < n_gold / 3; k++) gold[k] = (Span){ nodes[3 * k], nodes[3 * k + 1], nodes[3 * k + 2] };
        const ParseGold own = { .tree = { c->n, (int)(n_gold / 3), gold }, .heads = heads, .types = types };
        const Gold g = { &own };
        LossParts parts;
        LossWeights weights = parse_loss_weights(1, 0);
        Tensor *loss = network_loss(f, &c->net, out, &g, &weights, a, &parts);
        Real value = (Real)tape_number(f->t, loss), delta = (Real)parts.delta;
        compare_reals(c, "out/loss", &value, &c->loss);
        compare_reals(c, "out/hinge_delta", &delta, &c->loss);
        Real *grads = arena_alloc(a, c->ps.trained, sizeof *grads);
        if (!loss || tape_backward(f->t, loss) != OK ||
            !tape_download(f->t, grads, c->grads, c->ps.trained * sizeof *grads))
            c->equal = false;
        for (int k = 0; k < c->ps.n; k++) {
            const Param *p = &c->ps.p[k];
            FREED(free_pointer) Real *want = mem_alloc(param_count(p), sizeof *want);
            if (in_our_layout(c, "grad", p, want))
                note(c, &c->gradient, relative_difference(grads + p->offset, want, param_count(p), 1e-6), 1e-3,
                     p->name);
        }
    }
}

static void explain_decision(Case *c, const Forward *f, const NetworkOutput *out, Tensor *from, int row, int column,
                             Arena *a)
{
    Error e = { 0 };
    HeadAttribution x;
    ArenaMark mark = arena_mark(a);
    Tensor *score =
        from ? op_pick(f->t, from, (const int[]){ row }, (const int[]){ column }, (const Real[]){ 1 }, 1, 0) : NULL;
    bool ok = score && attribution_heads(f, &c->net.encoder, &out->encoder, score, 0, false, a, &x, &e) == OK;
    double error = ok ? attribution_error(&x) : INFINITY;
    if (!(error <= c->completeness)) c->completeness = error;
    c->explained++;
    arena_rewind(a, mark);
}

/* Contributions of heads add up to scores of spans, with labels of all kinds, and of arcs. */
static void check_attribution(Case *c, const Forward *f, const NetworkOutput *out, Arena *a)
{
    enum { EVERY = 7 };
    if (!encoder_has_label_heads(&c->net.encoder)) return;
    for (int i = 0, k = 0; i < c->n; i++)
        for (int j = i + 1; j <= c->n; j++, k++) {
            if (k % EVERY && k > EVERY) continue;
            const int span[] = { i, j };
            explain_decision(c, f, out,
                             span_scorer_score(f, &parse_network(&c->net)->span, parse_scores(out)->g, span, 1), 0,
                             (i * 31 + j) % (parse_network(&c->net)->c.n_labels - 1), a);
        }
    for (int w = 1; w <= c->n; w++)
        explain_decision(c, f, out, parse_scores(out)->arc.arcs, 0, w * (c->n + 1) + (w * 5 + 1) % (c->n + 1), a);
}

static void check_forward(Case *c, const NetworkOutput *out)
{
    compare_tensor(c, "out/embedding", out->embedding);
    for (int l = 0; l < c->net.c.encoder.n_layers; l++) {
        char name[40];
        snprintf(name, sizeof name, "out/encoder_layer%d", l);
        compare_tensor(c, name, out->encoder.layer[l]);
    }
    compare_tensor(c, "out/lal", out->encoder.lal);
    compare_tensor(c, "out/fencepost", out->encoder.fencepost);
    const Tensor *p = out->encoder.trace.probs;
    if (c->net.c.encoder.use_lal)
        compare_tensor(c, "out/word", out->encoder.word); /* without LAL the record is reordered */
    if (p && c->net.c.encoder.lal.q_as_matrix) compare_tensor(c, "out/lal_attention", p);
    else if (p) { /* ours [tokens, heads] */
        FREED(free_pointer) Real *heads_first = mem_alloc(tensor_size(p), sizeof *heads_first);
        transpose(heads_first, p->rows, tensor_host(&c->tape, p, &c->arena).data, p->rows, p->cols);
        compare_reals(c, "out/lal_attention", heads_first, &c->forward);
    }
}

static TokenInputs inputs(const Case *c, int m, Arena *a)
{
    TokenInputs in = { 0 };
    int *position = arena_alloc(a, (size_t)m, sizeof *position),
        *spelling = arena_alloc(a, (size_t)m, sizeof *spelling);
    for (int k = 0; k < m; k++) position[k] = spelling[k] = k;
    in.position = position;
    in.tag = fixture_ints(c->st, "input/tags", NULL);
    in.word = fixture_ints(c->st, "input/words", NULL);
    const StTensor *t = safetensors_find(c->st, "input/chars");
    if (t) {
        FREED(free_pointer)
        int32_t *chars = fixture_ints(c->st, "input/chars", NULL), *lens = fixture_ints(c->st, "input/char_lens", NULL);
        int wide = (int)t->dim[1], *packed = arena_alloc(a, t->count, sizeof *packed),
            *start = arena_alloc(a, (size_t)m + 1, sizeof *start);
        start[0] = 0;
        for (int k = 0; k < m; k++) {
            memcpy(packed + start[k], chars + (ptrdiff_t)k * wide, (size_t)lens[k] * sizeof *packed);
            start[k + 1] = start[k] + lens[k];
        }
        in.n_spellings = m;
        in.chars = packed;
        in.char_start = start;
        in.spelling = spelling;
    }
    return in;
}

static bool load(Case *c, Error *e)
{
    ParseNetworkConfig own;
    params_init(&c->ps);
    if (network_declare(&c->net, &c->ps, config(c, &own), e) != OK || params_finish(&c->ps, e) != OK) return false;
    for (int k = 0; k < c->ps.n; k++)
        if (!in_our_layout(c, "param", &c->ps.p[k], param_values(&c->ps, k))) {
            error_set(e, ERR_FORMAT, "no weight for %s of the right shape", c->ps.p[k].name);
            return false;
        }
    c->grads = device_zeros(test_device(), c->ps.trained);
    return c->grads && params_upload(&c->ps, test_device(), e) == OK;
}

static bool run(Case *c, Error *e)
{
    c->n = (int)cJSON_GetObjectItem(c->json, "n")->valuedouble;
    int m = c->n + 2, start[2] = { 0, m }, labels;
    if (!load(c, e)) return false;
    labels = parse_network(&c->net)->c.n_labels;
    Arena *a = &c->arena;
    Tape *tape = &c->tape;
    arena_init(a, 1 << 20);
    tape_init(tape, test_device());
    tape_reset(tape, true, false, 0);
    Batch batch = { 1, start, m, m };
    int *sentence_of = arena_calloc(a, (size_t)m, sizeof *sentence_of);
    Forward f = { tape, &c->ps, c->grads, &batch, sentence_of, false };
    TokenInputs in = inputs(c, m, a);
    NetworkOutput out;
    bool ok = network_forward(&f, &c->net, &in, NULL, &out) == OK;
    if (ok) {
        check_forward(c, &out);
        Real *scores = arena_alloc(a, (size_t)chart_size(c->n) * (size_t)(labels - 1), sizeof *scores);
        span_scorer_score_all(&f, &parse_network(&c->net)->span, parse_scores(&out)->g, 0, c->n, scores);
        check_label_scores(c, scores, labels);
        compare_tensor(c, "out/arc_scores", parse_scores(&out)->arc.arcs);
        tape->recording = false;
        Tensor *types = arc_scorer_types(&f, &parse_network(&c->net)->arc, &parse_scores(&out)->arc, NULL);
        tape->recording = true;
        compare_tensor(c, "out/type_scores", types);
        HostMatrix arcs = tensor_host(tape, parse_scores(&out)->arc.arcs, a), best = tensor_host(tape, types, a);
        check_decode(c, scores, arcs.data, &best, a);
        check_training(c, &f, &out, a);
        check_attribution(c, &f, &out, a); /* last: coefficients replace gradients */
        ok = tape_status(tape) == OK;
    }
    if (!ok) *e = tape->error;
    mem_free((void *)(uintptr_t)in.tag);
    mem_free((void *)(uintptr_t)in.word);
    tape_fini(tape);
    arena_fini(a);
    return ok;
}

static bool check(const SafeTensors *st, const cJSON *json, const char *name)
{
    Case c = { .st = st, .json = json, .equal = true };
    Error e = { 0 };
    bool ok = run(&c, &e);
    fixture_leave_out("out/train_decode_nodes"); /* of equal trees one is chosen: out/hinge_delta has their number */
    if (!hparam(&c, "use_lal")) fixture_leave_out("out/word"); /* recorded in another order: out/fencepost has it */
    const char *unread = ok && fixture_all() ? fixture_unread(st, "out/") : NULL;
    if (ok && fixture_all() && !unread) unread = fixture_unread(st, "grad/");
    if (unread) ok = false, error_set(&e, ERR_FORMAT, "%s was not compared", unread);
    ok = ok && c.equal && c.completeness <= 1e-4 && c.forward <= 1e-4 && c.score <= 1e-4 && c.loss <= 1e-4 &&
         c.gradient <= 1e-3;
    printf(
        "%-6s %-32s forward %.1e  decode %s %.1e  loss %.1e  gradient %.1e  completeness %.1e of %ld  worst %s%s%s\n",
        ok ? "ok" : "FAILED", name, c.forward, c.equal ? "equal" : "DIFFERS", c.score, c.loss, c.gradient,
        c.completeness, c.explained, c.worst, e.message[0] ? "  " : "", e.message);
    network_fini(&c.net);
    params_fini(&c.ps);
    test_device()->free(c.grads);
    return ok;
}

int main(int argc, char **argv) { return fixture_check_all(argc, argv, check); }
