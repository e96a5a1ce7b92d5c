/* Hyphenated words of raw text. In the table tokens are separated by blanks. */
#include "language/english/text/segment_hyphens.h"
#include "tests/support/check.h"

static const struct {
    const char *text, *want;
} CASES[] = {
    { "A well-known, US-based firm.", "A well - known , US - based firm ." },
    { "a 14-year-old boy", "a 14 - year - old boy" },
    { "from 1990-95, 5:00-8:30, 1.5-2.0", "from 1990 - 95 , 5:00 - 8:30 , 1.5 - 2.0" },
    { "non-profit e-mail Re-elected pre-war mid-1980s anti-American", "non-profit e-mail Re-elected pre-war mid-1980s "
                                                                      "anti-American" },
    { "non-English-speaking", "non-English - speaking" },
    { "Kafka-esque adult-like", "Kafka-esque adult - like" },
    { "Uh-oh, mm-hmm", "Uh-oh , mm-hmm" },
    { "call 555-0123 or 713-853-3989", "call 555-0123 or 713-853-3989" },
    { "on 02-05-2001 or 11-20-2000", "on 02-05-2001 or 11-20-2000" },
    { "zip 94720-1900", "zip 94720-1900" },
    { "SCAP-22-368 and AK-47", "SCAP-22-368 and AK - 47" },
    { "his and/or her 9/11-related 1/2 s/he", "his and / or her 9/11 - related 1/2 s/he" },
    { "see my-file.txt, http://a-b.org/c-d, a-b@c-d.org", "see my-file.txt , http://a-b.org/c-d , a-b@c-d.org" },
    { "th- the book- it", "th- the book - it" },
    { "pre- and post-war", "pre- and post-war" },
    { "caf\u00e9-bar \u00e9t\u00e9-like", "caf\u00e9 - bar \u00e9t\u00e9 - like" },
    { "a -- b - c --help", NULL }, /* as without the option */
    { "one-two-three-four-five-six-seven-eight-nine", NULL },
};

TEST(words_are_split_at_hyphens)
{
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        FREED(segmented_text_fini) SegmentedText t = { 0 }, whole = { 0 };
        FREED(strbuf_fini) StrBuf got = { 0 }, before = { 0 };
        StrView text = view(CASES[k].text);
        assert_ok(segment_text(&t, text_block(text, "t"), (SegmentOptions){ 0 }, test_arena(), test_error()));
        assert_ok(segment_text(&whole, text_block(text, "t"), (SegmentOptions){ 0 }, test_arena(), test_error()));
        assert_true(segment_split_hyphens(&t, test_arena()));
        assert_int_equal(t.n_sentences, whole.n_sentences);
        int next = 0;
        for (int s = 0; s < t.n_sentences; s++) {
            assert_int_equal(t.sentences[s].first, next);
            next += t.sentences[s].n;
        }
        assert_int_equal(next, t.n_tokens);
        for (int i = 0; i < t.n_tokens; i++) {
            const Token *x = &t.tokens[i];
            strbuf_printf(&got, i ? " %s" : "%s", x->form);
            assert_int_equal(strlen(x->form), x->end - x->begin);
            assert_memory_equal(x->form, text.ptr + x->begin, x->end - x->begin); /* a piece of the text */
            size_t chars = 0;
            for (size_t at = 0; at < x->begin; at++) chars += ((unsigned char)text.ptr[at] & 0xC0) != 0x80;
            assert_int_equal(x->begin_char, chars);
        }
        for (int i = 0; i < whole.n_tokens; i++) strbuf_printf(&before, i ? " %s" : "%s", whole.tokens[i].form);
        assert_string_equal(got.ptr, CASES[k].want ? CASES[k].want : before.ptr);
    }
}

TEST(running_out_of_memory_splitting_words_is_no_success)
{
    bool done = false;
    for (long n = 0; !done; n++) {
        FREED(segmented_text_fini) SegmentedText t = { 0 };
        MADE(Arena, arena_init, arena_fini, a, 16);
        StrView text = view("A well-known US-based 14-year-old and/or long-term one-two three-four five-six end.");
        assert_ok(segment_text(&t, text_block(text, "t"), (SegmentOptions){ 0 }, &a, test_error()));
        mem_fail_after(n);
        done = segment_split_hyphens(&t, &a);
        mem_fail_after(-1);
        if (done) assert_int_equal(t.n_tokens, 29);
        assert_true(n < 100);
    }
}
