/* The restructured label attention layer against the literal order of Mrini et
 * al. 2020 (keys and values of every token, one head at a time, plain loops in double), with gates and with blocks
 * that have no head; and sentences do not see each other. Attention inside phrases word by word. */
#include "base/rng.h"
#include "lal/label_attention.h"
#include "lal/phrase_attention.h"
#include "tests/support/check.h"
#include "tests/support/checking_device.h"

enum { D = 12, HEADS = 5, KV = 6, PROJ = 4, TOKENS = 11 };
static const int START[] = { 0, 1, 5, TOKENS };

typedef struct Layer {
    ParamSet ps;
    LabelAttention la;
} Layer;

static void layer_make(Layer *l, LabelAttentionConfig c)
{
    params_init(&l->ps);
    assert_ok(label_attention_declare(&l->la, &l->ps, "lal", c, test_error()));
    assert_ok(params_finish(&l->ps, test_error()));
    for (int k = 0; k < l->ps.n; k++) param_init_normal(&l->ps, k, 0.5, 3);
    assert_ok(params_upload(&l->ps, test_device(), test_error()));
}

/* Gates of heads: factors on contexts and on outputs; all 1 without. */
typedef struct Gates {
    bool contexts, outputs;
} Gates;
static const double GATE[] = { 0.5, 0, 1, 1.25, -0.75 };

static Tensor *gates_of(const Layer *l, Tape *t, bool are)
{
    Real gates[HEADS];
    for (int h = 0; h < l->la.c.heads; h++) gates[h] = (Real)GATE[h];
    return are && l->la.c.heads ? tape_constant(t, gates, 1, l->la.c.heads) : NULL;
}

static void run(const Layer *l, Gates g, const Real *x, int tokens, const int *start, int n_sent, Real *out)
{
    int sentence_of[TOKENS], longest = 0;
    for (int s = 0; s < n_sent; s++) {
        for (int k = start[s]; k < start[s + 1]; k++) sentence_of[k] = s;
        if (start[s + 1] - start[s] > longest) longest = start[s + 1] - start[s];
    }
    Batch b = { n_sent, start, tokens, longest };
    MADE(Tape, tape_init, tape_fini, t, test_device());
    tape_reset(&t, false, false, 0);
    Forward f = { &t, &l->ps, NULL, &b, sentence_of, false };
    LabelAttentionTrace trace;
    const HeadControl control = { .gates = gates_of(l, &t, g.contexts), .outputs = gates_of(l, &t, g.outputs) };
    Tensor *y = label_attention_forward(&f, &l->la, tape_constant(&t, x, tokens, D), 2.5, (Dropouts){ 0, 0, 0 },
                                        &control, &trace);
    if (!y) fail_msg("%s", t.error.message);
    assert_true(tensor_download(&t, y, out));
}

static void assert_near_to(Real found, double want)
{
    if (!(fabs((double)found - want) <= 1e-4 * fmax(1, fabs(want)))) fail_msg("%g, expected %g", (double)found, want);
}

static double weight(const Layer *l, int k, int i) { return (double)param_values(&l->ps, k)[i]; }

/* R, or that of a block */
static double reduce(const Layer *l, int block, int j, int a)
{
    bool own = l->la.c.own_reduce;
    return weight(l, l->la.reduce, (j * (own ? label_attention_blocks(&l->la.c) : 1) + (own ? block : 0)) * PROJ + a);
}

