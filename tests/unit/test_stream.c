/* A file read in blocks of any size gives the same result as the file read as a whole. */
#include <unistd.h>

#include "base/stream.h"
#include "tests/support/check.h"
#include "tests/support/trees.h"
#include "treebank/conll.h"
#include "treebank/reader.h"

static const char TREES[] = "<DOC (>\n*x* (C)\n(S (A a)\n   (B b)) (S (C c))\n\n( (X (D d)))\n7\t(S (E e))";
static const char ROWS[] = "# a\n\n# b\n1\ta\t_\tA\tA\t_\t0\tr\t_\t_\n# c\r\n\r\n1.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
                           "1\tb\t_\tB\tB\t_\t0\tr\t_\t_\n\n\n1\tc\t_\tC\tC\t_\t0\tr\t_\t_";
static const char PARAGRAPHS[] = "One (two\nthree).\n \n\r\nFour.\fFive \xc3\xa9.\n\xc2\xa0\nSix.\r\n\r\nSeven.";

/* The places of all boundaries, with a cutter that gets pieces of `size` bytes. */
static void boundaries(Cutter cutter, const char *text, size_t size, StrBuf *out)
{
    CutState s = { 0 };
    size_t len = strlen(text);
    strbuf_clear(out);
    for (size_t at = 0; at < len;) {
        size_t piece = size - at % size < len - at ? size - at % size : len - at;
        for (size_t done = 0, n; done < piece; done += n) {
            n = cutter(&s, text + at + done, piece - done);
            if (!n) break;
            strbuf_printf(out, "%zu ", at + done + n);
        }
        at += piece;
    }
}

TEST(a_cutter_sees_the_same_boundaries_in_pieces)
{
    const struct {
        Cutter cutter;
        const char *text, *where;
    } cases[] = {
        { stream_cut_lines, "a\n\nb", "2 3 " },
        { bracket_cut, TREES, "34 44 58 70 " },
        { conll_cut, ROWS, "36 80 " },
        { stream_cut_paragraphs, PARAGRAPHS, "19 27 47 " },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t size = 1; size < 200; size++) {
            boundaries(cases[k].cutter, cases[k].text, size, test_out());
            assert_string_equal(test_written(), cases[k].where);
        }
}

TEST(blocks_make_up_the_file_and_know_where_they_begin)
{
    size_t len = strlen(PARAGRAPHS);
    test_file("text", PARAGRAPHS, len);
    for (size_t want = 1; want < len + 5; want++) {
        FREED(stream_close) TextStream s;
        TextBlock b;
        bool whole;
        size_t at = 0, characters = 0;
        long line = 1, column = 1;
        assert_ok(stream_open(&s, test_path("text"), (StreamOptions){ 0 }, stream_cut_paragraphs, test_error()));
        for (;;) {
            assert_ok(stream_next(&s, want, 1000, &b, &whole, test_error()));
            if (!b.text.len) break;
            assert_true(whole);
            assert_true(b.text.len >= want || at + b.text.len == len);
            assert_int_equal(b.byte, at);
            assert_int_equal(b.character, characters);
            assert_int_equal(b.line, line);
            assert_int_equal(b.column, column);
            assert_memory_equal(b.text.ptr, PARAGRAPHS + at, b.text.len);
            for (size_t i = 0; i < b.text.len; i++, at++) {
                characters += ((unsigned char)PARAGRAPHS[at] & 0xC0) != 0x80;
                column++;
                if (PARAGRAPHS[at] == '\n') line++, column = 1;
            }
        }
        assert_int_equal(at, len);
    }
}

TEST(kept_bytes_are_returned_again_and_long_units_in_pieces)
{
    FREED(stream_close) TextStream s;
    TextBlock b;
    bool whole;
    FREED(strbuf_fini) StrBuf text = { 0 };
    for (int k = 0; k < 200000; k++) strbuf_puts(&text, "word ");
    test_file("text", text.ptr, text.len);
    assert_ok(stream_open(&s, test_path("text"), (StreamOptions){ 0 }, stream_cut_paragraphs, test_error()));
    size_t at = 0;
    for (;;) {
        assert_ok(stream_next(&s, 1, 1000, &b, &whole, test_error()));
        assert_int_equal(b.byte, at);
        assert_memory_equal(b.text.ptr, text.ptr + at, b.text.len);
        at += b.text.len;
        if (whole) break;
        assert_true(b.text.len > 1000);
        stream_keep(&s, 7);
        at -= 7;
    }
    assert_int_equal(at, text.len);
    assert_true(s.buf.cap < 1 << 18); /* bounded by the limit and the size of one read, not by the file */
    assert_ok(stream_next(&s, 1, 1000, &b, &whole, test_error()));
    assert_int_equal(b.text.len, 0);
}

