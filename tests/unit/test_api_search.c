/* The public library: patterns over sentences of the library and over texts. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>

#include "tests/support/api.h"

FREES(LalPattern, lal_pattern_free)

static LalPatternOptions defaults(void) { return (LalPatternOptions){ .size = sizeof(LalPatternOptions) }; }

static LalPattern *compile_ok(const char *pattern, const LalPatternOptions *options)
{
    LalError e;
    LalPattern *p = lal_pattern_compile(pattern, options, &e);
    if (!p) fail_msg("%s: %s", pattern, e.message);
    assert_true(e.code == LAL_OK && !*e.message);
    return p;
}

/* np=NP:2[0,2)0-7 'The cat': of a node its name, label, number, tokens, characters and text. */
static void put_node(StrBuf *out, const LalNode *n)
{
    if (n->name) strbuf_printf(out, " %s=", n->name);
    strbuf_puts(out, n->label ? n->label : "?");
    if (n->node >= 0) strbuf_printf(out, ":%d", n->node);
    if (n->id) strbuf_printf(out, ":%s", n->id);
    strbuf_printf(out, "[%d,%d)", n->begin, n->end);
    if (n->end_char) strbuf_printf(out, "%zu-%zu", n->begin_char, n->end_char);
    strbuf_printf(out, " '%s'", n->text);
}

static void put_match(StrBuf *out, const LalMatch *m)
{
    put_node(out, &m->node);
    for (int k = 0; k < m->n_named; k++) put_node(out, &m->named[k]);
    for (int k = 0; k < m->n_variables; k++)
        strbuf_printf(out, " %%%s=%s", m->variables[k].name, m->variables[k].value);
    for (int k = 0; k < m->n_relations; k++) strbuf_printf(out, " ~%s=%s", m->relations[k].name, m->relations[k].value);
    for (int k = 0; k < m->n_edges; k++)
        strbuf_printf(out, " &%s=%s>%s:%s", m->edges[k].name, m->edges[k].governor, m->edges[k].dependent,
                      m->edges[k].relation);
    strbuf_putc(out, '\n');
}

static LalStatus put_found(StrBuf *out, LalPattern *p)
{
    LalError e;
    size_t n = 0;
    for (const LalFound *f; (f = lal_search_next(p, &e)); n++) {
        assert_int_equal(f->sentence, n);
        for (int k = 0; k < f->n_matches; k++) {
            strbuf_printf(out, "%zu ", f->sentence);
            put_match(out, &f->matches[k]);
        }
    }
    return e.code;
}

static const char *search_text(LalPattern *p, const char *text, const char *format)
{
    LalError e;
    StrBuf *out = test_out();
    if (lal_search_text(p, text, strlen(text), format, &e) != LAL_OK) fail_msg("%s", e.message);
    assert_int_equal(put_found(out, p), LAL_OK);
    return out->ptr ? out->ptr : "";
}

static const char TREES[] = "(ROOT (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .)))\n"
                            "( (S (NP-SBJ (NP (PRP It)) (PRN (-LRB- -LRB-) (NP (DT the) (NN plan)) (-RRB- -RRB-)))\n"
                            "  (VP (VP (VBD sang)) (CC and) (VP (VBD flew) (ADVP (RB away))))))";

static const char ROWS[] = "# text = Dogs eat  and birds fish\n"
                           "1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t2:nsubj\t_\n"
                           "2\teat\teat\tVERB\tVBP\t_\t0\troot\t0:root\t_\n"
                           "3\tand\tand\tCCONJ\tCC\t_\t4\tcc\t4.1:cc\t_\n"
                           "4\tbirds\tbird\tNOUN\tNNS\t_\t2\tconj\t4.1:nsubj\t_\n"
                           "4.1\teat\teat\tVERB\tVBP\t_\t_\t_\t2:conj:and\t_\n"
                           "5\tfish\tfish\tNOUN\tNN\t_\t4\torphan\t4.1:obj\t_\n\n";

