/* The tokenizer of a pretrained encoder, of any kind: WordPiece (wordpiece.h), and SentencePiece's unigram model with
 * the rules of XLNet (unigram.h, xlnet_words.h) or of XLM-R (xlmr_words.h). The kind belongs to the files of a folder,
 * not to the layers of the encoder: multilingual ones have XLM-R's tokenizer over BERT's layers. Read-only after it was
 * opened, and shared by threads. */
#pragma once

#include "base/error.h"
#include "embeddings/pretrained_config.h"
#include "embeddings/unigram.h"
#include "embeddings/wordpiece.h"

typedef enum TokenizerKind { TOKENIZER_WORDPIECE, TOKENIZER_XLNET, TOKENIZER_XLMR } TokenizerKind;

typedef struct PieceTokenizer {
    TokenizerKind kind;
    WordPiece wordpiece; /* of TOKENIZER_WORDPIECE */
    Unigram unigram;     /* of the others */
    int first, last;     /* ids at the ends of a sequence: [CLS] and [SEP], <s> and </s>, <cls> and <sep> */
    int unknown;         /* id */
} PieceTokenizer;

/* "wordpiece", "xlnet" or "xlm-roberta", as model files have them, and the kind of such a name, or -1. */
const char *piece_tokenizer_kind(TokenizerKind kind);
int piece_tokenizer_find_kind(const char *name);

/* Opens the tokenizer of a folder, by the first of these files that is there: spiece.model, XLNet's, whose
 * tokenizer_config.json may not ask for lower case, accents or blanks that stay; sentencepiece.bpe.model, XLM-R's;
 * tokenizer.json of WordPiece; vocab.txt of WordPiece with tokenizer_config.json and, if there is one,
 * special_tokens_map.json. The first and last piece are cls_token and sep_token of tokenizer_config.json, if it names
 * them, else the usual ones of the tokenizer, for WordPiece of the encoder. ERR_IO, ERR_FORMAT with a place, ERR_LIMIT,
 * ERR_NOMEM; *tokenizer is empty then. */
Status piece_tokenizer_open(PieceTokenizer *tokenizer, const char *dir, PretrainedKind encoder, Error *error);
void piece_tokenizer_close(PieceTokenizer *tokenizer);

/* Does the vocabulary fit a model with config->n_pieces rows? It may have up to 127 pieces fewer, because tables of
 * pieces are rounded up. ERR_CONFIG with both numbers. */
Status piece_tokenizer_check(const PieceTokenizer *tokenizer, const PretrainedConfig *config, const char *path,
                             Error *error);

/* The number that all ids of pieces are below. */
int piece_tokenizer_size(const PieceTokenizer *tokenizer);
/* Whether words that differ in case only have the same pieces: the encoder does not see the case then. */
bool piece_tokenizer_lowercase(const PieceTokenizer *tokenizer);
/* The text of a piece; ptr NULL for an id that no piece has. */
StrView piece_tokenizer_piece(const PieceTokenizer *tokenizer, int id);

/* Appends the pieces of a word with their places in it, without first and last piece; a word without pieces has the
 * unknown piece. ERR_NOMEM, ERR_LIMIT. */
Status piece_tokenizer_encode_word(const PieceTokenizer *tokenizer, StrView word, Pieces *out, Error *error);

/* Appends the tokenizer as bytes, for piece_tokenizer_parse: a tokenizer.json, or the SentencePiece model. First and
 * last piece are not among them. A buffer that failed is out of memory. */
void piece_tokenizer_write(const PieceTokenizer *tokenizer, StrBuf *out);
/* Reads the bytes of piece_tokenizer_write; first and last piece are given by their ids. `path` is for messages. Errors
 * as of piece_tokenizer_open. */
Status piece_tokenizer_parse(PieceTokenizer *tokenizer, StrView bytes, TokenizerKind kind, int first, int last,
                             const char *path, Error *error);
/* Sets *to to a copy, by piece_tokenizer_write and piece_tokenizer_parse. ERR_NOMEM. */
Status piece_tokenizer_copy(const PieceTokenizer *from, PieceTokenizer *to, Error *error);
