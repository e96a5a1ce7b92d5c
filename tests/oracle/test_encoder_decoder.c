/* The network that translates: its scores against plain loops in double, its
 * gradients against finite differences, and the steps of a search against passes over whole outputs. Plain loops read
 * one text alone and each piece with those before it alone, so what may not change a score is checked too. */
#include "parser/task/translate/search.h"
#include "parser/task/translate/translate_pass.h"
#include "tests/support/slopes.h"
#include "tests/support/toy_options.h"
#include "tests/support/weighted.h"

enum { D = 8, HEADS = 2, W = 3, ALL = HEADS * W, FF = 10, LAYERS = 1, WRITTEN = 2, PIECES = 11 };
enum { TEXTS = 4, MOST = 8, TOKENS = TEXTS * MOST };
static const double TOLERANCE = sizeof(Real) == 8 ? 1e-10 : 1e-4;

/* Texts and their translations. */
typedef struct Text {
    int piece[MOST]; /* how many, then they */
} Text;
static const Text SOURCE[TEXTS] = { { { 3, 4, 5, 6 } }, { { 1, 7 } }, { { 6, 3, 4, 8, 8, 10, 2 } }, { { 2, 9, 4 } } },
                  TARGET[TEXTS] = { { { 2, 5, 3 } }, { { 0 } }, { { 5, 6, 6, 7, 10, 2 } }, { { 1, 3 } } };

typedef struct Net {
    Network net;
    ParamSet ps;
    EncoderOptions options;
    Arena strings; /* of the options */
    int gates[2];  /* of the heads of all layers of the decoder: self-attention, attention to the source */
    bool gated;
    GuidanceNorm norm;
    GuidanceEmptyRow empty;
    Slopes slopes;
    Tape t;
    Arena a;
    Batch batch; /* the sources */
    int start[TEXTS + 1], word[TOKENS], position[TOKENS];
} Net;

static void set_sources(Net *n)
{
    int at = 0, longest = 0;
    for (int s = 0; s < TEXTS; s++) {
        int tokens = SOURCE[s].piece[0] + 2;
        n->start[s] = at;
        for (int k = 0; k < tokens; k++, at++) {
            n->word[at] = k == 0 ? TOKEN_START : k == tokens - 1 ? TOKEN_STOP : SOURCE[s].piece[k];
            n->position[at] = k;
        }
        if (tokens > longest) longest = tokens;
    }
    n->start[TEXTS] = at;
    n->batch = (Batch){ TEXTS, n->start, at, longest };
}

/* Pieces 5 and 8, 6 and 10 are alike in lower case. */
static const int LOWER[PIECES] = { 0, 1, 2, 3, 4, 5, 6, 7, 5, 9, 6 };

/* options: NULL, or JSON with ' for "; kept: of the decoder, or NULL. */
static void net_init_with(Net *n, const char *options, const HeadNumbers *kept)
{
    const EncoderShape shape = { .n_layers = LAYERS, .n_heads = HEADS, .n_decoder_layers = WRITTEN };
    arena_init(&n->strings, 1024);
    if (options) {
        n->options = toy_options(options, &n->strings);
        assert_ok(encoder_options_check(&n->options, &shape, NULL, &n->strings, test_error()));
    }
    const DecoderConfig decoder = { .d = D,
                                    .n_layers = WRITTEN,
                                    .n_heads = HEADS,
                                    .d_kv = W,
                                    .d_ff = FF,
                                    .options = options ? &n->options : NULL,
                                    .kept = kept,
                                    .lower = LOWER };
    const NetworkConfig c = {
        .task = &TASK_TRANSLATE,
        .embedding = { .d_model = D, .plain = true, .n_words = PIECES, .embedding_dropout = 0.1 },
        .encoder = { .d_model = D, .n_layers = LAYERS, .n_heads = HEADS, .d_kv = W, .d_ff = FF, .plain = true },
        .dropout = { 0.1, 0.2, 0.1 },
        .own = &decoder,
    };
    n->gated = false;
    n->norm = GUIDANCE_ROW;
    n->empty = EMPTY_UNIFORM;
    params_init(&n->ps);
    assert_ok(network_declare(&n->net, &n->ps, c, test_error()));
    for (int k = 0; k < 2; k++) /* rows: layers */
        assert_ok(param_declare(&n->gates[k], &n->ps, test_error(), 2, WRITTEN, HEADS, 0, "gates_%d", k));
    assert_ok(params_finish(&n->ps, test_error()));
    network_init(&n->net, &n->ps, 3);
    for (int k = 0; k < 2; k++) param_init_constant(&n->ps, n->gates[k], 1);
    for (int k = 0; k < n->ps.n; k++) /* no bias is 0, no norm and no gate 1 */
        for (size_t i = 0; i < param_count(&n->ps.p[k]); i++)
            param_values(&n->ps, k)[i] += (Real)(0.3 * rng_normal(rng_key(9, (uint64_t)k, 0, 0), i));
    assert_ok(params_upload(&n->ps, test_device(), test_error()));
    slopes_init(&n->slopes, &n->ps);
    tape_init(&n->t, test_device());
    arena_init(&n->a, 1 << 14);
    set_sources(n);
}

