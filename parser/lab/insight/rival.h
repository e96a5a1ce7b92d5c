/* parser/lab/insight/rival.h
 * The second-best parse of a sentence: what it has in place of what the parse has, and which label heads are for the
 * one or the other. The difference of both scores is lambda times the scores of the phrases that differ, 1 - lambda
 * times those of the arcs, and a rest, the scores of nodes that are no phrases (<H>); scores of phrases and arcs are
 * sums over label heads (explain.h), so their difference is one, too. */
#pragma once

#include "parser/lab/insight/explain.h"

/* A phrase or an arc that one parse has and the other one has not. */
typedef struct RivalChange {
    Decision d;
    bool second;  /* the second one has it */
    double score; /* of the model, not weighed by lambda */
} RivalChange;

typedef struct Rival {
    const Parsed *p; /* borrowed from the parse's list */
    RivalChange *x;  /* [n] at least one: phrases of the parse, those of the second one, then arcs by words */
    int n;
    /* of the first score minus the second one: parts of heads are for the parse (positive) or for the second one;
     * bias: all else. own, view, norm, word are not set */
    HeadAttribution margin;
} Rival;

/* *out becomes NULL where p has no second-best parse (ParseOptions.k_best 2). p is the one sentence that the worker
 * parsed last, with ParseOptions.record; results lie in the arena. Errors of explain_decision. */
Status rival_explain(Worker *w, const Parsed *p, Arena *arena, Rival **out, Error *e);
