/* What a decoder needs of the ops, at each level of the CPU and on the device of the
 * tests: causal attention, attention to the keys of another batch, the smoothed loss. Gradients are compared with
 * differences in tests/grad. */
#include "base/rng.h"
#include "tensor/ops.h"
#include "tests/support/checking_device.h"
#include "tests/support/levels.h"
#include "tests/support/weighted.h"

#define TEST_DEVICES(name)                                                         \
    static void name##_on(const Device *device);                                   \
    TEST(name)                                                                     \
    {                                                                              \
        const CpuLevel *level;                                                     \
        assert_ok(device_cpu()->start(1, true, test_error())); /* with OpenBLAS */ \
        for (int k = 0; (level = cpu_level_at(k)); k++) name##_on(&level->device); \
        if (test_device() != device_cpu()) name##_on(test_device());               \
    }                                                                              \
    static void name##_on(const Device *device)

/* Sentences by number, in this order in a batch or alone: some lack queries or keys, some are long. */
enum { HEADS = 3, SENTENCES = 6, LONGEST = 80 };
static const int QUERIES[SENTENCES] = { 4, 5, 0, 70, 66, 3 }, KEYS[SENTENCES] = { 64, 0, 3, 66, 80, 65 },
                 EVERY[SENTENCES] = { 0, 1, 2, 3, 4, 5 };
static const int WIDTHS[] = { 5, 128 }; /* of a head; the second one is wide for the CPU */
static const double SCALE = 1.7;
/* How far results may be apart: numbers about 1, and sums of hundreds of them. */
static const double NEAR = sizeof(Real) < 8 ? 2e-5 : 1e-13;
static const Real GATES[HEADS] = { 1, (Real)0.5, (Real)-2 };
/* Slots of the mask and the bias, and fixed heads. */
static const int MASK_OF[HEADS] = { 0, -1, 1 }, BIAS_OF[HEADS] = { -1, 0, 0 }, FIXED[HEADS] = { 0, 0, 1 };
enum { MASK = 1, BIAS = 2, FIX = 4, GATE = 8, CAUSAL = 16, DROP = 32, ALL = 63 };

typedef struct Run {
    Tape t;
    Arena a;
    const int *id;
    Batch queries, keys;
    AttentionSpec spec;
    AttentionMask mask;
    Tensor *q, *kv, *ctx, *probs;
} Run;

static void run_init(Run *r, const Device *device, int options)
{
    *r = (Run){ .spec = { .n_heads = HEADS, .n_parts = 1, .scale = SCALE, .causal = (options & CAUSAL) != 0 } };
    arena_init(&r->a, 1 << 16);
    tape_init(&r->t, device);
    tape_reset(&r->t, true, (options & DROP) != 0, 11);
    if (options & DROP) r->spec.dropout = 0.3;
    if (options & FIX) r->spec.fixed = FIXED;
}

static void run_fini(Run *r)
{
    tape_fini(&r->t);
    arena_fini(&r->a);
}

static Batch batch_of(Run *r, const int *size, const int *id, int n)
{
    int *start = arena_calloc(&r->a, (size_t)n + 1, sizeof *start);
    Batch b = { .n_sent = n, .start = start };
    for (int k = 0; k < n; k++) {
        start[k + 1] = start[k] + size[id[k]];
        if (size[id[k]] > b.longest) b.longest = size[id[k]];
    }
    b.n_tokens = start[n];
    return b;
}

static Tensor *wanted(Run *r, const Real *host, int rows, int cols)
{
    size_t n = (size_t)rows * (size_t)cols;
    Real *data = tape_upload(&r->t, host, n, sizeof *data), *zero = tape_scratch(&r->t, n, sizeof *zero);
    tape_run(&r->t, "wanted", fill, zero, n, 0);
    return tape_wrap(&r->t, data, zero, rows, cols, true);
}

/* Number c of row i of a sentence, wherever it is. `what` is from 'k' for keys and values, 'q' for queries. */
static Real number(int what, int id, int i, int c)
{
    return (Real)rng_normal((uint64_t)what, (uint64_t)((id * LONGEST + i) * 1024 + c));
}

static Tensor *numbers(Run *r, int what, const Batch *b, int cols)
{
    Real *x = arena_alloc(&r->a, (size_t)b->n_tokens * (size_t)cols + 1, sizeof *x), *at = x;
    for (int k = 0; k < b->n_sent; k++)
        for (int i = 0; i < b->start[k + 1] - b->start[k]; i++)
            for (int c = 0; c < cols; c++) *at++ = number(what, r->id[k], i, c);
    return wanted(r, x, b->n_tokens, cols);
}

