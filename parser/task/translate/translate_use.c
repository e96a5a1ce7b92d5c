/* How models that translate are scored and compared */
#include "parser/task/counts.h"
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

static Status count(const Model *m, const Corpus *gold, const UseOptions *o, BleuCounts *sum, BleuCounts *each,
                    Error *e)
{
    Translator t;
    Status status = translator_init(&t, m, o->device, o->n_threads, TRANSLATE_DEFAULT, e);
    if (status == OK) status = translator_bleu(&t, &gold->trees, sum, each, e);
    translator_fini(&t);
    return status;
}

static Status score(const Model *m, const Corpus *gold, const UseOptions *o, DevScores *out, Error *e)
{
    BleuCounts counts = { 0 };
    Status status = count(m, gold, o, &counts, NULL, e);
    *out = (DevScores){ .n = 0 };
    if (status == OK) trainer_figure(out, "bleu", "BLEU", 2, bleu_score(&counts, false).bleu);
    return status;
}

enum { NUMBERS = BLEU_NUMBERS + 2 }; /* those of BLEU, then pieces and their loss */
_Static_assert((int)NUMBERS <= (int)COUNTS_MOST, "sums have room");

static Status count_each(const Model *m, const Corpus *gold, const UseOptions *o, double *each, Error *e)
{
    BleuCounts sum = { 0 }, *counts = mem_calloc((size_t)gold->trees.n + 1, sizeof *counts);
    Status status = counts ? count(m, gold, o, &sum, counts, e) : error_set(e, ERR_NOMEM, "out of memory for scores");
    for (int k = 0; k < gold->trees.n && status == OK; k++) bleu_numbers(&counts[k], each + k * NUMBERS);
    mem_free(counts);
    return status;
}

static const TaskCounts COUNTS = {
    .names = "matched1\tmatched2\tmatched3\tmatched4\ttotal1\ttotal2\ttotal3\ttotal4\twords\tgold_words\tpieces\tnll",
    .n = NUMBERS,
    .n_losses = 2,
    .metric = { { "bleu", "BLEU", COUNTS_BITS(BLEU_NUMBERS), BLEU_NUMBERS - 1, &BLEU_OF_SUMS },
                { "nll", "nll", COUNTS_BIT(BLEU_NUMBERS) | COUNTS_BIT(BLEU_NUMBERS + 1), BLEU_NUMBERS, &COUNTS_MEAN } },
    .n_metrics = 2,
    .each = count_each
};

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
                                     .counts = &COUNTS,
                                     .predict = &TRANSLATE_PREDICT,
                                     .heads = &TRANSLATION_HEADS };
