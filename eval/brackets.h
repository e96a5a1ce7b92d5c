/* eval/brackets.h
 * The brackets of a gold and a predicted tree over the same words, matched as EVALB does with nk.prm: words tagged , :
 * `` '' . ? ! -NONE- in gold are taken out of both, TOP and S1 are no brackets, PRT is ADVP, duplicates match one to
 * one. */
#ifndef LAL_EVAL_BRACKETS_H
#define LAL_EVAL_BRACKETS_H

#include "treebank/tree.h"

typedef struct Bracket {
    int begin, end; /* among the words that are left */
    const char *label;
    bool matched;
} Bracket;

typedef struct BracketPair {
    Bracket *gold, *pred; /* sorted by begin, end, label */
    int n_gold, n_pred, matched;
    int n_words; /* left */
} BracketPair;

/* ERR_NOMEM; brackets_free in any case. */
Status brackets_pair(BracketPair *b, const Sentence *gold, const Sentence *pred, Error *e);
void brackets_free(BracketPair *b);

#endif
