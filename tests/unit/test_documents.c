/* Models of the tasks on documents: what they read, gold, training, predictions, masks of
 * sentences and sides. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "parser/task/document/document.h"
#include "tests/support/toy.h"
#include "tests/support/toy_options.h"

/* ---- documents in which the last word but one of a sentence says its class, "key" that it is in the summary, and
 * other words on which side of the only boundary it is. */

enum { SENTENCES = 6 };

static void put_list(StrBuf *out, const char *name, int k, const char *const *kinds, bool classes, bool summary)
{
    static const char *const topics[2][3] = { { "river", "boat", "lake" }, { "code", "test", "loop" } };
    int boundary = 1 + k % (SENTENCES - 1);
    strbuf_printf(out, "\"%s\": [", name);
    for (int i = 0, n = 0; i < SENTENCES; i++) {
        int kind = (k + i * i) % 3;
        if (summary && kind != 2) continue;
        strbuf_puts(out, n++ ? ", \"" : "\"");
        if (classes) strbuf_puts(out, kind == 1 ? "question" : "statement");
        else strbuf_printf(out, "the %s %s.", topics[i >= boundary][(k + i) % 3], kinds[kind]);
        strbuf_puts(out, "\"");
    }
    strbuf_puts(out, "]");
}

static void put_document(StrBuf *out, int k)
{
    static const char *const kinds[] = { "runs", "asks", "key" };
    strbuf_printf(out, "{\"id\": \"%d\", ", k);
    put_list(out, "sentences", k, kinds, false, false);
    strbuf_puts(out, ", ");
    put_list(out, "classes", k, kinds, true, false);
    strbuf_puts(out, ", ");
    put_list(out, "summary", k, kinds, false, true);
    strbuf_printf(out, ", \"segments\": [{\"begin\": 0}, {\"begin\": %d}]}\n", 1 + k % (SENTENCES - 1));
}

static Status load_text(Bench *b, const char *text, Corpus *c, Error *e)
{
    char path[96];
    snprintf(path, sizeof path, "%s/v", b->dir);
    write_bytes(path, text, strlen(text));
    return document_data_load(c, path, 0, e);
}

static void load_documents(Bench *b, Corpus *c, int from, int n)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    for (int k = from; k < from + n; k++) put_document(&text, k);
    corpus_fini(c);
    assert_ok(load_text(b, text.ptr, c, test_error()));
}

static void document_bench(Bench *b)
{
    bench_init(b, 2);
    load_documents(b, &b->train, 0, 60);
    load_documents(b, &b->dev, 100, 15);
}

static TrainArgs document_args(Bench *b, const Task *task, const char *out, int threads)
{
    TrainArgs a = toy(b, out, in(b, "a.ckpt"), threads);
    a.task = task;
    a.model.use_lal = false;
    a.model.context = 4;
    a.model.word_dropout = 0;
    a.train.epochs = 12;
    a.train.lr = 0.01;
    a.train.warmup = 3;
    a.train.unknown = 0;
    return a;
}

/* ---- what is read */

static const char TWO[] =
    "{\"sentences\": [\"One two.\", \"Three four five.\", \"Six\"], \"segments\": [{\"begin\": 0}, "
    "{\"begin\": 2}], \"summary\": [\"six\"], \"classes\": [\"a\", \"b\", \"a\"]}\n";

TEST(a_document_is_read_in_whole_sentences)
{
    MADE(Bench, bench_init, bench_fini, b, 2);
    MADE(Arena, arena_init, arena_fini, arena, 1024);
    FREED(corpus_fini) Corpus c;
    DocumentRead r;
    ModelConfig m = { .document_words = 4 };
    assert_ok(load_text(&b, TWO, &c, test_error()));
    const DocumentLine *d = &c.documents->d[0];
    const Sentence *whole = &c.trees.s[0];
    assert_int_equal(whole->n_words, 8);
    assert_false(whole->space_before[2]);
    assert_true(whole->space_before[3]);
    assert_int_equal(document_block(&m, d, 0), 1); /* 2 words, then 3 */
    assert_int_equal(document_block(&m, d, 1), 2); /* 3 and 1 */
    assert_ok(document_read(&TASK_CLASSES, &m, d, whole, 1, &arena, &r, test_error()));
    assert_int_equal(r.first, 1);
    assert_int_equal(r.n, 2);
    assert_int_equal(r.sentence.n_words, 5);
    assert_string_equal(r.sentence.words[0], "Three");
    assert_int_equal(r.sentence.parts->n, 2);
    assert_int_equal(r.sentence.parts->begin[1], 4);
    assert_int_equal(r.sentence.parts->side, 0);
    assert_ok(document_read(&TASK_CLASSES, &m, d, whole, 3, &arena, &r, test_error()));
    assert_int_equal(r.n, 0);
    assert_ok(document_read(&TASK_SUMMARY, &m, d, whole, 1, &arena, &r, test_error()));
    assert_int_equal(r.n, 0); /* a summary is made of the first block */
}

