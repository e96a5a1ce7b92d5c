/* What is given of a sentence that is parsed in pieces (parser/parse/long_sentence.h).
 *
 * A piece has one root. In it, the word with the given head 0 is the root, else its first word with a head outside the
 * piece; given heads outside of its other words are lost. When pieces are joined, the root of a piece gets its given
 * head, unless that makes a cycle; the piece with the root of the sentence (else the first one whose root has no given
 * head outside) is the one that roots without a given head depend on. A phrase is kept if it lies in one piece, or
 * if it consists of whole pieces and only one of their roots has a head outside it. */
#pragma once

#include "parser/parse/given.h"

/* Counts the given arcs that a piece loses, for pieces that grow to the left: constant time for each word and arc. */
typedef struct GivenArcs {
    const int *heads; /* [n] */
    int *dependent;   /* [n + 1] a word (1-based) that is given this head, 0: none */
    int *next;        /* [n + 1] another one of the same head */
    int end, outside;
} GivenArcs;

/* *arcs is NULL where no heads are given. false when out of memory. */
bool given_arcs_new(const Given *given, int n, Arena *arena, GivenArcs **arcs);
/* Begins the pieces that end before word `end` (0-based). */
void given_arcs_start(GivenArcs *arcs, int end);
/* The loss of the piece from word k on; k is one less than in the last call, or end - 1 in the first one. */
int given_arcs_lost(GivenArcs *arcs, int k);

/* Adds `cost` to cut[k] for each given phrase, except one over all n words, that a cut before word k divides. */
void given_cut_phrases(const Given *given, int n, double cost, double *cut);

/* What is given of the words from .. to - 1, in the arena. NULL when out of memory. */
const Given *given_part(const Given *given, int from, int to, Arena *arena);

/* Completes what long_sentence_join made of n pieces. false when out of memory. */
bool given_join(const Model *model, const Parsed *piece, int n, const Given *given, Arena *out, Parsed *whole);
