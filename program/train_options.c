/* The table of options, which task has which, and the order of their values: defaults,
 * preset or checkpoint, the model to begin with, command line. */
#include "program/train_options.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "program/program.h"
#include "parser/train/run/train.h"

#define F(name) offsetof(TrainFields, name)

const Option TRAIN_COMMAND_OPTIONS[] = {
    { "task", OPT_ENUM, F(task), "parse", 0, 0, TASK_CHOICES,
      "what the model is for; parse: trees and dependencies; classify: a class of each sentence (docs/CLASSIFY.md); of "
      "documents (docs/DOCUMENTS.md), classes: a class of each sentence; summary: the sentences of a summary; "
      "segments: "
      "the gaps where a segment begins; detect and mask pretrain an encoder on text without trees: which words were "
      "replaced by others, and what hidden words are (docs/PRETRAIN.md); translate: the same text in another language "
      "(docs/TRANSLATE.md)" },
    { "train", OPT_LIST, F(train), NULL, 0, 0, "FILE",
      "sentences to train on: trees in brackets, or in JSON (FILE.json), which may have dependencies, or none: the "
      "treebank has dependencies only; of classify lines of "
      "class, tab, words separated by blanks, or a treebank; of classes, summary and segments documents in JSON lines; "
      "of detect and mask what --input says; of translate a text on each line" },
    { "train_deps", OPT_LIST, F(train_deps), NULL, 0, 0, "FILE",
      "CoNLL file of the same sentences, in the order of --train, or one table of head rules (english.rules) for "
      "all; none: the treebank has trees only" },
    { "target", OPT_LIST, F(target), NULL, 0, 0, "FILE",
      "of translate, the translations of the lines of --train, in its order" },
    { "conllu", OPT_LIST, F(conllu), NULL, 0, 0, "FILE",
      "in place of --train and --train-deps: treebanks of Universal Dependencies as they are released; the model "
      "learns words and sentences of raw text, parts of speech, features, lemmas and arcs (docs/LANGUAGES.md); all but "
      "the first also where the name of a --train-deps file ends in .conllu" },
    { "dev_conllu", OPT_LIST, F(dev_conllu), NULL, 0, 0, "FILE", "as --conllu, to evaluate on during training" },
    { "word_list", OPT_STRING, F(word_list), NULL, 0, 0, "FILE",
      "words of the language, one on each line, for raw text of a language without rules (docs/LANGUAGES.md)" },
    { "word_text", OPT_STRING, F(word_text), NULL, 0, 0, "FILE",
      "CoNLL-U of which words and sentences alone are learnt, for raw text of a language without rules: what lal parse "
      "-f conllu makes of a text with a model that knows them better, say; with --characters also by the network, as "
      "words of the default treebank" },
    { "variants", OPT_STRING, F(variants), NULL, 0, 0, "FILE",
      "characters or words that a language without rules reads as others, a pair on each line (docs/LANGUAGES.md)" },
    { "characters", OPT_BOOL, F(characters), "false", 0, 0, NULL,
      "also learn where words begin and end among the characters of --conllu, for a language without blanks: raw text "
      "is then cut by the network, in a pass of its own (docs/LANGUAGES.md)" },
    { "train_classes", OPT_STRING, F(train_classes), NULL, 0, 0, "FILE",
      "of classify: classes of the sentences of the treebank --train, one on each line" },
    { "dev", OPT_LIST, F(dev), NULL, 0, 0, "FILE", "as --train, to evaluate on during training" },
    { "dev_deps", OPT_LIST, F(dev_deps), NULL, 0, 0, "FILE", "as --train-deps, in the order of --dev" },
    { "dev_target", OPT_LIST, F(dev_target), NULL, 0, 0, "FILE", "as --target, in the order of --dev" },
    { "dev_classes", OPT_STRING, F(dev_classes), NULL, 0, 0, "FILE", "as --train-classes, for --dev" },
    { "name", OPT_LIST, F(name), NULL, 0, 0, "NAME",
      "name of the treebank, in the order of --train (default: the name of the file's folder); files of the same name "
      "are one treebank" },
    { "dev_name", OPT_LIST, F(dev_name), NULL, 0, 0, "NAME",
      "name of the treebank, in the order of --dev (default: that of --name)" },
    { "soft", OPT_LIST, F(soft), NULL, 0, 0, "FILE",
      "also train on the probabilities of a teacher: a file of lal parse --format soft (docs/FORMATS.md)" },
    { "soft_name", OPT_LIST, F(soft_name), NULL, 0, 0, "NAME",
      "what --mix calls the file, in the order of --soft (default: the name of the file's folder)" },
    { "input", OPT_ENUM, F(input), "text", 0, 0, "text|tokens|treebank", /* as in TextKind */
      "of detect and mask, what --train and --dev are; text: raw text; tokens: a sentence on each line, tokens "
      "separated by "
      "blanks; treebank: any notation that lal convert reads, only words are used" },
    { "newline", OPT_ENUM, F(newline), "auto", 0, 0, NEWLINES_CHOICES, NEWLINES_ABOUT },
    { "markup", OPT_ENUM, F(markup), "auto", 0, 0, MARKUP_CHOICES, MARKUP_ABOUT },
    { "hyphens", OPT_ENUM, F(hyphens), "keep", 0, 0, "keep|split",
      "hyphenated words of raw text: whole, or split at the hyphens; as in the treebanks of the parser to come" },
    { "replace", OPT_REAL, F(replace.rate), "0.15", 0, 1, NULL,
      "of detect and mask: the share of words that are replaced or hidden" },
    { "replace_power", OPT_REAL, F(replace.power), "1", 0, 10, NULL,
      "words that occur c times in --train are drawn with a weight of c to the power X; 1: as often as they occur; 0: "
      "all equally often" },
    { "most_words", OPT_INT, F(replace.most_words), "20000", 1, 10000000, NULL,
      "of mask: only the N most frequent words of --train are hidden and guessed" },
    { "out", OPT_STRING, F(out), "my.lal", 0, 0, "FILE", "write the best model to FILE" },
    { "log", OPT_STRING, F(log), NULL, 0, 0, "FILE",
      "append a JSON line to FILE at every check; recipes/plot_log.py draws it" },
    { "treebank", OPT_STRING, F(treebank), NULL, 0, 0, "NAME",
      "treebank whose conventions the model follows by default (default: none)" },
    { "folds", OPT_INT, F(folds), "0", 0, 100, "K",
      "train no model for use, but K plain ones, each without one block of the training sentences, which it parses; "
      "writes --fold-parses (docs/OPTIONS.md)" },
    { "fold_parses", OPT_STRING, F(fold_parses), NULL, 0, 0, "FILE",
      "write the parses of --folds to FILE, for syntax.train_file; as JSON lines, with trees, if its name ends with "
      ".jsonl, else as CoNLL-X" },
    { "preset", OPT_STRING, F(preset), "small", 0, 0, "NAME|FILE",
      "configuration to start from: a built-in preset, or a JSON file (of translate, translate)" },
    { "init", OPT_STRING, F(init), NULL, 0, 0, "MODEL",
      "begin with this model, of any task: its options, vocabularies and weights; what the training data have in "
      "addition is added (docs/FINETUNE.md); a file, or the name of a shipped model" },
    { "start_from", OPT_STRING, F(start_from), NULL, 0, 0, "FILE",
      "begin with the weights of this model, which has the same vocabularies and shapes; what it lacks is new" },
    { "encoder_options", OPT_LIST, F(encoder_options), NULL, 0, 0, "FILE|JSON",
      "encoder options, such as masks and guidance of heads, over those of the preset: a JSON file, or its text, which "
      "begins with { (docs/OPTIONS.md)" },
    { "checkpoint", OPT_STRING, F(checkpoint), NULL, 0, 0, "FILE",
      "write the state of training to FILE at every check and on Ctrl-C (default: the name of --out with .ckpt "
      "appended)" },
    { "checkpoint_every", OPT_REAL, F(checkpoint_every), "0", 0, 1e6, NULL,
      "write the state after so many minutes, too; 0: at checks alone" },
    { "resume", OPT_STRING, F(resume), NULL, 0, 0, "FILE",
      "continue the run of this checkpoint with its own command line; options given with it replace those of the "
      "checkpoint, except those of the model, which are fixed" },
    { "pretrained", OPT_STRING, F(pretrained), NULL, 0, 0, "MODEL",
      "pretrained encoder over word pieces, of lal model import or of a model that has one; the words get vectors from "
      "it, and it is trained further (docs/PRETRAINED.md); a file, or base" },
    { "vectors", OPT_STRING, F(vectors), NULL, 0, 0, "FILE",
      "static word vectors as text: a word and its numbers on each line (GloVe, word2vec, fastText)" },
    { "vectors_most", OPT_INT, F(vectors_most), "0", 0, 100000000, NULL, "read only the first N vectors; 0: all" },
    THREADS_OPTION(TrainFields),
    DEVICE_OPTION(TrainFields, device),
    { "store", OPT_ENUM, F(store), "f32", 0, 0, MODEL_STORE_CHOICES, "number format of the weights in the model file" },
    { "products", OPT_ENUM, F(products), "f32", 0, 0, PRODUCTS_CHOICES, PRODUCTS_ABOUT },
    { "group_timeout", OPT_REAL, F(group_timeout), "600", 0.1, 1e6, NULL,
      "seconds until a process that trains with this one (docs/CLUSTERS.md), and from which nothing comes, counts as "
      "lost" },
    { "stop_at_step", OPT_LONG, F(stop_at_step), "0", 0, 1e15, NULL,
      "save the state and stop after update N; 0: do not stop" },
    { "check", OPT_BOOL, F(check), "false", 0, 0, NULL,
      "train nothing: check the options, read the data that are named, and write the whole configuration as JSON" },
    { "score", OPT_STRING, F(score), NULL, 0, 0, "FILE",
      "train nothing: write the numbers of each sentence of --dev from which the model FILE is scored, as lal eval "
      "--measure counts compares them" },
    QUIET_OPTION(TrainFields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

const Task *train_options_task(const TrainFields *fields) { return task_choice(fields->task); }

const ReplaceOptions *train_options_replace(const TrainFields *fields)
{
    return text_among("replace", task_use(train_options_task(fields))->options) ? &fields->replace : NULL;
}

/* The first task that has the option, where the given one lacks it; NULL: it has it, as all have options that are no
 * task's own. */
static const Task *task_of(const Option *o, const Task *task)
{
    if (text_among(o->name, task_use(task)->options)) return NULL;
    for (int k = 0; (task = task_choice(k)) && !text_among(o->name, task_use(task)->options);) k++;
    return task;
}

/* No option of another task is set. */
static Status check_task(const TrainFields *f, Error *e)
{
    const Task *task = train_options_task(f);
    TrainFields initial;
    options_defaults(TRAIN_COMMAND_OPTIONS, &initial);
    for (const Option *o = TRAIN_COMMAND_OPTIONS; o->name; o++) {
        const Task *of = task_of(o, task);
        char name[32];
        if (!of || option_same(o, f, &initial)) continue;
        snprintf(name, sizeof name, "%s", o->name);
        for (char *p = name; *p; p++)
            if (*p == '_') *p = '-';
        return error_set(e, ERR_USAGE, "--%s: found --task %s, expected --task %s", name, task->name, of->name);
    }
    return OK;
}

/* What a command line says. */
typedef struct Read {
    TrainFields f;
    ModelConfig m;
    TrainConfig t;
    EncoderOptions o;
    EncoderOrigin from;
} Read;

enum { TABLES = 3 };

static Status parse(int argc, char **argv, Read *r, Error *e)
{
    const Option *const tables[TABLES] = { TRAIN_COMMAND_OPTIONS, CONFIG_MODEL_OPTIONS, CONFIG_TRAIN_OPTIONS };
    void *fields[TABLES] = { &r->f, &r->m, &r->t };
    int n;
    char **rest = mem_alloc((size_t)argc + 1, sizeof *rest);
    if (!rest) return error_set(e, ERR_NOMEM, "out of memory");
    Status s = options_parse(tables, fields, TABLES, argc, argv, rest, &n, e);
    if (s == OK && n) s = error_set(e, ERR_USAGE, "found '%s', expected only options", rest[0]);
    mem_free(rest);
    return s;
}

static OptionList *list_of(const Option *o, void *fields) { return (OptionList *)(void *)((char *)fields + o->offset); }

/* Empties the lists that the command line has given. */
static void clear_given(const Option *table, void *fields, void *given)
{
    for (const Option *o = table; o->name; o++)
        if (o->type == OPT_LIST && list_of(o, given)->n) list_of(o, fields)->n = 0;
}

/* The values of a checkpoint; *known is false if it has none. */
static Status read_saved(const char *path, Read *r, bool *known, Arena *strings, Error *e)
{
    cJSON *command;
    Status s = trainer_saved_options(path, NULL, &r->m, &r->t, &r->o, &command, r->f.checksum, strings, e);
    *known = s == OK && command;
    cJSON_DeleteItemFromObjectCaseSensitive(command, "plot"); /* an option of runs that older programs began */
    if (*known) s = options_from_json(TRAIN_COMMAND_OPTIONS, &r->f, command, strings, path, e);
    cJSON_Delete(command);
    r->f.stop_at_step = 0; /* a run stopped there must continue */
    r->f.resume = NULL;
    return s;
}

static void report_changes(const Option *table, const void *before, const void *now, StrBuf *out)
{
    for (const Option *o = table; o->name; o++) {
        StrBuf was = { 0 }, is = { 0 };
        option_to_json(o, before, &was);
        option_to_json(o, now, &is);
        bool same = was.failed || is.failed || strcmp(was.ptr, is.ptr) == 0;
        if (!same && o->offset != F(resume) && o->offset != F(stop_at_step) && o->offset != F(encoder_options))
            strbuf_printf(out, "--resume: %s changes from %s to %s\n", o->name, was.ptr, is.ptr);
        strbuf_fini(&was);
        strbuf_fini(&is);
    }
}

static void set_defaults(Read *r)
{
    options_defaults(TRAIN_COMMAND_OPTIONS, &r->f);
    options_defaults(CONFIG_MODEL_OPTIONS, &r->m);
    options_defaults(CONFIG_TRAIN_OPTIONS, &r->t);
    encoder_options_defaults(&r->o);
}

/* The file of which a run takes its pretrained encoder, or NULL. */
static const char *pretrained_path(const TrainFields *f, const EncoderOptions *o, char *place, size_t size)
{
    const char *gates = o->gates.kind != GATES_NONE ? o->gates.start_from : NULL,
               *given = f->pretrained ? f->pretrained : f->init;
    if (f->score) return f->score;
    return given ? program_model_file(given, place, size) : f->start_from ? f->start_from : gates;
}

Status train_options_pretrained(const TrainFields *fields, const ModelConfig *config, const EncoderOptions *options,
                                PretrainedConfig *out, Error *error)
{
    char place[DATA_PATH_MAX];
    const char *path = pretrained_path(fields, options, place, sizeof place);
    ModelTexts texts;
    *out = (PretrainedConfig){ .n_layers = 0 };
    if (!path || (fields->check && !fields->pretrained)) return OK;
    Status s = model_texts_read(&texts, path, NULL, error);
    if (s == OK) *out = texts.pretrained;
    if (s == OK && fields->pretrained && config->pretrained_layers && config->pretrained_layers < out->n_layers)
        out->n_layers = config->pretrained_layers;
    model_texts_fini(&texts);
    return s;
}

/* The options of a run that begins with a pruned model name heads that it has. */
static Status check_start(Read *r, EncoderShape shape, Arena *strings, Error *e)
{
    bool gates = r->o.gates.kind != GATES_NONE && !r->f.init && !r->f.check;
    const char *path = gates ? r->o.gates.start_from : NULL;
    if (!path) return OK;
    Model from;
    model_init(&from);
    from.task = train_options_task(&r->f);
    Status s = model_load(&from, path, NULL, e);
    shape.kept = s == OK && from.c.n_layers == shape.n_layers ? from.kept : NULL;
    shape.decoder_kept = s == OK && from.c.decoder_layers == shape.n_decoder_layers ? from.decoder_kept : NULL;
    if (shape.kept || shape.decoder_kept) s = encoder_options_check(&r->o, &shape, &r->from, strings, e);
    model_fini(&from);
    return s;
}

/* The values of the files that a command line names: a checkpoint (*resumed), or a preset, a model to begin with and
 * encoder options. */
static Status read_files(const TrainFields *given, Read *r, bool *resumed, Arena *strings, Error *e)
{
    char place[DATA_PATH_MAX];
    const char *init = program_model_file(given->init, place, sizeof place);
    Status s = OK;
    *resumed = false;
    if (given->resume) s = read_saved(given->resume, r, resumed, strings, e);
    if (s == OK && *resumed && given->init && (!r->f.init || strcmp(given->init, r->f.init) != 0))
        s = error_set(e, ERR_USAGE, "--init: found %s and --resume, expected one of them: the run began with %s",
                      given->init, r->f.init ? r->f.init : "new weights");
    const char *preset = task_use(train_options_task(given))->preset;
    if (!*resumed && preset) r->f.preset = preset;
    if (s == OK && (!*resumed || given->preset))
        s = config_preset(given->preset ? given->preset : r->f.preset, &r->m, &r->t, &r->o, &r->from, strings, e);
    if (s == OK && !*resumed && init)
        s = trainer_init_options(init, &r->m, &r->o, given->resume ? NULL : r->f.checksum, strings, e);
    for (int k = 0; k < given->encoder_options.n && s == OK; k++)
        s = config_encoder_options(given->encoder_options.item[k], &r->o, &r->from, strings, e);
    return s;
}

/* The command line is read twice: for the files it names, into `given`, then over the values of these, into r. before:
 * scratch. */
static Status read_all(int argc, char **argv, Read *given, Read *r, TrainFields *before, Arena *strings,
                       StrBuf *changes, Error *e)
{
    bool resumed = false;
    given->f.preset = NULL;
    Status s = parse(argc, argv, given, e);
    if (s == OK) s = read_files(&given->f, r, &resumed, strings, e);
    if (s != OK) return s;
    if (given->f.conllu.n && !resumed && !given->f.init) r->m.language = LANGUAGE_TRAINED;
    *before = r->f;
    if (resumed) {
        clear_given(TRAIN_COMMAND_OPTIONS, &r->f, &given->f);
        clear_given(CONFIG_TRAIN_OPTIONS, &r->t, &given->t);
    }
    s = parse(argc, argv, r, e);
    if (s == OK && resumed && r->f.task != before->task)
        s = error_set(e, ERR_USAGE, "--task: found %s and --resume, expected the task of the run, %s",
                      train_options_task(&r->f)->name, train_options_task(before)->name);
    if (s == OK) s = check_task(&r->f, e);
    if (s == OK && resumed) report_changes(TRAIN_COMMAND_OPTIONS, before, &r->f, changes);
    if (s != OK || resumed) return s; /* a model that is resumed keeps its options */
    if (r->f.start_from && r->o.gates.kind != GATES_NONE) r->o.gates.start_from = r->f.start_from;
    PretrainedConfig pretrained = { .n_layers = 0 };
    if (encoder_options_pretrained(&r->o)) s = train_options_pretrained(&r->f, &r->m, &r->o, &pretrained, e);
    if (s != OK) return s;
    const EncoderShape shape = config_shape(&r->m, train_options_task(&r->f), &pretrained);
    s = encoder_options_check(&r->o, &shape, &r->from, strings, e);
    return s == OK ? check_start(r, shape, strings, e) : s;
}

Status train_options_read(int argc, char **argv, TrainFields *fields, ModelConfig *config, TrainConfig *train_config,
                          EncoderOptions *options, Arena *strings, StrBuf *changes, Error *error)
{
    Read *r = mem_calloc(2, sizeof *r);
    TrainFields *before = mem_calloc(1, sizeof *before);
    Status s = r && before ? OK : error_set(error, ERR_NOMEM, "out of memory");
    if (s == OK) {
        set_defaults(&r[0]);
        set_defaults(&r[1]);
        s = read_all(argc, argv, &r[1], &r[0], before, strings, changes, error);
        *fields = r->f;
        *config = r->m;
        *train_config = r->t;
        *options = r->o;
    }
    mem_free(r);
    mem_free(before);
    return s;
}
