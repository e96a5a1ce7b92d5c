/* Finds the ends of sentences with a log-linear classifier of the gaps between tokens of a paragraph. Each feature is a
 * template filled with properties of the gap (words, their classes, white space, the sentence so far) and hashed to an
 * index into one table of weights; a sentence ends where the sum of the weights exceeds a threshold. All arithmetic is
 * on integers, so that the result is the same on every machine. segment-train writes the table (models/README.md). */
#pragma once

#include "language/english/text/segment_internal.h"

enum {
    BOUNDARY_BITS = 17,
    BOUNDARY_WEIGHTS = 1 << BOUNDARY_BITS,
    JOIN_BITS = 14, /* after those, weights of words that are broken at the end of a line */
    JOIN_FEATURES = 15,
    JOIN_WEIGHTS = 1 << JOIN_BITS,
    LETTER_BITS = 14, /* after those, weights of the letters of abbreviations */
    LETTER_FEATURES = 11,
    SEGMENT_WEIGHTS = BOUNDARY_WEIGHTS + JOIN_WEIGHTS + (1 << LETTER_BITS),
    BOUNDARY_ZERO = 'P', /* a weight w is stored as the character BOUNDARY_ZERO + w */
    BOUNDARY_LARGEST = 45,
    BOUNDARY_FEATURES = 31, /* at most, of one gap */
    BOUNDARY_LOOKS = 32     /* size of the ring of tokens around the gap, a power of two */
};

typedef struct Look { /* the properties of a token that features use */
    uint32_t word;    /* hash of the lower-cased form */
    uint8_t class;    /* kind of word or mark: enum Class of segment_boundary.c */
    uint8_t gap;      /* kind of white space before it */
    uint16_t columns; /* of its line, or UINT16_MAX */
} Look;

typedef struct Boundary {
    const Segmenter *s;
    int first, end; /* tokens of the paragraph */
    Look look[BOUNDARY_LOOKS];
    int looked; /* tokens before this one have a Look, of which the last BOUNDARY_LOOKS are stored */
    Layout layout;
    int start, depth;   /* the sentence so far: first token, number of open brackets */
    Habit habit;        /* of the text so far */
    bool closed;        /* no sentence can end before the token that boundary_features was last asked of */
    bool quote;         /* the sentence so far has an open quotation */
    uint8_t last_class; /* class of the last token of the previous sentence */
} Boundary;

/* The index, below 1 << bits, of the weight of template number `kind`, below 64, filled with a and b. */
uint32_t boundary_index(uint32_t kind, uint32_t a, uint32_t b, int bits);
/* Begins with the paragraph of tokens [first, end). */
void boundary_init(Boundary *boundary, const Segmenter *segmenter, int first, int end);
/* Sets at to the indices of the weights for the gap before token k, first < k < end, and returns their number; 0 if no
 * sentence can end there. To be called for ascending k, each followed by boundary_next. */
int boundary_features(Boundary *boundary, int k, uint32_t at[BOUNDARY_FEATURES]);
/* The threshold for the sum of weights of the gap before token k: 0 after . ? ! and the like and in long lines, else a
 * little more; between words of a short line so much that hardly any sentence ends there. */
int boundary_threshold(const Boundary *boundary, int k);
/* Does a sentence end before token k because every line break ends one? To be called after boundary_features. */
bool boundary_forced(const Boundary *boundary, int k);
/* Does a sentence end before token k by rule? Rules cover what the training data do not show: short lines, letters
 * without case after . ? !, full-width punctuation. To be called after boundary_features. */
bool boundary_by_rule(const Boundary *boundary, int k);
/* Moves past the gap before token k; `ends` says whether a sentence ends there. */
void boundary_next(Boundary *boundary, int k, bool ends);

/* Sets at to the indices of the weights for the two parts of a word that is broken at a hyphen at the end of a line,
 * neither empty, and returns their number (segment_join.c). The sum of the weights is above 0 where the word has no
 * hyphen. segment-train learns it from words of treebanks that it breaks itself, and from their hyphenated words. */
int segment_join_features(StrView left, StrView right, uint32_t at[JOIN_FEATURES]);

/* Sets at to the indices of the weights of a word in lower case, of ASCII letters, and returns their number
 * (segment_stops.c). The sum of the weights is above 0 where it looks like an abbreviation. segment-train learns it
 * from a list of abbreviations and the words of treebanks. */
int segment_letter_features(const char *lower, uint32_t at[LETTER_FEATURES]);

/* segment.weights, written by segment-train, and a NUL */
extern const char segment_weights[SEGMENT_WEIGHTS + 1];

static inline int boundary_weight(uint32_t index) { return segment_weights[index] - BOUNDARY_ZERO; }
