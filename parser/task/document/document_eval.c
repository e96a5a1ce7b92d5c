/* Scores of texts: of translations, of summaries, of the boundaries of segments
 * and of the classes of sentences, in files or as models of documents say them */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/rng.h"
#include "eval/bleu.h"
#include "eval/boundaries.h"
#include "eval/document_score.h"
#include "eval/rouge.h"
#include "include/lalparser.h"
#include "parser/task/document/document.h"
#include "parser/task/document/document_use.h"

enum { NUMBERS_MOST = 10 };
_Static_assert((int)BLEU_NUMBERS <= NUMBERS_MOST && (int)ROUGE_NUMBERS <= NUMBERS_MOST &&
                   (int)BOUNDARY_NUMBERS <= NUMBERS_MOST,
               "sums have room");
_Static_assert((int)DOCUMENT_BASELINES <= EVAL_BASELINES, "baselines have room");

/* Eval.state */
typedef struct Texts {
    DocumentLines gold;
    int *scored, n;                  /* [n] indices into gold of the scored documents */
    double *numbers[EVAL_RUNS_MOST]; /* [runs][n * width] */
    double sums[EVAL_RUNS_MOST][NUMBERS_MOST];
    ModelConfig config; /* of the first model */
} Texts;

static const DocumentMeasure *measure_of(const Eval *x) { return (const DocumentMeasure *)(const void *)x->task; }
static EvalMeasure kind_of(const Eval *x) { return (EvalMeasure)(measure_of(x) - DOCUMENT_MEASURES); }

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

static void bleu_put(const Eval *x, const double *sums, bool json, StrBuf *out)
{
    const Texts *t = x->state;
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

static void put_documents(const Eval *x, bool json, StrBuf *out)
{
    const Texts *t = x->state;
    int left_out = t->gold.n - t->n;
    if (json) json_members(out, "documents: %d, left_out: %d", t->n, left_out);
    else strbuf_printf(out, "documents  %d, left out without %s in gold %d\n", t->n, measure_of(x)->of, left_out);
}

static double rouge_value(const double *sums, int metric, bool one)
{
    (void)one;
    return ROUGE_OF_SUMS[metric].value(sums);
}

static void rouge_put(const Eval *x, const double *sums, bool json, StrBuf *out)
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
            strbuf_printf(out, "%-10s precision %.2f, recall %.2f\n", x->task->metrics[m][1], 100 * s.precision,
                          100 * s.recall);
    }
    put_documents(x, json, out);
}

/* ---- boundaries */

static double boundaries_of_sums(const double *sums, int metric, bool one)
{
    BoundaryCounts c = boundaries_counts(sums);
    (void)one;
    return boundaries_value(&c, (BoundaryMetric)metric);
}

static void boundaries_put(const Eval *x, const double *sums, bool json, StrBuf *out)
{
    BoundaryCounts c = boundaries_counts(sums);
    double precision = boundaries_value(&c, BOUNDARY_PRECISION), recall = boundaries_value(&c, BOUNDARY_RECALL);
    if (json)
        json_members(out, "precision: %.2f, recall: %.2f, gold: %ld, predicted: %ld, right: %ld, with_windows: %ld",
                     precision, recall, c.expected, c.found, c.right, c.windowed);
    else
        strbuf_printf(out, "precision  %.2f\nrecall     %.2f\nboundaries %ld, gold %ld, right %ld\nwith windows %ld\n",
                      precision, recall, c.found, c.expected, c.right, c.windowed);
    put_documents(x, json, out);
}

/* ---- classes */

static double classes_of_sums(const double *sums, int metric, bool one)
{
    (void)one;
    (void)metric;
    return DOCUMENT_CLASSES_OF_SUMS[0].value(sums);
}

