/* Does Semgrex find what its relations mean? Random patterns over random graphs, against an evaluation of
 * definitions: a relation is a number of ways between two nodes, and the ways to match are counted by trying all
 * nodes for each. */
#include "search/semgrex.h"
#include "tests/support/random_pattern.h"

enum { MOST_NODES = 9 };

/* ---- graphs: words, tags and relations are one letter */

typedef struct Plain {
    int n;
    char word[MOST_NODES], tag[MOST_NODES];
    char edge[MOST_NODES][MOST_NODES]; /* relation of governor to dependent, 0: none */
    bool root[MOST_NODES];
} Plain;

static void make_graph(Plain *g)
{
    g->n = 1 + draw(MOST_NODES);
    for (int w = 0; w < g->n; w++) {
        g->word[w] = draw_of("abcd");
        g->tag[w] = draw_of("XYZ");
        int heads = 1 + (draw(3) == 0);
        for (int k = 0; k < heads; k++) {
            int head = draw(g->n + 1) - 1;
            if (head == w) head = -1;
            if (head < 0) g->root[w] = true;
            else g->edge[head][w] = draw_of("rst");
        }
    }
}

static void print_graph(const Plain *g, StrBuf *out)
{
    for (int w = 0; w < g->n; w++) {
        strbuf_printf(out, "%d\t%c\t_\t_\t%c\t_\t_\t_\t", w + 1, g->word[w], g->tag[w]);
        const char *bar = "";
        if (g->root[w]) {
            strbuf_puts(out, "0:root");
            bar = "|";
        }
        for (int h = 0; h < g->n; h++)
            if (g->edge[h][w]) {
                strbuf_printf(out, "%s%d:%c", bar, h + 1, g->edge[h][w]);
                bar = "|";
            }
        strbuf_puts(out, "\t_\n");
    }
}

/* Is there a way of `length` edges from a down to b, the last of which (if down) or the first has the relation? */
static bool walks(const Plain *g, int a, int b, int length, char type, bool last)
{
    if (length == 1) return g->edge[a][b] && (!type || g->edge[a][b] == type);
    for (int c = 0; c < g->n; c++) {
        char edge = last ? g->edge[c][b] : g->edge[a][c];
        if (edge && (!type || edge == type) &&
            (last ? walks(g, a, c, length - 1, 0, last) : walks(g, c, b, length - 1, 0, last)))
            return true;
    }
    return false;
}

/* Is there a way of a length in this range? */
static bool leads(const Plain *g, int a, int b, int least, int most, char type, bool last)
{
    for (int length = least; length <= most; length++)
        if (walks(g, a, b, length, type, last)) return true;
    return false;
}

static const char *const RELATIONS[] = { ">", "<",  ">>", "<<", "<>", ">++", ">--", "<++", "<--",   ".",
                                         "-", "..", "--", "$+", "$-", "$++", "$--", "==",  "1,2>>", "2<<" };
enum { N_RELATIONS = sizeof RELATIONS / sizeof *RELATIONS, FIRST_UNTYPED = 9 };

static bool is(char edge, char type) { return edge && (!type || edge == type); }

static int related(const void *nodes, const Condition *c, int a, int b)
{
    const Plain *g = nodes;
    char type = c->path;
    bool down = is(g->edge[a][b], type), up = is(g->edge[b][a], type), sisters = false;
    for (int h = 0; h < g->n; h++) sisters |= a != b && g->edge[h][a] && g->edge[h][b];
    switch (c->relation) {
    case 0: return down;
    case 1: return up;
    case 2: return leads(g, a, b, 1, g->n, type, true);
    case 3: return leads(g, b, a, 1, g->n, type, false);
    case 4: return down + up;
    case 5: return down && b > a;
    case 6: return down && b < a;
    case 7: return up && b > a;
    case 8: return up && b < a;
    case 9: return b == a + 1;
    case 10: return b == a - 1;
    case 11: return b > a;
    case 12: return b < a;
    case 13: return sisters && b == a + 1;
    case 14: return sisters && b == a - 1;
    case 15: return sisters && b > a;
    case 16: return sisters && b < a;
    case 17: return a == b;
    case 18: return leads(g, a, b, 1, 2, type, true);
    default: return leads(g, b, a, 2, 2, type, false);
    }
}