TEST(a_gap_is_read_with_the_words_around_it)
{
    MADE(Bench, bench_init, bench_fini, b, 2);
    MADE(Arena, arena_init, arena_fini, arena, 1024);
    FREED(corpus_fini) Corpus c;
    DocumentRead r;
    ModelConfig m = { .document_words = 4, .context = 4 };
    assert_ok(load_text(&b, TWO, &c, test_error()));
    assert_ok(document_read(&TASK_SEGMENTS, &m, c.documents->d, c.trees.s, 0, &arena, &r, test_error()));
    assert_int_equal(r.first, 1);
    assert_int_equal(r.sentence.n_words, 7); /* One two . | Three four five . */
    assert_int_equal(r.sentence.parts->side, 3);
    assert_ok(document_read(&TASK_SEGMENTS, &m, c.documents->d, c.trees.s, 2, &arena, &r, test_error()));
    assert_int_equal(r.n, 1);
    assert_int_equal(r.sentence.n_words, 5); /* Three four five . | Six */
    assert_int_equal(r.sentence.parts->n, 2);
    assert_int_equal(r.sentence.parts->side, 4);
}

TEST(gold_is_an_oracle_a_boundary_or_a_class)
{
    MADE(Bench, bench_init, bench_fini, b, 2);
    MADE(Vocab, vocab_init, vocab_fini, v);
    FREED(corpus_fini) Corpus c;
    ModelConfig m = { .document_words = 100, .context = 4 };
    int gold[3];
    assert_ok(load_text(&b, TWO, &c, test_error()));
    assert_ok(document_gold(&TASK_SUMMARY, &m, c.documents->d, &v, "f", gold, test_error()));
    assert_true(gold[0] == 0 && gold[1] == 0 && gold[2] == 1);
    assert_ok(document_gold(&TASK_SEGMENTS, &m, c.documents->d, &v, "f", gold, test_error()));
    assert_true(gold[0] == -1 && gold[1] == 0 && gold[2] == 1);
    assert_int_equal(vocab_count(&v, "a", 1, 1), 0);
    assert_fails_with(document_gold(&TASK_CLASSES, &m, c.documents->d, &v, "f", gold, test_error()), ERR_FORMAT,
                      "f:1:1: found the class 'b', expected one of the training data");
    m.document_words = 2;
    assert_ok(document_gold(&TASK_SUMMARY, &m, c.documents->d, &v, "f", gold, test_error()));
    assert_true(gold[0] == 0 && gold[1] == -1 && gold[2] == -1); /* not read */
}

TEST(wrong_documents_are_named_with_their_line)
{
    static const char *const cases[][2] = {
        { "", "v:1:1: found no document, expected JSON objects with sentences" },
        { "{\"sentences\": []}", "v:1:1: found no sentences, expected a document with some" },
        { "{\"sentences\": [\"a\"]}\n{\"sentences\": [\"b\", \" \"]}",
          "v:2:1: found no word in sentence 2, expected one at least" },
        { "\n[]", "v:2:1: found another JSON value, expected an object" },
    };
    MADE(Bench, bench_init, bench_fini, b, 2);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(corpus_fini) Corpus c;
        Error e = { 0 };
        char text[1400];
        assert_int_equal(load_text(&b, cases[k][0], &c, &e), ERR_FORMAT);
        error_text(&e, text, sizeof text);
        assert_string_equal(file_name(text), cases[k][1]);
    }
}

/* ---- models */

/* The score of a check on dev of a model of the task that is trained with these arguments. */
static double dev_score(Bench *b, const TrainArgs *a)
{
    double threshold[THRESHOLDS];
    DevScores scores = { .n = 0 };
    MADE(Model, train_and_load, model_fini, m, a);
    assert_ok(document_thresholds(&m, threshold, test_error()));
    assert_ok(document_score(&m, device_default(), 2, &b->dev, false, threshold, &scores, test_error()));
    return scores.part[0] + scores.part[1];
}

static void assert_learns(const Task *task, int context, int epochs, double least)
{
    MADE(Bench, document_bench, bench_fini, b);
    TrainArgs a = document_args(&b, task, in(&b, "a"), 2);
    a.model.context = context;
    a.train.epochs = epochs;
    double found = dev_score(&b, &a);
    if (!(found >= least)) fail_msg("%s: found %.2f, expected at least %.2f", task->name, found, least);
}