static void net_init(Net *n) { net_init_with(n, NULL, NULL); }

static void net_fini(Net *n)
{
    arena_fini(&n->strings);
    slopes_fini(&n->slopes);
    tape_fini(&n->t);
    arena_fini(&n->a);
    network_fini(&n->net);
    params_fini(&n->ps);
}

/* The pieces of a source as words, of which 4 is a comma. */
static PatternSentence source_words(Net *n, int s)
{
    static const char *const names[PIECES] = { "", "", "b", "c", ",", "e", "f", "g", "h", "i", "j" };
    int words = n->start[s + 1] - n->start[s] - 2;
    const char **word = arena_alloc(&n->a, (size_t)words, sizeof *word);
    assert_non_null(word);
    for (int w = 0; w < words; w++) word[w] = names[n->word[n->start[s] + 1 + w]];
    return (PatternSentence){ .n = words, .words = word };
}

static Forward encode(Net *n, bool record, bool training, NetworkOutput *out)
{
    const TokenInputs in = { .word = n->word, .position = n->position };
    EncoderControl on = { .gate_key = 0 };
    PatternSentence sentence[TEXTS];
    tape_reset(&n->t, record, training, 77);
    arena_reset(&n->a);
    for (int s = 0; s < n->batch.n_sent; s++) sentence[s] = source_words(n, s);
    assert_ok(head_plan_source_keys(&network_decoder(&n->net)->plan[DECODER_CROSS], sentence, &n->batch, &n->a,
                                    &on.source_keys, test_error()));
    Forward f = { .t = &n->t, .params = &n->ps, .grads = n->slopes.on_device, .batch = &n->batch };
    assert_int_equal(network_forward(&f, &n->net, &in, &on, out), OK);
    return f;
}

static void decode(Net *n, const Forward *f, const NetworkOutput *out, const Text *target, TranslatePass *pass)
{
    const int *labels[TEXTS];
    HeadControl layer[2][WRITTEN] = { { { 0 } } };
    const DecoderControl control = { .self = layer[0], .cross = layer[1] };
    for (int k = 0; k < n->batch.n_sent; k++) labels[k] = target[k].piece;
    for (int kind = 0; kind < 2; kind++)
        for (int l = 0; l < WRITTEN; l++)
            layer[kind][l].gates = param_rows(&n->t, &n->ps, n->gates[kind], n->slopes.on_device, l, 1);
    if (!translate_pass(f, &n->net, out, labels, n->gated ? &control : NULL, pass)) fail_msg("%s", n->t.error.message);
}

/* Scores of all pieces of these translations of the sources, [tokens of the decoder, PIECES]. */
static const Real *scores_of(Net *n, const Text *target)
{
    NetworkOutput out;
    TranslatePass pass;
    const Forward f = encode(n, false, false, &out);
    decode(n, &f, &out, target, &pass);
    assert_int_equal(pass.scores->cols, PIECES);
    return tensor_numbers(&n->t, pass.scores);
}

/* ---- plain loops */

typedef struct Rows {
    int n;
    double x[MOST][D];
} Rows;

/* Columns from .. from + cols - 1 of x w + b, whose names are prefix.w and prefix.b. */
static void linear(const Net *n, const char *prefix, const char *w, const char *b, const double *x, int from, int cols,
                   double *out)
{
    char name[2][80];
    snprintf(name[0], sizeof name[0], "%s.%s", prefix, w);
    snprintf(name[1], sizeof name[1], "%s.%s", prefix, b);
    int k = params_find(&n->ps, name[0]), i = params_find(&n->ps, name[1]);
    assert_true(k >= 0 && i >= 0);
    const Real *weight = param_values(&n->ps, k), *bias = param_values(&n->ps, i);
    int width = n->ps.p[k].cols;
    for (int c = 0; c < cols; c++) {
        out[c] = (double)bias[from + c];
        for (int r = 0; r < n->ps.p[k].rows; r++) out[c] += x[r] * (double)weight[r * width + from + c];
    }
}

/* x becomes norm(x + y). */
static void add_norm(const Net *n, const char *prefix, double *x, const double *y)
{
    char name[2][80];
    snprintf(name[0], sizeof name[0], "%s.layer_norm.weight", prefix);
    snprintf(name[1], sizeof name[1], "%s.layer_norm.bias", prefix);
    const Real *a = param_values(&n->ps, params_find(&n->ps, name[0])),
               *b = param_values(&n->ps, params_find(&n->ps, name[1]));
    double mean = 0, var = 0;
    for (int j = 0; j < D; j++) mean += (x[j] += y[j]) / D;
    for (int j = 0; j < D; j++) var += (x[j] - mean) * (x[j] - mean) / D;
    for (int j = 0; j < D; j++) x[j] = (x[j] - mean) / sqrt(var + 1e-5) * (double)a[j] + (double)b[j];
}

