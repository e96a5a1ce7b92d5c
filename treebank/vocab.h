/* Numbers and counts of the values of a treebank: words, tags, labels, dependency types, characters. */
#pragma once

#include "base/error.h"
#include "base/map.h"
#include "base/suggest.h"
#include "base/text.h"

typedef struct Vocab {
    StrMap map;  /* value -> number; map.n values, map.keys[i] their text */
    int *counts; /* [map.n] occurrences in the training data */
    int cap;
} Vocab;

void vocab_init(Vocab *vocab);
void vocab_fini(Vocab *vocab);
/* Adds `times` occurrences of value, up to VOCAB_COUNT_MOST; returns its number, or -1 when out of memory. */
enum { VOCAB_COUNT_MOST = 999999999 }; /* what vocab_read reads */
int vocab_count(Vocab *vocab, const char *value, size_t len, int times);
/* The number of value, or -1. */
int vocab_find(const Vocab *vocab, const char *value);
/* Sets *out to the numbers of n values, -1 for unknown ones, in the arena. false when out of memory. */
bool vocab_numbers(const Vocab *vocab, const char *const *values, int n, Arena *arena, const int **out);
static inline int vocab_size(const Vocab *vocab) { return vocab->map.n; }
static inline const char *vocab_text(const Vocab *vocab, int i) { return vocab->map.keys[i]; }
/* Keeps the first `reserved` values and those that occur at least min_count times, and renumbers them in order. false
 * when out of memory. */
bool vocab_prune(Vocab *vocab, int reserved, int min_count);

/* Adds all values of `from`, with their counts, to a vocabulary without values. false when out of memory. */
bool vocab_copy(Vocab *vocab, const Vocab *from);

/* Appends a line "value<TAB>count" for each value in order. Values contain no tab or newline. */
void vocab_write(const Vocab *vocab, StrBuf *out);
/* Reads the output of vocab_write; name is used in messages. ERR_FORMAT, ERR_NOMEM. */
Status vocab_read(Vocab *vocab, StrView text, const char *name, Error *error);

/* What is meant by text[0 .. len), a mistyped value, among those with numbers >= from (base/suggest.h). */
SuggestionText vocab_suggest(const Vocab *vocab, int from, const char *text, size_t len);
