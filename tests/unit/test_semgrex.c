/* The language of Semgrex: attributes, names of nodes, relations and edges, and what is refused where. */
#include "search/semgrex.h"
#include "tests/support/check.h"

/* Dogs and cats don't eat fish(9.1 eaten) . */
static const char ROWS[] = "# text = Dogs and cats don't eat raw fish.\n"
                           "1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t6\tnsubj\t6:nsubj|7.1:nsubj\t_\n"
                           "2\tand\tand\tCCONJ\tCC\t_\t3\tcc\t3:cc\t_\n"
                           "3\tcats\tcat\tNOUN\tNNS\tNumber=Plur\t1\tconj\t1:conj:and|6:nsubj\t_\n"
                           "4-5\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
                           "4\tdo\tdo\tAUX\tVBP\tMood=Ind|Tense=Pres\t6\taux\t6:aux\t_\n"
                           "5\tn't\tnot\tPART\tRB\t_\t6\tadvmod\t6:advmod\t_\n"
                           "6\teat\teat\tVERB\tVB\tVerbForm=Inf\t0\troot\t0:root\t_\n"
                           "7\traw\traw\tADJ\tJJ\tDegree=Pos\t8\tamod\t8:amod\t_\n"
                           "7.1\tate\teat\tVERB\tVBD\tTense=Past\t_\t_\t6:dep\t_\n"
                           "8\tfish\tfish\tNOUN\tNN\tNumber=Sing\t6\tobj\t6:obj\tSpaceAfter=No\n"
                           "9\t.\t.\tPUNCT\t.\t_\t6\tpunct\t6:punct\t_\n";

/* A word that is below itself, and two ways to the last one. */
static const char CYCLE[] = "1\tA\ta\tX\tX\t_\t_\t_\t0:root|4:r\tSpaceAfter=No\n"
                            "1.1\tE\te\tX\tX\t_\t_\t_\t1:e\t_\n"
                            "2\tB\tb\tX\tX\t_\t_\t_\t1:b\t_\n"
                            "3\tC\tc\tX\tX\t_\t_\t_\t1:c\t_\n"
                            "4\tD\td\tX\tX\t_\t_\t_\t2:p|3:q\tSpaceAfter=No\n";

typedef struct Written {
    SemgrexSearch search;
    const Semgrex *pattern;
    const DepNodes *graph;
    StrBuf *out;
} Written;

static void put_node(const Written *w, int k)
{
    const DepNode *node = &w->graph->node[k];
    strbuf_printf(w->out, node->copy ? "%d.%d" : "%d", node->number, node->copy);
}

/* "8 name=8.1 %relation=obj &edge=6>8:obj; ..." */
static bool take(SemgrexSearch *search, const SemgrexMatch *match)
{
    const Written *w = (const Written *)search;
    strbuf_puts(w->out, w->out->len ? "; " : "");
    put_node(w, match->node);
    for (int k = 0; k < semgrex_names(w->pattern); k++) {
        if (match->named[k] < 0) continue;
        strbuf_printf(w->out, " %s=", semgrex_name(w->pattern, k));
        put_node(w, match->named[k]);
    }
    for (int k = 0; k < semgrex_relations(w->pattern); k++)
        if (match->relation[k]) strbuf_printf(w->out, " %%%s=%s", semgrex_relation(w->pattern, k), match->relation[k]);
    for (int k = 0; k < semgrex_edges(w->pattern); k++) {
        if (match->edge[k] < 0) continue;
        const DepEdge *edge = &w->graph->edge[match->edge[k]];
        strbuf_printf(w->out, " &%s=", semgrex_edge(w->pattern, k));
        put_node(w, edge->governor);
        strbuf_putc(w->out, '>');
        put_node(w, edge->dependent);
        strbuf_printf(w->out, ":%s", edge->relation);
    }
    return true;
}

