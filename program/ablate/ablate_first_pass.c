/* Predicted parses of training sentences, by folds (parser/train/run/folds.h) */
#include <stdio.h>
#include <string.h>

#include "program/ablate/ablate_internal.h"
#include "parser/train/run/folds.h"

Status ablate_first_pass_path(const AblateArgs *a, Arena *arena, const char **path, Error *e)
{
    size_t n = strlen(a->out) + sizeof ABLATE_FIRST_PASS + 16;
    char *text = arena_alloc(arena, n, 1);
    if (!text) return error_set(e, ERR_NOMEM, "out of memory for a run");
    snprintf(text, n, "%s/%s/train.jsonl", a->out, ABLATE_FIRST_PASS);
    *path = text;
    return OK;
}

/* The folds of a plan, whose parses are JSON lines: patterns may need trees, dependencies or both. */
static Folds folds_of(const AblateArgs *a)
{
    return (Folds){ .corpora = a->train,
                    .n_corpora = a->n_train,
                    .n = a->plan->folds,
                    .device = a->device,
                    .n_threads = a->n_threads };
}

Status ablate_fold(const AblateArgs *a, int fold, Corpus *out, Arena *arena, Error *e)
{
    const Folds f = folds_of(a);
    return folds_rest(&f, fold, out, arena, e);
}

Status ablate_fold_parse(const AblateArgs *a, int fold, const char *model, const char *path, Error *e)
{
    const Folds f = folds_of(a);
    return folds_parse(&f, fold, model, path, e);
}

Status ablate_folds_join(const AblateArgs *a, const char *const *paths, const char *path, Error *e)
{
    const Folds f = folds_of(a);
    return folds_join(&f, paths, path, e);
}