TEST(a_pattern_finds_nodes_in_trees)
{
    FREED(lal_pattern_free_at) LalPattern *p = compile_ok("/^(N)P/#1%x=np <, (DT=d . NN=w)", NULL);
    assert_string_equal(search_text(p, TREES, "brackets"),
                        "0 NP:2[0,2) 'The cat' np=NP:2[0,2) 'The cat' d=DT:3[0,1) 'The' w=NN:5[1,2) 'cat' %x=N\n"
                        "1 NP:9[2,4) 'the plan' np=NP:9[2,4) 'the plan' d=DT:10[2,3) 'the' w=NN:12[3,4) 'plan' %x=N\n");
    assert_string_equal(search_text(p, "", "brackets"), ""); /* it can be used again */
    assert_string_equal(search_text(p, "(NP (DT a))", "brackets"), "");
}

TEST(a_tree_is_written_on_one_line_or_several)
{
    LalError e;
    FREED(lal_pattern_free_at) LalPattern *p = compile_ok("S", NULL);
    assert_int_equal(lal_search_text(p, TREES, sizeof TREES - 1, "brackets", &e), LAL_OK);
    assert_null(lal_search_tree(p, 0, 0, &e)); /* no sentence yet */
    assert_int_equal(e.code, LAL_ERROR_ARGUMENT);
    const LalFound *f = lal_search_next(p, &e);
    assert_int_equal(f->n_words, 4);
    assert_string_equal(f->words[3], ".");
    assert_string_equal(f->text, "The cat sleeps .");
    assert_int_equal(f->line, 1);
    f = lal_search_next(p, &e);
    assert_true(f->sentence == 1 && f->line == 2 && f->n_matches == 1);
    const struct {
        int node, lines;
        const char *tree;
    } trees[] = { { f->matches->node.node, 1,
                    "(S\n  (NP-SBJ\n    (NP (PRP It))\n    (PRN (-LRB- -LRB-)\n      (NP (DT the) (NN plan))\n"
                    "      (-RRB- -RRB-)))\n  (VP\n    (VP (VBD sang))\n    (CC and)\n    (VP (VBD flew)\n"
                    "      (ADVP (RB away)))))" },
                  { 9, 0, "(NP (DT the) (NN plan))" },
                  { 9, 1, "(NP (DT the) (NN plan))" },
                  { 8, 0, "-LRB-" },
                  { 7, 1, "(-LRB- -LRB-)" } };
    for (size_t k = 0; k < sizeof trees / sizeof *trees; k++) {
        char *tree = lal_search_tree(p, trees[k].node, trees[k].lines, &e);
        assert_string_equal(tree, trees[k].tree);
        lal_string_free(tree);
    }
    assert_null(lal_search_tree(p, -1, 0, NULL));
    assert_null(lal_search_tree(p, 100, 0, &e));
    assert_int_equal(e.code, LAL_ERROR_ARGUMENT);
    assert_null(lal_search_next(p, &e));
    assert_int_equal(e.code, LAL_OK);
    assert_null(lal_search_tree(p, 0, 0, &e)); /* the sentence is gone */
}

TEST(tags_stand_on_the_line_unless_one_is_a_conjunction)
{
    static const char tree[] = "(X (CC a) (CC b) (NN c) (NN d) (Y e (NN f)) (NN g))";
    LalError e;
    FREED(lal_pattern_free_at) LalPattern *p = compile_ok("X", NULL);
    assert_int_equal(lal_search_text(p, tree, sizeof tree - 1, "brackets", &e), LAL_OK);
    assert_non_null(lal_search_next(p, &e));
    char *lines = lal_search_tree(p, 0, 1, &e);
    assert_string_equal(lines, "(X (CC a)\n  (CC b)\n  (NN c) (NN d)\n  (Y\n    e\n    (NN f))\n  (NN g))");
    lal_string_free(lines);
}

