/* The second-best parse of a sentence: what it has in place of what the parse has, and which label heads are for the
 * one or the other. The difference of both scores is the sum of lambda times the scores of the phrases that differ, 1 -
 * lambda times the scores of the arcs that differ, and the scores of nodes without a label (<H>). The score of a phrase
 * or arc is a sum over label heads (explain.h), and so are the first two terms. A grammar adds what it prefers. */
#pragma once

#include "explain/explain.h"

/* A phrase or an arc that one parse has and the other one has not. */
typedef struct RivalChange {
    Decision d;
    bool second;  /* the second one has it */
    double score; /* of the model, not weighed by lambda */
} RivalChange;

typedef struct Rival {
    const Parsed *p; /* borrowed from the parse's list */
    RivalChange *x;  /* [n], n > 0: phrases of the parse, phrases of the second parse, then arcs by words */
    int n;
    double grammar; /* its part of the first score minus the second one */
    /* of the rest of this difference: parts of heads are for the parse (positive) or for the second one; rest: of what
     * is no head's; bias: all else. own, view, norm, word are not set */
    HeadAttribution margin;
} Rival;

/* *out becomes NULL where parsed has no second-best parse (ParseOptions.k_best 2). parsed is the one sentence that the
 * worker parsed last, with ParseOptions.record; results lie in the arena. Errors of explain_decision. */
Status rival_explain(Worker *worker, const Parsed *parsed, Arena *arena, Rival **out, Error *error);
