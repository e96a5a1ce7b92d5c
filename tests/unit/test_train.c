/* What a training run reports, and how its parameters are trained. */
#define _POSIX_C_SOURCE 200809L
#include "base/json.h"
#include "parser/task/use.h"
#include "parser/train/trainer.h"

#include "tests/support/toy.h"

/* Events as text, a line each. */
static void note_event(void *context, const TrainEvent *event)
{
    StrBuf *out = context;
    const TrainCounts *c = &event->started;
    switch (event->kind) {
    case TRAIN_OPTION:
        strbuf_printf(out, "%s %s %s %s\n", event->option.fixed ? "fixed" : "option", event->option.name,
                      event->option.before, event->option.now);
        break;
    case TRAIN_STARTED: strbuf_printf(out, "started %d %d %d\n", c->sentences, c->skipped, c->max_words); break;
    case TRAIN_PROGRESS: strbuf_puts(out, "."); break; /* its numbers depend on time */
    case TRAIN_CHECKED:
        strbuf_printf(out, "checked %.2f %d %s %ld%s\n", event->checked.epoch, event->checked.n,
                      event->checked.dev[0].name, event->checked.dev[0].scores.sentences,
                      event->checked.best ? " best" : "");
        break;
    case TRAIN_STOPPED: strbuf_printf(out, "stopped %ld %s\n", event->stopped.step, event->stopped.checkpoint); break;
    case TRAIN_ENDED:
        strbuf_printf(out, "ended %d %.9s%s\n", event->ended.reason,
                      event->ended.summary ? event->ended.summary : "without", event->ended.written ? " written" : "");
        break;
    }
}

static int longer_than(const Treebank *tb, int words)
{
    int n = 0;
    for (int k = 0; k < tb->n; k++) n += tb->s[k].n_words > words;
    return n;
}

TEST(an_observer_receives_what_happens_in_order)
{
    FREED(strbuf_fini) StrBuf got = { 0 }, want = { 0 };
    MADE(Bench, bench_init, bench_fini, b, 60);
    int left_out = longer_than(&b.train.trees, 36), n = 60 - left_out;
    assert_true(left_out > 0 && n > 40); /* three updates an epoch */
    TrainArgs a = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    a.observer = (TrainObserver){ note_event, &got };
    a.train.max_train_words = 36;
    a.train.lr = 1e-12; /* the first check stays the best */
    a.train.average = 0;
    a.train.epochs = 3;
    a.stop_at_step = 4;
    assert_fails_with(trainer_run(&a, test_error()), ERR_INTERRUPTED, "stopped after update 4");
    strbuf_printf(&want, "started %d %d 36\n...checked 1.00 1 toy 60 best\n", n, left_out);
    strbuf_printf(&want, ".stopped 4 %s\nended 2 {\"epoch\": written\n", a.checkpoint);
    assert_string_equal(got.ptr, want.ptr);
    strbuf_clear(&got);
    strbuf_clear(&want);
    a.resume = a.checkpoint;
    a.stop_at_step = 0;
    a.model.d_ff = 40;
    a.train.clip = 2.5;
    train_ok(&a);
    strbuf_printf(&want, "fixed d_ff 48 40\noption clip 0 2.5\nstarted %d %d 36\n", n, left_out);
    strbuf_puts(&want, "..checked 2.00 1 toy 60\n...checked 3.00 1 toy 60\nended 0 {\"epoch\":\n");
    assert_string_equal(got.ptr, want.ptr);
}

