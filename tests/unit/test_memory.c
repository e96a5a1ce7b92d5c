/* The memory of a device that training and parsing need is known, and taken, before the first
 * update and the first batch. */
#define _POSIX_C_SOURCE 200809L
#include "base/rng.h"
#include "tensor/cuda/gpu.h"
#include "tests/support/checking_device.h"
#include "tests/support/counting_device.h"
#include "tests/support/trained.h"

/* Emulation is slow. */
static const Device *base(void) { return test_device_any(); }
static bool slow(void) { return base() == device_cuda(); }

/* ---- the measuring device */

/* A network of a few ops on a tape, with its gradient. */
static TapeNeed need_of(const Device *d, TapeNeed reserved, int rows)
{
    enum { COLS = 40 };
    static Real x[300 * COLS];
    Real *w = device_zeros(base(), 2 * COLS * COLS), *dw = w + COLS * COLS;
    MADE(Tape, tape_init, tape_fini, t, d);
    if (reserved.numbers) assert_true(tape_reserve(&t, reserved));
    long before = counted.allocations;
    tape_reset(&t, true, true, 1);
    Tensor *y = tape_constant(&t, x, rows, COLS);
    for (int k = 0; k < 3; k++) {
        TapeMark mark = tape_mark(&t);
        assert_non_null(tape_scratch(&t, 5000, sizeof(Real))); /* rewound: the peak */
        tape_rewind(&t, mark);
        y = op_dropout(&t, op_linear(&t, y, tape_wrap(&t, w, dw, COLS, COLS, true), NULL, true), 0.1, NULL);
    }
    static const int at[1] = { 0 };
    static const Real one[1] = { 1 };
    assert_int_equal(tape_backward(&t, op_pick(&t, y, at, at, one, 1, 0)), OK);
    if (reserved.numbers) assert_int_equal(counted.allocations, before);
    base()->free(w);
    return tape_need(&t);
}

/* Pairs of tokens, and rows of tokens and heads: neither may wrap around and be a small tensor. */
TEST(a_matrix_with_more_rows_or_columns_than_an_int_is_refused)
{
    enum { TOKENS = 65537, HEADS = 4 }; /* TOKENS^2 is 131073 above 2^32 */
    const Batch long_one = { .n_sent = 1, .start = (const int[]){ 0, TOKENS }, .n_tokens = TOKENS, .longest = TOKENS };
    const AttentionSpec spec = { .n_heads = HEADS, .n_parts = 1, .scale = 1 };
    FREED(free_pointer) int *row = calloc(2 * TOKENS - 1, sizeof *row);
    assert_non_null(row);
    for (int what = 0; what < 6; what++) {
        Tensor *y = NULL, *probs;
        MADE(Tape, tape_init, tape_fini, t, device_measuring());
        tape_reset(&t, true, false, 0);
        Tensor *qkv = tape_new(&t, TOKENS, 3 * HEADS), *r = tape_new(&t, 2 * TOKENS - 1, HEADS),
               *u = tape_new(&t, 1, HEADS), *wide = tape_new(&t, 1 << 20, 4096), *words = tape_new(&t, TOKENS - 1, 1),
               *weighed = tape_new(&t, TOKENS - 1, 2);
        assert_int_equal(tape_status(&t), OK);
        if (what == 0) y = op_relative_logits(&t, qkv, r, u, u, HEADS, 1, &long_one);
        if (what == 1) y = op_relative_bias(&t, r, row, &long_one);
        if (what == 2) y = op_attention(&t, &qkv, &spec, &long_one, &probs);
        if (what == 3) y = op_split_heads(&t, wide, 4096, 1);
        if (what == 4) y = op_join_heads(&t, op_split_heads(&t, wide, 1024, 1), 1 << 30, 1);
        if (what == 5) y = op_arc_scores(&t, weighed, words, tape_new(&t, 1, 2), &long_one);
        if (y || tape_status(&t) != ERR_NOMEM) fail_msg("case %d: %s", what, y ? "a tensor" : t.error.message);
    }
}