static void check_rows(const char *text, bool enhanced, bool caseless, const char *(*rows)[2], size_t n)
{
    for (size_t k = 0; k < n; k++) {
        Arena arena;
        DepNodes graph;
        arena_init(&arena, 4096);
        assert_ok(dep_nodes_read(&graph, view(text), enhanced, &arena, test_error()));
        graph.sentence = 2;
        Semgrex *semgrex = semgrex_compile(view(rows[k][0]), caseless, test_error());
        if (!semgrex) fail_msg("%s: %s", rows[k][0], test_error()->message);
        Written w = { { take, 0 }, semgrex, &graph, test_out() };
        strbuf_puts(w.out, "");
        assert_ok(semgrex_search(semgrex, &graph, &w.search, test_error()));
        if (strcmp(w.out->ptr, rows[k][1]) != 0)
            fail_msg("%s: found \"%s\", expected \"%s\"", rows[k][0], w.out->ptr, rows[k][1]);
        semgrex_free(semgrex);
        arena_fini(&arena);
    }
}
#define CHECK(enhanced, ...)                                                 \
    do {                                                                     \
        const char *rows[][2] = { __VA_ARGS__ };                             \
        check_rows(ROWS, enhanced, false, rows, sizeof rows / sizeof *rows); \
    } while (0)

static void refuses(const char *pattern, long column, const char *message)
{
    Error e = { 0 };
    Semgrex *semgrex = semgrex_compile(view(pattern), false, &e);
    if (semgrex) fail_msg("%s is a pattern", pattern);
    if (e.column != column || !strstr(e.message, message))
        fail_msg("%s: found column %ld: %s, expected %ld: %s", pattern, e.column, e.message, column, message);
    assert_string_equal(e.path, "pattern");
}

TEST(attributes_of_nodes)
{
    CHECK(false, { "{word:cats}", "3" }, { "{word:at}", "" }, { "{word:/.at.?/}", "3; 6" },
          { "{lemma:eat;cpos:VERB}", "6" }, { "{tag:/NN.*/;lemma!:dog}", "3; 8" }, { "{idx:8}", "8" },
          { "{after://}", "4; 8" }, { "{before://}", "5; 9" }, { "{is_first_mwt:true}", "4" },
          { "{mwt_text:don't}", "4; 5" }, { "{sentIndex:2;word:eat}", "6" }, { "{ner:X}", "" },
          { "{ner!:X;word:eat}", "6" }, { "{lemma:__;word:eat}", "6" }, { "{lemma!:__}", "" },
          { "{morphofeatures:{number:Plur}}", "1; 3" }, { "{morphofeatures:{/.*/:/P.*/;Mood:Ind}}", "4" },
          { "{morphofeatures:{/T.*/:/P.*/;Mood:__}}", "4" }, { "{cpos:NOUN;morphofeatures:{Number!:Plur}}", "8" },
          { "{morphofeatures:/Mood=.*/}", "4" }, { "{$}", "6" }, { "!{cpos:/NOUN|PUNCT|AUX/}", "2; 5; 6; 7" },
          { "!{$;cpos:NOUN}", "2; 4; 5; 7; 9" }, { "{word:dogs}", "" });
    const char *rows[][2] = { { "{word:dogs}", "1" }, { "{tag:/nnS/}", "1; 3" }, { "{} >NSUBJ {}", "" } };
    check_rows(ROWS, false, true, rows, 3);
}

TEST(relations_and_their_names)
{
    CHECK(true, { "{} >nsubj {}=s", "6 s=1; 6 s=3; 7.1 s=1" },
          { "{word:cats} <~r {}=g", "3 g=1 %r=conj:and; 3 g=6 %r=nsubj" },
          { "{word:cats} </conj.*/=e {}", "3 %e=conj:and &e=1>3:conj:and" },
          { "{$} 2,3>> {cpos:NOUN}=n", "6 n=1; 6 n=3" }, { "{} . {word:fish}", "7; 7.1" },
          { "{word:ate} $++ {}=s", "7.1 s=8; 7.1 s=9" }, { "{tag:VBD} <-- {}=g", "7.1 g=6" },
          { "{word:raw} ..~r {tag:NN}", "7 %r=null" }, { "{$} >obj {}=o ?>iobj {}=i", "6 o=8" });
}

