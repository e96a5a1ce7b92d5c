/* parser/program/train_data.h
 * The files that lal train learns from, by its task. */
#pragma once

#include "parser/model/corpus.h"
#include "parser/program/train_options.h"

/* Are there files, as the task of the command line takes them? ERR_USAGE. */
Status train_data_check(const TrainFields *f, Error *e);
/* Reads the data of a model into train and dev, [OPTION_LIST_MAX] each, and counts what was read, after an error too;
 * notes are printed. ERR_USAGE, errors of the readers. */
Status train_data_load(const TrainFields *f, const ModelConfig *m, Corpus *train, int *n_train, Corpus *dev, int *n_dev,
                       Error *e);
