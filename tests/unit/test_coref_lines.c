/* Mentions in JSON lines (treebank/coref_lines.h). What the probe makes of them:
 * tests/golden/seed_parity.c. */
#include "tests/support/check.h"
#include "treebank/coref_lines.h"

static Status read_text(CorefLines *c, const char *text)
{
    return coref_lines_read(c, text_block(view(text), "f"), test_error());
}

#define FIRST \
    "{\"begin\": 0, \"end\": 2, \"head\": 1, \"type\": \"nominal\", \"number\": \"Sing\", \"antecedents\": []}"
#define WORDS "{\"words\": [\"The\", \"dog\", \"saw\", \"its\", \"tail\"], \"mentions\": ["

TEST(a_piece_has_the_members_of_its_line)
{
    MADE(CorefLines, coref_lines_init, coref_lines_fini, c);
    assert_ok(read_text(&c, "\n" WORDS FIRST ", {\"begin\": 3, \"end\": 4, \"head\": 3, \"type\": \"pronominal\", "
                            "\"person\": \"3\", \"entity\": 7, \"antecedents\": [0]}], \"id\": \"a\"}\n"
                            "{\"words\": [], \"mentions\": []}\n"));
    assert_int_equal(c.n, 2);
    const CorefPiece *p = &c.p[0];
    assert_string_equal(p->id, "a");
    assert_int_equal(p->line, 2);
    assert_int_equal(p->n_words, 5);
    assert_string_equal(p->words[4], "tail");
    assert_int_equal(p->n_mentions, 2);
    assert_int_equal(p->mentions[0].type, MENTION_NOMINAL);
    assert_string_equal(p->mentions[0].feature[0], "Sing");
    assert_string_equal(p->mentions[0].feature[2], "");
    assert_int_equal(p->mentions[1].head, 3);
    assert_int_equal(p->mentions[1].type, MENTION_PRONOMINAL);
    assert_string_equal(p->mentions[1].feature[2], "3");
    assert_int_equal(p->mentions[1].n_antecedents, 1);
    assert_int_equal(p->mentions[1].antecedents[0], 0);
    assert_null(c.p[1].id);
    assert_int_equal(c.p[1].n_words, 0);
}

TEST(what_is_wrong_is_said_with_its_place)
{
    static const char *const cases[][2] = {
        { "\n[1]", "f:2:1: found another JSON value, expected an object" },
        { "{\"words\": [\"a\", 2]}", "f:1:17: found a value that is no word, expected a text on one line" },
        { "{\"words\": [\"a\"]}", "f:1:1: found no list mentions" },
        { "{\"words\": 1}", "f:1:11: found no list words" },
        { WORDS "3]}", "f:1:62: found a mention that is no object" },
        { WORDS "{\"begin\": 5}]}", "f:1:72: begin: found 5, expected a whole number from 0 to 4" },
        { WORDS "{\"begin\": 1, \"end\": 1}]}", "f:1:82: end: found 1, expected a whole number from 2 to 5" },
        { WORDS "{\"begin\": 1, \"end\": 3, \"head\": 0}]}",
          "f:1:93: head: found 0, expected a whole number from 1 to 2" },
        { WORDS "{\"begin\": 0, \"end\": 1, \"head\": 0, \"type\": \"x\"}]}",
          "f:1:104: found the type 'x', expected pronominal, proper or nominal" },
        { WORDS FIRST ", {\"begin\": 0, \"end\": 1, \"head\": 0}]}",
          "f:1:153: found the head 0 after 1, expected mentions by rising heads" },
        { WORDS FIRST ", {\"begin\": 1, \"end\": 3, \"head\": 2, \"type\": \"proper\", \"antecedents\": [0]}]}",
          "f:1:221: found an antecedent that is no mention before this one, expected rising numbers of mentions whose "
          "heads are before, without overlap" },
        { WORDS FIRST ", {\"begin\": 3, \"end\": 4, \"head\": 3, \"type\": \"proper\", \"antecedents\": [1]}]}",
          "f:1:221: found an antecedent that is no mention before this one, expected rising numbers of mentions whose "
          "heads are before, without overlap" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(CorefLines, coref_lines_init, coref_lines_fini, c);
        assert_fails_with(read_text(&c, cases[k][0]), ERR_FORMAT, cases[k][1]);
    }
}

TEST(memory_may_run_out)
{
    for (long n = 0; allocation_fails(n); n++) {
        MADE(CorefLines, coref_lines_init, coref_lines_fini, c);
        mem_fail_after(n);
        assert_ok_or_no_memory(read_text(&c, WORDS FIRST "]}"));
    }
}
