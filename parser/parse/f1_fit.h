/* Fits the map from the expected F1 and the length of a sentence, and what a grammar says of its tree, to its F1
 * (F1Map in model.h): logistic regression with the F1 that is found as a share of right brackets (Platt 1999 fits a
 * score alone). A normal prior with variance 1 around the identity keeps what few sentences do not say. The sum is
 * convex and minimised by Newton's method. */
#pragma once

#include "parser/parse/parse.h"

/* A sentence. */
typedef struct F1Case {
    double expected, found; /* 0 to 1 */
    int words;
    double grammar; /* of Parsed, 0: the model has none */
} F1Case;

/* f1_case [n], n may be 0: then the identity. */
void f1_fit_cases(F1Map *to, const F1Case *f1_case, int n);

typedef struct F1Fit {
    F1Map map;
    double error, before; /* calibration errors (risk_error in eval/risk.h) on the same sentences, with the map and
                             without it */
} F1Fit;

/* Parses gold sentences by a model whose JointWeights are set; those without brackets are left out. The result does not
 * depend on the number of threads. ERR_NOMEM, ERR_NUMERIC. */
Status f1_fit(F1Fit *to, const Model *model, const Treebank *gold, const ParseOptions *options, int n_threads,
              Error *error);
