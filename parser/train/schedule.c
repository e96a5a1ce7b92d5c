/* Learning rate, the best score, epochs and time */
#include <math.h>

#include "base/rng.h"
#include "base/thread.h"
#include "parser/train/trainer.h"

/* Sentences of all epochs as they are now: --mix may have changed since the run began. */
static double position(const Trainer *tr)
{
    return (double)tr->st.epoch * tr->n_epoch + fmin((double)tr->st.batch * tr->a->train.batch_size, tr->n_epoch);
}

long trainer_updates(const Trainer *tr)
{
    const TrainConfig *c = &tr->a->train;
    long all = trainer_batches(tr) * c->epochs;
    return c->max_updates && c->max_updates < all ? c->max_updates : all;
}

long trainer_batches(const Trainer *tr)
{
    long size = tr->a->train.batch_size;
    return (tr->n_epoch + size - 1) / size;
}

bool trainer_updates_done(const Trainer *tr)
{
    long most = tr->a->train.max_updates;
    return most && tr->st.step >= most;
}

long trainer_warmup(const Trainer *tr, long updates)
{
    long run = trainer_updates(tr);
    return updates < run ? updates : (run + 9) / 10;
}

double trainer_rate(const Trainer *tr)
{
    const TrainConfig *c = &tr->a->train;
    double warmup = (double)trainer_warmup(tr, c->warmup);
    /* the number of the update counts sentences: batches at the end of an epoch are short */
    double k = floor(position(tr) / c->batch_size) + 1, total = (double)trainer_updates(tr);
    if (k <= warmup) return c->lr * k / warmup;
    if (c->schedule == SCHEDULE_PLATEAU) return c->lr * tr->st.lr_factor;
    double at = (k - warmup) / fmax(1, total - warmup);
    return c->lr * 0.5 * (1 + cos(3.141592653589793 * fmin(1, at)));
}

void trainer_judge(Trainer *tr, TrainCheck *check)
{
    bool gates = tr->m.options.gates.kind == GATES_HARD_CONCRETE;
    check->best = tr->a->n_dev == 0 || gates || check->score > tr->st.best;
    tr->st.last_score = check->score;
    if (!check->best) return;
    tr->st.best = check->score;
    tr->st.best_epoch = tr->st.epoch;
}

typedef struct OpenGates {
    const ParamSet *ps;
    uint64_t hash;
} OpenGates;

static void hash_open(void *context, const HeadGate *g)
{
    OpenGates *o = context;
    for (int k = 0; k < g->heads; k++) o->hash = rng_mix(o->hash + (param_values(o->ps, g->param)[k] > 0));
}

/* A hash of which gates are open. */
static uint64_t open_gates(const Trainer *tr)
{
    OpenGates o = { &tr->m.ps, 1 };
    network_gates(&tr->m.net, hash_open, &o);
    return o.hash >> 16; /* as a number of JSON, exact */
}

void trainer_judge_gates(Trainer *tr)
{
    const EncoderOptions *o = &tr->m.options;
    TrainState *s = &tr->st;
    if (o->gates.kind != GATES_HARD_CONCRETE) return;
    uint64_t now = open_gates(tr);
    s->gate_checks = now == (uint64_t)s->open ? s->gate_checks + 1 : 0;
    s->open = (long)now;
    if (s->gate_checks >= o->gates.patience) s->done = STOP_GATES;
}

void trainer_next_epoch(Trainer *tr)
{
    const TrainConfig *c = &tr->a->train;
    TrainState *s = &tr->st;
    s->epoch++;
    s->batch = 0;
    /* plateau: no better score for more than `patience` epochs */
    if (s->plateau_epoch < s->best_epoch) s->plateau_epoch = s->best_epoch;
    if (c->schedule == SCHEDULE_PLATEAU && s->epoch - 1 - s->plateau_epoch > c->patience) {
        s->lr_factor *= c->decay;
        s->plateau_epoch = s->epoch - 1;
    }
    if (c->stop_after && s->epoch - 1 - s->best_epoch >= c->stop_after) s->done = STOP_NO_BETTER;
}

double trainer_epochs(const Trainer *tr) { return position(tr) / tr->n_epoch; }

double trainer_elapsed(const Trainer *tr) { return tr->st.seconds + clock_seconds() - tr->started; }
