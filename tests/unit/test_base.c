/* Memory, strings, maps, JSON, random numbers, threads. */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/script.h"
#include "base/thread.h"
#include "tests/support/check.h"

TEST(numbers_are_written_as_printf_does)
{
    const double special[] = {
        0, -0.0, 0.00004, -0.00004, 0.99996, -9.99999, 1e7, 99999999.4, 1e8, -3e12, INFINITY, NAN
    };
    const long whole[] = { 0, 7, -7, 1234567890123, LONG_MAX, LONG_MIN };
    FREED(strbuf_fini) StrBuf b = { 0 };
    char want[64];
    for (int k = 0; k < 20000; k++) {
        double x = k < 12 ? special[k] : (rng_uniform(1, (uint64_t)k) - 0.5) * pow(10, k % 9);
        for (int digits = 0; digits <= 6; digits++) {
            strbuf_clear(&b);
            strbuf_fixed(&b, x, digits);
            snprintf(want, sizeof want, "%.*f", digits, x);
            assert_string_equal(b.ptr, want);
        }
    }
    for (int k = 0; k < 100000; k++) { /* exact ties of the last digit, and near ones */
        double x = (k - 50000) / 1000.0, half = (k - 50000) / 128.0;
        strbuf_clear(&b);
        strbuf_fixed(&b, x, 2);
        strbuf_fixed(&b, half, 2);
        snprintf(want, sizeof want, "%.2f%.2f", x, half);
        assert_string_equal(b.ptr, want);
    }
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) {
        strbuf_clear(&b);
        strbuf_long(&b, whole[k]);
        snprintf(want, sizeof want, "%ld", whole[k]);
        assert_string_equal(b.ptr, want);
    }
}

TEST(text_of_any_length_is_formatted)
{
    for (int n = 0; n < 600; n++) {
        FREED(strbuf_fini) StrBuf b = { 0 };
        strbuf_printf(&b, "%*d|", n, 7);
        strbuf_printf(&b, "%*d|", n, 8);
        size_t one = n > 1 ? (size_t)n : 1;
        assert_int_equal(b.len, 2 * one + 2);
        assert_int_equal(strlen(b.ptr), b.len);
        assert_true(b.ptr[one - 1] == '7' && b.ptr[one] == '|' && b.ptr[2 * one] == '8' && b.ptr[2 * one + 1] == '|');
    }
}

TEST(arena_rewinds_to_a_mark_and_aligns)
{
    MADE(Arena, arena_init, arena_fini, a, 4096);
    char *first = arena_strndup(&a, "abc", 3);
    ArenaMark m = arena_mark(&a);
    double *big = arena_alloc(&a, 10000, sizeof *big);
    int *small = arena_alloc(&a, 3, sizeof *small);
    assert_int_equal((uintptr_t)big % 64, 0);
    assert_int_equal((uintptr_t)small % 16, 0);
    size_t used = a.in_use;
    arena_rewind(&a, m);
    assert_true(a.in_use < used);
    assert_int_equal(a.in_use, 4);
    assert_string_equal(first, "abc");
    assert_ptr_equal(arena_alloc(&a, 10000, sizeof *big), big); /* the block is used again */
    assert_null(arena_alloc(&a, SIZE_MAX / 4, 8));
    assert_non_null(arena_alloc(&a, 0, 8));
}

TEST(aligned_memory_of_any_size_is_whole)
{
    const size_t sizes[] = { 0, 1, 65, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, (6 << 20) + 70000 };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        FREED(free_pointer) unsigned char *p = mem_aligned(sizes[k], 1);
        assert_int_equal((uintptr_t)p % 64, 0);
        memset(p, (int)k + 1, sizes[k]);
        for (size_t i = 0; i < sizes[k]; i += 997) assert_int_equal(p[i], k + 1);
    }
    assert_null(mem_aligned(SIZE_MAX / 4, 8));
}

