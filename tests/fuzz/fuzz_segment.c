/* tests/fuzz/fuzz_segment.c: the tokens of any text are in order, are pieces of the text, and leave out only white
 * space. */
#include "language/english/text/segment.h"
#include "tests/fuzz/fuzz.h"

static void skip_space(StrView text, size_t *at, size_t end)
{
    while (*at < end) require(utf8_is_space(utf8_next(text.ptr, text.len, at)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    StrView text = fuzz_text(data, size);
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    Error e = { 0 };
    MADE(Arena, arena_init, arena_fini, a, 4096);
    if (segment_text(&t, text_block(text, "fuzz"), NEWLINES_AUTO, &a, &e) != OK) return 0;
    size_t at = 0;
    int k = 0;
    for (int s = 0; s < t.n_sentences; s++) {
        require(t.sentences[s].first == k && t.sentences[s].n >= 1);
        for (int end = k + t.sentences[s].n; k < end; k++) {
            const Token *x = &t.tokens[k];
            require(x->end > x->begin && x->end <= size);
            require(memcmp(x->form, text.ptr + x->begin, x->end - x->begin) == 0);
            skip_space(text, &at, x->begin);
            at = x->end;
        }
    }
    skip_space(text, &at, size);
    return 0;
}