TEST(a_pattern_finds_words_and_empty_nodes_of_a_graph)
{
    FREED(lal_pattern_free_at) LalPattern *p = compile_ok("{}=v >nsubj=e {tag:/N.*/}=n ?>obj~r {}=o", NULL);
    assert_string_equal(search_text(p, ROWS, "conllu"),
                        "0 VBP:2[1,2) 'eat' v=VBP:2[1,2) 'eat' n=NNS:1[0,1) 'Dogs' ~e=nsubj &e=2>1:nsubj\n"
                        "0 VBP:4.1[4,4) 'eat' v=VBP:4.1[4,4) 'eat' n=NNS:4[3,4) 'birds' o=NN:5[4,5) 'fish' ~e=nsubj"
                        " ~r=obj &e=4.1>4:nsubj\n");
    LalError e;
    assert_int_equal(lal_search_text(p, ROWS, sizeof ROWS - 1, "conllu", &e), LAL_OK);
    const LalFound *f = lal_search_next(p, &e);
    assert_string_equal(f->text, "Dogs eat  and birds fish");
    assert_int_equal(f->n_words, 5);
    const LalNode *empty = &f->matches[1].node, *word = &f->matches[0].node;
    assert_true(empty->token == LAL_NONE && empty->node == LAL_NONE && empty->phrase == LAL_NONE);
    assert_true(word->token == 1 && word->node == LAL_NONE);
    LalPatternOptions basic = defaults();
    basic.graph = LAL_GRAPH_BASIC;
    basic.ignore_case = 1;
    FREED(lal_pattern_free_at) LalPattern *q = compile_ok("{tag:nns} >orphan {}", &basic);
    assert_string_equal(search_text(q, ROWS, "conllu"), "0 NNS:4[3,4) 'birds'\n");
}

/* ---- sentences of the library */

typedef struct Parses {
    LalModel *model;
    LalParser *parser;
    LalResult *result;
} Parses;

static const char SAID[] = "The caf\xc3\xa9 that we saw \xf0\x9f\x98\x82 isn't open. Dogs and cats\n"
                           "eat the food they find in the garden.";

static void parses_init(Parses *x)
{
    LalOptions o;
    LalError e;
    lal_options_init(&o, sizeof o);
    o.confidence = o.contributions = 1;
    x->model = lal_model_load("models/en-small.lal", &e);
    x->parser = lal_parser_new(x->model, &o, &e);
    x->result = lal_parse_text(x->parser, SAID, sizeof SAID - 1, &e);
    assert_non_null(x->result);
}

static void parses_fini(Parses *x)
{
    lal_result_free(x->result);
    lal_parser_free(x->parser);
    lal_model_free(x->model);
}

static int append(void *context, const char *bytes, size_t size)
{
    strbuf_add(context, bytes, size);
    return 0;
}

/* Is it the phrase, or the token, of the sentence that it says? */
static void assert_place(const LalSentence *s, const LalNode *n)
{
    const LalToken *first = &s->tokens[n->begin], *last = &s->tokens[n->end - 1];
    assert_true(n->begin < n->end && n->end <= s->n_tokens);
    assert_true(n->begin_byte == first->begin && n->end_byte == last->end);
    assert_true(n->begin_char == first->begin_char && n->end_char == last->end_char);
    assert_true(n->begin_utf16 == first->begin_utf16 && n->end_utf16 == last->end_utf16);
    if (n->phrase == LAL_NONE) return;
    const LalPhrase *p = &s->phrases[n->phrase];
    assert_true(p->begin == n->begin && p->end == n->end);
    assert_string_equal(p->label, n->label);
}

