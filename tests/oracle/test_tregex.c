/* Does Tregex find what its relations mean? Random patterns over random trees, against an evaluation of definitions: a
 * relation is a predicate over two nodes, and the ways to match are counted by trying all nodes for each. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/rng.h"
#include "search/tregex.h"
#include "tests/support/check.h"

enum { MOST_NODES = 14, MOST_NAMES = 12, MOST_TERMS = 24, MOST_WAYS = 4000, CASES = 20000 };

static uint64_t drawn, seed;
static int draw(int n) { return (int)(rng_uniform(seed, drawn++) * n); }

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
    t->label[node] = "ABCD"[draw(4)];
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

static bool related(const Plain *t, int relation, int number, char path, int a, int b)
{
    bool leaf = !n_children(t, b), numbered = RELATIONS[relation].number == 1;
    int nth = number > 0 ? number - 1 : number, at;
    switch (relation) {
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

/* ---- patterns */

typedef enum Kind { NODE, ALL, ANY } Kind;
typedef struct Condition {
    Kind kind;
    bool negated, optional; /* optional: of ALL and ANY alone, whose ways all count */
    int kid[3], n;
    int relation, number;
    char path;
    char label[2]; /* 0: any label; of one or two */
    bool not_label;
    int name, same; /* -1: none */
    int below;
} Condition;

typedef struct Pattern {
    Condition c[MOST_TERMS];
    int n, names;
} Pattern;

static int make_conditions(Pattern *p, int depth, bool negated);

static int make_node(Pattern *p, int depth, bool negated, bool root)
{
    int k = p->n++;
    Condition *c = &p->c[k];
    *c = (Condition){
        .relation = root ? -1 : draw(sizeof RELATIONS / sizeof *RELATIONS), .name = -1, .same = -1, .below = -1
    };
    c->number = 1 + draw(3);
    if (draw(2)) c->number = -c->number;
    c->path = "ABCD"[draw(4)];
    if (!root && p->names && draw(8) == 0) c->same = draw(p->names);
    else {
        if (draw(4)) c->label[0] = "ABCD"[draw(4)];
        if (c->label[0] && draw(3) == 0) c->label[1] = "ABCD"[draw(4)];
        c->not_label = c->label[0] && draw(6) == 0;
        if (!negated && p->names < MOST_NAMES && draw(3) == 0) c->name = p->names++;
    }
    if (depth < 3 && p->n < MOST_TERMS - 8 && draw(3) != 0) {
        int below = make_conditions(p, depth + 1, negated);
        p->c[k].below = below;
    }
    return k;
}

/* One condition or several. A group that may not hold has two members, as brackets around one are nothing. */
static int make_conditions(Pattern *p, int depth, bool negated)
{
    int kind = depth > 2 || p->n > MOST_TERMS - 8 ? 0 : draw(6), k;
    if (kind < 3) {
        bool not = kind == 0 && draw(3) == 0;
        k = make_node(p, depth, negated || not, false);
        p->c[k].negated = not ;
        return k;
    }
    k = p->n++;
    p->c[k] = (Condition){ .kind = kind == 5 ? ANY : ALL, .name = -1, .same = -1, .below = -1 };
    p->c[k].negated = draw(6) == 0;
    p->c[k].optional = !p->c[k].negated && draw(6) == 0;
    for (int m = 0; m < 2; m++) {
        /* names of one alternative are not known in the next: none are given there */
        int kid = make_conditions(p, depth + 1, negated || p->c[k].negated || p->c[k].kind == ANY || p->c[k].optional);
        p->c[k].kid[p->c[k].n++] = kid;
    }
    return k;
}

static void print_conditions(const Pattern *p, int k, StrBuf *out);