static void classes_put(const Eval *x, const double *sums, bool json, StrBuf *out)
{
    if (json) json_members(out, "right: %.0f, sentences: %.0f", sums[0], sums[1]);
    else strbuf_printf(out, "sentences  %.0f, right %.0f\n", sums[1], sums[0]);
    put_documents(x, json, out);
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

/* path: what is read of the file `name`. */
static Status read_documents(const Eval *x, const char *path, const char *name, DocumentLines *d, Error *e)
{
    StrBuf text = { 0 };
    Status status = file_read_text(path, &text, e);
    TextBlock block = text_block((StrView){ text.ptr ? text.ptr : "", text.len }, name);
    if (status == OK) status = (kind_of(x) == EVAL_BLEU ? read_lines : document_lines_read)(d, block, e);
    if (status == OK && d->n == 0) status = error_at(e, ERR_FORMAT, name, 1, 1, "found nothing to score");
    strbuf_fini(&text);
    return status;
}

/* Finds the documents to score: those that have a summary, or a boundary. */
static Status find_scored(const Eval *x, Texts *t, Error *e)
{
    const EvalMeasure measure = kind_of(x);
    const char *gold = x->f->gold;
    t->scored = mem_calloc((size_t)t->gold.n, sizeof *t->scored);
    if (!t->scored) return error_set(e, ERR_NOMEM, "out of memory for the scores");
    for (int k = 0; k < t->gold.n; k++) {
        const DocumentLine *d = &t->gold.d[k];
        if (measure == EVAL_BOUNDARIES && (!d->sentences.text || !d->begin))
            return error_at(e, ERR_FORMAT, gold, d->line, 1, "found no %s, expected sentences and their segments",
                            d->sentences.text ? "segments" : "sentences");
        bool scored = measure == EVAL_BLEU;
        if (measure == EVAL_ROUGE) scored = d->summary.n > 0;
        if (measure == EVAL_BOUNDARIES) scored = d->n_segments > 1; /* the first segment has no boundary */
        if (measure == EVAL_CLASSES) scored = d->classes.n > 0;
        if (scored) t->scored[t->n++] = k;
    }
    return t->n ? OK : error_at(e, ERR_FORMAT, gold, 1, 1, "found no document with %s", measure_of(x)->of);
}

static Status begin(Eval *x, Error *e)
{
    Texts *t = x->state = mem_calloc(1, sizeof *t);
    if (!t) return error_set(e, ERR_NOMEM, "out of memory for the scores");
    document_lines_init(&t->gold);
    Status status = read_documents(x, x->path, x->f->gold, &t->gold, e);
    return status == OK ? find_scored(x, t, e) : status;
}

static void end(Eval *x)
{
    Texts *t = x->state;
    for (int r = 0; t && r < x->n; r++) mem_free(t->numbers[r]);
    if (t) mem_free(t->scored);
    if (t) document_lines_fini(&t->gold);
    mem_free(t);
}

/* The number of the first text that differs, or -1; where one list is longer, the first text that the other lacks. */
static int first_other(const TextList *a, const TextList *b)
{
    for (int k = 0; k < a->n && k < b->n; k++)
        if (a->text[k].len != b->text[k].len || memcmp(a->text[k].ptr, b->text[k].ptr, a->text[k].len) != 0) return k;
    return a->n == b->n ? -1 : a->n < b->n ? a->n : b->n;
}

/* Is pred an output for the same document? */
static Status check_pair(const Eval *x, const char *path, const DocumentLine *gold, const DocumentLine *pred, Error *e)
{
    const char *file = x->f->gold;
    const EvalMeasure measure = kind_of(x);
    if (measure == EVAL_BLEU) return OK;
    if (gold->id && pred->id && strcmp(gold->id, pred->id) != 0) {
        const TextContrast c = text_contrast(text_view(pred->id), text_view(gold->id));
        return error_at(e, ERR_FORMAT, path, pred->line, 1, "found the document %s, expected %s as at %s:%ld", c.found,
                        c.expected, file, gold->line);
    }
    bool both = gold->sentences.text && pred->sentences.text;
    int other = both ? first_other(&gold->sentences, &pred->sentences) : -1;
    if (other >= 0) {
        char texts[400] = "";
        if (other < gold->sentences.n && other < pred->sentences.n) {
            const TextContrast c = text_contrast(pred->sentences.text[other], gold->sentences.text[other]);
            snprintf(texts, sizeof texts, ": %s here, %s there", c.found, c.expected);
        }
        return error_at(e, ERR_FORMAT, path, pred->line, 1,
                        "found sentence %d of %d, expected the same as in the %d sentences at %s:%ld%s", other + 1,
                        pred->sentences.n, gold->sentences.n, file, gold->line, texts);
    }
    const char *lacks = NULL;
    if (measure == EVAL_ROUGE && gold->summary.n && !pred->summary.text) lacks = "summary";
    if (measure == EVAL_BOUNDARIES && !pred->begin) lacks = "segments";
    if (measure == EVAL_CLASSES && gold->classes.n && pred->classes.n != gold->classes.n) lacks = "classes";
    if (lacks)
        return error_at(e, ERR_FORMAT, path, pred->line, 1, "found no %s, expected %s of %s:%ld", lacks,
                        measure_of(x)->of, file, gold->line);
    int last = measure == EVAL_BOUNDARIES && pred->n_segments ? pred->begin[pred->n_segments - 1] : 0;
    if (last && last >= gold->sentences.n)
        return error_at(e, ERR_FORMAT, path, pred->line, 1,
                        "found a segment that begins with sentence %d, expected one of the %d sentences at %s:%ld",
                        last, gold->sentences.n, file, gold->line);
    return OK;
}

/* Has the file of pred as many documents as gold? */
static Status check_number(const Eval *x, const char *path, const DocumentLines *pred, Error *e)
{
    const DocumentLines *gold = &((const Texts *)x->state)->gold;
    if (pred->n < gold->n)
        return error_at(e, ERR_FORMAT, path, pred->d[pred->n - 1].line + 1, 1, "found the end, expected %s of %s:%ld",
                        measure_of(x)->of, x->f->gold, gold->d[pred->n].line);
    if (pred->n > gold->n)
        return error_at(e, ERR_FORMAT, path, pred->d[gold->n].line, 1,
                        "found one more than the %d of %s, expected the end", gold->n, x->f->gold);
    return OK;
}

/* ---- scores */

static int width_of(const Eval *x) { return measure_of(x)->score->width; }

static double *row(const Eval *x, int run, int k)
{
    return ((const Texts *)x->state)->numbers[run] + (ptrdiff_t)k * width_of(x);
}

static Status start_run(Eval *x, int run, Error *e)
{
    Texts *t = x->state;
    t->numbers[run] = mem_calloc((size_t)t->n * (size_t)width_of(x), sizeof(double));
    return t->numbers[run] ? OK : error_set(e, ERR_NOMEM, "out of memory for the scores");
}

/* Adds the numbers of the documents up. */
static void end_run(Eval *x, int run)
{
    Texts *t = x->state;
    for (int k = 0; k < t->n; k++)
        for (int i = 0; i < width_of(x); i++) t->sums[run][i] += row(x, run, k)[i];
    for (int m = 0; m < x->task->n_metrics; m++) x->run[run].value[m] = measure_of(x)->value(t->sums[run], m, false);
}

static Status score_pairs(Eval *x, int run, const DocumentLines *pred, Error *e)
{
    const Texts *t = x->state;
    const char *path = x->run[run].name;
    Status status = check_number(x, path, pred, e);
    for (int k = 0; k < t->gold.n && status == OK; k++) status = check_pair(x, path, &t->gold.d[k], &pred->d[k], e);
    for (int k = 0; k < t->n && status == OK; k++)
        status = measure_of(x)->count(&t->gold.d[t->scored[k]], &pred->d[t->scored[k]], row(x, run, k), e);
    return status;
}

static Status score_file(Eval *x, int run, int file, const char *path, Error *e)
{
    DocumentLines pred;
    (void)file;
    document_lines_init(&pred);
    Status status = start_run(x, run, e);
    if (status == OK) status = read_documents(x, path, x->run[run].name, &pred, e);
    if (status == OK) status = score_pairs(x, run, &pred, e);
    if (status == OK) end_run(x, run);
    document_lines_fini(&pred);
    return status;
}

/* ---- models and baselines */

static DocumentChoice choice_of(const Eval *x)
{
    return (DocumentChoice){ .most = x->f->choose, .block = x->f->block_trigrams };
}

static Status score_model(Eval *x, int run, const Model *m, Error *e)
{
    Texts *t = x->state;
    const DocumentChoice o = choice_of(x);
    double threshold[THRESHOLDS];
    Corpus data = { 0 };
    Classifier c = { 0 };
    DocumentUnits u = { 0 };
    if (run == 0) t->config = m->c;
    Status status = start_run(x, run, e);
    if (status == OK) status = document_data_load(&data, x->path, m->c.language, e);
    if (status == OK) status = document_classifier(&c, m, device_default(), x->n_threads, e);
    if (status == OK) status = document_units(&c, &data, &u, e);
    if (status == OK) status = document_thresholds(m, threshold, e);
    for (int k = 0; k < t->n && status == OK; k++)
        status = document_numbers(m, &o, threshold, &data, &u, t->scored[k], row(x, run, k), e);
    if (status == OK) end_run(x, run);
    document_units_fini(&u);
    classifier_fini(&c);
    corpus_fini(&data);
    return status;
}

static const char *baseline_name(const Eval *x, int b) { return document_baseline_name(x->model_task, b); }

static Status score_baseline(Eval *x, int run, int b, int repeat, Error *e)
{
    const Texts *t = x->state;
    const DocumentChoice o = choice_of(x);
    Arena arena;
    arena_init(&arena, 1 << 12);
    Status status = start_run(x, run, e);
    for (int k = 0; k < t->n && status == OK; k++) {
        const DocumentLine *gold = &t->gold.d[t->scored[k]];
        DocumentLine pred;
        uint64_t key = rng_key((uint64_t)x->f->seed, 0xba, (uint64_t)repeat, (uint64_t)k);
        arena_reset(&arena);
        status = document_baseline(x->model_task, &t->config, b, &o, key, gold, &arena, &pred, e);
        if (status == OK) status = measure_of(x)->count(gold, &pred, row(x, run, k), e);
    }
    if (status == OK) end_run(x, run);
    arena_fini(&arena);
    return status;
}

/* ---- what is said of runs */

static Status compare(const Eval *x, int a, int b, int metric, Comparison *out, Error *e)
{
    const Texts *t = x->state;
    const double *const *numbers = (const double *const *)t->numbers;
    return compare_sums(&measure_of(x)->score[metric], numbers + a, numbers + b, x->f->runs, t->n, x->f->samples,
                        (uint64_t)x->f->seed, out, e);
}

/* The scores of each document, as a table for people or as TSV. */
static void put_table(const Eval *x, int run, bool tsv, StrBuf *out)
{
    const Texts *t = x->state;
    const EvalTask *task = x->task;
    strbuf_puts(out, tsv ? "line\tid" : "\n    line");
    for (int m = 0; m < task->n_metrics; m++) strbuf_printf(out, tsv ? "\t%s" : " %10s", task->metrics[m][!tsv]);
    for (int k = 0; k < t->n; k++) {
        const DocumentLine *d = &t->gold.d[t->scored[k]];
        if (tsv) strbuf_printf(out, "\n%ld\t%s", d->line, d->id ? d->id : "");
        else strbuf_printf(out, "\n%8ld", d->line);
        for (int m = 0; m < task->n_metrics; m++) {
            double value = measure_of(x)->value(row(x, run, k), m, true);
            if (isnan(value)) strbuf_puts(out, tsv ? "\t" : "          -");
            else strbuf_printf(out, tsv ? "\t%.2f" : " %10.2f", value);
        }
        if (!tsv && d->id) strbuf_printf(out, "  %s", d->id);
    }
    strbuf_putc(out, '\n');
}

static void put_list(const Eval *x, int run, StrBuf *out)
{
    const Texts *t = x->state;
    const EvalTask *task = x->task;
    json_array(out, "report");
    for (int k = 0; k < t->n; k++) {
        const DocumentLine *d = &t->gold.d[t->scored[k]];
        json_object(out, NULL);
        json_long(out, "line", d->line);
        if (d->id) json_string(out, "id", d->id);
        for (int m = 0; m < task->n_metrics; m++)
            json_real(out, task->metrics[m][0], "%.2f", measure_of(x)->value(row(x, run, k), m, true));
        json_object_end(out);
    }
    json_array_end(out);
}

static void put_tsv(const Eval *x, StrBuf *out) { put_table(x, 0, true, out); }

/* The metrics of a run, and all else of it. */
static Status put(const Eval *x, int run, bool json, StrBuf *out, Error *e)
{
    const Texts *t = x->state;
    (void)e;
    eval_means(x->task, x->run + run, 1, json, out);
    measure_of(x)->put(x, t->sums[run], json, out);
    if (x->f->report && json) put_list(x, run, out);
    else if (x->f->report) put_table(x, run, false, out);
    return OK;
}

/* ---- the measures */

#define MEASURED                                                                                                     \
    .of = "a model of documents",                                                                                    \
    .refused = { "gold-deps", "gold-classes", "pred-deps", "align", "calibration", "risk-coverage" }, .texts = true, \
    .begin = begin, .end = end, .model = score_model, .file = score_file, .baseline_name = baseline_name,            \
    .baseline = score_baseline, .compare = compare, .put = put, .put_tsv = put_tsv

const DocumentMeasure DOCUMENT_MEASURES[] = {
    [EVAL_BLEU] = { { .metrics = { { "bleu", "BLEU" } }, .n_metrics = 1, .n_compared = 1, MEASURED },
                    &BLEU_OF_SUMS,
                    "a translation",
                    bleu_of,
                    bleu_value,
                    bleu_put },
    [EVAL_ROUGE] = { { .metrics = { { "rouge1", "ROUGE-1" }, { "rouge2", "ROUGE-2" }, { "rouge_lsum", "ROUGE-Lsum" } },
                       .n_metrics = ROUGE_MEASURES,
                       .n_compared = ROUGE_MEASURES,
                       MEASURED },
                     ROUGE_OF_SUMS,
                     "a summary",
                     document_rouge,
                     rouge_value,
                     rouge_put },
    [EVAL_BOUNDARIES] = { { .metrics = { { "f1", "F1" }, { "p_k", "P_k" }, { "window_diff", "WindowDiff" } },
                            .n_metrics = BOUNDARY_COMPARED,
                            .n_compared = BOUNDARY_COMPARED,
                            MEASURED },
                          BOUNDARIES_OF_SUMS,
                          "boundaries",
                          document_boundaries,
                          boundaries_of_sums,
                          boundaries_put },
    [EVAL_CLASSES] = { { .metrics = { { "accuracy", "accuracy" } }, .n_metrics = 1, .n_compared = 1, MEASURED },
                       DOCUMENT_CLASSES_OF_SUMS,
                       "classes",
                       document_classes,
                       classes_of_sums,
                       classes_put },
};
