/* A tokenizer with fewer pieces: those that texts of one language need. A vocabulary of 100 languages has 250,000
 * pieces, of which a text of one language has a tenth, and the table of their vectors is most of such an encoder.
 *
 * A text has the same pieces as before where all of these were kept; elsewhere a word has shorter ones. */
#pragma once

#include "embeddings/piece_tokenizer.h"

typedef struct PieceCut {
    int *kept; /* [n] ids that stay, rising; kept[k] becomes k */
    int n;
} PieceCut;

/* Keeps the pieces that `text` (UTF-8) has at least `least` > 0 times; all of a single character, with or without "##"
 * or U+2581 before it, so that what was known stays known, but not those that no text has, as "##" before an ideograph
 * that is always a word of its own; those that stand for no text, such as [MASK] and bytes; and, of SentencePiece, one
 * with the smallest and one with the largest score of all, on which the scores of unknown characters and of
 * user-defined pieces depend. The text is tokenized as the parser does it, by words between white space; for
 * SentencePiece also by their parts, runs of letters, digits and marks and each other character, which are words of the
 * parser too. Free with piece_cut_fini in any case. ERR_NOMEM, ERR_LIMIT. */
Status piece_cut_choose(const PieceTokenizer *tokenizer, StrView text, int least, PieceCut *cut, Error *error);
void piece_cut_fini(PieceCut *cut);

/* The tokenizer with these pieces only, which include those that piece_cut_choose keeps in any case. ERR_NOMEM. */
Status piece_cut_tokenizer(const PieceTokenizer *from, const PieceCut *cut, PieceTokenizer *to, Error *error);