TEST(nodes_are_phrases_and_tokens_of_the_sentences)
{
    MADE(Parses, parses_init, parses_fini, x);
    LalError e;
    int n = 0, n_phrases = 0;
    LalPatternOptions o = defaults();
    o.top = "ROOT";
    FREED(lal_pattern_free_at) LalPattern *p = compile_ok("__=all", &o);
    assert_int_equal(lal_search_sentences(p, x.result->sentences, x.result->n_sentences, &e), LAL_OK);
    for (const LalFound *f; (f = lal_search_next(p, &e)); n++) {
        const LalSentence *s = &x.result->sentences[n];
        assert_true(f->line == s->line && f->n_words == s->n_tokens);
        assert_int_equal(f->n_matches, 1 + s->n_phrases + 2 * s->n_tokens);
        assert_string_equal(f->matches[0].node.label, "ROOT");
        for (int k = 0, next = 0; k < f->n_matches; k++) {
            const LalNode *node = &f->matches[k].named[0];
            assert_int_equal(node->node, k);
            assert_place(s, node);
            n_phrases += node->phrase != LAL_NONE;
            if (node->phrase != LAL_NONE) assert_int_equal(node->phrase, next++);
        }
    }
    assert_int_equal(n, 2);
    assert_int_equal(n_phrases, x.result->sentences[0].n_phrases + x.result->sentences[1].n_phrases);
    FREED(lal_pattern_free_at) LalPattern *q = compile_ok("{}=all", NULL);
    assert_int_equal(lal_search_sentences(q, x.result->sentences + 1, 1, &e), LAL_OK);
    const LalFound *f = lal_search_next(q, &e);
    assert_true(f->sentence == 0 && f->n_matches == x.result->sentences[1].n_tokens);
    for (int k = 0; k < f->n_matches; k++) {
        const LalNode *node = &f->matches[k].node;
        assert_place(&x.result->sentences[1], node);
        assert_int_equal(node->token, k);
        assert_string_equal(node->label, x.result->sentences[1].tokens[k].tag);
        assert_string_equal(node->text, x.result->sentences[1].tokens[k].form);
    }
}

/* JSON of the same parse, which has label heads with the dependencies of the model alone. */
TEST(sentences_are_searched_as_their_json)
{
    static const struct {
        const char *pattern, *semgrex, *where;
        bool why;
    } PATTERNS[] = {
        { "NP=n << __=w", NULL, NULL, false },
        { "NP|VP=n [< /^V/=v | < /^N/=v]", NULL, "n.words > 1 and n.p < 0.999", false },
        { "{}=g >=e {}=d", NULL, "d.p > 0.5 and g.lemma != d.lemma", false },
        { "{cpos:NOUN}=n >/.*/~r {}=d", NULL, "d.feats.Number = Sing or d.begin > n.end", false },
        { "NP=n", "{} >nsubj {}=n", NULL, false },
        { "NP=n $+ VP=v", "{}=v >> {}=x", "n.word ~ /./ and x.tag = DT", false },
        { "NP|VP=n", NULL, "n.head > 5 and n.part > 0.1", true },
        { "{}=n", NULL, "n.head > 3", true },
        { "{before:/x*/}=n", NULL, "sentence.words > 4 and sentence.p_tree > 0.01 and sentence.id = 1", false },
        { "__ !< __", NULL, "sentence.line = 1", false },
    };
    MADE(Parses, parses_init, parses_fini, x);
    LalError e;
    for (size_t k = 0; k < sizeof PATTERNS / sizeof *PATTERNS; k++) {
        FREED(strbuf_fini) StrBuf json = { 0 }, found = { 0 };
        LalOptions o;
        lal_options_init(&o, sizeof o);
        o.confidence = 1;
        o.why = PATTERNS[k].why;
        FREED(lal_parser_free_at) LalParser *parser = lal_parser_new(x.model, &o, &e);
        assert_int_equal(lal_parse_text_as(parser, SAID, sizeof SAID - 1, "json", append, &json, &e), LAL_OK);
        LalPatternOptions options = defaults();
        options.semgrex = PATTERNS[k].semgrex;
        options.where = PATTERNS[k].where;
        FREED(lal_pattern_free_at) LalPattern *p = compile_ok(PATTERNS[k].pattern, &options);
        assert_int_equal(lal_search_sentences(p, x.result->sentences, 2, &e), LAL_OK);
        assert_int_equal(put_found(&found, p), LAL_OK);
        if (!found.len) fail_msg("%s: found nothing", PATTERNS[k].pattern);
        assert_string_equal(search_text(p, json.ptr, "json"), found.ptr);
    }
}

