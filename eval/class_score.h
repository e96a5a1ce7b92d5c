/* How well sentences are classified: accuracy, F1 by class, their mean (macro-F1), confusions; and the significance of
 * the difference between two systems by approximate randomisation. Classes are numbers. */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "eval/randomisation.h"

typedef struct ClassScores {
    int n_classes;
    long n; /* sentences */
    long
        *confusion; /* [n_classes * n_classes] sentences of gold class g with predicted class p, at g * n_classes + p */
} ClassScores;

/* class_scores_fini is needed after failure too. ERR_NOMEM. */
Status class_scores_init(ClassScores *scores, int n_classes, Error *error);
void class_scores_fini(ClassScores *scores);
/* Adds a sentence; both classes are 0 .. n_classes-1. */
void class_scores_add(ClassScores *scores, int gold, int pred);

typedef enum ClassMetric { CLASS_ACCURACY, CLASS_MACRO_F1, CLASS_METRICS } ClassMetric;
/* In percent. Macro-F1 is the mean of the F1 of the classes that gold sentences have; F1 is 0 for a class that is never
 * right. */
double class_scores_value(const ClassScores *scores, ClassMetric metric);
/* The value if class `pred` were predicted for all sentences: a baseline, with the most frequent class of training. */
double class_scores_constant(const ClassScores *scores, int pred, ClassMetric metric);

/* Counts of a class: sentences that have it, that were given it, that have and were given it. */
typedef struct ClassRow {
    long gold, pred, right;
} ClassRow;
ClassRow class_scores_row(const ClassScores *scores, int k);
/* Percent, 0 where there is nothing to divide by. */
double class_row_precision(ClassRow row);
double class_row_recall(ClassRow row);
double class_row_f1(ClassRow row);

/* Appends the table by class and the confusions, as text. names [n_classes]. */
void class_scores_table(const ClassScores *scores, const char *const *names, StrBuf *out);
/* Appends "classes": {...}, "confusion": {...}, members of a JSON object: counts by gold and by predicted class,
 * without zeros. */
void class_scores_members(const ClassScores *scores, const char *const *names, StrBuf *out);

/* a[r][k], b[r][k]: the class that run r, 0 .. runs-1, of each system gives to sentence k, 0 .. n-1, whose gold class
 * is gold[k]. The statistic is the mean over runs of the difference; p comes from randomisation_p
 * (eval/randomisation.h), where a pair is a sentence of a run, and there is no bootstrap. ERR_NOMEM. */
Status class_scores_compare(const int *gold, const int *const *a, const int *const *b, int runs, int n, int n_classes,
                            ClassMetric metric, long samples, uint64_t seed, Comparison *out, Error *error);
