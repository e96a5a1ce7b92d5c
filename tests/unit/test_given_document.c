/* Protobuf's wire format, and the Document of CoreNLP.proto that comes with a request. */
#include "base/protobuf.h"
#include "serve/corenlp_given.h"
#include "tests/support/check.h"

#define BYTES(text) ((StrView){ text, sizeof text - 1 })

TEST(a_message_is_its_fields)
{
    StrView message = BYTES("\x08\x96\x01"                         /* 1: 150 */
                            "\x12\x03"                             /* 2: a text */
                            "abc"                                  /**/
                            "\x19\x01\x02\x03\x04\x05\x06\x07\x08" /* 3: eight bytes */
                            "\x25\x0a\x0b\x0c\x0d"                 /* 4: four bytes */
                            "\xf8\xff\xff\xff\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    static const struct {
        int number;
        uint64_t value;
    } expected[] = {
        { 1, 150 }, { 2, 0 }, { 3, 0x0807060504030201 }, { 4, 0x0d0c0b0a }, { (1 << 29) - 1, UINT64_MAX }
    };
    Protobuf in = protobuf_file(message, "f");
    ProtobufField f;
    bool more;
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        assert_ok(protobuf_next(&in, &f, &more, test_error()));
        assert_true(more);
        assert_int_equal(f.number, expected[k].number);
        assert_true(f.value == expected[k].value);
        assert_int_equal(f.bytes.len, k == 1 ? 3 : 0);
    }
    assert_ok(protobuf_next(&in, &f, &more, test_error()));
    assert_false(more);
}

TEST(a_message_that_ends_early_or_has_other_fields_is_damaged)
{
    const StrView bad[] = {
        BYTES("\x08"),
        BYTES("\x08\x80"),
        BYTES("\x12\x02"
              "a"),
        BYTES("\x19\x01\x02"),
        BYTES("\x25\x01"),
        BYTES("\x80"),     /* ends early */
        BYTES("\x00\x01"), /* field 0 */
        BYTES("\x0b\x0c"),
        BYTES("\x0e\x01"),
        BYTES("\x0f\x01"),                                     /* a group; kinds that nothing has */
        BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), /* more than 64 bits */
        BYTES("\x80\x80\x80\x80\x10\x01"),                     /* a number of 30 bits */
        BYTES("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), /* a length of 64 bits */
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        Protobuf in = protobuf_file(bad[k], "f");
        ProtobufField f;
        bool more;
        assert_int_equal(protobuf_next(&in, &f, &more, test_error()), ERR_FORMAT);
        assert_int_equal(f.place, 0);
    }
}

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
        { BYTES(""), "body: found other bytes at byte 0, expected a Document of CoreNLP.proto" },
        { BYTES("It rains."), "body: found other bytes at byte 0, expected a Document of CoreNLP.proto" },
        { BYTES("\x02\x0a\x05"), "body: found other bytes at byte 1, expected a Document of CoreNLP.proto" },
        { BYTES("\x06\x12\x04\x0a\x02\x0a\x05"),
          "body: found other bytes at byte 5, expected a Document of CoreNLP.proto" },
        { BYTES("\x04\x12\x02\x0a\x00"), "body: token 0: found none, expected a word" },
        { BYTES("\x08\x12\x06\x0a\x04\x0a\x02"
                "a\n"),
          "body: token 0: found a control character in 'a\n', expected a word" },
        { BYTES("\x08\x12\x06\x0a\x04\x0a\x02"
                "a\xff"),
          "body: token 0: found bytes that are not UTF-8 in 'a', expected a word" },
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