TEST(a_map_numbers_its_keys_in_order)
{
    char key[20];
    MADE(StrMap, map_init, map_fini, m);
    assert_int_equal(map_find(&m, "x", 1), -1);
    for (int k = 0; k < 5000; k++) {
        int n = snprintf(key, sizeof key, "key%d", k);
        assert_int_equal(map_add(&m, key, (size_t)n), k);
    }
    for (int k = 0; k < 5000; k++) {
        int n = snprintf(key, sizeof key, "key%d", k);
        assert_int_equal(map_find(&m, key, (size_t)n), k);
        assert_int_equal(map_add(&m, key, (size_t)n), k);
    }
    assert_int_equal(map_find(&m, "key", 3), -1);
    assert_int_equal(map_add(&m, "", 0), 5000);
    assert_int_equal(map_add(&m, "a\0b", 3), -1);
    assert_int_equal(m.n, 5001);
}

TEST(characters_are_what_unicode_says)
{
    for (int32_t c = 0; c < 128; c++) {
        char text[2] = { (char)c, 0 };
        size_t fast = 0, slow = 0;
        assert_int_equal(utf8_next(text, 1, &fast), utf8_wide_next(text, 1, &slow));
        assert_int_equal(fast, slow);
        assert_int_equal(utf8_is_upper(c), utf8_wide_is_upper(c));
        assert_int_equal(utf8_is_lower(c), utf8_wide_is_lower(c));
        assert_int_equal(utf8_is_letter(c), utf8_wide_is_letter(c));
        assert_int_equal(utf8_is_digit(c), utf8_wide_is_digit(c));
        assert_int_equal(utf8_lower(c), utf8_wide_lower(c));
        bool control = (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x1f);
        assert_int_equal(utf8_is_space(c), control || utf8_wide_is_space(c));
    }
    static const char *const marks[] = { ",", "...", "“", "«", "。", "-" }, *const others[] = { "", "a.", "+", "1",
                                                                                                "$" };
    for (int k = 0; k < 6; k++) assert_true(text_is_punctuation(marks[k]));
    for (int k = 0; k < 5; k++) assert_false(text_is_punctuation(others[k]));
    static const char *const quotes[] = { "\"", "``", "''", "„", "“", "»", "』" };
    for (int k = 0; k < 7; k++) assert_true(text_is_quote(quotes[k]));
    for (int k = 0; k < 5; k++) assert_false(text_is_quote(others[k]) || text_is_quote(marks[0]));
    static const char *const of_mark[] = {
        [TEXT_NO_MARK] = "a-'’",       [TEXT_END] = ".?!。？！",      [TEXT_CLAUSE] = ";:；：",
        [TEXT_COMMA] = ",，、",        [TEXT_OPEN] = "([{（【《〈",   [TEXT_CLOSE] = ")]}）】》〉",
        [TEXT_OPEN_QUOTE] = "“«「『„", [TEXT_CLOSE_QUOTE] = "”»」』", [TEXT_QUOTE] = "\"‟"
    };
    for (int mark = 0; mark <= TEXT_QUOTE; mark++)
        for (size_t i = 0, len = strlen(of_mark[mark]); i < len;)
            assert_int_equal(text_mark(utf8_next(of_mark[mark], len, &i)), mark);
    assert_int_equal(text_pair(0x300E), text_pair(0x300F));
    size_t end = 1;
    assert_int_equal(utf8_next("a", 1, &end), 0xFFFD); /* after the end */
    assert_int_equal(end, 2);
}

TEST(invalid_bytes_are_found_anywhere)
{
    /* the third one is overlong, the fourth one a surrogate */
    static const char *const bad[] = { "\xff", "\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80" };
    static const char *const good[] = { "\xc3\xa9", "\xe2\x80\x99", "\xf0\x9f\x98\x82" };
    for (size_t len = 1; len < 40; len++)
        for (size_t at = 0; at < len; at++) {
            char text[40];
            for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
                size_t n = strlen(good[k]);
                memset(text, 'a', sizeof text);
                memcpy(text + at, good[k], at + n <= len ? n : len - at);
                assert_int_equal(utf8_invalid(text, len), at + n <= len ? len : at);
            }
            for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
                memset(text, 'a', sizeof text);
                memcpy(text + at, bad[k], at + strlen(bad[k]) <= len ? strlen(bad[k]) : len - at);
                assert_int_equal(utf8_invalid(text, len), at);
            }
        }
}

