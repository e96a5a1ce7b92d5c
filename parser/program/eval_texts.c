/* parser/program/eval_texts.c: scores of texts: of translations, of summaries, and of the boundaries of segments */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "eval/bleu.h"
#include "eval/boundaries.h"
#include "eval/rouge.h"
#include "include/lalparser.h"
#include "parser/program/eval.h"
#include "treebank/document_lines.h"

enum { NUMBERS_MOST = 10 };
_Static_assert((int)BLEU_NUMBERS <= NUMBERS_MOST && (int)ROUGE_NUMBERS <= NUMBERS_MOST &&
                   (int)BOUNDARY_NUMBERS <= NUMBERS_MOST,
               "sums have room");

typedef struct Texts Texts;

/* How documents are scored. For BLEU, a line is a document of one sentence. */
typedef struct Measure {
    EvalTask task;
    const SumScore *score; /* [task.n_metrics], all of one width, at most NUMBERS_MOST */
    const char *of;        /* what is predicted of a document, for messages: "a translation" */
    /* Sets the numbers of a document. ERR_NOMEM. */
    Status (*count)(const DocumentLine *gold, const DocumentLine *pred, double *numbers, Error *e);
    /* NAN: there is nothing to score. Of one document, or of the sums over all. */
    double (*value)(const double *sums, int metric, bool one);
    void (*put)(const Texts *t, const double *sums, bool json, StrBuf *out); /* all but the metrics */
} Measure;

struct Texts {
    const EvalFields *f;
    const Measure *measure;
    DocumentLines gold;
    int *scored, n; /* [n] the documents of gold that are scored */
    EvalRun runs[OPTION_LIST_MAX];
    double *numbers[OPTION_LIST_MAX]; /* [runs][n * width] */
    double sums[OPTION_LIST_MAX][NUMBERS_MOST];
};

/* ---- BLEU */

static Status bleu_of(const DocumentLine *gold, const DocumentLine *pred, double *numbers, Error *e)
{
    BleuCounts line = { 0 };
    Status status = bleu_count(pred->sentences.text[0], gold->sentences.text, 1, &line, e);
    bleu_numbers(&line, numbers);
    return status;
}

static double bleu_value(const double *sums, int metric, bool one)
{
    BleuCounts c = bleu_counts(sums);
    (void)metric;
    return bleu_score(&c, one).bleu;
}

static void bleu_put(const Texts *t, const double *sums, bool json, StrBuf *out)
{
    BleuCounts c = bleu_counts(sums);
    Bleu b = bleu_score(&c, false);
    const double *p = b.precision;
    if (json) {
        json_array(out, "precisions");
        for (int k = 0; k < BLEU_ORDER; k++) json_real(out, NULL, "%.2f", p[k]);
        json_array_end(out);
        json_members(out, "brevity_penalty: %.4f, words: %ld, gold_words: %ld, lines: %d", b.brevity, c.output,
                     c.reference, t->n);
        json_key(out, "signature");
    } else
        strbuf_printf(out, "precisions %.2f %.2f %.2f %.2f\nbrevity    %.4f\nwords      %ld, gold %ld\nlines      %d\n",
                      p[0], p[1], p[2], p[3], b.brevity, c.output, c.reference, t->n);
    strbuf_puts(out, json ? "\"" : "signature  ");
    bleu_signature(1, false, out);
    strbuf_puts(out, json ? "|version:lal-" LAL_VERSION "\"" : "|version:lal-" LAL_VERSION "\n");
}

/* ---- ROUGE */

static void put_documents(const Texts *t, bool json, StrBuf *out)
{
    int left_out = t->gold.n - t->n;
    if (json) json_members(out, "documents: %d, left_out: %d", t->n, left_out);
    else strbuf_printf(out, "documents  %d, left out without %s in gold %d\n", t->n, t->measure->of, left_out);
}