TEST(the_measuring_device_counts_what_another_one_takes)
{
    for (int rows = 1; rows < 300; rows += 23) {
        TapeNeed need = need_of(device_measuring(), (TapeNeed){ 0, 0 }, rows);
        const Device *d = counting_device(base(), need.numbers + need.grads);
        TapeNeed taken = need_of(d, need, rows);
        assert_true(need.numbers > (size_t)rows * 40 * sizeof(Real) && need.grads > 0);
        assert_int_equal(taken.numbers, need.numbers);
        assert_int_equal(taken.grads, need.grads);
        assert_int_equal(counted.most, need.numbers + need.grads);
        assert_int_equal(counted.used, 0);
    }
    Tape t;
    tape_init(&t, counting_device(base(), 1000));
    assert_false(tape_reserve(&t, (TapeNeed){ 1001, 10 }));
    assert_false(tape_reserve(&t, (TapeNeed){ 900, 101 }));
    assert_true(tape_reserve(&t, (TapeNeed){ 900, 100 }));
    assert_true(tape_reserve(&t, (TapeNeed){ 100, 100 })); /* it has that */
    tape_fini(&t);
    assert_int_equal(counted.used, 0);
}

/* ---- training */

typedef struct Seen {
    bool started;
    size_t used;      /* of the device's memory when the first update came */
    long allocations; /* until then */
    long updates, since;
} Seen;

static void note(void *context, const TrainEvent *event)
{
    Seen *s = context;
    if (event->kind == TRAIN_STARTED) {
        s->started = true;
        s->used = counted.used;
        s->allocations = counted.allocations;
    }
    if (event->kind == TRAIN_PROGRESS) {
        s->updates++;
        s->since = counted.allocations - s->allocations;
    }
}

static Status run(TrainArgs a, size_t limit, Seen *seen, Error *e)
{
    *seen = (Seen){ .started = false };
    *e = (Error){ 0 };
    a.device = counting_device(base(), limit);
    a.observer = (TrainObserver){ note, seen };
    Status s = trainer_run(&a, e);
    assert_int_equal(counted.used, 0);
    return s;
}

/* Sentences of random lengths: of words of the grammar's, cut or joined. */
static void vary_lengths(Treebank *tb, uint64_t seed)
{
    Arena *a = &tb->arena;
    for (int k = 0; k < tb->n; k++) {
        Sentence *s = &tb->s[k];
        uint64_t x = rng_key(seed, (uint64_t)k, 0, 0);
        int n = x % 4 == 0 ? 1 + (int)(x / 4 % 3) : 1 + (int)(x / 4 % 40);
        const char **words = arena_alloc(a, (size_t)n, sizeof *words), **tags = arena_alloc(a, (size_t)n, sizeof *tags),
                   **types = arena_alloc(a, (size_t)n, sizeof *types);
        int *heads = arena_alloc(a, (size_t)n, sizeof *heads);
        Phrase *phrases = arena_alloc(a, (size_t)n, sizeof *phrases);
        char spelt[40];
        for (int w = 0; w < n; w++) {
            int letters = snprintf(spelt, sizeof spelt, "%.*s%d", (int)(x >> (w % 40)) & 15, "abcdefghijklmnopq",
                                   (int)(rng_key(seed, (uint64_t)k, (uint64_t)w, 1) % 90));
            words[w] = arena_strndup(a, spelt, (size_t)letters);
            tags[w] = s->tags[w % s->n_words];
            types[w] = w ? "dep" : "root";
            heads[w] = w; /* a chain */
            phrases[w] = (Phrase){ w, n, w % 2 ? "NP" : "S" };
        }
        s->n_words = n;
        s->words = words;
        s->tags = tags;
        s->types = types;
        s->heads = heads;
        s->phrases = phrases;
        s->n_phrases = n;
    }
}

/* Label heads inside phrases that arcs read, linked to categories. */
static void take_form(TrainArgs *a, int form)
{
    a->model.lal_form = form;
    a->model.lal_arcs = a->model.lal_linked = form != LAL_WORDS;
    a->train.link_weight = form != LAL_WORDS;
}

TEST(no_sub_batch_needs_more_than_was_taken_before_the_first_update)
{
    static const struct {
        int batch, tokens, threads;
        bool chars, options;
        int form;
    } cases[] = { { 20, 90, 2, true, false, LAL_WORDS },
                  { 60, 400, 1, false, true, LAL_BOTH },
                  { 7, 40, 3, true, true, LAL_PHRASES },
                  { 1, 10, 1, false, false, LAL_WORDS },
                  { 20, 90, 2, false, false, LAL_PHRASES } };
    for (size_t k = slow() ? 2 : 0; k < (slow() ? 3 : sizeof cases / sizeof *cases); k++) {
        Seen seen;
        MADE(Bench, bench_init, bench_fini, b, slow() ? 12 : 80);
        vary_lengths(&b.train.trees, k + 1);
        TrainArgs a = toy(&b, in(&b, "a"), NULL, cases[k].threads);
        EncoderOptions options = toy_options(TOY_EVERYTHING, &b.train.trees.arena);
        a.n_dev = 0;
        a.train.epochs = slow() ? 1 : 3;
        a.train.batch_size = cases[k].batch;
        a.train.subbatch_tokens = cases[k].tokens;
        if (cases[k].chars) a.model.use_chars = CHARS_LSTM;
        take_form(&a, cases[k].form);
        if (cases[k].options) {
            a.model.partitioned = a.model.lal_partitioned = true;
            a.options = &options;
        }
        assert_ok(run(a, SIZE_MAX, &seen, test_error()));
        assert_true(seen.updates >= (slow() ? 2 : 3) && seen.started);
        if (seen.since) fail_msg("case %zu: asked for memory after the first update", k);
    }
}