/* The row of query 1 is empty in the first slot. */
static bool allows(int slot, int i, int j) { return (slot || i != 1) && (i * 7 + j * 3 + slot) % 4 != 0; }

static void take_mask_and_bias(Run *r, int options)
{
    long pairs = 0, words = 0;
    for (int k = 0; k < r->queries.n_sent; k++) {
        long m = r->queries.start[k + 1] - r->queries.start[k];
        int n = r->keys.start[k + 1] - r->keys.start[k];
        pairs += m * n;
        words += m * attention_mask_row(n);
    }
    uint64_t *bits = arena_calloc(&r->a, (size_t)(2 * words) + 1, sizeof *bits), *row = bits;
    Real *bias = arena_alloc(&r->a, (size_t)pairs + 1, sizeof *bias), *at = bias;
    for (int slot = 0; slot < 2; slot++)
        for (int k = 0; k < r->queries.n_sent; k++) {
            int m = r->queries.start[k + 1] - r->queries.start[k], n = r->keys.start[k + 1] - r->keys.start[k];
            for (int i = 0; i < m; i++, row += attention_mask_row(n))
                for (int j = 0; j < n; j++) {
                    if (allows(slot, i, j)) row[j / 64] |= (uint64_t)1 << j % 64;
                    if (slot) *at++ = number('b', r->id[k], i, j);
                }
        }
    r->mask = (AttentionMask){ 2, words, bits };
    if (options & MASK) r->spec.mask = &r->mask, r->spec.mask_of_head = MASK_OF;
    if (options & BIAS) r->spec.bias = wanted(r, bias, 1, (int)pairs), r->spec.slot_of_head = BIAS_OF;
    if (options & GATE) r->spec.gates = wanted(r, GATES, 1, HEADS);
}

/* The sentences id[0] .. id[n - 1], with sizes by their numbers. */
static void take_sentences(Run *r, const int *queries, const int *keys, const int *id, int n, int options)
{
    r->id = id;
    r->queries = batch_of(r, queries, id, n);
    r->keys = batch_of(r, keys, id, n);
    take_mask_and_bias(r, options);
}

static void attend(Run *r, Tensor *q, Tensor *kv)
{
    r->q = q;
    r->kv = kv;
    r->ctx = op_cross_attention(&r->t, q, kv, &r->spec, &r->queries, &r->keys, &r->probs);
    if (!r->ctx) fail_msg("%s", r->t.error.message);
}

static void cross(Run *r, const int *id, int n, int w, int options)
{
    take_sentences(r, QUERIES, KEYS, id, n, options);
    attend(r, numbers(r, 'q', &r->queries, HEADS * w), numbers(r, 'k', &r->keys, 2 * HEADS * w));
}

static Real *host(Run *r, const Tensor *x) { return tensor_numbers(&r->t, x); }

static const Real *host_grad(Run *r, const Tensor *x)
{
    HostMatrix m = tensor_host_grad(&r->t, x, &r->a);
    assert_true(m.data && m.ld == m.cols);
    return m.data;
}

static void assert_same(const Real *a, const Real *b, size_t n)
{
    if (n) assert_memory_equal(a, b, n * sizeof *a);
}

/* ---- plain loops */

static bool sees(int options, int h, int i, int j, int m, int n)
{
    return !(options & CAUSAL && j > n - m + i) && !(options & MASK && MASK_OF[h] >= 0 && !allows(MASK_OF[h], i, j));
}

/* The weights of query i of m, and its context; q is its row, kv the first row of the keys and values. */
static void plain(int id, int h, int i, int m, int n, int w, int options, const Real *q, const Real *kv, double *p,
                  double *ctx)
{
    double sum = 0, gate = options & GATE ? (double)GATES[h] : 1;
    for (int c = 0; c < w; c++) ctx[c] = 0;
    for (int j = 0; j < n; j++) {
        const Real *key = kv + (ptrdiff_t)j * 2 * HEADS * w + h * w;
        double logit = options & BIAS && BIAS_OF[h] >= 0 ? (double)number('b', id, i, j) : 0;
        for (int c = 0; c < w && !(options & FIX && FIXED[h]); c++)
            logit += (double)q[h * w + c] * (double)key[c] / SCALE;
        sum += p[j] = sees(options, h, i, j, m, n) ? exp(logit) : 0;
    }
    for (int j = 0; j < n; j++) {
        const Real *value = kv + (ptrdiff_t)j * 2 * HEADS * w + (HEADS + h) * w;
        p[j] = sum > 0 ? p[j] / sum : 0;
        for (int c = 0; c < w; c++) ctx[c] += gate * p[j] * (double)value[c];
    }
}

