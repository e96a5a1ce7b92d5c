/* Which node of a tree dominates, precedes or heads which? A tree as arrays over its nodes, which are numbered in
 * pre-order, so that most of these questions are comparisons of numbers. Words are nodes, too. */
#pragma once

#include "base/map.h"
#include "treebank/tree.h"

/* Nodes 0 .. n - 1; node 0 is the root. Arrays have n elements. */
typedef struct NodeTree {
    int n;
    int *label;      /* its number in the map of labels */
    int *parent;     /* -1: the root */
    int *end;        /* the node after its last descendant */
    int *place;      /* among its parent's children, from 0 */
    int *n_children; /* 0: a leaf */
    int *previous;   /* the sibling before it; -1: none */
    int *last_child; /* -1: none */
    int *leaf;       /* the number of leaves before it, from 0 */
    int *head_child; /* -2: not asked for yet (node_head) */
    int heads;       /* the HeadFinder of head_child */
    int cap;
} NodeTree;

void node_tree_fini(NodeTree *tree);

/* Reads the next tree of text from *at on: brackets with labels, which may be missing, and words; nothing is left out,
 * so that function tags, traces and empty labels are nodes as they stand. In words \/ and \* lose their backslash and
 * -LRB- and -RRB- are round brackets; in labels the first alone. Labels are added to `labels`. *found: is there a tree;
 * *at is advanced past it. ERR_FORMAT with line and column, counted from text; ERR_LIMIT beyond NODE_TREE_MOST nodes;
 * ERR_NOMEM. */
enum { NODE_TREE_MOST = 1 << 20 };
Status node_tree_read(NodeTree *tree, StrMap *labels, TextBlock text, size_t *at, bool *found, Error *error);

/* The tree of a sentence under the label top. ERR_NOMEM. */
Status node_tree_of(NodeTree *tree, StrMap *labels, const Sentence *sent, const char *top, Error *error);

static inline bool node_is_leaf(const NodeTree *tree, int node) { return tree->n_children[node] == 0; }
static inline bool node_dominates(const NodeTree *tree, int above, int node)
{
    return above < node && node < tree->end[above];
}
static inline int node_next(const NodeTree *tree, int node) /* the sibling after it; -1: none */
{
    int parent = tree->parent[node], next = tree->end[node];
    return parent >= 0 && next < tree->end[parent] ? next : -1;
}
/* Child k, from 0, or from -1 backwards; -1 if out of range. */
int node_child(const NodeTree *tree, int node, int k);

/* A label without its functions and indices: what stands before the first of "-=|#^~_[". A label that begins with one
 * of these, as -LRB- does, has it once more. */
StrView node_category(StrView label);
bool node_same_label(StrView a, StrView b, bool caseless); /* caseless: as to ASCII */

/* CoreNLP's head finders: search/node_heads.c. */
typedef enum HeadFinder { HEADS_COLLINS, HEADS_MOD_COLLINS, HEADS_SEMANTIC, HEADS_UNIVERSAL, HEADS_LEFT } HeadFinder;
/* By the name of the class in CoreNLP, with its package or without, or "collins", "mod-collins", "semantic",
 * "universal", "left"; false for another name. */
bool head_finder_find(const char *name, HeadFinder *finder);
/* The child that is the head of a node; -1: a leaf. Phrases without a rule have the head of an NP, if they are NML, or
 * else their last child that is no mark; under HEADS_COLLINS their last child. */
int node_head(NodeTree *tree, const StrMap *labels, HeadFinder finder, int node);
