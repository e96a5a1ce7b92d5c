/* A text in memory is parsed as a file of the same text. */
#define _POSIX_C_SOURCE 200809L
#include "base/rng.h"
#include "parser/parse/document.h"
#include "tests/support/toy.h"

typedef struct Fixture {
    Bench b;
    Model m;
    Parser p;
} Fixture;

static void fixture_init(Fixture *f, int threads)
{
    bench_init(&f->b, 40);
    toy_model(&f->m, &f->b);
    assert_ok(parser_init(&f->p, &f->m, device_cpu(), threads, test_error()));
    f->p.o.arc_probability = true;
    f->p.o.max_words = 40;
    f->p.o.batch_tokens = 60;
}

static void fixture_fini(Fixture *f)
{
    parser_fini(&f->p);
    model_fini(&f->m);
    bench_fini(&f->b);
}

typedef struct Written {
    const Model *m;
    StrBuf out;
    int sentences;
} Written;

static void written_fini(Written *w) { strbuf_fini(&w->out); }

static Status write_sentences(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    Written *w = context;
    (void)e;
    for (int k = from; k < to; k++, w->sentences++) {
        const Parsed *p = &result[k];
        const TextSentence *t = &d->seg.sentences[k];
        strbuf_printf(&w->out, "%ld%s ", t->line, t->new_paragraph ? "*" : "");
        const Sentence *s = parsed_sentence(p, test_arena());
        tree_write(&w->out, s);
        strbuf_printf(&w->out, " %d pieces, score %.17g\n", p->pieces, p->score);
        for (int i = 0; i < p->n_words; i++)
            strbuf_printf(&w->out, "%zu-%zu %d %s %.17g\n", d->seg.tokens[t->first + i].begin,
                          d->seg.tokens[t->first + i].end, s->heads[i], s->types[i], (double)p->arc_prob[i]);
    }
    return OK;
}

static Status from_file(Parser *p, StrView text, bool tokens, Written *w, Error *e)
{
    FREED(document_close) Document d;
    Status s = document_open(&d, test_file("text", text.ptr, text.len), (DocumentOptions){ .tokens = tokens }, e);
    if (s == OK) s = document_run(&d, p, write_sentences, w, e);
    return s;
}

/* Returns the number of sentences. */
static int assert_same(Parser *p, StrView text, bool tokens, Status expected)
{
    FREED(written_fini) Written memory = { .m = p->m }, file = { .m = p->m };
    Error e[2] = { { .code = OK }, { .code = OK } };
    DocumentOptions o = { .tokens = tokens };
    assert_int_equal(document_parse(p, text, "text", o, write_sentences, &memory, &e[0]), expected);
    assert_int_equal(from_file(p, text, tokens, &file, &e[1]), expected);
    assert_int_equal(e[0].line, e[1].line);
    assert_int_equal(e[0].column, e[1].column);
    assert_string_equal(e[0].message, e[1].message);
    assert_string_equal(e[0].path, expected == OK ? "" : "text");
    assert_int_equal(memory.sentences, file.sentences);
    assert_int_equal(memory.out.len, file.out.len);
    assert_true(!file.out.len || strcmp(memory.out.ptr, file.out.ptr) == 0);
    return file.sentences;
}

TEST(a_text_in_memory_is_parsed_as_a_file)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    MADE(Fixture, fixture_init, fixture_fini, f, 2);
    Parser *p = &f.p;
    assert_int_equal(assert_same(p, (StrView){ NULL, 0 }, false, OK), 0);
    assert_int_equal(assert_same(p, view(""), false, OK), 0);
    assert_int_equal(assert_same(p, view(" \n\t\r\n\n \xc2\xa0 "), false, OK), 0);
    assert_int_equal(assert_same(p, view("One."), false, OK), 1);
    assert_int_equal(assert_same(p, view("the dog sleeps\r\n\r\nthe dog"), false, OK), 2);
    assert_int_equal(assert_same(p, view("the dog sleeps\n\nthe dog"), true, OK), 3);
    for (int k = 0; k < 300; k++)
        strbuf_printf(&text, "The dog (%d) sees caf\xc3\xa9s. It sleeps.\n%s", k, k % 5 ? "" : "\n");
    assert_true(assert_same(p, (StrView){ text.ptr, text.len }, false, OK) > 500);
    strbuf_clear(&text);
    for (int n = 0; text.len < (size_t)3 << 19; n++) { /* one paragraph, longer than what is parsed at a time */
        for (int k = 0; k < 400; k++) strbuf_putc(&text, (char)('a' + n % 26));
        strbuf_puts(&text, n % 7 ? " barks. It is a dog. It sees " : " sees ");
    }
    assert_in_range(assert_same(p, (StrView){ text.ptr, text.len }, false, OK), 1000, 10000);
}

