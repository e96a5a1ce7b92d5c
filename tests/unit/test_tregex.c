/* The language of Tregex: order and number of matches, names, labels, heads, and what is refused where. */
#include <stdlib.h>

#include "base/arena.h"
#include "search/tregex.h"
#include "tests/support/check.h"
#include "tests/support/trees.h"
#include "treebank/bracket.h"

typedef struct Written {
    TregexSearch search;
    const Tregex *pattern;
    StrBuf *out;
    int most;
} Written;

/* "node name=node %variable=text; ...": nodes are numbered from 1. */
static bool take(TregexSearch *search, const TregexMatch *match)
{
    Written *w = (Written *)search;
    StrBuf *out = w->out;
    strbuf_printf(out, "%s%d", out->len ? "; " : "", match->node + 1);
    for (int k = 0; k < tregex_names(w->pattern); k++)
        if (match->named[k] >= 0) strbuf_printf(out, " %s=%d", tregex_name(w->pattern, k), match->named[k] + 1);
    for (int k = 0; k < tregex_variables(w->pattern); k++)
        if (match->variable[k].ptr)
            strbuf_printf(out, " %%%s=%.*s", tregex_variable(w->pattern, k), (int)match->variable[k].len,
                          match->variable[k].ptr);
    return --w->most != 0;
}

static Status search_in(const char *pattern, const char *tree, long most_steps, int most)
{
    MADE(StrMap, map_init, map_fini, labels);
    NodeTree nodes = { 0 };
    size_t at = 0;
    bool found;
    Tregex *tregex = tregex_compile(view(pattern), HEADS_COLLINS, test_error());
    if (!tregex) fail_msg("%s: %s", pattern, test_error()->message);
    Written w = { { take, most_steps }, tregex, test_out(), most };
    assert_ok(node_tree_read(&nodes, &labels, text_block(view(tree), "t"), &at, &found, test_error()));
    assert_true(found);
    strbuf_puts(w.out, "");
    Status s = tregex_search(tregex, &nodes, &labels, &w.search, test_error());
    tregex_free(tregex);
    node_tree_fini(&nodes);
    return s;
}

static void check_rows(const char *tree, const char *(*rows)[2], size_t n)
{
    for (size_t k = 0; k < n; k++) {
        assert_ok(search_in(rows[k][0], tree, 0, 0));
        if (strcmp(test_written(), rows[k][1]) != 0)
            fail_msg("%s on %s: found \"%s\", expected \"%s\"", rows[k][0], tree, test_written(), rows[k][1]);
    }
}
#define CHECK(tree, ...)                                    \
    do {                                                    \
        const char *rows[][2] = { __VA_ARGS__ };            \
        check_rows(tree, rows, sizeof rows / sizeof *rows); \
    } while (0)

static void refuses(const char *pattern, long column, const char *message)
{
    Error e = { 0 };
    Tregex *tregex = tregex_compile(view(pattern), HEADS_COLLINS, &e);
    if (tregex) fail_msg("%s is a pattern", pattern);
    if (e.column != column || !strstr(e.message, message))
        fail_msg("%s: found column %ld: %s, expected %ld: %s", pattern, e.column, e.message, column, message);
    assert_string_equal(e.path, "pattern");
}

/*                      1  2   3  4   5   6 7    8  9 10    11  12   13  14 15   16  17 */
static const char DOGS[] =
    "(S (NP (DT the) (NN dog) (NN house)) (VP (VBZ is) (NP (NP (DT a) (NN den)) (PP (IN of) (NN dogs)))))";

TEST(matches_come_in_order_each_way_once)
{
    CHECK(DOGS, { "NP < NN", "2; 2; 13" },
          { "NP < NN=a < NN=b", "2 a=5 b=5; 2 a=5 b=7; 2 a=7 b=5; 2 a=7 b=7; 13 a=16 b=16" },
          { "NN $++ __=s", "5 s=7" }, { "DT $++ NN=n", "3 n=7; 3 n=5; 14 n=16" },
          { "NN=n $-- __=s", "5 n=5 s=3; 7 n=7 s=3; 7 n=7 s=5; 16 n=16 s=14; 21 n=21 s=19" },
          { "DT .. NN=n", "3 n=16; 3 n=21; 3 n=5; 3 n=7; 14 n=21; 14 n=16" },
          { "dogs ,, NN=n", "22 n=5; 22 n=7; 22 n=16" },
          { "NP <= __=x", "2 x=2; 2 x=3; 2 x=5; 2 x=7; 12 x=12; 12 x=13; 12 x=18; 13 x=13; 13 x=14; 13 x=16" });
}

TEST(groups_negation_and_choice)
{
    CHECK(DOGS, { "NP [< NP | < NN]", "2; 2; 12; 13" }, { "NP < NP | < PP", "12; 12" },
          { "NP < PP | VP < NP", "9; 12" }, { "NP !< NP", "2; 13" }, { "NP !!< NP", "2; 13" },
          { "NP ![< NP | < house]", "2; 13" }, { "NP !(< NN < DT)", "12" }, { "NP ?< NN=n", "2 n=5; 12; 13 n=16" },
          { "NP ?(< NN=n < DT)", "2 n=5; 2 n=7; 12; 13 n=16" }, { "NP < PP & > VP", "12" },
          { "PP < IN : house=h", "18 h=8" }, { "NP=a < PP : (=a < NP=b)", "12 a=12 b=13" },
          { "NP=a < DT : =a !> S", "13 a=13" }, { "!NP > VP", "10" }, { "NP <... { DT ; NN }", "13" },
          { "NP <...{ DT;NN=n }", "" });
}

