/* Lal train --folds: predicted parses of the training sentences (parser/train/run/folds.h). */
#pragma once

#include "parser/train/run/train.h"

/* Trains n plain models as `a` says, without its encoder options, log and picture, with the seeds args->train.seed + 1
 * .. + n, and writes the parses of all training sentences to `path`, which may not exist. Files of fold k are
 * path.foldK.lal, .ckpt and, once it is done, path.foldK.conllx or .jsonl; a later call continues with them. They are
 * removed at the end. ERR_USAGE, ERR_INTERRUPTED, errors of trainer_run and of folds.h. */
Status train_folds_run(const TrainArgs *args, int n, const char *path, bool quiet, Error *error);
