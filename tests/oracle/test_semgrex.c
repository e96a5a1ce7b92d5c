/* Does Semgrex find what its relations mean? Random patterns over random graphs, against an evaluation of
 * definitions: a relation is a number of ways between two nodes, and the ways to match are counted by trying all
 * nodes for each. */
#include <stdlib.h>

#include "base/rng.h"
#include "search/semgrex.h"
#include "tests/support/check.h"

enum { MOST_NODES = 9, MOST_NAMES = 10, MOST_TERMS = 20, MOST_WAYS = 4000, CASES = 20000 };

static uint64_t drawn, seed;
static int draw(int n) { return (int)(rng_uniform(seed, drawn++) * n); }

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
        g->word[w] = "abcd"[draw(4)];
        g->tag[w] = "XYZ"[draw(3)];
        int heads = 1 + (draw(3) == 0);
        for (int k = 0; k < heads; k++) {
            int head = draw(g->n + 1) - 1;
            if (head == w) head = -1;
            if (head < 0) g->root[w] = true;
            else g->edge[head][w] = "rst"[draw(3)];
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

/* In how many ways is b related to a? */
static int related(const Plain *g, int relation, char type, int a, int b)
{
    bool down = is(g->edge[a][b], type), up = is(g->edge[b][a], type), sisters = false;
    for (int h = 0; h < g->n; h++) sisters |= a != b && g->edge[h][a] && g->edge[h][b];
    switch (relation) {
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

/* ---- patterns */

typedef enum Kind { NODE, ALL, ANY } Kind;
typedef struct Condition {
    Kind kind;
    bool negated, optional; /* optional: of ALL and ANY alone, whose ways all count */
    int kid[2], n;
    int relation; /* -1: where the pattern begins; -2: anywhere */
    char type, word, tag;
    bool not_word, root;
    int name, same; /* -1: none */
    int below;
} Condition;

typedef struct Pattern {
    Condition c[MOST_TERMS];
    int n, names, second; /* what follows ':'; -1: nothing */
} Pattern;

static int make_conditions(Pattern *p, int depth, bool negated);

static int make_node(Pattern *p, int depth, bool negated, int relation)
{
    int k = p->n++;
    Condition *c = &p->c[k];
    *c = (Condition){ .relation = relation, .name = -1, .same = -1, .below = -1 };
    if (relation >= 0 && (relation < FIRST_UNTYPED || relation > 17) && draw(3) == 0) c->type = "rst"[draw(3)];
    if (relation != -1 && p->names && draw(6) == 0) c->same = draw(p->names);
    else {
        if (draw(2)) c->word = "abcd"[draw(4)];
        if (draw(3) == 0) c->tag = "XYZ"[draw(3)];
        c->not_word = c->word && draw(4) == 0;
        c->root = draw(10) == 0;
        if (!negated && p->names < MOST_NAMES && draw(3) == 0) c->name = p->names++;
    }
    if (depth < 3 && p->n < MOST_TERMS - 8 && draw(3) != 0) {
        int below = make_conditions(p, depth + 1, negated);
        p->c[k].below = below;
    }
    return k;
}

static int make_conditions(Pattern *p, int depth, bool negated)
{
    int kind = depth > 2 || p->n > MOST_TERMS - 8 ? 0 : draw(6), k;
    if (kind < 3) {
        bool not = kind == 0 && draw(3) == 0;
        k = make_node(p, depth, negated || not, draw(N_RELATIONS));
        p->c[k].negated = not ;
        return k;
    }
    k = p->n++;
    p->c[k] = (Condition){ .kind = kind == 5 ? ANY : ALL, .name = -1, .same = -1, .below = -1 };
    p->c[k].negated = draw(6) == 0;
    p->c[k].optional = !p->c[k].negated && draw(6) == 0;
    for (int m = 0; m < 2;
         m++) { /* a name of one alternative alone may be unset where it is asked for: none is given */
        int kid = make_conditions(p, depth + 1, negated || p->c[k].negated || p->c[k].kind == ANY || p->c[k].optional);
        p->c[k].kid[p->c[k].n++] = kid;
    }
    return k;
}

static void print_conditions(const Pattern *p, int k, StrBuf *out);

static void print_node(const Pattern *p, int k, StrBuf *out)
{
    const Condition *c = &p->c[k];
    const char *semicolon = "";
    if (c->below >= 0) strbuf_putc(out, '(');
    strbuf_putc(out, '{');
    if (c->word) {
        strbuf_printf(out, "word%s:%c", c->not_word ? "!" : "", c->word);
        semicolon = ";";
    }
    if (c->tag) {
        strbuf_printf(out, "%stag:/%c/", semicolon, c->tag);
        semicolon = ";";
    }
    if (c->root) strbuf_printf(out, "%s$", semicolon);
    strbuf_putc(out, '}');
    if (c->name >= 0 || c->same >= 0) strbuf_printf(out, "=n%d", c->name >= 0 ? c->name : c->same);
    if (c->below >= 0) {
        strbuf_putc(out, ' ');
        print_conditions(p, c->below, out);
        strbuf_putc(out, ')');
    }
}

static void print_conditions(const Pattern *p, int k, StrBuf *out)
{
    const Condition *c = &p->c[k];
    if (c->negated) strbuf_putc(out, '!');
    if (c->optional) strbuf_putc(out, '?');
    if (c->kind == NODE) {
        strbuf_puts(out, RELATIONS[c->relation]);
        if (c->type) strbuf_printf(out, "%c", c->type);
        strbuf_putc(out, ' ');
        print_node(p, k, out);
        return;
    }
    strbuf_putc(out, '[');
    for (int m = 0; m < c->n; m++) {
        strbuf_puts(out, m == 0 ? "" : c->kind == ANY ? " | " : " ");
        print_conditions(p, c->kid[m], out);
    }
    strbuf_putc(out, ']');
}

/* ---- evaluation */

typedef struct Way {
    int node, named[MOST_NAMES];
} Way;
typedef struct Ways {
    Way way[MOST_WAYS];
    int n;
    bool full;
} Ways;

static Ways *empty_ways(void)
{
    Ways *ways = malloc(sizeof *ways);
    assert_non_null(ways);
    ways->n = 0;
    ways->full = false;
    return ways;
}

static void add(Ways *to, const Way *x)
{
    if (to->n == MOST_WAYS) to->full = true;
    else to->way[to->n++] = *x;
}

static void evaluate(const Pattern *p, const Plain *g, int k, int from, const Way *given, Ways *to);

static void evaluate_plain(const Pattern *p, const Plain *g, int k, int from, const Way *given, Ways *to)
{
    const Condition *c = &p->c[k];
    for (int b = 0; c->kind == NODE && b < g->n; b++) {
        Way here = *given;
        int times = c->relation == -1 ? b == from : c->relation == -2 ? 1 : related(g, c->relation, c->type, from, b);
        bool good = (!c->word || (g->word[b] == c->word) != c->not_word) && (!c->tag || g->tag[b] == c->tag) &&
                    (!c->root || g->root[b]) && (c->same < 0 || given->named[c->same] == b);
        if (!good) continue;
        if (c->name >= 0) here.named[c->name] = b;
        for (int k_time = 0; k_time < times; k_time++)
            if (c->below >= 0) evaluate(p, g, c->below, b, &here, to);
            else add(to, &here);
    }
    for (int m = 0; c->kind == ANY && m < c->n; m++) evaluate(p, g, c->kid[m], from, given, to);
    if (c->kind == ALL) {
        Ways *first = empty_ways();
        evaluate(p, g, c->kid[0], from, given, first);
        for (int w = 0; w < first->n; w++) evaluate(p, g, c->kid[1], from, &first->way[w], to);
        to->full |= first->full;
        free(first);
    }
}

static void evaluate(const Pattern *p, const Plain *g, int k, int from, const Way *given, Ways *to)
{
    const Condition *c = &p->c[k];
    if (!c->negated && !c->optional) {
        evaluate_plain(p, g, k, from, given, to);
        return;
    }
    Ways *ways = empty_ways();
    evaluate_plain(p, g, k, from, given, ways);
    for (int w = 0; c->optional && w < ways->n; w++) add(to, &ways->way[w]);
    if (!ways->n) add(to, given);
    to->full |= ways->full;
    free(ways);
}

/* ---- both */

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(Way)); }

typedef struct Found {
    SemgrexSearch search;
    const Semgrex *pattern;
    Ways *ways;
} Found;

static bool take(SemgrexSearch *search, const SemgrexMatch *match)
{
    Found *found = (Found *)search;
    Way way;
    memset(&way, 0xff, sizeof way);
    way.node = match->node;
    for (int k = 0; k < semgrex_names(found->pattern); k++)
        way.named[atoi(semgrex_name(found->pattern, k) + 1)] = match->named[k];
    add(found->ways, &way);
    return true;
}

static void check_case(Ways *want, Ways *got)
{
    Plain plain = { 0 };
    Pattern pattern = { .second = -1 };
    DepNodes graph;
    StrBuf rows = { 0 }, text = { 0 };
    Arena arena;
    arena_init(&arena, 4096);
    make_graph(&plain);
    make_node(&pattern, 0, false, -1);
    if (draw(4) == 0) pattern.second = make_node(&pattern, 1, false, -2);
    print_graph(&plain, &rows);
    assert_ok(dep_nodes_read(&graph, (StrView){ rows.ptr, rows.len }, true, &arena, test_error()));
    assert_int_equal(graph.n, plain.n);
    want->n = got->n = 0;
    want->full = got->full = false;
    for (int node = 0; node < plain.n; node++) {
        Way empty;
        memset(&empty, 0xff, sizeof empty);
        empty.node = node;
        Ways *first = empty_ways();
        evaluate(&pattern, &plain, 0, node, &empty, pattern.second < 0 ? want : first);
        for (int w = 0; w < first->n; w++) evaluate(&pattern, &plain, pattern.second, 0, &first->way[w], want);
        want->full |= first->full;
        free(first);
    }
    print_node(&pattern, 0, &text);
    if (pattern.second >= 0) {
        strbuf_puts(&text, " : ");
        print_node(&pattern, pattern.second, &text);
    }
    Semgrex *semgrex = semgrex_compile((StrView){ text.ptr, text.len }, false, test_error());
    if (!semgrex) fail_msg("%s: %s", text.ptr, test_error()->message);
    Found search = { { take, 0 }, semgrex, got };
    assert_ok(semgrex_search(semgrex, &graph, &search.search, test_error()));
    qsort(want->way, (size_t)want->n, sizeof(Way), compare);
    qsort(got->way, (size_t)got->n, sizeof(Way), compare);
    if (!want->full && (want->n != got->n || memcmp(want->way, got->way, (size_t)want->n * sizeof(Way)) != 0))
        fail_msg("%s on\n%sfound %d ways to match, expected %d", text.ptr, rows.ptr, got->n, want->n);
    semgrex_free(semgrex);
    arena_fini(&arena);
    strbuf_fini(&text);
    strbuf_fini(&rows);
}

TEST(random_patterns_match_as_their_relations_are_defined)
{
    Ways *want = calloc(2, sizeof *want);
    long matched = 0;
    for (int k = 0; k < CASES; k++) {
        seed = rng_mix((uint64_t)k);
        drawn = 0;
        check_case(&want[0], &want[1]);
        matched += want->n > 0;
    }
    assert_true(matched > CASES / 4);
    free(want);
}
