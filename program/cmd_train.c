/* Lal train */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "program/program.h"
#include "program/train_check.h"
#include "program/train_data.h"
#include "program/train_folds.h"
#include "program/train_report.h"
#include "program/train_score.h"
#include "tensor/cuda/gpu.h"
#include "tensor/kernels.h"

/* Whether two paths name the same file, which need not exist: the same name in the same folder. */
static bool same_file(const char *a, const char *b)
{
    const char *paths[] = { a, b }, *name[2];
    struct stat folder[2];
    for (int k = 0; k < 2; k++) {
        char path[DATA_PATH_MAX] = ".";
        const char *slash = strrchr(paths[k], '/');
        name[k] = slash ? slash + 1 : paths[k];
        if (slash && snprintf(path, sizeof path, "%.*s/", (int)(slash - paths[k]), paths[k]) >= (int)sizeof path)
            return false;
        if (stat(path, &folder[k]) != 0) return false;
    }
    return strcmp(name[0], name[1]) == 0 && folder[0].st_dev == folder[1].st_dev &&
           folder[0].st_ino == folder[1].st_ino;
}

/* The model to begin with, the model, the checkpoint and the log are four files. */
static Status check_files(const TrainArgs *a, Error *e)
{
    const struct {
        const char *option, *path;
    } files[] = { { "--init", a->init }, { "--out", a->out }, { "--checkpoint", a->checkpoint }, { "--log", a->log } };
    for (int k = 0; k < 4; k++)
        for (int j = k + 1; j < 4; j++)
            if (files[k].path && files[j].path && same_file(files[k].path, files[j].path))
                return error_set(e, ERR_USAGE, "%s and %s: found the same file, '%s', expected two", files[k].option,
                                 files[j].option, files[j].path);
    return OK;
}

/* Trains; the message of an interrupted run says how to continue. */
static Status run(TrainArgs *a, bool quiet, Error *e)
{
    TrainReport r;
    Error why = { 0 };
    train_report_start(&r, quiet || group_rank(a->group));
    a->observer = train_report_observer(&r);
    Status s = trainer_run(a, &why);
    progress_clear(&r.progress);
    if (s == ERR_INTERRUPTED && r.stopped[0]) error_set(e, s, "%s", r.stopped);
    else if (s != OK) *e = why;
    return s;
}

/* Names that options have by default, the command line that a checkpoint keeps, and paths of shipped models. */
typedef struct Names {
    StrBuf checkpoint, command;
    char init[DATA_PATH_MAX], pretrained[DATA_PATH_MAX];
} Names;

static Status make_names(Names *n, const TrainFields *f, Error *e)
{
    strbuf_printf(&n->checkpoint, "%s.ckpt", f->out);
    options_to_json(TRAIN_COMMAND_OPTIONS, f, &n->command);
    return n->checkpoint.failed || n->command.failed ? error_set(e, ERR_NOMEM, "out of memory") : OK;
}

/* Everything but the data. */
static void set_args(TrainArgs *a, const TrainFields *f, Names *n)
{
    a->task = train_options_task(f);
    a->task_options = train_options_replace(f);
    a->out = f->out;
    a->checkpoint = f->checkpoint ? f->checkpoint : n->checkpoint.ptr;
    a->resume = f->resume;
    a->checksum = f->checksum;
    a->log = f->log;
    a->command = n->command.ptr;
    a->treebank = f->treebank;
    a->vectors = f->vectors;
    a->word_list = f->word_list;
    a->word_text = f->word_text;
    a->variants = f->variants;
    a->vectors_most = f->vectors_most;
    a->pretrained = program_model_file(f->pretrained, n->pretrained, sizeof n->pretrained);
    a->init = program_model_file(f->init, n->init, sizeof n->init);
    a->start_from = f->start_from;
    a->n_threads = program_threads(f->threads);
    a->checkpoint_every = 60 * f->checkpoint_every;
    a->stop_at_step = f->stop_at_step;
    a->store = model_store_choice(f->store);
}

/* Prints warnings, but for folds, whose models have no encoder options; refuses what cannot be trained. */
static Status check_options(const EncoderOptions *o, bool folds, Error *e)
{
    StrBuf warnings = { 0 };
    encoder_options_warnings(o, &warnings);
    if (warnings.ptr && !folds) program_say("%s", warnings.ptr);
    strbuf_fini(&warnings);
    Error why = { 0 };
    return encoder_options_implemented(o, &why) == OK ? OK : error_set(e, ERR_USAGE, "%s", why.message);
}

