/* parser/model_file_internal.h
 * What writing (model_save.c) and reading (model_load.c) a model file share. */
#ifndef LAL_PARSER_MODEL_FILE_INTERNAL_H
#define LAL_PARSER_MODEL_FILE_INTERNAL_H

#include "parser/model_file.h"

/* Metadata with the checksum: 16 hexadecimal digits; the hash is taken with them as '0'. It is the first key of the
 * file. */
#define MODEL_CHECKSUM_KEY "lal.checksum"
#define MODEL_CHECKSUM_ZERO "0000000000000000"

/* A vocabulary of the Model, and the tensor with its texts. A file may lack it if it is optional; `types` is optional
 * for a model that does not parse. */
typedef struct ModelVocab {
    const char *name;
    size_t offset; /* in the Model */
    bool optional;
} ModelVocab;
enum { N_MODEL_VOCABS = 10 };
extern const ModelVocab MODEL_VOCABS[N_MODEL_VOCABS];

/* The tensor with the tokenizer of the pretrained encoder (piece_tokenizer_write). */
#define MODEL_TOKENIZER "pretrained.tokenizer"

/* The names of the metadata with the heads of a pruned layer, and of the label heads' with "true" if those that were
 * pruned share a block. */
typedef struct ModelHeadsKey {
    char text[40];
} ModelHeadsKey;
ModelHeadsKey model_heads_key(int layer);
ModelHeadsKey model_block_key(int layer);

#endif
