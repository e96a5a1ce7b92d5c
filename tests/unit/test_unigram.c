/* SentencePiece model files, written field by field, and pieces of hostile texts. */
#include <stdlib.h>
#include <unistd.h>

#include "base/protobuf.h"
#include "embeddings/unigram.h"
#include "embeddings/xlnet_words.h"
#include "tests/support/check.h"

/* ---- writing a model */

static void put_varint(StrBuf *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) strbuf_putc(b, (char)(v | 0x80));
    strbuf_putc(b, (char)v);
}

static void put_bytes(StrBuf *b, int field, const char *s, size_t n)
{
    put_varint(b, (uint64_t)field << 3 | 2);
    put_varint(b, n);
    strbuf_add(b, s, n);
}

static void put_number(StrBuf *b, int field, uint64_t v)
{
    put_varint(b, (uint64_t)field << 3);
    put_varint(b, v);
}

static void put_piece(StrBuf *b, const char *text, float score, int type)
{
    FREED(strbuf_fini) StrBuf p = { 0 };
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    put_bytes(&p, 1, text, strlen(text));
    put_varint(&p, 2 << 3 | 5);
    for (int k = 0; k < 4; k++) strbuf_putc(&p, (char)(bits >> (8 * k)));
    if (type != UNIGRAM_NORMAL) put_number(&p, 3, (uint64_t)type);
    put_bytes(b, 1, p.ptr, p.len);
}

/* 0 <unk>, 1 <s>, 2 "_a", 3 "a", 4 "b", 5 "ab", 6 "_", 7 user-defined "bb", 8 ",", 9 unused "aa", 10 "1", 11 "1," */
static void put_model(StrBuf *b)
{
    *b = (StrBuf){ 0 };
    put_piece(b, "<unk>", 0, UNIGRAM_UNKNOWN);
    put_piece(b, "<s>", 0, UNIGRAM_CONTROL);
    put_piece(b, "\u2581a", -2, UNIGRAM_NORMAL);
    put_piece(b, "a", -3, UNIGRAM_NORMAL);
    put_piece(b, "b", -3, UNIGRAM_NORMAL);
    put_piece(b, "ab", -6, UNIGRAM_NORMAL);
    put_piece(b, "\u2581", -4, UNIGRAM_NORMAL);
    put_piece(b, "bb", 0, UNIGRAM_USER);
    put_piece(b, ",", -3, UNIGRAM_NORMAL);
    put_piece(b, "aa", 0, UNIGRAM_UNUSED);
    put_piece(b, "1", -3, UNIGRAM_NORMAL);
    put_piece(b, "1,", -3, UNIGRAM_NORMAL);
}

static void put_rules(StrBuf *b, const char *charsmap, size_t n, bool plain)
{
    FREED(strbuf_fini) StrBuf z = { 0 };
    put_bytes(&z, 2, charsmap, n);
    for (int k = 3; plain && k <= 5; k++) put_number(&z, k, 0);
    put_bytes(b, 3, z.ptr, z.len);
}

/* "id[begin,end] ..." of the pieces of a text. */
static const char *pieces_of(const Unigram *u, bool xlnet, const char *text, size_t len)
{
    static char line[1000];
    FREED(pieces_fini) Pieces p = { 0 };
    assert_ok((xlnet ? xlnet_words_encode : unigram_encode)(u, (StrView){ text, len }, &p, test_error()));
    line[0] = 0;
    for (int k = 0; k < p.n; k++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%d[%d,%d]", k ? " " : "", p.p[k].id, p.p[k].begin,
                 p.p[k].end);
    return line;
}
#define PIECES(u, text) pieces_of(u, false, text, sizeof(text) - 1)
#define XLNET(u, text) pieces_of(u, true, text, sizeof(text) - 1)

static void parse(Unigram *u, const StrBuf *b)
{
    assert_ok(unigram_parse(u, (StrView){ b->ptr, b->len }, "m", test_error()));
}