TEST(names_and_variables)
{
    CHECK(DOGS, { "NP=a < (NN=b > =a)", "2 a=2 b=5; 2 a=2 b=7; 13 a=13 b=16" }, { "NN=a $+ ~a", "5 a=5" },
          { "NN=a $+ !~a", "5 a=5" }, { "NP [< DT=a | < PP=b] < =b", "12 b=18" },
          { "/^(N).*/#1%t > /^(N).*/#1%t", "5 %t=N; 7 %t=N; 13 %t=N; 16 %t=N" },
          { "/^(N)(.)$/#2%t", "2 %t=P; 5 %t=N; 7 %t=N; 12 %t=P; 13 %t=P; 16 %t=N; 21 %t=N" },
          { "NN#1%t > PP", "21 %t=NN" });
}

TEST(labels_and_regular_expressions)
{
    static const char odd[] =
        "( (S (NP-SBJ-1 (-LRB- -LRB-) (NN a\\/b)) (. .) (PRP$ my) (JJR X) (-NONE- *) (RB is) (SBAR z)))";
    CHECK(odd, { "_ROOT_", "1" }, { "@NP", "3" }, { "NP", "" }, { "/^NP/", "3" }, { "@-LRB-", "4" }, { "/^\\($/", "5" },
          { "/a\\/b/", "7" }, { "/^.$/", "8; 9" }, { "/^.$/ > PRP", "" }, { "/^PRP\\$$/", "10" },
          { "/^JJ|RB/", "12; 16" }, { "/^(?i:IS|no)$/", "17" }, { "/i/", "17" }, { "/^$/", "1" }, { "-NONE-", "14" },
          { "*", "15" }, { "NN|", "6" }, { "__ !< __ > JJR", "13" }, { "!__", "" }, { "/^\\u0058$/", "13" },
          { "/\\p{Lu}{4}/ > S", "14; 18" });
}

TEST(heads_of_phrases)
{
    CHECK("(S (NP (DT a) (NN b) (, ,) (CC and) (NN c)) (VP (MD d) (VP (VB e))) (. .))", { "S <# __=h", "1 h=13" },
          { "S <<# (__=h !< __)", "1 h=15" }, { "NP <# __=h", "2 h=11" }, { "MD ># VP", "14" }, { "MD >># S", "14" });
    CHECK("(NP (NN a) (CC and) (NN b))", { "NP <# __=h", "1 h=2" });
    CHECK("(NML (NN a) (HYPH -) (NN b))", { "NML <# __=h", "1 h=6" });
}

TEST(what_is_no_pattern_is_refused_at_its_place)
{
    refuses("", 1, "found the end of the pattern");
    refuses("NP <", 5, "found the end of the pattern, expected a label");
    refuses("NP NN", 4, "found 'NN', expected a relation");
    refuses("NP < (NN | NNS)", 10, "found '|', expected ')'");
    refuses("NP < NN)", 8, "found ')'");
    refuses("NP=a < NN=a", 11, "expected a name that was not given before");
    refuses("NP < NN=b | < =b", 16, "expected a name that was given before");
    refuses("NP !< NN=x", 10, "expected no new name where something is negated");
    refuses("NP !?< NN", 5, "found '?', expected a relation");
    refuses("/NP", 1, "expected another one that closes");
    refuses("=/", 2, "expected another one that closes");
    refuses("NP < /(/", 8, "found no regular expression: ");
    refuses("/[a&&b]/", 4, "found && in a class");
    refuses("/(x)/#2%a", 7, "expected the number of a group");
    refuses("NP $5 NN", 4, "found a number after '$', expected a node");
    refuses("NP <0 NN", 5, "found '0', expected a number from 1 on");
    refuses("NP <- -1 NN", 7, "found '-1', expected a number from 1 on");
    refuses("NP >>> NN", 6, "found '>', expected a label");
    refuses("NP <+ NN", 7, "expected '(', '[' or a regular expression");
    refuses("NP <... { }", 11, "found '}', expected a label");
    refuses("((NP) < NN)", 2, "found brackets around a node without relations");
    refuses("5NP", 1, "found '5'");
}

TEST(limits_end_a_search)
{
    assert_ok(search_in("NP < NN", DOGS, 0, 2));
    assert_string_equal(test_written(), "2; 2");
    assert_int_equal(search_in("__ << __ << __", DOGS, 20, 0), ERR_LIMIT);
    char deep[301] = { 0 };
    memset(deep, '(', 300);
    refuses(deep, 201, "found 201 brackets and negations in each other, expected at most 200");
}

