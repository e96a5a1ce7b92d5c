/* The Document of CoreNLP.proto that comes with a request. */
#include "serve/corenlp_given.h"
#include "tests/support/check.h"

#define BYTES(text) ((StrView){ text, sizeof text - 1 })

/* Reads a body; the message of an answer that refuses it is in *message, 200 bytes. */
static bool read_body(StrView body, Arena *arena, CoreGiven *given, char *message)
{
    Answer a = { 0 };
    Job j = { .arena = arena, .body = body };
    bool good = corenlp_given_read(&j, LAL_INVALID_ERROR, given, &a);
    snprintf(message, 200, "%s", a.body.ptr ? a.body.ptr : "");
    if (!good) assert_int_equal(a.status, 400);
    strbuf_fini(&a.body);
    return good;
}

TEST(a_document_has_a_text_or_words_with_their_places)
{
    MADE(Arena, arena_init, arena_fini, arena, 0);
    CoreGiven g;
    char message[200];
    assert_true(read_body(BYTES("\x00"), &arena, &g, message));
    assert_int_equal(g.text.len, 0);
    assert_true(read_body(BYTES("\x08\x58\x01\x0a\x04"
                                "Hi.\n"),
                          &arena, &g, message));
    assert_int_equal(g.n_words, 0);
    assert_memory_equal(g.text.ptr, "Hi.\n", 4);
    /* "😀 so": 0 to 2 and 3 to 5 in units of UTF-16 */
    assert_true(
        read_body(BYTES("\x21\x0a\x07\xf0\x9f\x98\x80 so\x12\x16\x0a\x0a\x0a\x04\xf0\x9f\x98\x80\x58\x00\x60\x02"
                        "\x0a\x08\x0a\x02so\x58\x03\x60\x05"),
                  &arena, &g, message));
    assert_int_equal(g.n_sentences, 1);
    assert_int_equal(g.sentences[0].n, 2);
    assert_string_equal(g.sentences[0].words[1], "so");
    assert_int_equal(g.places[0].end, 4);
    assert_int_equal(g.places[0].end_char, 1);
    assert_int_equal(g.places[1].begin, 5);
    assert_int_equal(g.places[1].begin_char, 2);
    assert_int_equal(g.places[1].end, 7);
}

TEST(words_without_places_are_a_text_with_blanks)
{
    const StrView bodies[] = {
        BYTES("\x15\x0a\x03"
              "abc\x12\x0e\x0a\x03\x0a\x01"
              "a\x0a\x07\x1a\x05" /* no word, but a value */
              "b c d"),
        BYTES("\x1d\x0a\x03"
              "abc\x12\x16\x0a\x07\x0a\x01" /* the second lies before the first */
              "a\x58\x02\x60\x03\x0a\x0b\x0a\x05"
              "b c d\x58\x01\x60\x02"),
    };
    for (size_t k = 0; k < 2; k++) {
        MADE(Arena, arena_init, arena_fini, arena, 0);
        CoreGiven g;
        char message[200];
        assert_true(read_body(bodies[k], &arena, &g, message));
        assert_int_equal(g.text.len, 7);
        assert_memory_equal(g.text.ptr, "a b c d", 7);
        assert_int_equal(g.places[1].begin, 2);
        assert_int_equal(g.places[1].end_utf16, 7);
    }
}

TEST(what_is_no_document_is_refused)
{
    const struct {
        StrView body;
        const char *message;
    } bad[] = {
        { BYTES(""), "body: byte 0: found no message of the length that stands before it" },
        { BYTES("It rains."), "body: byte 0: found no message of the length that stands before it" },
        { BYTES("\x80"), "body: byte 0: found no message of the length that stands before it" },
        { BYTES("\x01\x58\x01"), "body: byte 0: found no message of the length that stands before it" },
        { BYTES("\x02\x10\x01"), "body: byte 1: found a field of another type, expected bytes" },
        { BYTES("\x04\x12\x02\x08\x01"), "body: byte 3: found a field of another type, expected bytes" },
        { BYTES("\x02\x0a\x05"), "body: byte 1: found a field that is cut off" },
        { BYTES("\x06\x12\x04\x0a\x02\x0a\x05"), "body: byte 5: found a field that is cut off" },
        { BYTES("\x04\x12\x02\x0a\x00"), "body: word 0: found none, expected one" },
        { BYTES("\x08\x12\x06\x0a\x04\x0a\x02"
                "a\n"),
          "body: word 0: found a control character in 'a<U+000A>'" },
        { BYTES("\x08\x12\x06\x0a\x04\x0a\x02"
                "a\xff"),
          "body: byte 5: found bytes that are not UTF-8 text" },
        { BYTES("\x03\x0a\x01\xff"), "text: found bytes that are not UTF-8 at byte 0, expected text in UTF-8" },
    };
    MADE(Arena, arena_init, arena_fini, arena, 0);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CoreGiven g;
        char message[200];
        assert_false(read_body(bad[k].body, &arena, &g, message));
        assert_string_equal(message, bad[k].message);
    }
}

/* The trees of a body; of one that is refused, the message. */
static void assert_trees(StrView body, bool good, const char *expected)
{
    MADE(Arena, arena_init, arena_fini, arena, 0);
    FREED(strbuf_fini) StrBuf trees = { 0 };
    Answer a = { 0 };
    Job j = { .arena = &arena, .body = body };
    assert_int_equal(corenlp_given_trees(&j, &trees, &a), good);
    const StrBuf *out = good ? &trees : &a.body;
    assert_string_equal(out->ptr ? out->ptr : "", expected);
    strbuf_fini(&a.body);
}

TEST(trees_of_a_document_are_brackets)
{
#define WORD(w) "\x0a\x03\x12\x01" w
    assert_trees(BYTES("\x11\x12\x0f:\x0d\x0a\x08" WORD("b") "\x12\x01Y\x12\x01X"), true, "(X (Y b))\n");
    assert_trees(BYTES("\x11\x12\x0f:\x0d\x12\x01X\x0a\x08\x12\x01Y" WORD("(")), true, "(X (Y -LRB-))\n");
    assert_trees(BYTES("\x08\x0a\x01x\x12\x03\x0a\x01x"), true, "");
    assert_trees(BYTES("\x0e\x12\x00\x12\x0a:\x08" WORD("b") "\x12\x01X"), false,
                 "body: found 1 trees in 2 sentences, expected one in each");
    assert_trees(BYTES("\x0c\x12\x0a:\x08" WORD("b") "\x12\x01("), false, "body: found the label '(' in a tree");
    assert_trees(BYTES("\x0c\x12\x0a:\x08" WORD(" ") "\x12\x01X"), false, "body: found the label ' ' in a tree");
    assert_trees(BYTES("\x07\x12\x05:\x03\x12\x01X"), false, "body: found a word in place of a tree");
    assert_trees(BYTES("\x09\x12\x07:\x05\x0a\x00\x12\x01X"), false, "body: found an empty word in a tree");
    assert_trees(BYTES("\x06\x12\x04:\x02\x08\x01"), false,
                 "body: byte 5: found a field of another type, expected bytes");
}
