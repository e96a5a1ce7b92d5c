/* Models that classify sentences: their data, training, files and predictions. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "parser/model/linear_network.h"
#include "parser/task/classify/class_data.h"
#include "parser/task/classify/classify.h"
#include "tests/support/toy.h"
#include "tests/support/toy_options.h"

/* A sentence that ends with "asks" is a question; one that begins with "Asks", an exclamation; others are
 * statements. */
static const char *const classes[] = { "exclamation", "question", "statement" };

static void set_classes(Treebank *tb)
{
    for (int k = 0; k < tb->n; k++) {
        Sentence *sent = &tb->s[k];
        int class_id = k % 3;
        sent->target = classes[class_id];
        const char **words = arena_alloc(&tb->arena, (size_t)sent->n_words, sizeof *words);
        assert_non_null(words);
        memcpy(words, sent->words, (size_t)sent->n_words * sizeof *words);
        if (class_id == 0) words[0] = "Asks";
        if (class_id == 1) words[sent->n_words - 1] = "asks";
        sent->words = words;
    }
}

static void class_bench(Bench *b)
{
    bench_init(b, 90);
    set_classes(&b->train.trees);
    set_classes(&b->dev.trees);
}

static TrainArgs class_args(Bench *b, const char *out, const char *checkpoint, int threads)
{
    TrainArgs a = toy(b, out, checkpoint, threads);
    a.task = &TASK_CLASSIFY;
    a.train.epochs = 20;
    a.train.lr = 0.01;
    return a;
}

/* The number of dev sentences that are classified as they should be. */
static int count_right(const Model *m, const Treebank *tb, int threads)
{
    FREED(classifier_fini) Classifier c;
    int right = 0;
    FREED(free_pointer) int *id = mem_calloc((size_t)tb->n, sizeof *id);
    assert_ok(classifier_init(&c, m, device_default(), threads, test_error()));
    assert_ok(classifier_treebank(&c, tb, NULL, id, test_error()));
    for (int k = 0; k < tb->n; k++) right += strcmp(vocab_text(&m->classes, id[k]), tb->s[k].target) == 0;
    return right;
}

TEST(a_model_learns_to_classify)
{
    MADE(Bench, class_bench, bench_fini, b);
    TrainArgs a = class_args(&b, in(&b, "a"), NULL, 2);
    MADE(Model, train_and_load, model_fini, m, &a);
    assert_int_equal(vocab_size(&m.classes), 3);
    for (int k = 0; k < 3; k++) assert_string_equal(vocab_text(&m.classes, k), classes[k]); /* in this order */
    assert_true(params_find(&m.ps, "f_class.weight") >= 0);
    assert_int_equal(params_find(&m.ps, "f_label.0.weight"), -1); /* no other head */
    int right = count_right(&m, &b.dev.trees, 2);
    if (right < 55) fail_msg("%d of 60 dev sentences are right", right);
    assert_int_equal(count_right(&m, &b.dev.trees, 1), right);
}

TEST(any_number_of_threads_and_a_stop_give_the_same_bits)
{
    MADE(Bench, class_bench, bench_fini, b);
    TrainArgs a = class_args(&b, in(&b, "a"), in(&b, "a.ckpt"), 1);
    a.train.epochs = 3;
    a.train.vary_case = 0.3;
    assert_resumes_bit_equal(&b, a);
}

/* Probabilities of the first sentences of dev, [n][3], with their parses or without. */
enum { SOME = 6 };
static void probabilities(const Bench *b, const Model *m, bool parses, Real out[SOME * 3])
{
    FREED(classifier_fini) Classifier c;
    ParseInput in[SOME];
    int id[SOME];
    for (int k = 0; k < SOME; k++) {
        const Sentence *sent = &b->dev.trees.s[k];
        in[k] = (ParseInput){ .n_words = sent->n_words, .words = sent->words, .parse = parses ? sent : NULL };
    }
    assert_ok(classifier_init(&c, m, device_default(), 2, test_error()));
    c.batch_tokens = 40;
    assert_ok(classifier_run(&c, in, SOME, id, out, test_error()));
    for (int k = 0; k < SOME; k++) {
        double sum = 0;
        for (int y = 0; y < 3; y++) {
            sum += (double)out[3 * k + y];
            assert_true(out[3 * k + id[k]] >= out[3 * k + y]);
        }
        assert_true(fabs(sum - 1) < 1e-5);
    }
}

