/* Brackets, CoNLL, pairing, vocabularies, the joint-span conversion. */
#include "tests/support/check.h"
#include "tests/support/grammar.h"
#include "treebank/bracket.h"
#include "treebank/conll.h"
#include "treebank/oracle.h"
#include "treebank/stats.h"
#include "treebank/vocab.h"

static Status read_brackets(Treebank *tb, const char *text, BracketOptions o)
{
    treebank_init(tb);
    return bracket_read(tb, text_block(view(text), "f"), o, test_error());
}

static Status read_trees(Treebank *tb, const char *text)
{
    return read_brackets(tb, text, (BracketOptions){ .strip_functions = true });
}

/* Appends to the treebank. */
static Status read_conll(Treebank *tb, const char *text, ConllOptions o)
{
    return conll_read(tb, text_block(view(text), "f"), o, test_error());
}

/* Each is refused by the reader of brackets, or of CoNLL. */
static void assert_all_refused(bool conll, const Refused *cases, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        MADE(Treebank, treebank_init, treebank_fini, tb);
        assert_fails(conll ? read_conll(&tb, cases[k].text, (ConllOptions){ 0 }) : read_trees(&tb, cases[k].text),
                     ERR_FORMAT, cases[k].message);
    }
}

static void assert_reads(const char *text, const char *written)
{
    FREED(treebank_fini) Treebank tb;
    FREED(strbuf_fini) StrBuf out = { 0 };
    assert_ok(read_trees(&tb, text));
    for (int k = 0; k < tb.n; k++) {
        tree_write(&out, &tb.s[k]);
        strbuf_putc(&out, '\n');
    }
    assert_string_equal(out.ptr ? out.ptr : "", written);
}

TEST(trees_are_read_in_every_form)
{
    assert_reads("", "");
    assert_reads("(S (NP (NNS Trees)) (VP (VBP grow)))", "(TOP (S (NP (NNS Trees)) (VP (VBP grow))))\n");
    assert_reads("( (S (NP-SBJ-1 (NNS Trees))\n   (VP (VBP grow)\r\n\t(ADVP|PRT=2 (RB up)))) )\n",
                 "(TOP (S (NP (NNS Trees)) (VP (VBP grow) (ADVP (RB up)))))\n");
    assert_reads("(ROOT (X (A a)))(S1 (X (A b)))", "(TOP (X (A a)))\n(TOP (X (A b)))\n");
    assert_reads("(TOP (S (NP (-NONE- *T*-1)) (VP (VB go) (NP (-NONE- *)))))", "(TOP (S (VP (VB go))))\n");
    assert_reads("(TOP (S (-LRB- -LRB-) (NN a\\/b) (-RRB- -RRB-)))",
                 "(TOP (S (-LRB- -LRB-) (NN a/b) (-RRB- -RRB-)))\n");
    assert_reads("(TOP (NP-SBJ (N-D hus) (N|A fritt)))",
                 "(TOP (NP (N-D hus) (N|A fritt)))\n"); /* tags of words are not cut */
    assert_reads("(TOP (NP##h=2## (N##g=f##n=s## hus) (# #)))", "(TOP (NP (N hus) (# #)))\n"); /* SPMRL features */
    assert_reads("(TOP (NN word))", "(TOP (NN word))\n");
    assert_reads("(TOP (S (S (A a)) (B b)))", "(TOP (S (S (A a)) (B b)))\n");
}

TEST(errors_in_brackets_have_their_place)
{
    static const Refused cases[] = {
        { "(S (A a)", "f:1:1: found the end of the file, expected ')' for this bracket" },
        { "(S (A a)))", "f:1:10: found ')' without a matching '(', expected '('" },
        { "(S (A a))\n(S ())", "f:2:4: found empty brackets, expected a label with words or phrases" },
        { "()", "f:1:1: found empty brackets, expected a label with words or phrases" },
        { "(S)", "f:1:1: found empty brackets, expected a label with words or phrases" },
        { "hello", "f:1:1: found text outside brackets, expected '('" },
        { "(S (A a b))", "f:1:9: found a second word in one bracket, expected ')'" },
        { "(S (A a) b)", "f:1:10: found a word after brackets, expected '(' or ')'" },
        { "(S (A a (B b)))", "f:1:9: found '(' after a word, expected ')'" },
        { "*y*\n(S (A a))", "f:1:1: found text outside brackets, expected '('" },
        { "(S (A \xff))", "f:1:7: found bytes that are not UTF-8" },
    };
    assert_all_refused(false, cases, sizeof cases / sizeof *cases);
    static const char nul[] = "(S (A a\0b))";
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_fails(bracket_read(&tb, text_block((StrView){ nul, sizeof nul - 1 }, "f"),
                              (BracketOptions){ .strip_functions = true }, test_error()),
                 ERR_FORMAT, "f:1:8: found a NUL byte");
}

TEST(headers_and_trees_with_only_traces_are_skipped_with_a_note)
{
    static const char text[] = "*x*x*x*x*x*\n*x*  Copyright (C) 1992 (  *x*\n*x*x*x*x*x*\n\n( (S (A a)) )\n( (S (NP "
                               "(-NONE- *T*-1))) )\n(S (B b))\n";
    TestNotes taken = { .notes = { test_take_note } };
    FREED(treebank_fini) Treebank tb, with_traces;
    assert_ok(read_brackets(&tb, text, (BracketOptions){ .notes = &taken.notes }));
    assert_int_equal(tb.n, 2);
    assert_string_equal(taken.text, "1: skipped the header (lines that begin with *x*); "
                                    "6: skipped a tree that has only traces; ");
    assert_ok(read_brackets(&with_traces, text, (BracketOptions){ .keep_traces = true }));
    assert_int_equal(with_traces.n, 3);
}

