/* The files that lal train learns from, by its task. */
#pragma once

#include "parser/model/corpus.h"
#include "program/train_options.h"

/* Are there files, as the task of the command line takes them? ERR_USAGE. */
Status train_data_check(const TrainFields *fields, Error *error);
/* Reads the data of a model into corpus [OPTION_LIST_MAX], and counts what was read, after an error too; notes are
 * printed. set: "train", or another name, with which what --dev and its like name is read. ERR_USAGE, errors of the
 * readers. */
Status train_data_load(const TrainFields *fields, const ModelConfig *config, const char *set, Corpus *corpus, int *n,
                       Error *error);
