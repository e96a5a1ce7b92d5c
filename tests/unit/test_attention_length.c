/* Self-attention of the CPU has a way of its own for short sentences. The first
 * words of a long sentence that may attend to nothing else are the same as a short sentence of them. */
#include "base/rng.h"
#include "tensor/device.h"
#include "tests/support/check.h"

enum { SHORT = 60, LONG = 70, HEADS = 3, PARTS = 2, MOST = LONG * LONG * HEADS };
static const int WIDTH[PARTS] = { 16, 5 };
static Real qkv[PARTS][LONG * 3 * HEADS * 16];

typedef struct Run {
    Real probs[MOST], ctx[PARTS][LONG * HEADS * 16];
} Run;

/* Of m words, of which the first SHORT attend to each other alone: by a mask (heads 0, 2) or by a bias (1, 2). */
static void attend(Run *run, int m)
{
    static const int mask_of_head[HEADS] = { 0, -1, 0 }, slot_of_head[HEADS] = { -1, 0, 0 }, fixed[HEADS] = { 0, 0, 1 };
    static const Real gates[HEADS] = { 1, (Real)0.5, 2 };
    static Real bias[LONG * LONG], scratch[2 * LONG * LONG];
    const int start[2] = { 0, m }, words = (m + 63) / 64;
    const long pair_start[2] = { 0, (long)m * m }, mask_start[1] = { 0 };
    uint64_t mask[LONG * 2] = { 0 };
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            uint64_t n = (uint64_t)(i * LONG + j);
            bias[i * m + j] = j < SHORT ? (Real)rng_normal(5, n) : (Real)-INFINITY;
            if (j < SHORT && (j == i || rng_normal(6, n) > 0)) mask[i * words + j / 64] |= (uint64_t)1 << j % 64;
        }
    AttentionArgs a = { .n_heads = HEADS,
                        .n_parts = PARTS,
                        .scale = 1.7,
                        .n_sent = 1,
                        .longest = m,
                        .longest_keys = m,
                        .start = start,
                        .key_start = start,
                        .pair_start = pair_start,
                        .probs = run->probs,
                        .bias = bias,
                        .slot_of_head = slot_of_head,
                        .mask = mask,
                        .mask_words = (long)m * words,
                        .mask_start = mask_start,
                        .mask_of_head = mask_of_head,
                        .fixed = fixed,
                        .gates = gates,
                        .scratch = scratch };
    for (int p = 0; p < PARTS; p++) {
        a.width[p] = WIDTH[p];
        a.q[p] = qkv[p];
        a.kv[p] = qkv[p] + HEADS * WIDTH[p];
        a.ld_q[p] = a.ld_kv[p] = 3 * HEADS * WIDTH[p];
        a.ctx[p] = run->ctx[p];
        a.ld_ctx[p] = HEADS * WIDTH[p];
    }
    device_cpu()->kernels->attention_fwd(&a);
}

TEST(words_of_a_long_sentence_are_those_of_a_short_one)
{
    static Run few, many;
    for (int p = 0; p < PARTS; p++)
        for (size_t i = 0; i < sizeof qkv[p] / sizeof *qkv[p]; i++) qkv[p][i] = (Real)rng_normal(1 + (uint64_t)p, i);
    attend(&few, SHORT);
    attend(&many, LONG);
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < SHORT; i++) {
            const Real *x = few.probs + (h * SHORT + i) * SHORT, *y = many.probs + (h * LONG + i) * LONG;
            double sum = 0;
            for (int j = 0; j < SHORT; j++) sum += (double)x[j];
            assert_true(fabs(sum - 1) < 1e-5);
            assert_close(y, x, SHORT, 1e-5, 1e-5);
            for (int j = SHORT; j < LONG; j++) assert_true(y[j] == 0);
        }
    for (int p = 0; p < PARTS; p++)
        assert_close(many.ctx[p], few.ctx[p], (size_t)(SHORT * HEADS * WIDTH[p]), 1e-5, 1e-5);
}
