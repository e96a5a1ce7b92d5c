/* The contributions of the label heads to every phrase and arc of a batch at once: the numbers of lal/attribution.h,
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

/* The first weights w of a scorer, by the columns of fenceposts. Rows are its hidden units; the span scorer has one row
 * more, their sum. a and W2 are weights of the feed-forward after the label heads, a of its norm (1 without). */
typedef struct WhyProjection {
    int width;         /* hidden units of the scorer */
    WhyBlocks columns; /* a w */
    WhyBlocks units;   /* W2' (a w - mean), [2 * units] columns: for the first and the second half of fenceposts */
    Real *mean;        /* [rows, 2] the mean of a w over all columns of a token, for each half */
} WhyProjection;

/* Computed once for a model, then read-only. */
typedef struct Why {
    const Model *m;
    bool phrases, arcs; /* which decisions it can explain, and why_observer explains */
    int all;            /* label heads before pruning */
    int heads;          /* blocks of a token's vector: outputs of heads, and what pruned heads have left there; 0: words
                           have no blocks, and heads attend inside phrases alone */
    int sums;           /* heads that attend inside phrases, or 0 */
    int values;         /* numbers of each in the sums at a fencepost */
    int d;              /* columns of a token's vector */
    int units;          /* hidden units of the feed-forward, in both parts; 0 without one */
    int first_unit[MAX_PARTS + 1], first_column[MAX_PARTS + 1];
    int half;            /* columns of a head's half, padded to whole blocks */
    Real *w1[MAX_PARTS]; /* [heads of the part / LANES][units][d_proj][LANES] first weights of the feed-forward */
    Real *span_w2;       /* [labels but the empty one, hidden] last weights of the span scorer */
    WhyProjection span, arc_head, arc_dependent;
    WhyBlocks phrase; /* the span scorer's weights of the sums, transposed: rows as of span.columns */
    WhyBlocks omega;  /* weights of the arc scorer, transposed: rows are units of dependents */
    Real *linear[2];  /* [d_arc] its bias column, for heads, and its bias row, for dependents */
} Why;

/* ERR_CONFIG for a model without label heads of their own, or with another activation than ReLU after them; ERR_NOMEM.
 * why_fini must be called also after an error. */
Status why_init(Why *why, const Model *model, bool phrases, bool arcs, Error *error);
void why_fini(Why *why);

/* A decision: a phrase, or an arc. why_explain fills in the last three. */
typedef struct WhyItem {
    int sentence; /* its number in the batch */
    Span at;      /* the phrase, its label in m->labels; or dependent, head (1-based, 0 the root) and LABEL_NONE */
    Real *head;   /* [heads before pruning] contributions of the heads */
    double rest;  /* contribution of what no head has (HeadAttribution) */
    double score;
} WhyItem;

/* For ParseOptions.observe: makes WhyNotes on the phrases and arcs of every batch. why must outlive the parse. */
ParseObserver why_observer(const Why *why);

/* Explains n decisions, of the kinds that why was made for, of the batch the worker parsed last. Scratch comes from
 * worker->scratch. ERR_NOMEM. */
Status why_explain(const Why *why, Worker *worker, WhyItem *items, int n, Error *error);
