/* tests/unit/test_plot.c: the picture of a training log. */
#include <expat.h>
#include <stdio.h>
#include <string.h>

#include "parser/train/run/plot.h"
#include "tests/support/check.h"

/* The picture of a log, which is well-formed XML. */
static void draw(StrBuf *svg, const char *text)
{
    *svg = (StrBuf){ 0 };
    assert_ok(plot_log(svg, test_text("log", text), test_error()));
    XML_Parser p = XML_ParserCreate(NULL);
    assert_int_equal(XML_Parse(p, svg->ptr, (int)svg->len, 1), XML_STATUS_OK);
    XML_ParserFree(p);
}

static int count(const StrBuf *svg, const char *what)
{
    int n = 0;
    for (const char *p = svg->ptr; (p = strstr(p, what)); p++) n++;
    return n;
}

static bool has(const StrBuf *svg, const char *what) { return strstr(svg->ptr, what) != NULL; }

#define LOSS "\"loss\": {\"span\": 8, \"arc\": 4, \"type\": 2, \"tag\": 1}"
#define CHECK(epoch, best, f1, las)                                                           \
    "{\"epoch\": " #epoch ", " LOSS ", \"best\": " #best ", \"dev\": {\"a<b\": {\"f1\": " #f1 \
    ", \"las_nopunct\": " #las "}}}\n"

TEST(a_log_gives_curves_with_the_best_check)
{
    MADE(StrBuf, draw, strbuf_fini, svg, CHECK(1, true, 60, 50) CHECK(2, true, 80.25, 70) CHECK(3, false, 79, 69));
    assert_true(has(&svg, "3 checks up to epoch 3, the best at epoch 2"));
    assert_true(has(&svg, ">a&lt;b F1</text>"));
    assert_true(has(&svg, ">80.25</text>")); /* the legend has the values of the best check */
    assert_true(has(&svg, "a&lt;b LAS 69, epoch 3</title>"));
    assert_int_equal(count(&svg, "<circle"), 3 * (2 + 4));
    assert_int_equal(count(&svg, "class=\"best\""), 2);
    assert_true(has(&svg, "prefers-color-scheme:dark"));
}

TEST(a_resumed_run_replaces_what_it_did_again)
{
    MADE(StrBuf, draw, strbuf_fini, svg,
         CHECK(1, true, 60, 50) CHECK(2, true, 61, 51) CHECK(3, true, 62, 52) CHECK(2, true, 71, 61));
    assert_true(has(&svg, "2 checks up to epoch 2, the best at epoch 2"));
    assert_true(has(&svg, ">71.00</text>"));
    assert_false(has(&svg, "a&lt;b F1 61,") || has(&svg, "a&lt;b F1 62,"));
    MADE(StrBuf, draw, strbuf_fini, other,
         CHECK(1, true, 60, 50) CHECK(2, true, 61, 51) CHECK(1, true, 30, 20)); /* a new run */
    assert_true(has(&other, "1 checks up to epoch 1, the best at epoch 1"));
    assert_false(has(&other, "a&lt;b F1 60,"));
}

#define RUN(id, epoch) "{\"epoch\": " #epoch ", \"run\": \"" id "\", " LOSS ", \"dev\": {\"" id "\": {\"f1\": 50}}}\n"

/* Each epoch is after the one before it, so epochs alone do not tell the runs apart. */
TEST(checks_of_an_older_run_are_not_drawn)
{
    MADE(StrBuf, draw, strbuf_fini, svg, RUN("killed", 0.25) RUN("killed", 0.5) RUN("last", 1) RUN("last", 2));
    assert_true(has(&svg, "2 checks up to epoch 2"));
    assert_true(has(&svg, ">last F1</text>"));
    assert_false(has(&svg, "killed"));
    MADE(StrBuf, draw, strbuf_fini, other,
         CHECK(1, true, 60, 50) RUN("last", 2) RUN("last", 3)); /* of a version without runs */
    assert_true(has(&other, "2 checks up to epoch 3"));
}

TEST(a_line_that_is_being_written_is_left_out)
{
    MADE(StrBuf, draw, strbuf_fini, svg, CHECK(1, true, 60, 50) "{\"epoch\": 2, \"los");
    assert_true(has(&svg, "1 checks up to epoch 1"));
}

TEST(what_a_run_does_not_have_is_not_drawn)
{
    MADE(StrBuf, draw, strbuf_fini, svg, CHECK(1, true, 60, null) CHECK(2, true, 61, null)); /* trees alone */
    assert_true(has(&svg, "a&lt;b F1"));
    assert_false(has(&svg, "LAS"));
    MADE(StrBuf, draw, strbuf_fini, other,
         "{\"epoch\": 0.5, \"loss\": {\"span\": 0, \"arc\": 4, \"type\": null, \"tag\": 1e-9}, \"best\": true, "
         "\"dev\": {}}\n"); /* no dev set: every check is called the best */
    assert_false(has(&other, "dev scores") || has(&other, "class=\"best\"") || has(&other, ">span<"));
    assert_true(has(&other, ">arc<") && has(&other, "last, epoch 0.5"));
}

TEST(other_files_are_named)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "", "found no check, expected a log of lal train" },
        { "\n", "1: found no object with an epoch, expected a log of lal train" },
        { CHECK(1, true, 60, 50) "(TOP (S (A a)))\n", "2: found no object with an epoch, expected a log of lal train" },
        { "[1]\n", "1: found no object with an epoch, expected a log of lal train" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(strbuf_fini) StrBuf svg = { 0 };
        char want[200];
        snprintf(want, sizeof want, "%s:%s%s", test_path("log"), cases[k].message[0] == 'f' ? " " : "",
                 cases[k].message);
        assert_fails(plot_log(&svg, test_text("log", cases[k].text), test_error()), ERR_FORMAT, want);
    }
    StrBuf svg = { 0 };
    assert_int_equal(plot_log(&svg, test_path("none"), test_error()), ERR_IO);
}

TEST(many_sets_and_checks_are_drawn)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    for (int k = 1; k <= 300; k++) {
        strbuf_printf(&text, "{\"epoch\": %d, " LOSS ", \"best\": true, \"dev\": {", k);
        for (int d = 0; d < 64; d++)
            strbuf_printf(&text, "%s\"d%d\": {\"f1\": %d, \"las_nopunct\": %d}", d ? ", " : "", d, k % 90, d);
        strbuf_puts(&text, "}}\n");
    }
    MADE(StrBuf, draw, strbuf_fini, svg, text.ptr);
    assert_true(has(&svg, ">d0 F1</text>"));
    assert_int_equal(count(&svg, "<circle"), 0); /* too close to each other */
}