TEST(words_keep_their_spelling_when_asked)
{
    static const char text[] = "(TOP (S (A -LCB-a{) (B 1\\/2) (C -LRB-) (D d)))";
    FREED(treebank_fini) Treebank tb;
    assert_ok(read_brackets(&tb, text, (BracketOptions){ .keep_spelling = true }));
    assert_string_equal(tb.s[0].words[0], "{a{");
    tree_write_as(test_out(), &tb.s[0], (TreeStyle){ .top = "TOP", .escapes = ESCAPE_INPUT });
    assert_string_equal(test_written(), text);
    tree_write_as(test_out(), &tb.s[0], (TreeStyle){ .top = "TOP", .escapes = ESCAPE_ALL });
    assert_string_equal(test_written(), "(TOP (S (A -LCB-a-LCB-) (B 1/2) (C -LRB-) (D d)))");
    assert_ok(read_conll(&tb, "1\t-LSB-(\t_\tX\tX\t_\t0\troot\t_\t_\n\n", (ConllOptions){ .keep_spelling = true }));
    conll_write(test_out(), &tb.s[1], CONLL_X_ESCAPE_INPUT, NULL);
    assert_string_equal(test_written(), "1\t-LSB--LRB-\t_\tX\tX\t_\t0\troot\t_\t_\n\n");
}

/* In the file, tag, word. */
TEST(the_slash_of_ontonotes_before_a_sign_is_removed)
{
    static const char *const cases[][3] = { { "/.", ".", "." },
                                            { "/?", ".", "?" },
                                            { "/-", ":", "-" },
                                            { "/-", "HYPH", "-" },
                                            { "/,", ",", "," },
                                            { "/!", ".", "!" },
                                            { "/\u3002", "PU", "\u3002" },
                                            { "/.", "NFP", "." },
                                            { "/.", "CD", "/." },
                                            { "//", ":", "//" },
                                            { "/..", ".", "/.." },
                                            { "/", ":", "/" },
                                            { "\\/.", ".", "/." },
                                            { "/a", ".", "/a" },
                                            { "1\\/2", "CD", "1/2" },
                                            { "\\*", "SYM", "*" } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(strbuf_fini) StrBuf text = { 0 };
        FREED(treebank_fini) Treebank tb;
        strbuf_printf(&text, "(TOP (X (%s %s)))", cases[k][1], cases[k][0]);
        assert_ok(read_brackets(&tb, text.ptr, (BracketOptions){ .keep_spelling = true }));
        assert_string_equal(tb.s[0].words[0], cases[k][2]);
        tree_write_as(test_out(), &tb.s[0], (TreeStyle){ .top = "TOP", .escapes = ESCAPE_INPUT });
        assert_string_equal(test_written(), text.ptr);
    }
}

TEST(no_word_of_a_tree_ends_with_a_backslash)
{
    FREED(treebank_fini) Treebank tb;
    assert_ok(read_brackets(&tb, "(TOP (X a\\ ))", (BracketOptions){ .keep_spelling = true }));
    assert_string_equal(tb.s[0].words[0], "a\\");
    for (int escapes = ESCAPE_ROUND; escapes <= ESCAPE_TOKENS; escapes++) {
        tree_write_as(test_out(), &tb.s[0], (TreeStyle){ .top = "TOP", .escapes = (Escapes)escapes });
        assert_string_equal(test_written(), "(TOP (X a-U+005C-))");
    }
}

/* Whose escapes would be read as others, and what no standard has an escape for. */
TEST(words_and_tags_that_look_like_escapes_read_as_they_were)
{
    static const char *const cases[][3] = {
        { "-RSB)", "X", "(TOP (X -U+002D-RSB-RRB-))" },
        { "-LRB-", "X", "(TOP (X -U+002D-LRB-))" },
        { "10 000", "CD", "(TOP (CD 10-U+0020-000))" },
        { "\\/", "X", "(TOP (X -U+005C-/))" },
        { "\\a", "X", "(TOP (X -U+005C-a))" },
        { "a\\b", "X", "(TOP (X a\\b))" },
        { "\\", "X", "(TOP (X -U+005C-))" }, /* some readers take \\) as part of the word */
        { "C:\\pat\\", "X", "(TOP (X C:\\pat-U+005C-))" },
        { "\\\\", "X", "(TOP (X -U+005C--U+005C-))" },
        { "a(\\", "X", "(TOP (X a-LRB--U+005C-))" },
        { "-U+0020-", "X", "(TOP (X -U+002D-U+0020-))" },
        { "a-LRB-b", "-LRB-", "(TOP (-LRB- a-U+002D-LRB-b))" },
        { "(", "$(", "(TOP ($-LRB- -LRB-))" },
        { "well-known", "N-D", "(TOP (N-D well-known))" },
        { "-", "-", "(TOP (- -))" },
        { "\xc2\xa0\xe2\x80\xa8", "X", "(TOP (X \xc2\xa0\xe2\x80\xa8))" },
        { "-LRB\\*", "X", "(TOP (X -U+002D-LRB-U+005C-*))" },
        { "$-LRB-", "$-LRB-", "(TOP ($-U+002D-LRB- $-U+002D-LRB-))" },
        { "/.", ".", "(TOP (. -U+002F-.))" }, /* which OntoNotes has for "." */
        { "/.", "SYM", "(TOP (SYM /.))" },
        { "/-.", ":", "(TOP (: /-.))" },
        { "/", ":", "(TOP (: /))" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *word = cases[k][0], *tag = cases[k][1];
        Sentence s = { .n_words = 1, .words = &word, .tags = &tag, .has_tree = true };
        FREED(strbuf_fini) StrBuf out = { 0 };
        FREED(treebank_fini) Treebank tb;
        tree_write(&out, &s);
        assert_string_equal(out.ptr, cases[k][2]);
        assert_ok(read_trees(&tb, out.ptr));
        assert_string_equal(tb.s[0].words[0], word);
        assert_string_equal(tb.s[0].tags[0], tag);
    }
    const char *word = "a", *tag = "("; /* the Penn Treebank has a name for it */
    FREED(strbuf_fini) StrBuf out = { 0 };
    tree_write(&out, &(Sentence){ .n_words = 1, .words = &word, .tags = &tag, .has_tree = true });
    assert_string_equal(out.ptr, "(TOP (-LRB- a))");
    strbuf_clear(&out);
    Phrase root = { 0, 1, "ROOT" };
    tree_write_as(&out, &(Sentence){ .n_words = 1, .words = &word, .phrases = &root, .n_phrases = 1, .has_tree = true },
                  (TreeStyle){ .top = NULL });
    assert_string_equal(out.ptr, "( (ROOT (XX a)))"); /* ROOT would be read as the bracket around the tree */
    strbuf_clear(&out);
    tree_write(&out, &(Sentence){ .has_tree = true });
    assert_int_equal(out.len, 0);
}

TEST(deep_nesting_is_an_error_without_recursion)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    FREED(treebank_fini) Treebank tb;
    for (int k = 0; k < 1000000; k++) strbuf_puts(&text, "(X ");
    assert_fails(read_trees(&tb, text.ptr), ERR_FORMAT, "f:1:6001: found phrases nested too deeply");
}

