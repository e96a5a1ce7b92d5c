/* Scores a model on the dev data */
#include "program/train_score.h"

#include "base/thread.h"
#include "parser/parse/syntax_file.h"
#include "parser/task/counts.h"
#include "program/program.h"
#include "program/train_data.h"

/* All numbers but losses; masks may read parses of a file. */
static Status count_sets(const TaskCounts *counts, const Model *m, const TrainArgs *a, double *each, Error *e)
{
    const char *path = a->options->syntax.dev_file;
    UseOptions o = { .device = device_default(), .n_threads = a->n_threads };
    Treebank parses;
    treebank_init(&parses);
    bool reads = encoder_options_source(&m->options) == SYNTAX_FILE && path;
    Status status = reads ? syntax_file_corpora(&parses, path, m, a->dev, a->n_dev, e) : OK;
    if (reads) o.parses = parses.s;
    for (int k = 0; k < a->n_dev && status == OK; k++) {
        const int n = a->dev[k].trees.n, id = vocab_find(&m->treebanks, a->dev[k].name);
        o.treebank = id < 0 ? 0 : id;
        status = counts->each(m, &a->dev[k], &o, each, e);
        each += n * counts->n;
        if (reads) o.parses += n;
    }
    treebank_fini(&parses);
    return status;
}

/* The last numbers of each unit. */
static Status count_losses(const TaskCounts *counts, const TrainArgs *a, int units, double *each, Error *e)
{
    const int width = counts->n_losses;
    TrainArgs plain = *a;
    plain.options = NULL;
    double *losses = mem_calloc((size_t)units * (size_t)width + 1, sizeof *losses);
    Status status =
        losses ? trainer_score(&plain, width, losses, e) : error_set(e, ERR_NOMEM, "out of memory for scores");
    for (int k = 0; k < units * width && status == OK; k++)
        each[(k / width + 1) * counts->n - width + k % width] = losses[k];
    mem_free(losses);
    return status;
}

static void put_units(const TaskCounts *counts, const double *number, int units, StrBuf *out)
{
    strbuf_printf(out, "%s\n", counts->names);
    for (int k = 0; k < units * counts->n; k++)
        strbuf_printf(out, "%.17g%c", number[k], (k + 1) % counts->n ? '\t' : '\n');
}

static Status print_units(const TrainFields *f, const TaskCounts *counts, const Model *m, const TrainArgs *a, Error *e)
{
    StrBuf out = { 0 };
    int units = 0;
    for (int k = 0; k < a->n_dev; k++) units += a->dev[k].trees.n;
    double *each = mem_calloc((size_t)units * (size_t)counts->n + 1, sizeof *each);
    double start = clock_seconds();
    Status status = each ? OK : error_set(e, ERR_NOMEM, "out of memory for scores");
    if (status == OK && counts->each) status = count_sets(counts, m, a, each, e);
    if (status == OK && counts->n_losses) status = count_losses(counts, a, units, each, e);
    double seconds = clock_seconds() - start;
    if (status == OK) put_units(counts, each, units, &out);
    if (status == OK) status = program_print(&out, e);
    if (status == OK && !f->quiet) program_say("%d units scored in %.6f s\n", units, seconds);
    strbuf_fini(&out);
    mem_free(each);
    return status;
}

Status train_score(const TrainFields *fields, TrainArgs *args, Error *error)
{
    Model m;
    model_init(&m);
    args->task = m.task = train_options_task(fields);
    args->task_options = train_options_replace(fields);
    args->out = fields->score;
    args->n_threads = program_threads(fields->threads);
    const TaskCounts *counts = task_use(args->task)->counts;
    const bool losses = counts && counts->n_losses > 0; /* the training data say what they are of */
    Status status = fields->dev.n || fields->dev_deps.n || fields->dev_conllu.n
                        ? OK
                        : error_set(error, ERR_USAGE, "--score: found no --dev, expected what is scored");
    if (status == OK && !counts)
        status =
            error_set(error, ERR_USAGE, "--score: found the task %s, whose models have no numbers", args->task->name);
    if (status == OK && losses) status = train_data_check(fields, error);
    if (status == OK) status = program_device(fields->device, error);
    if (status == OK) status = model_load(&m, fields->score, NULL, error);
    if (status == OK) args->model = m.c;
    if (status == OK && losses)
        status = train_data_load(fields, &args->model, "train", args->corpora, &args->n_corpora, error);
    if (status == OK) status = train_data_load(fields, &args->model, "dev", args->dev, &args->n_dev, error);
    if (status == OK) status = device_default()->start(args->n_threads, true, error);
    if (status == OK) status = print_units(fields, counts, &m, args, error);
    model_fini(&m);
    return status;
}
