/* Queries of trees and graphs together, conditions on the nodes that they name, and the sentences that they search. */
#include "search/query.h"

#include "search/query_output.h"
#include "tests/support/check.h"

/* "The dogs don't bark.": dogs has two heads in the enhanced graph; what the parser says is of NP, and of dogs. */
static const char LINE[] =
    "{\"id\": 7, \"line\": 3, \"document\": \"a.txt\", \"text\": \"The dogs don't bark.\","
    "\"confidence\": {\"p_tree\": 0.25, \"expected_f1\": 0.75}, \"tokens\": ["
    "{\"form\": \"The\", \"begin\": 20, \"end\": 23, \"tag\": \"DT\", \"lemma\": \"the\", \"upos\": \"DET\", \"head\": "
    "1,"
    " \"type\": \"det\", \"p\": 0.9},"
    "{\"form\": \"dogs\", \"begin\": 24, \"end\": 28, \"tag\": \"NNS\", \"lemma\": \"dog\", \"upos\": \"NOUN\","
    " \"feats\": \"Case=Nom|Number=Plur\", \"head\": 4, \"type\": \"nsubj\", \"p\": 0.8,"
    " \"why\": [{\"head\": \"label:5\", \"part\": -0.5}]},"
    "{\"form\": \"do\", \"begin\": 29, \"end\": 31, \"tag\": \"VBP\", \"head\": 4, \"type\": \"aux\"},"
    "{\"form\": \"n't\", \"begin\": 31, \"end\": 34, \"tag\": \"RB\", \"head\": 4, \"type\": \"advmod\"},"
    "{\"form\": \"bark\", \"begin\": 35, \"end\": 39, \"tag\": \"VB\", \"head\": -1, \"type\": \"root\"},"
    "{\"form\": \".\", \"begin\": 39, \"end\": 40, \"tag\": \".\", \"head\": 4, \"type\": \"punct\"}],"
    "\"constituents\": [{\"label\": \"S\", \"begin\": 0, \"end\": 6, \"parent\": -1, \"p_joint\": 0.5},"
    "{\"label\": \"NP\", \"begin\": 0, \"end\": 2, \"parent\": 0, \"p_joint\": 0.25, \"why\": [{\"head\": \"label:37\","
    " \"part\": 1.5}, {\"head\": \"label:2\", \"part\": 0.1}]},"
    "{\"label\": \"VP\", \"begin\": 2, \"end\": 5, \"parent\": 0, \"p_joint\": 0.75},"
    "{\"label\": \"VP\", \"begin\": 4, \"end\": 5, \"parent\": 2, \"p_joint\": 0.125}]}";

/* A sentence, and its map of labels. */
typedef struct Case {
    Searched sentence;
    StrMap labels;
} Case;

static void case_init(Case *c)
{
    *c = (Case){ 0 };
    map_init(&c->labels);
}

static void case_fini(Case *c)
{
    searched_fini(&c->sentence);
    map_fini(&c->labels);
}

static Status read_json(Case *c, const char *line, Error *e)
{
    return searched_json(&c->sentence, &c->labels, text_block(view(line), "t"), "TOP", GRAPH_AUTO, e);
}

static void read_brackets(Case *c, const char *text)
{
    TextBlock rest = text_block(view(text), "t");
    bool found;
    assert_ok(searched_brackets(&c->sentence, &c->labels, &rest, &found, test_error()));
    assert_true(found);
}

typedef struct Written {
    QuerySearch search;
    const Query *query;
    const Fields *fields;
    Case *c;
    StrBuf *out;
    int n;
} Written;

static bool take(QuerySearch *search, const Match *match)
{
    Written *w = (Written *)search;
    w->n++;
    strbuf_puts(w->out, w->out->len ? "; " : "");
    if (w->fields) fields_put(w->out, w->fields, match, &w->c->sentence, &w->c->labels);
    else query_put_match(w->out, w->query, match, &w->c->sentence);
    return !w->out->failed;
}

