/* How models that classify sentences are scored and compared */
#include "parser/task/classify/class_data.h"
#include "parser/task/classify/class_heads.h"
#include "parser/task/classify/classify.h"
#include "parser/task/classify/classify_use.h"
#include "parser/task/use.h"
#include "parser/train/train_args.h"

static Status gold(const GoldFiles *f, const GoldOptions *o, Corpus *out, Error *e)
{
    Status status = class_data_load(out, f->gold, f->classes, o->notes, e);
    if (status != OK) corpus_fini(out);
    return status;
}

static Status score(const Model *m, const Corpus *gold, const UseOptions *o, DevScores *out, Error *e)
{
    ClassScores scores;
    Status status = classifier_score(m, o->device, o->n_threads, gold, NULL, &scores, e);
    *out = (DevScores){ .n = 0 };
    if (status == OK) {
        trainer_figure(out, "accuracy", "accuracy", 2, class_scores_value(&scores, CLASS_ACCURACY));
        trainer_figure(out, "macro_f1", "macro-F1", 2, class_scores_value(&scores, CLASS_MACRO_F1));
    }
    class_scores_fini(&scores);
    return status;
}

static Status differ(const Model *a, const Model *b, const Corpus *gold, int most, ModelDifference *out, Error *e)
{
    int n = gold->trees.n < most ? gold->trees.n : most;
    ParseInput *in = batch_inputs(&gold->trees, n, encoder_options_oracle(&a->options));
    if (!in) return error_set(e, ERR_NOMEM, "out of memory comparing models");
    Status status = classifier_difference(a, b, in, n, out, e);
    mem_free(in);
    return status;
}

static const TaskHeads HEADS = {
    .sentences = "sentences", .explained = { "classes" }, .options = "html", .text = class_heads_text, CLASS_HEADS
};

const TaskUse TASK_CLASSIFY_USE = { .training = &CLASSIFY_TRAINING,
                                    .options = "train_classes dev_classes",
                                    .files = "gold-classes",
                                    .needs_gold = true,
                                    .gold = gold,
                                    .decisions = "classes",
                                    .score = score,
                                    .eval = &CLASSIFY_EVAL,
                                    .predict = &CLASSIFY_PREDICT,
                                    .differ = differ,
                                    .heads = &HEADS };