TEST(sentences_without_a_tree_or_a_graph_have_no_matches)
{
    MADE(Parses, parses_init, parses_fini, x);
    static const char *const words[] = { "Dogs", "bark" };
    LalError e;
    FREED(lal_result_free_at) LalResult *split = lal_split_text(NULL, NULL, SAID, sizeof SAID - 1, &e);
    FREED(lal_pattern_free_at) LalPattern *p = compile_ok("__", NULL), *q = compile_ok("{}", NULL);
    for (int k = 0; k < 2; k++) {
        LalPattern *pattern = k ? p : q;
        assert_int_equal(lal_search_sentences(pattern, split->sentences, split->n_sentences, &e), LAL_OK);
        const LalFound *f = lal_search_next(pattern, &e);
        assert_true(f && f->n_matches == 0 && f->n_words == split->sentences[0].n_tokens);
    }
    FREED(lal_result_free_at) LalResult *r = lal_parse_tokens(x.parser, &(LalWords){ words, NULL, 2 }, 1, &e);
    assert_int_equal(lal_search_sentences(q, r->sentences, 1, &e), LAL_OK);
    const LalFound *f = lal_search_next(q, &e);
    assert_int_equal(f->n_matches, 2);
    assert_string_equal(f->text, "Dogs bark");
    assert_int_equal(f->matches[1].node.end_byte, 0); /* nobody knows where it is */
    assert_int_equal(lal_search_sentences(q, NULL, 0, &e), LAL_OK);
    assert_null(lal_search_next(q, &e));
    assert_int_equal(e.code, LAL_OK);
}

TEST(dependencies_are_those_that_options_name)
{
    static const char text[] = "He sat on it.";
    MADE(Parses, parses_init, parses_fini, x);
    LalError e;
    FREED(lal_result_free_at) LalResult *r = lal_parse_text(x.parser, text, sizeof text - 1, &e);
    for (int deps = 0; deps < 3; deps++)
        for (int stanford = 0; stanford < 2; stanford++) {
            LalPatternOptions o = defaults();
            o.deps = deps;
            FREED(lal_pattern_free_at) LalPattern *p = compile_ok(stanford ? "{} >pobj {}" : "{} >case {}", &o);
            assert_int_equal(lal_search_sentences(p, r->sentences, 1, &e), LAL_OK);
            assert_int_equal(lal_search_next(p, &e)->n_matches, stanford == (deps == LAL_DEPS_MODEL));
        }
}

/* ---- limits and errors */

TEST(a_search_ends_with_its_limits)
{
    LalError e;
    LalPatternOptions o = defaults();
    o.most_matches = 2;
    FREED(lal_pattern_free_at) LalPattern *few = compile_ok("__=n", &o);
    assert_int_equal(lal_search_text(few, TREES, sizeof TREES - 1, "brackets", &e), LAL_OK);
    for (int k = 0; k < 2; k++) assert_int_equal(lal_search_next(few, &e)->n_matches, 2);
    o.most_matches = 0;
    o.most_steps = 40;
    FREED(lal_pattern_free_at) LalPattern *p = compile_ok("__ << __=n", &o);
    assert_int_equal(lal_search_text(p, TREES, sizeof TREES - 1, "brackets", &e), LAL_OK);
    assert_null(lal_search_next(p, &e));
    assert_int_equal(e.code, LAL_ERROR_LIMIT);
    assert_string_equal(e.message, "the search took more steps than it may");
    assert_null(lal_search_next(p, &e)); /* it is over */
    assert_int_equal(e.code, LAL_OK);
    assert_int_equal(put_found(test_out(), few), LAL_OK);
    assert_string_equal(search_text(p, "(X a)", "brackets"), "0 X:0[0,1) 'a' n=a:1[0,1) 'a'\n");
    o.most_steps = 20; /* each of the patterns tries fewer nodes, but their matches are more pairs */
    o.semgrex = "{}";
    FREED(lal_pattern_free_at) LalPattern *both = compile_ok("__", &o);
    static const char json[] = "{\"tokens\": [{\"form\": \"a\", \"tag\": \"T\", \"head\": -1, \"type\": \"root\"},"
                               " {\"form\": \"b\", \"tag\": \"T\", \"head\": 0, \"type\": \"dep\"},"
                               " {\"form\": \"c\", \"tag\": \"T\", \"head\": 0, \"type\": \"dep\"}],"
                               " \"constituents\": [{\"label\": \"S\", \"begin\": 0, \"end\": 3, \"parent\": -1}]}\n";
    assert_int_equal(lal_search_text(both, json, sizeof json - 1, "json", &e), LAL_OK);
    assert_null(lal_search_next(both, &e));
    assert_int_equal(e.code, LAL_ERROR_LIMIT);
}

