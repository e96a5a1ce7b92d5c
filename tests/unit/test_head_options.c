/* tests/unit/test_head_options.c: what encoder options do to a whole model, in training, in files and in parsing. The
 * layers alone: test_head_control.c, test_guidance.c, test_head_gate.c, test_projected_attention.c. */
#define _POSIX_C_SOURCE 200809L
#include "parser/model/head_inputs.h"
#include "parser/parse/parse.h"
#include "tests/support/toy.h"
#include "tests/support/toy_options.h"

/* A toy run of two layers of two heads with these options, or NULL; lr 0 keeps the first weights. */
static TrainArgs run_with(Bench *b, const char *name, const char *text, double lr, EncoderOptions *o, Arena *a)
{
    TrainArgs args = toy(b, in(b, name), NULL, 1);
    args.model.n_layers = 2;
    args.train.lr = lr;
    if (lr == 0) args.train.average = 0; /* whose rounding differs from check to check */
    if (!text) return args;
    *o = toy_options(text, a);
    args.options = o;
    return args;
}

static void trained(Bench *b, Model *m, const char *text, double lr)
{
    Arena a;
    EncoderOptions o;
    arena_init(&a, 1024);
    TrainArgs args = run_with(b, "a", text, lr, &o, &a);
    train_ok(&args);
    load_ok(m, args.out);
    arena_fini(&a);
}

/* The vectors of all tokens of the first n dev sentences, parsed as one batch from sentence `from`; on the heap. */
static Real *vectors_of(const Bench *b, const Model *m, int from, int n, size_t *count)
{
    Worker w;
    Arena out;
    Error e = { 0 };
    ParseInput in[8];
    Parsed parsed[8];
    arena_init(&out, 4096);
    worker_init(&w, m, device_default());
    for (int k = 0; k < n; k++) {
        const Sentence *s = &b->dev.trees.s[from + k];
        in[k] = parse_input(s);
    }
    const ParseOptions o = parse_defaults(m);
    if (parse_batch(&w, in, n, &o, &out, parsed, &e) != OK) fail_msg("%s", e.message);
    *count = tensor_size(w.net.encoder.word);
    Real *x = mem_alloc(*count, sizeof *x);
    assert_true(tensor_download(&w.tape, w.net.encoder.word, x));
    worker_fini(&w);
    arena_fini(&out);
    return x;
}

static void assert_same_vectors(const Bench *b, const Model *x, const Model *y, bool same)
{
    size_t n, m;
    Real *a = vectors_of(b, x, 0, 5, &n), *c = vectors_of(b, y, 0, 5, &m);
    assert_int_equal(n, m);
    if (same) assert_memory_equal(a, c, n * sizeof *a);
    else assert_memory_not_equal(a, c, n * sizeof *a);
    mem_free(a);
    mem_free(c);
}

/* At the start these give the plain model, to the last bit. */
TEST(options_that_change_nothing_at_first)
{
    static const char *const options[] = {
        "{'gates': {'kind': 'hard_concrete', 'stacks': ['self', 'label']}}",
        "{'gates': {'kind': 'free', 'stacks': ['self', 'label']}}",
        "{'gates': {'kind': 'constant', 'constant': [1, 1, 1, 1]}}",
        "{'pal': {'layers': 'all', 'width': 8, 'heads': 2}}",
        "{'pal': {'layers': [1], 'width': 8, 'heads': 2, 'at': 'attention', 'share': true}}",
        "{'heads': [" TOY_HEAD("self", "'all'", "'rel_pos'", "mask") "], 'patterns': {'rel_pos': {'window': 9999}}}",
        "{'heads': [" TOY_HEAD("self", "[0]", "'next'", "guide") "]}",
    };
    Bench b;
    Model plain;
    bench_init(&b, 30);
    trained(&b, &plain, NULL, 0);
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        Model m;
        trained(&b, &m, options[k], 0);
        assert_false(encoder_options_plain(&m.options));
        assert_same_vectors(&b, &plain, &m, true);
        model_fini(&m);
    }
    model_fini(&plain);
    bench_fini(&b);
}

