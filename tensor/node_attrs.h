/* What nodes of some ops hold (Node.attr), for their own files and for those that walk them by other rules
 * (tensor/share.h). Of attention it is AttentionArgs, of embedding sums EmbedArgs. */
#pragma once

#include "tensor/ops.h"

typedef struct NormAttr {
    Real *mean, *inv;
    Real *x; /* input of the norm */
    int ldx;
    NormKind kind;
    double eps;
    /* residual */
    Drop drop;
    const int *z_row;
} NormAttr;

typedef struct SpanAttr {
    const int *spans;
} SpanAttr;

/* Attributes of label_means. */
typedef struct MeansAttr {
    int n_sent;
    const int *start; /* on the host */
} MeansAttr;

/* Attributes of phrase_sums. */
typedef struct SumsAttr {
    double scale;
    int n_sent;
    const int *start;
} SumsAttr;

/* Attributes of head_linear. */
typedef struct HeadsAttr {
    int heads;
} HeadsAttr;

typedef struct LabelNormAttr {
    int heads;
    double eps;
    const int *first;
    Real *mean, *inv;
} LabelNormAttr;

/* Inputs of a node of attention: the queries of each part, their keys and values, the bias and the gates. */
enum { QUERIES = 0, KEYS = MAX_PARTS, BIAS = 2 * MAX_PARTS, GATES };