static StrBuf written; /* of the last search */

/* Its matches go to `written`, or the values of fields of each. */
static Status search(Case *c, const char *tregex, const char *semgrex, const char *where, const char *fields, int *n,
                     Error *e)
{
    QueryOptions o = { .tregex = { tregex, tregex ? strlen(tregex) : 0 },
                       .semgrex = { semgrex, semgrex ? strlen(semgrex) : 0 },
                       .where = { where, where ? strlen(where) : 0 } };
    Query *q = query_compile(&o, e);
    if (!q) return e->code;
    Fields *f = fields ? fields_compile(view(fields), query_name_list(q), query_names(q), e) : NULL;
    strbuf_fini(&written);
    written = (StrBuf){ 0 };
    Written w = { { take, 0 }, q, f, c, &written, 0 };
    strbuf_puts(w.out, "");
    Status s = fields && !f ? e->code : query_search(q, &c->sentence, &c->labels, &w.search, e);
    if (s == OK && w.out->failed) s = error_set(e, ERR_NOMEM, "out of memory");
    if (n) *n = w.n;
    fields_free(f);
    query_free(q);
    return s;
}

static void finds(Case *c, const char *tregex, const char *semgrex, const char *where, const char *expected)
{
    assert_ok(search(c, tregex, semgrex, where, NULL, NULL, test_error()));
    assert_string_equal(written.ptr, expected);
}

static void values(Case *c, const char *tregex, const char *semgrex, const char *fields, const char *expected)
{
    assert_ok(search(c, tregex, semgrex, NULL, fields, NULL, test_error()));
    assert_string_equal(written.ptr, expected);
}

/* Of the phrases x, S, NP, VP and VP, n fulfil a condition. */
static void hold(Case *c, const char *where, int n)
{
    int found;
    assert_ok(search(c, "S|NP|VP=x", NULL, where, NULL, &found, test_error()));
    if (found != n) fail_msg("%s: found %d phrases, expected %d", where, found, n);
}

/* Nodes: TOP 1 S 2 NP 3 DT 4 The 5 NNS 6 dogs 7 VP 8 VBP 9 do 10 RB 11 n't 12 VP 13 VB 14 bark 15 . 16 . 17 */
TEST(fields_of_phrases_and_of_words)
{
    MADE(Case, case_init, case_fini, c);
    assert_ok(read_json(&c, LINE, test_error()));
    values(&c, "NP=n", NULL, "n.label,n.text,n.words,n.begin,n.end", "NP\tThe dogs\t2\t0\t2");
    values(&c, "NP=n", NULL, "n.word, n.lemma, n.tag, n.upos, n.type", "dogs\tdog\tNP\tNOUN\tnsubj");
    values(&c, "NP=n", NULL, "n.feats, n.feats.Number, n.feats.Num, n.feats.Tense", "Case=Nom|Number=Plur\tPlur\t\t");
    values(&c, "NP=n", NULL, "n.p,n.head,n.part", "0.2500\t37\t1.5000");
    values(&c, "NNS=n", NULL, "n.p,n.head,n.part,n.tag", "0.8000\t5\t-0.5000\tNNS");
    values(&c, "dogs=n", NULL, "n.p,n.head,n.label,n.tag,n.word", "0.8000\t5\tdogs\tNNS\tdogs");
    values(&c, NULL, "{word:dogs}=n", "n.p,n.head,n.label,n.tag,n.text,n.words", "0.8000\t5\tNNS\tNNS\tdogs\t1");
    values(&c, "VP < MD|VBP", NULL, "match.text,match.word,match.p,match.head", "don't bark\tbark\t0.7500\t");
    values(&c, "NP=n", NULL, "sentence.text,sentence.words", "The dogs don't bark.\t6");
    values(&c, "NP=n", NULL, "sentence.p_tree,sentence.f1,sentence.id,sentence.line,sentence.document",
           "0.2500\t0.7500\t7\t3\ta.txt");
}