/* Hangs if stream_next waits for more than it needs. */
TEST(a_paragraph_of_a_pipe_comes_before_the_next_one_is_written)
{
    TextStream s;
    TextBlock b;
    bool whole;
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    const char *name = test_format("/dev/fd/%d", fd[0]);
    assert_int_equal(write(fd[1], "One.\n\nTwo", 9), 9);
    assert_ok(stream_open(&s, name, (StreamOptions){ 0 }, stream_cut_paragraphs, test_error()));
    assert_ok(stream_next(&s, 1 << 16, 1 << 20, &b, &whole, test_error()));
    assert_int_equal(b.text.len, 6);
    assert_int_equal(write(fd[1], ".\n", 2), 2);
    close(fd[1]);
    assert_ok(stream_next(&s, 1 << 16, 1 << 20, &b, &whole, test_error()));
    assert_int_equal(b.text.len, 5);
    stream_close(&s);
    close(fd[0]);
}

TEST(other_encodings_may_be_split_anywhere)
{
    static const char bytes[] = "\xa4\xa4 \xa4\xe5\n"; /* Big5 */
    for (size_t piece = 1; piece <= sizeof bytes - 1; piece++) {
        FREED(strbuf_fini) StrBuf out = { 0 };
        Decoder *d = decoder_new("BIG5", false, "f", test_error());
        assert_non_null(d);
        for (size_t at = 0; at < sizeof bytes - 1; at += piece) {
            size_t n = sizeof bytes - 1 - at < piece ? sizeof bytes - 1 - at : piece;
            assert_ok(decoder_feed(d, bytes + at, n, &out, test_error()));
        }
        assert_ok(decoder_feed(d, "", 0, &out, test_error()));
        assert_string_equal(out.ptr, "\xe4\xb8\xad \xe6\x96\x87\n");
        assert_ok(decoder_feed(d, "\xa4", 1, &out, test_error())); /* half a character at the end of the file */
        assert_fails(decoder_feed(d, "", 0, &out, test_error()), ERR_FORMAT, "f:2:1: found bytes that are not BIG5");
        decoder_free(d);
    }
}

/* Bytes that no text has, as Python decodes them with "replace" and "ignore"; NUL is one of them here. */
TEST(bytes_of_no_text_are_replaced_or_left_out_wherever_pieces_end)
{
#define R "\xef\xbf\xbd"
    static const struct {
        const char *bytes;
        size_t len;
        const char *replaced, *skipped;
        long n, line, column; /* places; the first one */
    } cases[] = {
        { "plain", 5, "plain", "plain", 0, 0, 0 },
        { "caf\xe9 au", 7, "caf" R " au", "caf au", 1, 1, 4 },
        { "\xe2\x82", 2, R, "", 1, 1, 1 },
        { "\xe2\x82.", 3, R ".", ".", 1, 1, 1 },
        { "\xf0\x9f\x98\x80\xf0\x9f\x98", 7, "\xf0\x9f\x98\x80" R, "\xf0\x9f\x98\x80", 1, 1, 5 },
        { "\xc0\xaf", 2, R R, "", 2, 1, 1 },
        { "\xed\xa0\x80x", 4, R R R "x", "x", 3, 1, 1 },
        { "a\0b", 3, "a" R "b", "ab", 1, 1, 2 },
        { "\xff\xfe", 2, R R, "", 2, 1, 1 },
        { "\xf4\x90\x80\x80", 4, R R R R, "", 4, 1, 1 },
        { "\xe0\x80\x80", 3, R R R, "", 3, 1, 1 },
        { "\xc3\xa9\xc3", 3, "\xc3\xa9" R, "\xc3\xa9", 1, 1, 3 },
        { "ab\n\x80\x80\n\x80", 7, "ab\n" R R "\n" R, "ab\n\n", 3, 2, 1 },
        { "\xf8\x88\x80\x80\x80", 5, R R R R R, "", 5, 1, 1 },
        { "\xe2\x28\xa1", 3, R "(" R, "(", 2, 1, 1 },
        { "\xf0\x90\x28\xbc", 4, R "(" R, "(", 2, 1, 1 },
        { "", 0, "", "", 0, 0, 0 },
    };
#undef R
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t piece = 1; piece <= 8; piece++)
            for (int skip = 0; skip < 2; skip++) {
                FREED(strbuf_fini) StrBuf out = { 0 };
                Repair r = { .what = skip ? INVALID_SKIP : INVALID_REPLACE };
                strbuf_puts(&out, "");
                for (size_t at = 0, n; at < cases[k].len; at += n) {
                    n = cases[k].len - at < piece ? cases[k].len - at : piece;
                    repair_feed(&r, cases[k].bytes + at, n, false, &out);
                }
                repair_feed(&r, "", 0, true, &out);
                assert_string_equal(out.ptr, skip ? cases[k].skipped : cases[k].replaced);
                assert_int_equal(r.n, cases[k].n);
                assert_int_equal(r.first.line, cases[k].line);
                assert_int_equal(r.first.column, cases[k].column);
            }
}

