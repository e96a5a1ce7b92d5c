/* The treebank notations other than Penn brackets and CoNLL. The sentences were written for
 * this test in the notation of each treebank. */
#include "base/rng.h"
#include "tests/support/check.h"
#include "tests/support/round_trip.h"
#include "tests/support/trees.h"
#include "treebank/conll.h"
#include "treebank/format.h"
#include "treebank/json_lines.h"

static const BracketOptions STRIPPED = { .strip_functions = true }, WHOLE = { .keep_traces = true };

/* written: each sentence as a tree on one line. */
static void assert_reads(TreebankFormat format, BracketOptions o, const char *text, const char *written)
{
    FREED(strbuf_fini) StrBuf out = { 0 };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_ok(format_read(&tb, text_block(view(text), "f"), format, o, test_error()));
    for (int k = 0; k < tb.n; k++) {
        tree_write(&out, &tb.s[k]);
        strbuf_putc(&out, '\n');
    }
    assert_string_equal(out.ptr ? out.ptr : "", written);
}

static void assert_refuses(TreebankFormat format, const char *text, const char *message)
{
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_fails(format_read(&tb, text_block(view(text), "f"), format, STRIPPED, test_error()), ERR_FORMAT, message);
}

TEST(formats_are_guessed)
{
    assert_int_equal(format_guess(view("")), FORMAT_BRACKETS);
    assert_int_equal(format_guess(view("\n ( (S")), FORMAT_BRACKETS);
    assert_int_equal(format_guess(view("<DOC>\n")), FORMAT_BRACKETS);
    assert_int_equal(format_guess(view("<?xml version")), FORMAT_AUTO);
    assert_int_equal(format_guess(view("#12:3.[4] S(")), FORMAT_AUTO);
    assert_int_equal(format_guess(view("# sent_id = 1")), FORMAT_CONLL);
    assert_int_equal(format_guess(view("1\ta")), FORMAT_CONLL);
    assert_int_equal(format_guess(view("\n{\"id\": 1")), FORMAT_JSON_LINES);
}

TEST(treebanks_given_as_text_are_suspected)
{
    static const char *const trees[] = { "(TOP (S (NP (DT the) (NN cat)) (. .)))", "\n( (S (NP-SBJ (PRP We)) ",
                                         "(UH (UH Yes))", "(S\n  (`` ``)", "(S (PRP$ my)" };
    static const char *const rows[] = { "1\ta\ta\tX\tX\t_\t0\troot\n", "# text = (a\n\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_",
                                        "1\t(\t_\t_\tX\t_\t0\troot\t_\t_\r\n" };
    static const char *const objects[] = { "{\"id\": 1, ", "\n{ \"text\" :", "{\n  \"a b\":" };
    static const char *const texts[] = { "",
                                         "{",
                                         "{}",
                                         "{\"",
                                         "{\"a\"",
                                         "{\"Go!\" he said}",
                                         "{ a: b }",
                                         "[\"a\", \"b\"]",
                                         "(",
                                         "(S",
                                         "(S (NP",
                                         "(Some remark.) (Another one.)",
                                         "(a (b c) d)",
                                         "((x + 1) * 2)",
                                         "(See (a) and (b).)",
                                         "(Yes)",
                                         "# 1\tone",
                                         "1\tone\ttwo",
                                         "1.\ta\tb\tc",
                                         "I\ta\tb\tc\td\te\tf\tg\th",
                                         "(1 (2 3))",
                                         "(S ())",
                                         "Words (S (NN x))" };
    for (size_t k = 0; k < sizeof trees / sizeof *trees; k++)
        assert_int_equal(format_suspect(view(trees[k])), FORMAT_BRACKETS);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_int_equal(format_suspect(view(rows[k])), FORMAT_CONLL);
    for (size_t k = 0; k < sizeof objects / sizeof *objects; k++)
        assert_int_equal(format_suspect(view(objects[k])), FORMAT_JSON_LINES);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        assert_int_equal(format_suspect(view(texts[k])), FORMAT_AUTO);
}

