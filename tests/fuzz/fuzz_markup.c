/* A page or another text with markup gives the same tokens at the same places whether it is read at once or in the
 * units of its kind, of any size. The first byte is the kind, the second the size of the blocks. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/marked.h"

static Status put(StrBuf *out, TextBlock block, Marked how, Error *e)
{
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    MADE(Arena, arena_init, arena_fini, a, 4096);
    Status s = marked_segment(&t, block, how, &a, e);
    for (int k = 0; s == OK && k < t.n_sentences; k++) {
        const TextSentence *x = &t.sentences[k];
        strbuf_printf(out, "%ld", x->line);
        for (int w = x->first; w < x->first + x->n; w++) {
            const Token *token = &t.tokens[w];
            require(token->begin < token->end && token->begin >= block.byte);
            require(token->end <= block.byte + block.text.len && (!w || token->begin >= token[-1].end));
            strbuf_printf(out, " %zu-%zu %zu %s", token->begin, token->end, token->begin_char, token->form);
        }
        strbuf_putc(out, '\n');
    }
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const Markup kinds[] = { MARKUP_HTML, MARKUP_LATEX, MARKUP_SRT, MARKUP_MARKDOWN };
    if (size < 2) return 0;
    StrView text = fuzz_text(data + 2, size - 2);
    if (!accepted(segmented_text_check(text_block(text, "f"), &(Error){ 0 }), &(Error){ .message = "x" })) return 0;
    FREED(strbuf_fini) StrBuf blocks = { 0 }, all = { 0 };
    FREED(stream_close) TextStream s;
    CutState state = { 0 };
    Error e = { 0 };
    Marked how = { { .markup = kinds[data[0] % 4] }, .hyphens = true, .ends = true, .state = &state };
    require(put(&all, text_block(text, "f"), how, &e) == OK);
    state = (CutState){ 0 };
    Cutter cutter = markup_cutter(how.o.markup);
    stream_open_text(&s, text, "f", (StreamOptions){ 0 }, cutter ? cutter : stream_cut_paragraphs);
    TextBlock b = { .text = { "", 1 } };
    for (bool whole; b.text.len;) {
        require(stream_next(&s, data[1] + 1u, 1 << 20, &b, &whole, &e) == OK);
        how.ends = stream_ended(&s);
        require(put(&blocks, b, how, &e) == OK);
    }
    /* an argument of LaTeX may have empty lines in it, and a value of an attribute what looks like a tag */
    bool same = how.o.markup != MARKUP_LATEX && !(text.len && memchr(text.ptr, '=', text.len));
    if (same) require_equal(&blocks, &all);
    return 0;
}
