/* lal train --check: would a run begin, and with which configuration? */
#pragma once

#include "parser/train/run/train.h"
#include "program/train_options.h"

/* Checks the configuration a->model, a->train and a->options, reads the data that the command line names into
 * a->corpora and a->dev, and prints all options as JSON (docs/FORMATS.md). Errors of trainer_check_config and of the
 * readers. */
Status train_check(const TrainFields *f, TrainArgs *a, Error *e);
