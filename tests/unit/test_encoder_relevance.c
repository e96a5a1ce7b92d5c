/* Relevance with all options of heads at once: a score is the sum of the relevance
 * over any cut through encoder and scorer and of what biases take after it. */
#include "cky/span_score.h"
#include "lal/head_importance.h"
#include "tests/support/encoder_net.h"

enum { LAYERS = 2, HEADS = 3, LABEL_HEADS = 4, D_KV = 8, LABELS = 5, LONE = 3 };

typedef struct Net {
    EncoderNet e;
    SpanScorer scorer;
    Tensor *x, *score;
} Net;

/* What label heads are for. */
typedef enum Form { PLAIN, PHRASES, BOTH, OWN } Form;

static void net_init(Net *y, bool pal, int pal_at, bool pwff, bool outputs, Form form)
{
    encoder_net_init(&y->e);
    y->e.options.gates.kind = GATES_FREE;
    y->e.options.gates.stacks = "self label pal";
    y->e.options.gates.label_at = outputs ? GATES_AT_OUTPUT : GATES_AT_CONTEXT;
    y->e.options.pal.layers.all = pal;
    y->e.options.pal.width = 8;
    y->e.options.pal.heads = 2;
    y->e.options.pal.at = pal_at;
    EncoderConfig c = encoder_net_config(&y->e, LAYERS, HEADS, LABEL_HEADS);
    c.lal_pwff = pwff;
    c.lal.own_reduce = form == OWN;
    c.phrases_alone = form == PHRASES;
    c.d_phrase = form == PHRASES || form == BOTH ? 3 : 0;
    assert_ok(encoder_declare(&y->e.enc, &y->e.ps, c, test_error()));
    const PhraseAttention *phrase = &y->e.enc.phrase;
    y->scorer = (SpanScorer){ .phrase = -1 };
    assert_ok(span_scorer_declare(&y->scorer, &y->e.ps, y->e.enc.width, phrase->heads * phrase->values, 12, LABELS,
                                  test_error()));
    assert_true(y->scorer.phrase < 0 || y->e.ps.p[y->scorer.phrase].fine);
    assert_ok(params_finish(&y->e.ps, test_error()));
    encoder_init(&y->e.enc, &y->e.ps, 5);
    span_scorer_init(&y->scorer, &y->e.ps, 5);
    for (int k = 0; k < y->e.ps.n; k++) /* biases, shifts and gates too; U of projected attention is not 0 */
        for (size_t i = 0; i < param_count(&y->e.ps.p[k]); i++)
            param_values(&y->e.ps, k)[i] += (Real)(0.3 * rng_normal((uint64_t)k + 50, i));
}

static void net_fini(Net *y) { encoder_net_fini(&y->e); }

/* The sum of two scores of arcs, forth and back, by what lies between their words. */
static Tensor *score_of_arcs(Net *y)
{
    Tape *t = &y->e.t;
    Tensor *p = y->e.out.phrase;
    Real *weights = tape_host(t, 2 * tensor_size(p), sizeof *weights);
    for (size_t i = 0; i < 2 * tensor_size(p); i++) weights[i] = (Real)rng_normal(11, i);
    Tensor *e = tape_constant(t, weights, p->rows, 2 * p->cols), *s = op_between(t, p, e, e, &BATCH);
    return op_pick(t, s, (const int[]){ 0, 0 }, (const int[]){ 4, 22 }, (const Real[]){ 1, 1 }, 2, 0);
}

/* The score is the sum of those of labels of n spans, pairs of rows of fenceposts. */
static void forward(Net *y, const int *spans, int n)
{
    static Real one[TOKENS];
    static int r[TOKENS], c[TOKENS];
    const Forward f = encoder_net_forward(&y->e, false, NULL);
    y->x = y->e.in;
    for (int k = 0; k < n; k++) {
        r[k] = k;
        c[k] = k % (LABELS - 1);
        one[k] = 1;
    }
    Tensor *g = span_scorer_project(&f, &y->scorer, y->e.out.fencepost, y->e.out.phrase);
    y->score = op_pick(&y->e.t, span_scorer_score(&f, &y->scorer, g, spans, n), r, c, one, n, 1.5);
    if (y->e.out.phrase) y->score = op_add(&y->e.t, y->score, score_of_arcs(y));
    if (!y->score) fail_msg("%s", y->e.t.error.message);
}

