/* Lal classify, lal translate */
#include <string.h>

#include "parser/model/model_file.h"
#include "parser/parse/source.h"
#include "parser/task/predict.h"
#include "program/program.h"

typedef struct Fields {
    PredictFields p; /* first: tables of options know it alone */
    RawTextFields raw;
} Fields;

#define F(name) offsetof(Fields, p.name)

static const Option CLASSIFY_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL",
      "model to classify with, of lal train --task classify, classes, summary or segments; the last three read "
      "documents "
      "in JSON lines (docs/DOCUMENTS.md)" },
    { "input", OPT_ENUM, F(input), "text", 0, 0, INPUT_CHOICES, INPUT_ABOUT },
    RAW_TEXT_OPTIONS(Fields, raw),
    { "format", OPT_ENUM, F(json), "text", 0, 0, "text|json",
      "format of the output; text: class, tab, words on each line, as lal train reads them; of documents the sentences "
      "of a summary, or an empty line after each segment; json: lines with the probabilities of all classes" },
    OUT_OPTION(PredictFields),
    { "max_words", OPT_INT, F(max_words), "500", 1, 100000, NULL,
      "of a sentence of more than N words, read the first N" },
    SUMMARY_OPTIONS(PredictFields),
    { "threshold", OPT_ENUM, F(threshold), "f1", 0, 0, "f1|p_k", /* as THRESHOLD_F1, THRESHOLD_P_K */
      "a segment begins in a gap whose probability reaches the threshold that was best on the dev data of the model, "
      "by "
      "F1 or by P_k" },
    THREADS_OPTION(PredictFields),
    DEVICE_OPTION(PredictFields, device),
    QUIET_OPTION(PredictFields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static const Option TRANSLATE_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL", "model to translate with, of lal train --task translate" },
    { "beam", OPT_INT, F(beam), "4", 1, 1000, NULL,
      "outputs that a beam search keeps; 1: the most probable next piece" },
    { "length_penalty", OPT_REAL, F(length_penalty), "0.6", 0, 10, NULL,
      "the score of an output of n pieces is log p / ((5 + n) / 6)^X; 0: log p" },
    { "format", OPT_ENUM, F(json), "text", 0, 0, "text|json",
      "format of the output; text: a line for each line; json: lines with pieces, scores and what each piece attends "
      "to "
      "(docs/TRANSLATE.md)" },
    OUT_OPTION(PredictFields),
    THREADS_OPTION(PredictFields),
    DEVICE_OPTION(PredictFields, device),
    QUIET_OPTION(PredictFields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* A run, which the task sees as its first member. */
typedef struct Run {
    Predict p;
    FileWriter out;
    Progress progress;
    ProgramNotes notes;
    const char *unit;
} Run;

static void warn_input(Predict *p, const Source *s)
{
    if (!p->f->quiet) program_warn_input(s, p->m, &((Run *)p)->progress);
}

static Status write_output(Predict *p, double done, Error *e)
{
    Run *r = (Run *)p;
    if (p->buf.failed) return error_set(e, ERR_NOMEM, "out of memory writing %s", p->f->out);
    program_write(&r->out, &p->buf);
    strbuf_clear(&p->buf);
    if (done >= 0) progress_show(&r->progress, progress_share(&r->progress, done), "%ld %s", p->n, r->unit);
    return OK;
}

static Status predict_files(Run *r, const PredictTask *task, const char *const *files, int n, Error *e)
{
    Status s = filewriter_open(&r->out, r->p.f->out, e);
    if (s != OK) return s;
    progress_files(&r->progress, files, n);
    for (int k = 0; k < n && s == OK; k++) {
        char place[DATA_PATH_MAX];
        const char *path = program_file(files[k], place, sizeof place);
        progress_file(&r->progress, path);
        s = task->file(&r->p, path, e);
    }
    progress_clear(&r->progress);
    program_notes_end(&r->notes);
    if (r->p.cut) {
        strbuf_clear(&r->p.buf);
        task->put_cut(&r->p, &r->p.buf);
        program_say("%s", r->p.buf.ptr);
    }
    Status closed = filewriter_close(&r->out, s == OK, e);
    return s != OK ? s : closed;
}

/* What a task says by a command; NULL: nothing. */
static const PredictTask *predict_of(const Task *task, const Command *c)
{
    const PredictTask *p = task_use(task)->predict;
    return p && strcmp(p->command, c->name) == 0 ? p : NULL;
}

/* The first task of the command that takes the option, which not every one takes; NULL: there is none. */
static const PredictTask *task_of(const Option *o, const Command *c)
{
    const Task *task;
    for (int k = 0; (task = task_choice(k)); k++) {
        const PredictTask *p = predict_of(task, c);
        if (p && text_among(o->name, p->options)) return p;
    }
    return NULL;
}

/* No option of another task is given. */
static Status check_options(const Command *c, const Fields *f, const Task *task, Error *e)
{
    Fields initial;
    options_defaults(c->tables[0], &initial);
    for (const Option *o = c->tables[0]; o->name; o++) {
        const PredictTask *of = text_among(o->name, predict_of(task, c)->options) ? NULL : task_of(o, c);
        if (of && !option_same(o, f, &initial))
            return error_set(e, ERR_USAGE, "option %s: found %s, expected a model of %s", o->name, task->model,
                             of->texts);
    }
    return OK;
}

/* task: the one of the model, if it has one of the command. */
static Status predict(const Command *c, const Fields *fields, const Task *task, const char *const *files, int n,
                      Error *e)
{
    char place[DATA_PATH_MAX];
    const PredictFields *f = &fields->p;
    const char *path = program_model_file(f->model, place, sizeof place);
    const Task *found;
    Status s = program_task(path, &found, e);
    if (s == OK && predict_of(found, c)) task = found;
    if (s == OK) s = check_options(c, fields, task, e);
    if (s != OK) return s;
    const PredictTask *says = predict_of(task, c);
    Model m;
    model_init(&m);
    m.task = task;
    s = model_load(&m, path, NULL, e); /* which refuses another task */
    const RawText raw = program_raw_text(&fields->raw, &m);
    Run r = { .p = { .f = f,
                     .m = &m,
                     .n_threads = program_threads(f->threads),
                     .raw = &raw,
                     .warn = warn_input,
                     .write = write_output },
              .progress = progress_start(c->name, f->quiet),
              .notes = program_notes(),
              .unit = says->texts };
    r.notes.progress = &r.progress;
    r.p.notes = &r.notes.notes;
    if (s == OK) s = says->begin(&r.p, e);
    if (s == OK) s = predict_files(&r, says, files, n, e);
    says->end(&r.p);
    model_fini(&m);
    strbuf_fini(&r.p.buf);
    return s;
}

static Status run(const Command *c, const Task *task, int argc, char **argv, Error *e)
{
    Fields f = { 0 };
    int n;
    Status s = program_options(c->tables[0], &f, argc, argv, argc + 1, &n, e);
    if (s == OK && !f.p.model) s = error_set(e, ERR_USAGE, "found no --model, expected one");
    if (s == OK) s = program_device(f.p.device, e);
    if (s == OK) s = program_rules_read(&f.raw, e);
    if (s == OK) s = predict(c, &f, task, (const char *const *)argv, n, e);
    text_rules_free(f.raw.rules);
    return s;
}

static Status run_classify(int argc, char **argv, Error *e)
{
    return run(&CMD_CLASSIFY, &TASK_CLASSIFY, argc, argv, e);
}

static Status run_translate(int argc, char **argv, Error *e)
{
    return run(&CMD_TRANSLATE, &TASK_TRANSLATE, argc, argv, e);
}

static const Option *const CLASSIFY_TABLES[] = { CLASSIFY_OPTIONS, NULL };
const Command CMD_CLASSIFY = { "classify",
                               "-m MODEL [OPTIONS] [FILE...]",
                               "give each sentence, or parts of documents, one of several classes",
                               "lal train --task classify makes models, lal eval scores them (docs/CLASSIFY.md).\n"
                               "Models of classes, summary and segments read documents (docs/DOCUMENTS.md).\n",
                               CLASSIFY_TABLES,
                               run_classify };
static const Option *const TRANSLATE_TABLES[] = { TRANSLATE_OPTIONS, NULL };
const Command CMD_TRANSLATE = { "translate",
                                "-m MODEL [OPTIONS] [FILE...]",
                                "translate text, line by line",
                                "lal train --task translate makes models, lal eval --measure bleu scores what they\n"
                                "write (docs/TRANSLATE.md).\n",
                                TRANSLATE_TABLES,
                                run_translate };
