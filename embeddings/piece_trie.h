/* A set of strings with a number each, walked byte by byte: which of the strings does a text begin with? The strings
 * are sorted, a state is a range of them that agree so far, and a step narrows it by binary search: O(log n) a byte,
 * and no memory beyond the sorted list. */
#pragma once

#include "base/error.h"
#include "base/text.h"

typedef struct TrieKey {
    StrView text; /* borrowed; may contain NUL */
    int value;    /* at least 0 */
} TrieKey;

typedef struct PieceTrie {
    TrieKey *key; /* [n] sorted by bytes */
    int n;
    int first[257]; /* keys that begin with byte c are first[c] .. first[c + 1] - 1 */
} PieceTrie;

typedef struct TrieState {
    int begin, end; /* keys that begin with the bytes so far; none if begin == end */
    size_t depth;   /* how many bytes that is */
} TrieState;

/* Makes a trie of n keys, whose texts must outlive it. Two keys of the same text are ERR_FORMAT without a message, and
 * *twice is the larger of their values; with `twice` NULL the larger value counts. ERR_NOMEM. Free with piece_trie_fini
 * in any case. */
Status piece_trie_init(PieceTrie *trie, const TrieKey *keys, int n, int *twice, Error *error);
void piece_trie_fini(PieceTrie *trie);

TrieState piece_trie_start(const PieceTrie *trie);
/* Adds a byte. false: no key begins so, and the state must not be used any more. */
bool piece_trie_step(const PieceTrie *trie, TrieState *state, unsigned char byte);
/* The value of the key that is the bytes so far, or -1. */
int piece_trie_value(const PieceTrie *trie, TrieState state);

/* The value of `text`, or -1. */
int piece_trie_find(const PieceTrie *trie, StrView text);
/* The value of the longest key, of at least one byte, that continues state s with the first bytes of `text`; *used its
 * bytes of text. -1 for none. */
int piece_trie_longest(const PieceTrie *trie, TrieState state, StrView text, size_t *used);
