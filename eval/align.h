/* eval/align.h
 * Scores when the words differ: sentences and words of both sides are laid over the same characters, as in the CoNLL
 * 2018 shared task (Zeman et al. 2018). A word is right when it covers the same characters; inside tokens of several
 * words (ranges of CoNLL-U), which need not be spelled by them, when it is on the longest common subsequence of the
 * words, case aside. An arc is right when both its ends are right words. That subsequence is exact for what such tokens
 * of a text cover in one piece up to 256 words on each side, and beyond while no word form stands there more than 32
 * times; else it may be shorter than the longest (eval/subsequence.h). Time grows with n log n of the words. */
#ifndef LAL_EVAL_ALIGN_H
#define LAL_EVAL_ALIGN_H

#include "treebank/tree.h"

typedef struct AlignScores {
    long gold_words, pred_words, words;             /* words: in both */
    long gold_sentences, pred_sentences, sentences; /* the same characters */
    long tags, heads, both; /* of words in both: same tag; same head; same head and type up to ':' */
} AlignScores;

/* The files as wholes, blanks inside words aside. gold_path, pred_path are for messages. ERR_FORMAT with both places
 * where their characters differ, ERR_NOMEM. */
Status align_score(const Treebank *gold, const Treebank *pred, const char *gold_path, const char *pred_path,
                   AlignScores *out, Error *e);

/* 200 * part / (gold + pred), 0 when both are. */
double align_f1(long part, long gold, long pred);

#endif