TEST(trees_are_read_with_all_that_is_in_them)
{
    MADE(StrMap, map_init, map_fini, labels);
    NodeTree t = { 0 };
    size_t at = 0;
    bool found;
    TextBlock text = text_block(view("(A b)\n ((C\td e)) (F"), "t");
    assert_ok(node_tree_read(&t, &labels, text, &at, &found, test_error()));
    assert_true(found);
    assert_int_equal(t.n, 2);
    assert_ok(node_tree_read(&t, &labels, text, &at, &found, test_error()));
    assert_int_equal(t.n, 4);
    assert_string_equal(labels.keys[t.label[0]], "");
    assert_int_equal(t.end[1], 4);
    Error e = { 0 };
    assert_int_equal(node_tree_read(&t, &labels, text, &at, &found, &e), ERR_FORMAT);
    assert_error(&e, ERR_FORMAT, "t:2:12: found no ')' for this '('");
    node_tree_fini(&t);
}

TEST(the_tree_of_a_sentence_is_that_of_its_brackets)
{
    MADE(StrMap, map_init, map_fini, labels);
    MADE(Treebank, treebank_init, treebank_fini, tb);
    NodeTree a = { 0 }, b = { 0 };
    size_t at = 0;
    bool found;
    static const char tree[] = "(TOP (S (NP (NP (DT the) (NN dog))) (VP (VBZ is) (ADJP (JJ mad))) (. .)))";
    assert_ok(bracket_read(&tb, text_block(view(tree), "t"), (BracketOptions){ 0 }, test_error()));
    assert_ok(node_tree_of(&a, &labels, &tb.s[0], "TOP", test_error()));
    assert_ok(node_tree_read(&b, &labels, text_block(view(tree), "t"), &at, &found, test_error()));
    assert_int_equal(a.n, b.n);
    for (int k = 0; k < a.n; k++) {
        assert_int_equal(a.label[k], b.label[k]);
        assert_int_equal(a.parent[k], b.parent[k]);
        assert_int_equal(a.end[k], b.end[k]);
        assert_int_equal(a.leaf[k], b.leaf[k]);
    }
    node_tree_fini(&a);
    node_tree_fini(&b);
}

static Status expand(const char *pattern, const char *macros)
{
    return tregex_expand(view(pattern), view(macros), "m", test_out(), test_error());
}

TEST(macros_are_replaced_in_the_order_of_the_file)
{
    static const char *const ROWS[][3] = {
        { "CLAUSE < A", "# a comment\n\nCLAUSE\t/^S\\$/\r\n \t# no macro\n", "/^S$/ < A" },
        { "A B", "A\tB\nB\tC\n", "C C" },
        { "A B", "B\tC\nA\tB", "B C" },
        { "A", "A\tB\tC", "B\tC" },
        { "A < B", "A\t", " < B" },
        { "NP AP A", "(N|A)(P)\\b\t$2$1-$0", "PN-NP PA-AP A" },
        { "a", "(a)\t$10$1", "a0a" },
        { "abcdefghijk", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)\t$11$1", "ka" },
        { "b a", "(a)|b\t[$1]", "[] [a]" },
        { "xa", "x*\t-", "--a-" },
        { "a", "a\t\\n\\\\\\é$0\\$0", "n\\éa$0" },
        { "", "A\tB", "" },
        { "é", "é\tü", "ü" },
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
        assert_ok(expand(ROWS[k][0], ROWS[k][1]));
        assert_string_equal(test_written(), ROWS[k][2]);
    }
    assert_reports_no_memory(expand("A", "A\t$0B"));
}

TEST(what_is_no_macro_is_refused_at_its_line)
{
    static const Refused ROWS[] = {
        { "#\nA B", "m:2: found no tab, expected one between name and replacement" },
        { "A\tB\n(\tx", "m:2:2: found no regular expression: missing closing parenthesis" },
        { "x\t$", "m:1:3: found '$', expected the number of a group after it" },
        { "x\tab$1", "m:1:5: found '$', expected the number of a group after it" },
        { "x\t${a}", "m:1:3: found '$', expected the number of a group after it" },
        { "x\ta\\", "m:1:4: found '\\' at the end, expected a character after it" },
        { "A\tB\n\xff", "m:2:1: found bytes that are not UTF-8" },
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
        Error e = { 0 };
        tregex_expand(view("A"), view(ROWS[k].text), "m", test_out(), &e);
        assert_error(&e, ERR_FORMAT, ROWS[k].message);
    }
    Error e = { 0 };
    assert_int_equal(tregex_expand(view("A\xff"), view(""), "m", test_out(), &e), ERR_FORMAT);
    assert_error(&e, ERR_FORMAT, "pattern:1:2: found bytes that are not UTF-8");
    StrBuf many = { 0 };
    for (int k = 0; k < 16; k++) strbuf_puts(&many, "A\tAAA\n");
    Error grown = { 0 };
    assert_int_equal(tregex_expand(view("A"), view(many.ptr), "m", test_out(), &grown), ERR_LIMIT);
    assert_error(&grown, ERR_LIMIT, "m:11: found replacements of over 65535 bytes or 1,000,000 steps");
    strbuf_fini(&many);
}
