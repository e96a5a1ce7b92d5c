/* parser/evaluate.h
 * Parses gold sentences and scores the result. */
#ifndef LAL_PARSER_EVALUATE_H
#define LAL_PARSER_EVALUATE_H

#include "eval/report.h"
#include "eval/score.h"
#include "parser/parse.h"

typedef struct EvaluateOptions {
    ParseOptions parse;
    int n_threads;
    bool given_tags; /* the gold tags are input */
    PunctSet punct;
    Report *report; /* filled too, or NULL */
    Scores *each;   /* [sentences] of each sentence alone, or NULL */
} EvaluateOptions;

/* Adds the scores of all sentences of gold to *scores. */
Status evaluate_model(const Model *m, const Treebank *gold, const EvaluateOptions *o, Scores *scores, Error *e);

#endif
