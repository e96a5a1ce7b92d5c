/* tests/unit/test_api.c: the public library: what results hold, errors as values, many threads on one model. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "parser/api.h"
#include "parser/document.h"
#include "tests/support/toy.h"

static const char TEXT[] = "The dog sees a caf\xc3\xa9 (so it sleeps). It never reads!\n\nThe king likes\nthe river.";

typedef struct Fixture {
    Bench b;
    LalModel *model;
    LalParser *parser;
} Fixture;

static void fixture_init(Fixture *f)
{
    LalError error;
    bench_init(&f->b, 40);
    TrainArgs a = toy(&f->b, in(&f->b, "a"), NULL, 1);
    a.train.epochs = 1;
    train_ok(&a);
    f->model = lal_model_load(in(&f->b, "a"), &error);
    assert_non_null(f->model);
    f->parser = lal_parser_new(f->model, NULL, &error);
    assert_non_null(f->parser);
    assert_int_equal(error.code, LAL_OK);
    assert_string_equal(error.message, "");
}

static void fixture_fini(Fixture *f)
{
    lal_model_free(f->model); /* before the parser that needs it */
    lal_parser_free(f->parser);
    bench_fini(&f->b);
}

/* ---- results */

/* Each phrase lies in its parent, after the ones before it; each token in the smallest that has it. */
static void assert_linked(const LalSentence *s)
{
    int children = 0;
    for (int k = 0; k < s->n_phrases; k++) {
        const LalPhrase *x = &s->phrases[k];
        assert_true(x->begin < x->end && x->end <= s->n_tokens && x->label[0]);
        assert_int_equal(x->parent == LAL_NONE, k == 0);
        if (x->parent != LAL_NONE) {
            const LalPhrase *up = &s->phrases[x->parent];
            assert_true(x->parent < k && up->begin <= x->begin && x->end <= up->end);
        }
        int before = x->begin;
        for (int c = x->first_child; c != LAL_NONE; c = s->phrases[c].next, children++) {
            assert_int_equal(s->phrases[c].parent, k);
            assert_true(s->phrases[c].begin >= before);
            before = s->phrases[c].end;
        }
    }
    assert_int_equal(children, s->n_phrases ? s->n_phrases - 1 : 0);
    for (int w = 0; w < s->n_tokens; w++) {
        int smallest = LAL_NONE;
        for (int k = 0; k < s->n_phrases; k++)
            if (s->phrases[k].begin <= w && w < s->phrases[k].end) smallest = k;
        assert_int_equal(s->tokens[w].phrase, smallest);
    }
}

static void assert_sentence(const LalSentence *s, const char *text, size_t first_token)
{
    int roots = 0;
    assert_int_equal(s->first_token, first_token);
    for (int w = 0; w < s->n_tokens; w++) {
        const LalToken *x = &s->tokens[w];
        if (text) {
            assert_int_equal(x->end - x->begin, strlen(x->form));
            assert_memory_equal(text + x->begin, x->form, strlen(x->form));
        }
        assert_non_null(x->tag);
        assert_non_null(x->type);
        assert_true(x->head >= LAL_NONE && x->head < s->n_tokens && x->head != w);
        assert_true(x->probability > 0 && x->probability <= 1);
        roots += x->head == LAL_NONE;
    }
    assert_int_equal(roots, s->n_tokens > 0);
    assert_linked(s);
}

static void put_sentence(StrBuf *out, const LalSentence *s)
{
    strbuf_printf(out, "%zu line %ld%s score %.3f pieces %d", s->first_token, s->line, s->new_paragraph ? "*" : "",
                  s->score, s->pieces);
    for (int k = 0; k < s->n_phrases; k++)
        strbuf_printf(out, " %d-%d %s", s->phrases[k].begin, s->phrases[k].end, s->phrases[k].label);
    for (int w = 0; w < s->n_tokens; w++) {
        const LalToken *x = &s->tokens[w];
        strbuf_printf(out, " %zu-%zu %s/%s %d %s %.4f", x->begin, x->end, x->form, x->tag, x->head, x->type,
                      x->probability);
    }
    strbuf_putc(out, '\n');
}

