/* parser/model/model_file_internal.h
 * What writing (model_save.c) and reading (model_load.c) a model file share. */
#pragma once

#include "parser/model/model_file.h"

/* Metadata with the checksum: 16 hexadecimal digits; the hash is taken with them as '0'. It is the first key of the
 * file. */
#define MODEL_CHECKSUM_KEY "lal.checksum"
#define MODEL_CHECKSUM_ZERO "0000000000000000"

/* A vocabulary of the Model, and the tensor with its texts. A file may lack it if it is optional. */
typedef struct ModelVocab {
    const char *name;
    size_t offset; /* in the Model */
    bool optional;
} ModelVocab;
enum { N_MODEL_VOCABS = 10 };
extern const ModelVocab MODEL_VOCABS[N_MODEL_VOCABS];

/* The tensor with the tokenizer of the pretrained encoder (piece_tokenizer_write). */
#define MODEL_TOKENIZER "pretrained.tokenizer"

/* The names of the metadata with the heads of a pruned layer, numbered as in HeadPlan, of n_layers of self-attention;
 * and of the label heads' with "true" if those that were pruned share a block. */
typedef struct ModelHeadsKey {
    char text[40];
} ModelHeadsKey;
ModelHeadsKey model_heads_key(LayerId layer, int n_layers);
ModelHeadsKey model_block_key(LayerId layer);

/* ERR_CONFIG if there is no such tensor, or it has another shape. */
Status model_find_tensor(const SafeTensors *st, const char *name, int n_dims, const int *dims, const StTensor **t,
                         Error *e);

/* Does the file begin as a model that was saved? Then it is worth copying, however large it is. */
bool model_begins(const char *path);

/* The type that a parameter has in a model stored as `dtype`: with I8, parameters of one dimension (biases, norms) or
 * of fewer than 8 rows are F16. */
DType model_stored(const Param *p, DType dtype);
/* Weights in 8 bits (model_int8.c): tensors NAME of I8 and NAME.scale. Index of the first number that cannot be stored,
 * or their number. */
size_t model_int8_unfit(const Param *p, const Real *x);
void model_int8_declare(StWriter *w, const Model *m);
void model_int8_write(StWriter *w, const Model *m);
/* The tensor t of p has scales of the right shape if it is I8 (ERR_CONFIG), and none otherwise (ERR_FORMAT). */
Status model_int8_check(const SafeTensors *st, const Param *p, const StTensor *t, Error *e);
/* Where the numbers of an I8 tensor are that was checked. ERR_FORMAT for a negative scale, ERR_NUMERIC for one that is
 * not finite or too large. */
Status model_int8_source(const SafeTensors *st, const Param *p, const StTensor *t, StoredSource *source, Error *e);
