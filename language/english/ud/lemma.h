/* Lemmas of English words as Universal Dependencies writes them ("went" VBD: go; "n't": not; "'ll": will). The rules
 * were learnt from gold lemmas (lemma_table.h, models/README.md); a word that they do not know follows
 * the longest known ending of its tag. Capitals and the shape of apostrophes make no difference: "Ca" n't and "ca"
 * n’t: can. Proper nouns, words such as "American" and unknown abbreviations have capitals. */
#pragma once

#include "treebank/tree.h"

/* The lemma of a word (without bracket escapes: "(", not "-LRB-") with this tag of the Penn Treebank (XPOS). In the
 * arena, or form itself. For another tag, or NULL, it is the form. NULL when out of memory. */
const char *lemma_find(const char *form, const char *tag, Arena *arena);

/* Are most of these tags in the Penn Treebank, for whose tags rules were learnt? Yes if there are none. */
bool lemma_knows_tags(const char *const *tags, int n);

/* The lemmas of all words [n_words], in the arena; NULL when out of memory. The sentence has tags. If it has arcs,
 * of Universal or Stanford dependencies, "'s" is "have" where it is the auxiliary of a participle ("he's gone");
 * else "be". */
const char **lemma_sentence(const Sentence *sent, Arena *arena);
