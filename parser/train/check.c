/* parser/train/check.c: a check on dev: score, judge, report, log, save */
#include <math.h>

#include "eval/class_score.h"
#include "parser/parse/evaluate.h"
#include "parser/task/classify/classify.h"
#include "parser/train/trainer.h"

typedef struct Mean {
    double sum;
    int n;
} Mean;

static void mean_add(Mean *m, double value)
{
    m->sum += value;
    m->n++;
}

static double mean(const Mean *m) { return m->n ? m->sum / m->n : 0; }

/* Of dev set k, whose tags are input where the model has no tagger. */
static EvaluateOptions dev_options(const Trainer *tr, int k)
{
    EvaluateOptions o = { .parse = parse_defaults(&tr->m),
                          .device = tr->a->device,
                          .n_threads = tr->a->n_threads,
                          .given_tags = tr->m.c.use_tags && !tr->m.c.d_tag_hidden,
                          .parses = trainer_syntax_dev(tr, k) };
    int id = vocab_find(&tr->m.treebanks, tr->a->dev[k].name);
    o.parse.treebank = id < 0 ? 0 : id;
    o.parse.shape_tags = false;
    return o;
}

Status trainer_dev_need(const Trainer *tr, size_t *bytes, Error *e)
{
    Status s = OK;
    *bytes = 0;
    for (int k = 0; k < tr->a->n_dev && tr->m.task == MODEL_PARSES && s == OK; k++) {
        EvaluateOptions o = dev_options(tr, k);
        size_t need = 0;
        s = evaluate_need(&tr->m, &tr->a->dev[k].trees, &o, &need, e);
        if (need > *bytes) *bytes = need;
    }
    return s;
}

/* Scores dev set k; its F1 and LAS go into the means, as far as it and the model have trees and dependencies. */
static Status score_dev(const Trainer *tr, int k, DevScores *out, Mean *f1, Mean *las, Error *e)
{
    const Corpus *dev = &tr->a->dev[k];
    EvaluateOptions o = dev_options(tr, k);
    Evaluation ev = { .punct = PUNCT_AUTO };
    Status s = evaluate_model(&tr->m, &dev->trees, &o, &ev, e);
    *out = (DevScores){ .name = dev->name, .scores = ev.sum };
    const DepCounts *arcs = &out->scores.dep.nopunct;
    if (tr->m.c.trees && out->scores.trees) mean_add(f1, score_f1(&out->scores));
    if (tr->m.c.arcs && arcs->words) mean_add(las, score_percent(arcs->both, arcs->words));
    return s;
}

/* The same for the classes of sentences; their accuracy goes into the mean. */
static Status score_classes(const Trainer *tr, const Corpus *dev, DevScores *out, Mean *accuracy, Error *e)
{
    const Device *d = tr->a->device ? tr->a->device : device_default();
    ClassScores scores;
    Status s = classifier_score(&tr->m, d, tr->a->n_threads, dev, &scores, e);
    if (s == OK) {
        *out = (DevScores){ .name = dev->name,
                            .classified = scores.n,
                            .accuracy = class_scores_value(&scores, CLASS_ACCURACY),
                            .macro_f1 = class_scores_value(&scores, CLASS_MACRO_F1) };
        mean_add(accuracy, out->accuracy);
    }
    class_scores_fini(&scores);
    return s;
}

/* Scores dev with the present weights. check->dev, [n_dev], is the caller's to free. */
static Status score_all(Trainer *tr, TrainCheck *check, Error *e)
{
    const TrainArgs *a = tr->a;
    Mean f1 = { 0 }, las = { 0 }, other = { 0 };
    double start = clock_seconds();
    *check = (TrainCheck){ .epoch = trainer_epochs(tr), .n = a->n_dev, .oracle = tr->syntax == SYNTAX_GOLD };
    check->dev = mem_calloc((size_t)a->n_dev + 1, sizeof *check->dev);
    Status s = check->dev ? OK : error_set(e, ERR_NOMEM, "out of memory for a check");
    for (int c = 0; c < a->n_dev && s == OK; c++) {
        DevScores *dev = &check->dev[c];
        if (tr->m.task == MODEL_PARSES) s = score_dev(tr, c, dev, &f1, &las, e);
        else if (tr->m.task == MODEL_CLASSIFIES) s = score_classes(tr, &a->dev[c], dev, &other, e);
        else if ((s = trainer_score_replaced(tr, c, dev, e)) == OK) mean_add(&other, 100 * exp(-dev->loss));
    }
    check->score = mean(&f1) + mean(&las) + mean(&other);
    check->seconds = clock_seconds() - start;
    return s;
}

Status trainer_check(Trainer *tr, Error *e)
{
    TrainCheck check;
    optimizer_swap_average(&tr->optimizer);
    Status s = score_all(tr, &check, e);
    if (s == OK) {
        trainer_judge(tr, &check);
        trainer_judge_gates(tr);
        trainer_report(tr, &(TrainEvent){ .kind = TRAIN_CHECKED, .checked = check });
        s = trainer_log_check(tr, &check, e);
    }
    if (s == OK && check.best) s = trainer_save_model(tr, &check, e);
    optimizer_swap_average(&tr->optimizer);
    tr->loss = (LossParts){ 0 };
    tr->loss_sentences = 0;
    mem_free(check.dev);
    return s;
}
