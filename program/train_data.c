/* A table with two functions for each task: are the files that it needs given, and how are
 * they read? */
#include "program/train_data.h"

#include <string.h>

#include "program/program.h"
#include "parser/task/document/document_data.h"
#include "parser/task/translate/pair_data.h"
#include "parser/train/run/text_data.h"

static bool is_dev(const char *set) { return strcmp(set, "train") != 0; }

/* ---- trees and dependencies */

static Status check_parse(const TrainFields *f, Error *e)
{
    if (!f->train.n && !f->train_deps.n && !f->soft.n && !f->conllu.n)
        return error_set(e, ERR_USAGE,
                         "found no --train, no --train-deps, no --conllu and no --soft file, expected at least one");
    if (f->conllu.n && (f->train.n || f->train_deps.n))
        return error_set(e, ERR_USAGE, "--conllu: found --%s, expected one of them",
                         f->train.n ? "train" : "train-deps");
    if (f->dev_conllu.n && (f->dev.n || f->dev_deps.n))
        return error_set(e, ERR_USAGE, "--dev-conllu: found --%s, expected one of them", f->dev.n ? "dev" : "dev-deps");
    if (!f->folds && !f->fold_parses) return OK;
    if (f->folds && f->soft.n) return error_set(e, ERR_USAGE, "--folds: found --soft, expected gold sentences alone");
    if (f->folds < 2) return error_set(e, ERR_USAGE, "--fold-parses: found --folds %d, expected at least 2", f->folds);
    if (!f->fold_parses) return error_set(e, ERR_USAGE, "--folds: expected --fold-parses FILE");
    return f->resume ? error_set(e, ERR_USAGE, "--folds: found --resume, expected the command as it was given before")
                     : OK;
}

/* Appends the files of soft targets to the training data. */
static Status load_soft(const TrainFields *f, Corpus *train, int *n, Error *e)
{
    if (*n + f->soft.n > OPTION_LIST_MAX)
        return error_set(e, ERR_USAGE, "found %d training files, expected at most %d", *n + f->soft.n, OPTION_LIST_MAX);
    for (int k = 0; k < f->soft.n; k++, ++*n) {
        const char *name = k < f->soft_name.n ? f->soft_name.item[k] : NULL;
        Status status = corpus_load_soft(&train[*n], f->soft.item[k], name, e);
        if (status != OK) return status;
    }
    return OK;
}

static Status load_parse(const TrainFields *f, const ModelConfig *m, const char *set, Corpus *c, int *n, Error *e)
{
    (void)m;
    const OptionList *deps = f->conllu.n ? &f->conllu : &f->train_deps,
                     *dev_deps = f->dev_conllu.n ? &f->dev_conllu : &f->dev_deps;
    if (is_dev(set)) return program_corpora(&f->dev, dev_deps, f->dev_name.n ? &f->dev_name : &f->name, set, c, n, e);
    Status status = program_corpora(&f->train, deps, &f->name, set, c, n, e);
    return status == OK ? load_soft(f, c, n, e) : status;
}

/* ---- classes of sentences */

static Status check_classify(const TrainFields *f, Error *e)
{
    if (!f->train.n) return error_set(e, ERR_USAGE, "found no --train file, expected one");
    if (f->train_classes && f->train.n > 1)
        return error_set(e, ERR_USAGE, "--train-classes: found %d --train files, expected one", f->train.n);
    if (f->dev_classes && f->dev.n != 1)
        return error_set(e, ERR_USAGE, "--dev-classes: found %d --dev files, expected one", f->dev.n);
    return OK;
}

static Status load_classify(const TrainFields *f, const ModelConfig *m, const char *set, Corpus *c, int *n, Error *e)
{
    (void)m;
    const OptionList *files = is_dev(set) ? &f->dev : &f->train;
    Status status = OK;
    for (*n = 0; *n < files->n && status == OK; ++*n)
        status = program_classes(&c[*n], files->item[*n], is_dev(set) ? f->dev_classes : f->train_classes, e);
    return status;
}

/* ---- documents */

static Status load_documents(const TrainFields *f, const ModelConfig *m, const char *set, Corpus *c, int *n, Error *e)
{
    const OptionList *files = is_dev(set) ? &f->dev : &f->train;
    Status status = OK;
    for (*n = 0; *n < files->n && status == OK; ++*n) {
        char place[DATA_PATH_MAX];
        status = document_data_load(&c[*n], program_file(files->item[*n], place, sizeof place), m->language, e);
    }
    return status;
}

/* ---- words */

static Status check_train(const TrainFields *f, Error *e)
{
    return f->train.n ? OK : error_set(e, ERR_USAGE, "found no --train file, expected at least one");
}

static Status load_detect(const TrainFields *f, const ModelConfig *m, const char *set, Corpus *c, int *n, Error *e)
{
    const OptionList *files = is_dev(set) ? &f->dev : &f->train;
    ProgramNotes notes = program_notes();
    const TextDataOptions o = { .kind = (TextKind)f->input,
                                .raw = { .language = m->language,
                                         .split_hyphens = f->hyphens == 1,
                                         .segment = { .newlines = (Newlines)f->newline, .markup = (Markup)f->markup } },
                                .notes = &notes.notes };
    Status status = OK;
    for (*n = 0; *n < files->n && status == OK; ++*n) {
        char place[DATA_PATH_MAX];
        status = text_data_load(&c[*n], program_file(files->item[*n], place, sizeof place), o, e);
    }
    program_notes_end(&notes);
    return status;
}

/* ---- pairs of texts */

static Status check_translate(const TrainFields *f, Error *e)
{
    if (!f->train.n) return error_set(e, ERR_USAGE, "found no --train file, expected at least one");
    if (f->target.n != f->train.n)
        return error_set(e, ERR_USAGE, "--target: found %d and %d --train files, expected as many", f->target.n,
                         f->train.n);
    if (f->dev_target.n != f->dev.n)
        return error_set(e, ERR_USAGE, "--dev-target: found %d and %d --dev files, expected as many", f->dev_target.n,
                         f->dev.n);
    return OK;
}

static Status load_translate(const TrainFields *f, const ModelConfig *m, const char *set, Corpus *c, int *n, Error *e)
{
    (void)m;
    const OptionList *source = is_dev(set) ? &f->dev : &f->train, *target = is_dev(set) ? &f->dev_target : &f->target;
    Status status = OK;
    for (*n = 0; *n < source->n && status == OK; ++*n) {
        char place[2][DATA_PATH_MAX];
        status = pair_data_load(&c[*n], program_file(source->item[*n], place[0], sizeof place[0]),
                                program_file(target->item[*n], place[1], sizeof place[1]), e);
    }
    return status;
}

/* ---- the tasks */

/* In the order of TRAIN_TASKS_CHOICES. */
static const struct {
    Status (*check)(const TrainFields *f, Error *e);
    Status (*load)(const TrainFields *f, const ModelConfig *m, const char *set, Corpus *c, int *n, Error *e);
} TASKS[] = { { check_parse, load_parse },     { check_classify, load_classify },  { check_train, load_documents },
              { check_train, load_documents }, { check_train, load_documents },    { check_train, load_detect },
              { check_train, load_detect },    { check_translate, load_translate } };

Status train_data_check(const TrainFields *f, Error *e) { return TASKS[f->task].check(f, e); }

Status train_data_load(const TrainFields *f, const ModelConfig *m, const char *set, Corpus *c, int *n, Error *e)
{
    return TASKS[f->task].load(f, m, set, c, n, e);
}