TEST(a_stream_says_which_bytes_it_replaced)
{
    static const char text[] = "One caf\xe9.\n\n\xa4\xa4 Two.\n";
    static const struct {
        const char *encoding;
        Invalid invalid;
        const char *read, *notes;
    } cases[] = {
        { NULL, INVALID_REPLACE, "One caf\xef\xbf\xbd.\n\n\xef\xbf\xbd\xef\xbf\xbd Two.\n",
          "1:8: found bytes that are not UTF-8; 3:1: found bytes that are not UTF-8; 3:2: found bytes that are not "
          "UTF-8; found bytes that are not UTF-8 in 3 places, replaced by U+FFFD; " },
        { NULL, INVALID_SKIP, "One caf.\n\n Two.\n",
          "1:8: found bytes that are not UTF-8; 3:1: found bytes that are not UTF-8; 3:2: found bytes that are not "
          "UTF-8; found bytes that are not UTF-8 in 3 places, left out; " },
        { "BIG5", INVALID_SKIP, "One caf.\n\n\xe4\xb8\xad Two.\n",
          "1:8: found bytes that are not UTF-8; found bytes that are not UTF-8 in 1 place, left out; " },
        { "ASCII", INVALID_REPLACE, "One caf\xef\xbf\xbd.\n\n\xef\xbf\xbd\xef\xbf\xbd Two.\n", NULL },
        { "ISO-8859-1", INVALID_REPLACE, "One caf\xc3\xa9.\n\n\xc2\xa4\xc2\xa4 Two.\n", "" },
    };
    test_file("text", text, sizeof text - 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(stream_close) TextStream s;
        TestNotes taken = { .notes = { test_take_note } };
        TextBlock b;
        bool whole;
        const StreamOptions o = { cases[k].encoding, false, cases[k].invalid, &taken.notes };
        assert_ok(stream_open(&s, test_path("text"), o, stream_cut_nowhere, test_error()));
        assert_ok(stream_next(&s, 100, 100, &b, &whole, test_error()));
        assert_int_equal(b.text.len, strlen(cases[k].read));
        assert_memory_equal(b.text.ptr, cases[k].read, b.text.len);
        if (cases[k].notes) assert_string_equal(taken.text, cases[k].notes);
    }
}

static void put(StrBuf *out, const Sentence *s)
{
    strbuf_printf(out, "%ld ", s->line);
    if (s->has_tree) tree_write(out, s);
    if (s->lines) conll_write_lines(out, s);
    else if (s->heads) conll_write(out, s, CONLL_X, NULL);
}

/* All sentences of the file in blocks of about `want` bytes, or the message of its error. */
static void read_in_blocks(size_t want, ReaderOptions o, StrBuf *out)
{
    TreebankReader r;
    Sentence *x = NULL;
    Error e = { 0 };
    strbuf_clear(out);
    Status s = reader_open(&r, test_path("text"), o, &e);
    r.want = want;
    while (s == OK && (s = reader_next(&r, &x, &e)) == OK && x) put(out, x);
    reader_close(&r);
    if (s != OK) strbuf_printf(out, "%ld:%ld: %s", e.line, e.column, e.message);
}

