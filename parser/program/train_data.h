/* parser/program/train_data.h
 * What lal train learns from, by its task: which options the tasks have, and how their files are read. */
#ifndef LAL_PARSER_PROGRAM_TRAIN_DATA_H
#define LAL_PARSER_PROGRAM_TRAIN_DATA_H

#include "parser/model/corpus.h"
#include "parser/program/train_options.h"

/* The choices of --task: the tasks that have a TaskTraining. */
#define TRAIN_TASKS_CHOICES "parse|classify|detect"

/* The task of a command line, and the choice of --task. */
const Task *train_data_task(const TrainFields *f);
const char *train_data_name(const TrainFields *f);
/* Are there files, and no options of another task? ERR_USAGE. */
Status train_data_check(const TrainFields *f, Error *e);
/* Reads the data of a model into train and dev, [OPTION_LIST_MAX] each, and counts what was read, after an error too;
 * notes are printed. ERR_USAGE, errors of the readers. */
Status train_data_load(const TrainFields *f, const ModelConfig *m, Corpus *train, int *n_train, Corpus *dev, int *n_dev,
                       Error *e);

#endif
