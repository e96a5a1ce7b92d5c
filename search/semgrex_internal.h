/* A pattern of Semgrex as read: part of search/semgrex.c and search/semgrex_read.c. */
#pragma once

#include "search/scan.h"
#include "search/semgrex.h"

typedef enum DepRelation {
    DEP_ANYWHERE, /* where the pattern begins, and after ':' */
    DEP_SAME,
    DEP_NEVER, /* @, which asks for another graph */
    DEP_DEPENDENT,
    DEP_GOVERNOR,
    DEP_BELOW,
    DEP_ABOVE,  /* over one edge or several */
    DEP_BESIDE, /* either way */
    DEP_DEPENDENT_RIGHT,
    DEP_DEPENDENT_LEFT,
    DEP_GOVERNOR_RIGHT,
    DEP_GOVERNOR_LEFT,
    DEP_NEXT,
    DEP_PREVIOUS,
    DEP_LATER,
    DEP_EARLIER,
    DEP_SISTER_NEXT,
    DEP_SISTER_PREVIOUS,
    DEP_SISTER_LATER,
    DEP_SISTER_EARLIER,
} DepRelation;

/* What a text is to be: any, when neither `text` nor `regex` is set. */
typedef struct TextTest {
    const char *text;
    Regex *regex;
} TextTest;

typedef enum Attribute {
    ATTRIBUTE_UNKNOWN, /* a key that nothing has */
    ATTRIBUTE_WORD,
    ATTRIBUTE_LEMMA,
    ATTRIBUTE_UPOS,
    ATTRIBUTE_TAG,
    ATTRIBUTE_NUMBER,
    ATTRIBUTE_FEATS,
    ATTRIBUTE_BEFORE,
    ATTRIBUTE_AFTER,
    ATTRIBUTE_IN_RANGE,
    ATTRIBUTE_FIRST_IN_RANGE,
    ATTRIBUTE_RANGE,
    ATTRIBUTE_RANGE_MISC,
    ATTRIBUTE_SENTENCE,
} Attribute;

typedef struct AttributeTest {
    Attribute attribute;
    bool negated;
    TextTest value;
    bool of_feature; /* matches `value` against features whose key matches `feature` */
    TextTest feature;
} AttributeTest;

typedef struct NodeTest {
    AttributeTest *all; /* [n] */
    int n;
    bool negated, root, never;
} NodeTest;

typedef struct DepTerm {
    Condition is;
    DepRelation relation;
    bool typed; /* edges are to have this relation: */
    TextTest type;
    int least, most; /* edges of DEP_BELOW and DEP_ABOVE; most 0: any number */
    NodeTest *test;
    int name, same;               /* that the node gets; that it has; -1: none */
    int relation_name, edge_name; /* -1: none */
} DepTerm;

struct Semgrex {
    Arena arena;
    Condition *root;
    StrMap names, relations, edges;
    Regex **regex; /* [n_regexes] */
    int n_regexes, cap_regexes;
    bool caseless, unique;
    bool unique_by[SCAN_MOST_NAMES];
};

/* [2 * n] The words in the order in which CoreNLP tries them at the beginning, then that after ':', for the caller to
 * free; NULL: out of memory. */
int *semgrex_order(const DepNodes *graph);
