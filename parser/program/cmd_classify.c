/* parser/program/cmd_classify.c: lal classify */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "parser/model/model_file.h"
#include "parser/parse/source.h"
#include "parser/program/classify_test.h"
#include "parser/program/program.h"
#include "parser/program/train_options.h"
#include "parser/task/classify/class_data.h"
#include "parser/task/classify/classify.h"

enum { FORMAT_TEXT, FORMAT_JSON };

typedef struct Fields {
    TrainFields train; /* first: train_command_run */
    OptionList model, compare;
    const char *train_classes, *dev_classes, *test, *test_classes;
    RawTextFields raw;
    int format, input, max_words;
    long samples;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option CLASSIFY_OPTIONS[] = {
    { "model", OPT_LIST, F(model), NULL, 0, 0, "MODEL",
      "model to classify with; with --test several, runs of one setting with different seeds" },
    { "input", OPT_ENUM, F(input), "text", 0, 0, INPUT_CHOICES, INPUT_ABOUT },
    RAW_TEXT_OPTIONS(Fields, raw),
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|json",
      "format of the output; text: class, tab, words on each line, as --train reads them; json: lines with the "
      "probabilities of all classes; with --test tables, or one object" },
    { "max_words", OPT_INT, F(max_words), "500", 1, 100000, NULL,
      "of a sentence of more than N words, read the first N" },
    { "test", OPT_STRING, F(test), NULL, 0, 0, "FILE",
      "score the models on these sentences, a file as --train: accuracy, macro-F1, classes and confusions" },
    { "test_classes", OPT_STRING, F(test_classes), NULL, 0, 0, "FILE", "as --train-classes, for --test" },
    { "compare", OPT_LIST, F(compare), NULL, 0, 0, "MODEL",
      "with --test: a second model, as many as there are of --model; tests whether the difference is significant" },
    { "samples", OPT_LONG, F(samples), "10000", 1, 1e8, NULL, "samples of the significance test" },
    { "train", OPT_LIST, F(train.train), NULL, 0, 0, "FILE",
      "train on lines of class, tab, words separated by blanks, or with --train-classes on a treebank" },
    { "train_classes", OPT_STRING, F(train_classes), NULL, 0, 0, "FILE",
      "classes of the sentences of the treebank --train, one on each line" },
    { "dev", OPT_LIST, F(train.dev), NULL, 0, 0, "FILE", "as --train, to evaluate on during training" },
    { "dev_classes", OPT_STRING, F(dev_classes), NULL, 0, 0, "FILE", "as --train-classes, for --dev" },
    { "out", OPT_STRING, F(train.out), NULL, 0, 0, "FILE",
      "write the best model of the training (default: classes.lal), or the output (default: standard output), to "
      "FILE" },
    { "log", OPT_STRING, F(train.log), NULL, 0, 0, "FILE", "append a JSON line to FILE at every check" },
    TRAIN_RUN_OPTIONS,
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* ---- training */

static Status load_list(const OptionList *files, const char *classes, Corpus *c, int *n, Error *e)
{
    Status s = OK;
    for (*n = 0; *n < files->n && s == OK;) {
        s = classify_data(&c[*n], files->item[*n], classes, e);
        ++*n;
    }
    return s;
}

static Status load(const TrainFields *train, const ModelConfig *m, Corpus *corpora, int *n, Corpus *dev, int *n_dev,
                   Error *e)
{
    (void)m;
    const Fields *f = (const Fields *)(const void *)train;
    Status s = load_list(&train->train, f->train_classes, corpora, n, e);
    return s == OK ? load_list(&train->dev, f->dev_classes, dev, n_dev, e) : s;
}

static Status check_training(TrainFields *train, Error *e)
{
    const Fields *f = (const Fields *)(const void *)train;
    if (!train->out) train->out = "classes.lal";
    if (!train->train.n) return error_set(e, ERR_USAGE, "found no --train file, expected one");
    if (f->model.n || f->test || f->compare.n)
        return error_set(e, ERR_USAGE, "found --train and --%s, expected one of them",
                         f->model.n ? "model"
                         : f->test  ? "test"
                                    : "compare");
    if (f->train_classes && train->train.n > 1)
        return error_set(e, ERR_USAGE, "--train-classes: found %d --train files, expected one", train->train.n);
    if (f->dev_classes && train->dev.n != 1)
        return error_set(e, ERR_USAGE, "--dev-classes: found %d --dev files, expected one", train->dev.n);
    return OK;
}

/* ---- prediction */

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
    Status st = classifier_run(&r->classifier, s->in, s->n, r->class_id, r->probability, e);
    strbuf_clear(&r->buf);
    for (int k = 0; k < s->n && st == OK; k++) {
        if (s->in[k].n_words == 0) continue; /* an empty line of --input tokens */
        r->id++;
        r->shortened += s->in[k].n_words > r->classifier.max_words;
        if (r->f->format == FORMAT_JSON)
            put_json(&r->buf, r->m, r->id, r->class_id[k], r->probability + (ptrdiff_t)k * classes, &s->in[k]);
        else put_text(&r->buf, vocab_text(&r->m->classes, r->class_id[k]), &s->in[k]);
    }
    if (st != OK) return st;
    if (r->buf.failed) return error_set(e, ERR_NOMEM, "out of memory writing classes");
    filewriter_write(&r->out, r->buf.ptr, r->buf.len);
    filewriter_flush(&r->out);
    progress_show(&r->progress, progress_share(&r->progress, source_progress(s)), "%ld sentences", r->id);
    return OK;
}

