/* Scores of output whose sentences and words differ from the gold ones: the measures of the CoNLL 2018 shared task
 * (Zeman et al. 2018; https://universaldependencies.org/conll18/evaluation.html) and, for enhanced graphs, EULAS and
 * ELAS of the IWPT 2020 shared task (Bouma et al. 2020). docs/EVALUATION.md defines each.
 *
 * Both sides must have the same characters apart from blanks. A token is correct if a gold token covers the same
 * characters. Words of a token that covers several (a multiword row of CoNLL-U) need not spell the token: in the
 * smallest stretch of text that contains all such tokens of both sides which overlap, words are matched along the
 * longest common subsequence of their forms, ignoring case. Other words are matched if they cover the same
 * characters. As in the task's program, where a token just before such a stretch covers several tokens of the other
 * side, all of these but the first are in the stretch, too. The subsequence is exact for stretches up to 256 words
 * on each side, and for longer ones in which no form occurs more than 32 times; else it may be shorter
 * (eval/subsequence.h). Time is O(n log n) in the number of words.
 *
 * Beyond the shared task: if only one side has multiword rows, those whose words spell them count as separate
 * tokens, as on the other side ("don't": "do", "n't"). */
#pragma once

#include "treebank/tree.h"

typedef enum AlignMeasure {
    ALIGN_TOKENS,
    ALIGN_SENTENCES, /* over the same characters */
    ALIGN_WORDS,     /* matched words */
    ALIGN_UPOS,      /* matched words with the same universal tag; */
    ALIGN_XPOS,      /* ... the same tag; */
    ALIGN_UFEATS,    /* ... the same universal features; */
    ALIGN_ALLTAGS,   /* ... the same universal tag, tag and features; */
    ALIGN_LEMMAS,    /* ... the same lemma, or with a gold lemma "_"; */
    ALIGN_UAS,       /* ... with heads that are matched with each other; */
    ALIGN_LAS,       /* ... and relations that are the same up to ':' */
    ALIGN_CLAS,      /* LAS of the words with a content relation; */
    ALIGN_MLAS,      /* ... with the same universal tag and features, whose functional children are correct, too; */
    ALIGN_BLEX,      /* ... with the same lemma */
    ALIGN_EULAS,     /* arcs of the enhanced graph between matched words, with relations that are the same up to ':'; */
    ALIGN_ELAS,      /* ... with the same relations */
    ALIGN_MEASURES
} AlignMeasure;

/* Columns of CoNLL-U, as bits. ALIGN_HAS_UD: the gold relations are those of Universal Dependencies. */
enum {
    ALIGN_HAS_LEMMA = 1,
    ALIGN_HAS_UPOS = 2,
    ALIGN_HAS_XPOS = 4,
    ALIGN_HAS_FEATS = 8,
    ALIGN_HAS_UD = 16,
    ALIGN_HAS_GRAPH = 32
};

typedef struct AlignCount {
    long gold, pred, matched; /* gold and predicted items; those that are correct */
    long aligned;             /* items of matched words among the gold ones; -1 of tokens, sentences and words */
} AlignCount;

typedef struct AlignScores {
    AlignCount of[ALIGN_MEASURES];
    int gold_has, pred_has; /* ALIGN_HAS_...: the columns that have anything but "_" in some gold, predicted word */
    long universal;         /* gold words with a relation of Universal Dependencies */
} AlignScores;

/* Scores pred against gold, each as a whole; both were read with ConllOptions.keep_columns. The paths are used in
 * messages. ERR_FORMAT, with both places, if the characters differ, ERR_NOMEM. */
Status align_score(const Treebank *gold, const Treebank *pred, const char *gold_path, const char *pred_path,
                   AlignScores *out, Error *error);

/* Adds a sentence with the gold words, each of which is matched with itself, to the measures of words, from ALIGN_WORDS
 * on. ERR_NOMEM. */
Status align_add(AlignScores *scores, const Sentence *gold, const Sentence *pred, Error *error);

/* Is `type` a relation of Universal Dependencies, whatever follows ':'? */
bool align_universal(const char *type);
/* Is a treebank annotated by Universal Dependencies? At least 19 of 20 words must have a relation of UD. */
bool align_is_universal(long universal, long words);

/* 200 matched / (gold + pred), or 0: percent. */
double align_f1(const AlignCount *count);

/* Why a measure says nothing of these files, or NULL if it does: a column of its own that a file lacks; a column of
 * several that one file lacks and the other has; gold relations that Universal Dependencies do not have. Otherwise
 * *in_pred: the file is the predicted one. */
const char *align_missing(const AlignScores *scores, AlignMeasure measure, bool *in_pred);

typedef enum AlignFormat { ALIGN_TEXT, ALIGN_JSON, ALIGN_TSV } AlignFormat;
/* Appends the scores, in percent: for each measure the counts, precision (matched of predicted), recall (matched of
 * gold), F1, and accuracy (matched of aligned). Text: a table, with a reason for each measure that is missing. JSON:
 * one object with an object or null for each measure. TSV: a row for each measure that is not missing. */
void align_write(const AlignScores *scores, AlignFormat format, const char *gold_path, const char *pred_path,
                 StrBuf *out);