/* What a head does with key u of query t: 1 attends to it, 0 not, 2 + x without queries and keys, with the logit -x
 * / 8: uniformly, or with weights. NULL: 1. */
typedef int Sees(const int *source, const int *target, int layer, int head, bool cross, int t, int u);

/* Attention of x to itself, or to a source; gates [HEADS] may be NULL, and so may sees. */
static void attend(const Net *n, const char *prefix, const Rows *source, bool causal, const Real *gates, Rows *x,
                   Sees *sees, const int *const *pieces, int layer)
{
    const Rows *of = source ? source : x;
    double q[MOST][ALL], k[MOST][ALL], v[MOST][ALL], ctx[MOST][ALL];
    const char *const w = source ? "w_kv" : "w_qkv", *const b = source ? "b_kv" : "b_qkv";
    int from = source ? 0 : ALL;
    for (int t = 0; t < x->n; t++)
        linear(n, prefix, source ? "w_q" : "w_qkv", source ? "b_q" : "b_qkv", x->x[t], 0, ALL, q[t]);
    for (int u = 0; u < of->n; u++) {
        linear(n, prefix, w, b, of->x[u], from, ALL, k[u]);
        linear(n, prefix, w, b, of->x[u], from + ALL, ALL, v[u]);
    }
    for (int t = 0; t < x->n; t++)
        for (int h = 0; h < HEADS; h++) {
            double p[MOST], sum = 0;
            int keys = causal ? t + 1 : of->n, how[MOST + 1] = { 0 }, seen = 0;
            for (int u = 0; u < keys && sees; u++)
                seen += (how[u] = sees(pieces[0], pieces[1], layer, h, source != NULL, t, u)) > 0;
            for (int u = 0; u < keys; u++) {
                double logit = 0;
                for (int a = h * W; a < (h + 1) * W && how[u] < 2; a++) logit += q[t][a] * k[u][a];
                if (how[u] > 2) logit = -(how[u] - 2) / 8. * sqrt(W);
                sum += p[u] = seen && !how[u] ? 0 : exp(logit / sqrt(W));
            }
            for (int a = h * W; a < (h + 1) * W; a++) {
                ctx[t][a] = 0;
                for (int u = 0; u < keys; u++) ctx[t][a] += p[u] / sum * v[u][a] * (gates ? (double)gates[h] : 1);
            }
        }
    for (int t = 0; t < x->n; t++) {
        double y[D];
        linear(n, prefix, "proj.weight", "proj.bias", ctx[t], 0, D, y);
        add_norm(n, prefix, x->x[t], y);
    }
}

static void feed_forward(const Net *n, const char *prefix, Rows *x)
{
    for (int t = 0; t < x->n; t++) {
        double hidden[FF], y[D];
        linear(n, prefix, "w_1.weight", "w_1.bias", x->x[t], 0, FF, hidden);
        for (int j = 0; j < FF; j++) hidden[j] = fmax(hidden[j], 0);
        linear(n, prefix, "w_2.weight", "w_2.bias", hidden, 0, D, y);
        add_norm(n, prefix, x->x[t], y);
    }
}

static double embedded(const Net *n, int piece, int j)
{
    return (double)param_values(&n->ps, params_find(&n->ps, "embedding.embs.0.weight"))[piece * D + j];
}

static void embed(const Net *n, Rows *x, int piece)
{
    int p = x->n++;
    for (int j = 0; j < D; j++) {
        double angle = p / pow(10000, (double)(j / 2 * 2) / D);
        x->x[p][j] = sqrt(D) * embedded(n, piece, j) + (j % 2 ? cos(angle) : sin(angle));
    }
}

/* The scores of a translation, [its pieces + 1][PIECES]. */
static void plain(const Net *n, const int *source, const int *target, Sees *sees, double scores[MOST][PIECES])
{
    const int *const pieces[2] = { source, target };
    Rows x = { .n = 0 }, y = { .n = 0 };
    char name[40];
    embed(n, &x, TOKEN_START);
    for (int k = 1; k <= source[0]; k++) embed(n, &x, source[k]);
    embed(n, &x, TOKEN_STOP);
    for (int k = 0; k <= target[0]; k++) embed(n, &y, k ? target[k] : TOKEN_START);
    for (int l = 0; l < LAYERS; l++) {
        snprintf(name, sizeof name, "encoder.attn_%d", l);
        attend(n, name, NULL, false, NULL, &x, NULL, NULL, l);
        snprintf(name, sizeof name, "encoder.ff_%d", l);
        feed_forward(n, name, &x);
    }
    for (int l = 0; l < WRITTEN; l++) {
        const Real *gates[2];
        for (int k = 0; k < 2; k++) gates[k] = n->gated ? param_values(&n->ps, n->gates[k]) + l * HEADS : NULL;
        snprintf(name, sizeof name, "decoder.self_%d", l);
        attend(n, name, NULL, true, gates[0], &y, sees, pieces, l);
        snprintf(name, sizeof name, "decoder.cross_%d", l);
        attend(n, name, &x, false, gates[1], &y, sees, pieces, l);
        snprintf(name, sizeof name, "decoder.ff_%d", l);
        feed_forward(n, name, &y);
    }
    for (int t = 0; t < y.n; t++)
        for (int p = 0; p < PIECES; p++) {
            scores[t][p] = 0;
            for (int j = 0; j < D; j++) scores[t][p] += y.x[t][j] * embedded(n, p, j);
        }
}

