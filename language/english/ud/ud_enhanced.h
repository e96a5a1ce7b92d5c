/* The enhanced graph of a sentence of Universal Dependencies: conjuncts have the heads of the first one and its
 * subject, the subjects of open complements and the antecedents of relative clauses have their place there too, and
 * relations name prepositions and conjunctions ("obl:in"), as the graphs of EWT do. docs/UD.md has the rules and
 * their scores.
 *
 * https://universaldependencies.org/u/overview/enhanced-syntax.html; Schuster and Manning (2016), Enhanced English
 * Universal Dependencies. */
#pragma once

#include "treebank/tree.h"

/* Makes the graph of a sentence whose heads form a tree with one root. Besides words, heads and types, which must be
 * there, it reads upos, feats and lemmas, where a missing one, or "_", is not known. Every word is below the root, and
 * no word is its own head; there are no empty nodes. Time is linear in the number of words: what is shared between
 * long lists ends somewhere (GRAPH_ARCS_MOST). In the arena; NULL when out of memory. */
const DepGraph *ud_enhance(const Sentence *sentence, Arena *arena);

/* The largest number of arcs into one word. */
enum { GRAPH_ARCS_MOST = 32 };
