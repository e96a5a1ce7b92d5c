/* parser/lab/insight/fast/why.h
 * The contributions of the label heads to every phrase and arc of a batch at once: the numbers of lal/attribution.h,
 * computed without a tape. Cheap (docs/INTERPRET.md has figures) because only active units are computed, of the
 * scorers' hidden layers and of the feed-forward after the label heads, because arcs of one head share work, and
 * because products of weights are computed once for a model. */
#pragma once

#include "parser/parse/why_notes.h"

/* A matrix in blocks of columns, [blocks][rows][WHY_BLOCK], for products with sparse vectors block by block. */
typedef struct WhyBlocks {
    int rows, blocks;
    Real *v;
} WhyBlocks;

/* First weights of a scorer, by the columns of fenceposts: rows are its hidden units, and for the span scorer one more,
 * their sum. */
typedef struct WhyProjection {
    int width;
    WhyBlocks columns; /* times the weights of the feed-forward's norm */
    WhyBlocks units;   /* [2 * units], for the forward and the backward half: coefficients of the hidden units */
    Real *mean;        /* [rows, 2] the term of that norm's mean */
} WhyProjection;

/* Computed once for a model, then read-only. */
typedef struct Why {
    const Model *m;
    bool phrases, arcs;  /* which decisions it can explain, and why_observer explains */
    int all;             /* label heads before pruning */
    int heads, d, units; /* heads: those whose outputs a token's vector has, and what pruned ones have left there;
                            units: hidden units of the feed-forward, both parts; 0 without one */
    int first_unit[MAX_PARTS + 1], first_column[MAX_PARTS + 1];
    int half;            /* columns of a head's half, padded to whole blocks */
    Real *w1[MAX_PARTS]; /* [heads of the part / LANES][units][d_proj][LANES] of the feed-forward */
    Real *span_w2;       /* [labels without the empty one, hidden] last weights of the span scorer */
    WhyProjection span, arc_head, arc_dependent;
    WhyBlocks omega; /* of the arc scorer, transposed: rows are units of dependents */
    Real *linear[2]; /* [d_arc] its bias column and row, for heads and for dependents */
} Why;

/* ERR_CONFIG for a model without label heads of their own, or with another activation than ReLU after them; ERR_NOMEM.
 * why_fini must be called also after an error. */
Status why_init(Why *y, const Model *m, bool phrases, bool arcs, Error *e);
void why_fini(Why *y);

/* One decision of sentence `sentence` of the batch: a phrase (label of its unary chain in m->labels) or an arc
 * (dependent and head, 1-based, 0 the root; LABEL_NONE). */
typedef struct WhyItem {
    int sentence;
    Span at;
    Real *head;    /* [heads before pruning] output: the contributions */
    double pruned; /* filled: that of what pruned heads have left (HeadAttribution) */
    double score;  /* filled */
} WhyItem;

/* For ParseOptions.observe: makes WhyNotes on the phrases and arcs of every batch. y must outlive the parse. */
ParseObserver why_observer(const Why *y);

/* Explains n decisions, of the kinds that y was made for, of the batch the worker parsed last. Scratch comes from
 * w->scratch. ERR_NOMEM. */
Status why_explain(const Why *y, Worker *w, WhyItem *items, int n, Error *e);