static void put_result(StrBuf *out, const LalResult *r)
{
    for (size_t k = 0; k < r->n_sentences; k++) put_sentence(out, &r->sentences[k]);
}

TEST(a_result_has_the_text_and_its_trees)
{
    UNUSED_STATE;
    Fixture f;
    LalError error;
    fixture_init(&f);
    LalResult *r = lal_parse_text(f.parser, TEXT, sizeof TEXT - 1, &error);
    assert_non_null(r);
    assert_int_equal(error.code, LAL_OK);
    assert_int_equal(r->n_sentences, 3);
    size_t tokens = 0;
    for (size_t k = 0; k < r->n_sentences; tokens += (size_t)r->sentences[k++].n_tokens)
        assert_sentence(&r->sentences[k], TEXT, tokens);
    assert_int_equal(r->n_tokens, tokens);
    assert_int_equal(r->sentences[2].line, 3);
    assert_true(r->sentences[0].new_paragraph && !r->sentences[1].new_paragraph && r->sentences[2].new_paragraph);
    assert_string_equal(r->sentences[0].tokens[4].form, "caf\xc3\xa9");
    LalResult *none = lal_parse_text(f.parser, NULL, 0, &error), *blank = lal_parse_text(f.parser, " \n\n\t", 4, NULL);
    assert_true(none && none->n_sentences == 0 && none->n_tokens == 0 && blank && blank->n_sentences == 0);
    lal_result_free(none);
    lal_result_free(blank);
    fixture_fini(&f); /* the result stays */
    assert_sentence(&r->sentences[1], TEXT, (size_t)r->sentences[0].n_tokens);
    lal_result_free(r);
}

/* The same trees and arcs as document_parse has. */
static Status compare(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    Fixture *f = context;
    LalResult *r = lal_parse_text(f->parser, TEXT, sizeof TEXT - 1, NULL);
    Arena a;
    (void)d, (void)e;
    arena_init(&a, 4096);
    for (int k = from; k < to; k++) {
        const Sentence *s = parsed_sentence(api_model(f->model), &result[k], &a);
        const LalSentence *x = &r->sentences[k];
        assert_int_equal(x->n_phrases, s->n_phrases);
        for (int p = 0; p < s->n_phrases; p++) {
            assert_true(x->phrases[p].begin == s->phrases[p].begin && x->phrases[p].end == s->phrases[p].end);
            assert_string_equal(x->phrases[p].label, s->phrases[p].label);
        }
        for (int w = 0; w < s->n_words; w++) {
            assert_int_equal(x->tokens[w].head, s->heads[w] - 1);
            assert_string_equal(x->tokens[w].type, s->types[w]);
            assert_string_equal(x->tokens[w].tag, s->tags[w]);
        }
    }
    arena_fini(&a);
    lal_result_free(r);
    return OK;
}

TEST(a_result_has_the_decisions_of_the_parser)
{
    UNUSED_STATE;
    Fixture f;
    Parser p;
    Error e = { 0 };
    fixture_init(&f);
    assert_int_equal(parser_init(&p, api_model(f.model), 1, &e), OK);
    DocumentOptions o = { .large_windows = true };
    assert_int_equal(document_parse(&p, (StrView){ TEXT, sizeof TEXT - 1 }, "", o, compare, &f, &e), OK);
    parser_fini(&p);
    fixture_fini(&f);
}