/* The nodes of an op, in the order in which they were computed; how many. */
static int nodes_of(const Net *y, const char *op, const Node **out, int most)
{
    int n = 0, k = 0;
    for (const Node *nd = y->e.t.last; nd; nd = nd->prev) n += strcmp(nd->op->name, op) == 0;
    assert_in_range(n, 0, most);
    for (const Node *nd = y->e.t.last; nd; nd = nd->prev)
        if (strcmp(nd->op->name, op) == 0) out[n - 1 - k++] = nd;
    return n;
}

static void assert_conserved(double found, double score, const char *name)
{
    double tolerance = sizeof(Real) < 8 ? 1e-4 : 1e-10;
    if (!(fabs(found - score) <= tolerance * fmax(1, fabs(score)))) fail_msg("%s: %.12g of %.12g", name, found, score);
}

/* A cut of one tensor, or of two of which `other` was computed before. */
static void check_cut(Net *y, Tensor *cut, Tensor *other, const char *name)
{
    Tensor *keep[] = { cut, other };
    if (tape_relevance(&y->e.t, y->score, keep, other ? 2 : 1, cut == y->x ? NULL : cut) != OK)
        fail_msg("%s", y->e.t.error.message);
    double sum = y->e.t.bias_part + relevance_of(&y->e.t, cut) + (other ? relevance_of(&y->e.t, other) : 0);
    assert_conserved(sum, tape_number(&y->e.t, y->score), name);
}

/* Twelve networks: without projected attention, with it beside feed-forward and beside attention; each without and with
 * feed-forward after the label heads, and with gates on their outputs; with attention inside phrases alone, beside the
 * views of words, and with projections of their own. All have masks, fixed heads and gates that are not 1. */
enum { VARIANTS = 12 };
static bool has_ff(int variant) { return variant / 3 == 1; }
static bool has_pal(int variant) { return variant % 3 > 0; }
static bool pal_at_ff(int variant) { return variant % 3 == 1; }

static void variant_init(Net *y, int variant)
{
    net_init(y, has_pal(variant), pal_at_ff(variant) ? PAL_AT_FF : PAL_AT_ATTENTION, has_ff(variant), variant / 3 == 2,
             variant < 9 ? PLAIN : (Form)(variant - 8));
    encoder_net_plan(&y->e, "rel_pos", USE_MASK, 0, 2);
    encoder_net_plan(&y->e, "next", USE_FIXED, 1, 1);
    encoder_net_plan(&y->e, "seprat", USE_MASK, LAYERS, 1); /* a label head */
    if (has_pal(variant)) encoder_net_plan(&y->e, "prev", USE_FIXED, layer_pal(LAYERS, 0), 0);
    static const int spans[] = { 0, 4, 1, 3, 2, 3, 5, 10, 6, 8, 9, 10 };
    forward(y, spans, 6);
}

TEST(relevance_is_conserved_at_every_cut_with_masks_gates_and_projected_attention)
{
    for (int variant = 0; variant < VARIANTS; variant++) {
        const Node *norms[2 * LAYERS + 1], *gelus[LAYERS], *relu[1];
        MADE(Net, variant_init, net_fini, y, variant);
        assert_int_equal(nodes_of(&y, "residual_norm", norms, 2 * LAYERS + 1), 2 * LAYERS + has_ff(variant));
        assert_int_equal(nodes_of(&y, "gelu", gelus, LAYERS), has_pal(variant) ? LAYERS : 0);
        assert_int_equal(nodes_of(&y, "relu", relu, 1), 1);
        check_cut(&y, y.x, NULL, "input");
        for (int l = 0; l < LAYERS; l++) {
            check_cut(&y, norms[2 * l]->out[0], pal_at_ff(variant) ? gelus[l]->out[0] : NULL, "after attention");
            assert_ptr_equal(norms[2 * l + 1]->out[0], y.e.out.layer[l]);
            check_cut(&y, y.e.out.layer[l], NULL, "output of a layer");
        }
        if (y.e.out.phrase) check_cut(&y, y.e.out.phrase, y.e.out.fencepost, "fenceposts and sums");
        else {
            check_cut(&y, y.e.out.lal, NULL, "label heads");
            check_cut(&y, y.e.out.word, NULL, "vectors of tokens");
            check_cut(&y, y.e.out.fencepost, NULL, "fenceposts");
            check_cut(&y, relu[0]->out[0], NULL, "hidden units of the scorer");
        }
    }
}

