/* parser/model_file.h
 * Models and checkpoints on disk: safetensors with configuration, vocabularies and training summary inside (docs/FORMATS.md).
 * The checksum covers the whole file. */
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

/* Writes to a temporary name and renames. Weights are stored as `dtype` (F32, F16, BF16), slabs as F32 (F64 in a double
 * build). state: JSON of a training state, or NULL. */
Status model_save(const Model *m, const char *path, DType dtype, const ExtraSlab *extra, int n_extra, const char *state, Error *e);

/* Loads a model made by model_save; m must be fresh from model_init. state, if not NULL, receives the training state (NULL if
 * the file has none; free with mem_free). ERR_FORMAT on a damaged or newer file, ERR_CONFIG on weights that do not fit. */
Status model_load(Model *m, const char *path, char **state, Error *e);
/* Fills slabs of a loaded model from the same file; ERR_FORMAT if one is missing. */
Status model_load_extra(const Model *m, const char *path, const ExtraSlab *extra, int n_extra, Error *e);

#endif
