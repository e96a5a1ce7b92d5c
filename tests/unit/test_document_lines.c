/* Documents in JSON lines (treebank/document_lines.h). */
#include "tests/support/check.h"
#include "treebank/document_lines.h"

static Status read_text(DocumentLines *d, const char *text)
{
    return document_lines_read(d, text_block(view(text), "f"), test_error());
}

TEST(a_document_has_the_members_of_its_line)
{
    MADE(DocumentLines, document_lines_init, document_lines_fini, d);
    assert_ok(read_text(&d, "{\"id\": \"a\", \"sentences\": [\"One.\", \"Two.\", \"\"], \"title\": 3, \"summary\": "
                            "[\"Sum.\"], \"segments\": [{\"begin\": 0, \"level\": 1}, {\"begin\": 2}]}\n"
                            "\n \t\r\n"
                            "{\"summary\": null, \"segments\": [], \"sentences\": [\"S\"], \"classes\": [\"c d\"]}"));
    assert_int_equal(d.n, 2);
    const DocumentLine *first = &d.d[0], *second = &d.d[1];
    assert_string_equal(first->id, "a");
    assert_int_equal(first->sentences.n, 3);
    assert_true(text_equal(first->sentences.text[1], "Two."));
    assert_int_equal(first->sentences.text[2].len, 0);
    assert_int_equal(first->summary.n, 1);
    assert_int_equal(first->n_segments, 2);
    assert_int_equal(first->begin[1], 2);
    assert_int_equal(second->line, 4);
    assert_null(second->id);
    assert_null(second->summary.text);
    assert_null(first->classes.text);
    assert_int_equal(second->classes.n, 1);
    assert_string_equal(second->classes.text[0].ptr, "c d");
    assert_non_null(second->begin);
    assert_int_equal(second->n_segments, 0);
}

TEST(what_is_wrong_is_said_with_its_place)
{
    static const char *const cases[][2] = {
        { "\n[1]", "f:2:1: found another JSON value, expected an object" },
        { "{\"id\": 3}", "f:1:8: id: found another value, expected a string" },
        { "{\"id\": \"a\\tb\"}", "f:1:8: found an id with a control character" },
        { "{}\n{\"summary\": \"x\"}", "f:2:13: found summary that are no list" },
        { "{\"sentences\": [\"a\", 2]}", "f:1:21: found a value that is no text, expected a sentence" },
        { "{\"segments\": [3]}", "f:1:15: found a segment that is no object" },
        { "{\"segments\": [{}]}", "f:1:15: found no 'begin', expected one" },
        { "{\"segments\": [{\"begin\": 1}]}", "f:1:25: begin: found 1, expected a whole number from 0 to 0" },
        { "{\"segments\": [{\"begin\": 0}, {\"begin\": 0}]}",
          "f:1:39: begin: found 0, expected a whole number from 1 to 2147483647" },
        { "{\"sentences\": [\"a\", \"b\"], \"segments\": [{\"begin\": 0}, {\"begin\": 2}]}",
          "f:1:64: begin: found 2, expected a whole number from 1 to 1" },
        { "{\"sentences\": [\"a\"], \"classes\": []}",
          "f:1:33: found 0 classes, expected one for each of the 1 sentences" },
        { "{\"sentences\": [\"a\"], \"classes\": [\"\"]}",
          "f:1:34: found a class of 0 bytes, expected 1 to 100 bytes without control characters" },
        { "{\"sentences\": [\"a\"], \"classes\": [\"b\\tc\"]}",
          "f:1:34: found a class of 3 bytes with a control character, expected 1 to 100 bytes without control "
          "characters" },
        { "{\"id\": \"a\\u0000b\"}", "f:1:10: found a NUL character, expected text" },
        { "{\"id\": \"a\xff\"}", "f:1:10: found a byte that is not UTF-8" },
        { "{\"id\": ", "f:1:8: found the end, expected more JSON" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(DocumentLines, document_lines_init, document_lines_fini, d);
        assert_fails_with(read_text(&d, cases[k][0]), ERR_FORMAT, cases[k][1]);
    }
}

TEST(memory_may_run_out)
{
    for (long n = 0; allocation_fails(n); n++) {
        MADE(DocumentLines, document_lines_init, document_lines_fini, d);
        mem_fail_after(n);
        assert_ok_or_no_memory(
            read_text(&d, "{\"id\": \"a\", \"sentences\": [\"b\"], \"segments\": [{\"begin\": 0}]}"));
    }
}
