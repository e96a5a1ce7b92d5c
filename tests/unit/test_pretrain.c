/* Replaced and hidden words: how they are drawn, how a model learns to find and guess them,
 * and training that begins with its encoder. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "parser/model/linear_network.h"
#include "parser/model/worker.h"
#include "parser/task/detect/replace.h"
#include "parser/train/text_data.h"
#include "tests/support/further.h"
#include "tests/support/toy_options.h"

/* ---- replaced words */

/* A replacer of the words of a treebank. */
static void replacer_of(Replacer *r, const Treebank *tb, ReplaceOptions o)
{
    replacer_init(r, o);
    for (int k = 0; k < tb->n; k++) assert_true(replacer_count(r, &tb->s[k]));
    assert_true(replacer_finish(r));
}

/* Is a share of n draws within 3 standard errors of its probability? */
static void assert_share(long found, long n, double p)
{
    double share = (double)found / (double)n, error = sqrt(p * (1 - p) / (double)n);
    if (fabs(share - p) > 3 * error) fail_msg("share %.5f of %ld, expected %.5f within %.5f", share, n, p, 3 * error);
}

/* Of a long sentence without any of the words that are drawn, so every draw replaces. */
enum { LONG = 40000 };
static Sentence long_sentence(Arena *a)
{
    const char **words = arena_alloc(a, LONG, sizeof *words);
    assert_non_null(words);
    for (int w = 0; w < LONG; w++) words[w] = "elsewhere";
    return (Sentence){ .n_words = LONG, .words = words };
}

TEST(words_are_drawn_as_often_as_they_occur)
{
    MADE(Bench, bench_init, bench_fini, b, 40);
    const Sentence sent = long_sentence(test_arena());
    for (int kind = 0; kind < 3; kind++) {
        const ReplaceOptions o = { .rate = 0.15, .power = kind == 0 ? 1 : kind == 1 ? 0 : 0.75 };
        const char **shown;
        const int *replaced;
        MADE(Replacer, replacer_of, replacer_fini, r, &b.train.trees, o);
        int types = vocab_size(&r.words);
        long n = 0, *drawn = arena_calloc(test_arena(), (size_t)types, sizeof *drawn);
        double sum = 0;
        assert_true(replacer_apply(&r, 7, &sent, test_arena(), &shown, &replaced));
        for (int w = 0; w < LONG; w++) {
            assert_int_equal(replaced[w], strcmp(shown[w], "elsewhere") != 0);
            if (!replaced[w]) continue;
            drawn[vocab_find(&r.words, shown[w])]++;
            n++;
        }
        assert_share(n, LONG, 0.15);
        for (int k = 0; k < types; k++) sum += pow(r.words.counts[k], o.power);
        for (int k = 0; k < types; k++) assert_share(drawn[k], n, pow(r.words.counts[k], o.power) / sum);
    }
}

TEST(a_word_that_is_replaced_by_itself_is_not_replaced)
{
    FREED(replacer_fini) Replacer r;
    const char **shown, **again;
    const int *replaced, *same, *other;
    MADE(Bench, bench_init, bench_fini, b, 40);
    replacer_of(&r, &b.train.trees, (ReplaceOptions){ .rate = 1, .power = 1 }); /* rate 1: every word is replaced */
    const Sentence *sent = &b.train.trees.s[0];
    Sentence twice = *sent;
    int kept = 0, n = 0, differ = 0;
    for (uint64_t key = 1; key < 400; key++) {
        assert_true(replacer_apply(&r, key, sent, test_arena(), &shown, &replaced));
        for (int w = 0; w < sent->n_words; w++) {
            assert_int_equal(replaced[w], strcmp(shown[w], sent->words[w]) != 0);
            kept += !replaced[w];
            n++;
        }
        assert_true(replacer_apply(&r, key, &twice, test_arena(), &again, &same)); /* a function of key and words */
        assert_memory_equal(replaced, same, (size_t)sent->n_words * sizeof *same);
        for (int w = 0; w < sent->n_words; w++) assert_string_equal(shown[w], again[w]);
        assert_true(replacer_apply(&r, key + 1000, sent, test_arena(), &again, &other));
        for (int w = 0; w < sent->n_words; w++) differ += strcmp(shown[w], again[w]) != 0;
    }
    assert_true(kept > 0 && kept < n / 2 && differ > n / 2);
    MADE(Replacer, replacer_of, replacer_fini, none, &b.train.trees, (ReplaceOptions){ .rate = 0, .power = 1 });
    assert_true(replacer_apply(&none, 1, sent, test_arena(), &shown, &replaced));
    for (int w = 0; w < sent->n_words; w++) assert_true(shown[w] == sent->words[w] && !replaced[w]);
}

