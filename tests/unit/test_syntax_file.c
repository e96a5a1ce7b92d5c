/* tests/unit/test_syntax_file.c: files of parses are compared with the treebank they are of. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "parser/parse/syntax_file.h"
#include "tests/support/check.h"

static const char TREES[] = "(S (NP (NN it)) (VP (VBD can)))\n(S (UH yes))\n(S (NP (DT a) (NN cat)) (VP (VBD sat)))\n";
static const char ARCS[] = "# a comment\n1\tit\t_\tN\tN\t_\t2\tnsubj\t_\t_\n2\tcan\t_\tV\tV\t_\t0\troot\t_\t_\n\n"
                           "1\tyes\t_\tU\tU\t_\t0\troot\t_\t_\n\n"
                           "1\ta\t_\tD\tD\t_\t2\tdet\t_\t_\n2\tcat\t_\tN\tN\t_\t3\tnsubj\t_\t_\n"
                           "3\tsat\t_\tV\tV\t_\t0\troot\t_\t_\n";

/* Writes the text, and reads it as the parses of TREES, of two treebanks. Returns how many sentences were read. */
static int read_text(const char *text, bool heads, bool tree, Error *e)
{
    Treebank gold[2], parses;
    for (int k = 0; k < 2; k++) treebank_init(&gold[k]);
    treebank_init(&parses);
    Error none = { 0 };
    StrView all = { TREES, sizeof TREES - 1 }, one = { TREES, strcspn(TREES, "\n") + 1 },
            rest = { TREES + one.len, all.len - one.len };
    assert_int_equal(format_read(&gold[0], text_block(one, "a"), FORMAT_BRACKETS, (BracketOptions){ 0 }, &none), OK);
    assert_int_equal(format_read(&gold[1], text_block(rest, "b"), FORMAT_BRACKETS, (BracketOptions){ 0 }, &none), OK);
    Status s = syntax_file_read(&parses, test_text("parses", text), (const Treebank *const[]){ &gold[0], &gold[1] }, 2,
                                heads, tree, e);
    assert_int_equal(s, e->code);
    int n = parses.n;
    if (s == OK && heads) assert_int_equal(parses.s[2].heads[1], 3);
    for (int k = 0; k < 2; k++) treebank_fini(&gold[k]);
    treebank_fini(&parses);
    return n;
}

TEST(parses_come_in_any_notation)
{
    Error e = { 0 };
    assert_int_equal(read_text(ARCS, true, false, &e), 3);
    assert_int_equal(read_text(TREES, false, true, &e), 3);
    assert_int_equal(e.code, OK);
}

TEST(parses_of_other_sentences_are_refused)
{
    static const struct {
        const char *from, *to; /* in ARCS; NULL: ARCS ends before `from` */
        bool heads, tree;
        const char *message;
    } cases[] = {
        { "can", "cannot", true, false, ":3: word \"cannot\", treebank has \"can\"" },
        { "2\tcat", "2\tdog", true, false, ":8: word \"dog\", treebank has \"cat\"" },
        { "1\tyes", NULL, true, false,
          ":2: the first difference is the sentence that is missing after the one here; the file has 1 sentences, the "
          "treebank 3" },
        { "1\ta\t", NULL, true, false,
          ":5: the first difference is the sentence that is missing after the one here; the file has 2 sentences, the "
          "treebank 3" },
        { "\n1\tyes\t_\tU\tU\t_\t0\troot\t_\t_\n", "", true, false,
          ":5: word \"a\", treebank has \"yes\"; the file has 2 sentences, the treebank 3" },
        { "3\tsat", "3\tsat\t_\tV\tV\t_\t0\troot\t_\t_\n\n1\tsat", true, false,
          ":11: the first difference is the sentence here; the file has 4 sentences, the treebank 3" },
        { "3\tsat\t_\tV\tV\t_\t0", "3\tsat\t_\tV\tV\t_\t0\troot\t_\t_\n4\tup\t_\tV\tV\t_\t3", true, false,
          ":10: word \"up\", treebank has the end of a sentence" },
        { "", "", true, true,
          ":2: a sentence without a tree, which a pattern needs (lal parse --format json writes both)" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(strbuf_fini) StrBuf text = { 0 };
        const char *at = strstr(ARCS, cases[k].from);
        assert_non_null(at);
        strbuf_add(&text, ARCS, (size_t)(at - ARCS));
        if (cases[k].to) strbuf_printf(&text, "%s%s", cases[k].to, at + strlen(cases[k].from));
        Error e = { 0 };
        char want[400];
        read_text(text.ptr, cases[k].heads, cases[k].tree, &e);
        snprintf(want, sizeof want, "%s%s", test_path("parses"), cases[k].message);
        assert_error(&e, ERR_FORMAT, want);
    }
    Error e = { 0 };
    char want[400];
    read_text(TREES, true, false, &e);
    snprintf(want, sizeof want,
             "%s:1: a sentence without dependencies, which a pattern needs (lal parse --format json writes both)",
             test_path("parses"));
    assert_error(&e, ERR_FORMAT, want);
}
