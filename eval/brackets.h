/* Matches the brackets of a gold and a predicted tree over the same words, as EVALB does with nk.prm: words whose gold
 * tag is , : `` '' . ? ! or -NONE- are removed from both trees, TOP and S1 are not brackets, PRT equals ADVP,
 * duplicates match one to one. */
#pragma once

#include "treebank/tree.h"

typedef struct BracketPair {
    Phrase *gold, *pred;               /* [n_gold], [n_pred] over the remaining words; sorted by begin, end, label */
    bool *gold_matched, *pred_matched; /* [n_gold], [n_pred] */
    int n_gold, n_pred, matched;
    int n_words; /* remaining */
} BracketPair;

/* ERR_NOMEM; brackets_free must be called in any case. Labels are borrowed from the sentences. */
Status brackets_pair(BracketPair *pair, const Sentence *gold, const Sentence *pred, Error *error);
void brackets_free(BracketPair *pair);
