/* parser/program/train_options.h
 * The command line of lal train, and of other commands that train. */
#ifndef LAL_PARSER_PROGRAM_TRAIN_OPTIONS_H
#define LAL_PARSER_PROGRAM_TRAIN_OPTIONS_H

#include "base/arena.h"
#include "base/options.h"
#include "parser/model/model_file.h"
#include "parser/program/program.h"

struct Corpus;
struct TrainArgs;

typedef struct TrainFields {
    const char *preset, *out, *checkpoint, *resume, *log, *plot, *treebank, *vectors, *fold_parses, *init, *pretrained,
        *device;
    char checksum[17]; /* of the file --resume, whose options were read; "" without it */
    OptionList encoder_options, train, train_deps, dev, dev_deps, name, dev_name, soft, soft_name;
    int threads, store, vectors_most, folds, products;
    long stop_at_step;
    bool quiet;
} TrainFields;

extern const Option TRAIN_COMMAND_OPTIONS[];

/* Rows that the tables of all commands that train have; their fields begin with a TrainFields. */
#define TRAIN_RUN_OPTIONS                                                                                              \
    { "preset",                                                                                                        \
      OPT_STRING,                                                                                                      \
      offsetof(TrainFields, preset),                                                                                   \
      "small",                                                                                                         \
      0,                                                                                                               \
      0,                                                                                                               \
      "NAME|FILE",                                                                                                     \
      "configuration to start from: a built-in preset, or a JSON file" },                                              \
        { "init",                                                                                                      \
          OPT_STRING,                                                                                                  \
          offsetof(TrainFields, init),                                                                                 \
          NULL,                                                                                                        \
          0,                                                                                                           \
          0,                                                                                                           \
          "MODEL",                                                                                                     \
          "begin with this model, of any task: its options, vocabularies and weights; what the training data have in " \
          "addition is added (docs/FINETUNE.md); a file, or small or base" },                                          \
        { "encoder_options",                                                                                           \
          OPT_LIST,                                                                                                    \
          offsetof(TrainFields, encoder_options),                                                                      \
          NULL,                                                                                                        \
          0,                                                                                                           \
          0,                                                                                                           \
          "FILE|JSON",                                                                                                 \
          "encoder options, such as masks and guidance of heads, over those of the preset: a JSON file, or its text, " \
          "which begins with { (docs/OPTIONS.md)" },                                                                   \
        { "checkpoint",                                                                                                \
          OPT_STRING,                                                                                                  \
          offsetof(TrainFields, checkpoint),                                                                           \
          NULL,                                                                                                        \
          0,                                                                                                           \
          0,                                                                                                           \
          "FILE",                                                                                                      \
          "write the state of training to FILE at every check and on Ctrl-C (default: the name of --out with .ckpt "   \
          "appended)" },                                                                                               \
        { "resume",                                                                                                    \
          OPT_STRING,                                                                                                  \
          offsetof(TrainFields, resume),                                                                               \
          NULL,                                                                                                        \
          0,                                                                                                           \
          0,                                                                                                           \
          "FILE",                                                                                                      \
          "continue the run of this checkpoint with its own command line; options given with it replace those of the " \
          "checkpoint, except those of the model, which are fixed" },                                                  \
        { "pretrained",                                                                                                \
          OPT_STRING,                                                                                                  \
          offsetof(TrainFields, pretrained),                                                                           \
          NULL,                                                                                                        \
          0,                                                                                                           \
          0,                                                                                                           \
          "MODEL",                                                                                                     \
          "pretrained encoder over word pieces, of lal model import or of a model that has one; the words get vectors from " \
          "it, and it is trained further (docs/PRETRAINED.md); a file, or base" },                                     \
        { "vectors",                                                                                                   \
          OPT_STRING,                                                                                                  \
          offsetof(TrainFields, vectors),                                                                              \
          NULL,                                                                                                        \
          0,                                                                                                           \
          0,                                                                                                           \
          "FILE",                                                                                                      \
          "static word vectors as text: a word and its numbers on each line (GloVe, word2vec, fastText)" },            \
        { "vectors_most", OPT_INT, offsetof(TrainFields, vectors_most),    "0", 0,                                     \
          100000000,      NULL,    "read only the first N vectors; 0: all" },                                          \
        { "threads",                                                                                                   \
          OPT_INT,                                                                                                     \
          offsetof(TrainFields, threads),                                                                              \
          "0",                                                                                                         \
          0,                                                                                                           \
          256,                                                                                                         \
          NULL,                                                                                                        \
          "number of threads; 0: one for each processor" },                                                            \
        DEVICE_OPTION(TrainFields, device),                                                                            \
        { "store", OPT_ENUM, offsetof(TrainFields, store), "f32",                                                      \
          0,       0,        MODEL_STORE_CHOICES,          "number format of the weights in the model file" },         \
        { "products", OPT_ENUM, offsetof(TrainFields, products), "f32", 0, 0, PRODUCTS_CHOICES, PRODUCTS_ABOUT },      \
        { "stop_at_step",                                                                                              \
          OPT_LONG,                                                                                                    \
          offsetof(TrainFields, stop_at_step),                                                                         \
          "0",                                                                                                         \
          0,                                                                                                           \
          1e15,                                                                                                        \
          NULL,                                                                                                        \
          "save the state and stop after update N; 0: do not stop" },                                                  \
    {                                                                                                                  \
        "quiet", OPT_BOOL, offsetof(TrainFields, quiet), "false", 0, 0, NULL, PROGRESS_QUIET_ABOUT                     \
    }

/* A command that trains. */
typedef struct TrainCommand {
    const Task *task;
    const Option *table; /* of its options that are not those of training, model or encoder */
    size_t size;         /* of the struct of their fields, which begins with a TrainFields */
    /* Once the options are read: changes fields, or refuses them (ERR_USAGE). */
    Status (*check)(TrainFields *f, Error *e);
    /* Reads the data of a model into train and dev, [OPTION_LIST_MAX] each, and counts what was read, after an error
     * too. */
    Status (*load)(const TrainFields *f, const ModelConfig *m, struct Corpus *train, int *n_train, struct Corpus *dev,
                   int *n_dev, Error *e);
    /* Sets arguments of training that no TrainFields has; NULL: there are none. */
    void (*args)(const TrainFields *f, struct TrainArgs *a);
} TrainCommand;

/* The whole command (cmd_train.c): reads its options into f [c->size], then the data, trains, and prints what
 * happens on standard error. */
Status train_command_run(const TrainCommand *c, int argc, char **argv, TrainFields *f, Error *e);

/* Reads a command line into fields [c->size]; values not given are those of the preset, or with --resume those of
 * the checkpoint, apart from --stop-at-step; those of model and encoder are those of --init, if it is given. With
 * --resume a list that is given replaces the checkpoint's, and a line for each option of c->table that is not as in
 * the checkpoint is appended to changes. (A checkpoint of a version that saved no command gives no values.) The
 * encoder options of a new run are checked; they fit the model. Strings are kept by reference, or in the arena.
 * ERR_USAGE, errors of trainer_saved_options and trainer_init_options. */
Status train_options_read(const TrainCommand *c, int argc, char **argv, void *fields, ModelConfig *m, TrainConfig *t,
                          EncoderOptions *o, Arena *strings, StrBuf *changes, Error *e);

#endif
