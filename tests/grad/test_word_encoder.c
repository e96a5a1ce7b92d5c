/* Vectors of tokens from a pretrained encoder: windows, several pieces of a word, factors of layers, dropout and the
 * projection, against finite differences in double (relative L2 error below 1e-6); frozen layers; masks, fixed and
 * guided heads, and projected attention beside the layers; passes over many pieces. In a float build the gradients
 * only have to be finite. */
#include <string.h>

#include "tests/support/slopes.h"
#include "tensor/cuda/gpu.h"
#include "tests/support/tiny_encoder.h"
#include "tests/support/weighted.h"

typedef struct Net {
    TinyEncoder e;
    Slopes slopes;
} Net;

/* options: of heads, or NULL. */
static void net_init(Net *n, PretrainedKind kind, PieceChoice choice, bool mix, int frozen, const char *options)
{
    WordEncoderConfig c = { tiny_pretrained(kind), mix, 0.2, NULL };
    c.encoder.dropout = 0.1;
    tiny_encoder_init(&n->e, test_device());
    for (int k = 0; k < frozen; k++) { /* the tables, then layers from below */
        static const char *const prefixes[][2] = { { "pretrained.p", "pretrained.d" },
                                                   { "pretrained.t", "pretrained.layer_norm" },
                                                   { "pretrained.attn_0.", "pretrained.ff_0." } };
        for (int i = 0; i < 2; i++) assert_ok(params_group(&n->e.ps, prefixes[k][i], 1, 0, 0, true, test_error()));
    }
    tiny_encoder_declare(&n->e, c, choice, options);
    slopes_init(&n->slopes, &n->e.ps);
}

static void net_fini(Net *n)
{
    slopes_fini(&n->slopes);
    tiny_encoder_fini(&n->e);
}

static double run(Net *n, bool backward)
{
    Tape *t = &n->e.t;
    bool guided = n->e.heads.plan.n_guides > 0;
    PretrainedOutput out;
    const Forward f = tiny_encoder_begin(&n->e, backward || guided, true, 4321, n->slopes.on_device);
    Tensor *loss = weighted_total(t, tiny_encoder_forward(&n->e, &f, &out), 5, 0);
    if (guided)
        loss = op_add(t, loss,
                      word_encoder_guidance(&f, &n->e.heads.plan, &out, &n->e.pieces, n->e.heads.targets, GUIDANCE_ROW,
                                            EMPTY_UNIFORM, 2));
    if (backward) slopes_backward(&n->slopes, t, loss);
    return tape_number(t, loss);
}

static double value(void *net) { return run(net, false); }

static void check(PretrainedKind kind, PieceChoice choice, bool mix, int frozen, const char *options)
{
    MADE(Net, net_init, net_fini, n, kind, choice, mix, frozen, options);
    run(&n, true);
    assert_slopes(&n.e.ps, n.slopes.host, value, &n, pretrained_config_kind(kind));
}

TEST(gradients_of_vectors_of_words)
{
    for (int k = 0; k < N_TINY_KINDS; k++) {
        check(TINY_KINDS[k], PIECE_MEAN, true, 0, NULL);
        check(TINY_KINDS[k], PIECE_LAST, false, 0, NULL);
    }
    check(PRETRAINED_BERT, PIECE_FIRST, false, 0, NULL);
}

TEST(gradients_under_options_of_heads)
{
    for (int k = 0; k < N_TINY_KINDS; k++) {
        check(TINY_KINDS[k], PIECE_MEAN, false, 0, TINY_ALL("ff", "false"));
        check(TINY_KINDS[k], PIECE_LAST, true, 0, TINY_ALL("attention", "true"));
    }
}

/* Projected attention beside frozen layers is trained. */
TEST(gradients_of_projected_attention_beside_frozen_layers)
{
    for (int k = 0; k < 2; k++)
        for (int frozen = 2; frozen <= 3; frozen++)
            check(TINY_KINDS[k], PIECE_MEAN, false, frozen, TINY_ALL("ff", "false"));
}

/* What is not frozen has the same gradients, whether the backward pass ends early or not. */
TEST(gradients_above_frozen_layers)
{
    for (int k = 0; k < 2; k++)
        for (int frozen = 1; frozen <= 3; frozen++) check(TINY_KINDS[k], PIECE_MEAN, frozen == 3, frozen, NULL);
}

TEST(the_backward_pass_ends_at_frozen_layers)
{
    for (int frozen = 2; frozen <= 3; frozen++) {
        MADE(Net, net_init, net_fini, n, PRETRAINED_BERT, PIECE_MEAN, false, frozen, NULL);
        run(&n, false);
        Forward f = { &n.e.t, &n.e.ps, n.slopes.on_device, &n.e.pieces.batch, NULL, false };
        PretrainedOutput out;
        pretrained_encoder_forward(&f, &n.e.we.encoder, n.e.pieces.id, NULL, &out);
        assert_true(out.hidden[2]->needs_grad && out.hidden[1]->needs_grad == (frozen == 2));
    }
}

