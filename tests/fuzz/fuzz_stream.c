/* A file read in blocks gives the same sentences at the same places, and the same error after
 * them, as the file read as a whole. The first byte selects the notation, the second the size of the blocks. */

#include "language/english/text/segment.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/trees.h"
#include "treebank/conll.h"
#include "treebank/reader.h"

static void put_error(StrBuf *out, const Error *e)
{
    if (e->code != OK) strbuf_printf(out, "%ld:%ld: %s", e->line, e->column, e->message);
}

static void put_tree(StrBuf *out, const Sentence *s)
{
    strbuf_printf(out, "%ld ", s->line);
    if (s->has_tree) tree_write(out, s);
    if (s->lines) conll_write_lines(out, s);
    else if (s->heads) conll_write(out, s, CONLL_X, NULL);
}

static void trees_in_blocks(StrBuf *out, const char *path, ReaderOptions o, size_t want)
{
    FREED(reader_close) TreebankReader r;
    Sentence *x = NULL;
    Error e = { 0 };
    Status s = reader_open(&r, path, o, &e);
    r.want = want;
    while (s == OK && (s = reader_next(&r, &x, &e)) == OK && x) put_tree(out, x);
    put_error(out, &e);
}

static void trees_whole(StrBuf *out, StrView text, ReaderOptions o)
{
    Error e = { 0 };
    if (text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0) text = (StrView){ text.ptr + 3, text.len - 3 };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    (void)format_read(&tb, text_block(text, "f"), o.format, o.brackets, &e);
    for (int k = 0; k < tb.n; k++) put_tree(out, &tb.s[k]);
    put_error(out, &e);
}

static Status put_text(StrBuf *out, SegmentedText *t, TextBlock block, Error *e)
{
    MADE(Arena, arena_init, arena_fini, a, 4096);
    Status s = segment_text(t, block, (SegmentOptions){ 0 }, &a, e);
    for (int k = 0; s == OK && k < t->n_sentences; k++) {
        const TextSentence *x = &t->sentences[k];
        strbuf_printf(out, "%ld%s", x->line, x->new_paragraph ? "*" : "");
        for (int w = x->first; w < x->first + x->n; w++)
            strbuf_printf(out, " %zu-%zu %zu %s", t->tokens[w].begin, t->tokens[w].end, t->tokens[w].begin_char,
                          t->tokens[w].form);
        strbuf_putc(out, '\n');
    }
    return s;
}

static void text_in_blocks(StrBuf *out, const char *path, size_t want)
{
    FREED(stream_close) TextStream s;
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    TextBlock b = { .text = { "", 1 } };
    Error e = { 0 };
    bool whole;
    Status st = stream_open(&s, path, (StreamOptions){ 0 }, stream_cut_paragraphs, &e);
    while (st == OK && b.text.len) {
        st = stream_next(&s, want, 1 << 20, &b, &whole, &e);
        if (st == OK) st = put_text(out, &t, b, &e);
    }
    put_error(out, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    static const TreebankFormat formats[] = { FORMAT_BRACKETS,   FORMAT_ICEPAHC, FORMAT_IDN,
                                              FORMAT_JSON_LINES, FORMAT_CONLL,   FORMAT_AUTO };
    enum { FORMATS = sizeof formats / sizeof *formats };
    int kind = data[0] % (FORMATS + 1);
    size_t want = data[1] + 1u;
    StrView text = { (const char *)data + 2, size - 2 };
    if (text.len >= 2 && memcmp(text.ptr, "\x1f\x8b", 2) == 0) return 0; /* only a stream decompresses */
    FREED(fuzz_unlink) FuzzFile file = fuzz_file(text.ptr, text.len, 0);
    FREED(strbuf_fini) StrBuf blocks = { 0 }, all = { 0 };
    if (kind < FORMATS) {
        ReaderOptions o = { .format = formats[kind], .keep_lines = true, .bare = true };
        trees_in_blocks(&blocks, file.path, o, want);
        trees_whole(&all, text, o);
    } else {
        FREED(segmented_text_fini) SegmentedText t = { 0 };
        Error e = { 0 };
        text_in_blocks(&blocks, file.path, want);
        (void)put_text(&all, &t, text_block(text, file.path), &e);
        put_error(&all, &e);
        /* a block with invalid bytes has no sentences, so the sentences before the error depend on the blocks */
        if (e.code != OK) strbuf_clear(&all), strbuf_clear(&blocks);
    }
    require_equal(&blocks, &all);
    return 0;
}
