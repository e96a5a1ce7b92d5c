/* treebank/vocab.h
 * Values of a treebank and their numbers: words, tags, labels, dependency types, characters. */
#ifndef LAL_TREEBANK_VOCAB_H
#define LAL_TREEBANK_VOCAB_H

#include "base/map.h"
#include "base/text.h"

typedef struct Vocab {
    StrMap map;  /* value -> number; map.n values, map.keys[i] their text */
    int *counts; /* [map.n] sightings in training */
    int cap;
} Vocab;

void vocab_init(Vocab *v);
void vocab_fini(Vocab *v);
/* Adds `times` sightings of value; returns its number, or -1 when memory is out. */
int vocab_count(Vocab *v, const char *value, size_t len, int times);
int vocab_find(const Vocab *v, const char *value);
/* The numbers of n values, -1 for those it does not hold, in the arena. false: memory is out. */
bool vocab_numbers(const Vocab *v, const char *const *values, int n, Arena *a, const int **out);
static inline int vocab_size(const Vocab *v) { return v->map.n; }
static inline const char *vocab_text(const Vocab *v, int i) { return v->map.keys[i]; }
/* Keeps the first `reserved` values and those seen at least min_count times, renumbered in order. false: no memory. */
bool vocab_prune(Vocab *v, int reserved, int min_count);

/* "value<TAB>count<LF>" a value; read back in the same order. Values hold no tab or newline. */
void vocab_write(const Vocab *v, StrBuf *out);
/* ERR_FORMAT on anything but what vocab_write makes; name is for the message. */
Status vocab_read(Vocab *v, StrView text, const char *name, Error *e);

#endif