TEST(what_is_no_text_is_an_error_after_the_paragraphs_before_it)
{
    static const char nul[] = "One.\n\nTwo\0.\n", first[] = "\0";
    FREED(strbuf_fini) StrBuf text = { 0 };
    MADE(Fixture, fixture_init, fixture_fini, f, 1);
    Parser *p = &f.p;
    assert_int_equal(assert_same(p, (StrView){ nul, sizeof nul - 1 }, false, ERR_FORMAT), 1);
    assert_int_equal(assert_same(p, (StrView){ first, 1 }, false, ERR_FORMAT), 0);
    assert_int_equal(assert_same(p, view("One.\n\nTwo.\n\nThree \xff."), false, ERR_FORMAT), 2);
    assert_int_equal(assert_same(p, view("a b\nc \xc3\n"), true, ERR_FORMAT), 1);
    assert_int_equal(assert_same(p, view("A cut character: \xe2\x82"), false, ERR_FORMAT), 0);
    for (int k = 0; k < 1000; k++) strbuf_puts(&text, "The dog sleeps.\n\n");
    strbuf_puts(&text, "\xed\xa0\x80");
    assert_int_equal(assert_same(p, (StrView){ text.ptr, text.len }, false, ERR_FORMAT), 1000);
}

TEST(random_texts_are_parsed_as_files)
{
    static const char *const some[] = { "the ", "dog ",         "sleeps", ". ",       "\n", "\n\n", "(",
                                        ") ",   "caf\xc3\xa9 ", "\r\n",   "\xc2\xa0", "\f", "1. ",  "\xff" };
    enum { N_SOME = sizeof some / sizeof *some, TEXTS = 60 };
    uint32_t draws = 0;
    MADE(Fixture, fixture_init, fixture_fini, f, 2);
    for (int k = 0; k < TEXTS; k++) {
        FREED(strbuf_fini) StrBuf text = { 0 };
        FREED(written_fini) Written once = { .m = &f.m }, large = { .m = &f.m };
        uint32_t kinds = N_SOME - (k % 6 != 0); /* bad bytes in some */
        for (uint32_t n = rng_bits32(9, draws++) % 900; n > 0; n--)
            strbuf_puts(&text, some[rng_bits32(9, draws++) % kinds]);
        StrView v = { text.ptr, text.len };
        DocumentOptions small_windows = { 0 }, large_windows = { .large_windows = true };
        Status s = document_parse(&f.p, v, "text", small_windows, write_sentences, &once, test_error());
        assert_true(s == OK || s == ERR_FORMAT);
        assert_int_equal(assert_same(&f.p, v, false, s), once.sentences);
        assert_same(&f.p, v, true, s);
        assert_int_equal(document_parse(&f.p, v, "text", large_windows, write_sentences, &large, test_error()), s);
        assert_int_equal(large.sentences, once.sentences);
    }
}

static Status take_one(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    (void)d, (void)result;
    *(int *)context += to - from;
    return error_set(e, ERR_IO, "one is enough");
}