static Status rouge_of(const DocumentLine *gold, const DocumentLine *pred, double *numbers, Error *e)
{
    RougeScore s[ROUGE_MEASURES] = { 0 };
    const TextList *output = &pred->summary, *reference = &gold->summary;
    Status status = rouge_score(output->text, output->n, reference->text, reference->n, s, e);
    rouge_numbers(s, numbers);
    return status;
}

static double rouge_value(const double *sums, int metric, bool one)
{
    (void)one;
    return ROUGE_OF_SUMS[metric].value(sums);
}

static void rouge_put(const Texts *t, const double *sums, bool json, StrBuf *out)
{
    static const char *const names[ROUGE_MEASURES] = { "rouge1_", "rouge2_", "rouge_lsum_" };
    for (int m = 0; m < ROUGE_MEASURES; m++) {
        RougeScore s = rouge_mean(sums, (RougeMeasure)m);
        char key[2][40];
        snprintf(key[0], sizeof key[0], "%sprecision", names[m]);
        snprintf(key[1], sizeof key[1], "%srecall", names[m]);
        if (json) json_real(out, key[0], "%.2f", 100 * s.precision);
        if (json) json_real(out, key[1], "%.2f", 100 * s.recall);
        if (!json)
            strbuf_printf(out, "%-10s precision %.2f, recall %.2f\n", t->measure->task.metrics[m][1], 100 * s.precision,
                          100 * s.recall);
    }
    put_documents(t, json, out);
}

/* ---- boundaries */

static void set_bits(const DocumentLine *d, bool *bits)
{
    for (int k = 1; k < d->n_segments; k++) bits[d->begin[k] - 1] = true;
}

static Status boundaries_of(const DocumentLine *gold, const DocumentLine *pred, double *numbers, Error *e)
{
    size_t n = (size_t)gold->sentences.n + 1;
    BoundaryCounts c = { 0 };
    bool *reference = mem_calloc(n, sizeof *reference), *output = mem_calloc(n, sizeof *output);
    bool ok = reference && output;
    if (ok) {
        set_bits(gold, reference);
        set_bits(pred, output);
        boundaries_count(reference, output, gold->sentences.n, &c);
    }
    boundaries_numbers(&c, numbers);
    mem_free(reference);
    mem_free(output);
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory for boundaries");
}

static double boundaries_of_sums(const double *sums, int metric, bool one)
{
    BoundaryCounts c = boundaries_counts(sums);
    (void)one;
    return boundaries_value(&c, (BoundaryMetric)metric);
}

static void boundaries_put(const Texts *t, const double *sums, bool json, StrBuf *out)
{
    BoundaryCounts c = boundaries_counts(sums);
    double precision = boundaries_value(&c, BOUNDARY_PRECISION), recall = boundaries_value(&c, BOUNDARY_RECALL);
    if (json)
        json_members(out, "precision: %.2f, recall: %.2f, gold: %ld, predicted: %ld, right: %ld, with_windows: %ld",
                     precision, recall, c.expected, c.found, c.right, c.windowed);
    else
        strbuf_printf(out, "precision  %.2f\nrecall     %.2f\nboundaries %ld, gold %ld, right %ld\nwith windows %ld\n",
                      precision, recall, c.found, c.expected, c.right, c.windowed);
    put_documents(t, json, out);
}

/* ---- files */

/* Each line as a document of one sentence. */
static Status read_lines(DocumentLines *d, TextBlock block, Error *e)
{
    const char *found;
    size_t bad = text_fault(block.text, &found);
    TextPlace place = text_place((TextPlace){ 1, 1 }, block.text.ptr, bad);
    if (bad < block.text.len) return error_at(e, ERR_FORMAT, block.path, place.line, place.column, "%s", found);
    StrView line;
    for (size_t at = 0; text_line(block.text, &at, &line);) {
        StrView *text = arena_alloc(&d->arena, 1, sizeof *text);
        char *copy = arena_strndup(&d->arena, line.ptr, line.len);
        if (!text || !copy || !mem_reserve(d->d, &d->cap, d->n + 1))
            return error_set(e, ERR_NOMEM, "out of memory reading %s", block.path);
        *text = (StrView){ copy, line.len };
        d->d[d->n] = (DocumentLine){ .line = d->n + 1, .sentences = { text, 1 } };
        d->n++;
    }
    return OK;
}