static void assert_plain(Run *r, int w, int options)
{
    const Real *found = host(r, r->probs), *ctx = host(r, r->ctx), *q = host(r, r->q), *kv = host(r, r->kv);
    double p[LONGEST], want[128];
    ptrdiff_t width = (ptrdiff_t)HEADS * w;
    for (int h = 0; h < HEADS; h++)
        for (int k = 0; k < r->queries.n_sent; k++) {
            int m = r->queries.start[k + 1] - r->queries.start[k], n = r->keys.start[k + 1] - r->keys.start[k];
            for (int i = 0; i < m; i++, found += n) {
                ptrdiff_t row = (r->queries.start[k] + i) * width;
                plain(r->id[k], h, i, m, n, w, options, q + row, kv + r->keys.start[k] * 2 * width, p, want);
                for (int j = 0; j < n; j++) {
                    assert_within((double)found[j], p[j], NEAR);
                    if (!sees(options, h, i, j, m, n)) assert_true(found[j] == 0);
                }
                for (int c = 0; c < w; c++) assert_within((double)ctx[row + h * w + c], want[c], 10 * NEAR);
            }
        }
}

TEST_DEVICES(attention_to_other_keys_is_that_of_loops)
{
    static const int forms[] = { 0, MASK | BIAS | GATE, CAUSAL | FIX, MASK | BIAS | FIX | GATE | CAUSAL };
    for (int k = 0; k < 8; k++) {
        MADE(Run, run_init, run_fini, r, device, forms[k / 2]);
        cross(&r, EVERY, SENTENCES, WIDTHS[k % 2], forms[k / 2]);
        assert_plain(&r, WIDTHS[k % 2], forms[k / 2]);
    }
}

TEST_DEVICES(a_sentence_attends_alone_as_in_a_batch)
{
    const int options = ALL & ~DROP, w = 5;
    MADE(Run, run_init, run_fini, all, device, options);
    cross(&all, EVERY, SENTENCES, w, options);
    const Real *together = host(&all, all.ctx);
    for (int s = 0; s < SENTENCES; s++) {
        MADE(Run, run_init, run_fini, r, device, options);
        cross(&r, &s, 1, w, options);
        assert_same(host(&r, r.ctx), together + all.queries.start[s] * HEADS * w, (size_t)(QUERIES[s] * HEADS * w));
    }
}

/* ---- keys of the same sentences */

/* Queries, keys and values of all sentences side by side, where queries and keys are the same tokens. */
static Tensor *joined(Run *r, int w)
{
    const Batch *b = &r->queries;
    int cols = 3 * HEADS * w;
    Real *x = arena_alloc(&r->a, (size_t)b->n_tokens * (size_t)cols, sizeof *x), *at = x;
    for (int k = 0; k < b->n_sent; k++)
        for (int i = 0; i < b->start[k + 1] - b->start[k]; i++)
            for (int c = 0; c < cols; c++)
                *at++ = c < HEADS * w ? number('q', r->id[k], i, c) : number('k', r->id[k], i, c - HEADS * w);
    return wanted(r, x, b->n_tokens, cols);
}

/* Contexts, weights and gradients have the same bits as in self-attention, from separate tensors or from columns of
 * one. */
