/* The command line of lal train. */
#pragma once

#include "base/arena.h"
#include "base/options.h"
#include "parser/model/model_file.h"
#include "parser/task/detect/replace.h"

typedef struct TrainFields {
    const char *preset, *out, *checkpoint, *resume, *log, *treebank, *vectors, *fold_parses, *init, *pretrained,
        *device, *train_classes, *dev_classes, *word_list, *word_text, *variants, *start_from, *score;
    char checksum[17]; /* of the file --resume or --init, whose options were read; "" without them */
    OptionList encoder_options, train, train_deps, target, dev, dev_deps, dev_target, conllu, dev_conllu, name,
        dev_name, soft, soft_name;
    int task, input, newline, markup, hyphens, threads, store, vectors_most, folds, products;
    ReplaceOptions replace;
    long stop_at_step;
    double group_timeout, checkpoint_every;
    bool quiet, check, characters;
} TrainFields;

const Task *train_options_task(const TrainFields *fields);
/* The value of TrainArgs.task_options: NULL for a task that replaces or hides no words. */
const ReplaceOptions *train_options_replace(const TrainFields *fields);

/* Sets *out to the sizes of the pretrained encoder that a run will have, 0 layers without one. With --check only that
 * of --pretrained is read. Errors of model_texts_read. */
Status train_options_pretrained(const TrainFields *fields, const ModelConfig *config, const EncoderOptions *options,
                                PretrainedConfig *out, Error *error);

/* The options of the command besides training, model and encoder. */
extern const Option TRAIN_COMMAND_OPTIONS[];

/* Reads a command line; values not given come from the preset, or with --resume from the checkpoint, apart from
 * --stop-at-step; with --init, values of model and encoder come from its model. With --resume a list that is given
 * replaces the checkpoint's, and a line for each option of TRAIN_COMMAND_OPTIONS that is not as in the checkpoint is
 * appended to changes; another task is refused. (A checkpoint of a version that saved no command gives no values.) The
 * encoder options of a new run are checked; they fit the model, and no option is of another task. Strings are kept by
 * reference, or in the arena. ERR_USAGE, errors of trainer_saved_options and trainer_init_options. */
Status train_options_read(int argc, char **argv, TrainFields *fields, ModelConfig *config, TrainConfig *train_config,
                          EncoderOptions *options, Arena *strings, StrBuf *changes, Error *error);
