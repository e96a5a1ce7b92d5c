/* The public library: sentences taken one after another, and many threads on one model. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/support/api.h"
#include "tests/support/mapped.h"

/* ---- one sentence after another */

typedef struct Stream {
    StrBuf out;
    int n, stop_at; /* call that stops, from 1; 0: none */
    LalParser *parser;
    size_t tokens;
} Stream;

static int take(void *context, const LalSentence *s)
{
    Stream *x = context;
    LalError e;
    assert_sentence(s, NULL, x->tokens);
    x->tokens += (size_t)s->n_tokens;
    put_sentence(&x->out, s);
    assert_null(lal_parse_text(x->parser, "a", 1, &e)); /* it is in use */
    assert_int_equal(e.code, LAL_ERROR_BUSY);
    return ++x->n == x->stop_at;
}

TEST(sentences_come_one_after_another)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    f.o.threads = 3;
    FREED(lal_parser_free_at) LalParser *p = lal_parser_new(f.model, &f.o, &f.e);
    for (int run = 0; run < 4; run++) { /* from memory, from a file; once stopped */
        Stream x = { .parser = p, .stop_at = run / 2 * 2 };
        write_bytes(in(&f.b, "b"), TEXT, sizeof TEXT - 1);
        LalStatus s = run % 2 ? lal_parse_file_each(p, in(&f.b, "b"), take, &x, &f.e)
                              : lal_parse_text_each(p, TEXT, sizeof TEXT - 1, take, &x, &f.e);
        assert_int_equal(s, x.stop_at ? LAL_STOPPED : LAL_OK);
        assert_int_equal(f.e.code, s);
        assert_int_equal(x.n, x.stop_at ? 2 : 3);
        FREED(lal_result_free_at) LalResult *r = lal_parse_text(p, TEXT, sizeof TEXT - 1, &f.e);
        put_result(test_out(), r);
        assert_memory_equal(test_written(), x.out.ptr, x.out.len);
        strbuf_fini(&x.out);
    }
}

/* Writes a paragraph, and another one after the first was taken, or after ten seconds. */
typedef struct Writer {
    const char *path;
    atomic_int taken;
    bool in_time;
} Writer;

static void *write_two(void *context)
{
    Writer *w = context;
    FILE *f = fopen(w->path, "w");
    fputs("The dog sleeps.\n\n", f);
    fflush(f);
    for (int k = 0; k < 1000 && !atomic_load(&w->taken); k++) nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    w->in_time = atomic_load(&w->taken) == 1;
    fputs("It reads.\n", f);
    fclose(f);
    return NULL;
}

static int note_taken(void *context, const LalSentence *s)
{
    (void)s;
    atomic_fetch_add(&((Writer *)context)->taken, 1);
    return 0;
}

TEST(a_paragraph_through_a_pipe_is_parsed_at_once)
{
    pthread_t thread;
    MADE(Fixture, fixture_init, fixture_fini, f);
    Writer w = { .path = in(&f.b, "b") };
    assert_int_equal(mkfifo(w.path, 0600), 0);
    assert_int_equal(pthread_create(&thread, NULL, write_two, &w), 0);
    assert_int_equal(lal_parse_file_each(f.parser, w.path, note_taken, &w, &f.e), LAL_OK);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(w.in_time);
    assert_int_equal(w.taken, 2);
}

/* ---- a model file that changes in place */

static LalModel *load_mapped(const char *path, LalError *error) { return api_model_load(path, 0, error); }