TEST(a_checkpoint_keeps_the_options_and_the_command_of_its_run)
{
    ModelConfig m;
    TrainConfig t;
    EncoderOptions o;
    cJSON *command;
    char checksum[17];
    MADE(Bench, bench_init, bench_fini, b, 30);
    for (int with = 0; with < 2; with++) {
        TrainArgs a = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
        a.stop_at_step = 1;
        a.train.lr = 0.00125;
        a.command = with ? "{\"out\": \"a \\\"name\\\"\"}" : NULL;
        assert_int_equal(trainer_run(&a, test_error()), ERR_INTERRUPTED);
        options_defaults(CONFIG_MODEL_OPTIONS, &m);
        options_defaults(CONFIG_TRAIN_OPTIONS, &t);
        assert_ok(trainer_saved_options(a.checkpoint, &TASK_PARSE, &m, &t, &o, &command, checksum, test_arena(),
                                        test_error()));
        assert_int_equal(command != NULL, with);
        if (with) {
            assert_string_equal(cJSON_GetObjectItem(command, "out")->valuestring, "a \"name\"");
            assert_true(t.lr == 0.00125);
            assert_int_equal(m.d_ff, a.model.d_ff);
        }
        cJSON_Delete(command);
    }
    assert_int_equal(
        trainer_saved_options(in(&b, "none"), &TASK_PARSE, &m, &t, &o, &command, checksum, test_arena(), test_error()),
        ERR_IO);
    assert_null(command);
}

/* A checkpoint has the encoder options of its run; other ones given with it change nothing. */
static void note_fixed(void *context, const TrainEvent *event)
{
    if (event->kind != TRAIN_OPTION) return;
    assert_true(event->option.fixed);
    strbuf_printf(context, "%s ", event->option.name);
}

TEST(a_resumed_run_keeps_its_encoder_options)
{
    static const char json[] = "{\"heads\": [{\"heads\": [1], \"pattern\": \"next\", \"use\": \"guide\"}], "
                               "\"guidance\": {\"alpha0\": 0.5}}";
    ModelConfig m;
    TrainConfig t;
    EncoderOptions o, saved, other;
    FREED(strbuf_fini) StrBuf was = { 0 }, changed = { 0 };
    cJSON *j, *command;
    char checksum[17];
    MADE(Bench, bench_init, bench_fini, b, 30);
    encoder_options_defaults(&o);
    encoder_options_defaults(&other);
    other.gates.kind = GATES_FREE;
    assert_ok(json_parse(json, strlen(json), &j, test_error()));
    assert_ok(encoder_options_read(&o, j, NULL, test_arena(), test_error()));
    TrainArgs a = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    a.stop_at_step = 1;
    a.command = "{}";
    a.options = &o;
    assert_int_equal(trainer_run(&a, test_error()), ERR_INTERRUPTED);
    assert_ok(trainer_saved_options(a.checkpoint, &TASK_PARSE, &m, &t, &saved, &command, checksum, test_arena(),
                                    test_error()));
    encoder_options_to_json(&o, &was);
    encoder_options_to_json(&saved, test_out());
    assert_string_equal(test_written(), was.ptr);
    a.options = &other;
    a.resume = a.checkpoint;
    a.stop_at_step = 2;
    a.observer = (TrainObserver){ note_fixed, &changed };
    assert_int_equal(trainer_run(&a, test_error()), ERR_INTERRUPTED);
    assert_string_equal(changed.ptr,
                        "encoder_options.heads encoder_options.guidance.alpha0 encoder_options.gates.kind ");
    cJSON_Delete(command);
    cJSON_Delete(j);
}

/* Standard output and standard error go to a file until `streams_back`. */
typedef struct Streams {
    int saved[2];
} Streams;

static Streams streams_away(const char *path)
{
    Streams s;
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fflush(stdout);
    for (int k = 0; k < 2; k++) {
        s.saved[k] = dup(k + 1);
        dup2(fileno(f), k + 1);
    }
    fclose(f);
    return s;
}

static void streams_back(Streams s)
{
    fflush(stdout);
    for (int k = 0; k < 2; k++) {
        dup2(s.saved[k], k + 1);
        close(s.saved[k]);
    }
}

TEST(a_task_has_the_name_that_the_table_of_tasks_gives_it)
{
    const Task *task;
    int k = 0;
    for (; (task = task_choice(k)); k++) {
        const StrView name = option_choice(TASK_CHOICES, k);
        assert_int_equal(name.len, strlen(task->name));
        assert_memory_equal(name.ptr, task->name, name.len);
        assert_ptr_equal(task_find(task_key(task), NULL), task);
    }
    assert_int_equal(k, 8);
}

