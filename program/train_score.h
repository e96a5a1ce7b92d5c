/* lal train --score: the numbers from which a model is scored, of each sentence, pair of texts or document. */
#pragma once

#include "parser/train/run/train.h"
#include "program/train_options.h"

/* Prints a line with the names of the numbers (parser/task/counts.h), then one for each unit of the dev data, with 0 of
 * what has nothing to score. Errors of the readers, of model_load and of the task's own scoring. */
Status train_score(const TrainFields *fields, TrainArgs *args, Error *error);