/* ---- hidden words */

TEST(frequent_words_are_hidden_and_eight_of_ten_masked)
{
    MADE(Bench, bench_init, bench_fini, b, 40);
    FREED(vocab_fini) Vocab frequent;
    vocab_init(&frequent);
    MADE(Replacer, replacer_of, replacer_fini, r, &b.train.trees, (ReplaceOptions){ 0.15, 1, 3 });
    assert_true(replacer_most_frequent(&r, &frequent));
    assert_int_equal(vocab_size(&frequent), 3);
    for (int k = 0; k < vocab_size(&r.words); k++)
        assert_true(vocab_find(&frequent, vocab_text(&r.words, k)) >= 0 || r.words.counts[k] <= frequent.counts[2]);
    r.hidden = &frequent;
    Sentence sent = long_sentence(test_arena());
    const char **shown;
    const int *label;
    assert_true(replacer_apply(&r, 7, &sent, test_arena(), &shown, &label)); /* "elsewhere" is not frequent */
    for (int w = 0; w < LONG; w++) assert_true(label[w] == -1 && shown[w] == sent.words[w]);
    for (int w = 0; w < LONG; w++) sent.words[w] = vocab_text(&frequent, w % 3);
    assert_true(replacer_apply(&r, 7, &sent, test_arena(), &shown, &label));
    long hidden = 0, masked = 0, other = 0;
    for (int w = 0; w < LONG; w++) {
        bool is_mask = strcmp(shown[w], MASK_WORD) == 0, is_other = !is_mask && strcmp(shown[w], sent.words[w]) != 0;
        assert_true(label[w] == -1 || label[w] == w % 3);
        assert_true(label[w] >= 0 || !(is_mask || is_other));
        hidden += label[w] >= 0;
        masked += is_mask;
        other += is_other;
    }
    assert_share(hidden, LONG, 0.15);
    assert_share(masked, hidden, 0.8);
    double same = 0, all = 0; /* of words that are drawn */
    for (int k = 0; k < vocab_size(&r.words); k++) {
        int number = vocab_find(&frequent, vocab_text(&r.words, k));
        all += r.words.counts[k];
        same += number < 0 ? 0 : r.words.counts[k] / 3.0;
    }
    assert_share(other, hidden, 0.1 * (1 - same / all));
}

/* ---- training */

static TrainArgs pretrain_args(Bench *b, const char *out, const char *checkpoint, int threads)
{
    TrainArgs a = toy(b, out, checkpoint, threads);
    a.task = &TASK_DETECT;
    static const ReplaceOptions replace = { .rate = 0.15, .power = 1 };
    a.task_options = &replace;
    a.train.unknown = 0;
    a.model.attention_dropout = a.model.relu_dropout = a.model.residual_dropout = a.model.embedding_dropout =
        a.model.word_dropout = a.model.affix_dropout = 0;
    return a;
}

static void load_encoder(Model *m, const char *path) { load_task_ok(m, path, &TASK_DETECT); }

/* What the checks of a run found. */
enum { CHECKS_MOST = 40 };
typedef struct Checks {
    DevScores dev[CHECKS_MOST];
    double score[CHECKS_MOST];
    int n;
    Began began;
} Checks;

static double figure(const DevScores *d, const char *key)
{
    int k = 0;
    while (k < d->n && strcmp(d->figure[k].key, key) != 0) k++;
    assert_true(k < d->n);
    return d->figure[k].value;
}

