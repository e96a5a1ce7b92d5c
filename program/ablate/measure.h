/* What a plan of lal ablate measures, by its task: the numbers of each unit, which is a sentence, a pair of texts or a
 * document of the dev and test data, and the metrics that are computed from their sums. */
#pragma once

#include "eval/compare.h"
#include "parser/task/task.h"

enum { ABLATE_NUMBERS_MOST = 12, ABLATE_METRICS_MOST = 3 };

typedef struct AblateMetric {
    const char *key, *title; /* in TSV and JSON, and for people */
    int digits;              /* of the score, for people */
    unsigned columns;        /* a bit for each number of a unit that the score is made from, ascending */
    int known;               /* the number whose sum is above 0 where there is something to score */
    const SumScore *score;   /* of the numbers in `columns` */
} AblateMetric;

typedef struct AblateMeasure {
    const Task *task;
    const char *unit;                        /* "sentence" */
    const char *data;                        /* keys that the data of a plan may have, "train|dev|test" */
    const char *preset;                      /* of a base that names none; NULL: the defaults of all options */
    const char *losses;                      /* terms of the task's own loss in a log, "span|arc" */
    const char *number[ABLATE_NUMBERS_MOST]; /* [n_numbers] names of the numbers of a unit, which are 0 or more */
    int n_numbers, n_metrics;
    AblateMetric metric[ABLATE_METRICS_MOST];
} AblateMeasure;

/* The measure of a task, by its name. NULL where there is no such task; then *expected gets the names that there are.
 */
const AblateMeasure *ablate_measure(const char *task, StrBuf *expected);
/* Copies the numbers in the metric's columns, of n units, from each [n * n_numbers] to out [n * score->width]. */
void ablate_measure_take(const AblateMeasure *x, int metric, const double *each, int n, double *out);
/* The score of a metric from the sums of all numbers; *known: is there anything to score? */
double ablate_measure_score(const AblateMeasure *x, int metric, const double *sums, bool *known);