static Status read_documents(const EvalFields *f, const char *path, DocumentLines *d, Error *e)
{
    char place[DATA_PATH_MAX];
    StrBuf text = { 0 };
    Status status = file_read_text(program_file(path, place, sizeof place), &text, e);
    TextBlock block = text_block((StrView){ text.ptr ? text.ptr : "", text.len }, path);
    if (status == OK) status = (f->measure == EVAL_BLEU ? read_lines : document_lines_read)(d, block, e);
    if (status == OK && d->n == 0) status = error_at(e, ERR_FORMAT, path, 1, 1, "found nothing to score");
    strbuf_fini(&text);
    return status;
}

/* Finds the documents to score: those that have a summary, or a boundary. */
static Status find_scored(Texts *t, Error *e)
{
    const EvalFields *f = t->f;
    t->scored = mem_calloc((size_t)t->gold.n, sizeof *t->scored);
    if (!t->scored) return error_set(e, ERR_NOMEM, "out of memory for the scores");
    for (int k = 0; k < t->gold.n; k++) {
        const DocumentLine *d = &t->gold.d[k];
        if (f->measure == EVAL_BOUNDARIES && (!d->sentences.text || !d->begin))
            return error_at(e, ERR_FORMAT, f->gold, d->line, 1, "found no %s, expected sentences and their segments",
                            d->sentences.text ? "segments" : "sentences");
        int least = f->measure == EVAL_BOUNDARIES; /* the first segment has no boundary */
        if (f->measure == EVAL_BLEU || (f->measure == EVAL_ROUGE ? d->summary.n : d->n_segments) > least)
            t->scored[t->n++] = k;
    }
    return t->n ? OK : error_at(e, ERR_FORMAT, f->gold, 1, 1, "found no document with %s", t->measure->of);
}

/* The number of the first text that differs, or -1; where one list is longer, the first text that the other lacks. */
static int first_other(const TextList *a, const TextList *b)
{
    for (int k = 0; k < a->n && k < b->n; k++)
        if (a->text[k].len != b->text[k].len || memcmp(a->text[k].ptr, b->text[k].ptr, a->text[k].len) != 0) return k;
    return a->n == b->n ? -1 : a->n < b->n ? a->n : b->n;
}

/* Is pred an output for the same document? */
static Status check_pair(const Texts *t, const char *path, const DocumentLine *gold, const DocumentLine *pred, Error *e)
{
    const char *file = t->f->gold;
    EvalMeasure measure = (EvalMeasure)t->f->measure;
    if (measure == EVAL_BLEU) return OK;
    if (gold->id && pred->id && strcmp(gold->id, pred->id) != 0)
        return error_at(e, ERR_FORMAT, path, pred->line, 1, "found the document '%s', expected '%s' as at %s:%ld",
                        pred->id, gold->id, file, gold->line);
    bool both = gold->sentences.text && pred->sentences.text;
    int other = both ? first_other(&gold->sentences, &pred->sentences) : -1;
    if (other >= 0)
        return error_at(e, ERR_FORMAT, path, pred->line, 1,
                        "found sentence %d of %d, expected the same as in the %d sentences at %s:%ld", other + 1,
                        pred->sentences.n, gold->sentences.n, file, gold->line);
    if (measure == EVAL_ROUGE ? gold->summary.n && !pred->summary.text : !pred->begin)
        return error_at(e, ERR_FORMAT, path, pred->line, 1, "found no %s, expected %s of %s:%ld",
                        measure == EVAL_ROUGE ? "summary" : "segments", t->measure->of, file, gold->line);
    int last = measure == EVAL_BOUNDARIES && pred->n_segments ? pred->begin[pred->n_segments - 1] : 0;
    if (last && last >= gold->sentences.n)
        return error_at(e, ERR_FORMAT, path, pred->line, 1,
                        "found a segment that begins with sentence %d, expected one of the %d sentences at %s:%ld",
                        last, gold->sentences.n, file, gold->line);
    return OK;
}