/* And these do not. */
TEST(options_that_change_the_model)
{
    static const char *const options[] = {
        "{'gates': {'kind': 'constant', 'constant': [1, 1, 0, 1]}}",
        "{'gates': {'kind': 'hard_concrete', 'log_alpha_init': 1}}",
        "{'gates': {'kind': 'hard_concrete', 'stacks': ['label'], 'log_alpha_init': 0}}",
        "{'heads': [" TOY_HEAD("self", "[1]", "'rel_pos'", "mask") "]}",
        "{'heads': [" TOY_HEAD("self", "[0]", "['prev', 'self']", "fixed") "]}",
        "{'heads': [" TOY_LABEL("[2]", "'rare_w'", "mask") "]}",
        "{'heads': [" TOY_HEAD("self", "[0]", "'rare_w'", "mask") "]}",
    };
    Bench b;
    Model plain;
    bench_init(&b, 30);
    trained(&b, &plain, NULL, 0);
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        Model m;
        trained(&b, &m, options[k], 0);
        assert_same_vectors(&b, &plain, &m, false);
        model_fini(&m);
    }
    model_fini(&plain);
    bench_fini(&b);
}

TEST(a_sentence_is_encoded_alike_in_every_batch_and_after_loading)
{
    Bench b;
    Model m;
    size_t n, all;
    bench_init(&b, 30);
    trained(&b, &m, TOY_EVERYTHING, 0.003);
    assert_true(vocab_size(&m.df) > 5); /* for rare_w */
    Real *together = vectors_of(&b, &m, 0, 5, &all);
    for (int k = 0, from = 0; k < 5; k++) {
        Real *alone = vectors_of(&b, &m, k, 1, &n);
        assert_close(alone, together + from, n, 1e-4, 1e-5);
        from += (int)n;
        mem_free(alone);
    }
    Error e = { 0 };
    assert_int_equal(model_save(&m, in(&b, "c"), DT_F32, NULL, 0, NULL, &e), OK);
    Model again;
    load_ok(&again, in(&b, "c"));
    assert_same_vectors(&b, &m, &again, true);
    model_fini(&again);
    model_fini(&m);
    mem_free(together);
    bench_fini(&b);
}

TEST(training_with_options_does_not_depend_on_threads_or_on_a_stop)
{
    Bench b;
    Arena a;
    EncoderOptions o;
    Error e = { 0 };
    bench_init(&b, 60);
    arena_init(&a, 1024);
    TrainArgs one = run_with(&b, "a", TOY_EVERYTHING, 0.003, &o, &a), two = one;
    two.out = in(&b, "b");
    two.n_threads = 2;
    two.checkpoint = in(&b, "b.ckpt");
    two.stop_at_step = 4;
    train_ok(&one);
    assert_int_equal(trainer_run(&two, &e), ERR_INTERRUPTED);
    two.resume = two.checkpoint;
    two.stop_at_step = 0;
    train_ok(&two);
    assert_same_weights(one.out, two.out, &TASK_PARSE);
    arena_fini(&a);
    bench_fini(&b);
}

TEST(guidance_of_weight_0_trains_the_unguided_model)
{
    Bench b;
    Arena a;
    EncoderOptions none, some;
    bench_init(&b, 60);
    arena_init(&a, 1024);
    TrainArgs plain = run_with(&b, "a", NULL, 0.003, NULL, &a),
              zero = run_with(&b, "b",
                              "{'heads': [" TOY_HEAD("self", "[0]", "'next'", "guide") "], 'guidance': {'alpha0': 0}}",
                              0.003, &none, &a),
              ten = run_with(&b, "c", "{'heads': [" TOY_HEAD("self", "[0]", "'next'", "guide") "]}", 0.003, &some, &a);
    train_ok(&plain);
    train_ok(&zero);
    train_ok(&ten);
    assert_same_weights(plain.out, zero.out, &TASK_PARSE);
    Model x, y;
    load_ok(&x, plain.out);
    load_ok(&y, ten.out);
    assert_memory_not_equal(params_values(&x.ps), params_values(&y.ps), x.ps.size * sizeof(Real));
    model_fini(&x);
    model_fini(&y);
    arena_fini(&a);
    bench_fini(&b);
}

