/* The subcommands of the program. */
#pragma once

#include <signal.h>

#include "base/data_path.h"
#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/suggest.h"
#include "include/lalparser.h"
#include "parser/parse/document.h"
#include "parser/task/use.h"
#include "program/progress.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_STOPPED = 75 /* by a signal; its state is saved */ };

/* What the program ends with: done after a command that was done, failed after an error that is not ERR_USAGE. */
typedef struct ProgramExit {
    int done, failed;
} ProgramExit;
extern ProgramExit program_exit;

typedef struct Command {
    const char *name; /* of one word, or of two: the group, which is a command of its own, and a command of it */
    const char *arguments;
    const char *about;           /* one line of lal help, without a final period */
    const char *more;            /* lines of lal help NAME before the options, or NULL */
    const Option *const *tables; /* ends with NULL */
    /* argv[0] is the last word of the command's name. Prints its results; on failure fills *error and returns its
     * code. */
    Status (*run)(int argc, char **argv, Error *e);
} Command;

#define COMMAND(name) extern const Command CMD_##name;
#include "program/commands.def"
#undef COMMAND
extern const Command *const COMMANDS[]; /* ends with NULL */
/* The command with the longest name that words[0 .. n) begin with, and the number of words of its name. NULL: there is
 * none. */
const Command *command_find(int n, char **words, int *used);
/* NULL, or the second word of the name of a command of this group; group NULL: of any. */
const char *command_word(const Command *command, const Command *group);

/* Appends the commands of a group: " (stats, check, draw)". Returns false if the command has no others under it. */
bool help_words(const Command *group, StrBuf *out);
/* The commands, one line for each. */
void help_usage(StrBuf *out);
/* Prints the options of a command; with the defaults of a preset, small where that is NULL or cannot be read. Errors of
 * program_print. */
Status help_command(const Command *command, const char *preset, Error *error);
/* What is meant by `name`, which is no command, as suggest_text says it: a command, --help or --version. */
SuggestionText help_suggestion(const char *name);

/* Reads a command line: defaults first, then argv[1..] into fields. Arguments that are not options, at most `most` of
 * them, move to argv[0 .. *n-1]; without any, and with `most` above 1, argv[0] is "-" (standard input). ERR_USAGE. */
Status program_options(const Option *table, void *fields, int argc, char **argv, int most, int *n, Error *error);

/* How raw text is read: a member of a command's fields, and its rows in the command's table. */
typedef struct RawTextFields {
    int newline, markup, hyphens, invalid; /* Newlines; Markup; of HYPHENS_CHOICES; Invalid */
    const char *rules_file;
    TextRules *rules; /* of program_rules_read */
} RawTextFields;
#define HYPHENS_CHOICES "model|split|keep"
#define RAW_TEXT_OPTIONS(Fields, member)                                                                          \
    { "newline", OPT_ENUM, offsetof(Fields, member.newline), "auto", 0, 0, NEWLINES_CHOICES, NEWLINES_ABOUT },    \
        { "markup", OPT_ENUM, offsetof(Fields, member.markup), "auto", 0, 0, MARKUP_CHOICES, MARKUP_ABOUT },      \
        { "invalid", OPT_ENUM, offsetof(Fields, member.invalid), "error", 0, 0, INVALID_CHOICES, INVALID_ABOUT }, \
        { "rules", OPT_STRING, offsetof(Fields, member.rules_file), NULL, 0, 0, "FILE", TEXT_RULES_ABOUT },       \
    {                                                                                                             \
        "hyphens", OPT_ENUM, offsetof(Fields, member.hyphens), "model", 0, 0, HYPHENS_CHOICES,                    \
            "hyphenated words of raw text: as in the treebanks of the model, split at the hyphens, or whole"      \
    }
/* Reads the rules of rules_file, if there is one; to be freed with text_rules_free in any case. Errors of
 * text_rules_read. */
Status program_rules_read(RawTextFields *fields, Error *error);
/* What the fields say for raw text of the language of a model, and of its hyphens unless a field says otherwise. model
 * NULL: it is not known yet, and comes before the first window. */
RawText program_raw_text(const RawTextFields *fields, const struct Model *model);

/* Signals that end the program remove the temporary files of its FileWriters. After program_catch_signals the first
 * SIGINT or SIGTERM sets this to 1 instead, and the second one ends the program; work goes on when the reader of its
 * progress line ends. */
