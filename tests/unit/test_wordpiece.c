/* WordPiece vocabularies, their files, and pieces of hostile texts. */
#include <stdlib.h>
#include <unistd.h>

#include "embeddings/wordpiece.h"
#include "tests/support/check.h"

#define MODEL "\"model\": {\"type\": \"WordPiece\", \"unk_token\": \"[UNK]\", \"max_input_chars_per_word\": 8, "
#define RULES "\"normalizer\": {\"type\": \"BertNormalizer\"}, \"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"}, "
#define VOCAB "\"vocab\": {\"[UNK]\": 0, \"a\": 1, \"##a\": 2, \"ab\": 3, \"##b\": 4, \"e\": 5, \"i\": 6, \"ss\": 7}}"

static Status read_json(WordPiece *w, const char *text)
{
    return wordpiece_read_json(w, test_text("0", text), test_error());
}

/* "id[begin,end] ..." of the pieces of a text. */
static const char *pieces_of(const WordPiece *w, const char *text, size_t len)
{
    static char line[1000];
    FREED(pieces_fini) Pieces p = { 0 };
    assert_ok(wordpiece_encode(w, (StrView){ text, len }, &p, test_error()));
    line[0] = 0;
    for (int k = 0; k < p.n; k++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%d[%d,%d]", k ? " " : "", p.p[k].id, p.p[k].begin,
                 p.p[k].end);
    return line;
}
#define PIECES(w, text) pieces_of(w, text, sizeof(text) - 1)

TEST(longest_pieces_first_and_unknown_words)
{
    FREED(wordpiece_fini) WordPiece w;
    assert_ok(read_json(&w, "{" RULES MODEL VOCAB "}"));
    assert_string_equal(PIECES(&w, "abab aba"), "3[0,2] 2[2,3] 4[3,4] 3[5,7] 2[7,8]");
    assert_string_equal(PIECES(&w, "ab abc"), "3[0,2] 0[3,6]");
    assert_string_equal(PIECES(&w, "abb  a"), "3[0,2] 4[2,3] 1[5,6]");
    assert_string_equal(PIECES(&w, ""), "");
    assert_string_equal(PIECES(&w, " \t\r\n"), "");
    assert_string_equal(PIECES(&w, "aaaaaaaa aaaaaaaaa"),
                        "1[0,1] 2[1,2] 2[2,3] 2[3,4] 2[4,5] 2[5,6] 2[6,7] 2[7,8] 0[9,18]"); /* 8 characters at most */
}

TEST(places_are_those_of_the_original_characters)
{
    FREED(wordpiece_fini) WordPiece w;
    assert_ok(read_json(&w, "{" RULES MODEL VOCAB "}"));
    assert_string_equal(PIECES(&w, "\u00c0B"), "3[0,3]");                  /* capital A with grave, B */
    assert_string_equal(PIECES(&w, "A\u0300b"), "3[0,4]");                 /* the same with a combining grave */
    assert_string_equal(PIECES(&w, "\u0130"), "6[0,2]");                   /* capital I with dot */
    assert_string_equal(PIECES(&w, "a\000b\001\u00adb"), "3[0,3] 4[6,7]"); /* what is removed is inside */
    assert_string_equal(PIECES(&w, "a\u4e00b"), "1[0,1] 0[1,4] 0[4,5]");   /* an ideograph is a word */
    assert_string_equal(PIECES(&w, "a.\u3000a"), "1[0,1] 0[1,2] 1[5,6]");
    assert_string_equal(PIECES(&w, "a\377b\303"), "3[0,3]"); /* bytes that are not UTF-8 count as U+FFFD */
}

TEST(added_pieces_are_found_before_the_text_is_split)
{
    static const char text[] =
        "{\"added_tokens\": [{\"id\": 8, \"content\": \"[M]\", \"lstrip\": true, \"rstrip\": true},"
        "{\"id\": 9, \"content\": \"[M]x\"}, {\"id\": 10, \"content\": \"Yes\", \"single_word\": true},"
        "{\"id\": 11, \"content\": \"low\", \"normalized\": true}], " RULES MODEL VOCAB "}";
    FREED(wordpiece_fini) WordPiece w;
    assert_ok(read_json(&w, text));
    assert_string_equal(PIECES(&w, "a [M]  a"), "1[0,1] 8[1,7] 1[7,8]");
    assert_string_equal(PIECES(&w, "a[M]xa"), "1[0,1] 9[1,5] 1[5,6]");
    assert_string_equal(PIECES(&w, "Yes Yesa Yes.yes"), "10[0,3] 0[4,8] 10[9,12] 0[12,13] 0[13,16]");
    assert_string_equal(PIECES(&w, "aL\xC3\x93Wa"), "1[0,1] 11[1,5] 1[5,6]");
    w.trim = true;
    assert_string_equal(PIECES(&w, "a [M]  a"), "1[0,1] 8[2,5] 1[7,8]");
}

