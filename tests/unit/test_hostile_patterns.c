/* Patterns of Tregex and Semgrex that nest, repeat or backtrack without end are refused or end within their steps, on a
 * quarter of the usual stack. */
#include <pthread.h>

#include "search/semgrex.h"
#include "search/tregex.h"
#include "tests/support/check.h"

#if defined __SANITIZE_ADDRESS__ || defined __clang__ /* whose frames are larger with sanitizers */
enum { STACK = 8 << 20 };
#else
enum { STACK = 2 << 20 };
#endif

enum { MANY = 100000, MOST_STEPS = 200000 };

typedef struct Hostile {
    const char *begin, *again, *end;
    int times;
    const char *message; /* NULL: it is a pattern */
    Status status;       /* of the search */
} Hostile;

typedef struct Run {
    StrView pattern;
    bool semgrex, compiled;
    Error error;
    Status status;
} Run;

static bool take_tree(TregexSearch *search, const TregexMatch *match)
{
    (void)search;
    (void)match;
    return true;
}

static bool take_graph(SemgrexSearch *search, const SemgrexMatch *match)
{
    (void)search;
    (void)match;
    return true;
}

static void run_tregex(Run *run)
{
    static const char tree[] = "(A (B aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab) (B c) (C aaaaaaaaaaaaaaaab))";
    StrMap labels;
    NodeTree nodes = { 0 };
    size_t at = 0;
    bool found;
    TregexSearch search = { take_tree, MOST_STEPS };
    Tregex *tregex = tregex_compile(run->pattern, HEADS_COLLINS, &run->error);
    run->compiled = tregex != NULL;
    if (!tregex) return;
    map_init(&labels);
    run->status = node_tree_read(&nodes, &labels, text_block(view(tree), "t"), &at, &found, &run->error);
    for (int k = 0; k < 2; k++) /* the second time as the first: what a search did not find out is not kept */
        run->status = tregex_search(tregex, &nodes, &labels, &search, &run->error);
    tregex_free(tregex);
    node_tree_fini(&nodes);
    map_fini(&labels);
}

static const char rows_of_graph[] = "1\taaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\ta\tX\tX\t_\t0\troot\t_\t_\n"
                                    "2\tb\tb\tX\tX\t_\t1\tobj\t_\t_\n3\tb\tb\tX\tX\t_\t1\tobj\t_\t_\n";

static void run_semgrex(Run *run)
{
    Arena arena;
    DepNodes graph;
    SemgrexSearch search = { take_graph, MOST_STEPS };
    Semgrex *semgrex = semgrex_compile(run->pattern, false, &run->error);
    run->compiled = semgrex != NULL;
    if (!semgrex) return;
    arena_init(&arena, 4096);
    run->status = dep_nodes_read(&graph, view(rows_of_graph), false, &arena, &run->error);
    if (!run->status) run->status = semgrex_search(semgrex, &graph, &search, &run->error);
    semgrex_free(semgrex);
    arena_fini(&arena);
}

static void *run_pattern(void *run)
{
    if (((Run *)run)->semgrex) run_semgrex(run);
    else run_tregex(run);
    return NULL;
}

static void check_hostile(bool semgrex, const Hostile *rows, size_t n)
{
    pthread_attr_t attributes;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    for (const Hostile *h = rows; h < rows + n; h++) {
        StrBuf text = { 0 };
        pthread_t thread;
        strbuf_puts(&text, h->begin);
        for (int k = 0; k < h->times; k++) strbuf_puts(&text, h->again);
        strbuf_puts(&text, h->end);
        Run run = { .pattern = { text.ptr, text.len }, .semgrex = semgrex };
        assert_int_equal(pthread_create(&thread, &attributes, run_pattern, &run), 0);
        pthread_join(thread, NULL);
        char about[100];
        snprintf(about, sizeof about, "%s %d times %s %s", h->begin, h->times, h->again, h->end);
        if (h->message ? run.compiled || !strstr(run.error.message, h->message)
                       : !run.compiled || run.status != h->status)
            fail_msg("%s: found status %d, message \"%s\"", about, (int)run.status, run.error.message);
        strbuf_fini(&text);
    }
    pthread_attr_destroy(&attributes);
}