TEST(conll_is_read_and_written)
{
    static const char text[] = "# sent_id = "
                               "1\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdo\t_\tVERB\tVBP\t_\t0\troot\t_\t_\n2\tn't\t_"
                               "\tPART\tRB\t_\t1\tneg\t_\t_\n"
                               "2.1\tgo\t_\t_\t_\t_\t_\t_\t_\t_\n\n\n1\t-LRB-\t_\t-LRB-\t_\t_\t0\troot\t_\t_\n";
    FREED(strbuf_fini) StrBuf out = { 0 };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_ok(read_conll(&tb, text, (ConllOptions){ 0 }));
    assert_int_equal(tb.n, 2);
    assert_int_equal(tb.s[0].n_words, 2);
    assert_int_equal(tb.s[0].line, 3);
    assert_int_equal(tb.s[0].heads[1], 1);
    assert_string_equal(tb.s[0].types[1], "neg");
    assert_string_equal(tb.s[1].words[0], "(");
    assert_string_equal(tb.s[1].tags[0], "-LRB-");
    conll_write(&out, &tb.s[1], CONLL_X, NULL);
    conll_write(&out, &tb.s[0], CONLL_U, NULL);
    assert_string_equal(out.ptr, "1\t-LRB-\t_\t-LRB-\t-LRB-\t_\t0\troot\t_\t_\n\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_"
                                 "\n1\tdo\t_\t_\tVBP\t_\t0\troot\t_\t_"
                                 "\n2\tn't\t_\t_\tRB\t_\t1\tneg\t_\t_\n\n");
}

TEST(conll_refuses_what_no_format_has)
{
    static const Refused cases[] = {
        { "1\ta\rb\t_\t_\tX\t_\t0\troot\t_\t_\n",
          "f:1:4: found a carriage return inside a line, expected it only before a line feed" },
        { "# a\r\r\n", "f:1:4: found a carriage return inside a line, expected it only before a line feed" },
        { "1\ta\t_\t_\tX Y\t_\t0\troot\t_\t_\n", "f:1:9: found 'X Y' as a tag, expected a text without blanks" },
        { "1\ta\t_\t_\t\t_\t0\troot\t_\t_\n", "f:1:9: found '' as a tag, expected a text without blanks" },
        { "1\ta\t_\t_\tX\t_\t0\t\t_\t_\n",
          "f:1:15: found '' as the type of a dependency, expected a text without blanks" },
        { "1\t-U+0020-\t_\t_\tX\t_\t0\troot\t_\t_\n", "f:1:3: found an empty word" },
        { "1-1\t \t_\t_\t_\t_\t_\t_\t_\t_\n", "f:1:1: found an empty word" },
    };
    assert_all_refused(true, cases, sizeof cases / sizeof *cases);
}

/* As convert writes trees in CoNLL. */
TEST(rows_without_heads_have_no_dependencies)
{
    static const char bare[] = "1\ta\t_\t_\tX\t_\t_\t_\t_\t_\n2\tb\t_\t_\tX\t_\t_\t_\t_\t_\n\n",
                      mixed[] = "1\ta\t_\t_\tX\t_\t_\t_\t_\t_\n2\tb\t_\t_\tX\t_\t0\troot\t_\t_\n";
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_ok(read_conll(&tb, bare, (ConllOptions){ .bare = true }));
    assert_true(tb.n == 1 && !tb.s[0].heads && !tb.s[0].types);
    assert_fails(read_conll(&tb, mixed, (ConllOptions){ .bare = true }), ERR_FORMAT,
                 "f:2:13: found a head, expected _ as in the row before");
    assert_fails(read_conll(&tb, bare, (ConllOptions){ 0 }), ERR_FORMAT,
                 "f:1:13: found '_' as head, expected a number");
}

