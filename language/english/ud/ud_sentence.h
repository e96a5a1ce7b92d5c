/* A parsed sentence as CoNLL-U has it: Universal Dependencies, UPOS, features, lemmas and multiword tokens and the
 * enhanced graph in place of what the sentence had. `lal parse`, `lal convert` and include/lalparser.h make the same
 * of it. */
#pragma once

#include "treebank/tree.h"

/* Sets heads, types, upos, feats, corrected, lemmas, graph and ranges, in the arena; members that ud_convert or
 * lemma_sentence cannot make, because the sentence has no heads or no tags, are NULL. The sentence is as ud_convert
 * (ud.h) wants it. glued [n_words]: no white space between the word and the next one; NULL: unknown, and the ranges
 * stay as they are. The first piece of a word written apart has the lemma of the whole word, the others have
 * NULL. false when out of memory. */
bool ud_sentence(Sentence *sent, const bool *glued, Arena *arena);
