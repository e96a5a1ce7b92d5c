/* Lal classify */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "parser/model/model_file.h"
#include "parser/parse/source.h"
#include "program/program.h"
#include "parser/task/document/document.h"

enum { FORMAT_TEXT, FORMAT_JSON };

typedef struct Fields {
    const char *model, *out, *device;
    RawTextFields raw;
    int format, input, threads, max_words, choose, threshold;
    bool block_trigrams, quiet;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option CLASSIFY_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL",
      "model to classify with, of lal train --task classify, classes, summary or segments; the last three read "
      "documents "
      "in JSON lines (docs/DOCUMENTS.md)" },
    { "input", OPT_ENUM, F(input), "text", 0, 0, INPUT_CHOICES, INPUT_ABOUT },
    RAW_TEXT_OPTIONS(Fields, raw),
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|json",
      "format of the output; text: class, tab, words on each line, as lal train reads them; of documents the sentences "
      "of a summary, or an empty line after each segment; json: lines with the probabilities of all classes" },
    OUT_OPTION(Fields),
    { "max_words", OPT_INT, F(max_words), "500", 1, 100000, NULL,
      "of a sentence of more than N words, read the first N" },
    SUMMARY_OPTIONS(Fields),
    { "threshold", OPT_ENUM, F(threshold), "f1", 0, 0, "f1|p_k", /* as THRESHOLD_F1, THRESHOLD_P_K */
      "a segment begins in a gap whose probability reaches the threshold that was best on the dev data of the model, "
      "by "
      "F1 or by P_k" },
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

/* ---- documents */

static void put_texts(StrBuf *out, const char *key, const TextList *texts)
{
    json_array(out, key);
    for (int k = 0; k < texts->n; k++) json_view(out, NULL, texts->text[k]);
    json_array_end(out);
}

/* A document as lal eval --measure reads it, with probabilities for each sentence: p [sentences * classes]. */
static void put_document_json(StrBuf *out, const Model *m, const DocumentLine *d, const Real *p)
{
    int classes = vocab_size(&m->classes);
    json_object(out, NULL);
    if (d->id) json_string(out, "id", d->id);
    put_texts(out, "sentences", &d->sentences);
    if (m->task == &TASK_SUMMARY) put_texts(out, "summary", &d->summary);
    else if (!m->task->gaps) put_texts(out, "classes", &d->classes);
    else {
        json_array(out, "segments");
        for (int k = 0; k < d->n_segments; k++) json_record(out, NULL, "begin: %d", d->begin[k]);
        json_array_end(out);
    }
    json_object(out, "probabilities");
    for (int c = m->task == &TASK_CLASSES ? 0 : 1; c < classes; c++) {
        json_array(out, vocab_text(&m->classes, c));
        for (int k = 0; k < d->sentences.n; k++) {
            double x = (double)p[(ptrdiff_t)k * classes + c];
            json_real(out, NULL, "%.4f", x < 0 ? NAN : x); /* null: not read */
        }
        json_array_end(out);
    }
    json_object_end(out);
    strbuf_puts(out, "}\n");
}

static void put_document_text(StrBuf *out, const Task *task, const DocumentLine *d)
{
    const TextList *lines = task == &TASK_SUMMARY ? &d->summary : &d->sentences;
    for (int k = 0, segment = 1; k < lines->n; k++) {
        if (task->gaps && segment < d->n_segments && d->begin[segment] == k) {
            strbuf_putc(out, '\n');
            segment++;
        }
        if (task == &TASK_CLASSES) strbuf_printf(out, "%s\t", d->classes.text[k].ptr);
        strbuf_printf(out, "%.*s\n", (int)lines->text[k].len, lines->text[k].ptr);
    }
    strbuf_puts(out, task->gaps ? "\n\n" : "\n");
}