TEST(scores_are_those_of_plain_loops)
{
    MADE(Net, net_init, net_fini, n);
    for (int gated = 0; gated < 2; gated++) {
        n.gated = gated;
        const Real *found = scores_of(&n, TARGET);
        for (int s = 0; s < TEXTS; s++) {
            double want[MOST][PIECES];
            plain(&n, SOURCE[s].piece, TARGET[s].piece, NULL, want);
            for (int t = 0; t <= TARGET[s].piece[0]; t++)
                for (int p = 0; p < PIECES; p++, found++)
                    assert_within((double)*found, want[t][p], TOLERANCE * fmax(1, fabs(want[t][p])));
        }
    }
}

/* ---- masks, fixed heads and guidance */

static const char MASKS[] =
    "{'heads': ["
    "{'stack': 'decoder', 'layers': [0], 'heads': [0], 'pattern': ['prev', 'self'], 'use': 'mask'}, "
    "{'stack': 'decoder', 'layers': [0], 'heads': [1], 'pattern': 'match_token/self=true', 'use': 'mask'}, "
    "{'stack': 'decoder', 'layers': [1], 'heads': [0], 'pattern': 'rel_pos/window=5', 'use': 'mask'}, "
    "{'stack': 'decoder', 'layers': [1], 'heads': [1], 'pattern': ['first', 'prev'], 'use': 'fixed'}, "
    "{'stack': 'cross', 'layers': [0], 'heads': [0], 'pattern': 'seprat', 'use': 'mask'}, "
    "{'stack': 'cross', 'layers': [1], 'heads': [1], 'pattern': 'delim', 'use': 'fixed'}]}";

/* Is piece u one like piece t, or t itself after another one like it? */
static bool matches(const int *target, int t, int u)
{
    bool earlier = false;
    for (int k = 1; k < t; k++) earlier = earlier || LOWER[target[k]] == LOWER[target[t]];
    return t > 0 && u > 0 && LOWER[target[t]] == LOWER[target[u]] && (u != t || earlier);
}

/* MASKS, pair by pair. */
static int sees_masks(const int *source, const int *target, int layer, int head, bool cross, int t, int u)
{
    if (cross && layer == 0 && head == 0) return u == 0 || u == source[0] + 1 || source[u] == 4;
    if (cross && layer == 1 && head == 1) return u == 0 || u == source[0] + 1 ? 2 : 0;
    if (cross) return 1;
    if (layer == 0 && head == 0) return u == t - 1 || u == t;
    if (layer == 0) return matches(target, t, u);
    return head == 0 ? t - u <= 2 : u == 0 || u == t - 1 ? 2 : 0;
}

/* The same without two of the masks, whose absence must show. */
static int sees_others(const int *source, const int *target, int layer, int head, bool cross, int t, int u)
{
    if (cross ? layer == 0 && head == 0 : layer == 0 && head == 1) return 1;
    return sees_masks(source, target, layer, head, cross, t, u);
}

static const char WEIGHTS[] =
    "{'heads': [{'stack': 'decoder', 'layers': [0], 'heads': [0], 'pattern': 'gauss', 'use': 'fixed'}, "
    "{'stack': 'decoder', 'layers': [0], 'heads': [1], 'pattern': 'prev', 'use': 'fixed'}, "
    "{'stack': 'decoder', 'layers': [1], 'heads': [1], 'pattern': 'gauss/offset=-1,deviation=2', 'use': 'fixed'}], "
    "'patterns': {'gauss': {'deviation': 0.5}}}";

static int sees_weights(const int *source, const int *target, int layer, int head, bool cross, int t, int u)
{
    (void)source, (void)target;
    if (cross || (layer == 1 && head == 0)) return 1;
    if (layer == 1) return 2 + (u - t + 1) * (u - t + 1);
    return head == 0 ? 2 + 16 * (u - t) * (u - t) : u == t - 1 ? 2 : 0;
}