static void print_node(const Pattern *p, int k, StrBuf *out)
{
    const Condition *c = &p->c[k];
    if (c->below >= 0) strbuf_putc(out, '(');
    if (c->same >= 0) strbuf_printf(out, "=n%d", c->same);
    else {
        if (c->not_label) strbuf_putc(out, '!');
        if (!c->label[0]) strbuf_puts(out, "__");
        else strbuf_printf(out, c->label[1] ? "%c|%c" : "%c", c->label[0], c->label[1]);
        if (c->name >= 0) strbuf_printf(out, "=n%d", c->name);
    }
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
        int takes = RELATIONS[c->relation].number;
        strbuf_puts(out, RELATIONS[c->relation].text);
        if (takes == 1) strbuf_printf(out, "%d", c->number);
        if (takes == 2) strbuf_printf(out, "(%c)", c->path);
        strbuf_putc(out, ' ');
        print_node(p, k, out);
        return;
    }
    strbuf_putc(out, '[');
    for (int m = 0; m < c->n; m++) {
        strbuf_puts(out, m == 0 ? "" : c->kind == ANY ? " | " : " & ");
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

static void evaluate(const Pattern *p, const Plain *t, int k, int from, const Way *given, Ways *to);

static void evaluate_plain(const Pattern *p, const Plain *t, int k, int from, const Way *given, Ways *to)
{
    const Condition *c = &p->c[k];
    for (int b = 0; c->kind == NODE && b < t->n; b++) {
        Way here = *given;
        bool good = c->relation < 0 ? b == from : related(t, c->relation, c->number, c->path, from, b);
        bool fits = !c->label[0] || t->label[b] == c->label[0] || t->label[b] == c->label[1];
        good = good && (c->same >= 0 ? given->named[c->same] == b : fits != c->not_label);
        if (!good) continue;
        if (c->name >= 0) here.named[c->name] = b;
        if (c->below >= 0) evaluate(p, t, c->below, b, &here, to);
        else add(to, &here);
    }
    for (int m = 0; c->kind == ANY && m < c->n; m++) evaluate(p, t, c->kid[m], from, given, to);
    if (c->kind == ALL) {
        Ways *first = empty_ways();
        evaluate(p, t, c->kid[0], from, given, first);
        for (int w = 0; w < first->n; w++) evaluate(p, t, c->kid[1], from, &first->way[w], to);
        to->full |= first->full;
        free(first);
    }
}

static void evaluate(const Pattern *p, const Plain *t, int k, int from, const Way *given, Ways *to)
{
    const Condition *c = &p->c[k];
    if (!c->negated && !c->optional) {
        evaluate_plain(p, t, k, from, given, to);
        return;
    }
    Ways *ways = empty_ways();
    evaluate_plain(p, t, k, from, given, ways);
    for (int w = 0; c->optional && w < ways->n; w++) add(to, &ways->way[w]);
    if (!ways->n) add(to, given);
    to->full |= ways->full;
    free(ways);
}

/* ---- both */

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(Way)); }

typedef struct Found {
    TregexSearch search;
    const Tregex *pattern;
    Ways *ways;
} Found;

static bool take(TregexSearch *search, const TregexMatch *match)
{
    Found *found = (Found *)search;
    Way way;
    memset(&way, 0xff, sizeof way);
    way.node = match->node;
    for (int k = 0; k < tregex_names(found->pattern); k++)
        way.named[atoi(tregex_name(found->pattern, k) + 1)] = match->named[k];
    add(found->ways, &way);
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
    make_node(&pattern, 0, false, true);
    print_tree(&tree, 0, &text);
    assert_ok(
        node_tree_read(&nodes, &labels, text_block((StrView){ text.ptr, text.len }, "t"), &at, &found, test_error()));
    assert_int_equal(nodes.n, tree.n);
    want->n = got->n = 0;
    want->full = got->full = false;
    for (int node = 0; node < tree.n; node++) {
        Way empty;
        memset(&empty, 0xff, sizeof empty);
        empty.node = node;
        evaluate(&pattern, &tree, 0, node, &empty, want);
    }
    strbuf_clear(&text);
    print_node(&pattern, 0, &text);
    Tregex *tregex = tregex_compile((StrView){ text.ptr, text.len }, HEADS_COLLINS, test_error());
    if (!tregex) fail_msg("%s: %s", text.ptr, test_error()->message);
    Found search = { { take, 0 }, tregex, got };
    assert_ok(tregex_search(tregex, &nodes, &labels, &search.search, test_error()));
    qsort(want->way, (size_t)want->n, sizeof(Way), compare);
    qsort(got->way, (size_t)got->n, sizeof(Way), compare);
    if (!want->full && (want->n != got->n || memcmp(want->way, got->way, (size_t)want->n * sizeof(Way)) != 0)) {
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
    Ways *want = calloc(2, sizeof *want);
    long matched = 0;
    for (int k = 0; k < CASES; k++) {
        seed = rng_mix((uint64_t)k);
        drawn = 0;
        check_case(&want[0], &want[1]);
        matched += want->n > 0;
    }
    assert_true(matched > CASES / 3);
    free(want);
}
