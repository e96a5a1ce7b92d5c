/* The shortcuts of the tokenizer against what they shorten, on random words and texts. */
#include <inttypes.h>
#include <string.h>

#include "base/rng.h"
#include "language/address.h"
#include "language/english/text/segment_internal.h"
#include "language/english/text/shape.h"
#include "tests/support/check.h"
#include "tests/support/marked.h"

static uint64_t drawn;
static uint32_t draw(uint32_t n) { return (uint32_t)(rng_mix(++drawn) >> 32) % n; }

#define DRAW(list) (list)[draw(sizeof(list) / sizeof *(list))]

/* Has one code point for each byte. */
static void read_ascii(Chunk *c, size_t n, const char *text)
{
    c->n = 0;
    assert_true(mem_reserve(c->cp, &c->cap_cp, (int)n) && mem_reserve(c->at, &c->cap_at, (int)n + 1));
    for (size_t i = 0; i <= n; i++) c->at[i] = i;
    for (size_t i = 0; i < n; i++) c->cp[c->n++] = text[i];
}

/* Appends 1 to `most` of the n pieces. */
static void append(StrBuf *text, const char *const *pieces, uint32_t n, uint32_t most)
{
    for (uint32_t k = 1 + draw(most); k > 0; k--) strbuf_puts(text, pieces[draw(n)]);
}

TEST(plain_chunks_have_the_tokens_of_all_chunks)
{
    static const char *const words[] = { "im",      "ive",    "dont",  "cannot",   "gonna", "dunno", "didnt",
                                         "wouldnt", "couldn", "youre", "shouldnt", "mr",    "Dr",    "approx",
                                         "Messrs",  "etc",    "No",    "no",       "fig",   "Fig",   "co",
                                         "Co",      "ill",    "Ill",   "Wash",     "wash",  "i",     "I",
                                         "a",       "B",      "v",     "www",      "com",   "http",  "xD",
                                         "assoc",   "thurs",  "al",    "St",       "gen" };
    static const char *const letters[] = { "a", "e", "i", "n", "o", "t", "s", "m", "u", "l", "x", "D",
                                           "P", "p", "X", "O", "T", "G", "g", "w", "d", "1", "0", "k" };
    static const char *const ends[] = { "", "", ".", ",", ";", "?", "!", ":", "..", "?!", ",,", "'s", ")" };
    static const char *const after[] = { "", " ", " Next", " 5 x", "\n7", "\n\n7", "\tb", "\f" };
    FREED(strbuf_fini) StrBuf text = { 0 };
    Chunk c = { .cp = NULL };
    int plain = 0;
    MADE(Arena, arena_init, arena_fini, a, 4096);
    for (int k = 0; k < 200000; k++) {
        SegmentedText fast = { 0 }, slow = { 0 };
        strbuf_clear(&text);
        if (draw(2)) strbuf_puts(&text, DRAW(words));
        if (!text.len || !draw(4)) append(&text, letters, sizeof letters / sizeof *letters, 9);
        strbuf_puts(&text, DRAW(ends));
        size_t n = text.len;
        strbuf_puts(&text, DRAW(after));
        Segmenter f = { .text = { text.ptr, text.len }, .out = &fast, .a = &a, .quoted = k & 1 }, s = f;
        size_t end = segment_plain_chunk(&f, 0);
        if (end) {
            plain++;
            assert_int_equal(end, n);
            assert_int_equal(f.chars, n);
            read_ascii(&c, n, text.ptr);
            s.out = &slow;
            s.c = c;
            segment_chunk(&s);
            if (fast.n_tokens != slow.n_tokens)
                fail_msg("%s: %d and %d tokens", text.ptr, fast.n_tokens, slow.n_tokens);
            for (int i = 0; i < fast.n_tokens; i++) {
                const Token *x = &fast.tokens[i], *y = &slow.tokens[i];
                if (strcmp(x->form, y->form) != 0) fail_msg("%s: %s and %s", text.ptr, x->form, y->form);
                assert_true(x->begin == y->begin && x->end == y->end);
                assert_true(x->begin_char == y->begin_char && x->end_char == y->end_char);
            }
            assert_int_equal(f.quoted, s.quoted);
        }
        segmented_text_fini(&fast);
        segmented_text_fini(&slow);
        arena_reset(&a);
    }
    assert_in_range(plain, 50000, 199999); /* both kinds */
    mem_free(c.cp);
    mem_free(c.at);
}