TEST(tokens_are_parsed_as_text_of_the_same_tokens)
{
    UNUSED_STATE;
    Fixture f;
    LalError error;
    fixture_init(&f);
    static const char *const one[] = { "the", "dog", "(", "sleeps", ")" }, *const two[] = { "it", "sees", "n't" };
    static const char *const tags[] = { "A", "B", "C" };
    const LalWords sentences[] = { { one, NULL, 5 }, { NULL, NULL, 0 }, { two, tags, 3 }, { two, NULL, 3 } };
    LalResult *r = lal_parse_tokens(f.parser, sentences, 4, &error);
    assert_non_null(r);
    assert_int_equal(r->n_sentences, 4);
    assert_int_equal(r->n_tokens, 11);
    assert_sentence(&r->sentences[0], NULL, 0);
    assert_sentence(&r->sentences[1], NULL, 5);
    assert_sentence(&r->sentences[3], NULL, 8);
    assert_int_equal(r->sentences[1].n_tokens, 0);
    assert_string_equal(r->sentences[0].tokens[2].form, "(");
    assert_string_equal(r->sentences[2].tokens[1].tag, "B");
    assert_true(r->sentences[0].tokens[1].begin == 0 && r->sentences[0].tokens[1].end == 0);
    lal_result_free(r);
    LalOptions o;
    lal_options_init(&o, sizeof o);
    o.pretokenized = 1;
    LalParser *p = lal_parser_new(f.model, &o, &error);
    static const char text[] = "the dog ( sleeps )\n\nit sees n't";
    LalResult *lines = lal_parse_text(p, text, sizeof text - 1, &error);
    r = lal_parse_tokens(p, sentences, 4, &error);
    assert_int_equal(lines->n_sentences, 3);
    for (int w = 0; w < 5; w++) assert_int_equal(lines->sentences[0].tokens[w].head, r->sentences[0].tokens[w].head);
    for (int w = 0; w < 3; w++) assert_string_equal(lines->sentences[2].tokens[w].type, r->sentences[3].tokens[w].type);
    lal_result_free(lines);
    lal_result_free(r);
    lal_parser_free(p);
    fixture_fini(&f);
}

/* ---- errors */

static void assert_status(const LalError *e, LalStatus code, const char *message)
{
    assert_int_equal(e->code, code);
    if (!strstr(e->message, message)) fail_msg("found '%s', expected '%s'", e->message, message);
}

static int count(void *context, const LalSentence *s)
{
    (void)s;
    ++*(int *)context;
    return 0;
}

TEST(errors_of_models_are_values)
{
    UNUSED_STATE;
    Fixture f;
    LalError e;
    fixture_init(&f);
    assert_null(lal_model_load("/nowhere/model.lal", &e));
    assert_status(&e, LAL_ERROR_IO, "/nowhere/model.lal: cannot open");
    assert_null(lal_model_load(NULL, &e));
    assert_status(&e, LAL_ERROR_ARGUMENT, "found NULL");
    assert_null(lal_model_load(NULL, NULL));
    FILE *broken = fopen(in(&f.b, "b"), "w");
    assert_true(broken && fputs("not a model", broken) >= 0 && fclose(broken) == 0);
    assert_null(lal_model_load(in(&f.b, "b"), &e));
    assert_int_equal(e.code, LAL_ERROR_FORMAT);
    assert_non_null(strstr(e.message, "/b"));
    assert_string_equal(lal_model_treebank(f.model, 0), "toy");
    assert_null(lal_model_treebank(f.model, 1));
    assert_null(lal_model_treebank(f.model, -1));
    assert_null(lal_model_treebank(NULL, 0));
    assert_string_equal(lal_version(), LAL_VERSION);
    lal_model_free(NULL);
    lal_parser_free(NULL);
    lal_result_free(NULL);
    fixture_fini(&f);
}

static void assert_option_refused(const Fixture *f, const LalOptions *o, const char *message)
{
    LalError e;
    assert_null(lal_parser_new(f->model, o, &e));
    assert_status(&e, LAL_ERROR_ARGUMENT, message);
}

