/* How models that parse are scored and compared */
#include "parser/parse/evaluate.h"
#include "parser/parse/parse_difference.h"
#include "parser/task/parse/parse_examples.h"
#include "parser/task/parse/parse_heads.h"
#include "parser/task/parse/parse_use.h"
#include "parser/task/use.h"

static Status gold(const GoldFiles *f, const GoldOptions *o, Corpus *out, Error *e)
{
    return corpus_load(out, f->gold, f->deps, f->name, o->notes, e);
}

static Status score(const Model *m, const Corpus *gold, const UseOptions *o, DevScores *out, Error *e)
{
    EvaluateOptions parse = { .parse = parse_defaults(m), .device = o->device, .n_threads = o->n_threads };
    Evaluation ev = { .punct = PUNCT_AUTO };
    parse.parse.shape_tags = false;
    if (o->treebank >= 0) parse.parse.treebank = o->treebank;
    Status status = evaluate_model(m, &gold->trees, &parse, &ev, e);
    if (status != OK) return status;
    const DepCounts *arcs = &ev.sum.dep.nopunct;
    *out = (DevScores){ .scores = ev.sum };
    if (m->c.trees && ev.sum.trees) trainer_figure(out, "f1", "F1", 2, score_f1(&ev.sum));
    if (!m->c.arcs || !arcs->words) return OK;
    trainer_figure(out, "uas", "UAS", 2, score_percent(arcs->heads, arcs->words));
    trainer_figure(out, "las", "LAS", 2, score_percent(arcs->both, arcs->words));
    return OK;
}

static Status differ(const Model *a, const Model *b, const Corpus *gold, int most, ModelDifference *out, Error *e)
{
    return parse_difference_on(parse_difference, a, b, &gold->trees, most, out, e);
}

const TaskUse TASK_PARSE_USE = { .training = &PARSE_TRAINING,
                                 .options = "train_deps dev_deps conllu dev_conllu word_list variants name dev_name "
                                            "soft soft_name treebank folds fold_parses",
                                 .files = "gold-deps",
                                 .gold = gold,
                                 .decisions = "parses",
                                 .score = score,
                                 .eval = &PARSE_EVAL,
                                 .differ = differ,
                                 .heads = &PARSE_HEADS };
