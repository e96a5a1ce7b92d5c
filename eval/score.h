/* eval/score.h
 * Scores of trees, dependencies and tags against gold. Brackets are counted as EVALB does with nk.prm: TOP is no
 * bracket, words tagged , : `` '' . ? ! in gold are taken out of both trees, ADVP and PRT are one label, every bracket
 * of a unary chain counts, duplicates match one to one, sums over all sentences. */
#ifndef LAL_EVAL_SCORE_H
#define LAL_EVAL_SCORE_H

#include "eval/dep_score.h"

typedef struct Scores {
    long sentences, words;
    long unscored;      /* sentences that score_add refused; the caller counts them */
    long missing_trees; /* gold has a tree, the prediction none: not among `trees` */
    long gold_brackets, pred_brackets, matched_brackets, trees, complete; /* over sentences with a gold tree */
    DepScores dep;
    long tags, tags_right;
} Scores;

/* Adds one sentence. ERR_RANGE, with nothing added, if the words are not those of gold (the message names the first);
 * ERR_NOMEM. */
Status score_add(Scores *s, const Sentence *gold, const Sentence *pred, PunctSet punct, Error *e);

/* Percent, 0 when nothing was counted. */
double score_percent(long part, long whole);
double score_precision(const Scores *s);
double score_recall(const Scores *s);
double score_f1(const Scores *s);

/* {"sentences": ..., "words", "unscored", "missing_trees", "precision", "recall", "f1", "complete", "uas", "las",
 * "uas_nopunct", "las_nopunct", "tag_accuracy", "label_accuracy", "label_accuracy_nopunct", "complete_heads",
 * "complete_arcs", the same two with "_nopunct", "root_accuracy"}; what has no gold is null. Percent. */
void score_json(const Scores *s, StrBuf *out);
/* The same as a few lines of text. */
void score_text(const Scores *s, StrBuf *out);

#endif