TEST(a_model_learns_classes_of_sentences) { assert_learns(&TASK_CLASSES, 4, 12, 95); }
TEST(a_model_learns_summaries) { assert_learns(&TASK_SUMMARY, 4, 12, 100); }
TEST(a_model_learns_segments_from_the_words_around_gaps) { assert_learns(&TASK_SEGMENTS, 4, 12, 90); }
TEST(a_model_learns_segments_from_documents) { assert_learns(&TASK_SEGMENTS, 0, 60, 80); }

TEST(any_number_of_threads_and_a_stop_give_the_same_bits)
{
    static const Task *const tasks[] = { &TASK_CLASSES, &TASK_SUMMARY, &TASK_SEGMENTS };
    for (int k = 0; k < 3; k++) {
        MADE(Bench, document_bench, bench_fini, b);
        TrainArgs a = document_args(&b, tasks[k], in(&b, "a"), 1);
        a.train.epochs = 4;
        a.train.vary_case = 0.3;
        a.train.negatives = 2;
        assert_resumes_bit_equal(&b, a);
    }
}

TEST(thresholds_are_in_the_summary_of_a_model)
{
    MADE(Bench, document_bench, bench_fini, b);
    TrainArgs a = document_args(&b, &TASK_SEGMENTS, in(&b, "a"), 1);
    a.train.epochs = 1;
    MADE(Model, train_and_load, model_fini, m, &a);
    double threshold[THRESHOLDS];
    assert_non_null(strstr(m.summary, "\"thresholds\": ["));
    assert_ok(document_thresholds(&m, threshold, test_error()));
    for (int k = 0; k < THRESHOLDS; k++) assert_true(threshold[k] >= 0.05 && threshold[k] < 0.96);
    mem_free(m.summary);
    m.summary = NULL;
    assert_ok(document_thresholds(&m, threshold, test_error()));
    assert_true(threshold[THRESHOLD_F1] == 0.5 && threshold[THRESHOLD_P_K] == 0.5);
}

TEST(options_that_do_not_fit_are_refused)
{
    MADE(Bench, document_bench, bench_fini, b);
    TrainArgs a = document_args(&b, &TASK_CLASSES, in(&b, "a"), 1);
    a.train.vary_final = 0.1;
    assert_fails(trainer_run(&a, test_error()), ERR_USAGE,
                 "--vary-final: found --task classes, expected a task on sentences");
    a.train.vary_final = 0;
    a.train.epochs = 1;
    b.dev.documents->d[3].classes = (TextList){ NULL, 0 };
    assert_ok(trainer_run(&a, test_error()));
    for (int k = 0; k < b.dev.documents->n; k++) b.dev.documents->d[k].classes = (TextList){ NULL, 0 };
    Error e = { 0 };
    assert_int_equal(trainer_run(&a, &e), ERR_FORMAT);
    assert_string_equal(e.message, "found no document with classes, expected one at least");
}

/* ---- masks */

/* Sets the options of a new model, JSON with ' for ", checked for the task. */
static Status check_options(EncoderOptions *o, const char *text, const TrainArgs *a, Arena *arena)
{
    const EncoderShape shape = config_shape(&a->model, a->task, NULL);
    *o = toy_options(text, arena);
    return encoder_options_check(o, &shape, NULL, arena, test_error());
}

#define ALL_HEADS(pattern) "{'heads': [{'heads': [0, 1], 'pattern': 'intra_span/source=" pattern "', 'use': 'mask'}]}"

/* The probabilities of class 1 of all sentences of dev. */
static void probabilities(Bench *b, const Model *m, Real *out)
{
    FREED(classifier_fini) Classifier c = { 0 };
    FREED(document_units_fini) DocumentUnits u = { 0 };
    assert_ok(document_classifier(&c, m, device_default(), 2, test_error()));
    assert_ok(document_units(&c, &b->dev, &u, test_error()));
    for (int k = 0; k < u.first[b->dev.trees.n]; k++) out[k] = u.p[k * u.classes + 1];
}

/* Another word in a sentence changes the probabilities of the others only where no mask stands between them. */
TEST(masks_of_sentences_keep_sentences_apart)
{
    for (int masked = 0; masked < 2; masked++) {
        EncoderOptions o;
        MADE(Bench, document_bench, bench_fini, b);
        MADE(Arena, arena_init, arena_fini, arena, 4096);
        TrainArgs a = document_args(&b, &TASK_SUMMARY, in(&b, "a"), 1);
        Real before[15 * SENTENCES], after[15 * SENTENCES];
        a.train.epochs = 1;
        a.n_dev = 0;
        assert_ok(check_options(&o, ALL_HEADS("sentence"), &a, &arena));
        if (masked) a.options = &o;
        MADE(Model, train_and_load, model_fini, m, &a);
        probabilities(&b, &m, before);
        b.dev.trees.s[0].words[0] = "loop"; /* in sentence 0 of document 0 */
        probabilities(&b, &m, after);
        assert_true(before[0] != after[0]);
        for (int k = 1; k < SENTENCES; k++) assert_int_equal(before[k] == after[k], masked);
    }
}