static void take_event(void *context, const TrainEvent *event)
{
    Checks *c = context;
    take_counts(&c->began, event);
    if (event->kind != TRAIN_CHECKED) return;
    assert_true(c->n < CHECKS_MOST);
    if (event->checked.n) c->dev[c->n] = event->checked.dev[0];
    c->score[c->n++] = event->checked.score;
}

/* Sentences of eight words: word i of sentence k is number k + i * step of a list of n. */
static void set_words(Treebank *tb, int n, int step)
{
    static const char *const list[] = { "the", "old", "river", "code", "is", "never", "a", "song" };
    for (int k = 0; k < tb->n; k++) {
        const char **words = arena_alloc(&tb->arena, 8, sizeof *words);
        assert_non_null(words);
        for (int i = 0; i < 8; i++) words[i] = list[(k + i * step) % n];
        tb->s[k] = (Sentence){ .n_words = 8, .words = words };
    }
}

/* One word in each sentence, eight times. */
TEST(a_model_learns_to_find_replaced_words)
{
    Checks c = { .n = 0 };
    MADE(Bench, bench_init, bench_fini, b, 200);
    set_words(&b.train.trees, 3, 0);
    set_words(&b.dev.trees, 3, 0);
    TrainArgs a = pretrain_args(&b, in(&b, "a"), NULL, 2);
    a.train.epochs = 30;
    a.train.lr = 0.003;
    a.observer = (TrainObserver){ take_event, &c };
    train_ok(&a);
    const DevScores *first = &c.dev[0], *last = &c.dev[c.n - 1];
    assert_true(figure(first, "words") == 480);
    assert_true(figure(last, "words") == 480);
    assert_true(figure(first, "baseline") == figure(last, "baseline") && figure(first, "baseline") > 80 &&
                figure(first, "baseline") < 96);
    if (!(figure(last, "loss") < 0.2 * figure(first, "loss") && figure(last, "accuracy") > 97 &&
          figure(last, "f1") > 90 && figure(last, "precision") > 90))
        fail_msg("loss %g to %g, accuracy %g of %g, F1 %g", figure(first, "loss"), figure(last, "loss"),
                 figure(last, "accuracy"), figure(last, "baseline"), figure(last, "f1"));
    assert_true(fabs(c.score[c.n - 1] - 100 * exp(-figure(last, "loss"))) < 1e-9);
    MADE(Model, load_encoder, model_fini, m, a.out);
    int w = params_find(&m.ps, "f_replaced.weight");
    assert_true(w >= 0 && m.ps.p[w].cols == 1); /* one unit */
    assert_int_equal(params_find(&m.ps, "f_label.0.weight"), -1);
    assert_int_equal(params_find(&m.ps, "f_class.weight"), -1);
    assert_int_equal(model_format(&m), 3);
}