static void read_whole(const char *text, ReaderOptions o, StrBuf *out)
{
    Error e = { 0 };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    strbuf_clear(out);
    Status s = format_read(&tb, text_block(view(text), test_path("text")), o.format, o.brackets, &e);
    for (int k = 0; k < tb.n; k++) put(out, &tb.s[k]);
    if (s != OK) strbuf_printf(out, "%ld:%ld: %s", e.line, e.column, e.message);
}

TEST(a_treebank_in_blocks_is_the_treebank)
{
    const struct {
        TreebankFormat format;
        const char *text;
    } cases[] = {
        { FORMAT_IDN, TREES },
        { FORMAT_BRACKETS, TREES }, /* an error: the id before the last tree */
        { FORMAT_CONLL, ROWS },
        { FORMAT_AUTO, ROWS },
        { FORMAT_AUTO, "#1:1.[1] NP(property:N:甲|Head:N:乙)#。(P)\n" }, /* no notation that is read */
        { FORMAT_AUTO, "\n<?xml version='1.0'?><set></set>" },
        { FORMAT_AUTO, "\n\n  (S (A a))(S (B b))\n(S (C \xff))\n" },
        { FORMAT_AUTO, "(S (A a)) (S (B b)\n (C c))) (D d)" },
        { FORMAT_AUTO, "(S (A a)) (S (B b)\n (C c" },
        { FORMAT_CONLL, "1\ta\t_\tA\tA\t_\t0\tr\t_\t_\n\n1\tb\t_\tA\tA\t_\t7\tr\t_\t_\n" },
        { FORMAT_AUTO, "{\"tokens\": [{\"form\": \"a\"}]}\n\n{\"tokens\": []}\n{\"tokens\": [{\"form\": 1}]}\n" },
        { FORMAT_CONLL, "" },
        { FORMAT_AUTO, " \n" },
    };
    FREED(strbuf_fini) StrBuf whole = { 0 }, blocks = { 0 };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ReaderOptions o = { .format = cases[k].format, .keep_lines = true, .bare = true };
        test_text("text", cases[k].text);
        read_whole(cases[k].text, o, &whole);
        for (size_t want = 1; want < strlen(cases[k].text) + 3; want++) {
            read_in_blocks(want, o, &blocks);
            assert_string_equal(blocks.ptr ? blocks.ptr : "", whole.ptr ? whole.ptr : "");
        }
    }
}

#define ROW(number, word, head) number "\t" word "\t_\tA\tA\t_\t" head "\tr\t_\t_\n"