TEST(conditions_compare_numbers_and_texts)
{
    MADE(Case, case_init, case_fini, c);
    assert_ok(read_json(&c, LINE, test_error()));
    hold(&c, "x.p < 0.25", 1);
    hold(&c, "x.p <= 0.25", 2);
    hold(&c, "x.p > 0.25", 2);
    hold(&c, "x.p >= 2.5e-1", 3);
    hold(&c, "x.p = 0.25", 1);
    hold(&c, "x.p == .25", 1);
    hold(&c, "x.p != 0.25", 3);
    hold(&c, "x.p ~ 5", 4);
    hold(&c, "x.p ~ /^0.2/", 1);
    hold(&c, "x.label = VP", 2);
    hold(&c, "x.label != 'VP'", 2);
    hold(&c, "x.text = \"The dogs\"", 1);
    hold(&c, "x.text ~ /bark$/", 2);
    hold(&c, "x.words < sentence.words", 3);
    hold(&c, "x.begin = x.end", 0);
    hold(&c, "x.lemma = dog", 1);
    hold(&c, "match.label = x.label", 4);
}

TEST(conditions_are_joined_as_they_bind)
{
    MADE(Case, case_init, case_fini, c);
    assert_ok(read_json(&c, LINE, test_error()));
    hold(&c, "x.label = NP or x.label = VP and x.p < 0.5", 2);
    hold(&c, "(x.label = NP or x.label = VP) and x.p > 0.5", 1);
    hold(&c, "not x.label = VP and x.p < 0.5", 1);
    hold(&c, "not (x.label = VP and x.p < 0.5)", 3);
    hold(&c, "not not x.label = NP", 1);
    assert_ok(search(&c, "VP=a", "{word:bark}=b", "b in a and a.begin > 2", NULL, NULL, test_error()));
    assert_string_equal(written.ptr, "13+5 a=13 b=5");
    finds(&c, "NP=a", "{}=b", "b in a", "3+1 a=3 b=1; 3+2 a=3 b=2");
}

TEST(comparisons_with_what_is_unknown_do_not_hold)
{
    MADE(Case, case_init, case_fini, c);
    assert_ok(read_json(&c, LINE, test_error()));
    hold(&c, "x.head = 37", 1);
    hold(&c, "x.head != 37", 0);
    hold(&c, "not x.head = 37", 3);
    hold(&c, "x.feats.Number != Sing", 1);
    finds(&c, "NP ?< JJ=j", NULL, "j.text = big", "");
    finds(&c, "NP ?< JJ=j", NULL, "not j.text = big", "3");
    finds(&c, "NP ?< JJ=j", NULL, "not j in match", "3");
    values(&c, "NP ?< JJ=j", NULL, "j.text,j.p,match.label", "\t\tNP");
    read_brackets(&c, "(TOP (NP (DT the) (NN dog)))");
    values(&c, "NP=n", NULL, "n.word,n.lemma,n.p,n.type,sentence.id,sentence.text", "dog\t\t\t\t\tthe dog");
    values(&c, "NP=n", NULL, "sentence.line,sentence.p_tree", "1\t");
    finds(&c, "NP", "{}", NULL, "");
}

TEST(a_name_of_both_patterns_is_a_phrase_and_its_head)
{
    MADE(Case, case_init, case_fini, c);
    assert_ok(read_json(&c, LINE, test_error()));
    finds(&c, "NP=n", "{}=v >nsubj {}=n", NULL, "3+5 n=3+2 v=5");
    finds(&c, "NP=n", "{}=v >aux {}=n", NULL, "");
    finds(&c, "VP=v", "{}=v >nsubj {}=s", NULL, "8+5 s=2 v=8+5; 13+5 s=2 v=13+5");
    finds(&c, "NP ?< JJ=n", "{}=v >aux {}=n", NULL, "3+5 n=3 v=5");
}