/* Chooses the device: of several processes each has the GPU of its number on the machine, if none is named. */
static Status choose_device(const char *name, const GroupPlace *p, Error *e)
{
    enum { MOST = 64 };
    GpuInfo gpu[MOST];
    char numbered[24];
    int n = 0;
    bool any = strcmp(name, "cuda") == 0 || strcmp(name, "auto") == 0;
    if (p->size > 1 && any && device_cuda_list(gpu, MOST, &n, NULL) == OK && n > 0) {
        snprintf(numbered, sizeof numbered, "cuda:%d", p->local % n);
        name = numbered;
    }
    return program_device(name, e);
}

/* Finds the place of this process among those that train together, and its device. */
static Status find_place(GroupPlace *place, const TrainFields *f, Error *e)
{
    *place = (GroupPlace){ .timeout = f->group_timeout };
    Status s = group_place(place, e);
    if (s == OK && place->size > 1 && f->folds)
        s = error_set(e, ERR_USAGE, "--folds: found %d processes, expected one", place->size);
    return s == OK ? choose_device(f->device, place, e) : s;
}

/* What a run begins with: one of them. */
static Status check_start(const TrainFields *f, Error *e)
{
    if (f->resume) return OK;
    if (f->init && f->vectors)
        return error_set(e, ERR_USAGE, "found --init and --vectors, expected one of them: a model has its own");
    const char *other = f->init ? "init" : f->pretrained ? "pretrained" : NULL;
    if (!f->start_from || !other) return OK;
    return error_set(e, ERR_USAGE, "found --start-from and --%s, expected one of them", other);
}

/* Reads the data and trains. */
static Status train(const TrainFields *f, TrainArgs *a, const StrBuf *changes, Error *e)
{
    GroupPlace place;
    Names names = { 0 };
    Status s = find_place(&place, f, e);
    if (s == OK) s = train_data_check(f, e);
    if (s == OK) s = check_start(f, e);
    if (s == OK && changes->ptr && !f->quiet) program_say("%s", changes->ptr);
    if (s == OK) s = check_options(a->options, f->folds > 0, e);
    if (s == OK) s = make_names(&names, f, e);
    if (s == OK) {
        set_args(a, f, &names);
        s = check_files(a, e);
    }
    if (s == OK) s = group_open(&a->group, &place, e);
    if (s == OK) s = train_data_load(f, &a->model, "train", a->corpora, &a->n_corpora, e);
    if (s == OK) s = train_data_load(f, &a->model, "dev", a->dev, &a->n_dev, e);
    if (s == OK) s = device_default()->start(a->n_threads, true, e);
    if (s == OK) s = program_products(f->products, e);
    if (s == OK) {
        program_catch_signals();
        s = f->folds ? train_folds_run(a, f->folds, f->fold_parses, f->quiet, e) : run(a, f->quiet, e);
    }
    group_close(a->group, s != OK && s != ERR_INTERRUPTED);
    strbuf_fini(&names.checkpoint);
    strbuf_fini(&names.command);
    return s;
}

static Status run_train(int argc, char **argv, Error *e)
{
    TrainFields f;
    EncoderOptions options;
    Corpus corpora[OPTION_LIST_MAX], dev[OPTION_LIST_MAX];
    TrainArgs a = { .interrupted = &program_interrupted, .options = &options, .corpora = corpora, .dev = dev };
    Arena strings;
    StrBuf changes = { 0 };
    arena_init(&strings, 4096);
    Status s = train_options_read(argc, argv, &f, &a.model, &a.train, &options, &strings, &changes, e);
    if (s == OK && f.check) {
        s = check_options(&options, false, e);
        if (s == OK) s = train_check(&f, &a, e);
    } else if (s == OK) s = f.score ? train_score(&f, &a, e) : train(&f, &a, &changes, e);
    for (int k = 0; k < a.n_corpora; k++) corpus_fini(&corpora[k]);
    for (int k = 0; k < a.n_dev; k++) corpus_fini(&dev[k]);
    arena_fini(&strings);
    strbuf_fini(&changes);
    return s;
}

static const char TRAIN_HELP[] = "Learns from one or more files (--train may be repeated): by default trees,\n"
                                 "dependencies or both. The preset gives the defaults of the training and model\n"
                                 "options below; options on the command line replace them. --resume FILE alone\n"
                                 "continues a run that was stopped, in the same folder. --init MODEL begins with a\n"
                                 "model of any task, such as one of other treebanks (docs/FINETUNE.md). Options of\n"
                                 "tree, arc and tag scorers have no effect with other tasks than parse.\n";

static const Option *const TRAIN_TABLES[] = { TRAIN_COMMAND_OPTIONS, CONFIG_TRAIN_OPTIONS, CONFIG_MODEL_OPTIONS, NULL };
const Command CMD_TRAIN = { "train",    "[OPTIONS]",  "train a model: to parse, to classify, or an encoder on text",
                            TRAIN_HELP, TRAIN_TABLES, run_train };