TEST(icepahc_trees_lose_lemmas_traces_and_metadata)
{
    static const char text[] =
        "( (IP-MAT (NP-SBJ (N-A jarðar$-jörð) (D-G $innar-hinn)) (C 0) (NP-2 *T*-1)\n\t(VBN upp$-upp) (, ,-,) (ADJ "
        "Snorra<dash/>Eddu-s) (VP (RP af$-af) (VBN $rekað-reka))) (ID X,.1))\n( (CODE {COM:nothing-else}) (ID X,.2))\n";
    assert_reads(FORMAT_ICEPAHC, STRIPPED, text,
                 "(TOP (IP (NP (N-A jarðarinnar)) (VBN upp$) (, ,) (ADJ Snorra-Eddu) (VP (VBN afrekað))))\n");
    assert_reads(FORMAT_ICEPAHC, WHOLE, text,
                 "(TOP (IP-MAT (NP-SBJ (N-A jarðarinnar)) (C (-NONE- 0)) (NP-2 (-NONE- *T*-1)) (VBN upp$) (, ,) (ADJ "
                 "Snorra-Eddu) (VP (VBN afrekað))))\n");
    assert_reads(FORMAT_ICEPAHC, STRIPPED, "( (NP-SBJ *pro*) (ID X,.1))", "");
    assert_refuses(FORMAT_ICEPAHC, "( (NP-SBJ) (ID X,.1))",
                   "f:1:3: found empty brackets, expected a label with words or phrases");
}

TEST(indonesian_trees_have_bracketed_words)
{
    static const char text[] =
        "7\t(S  (NP-SBJ-1 (NN\t (pesta olahraga)) (Z (&brl;))) (SBAR (0) (S (NP-SBJ (*-1)) (VP (VB (ada))))))\n";
    assert_reads(FORMAT_IDN, STRIPPED, text, "(TOP (S (NP (NN pesta_olahraga) (Z -LRB-)) (SBAR (S (VP (VB ada))))))\n");
    assert_reads(FORMAT_IDN, WHOLE, text,
                 "(TOP (S (NP-SBJ-1 (NN pesta_olahraga) (Z -LRB-)) (SBAR (-NONE- 0) (S (NP-SBJ (-NONE- *-1)) (VP (VB "
                 "ada))))))\n");
    assert_refuses(FORMAT_IDN, "(S (NN (a)) (b))", "f:1:16: found a word after brackets, expected '(' or ')'");
    assert_refuses(FORMAT_BRACKETS, "(S (NN (a)))",
                   "f:1:8: found empty brackets, expected a label with words or phrases");
}

TEST(json_lines_have_trees_and_dependencies)
{
    static const char text[] =
        "{\"id\": 1, \"tokens\": [{\"form\": \"(a\", \"tag\": \"X\", \"head\": 1, \"type\": \"det\"}, {\"form\": "
        "\"b\", \"tag\": \"Y\", \"head\": -1, \"type\": \"root\"}], \"constituents\": [{\"label\": \"S\", \"begin\": "
        "0, \"end\": 2, \"parent\": -1}, {\"label\": \"NP\", \"begin\": 1, \"end\": 2}]}\n\n"
        "{\"tokens\": [{\"form\": \"c\"}]}\n";
    FREED(strbuf_fini) StrBuf out = { 0 };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_ok(format_read(&tb, text_block(view(text), "f"), FORMAT_AUTO, (BracketOptions){ 0 }, test_error()));
    assert_int_equal(tb.n, 2);
    tree_write(&out, &tb.s[0]);
    conll_write(&out, &tb.s[0], CONLL_X, NULL);
    assert_string_equal(out.ptr, "(TOP (S (X -LRB-a) (NP (Y b))))"
                                 "1\t-LRB-a\t_\tX\tX\t_\t2\tdet\t_\t_\n2\tb\t_\tY\tY\t_\t0\troot\t_\t_\n\n");
    assert_true(!tb.s[1].has_tree && !tb.s[1].heads && !tb.s[1].tags);
    assert_int_equal(tb.s[1].line, 3);
}