/* A model with these options, '{"heads": ...}' with ' for ", or NULL, trained with this learning rate. */
static void model_with(Model *m, Bench *b, const char *text, double lr)
{
    EncoderOptions o;
    MADE(Arena, arena_init, arena_fini, arena, 1024);
    TrainArgs a = class_args(b, in(b, "a"), NULL, 2);
    a.n_dev = 0;
    a.train.epochs = 1;
    a.train.lr = lr;
    if (text) {
        o = toy_options(text, &arena);
        a.options = &o;
    }
    train_and_load(m, &a);
}

/* Two rows of probabilities are as far apart. */
static double distance(const Real *x, const Real *y)
{
    double most = 0;
    for (int k = 0; k < SOME * 3; k++) most = fmax(most, fabs((double)x[k] - (double)y[k]));
    return most;
}

/* Plain loops over the final vectors of the words, for two sentences in one batch. */
TEST(scores_are_a_map_of_the_mean_over_the_words)
{
    MADE(Bench, class_bench, bench_fini, b);
    MADE(Model, model_with, model_fini, m, &b, NULL, 0.005);
    MADE(Worker, worker_init, worker_fini, worker, &m, device_default());
    BatchSentence sent[2];
    for (int k = 0; k < 2; k++)
        sent[k] = (BatchSentence){ .n = b.dev.trees.s[k].n_words, .words = b.dev.trees.s[k].words };
    assert_ok(worker_pack(&worker, sent, NULL, 2, 0, test_error()));
    assert_ok(worker_forward(&worker, NULL, test_error()));
    HostMatrix word = tensor_host(&worker.tape, worker.net.encoder.word, &worker.scratch),
               found = tensor_host(&worker.tape, linear_network_scores(&worker.net), &worker.scratch);
    const Real *w = param_values(&m.ps, params_find(&m.ps, "f_class.weight")),
               *bias = param_values(&m.ps, params_find(&m.ps, "f_class.bias"));
    for (int s = 0; s < 2; s++)
        for (int y = 0; y < 3; y++) {
            double want = (double)bias[y], got = 0;
            for (int i = 1; i <= sent[s].n; i++)
                for (int d = 0; d < word.cols; d++)
                    want +=
                        (double)host_row(&word, worker.packed.batch.start[s] + i)[d] / sent[s].n * (double)w[3 * d + y];
            for (int i = 1; i <= sent[s].n; i++)
                got += (double)host_row(&found, worker.packed.batch.start[s] + i)[y] / sent[s].n;
            assert_true(fabs(want - got) < 1e-4);
        }
}

TEST(masks_of_words_act)
{
    FREED(model_fini) Model plain, masked;
    Real x[SOME * 3], y[SOME * 3];
    MADE(Bench, class_bench, bench_fini, b);
    model_with(&plain, &b, NULL, 0);
    model_with(&masked, &b,
               "{'heads': [{'heads': [0], 'pattern': 'rare_w', 'use': 'mask'}, {'heads': [1], 'pattern': 'rel_pos', "
               "'use': 'mask'}]}",
               0);
    assert_true(vocab_size(&masked.df) > 0);
    assert_memory_equal(params_values(&plain.ps), params_values(&masked.ps), plain.ps.size * sizeof(Real));
    probabilities(&b, &plain, false, x);
    probabilities(&b, &masked, false, y);
    assert_true(distance(x, y) > 1e-4);
}

