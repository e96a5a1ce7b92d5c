/* How models that classify sentences are scored and compared */
#include "parser/task/classify/class_data.h"
#include "parser/parse/parse_difference.h"
#include "parser/task/classify/classify_use.h"

static Status gold(const GoldFiles *f, const GoldOptions *o, Corpus *out, Error *e)
{
    return class_data_load(out, f->gold, f->classes, o->notes, e);
}

Status classify_score(const Model *m, const Corpus *gold, const UseOptions *o, DevScores *out, Error *e)
{
    *out = (DevScores){ .n = 0 };
    return classifier_score(m, o->device, o->n_threads, gold, NULL, out, e);
}

Status classify_differ(const Model *a, const Model *b, const Corpus *gold, int most, ModelDifference *out, Error *e)
{
    return parse_difference_on(classifier_difference, a, b, &gold->trees, most, out, e);
}

const TaskHeads CLASSIFY_HEADS = {
    .sentences = "sentences", .explained = { "classes" }, .options = "html", .text = class_heads_text, CLASS_HEADS
};

const TaskUse TASK_CLASSIFY_USE = { CLASSIFY_USE, .options = "train_classes dev_classes", .files = "gold-classes",
                                    .gold = gold };
