/* Random patterns, and all ways to match them by definition: a relation is a number of ways from one node to another,
 * and all nodes are tried for each. What the oracles of Tregex and of Semgrex share; a Language says how nodes are
 * described and related. */
#pragma once

#include <stdlib.h>

#include "base/rng.h"
#include "tests/support/check.h"

enum { MOST_NAMES = 12, MOST_TERMS = 24, MOST_WAYS = 4000, PATTERN_CASES = 20000, FROM_HERE = -1, ANYWHERE = -2 };

static uint64_t drawn, seed;
static int draw(int n) { return (int)(rng_uniform(seed, drawn++) * n); }
static char draw_of(const char *letters) { return letters[draw((int)strlen(letters))]; }

typedef struct Condition {
    enum { NODE, ALL, ANY } kind;
    bool negated, optional; /* optional: of ALL and ANY alone, whose ways all count */
    int kid[2];             /* of ALL and ANY */
    int relation;           /* FROM_HERE: where the pattern begins; ANYWHERE */
    int number;
    char path, letter[2]; /* of the relation; of the node: 0: any */
    bool not_letter, root;
    int name, same; /* -1: none */
    int below;
} Condition;

typedef struct Pattern {
    Condition c[MOST_TERMS];
    int n, names;
} Pattern;

typedef struct Language {
    int n_relations;
    void (*describe)(Condition *c); /* letters, path and number of a node */
    void (*print_relation)(const Condition *c, StrBuf *out);
    void (*print_node)(const Condition *c, StrBuf *out); /* without its name */
    const char *all, *same;                              /* between conditions; before the name of a node that has it */
    int (*related)(const void *nodes, const Condition *c, int a, int b); /* in how many ways? */
    bool (*fits)(const void *nodes, const Condition *c, int node);
    int n_nodes;
    const void *nodes;
} Language;

/* ---- patterns */

static int make_conditions(const Language *l, Pattern *p, int depth, bool negated);

static int make_node(const Language *l, Pattern *p, int depth, bool negated, int relation)
{
    int k = p->n++;
    Condition *c = &p->c[k];
    *c = (Condition){ .relation = relation, .name = -1, .same = -1, .below = -1 };
    l->describe(c);
    if (relation != FROM_HERE && p->names && draw(7) == 0) c->same = draw(p->names);
    else if (!negated && p->names < MOST_NAMES && draw(3) == 0) c->name = p->names++;
    if (depth < 3 && p->n < MOST_TERMS - 8 && draw(3) != 0) {
        int below = make_conditions(l, p, depth + 1, negated);
        p->c[k].below = below;
    }
    return k;
}

/* One condition or several. A group that may not hold has two members, as brackets around one are nothing; no names are
 * given where they may be unset when they are asked for. */
static int make_conditions(const Language *l, Pattern *p, int depth, bool negated)
{
    int kind = depth > 2 || p->n > MOST_TERMS - 8 ? 0 : draw(6), k = p->n;
    bool not = draw(kind < 3 ? 9 : 6) == 0;
    if (kind < 3) make_node(l, p, depth, negated || not, draw(l->n_relations));
    else {
        Condition c = { .kind = kind == 5 ? ANY : ALL, .optional = !not &&draw(6) == 0, .same = -1 };
        p->n++;
        for (int m = 0; m < 2; m++)
            c.kid[m] = make_conditions(l, p, depth + 1, negated || not || c.kind == ANY || c.optional);
        p->c[k] = c;
    }
    p->c[k].negated = not ;
    return k;
}

static void print_conditions(const Language *l, const Pattern *p, int k, StrBuf *out);

static void print_node(const Language *l, const Pattern *p, int k, StrBuf *out)
{
    const Condition *c = &p->c[k];
    if (c->below >= 0) strbuf_putc(out, '(');
    if (c->same >= 0) strbuf_printf(out, "%s=n%d", l->same, c->same);
    else {
        l->print_node(c, out);
        if (c->name >= 0) strbuf_printf(out, "=n%d", c->name);
    }
    if (c->below >= 0) {
        strbuf_putc(out, ' ');
        print_conditions(l, p, c->below, out);
        strbuf_putc(out, ')');
    }
}

