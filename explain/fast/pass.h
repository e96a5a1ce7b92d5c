/* The state of one call of why_explain, shared by why.c and units.c; internal to this
 * folder */
#pragma once

#include "explain/fast/layout.h"

/* The units of a layer that are above 0. */
typedef struct Active {
    int n, *unit; /* [n], and room for one more */
} Active;

/* layer [n]; active is allocated in a. false: out of memory. */
static inline bool active_units(const Real *layer, int n, Active *active, Arena *arena)
{
    int *unit = active->unit = arena_alloc(arena, (size_t)n + 1, sizeof *unit), found = 0;
    for (int u = 0; unit && u < n; u++) { /* the next unit overwrites it unless it is active */
        unit[found] = u;
        found += layer[u] > 0;
    }
    active->n = found;
    return unit != NULL;
}

/* A vector e and the fenceposts (rows of the batch) that it applies to, each with a sign. */
typedef struct Vector {
    Sparse e;
    int item, n, row[2];
    Real sign[2];
    struct Half *half[2][2]; /* by use and side; with a feed-forward */
} Vector;

/* The half of a fencepost vector that comes from one token: side 0 from the token before it, 1 from the one after. */
typedef struct Half {
    Real scale;            /* sign times 1 / divisor */
    Real *head;            /* [heads] the sums to add to */
    Real *unit[MAX_PARTS]; /* coefficients of the token's active units */
} Half;

typedef struct Pass {
    const Why *y;
    const Worker *w;
    const WhyItem *items;
    Arena *a;
    Vector *vector; /* [n] spans, then arcs as their heads and as their dependents see them */
    int n;
    /* [tokens] outputs of the label heads in the layout of `columns`, times 1 / divisor; NULL for tokens without a
     * vector */
    Real **row;
    Real *head;   /* [items, stride] sums so far, by blocks */
    Real *phrase; /* [items, why->sums] contributions of attention inside phrases */
    double *rest; /* [items] what is no head's, where words have no blocks */
    int stride;   /* heads, padded by one register */
    /* what the forward pass has computed, in host memory */
    HostMatrix lal, hidden[MAX_PARTS]; /* outputs of the label heads, activations of their feed-forward */
    HostMatrix g;                      /* projected fenceposts */
    HostMatrix arcs, arc_head, arc_dependent, arc_weighed, between_c, between_h; /* ArcFeatures */
    HostMatrix sums;                                                             /* of attention inside phrases */
    const Real *inverse; /* [tokens] 1 / divisor of the feed-forward's norm; NULL without one */
} Pass;

static inline Real *head_of(const Pass *pass, int item) { return pass->head + (ptrdiff_t)item * pass->stride; }

static inline int token_of(const Pass *pass, const Vector *v, int use, int side)
{
    return batch_fencepost_token(v->row[use], pass->items[v->item].sentence, side);
}

/* Adds the contributions of attention inside phrases, and, where words have no blocks, what is no head's. Vectors are
 * of spans, up to end[0], of arcs as their heads see them, up to end[1], and as their dependents do. */
void why_add_phrases(const Pass *pass, const int end[3]);

/* Adds the terms of the feed-forward after the label heads to the vectors end[k] .. end[k + 1] - 1 of by[k], k < 3.
 * false: out of memory. */
bool why_add_feed_forward(Pass *pass, const WhyProjection *const by[3], const int end[4]);