/* The penalty alone decides when it is large: all gates close, and a model without heads still parses. */
TEST(a_large_penalty_closes_all_gates)
{
    Bench b;
    Model m;
    double gates[2];
    size_t n;
    Error e = { 0 };
    bench_init(&b, 60);
    trained(&b, &m, "{'gates': {'kind': 'hard_concrete', 'lambda': 1000, 'lr_scale': 10000}}", 0.003);
    for (int l = 0; l < 2; l++) {
        assert_int_equal(head_gate_values(&m.net.encoder.gate[l], &m.ps, gates, &e), OK);
        assert_int_equal(head_gate_open(gates, 2), 0);
    }
    assert_false(m.net.encoder.gated[2]);
    mem_free(vectors_of(&b, &m, 0, 3, &n));
    model_fini(&m);
    bench_fini(&b);
}

/* Gates in a trained model: it begins as that model, only what comes before the gates is trained, and the run ends when
 * no gate has changed for `patience` checks. */
TEST(gates_start_from_a_model_and_stop_when_they_have_settled)
{
    Bench b;
    Arena a;
    EncoderOptions o;
    Model plain, gated, more;
    Error e = { 0 };
    StrBuf text = { 0 };
    bench_init(&b, 60);
    arena_init(&a, 1024);
    TrainArgs args = run_with(&b, "a", NULL, 0.003, NULL, &a);
    train_ok(&args);
    load_ok(&plain, args.out);
    strbuf_printf(&text, "{'gates': {'kind': 'hard_concrete', 'lambda': 0, 'patience': 3, 'start_from': '%s'}}",
                  args.out);
    TrainArgs still = run_with(&b, "b", text.ptr, 0, &o, &a);
    train_ok(&still);
    load_ok(&gated, still.out);
    assert_same_vectors(&b, &plain, &gated, true);
    TrainArgs run = run_with(&b, "c", text.ptr, 0.003, &o, &a);
    run.train.epochs = 20;
    run.checkpoint = in(&b, "c.ckpt");
    run.stop_at_step = 2;
    assert_int_equal(trainer_run(&run, &e), ERR_INTERRUPTED);
    run.resume = run.checkpoint;
    run.stop_at_step = 0;
    train_ok(&run);
    load_ok(&more, run.out);
    assert_non_null(strstr(more.summary, "\"epoch\": 4.00")); /* 3 checks after the first one */
    for (int k = 0; k < more.ps.n; k++) {
        const Param *p = &more.ps.p[k];
        int was = params_find(&plain.ps, p->name);
        if (was < 0) continue;
        bool same = memcmp(param_values(&more.ps, k), param_values(&plain.ps, was), param_count(p) * sizeof(Real)) == 0,
             trained_now = strncmp(p->name, "embedding", 9) == 0 || strncmp(p->name, "encoder.attn_0", 14) == 0 ||
                           strncmp(p->name, "encoder.attn_1", 14) == 0 || strncmp(p->name, "encoder.ff_0", 12) == 0 ||
                           strncmp(p->name, "encoder.ff_1", 12) == 0;
        if (same == trained_now && p->rows > 1) fail_msg("%s was %strained", p->name, same ? "not " : "");
    }
    strbuf_fini(&text);
    model_fini(&plain);
    model_fini(&gated);
    model_fini(&more);
    arena_fini(&a);
    bench_fini(&b);
}

TEST(df_counts_sentences_in_lower_case)
{
    static const char *const first[] = { "The", "dog", "the", "DOG", "the" }, *const second[] = { "the" };
    Vocab df;
    vocab_init(&df);
    assert_true(head_inputs_count(&df, first, 5) && head_inputs_count(&df, second, 1));
    assert_int_equal(vocab_size(&df), 2);
    assert_int_equal(df.counts[vocab_find(&df, "the")], 2);
    assert_int_equal(df.counts[vocab_find(&df, "dog")], 1);
    vocab_fini(&df);
}