TEST(repeated_matches_are_left_out_where_the_pattern_says_so)
{
    LalPatternOptions o = defaults();
    static const char pattern[] = "{tag:NNS}=n :: uniq n";
    FREED(strbuf_fini) StrBuf twice = { 0 };
    strbuf_printf(&twice, "%s%s", ROWS, ROWS);
    FREED(lal_pattern_free_at) LalPattern *p = compile_ok(pattern, &o);
    assert_string_equal(search_text(p, twice.ptr, "conllu"),
                        "0 NNS:1[0,1) 'Dogs' n=NNS:1[0,1) 'Dogs'\n0 NNS:4[3,4) 'birds' n=NNS:4[3,4) 'birds'\n");
    assert_string_equal(search_text(p, ROWS, "conllu"), "");
    o.repeats = 1;
    FREED(lal_pattern_free_at) LalPattern *all = compile_ok(pattern, &o);
    search_text(all, twice.ptr, "conllu");
    assert_non_null(strstr(test_written(), "\n1 NNS:4"));
}

/* So many words that the pattern forgets them; what ":: uniq" has seen stays. */
TEST(many_different_words_are_searched)
{
    enum { WORDS = 210000 };
    FREED(strbuf_fini) StrBuf trees = { 0 };
    LalError e;
    int n = 0;
    for (int k = 0; k < WORDS; k++) strbuf_printf(&trees, "(X w%d)\n", k);
    FREED(lal_pattern_free_at) LalPattern *p = compile_ok("X < /^w(.)/#1%x", NULL);
    assert_int_equal(lal_search_text(p, trees.ptr, trees.len, "brackets", &e), LAL_OK);
    for (const LalFound *f; (f = lal_search_next(p, &e)); n++) {
        assert_int_equal(f->n_matches, 1);
        assert_int_equal(f->matches->variables[0].value[0], f->words[0][1]);
    }
    assert_int_equal(e.code, LAL_OK);
    assert_int_equal(n, WORDS);
    FREED(strbuf_fini) StrBuf rows = { 0 };
    LalPatternOptions o = defaults();
    o.semgrex = "{}=n :: uniq n";
    FREED(lal_pattern_free_at) LalPattern *q = compile_ok("__", &o);
    static const char line[] = "{\"tokens\": [{\"form\": \"a\", \"tag\": \"T\", \"head\": -1, \"type\": \"root\"}], "
                               "\"constituents\": [{\"label\": \"L%d\", \"begin\": 0, \"end\": 1, \"parent\": -1}]}\n";
    for (int k = 0; k < WORDS; k++) strbuf_printf(&rows, line, k);
    assert_int_equal(lal_search_text(q, rows.ptr, rows.len, "json", &e), LAL_OK);
    n = 0;
    for (const LalFound *f; (f = lal_search_next(q, &e));) n += f->n_matches;
    assert_int_equal(e.code, LAL_OK);
    assert_int_equal(n, 1);
}

static void assert_refused(const char *pattern, const LalPatternOptions *o, LalStatus code, const char *message)
{
    LalError e;
    assert_null(lal_pattern_compile(pattern, o, &e));
    assert_null(lal_pattern_compile(pattern, o, NULL));
    assert_int_equal(e.code, code);
    if (!strstr(e.message, message)) fail_msg("found '%s', expected '%s'", e.message, message);
}