TEST(fixed_heads_with_weights_are_those_of_plain_loops)
{
    MADE(Net, net_init_with, net_fini, n, WEIGHTS, NULL);
    const Real *found = scores_of(&n, TARGET);
    for (int s = 0; s < TEXTS; s++) {
        double want[MOST][PIECES];
        plain(&n, SOURCE[s].piece, TARGET[s].piece, sees_weights, want);
        for (int t = 0; t <= TARGET[s].piece[0]; t++)
            for (int p = 0; p < PIECES; p++, found++)
                assert_within((double)*found, want[t][p], TOLERANCE * fmax(1, fabs(want[t][p])));
    }
}

TEST(masked_heads_of_the_decoder_are_those_of_plain_loops)
{
    MADE(Net, net_init_with, net_fini, n, MASKS, NULL);
    const Real *found = scores_of(&n, TARGET);
    double apart = 0;
    for (int s = 0; s < TEXTS; s++) {
        double want[MOST][PIECES], other[MOST][PIECES];
        plain(&n, SOURCE[s].piece, TARGET[s].piece, sees_masks, want);
        plain(&n, SOURCE[s].piece, TARGET[s].piece, sees_others, other);
        for (int t = 0; t <= TARGET[s].piece[0]; t++)
            for (int p = 0; p < PIECES; p++, found++) {
                assert_within((double)*found, want[t][p], TOLERANCE * fmax(1, fabs(want[t][p])));
                apart = fmax(apart, fabs(want[t][p] - other[t][p]));
            }
    }
    assert_true(apart > 0.1);
}

/* ---- the loss and its gradients */

static Tensor *loss_of(Net *n, double scale, double smoothing, bool training, bool record, LossParts *parts)
{
    LossWeights w = { .part = { scale }, .smoothing = smoothing, .guided_sentences = TEXTS };
    w.part[LOSS_GUIDANCE] = network_guides(&n->net) ? 0.7 : 0;
    w.part[LOSS_GATES] = 0.3;
    w.guidance_norm = n->norm;
    w.empty_row = n->empty;
    Gold gold[TEXTS] = { { NULL } };
    NetworkOutput out;
    const Forward f = encode(n, record, training, &out);
    for (int k = 0; k < TEXTS; k++) gold[k].own = TARGET[k].piece;
    Tensor *loss = network_loss(&f, &n->net, &out, gold, &w, &n->a, parts);
    if (!loss) fail_msg("%s", n->t.error.message);
    return loss;
}

/* -log p of piece `gold`, or its mean over all pieces for -1. */
static double surprise(const Real *score, int gold)
{
    double sum = 0, mean = 0;
    for (int p = 0; p < PIECES; p++) sum += exp((double)score[p]);
    for (int p = 0; p < PIECES; p++) mean += (log(sum) - (double)score[p]) / PIECES;
    return gold < 0 ? mean : log(sum) - (double)score[gold];
}

TEST(the_loss_is_smoothed_over_all_pieces)
{
    MADE(Net, net_init, net_fini, n);
    const Real *score = scores_of(&n, TARGET);
    double gold = 0, mean = 0;
    LossParts parts;
    for (int s = 0; s < TEXTS; s++)
        for (int t = 1; t <= TARGET[s].piece[0] + 1; t++, score += PIECES) {
            gold += surprise(score, t <= TARGET[s].piece[0] ? TARGET[s].piece[t] : TOKEN_STOP);
            mean += surprise(score, -1);
        }
    for (int k = 0; k < 2; k++) {
        double smoothing = k ? 0.1 : 0, want = (1 - smoothing) * gold + smoothing * mean;
        assert_within(tape_number(&n.t, loss_of(&n, 0.25, smoothing, false, false, &parts)), want / 4, 50 * TOLERANCE);
        assert_within(parts.part[0], want, 50 * TOLERANCE);
        assert_within(parts.part[1], gold, 50 * TOLERANCE); /* the part that is only reported */
    }
}

/* With dropout, through the task. Guidance needs the weights of heads, which a pass has that is recorded. */
static double value_of_loss(void *net)
{
    LossParts parts;
    bool guided = network_guides(&((Net *)net)->net) > 0;
    return tape_number(&((Net *)net)->t, loss_of(net, 0.25, 0.1, true, guided, &parts));
}

TEST(gradients_of_the_loss_agree_with_finite_differences)
{
    MADE(Net, net_init, net_fini, n);
    LossParts parts;
    slopes_backward(&n.slopes, &n.t, loss_of(&n, 0.25, 0.1, true, true, &parts));
    assert_slopes(&n.ps, n.slopes.host, value_of_loss, &n, "loss");
}

