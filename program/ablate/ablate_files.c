/* Paths, and results of runs on disk */
#include "program/ablate/ablate_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_writer.h"

/* ---- paths */

Status ablate_make_folder(const char *path, Error *e)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return OK;
    return error_at(e, ERR_IO, path, 0, 0, "cannot make the folder: %s", strerror(errno));
}

Status ablate_folder(AblateFolder *f, const char *out, const AblateVariant *v, long seed, bool make, Error *e)
{
    char variant[4096], folder[4096];
    const struct {
        char *path;
        const char *name;
    } files[] = { { f->run, "run.json" },
                  { f->checkpoint, "train.ckpt" },
                  { f->log, "log.jsonl" },
                  { f->model, "model.lal" },
                  { f->pruned, "pruned.lal" },
                  { f->trained, "trained.json" },
                  { f->sentences, "sentences.tsv" },
                  { f->scores, "scores.json" },
                  { f->parses, "parses.jsonl" } };
    int n = snprintf(variant, sizeof variant, "%s/%s", out, v->name),
        m = snprintf(folder, sizeof folder, "%s/%s/seed-%ld", out, v->name, seed);
    bool fits = n > 0 && (size_t)n < sizeof variant && m > 0 && (size_t)m + 20 < sizeof folder;
    if (!fits) return error_at(e, ERR_RANGE, out, 0, 0, "the path is too long");
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        snprintf(files[k].path, sizeof f->run, "%.4070s/%s", folder, files[k].name);
    Status s = OK;
    if (make) s = ablate_make_folder(out, e);
    if (make && s == OK) s = ablate_make_folder(variant, e);
    if (make && s == OK) s = ablate_make_folder(folder, e);
    return s;
}

/* ---- JSON files */

Status ablate_read_json(const char *path, cJSON **out, Error *e)
{
    StrBuf text = { 0 };
    *out = NULL;
    if (access(path, F_OK) != 0) return OK;
    Status s = file_read(path, &text, e);
    if (s == OK) s = json_parse_file(text.ptr ? text.ptr : "", text.len, path, out, e);
    strbuf_fini(&text);
    return s;
}

static double number(const cJSON *j, const char *name, double otherwise)
{
    const cJSON *x = json_get(j, name);
    return cJSON_IsNumber(x) ? x->valuedouble : otherwise;
}

static void copy_text(const cJSON *j, const char *name, char *out, size_t size)
{
    const cJSON *x = json_get(j, name);
    snprintf(out, size, "%s", cJSON_IsString(x) ? x->valuestring : "");
}

/* ---- what training left */

Status ablate_write_trained(const AblateFolder *f, const AblateRun *r, Error *e)
{
    StrBuf out = { 0 };
    json_object(&out, NULL);
    json_members(&out, "failed: %s, seconds: %.17g, updates: %ld, sentences: %ld, early_loss: %.17g, loss: %.17g",
                 r->failed, r->seconds, r->updates, r->trained_sentences, r->early_loss, r->loss);
    strbuf_puts(&out, "}\n");
    Status s = file_write(f->trained, &out, e);
    strbuf_fini(&out);
    return s;
}

Status ablate_read_trained(const AblateFolder *f, AblateRun *r, bool *known, Error *e)
{
    cJSON *j;
    Status s = ablate_read_json(f->trained, &j, e);
    *known = s == OK && j;
    if (*known) {
        copy_text(j, "failed", r->failed, sizeof r->failed);
        r->state = r->failed[0] ? ABLATE_FAILED : ABLATE_MISSING;
        r->seconds = number(j, "seconds", 0);
        r->updates = (long)number(j, "updates", 0);
        r->trained_sentences = (long)number(j, "sentences", 0);
        r->early_loss = number(j, "early_loss", 0);
        r->loss = number(j, "loss", 0);
    }
    cJSON_Delete(j);
    return s;
}

/* ---- scores */

/* The units of dev, then of test: their set, their number in it from 1, and their numbers. */
static Status write_units(const AblateFolder *f, const AblateMeasure *x, const AblateRun *r, int n_dev, int n_test,
                          Error *e)
{
    const double *number = r->each;
    StrBuf out = { 0 };
    strbuf_puts(&out, "set\tsentence");
    for (int c = 0; c < x->n_numbers; c++) strbuf_printf(&out, "\t%s", x->number[c]);
    strbuf_putc(&out, '\n');
    for (int k = 0; k < n_dev + n_test; k++) {
        strbuf_printf(&out, "%s\t%d", k < n_dev ? "dev" : "test", k < n_dev ? k + 1 : k - n_dev + 1);
        for (int c = 0; c < x->n_numbers; c++) strbuf_printf(&out, "\t%.17g", *number++);
        strbuf_putc(&out, '\n');
    }
    Status s = file_write(f->sentences, &out, e);
    strbuf_fini(&out);
    return s;
}

/* One row; false if it is not the row of unit k. */
static bool read_row(StrView line, int k, int n_dev, int n_numbers, double *out)
{
    char row[512], set[8], *at, *end;
    int unit, used = 0;
    snprintf(row, sizeof row, "%.*s", (int)(line.len < sizeof row ? line.len : sizeof row - 1), line.ptr);
    if (sscanf(row, "%7s %d%n", set, &unit, &used) != 2) return false;
    if (strcmp(set, k < n_dev ? "dev" : "test") != 0 || unit != (k < n_dev ? k + 1 : k - n_dev + 1)) return false;
    at = row + used;
    for (int c = 0; c < n_numbers; c++, at = end) {
        out[c] = strtod(at, &end);
        if (*at != '\t' || end == at || !(out[c] >= 0) || isinf(out[c])) return false;
    }
    return !*at;
}

