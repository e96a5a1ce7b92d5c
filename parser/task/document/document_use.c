/* How models of documents are scored and compared */
#include "parser/task/classify/class_heads.h"
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
                                   READS_DOCUMENTS };
const TaskUse TASK_SUMMARY_USE = { .own = &DOCUMENT_SUMMARY,
                                   .eval = &DOCUMENT_MEASURES[EVAL_ROUGE].task,
                                   READS_DOCUMENTS };
const TaskUse TASK_SEGMENTS_USE = { .own = &DOCUMENT_SEGMENTS,
                                    .eval = &DOCUMENT_MEASURES[EVAL_BOUNDARIES].task,
                                    READS_DOCUMENTS };
