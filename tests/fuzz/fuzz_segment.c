/* The tokens of any text are in order, before and after words are split at hyphens, and are
 * pieces of the text but for what is left out in them; without markup they leave out only white space between them, and
 * hyphens where a word is broken. None begins or ends with white space. The first byte says what a line break is, and
 * what is markup, in which a sign may stand for several bytes. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/marked.h"

static void skip(StrView text, size_t *at, size_t end, size_t *chars, bool only_space)
{
    while (*at < end) {
        int32_t c = utf8_next(text.ptr, text.len, at);
        require(utf8_is_space(c) || c == '-' || c == 0x2010 || c == 0xAD || !only_space);
        ++*chars;
    }
    require(*at == end);
}

/* The form is the bytes of the token, of which some are left out, from byte `cut` on or anywhere. */
static void check_form(StrView text, const Token *x, bool signs)
{
    size_t at = x->begin;
    if (signs && x->cut == x->len) return;
    require(x->end > x->begin && x->end <= text.len && strlen(x->form) == x->len);
    require(x->cut ? x->cut <= x->len && x->len < x->end - x->begin : x->len == x->end - x->begin);
    for (size_t i = 0; i < x->len; i++, at++) {
        while ((i >= x->cut || x->cut == x->len) && x->cut && at < x->end && text.ptr[at] != x->form[i]) at++;
        require(at < x->end && text.ptr[at] == x->form[i]);
    }
}

static void check_ends(StrView text, const Token *x)
{
    bool space = true, first = true;
    for (size_t i = x->begin; i < x->end; first = false) {
        space = utf8_is_space(utf8_next(text.ptr, text.len, &i));
        require(!first || !space);
    }
    require(!space);
}

static void check(StrView text, const SegmentedText *t, bool only_space, bool signs)
{
    size_t at = 0, chars = 0;
    int k = 0;
    for (int s = 0; s < t->n_sentences; s++) {
        require(t->sentences[s].first == k && t->sentences[s].n >= 1);
        for (int end = k + t->sentences[s].n; k < end; k++) {
            const Token *x = &t->tokens[k];
            check_form(text, x, signs);
            if (!signs) check_ends(text, x);
            require(!k || x->begin >= t->tokens[k - 1].end);
            skip(text, &at, x->begin, &chars, only_space);
            require(x->begin_char == chars);
            skip(text, &at, x->end, &chars, false);
            require(x->end_char == chars);
        }
    }
    require(k == t->n_tokens);
    skip(text, &at, text.len, &chars, only_space);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    StrView text = fuzz_text(data + 1, size - 1);
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    Error e = { 0 };
    MADE(Arena, arena_init, arena_fini, a, 4096);
    Newlines newlines = (Newlines)(data[0] % 4);
    Markup markup = (Markup)(data[0] / 4 % MARKUP_KINDS);
    bool words = data[0] / 24 % 4 == 3;
    for (int hyphens = 0; hyphens < 2; hyphens++) {
        Marked how = { { newlines, markup, words }, .hyphens = hyphens, .ends = true };
        if (marked_segment(&t, text_block(text, "fuzz"), how, &a, &e) != OK) return 0;
        check(text, &t, markup == MARKUP_NONE || words, markup != MARKUP_NONE && !words);
    }
    return 0;
}
