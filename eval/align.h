/* eval/align.h
 * Scores of output whose sentences and words differ from the gold ones, as in the CoNLL 2018 shared task (Zeman et al.
 * 2018). Both sides must have the same characters apart from blanks. A word is correct if a gold word covers the same
 * characters. The words of a token that covers several words (a range of CoNLL-U) need not spell the token; they are
 * correct if they are on the longest common subsequence of the word forms, ignoring case. An arc is correct if both its
 * ends are correct words. The subsequence is exact for stretches of such tokens up to 256 words on each side, and for
 * longer ones in which no form occurs more than 32 times; else it may be shorter (eval/subsequence.h). Time is
 * O(n log n) in the number of words. */
#ifndef LAL_EVAL_ALIGN_H
#define LAL_EVAL_ALIGN_H

#include "treebank/tree.h"

typedef struct AlignScores {
    long gold_words, pred_words, words;             /* words: the correct ones */
    long gold_sentences, pred_sentences, sentences; /* sentences: those over the same characters in both */
    long tags, heads, both; /* correct words with the same tag; the same head; the same head and type up to ':' */
} AlignScores;

/* Scores pred against gold, each as a whole; blanks inside words are ignored. The paths are used in messages.
 * ERR_FORMAT, with both places, if the characters differ, ERR_NOMEM. */
Status align_score(const Treebank *gold, const Treebank *pred, const char *gold_path, const char *pred_path,
                   AlignScores *out, Error *e);

/* 200 * part / (gold + pred); 0 if both are 0. */
double align_f1(long part, long gold, long pred);

#endif