TEST(training_prints_nothing)
{
    FREED(strbuf_fini) StrBuf printed = { 0 };
    MADE(Bench, bench_init, bench_fini, b, 30);
    TrainArgs a = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    a.stop_at_step = 3;
    Streams s = streams_away(in(&b, "log"));
    Status stopped = trainer_run(&a, test_error());
    a.resume = a.checkpoint;
    a.stop_at_step = 0;
    a.train.clip = 1;
    Status done = trainer_run(&a, test_error());
    streams_back(s);
    assert_int_equal(stopped, ERR_INTERRUPTED);
    assert_ok(done);
    assert_ok(file_read(in(&b, "log"), &printed, test_error()));
    assert_int_equal(printed.len, 0);
}

TEST(the_model_holds_the_average_and_the_checkpoint_the_weights)
{
    MADE(Bench, bench_init, bench_fini, b, 30);
    TrainArgs a = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 1);
    a.n_dev = 0; /* every check is the best */
    MADE(Model, train_and_load, model_fini, best, &a);
    MADE(Model, load_ok, model_fini, weights, a.checkpoint);
    FREED(free_pointer) Real *average = mem_calloc(weights.ps.trained, sizeof *average);
    assert_non_null(average);
    assert_ok(model_load_extra(&weights, a.checkpoint, &(ExtraSlab){ "average/", average }, 1, test_error()));
    assert_memory_equal(params_values(&best.ps), average, best.ps.trained * sizeof *average);
    assert_memory_not_equal(params_values(&weights.ps), average, best.ps.trained * sizeof *average);
    a.train.average = 0; /* the same updates, without an average */
    a.out = in(&b, "b");
    a.checkpoint = NULL;
    MADE(Model, train_and_load, model_fini, plain, &a);
    assert_memory_equal(params_values(&plain.ps), params_values(&weights.ps), plain.ps.trained * sizeof *average);
}

/* ---- parameter groups */

/* Compares the values of parameters whose names begin with prefix, before and after; the others if !matching. */
static bool same_values(const Model *a, const Model *b, const char *prefix, bool matching)
{
    bool same = true;
    assert_int_equal(a->ps.n, b->ps.n);
    for (int k = 0; k < a->ps.n; k++) {
        const Param *p = &a->ps.p[k];
        assert_string_equal(p->name, b->ps.p[k].name);
        if ((strncmp(p->name, prefix, strlen(prefix)) == 0) == matching)
            same = same && memcmp(param_values(&a->ps, k), param_values(&b->ps, k), param_count(p) * sizeof(Real)) == 0;
    }
    return same;
}

static bool has_tensor(const char *path, const char *name)
{
    FREED(safetensors_close) SafeTensors st;
    assert_ok(safetensors_open(&st, path, test_error()));
    return safetensors_find(&st, name) != NULL;
}

/* A run of `updates` updates of 20 sentences: its weights, not averaged. */
static void train_updates(Model *m, Bench *b, TrainArgs a, int updates)
{
    a.checkpoint = in(b, "c.ckpt");
    a.train.average = 0;
    a.stop_at_step = updates;
    assert_int_equal(trainer_run(&a, test_error()), ERR_INTERRUPTED);
    load_ok(m, a.checkpoint);
}

TEST(frozen_parameters_keep_their_bytes_and_take_no_moments)
{
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs a = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    a.train.freeze = (OptionList){ 1, { "encoder." } };
    train_ok(&a); /* with a running average */
    for (int k = 0; k < 2; k++) {
        MADE(Model, load_ok, model_fini, got, k ? a.checkpoint : a.out);
        MADE(Model, load_ok, model_fini, start, a.out);
        network_init(&start.net, &start.ps, (unsigned long)a.train.seed);
        assert_true(same_values(&got, &start, "encoder.", true));
        assert_false(same_values(&got, &start, "encoder.", false));
    }
    assert_false(has_tensor(a.checkpoint, "adam.m/encoder.attn_0.w_qkv1"));
    assert_false(has_tensor(a.checkpoint, "average/encoder.attn_0.w_qkv1"));
    assert_true(has_tensor(a.checkpoint, "adam.m/f_label.0.weight"));
}