TEST(the_best_sum_wins_and_the_first_of_equals)
{
    MADE(StrBuf, put_model, strbuf_fini, b);
    MADE(Unigram, parse, unigram_fini, u, &b);
    assert_string_equal(PIECES(&u, ""), "");
    assert_string_equal(PIECES(&u, "  "), "");
    assert_string_equal(PIECES(&u, "a"), "2[0,1]");
    assert_string_equal(PIECES(&u, " b  a "), "6[1,1] 4[1,2] 2[2,5]"); /* a blank is the first one of several */
    assert_string_equal(PIECES(&u, "bab"), "6[0,0] 4[0,1] 5[1,3]");    /* "ab" scores as "a" "b", and came first */
    assert_string_equal(PIECES(&u, "abb"), "2[0,1] 7[1,3]");           /* user-defined */
    assert_string_equal(PIECES(&u, "aaa"), "2[0,1] 3[1,2] 3[2,3]");    /* unused */
    assert_string_equal(PIECES(&u, "<s>"), "6[0,0] 0[0,3]");           /* control; unknown characters are one piece */
    assert_string_equal(PIECES(&u, "x\0y\xFFz"), "6[0,0] 0[0,5]");
    assert_int_equal(unigram_find(&u, view("<s>")), 1);
    assert_int_equal(unigram_find(&u, view("x")), 0);
}

TEST(words_of_xlnet_are_cleaned_and_commas_after_digits_split)
{
    MADE(StrBuf, put_model, strbuf_fini, b);
    MADE(Unigram, parse, unigram_fini, u, &b);
    assert_string_equal(PIECES(&u, "1,a"), "6[0,0] 11[0,2] 3[2,3]");
    assert_string_equal(XLNET(&u, "1,a"), "6[0,0] 10[0,2] 8[0,2] 3[2,3]");
    assert_string_equal(XLNET(&u, "\xC3\xA1"), "2[0,2]");        /* a with acute */
    assert_string_equal(XLNET(&u, "a\u0301b"), "2[0,1] 4[3,4]"); /* with a combining one */
    assert_string_equal(XLNET(&u, "  "), "");
    assert_string_equal(XLNET(&u, "``x''"), "6[0,0] 0[0,5]");
    assert_string_equal(XLNET(&u, "\xE2\x93\xB5,"), "6[0,0] 0[0,3] 8[3,4]"); /* a digit in two circles */
}

TEST(rules_replace_the_longest_string)
{
    /* a double array of "x" -> "ab" and "xy" -> "": the root's children are at units 256 ^ byte */
    enum { UNITS = 1024, AT = 256, NEXT = 512 };
    static unsigned char map[4 + 4 * UNITS + 4];
    memset(map, 0, sizeof map);
    uint32_t unit[UNITS] = { 0 };
    unit[0] = AT << 10;
    unit[AT ^ 'x'] = 'x' | 1u << 8 | (uint32_t)((AT ^ 'x') ^ NEXT) << 10;
    unit[NEXT] = 1u << 31 | 0;
    unit[NEXT ^ 'y'] = 'y' | 1u << 8 | (uint32_t)((NEXT ^ 'y') ^ 700) << 10;
    unit[700] = 1u << 31 | 3;
    map[0] = (4 * UNITS) & 0xFF;
    map[1] = (4 * UNITS) >> 8;
    for (int k = 0; k < 4 * UNITS; k++) map[4 + k] = (unsigned char)(unit[k / 4] >> (8 * (k % 4)));
    memcpy(map + 4 + 4 * UNITS, "ab\0", 4);
    for (int plain = 0; plain < 2; plain++) {
        MADE(StrBuf, put_model, strbuf_fini, b);
        put_rules(&b, (const char *)map, sizeof map, plain);
        MADE(Unigram, parse, unigram_fini, u, &b);
        if (plain) assert_string_equal(PIECES(&u, " xb"), "0[0,1] 3[1,1] 7[1,3]");
        else assert_string_equal(PIECES(&u, "bxxyb"), "6[0,0] 4[0,1] 3[1,1] 7[1,5]");
    }
}

TEST(unknown_characters_may_be_bytes)
{
    FREED(strbuf_fini) StrBuf b = { 0 }, t = { 0 };
    put_model(&b);
    for (int k = 0; k < 256; k++) put_piece(&b, test_format("<0x%02X>", k), 0, UNIGRAM_BYTE);
    put_number(&t, 35, 1);
    put_bytes(&b, 2, t.ptr, t.len);
    MADE(Unigram, parse, unigram_fini, u, &b);
    assert_string_equal(PIECES(&u, "a\u00dfx"), "2[0,1] 207[1,1] 171[1,3] 132[3,4]");
}

/* ---- files that are wrong */

