/* Subwords by byte-pair encoding (Sennrich et al. 2016, "Neural machine translation of rare words with subword units",
 * section 3.2), learnt from text, such as the two languages of a translation together.
 *
 * Units: a text is cut at white space into words, a word into its longest runs of letters and digits (Unicode L and N)
 * and each other character, combining marks too, alone. The first unit of a word begins with U+2581. Pieces do not
 * cross units.
 *
 * Learning: the symbols of a unit are at first its characters. Again and again the most frequent pair of adjacent
 * symbols in all units becomes one symbol wherever it stands, from left to right. Of equally frequent pairs it is the
 * one with the smaller left, then right symbol in the order of code points.
 *
 * Vocabulary: a Vocab whose first N_RESERVED values are START, STOP and unknown (token_embedding.h), then come the
 * characters by code point, then the joined pairs in the order in which they were learnt. In a file (vocab_write) each
 * line has a piece and how often it was found: a character in all units, a pair when it was joined.
 *
 * The texts are enough, as only one pair of symbols can have the text of a piece: no pair across the ends of a symbol
 * was joined, so in each step before, its text was divided as if it stood alone. Encoding it with the entries before it
 * gives the two.
 *
 * A vocabulary is not changed by what reads it, so threads may share one. */
#pragma once

#include "base/error.h"
#include "embeddings/pieces.h"
#include "treebank/vocab.h"

/* Appends the units of a line: their texts and places, id -1. They are in order and not empty, so the unit of a piece
 * is the last one that begins at or before the piece. A byte that is not UTF-8 is a unit. ERR_NOMEM; ERR_LIMIT above
 * PIECES_MOST_TEXT bytes. */
Status bpe_units(StrView line, Pieces *out, Error *error);

/* Counts the units of a line. Those with a NUL byte or bytes that are not UTF-8 are left out. Errors of bpe_units. */
Status bpe_count(StrView line, Vocab *units, Error *error);
/* Learns from counted units. `pieces` has the N_RESERVED reserved values alone before. After, it has all characters and
 * at most `most` <= PIECES_MOST values, or fewer if no further pair occurs twice. The result depends on the counts, not
 * on their order. ERR_NOMEM; ERR_LIMIT for more than PIECES_MOST characters. */
Status bpe_learn(const Vocab *units, int most, Vocab *pieces, Error *error);
/* Checks a vocabulary that was read (vocab_read): after the reserved values, whose texts are free, come characters by
 * code point, then pieces within a unit that encoding with the entries before them divides in two. `path` is for
 * messages; value k is in line k + 1. ERR_FORMAT; ERR_LIMIT for more than PIECES_MOST values; ERR_NOMEM. */
Status bpe_check(const Vocab *pieces, const char *path, Error *error);

/* Appends the pieces of a line: of each unit, its characters with pairs joined as they were learnt, the earliest first
 * and each from left to right. Each character that is not in the vocabulary is one unknown piece, with the text that it
 * has in the vocabulary. The U+2581 of a word has no place in the line, so a piece of it alone is empty. The time is
 * O(n log n) for n bytes. ERR_NOMEM; ERR_LIMIT above PIECES_MOST_TEXT bytes. */
Status bpe_encode(const Vocab *pieces, StrView line, Pieces *out, Error *error);
/* Appends the text of n pieces, 0 <= ids[k] < vocab_size(pieces): joined, with a blank for each U+2581, of which one at
 * the beginning is left out. START and STOP are nothing, unknown pieces U+2047. A line of known characters without
 * U+2581 whose words one blank separates is restored. A buffer that failed is out of memory. */
void bpe_decode(const Vocab *pieces, const int *ids, int n, StrBuf *out);