/* Has the file of pred as many documents as gold? */
static Status check_number(const Texts *t, const char *path, const DocumentLines *pred, Error *e)
{
    const DocumentLines *gold = &t->gold;
    if (pred->n < gold->n)
        return error_at(e, ERR_FORMAT, path, pred->d[pred->n - 1].line + 1, 1, "found the end, expected %s of %s:%ld",
                        t->measure->of, t->f->gold, gold->d[pred->n].line);
    if (pred->n > gold->n)
        return error_at(e, ERR_FORMAT, path, pred->d[gold->n].line, 1,
                        "found one more than the %d of %s, expected the end", gold->n, t->f->gold);
    return OK;
}

/* ---- scores */

static int width_of(const Texts *t) { return t->measure->score->width; }
static double *row(const Texts *t, int run, int k) { return t->numbers[run] + (ptrdiff_t)k * width_of(t); }

static Status score_pairs(Texts *t, int run, const DocumentLines *pred, Error *e)
{
    const char *path = t->runs[run].name;
    Status status = check_number(t, path, pred, e);
    for (int k = 0; k < t->gold.n && status == OK; k++) status = check_pair(t, path, &t->gold.d[k], &pred->d[k], e);
    for (int k = 0; k < t->n && status == OK; k++) {
        double *numbers = row(t, run, k);
        status = t->measure->count(&t->gold.d[t->scored[k]], &pred->d[t->scored[k]], numbers, e);
        for (int i = 0; i < width_of(t); i++) t->sums[run][i] += numbers[i];
    }
    return status;
}

static Status score_file(Texts *t, int run, Error *e)
{
    DocumentLines pred;
    const char *path = t->runs[run].name = t->f->pred.item[run];
    document_lines_init(&pred);
    t->numbers[run] = mem_calloc((size_t)t->n * (size_t)width_of(t), sizeof(double));
    Status status = t->numbers[run] ? OK : error_set(e, ERR_NOMEM, "out of memory for the scores");
    if (status == OK) status = read_documents(t->f, path, &pred, e);
    if (status == OK) status = score_pairs(t, run, &pred, e);
    for (int m = 0; m < t->measure->task.n_metrics; m++)
        t->runs[run].value[m] = t->measure->value(t->sums[run], m, false);
    document_lines_fini(&pred);
    return status;
}

/* ---- what eval_write asks for */

static Status compare(void *context, int a, int b, int metric, Comparison *out, Error *e)
{
    const Texts *t = context;
    const double *const *numbers = (const double *const *)t->numbers;
    return compare_sums(&t->measure->score[metric], numbers + a, numbers + b, t->f->runs, t->n, t->f->samples,
                        (uint64_t)t->f->seed, out, e);
}

/* The scores of each document, as a table for people or as TSV. */
static void put_table(const Texts *t, int run, bool tsv, StrBuf *out)
{
    const EvalTask *task = &t->measure->task;
    strbuf_puts(out, tsv ? "line\tid" : "\n    line");
    for (int m = 0; m < task->n_metrics; m++) strbuf_printf(out, tsv ? "\t%s" : " %10s", task->metrics[m][!tsv]);
    for (int k = 0; k < t->n; k++) {
        const DocumentLine *d = &t->gold.d[t->scored[k]];
        if (tsv) strbuf_printf(out, "\n%ld\t%s", d->line, d->id ? d->id : "");
        else strbuf_printf(out, "\n%8ld", d->line);
        for (int m = 0; m < task->n_metrics; m++) {
            double value = t->measure->value(row(t, run, k), m, true);
            if (isnan(value)) strbuf_puts(out, tsv ? "\t" : "          -");
            else strbuf_printf(out, tsv ? "\t%.2f" : " %10.2f", value);
        }
        if (!tsv && d->id) strbuf_printf(out, "  %s", d->id);
    }
    strbuf_putc(out, '\n');
}