TEST(a_copied_model_file_may_change_and_a_mapped_one_may_not)
{
    static LalModel *(*const load[])(const char *, LalError *) = { lal_model_load, lal_model_load_copy, load_mapped };
    MADE(Fixture, fixture_init, fixture_fini, f);
    const char *path = in(&f.b, "a");
    for (int how = 0; how < 3; how++) {
        FREED(strbuf_fini) StrBuf after = { 0 };
        LalError e;
        int taken = 0;
        wait_mapped(path);
        FREED(lal_model_free_at) LalModel *m = load[how](path, &e);
        FREED(lal_parser_free_at) LalParser *p = lal_parser_new(m, NULL, &e);
        LalResult *r = lal_parse_text(p, TEXT, sizeof TEXT - 1, &e);
        put_result(test_out(), r);
        lal_result_free(r);
        change_byte(path, 5000);
        r = lal_parse_text(p, TEXT, sizeof TEXT - 1, &e);
        if (how < 2) {
            put_result(&after, r);
            assert_string_equal(test_written(), after.ptr);
        } else {
            assert_null(r);
            assert_int_equal(e.code, LAL_ERROR_IO);
            assert_non_null(strstr(e.message, "/a: the model file was changed while it was read"));
            assert_int_equal(lal_parse_text_each(p, TEXT, sizeof TEXT - 1, count, &taken, &e), LAL_ERROR_IO);
            assert_int_equal(taken, 0);
        }
        change_byte(path, 5000);
        lal_result_free(r);
    }
    LalError e;
    assert_null(lal_model_load_copy(NULL, &e));
    assert_int_equal(e.code, LAL_ERROR_ARGUMENT);
}

/* ---- threads */

enum { THREADS = 8, TEXTS = 40 };

static void text_of(int k, StrBuf *out)
{
    static const char *const some[] = { "The dog sleeps", "the king", "likes every river",
                                        "It never reads", "(really)", "caf\xc3\xa9" };
    strbuf_clear(out);
    for (int i = 0; i < 3 + k; i++)
        strbuf_printf(out, "%s%s", some[(k * 5 + i * (k + 1)) % 6], i % 4 == 3 ? ".\n\n" : i % 3 ? " " : ", ");
}

typedef struct Caller {
    LalModel *model;
    const char *path; /* some load it themselves */
    LalParser *shared;
    int first;
    long busy;
    StrBuf out[TEXTS]; /* of the texts it parsed */
    LalResult *last;
    bool failed;
} Caller;

static void *parse_texts(void *context)
{
    Caller *w = context;
    LalError e;
    FREED(strbuf_fini) StrBuf text = { 0 };
    LalOptions o;
    lal_options_init(&o, sizeof o);
    o.threads = 1 + w->first % 2;
    LalModel *own = w->first % 4 == 3 ? lal_model_load(w->path, &e) : NULL;
    FREED(lal_parser_free_at) LalParser *p = lal_parser_new(own ? own : w->model, &o, &e);
    lal_model_free(own);
    w->failed = !p || (w->first % 4 == 3 && !own);
    for (int k = w->first; k < TEXTS && !w->failed; k += w->first % 3 + 1) {
        text_of(k, &text);
        FREED(lal_result_free_at) LalResult *r = lal_parse_text(p, text.ptr, text.len, &e);
        w->failed = !r;
        if (r) put_result(&w->out[k], r);
        lal_result_free(w->last);
        w->last = r;
        r = lal_parse_text(w->shared, text.ptr, text.len, &e);
        w->busy += !r && e.code == LAL_ERROR_BUSY;
        w->failed = w->failed || (!r && e.code != LAL_ERROR_BUSY);
    }
    return NULL;
}

TEST(many_threads_parse_with_one_model)
{
    FREED(free_pointer) Caller *w = mem_calloc(THREADS, sizeof *w);
    pthread_t thread[THREADS];
    FREED(strbuf_fini) StrBuf text = { 0 };
    MADE(Fixture, fixture_init, fixture_fini, f);
    for (int t = 0; t < THREADS; t++)
        w[t] = (Caller){ .model = f.model, .path = in(&f.b, "a"), .shared = f.parser, .first = t };
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&thread[t], NULL, parse_texts, &w[t]), 0);
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_join(thread[t], NULL), 0);
    for (int k = 0; k < TEXTS; k++) {
        text_of(k, &text);
        FREED(lal_result_free_at) LalResult *r = lal_parse_text(f.parser, text.ptr, text.len, &f.e);
        put_result(test_out(), r);
        for (int t = 0; t < THREADS; t++)
            if (w[t].out[k].len) assert_string_equal(w[t].out[k].ptr, test_written());
    }
    for (int t = 0; t < THREADS; t++) {
        assert_false(w[t].failed);
        for (int k = 0; k < TEXTS; k++) strbuf_fini(&w[t].out[k]);
        lal_result_free(w[t].last);
    }
}