static void refused(const StrBuf *b, const char *message)
{
    Unigram u;
    assert_fails_with(unigram_parse(&u, (StrView){ b->ptr ? b->ptr : "", b->len }, "m", test_error()), ERR_FORMAT,
                      message);
}

TEST(files_that_are_wrong_have_a_message)
{
    static const struct {
        const char *text;
        float score;
        int type;
        const char *message;
    } cases[] = {
        { "<unknown>", 0, UNIGRAM_UNKNOWN, "m: found two unknown pieces, 0 and 12, expected one" },
        { "ab", 0, UNIGRAM_NORMAL, "m: found piece 12, 'ab', twice" },
        { "", 0, UNIGRAM_NORMAL,
          "m: byte 145: piece 12: found no text or a long one, expected a piece of 1 to 1024 bytes" },
        { "c", NAN, UNIGRAM_NORMAL, "m: byte 148: found another value, expected a finite number" },
        { "c", 0, 7, "m: byte 153: found another value, expected a number from 0 to 6" },
        { "c", 0, 0, "m: byte 145: piece 12: found type 0, expected a piece of 1 to 1024 bytes" },
        { "<0x41>", 0, UNIGRAM_BYTE, "m: found piece 12 of type byte, '<0x41>', expected none without byte_fallback" },
        { "\xFF", 0, UNIGRAM_NORMAL, "m: byte 145: found bytes that are not UTF-8 text" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(StrBuf, put_model, strbuf_fini, b);
        put_piece(&b, cases[k].text, cases[k].score, cases[k].type);
        refused(&b, cases[k].message);
    }
    FREED(strbuf_fini) StrBuf b = { 0 }, t = { 0 };
    refused(&b, "m: found no pieces, expected a SentencePiece model");
    put_piece(&b, "a", 0, UNIGRAM_NORMAL);
    refused(&b, "m: found no unknown piece, expected one");
    put_piece(&b, "<unk>", 0, UNIGRAM_UNKNOWN);
    put_number(&t, 3, 2);
    put_bytes(&b, 2, t.ptr, t.len);
    refused(&b, "m: found a model of type 2, expected 1, unigram");
}

TEST(every_truncation_and_hostile_rules_are_refused)
{
    static const struct {
        const char *map;
        size_t n;
    } maps[] = {
        { "\1", 1 },
        { "\4\0\0\0\0\0\0\0", 8 },         /* no replacements */
        { "\xFF\xFF\xFF\xFF\0\0\0\0", 8 }, /* a size above that of the file */
        { "\4\0\0\0\1\0\0\200a\0", 10 },   /* a leaf at the end */
        { "\4\0\0\0\2\0\0\200a\0", 10 },   /* a leaf after the end */
        { "\4\0\0\0\0\0\0\200a", 9 },      /* a replacement without NUL */
        { "\4\0\0\0\0\0\0\0\xFF\0", 10 },  /* not UTF-8 */
    };
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
        MADE(StrBuf, put_model, strbuf_fini, b);
        put_rules(&b, maps[k].map, maps[k].n, false);
        if (k != 3) refused(&b, "m: ");
    }
    MADE(StrBuf, put_model, strbuf_fini, b);
    for (size_t n = 0; n < b.len; n++) { /* cut at a field, the pieces so far may be a model */
        Unigram u;
        Status s = unigram_parse(&u, (StrView){ b.ptr, n }, "m", test_error());
        if (s == OK) unigram_fini(&u);
        else assert_fails_with(s, ERR_FORMAT, "m: ");
    }
}

/* Rules whose trie leads from each "a" to the same unit again, without an end. */
TEST(rules_with_a_cycle_end)
{
    enum { UNITS = 256, N = 1 << 20 };
    static unsigned char map[4 + 4 * UNITS + 2];
    memset(map, 0, sizeof map);
    map[1] = (4 * UNITS) >> 8;
    uint32_t unit[UNITS] = { 0 };
    unit['a'] = 'a' | 'a' << 10; /* at 'a'; its children are at 'a' ^ 'a' ^ byte */
    for (int k = 0; k < 4 * UNITS; k++) map[4 + k] = (unsigned char)(unit[k / 4] >> (8 * (k % 4)));
    FREED(pieces_fini) Pieces p = { 0 };
    MADE(StrBuf, put_model, strbuf_fini, b);
    put_rules(&b, (const char *)map, sizeof map, false);
    MADE(Unigram, parse, unigram_fini, u, &b);
    FREED(free_pointer) char *text = malloc(N);
    assert_non_null(text);
    memset(text, 'a', N);
    assert_ok(unigram_encode(&u, (StrView){ text, N }, &p, test_error()));
    assert_int_equal(p.n, N);
}

