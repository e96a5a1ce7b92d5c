/* Multiword tokens: contractions, which the Penn Treebank splits, and which UD English writes as one token of several
 * words (1-2 don't). */
#pragma once

#include "treebank/tree.h"

/* Finds the multiword tokens of a sentence. glued [n_words] is true if no white space is between a word and the next
 * one. *ranges are in the arena, *n of them, with the joined words as forms; NULL if there is none. false when out of
 * memory. */
bool ud_tokens(const Sentence *sent, const bool *glued, Arena *arena, const WordRange **ranges, int *n);
