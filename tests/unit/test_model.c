/* A tiny model is trained, saved and loaded, and parses are the same for any number of threads
 * and any batch. */
#define _POSIX_C_SOURCE 200809L
#include "parser/parse/evaluate.h"
#include "parser/parse/parse_pool.h"
#include "tests/support/toy.h"

/* The type is "root" if and only if the head is 0. */
static void assert_root_type(const Sentence *s)
{
    for (int w = 0; w < s->n_words; w++) assert_int_equal(strcmp(s->types[w], "root") == 0, s->heads[w] == 0);
}

/* All parses of the dev sentences as text, and their scores to the bit. */
static void parse_all(const Model *m, const Treebank *tb, int threads, int batch_tokens, StrBuf *out)
{
    FREED(free_pointer) ParseInput *inputs = mem_calloc((size_t)tb->n, sizeof *inputs);
    FREED(free_pointer) Parsed *result = mem_calloc((size_t)tb->n, sizeof *result);
    FREED(parse_pool_fini) ParsePool pool;
    ParseOptions o = parse_defaults(m);
    o.batch_tokens = batch_tokens;
    for (int k = 0; k < tb->n; k++) inputs[k] = parse_input(&tb->s[k]);
    assert_ok(parse_pool_init(&pool, m, device_cpu(), threads, test_error()));
    assert_ok(parse_pool_run(&pool, inputs, tb->n, &o, result, NULL, NULL, test_error()));
    for (int k = 0; k < tb->n; k++) {
        const Sentence *s = parsed_sentence(&result[k], &pool.joined);
        tree_write(out, s);
        assert_root_type(s);
        for (int w = 0; w < tb->s[k].n_words; w++) strbuf_printf(out, " %d %s", s->heads[w], s->types[w]);
        strbuf_printf(out, " %.17g\n", result[k].score);
    }
}

TEST(training_learns_the_grammar)
{
    MADE(Bench, bench_init, bench_fini, b, 300);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 2);
    a.train.epochs = 30;
    a.train.lr = 0.005;
    a.model.word_dropout = 0.1;
    MADE(Model, train_and_load, model_fini, m, &a);
    Evaluation ev = { .punct = PUNCT_AUTO };
    EvaluateOptions o = { .parse = parse_defaults(&m), .n_threads = 2 };
    assert_ok(evaluate_model(&m, &b.dev.trees, &o, &ev, test_error()));
    Scores s = ev.sum;
    print_message("F1 %.1f LAS %.1f tags %.1f\n", score_f1(&s), score_percent(s.dep.all.both, s.dep.all.words),
                  score_percent(s.tags_right, s.tags));
    assert_true(score_f1(&s) > 70);
    assert_true(score_percent(s.dep.all.both, s.dep.all.words) > 70);
    assert_true(score_percent(s.tags_right, s.tags) > 95);
}

/* Where dev decides which check is the best, test_syntax_source.c stops runs, too. */
TEST(any_number_of_threads_and_a_stop_give_the_same_bits)
{
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs a = toy(&b, NULL, in(&b, "b.ckpt"), 1);
    a.task = &TASK_PARSE;
    a.train.epochs = 3; /* of three updates each: it stops inside the third */
    assert_resumes_bit_equal(&b, a);
}

TEST(company_and_threads_do_not_change_a_parse)
{
    FREED(strbuf_fini) StrBuf packed = { 0 }, threads = { 0 };
    TOY_MODEL(b, m, 60);
    parse_all(&m, &b.dev.trees, 1, 1, test_out());
    parse_all(&m, &b.dev.trees, 1, 400, &packed);
    parse_all(&m, &b.dev.trees, 4, 150, &threads);
    assert_string_equal(packed.ptr, test_written());
    assert_string_equal(threads.ptr, test_written());
}

TEST(every_kind_of_model_trains_and_comes_back)
{
    MADE(Bench, bench_init, bench_fini, b, 40);
    for (int kind = 0; kind < 6; kind++) {
        TrainArgs a = toy(&b, in(&b, "a"), NULL, 2);
        a.train.epochs = 1;
        if (kind == 0) {
            a.model.use_chars = CHARS_LSTM;
            a.model.affix_buckets = 0;
        } else if (kind == 1) {
            a.model.use_tags = true;
            a.model.type_given_head = false;
        } else if (kind == 2) a.model.use_lal = false;
        else if (kind == 3) a.model.lal_q_as_matrix = a.model.lal_combine_as_self = true;
        else if (kind == 4) a.model.partitioned = a.model.lal_partitioned = false;
        else a.model.lal_pwff = false;
        a.store = kind % 3 == 0 ? DT_F32 : kind % 3 == 1 ? DT_F16 : DT_BF16;
        MADE(Model, train_and_load, model_fini, m, &a);
        assert_non_null(m.summary);
        assert_string_equal(vocab_text(&m.treebanks, 1), "toy");
        parse_all(&m, &b.dev.trees, 1, 200, test_out());
    }
}