TEST(errors_of_options_are_values)
{
    UNUSED_STATE;
    Fixture f;
    LalError e;
    fixture_init(&f);
    LalOptions o;
    lal_options_init(&o, sizeof o);
    assert_null(lal_parser_new(NULL, &o, &e));
    assert_status(&e, LAL_ERROR_ARGUMENT, "expected a model");
    o.threads = 0;
    assert_option_refused(&f, &o, "LalOptions.threads: found 0, expected 1 to 256");
    lal_options_init(&o, sizeof o);
    o.max_words = -1;
    assert_option_refused(&f, &o, "LalOptions.max_words: found -1");
    lal_options_init(&o, sizeof o);
    o.batch_tokens = 0;
    assert_option_refused(&f, &o, "batch_tokens");
    lal_options_init(&o, sizeof o);
    o.max_memory = NAN;
    assert_option_refused(&f, &o, "max_memory");
    lal_options_init(&o, sizeof o);
    o.treebank = "klingon";
    assert_option_refused(&f, &o, "found 'klingon'");
    o = (LalOptions){ .threads = 1 };
    assert_option_refused(&f, &o, "found size 0");
    /* of an older and of a newer program */
    struct {
        LalOptions o;
        int more;
    } newer;
    lal_options_init(&newer.o, sizeof newer);
    assert_int_equal(newer.more, 0);
    LalParser *p = lal_parser_new(f.model, &newer.o, &e);
    assert_non_null(p);
    lal_parser_free(p);
    newer.more = 1;
    assert_option_refused(&f, &newer.o, "later version");
    lal_options_init(&o, offsetof(LalOptions, max_words));
    o.treebank = (const char *)&o; /* beyond what it knows */
    p = lal_parser_new(f.model, &o, &e);
    assert_non_null(p);
    lal_parser_free(p);
    lal_options_init(&o, sizeof o);
    o.treebank = "toy";
    p = lal_parser_new(f.model, &o, &e);
    assert_non_null(p);
    lal_parser_free(p);
    fixture_fini(&f);
}