/* The vectors of words of a pass, and how much memory it takes. */
static Real *vectors(Net *n, bool brief, int *count, size_t *memory)
{
    Tape *t = &n->e.t;
    PretrainedOutput out;
    Forward f = tiny_encoder_begin(&n->e, false, false, 0, NULL);
    f.brief = brief;
    Tensor *y = tiny_encoder_forward(&n->e, &f, &out);
    assert_non_null(y);
    assert_true((out.hidden[0] == NULL) == (brief && !n->e.we.c.mix));
    *count = y->rows * y->cols;
    *memory = t->numbers.in_use;
    return tensor_numbers(t, y);
}

TEST(a_brief_pass_has_the_same_vectors_in_less_memory)
{
    for (int k = 0; k < N_TINY_KINDS; k++)
        for (int mix = 0; mix < 2; mix++)
            for (int options = 0; options < 2; options++) {
                int counts[2];
                size_t memory[2];
                MADE(Net, net_init, net_fini, n, TINY_KINDS[k], PIECE_MEAN, mix, 0,
                     options ? TINY_ALL("ff", "false") : NULL);
                Real *whole = vectors(&n, false, &counts[0], &memory[0]),
                     *brief = vectors(&n, true, &counts[1], &memory[1]);
                assert_int_equal(counts[0], counts[1]);
                assert_memory_equal(whole, brief, (size_t)counts[0] * sizeof *whole);
                if (!mix) assert_true(2 * memory[1] < memory[0]);
            }
}

/* Gives the second word of tiny_heads.h `many` pieces, in windows of at most `most`. */
static void lengthen(Net *n, int many, int most, PieceChoice choice)
{
    WordPieces words[WORDS];
    const PieceLayout l = { 0, 1, most, choice };
    int *id = arena_alloc(&n->e.a, (size_t)many, sizeof *id);
    assert_non_null(id);
    for (int k = 0; k < many; k++) id[k] = 2 + k * k % 9;
    memcpy(words, PIECES, sizeof words);
    words[1] = (WordPieces){ id, many };
    assert_ok(piece_batch_make(l, words, N_WORDS, 2, &n->e.a, &n->e.pieces, test_error()));
    tiny_heads_act(&n->e.heads, &n->e.pieces, &n->e.a);
}

/* The largest memory of a pass for a word of `many` pieces: in one pass, which the tape records; in several; in several
 * of which it records what comes after them. All give the same vectors. */
static void check_passes(PretrainedKind kind, PieceChoice choice, bool mix, const char *options, int many,
                         size_t peak[3])
{
    Real *y[3];
    int count = 0;
    for (int way = 0; way < 3; way++) {
        MADE(Net, net_init, net_fini, n, kind, choice, mix, 0, options);
        lengthen(&n, many, 6, choice);
        assert_true(n.e.pieces.batch.n_tokens > word_encoder_most(TOKENS));
        PretrainedOutput out;
        Forward f = tiny_encoder_begin(&n.e, way != 1, false, 0, NULL);
        f.brief = way == 1;
        n.e.pieces.apart = way == 2;
        Tensor *x = tiny_encoder_forward(&n.e, &f, &out);
        assert_true((out.hidden[TINY_LAYERS] != NULL) == (way == 0) && n.e.t.recording == (way != 1));
        count = x->rows * x->cols;
        y[way] = tensor_numbers(&n.e.t, x);
        peak[way] = n.e.t.numbers.peak;
    }
    for (int way = 1; way < 3; way++) assert_close(y[way], y[0], (size_t)count, 1e-5, 1e-5);
}

/* In several passes, twice as many pieces take no more memory. */
static void check_memory(PretrainedKind kind, PieceChoice choice, bool mix, const char *options)
{
    size_t one[3], two[3];
    check_passes(kind, choice, mix, options, 2000, one);
    check_passes(kind, choice, mix, options, 4000, two);
    assert_true(two[0] > one[0] + one[0] / 2);
    for (int i = 1; i < 3; i++) assert_true(two[i] < one[i] + one[i] / 8);
}

TEST(many_pieces_are_read_in_several_passes)
{
    enum { FEW = 1030 }; /* just enough for two passes */
    static const char *const options[] = { NULL, TINY_ALL("ff", "false") };
    size_t peak[3];
    if (test_device() == device_cuda()) { /* emulation is slow */
        check_passes(TINY_KINDS[0], PIECE_MEAN, true, options[1], FEW, peak);
        return;
    }
    for (int k = 0; k < N_TINY_KINDS; k++) {
        for (int choice = PIECE_LAST; choice <= PIECE_MEAN; choice++)
            for (int way = 0; way < 4; way++)
                check_passes(TINY_KINDS[k], (PieceChoice)choice, way % 2, options[way / 2], FEW, peak);
        check_memory(TINY_KINDS[k], PIECE_MEAN, true, options[1]);
    }
}
