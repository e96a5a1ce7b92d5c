/* eval/score.h
 * Scores of trees, dependencies and tags against gold ones, summed over sentences. Brackets are matched as by EVALB
 * with nk.prm (eval/brackets.h); every bracket of a unary chain counts. */
#pragma once

#include "eval/dep_score.h"

typedef struct Scores {
    long sentences, words;
    long unscored;      /* sentences for which score_add failed; counted by the caller */
    long missing_trees; /* sentences with a gold tree only; not counted in `trees` */
    long trees;         /* sentences with both trees, over which the following are summed */
    long gold_brackets, pred_brackets, matched_brackets, complete;
    DepScores dep;
    long tags, tags_right;
} Scores;

/* Adds one sentence. ERR_RANGE, with nothing added, if the words differ (the message names the first); ERR_NOMEM. */
Status score_add(Scores *s, const Sentence *gold, const Sentence *pred, PunctSet punct, Error *e);

/* Percent; 0 if whole is 0. */
double score_percent(long part, long whole);
double score_precision(const Scores *s);
double score_recall(const Scores *s);
double score_f1(const Scores *s);

/* Appends members of a JSON object: "sentences": N, "words", "unscored", "missing_trees", "precision", "recall", "f1",
 * "complete", "uas", "las", "uas_nopunct", "las_nopunct", "tag_accuracy", "label_accuracy", "label_accuracy_nopunct",
 * "complete_heads", "complete_arcs", the last two with "_nopunct", and "root_accuracy", in percent, null if nothing was
 * counted. */
void score_members(const Scores *s, StrBuf *out);
/* Appends the same as a few lines of text. */
void score_text(const Scores *s, StrBuf *out);
