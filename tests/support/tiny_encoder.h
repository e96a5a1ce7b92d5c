/* The vectors of the words of tiny_heads.h, from an encoder of tiny_pretrained.h whose
 * heads may have options. Weights are drawn by name, so encoders with and without options have the same ones. */
#pragma once

#include "tests/support/check.h"
#include "tests/support/tiny_heads.h"

enum { TINY_D = 3, TINY_LAYERS = 2 };

typedef struct TinyEncoder {
    WordEncoder we;
    ParamSet ps;
    Tape t;
    Arena a;
    PieceBatch pieces;
    TinyHeads heads;
} TinyEncoder;

/* Without parameters; their groups may be set now. */
static inline void tiny_encoder_init(TinyEncoder *n, const Device *d)
{
    *n = (TinyEncoder){ .we = { .project = 0 } };
    arena_init(&n->a, 4096);
    params_init(&n->ps);
    tape_init(&n->t, d);
}

/* c.options is not read; options: of heads, or NULL. */
static inline void tiny_encoder_declare(TinyEncoder *n, WordEncoderConfig c, PieceChoice choice, const char *options)
{
    tiny_heads_init(&n->heads, options ? options : "{}", &n->a);
    c.options = options ? &n->heads.o : NULL;
    assert_ok(word_encoder_declare(&n->we, &n->ps, c, TINY_D, test_error()));
    assert_ok(params_finish(&n->ps, test_error()));
    n->pieces = tiny_pieces(c.encoder.most_pieces, choice, &n->a);
    tiny_heads_act(&n->heads, &n->pieces, &n->a);
    for (int k = 0; k < n->ps.n; k++) param_init_normal(&n->ps, k, 0.6, 3); /* biases, shifts and factors too */
}

static inline void tiny_encoder_fini(TinyEncoder *n)
{
    tiny_heads_fini(&n->heads);
    tape_fini(&n->t);
    params_fini(&n->ps);
    arena_fini(&n->a);
}

/* A pass with the values that the parameters have now; grads: on the device, or NULL. */
static inline Forward tiny_encoder_begin(TinyEncoder *n, bool record, bool training, uint64_t key, Real *grads)
{
    assert_ok(params_upload(&n->ps, n->t.device, test_error()));
    tape_reset(&n->t, record, training, key);
    return (Forward){ &n->t, &n->ps, grads, &BATCH, SENTENCE_OF, false };
}

/* [TOKENS, TINY_D]; out: of the encoder, or NULL. */
static inline Tensor *tiny_encoder_forward(TinyEncoder *n, const Forward *f, PretrainedOutput *out)
{
    Tensor *y = word_encoder_forward(f, &n->we, &n->pieces, out);
    if (!y) fail_msg("%s", n->t.error.message);
    assert_true(y->rows == TOKENS && y->cols == TINY_D);
    return y;
}