TEST(files_that_are_wrong_have_a_message_with_a_place)
{
    static const Refused cases[] = {
        { "", "1:1: found the end, expected more JSON" },
        { "[]", "1:1: found another JSON value, expected an object" },
        { "{}", "1:1: found no 'model', expected an object" },
        { "{\"model\": {\"type\": \"BPE\"}}", "1:20: model: found type 'BPE', expected 'WordPiece'" },
        { "{" MODEL VOCAB "}", "1:1: found no object 'normalizer', expected one of type BertNormalizer" },
        { "{\"normalizer\": {\"type\": \"NFC\"}, " MODEL VOCAB "}",
          "1:25: normalizer: found type 'NFC', expected 'BertNormalizer'" },
        { "{" RULES "\n" MODEL "\"vocab\": {\"[UNK]\": 0, \"a\": 0}}}",
          "2:112: found id 0 again, expected an id for each piece" },
        { "{" RULES "\n" MODEL "\"vocab\": {\"[UNK]\": 0, \"a\": -1}}}",
          "2:112: found another id, expected a whole number from 0 to 1048575" },
        { "{" RULES "\n" MODEL "\"vocab\": {\"[UNK]\": 0, \"a\": 1, \"a\": 2}}}",
          "2:10: found piece 'a' with two ids, expected one" },
        { "{" RULES "\n" MODEL "\"vocab\": {\"a\": 1}}}", "2:10: found no piece '[UNK]' for unknown words" },
        { "{" RULES "\n" MODEL "\"vocab\": {\"[UNK]\": 0, \"\\u0000\": 1}}}",
          "2:108: found a NUL character, expected text" },
        { "{\"added_tokens\": [{\"content\": \"x\"}], " RULES MODEL VOCAB "}", "1:19: found no 'id', expected one" },
        { "{\"added_tokens\": [{\"id\": 1, \"content\": \"\"}], " RULES MODEL VOCAB "}",
          "1:19: found an added piece without text" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        WordPiece w;
        assert_fails(read_json(&w, cases[k].text), ERR_FORMAT, test_format("%s:%s", test_path("0"), cases[k].message));
    }
}

TEST(an_added_piece_has_a_limit)
{
    WordPiece w;
    for (int n = 256; n <= 257; n++) {
        Status s = read_json(
            &w, test_format("{\"added_tokens\": [{\"id\": 8, \"content\": \"%0*d\"}], " RULES MODEL VOCAB "}", n, 1));
        if (n == 256) assert_ok(s);
        else assert_fails_with(s, ERR_FORMAT, "found an added piece of 257 bytes, expected at most 256");
        if (s == OK) wordpiece_fini(&w);
    }
}

static Status read_vocabulary(WordPiece *w, const char *vocabulary, size_t len, const char *config)
{
    return wordpiece_read_vocabulary(w, test_file("0", vocabulary, len), test_text("1", config), NULL, test_error());
}

TEST(a_vocabulary_has_ids_by_the_order_of_its_lines)
{
    static const char lines[] = "a\r\n[UNK]\n\nb\n##b\na\n[MASK]";
    FREED(wordpiece_fini) WordPiece w;
    assert_ok(read_vocabulary(&w, lines, sizeof lines - 1, "{}"));
    assert_int_equal(w.n, 7);
    assert_int_equal(w.unknown, 1);
    assert_string_equal(PIECES(&w, "A bb [MASK] [mask]"), "5[0,1] 3[2,3] 4[3,4] 6[5,11] 1[12,13] 1[13,17] 1[17,18]");
    wordpiece_fini(&w);
    assert_ok(read_vocabulary(&w, lines, sizeof lines - 1, "{\"do_lower_case\": false}"));
    assert_string_equal(PIECES(&w, "A a"), "1[0,1] 5[2,3]");
    wordpiece_fini(&w);
    assert_ok(read_vocabulary(
        &w, lines, sizeof lines - 1,
        "{\"unk_token\": {\"content\": \"b\", \"lstrip\": true}, \"additional_special_tokens\": [\"##b\"],"
        "\"added_tokens_decoder\": {\"9\": {\"content\": \"new\"}}}"));
    assert_string_equal(PIECES(&w, "x b##bnew"), "3[0,1] 3[1,3] 4[3,6] 9[6,9]");
}

TEST(vocabularies_that_are_wrong_have_a_message_with_a_place)
{
    static const struct {
        const char *lines;
        size_t len;
        const char *config, *message;
        int file;
    } cases[] = {
        { "", 0, "{}", "1:1: found no piece", 0 },
        { "[UNK]\nab\xFF", 9, "{}", "2:3: found a byte that is not UTF-8, expected a piece", 0 },
        { "[UNK]\na\0b", 9, "{}", "2:2: found a byte that is NUL, expected a piece", 0 },
        { "a\nb\n", 4, "{}", " found no piece '[UNK]' for unknown words", 0 },
        { "[UNK]\n", 6, "{\"do_lower_case\": 1}", "1:19: do_lower_case: found another value, expected true or false",
          1 },
        { "[UNK]\n", 6, "{\"cls_token\": 1}", "1:15: found another value, expected a special piece", 1 },
        { "[UNK]\n", 6, "{\"added_tokens_decoder\": {\"x\": {\"content\": \"y\"}}}",
          "1:27: found 'x', expected an id below 1048576", 1 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        WordPiece w;
        assert_fails(read_vocabulary(&w, cases[k].lines, cases[k].len, cases[k].config), ERR_FORMAT,
                     test_format("%s/%d:%s", test_folder(), cases[k].file, cases[k].message));
    }
    WordPiece w;
    assert_int_equal(wordpiece_read_vocabulary(&w, "/nonexistent/vocab.txt", "/nonexistent/config", NULL, test_error()),
                     ERR_IO);
}

TEST(the_time_to_encode_is_that_of_the_length)
{
    enum { N = 1 << 22 };
    static const char *const parts[] = { "a", "\xCC\x80", "\xF0\x9D\x85\xA5\xF0\x9D\x85\xAD", "[M", "\xEF\xB7\xBA",
                                         " ", "." };
    FREED(wordpiece_fini) WordPiece w;
    assert_ok(read_json(
        &w, "{\"added_tokens\": [{\"id\": 8, \"content\": \"[M]\", \"lstrip\": true}]," RULES MODEL VOCAB "}"));
    FREED(free_pointer) char *text = malloc(N);
    assert_non_null(text);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        size_t len = strlen(parts[k]), n = 0;
        for (; n + len <= N; n += len) memcpy(text + n, parts[k], len);
        FREED(pieces_fini) Pieces p = { 0 };
        assert_ok(wordpiece_encode(&w, (StrView){ text, n }, &p, test_error()));
        for (int i = 0; i < p.n; i++) assert_true(p.p[i].begin <= p.p[i].end && p.p[i].end <= (int)n);
    }
    assert_int_equal(wordpiece_encode(&w, (StrView){ "", PIECES_MOST_TEXT + 1 }, NULL, test_error()), ERR_LIMIT);
}

TEST(every_allocation_may_fail)
{
    static const char json[] =
        "{\"added_tokens\": [{\"id\": 8, \"content\": \"[M]\"}, {\"id\": 9, \"content\": \"low\","
        "\"normalized\": true}], " RULES MODEL VOCAB "}";
    static const char text[] = "a [M] \xF0\x9D\x85\xA5 low \xE4\xB8\x80 abab";
    const char *path = test_file("0", json, sizeof json - 1), *lines = test_file("1", "a\n[UNK]\n[MASK]\n", 15),
               *config = test_file("2", "{}", 2);
    for (int form = 0; form < 2; form++)
        for (long n = 0; allocation_fails(n); n++) {
            WordPiece w;
            FREED(pieces_fini) Pieces p = { 0 };
            mem_fail_after(n);
            Status s = form ? wordpiece_read_vocabulary(&w, lines, config, NULL, test_error())
                            : wordpiece_read_json(&w, path, test_error());
            bool read = s == OK;
            if (read) s = wordpiece_encode(&w, (StrView){ text, sizeof text - 1 }, &p, test_error());
            assert_ok_or_no_memory(s);
            if (read) wordpiece_fini(&w);
        }
}

/* ---- the trie */

TEST(a_trie_finds_the_longest_key)
{
    static const TrieKey keys[] = {
        { { "ab", 2 }, 0 }, { { "abcd", 4 }, 1 }, { { "b\0c", 3 }, 2 }, { { "", 0 }, 3 }, { { "\xFF", 1 }, 4 }
    };
    FREED(piece_trie_fini) PieceTrie t;
    int twice = -1;
    size_t used = 9;
    assert_ok(piece_trie_init(&t, keys, 5, &twice, test_error()));
    assert_int_equal(piece_trie_longest(&t, piece_trie_start(&t), view("abcx"), &used), 0);
    assert_int_equal(used, 2);
    assert_int_equal(piece_trie_longest(&t, piece_trie_start(&t), view("abcde"), &used), 1);
    assert_int_equal(used, 4);
    assert_int_equal(piece_trie_longest(&t, piece_trie_start(&t), view("a"), &used), -1);
    assert_int_equal(piece_trie_find(&t, (StrView){ "b\0c", 3 }), 2);
    assert_int_equal(piece_trie_find(&t, (StrView){ "b", 1 }), -1);
    assert_int_equal(piece_trie_find(&t, (StrView){ "", 0 }), 3);
    assert_int_equal(piece_trie_find(&t, (StrView){ "\xFF", 1 }), 4);
    piece_trie_fini(&t);
    static const TrieKey again[] = { { { "ab", 2 }, 7 }, { { "a", 1 }, 1 }, { { "ab", 2 }, 3 } };
    assert_int_equal(piece_trie_init(&t, again, 3, &twice, test_error()), ERR_FORMAT);
    assert_int_equal(twice, 7);
    piece_trie_fini(&t);
    assert_ok(piece_trie_init(&t, again, 3, NULL, test_error()));
    assert_int_equal(piece_trie_find(&t, view("ab")), 7);
}
