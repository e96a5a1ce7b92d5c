/* Masks, fixed heads and gates of attention: what holds of them exactly. The numbers
 * themselves are compared in tests/golden and tests/grad. */
#include "base/rng.h"
#include "lal/heads/attention_mask.h"
#include "lal/heads/head_control.h"
#include "tests/support/check.h"
#include "tests/support/checking_device.h"
#include "tests/support/weighted.h"

enum { HEADS = 4, W = 3, COLUMNS = HEADS * W, SENTENCES = 3, TOKENS = 2 + 5 + 70 };
static const int START[SENTENCES + 1] = { 0, 2, 7, TOKENS };
static const Batch BATCH = { SENTENCES, START, TOKENS, 70 };

typedef struct Run {
    Tape t;
    Arena a;
    MaskSet set;
    Real qkv[TOKENS * 3 * COLUMNS], dqkv[TOKENS * 3 * COLUMNS];
    Tensor *in, *ctx, *probs;
} Run;

static long pairs(const Batch *b)
{
    long n = 0;
    for (int s = 0; s < b->n_sent; s++) n += (long)(b->start[s + 1] - b->start[s]) * (b->start[s + 1] - b->start[s]);
    return n;
}

/* Is key j of query i allowed? The row of token 1 is empty. */
static bool allows(int slot, int i, int j) { return i != 1 && (i * 7 + j * 3 + slot) % 4 != 0; }

static void fill_allowed(uint8_t *allowed, int slot, int m)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) allowed[i * m + j] = allows(slot, i, j);
}

static void make_masks(Run *r, const Batch *b, bool all)
{
    static uint8_t allowed[70 * 70];
    assert_ok(mask_set_init(&r->set, b, 2, 0, &r->a, test_error()));
    for (int slot = 0; slot < 2 && !all; slot++)
        for (int s = 0; s < b->n_sent; s++) {
            fill_allowed(allowed, slot, b->start[s + 1] - b->start[s]);
            mask_set_pairs(&r->set, slot, s, allowed);
        }
}

static void begin(Run *r)
{
    memset(r, 0, sizeof *r);
    arena_init(&r->a, 1 << 16);
    tape_init(&r->t, test_device());
    tape_reset(&r->t, true, true, 11);
    for (int i = 0; i < TOKENS * 3 * COLUMNS; i++) r->qkv[i] = (Real)rng_normal(5, (uint64_t)i);
}

static void end(Run *r)
{
    tape_fini(&r->t);
    arena_fini(&r->a);
}

static Tensor *wanted(Tape *t, const Real *host, int rows, int cols)
{
    Real *data = tape_upload(t, host, (size_t)rows * (size_t)cols, sizeof *data),
         *zero = tape_scratch(t, (size_t)rows * (size_t)cols, sizeof *zero);
    tape_run(t, "wanted", fill, zero, (size_t)rows * (size_t)cols, 0);
    return tape_wrap(t, data, zero, rows, cols, true);
}

static void attend(Run *r, const Batch *b, const HeadControl *c, Tensor *bias, const int *slot)
{
    AttentionSpec spec = attention_spec(HEADS, 1, 1.5, 0, c);
    spec.bias = bias;
    spec.slot_of_head = slot;
    r->in = wanted(&r->t, r->qkv, b->n_tokens, 3 * COLUMNS);
    r->ctx = op_attention(&r->t, &r->in, &spec, b, &r->probs);
    if (!r->ctx) fail_msg("%s", r->t.error.message);
}

static Real *numbers(Run *r, const Tensor *x) { return tensor_numbers(&r->t, x); }

static void assert_same(const Real *a, const Real *b, size_t n) { assert_memory_equal(a, b, n * sizeof *a); }

static const int SLOTS[HEADS] = { 0, -1, 1, 0 };

static HeadControl masked(const Run *r) { return (HeadControl){ .mask = &r->set.mask, .slot_of_head = SLOTS }; }