TEST(errors_of_texts_are_values)
{
    UNUSED_STATE;
    static const char bad[] = "One.\n\nTwo \xff.", nul[] = "a\0b";
    static const char *const empty[] = { "a", "" }, *const none[] = { "a", NULL }, *const invalid[] = { "\xff" },
                             *const fine[] = { "a" };
    Fixture f;
    LalError e;
    int n = 0;
    fixture_init(&f);
    LalParser *p = f.parser;
    assert_null(lal_parse_text(p, bad, sizeof bad - 1, &e));
    assert_status(&e, LAL_ERROR_FORMAT, "text:3:5: found bytes that are not UTF-8");
    assert_true(e.line == 3 && e.column == 5);
    assert_null(lal_parse_text(p, nul, sizeof nul - 1, &e));
    assert_status(&e, LAL_ERROR_FORMAT, "NUL byte");
    assert_null(lal_parse_text(p, NULL, 1, &e));
    assert_status(&e, LAL_ERROR_ARGUMENT, "found NULL, expected a text of 1 bytes");
    assert_null(lal_parse_text(NULL, "a", 1, &e));
    assert_status(&e, LAL_ERROR_ARGUMENT, "expected a parser");
    assert_null(lal_parse_text(NULL, "a", 1, NULL));
    assert_int_equal(lal_parse_text_each(p, bad, sizeof bad - 1, count, &n, &e), LAL_ERROR_FORMAT);
    assert_int_equal(n, 1); /* the paragraph before */
    assert_int_equal(lal_parse_text_each(p, "a", 1, NULL, &n, &e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_text_each(p, NULL, 1, count, &n, NULL), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_text_each(NULL, "a", 1, count, &n, NULL), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_file_each(p, "/nowhere", count, &n, &e), LAL_ERROR_IO);
    assert_status(&e, LAL_ERROR_IO, "/nowhere: cannot open");
    assert_int_equal(lal_parse_file_each(p, NULL, count, &n, &e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_file_each(NULL, "/nowhere", count, &n, &e), LAL_ERROR_ARGUMENT);
    assert_null(lal_parse_tokens(p, NULL, 1, &e));
    assert_null(lal_parse_tokens(p, NULL, -1, &e));
    assert_null(lal_parse_tokens(p, &(LalWords){ NULL, NULL, 1 }, 1, &e));
    assert_status(&e, LAL_ERROR_ARGUMENT, "sentence 0: found 1 words at NULL");
    assert_null(lal_parse_tokens(p, &(LalWords){ empty, NULL, 2 }, 1, &e));
    assert_status(&e, LAL_ERROR_ARGUMENT, "sentence 0: word 1 is empty");
    assert_null(lal_parse_tokens(p, &(LalWords){ none, NULL, 2 }, 1, &e));
    assert_status(&e, LAL_ERROR_ARGUMENT, "sentence 0: word 1 is NULL");
    assert_null(lal_parse_tokens(p, &(LalWords){ invalid, NULL, 1 }, 1, &e));
    assert_status(&e, LAL_ERROR_FORMAT, "sentence 0: word 0 has bytes that are not UTF-8");
    assert_null(lal_parse_tokens(p, &(LalWords){ fine, invalid, 1 }, 1, &e));
    assert_status(&e, LAL_ERROR_FORMAT, "sentence 0: tag 0");
    assert_int_equal(lal_parse_text_each(p, "a", 1, count, &n, &e), LAL_OK); /* none of these left it in use */
    fixture_fini(&f);
}

/* Every allocation fails once, with all after it. */
TEST(lack_of_memory_is_a_value)
{
    UNUSED_STATE;
    Fixture f;
    fixture_init(&f);
    bool done = false;
    for (long n = 0; !done; n++) {
        static const char *const words[] = { "the", "dog" };
        LalError e = { .code = LAL_OK };
        int taken = 0;
        mem_fail_after(n);
        LalModel *m = lal_model_load(in(&f.b, "a"), &e);
        LalParser *p = m ? lal_parser_new(m, NULL, &e) : NULL;
        LalResult *r = p ? lal_parse_text(p, TEXT, sizeof TEXT - 1, &e) : NULL;
        LalResult *t = r ? lal_parse_tokens(p, &(LalWords){ words, NULL, 2 }, 1, &e) : NULL;
        LalStatus s = t ? lal_parse_text_each(p, TEXT, sizeof TEXT - 1, count, &taken, &e) : e.code;
        mem_fail_after(-1);
        done = s == LAL_OK;
        assert_int_equal(s, e.code);
        if (!done && s != LAL_ERROR_MEMORY) fail_msg("allocation %ld: status %d: %s", n, s, e.message);
        if (done) assert_int_equal(taken, 3);
        lal_result_free(r);
        lal_result_free(t);
        lal_parser_free(p);
        lal_model_free(m);
        assert_true(n < 20000);
    }
    fixture_fini(&f);
}

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
    UNUSED_STATE;
    Fixture f;
    LalError e;
    StrBuf whole = { 0 };
    fixture_init(&f);
    LalOptions o;
    lal_options_init(&o, sizeof o);
    o.threads = 3;
    LalParser *p = lal_parser_new(f.model, &o, &e);
    for (int run = 0; run < 4; run++) { /* from memory, from a file; once stopped */
        Stream x = { .parser = p, .stop_at = run / 2 * 2 };
        FILE *file = fopen(in(&f.b, "b"), "w");
        assert_true(file && fputs(TEXT, file) >= 0 && fclose(file) == 0);
        LalStatus s = run % 2 ? lal_parse_file_each(p, in(&f.b, "b"), take, &x, &e)
                              : lal_parse_text_each(p, TEXT, sizeof TEXT - 1, take, &x, &e);
        assert_int_equal(s, x.stop_at ? LAL_STOPPED : LAL_OK);
        assert_int_equal(e.code, s);
        assert_int_equal(x.n, x.stop_at ? 2 : 3);
        LalResult *r = lal_parse_text(p, TEXT, sizeof TEXT - 1, &e);
        strbuf_clear(&whole);
        put_result(&whole, r);
        assert_memory_equal(whole.ptr, x.out.ptr, x.out.len);
        lal_result_free(r);
        strbuf_fini(&x.out);
    }
    strbuf_fini(&whole);
    lal_parser_free(p);
    fixture_fini(&f);
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

typedef struct Worker {
    LalModel *model;
    const char *path; /* some load it themselves */
    LalParser *shared;
    int first;
    long busy;
    StrBuf out[TEXTS]; /* of the texts it parsed */
    LalResult *last;
    bool failed;
} Worker;

static void *parse_texts(void *context)
{
    Worker *w = context;
    LalError e;
    StrBuf text = { 0 };
    LalOptions o;
    lal_options_init(&o, sizeof o);
    o.threads = 1 + w->first % 2;
    LalModel *own = w->first % 4 == 3 ? lal_model_load(w->path, &e) : NULL;
    LalParser *p = lal_parser_new(own ? own : w->model, &o, &e);
    lal_model_free(own);
    w->failed = !p || (w->first % 4 == 3 && !own);
    for (int k = w->first; k < TEXTS && !w->failed; k += w->first % 3 + 1) {
        text_of(k, &text);
        LalResult *r = lal_parse_text(p, text.ptr, text.len, &e);
        w->failed = !r;
        if (r) put_result(&w->out[k], r);
        lal_result_free(w->last);
        w->last = r;
        r = lal_parse_text(w->shared, text.ptr, text.len, &e);
        w->busy += !r && e.code == LAL_ERROR_BUSY;
        w->failed = w->failed || (!r && e.code != LAL_ERROR_BUSY);
        lal_result_free(r);
    }
    strbuf_fini(&text);
    lal_parser_free(p);
    return NULL;
}

TEST(many_threads_parse_with_one_model)
{
    UNUSED_STATE;
    Fixture f;
    LalError e;
    Worker *w = mem_calloc(THREADS, sizeof *w);
    pthread_t thread[THREADS];
    StrBuf text = { 0 }, alone = { 0 };
    fixture_init(&f);
    for (int t = 0; t < THREADS; t++)
        w[t] = (Worker){ .model = f.model, .path = in(&f.b, "a"), .shared = f.parser, .first = t };
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&thread[t], NULL, parse_texts, &w[t]), 0);
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_join(thread[t], NULL), 0);
    for (int k = 0; k < TEXTS; k++) {
        text_of(k, &text);
        LalResult *r = lal_parse_text(f.parser, text.ptr, text.len, &e);
        strbuf_clear(&alone);
        put_result(&alone, r);
        lal_result_free(r);
        for (int t = 0; t < THREADS; t++)
            if (w[t].out[k].len) assert_string_equal(w[t].out[k].ptr, alone.ptr);
    }
    for (int t = 0; t < THREADS; t++) {
        assert_false(w[t].failed);
        for (int k = 0; k < TEXTS; k++) strbuf_fini(&w[t].out[k]);
        lal_result_free(w[t].last);
    }
    strbuf_fini(&text);
    strbuf_fini(&alone);
    mem_free(w);
    fixture_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_has_the_text_and_its_trees),
        cmocka_unit_test(a_result_has_the_decisions_of_the_parser),
        cmocka_unit_test(tokens_are_parsed_as_text_of_the_same_tokens),
        cmocka_unit_test(errors_of_models_are_values),
        cmocka_unit_test(errors_of_options_are_values),
        cmocka_unit_test(errors_of_texts_are_values),
        cmocka_unit_test(lack_of_memory_is_a_value),
        cmocka_unit_test(sentences_come_one_after_another),
        cmocka_unit_test(many_threads_parse_with_one_model),
    };
    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
