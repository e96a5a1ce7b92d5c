/* Sums over joint trees, whose labels are summed in cky/joint_marginals.c. Words are 0 .. n - 1 here, span (i, j) has
 * those from i on that are below j, and the head n is the root, which is in no span. With head(i,j) and dependent(i,j)
 * the sums of exp(score) over what a span may be as the side of the head (not a phrase: 1; <H>; labels) and as a
 * dependent or the whole sentence, and T(d,g) = exp(score of the arc from g to d):
 *   raw(i,j,h) = sum over k of F(i,k,h) F(k,j,h);  of a word: 1
 *   F(i,j,h) = head raw(i,j,h),   F(i,j,g) = dependent sum over h of raw(i,j,h) T(h,g),   Z = F(0,n,n)
 * for words h in the span and heads g outside: one table has both Any and Dep of cky/joint.h, and a product of two of
 * its rows needs no cases, since h is in one part of the span, where F is Any, and outside the other, where it is Dep.
 * Adjoints x' = dZ/dx / Z, from long spans to short ones, gather what reverse mode would scatter; raw' is 0 outside:
 *   F'(i,j,g) = sum over j' > j of raw'(i,j',g) F(j,j',g)  +  sum over i' < i of raw'(i',j,g) F(i',i,g)
 *   raw'(i,j,h) = head F'(i,j,h) + dependent sum over g of F'(i,j,g) T(h,g),   F'(0,n,n) = 1 / Z
 * Sums of F F' over words in a span and over heads outside are the probabilities that it is a node as the side of the
 * head and as a dependent; sums over spans of dependent raw(h) T(h,g) F'(g) are probabilities of arcs. */
#pragma once

#include <math.h>

#include "cky/joint_marginals.h"

typedef struct JointWeights {
    const JointScores *s;
    const double *label, *head, *dependent; /* [chart_size] logarithms; label: of the labels alone */
} JointWeights;

/* The three tables are all NULL where log_z alone is wanted. */
typedef struct JointSums {
    double log_z;
    double *as_head, *as_dependent; /* [chart_size] probabilities of nodes */
    double *arc;                    /* [n + 1, n + 1] as in JointMarginals, 0 before */
} JointSums;

/* The weighted score of the arc from head g to word d, both as above. No word is its own head. */
static inline double joint_arc(const JointScores *s, int d, int g)
{
    return d == g ? -INFINITY : s->arc_weight * (double)s->arcs[(ptrdiff_t)(d + 1) * (s->n + 1) + (g + 1) % (s->n + 1)];
}

/* In plain doubles; false in *held: these do not hold the numbers of this sentence, and the sums mean nothing. false:
 * out of memory. */
bool joint_sums_in_tiles(const JointWeights *weights, Arena *scratch, JointSums *sums, bool *held);
/* With an exponent for each number, whatever the scores, in ten times the time. false: out of memory. */
bool joint_sums_exact(const JointWeights *weights, Arena *scratch, JointSums *sums);
/* Bytes that each of them needs in scratch. */
double joint_sums_in_tiles_bytes(int n);
double joint_sums_exact_bytes(int n);
