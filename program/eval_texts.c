/* Scores of texts: of translations, of summaries, and of the boundaries of segments */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/rng.h"
#include "eval/bleu.h"
#include "eval/boundaries.h"
#include "eval/document_score.h"
#include "eval/rouge.h"
#include "include/lalparser.h"
#include "program/eval.h"
#include "parser/task/document/document.h"
#include "treebank/document_lines.h"

enum { NUMBERS_MOST = 10, RUNS_MOST = EVAL_RUNS_MOST + DOCUMENT_BASELINES * OPTION_LIST_MAX };
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
    EvalRun runs[RUNS_MOST];
    double *numbers[RUNS_MOST]; /* [runs][n * width] */
    double sums[RUNS_MOST][NUMBERS_MOST];
    int n_runs;
    const Task *task;   /* of the models; NULL: files alone are scored */
    ModelConfig config; /* of the first model */
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

/* ---- classes */

static double classes_of_sums(const double *sums, int metric, bool one)
{
    (void)one;
    (void)metric;
    return DOCUMENT_CLASSES_OF_SUMS[0].value(sums);
}

static void classes_put(const Texts *t, const double *sums, bool json, StrBuf *out)
{
    if (json) json_members(out, "right: %.0f, sentences: %.0f", sums[0], sums[1]);
    else strbuf_printf(out, "sentences  %.0f, right %.0f\n", sums[1], sums[0]);
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
        bool scored = f->measure == EVAL_BLEU;
        if (f->measure == EVAL_ROUGE) scored = d->summary.n > 0;
        if (f->measure == EVAL_BOUNDARIES) scored = d->n_segments > 1; /* the first segment has no boundary */
        if (f->measure == EVAL_CLASSES) scored = d->classes.n > 0;
        if (scored) t->scored[t->n++] = k;
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
        return error_at(e, ERR_FORMAT, path, pred->line, 1, "found no %s, expected %s of %s:%ld", lacks, t->measure->of,
                        file, gold->line);
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

/* Adds the numbers of document k of those that are scored. */
static void add_up(Texts *t, int run, int k)
{
    for (int i = 0; i < width_of(t); i++) t->sums[run][i] += row(t, run, k)[i];
}

/* Begins a run. */
static Status start_run(Texts *t, const char *name, int *run, Error *e)
{
    *run = t->n_runs++;
    t->runs[*run].name = name;
    t->numbers[*run] = mem_calloc((size_t)t->n * (size_t)width_of(t), sizeof(double));
    return t->numbers[*run] ? OK : error_set(e, ERR_NOMEM, "out of memory for the scores");
}

static void end_run(Texts *t, int run)
{
    for (int m = 0; m < t->measure->task.n_metrics; m++)
        t->runs[run].value[m] = t->measure->value(t->sums[run], m, false);
}

static Status score_pairs(Texts *t, int run, const DocumentLines *pred, Error *e)
{
    const char *path = t->runs[run].name;
    Status status = check_number(t, path, pred, e);
    for (int k = 0; k < t->gold.n && status == OK; k++) status = check_pair(t, path, &t->gold.d[k], &pred->d[k], e);
    for (int k = 0; k < t->n && status == OK; k++) {
        status = t->measure->count(&t->gold.d[t->scored[k]], &pred->d[t->scored[k]], row(t, run, k), e);
        add_up(t, run, k);
    }
    return status;
}

static Status score_file(Texts *t, const char *path, Error *e)
{
    DocumentLines pred;
    int run;
    document_lines_init(&pred);
    Status status = start_run(t, path, &run, e);
    if (status == OK) status = read_documents(t->f, path, &pred, e);
    if (status == OK) status = score_pairs(t, run, &pred, e);
    end_run(t, run);
    document_lines_fini(&pred);
    return status;
}

/* ---- models and baselines */

static DocumentChoice choice_of(const Texts *t)
{
    return (DocumentChoice){ .most = t->f->choose, .block = t->f->block_trigrams };
}

static Status count_units(Texts *t, int run, const Model *m, const Corpus *data, const DocumentUnits *u, Error *e)
{
    const DocumentChoice o = choice_of(t);
    double threshold[THRESHOLDS];
    Status status = document_thresholds(m, threshold, e);
    for (int k = 0; k < t->n && status == OK; k++) {
        status = document_numbers(m, &o, threshold, data, u, t->scored[k], row(t, run, k), e);
        add_up(t, run, k);
    }
    return status;
}

static Status score_model(Texts *t, const char *name, Error *e)
{
    char place[DATA_PATH_MAX], file[DATA_PATH_MAX];
    const char *path = program_model_path(name, place, sizeof place),
               *gold = program_file(t->f->gold, file, sizeof file);
    Model m;
    Corpus data = { 0 };
    Classifier c = { 0 };
    DocumentUnits u = { 0 };
    int run;
    model_init(&m);
    Status status = start_run(t, name, &run, e);
    if (status == OK) status = program_task(path, NULL, &m.task, e);
    if (status == OK && t->task && m.task != t->task)
        status = error_at(e, ERR_CONFIG, path, 0, 0, "found %s, expected %s", m.task->model, t->task->model);
    if (status == OK) status = model_load(&m, path, NULL, e);
    if (status == OK && !t->task) t->config = m.c;
    t->task = m.task;
    if (status == OK) status = document_data_load(&data, gold, m.c.language, e);
    if (status == OK) status = document_classifier(&c, &m, device_default(), program_threads(t->f->threads), e);
    if (status == OK) status = document_units(&c, &data, &u, e);
    if (status == OK) status = count_units(t, run, &m, &data, &u, e);
    end_run(t, run);
    document_units_fini(&u);
    classifier_fini(&c);
    corpus_fini(&data);
    model_fini(&m);
    return status;
}

/* Baseline b, for run number `repeat` of a setting. */
static Status score_baseline(Texts *t, int b, int repeat, Error *e)
{
    const DocumentChoice o = choice_of(t);
    int run;
    Arena arena;
    arena_init(&arena, 1 << 12);
    Status status = start_run(t, document_baseline_name(t->task, b), &run, e);
    for (int k = 0; k < t->n && status == OK; k++) {
        const DocumentLine *gold = &t->gold.d[t->scored[k]];
        DocumentLine pred;
        uint64_t key = rng_key((uint64_t)t->f->seed, 0xba, (uint64_t)repeat, (uint64_t)k);
        arena_reset(&arena);
        status = document_baseline(t->task, &t->config, b, &o, key, gold, &arena, &pred, e);
        if (status == OK) status = t->measure->count(gold, &pred, row(t, run, k), e);
        add_up(t, run, k);
    }
    end_run(t, run);
    arena_fini(&arena);
    return status;
}

static Status score_all(Texts *t, Error *e)
{
    const EvalFields *f = t->f;
    Status status = OK;
    for (int k = 0; k < f->model.n && status == OK; k++) status = score_model(t, f->model.item[k], e);
    for (int k = 0; k < f->pred.n && status == OK; k++) status = score_file(t, f->pred.item[k], e);
    for (int b = 0; f->baselines && status == OK && document_baseline_name(t->task, b); b++)
        for (int k = 0; k < f->runs && status == OK; k++) status = score_baseline(t, b, k, e);
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
                     document_rouge,
                     rouge_value,
                     rouge_put },
    [EVAL_BOUNDARIES] = { { { { "f1", "F1" }, { "p_k", "P_k" }, { "window_diff", "WindowDiff" } },
                            BOUNDARY_COMPARED,
                            BOUNDARY_COMPARED,
                            compare,
                            put },
                          BOUNDARIES_OF_SUMS,
                          "boundaries",
                          document_boundaries,
                          boundaries_of_sums,
                          boundaries_put },
    [EVAL_CLASSES] = { { { { "accuracy", "accuracy" } }, 1, 1, compare, put },
                       DOCUMENT_CLASSES_OF_SUMS,
                       "classes",
                       document_classes,
                       classes_of_sums,
                       classes_put },
};

static Status print(Texts *t, Error *e)
{
    StrBuf out = { 0 };
    Status status = OK;
    if (t->f->format == EVAL_TSV) put_table(t, 0, true, &out);
    else status = eval_write(t->f, &t->measure->task, t, t->runs, t->n_runs, &out, e);
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
    if (status == OK) status = score_all(t, e);
    if (status == OK) status = print(t, e);
    for (int r = 0; r < t->n_runs; r++) mem_free(t->numbers[r]);
    mem_free(t->scored);
    document_lines_fini(&t->gold);
    mem_free(t);
    return status;
}
