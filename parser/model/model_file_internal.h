/* What writing (model_save.c) and reading (model_load.c) a model file share. */
#pragma once

#include "parser/model/model_file.h"

/* Metadata with the checksum: 16 hexadecimal digits; the hash is taken with them as '0'. It is the first key of the
 * file. */
#define MODEL_CHECKSUM_KEY "lal.checksum"
#define MODEL_CHECKSUM_ZERO "0000000000000000"

#define MODEL_HEAD_NAMES_KEY "lal.head_names"
#define MODEL_JOINT_KEY "lal.joint_weights"

/* The tensor with the tokenizer of the pretrained encoder (piece_tokenizer_write). */
#define MODEL_TOKENIZER "pretrained.tokenizer"
#define MODEL_TEXT "language.text" /* trained_text_save */

/* The names of the metadata with the heads of a pruned layer, numbered as in HeadPlan, of n_layers of self-attention;
 * and of the label heads' with "true" if those that were pruned share a block. */
typedef struct ModelHeadsKey {
    char text[40];
} ModelHeadsKey;
ModelHeadsKey model_heads_key(LayerId layer, int n_layers);
ModelHeadsKey model_block_key(LayerId layer);
/* The name of the metadata with the heads of a pruned layer of a decoder. */
ModelHeadsKey model_decoder_key(DecoderStack stack, int layer);

/* ERR_CONFIG if there is no such tensor, or it has another shape. */
Status model_find_tensor(const SafeTensors *st, const char *name, int n_dims, const int *dims, const StTensor **tensor,
                         Error *error);

/* safetensors_open_above, but what is no model is named: a text, an archive, the beginning of a model, ... */
Status model_open(SafeTensors *st, const char *path, size_t map_above, Error *error);

/* Does the file begin as a model that was saved? Then it is worth copying, however large it is. */
bool model_begins(const char *path);

/* The type that a parameter has in a model stored as `dtype`. With I8 tables are U8, which is 4 bits, and parameters of
 * one dimension (biases, norms) or of fewer than 8 rows F16; with U8 matrices are in 4 bits, too. */
DType model_stored(const Param *param, DType dtype);
static inline bool is_narrow(DType dtype) { return dtype == DT_I8 || dtype == DT_U8; }
/* Weights in 8 and 4 bits (model_narrow.c): tensors NAME of I8 or U8, and NAME.scale. Index of the first number that
 * cannot be stored as `dtype`, one of these, or their number. */
size_t model_narrow_unfit(const Param *param, const Real *x, DType dtype);
/* Declares and writes all tensors of a model that is stored as `dtype`, I8 or U8. */
void model_narrow_declare(StWriter *writer, const Model *model, DType dtype);
void model_narrow_write(StWriter *writer, const Model *model, DType dtype);
/* The tensor of param, which has the right shape, and so have its scales if it is narrow (ERR_CONFIG); others have none
 * (ERR_FORMAT). */
Status model_narrow_find(const SafeTensors *st, const Param *param, const StTensor **tensor, Error *error);
/* Where the numbers of a narrow tensor are that was found. ERR_FORMAT for a negative scale of I8, ERR_NUMERIC for one
 * that is not finite or too large. */
Status model_narrow_source(const SafeTensors *st, const Param *param, const StTensor *tensor, StoredSource *source,
                           Error *error);
