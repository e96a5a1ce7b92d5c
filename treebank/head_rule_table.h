/* treebank/head_rule_table.h: a table of head rules in memory, between the file that reads it and the one that applies
 * it; the notation is in docs/FORMATS.md */
#ifndef LAL_TREEBANK_HEAD_RULE_TABLE_H
#define LAL_TREEBANK_HEAD_RULE_TABLE_H

#include "base/map.h"
#include "treebank/head_rules.h"

typedef struct Names { /* alternatives: whole names in the map, "NN*" as prefixes */
    StrMap whole;
    const char **prefixes;
    int n_prefixes, prefix_cap;
    bool any, negated;
    struct Names *next; /* all of them, to be freed */
} Names;

typedef struct Pattern {
    Names *label, *word, *tag; /* NULL: no condition; word and tag are of the head word */
    struct Pattern *chain;     /* some phrase or word on the way down from head to head, this one included */
    struct Pattern *child;     /* first condition on children */
    struct Pattern *next;      /* next condition of the same phrase */
    bool absent;               /* as a condition: no such child */
    bool fixed;           /* asks for no head, neither here nor in its conditions: labels and children alone decide */
    int memo, chain_memo; /* where Tree keeps what is known of nodes: of the pattern if it has conditions or a chain, of
                             its chain; -1: it does not */
} Pattern;

typedef enum Where { PRECEDES, FOLLOWS, NEXT, PREVIOUS, UNDER, ONTO_NEXT, ONTO_PREVIOUS, WHERES } Where;

typedef struct Qualifier {
    Where where;
    bool absent;
    Pattern *pattern;
    struct Qualifier *next;
    int list; /* where Tree keeps the siblings that match; -1: it does not */
} Qualifier;

typedef struct Rule {
    const char *type; /* NULL: a head rule */
    Pattern *parent, *head, *child;
    Qualifier *qualifiers;
    Pattern *separator; /* coordination rules: of conjuncts; `child` is the conjunction */
    bool last;          /* head rules: looked for from the end */
    bool before, after; /* type rules: on this side of the head only */
} Rule;

struct HeadRules {
    Rule *heads, *coordinations, *types;
    int n_heads, head_cap, n_coordinations, coordination_cap, n_types, type_cap;
    int n_memos, n_lists; /* of patterns and qualifiers */
    const char *root;
    StrMap set_names;
    Names **sets; /* [set_names.n] */
    int set_cap;
    Names *all;
    Arena arena;
};

#endif