TEST(words_of_two_tokens_are_all_split)
{
    static const char *const words[] = { "i m",     "i ve",    "do nt",   "ca nt",    "wo nt",   "is nt",   "ai nt",
                                         "'t is",   "did nt",  "gon na",  "got ta",   "wan na",  "gim me",  "lem me",
                                         "du nno",  "'t was",  "d' you",  "was nt",   "are nt",  "has nt",  "had nt",
                                         "you re",  "you ll",  "that s",  "what s",   "can not", "does nt", "were nt",
                                         "have nt", "they re", "there s", "could nt", "would nt" };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        for (int quoted = 0; quoted < 2; quoted++) { /* a plain chunk, and one that is not */
            FREED(segmented_text_fini) SegmentedText t = { 0 };
            char text[16];
            size_t cut = strcspn(words[k], " ");
            snprintf(text, sizeof text, "%.*s%s%s", (int)cut, words[k], words[k] + cut + 1, quoted ? "..." : "");
            assert_ok(segment_text(&t, text_block(view(text), "t"), (SegmentOptions){ 0 }, test_arena(), test_error()));
            if (t.n_tokens != 2 + quoted || t.tokens[0].end != cut) fail_msg("%s should be %s", text, words[k]);
        }
}

TEST(shapes_are_those_found_without_shortcuts)
{
    static const char *const pieces[] = {
        "a",   "B",   "D",    "x",   "X",   "o",  "O",  "T",      "u",      "_",          ".",       ":",    "@",   "$",
        "-",   "+",   "=",    "'",   "~",   "%",  "/",  "\\",     "<",      ">",          "(",       ")",    "1",   "9",
        "com", "org", "http", "www", "co",  "uk", "US", "\u00e9", "\u2019", "\U0001f602", "e",       ";",    "^",   "#",
        "*",   "!",   "?",    ",",   "doi", "10", "\1", ".com",   ".org",   "@b.co",      "http://", "www.", "://a"
    };
    FREED(strbuf_fini) StrBuf text = { 0 };
    int shapes = 0, addresses = 0;
    for (int k = 0; k < 500000; k++) {
        size_t fast = 0, slow = 0;
        strbuf_clear(&text);
        append(&text, pieces, sizeof pieces / sizeof *pieces, 8);
        if (!draw(1000))
            for (int i = 0; i < 300; i++) strbuf_puts(&text, i == 299 ? "@b.com" : "a");
        StrView v = { text.ptr, text.len };
        Shape shape = shape_prefix(v, &fast), want = shape_search(v, &slow);
        if (shape != want || fast != slow) fail_msg("%s: shape %d, expected %d", text.ptr, (int)shape, (int)want);
        if (address_length(v) != address_search(v)) fail_msg("%s: an address or not?", text.ptr);
        shapes += shape != SHAPE_NONE;
        addresses += address_length(v) > 0;
    }
    assert_true(shapes > 10000 && addresses > 1000);
}

/* stream_cut_paragraphs byte by byte. */
static size_t plain_cut(CutState *s, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        if (c >= 128 || !utf8_is_space(c)) s->state = 0;
        else if (c == '\n' || c == '\f') s->state += c == '\f' ? 2 : 1;
        if (s->state < 2) continue;
        s->state = 0;
        return i + 1;
    }
    return 0;
}

TEST(paragraphs_are_cut_where_bytes_say)
{
    static const char bytes[] = "ab \t\n\n\n\f\v\x1c\x85\xa0z";
    char text[64];
    for (int k = 0; k < 100000; k++) {
        size_t n = 1 + draw(sizeof text), piece = 1 + draw((uint32_t)n);
        CutState fast = { 0 }, slow = { 0 };
        for (size_t i = 0; i < n; i++) text[i] = bytes[draw(sizeof bytes - 1)];
        for (size_t at = 0; at < n;) {
            size_t most = n - at < piece ? n - at : piece;
            size_t cut = stream_cut_paragraphs(&fast, text + at, most);
            assert_int_equal(cut, plain_cut(&slow, text + at, most));
            assert_int_equal(fast.state, slow.state);
            at += cut ? cut : most;
        }
    }
}