static void assert_same_as_self(const Device *device, int w, int options, bool apart)
{
    MADE(Run, run_init, run_fini, self, device, options);
    MADE(Run, run_init, run_fini, r, device, options);
    int width = HEADS * w;
    take_sentences(&self, QUERIES, QUERIES, EVERY, SENTENCES, options);
    take_sentences(&r, QUERIES, QUERIES, EVERY, SENTENCES, options);
    int tokens = r.queries.n_tokens;
    Tensor *qkv = joined(&self, w), *both = joined(&r, w), *q, *kv;
    self.ctx = op_attention(&self.t, &qkv, &self.spec, &self.queries, &self.probs);
    q = apart ? numbers(&r, 'q', &r.queries, width) : tape_columns(&r.t, both, 0, width);
    kv = apart ? numbers(&r, 'k', &r.keys, 2 * width) : tape_columns(&r.t, both, width, 2 * width);
    attend(&r, q, kv);
    assert_same(host(&r, r.ctx), host(&self, self.ctx), tensor_size(r.ctx));
    assert_same(host(&r, r.probs), host(&self, self.probs), tensor_size(r.probs));
    assert_int_equal(tape_backward(&self.t, weighted_total(&self.t, self.ctx, 23, 0)), OK);
    assert_int_equal(tape_backward(&r.t, weighted_total(&r.t, r.ctx, 23, 0)), OK);
    const Real *want = host_grad(&self, qkv), *dq = host_grad(&r, apart ? q : both),
               *dkv = apart ? host_grad(&r, kv) : NULL;
    for (int i = 0; i < tokens; i++) {
        assert_same(dq + (ptrdiff_t)i * (apart ? 1 : 3) * width, want + (ptrdiff_t)i * 3 * width,
                    (size_t)((apart ? 1 : 3) * width));
        if (apart)
            assert_same(dkv + (ptrdiff_t)i * 2 * width, want + ((ptrdiff_t)i * 3 + 1) * width, 2 * (size_t)width);
    }
    assert_same(host_grad(&r, r.spec.gates), host_grad(&self, self.spec.gates), HEADS);
    assert_same(host_grad(&r, r.spec.bias), host_grad(&self, self.spec.bias), tensor_size(r.spec.bias));
}

TEST_DEVICES(attention_to_the_keys_of_the_same_sentences_is_self_attention)
{
    for (int k = 0; k < 4; k++) assert_same_as_self(device, WIDTHS[k / 2], k / 2 ? MASK | BIAS | GATE : ALL, k % 2);
}

/* Queries from step .. step + at_once - 1, as far as each sentence has them, with all keys so far. */
static void decode_step(const Device *device, const Batch *whole, const Real *want, int w, int step, int at_once)
{
    MADE(Run, run_init, run_fini, r, device, CAUSAL);
    int queries[SENTENCES], keys[SENTENCES], width = HEADS * w;
    for (int s = 0; s < SENTENCES; s++) {
        keys[s] = QUERIES[s] < step + at_once ? QUERIES[s] : step + at_once;
        queries[s] = keys[s] > step ? keys[s] - step : 0;
    }
    take_sentences(&r, queries, keys, EVERY, SENTENCES, 0);
    Real *q = arena_alloc(&r.a, (size_t)r.queries.n_tokens * (size_t)width, sizeof *q), *at = q;
    for (int s = 0; s < SENTENCES; s++)
        for (int i = 0; i < queries[s]; i++)
            for (int c = 0; c < width; c++) *at++ = number('q', s, step + i, c);
    attend(&r, wanted(&r, q, r.queries.n_tokens, width), numbers(&r, 'k', &r.keys, 2 * width));
    const Real *found = host(&r, r.ctx);
    for (int s = 0; s < SENTENCES; s++)
        assert_close(found + (ptrdiff_t)r.queries.start[s] * width, want + ((ptrdiff_t)whole->start[s] + step) * width,
                     (size_t)(queries[s] * width), NEAR / 2, NEAR / 2);
}

TEST_DEVICES(queries_that_come_one_by_one_or_some_at_a_time_attend_as_all_at_once)
{
    const int w = WIDTHS[0];
    MADE(Run, run_init, run_fini, all, device, CAUSAL);
    take_sentences(&all, QUERIES, QUERIES, EVERY, SENTENCES, 0);
    Tensor *x = joined(&all, w);
    const Real *want = host(&all, op_attention(&all.t, &x, &all.spec, &all.queries, NULL));
    for (int step = 0; step < 70; step++) decode_step(device, &all.queries, want, w, step, 1);
    for (int step = 0; step < 70; step += 13) decode_step(device, &all.queries, want, w, step, 13);
}

