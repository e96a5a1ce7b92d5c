/* tests/grad/test_word_encoder.c
 * Vectors of tokens from a pretrained encoder: windows, several pieces of a word, factors of layers, dropout and the
 * projection, against finite differences in double (relative L2 error below 1e-6); frozen layers; masks, fixed and
 * guided heads, and projected attention beside the layers. In a float build the gradients only have to be finite. */
#include "base/rng.h"
#include "embeddings/word_encoder.h"
#include "tests/support/check.h"
#include "tests/support/checking_device.h"
#include "tests/support/slopes.h"
#include "tests/support/tiny_heads.h"

enum { D = 3 };

typedef struct Net {
    WordEncoder we;
    ParamSet ps;
    Tape t;
    Arena a;
    PieceBatch pieces;
    TinyHeads heads;
    Real *on_device, *grads;
} Net;

/* options: of heads, or NULL. */
static void net_init(Net *n, PretrainedKind kind, PieceChoice choice, bool mix, int frozen, const char *options)
{
    Error e = { 0 };
    WordEncoderConfig c = { tiny_pretrained(kind), mix, 0.2, NULL };
    PieceLayout l = { 0, 1, c.encoder.most_pieces, choice };
    c.encoder.dropout = 0.1;
    arena_init(&n->a, 4096);
    params_init(&n->ps);
    tape_init(&n->t, test_device());
    tiny_heads_init(&n->heads, options ? options : "{}", &n->a);
    if (options) c.options = &n->heads.o;
    for (int k = 0; k < frozen; k++) { /* the tables, then layers from below */
        static const char *const prefixes[][2] = { { "pretrained.p", "pretrained.d" },
                                                   { "pretrained.t", "pretrained.layer_norm" },
                                                   { "pretrained.attn_0.", "pretrained.ff_0." } };
        for (int i = 0; i < 2; i++) assert_int_equal(params_group(&n->ps, prefixes[k][i], 1, 0, 0, true, &e), OK);
    }
    if (word_encoder_declare(&n->we, &n->ps, c, D, &e) != OK || params_finish(&n->ps, &e) != OK ||
        piece_batch_make(l, PIECES, N_WORDS, 2, &n->a, &n->pieces, &e) != OK)
        fail_msg("%s", e.message);
    tiny_heads_act(&n->heads, &n->pieces, &n->a);
    for (int k = 0; k < n->ps.n; k++) param_init_normal(&n->ps, k, 0.6, 3);
    n->on_device = device_zeros(test_device(), n->ps.trained);
    n->grads = mem_calloc(n->ps.trained, sizeof *n->grads);
    assert_true(n->on_device && n->grads);
}

static void net_fini(Net *n)
{
    test_device()->free(n->on_device);
    mem_free(n->grads);
    tiny_heads_fini(&n->heads);
    tape_fini(&n->t);
    params_fini(&n->ps);
    arena_fini(&n->a);
}

static double run(Net *n, bool backward)
{
    Error e = { 0 };
    Tape *t = &n->t;
    assert_int_equal(params_upload(&n->ps, test_device(), &e), OK);
    bool guided = n->heads.plan.n_guides > 0;
    PretrainedOutput out;
    tape_reset(t, backward || guided, true, 4321);
    Forward f = { t, &n->ps, n->on_device, &BATCH, SENTENCE_OF };
    Tensor *y = word_encoder_forward(&f, &n->we, &n->pieces, &out);
    if (!y) fail_msg("%s", t->error.message);
    assert_true(y->rows == TOKENS && y->cols == D);
    int r[TOKENS * D], c[TOKENS * D];
    Real w[TOKENS * D];
    for (int k = 0; k < TOKENS * D; k++) {
        r[k] = k / D;
        c[k] = k % D;
        w[k] = (Real)rng_normal(5, (uint64_t)k);
    }
    Tensor *loss = op_pick(t, y, r, c, w, TOKENS * D, 0);
    if (guided)
        loss = op_add(t, loss,
                      word_encoder_guidance(&f, &n->heads.plan, &out, &n->pieces, n->heads.targets, GUIDANCE_ROW,
                                            EMPTY_UNIFORM, 2));
    if (backward) {
        assert_int_equal(tape_backward(t, loss), OK);
        assert_true(tape_download(t, n->grads, n->on_device, n->ps.trained * sizeof *n->grads));
    }
    return tape_number(t, loss);
}

static double value(void *net) { return run(net, false); }

static void check(PretrainedKind kind, PieceChoice choice, bool mix, int frozen, const char *options)
{
    Net n;
    net_init(&n, kind, choice, mix, frozen, options);
    run(&n, true);
    assert_slopes(&n.ps, n.grads, value, &n, pretrained_config_kind(kind));
    net_fini(&n);
}

TEST(gradients_of_vectors_of_words)
{
    UNUSED_STATE;
    for (int k = 0; k < N_TINY_KINDS; k++) {
        check(TINY_KINDS[k], PIECE_MEAN, true, 0, NULL);
        check(TINY_KINDS[k], PIECE_LAST, false, 0, NULL);
    }
    check(PRETRAINED_BERT, PIECE_FIRST, false, 0, NULL);
}

TEST(gradients_under_options_of_heads)
{
    UNUSED_STATE;
    for (int k = 0; k < N_TINY_KINDS; k++) {
        check(TINY_KINDS[k], PIECE_MEAN, false, 0, TINY_ALL("ff", "false"));
        check(TINY_KINDS[k], PIECE_LAST, true, 0, TINY_ALL("attention", "true"));
    }
}

/* Projected attention beside frozen layers is trained. */
TEST(gradients_of_projected_attention_beside_frozen_layers)
{
    UNUSED_STATE;
    for (int k = 0; k < 2; k++)
        for (int frozen = 2; frozen <= 3; frozen++)
            check(TINY_KINDS[k], PIECE_MEAN, false, frozen, TINY_ALL("ff", "false"));
}

/* What is not frozen has the same gradients, whether the backward pass ends early or not. */
TEST(gradients_above_frozen_layers)
{
    UNUSED_STATE;
    for (int k = 0; k < 2; k++)
        for (int frozen = 1; frozen <= 3; frozen++) check(TINY_KINDS[k], PIECE_MEAN, frozen == 3, frozen, NULL);
}

TEST(the_backward_pass_ends_at_frozen_layers)
{
    UNUSED_STATE;
    for (int frozen = 2; frozen <= 3; frozen++) {
        Net n;
        net_init(&n, PRETRAINED_BERT, PIECE_MEAN, false, frozen, NULL);
        run(&n, false);
        Forward f = { &n.t, &n.ps, n.on_device, &n.pieces.batch, NULL };
        PretrainedOutput out;
        pretrained_encoder_forward(&f, &n.we.encoder, n.pieces.id, NULL, &out);
        assert_true(out.hidden[2]->needs_grad && out.hidden[1]->needs_grad == (frozen == 2));
        net_fini(&n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_vectors_of_words),
        cmocka_unit_test(gradients_under_options_of_heads),
        cmocka_unit_test(gradients_of_projected_attention_beside_frozen_layers),
        cmocka_unit_test(gradients_above_frozen_layers),
        cmocka_unit_test(the_backward_pass_ends_at_frozen_layers),
    };
    return cmocka_run_group_tests_name("word encoder gradients", tests, NULL, NULL);
}
