/* Scores of trees, dependencies and tags against gold ones, summed over sentences. Brackets are matched as by EVALB
 * with nk.prm (eval/brackets.h); every bracket of a unary chain counts. */
#pragma once

#include "eval/align.h"
#include "eval/dep_score.h"

typedef struct Scores {
    long sentences, words;
    long unscored;      /* sentences for which score_add failed; counted by the caller */
    long missing_trees; /* sentences with a gold tree only; not counted in `trees` */
    long trees;         /* sentences with both trees, over which the following are summed */
    long gold_brackets, pred_brackets, matched_brackets, complete;
    DepScores dep;
    long tags, tags_right; /* words with a gold tag; with this tag, too */
    long tags_pred;        /* words with a predicted tag; 0: there is nothing to compare */
    AlignScores columns;   /* from ALIGN_UPOS on, of sentences that have columns 3, 4 and 6 of CoNLL-U on both sides */
} Scores;

/* Adds one sentence. ERR_RANGE, with nothing added, if the words differ (the message names the first); ERR_NOMEM. */
Status score_add(Scores *scores, const Sentence *gold, const Sentence *pred, PunctSet punct, Error *error);

/* F1 of a measure of columns, from ALIGN_UPOS on; *known (may be NULL): do both sides have them? */
double score_column(const Scores *scores, AlignMeasure measure, bool *known);
/* Percent; 0 if whole is 0. */
double score_percent(long part, long whole);
double score_f1(const Scores *scores);

/* Appends members of a JSON object: "sentences": N, "words", "unscored", "missing_trees", "precision", "recall", "f1",
 * "complete", "uas", "las", "uas_nopunct", "las_nopunct", "tag_accuracy", "label_accuracy", "label_accuracy_nopunct",
 * "complete_heads", "complete_arcs", the last two with "_nopunct", "root_accuracy", and F1 of the columns of CoNLL-U,
 * "upos", "xpos", "ufeats", "alltags", "lemmas", "clas", "mlas" and "blex", in percent, null if nothing was counted. */
void score_members(const Scores *scores, StrBuf *out);
/* Appends the figures of score_members as a few lines of text. */
void score_text(const Scores *scores, StrBuf *out);
