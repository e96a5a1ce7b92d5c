/* Does Tregex find what its relations mean? Random patterns over random trees, against an evaluation of definitions: a
 * relation is a predicate over two nodes, and the ways to match are counted by trying all nodes for each. */
#include "search/tregex.h"
#include "tests/support/random_pattern.h"

enum { MOST_NODES = 14 };

/* ---- trees: labels are one letter */

typedef struct Plain {
    int n, parent[MOST_NODES], first[MOST_NODES], last[MOST_NODES]; /* leaves of the text that a node covers */
    char label[MOST_NODES];
} Plain;

static int n_children(const Plain *t, int node)
{
    int n = 0;
    for (int k = 0; k < t->n; k++) n += t->parent[k] == node;
    return n;
}

/* Child k of a node, from 0 or from -1; -1: none. */
static int child(const Plain *t, int node, int k)
{
    if (k < 0) k += n_children(t, node);
    for (int c = 0; c < t->n && k >= 0; c++)
        if (t->parent[c] == node && k-- == 0) return c;
    return -1;
}

static void grow(Plain *t, int parent, int depth, int *leaf)
{
    int node = t->n++, kids = depth > 4 || draw(3) == 0 ? 0 : 1 + draw(3);
    t->parent[node] = parent;
    t->label[node] = draw_of("ABCD");
    t->first[node] = *leaf;
    for (int k = 0; k < kids && t->n < MOST_NODES; k++) grow(t, node, depth + 1, leaf);
    if (!n_children(t, node)) ++*leaf;
    t->last[node] = *leaf - 1;
}

static void print_tree(const Plain *t, int node, StrBuf *out)
{
    bool leaf = node && !n_children(t, node);
    strbuf_printf(out, leaf ? " %c" : " (%c", t->label[node]);
    for (int k = 0; child(t, node, k) >= 0; k++) print_tree(t, child(t, node, k), out);
    if (!leaf) strbuf_putc(out, ')');
}

/* ---- relations of a to b by definition */

static bool above(const Plain *t, int a, int b)
{
    for (b = t->parent[b]; b >= 0; b = t->parent[b])
        if (b == a) return true;
    return false;
}

static bool sisters(const Plain *t, int a, int b)
{
    return a != b && t->parent[a] >= 0 && t->parent[a] == t->parent[b];
}

/* Is each node on the way from a down to b child k of the one above; only: its only child? */
static bool way(const Plain *t, int a, int b, int k, bool only)
{
    if (!above(t, a, b)) return false;
    for (; b != a; b = t->parent[b])
        if (child(t, t->parent[b], k) != b || (only && n_children(t, t->parent[b]) != 1)) return false;
    return true;
}

static bool between(const Plain *t, int a, int b, char path)
{
    if (!above(t, a, b)) return false;
    for (b = t->parent[b]; b != a; b = t->parent[b])
        if (t->label[b] != path) return false;
    return true;
}

static bool follows(const Plain *t, int a, int b) { return t->last[a] + 1 == t->first[b]; }

/* Leads a chain of neighbours with the label from a to b? */
static bool chain(const Plain *t, int a, int b, char path)
{
    bool reached[MOST_NODES] = { false };
    for (int round = 0; round <= t->n; round++)
        for (int x = 0; x < t->n; x++) {
            if (round ? !reached[x] || t->label[x] != path : x != a) continue;
            for (int y = 0; y < t->n; y++) reached[y] |= follows(t, x, y);
        }
    return reached[b];
}

static const struct {
    const char *text;
    int number; /* what follows it: 0: nothing, 1: a number, 2: a path */
} RELATIONS[] = {
    { "<", 0 },  { ">", 0 },   { "<<", 0 },  { ">>", 0 },  { "<", 1 },   { ">", 1 },   { "<:", 0 },
    { ">:", 0 }, { "<<,", 0 }, { ">>,", 0 }, { "<<-", 0 }, { ">>-", 0 }, { "<<:", 0 }, { ">>:", 0 },
    { "$", 0 },  { "$+", 0 },  { "$-", 0 },  { "$++", 0 }, { "$--", 0 }, { ".", 0 },   { ",", 0 },
    { "..", 0 }, { ",,", 0 },  { "==", 0 },  { "<=", 0 },  { "<<<", 0 }, { "<<<", 1 }, { "<+", 2 },
    { ">+", 2 }, { ".+", 2 },  { ":", 0 },   { "<,", 0 },  { "<-", 0 },  { ">,", 0 },  { ">-", 0 },
};

