/* A pattern of Tregex as read: part of search/tregex.c and search/tregex_read.c. */
#pragma once

#include "search/scan.h"
#include "search/tregex.h"

/* Which nodes are candidates, seen from a node: search/tregex.c. */
typedef enum Relation {
    REL_NODE, /* the node itself: where the pattern begins, and == */
    REL_CHILD,
    REL_PARENT,
    REL_BELOW,
    REL_ABOVE,
    REL_NTH_CHILD,
    REL_NTH_OF,
    REL_ONLY_CHILD,
    REL_ONLY_CHILD_OF,
    REL_FIRST_BELOW,
    REL_FIRST_OF, /* first of its first children's first children ... */
    REL_LAST_BELOW,
    REL_LAST_OF,
    REL_CHAIN_BELOW,
    REL_CHAIN_ABOVE, /* by only children */
    REL_SISTER,
    REL_NEXT,
    REL_PREVIOUS,
    REL_AFTER_SISTER,
    REL_BEFORE_SISTER,
    REL_FOLLOWED,
    REL_PRECEDED, /* immediately */
    REL_BEFORE,
    REL_AFTER,
    REL_HEAD_CHILD,
    REL_HEAD_OF,
    REL_HEAD_BELOW,
    REL_HEAD_ABOVE,
    REL_NODE_OR_CHILD,
    REL_LEAF,
    REL_NTH_LEAF,
    REL_PATH_BELOW,
    REL_PATH_ABOVE, /* all nodes between match Term.path */
    REL_PATH_AFTER,
    REL_PATH_BEFORE,
    REL_ANYWHERE, /* after ':' */
} Relation;

typedef enum TestKind { TEST_ANY, TEST_ROOT, TEST_LIST, TEST_PREFIX, TEST_REGEX } TestKind;

typedef struct LabelTest {
    TestKind kind;
    bool negated;
    bool basic;    /* of labels without what follows a hyphen and the like */
    bool caseless; /* TEST_LIST */
    StrView *text; /* [n] TEST_LIST, TEST_PREFIX */
    int n;
    Regex *regex;
    char *known; /* [n_known] of labels: 0: not known yet, 1: no, 2: yes */
    int n_known;
    struct LabelTest *next;
} LabelTest;

typedef struct Term {
    Condition is;
    Relation relation;
    int number;             /* of a child or a leaf, from 0, or from -1 backwards */
    LabelTest *path, *test; /* NULL: none */
    int same, like;         /* the node, or a node with the label, of this name; -1: any */
    bool like_basic;
    int name;     /* that the node gets; -1: none */
    int *capture; /* [2 * n_captures] group, variable */
    int n_captures;
} Term;

struct Tregex {
    Arena arena;
    Condition *root; /* a node, or several */
    StrMap names, variables;
    bool known[SCAN_MOST_NAMES]; /* may a name be referred to where the reader is? */
    LabelTest *tests;
    HeadFinder heads;
    int *named, *stack; /* of a search: Search in tregex.c */
    StrView *variable;
    int cap_stack;
};
