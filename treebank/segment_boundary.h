/* treebank/segment_boundary.h
 * Where sentences end: a log-linear classifier looks at every gap between two tokens of a paragraph. Each feature is a
 * template filled with what stands around the gap (words, their classes, white space, the sentence so far), hashed to a
 * place in one table of weights; a sentence ends where the weights add up to more than a threshold. Integers only: the
 * same text gives the same sentences everywhere. The table is made by segment-train (models/README.md). */
#ifndef LAL_TREEBANK_SEGMENT_BOUNDARY_H
#define LAL_TREEBANK_SEGMENT_BOUNDARY_H

#include "treebank/segment_internal.h"

enum {
    BOUNDARY_BITS = 16,
    BOUNDARY_WEIGHTS = 1 << BOUNDARY_BITS,
    BOUNDARY_ROW = 64,   /* weights of a row of the table */
    BOUNDARY_ZERO = 'P', /* a weight w is the character BOUNDARY_ZERO + w */
    BOUNDARY_LARGEST = 45,
    BOUNDARY_FEATURES = 31, /* of one gap, at most */
    BOUNDARY_LOOKS = 32     /* tokens around the gap that are remembered, a power of two */
};

typedef struct Look { /* what the features see of a token */
    uint32_t word;    /* hash of the lower-cased form */
    uint8_t class;    /* what kind of word or mark it is */
    uint8_t gap;      /* white space before it */
} Look;

typedef struct Boundary {
    const Segmenter *s;
    int first, end; /* tokens of the paragraph */
    Look look[BOUNDARY_LOOKS];
    int looked;                    /* tokens [.., looked) have been looked at */
    size_t line_begin, line_width; /* of the line of the last token looked at; of the widest line, bytes */
    bool wrapped;                  /* most lines are as long as fits the width: line breaks mean little */
    bool narrow;                   /* three lines or more, all too short to be wrapped: each is a sentence */
    int start, depth;              /* the sentence so far: its first token, open brackets */
    bool quote;
    uint8_t last_class; /* of the sentence before */
} Boundary;

/* The paragraph of tokens [first, end). */
void boundary_init(Boundary *b, const Segmenter *s, int first, int end);
/* Fills in the places of the weights for the gap before token k, first < k < end, and returns their number; 0 where no
 * sentence can end. Calls go from left to right. */
int boundary_features(Boundary *b, int k, uint32_t at[BOUNDARY_FEATURES]);
/* What the weights of the gap before token k have to exceed: 0 after . ? ! and the like, else a little more. */
int boundary_threshold(const Boundary *b, int k);
/* Does a sentence end before token k where the classifier is not asked, as no treebank could have taught it: short
 * lines, letters without case after an end, wide marks? After boundary_features. */
bool boundary_by_rule(const Boundary *b, int k);
/* Goes on after the gap before token k, where a sentence ends or not. */
void boundary_next(Boundary *b, int k, bool ends);

/* treebank/segment_weights.c, written by segment-train. */
extern const char segment_weights[BOUNDARY_WEIGHTS / BOUNDARY_ROW][BOUNDARY_ROW + 1];

static inline int boundary_weight(uint32_t place)
{
    return segment_weights[place / BOUNDARY_ROW][place % BOUNDARY_ROW] - BOUNDARY_ZERO;
}

#endif
