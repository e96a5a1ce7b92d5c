/* A published encoder (docs/PRETRAINED.md) as a model: its weights, configuration and tokenizer. */
#pragma once

#include "parser/model/model.h"

/* What is taken of a folder; zeros: all of it. */
typedef struct ImportOptions {
    const char *keep_pieces; /* a text, as file_read_text takes it; only pieces that it has are kept (piece_cut.h) */
    int keep_least;          /* drop pieces that occur less often in the text; from 1 */
    int layers;              /* the lowest ones */
    int positions;           /* pieces of the longest sequence, at least 3 */
} ImportOptions;

/* Reads config.json, the tokenizer and the weights of a folder into model, fresh from model_init, which becomes a model
 * of the task TASK_ENCODE, ready for model_save. options may be NULL. Errors of pretrained_config_read,
 * piece_tokenizer_open, piece_tokenizer_check, safetensors_set_open, pretrained_encoder_read, and of file_read_text for
 * the text; ERR_FORMAT if the text is not UTF-8; ERR_CONFIG for more layers or positions than the encoder has. */
Status import_folder(Model *model, const char *dir, const ImportOptions *options, Error *error);

/* Moves configuration and tokenizer of the pretrained encoder to a model that has none: its `layers` lowest layers, 0:
 * all, with d_ff hidden units in their feed-forward layers, 0: all. `from` keeps the weights. ERR_CONFIG if it has no
 * pretrained encoder, or fewer layers or units; name: of its file, for the message. */
Status import_move(Model *from, Model *to, int layers, int d_ff, const char *name, Error *error);
/* Copies the values of all parameters of to's pretrained encoder; none if `from` has no such encoder. ERR_NOMEM. */
Status import_weights(const Model *from, Model *to, Error *error);
/* Copies the feed-forward layers of the pretrained encoder alone, by pretrained_encoder_narrow. ERR_NOMEM. */
Status import_narrow(const Model *from, Model *to, Error *error);
