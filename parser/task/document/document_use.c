/* How models of documents are scored and compared */
#include "eval/boundaries.h"
#include "eval/document_score.h"
#include "eval/rouge.h"
#include "parser/task/classify/class_heads.h"
#include "parser/task/counts.h"
#include "parser/task/document/document.h"
#include "parser/task/document/document_use.h"
#include "parser/task/use.h"

static Status gold(const GoldFiles *f, const GoldOptions *o, Corpus *out, Error *e)
{
    return document_data_load(out, f->gold, o->language, e);
}

static Status score(const Model *m, const Corpus *gold, const UseOptions *o, DevScores *out, Error *e)
{
    double threshold[THRESHOLDS];
    *out = (DevScores){ .n = 0 };
    Status status = document_thresholds(m, threshold, e);
    return status == OK ? document_score(m, o->device, o->n_threads, gold, false, threshold, out, e) : status;
}

static Status differ(const Model *a, const Model *b, const Corpus *gold, int most, ModelDifference *out, Error *e)
{
    Arena arena;
    DocumentInputs t;
    arena_init(&arena, 1 << 16);
    Status status = document_inputs(a, gold, most, &arena, &t, e);
    if (status == OK) status = classifier_difference(a, b, t.in, t.n, out, e);
    document_inputs_fini(&t);
    arena_fini(&arena);
    return status;
}

/* Documents without gold count nothing. */
static Status count_each(const Model *m, const Corpus *gold, const UseOptions *o, double *each, Error *e)
{
    static const DocumentChoice choice = { .most = DOCUMENT_CHOSEN };
    const int width = task_use(m->task)->counts->n;
    double threshold[THRESHOLDS];
    Classifier c = { 0 };
    DocumentUnits units = { 0 };
    Status status = document_classifier(&c, m, o->device, o->n_threads, e);
    if (status == OK) status = document_thresholds(m, threshold, e);
    if (status == OK) status = document_units(&c, gold, &units, e);
    for (int k = 0; k < gold->trees.n && status == OK; k++)
        if (document_kind(m->task)->has_gold(&gold->documents->d[k]))
            status = document_numbers(m, &choice, threshold, gold, &units, k, each + k * width, e);
    document_units_fini(&units);
    classifier_fini(&c);
    return status;
}

static const TaskCounts COUNTS_OF_CLASSES = { .names = "right\tsentences",
                                              .n = CLASS_NUMBERS,
                                              .metric = { { "accuracy", "accuracy", COUNTS_BITS(CLASS_NUMBERS), 1,
                                                            &DOCUMENT_CLASSES_OF_SUMS[0] } },
                                              .n_metrics = 1,
                                              .each = count_each };

static const TaskCounts COUNTS_OF_SUMMARIES = {
    .names = "documents\tprecision1\trecall1\tf1\tprecision2\trecall2\tf2\tprecision_lsum\trecall_lsum\tf_lsum",
    .n = ROUGE_NUMBERS,
    .metric = { { "rouge1", "ROUGE-1", COUNTS_BITS(ROUGE_NUMBERS), 0, &ROUGE_OF_SUMS[ROUGE_1] },
                { "rouge2", "ROUGE-2", COUNTS_BITS(ROUGE_NUMBERS), 0, &ROUGE_OF_SUMS[ROUGE_2] },
                { "rouge_lsum", "ROUGE-Lsum", COUNTS_BITS(ROUGE_NUMBERS), 0, &ROUGE_OF_SUMS[ROUGE_LSUM] } },
    .n_metrics = ROUGE_MEASURES,
    .each = count_each
};

#define OF_BOUNDARIES(known, metric) COUNTS_BITS(BOUNDARY_NUMBERS), known, &BOUNDARIES_OF_SUMS[metric]
static const TaskCounts COUNTS_OF_SEGMENTS = { .names = "right\tfound\texpected\tp_k\twindow_diff\twindowed",
                                               .n = BOUNDARY_NUMBERS,
                                               .metric = { { "f1", "F1", OF_BOUNDARIES(2, BOUNDARY_F1) },
                                                           { "p_k", "P_k", OF_BOUNDARIES(5, BOUNDARY_P_K) },
                                                           { "window_diff", "WindowDiff",
                                                             OF_BOUNDARIES(5, BOUNDARY_WINDOW_DIFF) } },
                                               .n_metrics = BOUNDARY_COMPARED,
                                               .each = count_each };

/* The next part of document k. */
static Status part(const Model *m, const Corpus *c, int k, int from, Arena *a, ClassText *out, Error *e)
{
    DocumentRead read;
    const DocumentLine *line = &c->documents->d[k];
    int *gold = arena_alloc(a, (size_t)line->sentences.n, sizeof *gold);
    *out = (ClassText){ .labels = NULL };
    Status status = gold ? document_read(m->task, &m->c, line, &c->trees.s[k], from, a, &read, e)
                         : error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    if (status != OK || !read.n) return status;
    status = document_gold(m->task, &m->c, line, &m->classes, c->path, gold, e);
    if (status != OK) return status;
    *out =
        (ClassText){ .words = read.sentence, .labels = document_labels(&read, gold, a), .next = read.first + read.n };
    return out->labels ? OK : error_set(e, ERR_NOMEM, "out of memory inspecting heads");
}

static const TaskHeads HEADS = {
    .sentences = "texts", .explained = { "classes" }, .options = "", .text = part, CLASS_HEADS
};

#define READS_DOCUMENTS                                                                                           \
    .predict = &DOCUMENT_PREDICT, .training = &DOCUMENT_TRAINING, .options = "", .files = "", .needs_gold = true, \
    .gold = gold, .heads = &HEADS, .decisions = "classes", .score = score, .differ = differ

const TaskUse TASK_CLASSES_USE = { .own = &DOCUMENT_CLASSES,
                                   .eval = &DOCUMENT_MEASURES[EVAL_CLASSES].task,
                                   .counts = &COUNTS_OF_CLASSES,
                                   READS_DOCUMENTS };
const TaskUse TASK_SUMMARY_USE = { .own = &DOCUMENT_SUMMARY,
                                   .eval = &DOCUMENT_MEASURES[EVAL_ROUGE].task,
                                   .counts = &COUNTS_OF_SUMMARIES,
                                   READS_DOCUMENTS };
const TaskUse TASK_SEGMENTS_USE = { .own = &DOCUMENT_SEGMENTS,
                                    .eval = &DOCUMENT_MEASURES[EVAL_BOUNDARIES].task,
                                    .counts = &COUNTS_OF_SEGMENTS,
                                    READS_DOCUMENTS };