/* What a parse knows replaces these columns of the rows; all else stays, and eight columns become ten. */
TEST(conll_u_is_written_over_the_rows_of_a_file)
{
    static const char text[] = "# a\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
                               "1\ta\tla\tU\tx\tF=1\t0\troot\t0:root|2:y\tSpaceAfter=No|Note=1\n"
                               "1.1\te\t_\t_\t_\t_\t_\t_\t2:z\tKeep=1\n"
                               "2\t-LRB-\tlb\tV\t_\tG=1\t1\tdep\t_\t_\n3\t-LRB-\t_\tV\t_\t_\t1\tdep\t_\tLiteral=Yes\n\n"
                               "1\t-LRB-\t_\tC\tC\t_\t0\troot\n\n";
    static const char *tags[] = { "T", "_", "_" }, *lemmas[] = { "_", "l", "l" }, *feats[] = { "_", NULL, NULL },
                      *types[] = { "i", "root", "j" }, *added[] = { "Why=1", NULL, NULL };
    int heads[] = { 2, 0, 2 };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_ok(conll_read(&tb, text_block(view(text), "f"), (ConllOptions){ .keep_lines = true }, test_error()));
    Sentence parse = tb.s[0];
    parse.tags = tags;
    parse.lemmas = lemmas;
    parse.feats = feats;
    parse.types = types;
    parse.heads = heads;
    conll_write_over(test_out(), &parse, &tb.s[0], false, &(ConllMisc){ .words = added });
    assert_string_equal(test_written(), "1-2\tab\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
                                        "1\ta\tla\tU\tT\t_\t2\ti\t0:root|2:y\tSpaceAfter=No|Note=1|Why=1\n"
                                        "1.1\te\t_\t_\t_\t_\t_\t_\t2:z\tKeep=1\n"
                                        "2\t-LRB-\tl\tV\t_\tG=1\t0\troot\t_\t_\n"
                                        "3\t-LRB-\tl\tV\t_\t_\t2\tj\t_\tLiteral=Yes\n\n");
    conll_write_over(test_out(), &parse, &tb.s[0], true, &(ConllMisc){ .words = NULL }); /* the file's go first */
    assert_non_null(strstr(test_written(), "\n1\ta\tla\tU\tx\tF=1\t2\ti\t0:root|2:y\tSpaceAfter=No|Note=1\n"));
    assert_non_null(strstr(test_written(), "\n2\t-LRB-\tlb\tV\t_\tG=1\t0\troot\t_\t_\n"));
    const char *corrected[] = { "b", NULL, "c" };
    parse.corrected = corrected;
    conll_write_over(test_out(), &parse, &tb.s[0], true, &(ConllMisc){ .words = added });
    assert_non_null(strstr(test_written(), "\tSpaceAfter=No|Note=1|CorrectForm=b|Why=1\n"));
    assert_non_null(strstr(test_written(), "\tLiteral=Yes|CorrectForm=c\n"));
    conll_write(test_out(), &parse, CONLL_U, &(ConllMisc){ .words = added });
    assert_non_null(strstr(test_written(), "\tCorrectForm=b|Why=1\n"));
    conll_write_over(test_out(), &tb.s[1], &tb.s[1], false, &(ConllMisc){ .words = NULL });
    assert_string_equal(test_written(), "1\t(\t_\tC\tC\t_\t0\troot\t_\t_\n\n"); /* not CoNLL-U */
}

