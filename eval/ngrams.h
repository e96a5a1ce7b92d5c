/* N-grams that a text and its references have in common, clipped (Papineni et al. 2002, section 2.1): an n-gram is
 * matched as often as the text has it, but at most as often as one reference has it. */
#pragma once

#include "base/error.h"
#include "base/text.h"

typedef struct NgramMatches {
    long matched, total; /* n-grams of the text that are matched; all n-grams of the text */
} NgramMatches;

/* text, references[0 .. n): words with one blank between two of them, none at the ends, and without NUL bytes. order is
 * 1 for words, 2 for pairs of words. ERR_NOMEM. */
Status ngrams_match(StrView text, const StrView *references, int n, int order, NgramMatches *out, Error *error);
/* The number of words of a text that has the form ngrams_match asks for. */
long ngrams_words(StrView text);
/* Goes through the n-grams of a text of that form: *at, 0 at first, is where the next one begins. false at the end. */
bool ngrams_next(StrView text, size_t *at, int order, StrView *ngram);