/* The order of words is fixed: neighbours determine a hidden word. */
TEST(a_model_learns_to_guess_hidden_words)
{
    Checks c = { .n = 0 };
    MADE(Bench, bench_init, bench_fini, b, 200);
    set_words(&b.train.trees, 8, 1);
    set_words(&b.dev.trees, 8, 1);
    TrainArgs a = pretrain_args(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    static const ReplaceOptions hide = { 0.15, 1, 6 };
    a.task = &TASK_MASK;
    a.task_options = &hide;
    a.train.epochs = 30;
    a.train.lr = 0.003;
    a.observer = (TrainObserver){ take_event, &c };
    train_ok(&a);
    const DevScores *first = &c.dev[0], *last = &c.dev[c.n - 1];
    assert_true(figure(last, "words") > 30 && figure(last, "words") == figure(first, "words"));
    if (!(figure(last, "loss") < 0.3 * figure(first, "loss") && figure(last, "accuracy") > 85))
        fail_msg("loss %g to %g, accuracy %g", figure(first, "loss"), figure(last, "loss"), figure(last, "accuracy"));
    FREED(model_fini) Model m;
    load_task_ok(&m, a.out, &TASK_MASK);
    int w = params_find(&m.ps, "f_masked.weight");
    assert_true(w >= 0 && m.ps.p[w].cols == 6 && vocab_size(&m.classes) == 6);
    assert_true(vocab_find(&m.words, MASK_WORD) >= 0);
    a.observer = (TrainObserver){ NULL, NULL };
    a.train.epochs = 3;
    assert_resumes_bit_equal(&b, a);
}

/* The same replacements in each check, whatever the seed and the number of threads. */
TEST(dev_is_the_same_in_each_check)
{
    Checks c = { .n = 0 }, d = { .n = 0 };
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs a = pretrain_args(&b, in(&b, "a"), NULL, 1);
    a.train.lr = a.train.average = 0;
    a.observer = (TrainObserver){ take_event, &c };
    train_ok(&a);
    assert_int_equal(c.n, 2);
    assert_true(figure(&c.dev[0], "loss") == figure(&c.dev[1], "loss") && figure(&c.dev[0], "words") > 100);
    a.n_threads = 3;
    a.observer.context = &d;
    train_ok(&a);
    assert_true(figure(&c.dev[0], "loss") == figure(&d.dev[0], "loss") &&
                figure(&c.dev[0], "f1") == figure(&d.dev[0], "f1"));
    d.n = 0;
    a.train.seed = 2;
    train_ok(&a);
    assert_true(figure(&c.dev[0], "loss") != figure(&d.dev[0], "loss") &&
                figure(&c.dev[0], "baseline") == figure(&d.dev[0], "baseline"));
}

TEST(any_number_of_threads_and_a_stop_give_the_same_bits)
{
    MADE(Bench, bench_init, bench_fini, b, 90);
    TrainArgs a = pretrain_args(&b, in(&b, "a"), in(&b, "a.ckpt"), 1);
    a.train.epochs = 3;
    a.train.vary_case = a.train.vary_quotes = 0.3;
    assert_resumes_bit_equal(&b, a);
}

/* The losses of the lines of a log. */
static int read_losses(const char *path, const char *name, double out[CHECKS_MOST])
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    StrView line;
    int n = 0;
    assert_ok(file_read(path, &text, test_error()));
    for (size_t at = 0; n < CHECKS_MOST && text_line((StrView){ text.ptr, text.len }, &at, &line);) {
        cJSON *j = NULL;
        assert_ok(json_parse(line.ptr, line.len, &j, test_error()));
        const cJSON *x = cJSON_GetObjectItem(cJSON_GetObjectItem(j, "loss"), name);
        out[n++] = x ? x->valuedouble : -1;
        cJSON_Delete(j);
    }
    return n;
}

#define NEXT_PREV                                                                                     \
    "{'heads': [{'heads': [0], 'pattern': 'next', 'use': 'guide'}, {'heads': [1], 'pattern': 'prev'," \
    " 'use': 'guide'}]}"

/* Each word has one neighbour on each side that it may have. Guided heads look there from the start. */
TEST(guidance_lowers_its_loss_and_helps_where_neighbours_matter)
{
    Checks plain = { .n = 0 }, guided = { .n = 0 };
    double guidance[CHECKS_MOST], replaced[CHECKS_MOST];
    MADE(Bench, bench_init, bench_fini, b, 300);
    set_words(&b.train.trees, 8, 1);
    set_words(&b.dev.trees, 8, 1);
    const EncoderOptions o = toy_options(NEXT_PREV, test_arena());
    TrainArgs a = pretrain_args(&b, in(&b, "a"), NULL, 2);
    a.model.n_layers = 2;
    a.train.epochs = 40;
    a.train.lr = 0.006;
    a.observer = (TrainObserver){ take_event, &plain };
    train_ok(&a);
    a.options = &o;
    a.log = in(&b, "log");
    a.observer.context = &guided;
    train_ok(&a);
    int n = read_losses(a.log, "guidance", guidance);
    assert_int_equal(n, 40);
    assert_int_equal(read_losses(a.log, "replaced", replaced), n);
    if (!(guidance[0] > 1 && guidance[n - 1] < 0.1 * guidance[0]))
        fail_msg("guidance %g to %g", guidance[0], guidance[n - 1]);
    for (int k = 0; k < n; k++) assert_true(replaced[k] > 0 && replaced[k] < 1); /* of a word */
    if (!(figure(&guided.dev[n - 1], "loss") < 0.5 * figure(&plain.dev[n - 1], "loss") &&
          figure(&guided.dev[n - 1], "f1") > 60))
        fail_msg("loss %g and F1 %g, without guidance %g and %g", figure(&guided.dev[n - 1], "loss"),
                 figure(&guided.dev[n - 1], "f1"), figure(&plain.dev[n - 1], "loss"), figure(&plain.dev[n - 1], "f1"));
}

