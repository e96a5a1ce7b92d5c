/* tests/grad/test_word_encoder.c
 * Vectors of tokens from a pretrained encoder: windows, several pieces of a word, factors of layers, dropout and the
 * projection, against finite differences in double (relative L2 error below 1e-6); frozen layers. In a float build the
 * gradients only have to be finite. */
#include "base/rng.h"
#include "embeddings/word_encoder.h"
#include "tests/support/check.h"
#include "tests/support/checking_device.h"
#include "tests/support/slopes.h"
#include "tests/support/tiny_words.h"

enum { D = 3 };

typedef struct Net {
    WordEncoder we;
    ParamSet ps;
    Tape t;
    Arena a;
    PieceBatch pieces;
    Real *on_device, *grads;
} Net;

static void net_init(Net *n, PretrainedKind kind, PieceChoice choice, bool mix, int frozen)
{
    Error e = { 0 };
    WordEncoderConfig c = { tiny_pretrained(kind), mix, 0.2 };
    PieceLayout l = { 0, 1, c.encoder.most_pieces, choice };
    c.encoder.dropout = 0.1;
    arena_init(&n->a, 4096);
    params_init(&n->ps);
    tape_init(&n->t, test_device());
    for (int k = 0; k < frozen; k++) { /* the tables, then layers from below */
        static const char *const prefixes[][2] = { { "pretrained.p", "pretrained.d" },
                                                   { "pretrained.t", "pretrained.layer_norm" },
                                                   { "pretrained.attn_0.", "pretrained.ff_0." } };
        for (int i = 0; i < 2; i++) assert_int_equal(params_group(&n->ps, prefixes[k][i], 1, 0, 0, true, &e), OK);
    }
    if (word_encoder_declare(&n->we, &n->ps, c, D, &e) != OK || params_finish(&n->ps, &e) != OK ||
        piece_batch_make(l, PIECES, N_WORDS, 2, &n->a, &n->pieces, &e) != OK)
        fail_msg("%s", e.message);
    for (int k = 0; k < n->ps.n; k++) param_init_normal(&n->ps, k, 0.6, 3);
    n->on_device = device_zeros(test_device(), n->ps.trained);
    n->grads = mem_calloc(n->ps.trained, sizeof *n->grads);
    assert_true(n->on_device && n->grads);
}

static void net_fini(Net *n)
{
    test_device()->free(n->on_device);
    mem_free(n->grads);
    tape_fini(&n->t);
    params_fini(&n->ps);
    arena_fini(&n->a);
}

static double run(Net *n, bool backward)
{
    Error e = { 0 };
    Tape *t = &n->t;
    assert_int_equal(params_upload(&n->ps, test_device(), &e), OK);
    tape_reset(t, backward, true, 4321);
    Forward f = { t, &n->ps, n->on_device, &BATCH, SENTENCE_OF };
    Tensor *y = word_encoder_forward(&f, &n->we, &n->pieces);
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
    if (backward) {
        assert_int_equal(tape_backward(t, loss), OK);
        assert_true(tape_download(t, n->grads, n->on_device, n->ps.trained * sizeof *n->grads));
    }
    return tape_number(t, loss);
}

static double value(void *net) { return run(net, false); }

static void check(PretrainedKind kind, PieceChoice choice, bool mix, int frozen)
{
    Net n;
    net_init(&n, kind, choice, mix, frozen);
    run(&n, true);
    assert_slopes(&n.ps, n.grads, value, &n, pretrained_config_kind(kind));
    net_fini(&n);
}

TEST(gradients_of_vectors_of_words)
{
    UNUSED_STATE;
    for (int k = 0; k < N_TINY_KINDS; k++) {
        check(TINY_KINDS[k], PIECE_MEAN, true, 0);
        check(TINY_KINDS[k], PIECE_LAST, false, 0);
    }
    check(PRETRAINED_BERT, PIECE_FIRST, false, 0);
}

/* What is not frozen has the same gradients, whether the backward pass ends early or not. */
TEST(gradients_above_frozen_layers)
{
    UNUSED_STATE;
    for (int k = 0; k < 2; k++)
        for (int frozen = 1; frozen <= 3; frozen++) check(TINY_KINDS[k], PIECE_MEAN, frozen == 3, frozen);
}

TEST(the_backward_pass_ends_at_frozen_layers)
{
    UNUSED_STATE;
    for (int frozen = 2; frozen <= 3; frozen++) {
        Net n;
        net_init(&n, PRETRAINED_BERT, PIECE_MEAN, false, frozen);
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
        cmocka_unit_test(gradients_above_frozen_layers),
        cmocka_unit_test(the_backward_pass_ends_at_frozen_layers),
    };
    return cmocka_run_group_tests_name("word encoder gradients", tests, NULL, NULL);
}