/* Heads with masks, fixed heads and guided ones together, one of these on a head with a mask. */
static const char GUIDED[] =
    "{'heads': ["
    "{'stack': 'decoder', 'layers': [0], 'heads': [0], 'pattern': 'match_token', 'use': 'guide'}, "
    "{'stack': 'decoder', 'layers': [0], 'heads': [1], 'pattern': ['prev', 'first'], 'use': 'guide'}, "
    "{'stack': 'decoder', 'layers': [1], 'heads': [0], 'pattern': 'rel_pos', 'use': 'mask'}, "
    "{'stack': 'decoder', 'layers': [1], 'heads': [0], 'pattern': 'prev', 'use': 'guide'}, "
    "{'stack': 'decoder', 'layers': [1], 'heads': [1], 'pattern': 'first', 'use': 'fixed'}, "
    "{'stack': 'cross', 'layers': [0], 'heads': [1], 'pattern': 'seprat', 'use': 'mask'}]}";

TEST(gradients_with_masks_and_guidance_agree_with_finite_differences)
{
    MADE(Net, net_init_with, net_fini, n, GUIDED, NULL);
    LossParts parts;
    slopes_backward(&n.slopes, &n.t, loss_of(&n, 0.25, 0.1, true, true, &parts));
    assert_true(parts.part[LOSS_GUIDANCE] > 0.1);
    assert_slopes(&n.ps, n.slopes.host, value_of_loss, &n, "loss with guidance");
}

/* The set of a guided head in GUIDED; head 2: of the one with a mask. */
static bool drawn(const int *target, int head, int t, int u)
{
    if (head == 0) return t > 0 && u > 0 && u != t && LOWER[target[t]] == LOWER[target[u]];
    return u == t - 1 || (head == 1 && u == 0);
}

/* The guidance of a head by its weights, probs [pairs], of all texts. */
static double guidance_of(const Net *n, const Real *probs, int head)
{
    double sum = 0;
    for (int s = 0; s < TEXTS; s++) {
        const int *target = TARGET[s].piece, m = target[0] + 1;
        double own = 0, rows = 0;
        for (int t = 0; t < m; t++) {
            int size = 0;
            for (int u = 0; u <= t; u++) size += drawn(target, head, t, u);
            if (!size && (n->empty == EMPTY_SKIP || head == 2)) continue;
            rows++;
            for (int u = 0; u <= t; u++) {
                double p = size ? (double)drawn(target, head, t, u) / size : n->empty == EMPTY_ZERO ? 0 : 1.0 / (t + 1);
                own += pow((double)probs[t * m + u] - p, 2);
            }
        }
        probs += m * m;
        if (rows > 0) sum += own / (n->norm == GUIDANCE_ROW ? rows : n->norm == GUIDANCE_MEAN ? m * (m + 1) / 2.0 : 1);
    }
    return sum / TEXTS;
}

/* kept: the heads that pruning has left, or NULL; first: the first guided one of them. */
static void guides(const HeadNumbers *kept, int first)
{
    MADE(Net, net_init_with, net_fini, n, GUIDED, kept);
    for (int k = 0; k < 9; k++) {
        NetworkOutput out;
        TranslatePass pass;
        LossParts parts;
        double want = 0;
        n.norm = (GuidanceNorm)(k / 3);
        n.empty = (GuidanceEmptyRow)(k % 3);
        loss_of(&n, 1, 0, false, true, &parts);
        const Forward f = encode(&n, true, false, &out);
        decode(&n, &f, &out, TARGET, &pass);
        for (int head = first; head < 3; head++) {
            HostMatrix probs = tensor_host(&n.t, pass.decoder.self[head / 2].probs, &n.a);
            assert_non_null(probs.data);
            want += guidance_of(&n, host_row(&probs, head == 1 ? 1 - first : 0), head);
        }
        assert_within(parts.part[LOSS_GUIDANCE], want, 10 * TOLERANCE);
    }
}

TEST(guidance_of_the_decoder_is_a_squared_distance_to_what_is_written)
{
    const HeadNumbers kept[] = { { .n = 1, .item = (const int[]){ 1 } }, { .all = true }, { .all = true }, { .n = 0 } };
    guides(NULL, 0);
    guides(kept, 1);
}

static Tensor *gated_loss(Net *n, bool record)
{
    NetworkOutput out;
    TranslatePass pass;
    Tensor *nll = NULL;
    const Forward f = encode(n, record, false, &out);
    decode(n, &f, &out, TARGET, &pass);
    Tensor *loss = translate_loss(&f, &pass, 0.3, &nll);
    assert_true(loss && nll && nll != loss);
    return loss;
}

static double value_of_gated_loss(void *net) { return tape_number(&((Net *)net)->t, gated_loss(net, false)); }

TEST(gradients_of_gates_of_the_decoder_agree)
{
    MADE(Net, net_init, net_fini, n);
    n.gated = true;
    slopes_backward(&n.slopes, &n.t, gated_loss(&n, true));
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < WRITTEN * HEADS; i++) assert_true(n.slopes.host[n.ps.p[n.gates[k]].offset + i] != 0);
    assert_slopes(&n.ps, n.slopes.host, value_of_gated_loss, &n, "loss with gates");
}

