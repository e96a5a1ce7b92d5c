/* parser/insight/fast/pass.h: what why.c and units.c share while a batch is explained; only for these two */
#ifndef LAL_PARSER_INSIGHT_FAST_PASS_H
#define LAL_PARSER_INSIGHT_FAST_PASS_H

#include "parser/insight/fast/layout.h"

/* The units of a layer that are above 0. */
typedef struct Active {
    int n, *unit; /* [n], and room for one more */
} Active;

/* layer [n]; x lies in a. false: memory is out. */
static inline bool active_units(const Real *layer, int n, Active *x, Arena *a)
{
    int *unit = x->unit = arena_alloc(a, (size_t)n + 1, sizeof *unit), found = 0;
    for (int u = 0; unit && u < n; u++) { /* overwritten by the next one if it is not active */
        unit[found] = u;
        found += layer[u] > 0;
    }
    x->n = found;
    return unit != NULL;
}

/* A vector e and where it applies: fenceposts (rows of the batch) with a sign. */
typedef struct Vector {
    Sparse e;
    int item, n, row[2];
    Real sign[2];
    struct Half *half[2][2]; /* by use and side; with a feed-forward */
} Vector;

/* One token's half in a vector: side 0, the forward half, of the token before the fencepost; side 1 of the one behind
 * it. */
typedef struct Half {
    Real scale;            /* sign times 1 / divisor */
    Real *head;            /* [heads] to be added to */
    Real *unit[MAX_PARTS]; /* coefficients of the token's active units */
} Half;

typedef struct Pass {
    const Why *y;
    const ParseWorker *w;
    const WhyItem *items;
    Arena *a;
    Vector *vector; /* [n] spans, then arcs as their heads and as their dependents see them */
    int n;
    Real **row; /* [tokens] outputs of the label heads, as `columns` has them, times 1 / divisor; NULL where no vector
                   looks */
    Real *head; /* [items, stride] sums so far */
    int stride; /* heads and room for a whole register behind any of them */
    const Real *inverse; /* [tokens] 1 / divisor of the feed-forward's norm; NULL without one */
} Pass;

static inline Real *head_of(const Pass *pass, int item) { return pass->head + (ptrdiff_t)item * pass->stride; }

static inline int token_of(const Pass *pass, const Vector *v, int use, int side)
{
    return batch_fencepost_token(v->row[use], pass->items[v->item].sentence, side);
}

/* Adds what the feed-forward behind the label heads brings to the vectors end[k] .. end[k + 1] - 1 of by[k], k < 3.
 * false: memory is out. */
bool why_add_feed_forward(Pass *pass, const WhyProjection *const by[3], const int end[4]);

#endif
