/* parser/insight/why.h
 * The label heads' parts of every phrase and arc of a batch at once: the numbers of lal/attribution.h, without going through a tape. It is cheap because few units of
 * the feed-forward behind the label heads are active for a token, and because what it takes from a decision is a few numbers (the hidden layer of the scorer)
 * that meet weights multiplied beforehand. */
#ifndef LAL_PARSER_INSIGHT_WHY_H
#define LAL_PARSER_INSIGHT_WHY_H

#include "parser/parse.h"

/* How a scorer reads fenceposts: w [D, width] (and through the feed-forward). */
typedef struct WhyProjection {
    int width;
    Real *w;     /* [D, width] rows times the weights of the feed-forward's norm */
    Real *units; /* [width, 2 * units]: for the forward and the backward half, coefficients of the hidden units */
    Real *mean;  /* [width, 2] what that norm's mean takes off */
} WhyProjection;

/* Made once for a model, then only read. */
typedef struct Why {
    const Model *m;
    int heads, d, units; /* hidden units of the feed-forward, both parts; 0 without one */
    int first_unit[MAX_PARTS + 1], first_column[MAX_PARTS + 1];
    Real *w1; /* [units, D] of the feed-forward, columns outside a unit's part 0 */
    WhyProjection span, arc_head, arc_dependent;
} Why;

/* ERR_CONFIG for a model without label heads of their own, ERR_NOMEM. */
Status why_init(Why *y, const Model *m, Error *e);
void why_fini(Why *y);

/* One decision: a phrase (label of its unary chain) or an arc (dependent and head, 1-based, 0 the root), of sentence `sentence` of the batch. */
typedef struct WhyItem {
    int sentence, begin, end;
    int label;  /* number in m->labels; 0: an arc */
    Real *head; /* [heads] filled: the parts */
    double score;
} WhyItem;

/* Notes on all phrases and arcs of the batch the worker parsed last, into result [sentences]; they lie in out. ERR_NOMEM. */
Status why_note(const Why *y, ParseWorker *w, Parsed *result, Arena *out, Error *e);

/* Explains n decisions of the batch the worker parsed last. Scratch comes from w->scratch. ERR_NOMEM. */
Status why_explain(const Why *y, ParseWorker *w, WhyItem *items, int n, Error *e);

#endif