TEST(patterns_that_read_parses_are_refused)
{
    static const char *const options[] = {
        "{'heads': [{'heads': [0], 'pattern': 'dep_head', 'use': 'guide', 'source': 'gold'}]}",
        "{'heads': [{'heads': [0], 'pattern': 'dep_syn', 'use': 'mask', 'source': 'self'}]}"
    };
    MADE(Bench, bench_init, bench_fini, b, 20);
    for (int k = 0; k < 2; k++) {
        EncoderOptions o = toy_options(options[k], test_arena());
        TrainArgs a = pretrain_args(&b, in(&b, "a"), NULL, 1);
        a.options = &o;
        assert_fails_with(trainer_run(&a, test_error()), ERR_CONFIG,
                          "encoder_options.heads[0]: found a pattern that reads parses, expected one of "
                          "words: the task detect has no parses");
    }
}

TEST(a_run_ends_after_so_many_updates)
{
    FREED(bench_fini) Bench b;
    Checks c = { .n = 0 };
    double lr[CHECKS_MOST];
    bench_init(&b, 90); /* 5 updates in an epoch */
    TrainArgs a = pretrain_args(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    a.train.epochs = 9;
    a.train.max_updates = 7;
    a.train.warmup = 0;
    a.train.schedule = SCHEDULE_COSINE;
    a.log = in(&b, "log");
    a.observer = (TrainObserver){ take_event, &c };
    train_ok(&a);
    assert_int_equal(c.n, 2); /* of the epoch and of the end */
    assert_ok(file_read(a.log, test_out(), test_error()));
    assert_non_null(strstr(test_written(), "\"updates\": 7"));
    assert_int_equal(read_losses(a.log, "replaced", lr), 2);
    a.resume = a.checkpoint; /* there is nothing left */
    a.n_dev = 0;
    train_ok(&a);
    assert_int_equal(c.n, 2);
}

/* ---- the network */

/* The loss of two sentences, whose words are replaced where a bit of `bits` is set; adds its gradient to grads. */
static double loss_of(const Bench *b, const Model *m, unsigned bits, Real *grads, double *by_hand)
{
    LossParts parts;
    BatchSentence sent[2];
    Gold gold[2];
    int replaced[2][64];
    MADE(Worker, worker_init, worker_fini, worker, m, device_default());
    worker_begin(&worker, true, false, 0);
    for (int k = 0; k < 2; k++) {
        const Sentence *s = &b->dev.trees.s[k];
        sent[k] = (BatchSentence){ .n = s->n_words, .words = s->words };
        gold[k] = (Gold){ replaced[k] };
        for (int w = 0; w < s->n_words; w++) replaced[k][w] = bits >> (w % 8) & 1;
    }
    assert_ok(worker_pack(&worker, sent, NULL, 2, 0, test_error()));
    assert_ok(worker_forward(&worker, grads, test_error()));
    const LossWeights w = { .part = { 1 } };
    Tensor *loss = network_loss(&worker.forward, &m->net, &worker.net, gold, &w, &worker.scratch, &parts);
    assert_non_null(loss);
    double value = tape_number(&worker.tape, loss);
    assert_true(parts.part[0] == value);
    HostMatrix score = tensor_host(&worker.tape, linear_network_scores(&worker.net), &worker.scratch);
    assert_int_equal(score.cols, 1);
    *by_hand = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < sent[k].n; i++) {
            double x = (double)host_row(&score, worker.packed.batch.start[k] + i + 1)[0];
            *by_hand += log(1 + exp(replaced[k][i] ? -x : x));
        }
    tape_backward(&worker.tape, loss);
    return value;
}

