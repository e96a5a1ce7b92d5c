/* How sure a model is of the parse of a sentence (Confidence in parsed.h). Where phrases and arcs are found together,
 * probabilities come from the distribution of joint trees (cky/joint_marginals.h). Otherwise phrases have marginals of
 * trees without arcs (cky/marginals.h), arcs have softmaxes, and the whole tree has no probability. Arcs of marks with
 * DECODE_MARKS have softmaxes, too. */
#pragma once

#include "cky/joint_marginals.h"
#include "tensor/tensor.h"
#include "parser/parse/given.h"

/* What a sentence was decoded from. */
typedef struct ConfidenceCase {
    const JointScores *s; /* labels NULL: the model has no phrases */
    const JointTree *tree;
    bool joint;
    /* [n + 1, n + 1] scores of the model, for softmaxes where the parse has other heads than the tree, or is not joint;
     * NULL: it has no arcs */
    const Real *arcs;
    const F1Map *map; /* NULL: calibrated_f1 is not known */
} ConfidenceCase;

/* Sets the weights of s. Those of a model (model_joint) weigh raw scores, and the scores of s are multiplied by lambda
 * (labels) and by 1 - lambda (arcs), so they are divided by these. Both are 1 if they are not fitted. */
void confidence_weights(const JointWeights *weights, double lambda, JointScores *scores);

/* What F1Map weighs: f [F1_FEATURES] = 1, the logit of the expected F1 (0 to 1), the logarithm of the number of words,
 * and of Parsed.grammar the part of a word. */
enum { F1_FEATURES = 4 };
void confidence_f1_features(double expected, int words, double grammar, double *f);
/* The F1 that the map expects; PROBABILITY_UNKNOWN: it is not fitted, or the expected F1 is not known. */
double confidence_f1(const F1Map *map, double expected, int words, double grammar);

/* The softmax probability of each arc [n], from scores arcs [n + 1, n + 1]. */
void confidence_arcs(const Real *arcs, const int *heads, int n, Real *prob);

/* Sets parsed->confidence, in `out`, but for types: expected_las is of arcs without types. *log_z: of s; -INFINITY
 * where it is not joint, or has a given label that the model does not know, or scores are too large. ERR_NOMEM. */
Status confidence_new(const ConfidenceCase *confidence_case, Arena *scratch, Arena *out, Parsed *parsed, double *log_z,
                      Error *error);

/* Multiplies the probability of each type into expected_las: a softmax of its row of scores [rows, types], with what
 * head rules add (rule [n_words], of rule_types_find), over the types that the head allows, 1 for a given type. Row
 * `first` belongs to the first fencepost of the sentence. Does nothing without a confidence. */
void confidence_types(const Model *model, const HostMatrix *scores, int first, const int *rule, const Given *given,
                      Parsed *parsed);

/* Of a sentence in n pieces: the product of p_tree, and means over all phrases and words of the pieces. None where a
 * piece has none. false when out of memory. */
bool confidence_join(const Parsed *piece, int n, Arena *out, Parsed *whole);
