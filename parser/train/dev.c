/* How tasks score dev sets */
#include "base/thread.h"
#include "parser/train/trainer.h"

void trainer_figure(DevScores *d, const char *key, const char *label, int digits, double value)
{
    d->figure[d->n++] = (TrainFigure){ key, label, digits, value };
}

double trainer_gold_sentences(const Trainer *tr)
{
    long n = tr->loss_sentences - tr->loss.soft;
    return n ? (double)n : 1;
}

int trainer_losses(const Trainer *tr, TrainFigure out[TASK_LOSSES])
{
    const TaskTraining *t = tr->task;
    if (t->losses) return t->losses(tr, out);
    double n = !t->per_word ? trainer_gold_sentences(tr) : tr->loss_words ? (double)tr->loss_words : 1;
    out[0] = (TrainFigure){ t->loss, t->loss, t->loss_digits, tr->loss.part[0] / n };
    return 1;
}

Status trainer_dev_need(const Trainer *tr, size_t *bytes, Error *error)
{
    Status status = OK;
    *bytes = 0;
    for (int k = 0; k < tr->a->n_dev && tr->task->dev_need && status == OK; k++) {
        size_t need = 0;
        status = tr->task->dev_need(tr, k, &need, error);
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

Status trainer_dev_batches(Trainer *tr, const int *words, int n, TrainerScoreBatch score, void *context, Error *error)
{
    DevBatches d = { .tr = tr, .score = score, .context = context };
    d.which = mem_calloc((size_t)n, sizeof *d.which);
    d.batch = mem_calloc((size_t)n + 1, sizeof *d.batch);
    Status s = d.which && d.batch ? OK : error_set(error, ERR_NOMEM, "out of memory for a check");
    if (s == OK) {
        cut_dev(&d, words, n);
        thread_team_run(tr->optimizer.team, d.n_batches, score_dev_batch, &d);
    }
    for (int t = 0; t < tr->a->n_threads && s == OK; t++) {
        *error = tr->workers[t].error;
        s = error->code;
    }
    mem_free(d.which);
    mem_free(d.batch);
    return s;
}