/* Reads one line as partial annotation. */
static Status read_partial(Treebank *tb, const char *text, Error *e)
{
    return json_lines_read(tb, text_block(view(text), "f"), (JsonOptions){ .partial = true }, e);
}

TEST(partial_json_lines_lack_heads_and_have_phrases_that_cross)
{
    static const char text[] =
        "{\"tokens\": [{\"form\": \"a\", \"head\": null}, {\"form\": \"b\"}, {\"form\": \"c\", \"head\": 2}], "
        "\"constituents\": [{\"label\": \"S\", \"begin\": 0, \"end\": 2}, {\"label\": \"T\", \"begin\": 1, "
        "\"end\": 3}]}";
    static const char bad[] =
        "{\"tokens\": [{\"form\": \"a\"}, {\"form\": \"b\"}], \"constituents\": [{\"label\": \"S\", \"begin\": "
        "0, \"end\": 1}, {\"label\": \"T\", \"begin\": 0, \"end\": 2}]}";
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_ok(read_partial(&tb, text, test_error()));
    assert_int_equal(tb.s[0].heads[0], HEAD_FREE);
    assert_int_equal(tb.s[0].heads[1], HEAD_FREE);
    assert_int_equal(tb.s[0].heads[2], 3); /* itself: decided when the sentence is parsed */
    assert_string_equal(tb.s[0].types[2], "_");
    assert_int_equal(tb.s[0].n_phrases, 2);
    assert_fails(read_partial(&tb, bad, test_error()), ERR_FORMAT,
                 "f:1:1: found constituents out of order, expected pre-order: by begin, longer ones first");
}

#define BANS(list) "{\"tokens\": [{\"form\": \"a\"}, {\"form\": \"b\"}], \"not\": [" list "]}"

TEST(partial_json_lines_say_what_must_not_be)
{
    static const char *const bad[][2] = {
        { BANS("{\"token\": 2, \"head\": 0}"),
          "f:1:1: found an arc in 'not' without a token and a head, expected indices, or -1 for the root" },
        { BANS("{\"token\": 0}"),
          "f:1:1: found an arc in 'not' without a token and a head, expected indices, or -1 for the root" },
        { BANS("{\"begin\": 0, \"end\": 3}"),
          "f:1:1: found a phrase in 'not' outside of the tokens, expected begin and end as indices" },
        { BANS("{\"begin\": 0, \"end\": 2, \"label\": \"(\"}"),
          "f:1:1: found '(' as the label of a constituent, expected one without blanks, round brackets and empty "
          "parts" },
    };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_ok(read_partial(&tb,
                           BANS("{\"begin\": 0, \"end\": 2, \"label\": \"NP\"}, {\"begin\": 1, \"end\": 2}, "
                                "{\"token\": 1, \"head\": -1}, {\"token\": 0, \"head\": 1}"),
                           test_error()));
    const Sentence *s = &tb.s[0];
    assert_int_equal(s->n_bans, 4);
    assert_true(!s->bans[0].arc && s->bans[0].begin == 0 && s->bans[0].end == 2);
    assert_string_equal(s->bans[0].label, "NP");
    assert_string_equal(s->bans[1].label, "_");
    assert_true(s->bans[2].arc && s->bans[2].begin == 2 && s->bans[2].end == 0);
    assert_true(s->bans[3].arc && s->bans[3].begin == 1 && s->bans[3].end == 2);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_fails(read_partial(&tb, bad[k][0], test_error()), ERR_FORMAT, bad[k][1]);
}

#define TOKENS "\"tokens\": [{\"form\": \"a\"}, {\"form\": \"b\"}, {\"form\": \"c\"}], \"constituents\": "

