/* What attention heads do over a set of sentences: confidence, positional, syntactic and rare-word functions (Voita et
 * al. 2019, sections 4 and 5), and the global relevance of a pattern (Li et al. 2022, equation 1). Sums are added
 * sentence by sentence; rows are queries, tokens 0 .. m-1 are START, the words, STOP. */
#pragma once

#include "lal/heads/pattern.h"
#include "tensor/tensor.h"

/* Attention of one head in one sentence: weight of key j for query i is a[i * row + j * column]. Label heads have one
 * row for all queries: row 0. */
typedef struct HeadWeights {
    const Real *a;
    ptrdiff_t row, column;
} HeadWeights;

/* ---- global relevance: mean over sentences of the mean over words (or tokens) of the attention inside S(i), 0 .. 1 */

typedef struct GlobalRelevance {
    int heads;
    bool tokens;    /* rows are START and STOP too, as in the paper; set before adding */
    double *sum;    /* [heads] */
    double uniform; /* the sum for uniform attention */
    long sentences;
} GlobalRelevance;

Status global_relevance_init(GlobalRelevance *relevance, int heads, Error *error);
void global_relevance_fini(GlobalRelevance *relevance);
/* allowed [m * m] is what pattern_fill gave; weights [heads]. Sentences without words are skipped. */
void global_relevance_add(GlobalRelevance *relevance, const uint8_t *allowed, int n_words, const HeadWeights *weights);

/* Over all heads: mean, population deviation, and mean + 3 deviations, above which a head is significant. With
 * THREE_SIGMA_HEADS or fewer heads none can be significant. */
enum { THREE_SIGMA_HEADS = 10 };
typedef struct ThreeSigma {
    double mean, deviation, threshold;
} ThreeSigma;
ThreeSigma three_sigma(const double *values, int n);

/* ---- two heads, of one model or of two */

/* The Jensen-Shannon divergence of the attention of two heads in a sentence, in bits (0: equal, 1: no key in common):
 * the mean over the words of H((p + q) / 2) - (H(p) + H(q)) / 2, p and q over its words, START and STOP; 0 without
 * words. NULL for q: uniform attention. */
double head_divergence(const HeadWeights *p, const HeadWeights *q, int n_words);

/* ---- functions */

enum { HEAD_RELATIONS = 4, TO_HEAD = 0, TO_DEPENDENT = 1 };
extern const char *const HEAD_RELATION_NAMES[HEAD_RELATIONS]; /* nsubj, dobj (obj too), amod, advmod */

/* Offsets key - query of a relation by direction, counted over training sentences: the baseline a head must beat. */
typedef struct RelationOffsets {
    long count[HEAD_RELATIONS][2][2 * 64 + 1]; /* offsets -64 .. 64 */
} RelationOffsets;
void relation_offsets_add(RelationOffsets *offsets, const PatternSentence *sentence);
/* The most frequent offset; of equal ones the nearest, then the negative. 0 when none was counted. */
int relation_offsets_best(const RelationOffsets *offsets, int relation, int direction);
/* Distances of dependents from their heads (figure 3): how many of the arcs of a relation that were counted have
 * dependent - head farther before than -HEAD_OFFSET_MOST, at -HEAD_OFFSET_MOST .. HEAD_OFFSET_MOST, farther after.
 * Returns the number of arcs. */
enum { HEAD_OFFSET_MOST = 5, RELATION_DISTANCES = 2 * HEAD_OFFSET_MOST + 3 };
long relation_offsets_distances(const RelationOffsets *offsets, int relation, long count[RELATION_DISTANCES]);

/* Offsets key - query that are counted. The first ones are positional functions: previous, next, self, and two further
 * ones. */
enum { HEAD_OFFSETS = 2 * HEAD_OFFSET_MOST + 1, HEAD_OFFSETS_NAMED = 5 };
extern const int HEAD_OFFSET[HEAD_OFFSETS];                     /* -1, 1, 0, -2, 2, ..., -5, 5 */
extern const char *const HEAD_OFFSET_NAMES[HEAD_OFFSETS_NAMED]; /* "previous", ... */

/* Rows and columns of an attention matrix: key 0 is START, keys 1 .. n_keys are units (words or pieces), and key
 * n_keys + 1 is STOP, unless the attention is causal: then row i sees keys 0 .. i, and there is no STOP. */
typedef struct HeadUnits {
    int first, n_queries; /* the rows that are measured */
    int n_keys;
    int shift; /* offset 0 of row i is key i + shift */
    bool causal;
    const int *counts; /* [n_keys] of the units in training text, or NULL */
} HeadUnits;

typedef struct HeadFunctions {
    int heads;
    int offset[HEAD_RELATIONS][2]; /* of the baseline, set before adding; 0: no baseline */
    int rare_below; /* a sentence counts for rare words when its rarest word's count is below this; 0: none does */
    long queries;
    double *confidence; /* [heads] sums of the largest weight on a unit */
    long *start;        /* [heads] queries of which no other token has as large a weight as START */
    /* queries that have a unit at HEAD_OFFSET, and [heads] those whose argmax it is */
    long positional_queries[HEAD_OFFSETS], *positional[HEAD_OFFSETS];
    long relation_queries[HEAD_RELATIONS][2], *relation[HEAD_RELATIONS][2], baseline[HEAD_RELATIONS][2];
    long rare_queries, *rare_one, *rare_two;
    long *memory;
    int *argmax; /* [heads] of the present query */
} HeadFunctions;

/* The share of the queries of a relation in which the baseline is right; NAN without a baseline or queries. */
double head_baseline(const HeadFunctions *functions, int relation, int direction);

/* ERR_NOMEM; the functions that add allocate nothing. */
Status head_functions_init(HeadFunctions *functions, int heads, Error *error);
void head_functions_fini(HeadFunctions *functions);
/* Adds all but relations. Argmax is over units that the row sees, the first of equal ones. */
void head_functions_add_units(HeadFunctions *functions, const HeadUnits *units, const HeadWeights *weights);
/* Adds relations: s has heads and types; weights between its words, START and STOP. */
void head_functions_add_relations(HeadFunctions *functions, const PatternSentence *sentence,
                                  const HeadWeights *weights);
/* Adds a sentence of words by head_functions_add_units and, where s has heads and types, head_functions_add_relations.
 * counts [n]: how often each word is in the training text, or NULL. */
void head_functions_add(HeadFunctions *functions, const PatternSentence *sentence, const int *counts,
                        const HeadWeights *weights);
