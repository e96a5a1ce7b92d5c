/* How models that classify sentences are scored and compared */
#include "parser/task/classify/class_data.h"
#include "parser/parse/parse_difference.h"
#include "parser/task/classify/classify_use.h"
#include "parser/task/counts.h"

static Status gold(const GoldFiles *f, const GoldOptions *o, Corpus *out, Error *e)
{
    return class_data_load(out, f->gold, f->classes, o->notes, e);
}

Status classify_score(const Model *model, const Corpus *gold, const UseOptions *options, DevScores *out, Error *error)
{
    *out = (DevScores){ .n = 0 };
    return classifier_score(model, options->device, options->n_threads, gold, NULL, out, error);
}

Status classify_differ(const Model *a, const Model *b, const Corpus *gold, int most, ModelDifference *out, Error *error)
{
    return parse_difference_on(classifier_difference, a, b, &gold->trees, most, out, error);
}

static Status count_each(const Model *m, const Corpus *gold, const UseOptions *o, double *each, Error *e)
{
    const int n = gold->trees.n;
    Classifier c = { 0 };
    int *right = mem_calloc((size_t)n, sizeof *right), *pred = mem_calloc((size_t)n, sizeof *pred);
    Status status = right && pred ? OK : error_set(e, ERR_NOMEM, "out of memory for classes");
    if (status == OK) status = classifier_init(&c, m, o->device, o->n_threads, e);
    if (status == OK) status = class_data_numbers(gold, &m->classes, right, e);
    if (status == OK) status = classifier_treebank(&c, &gold->trees, NULL, pred, e);
    for (int k = 0; k < n && status == OK; k++) {
        each[2 * k] = 1;
        each[2 * k + 1] = right[k] == pred[k];
    }
    classifier_fini(&c);
    mem_free_each(right, pred);
    return status;
}

const TaskCounts CLASSIFY_COUNTS = { .names = "sentences\tright",
                                     .n = 2,
                                     .metric = { { "accuracy", "accuracy", COUNTS_BITS(2), 0, &COUNTS_SHARE } },
                                     .n_metrics = 1,
                                     .each = count_each };

const TaskHeads CLASSIFY_HEADS = {
    .sentences = "sentences", .explained = { "classes" }, .options = "html", .text = class_heads_text, CLASS_HEADS
};

const TaskUse TASK_CLASSIFY_USE = { CLASSIFY_USE, .options = "train_classes dev_classes", .files = "gold-classes",
                                    .gold = gold };