static bool fits(const void *nodes, const Condition *c, int node)
{
    const Plain *g = nodes;
    char word = c->letter[0], tag = c->letter[1];
    return (!word || (g->word[node] == word) != c->not_letter) && (!tag || g->tag[node] == tag) &&
           (!c->root || g->root[node]);
}

/* ---- patterns */

static void describe(Condition *c)
{
    if (c->relation >= 0 && (c->relation < FIRST_UNTYPED || c->relation > 17) && draw(3) == 0) c->path = draw_of("rst");
    if (draw(2)) c->letter[0] = draw_of("abcd");
    if (draw(3) == 0) c->letter[1] = draw_of("XYZ");
    c->not_letter = c->letter[0] && draw(4) == 0;
    c->root = draw(10) == 0;
}

static void print_relation(const Condition *c, StrBuf *out)
{
    strbuf_puts(out, RELATIONS[c->relation]);
    if (c->path) strbuf_putc(out, c->path);
}

static void print_word(const Condition *c, StrBuf *out)
{
    char word = c->letter[0], tag = c->letter[1];
    strbuf_putc(out, '{');
    if (word) strbuf_printf(out, "word%s:%c", c->not_letter ? "!" : "", word);
    if (tag) strbuf_printf(out, "%stag:/%c/", word ? ";" : "", tag);
    if (c->root) strbuf_puts(out, word || tag ? ";$" : "$");
    strbuf_putc(out, '}');
}

/* ---- both */

typedef struct Found {
    SemgrexSearch search;
    const Semgrex *pattern;
    Ways *ways;
} Found;

static const char *name(const void *pattern, int k) { return semgrex_name(pattern, k); }

static bool take(SemgrexSearch *search, const SemgrexMatch *match)
{
    Found *found = (Found *)search;
    add_match(found->ways, match->node, match->named, semgrex_names(found->pattern), name, found->pattern);
    return true;
}

static void check_case(Ways *want, Ways *got)
{
    Plain plain = { 0 };
    Pattern pattern = { 0 };
    DepNodes graph;
    StrBuf rows = { 0 }, text = { 0 };
    Arena arena;
    int second = -1; /* what follows ':' */
    arena_init(&arena, 4096);
    make_graph(&plain);
    const Language l = { N_RELATIONS, describe, print_relation, print_word, " ", "{}", related, fits, plain.n, &plain };
    make_node(&l, &pattern, 0, false, FROM_HERE);
    if (draw(4) == 0) second = make_node(&l, &pattern, 1, false, ANYWHERE);
    print_graph(&plain, &rows);
    assert_ok(dep_nodes_read(&graph, (StrView){ rows.ptr, rows.len }, true, &arena, test_error()));
    assert_int_equal(graph.n, plain.n);
    for (int node = 0; node < plain.n; node++) {
        Way empty = empty_way(node);
        Ways *first = second < 0 ? want : empty_ways();
        evaluate(&l, &pattern, 0, node, &empty, first);
        if (second >= 0) evaluate_all(&l, &pattern, second, 0, first, want);
    }
    print_node(&l, &pattern, 0, &text);
    if (second >= 0) {
        strbuf_puts(&text, " : ");
        print_node(&l, &pattern, second, &text);
    }
    Semgrex *semgrex = semgrex_compile((StrView){ text.ptr, text.len }, false, test_error());
    if (!semgrex) fail_msg("%s: %s", text.ptr, test_error()->message);
    Found search = { { take, 0 }, semgrex, got };
    assert_ok(semgrex_search(semgrex, &graph, &search.search, test_error()));
    if (!same_ways(want, got))
        fail_msg("%s on\n%sfound %d ways to match, expected %d", text.ptr, rows.ptr, got->n, want->n);
    semgrex_free(semgrex);
    arena_fini(&arena);
    strbuf_fini(&text);
    strbuf_fini(&rows);
}

TEST(random_patterns_match_as_their_relations_are_defined)
{
    assert_true(check_patterns(check_case) > PATTERN_CASES / 4);
}
