/* How models that parse are scored and compared */
#include "parser/parse/evaluate.h"
#include "parser/parse/parse_difference.h"
#include "parser/task/counts.h"
#include "parser/task/parse/parse_examples.h"
#include "parser/task/parse/parse_heads.h"
#include "parser/task/parse/parse_use.h"
#include "parser/task/use.h"

static Status gold(const GoldFiles *f, const GoldOptions *o, Corpus *out, Error *e)
{
    return corpus_load(out, f->gold, f->deps, f->name, o->notes, e);
}

/* Parses as a check of training does. */
static Status evaluate(const Model *m, const Corpus *gold, const UseOptions *o, Evaluation *out, Error *e)
{
    EvaluateOptions parse = {
        .parse = parse_defaults(m), .parses = o->parses, .device = o->device, .n_threads = o->n_threads
    };
    parse.parse.shape_tags = false;
    if (o->treebank >= 0) parse.parse.treebank = o->treebank;
    return evaluate_model(m, &gold->trees, &parse, out, e);
}

static Status score(const Model *m, const Corpus *gold, const UseOptions *o, DevScores *out, Error *e)
{
    Evaluation ev = { .punct = PUNCT_AUTO };
    Status status = evaluate(m, gold, o, &ev, e);
    if (status != OK) return status;
    const DepCounts *arcs = &ev.sum.dep.nopunct;
    *out = (DevScores){ .scores = ev.sum };
    if (m->c.trees && ev.sum.trees) trainer_figure(out, "f1", "F1", 2, score_f1(&ev.sum));
    if (!m->c.arcs || !arcs->words) return OK;
    trainer_figure(out, "uas", "UAS", 2, score_percent(arcs->heads, arcs->words));
    trainer_figure(out, "las", "LAS", 2, score_percent(arcs->both, arcs->words));
    return OK;
}

static Status count_each(const Model *m, const Corpus *gold, const UseOptions *o, double *each, Error *e)
{
    Scores *scores = mem_calloc((size_t)gold->trees.n + 1, sizeof *scores);
    Evaluation ev = { .each = scores, .punct = PUNCT_AUTO };
    Status status = scores ? evaluate(m, gold, o, &ev, e) : error_set(e, ERR_NOMEM, "out of memory for scores");
    for (int k = 0; k < gold->trees.n && status == OK; k++) {
        const Scores *s = &scores[k];
        const DepCounts *d = &s->dep.nopunct;
        const long numbers[] = { s->words, s->trees, s->gold_brackets, s->pred_brackets, s->matched_brackets,
                                 d->words, d->heads, d->both };
        for (size_t c = 0; c < sizeof numbers / sizeof *numbers; c++) *each++ = (double)numbers[c];
    }
    mem_free(scores);
    return status;
}

/* Of gold, predicted and matched brackets. */
static double f1(const double *sums)
{
    double both = sums[0] + sums[1];
    return both != 0 ? 100 * (2 * sums[2]) / both : 0;
}

static const SumScore F1 = { 3, f1 };
static const TaskCounts COUNTS = {
    .names = "words\ttrees\tgold_brackets\tpred_brackets\tmatched_brackets\twords_nopunct\theads_nopunct\t"
             "types_nopunct",
    .n = 8,
    .metric = { { "f1", "F1", COUNTS_BIT(2) | COUNTS_BIT(3) | COUNTS_BIT(4), 1, &F1 },
                { "uas", "UAS", COUNTS_BIT(5) | COUNTS_BIT(6), 5, &COUNTS_SHARE },
                { "las", "LAS", COUNTS_BIT(5) | COUNTS_BIT(7), 5, &COUNTS_SHARE } },
    .n_metrics = 3,
    .each = count_each
};

static Status differ(const Model *a, const Model *b, const Corpus *gold, int most, ModelDifference *out, Error *e)
{
    return parse_difference_on(parse_difference, a, b, &gold->trees, most, out, e);
}

const TaskUse TASK_PARSE_USE = { .training = &PARSE_TRAINING,
                                 .options =
                                     "train_deps dev_deps conllu dev_conllu word_list word_text variants characters "
                                     "name dev_name soft soft_name treebank folds fold_parses",
                                 .files = "gold-deps",
                                 .gold = gold,
                                 .decisions = "parses",
                                 .score = score,
                                 .eval = &PARSE_EVAL,
                                 .counts = &COUNTS,
                                 .differ = differ,
                                 .heads = &PARSE_HEADS };