/* A row whose bias is -INFINITY everywhere is not "unrestricted": its attention and its gradient are 0. */
TEST(a_bias_of_minus_infinity_in_a_whole_row_gives_zeros)
{
    MADE(Run, begin, end, r);
    long n = pairs(&BATCH);
    Real *bias = arena_calloc(&r.a, (size_t)n, sizeof *bias);
    for (int j = 0; j < 5; j++) bias[4 + 2 * 5 + j] = -INFINITY; /* token 2 of sentence 1 */
    const int slot[HEADS] = { 0, 0, 0, 0 };
    attend(&r, &BATCH, NULL, wanted(&r.t, bias, 1, (int)n), slot);
    const Real *p = numbers(&r, r.probs);
    for (int h = 0; h < HEADS; h++)
        for (int j = 0; j < 5; j++) assert_true(p[h * n + 4 + 2 * 5 + j] == 0);
    assert_int_equal(tape_backward(&r.t, weighted_total(&r.t, r.ctx, 23, 0)), OK);
    HostMatrix d = tensor_host_grad(&r.t, r.in, &r.a);
    for (int c = 0; c < COLUMNS; c++) assert_true(host_row(&d, START[1] + 2)[c] == 0); /* its query */
}

static void forward_and_gradient(Run *r, const HeadControl *c, Tensor *bias, const int *slot, Real **ctx, Real **grad)
{
    attend(r, &BATCH, c, bias, slot);
    *ctx = numbers(r, r->ctx);
    assert_int_equal(tape_backward(&r->t, weighted_total(&r->t, r->ctx, 23, 0)), OK);
    HostMatrix d = tensor_host_grad(&r->t, r->in, &r->a);
    *grad = arena_alloc(&r->a, (size_t)TOKENS * 3 * COLUMNS, sizeof **grad);
    memcpy(*grad, d.data, (size_t)TOKENS * 3 * COLUMNS * sizeof **grad);
}

TEST(bits_give_what_a_dense_bias_gives)
{
    MADE(Run, begin, end, a);
    MADE(Run, begin, end, b);
    Real *ctx_a, *ctx_b, *grad_a, *grad_b;
    make_masks(&a, &BATCH, false);
    HeadControl c = masked(&a);
    long n = pairs(&BATCH);
    Real *bias = arena_alloc(&b.a, (size_t)(2 * n), sizeof *bias), *at = bias;
    for (int slot = 0; slot < 2; slot++)
        for (int s = 0; s < SENTENCES; s++) {
            int m = START[s + 1] - START[s];
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++) *at++ = i == 1 || allows(slot, i, j) ? 0 : -INFINITY;
        }
    forward_and_gradient(&a, &c, NULL, NULL, &ctx_a, &grad_a);
    forward_and_gradient(&b, NULL, tape_constant(&b.t, bias, 2, (int)n), SLOTS, &ctx_b, &grad_b);
    assert_same(ctx_a, ctx_b, TOKENS * COLUMNS);
    assert_same(grad_a, grad_b, TOKENS * 3 * COLUMNS);
}

/* The context and the gradient under a control are those of plain heads. */
static void assert_as_plain(Run *a, const HeadControl *c)
{
    MADE(Run, begin, end, b);
    Real *ctx_a, *ctx_b, *grad_a, *grad_b;
    forward_and_gradient(a, c, NULL, NULL, &ctx_a, &grad_a);
    forward_and_gradient(&b, NULL, NULL, NULL, &ctx_b, &grad_b);
    assert_same(ctx_a, ctx_b, TOKENS * COLUMNS);
    assert_same(grad_a, grad_b, TOKENS * 3 * COLUMNS);
}