TEST(trees_alone_and_dependencies_alone_can_be_trained)
{
    for (int kind = 0; kind < 2; kind++) {
        Evaluation ev = { .punct = PUNCT_AUTO };
        MADE(Bench, bench_init, bench_fini, b, 40);
        for (int k = 0; k < b.train.trees.n; k++) {
            if (kind == 0) b.train.trees.s[k].heads = NULL;
            else {
                b.train.trees.s[k].has_tree = false;
                b.train.trees.s[k].n_phrases = 0;
            }
        }
        MADE(Model, toy_model, model_fini, m, &b);
        assert_int_equal(m.c.trees, kind == 0);
        assert_int_equal(m.c.arcs, kind == 1);
        EvaluateOptions o = { .parse = parse_defaults(&m), .n_threads = 1 };
        assert_ok(evaluate_model(&m, &b.dev.trees, &o, &ev, test_error()));
        Scores s = ev.sum;
        assert_int_equal(s.trees, kind == 0 ? 60 : 0); /* what was not trained is not predicted */
        assert_int_equal(s.dep.all.words > 0, kind == 1);
    }
}

TEST(long_sentences_are_parsed_in_pieces)
{
    TOY_MODEL(b, m, 40);
    const char *words[500];
    for (int k = 0; k < 500; k++) words[k] = k % 19 == 18 ? "," : "tree";
    ParseInput input[2] = { { .n_words = 500, .words = words }, { .n_words = 3, .words = words } };
    Parsed result[2];
    FREED(parse_pool_fini) ParsePool pool;
    ParseOptions o = parse_defaults(&m);
    o.max_words = 60;
    assert_ok(parse_pool_init(&pool, &m, device_cpu(), 2, test_error()));
    for (int by_memory = 0; by_memory < 2; by_memory++) {
        if (by_memory) {
            o.max_words = 100000;
            o.max_memory = 3e6;
        }
        assert_ok(parse_pool_run(&pool, input, 2, &o, result, NULL, NULL, test_error()));
        assert_true(result[0].pieces > 1);
        assert_int_equal(result[1].pieces, 1);
        int word;
        const char *what;
        assert_true(tree_heads_valid(result[0].heads, 500, &word, &what));
        assert_int_equal(result[0].phrases[0].end, 500);
        assert_root_type(parsed_sentence(&result[0], &pool.joined));
    }
}

TEST(hidden_treebanks_are_trained_as_unknown)
{
    MADE(Bench, bench_init, bench_fini, b, 30);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.train.average = 0;
    a.train.hide_treebank = 1;
    MADE(Model, train_and_load, model_fini, m, &a);
    a.train.lr = 1e-12;
    MADE(Model, train_and_load, model_fini, first, &a);
    int table = m.net.embedding.treebank, d = m.net.embedding.d_content;
    const Real *trained = param_values(&m.ps, table), *start = param_values(&first.ps, table);
    assert_memory_not_equal(trained, start, (size_t)d * sizeof *start); /* the row of "unknown" */
    assert_close(trained + d, start + d, (size_t)d, 0, 1e-9);           /* the row of "toy" was never used */
}

/* Value of the last line's field, and how many lines the log has. */
static double last_of(const char *path, const char *field, int *lines)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    StrView line;
    double x = NAN;
    assert_ok(file_read(path, &text, test_error()));
    *lines = 0;
    for (size_t at = 0; text_line((StrView){ text.ptr, text.len }, &at, &line); ++*lines)
        x = strtod(strstr(line.ptr, field) + strlen(field), NULL);
    return x;
}

TEST(the_rate_falls_and_training_stops_when_dev_stands_still)
{
    int lines;
    MADE(Bench, bench_init, bench_fini, b, 20);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.log = in(&b, "log");
    a.train.lr = 1e-12; /* nothing is learned, so the first check stays the best */
    a.train.warmup = 0;
    a.train.average = 0;
    a.train.epochs = 7;
    a.train.patience = 1;
    a.train.decay = 0.25;
    train_ok(&a);
    /* the score of epoch 0 stays the best; after epochs 2 and 4 it has been so for more than one epoch */
    assert_true(fabs(last_of(a.log, "\"lr\": ", &lines) / 1e-12 - 0.0625) < 1e-3);
    assert_int_equal(lines, 7);
    unlink(a.log);
    a.train.stop_after = 2;
    train_ok(&a);
    last_of(a.log, "\"lr\": ", &lines);
    assert_int_equal(lines, 3);
}