/* Along its own direction, the loss rises as the gradient says, for each tensor. */
TEST(the_gradient_is_that_of_finite_differences)
{
    double by_hand;
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs a = pretrain_args(&b, in(&b, "a"), NULL, 1);
    a.train.epochs = 1;
    a.train.lr = 0.001;
    MADE(Model, train_and_load, model_fini, m, &a);
    FREED(free_pointer)
    Real *grads = mem_calloc(m.ps.size, sizeof *grads), *unused = mem_calloc(m.ps.size, sizeof *unused);
    assert_true(fabs(loss_of(&b, &m, 0x25, grads, &by_hand) - by_hand) < 1e-4);
    int checked = 0;
    for (int k = 0; k < m.ps.n; k++) {
        size_t n = param_count(&m.ps.p[k]);
        Real *x = param_values(&m.ps, k), *g = grads + m.ps.p[k].offset;
        double square = 0, at[2];
        for (size_t i = 0; i < n; i++) square += (double)g[i] * (double)g[i];
        if (square < 1e-4) continue;
        Real *before = mem_alloc(n, sizeof *before);
        memcpy(before, x, n * sizeof *x);
        double step = 0.02 / square; /* the loss changes by 0.02 each way */
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < n; i++) x[i] = (Real)((double)before[i] + (side ? step : -step) * (double)g[i]);
            at[side] = loss_of(&b, &m, 0x25, unused, &by_hand);
        }
        memcpy(x, before, n * sizeof *x);
        mem_free(before);
        if (fabs(at[1] - at[0] - 0.04) > 0.002) fail_msg("%s: %g, expected 0.04", m.ps.p[k].name, at[1] - at[0]);
        checked++;
    }
    assert_true(checked > 20);
}

/* ---- training that begins with the encoder */

/* Does row `word` of the tables of words have the same values? */
static bool same_row(const Model *a, const Model *b, const char *word)
{
    int x = vocab_find(&a->words, word), y = vocab_find(&b->words, word), p = a->net.embedding.words,
        q = b->net.embedding.words, cols = a->ps.p[p].cols;
    return x >= 0 && y >= 0 &&
           memcmp(param_values(&a->ps, p) + (ptrdiff_t)x * cols, param_values(&b->ps, q) + (ptrdiff_t)y * cols,
                  (size_t)cols * sizeof(Real)) == 0;
}

