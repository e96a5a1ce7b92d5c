/* WordPiece, the tokenizer of BERT and MPNet (Schuster and Nakajima 2012; Devlin et al. 2019): a text is cleaned and
 * split into words (bert_text.h), and a word into the longest piece of the vocabulary that it begins with, then the
 * longest that what remains begins with, and so on. Pieces that continue a word have a prefix, "##". A word with a part
 * that no piece covers, or with more than max_chars characters, is the unknown piece.
 *
 * Added pieces, such as [MASK], are found in the text before it is split and are never split themselves.
 *
 * The time to encode a text is proportional to its length: a word has at most max_chars characters, and a search for a
 * piece stops where no piece of the vocabulary goes on. */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "embeddings/bert_text.h"
#include "embeddings/piece_trie.h"
#include "embeddings/pieces.h"

enum {
    WORDPIECE_MOST_ADDED = 4096,      /* added pieces */
    WORDPIECE_MOST_ADDED_BYTES = 256, /* bytes of one added piece */
    WORDPIECE_MOST_CHARS = 1000       /* largest max_chars */
};

typedef struct AddedPiece {
    StrView text; /* at least one byte */
    int id;
    bool single_word;    /* only where no letter, digit, mark or underscore stands beside it */
    bool lstrip, rstrip; /* takes the white space before it, after it */
    bool normalized;     /* sought in the normalised text, else in the text as it is */
} AddedPiece;

typedef struct WordPiece {
    BertRules rules;
    StrView *piece; /* [n] by id; ptr NULL where the vocabulary has no piece */
    int n, cap;
    int unknown;        /* id */
    int max_chars;      /* longest word, in characters; 100 unless tokenizer.json says otherwise */
    bool trim;          /* the place of an added piece does not count the white space that it takes */
    PieceTrie pieces;   /* text -> id */
    TrieState inside;   /* state after the prefix of pieces that continue a word */
    const char *prefix; /* usually "##" */
    AddedPiece *added;
    int n_added, cap_added;
    PieceTrie plain, normal; /* added pieces sought in the text, in the normalised text: text -> index in added */
    Arena arena;
} WordPiece;

/* From tokenizer.json: model WordPiece with the normalizer BertNormalizer and the pre-tokenizer BertPreTokenizer;
 * truncation, padding and what decodes are not used. ERR_IO, ERR_FORMAT with line and column, ERR_NOMEM; the tokenizer
 * is empty then. */
Status wordpiece_read_json(WordPiece *pieces, const char *path, Error *error);
/* wordpiece_read_json from memory; `path` is for messages. */
Status wordpiece_parse_json(WordPiece *pieces, StrView text, const char *path, Error *error);
/* Appends a tokenizer.json that wordpiece_parse_json reads as the same tokenizer. A buffer that failed is out of
 * memory. */
void wordpiece_write_json(const WordPiece *pieces, StrBuf *out);
/* From a vocabulary, one piece a line, ids by order (of repeated pieces the last counts), and tokenizer_config.json:
 * do_lower_case, strip_accents, tokenize_chinese_chars and the special pieces (unk_token ..., added_tokens_decoder),
 * which must be in the vocabulary or have an id. `specials`: the path of special_tokens_map.json, whose entries replace
 * entries of the configuration; NULL for none. Special pieces are added pieces. Errors as above. */
Status wordpiece_read_vocabulary(WordPiece *pieces, const char *vocabulary, const char *config, const char *specials,
                                 Error *error);
void wordpiece_fini(WordPiece *pieces);

/* Appends the pieces of a text to *out, without the first and last piece that an encoder wants. An unknown piece has
 * the text of the unknown piece and the place of its word. ERR_NOMEM, ERR_LIMIT. */
Status wordpiece_encode(const WordPiece *pieces, StrView text, Pieces *out, Error *error);

/* ---- what the readers of files share */

void wordpiece_init(WordPiece *pieces);
/* ERR_RANGE without a message: id is not below PIECES_MOST. ERR_NOMEM. */
Status wordpiece_set_piece(WordPiece *pieces, int id, const char *text, size_t len, Error *error);
/* Replaces an added piece of the same text. ERR_LIMIT above WORDPIECE_MOST_ADDED or WORDPIECE_MOST_ADDED_BYTES,
 * ERR_NOMEM. */
Status wordpiece_add(WordPiece *pieces, AddedPiece piece, Error *error);
/* Makes the trie of the pieces set so far; those set later are no pieces of words. `prefix` begins pieces that
 * continue a word. With `twice`, two ids of one text are an error: ERR_FORMAT without a message, *twice one of the
 * ids; NULL: the higher id counts. */
Status wordpiece_index(WordPiece *pieces, const char *prefix, int *twice, Error *error);
/* Makes the tries of added pieces; rules must be known. */
Status wordpiece_index_added(WordPiece *pieces, Error *error);