TEST(the_time_to_encode_is_that_of_the_length)
{
    enum { N = 1 << 20 };
    static const char *const parts[] = { "a", "b", "\xF0\x9D\x85\xA5", "  ", "1,", "\xEF\xB7\xBA", "<s>" };
    MADE(StrBuf, put_model, strbuf_fini, b);
    MADE(Unigram, parse, unigram_fini, u, &b);
    FREED(free_pointer) char *text = malloc(N);
    assert_non_null(text);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        size_t len = strlen(parts[k]), n = 0;
        for (; n + len <= N; n += len) memcpy(text + n, parts[k], len);
        for (int xlnet = 0; xlnet < 2; xlnet++) {
            FREED(pieces_fini) Pieces p = { 0 };
            assert_ok((xlnet ? xlnet_words_encode : unigram_encode)(&u, (StrView){ text, n }, &p, test_error()));
            for (int i = 0; i < p.n; i++) assert_true(p.p[i].begin <= p.p[i].end && p.p[i].end <= (int)n);
        }
    }
    assert_int_equal(unigram_encode(&u, (StrView){ "", PIECES_MOST_TEXT + 1 }, NULL, test_error()), ERR_LIMIT);
}

TEST(every_allocation_may_fail)
{
    static const char text[] = "ab x\xC3\xA9y 1, bbb";
    MADE(StrBuf, put_model, strbuf_fini, b);
    for (long n = 0; allocation_fails(n); n++) {
        Unigram u;
        FREED(pieces_fini) Pieces p = { 0 };
        mem_fail_after(n);
        Status s = unigram_parse(&u, (StrView){ b.ptr, b.len }, "m", test_error());
        bool read = s == OK;
        if (read) s = xlnet_words_encode(&u, (StrView){ text, sizeof text - 1 }, &p, test_error());
        assert_ok_or_no_memory(s);
        if (read) unigram_fini(&u);
    }
}

/* ---- the wire format */

TEST(fields_are_read_one_after_the_other)
{
    static const char data[] = "\x08\xAC\x02\x12\x01x\x1D\1\2\3\4\x21\1\2\3\4\5\6\7\x80";
    Protobuf p = protobuf_file((StrView){ data, sizeof data - 1 }, "f");
    ProtobufField f;
    bool more;
    assert_ok(protobuf_next(&p, &f, &more, test_error()));
    assert_true(more && f.number == 1 && f.type == PROTOBUF_VARINT && f.value == 300);
    assert_ok(protobuf_next(&p, &f, &more, test_error()));
    assert_true(f.number == 2 && f.bytes.len == 1 && f.bytes.ptr[0] == 'x' && f.place == 3);
    assert_ok(protobuf_next(&p, &f, &more, test_error()));
    assert_true(f.number == 3 && f.value == 0x04030201);
    assert_ok(protobuf_next(&p, &f, &more, test_error()));
    assert_true(f.number == 4 && f.value == 0x8007060504030201);
    assert_ok(protobuf_next(&p, &f, &more, test_error()));
    assert_false(more);
    static const struct {
        const char *data;
        size_t n;
        const char *message;
    } wrong[] = {
        { "\x08", 1, "f: byte 0: found a field that is cut off" },
        { "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 11, "f: byte 0: found a field that is cut off" },
        { "\x12\x05x", 3, "f: byte 0: found a field that is cut off" },
        { "\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01x", 12, "f: byte 0: found a field that is cut off" },
        { "\x0D\1\2\3", 4, "f: byte 0: found a field that is cut off" },
        { "\x0B", 1, "f: byte 0: found a field of an unknown type, expected a protocol buffer" },
        { "\x02\0", 2, "f: byte 0: found no number of a field, expected a protocol buffer" },
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        p = protobuf_file((StrView){ wrong[k].data, wrong[k].n }, "f");
        assert_fails(protobuf_next(&p, &f, &more, test_error()), ERR_FORMAT, wrong[k].message);
    }
}