/* Do the classes of the sentences of dev differ with and without their parses, and are those of a treebank the
 * former? */
static bool treebank_has_parses(const Bench *b, const Model *m)
{
    const Treebank *tb = &b->dev.trees;
    FREED(classifier_fini) Classifier c;
    int with[60], without[60], found[60];
    ParseInput in[60];
    assert_int_equal(tb->n, 60);
    assert_ok(classifier_init(&c, m, device_default(), 2, test_error()));
    for (int parses = 0; parses < 2; parses++) {
        for (int k = 0; k < tb->n; k++) {
            const Sentence *sent = &tb->s[k];
            in[k] = (ParseInput){
                .n_words = sent->n_words, .words = sent->words, .tags = sent->tags, .parse = parses ? sent : NULL
            };
        }
        assert_ok(classifier_run(&c, in, tb->n, parses ? with : without, NULL, test_error()));
    }
    assert_ok(classifier_treebank(&c, tb, NULL, found, test_error()));
    assert_memory_equal(with, found, sizeof with);
    return memcmp(with, without, sizeof with) != 0;
}

TEST(masks_of_syntax_read_the_parses_of_the_input)
{
    Real x[SOME * 3], y[SOME * 3], z[SOME * 3];
    MADE(Bench, class_bench, bench_fini, b);
    MADE(Model, model_with, model_fini, plain, &b, NULL, 0);
    MADE(Model, model_with, model_fini, masked, &b,
         "{'heads': [{'heads': 'all', 'pattern': 'dep_syn', 'use': 'mask', 'source': 'gold'}]}", 0);
    probabilities(&b, &plain, false, x);
    probabilities(&b, &masked, false, y);
    probabilities(&b, &masked, true, z);
    assert_true(distance(x, y) < 1e-6); /* a sentence without a parse is not restricted */
    assert_true(distance(x, z) > 1e-4);
    assert_fails_with(model_check_text(&masked, test_error()), ERR_CONFIG,
                      "a: this model reads gold syntax (oracle) and cannot classify text");
    model_fini(&masked);
    model_with(&masked, &b, "{'heads': [{'heads': 'all', 'pattern': 'dep_syn', 'use': 'mask', 'source': 'gold'}]}",
               0.01);
    assert_true(treebank_has_parses(&b, &masked));
}

/* Weights that training moves elsewhere: by the masks, the guidance, the gates of training itself. */
TEST(options_act_in_training)
{
    static const char *const options[] = {
        "{'heads': [{'heads': 'all', 'pattern': 'dep_syn', 'use': 'mask', 'source': 'gold'}]}",
        "{'heads': [{'heads': [0], 'pattern': 'prev', 'use': 'guide'}]}",
        "{'heads': [{'heads': [1], 'pattern': 'dep_head', 'use': 'guide', 'source': 'gold'}]}",
        "{'gates': {'kind': 'hard_concrete', 'stacks': ['self', 'label']}}",
    };
    MADE(Bench, class_bench, bench_fini, b);
    MADE(Model, model_with, model_fini, plain, &b, NULL, 0.005);
    int k = params_find(&plain.ps, "f_class.weight");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        MADE(Model, model_with, model_fini, m, &b, options[i], 0.005);
        int j = params_find(&m.ps, "f_class.weight");
        assert_memory_not_equal(param_values(&plain.ps, k), param_values(&m.ps, j),
                                param_count(&m.ps.p[j]) * sizeof(Real));
    }
}