/* Every op of the network does without the gradients of its weights, and gives the others the same ones. */
TEST(what_is_frozen_changes_nothing_for_the_others_in_an_update)
{
    static const char *const prefixes[] = { "embedding.", "encoder.",   "encoder.attn_", "encoder.ff_", "encoder.lal",
                                            "f_label.",   "dep_score.", "f_tag.",        "e",           "f_label.1" };
    MADE(Bench, bench_init, bench_fini, b, 20);
    for (int kind = 0; kind < 6; kind++) {
        TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
        if (kind == 1) {
            a.model.use_chars = CHARS_LSTM;
            a.model.use_tags = true;
            a.model.type_given_head = false;
        } else if (kind == 2) a.model.use_lal = false;
        else if (kind == 3) a.model.lal_q_as_matrix = a.model.lal_combine_as_self = true;
        else if (kind > 3) {
            a.model.lal_form = kind == 4 ? LAL_PHRASES : LAL_BOTH;
            a.model.lal_arcs = a.model.lal_linked = true;
            a.model.lal_own_reduce = kind == 5;
            a.model.n_label_heads = 20;
            a.train.link_weight = 1;
        }
        MADE(Model, train_updates, model_fini, whole, &b, a, 1);
        for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
            if (!params_matching(&whole.ps, prefixes[k])) continue;
            a.train.freeze = (OptionList){ 1, { prefixes[k] } };
            MADE(Model, train_updates, model_fini, got, &b, a, 1);
            if (!same_values(&whole, &got, prefixes[k], false)) fail_msg("kind %d without %s", kind, prefixes[k]);
            assert_false(same_values(&whole, &got, prefixes[k], true));
        }
    }
}

/* Rounding errors are computed at some updates only, so a checkpoint holds them. */
TEST(a_run_with_rounded_weights_is_another_one_and_resumes_bit_equal)
{
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.train.freeze = (OptionList){ 1, { "embedding." } };
    a.store = DT_F32;
    MADE(Model, train_and_load, model_fini, exact, &a);
    a.store = DT_U8;
    MADE(Model, train_and_load, model_fini, later, &a);
    a.train.rounded = true;
    MADE(Model, train_and_load, model_fini, whole, &a);
    assert_false(same_values(&whole, &later, "encoder.", true));
    for (int k = 0; k < exact.ps.n; k++) model_round(&exact.ps.p[k], DT_U8, param_values(&exact.ps, k));
    assert_true(same_values(&exact, &later, "", true));
    a.out = in(&b, "b");
    a.checkpoint = in(&b, "b.ckpt");
    a.n_threads = 2;
    train_until(&a, 3);
    MADE(Model, train_and_load, model_fini, part, &a);
    assert_true(same_values(&whole, &part, "", true));
}

TEST(a_frozen_run_resumes_bit_equal_and_with_the_same_options_only)
{
    MADE(Bench, bench_init, bench_fini, b, 60);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.train.freeze = (OptionList){ 2, { "f_tag.", "embedding." } };
    a.train.group = (OptionList){ 2, { "encoder.=0.25", "f_label.0=3" } };
    a.train.weight_decay = 0.01;
    MADE(Model, train_and_load, model_fini, whole, &a);
    a.out = in(&b, "b");
    a.checkpoint = in(&b, "b.ckpt");
    a.n_threads = 2;
    train_until(&a, 4);
    a.train.freeze.n = 1;
    assert_fails(trainer_run(&a, test_error()), ERR_USAGE,
                 "--resume: found other --freeze options, expected those the run began with: "
                 "[\"f_tag.\",\"embedding.\"]");
    a.train.freeze.n = 2;
    MADE(Model, train_and_load, model_fini, part, &a);
    assert_true(same_values(&whole, &part, "", true));
}

