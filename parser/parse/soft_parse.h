/* The probabilities that a model gives its decisions and others: what it teaches, and how sure it is. Tags, heads and
 * types have softmaxes of the scores; spans have marginals over all trees (cky/marginals.h), without arcs. */
#pragma once

#include "cky/marginals.h"
#include "parser/model/soft.h"
#include "parser/parse/parse.h"

typedef struct SoftOptions {
    double min;              /* smaller probabilities are left out, unless they belong to decisions */
    double temperature;      /* divides the scores of tags, heads and types */
    double span_temperature; /* divides the scores of spans */
    int treebank;            /* ParseOptions.treebank: labels that only other treebanks have get no probability */
} SoftOptions;

/* For ParseOptions.observe: makes SoftTargets of every sentence of a batch, in the model's numbers. Rows begin with the
 * decision, of tags without the rules of shapes; other values follow by decreasing probability. No word is its own
 * head, and only the root has the type "root". Spans are in order of begin, longer ones first, and contain the best
 * label of the whole sentence whatever its probability. What is left out is not made up for: sums may be below 1.
 * options must outlive the parse. */
ParseObserver soft_observer(const SoftOptions *options);

/* The softmax of n scores divided by a temperature, in double; allowed[k] false: probability 0; allowed NULL: all.
 * One value at least must be allowed. */
void soft_distribution(const Real *x, const bool *allowed, int n, double temperature, double *p);

/* The scores of all labelled spans of sentence k of the batch that worker parsed last, in worker->scratch, or NULL with
 * *error. */
Real *soft_span_scores(Worker *worker, int k, Error *error);
/* marginals_compute for these scores of n words, in worker->scratch. ERR_NUMERIC, too, where the scores are so large
 * that probabilities are lost in rounding. */
Status soft_marginals(Worker *worker, const Real *scores, int n, const Real *mask, double temperature,
                      Marginals *marginals, Error *error);