TEST(lines_numbers_and_strings_of_text)
{
    StrView text = view("one\r\ntwo\n\nlast"), line;
    static const char *const want[] = { "one", "two", "", "last" };
    size_t at = 0;
    for (int k = 0; k < 4; k++) {
        assert_true(text_line(text, &at, &line));
        assert_true(text_equal(line, want[k]));
    }
    assert_false(text_line(text, &at, &line));
    int number = 7;
    static const char *const no[] = { "", "x", "1x", "-1", " 1", "1 ", "123456789" };
    for (size_t k = 0; k < sizeof no / sizeof *no; k++) assert_false(text_number(view(no[k]), &number));
    assert_int_equal(number, 7);
    assert_true(text_number(view("00012345"), &number));
    assert_int_equal(number, 12345);
    text_lower(test_out(), "\303\204Bc\316\251", 6);
    assert_string_equal(test_written(), "\303\244bc\317\211");
    json_view(test_out(), NULL, (StrView){ "a\"\\\n\x01z", 6 });
    assert_string_equal(test_written(), "\"a\\\"\\\\\\n\\u0001z\"");
    json_string(test_out(), NULL, "\xc2\x85\xe2\x80\xa8\xe2\x80\xa9\xc2\x86\xe2\x80z\xff"); /* JSON is UTF-8 */
    assert_string_equal(test_written(), "\"\\u0085\\u2028\\u2029\xc2\x86\ufffd\ufffdz\ufffd\"");
}

TEST(json_has_its_commas)
{
    static const char *const texts[] = { "a", NULL };
    FREED(strbuf_fini) StrBuf b = { 0 }, inner = { 0 };
    for (int k = 0; k < 2; k++, b.compact = true) {
        strbuf_clear(&b);
        json_object(&b, NULL);
        json_array(&b, "none");
        json_array_end(&b);
        json_record(&b, "in", "i: %d, l: %ld, s: %s, x: %.2f, y: %g", -1, 2L, "", 0.5, INFINITY);
        json_strings(&b, "[,", texts, 2);
        json_line(&b);
        json_ints(&b, NULL, (const int[]){ 1, 2 }, 2);
        strbuf_puts(&inner, "{}");
        json_take(&b, "t", &inner);
        json_bool(&b, "b", true);
        json_object_end(&b);
        assert_string_equal(b.ptr, k ? "{\"none\":[],\"in\":{\"i\":-1,\"l\":2,\"s\":\"\",\"x\":0.50,\"y\":null},"
                                       "\"[,\":[\"a\",null],\n[1,2],\"t\":\"{}\",\"b\":true}"
                                     : "{\"none\": [], \"in\": {\"i\": -1, \"l\": 2, \"s\": \"\", \"x\": 0.50, "
                                       "\"y\": null}, \"[,\": [\"a\", null],\n[1, 2], \"t\": \"{}\", \"b\": true}");
    }
}

/* ---- words chosen to collide */

typedef struct Block {
    uint32_t hash; /* state of FNV-1a after the preceding blocks and this one, before the final mixing */
    char text[9];
} Block;

static int by_hash(const void *a, const void *b)
{
    uint32_t x = ((const Block *)a)->hash, y = ((const Block *)b)->hash;
    return x < y ? -1 : x > y;
}

/* Finds two random words of eight letters that take FNV-1a from state `from` to the same state; returns that state. */
static uint32_t find_pair(uint32_t from, char pair[2][9])
{
    enum { N = 400000 }; /* about 18 pairs of them collide in 32 bits */
    FREED(free_pointer) Block *block = mem_alloc(N, sizeof *block);
    assert_non_null(block);
    for (int k = 0; k < N; k++) {
        block[k] = (Block){ .hash = from };
        uint64_t random = rng_mix((uint64_t)k);
        for (int i = 0; i < 8; i++, random >>= 8) {
            block[k].text[i] = (char)('a' + (random & 255) % 26);
            block[k].hash = (block[k].hash ^ (unsigned char)block[k].text[i]) * 16777619u;
        }
    }
    qsort(block, N, sizeof *block, by_hash);
    int k = 1;
    while (k < N && block[k].hash != block[k - 1].hash) k++;
    assert_true(k < N);
    memcpy(pair[0], block[k - 1].text, 9);
    memcpy(pair[1], block[k].text, 9);
    uint32_t met = block[k].hash;
    return met;
}

