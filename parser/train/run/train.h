/* Runs of training (train_args.h) */
#pragma once

#include "parser/train/train_args.h"

/* Trains. Files that cannot be written, or that another process writes (base/lock.h; out and checkpoint), are found
 * before the work begins (ERR_IO). ERR_INTERRUPTED after a signal or at stop_at_step; the checkpoint is written. */
Status trainer_run(const TrainArgs *args, Error *error);

/* Scores a model, of the file args.out, that trainer_run wrote with these arguments, on the dev sets, one sentence at a
 * time, for a task whose loss is one of words: each [sentences of all][width] gets the numbers of each, 0 of those that
 * are too long. Of TASK_DETECT and TASK_MASK words that are asked about, right answers and the loss; of TASK_TRANSLATE
 * pieces and the loss. Errors of trainer_run. */
Status trainer_score(const TrainArgs *args, int width, double *each, Error *error);

/* Reads from a checkpoint the options that its run had for model, encoder and training, with strings in the arena, and
 * TrainArgs.command, which the caller deletes. If the checkpoint has no command, *command is NULL and model_config,
 * train_config and options do not change. checksum receives the checkpoint's checksum, "" if it cannot be read.
 * ERR_FORMAT, ERR_CONFIG (also if the run had another task), ERR_IO, ERR_NOMEM. */
struct cJSON;
Status trainer_saved_options(const char *path, const Task *task, ModelConfig *model_config, TrainConfig *train_config,
                             EncoderOptions *options, struct cJSON **command, char checksum[17], Arena *strings,
                             Error *error);

/* The options of the model and of its encoder that TrainArgs.init names, with strings in the arena; guided heads are
 * left out. checksum is NULL, or receives the checksum of the file, "" if it cannot be read. ERR_FORMAT, ERR_CONFIG,
 * ERR_IO, ERR_NOMEM. */
Status trainer_init_options(const char *path, ModelConfig *config, EncoderOptions *options, char checksum[17],
                            Arena *strings, Error *error);
