/* Places of characters in words, as tags (Xue 2003, Chinese Word Segmentation as Character Tagging): <B> begins a word
 * of several, <M> is in it, <E> ends it, <S> is a word. Only treebanks of characters have them (characters.h). */
#pragma once

#include "parser/model/model.h"

extern const char *const PLACES_TAG[4]; /* by 1: begins a word, 2: ends one */
enum { PLACES_BEGINS = 1, PLACES_ENDS = 2 };

/* Is this one of them? No sentence of words has such tags. */
static inline bool places_has(const char *tag) { return tag[0] == '<' && tag[1] && tag[2] == '>' && !tag[3]; }

/* The numbers of these tags in the model, -1 of one that it does not know; false: it knows none. */
bool places_find(const Model *model, int number[4]);

/* The best places of n characters, of rows of scores of all tags, `cols` apart: each word begins and ends, and begins
 * where apart [n] (or NULL) says so. false when out of memory. */
bool places_choose(const int number[4], const Real *scores, int cols, int n, const bool *apart, Arena *scratch,
                   const char **tags);