static void print_conditions(const Language *l, const Pattern *p, int k, StrBuf *out)
{
    const Condition *c = &p->c[k];
    strbuf_puts(out, c->negated ? "!" : c->optional ? "?" : "");
    if (c->kind == NODE) {
        l->print_relation(c, out);
        strbuf_putc(out, ' ');
        print_node(l, p, k, out);
        return;
    }
    strbuf_putc(out, '[');
    print_conditions(l, p, c->kid[0], out);
    strbuf_puts(out, c->kind == ANY ? " | " : l->all);
    print_conditions(l, p, c->kid[1], out);
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

static Way empty_way(int node)
{
    Way way;
    memset(&way, 0xff, sizeof way);
    way.node = node;
    return way;
}

static void add_way(Ways *to, const Way *x)
{
    if (to->n == MOST_WAYS) to->full = true;
    else to->way[to->n++] = *x;
}

static void evaluate(const Language *l, const Pattern *p, int k, int from, const Way *given, Ways *to);

/* For each way to match what comes before. */
static void evaluate_all(const Language *l, const Pattern *p, int k, int from, Ways *given, Ways *to)
{
    for (int w = 0; w < given->n; w++) evaluate(l, p, k, from, &given->way[w], to);
    to->full |= given->full;
    free(given);
}

static void evaluate_plain(const Language *l, const Pattern *p, int k, int from, const Way *given, Ways *to)
{
    const Condition *c = &p->c[k];
    for (int b = 0; c->kind == NODE && b < l->n_nodes; b++) {
        Way here = *given;
        int times = c->relation == FROM_HERE  ? b == from
                    : c->relation == ANYWHERE ? 1
                                              : l->related(l->nodes, c, from, b);
        if (c->same >= 0 ? given->named[c->same] != b : !l->fits(l->nodes, c, b)) continue;
        if (c->name >= 0) here.named[c->name] = b;
        for (int time = 0; time < times; time++)
            if (c->below >= 0) evaluate(l, p, c->below, b, &here, to);
            else add_way(to, &here);
    }
    for (int m = 0; c->kind == ANY && m < 2; m++) evaluate(l, p, c->kid[m], from, given, to);
    if (c->kind == ALL) {
        Ways *first = empty_ways();
        evaluate(l, p, c->kid[0], from, given, first);
        evaluate_all(l, p, c->kid[1], from, first, to);
    }
}

static void evaluate(const Language *l, const Pattern *p, int k, int from, const Way *given, Ways *to)
{
    const Condition *c = &p->c[k];
    if (!c->negated && !c->optional) {
        evaluate_plain(l, p, k, from, given, to);
        return;
    }
    Ways *ways = empty_ways();
    evaluate_plain(l, p, k, from, given, ways);
    for (int w = 0; c->optional && w < ways->n; w++) add_way(to, &ways->way[w]);
    if (!ways->n) add_way(to, given);
    to->full |= ways->full;
    free(ways);
}

/* ---- comparison */

/* A match with names n0, n1, ..., of which name(pattern, k) is one. */
static void add_match(Ways *to, int node, const int *named, int n, const char *(*name)(const void *pattern, int k),
                      const void *pattern)
{
    Way way = empty_way(node);
    for (int k = 0; k < n; k++) way.named[atoi(name(pattern, k) + 1)] = named[k];
    add_way(to, &way);
}

static int compare_ways(const void *a, const void *b) { return memcmp(a, b, sizeof(Way)); }

/* Are they the same, in any order, as far as `want` is known? */
static bool same_ways(Ways *want, Ways *got)
{
    qsort(want->way, (size_t)want->n, sizeof(Way), compare_ways);
    qsort(got->way, (size_t)got->n, sizeof(Way), compare_ways);
    return want->full || (want->n == got->n && memcmp(want->way, got->way, (size_t)want->n * sizeof(Way)) == 0);
}

/* Calls `check` for random cases. In how many was there a match? */
static int check_patterns(void (*check)(Ways *want, Ways *got))
{
    Ways *want = empty_ways(), *got = empty_ways();
    int matched = 0;
    for (int k = 0; k < PATTERN_CASES; k++) {
        seed = rng_mix((uint64_t)k);
        drawn = 0;
        want->n = got->n = 0;
        want->full = got->full = false;
        check(want, got);
        matched += want->n > 0;
    }
    free(want);
    free(got);
    return matched;
}
