/* Scores of files of numbers, a line for each unit */
#include "parser/task/counts.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json_writer.h"

static double mean(const double *sums) { return sums[0] != 0 ? sums[1] / sums[0] : 0; }
static double share(const double *sums) { return 100 * mean(sums); }
const SumScore COUNTS_MEAN = { 2, mean }, COUNTS_SHARE = { 2, share };

/* Eval.state */
typedef struct Files {
    const TaskCounts *counts; /* of the first file, and of the others */
    EvalTask task;            /* with its metrics */
    int units;                /* of each file */
    /* of each file the numbers of its units that the metric is made from */
    double *numbers[COUNTS_METRICS_MOST][EVAL_RUNS_MOST];
} Files;

static Status begin(Eval *x, Error *e)
{
    Files *files = x->state = mem_calloc(1, sizeof *files);
    if (!files) return error_set(e, ERR_NOMEM, "out of memory for the scores");
    files->task = *x->task;
    x->task = &files->task;
    return OK;
}

static void end(Eval *x)
{
    Files *files = x->state;
    for (int m = 0; files && m < COUNTS_METRICS_MOST; m++)
        for (int r = 0; r < x->n; r++) mem_free(files->numbers[m][r]);
    mem_free(files);
}

/* ---- files */

/* Finds the task that has numbers with the names in the first line. */
static Status read_names(Eval *x, const char *path, StrView line, Error *e)
{
    Files *files = x->state;
    const TaskCounts *found = NULL;
    for (int k = 0; task_choice(k) && !found; k++) {
        const TaskCounts *counts = task_use(task_choice(k))->counts;
        if (counts && text_equal(line, counts->names)) found = counts;
    }
    if (!found)
        return error_at(e, ERR_FORMAT, path, 1, 1, "found no names of numbers as lal train --score writes them");
    if (files->counts && found != files->counts)
        return error_at(e, ERR_FORMAT, path, 1, 1, "found other numbers, expected those of %s", x->run[0].name);
    files->counts = found;
    files->task.n_metrics = files->task.n_compared = found->n_metrics;
    for (int m = 0; m < found->n_metrics; m++) {
        files->task.metrics[m][0] = found->metric[m].key;
        files->task.metrics[m][1] = found->metric[m].title;
    }
    return OK;
}

/* Reads the numbers of a line, which ends with a newline or a zero. */
static bool read_row(StrView line, int n, double *out)
{
    const char *at = line.ptr, *end = line.ptr + line.len;
    for (int c = 0; c < n; c++, at++) {
        char *after;
        if (*at < '0' || *at > '9') return false;
        out[c] = strtod(at, &after);
        if (after > end || isinf(out[c])) return false;
        at = after;
        if (c + 1 < n ? *at != '\t' : at != end) return false;
    }
    return true;
}

/* Sets *each [units * numbers], which is to be freed, and files->units. */
static Status read_units(Eval *x, int run, StrView text, double **each, Error *e)
{
    Files *files = x->state;
    const char *path = x->run[run].name;
    StrView line;
    size_t at = 0;
    int k = 0, cap = 0;
    Status status = text_line(text, &at, &line) ? read_names(x, path, line, e)
                                                : error_at(e, ERR_FORMAT, path, 1, 1, "found an empty file");
    for (; status == OK && text_line(text, &at, &line); k++) {
        int n = files->counts->n;
        if (!mem_reserve(*each, &cap, (k + 1) * n)) return error_set(e, ERR_NOMEM, "out of memory for the scores");
        if (!read_row(line, n, *each + (ptrdiff_t)k * n))
            status = error_at(e, ERR_FORMAT, path, k + 2, 1, "found something else, expected %d numbers", n);
    }
    if (status == OK && (k == 0 || (run && k != files->units)))
        status = error_at(e, ERR_FORMAT, path, k + 1, 1, "found %d lines of numbers, expected %s%d", k,
                          run ? "" : "at least ", run ? files->units : 1);
    files->units = k;
    return status;
}

/* Takes the numbers of a metric, and computes it. */
static Status score_metric(Eval *x, int run, int metric, const double *each, Error *e)
{
    Files *files = x->state;
    const CountsMetric *by = &files->counts->metric[metric];
    const int n = files->counts->n, width = by->score->width;
    double sums[COUNTS_MOST] = { 0 }, known = 0;
    double *numbers = files->numbers[metric][run] = mem_calloc((size_t)files->units * (size_t)width, sizeof *numbers);
    if (!numbers) return error_set(e, ERR_NOMEM, "out of memory for the scores");
    for (int k = 0, to = 0; k < files->units * n; k++) {
        if (k % n == by->known) known += each[k];
        if (!(by->columns & COUNTS_BIT(k % n))) continue;
        numbers[to] = each[k];
        sums[to++ % width] += each[k];
    }
    x->run[run].value[metric] = known > 0 ? by->score->value(sums) : NAN;
    return OK;
}

static Status score_file(Eval *x, int run, int file, const char *path, Error *e)
{
    StrBuf text = { 0 };
    double *each = NULL;
    (void)file;
    Status status = file_read_text(path, &text, e);
    if (status == OK) status = read_units(x, run, (StrView){ text.ptr ? text.ptr : "", text.len }, &each, e);
    for (int m = 0; status == OK && m < x->task->n_metrics; m++) status = score_metric(x, run, m, each, e);
    strbuf_fini(&text);
    mem_free(each);
    return status;
}

/* ---- what is said of runs */

static Status compare(const Eval *x, int a, int b, int metric, Comparison *out, Error *e)
{
    const Files *files = x->state;
    const double *const *numbers = (const double *const *)files->numbers[metric];
    return compare_sums(files->counts->metric[metric].score, numbers + a, numbers + b, x->f->runs, files->units,
                        x->f->samples, (uint64_t)x->f->seed, out, e);
}

static Status put_system(const Eval *x, int first, bool json, StrBuf *out, Error *e)
{
    const Files *files = x->state;
    (void)e;
    eval_means(x->task, x->run + first, x->f->runs, json, out);
    if (json) json_long(out, "sentences", files->units);
    else strbuf_printf(out, "sentences  %d\n", files->units);
    return OK;
}

const EvalTask COUNTS_EVAL = { .of = "--measure counts",
                               .refused = { "gold", "gold-deps", "gold-classes", "pred-deps", "align", "calibration",
                                            "risk-coverage", "report", "format tsv" },
                               .texts = true,
                               .alone = true,
                               .exact = true,
                               .begin = begin,
                               .end = end,
                               .file = score_file,
                               .compare = compare,
                               .put_system = put_system };