/* Slots inspected to find every key once. */
static long probes(const StrMap *m)
{
    long n = 0;
    for (int s = 0; s < m->n_slots; s++)
        if (m->slots[s] >= 0) n += 1 + (long)(((uint32_t)s - m->hashes[m->slots[s]]) & (uint32_t)(m->n_slots - 1));
    return n;
}

/* 2048 words of eleven blocks, each block one of a colliding pair (Joux 2004): all words have the same text_hash. */
TEST(words_chosen_to_collide_do_not_collide_in_a_map)
{
    enum { BLOCKS = 11, WORDS = 1 << BLOCKS, LENGTH = 8 * BLOCKS };
    char pair[BLOCKS][2][9], word[LENGTH + 1];
    uint32_t met = 2166136261u, same = 0;
    MADE(StrMap, map_init, map_fini, m);
    for (int b = 0; b < BLOCKS; b++) met = find_pair(met, pair[b]);
    for (int k = 0; k < WORDS; k++) {
        for (int b = 0; b < BLOCKS; b++) memcpy(word + 8 * b, pair[b][k >> b & 1], 9);
        uint32_t h = text_hash(word, LENGTH);
        if (k) assert_int_equal(h, same);
        same = h;
        assert_int_equal(map_add(&m, word, LENGTH), k);
    }
    if (probes(&m) > 3 * WORDS)
        fail_msg("found %ld slots inspected for %d words, expected at most 3 each", probes(&m), WORDS);
}

TEST(maps_have_different_hash_keys_and_equal_numbers)
{
    char key[20];
    MADE(StrMap, map_init, map_fini, a);
    MADE(StrMap, map_init, map_fini, b);
    assert_true(a.key[0] != b.key[0] && a.key[1] != b.key[1]);
    for (int k = 0; k < 1000; k++) {
        int n = snprintf(key, sizeof key, "%0*d", 1 + k % 17, k); /* all lengths modulo 8 */
        assert_int_equal(map_add(&a, key, (size_t)n), map_add(&b, key, (size_t)n));
        assert_int_equal(map_find(&a, key, (size_t)n), map_find(&b, key, (size_t)n));
    }
    assert_int_equal(a.n, b.n);
}

TEST(a_text_has_the_same_hash_everywhere)
{
    assert_int_equal(text_hash("", 0), 0x1ab0fbcdu);
    assert_int_equal(text_hash("un\xE2\x80\xA6", 5), 0x03bdcc9du);
}

/* What a text is does not depend on memory: JSON without memory is ERR_NOMEM, anything else ERR_FORMAT. */
TEST(json_out_of_memory_is_not_a_format_error)
{
    static const char *const good[] = { "{\"a\": [1]}",
                                        "[]",
                                        "{}",
                                        "null",
                                        " -0.5e+7\n",
                                        "\"\\u00e9\\ud83d\\ude00\\/\\\\\"",
                                        "\xef\xbb\xbf{\"a\": {\"\": [[], {}, true, false, 1E3]}, \"a\":\x18\"\x01\"}",
                                        "[[[[[[[[[[[[1]]]]]]]]]]], \"\\n\"]" };
    static const char *const bad[] = {
        "{\"a\": ",   "",    " ",       "{\"a\": [1],}", "[1 2]",       "[1,]",      "{\"a\" 1}", "{1: 2}", "[1}",
        "{\"a\": 1]", "\"a", "\"\\x\"", "\"\\ud83d\"",   "\"\\udc00\"", "\"\\u12\"", "nul",       "tru",    "-",
        "+1",         ".5",  "[1]]",    "[1] x",         "{\"a\": 1}}", "{\"a\"}",   "{,}",       "'a'"
    };
    Error *e = test_error();
    cJSON *j;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        for (long n = 0; allocation_fails(n); n++) {
            mem_fail_after(n);
            if (assert_ok_or_no_memory(json_parse(good[k], strlen(good[k]), &j, test_error()))) cJSON_Delete(j);
            else assert_null(j);
        }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        for (long n = -1; n < 12; n++) {
            mem_fail_after(n);
            if (json_parse(bad[k], strlen(bad[k]), &j, e) != ERR_FORMAT) fail_msg("%ld: %s", n, bad[k]);
            assert_null(j);
            assert_int_equal(e->code, OK);
        }
    mem_fail_after(-1);
}