/* A run that starts has enough to the end, its checks included; one that does not says what is missing. */
TEST(too_little_memory_is_found_before_the_first_update)
{
    Error e = { 0 };
    Seen seen;
    MADE(Bench, bench_init, bench_fini, b, slow() ? 3 : 60);
    if (slow()) b.dev.trees.n = 5;
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 2);
    a.train.epochs = 1;
    size_t least = 0, enough = (size_t)1 << 30; /* the run starts with the latter, not with the former */
    a.stop_at_step = 1;
    while (enough - least > (slow() ? 1 << 16 : 1)) {
        size_t limit = least + (enough - least) / 2;
        Status s = run(a, limit, &seen, &e);
        assert_int_equal(s, seen.started ? ERR_INTERRUPTED : ERR_NOMEM);
        if (seen.started) enough = limit;
        else least = limit;
    }
    unlink(a.out);
    assert_int_equal(run(a, least, &seen, &e), ERR_NOMEM);
    double each, dev, available;
    int threads, end = 0;
    sscanf(e.message,
           "out of memory on a small device before the first update: sub-batches need %lf MiB for each of %d threads "
           "and %lf MiB to parse dev; %lf MiB are free; lower --threads, --subbatch-tokens or --max-train-words%n",
           &each, &threads, &dev, &available, &end);
    if (end != (int)strlen(e.message)) fail_msg("found '%s'", e.message);
    assert_true(threads == (slow() ? 1 : 2) && each > 0.1 && dev > 0.01);
    assert_within(threads * each + dev, available, 0.3);
    assert_int_equal(seen.updates, 0);
    assert_int_not_equal(access(a.out, F_OK), 0);
    a.stop_at_step = 0;
    if (run(a, enough, &seen, &e) != OK) fail_msg("%s", e.message);
    assert_true(seen.updates == (slow() ? 1 : 3));
}

/* ---- parsing */

static void check_parsing(Model *m, Treebank *tb)
{
    enum { THREADS = 2 };
    const ParseInput *in = parse_inputs(tb, tb->n);
    for (int way = 0; way < 2; way++) { /* whole sentences, and in pieces */
        size_t bytes;
        for (int less = 0; less < 2; less++) {
            const Device *d = counting_device(base(), SIZE_MAX);
            Parser p;
            assert_ok(params_upload(&m->ps, d, test_error()));
            long before = counted.allocations;
            assert_ok(parser_init(&p, m, d, THREADS, test_error()));
            p.o.batch_tokens = 150;
            if (way) p.o.max_words = 8;
            if (!less) assert_ok(parse_pool_need(&p.pool, in, tb->n, &p.o, &bytes, test_error()));
            counted.limit = counted.used + bytes - (size_t)less;
            assert_int_equal(counted.allocations, before);
            Status s = parser_run(&p, in, tb->n, NULL, NULL, test_error());
            if (less) assert_fails_with(s, ERR_NOMEM, "MiB are free; lower --threads, --batch-tokens or --max-words");
            else assert_ok(s);
            assert_true(counted.allocations <= before + THREADS && bytes > 10000);
            parser_fini(&p);
            if (!d->host_memory) assert_ok(params_upload(&m->ps, base(), test_error()));
            assert_int_equal(counted.used, 0);
        }
    }
}

TEST(parsing_takes_its_memory_before_the_first_batch)
{
    MADE(Trained, trained_init, trained_fini, x);
    if (slow()) x.b.dev.trees.n = 12;
    check_parsing(&x.m, &x.b.dev.trees);
    if (slow()) return;
    MADE(Trained, trained_init_phrases, trained_fini, phrases);
    check_parsing(&phrases.m, &phrases.b.dev.trees);
}
