/* Universal Dependencies v2 from the basic Stanford dependencies 3.3.0, the Penn Treebank tags and, where there is one,
 * the constituency tree of an English sentence: heads, relations, UPOS and features as in the current UD treebanks of
 * English (GUM, EWT). docs/UD.md has the rules, what they cannot know, and their scores.
 *
 * https://universaldependencies.org/guidelines.html; de Marneffe and Manning (2008, revised 2013), Stanford typed
 * dependencies manual. */
#pragma once

#include "language/language.h"

/* Are these the types of a model of Stanford dependencies? */
bool ud_knows_scheme(const char *const *types, int n);
/* Has the sentence no type that only UD has, and no unknown one? */
bool ud_is_stanford(const Sentence *sent);

/* UdRules.convert. The heads must form a tree with one root; unknown relations count as dep, unknown tags as those
 * of foreign words. No relation is one that UD English does not have. Arrays and strings that are not constants are in
 * the arena. false when out of memory. */
bool ud_convert(const Sentence *sent, bool words, Arena *arena, UdSentence *out);
