/* Calibrates the distribution of joint trees (cky/joint_marginals.h) with two weights, one for span scores, one for arc
 * scores: spans are trained with a margin and arcs by cross-entropy. Newton's method maximises the likelihood of gold
 * trees, starting at the model's weights or at 1 and staying between 0.001 and 1000. The gradient is the score of the
 * gold tree minus the expected score; second derivatives are finite differences of it. */
#pragma once

#include "parser/parse/parse.h"

typedef struct JointFit {
    JointWeights weights;
    double before,
        after;       /* mean of -log p of a gold sentence's phrases and arcs, in nats: with weights of 1, and these */
    int steps;       /* of Newton's method */
    long impossible; /* sentences that no joint tree has: arcs that cross, labels that the model does not know */
    int left_out;    /* sentences above the limits of parsing */
} JointFit;

/* Gold sentences need trees and heads. The result does not depend on the number of threads. ERR_CONFIG: the model has
 * no joint trees; ERR_FORMAT: there is no sentence to fit to; ERR_NUMERIC, ERR_NOMEM. */
Status joint_fit(JointFit *to, const Model *model, const Treebank *gold, const ParseOptions *options, int n_threads,
                 Error *error);
