/* The files that lal train learns from, by its task. */
#pragma once

#include "parser/model/corpus.h"
#include "program/train_options.h"

/* Are there files, as the task of the command line takes them? ERR_USAGE. */
Status train_data_check(const TrainFields *f, Error *e);
/* Reads the data of a model into c [OPTION_LIST_MAX], and counts what was read, after an error too; notes are printed.
 * set: "train", or another name, with which what --dev and its like name is read. ERR_USAGE, errors of the readers. */
Status train_data_load(const TrainFields *f, const ModelConfig *m, const char *set, Corpus *c, int *n, Error *e);