TEST(an_error_of_the_taker_ends_the_document)
{
    int taken = 0;
    FREED(strbuf_fini) StrBuf text = { 0 };
    MADE(Fixture, fixture_init, fixture_fini, f, 1);
    for (int k = 0; k < 1000; k++) strbuf_puts(&text, "The dog sleeps.\n\n");
    StrView v = { text.ptr, text.len };
    assert_fails(document_parse(&f.p, v, "text", (DocumentOptions){ 0 }, take_one, &taken, test_error()), ERR_IO,
                 "one is enough");
    assert_true(taken > 0 && taken < 100);
}

/* Appends the white space after each sentence. */
static void add_spaces(const char *text, DocumentOptions o, StrBuf *out)
{
    FREED(document_close) Document d;
    document_open_text(&d, view(text), "text", o);
    for (;;) {
        assert_ok(document_next(&d, test_error()));
        if (!d.n) return;
        for (int k = 0; k < d.n; k++) {
            StrView after = document_origin(&d, k, 1).after;
            strbuf_add(out, after.ptr, after.len);
            strbuf_putc(out, '|');
        }
    }
}

TEST(the_white_space_after_a_sentence_does_not_depend_on_windows)
{
    static const char *const gaps[] = {
        " ", "\n", "\n\n", "\n\n\n\n", "\n \r\n\n  ", "\f\n\n", "  \xc2\xa0\n\n", "\n\f"
    };
    static const char *const wanted[] = { " ", "\n", "\n\n", "\n\n", "\n \r\n", "\f", "  \xc2\xa0\n\n", "\n\f" };
    FREED(strbuf_fini) StrBuf text = { 0 }, large = { 0 }, expected = { 0 };
    for (size_t k = 0; k < 8000; k++) {
        size_t which = k * k % 8191 % 8;
        strbuf_printf(&text, "The dog saw a cat.%s", gaps[which]);
        strbuf_printf(&expected, "%s|", wanted[which]);
    }
    add_spaces(text.ptr, (DocumentOptions){ 0 }, test_out());
    add_spaces(text.ptr, (DocumentOptions){ .large_windows = true }, &large);
    assert_string_equal(test_written(), expected.ptr);
    assert_string_equal(large.ptr, expected.ptr);
    add_spaces("a b.\n\n\nc", (DocumentOptions){ .raw.segment.newlines = NEWLINES_PARAGRAPH }, test_out());
    assert_string_equal(test_written(), "\n||");
    add_spaces("a b\n\nc\n", (DocumentOptions){ .tokens = true }, test_out());
    assert_string_equal(test_written(), "|||");
}

/* Lines of sentences and whether they begin a paragraph. */
static void add_lines(const char *text, bool large, StrBuf *out)
{
    FREED(document_close) Document d;
    document_open_text(&d, view(text), "text",
                       (DocumentOptions){ .large_windows = large, .raw.segment.newlines = NEWLINES_SENTENCE });
    for (;;) {
        assert_ok(document_next(&d, test_error()));
        if (!d.n) return;
        for (int k = 0; k < d.n; k++)
            strbuf_printf(out, "%ld%s ", d.seg.sentences[k].line, d.seg.sentences[k].new_paragraph ? "*" : "");
    }
}

TEST(lines_that_are_sentences_are_split_alike_in_all_windows)
{
    FREED(strbuf_fini) StrBuf text = { 0 }, large = { 0 }, expected = { 0 };
    add_lines("\nOne. Two.\nThree\n \nFour\fFive\n", false, test_out());
    assert_string_equal(test_written(), "2* 2 3 5* 5* ");
    for (long k = 0, line = 1; k < 8000; k++) {
        int breaks = k * k % 8191 % 8 < 6 ? 1 : 3;
        strbuf_printf(&text, "- The \"dog saw a cat.%s", breaks > 1 ? "\n \n\n" : "\n");
        strbuf_printf(&expected, "%ld%s ", line, k == 0 || (k - 1) * (k - 1) % 8191 % 8 >= 6 ? "*" : "");
        line += breaks;
    }
    add_lines(text.ptr, false, test_out());
    add_lines(text.ptr, true, &large);
    assert_string_equal(test_written(), expected.ptr);
    assert_string_equal(large.ptr, expected.ptr);
}