/* Its encoder, its words, and its options; not its heads. */
TEST(training_can_begin_with_the_encoder_of_a_parser)
{
    EncoderOptions o;
    MADE(Bench, class_bench, bench_fini, b);
    MADE(Arena, arena_init, arena_fini, strings, 1024);
    TrainArgs p = toy(&b, in(&b, "a"), NULL, 2), a = class_args(&b, in(&b, "b"), NULL, 2);
    p.train.epochs = 1;
    p.model.d_ff = 40;
    MADE(Model, train_and_load, model_fini, parser, &p);
    a.init = p.out;
    a.n_dev = 0;
    a.train.lr = a.train.average = 0;
    a.train.epochs = 1;
    for (int k = 0; k < b.train.trees.n; k++) b.train.trees.s[k].words[0] = "unheard-of";
    assert_fails_with(trainer_run(&a, test_error()), ERR_USAGE,
                      "d_ff: found 48, expected 40, that of the model that the run begins with, ");
    options_defaults(CONFIG_MODEL_OPTIONS, &a.model);
    assert_ok(trainer_init_options(p.out, &a.model, &o, NULL, &strings, test_error()));
    assert_int_equal(a.model.d_ff, 40);
    MADE(Model, train_and_load, model_fini, m, &a);
    int same = 0;
    for (int k = 0; k < m.ps.n; k++) {
        int j = params_find(&parser.ps, m.ps.p[k].name);
        if (j < 0) continue;
        assert_memory_equal(param_values(&m.ps, k), param_values(&parser.ps, j),
                            param_count(&m.ps.p[k]) * sizeof(Real));
        same++;
    }
    assert_int_equal(same, m.ps.n - 2); /* all but f_class.weight and .bias */
    assert_int_equal(vocab_size(&m.words), vocab_size(&parser.words));
    assert_int_equal(vocab_find(&m.words, "unheard-of"), -1);
}

TEST(a_model_of_another_task_is_refused)
{
    MADE(Bench, class_bench, bench_fini, b);
    TrainArgs p = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2), a = class_args(&b, in(&b, "b"), in(&b, "b.ckpt"), 2);
    p.train.epochs = a.train.epochs = 1;
    train_ok(&p);
    train_ok(&a);
    for (int k = 0; k < 2; k++) {
        const char *path = k ? p.out : a.out;
        MADE(Model, model_init, model_fini, m);
        m.task = k ? &TASK_CLASSIFY : &TASK_PARSE;
        assert_fails_with(
            model_load(&m, path, NULL, test_error()), ERR_CONFIG,
            k ? ": found a model that parses (lal parse), expected a model that classifies sentences (lal "
                "classify)"
              : ": found a model that classifies sentences (lal classify), expected a model that parses "
                "(lal parse)");
        MADE(Model, model_init, model_fini, any);
        assert_ok(model_load_any(&any, path, NULL, test_error()));
        assert_ptr_equal(any.task, k ? &TASK_PARSE : &TASK_CLASSIFY);
        assert_int_equal(model_format(&any), k ? 1 : 3);
    }
    a.resume = p.checkpoint;
    assert_int_equal(trainer_run(&a, test_error()), ERR_CONFIG);
}

/* The first max_words words are read, and no parse of the others. */
TEST(long_sentences_are_shortened)
{
    FREED(classifier_fini) Classifier c;
    Real x[6];
    int id[2];
    MADE(Bench, class_bench, bench_fini, b);
    MADE(Model, model_with, model_fini, m, &b, "{'heads': [{'heads': [0], 'pattern': 'rel_pos', 'use': 'mask'}]}",
         0.005);
    const Sentence *sent = &b.dev.trees.s[3];
    assert_true(sent->n_words > 4);
    ParseInput in_[2] = { { .n_words = sent->n_words, .words = sent->words }, { .n_words = 4, .words = sent->words } };
    assert_ok(classifier_init(&c, &m, device_default(), 1, test_error()));
    c.max_words = 4;
    assert_ok(classifier_run(&c, in_, 2, id, x, test_error()));
    assert_memory_equal(x, x + 3, 3 * sizeof *x);
    assert_ok(classifier_run(&c, in_, 0, id, x, test_error())); /* nothing */
}

/* ---- data */

static Status load_text(Bench *b, const char *text, const char *labels, Corpus *c, Error *e)
{
    write_bytes(in(b, "a"), text, strlen(text));
    if (labels) write_bytes(in(b, "b"), labels, strlen(labels));
    return class_data_load(c, in(b, "a"), labels ? in(b, "b") : NULL, NULL, e);
}