extern volatile sig_atomic_t program_interrupted;
void program_catch_signals(void);

/* Writes a text of whole sentences and flushes live output. SIGHUP, SIGINT and SIGTERM end the program after that, a
 * second one of them at once: so what was written to a pipe or to standard output ends with a whole sentence. */
void program_write(FileWriter *writer, const StrBuf *text);

/* The file of the model that a user means by the value of an option that is shown as MODEL: data_path of one of
 * lal_models, in buf (DATA_PATH_MAX bytes hold it), if `given` is its name, else `given` itself (also NULL). A file
 * called small is ./small. The file may not exist. */
const char *program_model_file(const char *given, char *buf, size_t size);
/* program_model_file for the model to parse with: NULL is $LAL_MODEL, else the first of lal_models. */
const char *program_model_path(const char *given, char *buf, size_t size);

/* The file to read: path itself (also NULL), or, if it begins with "examples/" and does not exist, the example that
 * comes with the program, in buf (DATA_PATH_MAX bytes hold it). */
const char *program_file(const char *path, char *buf, size_t size);

/* The file of dependencies or head rules to use: as program_file, or, if deps is the bare name of a table of head rules
 * and no such file exists, the table that comes with the program, in buf. */
const char *program_deps_path(const char *deps, char *buf, size_t size);

/* The task of a model file. Errors of model_texts_read. */
Status program_task(const char *path, const Task **task, Error *error);
/* Refuses a model of a task that is only part of others. ERR_CONFIG. */
Status program_task_refused(const char *path, const Task *task, Error *error);

/* `asked`, or the number of processors (1 .. 256) if that is 0. */
int program_threads(int asked);

/* Rows of the tables of many commands, for members of these names. SHAPES: what scoring and parsing do besides. */
#define OUT_OPTION(Fields)                                                                      \
    {                                                                                           \
        "out", OPT_STRING, offsetof(Fields, out), "-", 0, 0, "FILE", "write the output to FILE" \
    }
#define THREADS_OPTION(Fields)                                            \
    {                                                                     \
        "threads", OPT_INT, offsetof(Fields, threads), "0", 0, 256, NULL, \
            "number of threads; 0: one for each processor"                \
    }
#define QUIET_OPTION(Fields)                                                                  \
    {                                                                                         \
        "quiet", OPT_BOOL, offsetof(Fields, quiet), "false", 0, 0, NULL, PROGRESS_QUIET_ABOUT \
    }
#define BY_SCORE_OPTION(Fields)                                                                               \
    {                                                                                                         \
        "by_score", OPT_BOOL, offsetof(Fields, by_score), "false", 0, 0, NULL,                                \
            "take the parse that scores best, whatever grammar and head rules say of it (docs/EVALUATION.md)" \
    }
#define TREEBANK_OPTION(Fields, shapes)                                         \
    {                                                                           \
        "treebank", OPT_STRING, offsetof(Fields, treebank), NULL, 0, 0, "NAME", \
            "follow the conventions of this training treebank" shapes           \
    }
#define TREEBANK_MODEL "; lal model info lists them (default: the model's)"
#define TREEBANK_SHAPES                                                                                          \
    ", its tags of addresses and signs too; lal model info lists them (default: the model's, tags of addresses " \
    "and signs by their shape)"
/* How a summary is chosen (DocumentChoice). */
#define SUMMARY_OPTIONS(Fields)                                                                                \
    { "choose", OPT_INT, offsetof(Fields, choose), "6", 1, 1000000, NULL, "sentences of a summary" },          \
    {                                                                                                          \
        "block_trigrams", OPT_BOOL, offsetof(Fields, block_trigrams), "false", 0, 0, NULL,                     \
            "leave a sentence out of a summary that has three words in a row in common with one that is in it" \
    }
/* Gold sentences. */
#define GOLD_OPTIONS(Fields, about)                                                        \
    { "gold", OPT_STRING, offsetof(Fields, gold), NULL, 0, 0, "FILE", about },             \
    {                                                                                      \
        "gold_deps", OPT_STRING, offsetof(Fields, gold_deps), NULL, 0, 0, "FILE",          \
            "gold dependencies of the same sentences in CoNLL-X or CoNLL-U, or head rules" \
    }
#define GOLD_CLASSES_OPTION(Fields)                                                                           \
    {                                                                                                         \
        "gold_classes", OPT_STRING, offsetof(Fields, gold_classes), NULL, 0, 0, "FILE",                       \
            "of a model that classifies: gold classes of the sentences of the treebank --gold, one on a line" \
    }