TEST(errors_of_patterns_are_values)
{
    enum { BAD = 10 };
    LalPatternOptions bad[BAD];
    static const char *const messages[BAD] = { "LalPatternOptions.kind: found 3, expected 0 to 2",
                                               "LalPatternOptions.graph: found -1",
                                               "LalPatternOptions.deps: found 3",
                                               "LalPatternOptions.most_steps: found -1",
                                               "LalPatternOptions.most_matches: found -1",
                                               "LalPatternOptions.heads: found 'klingon'",
                                               "two patterns of Semgrex",
                                               "found size 0, expected sizeof(LalPatternOptions)",
                                               "where:1:1: found",
                                               "pattern:1:3: found bytes that are not UTF-8" };
    for (int k = 0; k < BAD; k++) bad[k] = defaults();
    bad[0].kind = 3;
    bad[1].graph = -1;
    bad[2].deps = 3;
    bad[3].most_steps = -1;
    bad[4].most_matches = -1;
    bad[5].heads = "klingon";
    bad[6].kind = LAL_PATTERN_SEMGREX;
    bad[6].semgrex = "{}";
    bad[7].size = 0;
    bad[8].where = "m.words > 1";
    bad[9].semgrex = "{}\xff";
    for (int k = 0; k < BAD; k++)
        assert_refused("NP=n", &bad[k], k < 8 ? LAL_ERROR_ARGUMENT : LAL_ERROR_FORMAT, messages[k]);
    assert_refused(NULL, NULL, LAL_ERROR_ARGUMENT, "found NULL, expected a pattern");
    assert_refused("NP <", NULL, LAL_ERROR_FORMAT, "pattern:1:5: found");
    assert_refused("{word:/(/}", NULL, LAL_ERROR_FORMAT, "pattern:1:");
    LalPatternOptions kind = defaults();
    kind.kind = LAL_PATTERN_TREGEX;
    assert_refused("{}", &kind, LAL_ERROR_FORMAT, "pattern:1:1: found");
    /* of a newer program */
    struct {
        LalPatternOptions o;
        int more;
    } newer = { { .size = sizeof newer }, 0 };
    lal_pattern_free(compile_ok("NP", &newer.o));
    newer.more = 1;
    assert_refused("NP", &newer.o, LAL_ERROR_ARGUMENT, "LalPatternOptions: found an option of a later version");
    lal_pattern_free(NULL);
}

