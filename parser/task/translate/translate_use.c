/* How models that translate are scored and compared */
#include "parser/task/translate/pair_data.h"
#include "parser/task/translate/translate.h"
#include "parser/task/translate/translate_use.h"
#include "parser/task/translate/translation_heads.h"
#include "parser/task/use.h"
#include "parser/train/train_args.h"

static Status gold(const GoldFiles *f, const GoldOptions *o, Corpus *out, Error *e)
{
    (void)o;
    if (!f->gold || !f->target)
        return error_set(e, ERR_USAGE, "found no %s, expected --gold and --gold-target for a model that translates",
                         f->gold ? "--gold-target" : "--gold");
    return pair_data_load(out, f->gold, f->target, e);
}

static Status score(const Model *m, const Corpus *gold, const UseOptions *o, DevScores *out, Error *e)
{
    Translator t;
    BleuCounts counts = { 0 };
    Status status = translator_init(&t, m, o->device, o->n_threads, TRANSLATE_DEFAULT, e);
    if (status == OK) status = translator_bleu(&t, &gold->trees, &counts, NULL, e);
    translator_fini(&t);
    *out = (DevScores){ .n = 0 };
    if (status == OK) trainer_figure(out, "bleu", "BLEU", 2, bleu_score(&counts, false).bleu);
    return status;
}

static Status differ(const Model *a, const Model *b, const Corpus *gold, int most, ModelDifference *out, Error *e)
{
    return translator_difference(a, b, &gold->trees, gold->trees.n < most ? gold->trees.n : most, out, e);
}

const TaskUse TASK_TRANSLATE_USE = { .training = &TRANSLATE_TRAINING,
                                     .options = "target dev_target",
                                     .preset = "translate",
                                     .files = "gold-target",
                                     .gold = gold,
                                     .decisions = "translations",
                                     .score = score,
                                     .differ = differ,
                                     .predict = &TRANSLATE_PREDICT,
                                     .heads = &TRANSLATION_HEADS };