TEST(heads_are_those_of_the_graph_or_of_the_tree)
{
    MADE(Case, case_init, case_fini, c);
    assert_ok(read_json(&c, LINE, test_error()));
    assert_int_equal(searched_head(&c.sentence, &c.labels, 1), 4);
    assert_int_equal(searched_head(&c.sentence, &c.labels, 2), 1);
    assert_int_equal(searched_begin(&c.sentence, 7), 2);
    assert_int_equal(searched_end(&c.sentence, 7), 5);
    assert_int_equal(searched_end(&c.sentence, 0), 6);
    assert_true(searched_is_glued(&c.sentence, 3));
    assert_false(searched_is_glued(&c.sentence, 4));
    read_brackets(&c, "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks))))");
    assert_int_equal(searched_head(&c.sentence, &c.labels, 1), 2);
    assert_int_equal(searched_head(&c.sentence, &c.labels, 2), 1);
    assert_int_equal(searched_graph_node(&c.sentence, 0), -1);
}

TEST(json_may_lack_all_but_words)
{
    MADE(Case, case_init, case_fini, c);
    assert_ok(read_json(&c, "{\"tokens\": [{\"form\": \"It\"}, {\"form\": \"rains\"}]}", test_error()));
    assert_int_equal(c.sentence.n_words, 2);
    assert_false(c.sentence.has_tree);
    assert_false(c.sentence.has_graph);
    assert_null(c.sentence.begin);
    finds(&c, "NP", NULL, NULL, "");
    assert_ok(read_json(&c,
                        "{\"tokens\": [{\"form\": \"It\", \"head\": 1, \"type\": \"x\"},"
                        "{\"form\": \"rains\", \"head\": -1, \"type\": \"root\"}]}",
                        test_error()));
    finds(&c, NULL, "{} > {}=x", NULL, "2 x=1");
    values(&c, NULL, "{word:It}", "match.p,match.tag,match.type,match.word", "\t\tx\tIt");
    assert_fails_with(read_json(&c, "{\"tokens\": 1}", test_error()), ERR_FORMAT, "expected");
    assert_fails(read_json(&c, "dogs", test_error()), ERR_FORMAT,
                 "t:1:1: found a line that is no JSON, expected an object");
}

TEST(sentences_of_brackets_and_rows_come_one_by_one)
{
    MADE(Case, case_init, case_fini, c);
    bool found;
    TextBlock rest = text_block(view("<markup>\n(TOP (NN a))\n* header\n\n(TOP (NN b)\n)"), "t");
    assert_ok(searched_brackets(&c.sentence, &c.labels, &rest, &found, test_error()));
    assert_string_equal(c.sentence.word[0], "a");
    assert_int_equal(c.sentence.line, 2);
    assert_ok(searched_brackets(&c.sentence, &c.labels, &rest, &found, test_error()));
    assert_string_equal(c.sentence.word[0], "b");
    assert_int_equal(c.sentence.line, 5);
    assert_ok(searched_brackets(&c.sentence, &c.labels, &rest, &found, test_error()));
    assert_false(found);
    rest = text_block(view("\n# text = a b\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
                           "1\tc\t_\t_\t_\t_\t0\troot\t_\t_\n"),
                      "t");
    assert_ok(searched_rows(&c.sentence, &rest, GRAPH_AUTO, &found, test_error()));
    assert_int_equal(c.sentence.n_words, 2);
    assert_string_equal(c.sentence.text, "a b");
    assert_ok(searched_rows(&c.sentence, &rest, GRAPH_AUTO, &found, test_error()));
    assert_string_equal(c.sentence.word[0], "c");
    assert_null(c.sentence.text);
    assert_ok(searched_rows(&c.sentence, &rest, GRAPH_AUTO, &found, test_error()));
    assert_false(found);
}

TEST(the_kind_of_a_pattern_is_seen)
{
    assert_int_equal(query_kind(view("{}")), QUERY_SEMGREX);
    assert_int_equal(query_kind(view(" ([!{tag:NN} | {}])")), QUERY_SEMGREX);
    assert_int_equal(query_kind(view("NP < {")), QUERY_TREGEX);
    assert_int_equal(query_kind(view("(NP <... { A ; B })")), QUERY_TREGEX);
    assert_int_equal(query_kind(view("")), QUERY_TREGEX);
}