TEST(dropout_acts_in_training_alone)
{
    MADE(Net, net_init, net_fini, n);
    LossParts parts;
    double trained = tape_number(&n.t, loss_of(&n, 1, 0, true, false, &parts)),
           plain = tape_number(&n.t, loss_of(&n, 1, 0, false, false, &parts));
    assert_true(fabs(trained - plain) > 1e-3);
    assert_true(tape_number(&n.t, loss_of(&n, 1, 0, true, false, &parts)) == trained); /* the same key */
    n.net.c.dropout = (Dropouts){ 0, 0, 0 };
    n.net.embedding.c.embedding_dropout = 0;
    assert_true(tape_number(&n.t, loss_of(&n, 1, 0, true, false, &parts)) == plain);
    double places[4];
    for (int k = 0; k < 4; k++) { /* each place has a dropout */
        n.net.c.dropout = (Dropouts){ k == 0 ? 0.5 : 0, k == 1 ? 0.5 : 0, k == 2 ? 0.5 : 0 };
        n.net.embedding.c.embedding_dropout = k == 3 ? 0.5 : 0;
        places[k] = tape_number(&n.t, loss_of(&n, 1, 0, true, false, &parts));
        assert_true(fabs(places[k] - plain) > 1e-3);
    }
}

/* The decoder has no other place for them: no head of self-attention, and nothing to add after attention. */
TEST(attention_to_the_source_has_dropout_of_its_own)
{
    const HeadNumbers kept[] = { { .n = 0 }, { .n = 0 }, { .all = true }, { .all = true } };
    MADE(Net, net_init_with, net_fini, n, NULL, kept);
    double total[3];
    for (int k = 0; k < n.ps.n; k++)
        if (strncmp(n.ps.p[k].name, "decoder.ff_", 11) == 0 && strstr(n.ps.p[k].name, ".w_2."))
            param_init_constant(&n.ps, k, 0);
    assert_ok(params_upload(&n.ps, test_device(), test_error()));
    n.net.embedding.c.embedding_dropout = 0;
    for (int k = 0; k < 3; k++) {
        NetworkOutput out;
        TranslatePass pass;
        n.net.c.dropout = (Dropouts){ .attention = 0 };
        const Forward f = encode(&n, false, true, &out);
        n.net.c.dropout = (Dropouts){ .attention = k == 1 ? 0.5 : 0, .residual = k == 2 ? 0.5 : 0 };
        decode(&n, &f, &out, TARGET, &pass);
        total[k] = tape_number(&n.t, weighted_total(&n.t, pass.scores, 5, 0));
    }
    assert_true(fabs(total[1] - total[0]) > 1e-3 && fabs(total[2] - total[0]) > 1e-3);
}

TEST(the_penalty_is_the_expected_number_of_open_gates)
{
    MADE(Net, net_init_with, net_fini, n, "{'gates': {'kind': 'hard_concrete', 'stacks': ['decoder', 'cross']}}", NULL);
    LossParts parts;
    double want = 0;
    int gates = 0;
    for (int k = 0; k < n.ps.n; k++)
        for (size_t i = 0; strstr(n.ps.p[k].name, "log_alpha") && i < param_count(&n.ps.p[k]); i++, gates++)
            want += 1 / (1 + exp(0.33 * log(0.1 / 1.1) - (double)param_values(&n.ps, k)[i]));
    assert_int_equal(gates, 2 * WRITTEN * HEADS);
    loss_of(&n, 1, 0, false, false, &parts);
    assert_within(parts.part[LOSS_GATES], want, 10 * TOLERANCE);
}

/* ---- relevance */

static void conserves(const char *options, const HeadNumbers *kept)
{
    NetworkOutput out;
    TranslatePass pass;
    MADE(Net, net_init_with, net_fini, n, options, kept);
    const Forward f = encode(&n, true, false, &out);
    decode(&n, &f, &out, TARGET, &pass);
    Tensor *score = weighted_total(&n.t, pass.scores, 5, 0), *keep[] = { out.embedding, pass.embedding };
    double want = tape_number(&n.t, score), part[2] = { 0, 0 };
    assert_int_equal(tape_relevance(&n.t, score, keep, 2, NULL), OK);
    for (int k = 0; k < 2; k++) {
        part[k] = relevance_of(&n.t, keep[k]);
        assert_true(fabs(part[k]) > 1e-2);
    }
    assert_within(part[0] + part[1] + n.t.bias_part, want, 10 * TOLERANCE * fmax(1, fabs(want)));
}

TEST(relevance_of_pieces_and_biases_is_the_score)
{
    /* self-attention without heads, then attention to the source */
    const HeadNumbers kept[] = { { .n = 0 }, { .all = true }, { .n = 1, .item = (const int[]){ 1 } }, { .n = 0 } };
    conserves(NULL, NULL);
    conserves(MASKS, NULL);
    conserves(NULL, kept);
    conserves(MASKS, kept);
}