TEST(lines_have_a_class_and_words)
{
    FREED(corpus_fini) Corpus c;
    MADE(Bench, bench_init, bench_fini, b, 1);
    assert_ok(load_text(&b, "news\tA  dog barks .\n\n  travel guide \tGo!\r\nnews\tlast", NULL, &c, test_error()));
    assert_int_equal(c.trees.n, 3);
    assert_string_equal(c.name, "a");
    assert_string_equal(c.trees.s[0].target, "news");
    assert_int_equal(c.trees.s[0].n_words, 4);
    assert_string_equal(c.trees.s[0].words[1], "dog");
    assert_string_equal(c.trees.s[1].target, "travel guide");
    assert_int_equal(c.trees.s[1].n_words, 1);
    assert_string_equal(c.trees.s[1].words[0], "Go!");
    assert_int_equal(c.trees.s[1].line, 3);
    assert_string_equal(c.trees.s[2].words[0], "last");
    corpus_fini(&c);
    assert_ok(load_text(&b, "(TOP (S (NN A) (VB b)))\n(TOP (NP (NN c)))\n", "x\n y z\n", &c, test_error()));
    assert_int_equal(c.trees.n, 2);
    assert_string_equal(c.trees.s[0].target, "x");
    assert_string_equal(c.trees.s[1].target, "y z");
}

TEST(wrong_data_are_named_with_line_and_column)
{
    static const struct {
        const char *text, *labels, *message;
    } cases[] = {
        { "", NULL, "a:1:1: found no sentence, expected lines CLASS<TAB>SENTENCE" },
        { "x\ta b\nA dog.\n", NULL,
          "a:2:1: found a line without a tab, expected CLASS<TAB>SENTENCE (of a treebank, classes are a file of their "
          "own)" },
        { "\ta b\n", NULL, "a:1:1: found no class, expected one before the tab" },
        { "x\t \n", NULL, "a:1:2: found a class without a sentence" },
        { "x\ta\tb\n", NULL, "a:1:4: found a second tab, expected CLASS<TAB>SENTENCE" },
        { "x\ta \x01\n", NULL, "a:1:5: found a control character" },
        { "x\ta \xff\n", NULL, "a:1:5: found a byte that is not UTF-8" },
        { "(S (NN a))\n(S (NN b))\n", "x\n",
          "b:1: found 1 classes, expected one for each of the 2 sentences of the treebank" },
        { "(S (NN a))\n", "x\ny\n",
          "b:2:1: found more classes than the 1 sentences of the treebank, expected one for each" },
        { "(S (NN a))\n(S (NN b))\n", "x\n\n", "b:2:1: found an empty line, expected a class" },
    };
    MADE(Bench, bench_init, bench_fini, b, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(corpus_fini) Corpus c;
        Error e = { 0 };
        char text[1400];
        assert_int_equal(load_text(&b, cases[k].text, cases[k].labels, &c, &e), ERR_FORMAT);
        error_text(&e, text, sizeof text);
        assert_string_equal(file_name(text), cases[k].message);
    }
}

TEST(a_class_of_dev_that_training_lacks_is_named)
{
    MADE(Bench, class_bench, bench_fini, b);
    b.dev.trees.s[4].target = "questions";
    b.dev.trees.s[4].line = 5;
    TrainArgs a = class_args(&b, in(&b, "a"), NULL, 1);
    assert_fails(trainer_run(&a, test_error()), ERR_FORMAT,
                 "toy:5: found class 'questions', expected one of the training data; did you mean 'question'?");
    for (int k = 0; k < b.train.trees.n; k++) b.train.trees.s[k].target = "one";
    a.n_dev = 0;
    assert_fails(trainer_run(&a, test_error()), ERR_CONFIG, "toy: found 1 classes of sentences, expected at least two");
}
