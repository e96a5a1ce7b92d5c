/* Static word vectors: a row for each word of a text file, not trained. A word without a row is looked up in lower
 * case; if that has none either, its vector is the mean over its pieces that have one: its runs of letters and digits
 * and its other characters. If the file holds a WordPiece vocabulary (Schuster and Nakajima 2012), a run is cut further
 * into the longest pieces "un", "##seen". */
#pragma once

#include "base/error.h"
#include "tensor/tensor.h"
#include "treebank/vocab.h"

typedef struct WordVectors {
    int d;
    Real *values; /* [words, d]; the mean square of all is 1 */
} WordVectors;

/* Reads `path`: a word and d numbers a line, separated by blanks or tabs; a first line of two whole numbers (word2vec,
 * fastText) is skipped. At most `most` words, 0 = all; of repeated words the first counts. The words are added to
 * `words`, which must be empty, row by row. ERR_IO, ERR_FORMAT with line and column, ERR_NOMEM; free with
 * word_vectors_fini in any case. */
Status word_vectors_read(WordVectors *vectors, Vocab *words, const char *path, int most, Error *error);
void word_vectors_fini(WordVectors *vectors);

enum { MAX_PIECES = 32 };
/* Rows whose mean is the vector of a word; returns how many, 0 for a word without a vector, -1 when out of
 * memory. */
int word_vectors_pieces(const Vocab *words, const char *word, size_t len, int rows[MAX_PIECES]);