/* What cJSON refuses with enough memory is never called lack of memory. */
TEST(text_that_is_not_json_does_not_lack_memory)
{
    static const char text[] =
        "\xef\xbb\xbf{ \"a\" : [1, -2.5e+3 ,\n {\"b\\\"]\\u00e9\\ud83d\\ude00\\n\": null, \"c\":\"x\\\\\"}],"
        " \"d\":\x18{},\n\"e\": [[], [true,false]], \"\": 0.1E-7, \"f\":[ ] }\r\n";
    static const char other[] = "{}[]:,\"\\u0123456789abcdDeEtrfn.+- \n\x01\x7f/";
    int read = 0, refused = 0;
    for (uint64_t k = 0; k < 20000; k++) {
        char changed[sizeof text];
        cJSON *j;
        memcpy(changed, text, sizeof text);
        for (uint32_t i = 0; i <= k % 3; i++)
            changed[rng_bits32(2 * k, i) % (sizeof text - 1)] = other[rng_bits32(2 * k + 1, i) % (sizeof other - 1)];
        size_t len = k % 5 ? sizeof text - 1 : rng_bits32(k, 9) % sizeof text;
        Status s = json_parse(changed, len, &j, test_error());
        if (s == ERR_NOMEM) fail_msg("%.*s", (int)len, changed);
        read += s == OK;
        refused += s != OK;
        cJSON_Delete(j);
    }
    assert_true(read > 1000 && refused > 1000);
}

/* A value at a path, and its place in the text. */
TEST(json_values_have_a_place)
{
    static const char text[] =
        "\xef\xbb\xbf{ \"a\" : [1, -2.5e3 ,\n  {\"b\\\"]\": null, \"c\":\"x, y\"}], \"d\":\x18{},\n"
        "\"e\": [[], [true]], \"a\": 0 }";
    static const struct {
        const char *path;
        long line, column, key_line, key_column;
    } cases[] = {
        { "", 1, 4, 1, 4 },       { "a", 1, 12, 1, 6 },        { "a[0]", 1, 13, 1, 13 }, { "a[1]", 1, 16, 1, 16 },
        { "a[2]", 2, 3, 2, 3 },   { "a[2].c", 2, 22, 2, 18 },  { "d", 2, 37, 2, 32 },    { "e", 3, 6, 3, 1 },
        { "e[1]", 3, 11, 3, 11 }, { "e[1][0]", 3, 12, 3, 12 },
    };
    static const char *const none[] = { "x", "a[3]", "a[-1]", "a.b", "d[0]", "a[1", "e[0][0]", "a[2].c.d" };
    size_t len = sizeof text - 1;
    cJSON *j;
    assert_ok(json_parse(text, len, &j, test_error()));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const cJSON *x = json_at(j, cases[k].path);
        if (!x) fail_msg("%s was not found", cases[k].path);
        TextPlace value = json_place(text, len, j, x, false), key = json_place(text, len, j, x, true);
        if (value.line != cases[k].line || value.column != cases[k].column || key.line != cases[k].key_line ||
            key.column != cases[k].key_column)
            fail_msg("%s: %ld:%ld, key %ld:%ld", cases[k].path, value.line, value.column, key.line, key.column);
    }
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) assert_null(json_at(j, none[k]));
    const cJSON *second = json_at(j, "e")->next; /* the second a */
    assert_int_equal(json_place(text, len, j, second, true).column, 20);
    assert_int_equal(json_place(text, len, j, NULL, true).line, 0);
    cJSON_Delete(j);
}

