/* eval/dep_score.h
 * Dependencies against gold over the same words: attachment (UAS), attachment with label (LAS), label accuracy,
 * complete sentences, roots, each with and without punctuation. Sums are whole numbers; what nothing was counted for is
 * 0 %. */
#ifndef LAL_EVAL_DEP_SCORE_H
#define LAL_EVAL_DEP_SCORE_H

#include "treebank/tree.h"

/* Which words are punctuation, by their gold tag:
 *   auto      ptb or ctb: the tag sets share no other name
 *   ptb       `` '' : , .                     (as for the Penn Treebank; brackets, #, $ and SYM are words)
 *   ctb       PU                              (Penn Chinese Treebank)
 *   ud        the gold relation is punct      (Universal Dependencies: what has the tag PUNCT)
 *   lal-2020  as Mrini et al. 2020 counted: any tag that is a part of the string .``'':, and the empty tag, or PU
 *   none      no word */
typedef enum PunctSet { PUNCT_AUTO, PUNCT_PTB, PUNCT_CTB, PUNCT_UD, PUNCT_LAL_2020, PUNCT_NONE } PunctSet;
#define PUNCT_CHOICES "auto|ptb|ctb|ud|lal-2020|none" /* for an option, in this order */

/* Is word w of a gold sentence punctuation? Without tags: by ud only. */
bool punct_set_has(PunctSet set, const Sentence *gold, int w);

typedef struct DepCounts {
    long words, heads, types, both;           /* words; right head, right type, both right */
    long sentences, complete_heads, complete; /* sentences with a word; all heads right; all heads and types right */
} DepCounts;

typedef struct DepScores {
    DepCounts all, nopunct;
    long roots_gold, roots_pred, roots_right; /* words whose head is 0 */
} DepScores;

/* Adds a sentence; both have heads and the same number of words. A missing type is wrong. */
void dep_score_add(DepScores *s, const Sentence *gold, const Sentence *pred, PunctSet set);

#endif