/* A block of one sentence, of head h or, with -1, of none: norm(R (x_t + g_h)). */
static void literal(const Layer *l, Gates with, const Real *x, int from, int to, int block, Real *out)
{
    const LabelAttention *la = &l->la;
    int blocks = label_attention_blocks(&la->c), h = la->c.head_of_block ? la->c.head_of_block[block] : block;
    double logit[TOKENS], sum = 0, g[D] = { 0 }, max = -INFINITY, context = with.contexts && h >= 0 ? GATE[h] : 1,
                          output = with.outputs && h >= 0 ? GATE[h] : 1;
    for (int t = from; t < to && h >= 0; t++) {
        logit[t] = 0;
        for (int p = 0; p < la->parts && !la->c.uniform; p++) {
            int d0 = part_start(D, la->parts, p), dp = part_width(D, la->parts, p), w = part_width(KV, la->parts, p);
            for (int a = 0; a < w; a++) {
                double key = 0;
                for (int j = 0; j < dp; j++)
                    key += (double)x[t * D + d0 + j] * weight(l, la->k[p], (h * dp + j) * w + a);
                logit[t] += key * weight(l, la->q[p], h * w + a) / 2.5;
            }
        }
        max = fmax(max, logit[t]);
    }
    for (int t = from; t < to && h >= 0; t++) sum += exp(logit[t] - max);
    for (int t = from; t < to && h >= 0; t++)
        for (int p = 0; p < la->parts; p++) {
            int d0 = part_start(D, la->parts, p), dp = part_width(D, la->parts, p), w = part_width(KV, la->parts, p);
            for (int a = 0; a < w; a++) {
                double value = 0;
                for (int j = 0; j < dp; j++)
                    value += (double)x[t * D + d0 + j] * weight(l, la->v[p], (h * dp + j) * w + a);
                for (int j = 0; j < dp; j++)
                    g[d0 + j] += context * exp(logit[t] - max) / sum * value * weight(l, la->proj[p], a * dp + j);
            }
        }
    for (int t = from; t < to; t++) {
        double r[PROJ] = { 0 }, mean = 0, var = 0;
        for (int j = 0; j < D; j++)
            for (int a = 0; a < PROJ; a++) r[a] += ((double)x[t * D + j] + g[j]) * reduce(l, block, j, a);
        for (int a = 0; a < PROJ; a++) mean += r[a] / PROJ;
        for (int a = 0; a < PROJ; a++) var += (r[a] - mean) * (r[a] - mean) / (PROJ - 1);
        for (int a = 0; a < PROJ; a++)
            out[(t * blocks + block) * PROJ + a] =
                (Real)(output *
                       ((r[a] - mean) / (sqrt(var) + 1e-3) * weight(l, la->norm.a, a) + weight(l, la->norm.b, a)));
    }
}

typedef enum Kind { PLAIN, OWN, UNIFORM } Kind;

/* heads of the layer, and head_of_block [blocks] or NULL. */
static void check_kind(Kind kind, bool partitioned, Gates g, int heads, const int *head_of_block, int blocks)
{
    Layer l;
    Real x[TOKENS * D], found[TOKENS * HEADS * PROJ], want[TOKENS * HEADS * PROJ], alone[TOKENS * HEADS * PROJ];
    int width = blocks * PROJ;
    layer_make(&l, (LabelAttentionConfig){ .d = D,
                                           .heads = heads,
                                           .d_kv = KV,
                                           .d_proj = PROJ,
                                           .partitioned = partitioned,
                                           .own_reduce = kind == OWN,
                                           .uniform = kind == UNIFORM,
                                           .head_of_block = head_of_block,
                                           .blocks = blocks });
    for (int i = 0; i < TOKENS * D; i++) x[i] = (Real)rng_normal(8, (uint64_t)i);
    run(&l, g, x, TOKENS, START, 3, found);
    for (int s = 0; s < 3; s++)
        for (int b = 0; b < blocks; b++) literal(&l, g, x, START[s], START[s + 1], b, want);
    assert_close(found, want, (size_t)(TOKENS * width), 1e-4, 1e-4);
    for (int s = 0; s < 3; s++) { /* a sentence alone gives the same */
        int start[] = { 0, START[s + 1] - START[s] };
        run(&l, g, x + START[s] * D, start[1], start, 1, alone);
        assert_close(alone, found + START[s] * width, (size_t)(start[1] * width), 1e-5, 1e-5);
    }
    params_fini(&l.ps);
}

static void check(bool partitioned, Gates g, int heads, const int *head_of_block, int blocks)
{
    check_kind(PLAIN, partitioned, g, heads, head_of_block, blocks);
}

TEST(label_attention_equals_the_literal_order)
{
    for (int partitioned = 0; partitioned < 2; partitioned++) check(partitioned, (Gates){ 0 }, HEADS, NULL, HEADS);
}

TEST(gates_are_factors_on_contexts_or_on_outputs)
{
    for (int k = 0; k < 4; k++) check(k % 2, (Gates){ k < 2, k >= 2 }, HEADS, NULL, HEADS);
}

TEST(heads_have_projections_of_their_own_or_attend_to_all_words_alike)
{
    static const int places[] = { -1, 0, 1, -1, 2 };
    for (int k = 0; k < 4; k++) {
        check_kind(OWN, k % 2, (Gates){ k < 2, k >= 2 }, HEADS, NULL, HEADS);
        check_kind(OWN, k % 2, (Gates){ k < 2, k >= 2 }, 3, places, 5);
        check_kind(UNIFORM, k % 2, (Gates){ 0 }, HEADS, NULL, HEADS);
    }
}

/* As pruning leaves them: one block for all pruned heads, the places of all heads, no head. */
TEST(blocks_without_a_head_are_words_without_a_view)
{
    static const int shared[] = { 0, 1, 2, -1 }, places[] = { -1, 0, 1, -1, 2 }, none[] = { -1, -1 };
    for (int k = 0; k < 4; k++) {
        check(k % 2, (Gates){ k < 2, k >= 2 }, 3, shared, 4);
        check(k % 2, (Gates){ k < 2, false }, 3, places, 5);
        check(k % 2, (Gates){ 0 }, 0, none, k < 2 ? 1 : 2);
    }
}

