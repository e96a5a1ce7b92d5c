/* An encoder by itself over two sentences, for tests of what acts on its heads. */
#pragma once

#include "base/rng.h"
#include "lal/encoder.h"
#include "tests/support/check.h"
#include "tests/support/weighted.h"

enum { D = 16, PROJ = 4, TOKENS = 13, PLANS = 5 };
static const int START[] = { 0, 6, 13 }, SENTENCE[TOKENS] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 };
static const Batch BATCH = { 2, START, TOKENS, 7 };
static const char *const WORDS[] = { "a", "b", "c", "d", "." };
static const PatternSentence SENTENCES[] = { { .n = 4, .words = WORDS }, { .n = 5, .words = WORDS } };

typedef struct EncoderNet {
    ParamSet ps;
    Encoder enc;
    EncoderOptions options;
    Arena memory;
    Tape t;
    Tensor *in; /* of the last pass */
    EncoderOutput out;
    Pattern pattern[PLANS];
    PatternList list[PLANS];
    int n_plans;
} EncoderNet;

/* With the default options, which may be changed now. */
static inline void encoder_net_init(EncoderNet *y)
{
    *y = (EncoderNet){ .n_plans = 0 };
    arena_init(&y->memory, 4096);
    tape_init(&y->t, device_cpu());
    params_init(&y->ps);
    encoder_options_defaults(&y->options);
}

static inline EncoderConfig encoder_net_config(EncoderNet *y, int layers, int heads, int label_heads)
{
    return (EncoderConfig){ .d_model = D,
                            .n_layers = layers,
                            .n_heads = heads,
                            .d_kv = 8,
                            .d_ff = 24,
                            .partitioned = true,
                            .use_lal = true,
                            .lal = { .heads = label_heads, .d_kv = 6, .d_proj = PROJ, .partitioned = true },
                            .options = &y->options };
}

static inline void encoder_net_fini(EncoderNet *y)
{
    tape_fini(&y->t);
    encoder_fini(&y->enc);
    params_fini(&y->ps);
    arena_fini(&y->memory);
}

static inline void encoder_net_plan(EncoderNet *y, const char *pattern, HeadUse use, int layer, int head)
{
    int k = y->n_plans++;
    assert_ok(pattern_read(&y->pattern[k], pattern, NULL, &y->memory, test_error()));
    y->list[k] = (PatternList){ 1, &y->pattern[k] };
    assert_ok(head_plan_add(&y->enc.plan, &y->list[k], use, 1, &layer, &head, test_error()));
}

/* A recorded pass over drawn inputs, under the plan; grads may be NULL. */
static inline Forward encoder_net_forward(EncoderNet *y, bool training, Real *grads)
{
    static Real x[TOKENS * D];
    EncoderControl control = { .layer = NULL };
    for (size_t i = 0; i < TOKENS * D; i++) x[i] = (Real)rng_normal(7, i);
    tape_reset(&y->t, true, training, 0);
    assert_ok(head_plan_control(&y->enc.plan, SENTENCES, &BATCH, &y->memory, &control.layer, test_error()));
    Forward f = { &y->t, &y->ps, grads, &BATCH, SENTENCE, false };
    y->in = tape_constant(&y->t, x, TOKENS, D);
    y->in->needs_grad = !training; /* for relevance */
    encoder_forward(&f, &y->enc, y->in, (Dropouts){ 0 }, &control, &y->out);
    if (!y->out.fencepost) fail_msg("%s", y->t.error.message);
    return f;
}
