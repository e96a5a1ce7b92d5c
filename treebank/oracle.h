/* The trees for training a joint span parser (Mrini et al. 2020, section 3; Zhou and Zhao 2019, simplified HPSG). Unary
 * chains are joined to one label. If a child governs a sibling inside a flat phrase, an extra phrase <H> is put around
 * the two, so that every dependent is a labelled phrase or a single word.
 *
 * Groups may be nested. The dependencies among the children of a phrase form a forest; every child that has dependents
 * there, except the head of the phrase, forms a group with its whole subtree, bottom-up. A group that is not contiguous
 * is left flat and counted. With one level of groups the paper's code gives the same result. */
#pragma once

#include "treebank/tree.h"

#define LABEL_EMPTY ""    /* label number 0: no phrase */
#define LABEL_GROUP "<H>" /* label number 1 */
#define LABEL_ROOT "FRAG" /* label of the top phrase of a tree without a phrase over all its words */

typedef struct OracleTree {
    int n_words;
    int n;           /* nodes */
    Phrase *nodes;   /* [n] pre-order, distinct spans, nodes[0] = (0, n_words); joined labels */
    int flat;        /* groups left flat, because they are not contiguous */
    int extra_heads; /* over all phrases: children, after the first, whose heads are outside the phrase */
} OracleTree;

/* Converts a sentence that has a tree; without heads there are no groups. The result is in the arena. NULL when out of
 * memory. */
OracleTree *oracle_convert(const Sentence *sent, Arena *arena);

/* The inverse: sets s->phrases, s->n_phrases and s->has_tree from n nodes in pre-order. Joined labels are split; nodes
 * with an empty label or <H> are left out. The phrases are in the arena. false when out of memory. */
bool oracle_undo(const Phrase *nodes, int n, Sentence *sent, Arena *arena);
