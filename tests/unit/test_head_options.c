/* What encoder options do to a whole model, in training, in files and in parsing. The
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

static void trained(Model *m, Bench *b, const char *text, double lr)
{
    EncoderOptions o;
    TrainArgs args = run_with(b, "a", text, lr, &o, test_arena());
    train_and_load(m, &args);
}

/* The vectors of all tokens of the first n dev sentences, parsed as one batch from sentence `from`. */
static Real *vectors_of(const Bench *b, const Model *m, int from, int n, size_t *count)
{
    ParseInput in[8];
    Parsed parsed[8];
    MADE(Worker, worker_init, worker_fini, w, m, device_default());
    for (int k = 0; k < n; k++) in[k] = parse_input(&b->dev.trees.s[from + k]);
    const ParseOptions o = parse_defaults(m);
    assert_ok(parse_batch(&w, in, n, &o, test_arena(), parsed, test_error()));
    *count = tensor_size(w.net.encoder.word);
    return tensor_numbers(&w.tape, w.net.encoder.word);
}

static void assert_same_vectors(const Bench *b, const Model *x, const Model *y, bool same)
{
    size_t n, m;
    Real *a = vectors_of(b, x, 0, 5, &n), *c = vectors_of(b, y, 0, 5, &m);
    assert_int_equal(n, m);
    if (same) assert_memory_equal(a, c, n * sizeof *a);
    else assert_memory_not_equal(a, c, n * sizeof *a);
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
    MADE(Bench, bench_init, bench_fini, b, 30);
    MADE(Model, trained, model_fini, plain, &b, NULL, 0);
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        MADE(Model, trained, model_fini, m, &b, options[k], 0);
        assert_false(encoder_options_plain(&m.options));
        assert_same_vectors(&b, &plain, &m, true);
    }
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
    MADE(Bench, bench_init, bench_fini, b, 30);
    MADE(Model, trained, model_fini, plain, &b, NULL, 0);
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        MADE(Model, trained, model_fini, m, &b, options[k], 0);
        assert_same_vectors(&b, &plain, &m, false);
    }
}

TEST(a_sentence_is_encoded_alike_in_every_batch_and_after_loading)
{
    size_t n, all;
    MADE(Bench, bench_init, bench_fini, b, 30);
    MADE(Model, trained, model_fini, m, &b, TOY_EVERYTHING, 0.003);
    assert_true(vocab_size(&m.df) > 5); /* for rare_w */
    Real *together = vectors_of(&b, &m, 0, 5, &all);
    for (int k = 0, from = 0; k < 5; k++) {
        Real *alone = vectors_of(&b, &m, k, 1, &n);
        assert_close(alone, together + from, n, 1e-4, 1e-5);
        from += (int)n;
    }
    assert_ok(model_save(&m, in(&b, "c"), DT_F32, NULL, 0, NULL, test_error()));
    MADE(Model, load_ok, model_fini, again, in(&b, "c"));
    assert_same_vectors(&b, &m, &again, true);
}

/* Head 0 of layer `layer`, in each sentence of the last batch: weights of a normal distribution, whose sum is 1. */
static void assert_normal(Worker *w, int layer, int offset, double deviation)
{
    const Batch *b = &w->packed.batch;
    const Real *p = tensor_numbers(&w->tape, w->net.encoder.attention[layer].probs);
    for (int s = 0; s < b->n_sent; s++) {
        int m = b->start[s + 1] - b->start[s];
        for (int i = 0; i < m; i++, p += m) {
            double sum = 0;
            for (int j = 0; j < m; j++) sum += exp(-pow((j - i - offset) / deviation, 2) / 2);
            for (int j = 0; j < m; j++)
                assert_within((double)p[j], exp(-pow((j - i - offset) / deviation, 2) / 2) / sum, 1e-5);
        }
    }
}

TEST(fixed_heads_have_weights_of_a_normal_distribution)
{
    static const char options[] = "{'heads': [{'layers': [0], 'heads': [0], 'pattern': 'gauss', 'use': 'fixed'}, "
                                  "{'layers': [1], 'heads': [0], 'pattern': 'gauss/offset=-2,deviation=1.5', "
                                  "'use': 'fixed'}], 'patterns': {'gauss': {'offset': 1}}}";
    MADE(Bench, bench_init, bench_fini, b, 30);
    MADE(Model, trained, model_fini, m, &b, options, 0.003);
    assert_ok(model_save(&m, in(&b, "c"), DT_F32, NULL, 0, NULL, test_error()));
    MADE(Model, load_ok, model_fini, again, in(&b, "c"));
    assert_same_vectors(&b, &m, &again, true);
    ParseInput in[3];
    Parsed parsed[3];
    MADE(Worker, worker_init, worker_fini, w, &again, device_default());
    for (int k = 0; k < 3; k++) in[k] = parse_input(&b.dev.trees.s[k]);
    ParseOptions o = parse_defaults(&again);
    o.record = true;
    assert_ok(parse_batch(&w, in, 3, &o, test_arena(), parsed, test_error()));
    assert_normal(&w, 0, 1, 1);
    assert_normal(&w, 1, -2, 1.5);
}

