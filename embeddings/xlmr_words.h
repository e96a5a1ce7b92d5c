/* Pieces of words and texts as the tokenizer of XLM-R (Conneau et al. 2020) has them: the pieces of SentencePiece
 * (unigram.h), with other ids. A file begins with <unk>, <s> and </s>; the ids of XLM-R are <s> 0, <pad> 1, </s> 2,
 * <unk> 3, then k + 1 for piece k of the file, and <mask> last. The file has neither <pad> nor <mask>.
 *
 * A word alone has the pieces that it has in running text, as far as its first character tells. SentencePiece puts a
 * blank before a text, U+2581, and with it pieces of a word differ: in running text words of Chinese and closing
 * punctuation have no blank before them. So none is put before a word that begins with a character of Chinese,
 * Japanese, Thai, Lao, Tibetan, Burmese or Khmer, or with one of ! % ' ) , - . / : ; ? ] } and U+2019, U+201D, U+2026.
 * Percentage of words that get the pieces they have in the sentence, with a blank before each word and by this rule
 * (vocabulary of XLM-R, 400 sentences of each treebank; what remains in Chinese are pieces of two words): UD
 * Chinese-PUD 4.3, 72.5; UD French-Sequoia 79.0, 86.5; UD Portuguese-Bosque 77.5, 86.8; GreynirCorpus 91.8, 99.6; UD
 * English-EWT 85.2, 94.8. */
#pragma once

#include "base/error.h"
#include "embeddings/unigram.h"

/* Does the file begin with <unk>, <s> and </s>? ERR_FORMAT. */
Status xlmr_words_check(const Unigram *unigram, const char *path, Error *error);

/* The number that all ids are below. */
int xlmr_words_size(const Unigram *unigram);
/* The id of piece `index` of the file. */
int xlmr_words_id(int index);
/* The piece of the file with this id; -1 for <pad>, <mask> and what is no id. */
int xlmr_words_index(const Unigram *unigram, int id);
/* The text of a piece by its id; ptr NULL for what is no id. */
StrView xlmr_words_piece(const Unigram *unigram, int id);

/* Appends the pieces of a word. ERR_NOMEM, ERR_LIMIT. */
Status xlmr_words_encode(const Unigram *unigram, StrView word, Pieces *out, Error *error);