/* ---- attention inside phrases */

enum { VALUES = 3, SUMS = HEADS * VALUES };
/* What head h sees of tokens `from` to `to` - 1 of the sentence from token `first`, in value v. */
static double inside(const ParamSet *ps, const PhraseAttention *pa, const Real *x, int first, int end, int from, int to,
                     int h, int v)
{
    double sum = 0, seen = 0;
    for (int t = first; t < end; t++) {
        double logit = 0, value = (double)param_values(ps, pa->b)[h * VALUES + v];
        for (int j = 0; j < D; j++) {
            double xj = (double)x[t * D + j];
            if (pa->q >= 0) logit += xj * (double)param_values(ps, pa->q)[h * D + j];
            value += xj * (double)param_values(ps, pa->w)[j * SUMS + h * VALUES + v];
        }
        sum += exp(logit);
        if (t >= from && t < to) seen += exp(logit) * value;
    }
    return 0.2 * (end - first) * seen / sum;
}

/* Spans of sums, and arcs with weights of their own; `given`: the weights are those of queries of another layer. */
static void check_phrases(bool queries, bool given)
{
    ParamSet ps;
    PhraseAttention pa, other;
    Real x[TOKENS * D], e[2][(TOKENS - 3) * 2 * SUMS]; /* as dependents and as heads */
    params_init(&ps);
    assert_ok(phrase_attention_declare(&pa, &ps, "a", D, HEADS, VALUES, queries && !given, test_error()));
    assert_ok(phrase_attention_declare(&other, &ps, "b", D, HEADS, VALUES, true, test_error()));
    assert_ok(params_finish(&ps, test_error()));
    for (int k = 0; k < ps.n; k++) param_init_normal(&ps, k, 0.5, 3);
    assert_ok(params_upload(&ps, test_device(), test_error()));
    for (int i = 0; i < TOKENS * D; i++) x[i] = (Real)rng_normal(8, (uint64_t)i);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < (TOKENS - 3) * 2 * SUMS; i++) e[k][i] = (Real)rng_normal(9 + (uint64_t)k, (uint64_t)i);
    Batch b = { 3, START, TOKENS, 6 };
    MADE(Tape, tape_init, tape_fini, t, test_device());
    tape_reset(&t, false, false, 0);
    Forward f = { &t, &ps, NULL, &b, NULL, false };
    PhraseTrace trace;
    Tensor *in = tape_constant(&t, x, TOKENS, D), *probs = NULL;
    LabelAttentionSpec spec = { .scale = 1 };
    if (given) probs = op_label_weights(&t, in, forward_param(&f, other.q), &spec, &b);
    Tensor *p = phrase_attention_forward(&f, &pa, in, probs, (Dropouts){ 0, 0, 0 }, NULL, &trace),
           *arcs = op_between(&t, p, tape_constant(&t, e[0], TOKENS - 3, 2 * SUMS),
                              tape_constant(&t, e[1], TOKENS - 3, 2 * SUMS), &b);
    if (!arcs) fail_msg("%s", t.error.message);
    static Real found[(TOKENS - 3) * SUMS], scores[TOKENS * TOKENS];
    assert_true(tensor_download(&t, p, found) && tensor_download(&t, arcs, scores));
    if (given) pa.q = other.q;
    const Real *score = scores;
    for (int s = 0; s < 3; s++) {
        int first = START[s], end = START[s + 1], n = end - first - 1, row = first - s;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) /* fencepost i is after token i */
                for (int c = 0; c < SUMS; c++)
                    assert_near_to(
                        found[(row + j) * SUMS + c] - found[(row + i) * SUMS + c],
                        inside(&ps, &pa, x, first, end, first + i + 1, first + j + 1, c / VALUES, c % VALUES));
        for (int c = 0; c < n; c++)
            for (int g = 0; g < n; g++, score++) { /* words strictly between, of which token k is word k */
                double want = 0;
                int from = c < g ? c : g, to = c < g ? g : c;
                for (int k = 0; k < SUMS && c != g; k++)
                    want += ((double)e[0][(row + c) * 2 * SUMS + (g > c ? SUMS : 0) + k] +
                             (double)e[1][(row + g) * 2 * SUMS + (g > c ? 0 : SUMS) + k]) *
                            inside(&ps, &pa, x, first, end, first + from + 1, first + to, k / VALUES, k % VALUES);
                assert_near_to(*score, want);
            }
    }
    params_fini(&ps);
}

TEST(sums_are_what_heads_see_inside_phrases_and_between_the_words_of_arcs)
{
    check_phrases(true, false);
    check_phrases(false, false);
    check_phrases(false, true);
}