TEST(text_that_is_not_json_has_a_place)
{
    static const char *const cases[][2] = {
        { "{\"a\": NaN}", "x.json:1:7: found 'NaN}', expected JSON" },
        { "{\"a\": 1,\n \"b\" 2}", "x.json:2:6: found '2}', expected JSON" },
        { "{\"a\": [1, 2}", "x.json:1:12: found '}', expected JSON" },
        { "{} {}", "x.json:1:4: found '{}', expected JSON" },
        { "[1, \"a\"]}", "x.json:1:9: found '}', expected JSON" },
        { "{\"a\": \"b\"", "x.json:1:10: found the end, expected more JSON" },
        { "{\"a\": \"b]}", "x.json:1:8: found 'b]}', expected JSON" },
        { "[[1], \"\\\"]\"\n", "x.json:2:1: found the end, expected more JSON" },
        { "", "x.json:1:1: found the end, expected more JSON" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cJSON *j;
        assert_fails(json_parse_file(cases[k][0], strlen(cases[k][0]), "x.json", &j, test_error()), ERR_FORMAT,
                     cases[k][1]);
        assert_null(j);
    }
}

/* What cJSON would take: each with the offset of its fault, or -1. */
TEST(faults_of_json_that_its_parser_takes_are_found)
{
    static const struct {
        const char *text;
        int at;
        const char *found;
    } cases[] = {
        { "{\"a\\u0000b\": 1}", 3, "found \\u0000, a NUL character" },
        { "[\"\\\\u0000\"]", -1, NULL }, /* an escaped backslash */
        { "[\"\\ud83d\\uDE00\", \"\\u00e9\\uD800\"]", 24, "found half of a pair of surrogates" },
        { "[\"\\udc00\"]", 2, "found half of a pair of surrogates" },
        { "[\"\\ud800\\u0041\"]", 2, "found half of a pair of surrogates" },
        { "[\"\\ud800\\ud800\"]", 2, "found half of a pair of surrogates" },
        { "[\"\\ud800", 2, "found half of a pair of surrogates" },
        { "[\"\\u00g0\"]", 2, "found \\u without four hexadecimal digits" },
        { "[\"\\u12", 2, "found \\u without four hexadecimal digits" },
        { "[\"\\u 123\"]", 2, "found \\u without four hexadecimal digits" },
        { "[\"\\x41\"]", 2, "found a backslash that escapes nothing" },
        { "[\"\\", 2, "found a backslash that escapes nothing" },
        { "[\"a\nb\"]", 3, "found a control character in a string, expected it escaped" },
        { "[\x01"
          "1]",
          1, "found a control character" },
        { "[01]", 1, "found a number that JSON does not have" },
        { "[1.]", 1, "found a number that JSON does not have" },
        { "[-]", 1, "found a number that JSON does not have" },
        { "[1e]", 1, "found a number that JSON does not have" },
        { "[1.5e+]", 1, "found a number that JSON does not have" },
        { "[1-2]", 1, "found a number that JSON does not have" },
        { "\t[0, -0, 10, 1.5, 2e3, -0.5E-10, 1E+2, true, \"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]\r\n", -1, NULL },
        { "", -1, NULL },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *found = NULL, *text = cases[k].text;
        size_t expected = cases[k].at < 0 ? strlen(text) : (size_t)cases[k].at,
               at = json_fault(text, strlen(text), &found);
        if (at != expected) fail_msg("%s: %zu, expected %zu", text, at, expected);
        if (cases[k].found) assert_string_equal(found, cases[k].found);
    }
}

TEST(texts_that_differ_are_quoted_where_they_do)
{
    static const struct {
        const char *a, *b, *found, *expected;
    } cases[] = {
        { "men", "man", "'men'", "'man'" },
        { "", "a", "''", "'a'" },
        { "cafe\u0301", "caf\u00e9", "'cafe\u0301' (U+0065 U+0301)", "'caf\u00e9' (U+00E9)" },
        { "a\u0300", "a\u0301", "'a\u0300' (U+0061 U+0300)", "'a\u0301' (U+0061 U+0301)" },
        { "\u0421at", "Cat", "'\u0421at' (U+0421)", "'Cat' (U+0043)" },
        { "ab", "ab\u200b", "'ab' (U+0062)", "'ab\u200b' (U+0062 U+200B)" },
        { "\u200b", "", "'\u200b' (U+200B)", "''" },
        { "\ufb01n", "fin", "'\ufb01n' (U+FB01)", "'fin' (U+0066)" },
        { "\u00e8", "\u00e9", "'\u00e8' (U+00E8)", "'\u00e9' (U+00E9)" }, /* the same first byte */
        { "\u00e9", "\u00e9a", "'\u00e9'", "'\u00e9a'" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const TextContrast c = text_contrast(view(cases[k].a), view(cases[k].b));
        assert_string_equal(c.found, cases[k].found);
        assert_string_equal(c.expected, cases[k].expected);
    }
    char a[600], b[600]; /* the shown part of long texts has the difference, and whole characters */
    for (int at = 0; at < 500; at += 7) {
        for (int k = 0; k + 1 < 599; k += 2) memcpy(a + k, "\u00e9", 2);
        a[598] = '\0';
        memcpy(b, a, sizeof a);
        memcpy(b + 2 * (at / 2), "xy", 2);
        const TextContrast c = text_contrast(view(a), view(b));
        assert_non_null(strstr(c.expected, "xy"));
        assert_null(strstr(c.found, "xy"));
        assert_int_equal(utf8_invalid(c.found, strlen(c.found)), strlen(c.found));
    }
}

TEST(errors_hold_what_a_terminal_may_show)
{
    Error e = { 0 };
    error_at(&e, ERR_FORMAT, "a\x1b\xff.txt", 1, 2, "found '%s'",
             "\x1b[2J\n\xc2\x9b\xe2\x80\xae\xd8\x9c\x7f\xe4\xb8\xad");
    assert_error(&e, ERR_FORMAT,
                 "a<U+001B>\\xff.txt:1:2: found '<U+001B>[2J<U+000A><U+009B><U+202E><U+061C><U+007F>\xe4\xb8\xad'");
    strbuf_visible(test_out(), "a\tb\n\xe2\x81\xa6\xef\xbf\xbd\xc3", 11);
    assert_string_equal(test_written(), "a\tb\n<U+2066>\xef\xbf\xbd\\xc3");
}

/* Every length of a path and a message of characters of three bytes, and every size of the text. */
TEST(errors_are_cut_between_characters)
{
    char path[700] = "", word[1000] = "", text[1400];
    for (int shift = 0; shift < 4; shift++) {
        Error e = { 0 };
        memset(path, 'a', 600);
        memset(word, 'a', 800);
        for (int k = 0; k < 200; k++) memcpy(path + shift + 3 * k, "\xe4\xb8\xad", 3);
        for (int k = 0; k < 300; k++) memcpy(word + shift + 3 * k, "\xe4\xb8\xad", 3);
        error_at(&e, ERR_FORMAT, path, 0, 0, "%s", word);
        assert_memory_equal(e.path, "...", 3);
        assert_in_range(strlen(e.path), sizeof e.path - 3, sizeof e.path - 1);
        assert_in_range(strlen(e.message), sizeof e.message - 3, sizeof e.message - 1);
        assert_int_equal(utf8_invalid(e.path, strlen(e.path)), strlen(e.path));
        assert_null(strstr(e.path, "\\x"));
        assert_int_equal(utf8_invalid(e.message, strlen(e.message)), strlen(e.message));
        for (size_t size = 1; size < sizeof text; size++) {
            error_text(&e, text, size);
            assert_int_equal(utf8_invalid(text, strlen(text)), strlen(text));
        }
    }
    for (size_t most = 0; most < 9; most++)
        assert_int_equal(utf8_cut("\xe4\xb8\xad\xe4\xb8\xad!", 7, most), most < 3   ? 0
                                                                         : most < 6 ? 3
                                                                         : most < 7 ? 6
                                                                                    : 7);
    cJSON *j = NULL;
    assert_fails(json_parse_file("[\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                                 "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9",
                                 34, "x", &j, test_error()),
                 ERR_FORMAT,
                 "x:1:2: found '\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                 "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 ', expected JSON");
}

TEST(random_numbers_depend_on_key_and_counter_only)
{
    int perm[100], seen[100] = { 0 };
    double sum = 0, squares = 0;
    rng_permutation(7, perm, 100);
    for (int k = 0; k < 100; k++) seen[perm[k]]++;
    for (int k = 0; k < 100; k++) assert_int_equal(seen[k], 1);
    for (uint64_t k = 0; k < 100000; k++) {
        double x = rng_normal(3, k);
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / 1e5) < 0.02 && fabs(squares / 1e5 - 1) < 0.02);
    assert_true(rng_key(1, 2, 3, 4) != rng_key(1, 2, 4, 3));
    assert_int_equal(rng_bits32(5, 6), rng_bits32(5, 6));
    long ones = 0;
    for (uint32_t k = 0; k < 100000; k++) ones += rng_bits32(11, k) < 0x40000000u;
    assert_true(labs(ones - 25000) < 600);
}

static void count(void *context, int worker, int item)
{
    (void)worker;
    ((int *)context)[item]++;
}

TEST(every_item_is_worked_on_once)
{
    for (int threads = 1; threads <= 5; threads++) {
        int done[57] = { 0 };
        ThreadTeam *team = thread_team_new(threads);
        assert_non_null(team);
        for (int n = 0; n <= 57; n++) {
            thread_team_run(team, n, count, done);
            if (n % 20 == 0) thread_team_rest(team);
        }
        thread_team_free(team);
        parallel_for(threads, 57, count, done);
        thread_team_run(NULL, 57, count, done);
        for (int k = 0; k < 57; k++) assert_int_equal(done[k], 57 - k + 2);
    }
}

/* Workers of items that wait for one another: there are as many, all of them below the number of items, in the process
 * and in one that is forked from it. */
typedef struct Meeting {
    pthread_mutex_t lock;
    pthread_cond_t all;
    int expected, here;
    bool seen[8]; /* workers */
} Meeting;

static void meet(void *context, int worker, int item)
{
    (void)item;
    Meeting *m = context;
    pthread_mutex_lock(&m->lock);
    m->seen[worker] = true;
    if (++m->here == m->expected) pthread_cond_broadcast(&m->all);
    while (m->here < m->expected) pthread_cond_wait(&m->all, &m->lock);
    pthread_mutex_unlock(&m->lock);
}

static bool all_meet(ThreadTeam *team, int n)
{
    Meeting m = { .lock = PTHREAD_MUTEX_INITIALIZER, .all = PTHREAD_COND_INITIALIZER, .expected = n };
    bool all = true;
    thread_team_run(team, n, meet, &m);
    for (int k = 0; k < 8; k++) all = all && m.seen[k] == (k < n);
    return all;
}

TEST(letters_have_the_script_of_their_block)
{
    const struct {
        const char *text, *script;
        long letters;
    } rows[] = { { "", NULL, 0 },
                 { "1984 \342\200\223 ?!", NULL, 0 },
                 { "na\303\257ve \316\261", "Latin", 6 },
                 { "\320\257 I \320\226", "Cyrillic", 3 },
                 { "\344\270\255\345\233\275 A", "Han", 3 },
                 { "\360\240\200\200", "Han", 1 }, /* U+20000 */
                 { "\343\201\213\343\202\253", "Kana", 2 },
                 { "\327\251\327\234\327\225\327\235", "Hebrew", 4 },
                 { "\357\273\274", "Arabic", 1 }, /* U+FEFC */
                 { "\352\260\200\355\236\243", "Hangul", 2 } };
    for (int k = 0; k < (int)(sizeof rows / sizeof *rows); k++) {
        ScriptCounts c = { 0 };
        script_count(&c, rows[k].text, strlen(rows[k].text));
        assert_int_equal(c.all, rows[k].letters);
        if (rows[k].script) assert_string_equal(script_name(script_most(&c)), rows[k].script);
        else assert_int_equal(script_most(&c), -1);
    }
}

TEST(a_team_works_in_a_forked_process_too)
{
    ThreadTeam *team = thread_team_new(4);
    int status = 0;
    assert_non_null(team);
    for (int n = 4; n > 0; n--) assert_true(all_meet(team, n));
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        bool all = all_meet(team, 3) && all_meet(team, 4);
        thread_team_free(team);
        _exit(all ? 0 : 1);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    child = fork();
    if (child == 0) { /* frees what it never used */
        alarm(60);
        thread_team_free(team);
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(all_meet(team, 4));
    thread_team_free(team);
}
