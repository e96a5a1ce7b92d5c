/* Files of parses are compared with the treebank they are of. */

#include "parser/parse/syntax_file.h"
#include "tests/support/check.h"
#include "tests/support/trees.h"

static const char TREES[] = "(S (NP (NN it)) (VP (VBD can)))\n(S (UH yes))\n(S (NP (DT a) (NN cat)) (VP (VBD sat)))\n";
static const char ARCS[] = "# a comment\n1\tit\t_\tN\tN\t_\t2\tnsubj\t_\t_\n2\tcan\t_\tV\tV\t_\t0\troot\t_\t_\n\n"
                           "1\tyes\t_\tU\tU\t_\t0\troot\t_\t_\n\n"
                           "1\ta\t_\tD\tD\t_\t2\tdet\t_\t_\n2\tcat\t_\tN\tN\t_\t3\tnsubj\t_\t_\n"
                           "3\tsat\t_\tV\tV\t_\t0\troot\t_\t_\n";

static void read_some_trees(Treebank *tb, const char *text, size_t len)
{
    treebank_init(tb);
    const TextBlock block = text_block((StrView){ text, len }, "trees");
    assert_ok(format_read(tb, block, FORMAT_BRACKETS, (BracketOptions){ 0 }, test_error()));
}

/* Writes the text, and reads it as the parses of TREES, of two treebanks. */
static Status read_text(const char *text, bool heads, bool tree)
{
    const size_t one = strcspn(TREES, "\n") + 1;
    MADE(Treebank, read_some_trees, treebank_fini, first, TREES, one);
    MADE(Treebank, read_some_trees, treebank_fini, rest, TREES + one, sizeof TREES - 1 - one);
    MADE(Treebank, treebank_init, treebank_fini, parses);
    Status s = syntax_file_read(&parses, test_text("parses", text), (const Treebank *const[]){ &first, &rest }, 2,
                                heads, tree, test_error());
    if (s == OK) assert_int_equal(parses.n, 3);
    if (s == OK && heads) assert_int_equal(parses.s[2].heads[1], 3);
    return s;
}

TEST(parses_come_in_any_notation)
{
    assert_ok(read_text(ARCS, true, false));
    assert_ok(read_text(TREES, false, true));
}

TEST(parses_of_other_sentences_are_refused)
{
    static const struct {
        const char *from, *to; /* in ARCS; NULL: ARCS ends before `from` */
        bool heads, tree;
        const char *message;
    } cases[] = {
        { "can", "cannot", true, false, ":3: word 'cannot', treebank has 'can'" },
        { "2\tcat", "2\tdog", true, false, ":8: word 'dog', treebank has 'cat'" },
        { "1\tyes", NULL, true, false,
          ":2: the first difference is the sentence that is missing after the one here; the file has 1 sentences, the "
          "treebank 3" },
        { "1\ta\t", NULL, true, false,
          ":5: the first difference is the sentence that is missing after the one here; the file has 2 sentences, the "
          "treebank 3" },
        { "\n1\tyes\t_\tU\tU\t_\t0\troot\t_\t_\n", "", true, false,
          ":5: word 'a', treebank has 'yes'; the file has 2 sentences, the treebank 3" },
        { "3\tsat", "3\tsat\t_\tV\tV\t_\t0\troot\t_\t_\n\n1\tsat", true, false,
          ":11: the first difference is the sentence here; the file has 4 sentences, the treebank 3" },
        { "3\tsat\t_\tV\tV\t_\t0", "3\tsat\t_\tV\tV\t_\t0\troot\t_\t_\n4\tup\t_\tV\tV\t_\t3", true, false,
          ":10: word 'up', treebank has the end of a sentence" },
        { "", "", true, true,
          ":2: a sentence without a tree, which a pattern needs (lal parse --format json --deps stanford writes "
          "both)" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(strbuf_fini) StrBuf text = { 0 };
        const char *at = strstr(ARCS, cases[k].from);
        assert_non_null(at);
        strbuf_add(&text, ARCS, (size_t)(at - ARCS));
        if (cases[k].to) strbuf_printf(&text, "%s%s", cases[k].to, at + strlen(cases[k].from));
        assert_fails(read_text(text.ptr, cases[k].heads, cases[k].tree), ERR_FORMAT,
                     test_format("%s%s", test_path("parses"), cases[k].message));
    }
    assert_fails_with(read_text(TREES, true, false), ERR_FORMAT,
                      "parses:1: a sentence without dependencies, which a pattern needs (lal parse --format json "
                      "--deps stanford writes both)");
}
