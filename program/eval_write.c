/* Scores of several systems, whatever their task is */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "program/eval.h"

typedef struct Writer {
    const EvalFields *f;
    const EvalTask *task;
    void *context;
    const EvalRun *runs;
    int n;
    StrBuf *out;
} Writer;

/* The mean over the f->runs runs of a system, and their standard deviation (of a sample), 0 of a single run. */
static double mean_of(const EvalFields *f, const EvalRun *runs, int metric, double *deviation)
{
    double sum = 0, squares = 0;
    for (int r = 0; r < f->runs; r++) sum += runs[r].value[metric];
    double mean = sum / f->runs;
    for (int r = 0; r < f->runs; r++) squares += pow(runs[r].value[metric] - mean, 2);
    *deviation = f->runs > 1 ? sqrt(squares / (f->runs - 1)) : 0;
    return mean;
}

void eval_means(const EvalFields *f, const EvalTask *task, const EvalRun *runs, bool json, StrBuf *out)
{
    for (int m = 0; m < task->n_metrics; m++) {
        const char *const *name = task->metrics[m];
        double deviation, mean = mean_of(f, runs, m, &deviation);
        char key[40];
        snprintf(key, sizeof key, "%s_deviation", name[0]);
        if (json) {
            json_real(out, name[0], "%.2f", mean);
            json_real(out, key, "%.2f", deviation);
        } else if (!isnan(mean)) {
            strbuf_printf(out, "%-10s %.2f", name[1], mean);
            if (f->runs > 1) strbuf_printf(out, " (standard deviation %.2f)", deviation);
            strbuf_putc(out, '\n');
        }
    }
}

/* Has any system a score by this metric? */
static bool is_scored(const Writer *w, int metric)
{
    for (int k = 0; k < w->n; k++)
        if (!isnan(w->runs[k].value[metric])) return true;
    return false;
}

/* A row of each system, without columns that would be empty. */
static void put_rows(const Writer *w)
{
    int runs = w->f->runs, columns = runs > 1 ? 17 : 9, width = 8;
    for (int m = 0; m < w->task->n_metrics; m++)
        if ((int)strlen(w->task->metrics[m][1]) > columns) columns = (int)strlen(w->task->metrics[m][1]);
    for (int k = 0; k < w->n; k += runs)
        if ((int)strlen(w->runs[k].name) > width) width = (int)strlen(w->runs[k].name);
    strbuf_printf(w->out, "%-*s", width, "system");
    for (int m = 0; m < w->task->n_metrics; m++)
        if (is_scored(w, m)) strbuf_printf(w->out, " %*s", columns, w->task->metrics[m][1]);
    for (int k = 0; k < w->n; k += runs) {
        strbuf_printf(w->out, "\n%-*s", width, w->runs[k].name);
        for (int m = 0; m < w->task->n_metrics; m++) {
            double deviation, mean = mean_of(w->f, w->runs + k, m, &deviation);
            if (!is_scored(w, m)) continue;
            if (isnan(mean)) strbuf_printf(w->out, " %*s", columns, "-");
            else if (runs > 1) strbuf_printf(w->out, " %9.2f (%5.2f)", mean, deviation);
            else strbuf_printf(w->out, " %*.2f", columns, mean);
        }
    }
    strbuf_putc(w->out, '\n');
}

static void put_compared(const Writer *w, int metric, const Comparison *c)
{
    const char *const *name = w->task->metrics[metric];
    bool bootstrap = !isnan(c->p_bootstrap);
    if (w->f->format == EVAL_JSON) {
        json_object(w->out, name[0]);
        json_members(w->out, "a: %.2f, b: %.2f", c->a, c->b);
        if (bootstrap)
            json_members(w->out, "low: %.3f, high: %.3f, p_bootstrap: %.5f", c->low, c->high, c->p_bootstrap);
        json_members(w->out, "p_randomisation: %.5f", c->p_random);
        json_object_end(w->out);
        return;
    }
    strbuf_printf(w->out, "%-12s %6.2f   %6.2f   %+6.2f   ", name[1], c->a, c->b, c->a - c->b);
    if (bootstrap) strbuf_printf(w->out, "%+.2f .. %+.2f     %.4f       ", c->low, c->high, c->p_bootstrap);
    else strbuf_puts(w->out, "                   -            ");
    strbuf_printf(w->out, "%.4f\n", c->p_random);
}

/* The first system with the one whose first run is b. */
static Status put_comparison(const Writer *w, int b, Error *e)
{
    bool json = w->f->format == EVAL_JSON;
    Status status = OK;
    if (json) {
        json_object(w->out, NULL);
        json_members(w->out, "a: %s, b: %s", w->runs[0].name, w->runs[b].name);
    } else
        strbuf_printf(w->out,
                      "\na: %s, b: %s\n"
                      "comparison      a        b      a - b   95 %% interval      bootstrap p  randomisation p\n",
                      w->runs[0].name, w->runs[b].name);
    for (int m = 0; m < w->task->n_compared && status == OK; m++) {
        Comparison c = { 0 };
        if (isnan(w->runs[0].value[m]) || isnan(w->runs[b].value[m])) continue;
        status = w->task->compare(w->context, 0, b, m, &c, e);
        if (status == OK) put_compared(w, m, &c);
    }
    if (json) json_object_end(w->out);
    return status;
}

static Status put_json(const Writer *w, Error *e)
{
    Status status = OK;
    json_object(w->out, NULL);
    if (w->n == w->f->runs) status = w->task->put(w->context, 0, true, w->out, e);
    else {
        json_array(w->out, "systems");
        for (int k = 0; k < w->n && status == OK; k += w->f->runs) {
            json_object(w->out, NULL);
            json_string(w->out, "name", w->runs[k].name);
            status = w->task->put(w->context, k, true, w->out, e);
            json_object_end(w->out);
        }
        json_array_end(w->out);
        json_array(w->out, "comparisons");
        for (int k = w->f->runs; k < w->n && status == OK; k += w->f->runs) status = put_comparison(w, k, e);
        json_array_end(w->out);
    }
    strbuf_puts(w->out, "}\n");
    return status;
}

Status eval_write(const EvalFields *f, const EvalTask *task, void *context, const EvalRun *runs, int n, StrBuf *out,
                  Error *e)
{
    const Writer w = { f, task, context, runs, n, out };
    if (f->format == EVAL_JSON) return put_json(&w, e);
    if (n == f->runs) return task->put(context, 0, false, out, e);
    Status status = OK;
    put_rows(&w);
    for (int k = f->runs; k < n && status == OK; k += f->runs) status = put_comparison(&w, k, e);
    for (int k = 0; k < n && (f->report || f->calibration || f->risk_coverage) && status == OK; k += f->runs) {
        strbuf_printf(out, "\n%s\n", runs[k].name);
        status = task->put(context, k, false, out, e);
    }
    return status;
}
