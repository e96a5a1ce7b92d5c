/* Masks from patterns in the smallest cases, and keys of label heads. */
#include "base/rng.h"
#include "lal/heads/attention_mask.h"
#include "lal/heads/head_control.h"
#include "lal/heads/pattern.h"
#include "tests/support/check.h"
#include "tests/support/checking_device.h"

typedef struct Run {
    Tape t;
    Arena a;
    MaskSet set;
} Run;

static void begin(Run *r)
{
    memset(r, 0, sizeof *r);
    arena_init(&r->a, 4096);
    tape_init(&r->t, test_device());
    tape_reset(&r->t, true, false, 0);
}

static void end(Run *r)
{
    tape_fini(&r->t);
    arena_fini(&r->a);
}

static const Real *numbers(Run *r, const Tensor *x) { return tensor_numbers(&r->t, x); }

/* The attention [m, m] of one head of width 1 in a sentence of m tokens under `allowed` [m * m]: every query is 1, the
 * key of token j is j + 1. */
static const Real *attention(Run *r, int m, const uint8_t *allowed, int fixed)
{
    static const int slot = 0;
    const int start[2] = { 0, m };
    const Batch b = { 1, start, m, m };
    Real *qkv = arena_alloc(&r->a, (size_t)(3 * m), sizeof *qkv);
    for (int j = 0; j < m; j++) qkv[3 * j] = 1, qkv[3 * j + 1] = (Real)(j + 1), qkv[3 * j + 2] = 1;
    assert_ok(mask_set_init(&r->set, &b, 1, 0, &r->a, test_error()));
    mask_set_pairs(&r->set, 0, 0, allowed);
    const HeadControl c = { .mask = &r->set.mask, .slot_of_head = &slot, .fixed = &fixed };
    const AttentionSpec spec = attention_spec(1, 1, 1, 0, &c);
    Tensor *in = tape_constant(&r->t, qkv, m, 3), *probs;
    if (!op_attention(&r->t, &in, &spec, &b, &probs)) fail_msg("%s", r->t.error.message);
    return numbers(r, probs);
}

static void assert_near(Real found, double expected)
{
    if (!(fabs((double)found - expected) <= 1e-6)) fail_msg("found %.9g, expected %.9g", (double)found, expected);
}

TEST(a_masked_softmax_has_the_values_that_were_computed_by_hand)
{
    static const uint8_t keys[9] = { 1, 0, 1, 1, 0, 1, 1, 0, 1 };
    MADE(Run, begin, end, r);
    const Real *p = attention(&r, 3, keys, 0); /* of logits 1, 2, 3 */
    for (int i = 0; i < 3; i++, p += 3) {
        assert_near(p[0], .119203);
        assert_true(p[1] == 0);
        assert_near(p[2], .880797);
    }
}

TEST(a_fixed_pattern_in_a_sentence_of_one_word_and_of_none)
{
    static const struct {
        const char *pattern;
        int words;
        double p[9];
    } cases[] = { /* START, the word, STOP; a row without a key is uniform, as is a sentence without words */
                  { "next", 1, { 0, 1, 0, 0, 0, 1, 1. / 3, 1. / 3, 1. / 3 } },
                  { "prev", 1, { 1. / 3, 1. / 3, 1. / 3, 1, 0, 0, 0, 1, 0 } },
                  { "rel_pos", 1, { .5, .5, 0, 1. / 3, 1. / 3, 1. / 3, 0, .5, .5 } },
                  { "match_token", 1, { 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3 } },
                  { "next", 0, { .5, .5, .5, .5 } }
    };
    static const char *const words[] = { "yes" };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Pattern p;
        uint8_t allowed[9];
        int m = cases[k].words + 2;
        MADE(Run, begin, end, r);
        assert_ok(pattern_read(&p, cases[k].pattern, NULL, &r.a, test_error()));
        assert_ok(pattern_fill(&p, &(PatternSentence){ .n = m - 2, .words = words }, allowed, &r.a, test_error()));
        const Real *found = attention(&r, m, allowed, 1);
        for (int i = 0; i < m * m; i++) assert_near(found[i], cases[k].p[i]);
    }
}

/* A softmax of 0 and 1 would give the one key of 27 tokens .094653. */
TEST(a_fixed_pattern_of_one_key_has_all_attention)
{
    enum { M = 27 };
    static uint8_t next[M * M];
    MADE(Run, begin, end, r);
    for (int i = 0; i + 1 < M; i++) next[i * M + i + 1] = 1;
    const Real *p = attention(&r, M, next, 1);
    for (int i = 0; i + 1 < M; i++) assert_true(p[i * M + i + 1] == 1);
}

