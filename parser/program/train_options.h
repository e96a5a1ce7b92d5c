/* parser/program/train_options.h
 * The command line of lal train, and of other commands that train. */
#ifndef LAL_PARSER_TRAIN_OPTIONS_H
#define LAL_PARSER_TRAIN_OPTIONS_H

#include "base/arena.h"
#include "base/options.h"
#include "parser/model.h"

struct Corpus;

typedef struct TrainFields {
    const char *preset, *encoder_options, *out, *checkpoint, *resume, *log, *plot, *treebank, *vectors, *fold_parses,
        *encoder_from;
    OptionList train, train_deps, dev, dev_deps, name, dev_name;
    int threads, store, vectors_most, folds;
    long stop_at_step;
    bool quiet;
} TrainFields;

extern const Option TRAIN_COMMAND_OPTIONS[];

/* A command that trains. */
typedef struct TrainCommand {
    ModelTask task;
    const Option *table; /* of its options that are not those of training, model or encoder */
    size_t size;         /* of the struct of their fields, which begins with a TrainFields */
    /* Once the options are read: changes fields, or refuses them (ERR_USAGE). */
    Status (*check)(TrainFields *f, Error *e);
    /* Reads the data into train and dev, [OPTION_LIST_MAX] each, and counts what was read, after an error too. */
    Status (*load)(const TrainFields *f, struct Corpus *train, int *n_train, struct Corpus *dev, int *n_dev, Error *e);
} TrainCommand;

/* The whole command (cmd_train.c): reads its options into f [c->size], then the data, trains, and prints what
 * happens on standard error. */
Status train_command_run(const TrainCommand *c, int argc, char **argv, TrainFields *f, Error *e);

/* Reads a command line into fields [c->size]; values not given are those of the preset, or with --resume those of
 * the checkpoint, apart from --stop-at-step; those of model and encoder are those of encoder_from, if it is given.
 * With
 * --resume a list that is given replaces the checkpoint's, and a line for each option of c->table that is not as in
 * the checkpoint is appended to changes. (A checkpoint of a version that saved no command gives no values.) The
 * encoder options of a new run are checked; they fit the model. Strings are kept by reference, or in the arena.
 * ERR_USAGE, errors of trainer_saved_options and trainer_encoder_options. */
Status train_options_read(const TrainCommand *c, int argc, char **argv, void *fields, ModelConfig *m, TrainConfig *t,
                          EncoderOptions *o, Arena *strings, StrBuf *changes, Error *e);

#endif
