/* parser/model/import.h
 * A published encoder (docs/PRETRAINED.md) as a model: its weights, configuration and tokenizer. */
#pragma once

#include "parser/model/model.h"

/* Reads config.json, the tokenizer and the weights of a folder into m, fresh from model_init, which becomes a model of
 * the task TASK_ENCODE, ready for model_save. Errors of pretrained_config_read, piece_tokenizer_open,
 * piece_tokenizer_check, safetensors_set_open and pretrained_encoder_read. */
Status import_folder(Model *m, const char *dir, Error *e);

/* Moves configuration and tokenizer of the pretrained encoder to a model that has none: its `layers` lowest layers, 0:
 * all. `from` keeps the weights. ERR_CONFIG if it has no pretrained encoder, or fewer layers; name: of its file, for
 * the message. */
Status import_move(Model *from, Model *to, int layers, const char *name, Error *e);
/* Copies the values of all parameters of to's pretrained encoder. */
void import_weights(const Model *from, Model *to);