void ablate_add_up(const AblateMeasure *x, AblateRun *r, int n_dev, int n_test)
{
    memset(r->sums, 0, sizeof r->sums);
    for (int k = 0; k < n_dev + n_test; k++)
        for (int c = 0; c < x->n_numbers; c++) r->sums[k >= n_dev][c] += r->each[k * x->n_numbers + c];
}

static Status read_units(const AblateFolder *f, const AblateMeasure *x, AblateRun *r, int n_dev, int n_test, Error *e)
{
    StrBuf text = { 0 };
    StrView line;
    size_t at = 0;
    int k = 0, n = n_dev + n_test;
    Status s = file_read(f->sentences, &text, e);
    r->each = s == OK ? mem_calloc((size_t)n * (size_t)x->n_numbers + 1, sizeof *r->each) : NULL;
    if (s == OK && !r->each) s = error_set(e, ERR_NOMEM, "out of memory reading results");
    bool good = s == OK && text_line((StrView){ text.ptr, text.len }, &at, &line);
    for (; good && k < n && text_line((StrView){ text.ptr, text.len }, &at, &line); k++)
        good = read_row(line, k, n_dev, x->n_numbers, r->each + k * x->n_numbers);
    if (s == OK && (!good || k != n || at < text.len))
        s = error_at(e, ERR_FORMAT, f->sentences, k + 1, 0, "found something else, expected the counts of %d sentences",
                     n);
    if (s == OK) ablate_add_up(x, r, n_dev, n_test);
    strbuf_fini(&text);
    return s;
}

static void put_set(StrBuf *out, const AblateMeasure *x, const char *name, const double *sums, int n)
{
    json_object(out, name);
    json_long(out, "sentences", n);
    for (int m = 0; m < x->n_metrics; m++) {
        bool known;
        double value = ablate_measure_score(x, m, sums, &known);
        json_real(out, x->metric[m].key, "%.4f", known ? value : NAN);
    }
    json_object_end(out);
}

Status ablate_write_scores(const AblateFolder *f, const AblateMeasure *x, const AblateRun *r, int n_dev, int n_test,
                           const char *test, Error *e)
{
    StrBuf out = { 0 };
    json_object(&out, NULL);
    json_members(&out, "test_data: %s, model: %s, self_heads: %d, label_heads: %d, rho: %.6f, seconds: %.17g", test,
                 r->model, r->self_heads, r->label_heads, r->rho >= 0 ? r->rho : NAN, r->scoring);
    put_set(&out, x, "dev", r->sums[0], n_dev);
    if (n_test) put_set(&out, x, "test", r->sums[1], n_test);
    strbuf_puts(&out, "}\n");
    Status s = write_units(f, x, r, n_dev, n_test, e);
    if (s == OK) s = file_write(f->scores, &out, e);
    strbuf_fini(&out);
    return s;
}

Status ablate_read_scores(const AblateFolder *f, const AblateMeasure *x, AblateRun *r, int n_dev, int n_test,
                          const char *test, bool *known, Error *e)
{
    cJSON *j;
    char of[32];
    Status s = ablate_read_json(f->scores, &j, e);
    copy_text(j, "test_data", of, sizeof of);
    *known = s == OK && j && strcmp(of, test) == 0;
    if (*known) {
        copy_text(j, "model", r->model, sizeof r->model);
        r->self_heads = (int)number(j, "self_heads", 0);
        r->label_heads = (int)number(j, "label_heads", 0);
        r->rho = number(j, "rho", -1);
        r->scoring = number(j, "seconds", 0);
        s = read_units(f, x, r, n_dev, n_test, e);
        if (s == OK) r->state = ABLATE_FINISHED;
    }
    cJSON_Delete(j);
    return s;
}

/* ---- losses */

/* Terms of the task's own loss; others, such as guidance, are not comparable between variants. */
static double loss_of(const AblateMeasure *x, const cJSON *line)
{
    double sum = 0;
    const cJSON *loss = json_get(line, "loss");
    for (const cJSON *term = loss ? loss->child : NULL; term; term = term->next)
        if (ablate_plan_is_key(x->losses, term->string)) sum += number(loss, term->string, 0);
    return sum;
}

/* Each line has the mean losses of the updates since the line before it. */
Status ablate_read_losses(const char *log, const AblateMeasure *x, AblateRun *r, Error *e)
{
    StrBuf text = { 0 };
    StrView line;
    Status s = file_read(log, &text, e);
    double last = 0, early = 0, all = 0, fifth = 0;
    for (int pass = 0; pass < 2 && s == OK; pass++) { /* the number of updates first */
        double before = 0;
        for (size_t at = 0; s == OK && text_line((StrView){ text.ptr, text.len }, &at, &line);) {
            cJSON *j;
            s = json_parse(line.ptr, line.len, &j, e);
            if (s == ERR_FORMAT) s = error_at(e, s, log, 0, 0, "found a line that is no JSON");
            double updates = number(j, "updates", 0), weight = updates - before;
            if (s == OK && pass == 0) last = updates;
            else if (s == OK && weight > 0 && json_get(j, "loss")) {
                all += weight * loss_of(x, j);
                if (before < last / 5) { /* a line that begins in the first fifth counts up to its end */
                    early += weight * loss_of(x, j);
                    fifth += weight;
                }
                before = updates;
            }
            cJSON_Delete(j);
        }
    }
    r->updates = (long)last;
    r->loss = last > 0 ? all / last : 0;
    r->early_loss = fifth > 0 ? early / fifth : 0;
    strbuf_fini(&text);
    return s;
}