static void refuses(const char *where, long column, const char *message)
{
    static const char *const names[] = { "n", "m" };
    Error e = { 0 };
    Where *w = where_compile(view(where), names, 2, &e);
    if (w) fail_msg("%s is a condition", where);
    if (e.column != column || !strstr(e.message, message))
        fail_msg("%s: found column %ld: %s, expected %ld: %s", where, e.column, e.message, column, message);
    assert_string_equal(e.path, "where");
}

TEST(what_is_no_condition_is_refused_at_its_place)
{
    refuses("", 1, "found the end, expected NAME.FIELD");
    refuses("x.p < 1", 1, "found 'x.p < 1', expected NAME.FIELD");
    refuses("n.q < 1", 3, "found 'q < 1', expected label, text");
    refuses("sentence.lemma = x", 10, "expected text, words, p_tree");
    refuses("n", 2, "found the end, expected '.' and a field, or \"in\"");
    refuses("n in x", 6, "found 'x', expected a name of the pattern");
    refuses("n in sentence", 6, "expected a name of the pattern");
    refuses("n.p", 4, "expected one of = != <");
    refuses("n.p < dog", 7, "found 'dog', expected a number");
    refuses("n.lemma < dog", 11, "expected a number on both sides");
    refuses("n.lemma = m.p", 11, "expected a text");
    refuses("n.lemma = 'dog", 11, "expected a text that ends");
    refuses("n.lemma ~ (", 11, "expected a field, a number or a text");
    refuses("n.lemma ~ '('", 13, "");
    refuses("n.lemma ~ m.lemma", 18, "expected a regular expression");
    refuses("n.p < 1 n.p > 2", 9, "found 'n.p > 2', expected and, or, or the end");
    refuses("(n.p < 1", 9, "found the end, expected and, or, or ')'");
    refuses("n.feats. = x", 9, "expected a feature");
    refuses("not", 4, "found the end, expected NAME.FIELD");
    char deep[300];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    refuses(deep, 201, "found conditions in over 200 others");
    Error e = { 0 };
    assert_null(fields_compile(view("n.p,"), (const char *const[]){ "n" }, 1, &e));
    assert_error(&e, ERR_FORMAT, "fields:1:5: found the end, expected a name of the pattern, match or sentence");
}

TEST(what_is_asked_about)
{
    static const char *const names[] = { "n" };
    static const struct {
        const char *text;
        int asks;
    } rows[] = { { "n.words > 1", 0 },
                 { "n.lemma = x", ASKS_WORDS },
                 { "n.p < 1", ASKS_P },
                 { "n.head = 1", ASKS_HEADS },
                 { "sentence.f1 < 1", ASKS_P },
                 { "n.part > 1 or n.type = x", 20 },
                 { "n in n", 0 } };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        Where *w = where_compile(view(rows[k].text), names, 1, test_error());
        assert_non_null(w);
        assert_int_equal(where_asks(w), rows[k].asks);
        where_free(w);
    }
}

TEST(an_allocation_that_fails_is_an_error)
{
    bool done = false;
    for (long n = 0; !done; n++) {
        MADE(Case, case_init, case_fini, c);
        Error e = { 0 };
        mem_fail_after(n);
        Status s = read_json(&c, LINE, &e);
        if (s == OK)
            s = search(&c, "NP=n", "{}=v >nsubj {}=n", "n.text ~ /dog/ and n.feats.Number = Plur", "n.text,v.lemma",
                       NULL, &e);
        mem_fail_after(-1);
        done = s == OK;
        if (!done && (s != ERR_NOMEM || e.code != s)) fail_msg("allocation %ld: status %d: %s", n, s, e.message);
        assert_true(n < 10000);
    }
    assert_string_equal(written.ptr, "The dogs\t");
}