TEST(a_parser_begins_with_a_pretrained_encoder)
{
    EncoderOptions o, wanted;
    Checks c = { .n = 0 };
    MADE(Bench, bench_init, bench_fini, b, 60);
    wanted = toy_options(NEXT_PREV, test_arena());
    TrainArgs p = pretrain_args(&b, in(&b, "a"), NULL, 2), a = toy(&b, in(&b, "b"), in(&b, "b.ckpt"), 2);
    p.options = &wanted;
    p.model.d_ff = 40;
    MADE(Model, train_and_load, model_fini, from, &p);
    assert_int_equal(from.options.n_heads, 2);
    for (int k = 0; k < b.train.trees.n; k++) b.train.trees.s[k].words[0] = "unheard-of";
    a.init = p.out;
    a.train.lr = a.train.average = 0;
    a.n_dev = 0;
    a.observer = (TrainObserver){ take_event, &c };
    options_defaults(CONFIG_MODEL_OPTIONS, &a.model);
    assert_ok(trainer_init_options(p.out, &a.model, &o, NULL, test_arena(), test_error()));
    assert_int_equal(a.model.d_ff, 40);
    assert_true(encoder_options_plain(&o)); /* guidance belongs to the training that ended */
    a.options = &o;
    MADE(Model, train_and_load, model_fini, m, &a);
    int tensors = 0;
    for (int k = 0; k < m.ps.n; k++) {
        int j = params_find(&from.ps, m.ps.p[k].name);
        if (j < 0) continue;
        tensors++;
        if (k == m.net.embedding.words || k == m.net.embedding.treebank) continue;
        assert_memory_equal(param_values(&m.ps, k), param_values(&from.ps, j), param_count(&m.ps.p[k]) * sizeof(Real));
    }
    assert_int_equal(tensors, from.ps.n - 2); /* all but f_replaced */
    const TrainInit *init = &c.began.c.init;
    assert_int_equal(init->kind[0].taken, tensors);
    assert_int_equal(init->kind[0].dropped.n + init->kind[1].taken, 0);
    assert_int_equal(init->kind[1].dropped.n, 2);
    assert_string_equal(init->kind[1].dropped.first[0], "f_replaced.weight");
    assert_string_equal(init->kind[1].why, "of another task");
    assert_string_equal(init->kind[2].many, "words");
    assert_int_equal(init->kind[2].taken, vocab_size(&from.words) - N_RESERVED);
    assert_int_equal(init->kind[2].added.n, 1);
    assert_string_equal(init->kind[2].added.first[0], "unheard-of");
    assert_ptr_equal(init->task, &TASK_DETECT);
    /* words of the pretraining stay, new ones are added */
    assert_int_equal(vocab_size(&m.words), vocab_size(&from.words) + 1);
    for (int k = 0; k < vocab_size(&from.words); k++) assert_true(same_row(&m, &from, vocab_text(&from.words, k)));
    assert_true(vocab_find(&m.words, "unheard-of") > 0);
    assert_non_null(strstr(m.summary, "\"init\": {\"model\": \""));
    assert_non_null(strstr(m.summary, "\"task\": \"detect\", \"tensors\": {\"taken\": "));
    /* scorers are those of a new model */
    network_init(&m.net, &m.ps, (unsigned long)a.train.seed);
    MADE(Model, load_ok, model_fini, fresh, a.out);
    int k = params_find(&m.ps, "f_label.0.weight");
    assert_memory_equal(param_values(&m.ps, k), param_values(&fresh.ps, k), param_count(&m.ps.p[k]) * sizeof(Real));
    /* a resumed run still says what it began with */
    a.resume = a.checkpoint;
    a.init = NULL;
    a.train.epochs++;
    MADE(Model, train_and_load, model_fini, resumed, &a);
    assert_non_null(strstr(resumed.summary, "\"task\":\"detect\",\"tensors\":"));
}

/* Characters and tags, whose tables have other rows in another model. */
TEST(rows_are_copied_by_value)
{
    EncoderOptions o;
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs p = pretrain_args(&b, in(&b, "a"), NULL, 2), a = toy(&b, in(&b, "b"), NULL, 2);
    p.train.epochs = a.train.epochs = 1;
    p.model.use_chars = CHARS_LSTM;
    p.model.use_tags = true;
    MADE(Model, train_and_load, model_fini, from, &p);
    for (int k = 0; k < b.train.trees.n; k++) b.train.trees.s[k].words[0] = "\xc3\x84rger";
    a.init = p.out;
    a.train.lr = a.train.average = 0;
    a.n_dev = 0;
    assert_ok(trainer_init_options(p.out, &a.model, &o, NULL, test_arena(), test_error()));
    MADE(Model, train_and_load, model_fini, m, &a);
    assert_int_equal(vocab_size(&m.chars), vocab_size(&from.chars) + 1);
    assert_true(vocab_size(&from.tags) == N_RESERVED && vocab_size(&m.tags) > N_RESERVED);
    int pairs[2][2] = { { m.net.embedding.char_emb, from.net.embedding.char_emb },
                        { m.net.embedding.tags, from.net.embedding.tags } };
    for (int k = 0; k < 2; k++) /* the values of the pretrained model come first */
        assert_memory_equal(param_values(&m.ps, pairs[k][0]), param_values(&from.ps, pairs[k][1]),
                            param_count(&from.ps.p[pairs[k][1]]) * sizeof(Real));
}

/* ---- files */