TEST_DEVICES(relevance_goes_to_the_values_and_adds_up)
{
    enum { D = 6, W = 5, WIDTH = HEADS * W };
    const int options = ALL & ~DROP;
    Real weight[D * 2 * WIDTH], shift[2 * WIDTH];
    MADE(Run, run_init, run_fini, r, device, options);
    for (int i = 0; i < D * 2 * WIDTH; i++) weight[i] = number('w', 0, 0, i);
    for (int i = 0; i < 2 * WIDTH; i++) shift[i] = number('s', 0, 0, i);
    take_sentences(&r, QUERIES, KEYS, EVERY, SENTENCES, options);
    Tensor *x = op_relu(&r.t, numbers(&r, 'x', &r.queries, D)), *memory = op_relu(&r.t, numbers(&r, 'm', &r.keys, D)),
           *wq = wanted(&r, weight, D, WIDTH), *wkv = wanted(&r, weight, D, 2 * WIDTH),
           *bias = wanted(&r, shift, 1, 2 * WIDTH);
    attend(&r, op_linear(&r.t, x, wq, NULL, false), op_linear(&r.t, memory, wkv, bias, false));
    Tensor *score = weighted_total(&r.t, r.ctx, 23, 0.5), *keep[] = { x, memory, r.ctx };
    assert_int_equal(tape_relevance(&r.t, score, keep, 3, NULL), OK);
    double want = tape_number(&r.t, score), near = 10 * NEAR * fmax(1, fabs(want));
    assert_true(relevance_of(&r.t, x) == 0);
    assert_within(relevance_of(&r.t, memory) + r.t.bias_part, want, near);
    assert_within(relevance_of(&r.t, r.ctx) + 0.5, want, near);
}

TEST(keys_that_do_not_fit_are_refused)
{
    static const int one[] = { 0, 2 }, two[] = { 0, 1, 2 };
    const Batch a = { 1, one, 2, 2 }, b = { 2, two, 2, 1 };
    AttentionSpec spec = { .n_heads = 2, .n_parts = 1, .scale = 1 };
    for (int k = 0; k < 3; k++) {
        MADE(Run, run_init, run_fini, r, test_device(), 0);
        Tensor *q = tape_new(&r.t, 2, 6), *kv = tape_new(&r.t, 2, k == 1 ? 10 : 12);
        spec.n_parts = k == 2 ? 2 : 1;
        assert_null(op_cross_attention(&r.t, q, kv, &spec, &a, k ? &a : &b, NULL));
        assert_error(&r.t.error, ERR_RANGE,
                     k == 0   ? "attention: queries of 1 sentences, keys of 2"
                     : k == 1 ? "attention: queries [2, 6], keys and values [2, 10] for 2 heads, 2 and 2 tokens"
                              : "attention: 2 parts, expected 1");
    }
}

/* ---- the loss */

TEST_DEVICES(a_smoothed_loss_shares_the_target_with_all_values)
{
    enum { ROWS = 40, VALUES = 1500 };
    static Real x[ROWS * VALUES];
    static long row[ROWS];
    static int len[ROWS], gold[ROWS];
    double nll = 0, mean = 0;
    for (int r = 0; r < ROWS; r++) {
        double sum = 0, each = 0;
        row[r] = (long)r * VALUES + r % 3;
        len[r] = r % 7 ? VALUES - 3 : r + 1;
        gold[r] = r % 5 == 4 ? -1 : r * 37 % len[r];
        for (int v = 0; v < VALUES; v++) x[r * VALUES + v] = number('l', 0, r % LONGEST, v);
        for (int v = 0; v < len[r]; v++) {
            sum += exp((double)x[row[r] + v]);
            each += (double)x[row[r] + v] / len[r];
        }
        if (gold[r] < 0) continue;
        nll += log(sum) - (double)x[row[r] + gold[r]];
        mean += log(sum) - each;
    }
    MADE(Run, run_init, run_fini, r, device, 0);
    Tensor *in = wanted(&r, x, ROWS, VALUES), *beside, *unsmoothed,
           *plain_loss = op_cross_entropy(&r.t, in, row, len, gold, ROWS),
           *loss = op_smoothed_cross_entropy(&r.t, in, row, len, gold, ROWS, 0.1, &beside),
           *all = op_smoothed_cross_entropy(&r.t, in, row, len, gold, ROWS, 1, NULL),
           *none = op_smoothed_cross_entropy(&r.t, in, row, len, gold, ROWS, 0, &unsmoothed);
    assert_within(tape_number(&r.t, loss), 0.9 * nll + 0.1 * mean, NEAR * nll / 10);
    assert_within(tape_number(&r.t, all), mean, NEAR * mean / 10);
    assert_within(tape_number(&r.t, plain_loss), nll, NEAR * nll / 10);
    assert_true(tape_number(&r.t, beside) == tape_number(&r.t, plain_loss) && !beside->needs_grad);
    assert_true(tape_number(&r.t, none) == tape_number(&r.t, plain_loss));
    assert_true(tape_number(&r.t, unsmoothed) == tape_number(&r.t, plain_loss));
    assert_null(op_smoothed_cross_entropy(&r.t, in, row, len, gold, ROWS, 1.5, NULL));
    assert_error(&r.t.error, ERR_RANGE, "cross_entropy: smoothing 1.5, expected 0 to 1");
}