/* ---- files */

TEST(damage_to_a_model_file_is_noticed)
{
    FREED(strbuf_fini) StrBuf whole = { 0 };
    MADE(Bench, bench_init, bench_fini, b, 30);
    TrainArgs a = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 1);
    a.train.epochs = 1;
    train_ok(&a);
    assert_ok(file_read(a.out, &whole, test_error()));
    for (size_t k = 0; k < 300; k++) { /* one bit at a time, spread over the file */
        size_t at = k * (whole.len - 1) / 299;
        whole.ptr[at] = (char)(whole.ptr[at] ^ 1 << k % 8);
        write_bytes(in(&b, "b"), whole.ptr, whole.len);
        whole.ptr[at] = (char)(whole.ptr[at] ^ 1 << k % 8);
        MADE(Model, model_init, model_fini, m);
        Status s = model_load(&m, in(&b, "b"), NULL, test_error());
        if (s != ERR_FORMAT) fail_msg("a flipped bit in byte %zu of %zu gave status %d", at, whole.len, s);
    }
    for (size_t k = 0; k < 40; k++) {
        write_bytes(in(&b, "b"), whole.ptr, k * (whole.len - 1) / 39);
        MADE(Model, model_init, model_fini, m);
        assert_int_equal(model_load(&m, in(&b, "b"), NULL, test_error()), ERR_FORMAT);
    }
    /* a checkpoint can be resumed, a model cannot */
    a.resume = a.out;
    assert_fails_with(trainer_run(&a, test_error()), ERR_FORMAT, "without training state");
}

TEST(loading_and_parsing_report_every_failed_allocation)
{
    MADE(Bench, bench_init, bench_fini, b, 30);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.train.epochs = 1;
    a.model.type_rules = 0; /* head rules take thousands more, which test_head_rules lets fail */
    train_ok(&a);
    ParseInput input[3];
    Parsed result[3];
    for (int k = 0; k < 3; k++) input[k] = parse_input(&b.dev.trees.s[k]);
    for (long n = 0; allocation_fails(n); n++) {
        MADE(Model, model_init, model_fini, m);
        mem_fail_after(n);
        Status s = model_load(&m, a.out, NULL, test_error());
        if (s == OK) {
            ParseOptions o = parse_defaults(&m);
            MADE(Worker, worker_init, worker_fini, w, &m, device_cpu());
            MADE(Arena, arena_init, arena_fini, out, 4096);
            s = parse_batch(&w, input, 3, &o, &out, result, test_error());
        }
        assert_ok_or_no_memory(s);
        assert_true(n < 5000);
    }
}

/* Models of all tasks, with every optional part, as the seeds of the fuzz targets have them. */
TEST(no_model_is_called_damaged_for_lack_of_memory)
{
    static const char *const names[] = { "model/bert",        "model/classes",  "model/detect",   "model/gated",
                                         "model/giant",       "model/int4",     "model/int8",     "model/mpnet",
                                         "model/on-bert",     "model/on-mpnet", "model/on-xlnet", "model/options",
                                         "model/overflow",    "model/pruned",   "model/small",    "model/translate",
                                         "model/whole",       "model/xlmr",     "model/xlnet",    "checkpoint/average",
                                         "checkpoint/options" };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[80], *training = NULL;
        MADE(Model, model_init, model_fini, whole);
        snprintf(path, sizeof path, "tests/fuzz/seeds/%s", names[k]);
        const Status want = model_load_any(&whole, path, &training, test_error());
        assert_true(want == OK || want == ERR_CONFIG);
        Status s = ERR_NOMEM;
        for (long n = 0; s == ERR_NOMEM; n++) {
            MADE(Model, model_init, model_fini, m);
            mem_free(training);
            mem_fail_after(n);
            s = model_load_any(&m, path, &training, test_error());
            mem_fail_after(-1);
            if (s != want && s != ERR_NOMEM) fail_msg("%s, allocation %ld: status %d", path, n, (int)s);
            assert_true(n < 5000);
        }
        mem_free(training);
    }
}

TEST(saving_reports_every_failed_allocation)
{
    MADE(Model, model_init, model_fini, m);
    assert_ok(model_load_any(&m, "tests/fuzz/seeds/model/whole", NULL, test_error()));
    assert_reports_no_memory(model_save(&m, test_path("saved"), DT_F32, NULL, 0, NULL, test_error()));
}