/* Words of the sentences that are read, and what is said of the others, whatever the size of blocks. */
TEST(a_sentence_that_cannot_be_read_is_passed_over)
{
    static const struct {
        TreebankFormat format;
        const char *text, *words, *unread;
    } cases[] = {
        { FORMAT_CONLL, ROW("1", "a", "0") "\n" ROW("1", "b", "7") "\n" ROW("1", "c", "0"), "a c ",
          "3: found a head out of range at this word, expected a tree with one root; " },
        { FORMAT_CONLL, ROW("1", "a", "0") ROW("2", "b", "0") "\n\n" ROW("1", "c", "0"), "c ", NULL },
        { FORMAT_CONLL, ROW("1", "a", "0") "\n# c\n1\tb\tx\n\n# d\n" ROW("1", "c", "0"), "a c ",
          "4:1: found 3 tab-separated columns, expected 10; " },
        { FORMAT_CONLL, ROW("1", "a", "0") ROW("3", "b", "1") "\n" ROW("1", "c", "0"), "c ",
          "2:1: found word number 3, expected 2; " },
        { FORMAT_CONLL, ROW("1", "a\xff", "0") "\n" ROW("1", "c", "0"), "c ", "1:4: found bytes that are not UTF-8; " },
        { FORMAT_CONLL, ROW("1", "a", "0") "\n" ROW("1", "c", "x"), "a ",
          "3:13: found 'x' as head, expected a number; " },
        { FORMAT_CONLL, "2-3\tab\t_\t_\t_\t_\t_\t_\t_\t_\n" ROW("1", "a", "0") "\n" ROW("1", "c", "0"), "c ",
          "1:1: found a range from word 2, expected one from 1; " },
        { FORMAT_CONLL, ROW("1", "a", "1") "\r\n" ROW("1", "b", "1") "\n" ROW("1", "c", "0"), "c ", NULL },
        { FORMAT_BRACKETS, "(S (A a))\n(S ())\n(S (C c))\n", "a c ",
          "2:4: found empty brackets, expected a label with words or phrases; " },
        { FORMAT_BRACKETS, "(S (A a))\n(S (B b)\n(S (C c))\n(S (D d))\n", "a c d ",
          "2:1: found the end of the file, expected ')' for this bracket; " },
        { FORMAT_BRACKETS, "(S (A a)))\n(S (C c))\n", "a c ",
          "1:10: found ')' without a matching '(', expected '('; " },
        { FORMAT_BRACKETS, "(S\n  (A a)\n  ((B b) c))\n(S\n  (C c))\n", "c ", "3:3: found a phrase without a label; " },
        { FORMAT_BRACKETS, "(S (A a)) word\n(S (C c))\n", "a c ", "1:11: found text outside brackets, expected '('; " },
        { FORMAT_BRACKETS, "(S (A a\x80))\n(S (C c))", "c ", "1:8: found bytes that are not UTF-8; " },
        { FORMAT_BRACKETS, "(S (A a", "", "1:4: found the end of the file, expected ')' for this bracket; " },
        { FORMAT_JSON_LINES, "{\"tokens\": [{\"form\": \"a\"}]}\n{\"tokens\": 1}\n{\"tokens\": [{\"form\": \"c\"}]}\n",
          "a c ", "2:1: found no array \"tokens\", expected a line of lal parse --format json; " },
        { FORMAT_JSON_LINES, "{\n{\"tokens\": [{\"form\": \"c\"}]}", "c ",
          "1:1: found a line that is no JSON, expected an object; " },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t want = 1; want < strlen(cases[k].text) + 3; want++) {
            TestNotes taken = { .notes = { test_take_note } };
            FREED(strbuf_fini) StrBuf words = { 0 };
            FREED(reader_close) TreebankReader r;
            Sentence *x;
            const ReaderOptions o = { .format = cases[k].format, .unread = &taken.notes };
            strbuf_puts(&words, "");
            test_text("text", cases[k].text);
            assert_ok(reader_open(&r, test_path("text"), o, test_error()));
            r.want = want;
            while (assert_ok(reader_next(&r, &x, test_error())), x)
                for (int w = 0; w < x->n_words; w++) strbuf_printf(&words, "%s ", x->words[w]);
            assert_string_equal(words.ptr, cases[k].words);
            assert_true(taken.n > 0);
            if (cases[k].unread) assert_string_equal(taken.text, cases[k].unread);
        }
}

TEST(a_byte_order_mark_is_skipped)
{
    static const char text[] = "\xEF\xBB\xBF(S (A a))\n", utf16[] = "\xff\xfe(\0A\0 \0a\0)\0";
    test_file("text", text, sizeof text - 1);
    read_in_blocks(1, (ReaderOptions){ .format = FORMAT_AUTO }, test_out());
    assert_string_equal(test_written(), "1 (TOP (S (A a)))");
    test_file("text", utf16, sizeof utf16 - 1);
    read_in_blocks(1, (ReaderOptions){ .format = FORMAT_AUTO, .encoding = "UTF-16" }, test_out());
    assert_string_equal(test_written(), "1 (TOP (A a))");
}

/* The memory of a block is reused. */
TEST(memory_does_not_grow_with_the_file)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    FREED(reader_close) TreebankReader r;
    Sentence *x;
    for (int k = 0; k < 300000; k++) strbuf_puts(&text, "(S (NP (A a) (B b)) (C c))\n");
    test_file("text", text.ptr, text.len);
    assert_ok(reader_open(&r, test_path("text"), (ReaderOptions){ .format = FORMAT_BRACKETS }, test_error()));
    do assert_ok(reader_next(&r, &x, test_error()));
    while (x);
    assert_int_equal(r.n, 300000);
    assert_true(r.tb.arena.peak < (size_t)4 << 20);
    assert_true(r.in.buf.cap < (size_t)1 << 20);
}
