/* Lal ablate */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "program/ablate/ablate.h"
#include "program/ablate/table.h"
#include "program/program.h"
#include "program/train_data.h"
#include "tensor/device.h"

typedef struct Fields {
    const char *out, *device;
    double max_hours;
    int format, threads;
    long stop_at_step;
    bool run, check, quiet;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option ABLATE_OPTIONS[] = {
    { "out", OPT_STRING, F(out), "ablation", 0, 0, "FOLDER",
      "folder of the runs, which are in FOLDER/VARIANT/seed-N; those that are finished are not repeated" },
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|tsv|json", "format of the table" },
    { "max_hours", OPT_REAL, F(max_hours), "0", 0, 1e6, "X",
      "do not start a run that would not end within X hours, by the mean time of those that are finished; 0: as the "
      "plan says" },
    { "run", OPT_BOOL, F(run), "true", 0, 0, NULL, "make the runs that are missing; --no-run: only print the table" },
    { "check", OPT_BOOL, F(check), "false", 0, 0, NULL, "check the plan and list its runs; no data is read" },
    THREADS_OPTION(Fields),
    DEVICE_OPTION(Fields, device),
    { "stop_at_step", OPT_LONG, F(stop_at_step), "0", 0, 1e15, NULL,
      "save the state of a run and stop after its update N; 0: do not stop" },
    QUIET_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static const Option *const ABLATE_TABLES[] = { ABLATE_OPTIONS, ABLATE_DATA_OPTIONS, NULL };

/* ---- what happens, on standard error */

typedef struct Reporter {
    Progress progress;
    const AblateMeasure *measure;
    char stopped[160]; /* the run that was interrupted, or "" */
} Reporter;

static void put_set(const AblateMeasure *x, const char *name, const double *sums)
{
    bool first = true;
    for (int m = 0; m < x->n_metrics; m++) {
        const AblateMetric *metric = &x->metric[m];
        bool known;
        double value = ablate_measure_score(x, m, sums, &known);
        if (known)
            program_say("%s%s %s %.*f", first ? ", " : "", first ? name : "", metric->title, metric->digits, value);
        first = first && !known;
    }
}

static void ended(const AblateMeasure *measure, const AblateEvent *event)
{
    const AblateRun *r = event->run;
    bool oracle = encoder_options_oracle(&event->variant->options);
    program_say("%s%s, seed %ld", oracle ? "ORACLE " : "", event->variant->name, event->seed);
    if (r->state == ABLATE_FAILED) program_say(" failed: %s\n", r->failed);
    else {
        put_set(measure, "dev", r->sums[0]);
        put_set(measure, "test", r->sums[1]);
        program_say(", trained in %s\n", progress_duration(r->seconds).text);
    }
}

static void report(void *context, const AblateEvent *event)
{
    Reporter *r = context;
    const char *name = event->variant->name;
    const TrainEvent *train = event->train;
    if (event->kind == ABLATE_TRAINS && train->kind == TRAIN_PROGRESS)
        progress_show(&r->progress, event->share, "%s, seed %ld (run %d of %d), epoch %.2f/%.4g, %.0f sentences/s",
                      name, event->seed, event->number, event->of, train->progress.epoch, train->progress.epochs,
                      train->progress.rate);
    if (event->kind == ABLATE_TRAINS && train->kind == TRAIN_STOPPED)
        snprintf(r->stopped, sizeof r->stopped, "%s, seed %ld, after update %ld", name, event->seed,
                 train->stopped.step);
    if (r->progress.quiet) return;
    if (event->kind == ABLATE_STARTS || event->kind == ABLATE_ENDS) progress_clear(&r->progress);
    if (event->kind == ABLATE_STARTS)
        program_say("run %d of %d: %s, seed %ld%s%s\n", event->number, event->of, name, event->seed,
                    event->why[0] ? ": " : "", event->why);
    if (event->kind == ABLATE_ENDS) ended(r->measure, event);
}

/* ---- the command */

static Status read_options(int argc, char **argv, Fields *f, AblateData *data, const char **plan, Error *e)
{
    void *fields[] = { f, data };
    int n;
    options_defaults(ABLATE_OPTIONS, f);
    options_defaults(ABLATE_DATA_OPTIONS, data);
    Status s = options_parse(ABLATE_TABLES, fields, 2, argc, argv, argv, &n, e); /* rest may be argv itself */
    if (s == OK && n != 1) s = error_set(e, ERR_USAGE, "found %d plans, expected one", n);
    *plan = s == OK ? argv[0] : NULL;
    return s;
}

/* The file of a plan, in place [DATA_PATH_MAX] if it comes with the program. */
static Status find_plan(const char *name, char *place, const char **path, Error *e)
{
    *path = data_path_named("plans", name, ".json", place, DATA_PATH_MAX);
    if (strpbrk(name, "/.") || access(*path, F_OK) == 0) return OK;
    Suggestion near = suggest_for(name, strlen(name));
    suggest_choices(
        &near, "label-attention|roles|guidance|guided|patterns|pal|gates|reduced|"
               "roles-classify|translate-roles|translate-guidance|translate-gates|summaries|topics|pretrain-guidance");
    if (near.best.len == strlen(name) && memcmp(near.best.ptr, name, near.best.len) == 0) {
        char file[64];
        snprintf(file, sizeof file, "plans/%s.json", name);
        return error_set(e, ERR_IO, "%s: the file of a plan that comes with the program is missing",
                         data_path(file, place, DATA_PATH_MAX));
    }
    return error_set(e, ERR_USAGE, "found '%s', expected a plan that comes with the program or a file%s", name,
                     suggest_text(&near, "").text);
}

static Status print_runs(const AblatePlan *p, Error *e)
{
    StrBuf out = { 0 };
    strbuf_printf(&out, "%d variant%s, %d seed%s: %d run%s; differences to %s, %ld resamples", p->n,
                  p->n > 1 ? "s" : "", p->n_seeds, p->n_seeds > 1 ? "s" : "", p->n * p->n_seeds,
                  p->n * p->n_seeds > 1 ? "s" : "", p->variants[p->reference].name, p->resamples);
    if (p->max_hours > 0) strbuf_printf(&out, ", at most %g hours", p->max_hours);
    strbuf_putc(&out, '\n');
    for (int k = 0; k < p->n; k++) {
        const AblateVariant *v = &p->variants[p->order[k]];
        strbuf_puts(&out, v->name);
        if (v->start_from >= 0) strbuf_printf(&out, ", from the model of %s", p->variants[v->start_from].name);
        if (v->heads_of >= 0) strbuf_printf(&out, ", with the heads of %s", p->variants[v->heads_of].name);
        if (v->first_pass)
            strbuf_printf(&out, ", with parses by %d folds of %s", p->folds, p->variants[p->first_pass].name);
        strbuf_printf(&out, ": %d epoch%s\n", v->train.epochs, v->train.epochs == 1 ? "" : "s");
    }
    Status s = program_print(&out, e);
    strbuf_fini(&out);
    return s;
}

static Status print_table(const Ablation *a, int format, Error *e)
{
    AblateTable t;
    StrBuf out = { 0 };
    Status s = ablate_table(&t, a, e);
    if (s == OK) ablate_table_write(&t, (AblateFormat)format, &out);
    if (s == OK) s = program_print(&out, e);
    ablate_table_fini(&t);
    strbuf_fini(&out);
    return s;
}

static Status run_plan(const Fields *f, AblateArgs *a, const char *plan, Error *e)
{
    Ablation ablation;
    Error why = { 0 };
    Reporter r = { .progress = progress_start("ablate", f->quiet), .measure = a->plan->measure };
    a->observer = (AblateObserver){ report, &r };
    program_catch_signals();
    Status s = ablate_run(a, &ablation, &why);
    progress_clear(&r.progress);
    if (s == OK) s = print_table(&ablation, f->format, &why);
    if (s == ERR_INTERRUPTED)
        error_set(e, s, "stopped%s%s; the same command continues: lal ablate %s --out %s", r.stopped[0] ? " in " : "",
                  r.stopped, plan, f->out);
    else if (s != OK) *e = why;
    ablation_fini(&ablation);
    return s;
}

/* What is allowed but not meant to be overlooked. */
static void print_warnings(const AblatePlan *p)
{
    for (int v = 0; v < p->n; v++) {
        StrBuf text = { 0 };
        StrView line;
        encoder_options_warnings(&p->variants[v].options, &text);
        for (size_t at = 0; text_line((StrView){ text.ptr, text.len }, &at, &line);)
            program_say("%s: %.*s\n", p->variants[v].name, (int)line.len, line.ptr);
        strbuf_fini(&text);
    }
}

static Status set_option(TrainFields *f, const char *name, const char *value, Error *e)
{
    const Option *o = TRAIN_COMMAND_OPTIONS;
    while (strcmp(o->name, name) != 0) o++;
    return option_set(o, f, value, e);
}

/* The options of lal train that a plan's data stand for; of test, which is read as dev is. */
static Status train_fields(const AblatePlan *p, bool test, TrainFields *f, Error *e)
{
    options_defaults(TRAIN_COMMAND_OPTIONS, f);
    Status s = set_option(f, "task", p->measure->task->name, e);
    for (const Option *o = ABLATE_DATA_OPTIONS; o->name; o++) {
        const OptionList *list = (const OptionList *)(const void *)((const char *)&p->data + o->offset);
        bool of_test = strncmp(o->name, "test", 4) == 0, of_dev = strncmp(o->name, "dev", 3) == 0;
        char name[32];
        if (test ? of_dev : of_test) continue;
        snprintf(name, sizeof name, "%s%s", of_test ? "dev" : "", of_test ? o->name + 4 : o->name);
        for (int k = 0; k < list->n && s == OK; k++) s = set_option(f, name, list->item[k], e);
    }
    return s;
}

/* f: of the training, also afterwards. */
static Status load_data(const AblatePlan *p, TrainFields *f, AblateArgs *a, Error *e)
{
    const ModelConfig *m = &p->variants[p->reference].model;
    TrainFields test;
    Status s = train_fields(p, false, f, e);
    if (s == OK) s = train_fields(p, true, &test, e);
    if (s == OK) s = train_data_check(f, e);
    if (s == OK) s = train_data_check(&test, e);
    if (s == OK) s = train_data_load(f, m, "train", a->train, &a->n_train, e);
    if (s == OK) s = train_data_load(f, m, "dev", a->dev, &a->n_dev, e);
    return s == OK ? train_data_load(&test, m, "test", a->test, &a->n_test, e) : s;
}

/* Sets the options by which a task replaces words, and a.replaced to their text, if the task has any. */
static void replace_words(const TrainFields *f, AblateArgs *a, char text[64])
{
    const ReplaceOptions *r = &f->replace;
    a->task_options = train_options_replace(f);
    snprintf(text, 64, "%.9g %.9g %d", r->rate, r->power, r->most_words);
    if (a->task_options) a->replaced = text;
}

static Status run_ablate(int argc, char **argv, Error *e)
{
    Fields f;
    AblateData given;
    AblatePlan plan = { 0 };
    TrainFields fields;
    Corpus corpora[3][OPTION_LIST_MAX];
    char place[DATA_PATH_MAX], encoder[DATA_PATH_MAX], replaced[64];
    const char *name, *path;
    Status s = read_options(argc, argv, &f, &given, &name, e);
    if (s == OK) s = find_plan(name, place, &path, e);
    if (s != OK) return s;
    if (given.pretrained.n)
        given.pretrained.item[0] = program_model_file(given.pretrained.item[0], encoder, sizeof encoder);
    s = ablate_plan_read(&plan, path, &given, e);
    AblateArgs a = { .plan = &plan,
                     .train = corpora[0],
                     .dev = corpora[1],
                     .test = corpora[2],
                     .out = f.out,
                     .max_hours = f.max_hours > 0 ? f.max_hours : plan.max_hours,
                     .only_read = !f.run,
                     .stop_at_step = f.stop_at_step,
                     .n_threads = program_threads(f.threads),
                     .interrupted = &program_interrupted };
    if (s == OK) s = program_device(f.device, e);
    if (s == OK && f.check) s = print_runs(&plan, e);
    else if (s == OK) {
        s = ablate_plan_ready(&plan, e);
        if (s == OK && f.run && !f.quiet) print_warnings(&plan);
        if (s == OK) s = load_data(&plan, &fields, &a, e);
        if (s == OK) replace_words(&fields, &a, replaced);
        if (s == OK) s = device_default()->start(a.n_threads, true, e);
        if (s == OK) s = run_plan(&f, &a, name, e);
    }
    for (int k = 0; k < a.n_train; k++) corpus_fini(&a.train[k]);
    for (int k = 0; k < a.n_dev; k++) corpus_fini(&a.dev[k]);
    for (int k = 0; k < a.n_test; k++) corpus_fini(&a.test[k]);
    ablate_plan_fini(&plan);
    return s;
}

static const char ABLATE_HELP[] =
    "Trains the variants of a plan with several seeds and compares them: mean scores and\n"
    "deviations, differences to a reference, and their significance. NAME is a plan that\n"
    "comes with the program (label-attention, roles, guidance, guided, patterns, pal,\n"
    "gates, reduced; of classes roles-classify; of translations translate-roles,\n"
    "translate-guidance, translate-gates; summaries, topics; of hidden words\n"
    "pretrain-guidance). Data that are given here replace those of the plan. Ctrl-C\n"
    "saves; the same command continues.\n";

const Command CMD_ABLATE = { "ablate",    "[OPTIONS] NAME|FILE", "train variants of a configuration and compare them",
                             ABLATE_HELP, ABLATE_TABLES,         run_ablate };
