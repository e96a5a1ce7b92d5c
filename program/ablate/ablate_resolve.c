/* What a run gets from other runs of its seed */
#include <string.h>

#include "program/ablate/ablate_internal.h"

/* The path of the model of a variant, in the arena. */
static Status model_path(const AblateArgs *a, int variant, int seed, Arena *arena, const char **path, Error *e)
{
    AblateFolder f;
    Status s = ablate_folder(&f, a->out, &a->plan->variants[variant], a->plan->seeds[seed], false, e);
    if (s != OK) return s;
    *path = arena_strndup(arena, f.model, strlen(f.model));
    return *path ? OK : error_set(e, ERR_NOMEM, "out of memory for a run");
}

static Status copy_heads(const Task *task, const char *path, Arena *arena, HeadNumbers *constant, Error *e)
{
    Model m;
    model_init(&m);
    m.task = task;
    Status s = model_load(&m, path, NULL, e);
    if (s == OK) s = ablate_open_heads(&m, true, arena, constant, e);
    model_fini(&m);
    return s;
}

Status ablate_resolve(const AblateArgs *a, const AblateVariant *v, int seed, Arena *arena, EncoderOptions *out,
                      const char **start, Error *e)
{
    const char *path;
    size_t n = (size_t)v->options.n_heads;
    Status s = OK;
    *out = v->options;
    *start = NULL;
    out->heads = arena_alloc(arena, n, sizeof *out->heads); /* training writes to the entries */
    if (!out->heads) return error_set(e, ERR_NOMEM, "out of memory for a run");
    if (n) memcpy(out->heads, v->options.heads, n * sizeof *out->heads);
    if (v->start_from >= 0) {
        s = model_path(a, v->start_from, seed, arena, start, e);
        if (s == OK && out->gates.kind != GATES_NONE) out->gates.start_from = *start;
    }
    if (s == OK && v->heads_of >= 0) {
        s = model_path(a, v->heads_of, seed, arena, &path, e);
        if (s == OK) s = copy_heads(a->plan->measure->task, path, arena, &out->gates.constant, e);
    }
    if (s == OK && v->first_pass) {
        s = model_path(a, a->plan->first_pass, seed, arena, &out->syntax.model, e);
        if (s == OK) s = ablate_first_pass_path(a, arena, &out->syntax.train_file, e);
    }
    return s;
}