static int related(const void *nodes, const Condition *c, int a, int b)
{
    const Plain *t = nodes;
    int number = c->number;
    char path = c->path;
    bool leaf = !n_children(t, b), numbered = RELATIONS[c->relation].number == 1;
    int nth = number > 0 ? number - 1 : number, at;
    switch (c->relation) {
    case 0: return t->parent[b] == a;
    case 1: return t->parent[a] == b;
    case 2: return above(t, a, b);
    case 3: return above(t, b, a);
    case 4: return child(t, a, nth) == b;
    case 5: return child(t, b, nth) == a;
    case 6: return t->parent[b] == a && n_children(t, a) == 1;
    case 7: return t->parent[a] == b && n_children(t, b) == 1;
    case 8: return way(t, a, b, 0, false);
    case 9: return way(t, b, a, 0, false);
    case 10: return way(t, a, b, -1, false);
    case 11: return way(t, b, a, -1, false);
    case 12: return way(t, a, b, 0, true);
    case 13: return way(t, b, a, 0, true);
    case 14: return sisters(t, a, b);
    case 15: return sisters(t, a, b) && follows(t, a, b);
    case 16: return sisters(t, a, b) && follows(t, b, a);
    case 17: return sisters(t, a, b) && t->last[a] < t->first[b];
    case 18: return sisters(t, a, b) && t->last[b] < t->first[a];
    case 19: return follows(t, a, b);
    case 20: return follows(t, b, a);
    case 21: return t->last[a] < t->first[b];
    case 22: return t->last[b] < t->first[a];
    case 23: return a == b;
    case 24: return a == b || t->parent[b] == a;
    case 25: return leaf && above(t, a, b);
    case 26:
        at = nth >= 0 ? t->first[a] + nth : t->last[a] + 1 + nth;
        return numbered && leaf && (a == b || above(t, a, b)) && t->first[b] == at;
    case 27: return between(t, a, b, path);
    case 28: return between(t, b, a, path);
    case 29: return chain(t, a, b, path);
    case 30: return true;
    case 31: return child(t, a, 0) == b;
    case 32: return child(t, a, -1) == b;
    case 33: return child(t, b, 0) == a;
    default: return child(t, b, -1) == a;
    }
}

static bool fits(const void *nodes, const Condition *c, int node)
{
    char label = ((const Plain *)nodes)->label[node];
    return !c->letter[0] || (label == c->letter[0] || label == c->letter[1]) != c->not_letter;
}

/* ---- patterns */

static void describe(Condition *c)
{
    c->number = (1 + draw(3)) * (draw(2) ? 1 : -1);
    c->path = draw_of("ABCD");
    if (draw(4)) c->letter[0] = draw_of("ABCD");
    if (c->letter[0] && draw(3) == 0) c->letter[1] = draw_of("ABCD");
    c->not_letter = c->letter[0] && draw(6) == 0;
}

static void print_relation(const Condition *c, StrBuf *out)
{
    int takes = RELATIONS[c->relation].number;
    strbuf_puts(out, RELATIONS[c->relation].text);
    if (takes == 1) strbuf_printf(out, "%d", c->number);
    if (takes == 2) strbuf_printf(out, "(%c)", c->path);
}

static void print_label(const Condition *c, StrBuf *out)
{
    if (c->not_letter) strbuf_putc(out, '!');
    if (!c->letter[0]) strbuf_puts(out, "__");
    else strbuf_printf(out, c->letter[1] ? "%c|%c" : "%c", c->letter[0], c->letter[1]);
}

/* ---- both */

typedef struct Found {
    TregexSearch search;
    const Tregex *pattern;
    Ways *ways;
} Found;

static const char *name(const void *pattern, int k) { return tregex_name(pattern, k); }

static bool take(TregexSearch *search, const TregexMatch *match)
{
    Found *found = (Found *)search;
    add_match(found->ways, match->node, match->named, tregex_names(found->pattern), name, found->pattern);
    return true;
}

static void check_case(Ways *want, Ways *got)
{
    Plain tree = { 0 };
    Pattern pattern = { 0 };
    NodeTree nodes = { 0 };
    MADE(StrMap, map_init, map_fini, labels);
    StrBuf text = { 0 };
    int leaf = 0;
    size_t at = 0;
    bool found;
    grow(&tree, -1, 0, &leaf);
    const Language l = { sizeof RELATIONS / sizeof *RELATIONS,
                         describe,
                         print_relation,
                         print_label,
                         " & ",
                         "",
                         related,
                         fits,
                         tree.n,
                         &tree };
    make_node(&l, &pattern, 0, false, FROM_HERE);
    print_tree(&tree, 0, &text);
    assert_ok(
        node_tree_read(&nodes, &labels, text_block((StrView){ text.ptr, text.len }, "t"), &at, &found, test_error()));
    assert_int_equal(nodes.n, tree.n);
    for (int node = 0; node < tree.n; node++) {
        Way empty = empty_way(node);
        evaluate(&l, &pattern, 0, node, &empty, want);
    }
    strbuf_clear(&text);
    print_node(&l, &pattern, 0, &text);
    Tregex *tregex = tregex_compile((StrView){ text.ptr, text.len }, HEADS_COLLINS, test_error());
    if (!tregex) fail_msg("%s: %s", text.ptr, test_error()->message);
    Found search = { { take, 0 }, tregex, got };
    assert_ok(tregex_search(tregex, &nodes, &labels, &search.search, test_error()));
    if (!same_ways(want, got)) {
        strbuf_puts(&text, " on");
        print_tree(&tree, 0, &text);
        fail_msg("%s: found %d ways to match, expected %d", text.ptr, got->n, want->n);
    }
    tregex_free(tregex);
    node_tree_fini(&nodes);
    strbuf_fini(&text);
}

TEST(random_patterns_match_as_their_relations_are_defined)
{
    assert_true(check_patterns(check_case) > PATTERN_CASES / 3);
}