TEST(patterns_of_tregex)
{
    static const char deep[] = "found 201 brackets", many[] = "found more relations that are to hold together";
    static const Hostile rows[] = {
        { "", "(", "", MANY, deep, OK },
        { "A ", "[", "", MANY, deep, OK },
        { "A ", "!", "< B", MANY, deep, OK },
        { "A ", "![", "", MANY, deep, OK },
        { "A ", "<... { A ", "", MANY, deep, OK },
        { "A ", "< (A ", "", MANY, deep, OK },
        { "A ", "?[< B & ", "", MANY, deep, OK },
        { "A", " < B", "", MANY, many, OK },
        { "A [", " < B | < B ] [", "< B ]", MANY, many, OK },
        { "A <... { B", " ; B", " }", MANY, many, OK },
        { "A", " < B", "", 999, NULL, ERR_LIMIT },
        { "A", " ?< Z", "", 999, NULL, OK },
        { "A", " ?[< Z | < Y]", "", 499, NULL, OK },
        { "A", " ![< Z]", "", 999, NULL, OK },
        { "A", "|B", "", MANY, NULL, ERR_LIMIT },
        { "A [< Z", " | < Z", "]", MANY, NULL, ERR_LIMIT },
        { "A", " : __", "", 20, NULL, ERR_LIMIT },
        { "__ !< __", " [!< Z | !< Y]", "", 40, NULL, ERR_LIMIT },
        { "A", " | A", "", MANY, NULL, ERR_LIMIT },
        { "A <", " 1", " B", MANY, "found '1'", OK },
        { "A < ", "9", " B", MANY, "expected a number from 1 on", OK },
        { "A#", "9", "%a", MANY, "expected the number of a group", OK },
        { "/", "(", "/", MANY, "found no regular expression", OK },
        { "/((((a{60}){60}){60}", "){60}", "/", 1, "found no regular expression", OK },
        { "/^(a+)+", "$", "/", 1, NULL, ERR_LIMIT },
        { "C", " ?< /^(a+)+$/", "", 100, NULL, OK },
        { "C", " ?< /^(a+)+$/", "", 600, NULL, ERR_LIMIT },
        { "/(?=(a\\K", "", "))/#1%v", 0, "found no regular expression", OK },
    };
    check_hostile(false, rows, sizeof rows / sizeof *rows);
}

TEST(patterns_of_semgrex)
{
    static const char deep[] = "found 201 brackets", many[] = "found more relations that are to hold together";
    static const Hostile rows[] = {
        { "", "(", "", MANY, deep, OK },
        { "", "[", "", MANY, deep, OK },
        { "", "![", "", MANY, deep, OK },
        { "{} ", "[", "", MANY, deep, OK },
        { "{} ", "> ({} ", "", MANY, deep, OK },
        { "{} ", "![> {} ", "", MANY, deep, OK },
        { "{}", " > {}", "", MANY, many, OK },
        { "{}", " : {}", "", MANY, many, OK },
        { "{}", " ?[> {} | < {}]", "", MANY, many, OK },
        { "{}", " > {}", "", 999, NULL, ERR_LIMIT },
        { "{}", " ?[> {} | < {}]", "", 499, NULL, ERR_LIMIT },
        { "{}", " ?[>x {} | >y {}]", "", 499, NULL, OK },
        { "[{}", "|{}", "]", MANY, NULL, ERR_LIMIT },
        { "{$} [>x {}", " | >x {}", "]", MANY, NULL, ERR_LIMIT },
        { "{$}", " [!>x {} | !>y {}]", "", 40, NULL, ERR_LIMIT },
        { "{", "a!:b;", "a!:b}", MANY, NULL, ERR_LIMIT },
        { "{", "word!:b;", "word!:b}", MANY, NULL, ERR_LIMIT },
        { "{} ", "9", ">> {}", MANY, "expected a number or a relation", OK },
        { "{} 1,9999", "9", ">> {}", 4, NULL, OK },
        { "[{}|[{}|{}]]", " >obj {}", "", 4, NULL, OK },
        { "{word:/", "(", "/}", MANY, "found no regular expression", OK },
        { "{word:/(a+)+", "", "/}", 0, NULL, ERR_LIMIT },
    };
    check_hostile(true, rows, sizeof rows / sizeof *rows);
}

static Status search_trees(const char *pattern, NodeTree *nodes, const StrMap *labels)
{
    TregexSearch search = { take_tree, 0 };
    Error *error = test_error();
    Tregex *tregex = tregex_compile(view(pattern), HEADS_COLLINS, error);
    Status s = tregex ? tregex_search(tregex, nodes, labels, &search, error) : error->code;
    tregex_free(tregex);
    return s;
}

static Status search_graph(const char *pattern, const DepNodes *graph)
{
    SemgrexSearch search = { take_graph, 0 };
    Error *error = test_error();
    Semgrex *semgrex = semgrex_compile(view(pattern), true, error);
    Status s = semgrex ? semgrex_search(semgrex, graph, &search, error) : error->code;
    semgrex_free(semgrex);
    return s;
}

TEST(memory_that_runs_out_is_reported)
{
    MADE(StrMap, map_init, map_fini, labels);
    NodeTree nodes = { 0 };
    size_t at = 0;
    bool found;
    DepNodes graph;
    Arena arena;
    TextBlock tree = text_block(view("(A (B x) (C (B y) (B z)) (D (C w)))"), "t");
    assert_ok(node_tree_read(&nodes, &labels, tree, &at, &found, test_error()));
    assert_reports_no_memory(search_trees("A=a < (/B(.*)/#0%a#1%b#0%c#1%d#0%e . C|D=c) [< B | < C=d] .+(__) __=e "
                                          "<... { B ; C ; D } : (=a !> E)",
                                          &nodes, &labels));
    arena_init(&arena, 4096);
    assert_ok(dep_nodes_read(&graph, view(rows_of_graph), false, &arena, test_error()));
    assert_reports_no_memory(search_graph("([{word:/a+b/}=a | {$;tag!:Y;lemma:a}] >obj~r {}=b ?1,2>> {}) "
                                          ">obj=e ({} $+ {}=c) : {morphofeatures:{A:B}} :: uniq a",
                                          &graph));
    arena_fini(&arena);
    node_tree_fini(&nodes);
}