TEST(a_warm_up_that_would_not_end_before_the_run_is_a_tenth_of_it)
{
    TrainArgs a = { .train = { .batch_size = 4, .epochs = 5, .warmup = 14, .lr = 1 } };
    const Trainer tr = { .a = &a, .n_epoch = 10 }; /* 15 updates */
    assert_int_equal(trainer_warmup(&tr, 14), 14);
    assert_int_equal(trainer_warmup(&tr, 15), 2);
    assert_int_equal(trainer_warmup(&tr, 100000), 2);
    assert_true(trainer_rate(&tr) == 1.0 / 14);
    a.train.warmup = 15;
    assert_true(trainer_rate(&tr) == 1.0 / 2);
}

TEST(factors_and_decay_act_on_their_group)
{
    MADE(Bench, bench_init, bench_fini, b, 20);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.train.lr = 0.5;
    a.train.warmup = 0; /* the first update has the whole rate */
    MADE(Model, train_updates, model_fini, plain, &b, a, 1);
    MADE(Model, load_ok, model_fini, start, in(&b, "c.ckpt"));
    network_init(&start.net, &start.ps, (unsigned long)a.train.seed);
    a.train.group = (OptionList){ 1, { "f_label.=0.5" } };
    MADE(Model, train_updates, model_fini, half, &b, a, 1);
    a.train.group.item[0] = "f_label.=0";
    MADE(Model, train_updates, model_fini, none, &b, a, 1);
    a.train.group.n = 0;
    a.train.weight_decay = 0.25;
    MADE(Model, train_updates, model_fini, decayed, &b, a, 1);
    assert_true(same_values(&plain, &half, "f_label.", false));
    assert_true(same_values(&start, &none, "f_label.", true));
    int weight = params_find(&plain.ps, "f_label.0.weight"), bias = params_find(&plain.ps, "f_label.0.bias");
    size_t n = param_count(&plain.ps.p[weight]);
    const Real *w0 = param_values(&start.ps, weight), *w1 = param_values(&plain.ps, weight),
               *wh = param_values(&half.ps, weight), *wd = param_values(&decayed.ps, weight);
    for (size_t i = 0; i < n; i++) {
        double step = (double)w1[i] - (double)w0[i];
        assert_true(fabs((double)wh[i] - (double)w0[i] - step / 2) < 1e-6);
        assert_true(fabs((double)w1[i] - (double)wd[i] - 0.5 * 0.25 * (double)w0[i]) < 1e-6);
    }
    assert_memory_equal(param_values(&plain.ps, bias), param_values(&decayed.ps, bias),
                        param_count(&plain.ps.p[bias]) * sizeof(Real));
}

TEST(options_of_groups_that_mean_nothing_are_refused)
{
    static const struct {
        bool freeze;
        const char *text, *message;
    } cases[] = {
        { true, "encodr",
          "--freeze: found 'encodr', with which no name of a parameter begins; names begin with embedding. "
          "encoder. f_label. dep_score. f_tag." },
        { false, "encodr=1",
          "--group: found 'encodr', with which no name of a parameter begins; names begin with embedding. "
          "encoder. f_label. dep_score. f_tag." },
        { true, "", "--freeze: found only frozen parameters, expected some to train" },
        { false, "encoder", "--group: found 'encoder', expected PREFIX=FACTOR with a factor from 0 to 1000" },
        { false, "encoder=", "--group: found 'encoder=', expected PREFIX=FACTOR with a factor from 0 to 1000" },
        { false, "encoder=1x", "--group: found 'encoder=1x', expected PREFIX=FACTOR with a factor from 0 to 1000" },
        { false, "encoder=nan", "--group: found 'encoder=nan', expected PREFIX=FACTOR with a factor from 0 to 1000" },
        { false, "encoder=1001", "--group: found 'encoder=1001', expected PREFIX=FACTOR with a factor from 0 to 1000" }
    };
    MADE(Bench, bench_init, bench_fini, b, 20);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
        *(cases[k].freeze ? &a.train.freeze : &a.train.group) = (OptionList){ 1, { cases[k].text } };
        assert_fails(trainer_run(&a, test_error()), ERR_USAGE, cases[k].message);
    }
}
