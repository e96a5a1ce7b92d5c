/* Pieces of a word as XLNet's tokenizer makes them (Yang et al. 2019): white space is reduced to single blanks, `` and
 * '' become ", compatibility characters are decomposed (NFKD) and combining marks removed, case is kept; then
 * SentencePiece (unigram.h); then a piece of more than one character that ends with a digit and a comma is encoded
 * again without the comma, which becomes a piece of its own. A piece has the id of its text. */
#pragma once

#include "base/error.h"
#include "embeddings/unigram.h"

/* Appends the pieces of a word, or of any text. Pieces that come of a digit and a comma all have the place of the piece
 * that they replace. ERR_NOMEM, ERR_LIMIT. */
Status xlnet_words_encode(const Unigram *unigram, StrView word, Pieces *out, Error *error);