TEST(json_lines_are_checked)
{
    static const char *const cases[][2] = {
        { "{]", "f:1:1: found a line that is no JSON, expected an object" },
        { "\n[]", "f:2:1: found no array \"tokens\", expected a line of lal parse --format json" },
        { "{\"tokens\": [{\"form\": \"\"}]}", "f:1:1: found a token without a form, expected a text on one line" },
        { "{\"tokens\": [1]}", "f:1:1: found a token without a form, expected a text on one line" },
        { "{\"tokens\": [{\"form\": \"a\", \"head\": 1, \"type\": \"x\"}]}",
          "f:1:1: found a head that is no token, expected an index from 0, or -1 for the root" },
        { "{\"tokens\": [{\"form\": \"a\", \"head\": 0, \"type\": \"x\"}]}",
          "f:1:1: found heads with a word that is its own head, expected a tree" },
        { "{\"tokens\": [{\"form\": \"a\", \"head\": -1}]}",
          "f:1:1: found an arc without a type, expected a text without blanks" },
        { "{" TOKENS "[{\"label\": \"S\", \"begin\": 0, \"end\": 4}]}",
          "f:1:1: found a constituent outside of the tokens, expected begin and end as indices" },
        { "{" TOKENS "[{\"label\": \"S\", \"begin\": 1, \"end\": 1}]}",
          "f:1:1: found a constituent outside of the tokens, expected begin and end as indices" },
        { "{" TOKENS "[{\"label\": \"S\", \"begin\": 1e99, \"end\": 1}]}",
          "f:1:1: found a constituent outside of the tokens, expected begin and end as indices" },
        { "{" TOKENS "[{\"begin\": 0, \"end\": 1}]}",
          "f:1:1: found a constituent without a label, expected a text without blanks and round brackets" },
        { "{" TOKENS "[{\"label\": \"S\", \"begin\": 0, \"end\": 2}, {\"label\": \"S\", \"begin\": 1, \"end\": 3}]}",
          "f:1:1: found constituents that cross or are out of order, expected a tree in pre-order" },
        { "{" TOKENS "[{\"label\": \"S\", \"begin\": 2, \"end\": 3}, {\"label\": \"S\", \"begin\": 0, \"end\": 1}]}",
          "f:1:1: found constituents that cross or are out of order, expected a tree in pre-order" },
        { "{\"tokens\": [{\"form\": \" \"}]}", "f:1:1: found a token without a form, expected a text on one line" },
        { "{\"tokens\": [{\"form\": \"a\\rb\"}]}", "f:1:1: found a token without a form, expected a text on one line" },
        { "{\"tokens\": [{\"form\": \"a\", \"tag\": \"X Y\"}]}", "f:1:1: found a tag that is no text without blanks" },
        { "{" TOKENS "[{\"label\": \"(S\", \"begin\": 0, \"end\": 3}]}",
          "f:1:1: found '(S' as the label of a constituent, expected one without blanks, round brackets and empty "
          "parts" },
        { "{" TOKENS "[{\"label\": \"S::\", \"begin\": 0, \"end\": 3}]}",
          "f:1:1: found 'S::' as the label of a constituent, expected one without blanks, round brackets and empty "
          "parts" },
        { "{\"tokens\": \"\xff\"}", "f:1:13: found bytes that are not UTF-8" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_refuses(FORMAT_JSON_LINES, cases[k][0], cases[k][1]);
}

/* Words, tags, labels, types, lemmas and features of brackets, escapes, blanks, controls and marks, in every format. */
TEST(whatever_is_written_is_read_back_equal)
{
    enum { SENTENCES = 3000, BYTES = 200 };
    FREED(strbuf_fini) StrBuf shown = { 0 };
    long refused = 0;
    MADE(Arena, arena_init, arena_fini, a, 1 << 16);
    for (uint64_t k = 0; k < SENTENCES; k++) {
        uint8_t bytes[BYTES];
        for (int i = 0; i < BYTES; i++) bytes[i] = (uint8_t)rng_bits32(rng_key(29, k, 0, 0), (uint32_t)i);
        Choices c = { bytes, bytes + BYTES };
        Sentence s = nasty_sentence(&c, &a, &refused);
        int style = round_trip_from(&s, true, &shown);
        if (style >= 0) fail_msg("sentence %d, style %d:\n%s", (int)k, style, shown.ptr ? shown.ptr : "");
        arena_reset(&a);
    }
    assert_true(refused > SENTENCES && refused < 8 * SENTENCES); /* neither all nor none of the texts are words */
}
