/* Models and checkpoints on disk: safetensors with configuration, vocabularies and training summary inside
 * (docs/FORMATS.md). The checksum covers the whole file. */
#pragma once

#include "parser/model/model.h"
#include "tensor/safetensors.h"

/* The newest format that is read. A plain model (encoder_options_plain) is written as format 1, which programs without
 * encoder options read; any other parser as format 2; a model of another task, with "lal.task": "classify", "detect" or
 * "mask", as format 3; any model with a pretrained encoder (one of the task "encode" has nothing else) as format 4. */
enum { MODEL_FORMAT_VERSION = 4 };
int model_format(const Model *model);

/* Numbers saved in addition to the weights: slabs laid out as m->ps (Adam's moments, the running average). */
typedef struct ExtraSlab {
    const char *prefix; /* prefix of tensor names: "adam.m/" */
    Real *values;
} ExtraSlab;

/* Writes to a temporary name and renames. Weights are stored as `dtype` (F32, F16, BF16; I8: tables of words and
 * pieces in 4 bits; U8: all in 4 bits; with these two, vectors and small tables as F16), slabs as F32 (F64 in a double
 * build). state: JSON of a training state, or NULL.
 * ERR_NUMERIC, with the old file unchanged, if a number is not finite or exceeds the range of dtype; ERR_IO,
 * ERR_NOMEM. */
Status model_save(const Model *model, const char *path, DType dtype, const ExtraSlab *extra, int n_extra,
                  const char *state, Error *error);

/* The members words and names of a JSON object. */
void model_head_names_json(const ModelHeadNames *names, StrBuf *out);
/* Copies the model file `from` to `to`, with these names of heads, the weights of joint trees that a model is fitted
 * with, and these steps of its grammar (Model.steps) in place of those that it has; NULL: it keeps its own. ERR_FORMAT,
 * ERR_IO, ERR_NOMEM. */
Status model_file_annotate(const char *from, const char *to, const ModelHeadNames *names, const Model *fitted,
                           const Vocab *steps, Error *error);

/* The values of the option that chooses `dtype`, and what they stand for. */
#define MODEL_STORE_CHOICES "f32|f16|bf16|i8|i4"
DType model_store_choice(int k);
/* The name of a type of weights: of U8, I4. */
const char *model_stored_name(DType dtype);

/* Rounds the values of a parameter to those that a file of this type gives back; numbers that do not fit stay. */
void model_round(const Param *param, DType dtype, Real *values);

/* Loads a model made by model_save, with its weights on device_default(); model must be fresh from model_init
 * (parameter groups may be given, and the task, which is TASK_PARSE otherwise). A file of another task is refused
 * (ERR_CONFIG). state, if not NULL, receives the training state (NULL if the file has none; free with mem_free). Shapes
 * are compared with the configuration before weights are allocated, so memory is bounded by the size of the file,
 * whatever its header claims. ERR_FORMAT for a damaged or newer file, ERR_CONFIG for weights that do not fit the
 * configuration, ERR_NUMERIC for a weight that is not finite, ERR_IO, ERR_NOMEM. */
Status model_load(Model *model, const char *path, char **state, Error *error);
/* model_load without the model of the first pass (model_load_first). */
Status model_load_alone(Model *model, const char *path, char **state, Error *error);
/* The model of the first pass (syntax.source first_pass) becomes model->first: options.syntax.model, first looked for
 * in the folder of `path`, the file that model was or will be in, then as given. Its own masks may not need parses.
 * model_load does this, but an error becomes model->first_error; so a model can be looked at without the other one.
 * ERR_IO, naming both places, ERR_CONFIG, errors of model_load. */
Status model_load_first(Model *model, const char *path, Error *error);
/* model_load_alone for a model of any task; model->task becomes the task of the file. */
Status model_load_any(Model *model, const char *path, char **state, Error *error);
/* Ends what was computed with a loaded model and came to `s`, before it is used: s itself, or ERR_IO, in place of any
 * other error, if a file that the model or its first pass keeps mapped was changed meanwhile. Costs a call of
 * fstat for each of them, and a pass over the bytes after another event (a link, other permissions). */
Status model_unchanged(const Model *model, Status status, Error *error);
/* How the weights of a file are stored. */
typedef struct ModelStorage {
    size_t bytes;           /* size of the file */
    size_t numbers[DTYPES]; /* weights of each type, U8: in 4 bits; scales are not counted */
} ModelStorage;
/* model: the model that was loaded from the file. ERR_FORMAT, ERR_IO, ERR_NOMEM. */
Status model_storage(ModelStorage *storage, const Model *model, const char *path, Error *error);
/* Appends "9035520 bytes, F16 13298, I8 8323329". */
void model_storage_text(const ModelStorage *storage, StrBuf *out);

/* JSON texts of a file whose checksum is right, each NULL if it has none: the configuration of a model, its encoder
 * options, the training state. No weights are read. */
typedef struct ModelTexts {
    const Task *task;
    char *config, *options, *state, checksum[17];
    PretrainedConfig pretrained; /* the pretrained encoder; d_model 0: none */
} ModelTexts;
/* wanted: the task of the model, another one is refused (ERR_CONFIG); NULL: any. model_texts_fini frees the texts, also
 * after an error. ERR_FORMAT, ERR_IO, ERR_NOMEM. */
Status model_texts_read(ModelTexts *model_texts, const char *path, const Task *wanted, Error *error);
void model_texts_fini(ModelTexts *texts);
/* Sets options from ModelTexts.options (NULL: the plain model's), with strings in the arena, and checks that they fit
 * config, the task and the pretrained encoder. ERR_CONFIG, ERR_NOMEM. */
Status model_read_options(EncoderOptions *options, const char *text, const ModelConfig *config, const Task *task,
                          const PretrainedConfig *pretrained, const char *path, Arena *strings, Error *error);
/* Fills slabs of a loaded model from the same file. ERR_IO if it is another file by now, ERR_CONFIG if a tensor is
 * missing or has another shape, ERR_NUMERIC if a number is not finite. */
Status model_load_extra(const Model *model, const char *path, const ExtraSlab *extra, int n_extra, Error *error);

/* Was the model loaded from a file with this checksum? ERR_IO if not; OK if one of both is not known. path: for the
 * message. */
Status model_check_same(const Model *model, const char *checksum, const char *path, Error *error);

/* The checksum of a model file in memory, and the position of its 16 digits in it; NULL if the file has none. */
const unsigned char *model_checksum(const unsigned char *text, size_t size, char digits[17]);
