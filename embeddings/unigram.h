/* SentencePiece's unigram language model (Kudo 2018), of XLNet and XLM-R: the pieces whose scores, logarithms of
 * probabilities, have the largest sum. The text is normalised first (unigram_normalizer.h). A character that no piece
 * is alone costs the smallest score of all pieces minus 10; unknown characters in a row are one unknown piece, or with
 * byte fallback their bytes are pieces of their own, "<0xE2>".
 *
 * Numbers are computed and compared as in SentencePiece's encoder (version 0.1.99), so that ties break alike. The time
 * is proportional to the length of the text. */
#pragma once

#include "base/error.h"
#include "embeddings/pieces.h"
#include "embeddings/unigram_normalizer.h"

/* Types of pieces, by their numbers in the file. */
typedef enum UnigramType {
    UNIGRAM_NORMAL = 1,
    UNIGRAM_UNKNOWN,
    UNIGRAM_CONTROL, /* such as <sep>: in no text */
    UNIGRAM_USER,    /* user-defined: kept by the normaliser, and one piece wherever it stands */
    UNIGRAM_UNUSED,
    UNIGRAM_BYTE
} UnigramType;

typedef struct UnigramPiece {
    StrView text; /* in Unigram.file */
    float score;
    UnigramType type;
} UnigramPiece;

typedef struct Unigram {
    UnigramPiece *piece; /* [n] by id */
    int n, cap;
    PieceTrie match;              /* normal, user-defined and unused pieces: text -> id */
    PieceTrie reserved;           /* the others */
    UnigramNormalizer normalizer; /* keeps user-defined pieces */
    int unknown;                  /* id */
    int byte_id[256];             /* ids of "<0x00>" ...; -1 without byte fallback */
    bool byte_fallback;
    float unknown_score, max_score; /* score of an unknown character; largest score of normal pieces */
    StrBuf file;
} Unigram;

/* Reads a SentencePiece model file (.model): a protocol buffer ModelProto with a model of type unigram. ERR_IO;
 * ERR_FORMAT, with the byte; ERR_LIMIT, ERR_NOMEM; *unigram is empty then. */
Status unigram_read(Unigram *unigram, const char *path, Error *error);
/* unigram_read from memory, which is copied. `path` is for messages. */
Status unigram_parse(Unigram *unigram, StrView file, const char *path, Error *error);
void unigram_fini(Unigram *unigram);

/* Appends the pieces of a text to *out. The text of an unknown piece is what the text became when it was normalised;
 * places of the pieces of one unknown character are empty but for the last. ERR_NOMEM, ERR_LIMIT. */
Status unigram_encode(const Unigram *unigram, StrView text, Pieces *out, Error *error);
/* unigram_encode of a text that has no blank before it in a longer one: none is put before it. */
Status unigram_encode_glued(const Unigram *unigram, StrView text, Pieces *out, Error *error);
/* The id of a piece, control pieces included; any other text has the id of the unknown piece. */
int unigram_find(const Unigram *unigram, StrView piece);
