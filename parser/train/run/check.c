/* A check on dev: score, judge, report, log, save */
#include <string.h>

#include "base/thread.h"
#include "parser/train/run/run.h"

/* The mean of a part over the sets that have it, 0 without one. */
static double mean_part(const TrainCheck *check, int part)
{
    double sum = 0;
    int n = 0;
    for (int k = 0; k < check->n; k++) {
        if (!check->dev[k].has[part]) continue;
        sum += check->dev[k].part[part];
        n++;
    }
    return n ? sum / n : 0;
}

/* Scores dev with the present weights. check->dev, [n_dev], is the caller's to free. */
static Status score_all(Trainer *tr, TrainCheck *check, Error *e)
{
    const TrainArgs *a = tr->a;
    double start = clock_seconds();
    thread_team_rest(tr->optimizer.team);
    *check = (TrainCheck){ .epoch = trainer_epochs(tr), .n = a->n_dev, .oracle = tr->syntax == SYNTAX_GOLD };
    check->dev = mem_calloc((size_t)a->n_dev + 1, sizeof *check->dev);
    Status status = check->dev ? OK : error_set(e, ERR_NOMEM, "out of memory for a check");
    for (int k = 0; k < a->n_dev && status == OK; k++) {
        check->dev[k].name = a->dev[k].name;
        status = tr->task->score(tr, k, &check->dev[k], e);
    }
    if (status == OK) check->score = mean_part(check, 0) + mean_part(check, 1);
    check->seconds = clock_seconds() - start;
    return status;
}

/* A digest of the weights; all processes that train together must have the same. */
static Status digest_weights(Trainer *tr, TrainCheck *check, Error *e)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a by words of the size of a number */
    Status s = params_download(&tr->m.ps, e);
    if (s != OK) return s;
    const Real *v = params_values(&tr->m.ps);
    for (size_t k = 0; k < tr->m.ps.size; k++) {
        uint64_t bits = 0;
        memcpy(&bits, &v[k], sizeof v[k]);
        h = (h ^ bits) * 0x100000001b3u;
    }
    check->weights = corpus_hash_digits(h);
    return trainer_same(tr, check->weights.text, sizeof check->weights.text, "weights", e);
}

Status trainer_check(TrainRun *run, Error *error)
{
    Trainer *tr = &run->tr;
    TrainCheck check;
    optimizer_swap_average(&tr->optimizer);
    trainer_round(tr);
    Status status = score_all(tr, &check, error);
    trainer_exact(tr);
    if (status == OK) status = digest_weights(tr, &check, error);
    if (status == OK) {
        trainer_judge(tr, &check);
        trainer_judge_gates(tr);
        trainer_report(tr, &(TrainEvent){ .kind = TRAIN_CHECKED, .checked = check });
        status = trainer_log_check(run, &check, error);
    }
    if (status == OK && check.best) status = trainer_save_model(run, &check, error);
    optimizer_swap_average(&tr->optimizer);
    tr->loss = (LossParts){ 0 };
    tr->loss_sentences = tr->loss_words = 0;
    mem_free(check.dev);
    return status;
}
