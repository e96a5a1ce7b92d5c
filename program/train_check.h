/* lal train --check: would a run begin, and with which configuration? */
#pragma once

#include "parser/train/run/train.h"
#include "program/train_options.h"

/* Checks the configuration args->model, args->train and args->options, reads the data that the command line names into
 * args->corpora and args->dev, and prints all options as JSON (docs/FORMATS.md). Errors of trainer_check_config and of
 * the readers. */
Status train_check(const TrainFields *fields, TrainArgs *args, Error *error);
