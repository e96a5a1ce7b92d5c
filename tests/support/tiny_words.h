/* tests/support/tiny_words.h: two sentences of words and their pieces, for the encoders of tiny_pretrained.h. */
#ifndef LAL_TESTS_SUPPORT_TINY_WORDS_H
#define LAL_TESTS_SUPPORT_TINY_WORDS_H

#include "embeddings/piece_batch.h"
#include "tests/support/tiny_pretrained.h"

enum { WORDS = 6, TOKENS = WORDS + 4 };
static const int IDS[] = { 4, 2, 6, 6, 3, 5, 7, 8, 2 }, N_WORDS[] = { 5, 1 },
                 SENTENCE_OF[] = { 0, 0, 0, 0, 0, 0, 0, 1, 1, 1 }, START[] = { 0, 7, 10 };
static const WordPieces PIECES[WORDS] = { { IDS, 1 },     { IDS + 1, 3 }, { IDS + 4, 1 },
                                          { IDS + 5, 1 }, { IDS + 6, 2 }, { IDS + 8, 1 } };
static const Batch BATCH = { 2, START, TOKENS, 7 };

#endif