/* ---- a search */

enum { LENGTH = MOST - 1 }; /* of outputs */

static void search(Net *n, int beam, Beam *b)
{
    const BeamOptions o = { beam, 0.6, LENGTH, TOKEN_START, TOKEN_STOP };
    NetworkOutput out;
    MADE(SearchMemory, search_memory_init, search_memory_fini, memory, test_device());
    Forward f = encode(n, false, false, &out);
    for (int k = 0; k < n->batch.n_sent; k++) assert_ok(beam_init(&b[k], o, test_error()));
    assert_ok(search_run(&memory, &f, &n->net, &out, b, &n->a, test_error()));
}

static void beams_fini(Beam (*b)[TEXTS])
{
    for (int k = 0; k < TEXTS; k++) beam_fini(&(*b)[k]);
}

/* The log probability of an output, which may have no stop, by the scores of a pass over all of it. */
static double log_p_of(const Real *score, const int *piece, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum -= surprise(score + k * PIECES, piece[k]);
    return sum;
}

/* Output k of each search, the last one where a search has fewer, against a pass over them. */
static int check_outputs(Net *n, const Beam *b, int k)
{
    Text target[TEXTS];
    const BeamOutput *x[TEXTS];
    int stopped = 0;
    for (int s = 0; s < TEXTS; s++) {
        int piece[LENGTH];
        x[s] = &b[s].finished[k < b[s].n_finished ? k : b[s].n_finished - 1];
        target[s].piece[0] = beam_pieces(&b[s], x[s], piece);
        memcpy(target[s].piece + 1, piece, (size_t)target[s].piece[0] * sizeof *piece);
        bool stops = piece[target[s].piece[0] - 1] == TOKEN_STOP;
        assert_true(stops || target[s].piece[0] == LENGTH);
        stopped += stops;
    }
    const Real *score = scores_of(n, target); /* the last row of each text is of a piece after the output */
    for (int s = 0; s < TEXTS; s++) {
        double want = log_p_of(score, target[s].piece + 1, target[s].piece[0]);
        assert_within(x[s]->log_p, want, sizeof(Real) == 8 ? 1e-9 : 1e-5 * fmax(1, fabs(want)));
        score += (target[s].piece[0] + 1) * PIECES;
    }
    return stopped;
}

static void scores_as_whole_outputs(const char *options)
{
    static const int beams[] = { 1, 2, 5, 30 };
    MADE(Net, net_init_with, net_fini, n, options, NULL);
    int stopped = 0, all = 0;
    for (int i = 0; i < 4; i++) {
        FREED(beams_fini) Beam b[TEXTS];
        int most = 0;
        search(&n, beams[i], b);
        for (int s = 0; s < TEXTS; s++) most = b[s].n_finished > most ? b[s].n_finished : most;
        for (int k = 0; k < most; k++, all += TEXTS) stopped += check_outputs(&n, b, k);
    }
    assert_true(stopped > 0 && stopped < all); /* with and without a stop */
}

TEST(steps_with_cached_keys_score_as_whole_outputs_do)
{
    scores_as_whole_outputs(NULL);
    scores_as_whole_outputs(MASKS);
    scores_as_whole_outputs(WEIGHTS);
}

/* ---- configurations */

static void assert_refused(NetworkConfig c, const char *message)
{
    FREED(network_fini) Network net;
    MADE(ParamSet, params_init, params_fini, ps);
    assert_fails(network_declare(&net, &ps, c, test_error()), ERR_CONFIG, message);
}

TEST(configurations_that_are_not_plain_are_refused)
{
    DecoderConfig decoder = { .d = D, .n_layers = 1, .n_heads = HEADS, .d_kv = W, .d_ff = FF };
    const NetworkConfig plain = {
        .task = &TASK_TRANSLATE,
        .embedding = { .d_model = D, .plain = true, .n_words = PIECES },
        .encoder = { .d_model = D, .n_layers = 1, .n_heads = HEADS, .d_kv = W, .d_ff = FF, .plain = true },
        .own = &decoder,
    };
    NetworkConfig c = plain;
    c.embedding.n_tags = 4;
    assert_refused(c, "layers plain: expected use_words and no other embedding, and not partitioned");
    c = plain;
    c.embedding.n_words = 0;
    assert_refused(c, "layers plain: expected use_words and no other embedding, and not partitioned");
    c = plain;
    c.encoder.partitioned = true;
    assert_refused(c, "layers plain: found partitioned, expected neither partitioned nor use_lal");
    c = plain;
    c.encoder.use_lal = true;
    assert_refused(c, "layers plain: found use_lal, expected neither partitioned nor use_lal");
    c = plain;
    decoder.n_layers = DECODER_LAYERS_MOST + 1;
    assert_refused(c, "decoder_layers 49, at most 48");
}