TEST(errors_of_searches_are_values)
{
    static const struct {
        const char *pattern, *text, *format;
        LalStatus code;
        const char *message;
        int found; /* sentences before the error; -1: the search does not begin */
    } BAD[] = {
        { "NP", TREES, "xml", LAL_ERROR_ARGUMENT, "found 'xml', expected brackets, conllu or json", -1 },
        { "NP", ROWS, "conllu", LAL_ERROR_ARGUMENT, "found conllu, which has no trees, for a pattern of Tregex", -1 },
        { "{}", TREES, "brackets", LAL_ERROR_ARGUMENT, "which has no dependencies, for a pattern of Semgrex", -1 },
        { "NP", "(NP (NN a))\n(b\n\xff", "brackets", LAL_ERROR_FORMAT, "text:3:1: found bytes that are not UTF-8", -1 },
        { "NP", "(NP (NN a))\n(b", "brackets", LAL_ERROR_FORMAT, "text:2:1: found no ')'", 1 },
        { "{}", "1\ta\n", "conllu", LAL_ERROR_FORMAT, "text:1:", 0 },
        { "NP", "\n{\"tokens\": []}\n[]\n", "json", LAL_ERROR_FORMAT, "text:3", 1 },
        { "NP", "\n\nno\n", "json", LAL_ERROR_FORMAT, "text:3:1: found a line that is no JSON", 0 },
    };
    LalError e;
    for (size_t k = 0; k < sizeof BAD / sizeof *BAD; k++) {
        FREED(lal_pattern_free_at) LalPattern *p = compile_ok(BAD[k].pattern, NULL);
        LalStatus s = lal_search_text(p, BAD[k].text, strlen(BAD[k].text), BAD[k].format, &e);
        int found = s == LAL_OK ? 0 : -1;
        while (s == LAL_OK && lal_search_next(p, &e)) found++;
        if (e.code != BAD[k].code || !strstr(e.message, BAD[k].message))
            fail_msg("found %d '%s', expected '%s'", e.code, e.message, BAD[k].message);
        assert_int_equal(found, BAD[k].found);
        assert_null(lal_search_next(p, &e));
        assert_int_equal(e.code, LAL_OK);
    }
    FREED(lal_pattern_free_at) LalPattern *p = compile_ok("NP", NULL);
    assert_int_equal(lal_search_text(p, "", 0, NULL, &e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_search_text(p, NULL, 1, "json", &e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_search_text(p, NULL, 0, "json", &e), LAL_OK);
    assert_null(lal_search_next(p, NULL));
    assert_int_equal(lal_search_sentences(p, NULL, 1, &e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_search_sentences(NULL, NULL, 0, &e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_search_text(NULL, "", 0, "json", NULL), LAL_ERROR_ARGUMENT);
    assert_null(lal_search_next(NULL, &e));
    assert_null(lal_search_tree(NULL, 0, 0, &e));
    assert_int_equal(e.code, LAL_ERROR_ARGUMENT);
}

typedef struct Slow {
    LalPattern *pattern;
    LalError error;
    atomic_bool done;
} Slow;

static void *search_slowly(void *context)
{
    Slow *x = context;
    do lal_search_next(x->pattern, &x->error); /* while the other thread has it */
    while (x->error.code == LAL_ERROR_BUSY);
    atomic_store(&x->done, true);
    return NULL;
}

TEST(a_pattern_takes_one_call_at_a_time)
{
    enum { DEPTH = 300 };
    FREED(strbuf_fini) StrBuf tree = { 0 };
    LalPatternOptions o = defaults();
    pthread_t thread;
    LalError e;
    bool busy = false;
    o.most_steps = 50000000;
    Slow x = { .pattern = compile_ok("__ << (__ << (__ << (__ << nothing)))", &o) };
    for (int k = 0; k < DEPTH; k++) strbuf_puts(&tree, "(X ");
    strbuf_puts(&tree, "a");
    for (int k = 0; k < DEPTH; k++) strbuf_puts(&tree, ")");
    assert_int_equal(lal_search_text(x.pattern, tree.ptr, tree.len, "brackets", &e), LAL_OK);
    assert_int_equal(pthread_create(&thread, NULL, search_slowly, &x), 0);
    while (!busy && !atomic_load(&x.done)) {
        lal_string_free(lal_search_tree(x.pattern, 0, 0, &e));
        busy = e.code == LAL_ERROR_BUSY;
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(busy);
    assert_string_equal(e.message, "the pattern is in use");
    assert_int_equal(x.error.code, LAL_ERROR_LIMIT);
    lal_pattern_free(x.pattern);
}

/* Every allocation fails once, with all after it. */
TEST(lack_of_memory_is_a_value)
{
    MADE(Parses, parses_init, parses_fini, x);
    FREED(strbuf_fini) StrBuf json = { 0 };
    LalPatternOptions o = defaults();
    LalError e;
    bool done = false;
    o.semgrex = "{}=a >=e {}=n";
    o.where = "n.words > 0 and n.lemma ~ /./";
    assert_int_equal(lal_parse_text_as(x.parser, SAID, sizeof SAID - 1, "json", append, &json, &e), LAL_OK);
    for (long n = 0; !done; n++) {
        int found = 0;
        char *tree = NULL;
        mem_fail_after(n);
        FREED(lal_pattern_free_at) LalPattern *p = lal_pattern_compile("/(.*)/#1%v=n", &o, &e);
        LalStatus s = e.code;
        if (p) s = lal_search_sentences(p, x.result->sentences, 2, &e);
        while (s == LAL_OK && lal_search_next(p, &e)) {
            found++;
            lal_string_free(tree);
            tree = lal_search_tree(p, 1, 1, &e);
            s = e.code;
        }
        lal_string_free(tree);
        if (s == LAL_OK) s = e.code;
        if (s == LAL_OK) s = lal_search_text(p, json.ptr, json.len, "json", &e);
        while (s == LAL_OK && lal_search_next(p, &e)) found++;
        mem_fail_after(-1);
        done = e.code == LAL_OK;
        if (!done && e.code != LAL_ERROR_MEMORY) fail_msg("allocation %ld: %d: %s", n, e.code, e.message);
        if (done) assert_int_equal(found, 4);
        assert_true(n < 20000);
    }
}
