/* tests/unit/test_train.c: what a training run reports, and how its parameters are trained. */
#define _POSIX_C_SOURCE 200809L
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
    case TRAIN_PROGRESS: break; /* depends on time */
    case TRAIN_CHECKED:
        strbuf_printf(out, "checked %.2f %d %s %ld%s\n", event->checked.epoch, event->checked.n,
                      event->checked.dev[0].name, event->checked.dev[0].scores.sentences,
                      event->checked.best ? " best" : "");
        break;
    case TRAIN_STOPPED: strbuf_printf(out, "stopped %ld %s\n", event->stopped.step, event->stopped.checkpoint); break;
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
    UNUSED_STATE;
    Bench b;
    StrBuf got = { 0 }, want = { 0 };
    Error e = { 0 };
    bench_init(&b, 60);
    int left_out = longer_than(&b.train.trees, 36), n = 60 - left_out;
    assert_true(left_out > 0 && n > 40); /* three updates an epoch */
    TrainArgs a = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    a.observer = (TrainObserver){ note_event, &got };
    a.train.max_train_words = 36;
    a.train.lr = 1e-12; /* the first check stays the best */
    a.train.average = 0;
    a.train.epochs = 3;
    a.stop_at_step = 4;
    assert_int_equal(trainer_run(&a, &e), ERR_INTERRUPTED);
    assert_string_equal(e.message, "stopped after update 4");
    strbuf_printf(&want, "started %d %d 36\nchecked 1.00 1 toy 60 best\nstopped 4 %s\n", n, left_out, a.checkpoint);
    assert_string_equal(got.ptr, want.ptr);
    strbuf_clear(&got);
    strbuf_clear(&want);
    a.resume = a.checkpoint;
    a.stop_at_step = 0;
    a.model.d_ff = 40;
    a.train.clip = 2.5;
    train_ok(&a);
    strbuf_printf(&want, "fixed d_ff 48 40\noption clip 0 2.5\nstarted %d %d 36\n", n, left_out);
    strbuf_puts(&want, "checked 2.00 1 toy 60\nchecked 3.00 1 toy 60\n");
    assert_string_equal(got.ptr, want.ptr);
    strbuf_fini(&got);
    strbuf_fini(&want);
    bench_fini(&b);
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

TEST(training_prints_nothing)
{
    UNUSED_STATE;
    Bench b;
    Error e = { 0 };
    StrBuf printed = { 0 };
    bench_init(&b, 30);
    TrainArgs a = toy(&b, in(&b, "a"), in(&b, "a.ckpt"), 2);
    a.stop_at_step = 3;
    Streams s = streams_away(in(&b, "log"));
    Status stopped = trainer_run(&a, &e);
    a.resume = a.checkpoint;
    a.stop_at_step = 0;
    a.train.clip = 1;
    Status done = trainer_run(&a, &e);
    streams_back(s);
    assert_int_equal(stopped, ERR_INTERRUPTED);
    assert_int_equal(done, OK);
    assert_int_equal(file_read(in(&b, "log"), &printed, &(Error){ 0 }), OK);
    assert_int_equal(printed.len, 0);
    strbuf_fini(&printed);
    bench_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_observer_receives_what_happens_in_order),
        cmocka_unit_test(training_prints_nothing),
    };
    return cmocka_run_group_tests_name("train " REAL_NAME, tests, NULL, NULL);
}