TEST(an_empty_batch_has_masks)
{
    static const int start[1] = { 0 };
    const Batch none = { 0, start, 0, 0 };
    const int slot = 0;
    MADE(Run, begin, end, r);
    assert_ok(mask_set_init(&r.set, &none, 3, 2, &r.a, test_error()));
    const HeadControl c = { .mask = &r.set.mask, .slot_of_head = &slot };
    const AttentionSpec spec = attention_spec(1, 1, 1, 0, &c);
    Tensor *in = tape_new(&r.t, 0, 3), *ctx = op_attention(&r.t, &in, &spec, &none, NULL);
    assert_non_null(ctx);
    assert_true(ctx->rows == 0);
}

TEST(running_out_of_memory_for_masks_is_reported_at_every_allocation)
{
    static const int start[] = { 0, 2, 7, 77 };
    const Batch batch = { 3, start, 77, 70 };
    int k = 0;
    for (; allocation_fails(k); k++) {
        MaskSet set;
        Error *e = test_error();
        MADE(Arena, arena_init, arena_fini, a, 64);
        mem_fail_after(k);
        if (!assert_ok_or_no_memory(mask_set_init(&set, &batch, 3, 2, &a, e)))
            assert_string_equal(e->message, "out of memory for masks");
    }
    assert_true(k > 2);
    MaskSet set;
    MADE(Arena, arena_init, arena_fini, a, 64);
    assert_int_equal(mask_set_init(&set, &batch, 0, KEY_SLOTS_MOST + 1, &a, NULL), ERR_RANGE);
}

/* ---- label heads */

enum { HEADS = 4, D = 12, SENTENCES = 3, TOKENS = 2 + 5 + 70 };
static const int START[SENTENCES + 1] = { 0, 2, 7, TOKENS }, SLOTS[HEADS] = { 0, -1, 1, 0 };
static const Batch BATCH = { SENTENCES, START, TOKENS, 70 };

static bool is_key(int token) { return token == 3 || token == 64 || token == 69; }

/* Slot 1 has three keys in the last sentence; all else is not restricted. Token `moved` of that sentence is another. */
static void label_attention(Run *r, int moved, const Real **probs, const Real **context)
{
    static Real x[TOKENS * D], u[HEADS * D];
    uint8_t allowed[70] = { 0 };
    for (size_t i = 0; i < TOKENS * D; i++) x[i] = (Real)rng_normal(5, i);
    for (size_t i = 0; i < HEADS * D; i++) u[i] = (Real)rng_normal(6, i);
    for (int k = 0; k < D && moved >= 0; k++) x[(START[2] + moved) * D + k] += 3;
    assert_ok(mask_set_init(&r->set, &BATCH, 0, 2, &r->a, test_error()));
    mask_set_keys(&r->set, 0, 1, allowed); /* no key: not restricted */
    for (int k = 0; k < 70; k++) allowed[k] = is_key(k);
    mask_set_keys(&r->set, 1, 2, allowed);
    const LabelAttentionSpec spec = { .scale = 1.2, .keys = r->set.keys, .keys_of_head = SLOTS };
    Tensor *p, *z = op_label_attention(&r->t, tape_constant(&r->t, x, TOKENS, D), tape_constant(&r->t, u, HEADS, D),
                                       &spec, &BATCH, &p);
    *context = numbers(r, z);
    *probs = numbers(r, p);
}

TEST(label_heads_attend_to_their_keys_alone)
{
    const Real *p, *context;
    MADE(Run, begin, end, r);
    label_attention(&r, -1, &p, &context);
    for (int h = 0; h < HEADS; h++)
        for (int s = 0; s < SENTENCES; s++) {
            double sum = 0;
            for (int k = START[s]; k < START[s + 1]; k++) {
                Real at = p[k * HEADS + h];
                sum += (double)at;
                assert_true(SLOTS[h] == 1 && s == 2 && !is_key(k - START[2]) ? at == 0 : at > 0);
            }
            assert_true(fabs(sum - 1) < 1e-6);
        }
}

TEST(a_token_that_is_no_key_has_no_influence_on_a_label_head)
{
    static const int tokens[] = { 4, 64 }; /* of the last sentence; the second is a key */
    const Real *p, *context;
    MADE(Run, begin, end, before);
    label_attention(&before, -1, &p, &context);
    for (int k = 0; k < 2; k++) {
        const Real *now;
        MADE(Run, begin, end, r);
        label_attention(&r, tokens[k], &p, &now);
        for (int h = 0; h < HEADS; h++) {
            const Real *a = context + (2 * HEADS + h) * D, *b = now + (2 * HEADS + h) * D;
            if (SLOTS[h] == 1 && !is_key(tokens[k])) assert_memory_equal(a, b, D * sizeof *a);
            else assert_memory_not_equal(a, b, D * sizeof *a);
        }
        assert_memory_equal(now, context, (size_t)(2 * HEADS * D) * sizeof *now); /* the other sentences */
    }
}
