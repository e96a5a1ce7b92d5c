/* Windows of raw text give the sentences of the whole text, also if a paragraph is cut. */

#include "parser/parse/source.h"
#include "tests/support/check.h"
#include "tests/support/marked.h"

static void put(StrBuf *out, const SegmentedText *t)
{
    for (int k = 0; k < t->n_sentences; k++) {
        const TextSentence *x = &t->sentences[k];
        strbuf_printf(out, "%ld%s", x->line, x->new_paragraph ? "*" : "");
        for (int w = x->first; w < x->first + x->n; w++)
            strbuf_printf(out, " %zu-%zu %zu %s", t->tokens[w].begin, t->tokens[w].end, t->tokens[w].begin_char,
                          t->tokens[w].form);
        strbuf_putc(out, '\n');
    }
}

/* The sentences of the text in windows; sets the number of notes. */
static Status in_windows(StrView text, InputKind kind, StrBuf *out, int *notes)
{
    FREED(source_close) Source s;
    TestNotes taken = { .notes = { test_take_note } };
    Status status;
    const char *path = test_file("text", text.ptr, text.len);
    assert_ok(source_open(&s, path, (SourceOptions){ .kind = kind, .notes = &taken.notes }, test_error()));
    while ((status = source_next(&s, test_error())) == OK && s.n) {
        put(out, &s.text.seg);
        for (int k = 0; k < s.n; k++) {
            Origin o = source_origin(&s, k, k + 1);
            assert_int_equal(o.line, s.text.seg.sentences[k].line);
            assert_int_equal(s.in[k].n_words, s.text.seg.sentences[k].n);
            if (s.in[k].n_words && !o.tokens[0].cut)
                assert_memory_equal(o.block.text.ptr + (o.tokens[0].begin - o.block.byte), s.in[k].words[0],
                                    strlen(s.in[k].words[0]));
        }
    }
    assert_true(s.text.stream.buf.cap < (size_t)8 << 20);
    *notes = taken.n;
    return status;
}

static void whole(StrView text, StrBuf *out)
{
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    Marked how = { { .markup = markup_guess(text, NULL) }, .ends = true };
    assert_ok(marked_segment(&t, text_block(text, "f"), how, test_arena(), test_error()));
    put(out, &t);
}

static void assert_same(const char *text, size_t len, int notes)
{
    FREED(strbuf_fini) StrBuf all = { 0 }, windows = { 0 };
    int n;
    whole((StrView){ text, len }, &all);
    assert_ok(in_windows((StrView){ text, len }, INPUT_TEXT, &windows, &n));
    assert_int_equal(n, notes);
    assert_int_equal(windows.len, all.len);
    assert_true(!all.len || memcmp(windows.ptr, all.ptr, all.len) == 0);
}

TEST(windows_make_up_the_text)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    assert_same("", 0, 0);
    assert_same(" \n\n\n ", 5, 0);
    assert_same("One.", 4, 0);
    for (int k = 0; k < 20000; k++)
        strbuf_printf(&text, "\n\nParagraph %d is caf\xc3\xa9. It (so to speak)\nends.\n \n%s", k, k % 7 ? "" : "Head");
    assert_same(text.ptr, text.len, 0);
}

TEST(a_long_paragraph_is_cut_between_sentences)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    for (int k = 0; k < 60000; k++)
        strbuf_printf(&text, "Sentence %d is quite caf\xc3\xa9.%sIt goes on and on, does it not? ", k,
                      k % 3 ? " " : "\n");
    strbuf_puts(&text, "\n\nThe next paragraph. Is short.");
    assert_true(text.len > (size_t)3 << 20);
    assert_same(text.ptr, text.len, 1);
}

/* A script, a comment and a picture that are longer than the longest paragraph are read in pieces, without a trace. */
TEST(a_page_of_any_size_is_read_in_windows)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    strbuf_puts(&text, "<!DOCTYPE html><html><head><title>Caf&eacute;s</title>");
    for (int k = 0; k < 60000; k++) {
        strbuf_printf(&text, "<p class='a>b'>Page %d says\n\n\"it&#8217;s <b>w</b>ell&quot;. <!-- <p> -->Go<br>on%s", k,
                      k % 3 ? ".</p>" : "<script>'<p>'</script>.\n<td>caf\xc3\xa9");
        const char *open = k == 10000 ? "<script>" : k == 20000 ? "<!--" : k == 30000 ? "<img src='" : NULL;
        for (int i = 0; open && i < 150000; i++) strbuf_printf(&text, "%s<p>a b = c", i ? "" : open);
        if (open) strbuf_puts(&text, k == 10000 ? "</script>" : k == 20000 ? "-->" : "'>");
    }
    assert_true(text.len > (size_t)8 << 20);
    assert_same(text.ptr, text.len, 3);
}

static long count_of(const StrBuf *text, const char *what)
{
    long n = 0;
    size_t len = strlen(what);
    for (size_t i = 0; i + len <= text->len; i++) n += text->ptr[i] == what[0] && memcmp(text->ptr + i, what, len) == 0;
    return n;
}

TEST(a_long_sentence_and_a_long_word_are_cut)
{
    FREED(strbuf_fini) StrBuf text = { 0 }, out = { 0 };
    int notes;
    for (int k = 0; k < 500000; k++) strbuf_puts(&text, "caf\xc3\xa9 ");
    strbuf_puts(&text, "\n\nEnd.");
    assert_ok(in_windows((StrView){ text.ptr, text.len }, INPUT_TEXT, &out, &notes));
    assert_int_equal(notes, 1);
    /* no sentence is lost or split */
    assert_int_equal(count_of(&out, " caf\xc3\xa9 ") + count_of(&out, " caf\xc3\xa9\n"), 500000);
    assert_non_null(strstr(out.ptr, "3* "));
    strbuf_clear(&text);
    strbuf_clear(&out);
    for (int k = 0; k < 1200000; k++) strbuf_puts(&text, "\xc3\xa9"); /* one word: cut, but between characters */
    assert_ok(in_windows((StrView){ text.ptr, text.len }, INPUT_TOKENS, &out, &notes));
    assert_int_equal(notes, 1);
    assert_int_equal(count_of(&out, "\xc3\xa9"), 1200000);
}

TEST(what_stands_before_bad_bytes_is_given_first)
{
    static const char text[] = "One. Two.\n\nThree.\n\nFour \xff.\n\nFive.", lines[] = "a b\nc\nd \xff\ne\n";
    int notes;
    assert_fails_with(in_windows((StrView){ text, sizeof text - 1 }, INPUT_TEXT, test_out(), &notes), ERR_FORMAT,
                      "text:5:6: ");
    assert_non_null(strstr(test_written(), "Three"));
    assert_null(strstr(test_written(), "Four"));
    assert_fails_with(in_windows((StrView){ lines, sizeof lines - 1 }, INPUT_TOKENS, test_out(), &notes), ERR_FORMAT,
                      "text:3:");
    assert_string_equal(test_written(), "1 0-1 0 a 2-3 2 b\n2 4-5 4 c\n");
}