/* Random text of several thousand words, marks and breaks. */
static void make_text(StrBuf *text)
{
    char words[] = "the of cells it and he said The It He Ann NATO U.S. e.g. Mr. Fig. no. etc. p.m. A. I B. 12 "
                   "1,000 3.5 1. 2) (a) (1) i. ii. - * \u2022 7:30pm 20km don't it\u2019s cannot gonna 'tis "
                   "\u201cYes no,\u201d \"Why so?\" (see this) [5,6] well-known and/or 1990-95 a@b.org "
                   "http://a.b/c x.com #one @two :) xD \U0001f602 what?! go!! end. end. word, word; so: ... "
                   "\u2026 -- \u2014 $5 20% US$3 \u4e2d\u6587\u3002 caf\u00e9 b**** **x** -> <b> bob: Q. [10:31] "
                   "> version 2. 0 shouldn't've O'Brien thro' goin' '90s good.Great word.[1] friend(s) f() C++";
    const char *pieces[96];
    int n = 0;
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) pieces[n++] = w;
    assert_int_equal(n, sizeof pieces / sizeof *pieces);
    static const char *const gaps[] = { " ",  " ",  " ",  " ",  " ",    " ",    " ",      " ",  " ",  " ", " ", " ",
                                        "\n", "\n", "  ", "\t", "\r\n", "\n\n", "\u00a0", "\f", ". ", ".", "," };
    for (int k = 0; k < 60000; k++) {
        strbuf_puts(text, DRAW(pieces));
        strbuf_puts(text, DRAW(gaps));
    }
}

static void mix(uint64_t *digest, size_t value) { *digest = rng_mix(*digest ^ value); }

/* Recorded before there were shortcuts. Where rules change, look at the differences in texts, then record it again. */
TEST(a_random_text_has_the_recorded_tokens_and_sentences)
{
    static const uint64_t want[] = { 0x988d064db99682bdu, 0x8788195141a7f4ecu, 0x82676b2fe600539au,
                                     0x5343fa1089a4d30au };
    FREED(strbuf_fini) StrBuf text = { 0 };
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    uint64_t found[4];
    drawn = 1u << 20;
    make_text(&text);
    for (int newlines = NEWLINES_AUTO; newlines <= NEWLINES_SPACE; newlines++) {
        uint64_t digest = 0;
        t.habits = (TextHabits){ 0 };
        TextBlock block = text_block((StrView){ text.ptr, text.len }, "t");
        block.byte = 1000;
        block.character = 900;
        Marked how = { { .newlines = (Newlines)newlines }, .ends = true };
        assert_ok(marked_segment(&t, block, how, test_arena(), test_error()));
        for (int hyphens = 0; hyphens < 2; hyphens++) {
            if (hyphens) assert_true(segment_split_hyphens(&t, test_arena()));
            for (int i = 0; i < t.n_tokens; i++) {
                const Token *x = &t.tokens[i];
                mix(&digest, x->begin);
                mix(&digest, x->end);
                mix(&digest, x->begin_char);
                mix(&digest, x->end_char);
                assert_int_equal(strlen(x->form), x->len);
                if (!x->cut) assert_memory_equal(x->form, text.ptr + x->begin - block.byte, x->end - x->begin);
            }
            for (int i = 0; i < t.n_sentences; i++) {
                const TextSentence *x = &t.sentences[i];
                mix(&digest, (size_t)x->first);
                mix(&digest, (size_t)x->n);
                mix(&digest, (size_t)x->line * 2 + x->new_paragraph);
            }
        }
        found[newlines] = digest;
    }
    if (memcmp(found, want, sizeof want) != 0)
        fail_msg("found 0x%016" PRIx64 "u, 0x%016" PRIx64 "u, 0x%016" PRIx64 "u, 0x%016" PRIx64 "u", found[0], found[1],
                 found[2], found[3]);
}
