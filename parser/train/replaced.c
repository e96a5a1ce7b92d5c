/* parser/train/replaced.c: a model that learns to find replaced words: what it is shown, and its scores */
#include <math.h>

#include "base/rng.h"
#include "base/thread.h"
#include "eval/class_score.h"
#include "parser/model/head_inputs.h"
#include "parser/train/trainer.h"

Status trainer_replace(const Trainer *tr, const Example *x, int which, Arena *a, Example *out, Error *e)
{
    uint64_t key = rng_key((uint64_t)tr->a->train.seed, 0x4e, (uint64_t)tr->st.epoch, (uint64_t)which);
    Sentence *sent = arena_alloc(a, 1, sizeof *sent);
    if (sent) *sent = *x->s;
    *out = *x;
    out->s = sent;
    if (sent && replacer_apply(&tr->replacer, key, x->s, a, &sent->words, &out->gold.replaced)) return OK;
    return error_set(e, ERR_NOMEM, "out of memory replacing words");
}

/* ---- scores */

typedef struct Counts {
    long confusion[2][2]; /* [is][found]: words that are replaced, and that the model finds */
    double loss;          /* sum over the words */
} Counts;

typedef struct Job {
    Trainer *tr;
    const Treebank *tb;
    uint64_t key;   /* of the dev set: no function of the seed, so runs are comparable */
    int *which;     /* [n] sentences that are not too long */
    int *batch;     /* [n_batches + 1] first of them */
    Counts *counts; /* [n_batches] */
    int n, n_batches;
} Job;

/* Packs the batch. replaced [n]: of each sentence. */
static Status pack(const Job *j, TrainWorker *w, const int *which, int n, PackedBatch *packed, const int **replaced)
{
    const Trainer *tr = j->tr;
    BatchSentence *sentences = arena_alloc(&w->scratch, (size_t)n, sizeof *sentences);
    bool ok = sentences != NULL;
    for (int k = 0; k < n && ok; k++) {
        const Sentence *sent = trainer_fold(tr, &j->tb->s[which[k]], &w->scratch);
        const char **words = NULL;
        ok = sent && replacer_apply(&tr->replacer, rng_key(j->key, (uint64_t)which[k], 0, 0), sent, &w->scratch, &words,
                                    &replaced[k]);
        if (ok) sentences[k] = (BatchSentence){ .n = sent->n_words, .words = words };
    }
    if (!ok) return error_set(&w->error, ERR_NOMEM, "out of memory replacing words");
    Status s = batch_pack(&w->lexicon, sentences, n, 0, &w->scratch, packed, &w->error);
    return s == OK ? head_inputs_control(&tr->m, sentences, NULL, n, packed, &w->scratch, &w->error) : s;
}

static Status count(const Batch *b, const HostMatrix *score, const int *const *replaced, Counts *to, Error *e)
{
    for (int s = 0; s < b->n_sent; s++)
        for (int i = 0; i < batch_words(b, s); i++) {
            double z = (double)host_row(score, b->start[s] + i + 1)[0], wrong = replaced[s][i] ? -z : z;
            if (!isfinite(z))
                return error_set(e, ERR_NUMERIC, "the scores of a dev sentence are not finite: lower lr or set clip");
            to->confusion[replaced[s][i]][z > 0]++;
            to->loss += fmax(wrong, 0) + log1p(exp(-fabs(wrong)));
        }
    return OK;
}

static Status score_batch(const Job *j, TrainWorker *w, int item)
{
    const Trainer *tr = j->tr;
    int from = j->batch[item], n = j->batch[item + 1] - from;
    PackedBatch packed;
    NetworkOutput out;
    arena_reset(&w->scratch);
    tape_reset(&w->tape, false, false, 0);
    const int **replaced = arena_alloc(&w->scratch, (size_t)n, sizeof *replaced);
    if (!replaced) return error_set(&w->error, ERR_NOMEM, "out of memory for a check");
    Status s = pack(j, w, j->which + from, n, &packed, replaced);
    if (s != OK) return s;
    Forward f = { &w->tape, &tr->m.ps, NULL, &packed.batch, packed.sentence_of, false };
    network_forward(&f, &tr->m.net, &packed.in, &packed.control, &out);
    HostMatrix score = out.replaced ? tensor_host(&w->tape, out.replaced, &w->scratch) : (HostMatrix){ 0 };
    if (tape_status(&w->tape) == OK) return count(&packed.batch, &score, replaced, &j->counts[item], &w->error);
    w->error = w->tape.error;
    return w->error.code;
}

static void work(void *context, int worker, int item)
{
    const Job *j = context;
    TrainWorker *w = &j->tr->workers[worker];
    if (w->error.code == OK) score_batch(j, w, item);
}

/* Sentences that are not too long, in batches of at most subbatch_tokens. */
static void cut_dev(Job *j)
{
    const TrainConfig *c = &j->tr->a->train;
    int tokens = 0;
    for (int k = 0; k < j->tb->n; k++) {
        int m = j->tb->s[k].n_words + 2;
        if (m - 2 > c->max_train_words) continue;
        if (tokens && tokens + m > c->subbatch_tokens) {
            j->batch[++j->n_batches] = j->n;
            tokens = 0;
        }
        j->which[j->n++] = k;
        tokens += m;
    }
    if (tokens) j->batch[++j->n_batches] = j->n;
}

/* Adds the counts in the order of the batches. */
static void summarise(const Job *j, DevScores *out)
{
    Counts all = { 0 };
    for (int k = 0; k < j->n_batches; k++) {
        for (int c = 0; c < 4; c++) all.confusion[c / 2][c % 2] += j->counts[k].confusion[c / 2][c % 2];
        all.loss += j->counts[k].loss;
    }
    const long *is = all.confusion[1], *is_not = all.confusion[0];
    ClassRow row = { .gold = is[0] + is[1], .pred = is[1] + is_not[1], .right = is[1] };
    long words = row.gold + is_not[0] + is_not[1];
    double n = words ? (double)words : 1;
    out->words = words;
    out->loss = all.loss / n;
    out->accuracy = 100 * (double)(is[1] + is_not[0]) / n;
    out->baseline = 100 * (double)(is_not[0] + is_not[1]) / n;
    out->precision = class_row_precision(row);
    out->recall = class_row_recall(row);
    out->f1 = class_row_f1(row);
}

Status trainer_score_replaced(Trainer *tr, int k, DevScores *out, Error *e)
{
    const Corpus *dev = &tr->a->dev[k];
    size_t n = (size_t)dev->trees.n;
    Job j = { .tr = tr, .tb = &dev->trees, .key = rng_key(0, 0xde, (uint64_t)k, 0) };
    *out = (DevScores){ .name = dev->name };
    j.which = mem_calloc(n, sizeof *j.which);
    j.batch = mem_calloc(n + 1, sizeof *j.batch);
    j.counts = mem_calloc(n, sizeof *j.counts);
    Status s = j.which && j.batch && j.counts ? OK : error_set(e, ERR_NOMEM, "out of memory for a check");
    if (s == OK) {
        cut_dev(&j);
        parallel_for(tr->a->n_threads, j.n_batches, work, &j);
        summarise(&j, out);
    }
    for (int t = 0; t < tr->a->n_threads && s == OK; t++) {
        *e = tr->workers[t].error;
        s = e->code;
    }
    mem_free(j.which);
    mem_free(j.batch);
    mem_free(j.counts);
    return s;
}
