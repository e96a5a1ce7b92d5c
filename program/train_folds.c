/* A fold is an ordinary run with a checkpoint of its own; files that are there already are
 * not made again, so that the same command continues. */
#include "program/train_folds.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/data_path.h"
#include "base/lock.h"
#include "program/program.h"
#include "program/train_report.h"
#include "parser/train/run/folds.h"

/* The files of a fold. */
typedef struct FoldFiles {
    char model[DATA_PATH_MAX], checkpoint[DATA_PATH_MAX], parses[DATA_PATH_MAX];
} FoldFiles;

static Status name_files(FoldFiles *f, const char *path, int fold, Error *e)
{
    size_t n = strlen(path);
    const char *end = folds_is_json(path) ? "jsonl" : "conllx";
    if (n + 40 > sizeof f->model) return error_set(e, ERR_USAGE, "--fold-parses: the name is too long");
    snprintf(f->model, sizeof f->model, "%s.fold%d.lal", path, fold + 1);
    snprintf(f->checkpoint, sizeof f->checkpoint, "%s.fold%d.ckpt", path, fold + 1);
    snprintf(f->parses, sizeof f->parses, "%s.fold%d.%s", path, fold + 1, end);
    return OK;
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

static Status train_fold(const TrainArgs *a, const Folds *folds, int fold, const FoldFiles *files, bool quiet, Error *e)
{
    TrainArgs t = *a;
    TrainReport r;
    Corpus rest[OPTION_LIST_MAX];
    Arena arena;
    Error why = { 0 };
    arena_init(&arena, 4096);
    Status s = folds_rest(folds, fold, rest, &arena, e);
    t.corpora = rest;
    t.options = NULL;
    t.out = files->model;
    t.checkpoint = files->checkpoint;
    t.resume = exists(files->checkpoint) ? files->checkpoint : NULL;
    t.log = t.command = t.start_from = NULL;
    t.train.seed += fold + 1;
    if (s == OK && !quiet) program_say("fold %d of %d%s\n", fold + 1, folds->n, t.resume ? ", continued" : "");
    train_report_start(&r, quiet);
    t.observer = train_report_observer(&r);
    if (s == OK) s = trainer_run(&t, &why);
    progress_clear(&r.progress);
    if (s == ERR_INTERRUPTED)
        error_set(e, s, "stopped in fold %d of %d; the same command continues", fold + 1, folds->n);
    else if (s != OK) *e = why;
    arena_fini(&arena);
    return s;
}

static void remove_files(const FoldFiles *f, bool parses)
{
    remove(f->model);
    remove(f->checkpoint);
    if (parses) remove(f->parses);
}

Status train_folds_run(const TrainArgs *args, int n, const char *path, bool quiet, Error *error)
{
    const Folds folds = { args->corpora, args->n_corpora, n, args->device, args->n_threads };
    FoldFiles *files = mem_calloc((size_t)n, sizeof *files);
    const char **paths = mem_calloc((size_t)n, sizeof *paths);
    Lock lock = { 0 };
    Status s = files && paths ? OK : error_set(error, ERR_NOMEM, "out of memory for %d folds", n);
    if (s == OK) s = lock_take(&lock, path, error);
    if (s == OK && exists(path)) s = error_set(error, ERR_USAGE, "--fold-parses: %s exists, expected a new file", path);
    for (int k = 0; k < n && s == OK; k++) {
        s = name_files(&files[k], path, k, error);
        paths[k] = files[k].parses;
        if (s != OK || exists(paths[k])) continue;
        s = train_fold(args, &folds, k, &files[k], quiet, error);
        if (s == OK) s = folds_parse(&folds, k, files[k].model, paths[k], error);
        if (s == OK) remove_files(&files[k], false);
    }
    if (s == OK) s = folds_join(&folds, paths, path, error);
    for (int k = 0; k < n && s == OK; k++) remove_files(&files[k], true);
    if (s == OK && !quiet) program_say("parses of the training sentences written to %s\n", path);
    lock_release(&lock);
    mem_free(files);
    mem_free(paths);
    return s;
}
