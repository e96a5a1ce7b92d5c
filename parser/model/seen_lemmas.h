/* The lemmas that words had in training: a vocabulary of "word UPOS lemma", by word and part of speech, the more
 * frequent lemma first. Words and lemmas with a blank have no place in it. */
#pragma once

#include "base/arena.h"
#include "treebank/vocab.h"

/* Counts the lemma of a word once. false when out of memory. */
bool seen_lemmas_count(Vocab *vocab, const char *word, const char *upos, const char *lemma);
/* Puts the entries in order; where each word is its own lemma, no entry stays. false when out of memory. */
bool seen_lemmas_sort(Vocab *vocab);
/* ERR_FORMAT: an entry has another form, or the order is another one. */
Status seen_lemmas_check(const Vocab *vocab, Error *error);
/* The lemma of a word: `lemma` if it was seen, or none was; else the most frequent one. A word that was not seen is
 * looked up in lower case. Borrowed from the vocabulary or from the arguments; NULL when out of memory. */
const char *seen_lemmas_choose(const Vocab *vocab, const char *word, const char *upos, const char *lemma);
