/* Scores of dependencies against gold ones over the same words: counts for attachment (UAS), attachment with type
 * (LAS), type accuracy and complete sentences, with and without punctuation, and for roots. */
#pragma once

#include "treebank/tree.h"

/* Which words are punctuation, by their gold tag:
 *   auto      ptb or ctb: the tag sets share no other name; ud in a file of Universal Dependencies (punct_set_of)
 *   ptb       `` '' : , .                     (usual for the Penn Treebank; brackets, #, $ and SYM are words)
 *   ctb       PU                              (Penn Chinese Treebank)
 *   ud        PUNCT in column 4, or as tag where that is not known, or the gold type punct  (Universal Dependencies)
 *   lal-2020  as counted by Mrini et al. 2020: PU, and any tag, even the empty one, that is a substring of .``'':,
 *   none      no word */
typedef enum PunctSet { PUNCT_AUTO, PUNCT_PTB, PUNCT_CTB, PUNCT_UD, PUNCT_LAL_2020, PUNCT_NONE } PunctSet;
#define PUNCT_CHOICES "auto|ptb|ctb|ud|lal-2020|none" /* choices of an option, in the order of PunctSet */

/* The set that PUNCT_AUTO means in these gold sentences: PUNCT_UD where at least 19 of 20 words have a relation or, in
 * column 4, a part of speech of Universal Dependencies (of those that have any), unless column 4 is not known and a tag
 * is PU; else itself. Other sets are as they are. */
PunctSet punct_set_of(PunctSet set, const Treebank *gold);
/* Is word `word` of a gold sentence punctuation? Without tags only PUNCT_UD finds any. */
bool punct_set_has(PunctSet set, const Sentence *gold, int word);

typedef struct DepCounts {
    long words, heads, types, both;           /* words; those with the correct head, the correct type, both */
    long sentences, complete_heads, complete; /* sentences with words; all heads correct; all heads and types correct */
} DepCounts;

typedef struct DepScores {
    DepCounts all, nopunct;
    long roots_gold, roots_pred, roots_right; /* words whose head is 0: gold, predicted, both */
} DepScores;

/* Adds a sentence; both have heads and the same number of words. A missing type is counted as wrong. */
void dep_score_add(DepScores *scores, const Sentence *gold, const Sentence *pred, PunctSet set);