/* The device that computes: a row of a command's table for a member `device`, and what it asks for, to be done before
 * a model is loaded. "auto" is a GPU, or the CPU with a line on standard error that says why. Errors of
 * device_choose. */
#define DEVICE_OPTION(Fields, member)                                           \
    {                                                                           \
        "device", OPT_STRING, offsetof(Fields, member), "cpu", 0, 0, "DEVICE",  \
            "what computes: cpu, cuda (the first GPU), cuda:N, or auto (a GPU " \
            "if there is one, else the CPU)"                                    \
    }
Status program_device(const char *name, Error *error);

/* Operands of large matrix products (Products in tensor/device.h): the choices of an option, and what it does, after
 * program_device. Errors of set_products. */
#define PRODUCTS_CHOICES "f32|bf16|tf32"
#define PRODUCTS_ABOUT                                                                                           \
    "operands of large matrix products; bf16: rounded, with sums in f32: faster for large models on processors " \
    "with AVX512-BF16, and on GPUs; tf32: on GPUs"
Status program_products(int chosen, Error *error);

/* The choices of commands that parse. */
enum { PARSE_AUTO, PARSE_F32, PARSE_BF16, PARSE_TF32, PARSE_INT16, PARSE_INT8 };
#define PARSE_PRODUCTS_CHOICES "auto|f32|bf16|tf32|int16|int8"
#define PARSE_PRODUCTS_ABOUT                                                                                           \
    "operands of large matrix products; int16 and int8: whole numbers, weights in 8 bits and activations in 16 or 8, " \
    "with exact sums; bf16: rounded to 8 bits of precision, on processors with AVX512-BF16 and on GPUs; tf32: on "     \
    "GPUs; auto: on the CPU weights that the file has in 8 bits in int8, others in bf16 or f32"
Status program_parse_products(int chosen, bool exact, Error *error); /* exact: auto is f32 */

/* Writes to standard error as printf does, what files and their names contain as a terminal may show it
 * (strbuf_visible). All messages of the program are written by it. */
void program_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes a text to standard output, on a terminal as it may show it. ERR_NOMEM if text->failed, ERR_IO. */
Status program_print(const StrBuf *text, Error *error);

/* What scores and measures of a model that reads gold parses (encoder_options_oracle) say of themselves: begins each
 * line with "ORACLE ", of TSV with a column "ORACLE", and gives the one object of JSON a member "oracle": true. */
typedef enum OracleForm { ORACLE_TEXT, ORACLE_TSV, ORACLE_JSON } OracleForm;
void program_mark_oracle(StrBuf *out, OracleForm form);

/* Prints the first ten notes on standard error. */
typedef struct ProgramNotes {
    Notes notes; /* for readers */
    long n;
    Progress *progress; /* whose line is removed first, or NULL */
} ProgramNotes;
ProgramNotes program_notes(void);
/* Prints how many more notes there were. */
void program_notes_end(const ProgramNotes *notes);

/* Warns on standard error if the first window of a source, read as text, looks like a treebank, or is in a script of
 * which the words of the model have less than one letter of 20; the line of progress is cleared first. */
struct Source;
void program_warn_input(const struct Source *source, const Model *model, Progress *progress);

/* Reads gold, or training data, of a task; notes are printed, and *corpus is freed after an error. ERR_USAGE: a file is
 * missing or belongs to another task; errors of TaskUse.gold. */
struct Corpus;
Status program_gold(struct Corpus *corpus, const GoldFiles *gold_files, const Task *task, GoldOptions options,
                    Error *error);
/* Of trees and dependencies. */
Status program_corpus(struct Corpus *corpus, const char *trees, const char *deps, const char *name, Error *error);
/* The same for lists of files, as the options --WHAT, --WHAT-deps and so on have them: c [OPTION_LIST_MAX], *n is the
 * number of those to be freed, also after an error. "none": no file; one table of head rules is for all trees. */
typedef struct GoldLists {
    const char *what;
    const OptionList *gold, *deps, *target, *names; /* target, names NULL: none */
    const char *classes;                            /* of the one file of gold */
} GoldLists;
Status program_corpora(const GoldLists *lists, const Task *task, GoldOptions options, struct Corpus *corpus, int *n,
                       Error *error);
