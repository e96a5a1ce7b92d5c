/* The numbers of each unit, which is a sentence, a pair of texts or a document, by which models of a task are scored:
 * lal train --score writes them, lal eval --measure counts compares them. */
#pragma once

#include "parser/task/eval_report.h"
#include "parser/task/use.h"

enum { COUNTS_MOST = 12, COUNTS_METRICS_MOST = 3 };

/* A score of sums over units. */
typedef struct CountsMetric {
    const char *key, *title; /* in JSON, and for people */
    unsigned columns;        /* COUNTS_BIT of each number of a unit that the score is made from, ascending */
    int known;               /* the number whose sum is above 0 where there is something to score */
    const SumScore *score;   /* of the numbers in `columns` */
} CountsMetric;
#define COUNTS_BIT(k) (1u << (k))
#define COUNTS_BITS(n) (COUNTS_BIT(n) - 1) /* the first n */

typedef struct TaskCounts {
    const char *names; /* of the numbers, which are 0 or more, with tabs between them */
    int n;             /* numbers */
    int n_losses;      /* the last of them, which trainer_score gives (parser/train/run/train.h) */
    CountsMetric metric[COUNTS_METRICS_MOST];
    int n_metrics;
    /* Sets the numbers but the losses of the units of a corpus, each [units * n], which are 0; they stay so of what has
     * nothing to score. Errors of running the model. NULL: all are losses. */
    Status (*each)(const struct Model *m, const struct Corpus *gold, const UseOptions *o, double *each, Error *e);
} TaskCounts;

/* COUNTS_MEAN reads a count and a sum and gives the mean; COUNTS_SHARE reads a count and the number of right ones and
 * gives the share in percent. */
extern const SumScore COUNTS_MEAN, COUNTS_SHARE;
extern const EvalTask COUNTS_EVAL; /* files of numbers, of any task */