TEST(a_full_mask_changes_no_bit)
{
    static uint8_t every[70 * 70];
    memset(every, 1, sizeof every);
    for (int written = 0; written < 2; written++) { /* never restricted, or restricted to all keys */
        MADE(Run, begin, end, a);
        make_masks(&a, &BATCH, true);
        for (int s = 0; s < 2 * SENTENCES && written; s++) mask_set_pairs(&a.set, s % 2, s / 2, every);
        HeadControl c = masked(&a);
        assert_as_plain(&a, &c);
    }
}

TEST(gates_of_one_change_no_bit)
{
    const Real ones[HEADS] = { 1, 1, 1, 1 };
    MADE(Run, begin, end, a);
    HeadControl c = { .gates = wanted(&a.t, ones, 1, HEADS) };
    assert_as_plain(&a, &c);
}

/* The gradient of a closed gate is that of the same loss by a difference: the loss is linear in each gate. */
TEST(the_gradient_of_a_closed_gate_is_the_slope_of_the_loss)
{
    double loss[2], slope = 0;
    for (int k = 0; k < 2; k++) {
        MADE(Run, begin, end, r);
        const Real gates[HEADS] = { 1, (Real)k, (Real)0.3, 1 };
        HeadControl c = { .gates = wanted(&r.t, gates, 1, HEADS) };
        attend(&r, &BATCH, &c, NULL, NULL);
        Tensor *sum = weighted_total(&r.t, r.ctx, 23, 0);
        loss[k] = tape_number(&r.t, sum);
        assert_int_equal(tape_backward(&r.t, sum), OK);
        if (k == 0) slope = (double)tensor_host_grad(&r.t, c.gates, &r.a).data[1];
    }
    assert_true(fabs(loss[1] - loss[0] - slope) < 1e-4 * (1 + fabs(slope)));
}

/* dlogits are what reaches a bias. */
TEST(a_gradient_of_attention_sums_to_zero_in_a_row_and_adds_to_that_of_the_context)
{
    long n = pairs(&BATCH);
    Real *got[3];
    Run r[3];
    for (int k = 0; k < 3; k++) { /* attention alone, context alone, both */
        begin(&r[k]);
        make_masks(&r[k], &BATCH, false);
        HeadControl c = masked(&r[k]);
        const int slot[HEADS] = { 0, 1, 2, 3 };
        Real *zero = arena_calloc(&r[k].a, (size_t)(HEADS * n), sizeof *zero);
        Tensor *bias = wanted(&r[k].t, zero, HEADS, (int)n);
        attend(&r[k], &BATCH, &c, bias, slot);
        Tensor *terms[2] = { weighted_total(&r[k].t, r[k].probs, 23, 0), weighted_total(&r[k].t, r[k].ctx, 23, 0) };
        const double weight[2] = { k != 1, k != 0 };
        assert_int_equal(tape_backward(&r[k].t, op_weighted_sum(&r[k].t, terms, weight, 2)), OK);
        HostMatrix d = tensor_host_grad(&r[k].t, bias, &r[k].a);
        got[k] = arena_alloc(&r[k].a, (size_t)(HEADS * n), sizeof(Real));
        memcpy(got[k], d.data, (size_t)(HEADS * n) * sizeof(Real));
    }
    const Real *d = got[0];
    for (int h = 0; h < HEADS; h++)
        for (int s = 0; s < SENTENCES; s++) {
            int m = START[s + 1] - START[s];
            for (int i = 0; i < m; i++) {
                double sum = 0;
                for (int j = 0; j < m; j++, d++) {
                    sum += (double)*d;
                    if (SLOTS[h] >= 0 && i != 1 && !allows(SLOTS[h], i, j)) assert_true(*d == 0);
                }
                assert_true(fabs(sum) < 1e-5);
            }
        }
    for (long i = 0; i < HEADS * n; i++)
        assert_true(fabs((double)(got[0][i] + got[1][i] - got[2][i])) < 1e-5 * (1 + fabs((double)got[2][i])));
    for (int k = 0; k < 3; k++) end(&r[k]);
}
