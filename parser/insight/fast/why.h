/* parser/insight/fast/why.h
 * The label heads' parts of every phrase and arc of a batch at once: the numbers of lal/attribution.h, without going
 * through a tape. It is cheap (docs/INTERPRET.md has figures) because a decision needs of a scorer's hidden layer only
 * the units that are active for it, and of the feed-forward behind the label heads only those active for its tokens,
 * because arcs of one head share their work, and because everything that can be multiplied beforehand is. */
#ifndef LAL_PARSER_INSIGHT_FAST_WHY_H
#define LAL_PARSER_INSIGHT_FAST_WHY_H

#include "parser/parse.h"

/* A matrix in blocks of columns, [blocks][rows][WHY_BLOCK]: a vector with few entries meets one block after another. */
typedef struct WhyBlocks {
    int rows, blocks;
    Real *v;
} WhyBlocks;

/* How a scorer reads fenceposts: rows are its hidden units, and for the span scorer one more, their sum. */
typedef struct WhyProjection {
    int width;
    WhyBlocks columns; /* times the weights of the feed-forward's norm */
    WhyBlocks units;   /* [2 * units], for the forward and the backward half: coefficients of the hidden units */
    Real *mean;        /* [rows, 2] what that norm's mean takes off */
} WhyProjection;

/* Made once for a model, then only read. */
typedef struct Why {
    const Model *m;
    bool phrases, arcs;  /* what it can explain, and why_observer does */
    int heads, d, units; /* hidden units of the feed-forward, both parts; 0 without one */
    int first_unit[MAX_PARTS + 1], first_column[MAX_PARTS + 1];
    int half;            /* columns of a head's half, padded to whole blocks */
    Real *w1[MAX_PARTS]; /* [heads of the part / LANES][units][d_proj][LANES] of the feed-forward */
    Real *span_w2;       /* [labels without the empty one, hidden] last weights of the span scorer */
    WhyProjection span, arc_head, arc_dependent;
    WhyBlocks omega; /* of the arc scorer, transposed: rows are units of dependents */
    Real *linear[2]; /* [d_arc] its bias column and row, for heads and for dependents */
} Why;

/* ERR_CONFIG for a model without label heads of their own, ERR_NOMEM. */
Status why_init(Why *y, const Model *m, bool phrases, bool arcs, Error *e);
void why_fini(Why *y);

/* One decision: a phrase (label of its unary chain) or an arc (dependent and head, 1-based, 0 the root), of sentence
 * `sentence` of the batch. */
typedef struct WhyItem {
    int sentence, begin, end;
    int label;    /* number in m->labels; 0: an arc */
    Real *head;   /* [heads] filled: the parts */
    double score; /* filled */
} WhyItem;

/* For ParseOptions.observe: notes on the phrases and arcs of every batch, into Parsed.why. y has to stay. */
ParseObserver why_observer(const Why *y);

/* Explains n decisions, of the kinds that y was made for, of the batch the worker parsed last. Scratch comes from
 * w->scratch. ERR_NOMEM. */
Status why_explain(const Why *y, ParseWorker *w, WhyItem *items, int n, Error *e);

#endif