TEST(masks_of_sides_act)
{
    EncoderOptions o;
    MADE(Bench, document_bench, bench_fini, b);
    MADE(Arena, arena_init, arena_fini, arena, 4096);
    TrainArgs a = document_args(&b, &TASK_SEGMENTS, in(&b, "a"), 2);
    assert_ok(check_options(&o, ALL_HEADS("side"), &a, &arena));
    a.options = &o;
    assert_true(dev_score(&b, &a) > 60);
}

TEST(patterns_of_parts_need_texts_that_have_them)
{
    EncoderOptions o;
    MADE(Bench, document_bench, bench_fini, b);
    MADE(Arena, arena_init, arena_fini, arena, 4096);
    TrainArgs a = document_args(&b, &TASK_PARSE, in(&b, "a"), 1);
    assert_fails(
        check_options(&o, ALL_HEADS("sentence"), &a, &arena), ERR_CONFIG,
        "encoder_options.heads[0].pattern: pattern \"intra_span\" by sentence needs documents, which this task "
        "does not read");
    a.task = &TASK_SUMMARY;
    assert_ok(check_options(&o, ALL_HEADS("sentence"), &a, &arena));
    assert_int_equal(check_options(&o, ALL_HEADS("side"), &a, &arena), ERR_CONFIG);
    a.task = &TASK_SEGMENTS;
    assert_ok(check_options(&o, ALL_HEADS("side"), &a, &arena));
    a.model.context = 0;
    assert_int_equal(check_options(&o, ALL_HEADS("side"), &a, &arena), ERR_CONFIG);
}

/* ---- baselines */

/* The summary, or the segments, of a baseline as a text of numbers of sentences. */
static void baseline(const Task *task, const Corpus *c, int k, Arena *arena, char out[32])
{
    const DocumentChoice o = { .most = 2 };
    const ModelConfig m = { .document_words = 5 };
    const DocumentLine *d = c->documents->d;
    DocumentLine pred;
    size_t n = 0;
    assert_ok(document_baseline(task, &m, k, &o, 7, d, arena, &pred, test_error()));
    out[0] = '\0';
    for (int i = 0; i < d->sentences.n; i++) {
        bool has = false;
        for (int j = 0; task == &TASK_SEGMENTS && j < pred.n_segments; j++) has = has || pred.begin[j] == i;
        for (int j = 0; task != &TASK_SEGMENTS && j < pred.summary.n; j++)
            has = has || pred.summary.text[j].ptr == d->sentences.text[i].ptr;
        if (has) n += (size_t)snprintf(out + n, 32 - n, "%d", i);
    }
}

TEST(baselines_read_no_word)
{
    static const char text[] =
        "{\"sentences\": [\"a b\", \"c\", \"d\", \"e\", \"f g\"], \"summary\": [\"d\", \"a b\"], "
        "\"segments\": [{\"begin\": 0}, {\"begin\": 1}, {\"begin\": 4}]}";
    static const char *const want[2][3] = { { "012", "01", NULL }, { "0", "01234", "013" } };
    MADE(Bench, bench_init, bench_fini, b, 2);
    MADE(Arena, arena_init, arena_fini, arena, 1024);
    FREED(corpus_fini) Corpus c;
    char found[32];
    assert_ok(load_text(&b, text, &c, test_error()));
    for (int gaps = 0; gaps < 2; gaps++)
        for (int k = 0; k < 3; k++) {
            baseline(gaps ? &TASK_SEGMENTS : &TASK_SUMMARY, &c, k, &arena, found);
            if (want[gaps][k]) assert_string_equal(found, want[gaps][k]);
            else assert_int_equal(strlen(found), 2); /* at random */
        }
    baseline(&TASK_SUMMARY, &c, 3, &arena, found);
    assert_string_equal(found, "02"); /* the oracle */
    assert_null(document_baseline_name(&TASK_SEGMENTS, 3));
    assert_null(document_baseline_name(&TASK_CLASSES, 0));
}

TEST(memory_may_run_out)
{
    MADE(Bench, bench_init, bench_fini, b, 2);
    for (long n = 0; allocation_fails(n); n++) {
        FREED(corpus_fini) Corpus c;
        char path[96];
        snprintf(path, sizeof path, "%s/v", b.dir);
        write_bytes(path, TWO, strlen(TWO));
        mem_fail_after(n);
        assert_ok_or_no_memory(document_data_load(&c, path, 0, test_error()));
    }
}
