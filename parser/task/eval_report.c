#include "parser/task/eval_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"

typedef struct Writer {
    const Eval *x;
    const EvalTask *task;
    const EvalRun *runs;
    int n, of_system; /* runs, and those of a system */
    bool json;
    StrBuf *out;
} Writer;

/* The mean over n runs, and their standard deviation (of a sample), 0 of a single run. */
static double mean_of(const EvalRun *runs, int n, int metric, double *deviation)
{
    double sum = 0, squares = 0;
    for (int r = 0; r < n; r++) sum += runs[r].value[metric];
    double mean = sum / n;
    for (int r = 0; r < n; r++) squares += pow(runs[r].value[metric] - mean, 2);
    *deviation = n > 1 ? sqrt(squares / (n - 1)) : 0;
    return mean;
}

void eval_means(const EvalTask *task, const EvalRun *runs, int n, bool json, StrBuf *out)
{
    for (int m = 0; m < task->n_metrics; m++) {
        const char *const *name = task->metrics[m];
        double deviation, mean = mean_of(runs, n, m, &deviation);
        char key[40];
        const char *form = task->exact ? "%.17g" : "%.2f";
        snprintf(key, sizeof key, "%s_deviation", name[0]);
        if (json) {
            json_real(out, name[0], form, mean);
            json_real(out, key, form, deviation);
        } else if (!isnan(mean)) {
            strbuf_printf(out, "%-10s %.2f", name[1], mean);
            if (n > 1) strbuf_printf(out, " (standard deviation %.2f)", deviation);
            strbuf_putc(out, '\n');
        }
    }
}

/* All of a system: of several runs their means, and each. */
static Status put_system(const Writer *w, int first, Error *e)
{
    const EvalTask *task = w->task;
    Status s = OK;
    if (task->put_system) return task->put_system(w->x, first, w->json, w->out, e);
    if (w->of_system == 1) return task->put(w->x, first, w->json, w->out, e);
    eval_means(task, w->runs + first, w->of_system, w->json, w->out);
    if (w->json) json_array(w->out, "runs");
    for (int r = first; r < first + w->of_system && s == OK; r++) {
        if (w->json) json_object(w->out, NULL);
        if (w->json) json_string(w->out, "name", w->runs[r].name);
        else strbuf_printf(w->out, "\n%s\n", w->runs[r].name);
        s = task->put(w->x, r, w->json, w->out, e);
        if (w->json) json_object_end(w->out);
    }
    if (w->json) json_array_end(w->out);
    return s;
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
    int runs = w->of_system, columns = runs > 1 ? 17 : 9, width = 8;
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
            double deviation, mean = mean_of(w->runs + k, runs, m, &deviation);
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
    bool bootstrap = !isnan(c->p_bootstrap), exact = w->task->exact;
    if (w->json) {
        json_object(w->out, name[0]);
        json_members(w->out, exact ? "a: %.17g, b: %.17g" : "a: %.2f, b: %.2f", c->a, c->b);
        if (bootstrap)
            json_members(w->out, "low: %.3f, high: %.3f, p_bootstrap: %.5f", c->low, c->high, c->p_bootstrap);
        json_real(w->out, "p_randomisation", exact ? "%.17g" : "%.5f", c->p_random);
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
    Status status = OK;
    if (w->json) {
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
        status = w->task->compare(w->x, 0, b, m, &c, e);
        if (status == OK) put_compared(w, m, &c);
    }
    if (w->json) json_object_end(w->out);
    return status;
}

static Status put_json(const Writer *w, Error *e)
{
    Status status = OK;
    json_object(w->out, NULL);
    if (w->n == w->of_system) status = put_system(w, 0, e);
    else {
        json_array(w->out, "systems");
        for (int k = 0; k < w->n && status == OK; k += w->of_system) {
            json_object(w->out, NULL);
            json_string(w->out, "name", w->runs[k].name);
            status = put_system(w, k, e);
            json_object_end(w->out);
        }
        json_array_end(w->out);
        json_array(w->out, "comparisons");
        for (int k = w->of_system; k < w->n && status == OK; k += w->of_system) status = put_comparison(w, k, e);
        json_array_end(w->out);
    }
    strbuf_puts(w->out, "}\n");
    return status;
}

Status eval_write(const Eval *eval, StrBuf *out, Error *error)
{
    const EvalFields *f = eval->f;
    const Writer w = { eval, eval->task, eval->run, eval->n, f->runs, f->format == EVAL_JSON, out };
    if (w.json) return put_json(&w, error);
    if (w.n == w.of_system) return put_system(&w, 0, error);
    Status s = OK;
    put_rows(&w);
    for (int k = f->runs; k < w.n && s == OK; k += f->runs) s = put_comparison(&w, k, error);
    for (int k = 0; k < w.n && (f->report || f->calibration || f->risk_coverage) && s == OK; k += f->runs) {
        strbuf_printf(out, "\n%s\n", w.runs[k].name);
        s = put_system(&w, k, error);
    }
    return s;
}
