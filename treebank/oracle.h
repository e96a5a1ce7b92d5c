/* treebank/oracle.h
 * The tree a joint span parser is trained on (Mrini et al. 2020, section 3; Zhou and Zhao 2019, simplified HPSG): unary
 * chains are joined to one label, and a child that governs a sibling inside a flat phrase gets an extra phrase <H>
 * around the two, so that everything attached as a dependent is a labelled phrase or a single word.
 *
 * Grouping is total. Among the children of a phrase the dependencies form a forest; every child but the phrase's own
 * head that has dependents there makes a group with its whole subtree, groups inside groups, bottom-up. A group that
 * is not contiguous stays flat and is counted. On input with one level of grouping this is what the paper's code does.
 */
#ifndef LAL_TREEBANK_ORACLE_H
#define LAL_TREEBANK_ORACLE_H

#include "treebank/tree.h"

#define LABEL_EMPTY ""    /* label number 0: not a phrase */
#define LABEL_GROUP "<H>" /* label number 1 */
#define LABEL_ROOT "FRAG" /* given to a sentence whose tree has no phrase over all its words */

typedef struct OracleTree {
    int n_words;
    int n;           /* nodes */
    Phrase *nodes;   /* [n] pre-order, spans distinct, nodes[0] = (0, n_words); labels joined */
    int flat;        /* groups left flat since they were not contiguous */
    int extra_heads; /* children beyond the first with a head outside their phrase */
} OracleTree;

/* Converts a sentence with a tree; without heads no <H> is made. Everything lies in the arena. NULL: memory is out. */
OracleTree *oracle_convert(const Sentence *s, Arena *arena);

/* The reverse: nodes in pre-order with joined labels -> phrases; nodes with an empty label or <H> are spliced away.
 * Fills s->phrases, s->n_phrases, s->has_tree. false: memory is out. */
bool oracle_undo(const Phrase *nodes, int n, Sentence *s, Arena *arena);

#endif