static Status write_documents(Run *r, const Corpus *data, const DocumentUnits *u, Error *e)
{
    const DocumentChoice o = { .most = r->f->choose, .block = r->f->block_trigrams };
    double threshold[THRESHOLDS];
    Arena arena;
    arena_init(&arena, 1 << 12);
    Status status = document_thresholds(r->m, threshold, e);
    for (int k = 0; k < data->trees.n && status == OK; k++) {
        DocumentLine d;
        arena_reset(&arena);
        strbuf_clear(&r->buf);
        status = document_predict(r->m, &o, threshold[r->f->threshold], data, u, k, &arena, &d, e);
        if (status != OK) break;
        if (r->f->format == FORMAT_JSON)
            put_document_json(&r->buf, r->m, &d, u->p + (ptrdiff_t)u->first[k] * u->classes);
        else put_document_text(&r->buf, r->m->task, &d);
        if (r->buf.failed) status = error_set(e, ERR_NOMEM, "out of memory writing documents");
        else program_write(&r->out, &r->buf);
    }
    arena_fini(&arena);
    return status;
}

static Status classify_documents(Run *r, const char *path, Error *e)
{
    char place[DATA_PATH_MAX];
    Corpus data;
    DocumentUnits u = { 0 };
    Status status = document_data_load(&data, program_file(path, place, sizeof place), r->m->c.language, e);
    if (status == OK) status = document_units(&r->classifier, &data, &u, e);
    if (status == OK) status = write_documents(r, &data, &u, e);
    document_units_fini(&u);
    corpus_fini(&data);
    return status;
}

/* ---- the command */

static Status classify_files(Run *r, const char *const *files, int n, Error *e)
{
    Status s = filewriter_open(&r->out, r->f->out, e);
    if (s != OK) return s;
    progress_files(&r->progress, files, n);
    for (int k = 0; k < n && s == OK; k++)
        s = r->m->task->documents ? classify_documents(r, files[k], e) : classify_file(r, files[k], e);
    progress_clear(&r->progress);
    program_notes_end(&r->notes);
    if (r->shortened)
        program_say("of %ld sentence%s the first %d words were read (--max-words)\n", r->shortened,
                    r->shortened == 1 ? "" : "s", r->classifier.max_words);
    Status closed = filewriter_close(&r->out, s == OK, e);
    return s != OK ? s : closed;
}

/* The task of the model, TASK_CLASSIFY unless it reads documents, which are not said how to read. */
static Status find_task(const Fields *f, const char *path, const Task **task, Error *e)
{
    ModelTexts texts;
    Fields initial;
    Status s = model_texts_read(&texts, path, NULL, e);
    if (s == OK && texts.task->documents) *task = texts.task;
    options_defaults(CLASSIFY_OPTIONS, &initial);
    for (const Option *o = CLASSIFY_OPTIONS; s == OK && o->name; o++) {
        static const char *const of_sentences = "input newline markup hyphens max_words",
                                 *const of_documents = "choose block_trigrams threshold";
        bool documents = (*task)->documents;
        const char *others = documents ? of_sentences : of_documents;
        if (text_view_among((StrView){ o->name, strlen(o->name) }, others) && !option_same(o, f, &initial))
            s = error_set(e, ERR_USAGE, "option %s: found %s, expected a model of %s", o->name, (*task)->model,
                          documents ? "sentences" : "documents");
    }
    model_texts_fini(&texts);
    return s;
}

static Status run_predict(const Fields *f, const char *const *files, int n, Error *e)
{
    char place[DATA_PATH_MAX];
    Model m;
    Run r = { .f = f, .m = &m, .notes = program_notes(), .progress = progress_start("classify", f->quiet) };
    r.notes.progress = &r.progress;
    model_init(&m);
    const char *path = program_model_file(f->model, place, sizeof place);
    m.task = &TASK_CLASSIFY;
    Status s = find_task(f, path, &m.task, e);
    if (s == OK) s = model_load(&m, path, NULL, e);
    if (s == OK && !source_is_treebank((InputKind)f->input)) s = model_check_text(&m, e);
    if (s == OK) s = classifier_init(&r.classifier, &m, device_default(), program_threads(f->threads), e);
    r.classifier.max_words = m.task->documents ? INT_MAX : f->max_words;
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
                               "give each sentence, or parts of documents, one of several classes",
                               "lal train --task classify makes models, lal eval scores them (docs/CLASSIFY.md).\n"
                               "Models of classes, summary and segments read documents (docs/DOCUMENTS.md).\n",
                               CLASSIFY_TABLES,
                               run_classify };
