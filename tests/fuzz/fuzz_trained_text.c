/* The bytes of a segmenter up to a line "=", or the whole input, are refused, or are
 * read and written back the same; then it segments the rest into tokens in order that are pieces of the text. */
#include "language/trained/trained_text.h"
#include "tests/fuzz/fuzz.h"

static void check(const SegmentedText *t, StrView text)
{
    int k = 0;
    size_t at = 0, chars = 0;
    for (int s = 0; s < t->n_sentences; s++) {
        require(t->sentences[s].first == k && t->sentences[s].n >= 1);
        for (int end = k + t->sentences[s].n; k < end; k++) {
            const Token *x = &t->tokens[k];
            require(x->len > 0 && strlen(x->form) == x->len && x->begin < x->end && x->end <= text.len);
            if (x->part) require(x->words == x[-1].words && x->begin == x[-1].begin && x->part == x[-1].part + 1);
            else {
                for (; at < x->begin; chars++) require(utf8_is_space(utf8_next(text.ptr, text.len, &at)));
                require(at == x->begin && chars == x->begin_char);
                for (; at < x->end; chars++) utf8_next(text.ptr, text.len, &at);
                require(at == x->end && chars == x->end_char);
            }
            if (!x->words) require(x->len == x->end - x->begin && memcmp(x->form, text.ptr + x->begin, x->len) == 0);
        }
    }
    require(k == t->n_tokens);
    while (at < text.len) require(utf8_is_space(utf8_next(text.ptr, text.len, &at)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    StrView text, bytes = fuzz_cut(fuzz_text(data, size), &text);
    bytes.len -= text.len || bytes.len < size; /* the line feed before "=" */
    FREED(trained_text_fini) TrainedText t;
    FREED(segmented_text_fini) SegmentedText out = { 0 };
    FREED(strbuf_fini) StrBuf back = { 0 };
    Error e = { 0 };
    MADE(Arena, arena_init, arena_fini, a, 4096);
    if (!accepted(trained_text_load(&t, bytes, "fuzz", &e), &e)) return 0;
    trained_text_save(&t, &back);
    require_equal(&back, &(StrBuf){ .ptr = (char *)bytes.ptr, .len = bytes.len });
    SegmentOptions o = { .newlines = (Newlines)(text.len % 4), .words = text.len % 5 == 4 };
    if (trained_text_segment(&t, &out, text_block(text, "fuzz"), o, &a, &e) == OK) check(&out, text);
    return 0;
}
