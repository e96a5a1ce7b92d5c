/* parser/model_file.h
 * Models and checkpoints on disk: safetensors with configuration, vocabularies and training summary inside
 * (docs/FORMATS.md). The checksum covers the whole file. */
#ifndef LAL_PARSER_MODEL_FILE_H
#define LAL_PARSER_MODEL_FILE_H

#include "parser/model.h"
#include "tensor/safetensors.h"

enum { MODEL_FORMAT_VERSION = 1 };

/* Numbers saved beside the weights: slabs laid out as m->ps (Adam's moments, the running average). */
typedef struct ExtraSlab {
    const char *prefix; /* of the tensor names: "adam.m/" */
    Real *values;
} ExtraSlab;

/* Writes to a temporary name and renames. Weights are stored as `dtype` (F32, F16, BF16), slabs as F32 (F64 in a
 * double build). state: JSON of a training state, or NULL. ERR_NUMERIC, with the old file as it was, where a number
 * is not finite or dtype cannot hold it; ERR_IO, ERR_NOMEM. */
Status model_save(const Model *m, const char *path, DType dtype, const ExtraSlab *extra, int n_extra, const char *state,
                  Error *e);

/* Loads a model made by model_save, with its weights on device_default(); m must be fresh from model_init (parameter
 * groups may be given). state, if not NULL, receives the training state
 * (NULL if the file has none; free with mem_free). The file is distrusted: shapes are compared with those of the
 * configuration before memory is taken for weights, so a file costs memory by its own size, whatever it claims.
 * ERR_FORMAT on a damaged or newer file, ERR_CONFIG on weights that do not fit the configuration, ERR_NUMERIC on a
 * weight that is not finite, ERR_IO, ERR_NOMEM. */
Status model_load(Model *m, const char *path, char **state, Error *e);
/* Fills slabs of a loaded model from the same file. ERR_CONFIG if a tensor is missing or has another shape,
 * ERR_NUMERIC if a number is not finite. */
Status model_load_extra(const Model *m, const char *path, const ExtraSlab *extra, int n_extra, Error *e);

/* The checksum of a whole model file in memory, and the place of its 16 digits there; NULL where the file has no such
 * place. */
const unsigned char *model_checksum(const unsigned char *p, size_t size, char digits[17]);

#endif
