/* embeddings/piece_align.h
 * Words and pieces: the sequence of pieces that an encoder reads for a sentence of words, and the pieces of each word.
 */
#ifndef LAL_EMBEDDINGS_PIECE_ALIGN_H
#define LAL_EMBEDDINGS_PIECE_ALIGN_H

#include "base/error.h"
#include "embeddings/piece_tokenizer.h"

/* A sentence as pieces: the first piece, the pieces of each word, the last piece. */
typedef struct PieceSentence {
    int *id; /* [n] */
    int n;
    int *word; /* [n_words + 1] pieces of word w: id[word[w]] .. id[word[w + 1] - 1], at least one; word[0] = 1,
                  word[n_words] = n - 1 */
    int n_words;
    int cap_id, cap_word;
} PieceSentence;

/* Each word is encoded on its own, and one without pieces is the unknown piece. *out, {0} at first, is replaced and
 * keeps its memory. ERR_NOMEM; ERR_LIMIT for a word above PIECES_MOST_TEXT bytes. */
Status piece_align_words(const PieceTokenizer *t, const char *const *words, int n_words, PieceSentence *out, Error *e);
void piece_align_fini(PieceSentence *p);

/* Pieces of the words of a text that was encoded as a whole, by their places: word w is bytes [begin[w] .. end[w]) of
 * the text, in order and without overlap. The pieces that share a byte with word w are first[w] .. past[w] - 1; a piece
 * may belong to two words, and a word may have none (first[w] = past[w]). Places of pieces never go back, which
 * tokenizers take care of; pieces without a byte belong to no word. */
void piece_align_places(const Pieces *p, const int *begin, const int *end, int n_words, int *first, int *past);

/* Words of a treebank as text has them, for an encoder that was trained on text: -LRB- and its like become brackets;
 * `` '' and typographic double quotes ", single ones and ` become '; and dashes become --. Words that stay as they are,
 * are borrowed; the others lie in the arena, as does the array [n]. NULL when out of memory. */
const char **piece_align_spell(const char *const *words, int n, Arena *a);

#endif