/* The sum of the coefficients of a norm's output times its shift: what its biases take. */
static double shift_part(Net *y, const Tensor *out, const Norm *norm)
{
    HostMatrix c = tensor_host_grad(&y->e.t, out, &y->e.t.host);
    double sum = 0;
    for (int r = 0; r < out->rows && c.data; r++)
        for (int k = 0; k < out->cols; k++)
            sum += (double)host_row(&c, r)[k] * (double)param_values(&y->e.ps, norm->b)[k];
    return sum;
}

/* The relevance after the norm of self-attention is that of its heads, as reports have it, of its residual and of its
 * biases. */
TEST(relevance_of_a_layer_is_that_of_its_heads_its_residual_and_its_biases)
{
    static const int width[] = { D_KV / 2, D_KV / 2 };
    for (int variant = 0; variant < VARIANTS; variant++) {
        const Node *norms[2 * LAYERS + 1];
        MADE(Net, variant_init, net_fini, y, variant);
        nodes_of(&y, "residual_norm", norms, 2 * LAYERS + 1);
        for (int l = 0; l < LAYERS; l++) {
            const Node *nd = norms[2 * l];
            Tensor *residual = nd->in[0], *z = nd->in[3], *out = nd->out[0], *ctx = y.e.out.attention[l].context,
                   *keep[] = { z, out, ctx };
            assert_int_equal(tape_relevance(&y.e.t, y.score, keep, 3, NULL), OK);
            HostMatrix o = tensor_host(&y.e.t, ctx, &y.e.t.host), c = tensor_host_grad(&y.e.t, ctx, &y.e.t.host),
                       x = tensor_host(&y.e.t, residual, &y.e.t.host), cz = tensor_host_grad(&y.e.t, z, &y.e.t.host);
            double head[HEADS], absolute[HEADS], sum = shift_part(&y, out, &y.e.enc.attn[l].norm);
            head_importance_contexts(o.data, c.data, o.ld, o.rows, HEADS, width, 2, head, absolute);
            for (int h = 0; h < HEADS; h++) {
                assert_true(head[h] != 0);
                sum += head[h];
            }
            for (int r = 0; r < x.rows; r++) /* the sum passes its coefficients on to both terms */
                for (int k = 0; k < D; k++) sum += (double)host_row(&x, r)[k] * (double)host_row(&cz, r)[k];
            assert_conserved(sum, relevance_of(&y.e.t, out), "heads, residual and biases");
        }
    }
}

/* In every layer all heads are masked to the token itself, and label heads to START: token LONE acts on itself
 * alone. */
TEST(a_token_that_no_other_attends_to_has_no_relevance_elsewhere)
{
    Pattern self, first;
    PatternList selves = { 1, &self }, firsts = { 1, &first };
    int layer[LAYERS * HEADS], head[LAYERS * HEADS], label[LABEL_HEADS], number[LABEL_HEADS];
    MADE(Net, net_init, net_fini, y, false, PAL_AT_FF, false, false, PLAIN);
    assert_ok(pattern_read(&self, "self", NULL, &y.e.memory, test_error()));
    assert_ok(pattern_read(&first, "first", NULL, &y.e.memory, test_error()));
    for (int k = 0; k < LAYERS * HEADS; k++) layer[k] = k / HEADS, head[k] = k % HEADS;
    for (int h = 0; h < LABEL_HEADS; h++) label[h] = LAYERS, number[h] = h;
    assert_ok(head_plan_add(&y.e.enc.plan, &selves, USE_MASK, LAYERS * HEADS, layer, head, test_error()));
    assert_ok(head_plan_add(&y.e.enc.plan, &firsts, USE_MASK, LABEL_HEADS, label, number, test_error()));
    forward(&y, (const int[]){ 0, 1 }, 1); /* of tokens 0, 1 and 2 */
    check_cut(&y, y.x, NULL, "input");
    HostMatrix x = tensor_host(&y.e.t, y.x, &y.e.t.host), c = tensor_host_grad(&y.e.t, y.x, &y.e.t.host);
    for (int r = 0; r < TOKENS; r++) {
        double sum = 0;
        for (int k = 0; k < D; k++) sum += (double)host_row(&x, r)[k] * (double)host_row(&c, r)[k];
        assert_true((sum != 0) == (r < LONE));
    }
}
