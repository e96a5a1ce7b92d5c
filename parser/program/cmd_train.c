/* parser/program/cmd_train.c: lal train */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parser/program/program.h"
#include "parser/train/train.h"
#include "tensor/kernels.h"

typedef struct Fields {
    const char *preset, *out, *checkpoint, *resume, *log, *treebank, *vectors;
    OptionList train, train_deps, dev, dev_deps, name, dev_name;
    int threads, store, vectors_most;
    long stop_at_step;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option TRAIN_COMMAND_OPTIONS[] = {
    { "train", OPT_LIST, F(train), NULL, 0, 0, "FILE",
      "bracket file to train on; none: the treebank has dependencies only" },
    { "train_deps", OPT_LIST, F(train_deps), NULL, 0, 0, "FILE",
      "CoNLL file of the same sentences, in the order of --train, or one table of head rules (english.rules) for "
      "all; none: the treebank has trees only" },
    { "dev", OPT_LIST, F(dev), NULL, 0, 0, "FILE", "bracket file to evaluate on during training" },
    { "dev_deps", OPT_LIST, F(dev_deps), NULL, 0, 0, "FILE",
      "CoNLL file of the same sentences, in the order of --dev, or one table of head rules for all" },
    { "name", OPT_LIST, F(name), NULL, 0, 0, "NAME",
      "name of the treebank, in the order of --train (default: the name of the file's folder); files of the same name "
      "are one treebank" },
    { "dev_name", OPT_LIST, F(dev_name), NULL, 0, 0, "NAME",
      "name of the treebank, in the order of --dev (default: that of --name)" },
    { "preset", OPT_STRING, F(preset), "small", 0, 0, "NAME|FILE",
      "configuration to start from: a built-in preset, or a JSON file" },
    { "out", OPT_STRING, F(out), "my.lal", 0, 0, "FILE", "write the best model to FILE" },
    { "checkpoint", OPT_STRING, F(checkpoint), NULL, 0, 0, "FILE",
      "write the state of training to FILE at every check and on Ctrl-C (default: the name of --out with .ckpt "
      "appended)" },
    { "resume", OPT_STRING, F(resume), NULL, 0, 0, "FILE",
      "continue from this checkpoint, with the same training files; changed training options take effect, model "
      "options are fixed" },
    { "log", OPT_STRING, F(log), NULL, 0, 0, "FILE", "append a JSON line to FILE at every check" },
    { "vectors", OPT_STRING, F(vectors), NULL, 0, 0, "FILE",
      "static word vectors as text: a word and its numbers on each line (GloVe, word2vec, fastText)" },
    { "vectors_most", OPT_INT, F(vectors_most), "0", 0, 100000000, NULL, "read only the first N vectors; 0: all" },
    { "treebank", OPT_STRING, F(treebank), NULL, 0, 0, "NAME",
      "treebank whose conventions the model follows by default (default: none)" },
    { "threads", OPT_INT, F(threads), "0", 0, 256, NULL, "number of threads; 0: one for each processor" },
    { "store", OPT_ENUM, F(store), "f32", 0, 0, "f32|f16|bf16", "number format of the weights in the model file" },
    { "stop_at_step", OPT_LONG, F(stop_at_step), "0", 0, 1e15, NULL,
      "save the state and stop after update N; 0: do not stop" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* File k of a list; NULL: there is none. */
static const char *item(const OptionList *list, int k)
{
    return k < list->n && strcmp(list->item[k], "none") != 0 ? list->item[k] : NULL;
}

static Status load_all(const OptionList *trees, const OptionList *deps, const OptionList *names, const char *what,
                       Corpus *c, int *n, Error *e)
{
    bool rules = deps->n == 1 && corpus_is_rules(deps->item[0]); /* one table for all trees */
    if (trees->n && deps->n && trees->n != deps->n && !rules)
        return error_set(e, ERR_USAGE, "found %d --%s and %d --%s-deps files, expected the same number", trees->n, what,
                         deps->n, what);
    int want = trees->n ? trees->n : deps->n;
    for (*n = 0; *n < want; ++*n) {
        const char *tree = item(trees, *n), *dep = item(deps, rules ? 0 : *n);
        if (!tree && !dep) return error_set(e, ERR_USAGE, "found --%s none and no --%s-deps file", what, what);
        Status s = program_corpus(&c[*n], tree, dep, *n < names->n ? names->item[*n] : NULL, e);
        if (s != OK) return s;
    }
    return OK;
}

/* The preset is applied first, so that options of the command line replace its values. */
static Status read_options(int argc, char **argv, Fields *f, ModelConfig *m, TrainConfig *t, Arena *strings, Error *e)
{
    const Option *tables[] = { TRAIN_COMMAND_OPTIONS, CONFIG_MODEL_OPTIONS, CONFIG_TRAIN_OPTIONS };
    void *fields[] = { f, m, t };
    int n_rest;
    char **many = mem_alloc((size_t)argc + 1, sizeof *many);
    if (!many) return error_set(e, ERR_NOMEM, "out of memory");
    options_defaults(TRAIN_COMMAND_OPTIONS, f);
    options_defaults(CONFIG_MODEL_OPTIONS, m);
    options_defaults(CONFIG_TRAIN_OPTIONS, t);
    Status s = options_parse(tables, fields, 3, argc, argv, many, &n_rest, e);
    if (s == OK) s = config_preset(f->preset, m, t, strings, e);
    options_defaults(TRAIN_COMMAND_OPTIONS, f);
    if (s == OK) s = options_parse(tables, fields, 3, argc, argv, many, &n_rest, e);
    if (s == OK && n_rest) s = error_set(e, ERR_USAGE, "found '%s', expected only options", many[0]);
    mem_free(many);
    return s;
}

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

/* The model, the checkpoint and the log are three files. */
static Status check_files(const TrainArgs *a, Error *e)
{
    const struct {
        const char *option, *path;
    } files[] = { { "--out", a->out }, { "--checkpoint", a->checkpoint }, { "--log", a->log } };
    for (int k = 0; k < 3; k++)
        for (int j = k + 1; j < 3; j++)
            if (files[k].path && files[j].path && same_file(files[k].path, files[j].path))
                return error_set(e, ERR_USAGE, "%s and %s: found the same file, '%s', expected two", files[k].option,
                                 files[j].option, files[j].path);
    return OK;
}

/* ---- the run on standard error */

typedef struct Reporter {
    bool progress;  /* a line that is rewritten */
    StrBuf stopped; /* the message of an interrupted run */
} Reporter;

static void report_started(const TrainCounts *c)
{
    fprintf(stderr,
            "%d sentences (%d longer than %d words left out), %d words, %d labels, %d types, %d tags, %.2f million "
            "parameters\n",
            c->sentences, c->skipped, c->max_words, c->words, c->labels, c->types, c->tags,
            (double)c->parameters / 1e6);
    if (c->epoch != c->sentences) fprintf(stderr, "%d sentences in each epoch\n", c->epoch);
    if (c->no_tree || c->no_arcs || c->mended)
        fprintf(stderr, "%d sentences without a tree, %d without dependencies, %d dependency types corrected\n",
                c->no_tree, c->no_arcs, c->mended);
    fprintf(stderr, "joint spans: %d groups left flat, %d phrases with more than one head, %d trees without a phrase\n",
            c->flat, c->extra_heads, c->bare);
}

static void report_progress(const TrainProgress *p)
{
    fprintf(stderr,
            "\repoch %.2f/%d  %.0f sentences/s  span %.2f arc %.2f type %.2f tag %.2f  lr %.2e  left %.0f min \033[K",
            p->epoch, p->epochs, p->rate, p->span, p->arc, p->type, p->tag, p->lr, p->minutes_left);
}

static void report_check(const TrainCheck *c)
{
    fprintf(stderr, "epoch %.2f", c->epoch);
    for (int k = 0; k < c->n; k++) {
        const Scores *s = &c->dev[k].scores;
        const DepCounts *arcs = &s->dep.nopunct;
        fprintf(stderr, "  %s F1 %.2f UAS %.2f LAS %.2f tags %.2f", c->dev[k].name, score_f1(s),
                score_percent(arcs->heads, arcs->words), score_percent(arcs->both, arcs->words),
                score_percent(s->tags_right, s->tags));
    }
    fprintf(stderr, "%s\n", c->best ? "  best" : "");
}

static void report(void *context, const TrainEvent *event)
{
    Reporter *r = context;
    const TrainOptionChange *o = &event->option;
    switch (event->kind) {
    case TRAIN_OPTION:
        if (o->fixed)
            fprintf(stderr, "--resume: %s stays %s, found %s; model options are fixed\n", o->name, o->before, o->now);
        else fprintf(stderr, "--resume: %s changes from %s to %s\n", o->name, o->before, o->now);
        break;
    case TRAIN_STARTED: report_started(&event->started); break;
    case TRAIN_PROGRESS:
        if (r->progress) report_progress(&event->progress);
        break;
    case TRAIN_CHECKED:
        if (r->progress) fprintf(stderr, "\r\033[K");
        report_check(&event->checked);
        break;
    case TRAIN_STOPPED:
        strbuf_printf(&r->stopped, "stopped after update %ld; continue with --resume %s", event->stopped.step,
                      event->stopped.checkpoint);
        break;
    }
}

/* Trains; the message of an interrupted run says how to continue. */
static Status run(TrainArgs *a, Error *e)
{
    Reporter r = { .progress = isatty(2) };
    Error why = { 0 };
    a->observer = (TrainObserver){ report, &r };
    Status s = trainer_run(a, &why);
    if (s == ERR_INTERRUPTED && r.stopped.ptr) error_set(e, s, "%s", r.stopped.ptr);
    else if (s != OK) *e = why;
    strbuf_fini(&r.stopped);
    return s;
}

static Status run_train(int argc, char **argv, Error *e)
{
    static const DType dtypes[] = { DT_F32, DT_F16, DT_BF16 };
    Fields f;
    TrainArgs a = { .interrupted = &program_interrupted };
    Corpus corpora[OPTION_LIST_MAX], dev[OPTION_LIST_MAX];
    Arena strings;
    StrBuf checkpoint = { 0 };
    arena_init(&strings, 4096);
    Status s = read_options(argc, argv, &f, &a.model, &a.train, &strings, e);
    if (s == OK && !f.train.n && !f.train_deps.n)
        s = error_set(e, ERR_USAGE, "found no --train and no --train-deps file, expected at least one");
    if (s == OK) s = load_all(&f.train, &f.train_deps, &f.name, "train", corpora, &a.n_corpora, e);
    if (s == OK) s = load_all(&f.dev, &f.dev_deps, f.dev_name.n ? &f.dev_name : &f.name, "dev", dev, &a.n_dev, e);
    if (s == OK) {
        strbuf_puts(&checkpoint, f.out);
        strbuf_puts(&checkpoint, ".ckpt");
        if (checkpoint.failed) s = error_set(e, ERR_NOMEM, "out of memory");
    }
    if (s == OK) {
        a.corpora = corpora;
        a.dev = dev;
        a.out = f.out;
        a.checkpoint = f.checkpoint ? f.checkpoint : checkpoint.ptr;
        a.resume = f.resume;
        a.log = f.log;
        a.treebank = f.treebank;
        a.vectors = f.vectors;
        a.vectors_most = f.vectors_most;
        a.n_threads = program_threads(f.threads);
        a.stop_at_step = f.stop_at_step;
        a.store = dtypes[f.store];
        s = check_files(&a, e);
        if (s == OK) s = device_default()->start(a.n_threads, e);
    }
    if (s == OK) {
        program_catch_signals();
        s = run(&a, e);
    }
    for (int k = 0; k < a.n_corpora; k++) corpus_fini(&corpora[k]);
    for (int k = 0; k < a.n_dev; k++) corpus_fini(&dev[k]);
    arena_fini(&strings);
    strbuf_fini(&checkpoint);
    return s;
}

static const char TRAIN_HELP[] = "Trees, dependencies or both are trained, on one or more treebanks (--train may\n"
                                 "be repeated). The preset replaces defaults of the training and model options\n"
                                 "below; options on the command line replace those of the preset.\n";

static const Option *const TRAIN_TABLES[] = { TRAIN_COMMAND_OPTIONS, CONFIG_TRAIN_OPTIONS, CONFIG_MODEL_OPTIONS, NULL };
const Command CMD_TRAIN = { "train", "[OPTIONS]", "train a model on treebanks", TRAIN_HELP, TRAIN_TABLES, run_train };
