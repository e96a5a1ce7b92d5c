/* Probabilities under the distribution of joint trees: inside and outside sums (Baker 1979) over the chart of
 * cky/joint.h, with sums of products in place of best sums, and outside by reverse mode (Eisner 2016).
 *
 * A derivation is a binary tree with a label, CHART_EMPTY and <H> included, and a side of the head for each node, and
 *   p(derivation) = exp(spans (sum of its labels' scores) + arcs (sum of its arcs' scores)) / Z.
 * A result is its phrases, that is, nodes with labels from 2 on, and its heads; derivations of a result differ in the
 * order in which a head takes its dependents, and in <H>. The probability of a result is the sum over them, which is
 * not what the decoder compares: that is the best of them. */
#pragma once

#include "cky/joint.h"

/* The largest absolute value of a weighted score: log_z is exact to about 1e-16 of the sum of absolute scores. */
#define JOINT_SCORE_MOST 1e9

typedef struct JointScores {
    int n, n_labels;    /* words, at least 1; labels with the empty one, at least 2 */
    const Real *labels; /* [chart_size(n), n_labels - 1] of the labels 1 .. n_labels - 1; -INFINITY: not on this span */
    const Real *arcs;   /* [n + 1, n + 1] row = dependent, column = head, 0 = root; -INFINITY: not this arc */
    const unsigned char *state;     /* [chart_size(n)] SpanState, or NULL: SPAN_FREE (cky/constraint.h makes them) */
    double span_weight, arc_weight; /* above 0; 1 divided by a temperature */
} JointScores;

typedef struct JointMarginals {
    double log_z;  /* -INFINITY where no tree is allowed; then all probabilities are 0 */
    double *arc;   /* [n + 1, n + 1] as JointScores.arcs; rows 1 .. n add to 1 */
    double *node;  /* [chart_size(n)] that the span is a node, labelled or not */
    double *label; /* [chart_size(n), n_labels - 1] that it is a node with this label */
} JointMarginals;

/* Results lie in `out`, scratch is rewound; both may be the same arena. Sums are in double, where necessary each with
 * an exponent of its own, so that none overflows and none that counts becomes 0, whatever the scores. The derivative of
 * log_z by a score is the probability of its arc or label times span_weight or arc_weight. Probabilities are exact to
 * 1e-13 of each span. O(n^4 + n^2 n_labels) time,
 * O(n^3 + n^2 n_labels) memory. ERR_RANGE for a score that is NaN or above JOINT_SCORE_MOST, ERR_NOMEM. */
Status joint_marginals(const JointScores *scores, Arena *scratch, Arena *out, JointMarginals *marginals, Error *error);
/* log_z alone, in a third of the time. With what a tree must have given in s (-INFINITY, states), the difference to
 * log_z without it is the logarithm of its probability. */
Status joint_log_z(const JointScores *scores, Arena *scratch, double *log_z, Error *error);
/* Bytes that joint_marginals needs in scratch. */
double joint_marginals_bytes(int n);

/* The logarithm of the sum over the derivations of a result, without Z: minus log_z it is the logarithm of its
 * probability. tree: what joint_decode or k_best_next found under these scores; labels below 0 count as score 0. O(n^2)
 * time at most. ERR_NOMEM. */
Status joint_log_sum(const JointScores *scores, const JointTree *tree, Arena *scratch, double *log_sum, Error *error);
