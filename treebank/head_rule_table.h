/* A table of head rules in memory, shared by head_rules_read.c and head_rules.c. The
 * grammar is described in models/headrules/README.md. */
#pragma once

#include "base/map.h"
#include "treebank/head_rules.h"

typedef struct Names { /* alternatives: whole names by their numbers in HeadRules.names, "NN*" in prefixes */
    int *whole;
    int n_whole, whole_cap;
    const char **prefixes;
    int n_prefixes, prefix_cap;
    bool any, negated;
    unsigned char *has; /* a bit for each of HeadRules.names: is it, after negation, one of these? */
    struct Names *next; /* list of all Names of a table, for head_rules_free */
} Names;

typedef struct Pattern {
    Names *label, *word, *tag; /* NULL: no condition; word and tag belong to the head word */
    struct Pattern *chain;     /* must match the node or a node below it on the path from head child to head child */
    struct Pattern *child;     /* first condition on children */
    struct Pattern *next;      /* next condition on children of the same phrase */
    bool absent;               /* as a condition: no child may match */
    bool fixed;                /* depends on labels and children only, not on heads; so do its conditions */
    int memo;                  /* index of results in Tree.memo, if the pattern has conditions or a chain; else -1 */
    int chain_memo;            /* index in Tree.memo of results of the chain; -1: no chain */
} Pattern;

typedef enum Where {
    PRECEDES,
    FOLLOWS,
    NEXT,
    PREVIOUS,
    UNDER,
    ONTO_NEXT, /* from here on: names another head */
    ONTO_PREVIOUS,
    ONTO_LAST,
    WHERES
} Where;

typedef struct Qualifier {
    Where where;
    bool absent;
    Pattern *pattern;
    struct Qualifier *next;
    int steps; /* NEXT, PREVIOUS: to the sibling meant, from 1 */
    int list;  /* index of matching siblings in Tree.matches; -1: none stored */
} Qualifier;

typedef struct Rule {
    const char *type; /* NULL: a head rule */
    Pattern *parent, *head, *child;
    Qualifier *qualifiers;
    Pattern *separator; /* coordination rules: between conjuncts; `child` is the conjunction */
    bool last;          /* head rules: search from the last child */
    bool before, after; /* type rules: only on this side of the head */
} Rule;

struct HeadRules {
    Rule *heads, *coordinations, *types;
    int n_heads, head_cap, n_coordinations, coordination_cap, n_types, type_cap;
    int n_memos, n_lists; /* sizes of Tree.memo (rows) and Tree.matches */
    const char *root;
    StrMap names; /* the whole names in all lists, which have numbers here, so that matching compares no strings */
    StrMap set_names;
    Names **sets; /* [set_names.n] */
    int set_cap;
    Names *all;
    Arena arena;
};

/* Is a name, whose number in HeadRules.names is `number`, or -1 if it has none, one of n's? */
bool head_rules_names_have(const Names *n, int number, const char *name);
