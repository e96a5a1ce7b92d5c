/* Windows of a source are cut into windows of sentences, of which a thread takes one at a time. */
#include "program/inspect_files.h"

#include <stdio.h>

#include "parser/model/model_file.h"
#include "parser/parse/characters.h"

Status inspect_model(Model *model, const char *path, Error *error)
{
    Status s = model_load(model, path, NULL, error);
    if (s == OK) s = model_check_text(model, error);
    if (s != OK || encoder_has_label_heads(&model->net.encoder)) return s;
    return error_at(error, ERR_CONFIG, path, 0, 0, NO_LABEL_HEADS);
}

Status inspect_start(InspectFiles *files, const Model *model, int threads, Error *error)
{
    int n = program_threads(threads);
    Status s = device_default()->start(n, false, error);
    if (s != OK) return s;
    files->threads = mem_calloc((size_t)n, sizeof *files->threads);
    files->team = thread_team_new(n);
    if (!files->threads || !files->team) return error_set(error, ERR_NOMEM, "out of memory for %d threads", n);
    for (; files->n_threads < n; files->n_threads++) {
        worker_init(&files->threads[files->n_threads].parse, model, device_default());
        arena_init(&files->threads[files->n_threads].kept, (size_t)1 << 18);
    }
    return characters_parser(&files->cutter, model, files->treebank, n, error);
}

void inspect_end(InspectFiles *files)
{
    for (int t = 0; t < files->n_threads; t++) {
        worker_fini(&files->threads[t].parse);
        arena_fini(&files->threads[t].kept);
    }
    mem_free(files->threads);
    thread_team_free(files->team);
    parser_fini(&files->cutter);
}

/* ---- sentences */

typedef struct Pass {
    InspectFiles *files;
    Status (*sentence)(void *context, int thread, int item, Error *e);
} Pass;

/* Names the place of a sentence that cannot be explained. */
static void add_place(const InspectFiles *f, int item, Error *e)
{
    char what[768];
    Origin origin = source_origin(f->source, f->first + item, inspect_number(f, item));
    if (e->path[0] || e->code == ERR_CONFIG || e->code == ERR_NOMEM) return;
    Status status = e->code;
    snprintf(what, sizeof what, "%s", e->message);
    *e = (Error){ 0 };
    error_at(e, status, f->source->path, origin.line, 0, "sentence %ld: %s", origin.id, what);
}

static void work(void *context, int thread, int item)
{
    const Pass *p = context;
    InspectThread *t = &p->files->threads[thread];
    if (t->e.code != OK || p->sentence(p->files->context, thread, item, &t->e) == OK) return;
    add_place(p->files, item, &t->e);
    t->failed = item;
}

Status inspect_sentences(InspectFiles *files, int n, Status (*sentence)(void *context, int thread, int item, Error *e),
                         Error *error)
{
    Status status = OK;
    Pass pass = { files, sentence };
    thread_team_run(files->team, n, work, &pass);
    /* items are taken in order, so the first one that failed is among these */
    for (int t = 0, first = n; t < files->n_threads; t++) {
        const InspectThread *thread = &files->threads[t];
        if (thread->e.code == OK || thread->failed >= first) continue;
        first = thread->failed;
        *error = thread->e;
        status = error->code;
    }
    return status;
}

/* ---- files */

static bool at_end(const InspectFiles *f) { return f->most && f->id >= f->most; }

static Status explain_window(InspectFiles *f, const Source *s, Error *e)
{
    Status status = OK;
    f->source = s;
    for (f->first = 0; f->first < s->n && status == OK && !at_end(f); f->first += f->window) {
        int n = s->n - f->first < f->window ? s->n - f->first : f->window;
        if (f->most && f->most - f->id < n) n = (int)(f->most - f->id);
        for (int t = 0; t < f->n_threads; t++) arena_reset(&f->threads[t].kept);
        status = f->explain(f->context, n, e);
        f->id += n;
        double before = f->read, now = source_progress(s);
        double share = before + (now - before) * (f->first + n) / s->n; /* of the file */
        progress_show(&f->progress, progress_share(&f->progress, share), "%ld sentences explained", f->id);
    }
    f->read = source_progress(s);
    return status;
}

static Status explain_file(InspectFiles *f, const char *path, Error *e)
{
    Source s;
    char place[DATA_PATH_MAX], rules[DATA_PATH_MAX];
    ProgramNotes notes = program_notes();
    notes.progress = &f->progress;
    const Model *m = f->threads[0].parse.m;
    SourceOptions o = { .kind = f->input, .raw = program_raw_text(f->raw, m), .notes = &notes.notes };
    o.raw.cutter = &f->cutter;
    o.deps = program_deps_path(f->gold_deps, rules, sizeof rules);
    Status status = source_open(&s, program_file(path, place, sizeof place), o, e);
    f->read = 0;
    progress_file(&f->progress, s.path);
    for (bool first = true; status == OK && !at_end(f) && (status = source_next(&s, e)) == OK && s.n; first = false) {
        if (first && !f->quiet) program_warn_input(&s, m, &f->progress);
        status = explain_window(f, &s, e);
    }
    source_close(&s);
    program_notes_end(&notes);
    return status;
}

Status inspect_run(InspectFiles *files, const char *const *paths, int n, Error *error)
{
    Status status = OK;
    files->progress = progress_start("inspect", files->quiet);
    progress_files(&files->progress, paths, n);
    for (int k = 0; k < n && status == OK; k++) status = explain_file(files, paths[k], error);
    progress_clear(&files->progress);
    return status;
}