TEST(groups_and_references)
{
    CHECK(false, { "{} [>nsubj {}=a | >obj {}=b]", "6 a=1; 6 b=8" },
          { "[{tag:NNS}=a | {cpos:NOUN}=b]", "1 a=1; 1 b=1; 3 a=3; 3 b=3; 8 b=8" },
          { "{cpos:VERB} ![>obj {} | >iobj {}]", "" }, { "{cpos:VERB} ?[>obj {}=o | >nsubj {}=o]", "6 o=8; 6 o=1" },
          { "([{cpos:VERB} | {tag:VB}] >nsubj {} >obj {}) >/a.*/ {}=x", "6 x=4; 6 x=5; 6 x=4; 6 x=5" },
          { "[{word:eat} | [{word:fish} | {word:raw}]] >amod {}", "8" },
          { "{} >obj {}=o : {}=o >amod {}=m", "6 o=8 m=7" }, { "{} >nsubj ({}=a >conj {}=b)", "6 a=1 b=3" },
          { "{}=a == {cpos:VERB}", "6 a=6" }, { "{} @ {}", "" }, { "({cpos:VERB} >obj {}) >nsubj {}", "6" });
}

TEST(words_are_tried_as_corenlp_does_where_one_of_equal_ones_is_kept)
{
    CHECK(false, { "{} :: uniq", "6; 9; 8; 7; 5; 4; 1; 3; 2" },
          { "{$} : {}=x :: uniq x", "6 x=6; 6 x=7; 6 x=8; 6 x=9; 6 x=1; 6 x=2; 6 x=3; 6 x=4; 6 x=5" });
    CHECK(true, { "{} :: uniq", "6; 7.1; 9; 8; 7; 5; 4; 1; 3; 2" });
    const char *rows[][2] = { { "{} :: uniq", "1.1; 1; 2; 3; 4" },
                              { "{$} 2,2>>~r {word:D}", "1 %r=q" },
                              { "{$} >>~r {word:D}", "1 %r=p" },
                              { "{before://}", "2" },
                              { "{$} >> {$}", "1" } };
    check_rows(CYCLE, true, false, rows, sizeof rows / sizeof *rows);
}

TEST(no_blank_is_before_a_sentence_where_the_one_before_it_has_none_at_its_end)
{
    DepNodes first, second;
    Arena arena;
    arena_init(&arena, 4096);
    assert_ok(dep_nodes_read(&first, view(CYCLE), true, &arena, test_error()));
    assert_ok(dep_nodes_read(&second, view(ROWS), true, &arena, test_error()));
    dep_nodes_follow(&first, &second);
    dep_nodes_follow(&second, &first);
    assert_string_equal(first.node[0].before, " ");
    assert_string_equal(second.node[0].before, "");
    arena_fini(&arena);
}

TEST(what_is_no_pattern_is_refused_at_its_place)
{
    refuses("", 1, "found the end of the pattern, expected '{'");
    refuses("{} >nmod:of {}", 9, "found ':', expected '{'");
    refuses("{word:a b}", 9, "found 'b', expected ';' or '}'");
    refuses("{word:the;word:a}", 11, "found 'word' a second time");
    refuses("{nosuch:{a:b}}", 8, "only morphofeatures");
    refuses("{} !>nsubj {}=a", 15, "expected no new name");
    refuses("{} 2> {}", 4, "expected one before << or >>");
    refuses("{} 0>> {}", 4, "found a distance of 0");
    refuses("{} <<=e {}", 6, "found the name of an edge");
    refuses("{} >nsubj~a=b {}", 12, "found two names");
    refuses("{} >nsubj {} & >obj {}", 14, "found '&'");
    refuses("{} | {}", 4, "found '|'");
    refuses("{word:/(/}", 9, "found no regular expression");
    refuses("{} :: uniq x", 12, "expected the name of a node");
    refuses("{}=a>det{}=b:{}=a", 13, "found ':{'");
}
