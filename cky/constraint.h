/* Arcs and phrases that are given before a sentence is decoded: the best tree is searched among those that have them.
 *
 * A tree has a given arc if the arcs of its dependent to all other heads are masked. A binary tree has a given span if
 * no node of it crosses the span: the smallest node that holds the span would be split inside the span, and one of the
 * two parts would cross it, unless it is the span itself. So both are masks on the chart, and decoding under them takes
 * no more time than without. */
#pragma once

#include "cky/decode.h"

typedef struct Constraint {
    int n;       /* words */
    int *heads;  /* [n] 1-based, 0 = root, HEAD_FREE = not given; NULL: none are */
    Span *spans; /* [n_spans] phrases, distinct spans; labels are not read */
    int n_spans;
} Constraint;

/* Sets the arcs of t ([n + 1, n + 1], rows are dependents) that the given ones exclude to -INFINITY. */
void constraint_mask_arcs(const Constraint *constraint, Real *t);
/* Fills state [chart_size(n)]: SPAN_PHRASE of the given spans, SPAN_NONE of spans that cross one of them. Given spans
 * must not cross. */
void constraint_states(const Constraint *constraint, unsigned char *state);

/* Do two spans share words while neither holds the other? */
static inline bool spans_cross(Span a, Span b)
{
    return (a.begin < b.begin && b.begin < a.end && a.end < b.end) ||
           (b.begin < a.begin && a.begin < b.end && b.end < a.end);
}

/* Frees what no tree can have together: first arcs, as few as possible, then spans that cross or that no tree with the
 * remaining arcs has, as few as possible. Of several smallest choices, the one whose remaining arcs (spans) have the
 * smallest sum of lengths is made, so long ones are freed; the length of the root's arc is its position. That order
 * ends at 250 words. What is still equal is decided as joint_decode decides ties, so by positions only: the result
 * does not depend on any score. Freed heads become HEAD_FREE; freed spans move to the end of spans, and n_spans becomes
 * the number of the others, which stay in order. O(n^4) like decoding; scratch is rewound. ERR_NOMEM. */
Status constraint_relax(Constraint *constraint, Arena *scratch, Error *error);

/* Why an arc was freed. */
typedef enum ArcFault {
    ARC_SELF,    /* a word that is its own head */
    ARC_CYCLE,   /* part of a cycle of given arcs */
    ARC_ROOT,    /* a second root; *other is the one that was kept */
    ARC_CROSSES, /* crosses the kept arc of word *other; the arc of a root comes from the left of the sentence */
    ARC_OTHER    /* no projective tree has it and the kept arcs */
} ArcFault;
/* For word `word` (1-based) whose head was given and freed: given [n] all heads as given, kept [n] the heads of the
 * constraint after constraint_relax. *other: a word, 1-based. */
ArcFault constraint_fault(const int *given, const int *kept, int n, int word, int *other);