TEST(the_text_of_conll_u_has_blanks_but_where_none_is)
{
    static const char *const cases[][2] = {
        { "1\ta\t_\t_\t_\t_\t0\tr\t_\tX=1|SpaceAfter=No\n2\tb\t_\t_\t_\t_\t1\td\t_\t_\n3\tc\t_\t_\t_\t_\t1\td\t_\t_\n",
          "ab c" },
        { "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n1\tdo\t_\t_\t_\t_\t0\tr\t_\t_\n"
          "2\tn't\t_\t_\t_\t_\t1\td\t_\t_\n3\t.\t_\t_\t_\t_\t1\td\t_\t_\n",
          "don't." },
        { "1\ta\t_\t_\t_\t_\t0\tr\t_\t_\n1.1\te\t_\t_\t_\t_\t_\t_\t1:x\tSpaceAfter=No\n"
          "2-3\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n2\tde\t_\t_\t_\t_\t1\td\t_\tSpaceAfter=No\n"
          "3\tle\t_\t_\t_\t_\t1\td\t_\tSpaceAfter=No\n4\tb\t_\t_\t_\t_\t1\td\t_\t_\n",
          "a du b" },
        { "1\ta\t_\t_\t_\t_\t0\tr\t_\tSpaceAfter=No\n2\tb\t_\t_\t_\t_\t1\td\t_\tSpaceAfter=No\n", "ab" },
        { "1\ta\t_\t_\t_\t_\t0\tr\t_\tNoSpaceAfter=No|XSpaceAfter=No\n2\tb\t_\t_\t_\t_\t1\td\t_\t_\n", "a b" },
        { "1\ta\t_\t_\t_\t_\t0\tr\t_\tSpaceAfter=Yes\n2\tb\t_\t_\t_\t_\t1\td\t_\tSpacesAfter=\\s\\s\n", "a b" },
        { "1\t10 000\t_\t_\t_\t_\t0\tr\t_\tSpaceAfter=No\n2\t.\t_\t_\t_\t_\t1\td\t_\t_\n", "10 000." },
        { "1\t,\t_\t_\t_\t_\t0\tr\t_\tA=1|SpaceAfter=No|B=2\n2\tb\t_\t_\t_\t_\t1\td\t_\t_\n", ",b" },
        { "1-3\tdámelo\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n1\tda\t_\t_\t_\t_\t0\tr\t_\t_\n"
          "2\tme\t_\t_\t_\t_\t1\td\t_\t_\n3\tlo\t_\t_\t_\t_\t1\td\t_\t_\n4\t!\t_\t_\t_\t_\t1\td\t_\t_\n",
          "dámelo!" },
        { "0.1\te\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n1\ta\t_\t_\t_\t_\t0\tr\t_\t_\n"
          "2-3\tab\t_\t_\t_\t_\t_\t_\t_\t_\n2\ta\t_\t_\t_\t_\t1\td\t_\t_\n3\tb\t_\t_\t_\t_\t1\td\t_\t_\n"
          "4-5\tcd\t_\t_\t_\t_\t_\t_\t_\t_\n4\tc\t_\t_\t_\t_\t1\td\t_\t_\n5\td\t_\t_\t_\t_\t1\td\t_\t_\n",
          "a ab cd" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(Treebank, treebank_init, treebank_fini, tb);
        assert_ok(
            conll_read(&tb, text_block(view(cases[k][0]), "f"), (ConllOptions){ .keep_lines = true }, test_error()));
        conll_text(test_out(), &tb.s[0]);
        assert_string_equal(test_written(), cases[k][1]);
        tb.s[0].lines = NULL; /* then words and ranges are apart */
        tb.s[0].n_lines = 0;
        conll_text(test_out(), &tb.s[0]);
        assert_true(strlen(test_written()) >= strlen(cases[k][1]));
    }
}

TEST(conll_u_keeps_comments_ranges_empty_nodes_and_columns)
{
    static const char text[] =
        "# sent_id = 1\n# text = don't "
        "go\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n1\tdo\tdo\tAUX\tVBP\tMood=Ind\t3\taux\t3:aux\t_\n"
        "2\tn't\tnot\tPART\tRB\t_\t3\tneg\t_\tX=Y\n2.1\twill\t_\t_\t_\t_\t_\t_\t0:x\t_\n3\tgo\tgo\tVERB\tVB\t_"
        "\t0\troot\t_\t_\n\n"
        "# one of eight columns\n1\ta\t_\tX\tX\t_\t0\troot\n\n";
    FREED(strbuf_fini) StrBuf out = { 0 };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_ok(read_conll(&tb, text, (ConllOptions){ .keep_lines = true }));
    for (int k = 0; k < tb.n; k++) conll_write_lines(&out, &tb.s[k]);
    assert_string_equal(out.ptr, text);
    tb.s[0].heads[0] = 2; /* heads and types are the current ones */
    tb.s[0].types[0] = "dep";
    conll_write_lines(test_out(), &tb.s[0]);
    assert_non_null(strstr(test_written(), "1\tdo\tdo\tAUX\tVBP\tMood=Ind\t2\tdep\t3:aux\t_\n"));
}

TEST(words_of_conll_x_are_text_in_conll_u)
{
    static const char *const cases[][2] = {
        { "1\t-LRB-\t-LRB-\t-LRB-\t-LRB-\t_\t0\troot\t_\t_\n\n", "1\t(\t(\t-LRB-\t-LRB-\t_\t0\troot\t_\t_\n\n" },
        { "1\ta-RRB-b\ta-RRB-b\tX\tX\t_\t0\troot\n\n", "1\ta)b\ta)b\tX\tX\t_\t0\troot\n\n" },
        { "# c\n1\t-LCB-\t_\tX\tX\tA=B\t0\troot\t_\tM=N\n\n", "# c\n1\t{\t_\tX\tX\tA=B\t0\troot\t_\tM=N\n\n" },
        { "1\t-LSB-\t[\tX\t_\t_\t0\troot\t_\t_\n\n", "1\t[\t[\tX\t_\t_\t0\troot\t_\t_\n\n" },
        { "1\t-U+002D-LRB-\tx\tX\tX\t_\t0\troot\t_\t_\n\n", "1\t-LRB-\tx\tX\tX\t_\t0\troot\t_\tLiteral=Yes\n\n" },
        { "1\t-U+002D-LRB-\tx\tX\tX\t_\t0\troot\t_\tM=N\n\n", "1\t-LRB-\tx\tX\tX\t_\t0\troot\t_\tM=N|Literal=Yes\n\n" },
        /* no last column for Literal=Yes */
        { "1\t-U+002D-LRB-\tx\tX\tX\t_\t0\troot\n\n", "1\t-U+002D-LRB-\tx\tX\tX\t_\t0\troot\n\n" },
        { "1\t-LRB-\t-LRB-\tX\tX\t_\t0\troot\t_\tLiteral=Yes\n\n",
          "1\t-LRB-\t-LRB-\tX\tX\t_\t0\troot\t_\tLiteral=Yes\n\n" },
        { "1\ta\t-LRB-\tX\tX\t_\t0\troot\t_\t_\n\n", "1\ta\t-LRB-\tX\tX\t_\t0\troot\t_\t_\n\n" },
        /* CoNLL-U stays as it is */
        { "# sent_id = 1\n1\t-LRB-\t_\tX\tX\t_\t0\troot\t_\t_\n\n", NULL },
        { "# text = -LRB-\n1\t-LRB-\t_\tX\tX\t_\t0\troot\t_\t_\n\n", NULL },
        { "1\t-LRB-\t_\tX\tX\t_\t0\troot\t_\t_\n1.1\tE\t_\t_\t_\t_\t_\t_\t_\t_\n\n", NULL },
        { "1-2\t-LRB-b\t_\t_\t_\t_\t_\t_\t_\t_\n1\t-LRB-\t_\tX\tX\t_\t0\troot\t_\t_\n"
          "2\tb\t_\tX\tX\t_\t1\tx\t_\t_\n\n",
          NULL },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(strbuf_fini) StrBuf out = { 0 };
        MADE(Treebank, treebank_init, treebank_fini, tb);
        assert_ok(read_conll(&tb, cases[k][0], (ConllOptions){ .keep_lines = true, .keep_columns = true }));
        conll_write_lines(&out, &tb.s[0]);
        assert_string_equal(out.ptr, cases[k][1] ? cases[k][1] : cases[k][0]);
        assert_ok(read_conll(&tb, out.ptr, (ConllOptions){ .keep_lines = true, .keep_columns = true }));
        assert_string_equal(tb.s[1].words[0], tb.s[0].words[0]);
        conll_write_lines(test_out(), &tb.s[1]);
        assert_string_equal(test_written(), out.ptr);
    }
}

TEST(empty_nodes_have_the_number_of_the_word_before)
{
#define EMPTY(id) id "\tE\t_\t_\t_\t_\t_\t_\t1:x\t_\n"
#define WORDS(first, second) "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n" first "2\tb\t_\tX\tX\t_\t1\tx\t_\t_\n" second
    static const struct {
        const char *text, *message; /* NULL: it is read, and written as it is */
    } cases[] = {
        { EMPTY("0.1") EMPTY("0.2") WORDS("", "") "\n", NULL },
        { WORDS(EMPTY("1.1") EMPTY("1.2"), "") "\n", NULL },
        { WORDS(EMPTY("1.1"), EMPTY("2.1") EMPTY("2.2")) "\n", NULL },
        { "# sent_id = 1\n" EMPTY("0.1") WORDS("", "") "\n", NULL },
        { "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n" WORDS(EMPTY("1.1"), "") "\n", NULL },
        { EMPTY("1.1") WORDS("", ""), "f:1:1: found '1.1', expected 0.1 for an empty node here" },
        { WORDS(EMPTY("0.1"), ""), "f:2:1: found '0.1', expected 1.1 for an empty node here" },
        { WORDS(EMPTY("1.2"), ""), "f:2:1: found '1.2', expected 1.1 for an empty node here" },
        { WORDS(EMPTY("1.1") EMPTY("1.3"), ""), "f:3:1: found '1.3', expected 1.2 for an empty node here" },
        { WORDS(EMPTY("1.1") EMPTY("1.1"), ""), "f:3:1: found '1.1', expected 1.2 for an empty node here" },
        { WORDS("", EMPTY("1.1")), "f:3:1: found '1.1', expected 2.1 for an empty node here" },
        { WORDS("", EMPTY("3.1")), "f:3:1: found '3.1', expected 2.1 for an empty node here" },
        { WORDS(EMPTY("1.0"), ""), "f:2:1: found '1.0', expected 1.1 for an empty node here" },
        { WORDS(EMPTY("1.01"), ""), "f:2:1: found '1.01', expected 1.1 for an empty node here" },
        { WORDS(EMPTY("01.1"), ""), "f:2:1: found '01.1', expected 1.1 for an empty node here" },
        { WORDS(EMPTY("1."), ""), "f:2:1: found '1.', expected 1.1 for an empty node here" },
        { WORDS(EMPTY(".1"), ""), "f:2:1: found '.1', expected 1.1 for an empty node here" },
        { WORDS(EMPTY("1.1.1"), ""), "f:2:1: found '1.1.1', expected 1.1 for an empty node here" },
        { WORDS(EMPTY("x.y"), ""), "f:2:1: found 'x.y', expected 1.1 for an empty node here" },
        { WORDS("1.1\tE\t_\t_\t_\t_\t1\tx\t_\t_\n", ""), "f:2:15: found '1' as head of an empty node, expected _" },
        { WORDS("1.1\tE\t_\t_\t_\t_\t_\tx\t_\t_\n", ""), "f:2:17: found 'x' as type of an empty node, expected _" },
        { EMPTY("0.1") "\n" WORDS("", ""), "f:2: found the end of a sentence without words" },
        { "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n\n" WORDS("", ""), "f:2: found the end of a sentence without words" },
        { WORDS("", "") "\n" EMPTY("2.1"), "f:4:1: found '2.1', expected 0.1 for an empty node here" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(Treebank, treebank_init, treebank_fini, tb);
        Status s = read_conll(&tb, cases[k].text, (ConllOptions){ .keep_lines = true });
        if (cases[k].message) {
            assert_fails(s, ERR_FORMAT, cases[k].message);
            continue;
        }
        assert_ok(s);
        conll_write_lines(test_out(), &tb.s[0]);
        assert_string_equal(test_written(), cases[k].text);
    }
#undef EMPTY
#undef WORDS
}

TEST(columns_of_conllu_are_kept_if_asked)
{
    const char *text = "1\tWent\tgo\tVERB\tVBD\tTense=Past\t0\troot\t_\t_\n2\tout\t_\tADV\t_\t_\t1\tadvmod\t_\t_\n";
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_ok(read_conll(&tb, text, (ConllOptions){ .keep_columns = true }));
    assert_ok(read_conll(&tb, text, (ConllOptions){ 0 }));
    assert_string_equal(tb.s[0].lemmas[0], "go");
    assert_string_equal(tb.s[0].lemmas[1], "_");
    assert_string_equal(tb.s[0].upos[0], "VERB");
    assert_string_equal(tb.s[0].feats[0], "Tense=Past");
    assert_string_equal(tb.s[0].tags[1], "_");
    assert_null(tb.s[1].lemmas);
    assert_null(tb.s[1].upos);
    assert_null(tb.s[1].feats);
    assert_string_equal(tb.s[1].tags[1], "ADV");
}

TEST(partial_dependencies_are_read)
{
    static const char text[] = "# c\n1\ta\t_\tX\tX\t_\t_\t_\t_\t_\n2-3\tbc\t_\t_\t_\t_\t_\t_\t_\t_\n"
                               "2\tb\t_\tX\tX\t_\t2\tx\t_\t_\n3\tc\t_\tX\tX\t_\t0\troot\t_\t_\n";
    static const char *const bad[][2] = {
        { "1\ta\t_\tX\tX\t_\t2\tx\t_\t_\n", "f:1: found head 2 in a sentence of 1 words, expected 0 to 1 or _" },
        { "1\ta\t_\tX\tX\t_\t__\tx\t_\t_\n", "f:1:13: found '__' as head, expected a number" },
    };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_ok(read_conll(&tb, text, (ConllOptions){ .partial = true }));
    assert_int_equal(tb.s[0].heads[0], HEAD_FREE);
    assert_int_equal(tb.s[0].heads[1], 2);
    assert_int_equal(tb.s[0].heads[2], 0);
    assert_int_equal(tb.s[0].word_lines[0], 2);
    assert_int_equal(tb.s[0].word_lines[2], 5);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_fails(read_conll(&tb, bad[k][0], (ConllOptions){ .partial = true }), ERR_FORMAT, bad[k][1]);
}

TEST(errors_in_dependencies_have_their_place)
{
    static const Refused cases[] = {
        { "1\ta\t_\tX\tX\t_\t2\tdep\t_\t_\n2\tb\t_\tX\tX\t_\t1\tdep\t_\t_\n3\tc\t_\tX\tX\t_\t0\troot\t_\t_\n",
          "f:1: found a cycle at this word, expected a tree with one root" },
        { "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n2\tb\t_\tX\tX\t_\t0\troot\t_\t_\n",
          "f:2: found a second root at this word, expected a tree with one root" },
        { "1\ta\t_\tX\tX\t_\t5\tdep\t_\t_\n",
          "f:1: found a head out of range at this word, expected a tree with one root" },
        { "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n3\tb\t_\tX\tX\t_\t1\tdep\t_\t_\n",
          "f:2:1: found word number 3, expected 2" },
        { "# "
          "c\n1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n2-3\tbc\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\tX\tX\t_\t0\troot\t_\t_"
          "\n3\tc\t_\tX\tX\t_\t1\tx\t_\t_\n",
          "f:4: found a second root at this word, expected a tree with one root" },
        { "2-3\tab\t_\t_\t_\t_\t_\t_\t_\t_\n", "f:1:1: found a range from word 2, expected one from 1" },
        { "2-1\tab\t_\t_\t_\t_\t_\t_\t_\t_\n", "f:1:1: found '2-1', expected a range such as 1-2" },
        { "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n",
          "f:1:1: found a range to word 2, expected at most 1" },
        { "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1-1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n",
          "f:2:1: found a range from word 1, expected one from 1 or more, after the previous range" },
        { "1\ta\t_\tX\n", "f:1:1: found 4 tab-separated columns, expected 10" },
        { "1\ta\t_\tX\tX\t_\tx\troot\t_\t_\n", "f:1:13: found 'x' as head, expected a number" },
        { "1\t\t_\tX\tX\t_\t0\troot\t_\t_\n", "f:1:3: found an empty word" },
        { "1-2\t \t_\t_\t_\t_\t_\t_\t_\t_\n", "f:1:1: found an empty word" },
        { "1\ta\xff\t_\tX\tX\t_\t0\troot\t_\t_\n", "f:1:4: found bytes that are not UTF-8" },
    };
    assert_all_refused(true, cases, sizeof cases / sizeof *cases);
}

TEST(trees_and_dependencies_must_have_the_same_words)
{
    static const char *const cases[][2] = {
        { "1\ta\t_\tA\tA\t_\t0\troot\t_\t_\n2\tc\t_\tB\tB\t_\t1\tdep\t_\t_\n",
          "d:2: found word 2 'c', expected 'b' as in sentence 1 at t:1" },
        { "1\ta\t_\tA\tA\t_\t0\troot\t_\t_\n2-3\tx\t_\t_\t_\t_\t_\t_\t_\t_\n2\t\u0431\t_\tB\tB\t_\t1\tdep\t_\t_\n"
          "3\tc\t_\tB\tB\t_\t1\tdep\t_\t_\n",
          "d:3: found word 2 '\u0431' (U+0431), expected 'b' (U+0062) as in sentence 1 at t:1" },
        { "1\ta\t_\tA\tA\t_\t0\troot\t_\t_\n", "d:1: found 1 words in sentence 1, expected 2 as at t:1" },
        { "1\ta\t_\tA\tA\t_\t0\troot\t_\t_\n2\tb\t_\tB\tB\t_\t1\tdep\t_\t_\n\n1\ta\t_\tA\tA\t_\t0\troot\t_\t_\n",
          "d: found 2 sentences, expected 1 as in t" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FREED(treebank_fini) Treebank trees, deps;
        assert_ok(read_trees(&trees, "(S (A a) (B b))"));
        treebank_init(&deps);
        assert_ok(conll_read(&deps, text_block(view(cases[k][0]), "d"), (ConllOptions){ 0 }, test_error()));
        assert_fails(treebank_pair(&trees, 0, &deps, "t", "d", test_error()), ERR_FORMAT, cases[k][1]);
    }
    MADE(Treebank, treebank_init, treebank_fini, deps); /* of OntoNotes, as the trees */
    FREED(treebank_fini) Treebank trees;
    assert_ok(read_trees(&trees, "(TOP (S (A a) (. /.)))"));
    assert_ok(
        read_conll(&deps, "1\ta\t_\tA\tA\t_\t0\troot\t_\t_\n2\t/.\t_\t.\t.\t_\t1\tp\t_\t_\n\n", (ConllOptions){ 0 }));
    assert_ok(treebank_pair(&trees, 0, &deps, "t", "d", test_error()));
}

TEST(a_vocabulary_is_written_and_read_back)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    MADE(Vocab, vocab_init, vocab_fini, v);
    MADE(Vocab, vocab_init, vocab_fini, w);
    vocab_count(&v, "<UNK>", 5, 0);
    for (int k = 0; k < 3; k++) vocab_count(&v, "often", 5, 1);
    vocab_count(&v, "once", 4, 1);
    for (int k = 0; k < 3; k++) vocab_count(&v, "always", 6, VOCAB_COUNT_MOST - 1); /* more cannot be read back */
    assert_true(vocab_prune(&v, 1, 2));
    assert_int_equal(vocab_size(&v), 3);
    assert_int_equal(v.counts[2], VOCAB_COUNT_MOST);
    assert_int_equal(vocab_find(&v, "often"), 1);
    assert_int_equal(vocab_find(&v, "once"), -1);
    vocab_write(&v, &text);
    assert_string_equal(text.ptr, "<UNK>\t0\noften\t3\nalways\t999999999\n");
    assert_ok(vocab_read(&w, (StrView){ text.ptr, text.len }, "v", test_error()));
    assert_int_equal(w.counts[1], 3);
    static const char *const bad[] = { "a\n", "a\tx\n", "a\t1", "a\t1\na\t2\n", "a\t\n", "a\t99999999999\n" };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        MADE(Vocab, vocab_init, vocab_fini, none);
        assert_int_equal(vocab_read(&none, view(bad[k]), "v", test_error()), ERR_FORMAT);
    }
}

/* ---- joint spans */

static void assert_converted(const char *tree, const int *heads, const char *nodes, int flat, int extra)
{
    FREED(treebank_fini) Treebank tb;
    FREED(strbuf_fini) StrBuf out = { 0 };
    assert_ok(read_trees(&tb, tree));
    tb.s[0].heads = (int *)(uintptr_t)heads;
    OracleTree *t = oracle_convert(&tb.s[0], &tb.arena);
    for (int k = 0; k < t->n; k++)
        strbuf_printf(&out, "%s%d-%d %s", k ? ", " : "", t->nodes[k].begin, t->nodes[k].end, t->nodes[k].label);
    assert_string_equal(out.ptr, nodes);
    assert_int_equal(t->flat, flat);
    assert_int_equal(t->extra_heads, extra);
}

TEST(dependents_with_dependents_beside_them_are_grouped)
{
    assert_converted("(TOP (S (A a) (B b)))", (int[]){ 2, 0 }, "0-2 S", 0, 0);
    /* unary chains are joined; a phrase over the whole sentence is added if it is missing */
    assert_converted("(TOP (S (VP (A a) (NP (B b)))))", (int[]){ 0, 1 }, "0-2 S::VP, 1-2 NP", 0, 0);
    assert_converted("(TOP (A a) (B b))", (int[]){ 0, 1 }, "0-2 FRAG", 0, 0);
    /* b depends on c, c on d: [b c] is a dependent of more than one word without a phrase */
    assert_converted("(TOP (S (A a) (B b) (C c) (D d)))", (int[]){ 4, 3, 4, 0 }, "0-4 S, 1-3 <H>", 0, 0);
    /* groups inside groups: a <- b <- c <- d(head) */
    assert_converted("(TOP (S (A a) (B b) (C c) (D d)))", (int[]){ 2, 3, 4, 0 }, "0-4 S, 0-3 <H>, 0-2 <H>", 0, 0);
    /* crossing: a and c form a group, b is between them: left flat and counted */
    assert_converted("(TOP (S (A a) (B b) (C c) (D d)))", (int[]){ 3, 4, 4, 0 }, "0-4 S", 1, 0);
    /* two children with heads outside their phrase are counted */
    assert_converted("(TOP (S (NP (A a) (B b)) (C c)))", (int[]){ 3, 3, 0 }, "0-3 S, 0-2 NP", 0, 1);
}

TEST(conversion_is_undone_exactly)
{
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_true(grammar_sentences(&tb, 300, 5));
    int groups = 0;
    for (int k = 0; k < tb.n; k++) {
        FREED(strbuf_fini) StrBuf before = { 0 };
        OracleTree *t = oracle_convert(&tb.s[k], &tb.arena);
        Sentence back = tb.s[k];
        for (int p = 0; p < t->n; p++) groups += strcmp(t->nodes[p].label, LABEL_GROUP) == 0;
        assert_true(oracle_undo(t->nodes, t->n, &back, &tb.arena));
        tree_write(&before, &tb.s[k]);
        tree_write(test_out(), &back);
        assert_string_equal(test_written(), before.ptr);
    }
    assert_true(groups > 0);
}

TEST(statistics_count_sentences_phrases_and_values)
{
    FREED(treebank_fini) Treebank tb;
    FREED(stats_fini) TreebankStats s;
    assert_ok(read_trees(&tb, "(TOP (S (NP (NP (A a) (B b))) (VP (C c) (D d))))(TOP (X (A a) (B b) (C c) (D d)))"));
    tb.s[0].heads = (int[]){ 2, 3, 0, 3 };
    tb.s[0].types = (const char *[]){ "x", "y", "root", "x" };
    tb.s[1].heads = (int[]){ 3, 4, 0, 3 }; /* a-c crosses b-d */
    tb.s[1].types = tb.s[0].types;
    stats_init(&s);
    for (int k = 0; k < tb.n; k++) assert_true(stats_add(&s, &tb.s[k]));
    assert_int_equal(s.sentences, 2);
    assert_int_equal(s.words, 8);
    assert_int_equal(s.longest, 4);
    assert_int_equal(s.phrases, 5);
    assert_int_equal(vocab_size(&s.labels), 4);
    assert_int_equal(vocab_size(&s.collapsed), 4); /* S, NP::NP, VP, X */
    assert_int_equal(vocab_find(&s.collapsed, "NP::NP"), 1);
    assert_int_equal(vocab_size(&s.tags), 4);
    assert_int_equal(vocab_size(&s.types), 3);
    assert_int_equal(s.with_heads, 2);
    assert_int_equal(s.projective, 1);
    assert_int_equal(s.wide_spans, 4); /* S, NP::NP, VP, X */
    assert_int_equal(s.one_head, 4);
    tb.s[0].heads = (int[]){ 3, 3, 0, 3 }; /* now two words of the NP depend on c */
    stats_fini(&s);
    stats_init(&s);
    assert_true(stats_add(&s, &tb.s[0]));
    assert_int_equal(s.one_head, 2);
}

TEST(the_conversion_ends_on_invalid_heads)
{
    /* readers report an error, but the library must return on any input */
    assert_converted("(TOP (S (A a) (B b) (C c)))", (int[]){ 2, 3, 2 }, "0-3 S", 2, 0);
}
