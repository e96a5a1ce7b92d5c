/* parser/program/cmd_classify.c: lal classify */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "parser/model/model_file.h"
#include "parser/parse/source.h"
#include "parser/program/program.h"
#include "parser/task/classify/classify.h"

enum { FORMAT_TEXT, FORMAT_JSON };

typedef struct Fields {
    const char *model, *out, *device;
    RawTextFields raw;
    int format, input, threads, max_words;
    bool quiet;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option CLASSIFY_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL", "model to classify with, of lal train --task classify" },
    { "input", OPT_ENUM, F(input), "text", 0, 0, INPUT_CHOICES, INPUT_ABOUT },
    RAW_TEXT_OPTIONS(Fields, raw),
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|json",
      "format of the output; text: class, tab, words on each line, as lal train reads them; json: lines with the "
      "probabilities of all classes" },
    OUT_OPTION(Fields),
    { "max_words", OPT_INT, F(max_words), "500", 1, 100000, NULL,
      "of a sentence of more than N words, read the first N" },
    THREADS_OPTION(Fields),
    DEVICE_OPTION(Fields, device),
    QUIET_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

typedef struct Run {
    const Fields *f;
    const Model *m;
    Classifier classifier;
    Source source;
    FileWriter out;
    StrBuf buf;
    Progress progress;
    ProgramNotes notes;
    long id, shortened;
    int *class_id;     /* [cap] of the window */
    Real *probability; /* [cap * classes] */
    int cap, cap_probability;
} Run;

static void put_text(StrBuf *out, const char *name, const ParseInput *in)
{
    strbuf_printf(out, "%s\t", name);
    for (int w = 0; w < in->n_words; w++) {
        if (w) strbuf_putc(out, ' ');
        strbuf_puts(out, in->words[w]);
    }
    strbuf_putc(out, '\n');
}

static void put_json(StrBuf *out, const Model *m, long id, int best, const Real *probability, const ParseInput *in)
{
    json_object(out, NULL);
    json_members(out, "id: %ld, class: %s", id, vocab_text(&m->classes, best));
    json_object(out, "probabilities");
    for (int k = 0; k < vocab_size(&m->classes); k++)
        json_real(out, vocab_text(&m->classes, k), "%.4f", (double)probability[k]);
    json_object_end(out);
    json_strings(out, "words", in->words, in->n_words);
    strbuf_puts(out, "}\n");
}

/* Classifies and writes the window of the source. */
static Status write_window(Run *r, Error *e)
{
    const Source *s = &r->source;
    int classes = vocab_size(&r->m->classes);
    if (!mem_reserve(r->class_id, &r->cap, s->n) || s->n > INT_MAX / classes ||
        !mem_reserve(r->probability, &r->cap_probability, s->n * classes))
        return error_set(e, ERR_NOMEM, "out of memory for %d sentences", s->n);
    Status status = classifier_run(&r->classifier, s->in, s->n, r->class_id, r->probability, e);
    strbuf_clear(&r->buf);
    for (int k = 0; k < s->n && status == OK; k++) {
        if (s->in[k].n_words == 0) continue; /* an empty line of --input tokens */
        r->id++;
        r->shortened += s->in[k].n_words > r->classifier.max_words;
        if (r->f->format == FORMAT_JSON)
            put_json(&r->buf, r->m, r->id, r->class_id[k], r->probability + (ptrdiff_t)k * classes, &s->in[k]);
        else put_text(&r->buf, vocab_text(&r->m->classes, r->class_id[k]), &s->in[k]);
    }
    if (status != OK) return status;
    if (r->buf.failed) return error_set(e, ERR_NOMEM, "out of memory writing classes");
    program_write(&r->out, &r->buf);
    progress_show(&r->progress, progress_share(&r->progress, source_progress(s)), "%ld sentences", r->id);
    return OK;
}

static Status classify_file(Run *r, const char *path, Error *e)
{
    Source *s = &r->source;
    char place[DATA_PATH_MAX];
    SourceOptions o = { .kind = (InputKind)r->f->input,
                        .raw = program_raw_text(&r->f->raw, r->m),
                        .tags = true, /* tell quotes apart */
                        .parses = encoder_options_oracle(&r->m->options),
                        .notes = &r->notes.notes };
    Status status = source_open(s, program_file(path, place, sizeof place), o, e);
    progress_file(&r->progress, s->path);
    for (bool first = true; status == OK && (status = source_next(s, e)) == OK && s->n; first = false) {
        if (first && !r->f->quiet) program_warn_input(s, r->m, &r->progress);
        status = write_window(r, e);
    }
    source_close(s);
    return status;
}

static Status classify_files(Run *r, const char *const *files, int n, Error *e)
{
    Status s = filewriter_open(&r->out, r->f->out, e);
    if (s != OK) return s;
    progress_files(&r->progress, files, n);
    for (int k = 0; k < n && s == OK; k++) s = classify_file(r, files[k], e);
    progress_clear(&r->progress);
    program_notes_end(&r->notes);
    if (r->shortened)
        program_say("of %ld sentence%s the first %d words were read (--max-words)\n", r->shortened,
                    r->shortened == 1 ? "" : "s", r->classifier.max_words);
    Status closed = filewriter_close(&r->out, s == OK, e);
    return s != OK ? s : closed;
}

static Status run_predict(const Fields *f, const char *const *files, int n, Error *e)
{
    char place[DATA_PATH_MAX];
    Model m;
    Run r = { .f = f, .m = &m, .notes = program_notes(), .progress = progress_start("classify", f->quiet) };
    r.notes.progress = &r.progress;
    model_init(&m);
    m.task = &TASK_CLASSIFY;
    Status s = model_load(&m, program_model_file(f->model, place, sizeof place), NULL, e);
    if (s == OK && !source_is_treebank((InputKind)f->input)) s = model_check_text(&m, e);
    if (s == OK) s = classifier_init(&r.classifier, &m, device_default(), program_threads(f->threads), e);
    r.classifier.max_words = f->max_words;
    if (s == OK) s = classify_files(&r, files, n, e);
    classifier_fini(&r.classifier);
    model_fini(&m);
    strbuf_fini(&r.buf);
    mem_free(r.class_id);
    mem_free(r.probability);
    return s;
}

static Status run_classify(int argc, char **argv, Error *e)
{
    Fields f;
    int n;
    Status s = program_options(CLASSIFY_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    if (s == OK && !f.model) s = error_set(e, ERR_USAGE, "found no --model, expected one");
    if (s == OK) s = program_device(f.device, e);
    return s == OK ? run_predict(&f, (const char *const *)argv, n, e) : s;
}

static const Option *const CLASSIFY_TABLES[] = { CLASSIFY_OPTIONS, NULL };
const Command CMD_CLASSIFY = { "classify",
                               "-m MODEL [OPTIONS] [FILE...]",
                               "give each sentence one of several classes",
                               "lal train --task classify makes models, lal eval scores them (docs/CLASSIFY.md).\n",
                               CLASSIFY_TABLES,
                               run_classify };
