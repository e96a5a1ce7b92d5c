/* The grammar of joint span and dependency trees, and the chart of their best scores, for the modules that search it or
 * sum over it: joint.c (the best tree), joint_bound.c (which spans it may have), k_best.c (the k best),
 * joint_marginals.c (sums over all of them).
 *
 * Items, for a span (i, j) and a head word h of it, 1-based (Zhou and Zhao 2019; cky/joint.c has the recurrence):
 *   Any(i, j, h)  the span as the side of a node that has its head
 *   One(i, j, h)  the span as a dependent, or as the whole sentence
 *   Dep(i, j, g)  the span attached as a dependent of g, a word outside it */
#pragma once

#include "cky/decode.h"

/* One word and the whole sentence are never <H>: the lowest label that the span may have. */
static inline bool joint_is_proper(int n, int i, int j) { return j - i == 1 || j - i == n; }
static inline int joint_first_label(int n, int i, int j)
{
    return joint_is_proper(n, i, j) ? CHART_GROUP + 1 : CHART_GROUP;
}

static inline SpanState joint_state(const unsigned char *state, int n, int i, int j)
{
    return state ? (SpanState)state[chart_span(n, i, j)] : SPAN_FREE;
}

/* May the span be without a label, as the side of the head or (dependent) as a dependent or the whole sentence? */
static inline bool joint_may_be_empty(const unsigned char *state, int n, int i, int j, bool dependent)
{
    bool free = joint_state(state, n, i, j) == SPAN_FREE && j - i < n;
    return free && (!dependent || j - i == 1);
}

/* What the score of a tree that has a span cannot exceed, but for rounding. */
typedef struct JointBound {
    Real *of;   /* [chart_size(n)] */
    Real *out;  /* [chart_size(n)] beside raw(i,j,h) and the largest t of h */
    Real *arc;  /* [n + 1] the largest t of each word */
    Real most;  /* of all trees */
    Real sizes; /* no sum of the scores of a tree is larger than this and the size of the score of the tree */
    Real unit;  /* bounds and scores are wrong together, by rounding, by this much of these sums at most */
} JointBound;

/* The best scores of all items. Rows are over words 0 .. n, padded to `width`; Any is -INFINITY outside its span. One
 * is Any plus joint_offset, of the whole sentence joint_whole. */
typedef struct JointChart {
    int n, width;
    const SpanBest *s;          /* of joint_decode_under, as are state and t */
    const unsigned char *state; /* NULL: all are SPAN_FREE */
    unsigned char *kept;        /* [chart_size(n)], 0: no tree has the span, which has no rows; NULL: all have rows */
    const JointBound *bound;    /* with kept */
    Real least;                 /* trees that score less need not be found, with kept */
    Real *any, *dep;            /* [chart_size(n), width] */
    Real *t;                    /* [n + 1, width] a copy */
} JointChart;

/* A chart of n >= 1 words without kept, which lies in the arena and borrows s and state. false when out of memory. */
bool joint_chart_new(JointChart *chart, const SpanBest *best, const Real *t, const unsigned char *state, int n,
                     Arena *arena);
/* Fills a new chart, made of t, so that it has all trees that score at most reach less than the best one. reach
 * INFINITY: it has all trees, and no kept. What it needs lies in the arena. false when out of memory. */
bool joint_chart_search(JointChart *chart, const Real *t, Real reach, Arena *arena);

/* For a new chart and the t that it was made of, in O(n^3) time and O(n^2) memory, a few operations for 16 splits. It
 * lies in the arena. Where no tree satisfies t and state, most is -INFINITY or NaN. false when out of memory. */
bool joint_bound(const JointChart *chart, const Real *t, JointBound *bound, Arena *arena);

/* May a tree have both spans, by chart_span? */
static inline bool joint_both(const JointChart *chart, long x, long y)
{
    return !chart->kept || (chart->kept[x] & chart->kept[y]);
}

static inline Real *joint_any(const JointChart *chart, int i, int j)
{
    return chart->any + chart_span(chart->n, i, j) * chart->width;
}
static inline Real *joint_dep(const JointChart *chart, int i, int j)
{
    return chart->dep + chart_span(chart->n, i, j) * chart->width;
}

/* The best label that is allowed on the span, and its score. */
static inline Real joint_own(const JointChart *chart, int i, int j, int *label)
{
    const SpanBest *b = &chart->s[chart_span(chart->n, i, j)];
    bool proper = joint_is_proper(chart->n, i, j);
    *label = proper ? b->proper_label : b->any_label;
    return proper ? b->proper : b->any;
}

/* What the label of the span adds to Any. */
static inline Real joint_plus(const JointChart *chart, int i, int j)
{
    int label;
    Real o = joint_own(chart, i, j, &label);
    return o > 0 || joint_state(chart->state, chart->n, i, j) == SPAN_PHRASE ? o : 0;
}

/* One - Any of the span; 0 of a word. */
static inline Real joint_offset(const JointChart *chart, int i, int j)
{
    int label;
    return j - i == 1 ? 0 : joint_own(chart, i, j, &label) - joint_plus(chart, i, j);
}
/* One(0, n, head): the best tree whose root is head, a word, without its arc. */
Real joint_whole(const JointChart *chart, int head);

/* A tree with room for the nodes and heads of n words, n_nodes 0; NULL when out of memory. */
JointTree *joint_tree_new(int n, Arena *out);