TEST(other_tasks_refuse_a_pretrained_encoder)
{
    static const Task *const wanted[] = { &TASK_PARSE, &TASK_CLASSIFY };
    char message[200];
    MADE(Bench, bench_init, bench_fini, b, 20);
    TrainArgs a = pretrain_args(&b, in(&b, "a"), NULL, 1);
    a.train.epochs = 1;
    train_ok(&a);
    for (int k = 0; k < 2; k++) {
        MADE(Model, model_init, model_fini, other);
        other.task = wanted[k];
        snprintf(message, sizeof message,
                 "found a model that finds replaced words (lal train --task detect), expected %s", wanted[k]->model);
        assert_fails_with(model_load(&other, a.out, NULL, test_error()), ERR_CONFIG, message);
    }
    MADE(Model, model_init, model_fini, m);
    assert_ok(model_load_any(&m, a.out, NULL, test_error()));
    assert_ptr_equal(m.task, &TASK_DETECT);
}

/* The words of a text of this kind, separated by blanks, sentences by " | ". */
static void assert_words(Bench *b, TextKind kind, const char *text, const char *words)
{
    FREED(corpus_fini) Corpus c;
    FREED(strbuf_fini) StrBuf found = { 0 };
    const char *path = in(b, "v");
    write_bytes(path, text, strlen(text));
    assert_ok(text_data_load(&c, path, (TextDataOptions){ .kind = kind }, test_error()));
    for (int k = 0; k < c.trees.n; k++)
        for (int w = 0; w < c.trees.s[k].n_words; w++)
            strbuf_printf(&found, "%s%s", w ? " " : k ? " | " : "", c.trees.s[k].words[w]);
    assert_string_equal(found.ptr, words);
    assert_string_equal(c.name, "v");
    for (int k = 0; k < c.trees.n; k++) assert_true((c.trees.s[k].space_before != NULL) == (kind == TEXT_RAW));
}

TEST(text_is_read_as_the_parser_reads_it)
{
    FREED(corpus_fini) Corpus c;
    MADE(Bench, bench_init, bench_fini, b, 2);
    assert_words(&b, TEXT_RAW, "It rained. She didn't go.\n", "It rained . | She did n't go .");
    assert_words(&b, TEXT_TOKENS, "It rained.\n\nShe did n't\n", "It rained. | She did n't");
    assert_words(&b, TEXT_TREEBANK, "(TOP (S (NP (PRP It)) (VP (VBD rained))))\n", "It rained");
    assert_words(&b, TEXT_TREEBANK, "1\tIt\t_\tPRP\tPRP\t_\t2\tnsubj\t_\t_\n2\trained\t_\tVBD\tVBD\t_\t0\troot\t_\t_\n",
                 "It rained");
    write_bytes(in(&b, "v"), "\n\n", 2);
    assert_fails_with(text_data_load(&c, in(&b, "v"), (TextDataOptions){ .kind = TEXT_TOKENS }, test_error()),
                      ERR_FORMAT, "found no sentence, expected one at least");
}

/* Blanks of the text tell opening quotes from closing ones. */
TEST(quotes_are_folded_by_the_blanks_of_the_text)
{
    static const char text[] = "He said that \"yes\" and \"no\" mean \"no\".\n";
    MADE(Bench, bench_init, bench_fini, b, 2);
    write_bytes(in(&b, "v"), text, strlen(text));
    corpus_fini(&b.train);
    assert_int_equal(text_data_load(&b.train, "/dev/null", (TextDataOptions){ .kind = TEXT_TOKENS }, test_error()),
                     ERR_FORMAT);
    corpus_fini(&b.train);
    assert_ok(
        text_data_load(&b.train, test_format("%s/v", b.dir), (TextDataOptions){ .kind = TEXT_RAW }, test_error()));
    TrainArgs a = pretrain_args(&b, in(&b, "a"), NULL, 1);
    a.model.fold = true;
    a.n_dev = 0;
    a.train.epochs = 1;
    MADE(Model, train_and_load, model_fini, m, &a);
    assert_int_equal(m.words.counts[vocab_find(&m.words, "``")], 3);
    assert_int_equal(m.words.counts[vocab_find(&m.words, "''")], 3);
}
