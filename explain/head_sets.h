/* What would the margin of a decision be with some of the label heads alone? A scorer reads sums over label heads
 * before its norm and its ReLUs, so that any set of heads is scored in some thousand operations, with the number
 * that explain_score_without gives for the decision less that for its rival. */
#pragma once

#include "explain/explain.h"

/* The weights of a model's scorers, in host memory; computed once, then read-only. */
typedef struct HeadSets {
    const Model *m;
    int heads;                    /* that pruning has left: sets have these, numbered 0 .. heads - 1 */
    const int *number;            /* [heads] their numbers before pruning. Borrowed */
    int fence, sums;              /* columns of a fencepost's vector, and of its sums of attention inside phrases */
    int places[EXPLAIN_TYPE + 1]; /* numbers at the places of a decision of a kind (margin_places) */
    int *of_fence, *of_sums;      /* [fence], [2 sums] the head of each column; -1: of none */
    /* The arc scorer's weights of the sums, transposed: [2 sums, d_arc + 1] of dependents, with biases; [2 sums, d_arc]
     * of heads, for what lies before and after the dependent */
    Real *between_c, *between_h;
} HeadSets;

/* ERR_CONFIG for a model without label heads of their own, and for one with a feed-forward after them, whose outputs
 * are no sums over heads; ERR_NOMEM. head_sets_fini must be called also after an error. */
Status head_sets_init(HeadSets *sets, const Model *model, Error *error);
void head_sets_fini(HeadSets *sets);

/* A decision against its rival (Standing.rival). */
typedef struct Contest {
    Decision d; /* without `against` */
    int rival;
} Contest;

/* The vectors that the scores of a contest read, as margin_new takes them, in the arena. A span: the difference of its
 * two fenceposts. An arc: the fenceposts of head, rival and dependent; the sums between head and dependent; the sums
 * between rival and dependent, negated. A type: the fenceposts of head and dependent, and the sums between them. The
 * contest must belong to the one sentence that the worker parsed last; its places may be given to margin_new with
 * another contest of the same kind. NULL with *error, ERR_NOMEM. */
const Real *margin_places(const HeadSets *sets, Worker *worker, const Contest *contest, Arena *arena, Error *error);

/* The score of a decision less its rival's, as a function of sets of heads. */
typedef struct Margin {
    enum { MARGIN_NORM, MARGIN_BILINEAR, MARGIN_LINEAR } form;
    int heads, width;    /* width: units of a hidden layer */
    int n;               /* numbers of a sum: of hidden layers, and last what goes into the margin directly */
    Real *rest;          /* [n] what no head has */
    Real *head;          /* [heads, n] what each head adds */
    const Real *weights; /* of a span [width], else [width, width + 1]: of pairs of units, and of units */
    const Real *norm[2]; /* of a span: scale and shift, [width] */
    double eps, constant;
    Real *mixed;       /* [width + 1] scratch of margin_value, so a margin belongs to one thread */
    const Real *words; /* MARGIN_LINEAR: the hidden layers, which are of no head */
} Margin;

/* The margin of a contest whose places are given. It lies in the arena. ERR_NOMEM. */
Status margin_new(const HeadSets *sets, const Contest *contest, const Real *places, Arena *arena, Margin *margin,
                  Error *error);
/* What heads would add to this margin with the places of another contest of its kind: like margin->head, [heads, n], in
 * the arena; NULL when out of memory. */
Real *margin_exchange(const HeadSets *sets, const Contest *contest, const Margin *margin, const Real *places,
                      Arena *arena);

/* The margin of a sum x [n]: of rest and of what the heads of a set add. */
double margin_value(const Margin *margin, const Real *x);
/* x += sign times what a head adds, head [n]. */
void margin_add(const Margin *margin, const Real *head, Real sign, Real *x);
/* x [n] = the sum of all. */
void margin_all(const Margin *margin, Real *x);
/* Gradient times output by heads, out [heads]: the gradient of the whole function, of norms and products too. false
 * when out of memory. */
bool margin_relevance(const Margin *margin, Arena *scratch, double *out);