static Status classify_file(Run *r, const char *path, Error *e)
{
    Source *s = &r->source;
    char place[DATA_PATH_MAX];
    SourceOptions o = { .kind = (InputKind)r->f->input,
                        .raw = program_raw_text(&r->f->raw, &r->m->c),
                        .tags = true, /* tell quotes apart */
                        .parses = encoder_options_oracle(&r->m->options),
                        .notes = &r->notes.notes };
    Status st = source_open(s, program_file(path, place, sizeof place), o, e);
    progress_file(&r->progress, s->path);
    for (bool first = true; st == OK && (st = source_next(s, e)) == OK && s->n; first = false) {
        if (first && !r->f->train.quiet) program_warn_input(s, &r->progress);
        st = write_window(r, e);
    }
    source_close(s);
    return st;
}

static Status classify_files(Run *r, const char *const *files, int n, Error *e)
{
    Status s = filewriter_open(&r->out, r->f->train.out ? r->f->train.out : "-", e);
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
    Model m;
    Run r = { .f = f, .m = &m, .notes = program_notes(), .progress = progress_start("classify", f->train.quiet) };
    r.notes.progress = &r.progress;
    Status s = classify_model(&m, f->model.item[0], e);
    if (s == OK && !source_is_treebank((InputKind)f->input)) s = model_check_text(&m, e);
    if (s == OK) s = classifier_init(&r.classifier, &m, device_default(), program_threads(f->train.threads), e);
    r.classifier.max_words = f->max_words;
    if (s == OK) s = classify_files(&r, files, n, e);
    classifier_fini(&r.classifier);
    model_fini(&m);
    strbuf_fini(&r.buf);
    mem_free(r.class_id);
    mem_free(r.probability);
    return s;
}

/* ---- the command */

static Status check_use(const Fields *f, int n, Error *e)
{
    if (!f->model.n) return error_set(e, ERR_USAGE, "found no --model, expected one, or --train to train one");
    if (f->compare.n && !f->test) return error_set(e, ERR_USAGE, "--compare: found no --test file, expected one");
    if (f->compare.n && f->compare.n != f->model.n)
        return error_set(e, ERR_USAGE, "found %d --model and %d --compare files, expected the same number", f->model.n,
                         f->compare.n);
    if (!f->test && f->model.n > 1)
        return error_set(e, ERR_USAGE, "found %d --model files, expected one, or --test", f->model.n);
    if (f->test_classes && !f->test)
        return error_set(e, ERR_USAGE, "--test-classes: found no --test file, expected one");
    if (f->test && f->train.out) return error_set(e, ERR_USAGE, "--out: found --test, whose output is standard output");
    return f->test && n ? error_set(e, ERR_USAGE, "--test: found an argument too, expected only options") : OK;
}

/* Is this option given, before "--"? */
static bool given(int argc, char **argv, const char *name)
{
    size_t len = strlen(name);
    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++)
        if (strncmp(argv[k], name, len) == 0 && (!argv[k][len] || argv[k][len] == '=')) return true;
    return false;
}

static Status run_classify(int argc, char **argv, Error *e)
{
    static const TrainCommand training = {
        &TASK_CLASSIFY, CLASSIFY_OPTIONS, sizeof(Fields), check_training, load, NULL
    };
    Fields f;
    if (given(argc, argv, "--train") || given(argc, argv, "--resume"))
        return train_command_run(&training, argc, argv, &f.train, e);
    int n;
    Status s = program_options(CLASSIFY_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    bool none = n == 1 && strcmp(argv[0], "-") == 0; /* or standard input is named */
    if (s == OK) s = check_use(&f, none ? 0 : n, e);
    if (s == OK) s = program_device(f.train.device, e);
    if (s != OK) return s;
    const ClassifyTest test = { .model = &f.model,
                                .compare = &f.compare,
                                .data = f.test,
                                .classes = f.test_classes,
                                .json = f.format == FORMAT_JSON,
                                .threads = f.train.threads,
                                .max_words = f.max_words,
                                .samples = f.samples };
    return f.test ? classify_test(&test, e) : run_predict(&f, (const char *const *)argv, n, e);
}

static const char CLASSIFY_HELP[] = "A second task for the encoder: classes of sentences, such as genres.\n"
                                    "  lal classify --train FILE [--dev FILE] [--out MODEL]   trains a model\n"
                                    "  lal classify --model MODEL [FILE...]                   classifies sentences\n"
                                    "  lal classify --model MODEL --test FILE                 scores a model\n"
                                    "Options of training, model and encoder are those of lal train; those of tree,\n"
                                    "arc and tag scorers have no effect. docs/CLASSIFY.md has examples.\n";

static const Option *const CLASSIFY_TABLES[] = { CLASSIFY_OPTIONS, CONFIG_TRAIN_OPTIONS, CONFIG_MODEL_OPTIONS, NULL };
const Command CMD_CLASSIFY = { "classify",    "[OPTIONS] [FILE...]", "classes of sentences: train, predict, score",
                               CLASSIFY_HELP, CLASSIFY_TABLES,       run_classify };