static void put_list(const Texts *t, int run, StrBuf *out)
{
    const EvalTask *task = &t->measure->task;
    json_array(out, "report");
    for (int k = 0; k < t->n; k++) {
        const DocumentLine *d = &t->gold.d[t->scored[k]];
        json_object(out, NULL);
        json_long(out, "line", d->line);
        if (d->id) json_string(out, "id", d->id);
        for (int m = 0; m < task->n_metrics; m++)
            json_real(out, task->metrics[m][0], "%.2f", t->measure->value(row(t, run, k), m, true));
        json_object_end(out);
    }
    json_array_end(out);
}

/* The metrics of a run, and all else of it. */
static void put_run(const Texts *t, int run, bool json, StrBuf *out)
{
    EvalFields one = *t->f;
    one.runs = 1;
    eval_means(&one, &t->measure->task, t->runs + run, json, out);
    t->measure->put(t, t->sums[run], json, out);
    if (t->f->report && json) put_list(t, run, out);
    else if (t->f->report) put_table(t, run, false, out);
}

static Status put(void *context, int first, bool json, StrBuf *out, Error *e)
{
    const Texts *t = context;
    int runs = t->f->runs;
    (void)e;
    if (runs == 1) {
        put_run(t, first, json, out);
        return OK;
    }
    eval_means(t->f, &t->measure->task, t->runs + first, json, out);
    if (json) json_array(out, "runs");
    for (int r = first; r < first + runs; r++) {
        if (json) json_object(out, NULL);
        if (json) json_string(out, "name", t->runs[r].name);
        else strbuf_printf(out, "\n%s\n", t->runs[r].name);
        put_run(t, r, json, out);
        if (json) json_object_end(out);
    }
    if (json) json_array_end(out);
    return OK;
}

static const Measure MEASURES[] = {
    [EVAL_BLEU] = { { { { "bleu", "BLEU" } }, 1, 1, compare, put },
                    &BLEU_OF_SUMS,
                    "a translation",
                    bleu_of,
                    bleu_value,
                    bleu_put },
    [EVAL_ROUGE] = { { { { "rouge1", "ROUGE-1" }, { "rouge2", "ROUGE-2" }, { "rouge_lsum", "ROUGE-Lsum" } },
                       ROUGE_MEASURES,
                       ROUGE_MEASURES,
                       compare,
                       put },
                     ROUGE_OF_SUMS,
                     "a summary",
                     rouge_of,
                     rouge_value,
                     rouge_put },
    [EVAL_BOUNDARIES] = { { { { "f1", "F1" }, { "p_k", "P_k" }, { "window_diff", "WindowDiff" } },
                            BOUNDARY_COMPARED,
                            BOUNDARY_COMPARED,
                            compare,
                            put },
                          BOUNDARIES_OF_SUMS,
                          "boundaries",
                          boundaries_of,
                          boundaries_of_sums,
                          boundaries_put },
};

static Status print(Texts *t, Error *e)
{
    StrBuf out = { 0 };
    Status status = OK;
    if (t->f->format == EVAL_TSV) put_table(t, 0, true, &out);
    else status = eval_write(t->f, &t->measure->task, t, t->runs, t->f->pred.n, &out, e);
    if (status == OK) status = program_print(&out, e);
    strbuf_fini(&out);
    return status;
}

Status eval_texts(const EvalFields *f, Error *e)
{
    Texts *t = mem_calloc(1, sizeof *t);
    if (!t) return error_set(e, ERR_NOMEM, "out of memory for the scores");
    t->f = f;
    t->measure = &MEASURES[f->measure];
    document_lines_init(&t->gold);
    Status status = read_documents(f, f->gold, &t->gold, e);
    if (status == OK) status = find_scored(t, e);
    for (int r = 0; r < f->pred.n && status == OK; r++) status = score_file(t, r, e);
    if (status == OK) status = print(t, e);
    for (int r = 0; r < f->pred.n; r++) mem_free(t->numbers[r]);
    mem_free(t->scored);
    document_lines_fini(&t->gold);
    mem_free(t);
    return status;
}