TEST(training_with_options_does_not_depend_on_threads_or_on_a_stop)
{
    EncoderOptions o;
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs one = run_with(&b, "a", TOY_EVERYTHING, 0.003, &o, test_arena()), two = one;
    two.out = in(&b, "b");
    two.n_threads = 2;
    two.checkpoint = in(&b, "b.ckpt");
    train_ok(&one);
    train_until(&two, 4);
    train_ok(&two);
    assert_same_weights(one.out, two.out, &TASK_PARSE);
}

TEST(guidance_of_weight_0_trains_the_unguided_model)
{
    EncoderOptions none, some;
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs plain = run_with(&b, "a", NULL, 0.003, NULL, test_arena()),
              zero = run_with(&b, "b",
                              "{'heads': [" TOY_HEAD("self", "[0]", "'next'", "guide") "], 'guidance': {'alpha0': 0}}",
                              0.003, &none, test_arena()),
              ten = run_with(&b, "c", "{'heads': [" TOY_HEAD("self", "[0]", "'next'", "guide") "]}", 0.003, &some,
                             test_arena());
    train_ok(&plain);
    train_ok(&zero);
    train_ok(&ten);
    assert_same_weights(plain.out, zero.out, &TASK_PARSE);
    MADE(Model, load_ok, model_fini, x, plain.out);
    MADE(Model, load_ok, model_fini, y, ten.out);
    assert_memory_not_equal(params_values(&x.ps), params_values(&y.ps), x.ps.size * sizeof(Real));
}

/* The penalty alone decides when it is large: all gates close, and a model without heads still parses. */
TEST(a_large_penalty_closes_all_gates)
{
    double gates[2];
    size_t n;
    MADE(Bench, bench_init, bench_fini, b, 60);
    MADE(Model, trained, model_fini, m, &b, "{'gates': {'kind': 'hard_concrete', 'lambda': 1000, 'lr_scale': 10000}}",
         0.003);
    for (int l = 0; l < 2; l++) {
        assert_ok(head_gate_values(&m.net.encoder.gate[l], &m.ps, gates, test_error()));
        assert_int_equal(head_gate_open(gates, 2), 0);
    }
    assert_false(m.net.encoder.gated[2]);
    vectors_of(&b, &m, 0, 3, &n);
}

/* Gates in a trained model: it begins as that model, only what comes before the gates is trained, and the run ends when
 * no gate has changed for `patience` checks. */
TEST(gates_start_from_a_model_and_stop_when_they_have_settled)
{
    EncoderOptions o;
    FREED(strbuf_fini) StrBuf text = { 0 };
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs args = run_with(&b, "a", NULL, 0.003, NULL, test_arena());
    MADE(Model, train_and_load, model_fini, plain, &args);
    strbuf_printf(&text, "{'gates': {'kind': 'hard_concrete', 'lambda': 0, 'patience': 3, 'start_from': '%s'}}",
                  args.out);
    TrainArgs still = run_with(&b, "b", text.ptr, 0, &o, test_arena());
    MADE(Model, train_and_load, model_fini, gated, &still);
    assert_same_vectors(&b, &plain, &gated, true);
    TrainArgs run = run_with(&b, "c", text.ptr, 0.003, &o, test_arena());
    run.train.epochs = 20;
    run.checkpoint = in(&b, "c.ckpt");
    train_until(&run, 2);
    MADE(Model, train_and_load, model_fini, more, &run);
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
}

TEST(df_counts_sentences_in_lower_case)
{
    static const char *const first[] = { "The", "dog", "the", "DOG", "the" }, *const second[] = { "the" };
    MADE(Vocab, vocab_init, vocab_fini, df);
    assert_true(head_inputs_count(&df, first, 5) && head_inputs_count(&df, second, 1));
    assert_int_equal(vocab_size(&df), 2);
    assert_int_equal(df.counts[vocab_find(&df, "the")], 2);
    assert_int_equal(df.counts[vocab_find(&df, "dog")], 1);
}
