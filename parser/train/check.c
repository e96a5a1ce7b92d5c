/* parser/train/check.c: a check on dev: score, judge, report, log, save */
#include <string.h>

#include "base/thread.h"
#include "parser/train/trainer.h"

void trainer_figure(DevScores *d, const char *key, const char *label, int digits, double value)
{
    d->figure[d->n++] = (TrainFigure){ key, label, digits, value };
}

Status trainer_dev_need(const Trainer *tr, size_t *bytes, Error *e)
{
    Status status = OK;
    *bytes = 0;
    for (int k = 0; k < tr->a->n_dev && tr->task->dev_need && status == OK; k++) {
        size_t need = 0;
        status = tr->task->dev_need(tr, k, &need, e);
        if (need > *bytes) *bytes = need;
    }
    return status;
}

/* ---- dev sets in batches */

typedef struct DevBatches {
    Trainer *tr;
    TrainerScoreBatch score;
    void *context;
    int *which; /* [n] sentences that are not too long */
    int *batch; /* [n_batches + 1] first of them */
    int n, n_batches;
} DevBatches;

static void score_dev_batch(void *context, int worker, int item)
{
    const DevBatches *d = context;
    Worker *w = &d->tr->workers[worker];
    int from = d->batch[item];
    int number = d->tr->only_scores ? d->which[from] : item;
    if (w->error.code == OK) d->score(d->context, w, d->which + from, d->batch[item + 1] - from, number);
}

static void cut_dev(DevBatches *d, const int *words, int n)
{
    const TrainConfig *c = &d->tr->a->train;
    int tokens = 0;
    for (int k = 0; k < n; k++) {
        int m = words[k] + 2;
        if (words[k] > c->max_train_words) continue;
        if (tokens && (tokens + m > c->subbatch_tokens || d->tr->only_scores)) {
            d->batch[++d->n_batches] = d->n;
            tokens = 0;
        }
        d->which[d->n++] = k;
        tokens += m;
    }
    if (tokens) d->batch[++d->n_batches] = d->n;
}

Status trainer_dev_batches(Trainer *tr, const int *words, int n, TrainerScoreBatch score, void *context, Error *e)
{
    DevBatches d = { .tr = tr, .score = score, .context = context };
    d.which = mem_calloc((size_t)n, sizeof *d.which);
    d.batch = mem_calloc((size_t)n + 1, sizeof *d.batch);
    Status s = d.which && d.batch ? OK : error_set(e, ERR_NOMEM, "out of memory for a check");
    if (s == OK) {
        cut_dev(&d, words, n);
        thread_team_run(tr->optimizer.team, d.n_batches, score_dev_batch, &d);
    }
    for (int t = 0; t < tr->a->n_threads && s == OK; t++) {
        *e = tr->workers[t].error;
        s = e->code;
    }
    mem_free(d.which);
    mem_free(d.batch);
    return s;
}

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

Status trainer_check(Trainer *tr, Error *e)
{
    TrainCheck check;
    optimizer_swap_average(&tr->optimizer);
    Status status = score_all(tr, &check, e);
    if (status == OK) status = digest_weights(tr, &check, e);
    if (status == OK) {
        trainer_judge(tr, &check);
        trainer_judge_gates(tr);
        trainer_report(tr, &(TrainEvent){ .kind = TRAIN_CHECKED, .checked = check });
        status = trainer_log_check(tr, &check, e);
    }
    if (status == OK && check.best) status = trainer_save_model(tr, &check, e);
    optimizer_swap_average(&tr->optimizer);
    tr->loss = (LossParts){ 0 };
    tr->loss_sentences = tr->loss_words = 0;
    mem_free(check.dev);
    return status;
}
