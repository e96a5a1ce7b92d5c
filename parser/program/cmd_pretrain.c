/* parser/program/cmd_pretrain.c: lal pretrain */
#include "parser/program/program.h"
#include "parser/program/train_options.h"
#include "parser/task/detect/replace.h"
#include "parser/train/text_data.h"
#include "parser/train/train.h"

typedef struct Fields {
    TrainFields train; /* first: train_command_run */
    int input, newline, hyphens;
    ReplaceOptions replace;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option PRETRAIN_OPTIONS[] = {
    { "text", OPT_LIST, F(train.train), NULL, 0, 0, "FILE", "train on the words of this file" },
    { "dev", OPT_LIST, F(train.dev), NULL, 0, 0, "FILE", "as --text, to evaluate on during training" },
    { "input", OPT_ENUM, F(input), "text", 0, 0, "text|tokens|treebank", /* as in TextKind */
      "what --text and --dev are; text: raw text; tokens: a sentence on each line, tokens separated by blanks; "
      "treebank: any notation that lal convert stats reads, only words are used" },
    { "newline", OPT_ENUM, F(newline), "auto", 0, 0, NEWLINES_CHOICES, NEWLINES_ABOUT },
    { "hyphens", OPT_ENUM, F(hyphens), "keep", 0, 0, "keep|split",
      "hyphenated words of raw text: whole, or split at the hyphens; as in the treebanks of the parser to come" },
    { "replace", OPT_REAL, F(replace.rate), "0.15", 0, 1, NULL, "the share of words that are replaced" },
    { "replace_power", OPT_REAL, F(replace.power), "1", 0, 10, NULL,
      "words that occur c times in --text are drawn with a weight of c to the power X; 1: as often as they occur; 0: "
      "all equally often" },
    { "out", OPT_STRING, F(train.out), "pretrained.lal", 0, 0, "FILE", "write the best model to FILE" },
    { "log", OPT_STRING, F(train.log), NULL, 0, 0, "FILE", "append a JSON line to FILE at every check" },
    TRAIN_RUN_OPTIONS,
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static const Fields *fields_of(const TrainFields *f) { return (const Fields *)(const void *)f; }

static Status check(TrainFields *f, Error *e)
{
    return f->train.n ? OK : error_set(e, ERR_USAGE, "found no --text file, expected at least one");
}

static Status load_list(const Fields *f, const ModelConfig *m, const OptionList *files, Corpus *c, int *n, Error *e)
{
    ProgramNotes notes = program_notes();
    const TextDataOptions o = {
        .kind = (TextKind)f->input,
        .raw = { .language = m->language, .split_hyphens = f->hyphens == 1, .newlines = (Newlines)f->newline },
        .notes = &notes.notes
    };
    Status s = OK;
    for (*n = 0; *n < files->n && s == OK;) {
        char place[DATA_PATH_MAX];
        s = text_data_load(&c[*n], program_file(files->item[*n], place, sizeof place), o, e);
        ++*n;
    }
    program_notes_end(&notes);
    return s;
}

static Status load(const TrainFields *f, const ModelConfig *m, Corpus *train, int *n_train, Corpus *dev, int *n_dev,
                   Error *e)
{
    Status s = load_list(fields_of(f), m, &f->train, train, n_train, e);
    return s == OK ? load_list(fields_of(f), m, &f->dev, dev, n_dev, e) : s;
}

static void set_args(const TrainFields *f, TrainArgs *a) { a->task_options = &fields_of(f)->replace; }

static Status run_pretrain(int argc, char **argv, Error *e)
{
    static const TrainCommand command = { &TASK_DETECT, PRETRAIN_OPTIONS, sizeof(Fields), check, load, set_args };
    Fields f;
    return train_command_run(&command, argc, argv, &f.train, e);
}

static const char PRETRAIN_HELP[] = "Pretrains the encoder on text without trees: some words are replaced by others,\n"
                                    "and the model learns to find them. lal train and lal classify begin with the\n"
                                    "encoder by --init. Options of training, model and encoder are those of\n"
                                    "lal train; those of tree, arc and tag scorers have no effect here.\n"
                                    "docs/PRETRAIN.md has examples.\n";

static const Option *const PRETRAIN_TABLES[] = { PRETRAIN_OPTIONS, CONFIG_TRAIN_OPTIONS, CONFIG_MODEL_OPTIONS, NULL };
const Command CMD_PRETRAIN = { "pretrain",    "[OPTIONS]",     "pretrain an encoder on text without trees",
                               PRETRAIN_HELP, PRETRAIN_TABLES, run_pretrain };
