/* The two tasks differ in what they count of a forward pass; batches are counted
 * apart and added in order. */
#include "parser/task/detect/replaced.h"

#include <math.h>

#include "base/rng.h"
#include "eval/class_score.h"
#include "parser/model/linear_network.h"
#include "parser/task/detect/masked.h"

typedef struct Counts {
    long confusion[2][2]; /* [is][found]: words that are replaced, and that the model finds */
    long right, hidden;   /* hidden words that the model guesses, and all hidden words */
    double loss;          /* sum over the words that are asked about */
} Counts;

/* Adds what a forward pass says of the words. labels [n_sent]: what was asked. */
typedef Status (*CountBatch)(Worker *w, const int *const *labels, Counts *to);

typedef struct Job {
    Trainer *tr;
    const Treebank *tb;
    uint64_t key; /* of the dev set: no function of the seed, so runs are comparable */
    CountBatch count_batch;
    Counts *counts; /* [tb->n] of each batch */
} Job;

/* Packs the batch. labels [n]: of each sentence. */
static Status pack(const Job *j, Worker *w, const int *which, int n, const int **labels)
{
    const Trainer *tr = j->tr;
    BatchSentence *sentences = arena_alloc(&w->scratch, (size_t)n, sizeof *sentences);
    bool ok = sentences != NULL;
    for (int k = 0; k < n && ok; k++) {
        const Sentence *sent = trainer_fold(tr, &j->tb->s[which[k]], &w->scratch);
        const char **words = NULL;
        ok = sent && replacer_apply(tr->state, rng_key(j->key, (uint64_t)which[k], 0, 0), sent, &w->scratch, &words,
                                    &labels[k]);
        if (ok) sentences[k] = (BatchSentence){ .n = sent->n_words, .words = words };
    }
    return ok ? worker_pack(w, sentences, NULL, n, 0, &w->error)
              : error_set(&w->error, ERR_NOMEM, "out of memory replacing words");
}

static Status not_finite(Error *e)
{
    return error_set(e, ERR_NUMERIC, "the scores of a dev sentence are not finite: lower lr or set clip");
}

static Status count_replaced(Worker *w, const int *const *replaced, Counts *to)
{
    const Batch *b = &w->packed.batch;
    HostMatrix score = tensor_host(&w->tape, linear_network_scores(&w->net), &w->scratch);
    if (worker_status(w, &w->error) != OK) return w->error.code;
    for (int s = 0; s < b->n_sent; s++)
        for (int i = 0; i < batch_words(b, s); i++) {
            double z = (double)host_row(&score, b->start[s] + i + 1)[0], wrong = replaced[s][i] ? -z : z;
            if (!isfinite(z)) return not_finite(&w->error);
            to->confusion[replaced[s][i]][z > 0]++;
            to->loss += fmax(wrong, 0) + log1p(exp(-fabs(wrong)));
        }
    return OK;
}

/* Adds the scores x [n] of one hidden word. */
static Status count_guess(const Real *x, int n, int word, Counts *to, Error *e)
{
    double sum = 0;
    int best = 0;
    for (int k = 1; k < n; k++)
        if (x[k] > x[best]) best = k;
    for (int k = 0; k < n; k++) sum += exp((double)x[k] - (double)x[best]);
    if (!isfinite(sum)) return not_finite(e);
    to->loss += log(sum) - ((double)x[word] - (double)x[best]);
    to->right += best == word;
    to->hidden++;
    return OK;
}

static Status count_masked(Worker *w, const int *const *labels, Counts *to)
{
    Masked m;
    if (!masked_find(&w->packed.batch, labels, &w->scratch, &m))
        return error_set(&w->error, ERR_NOMEM, "out of memory for a check");
    if (m.n == 0) return OK;
    HostMatrix x = tensor_host(&w->tape, masked_scores(&w->forward, &w->m->net, &w->net, &m), &w->scratch);
    Status s = worker_status(w, &w->error);
    for (int k = 0; k < m.n && s == OK; k++) s = count_guess(host_row(&x, k), x.cols, m.word[k], to, &w->error);
    return s;
}

static Status score_batch(void *context, Worker *w, const int *which, int n, int item)
{
    const Job *j = context;
    worker_begin(w, false, false, 0);
    const int **labels = arena_alloc(&w->scratch, (size_t)n, sizeof *labels);
    if (!labels) return error_set(&w->error, ERR_NOMEM, "out of memory for a check");
    Status s = pack(j, w, which, n, labels);
    if (s == OK) s = worker_forward(w, NULL, &w->error);
    return s == OK ? j->count_batch(w, labels, &j->counts[item]) : s;
}

/* Adds the counts in the order of the batches. */
static Counts sum_of(const Job *j)
{
    Counts all = { 0 };
    for (int k = 0; k < j->tb->n; k++) {
        const Counts *x = &j->counts[k];
        for (int c = 0; c < 4; c++) all.confusion[c / 2][c % 2] += x->confusion[c / 2][c % 2];
        all.right += x->right;
        all.hidden += x->hidden;
        all.loss += x->loss;
    }
    return all;
}

/* each [n][3]: words that are asked about, right answers, loss. */
static void put_each(const Job *j, double *each)
{
    for (int k = 0; k < j->tb->n && each; k++) {
        const Counts *x = &j->counts[k];
        const long *is = x->confusion[1], *is_not = x->confusion[0];
        *each++ = (double)(x->hidden + is[0] + is[1] + is_not[0] + is_not[1]);
        *each++ = (double)(x->right + is[1] + is_not[0]);
        *each++ = x->loss;
    }
}

static Status score(Trainer *tr, int k, CountBatch count_batch, double *each, Counts *all, Error *e)
{
    const Corpus *dev = &tr->a->dev[k];
    int n = dev->trees.n, *words = mem_calloc((size_t)n, sizeof *words);
    Job j = { .tr = tr, .tb = &dev->trees, .key = rng_key(0, 0xde, (uint64_t)k, 0), .count_batch = count_batch };
    j.counts = mem_calloc((size_t)n, sizeof *j.counts);
    Status s = words && j.counts ? OK : error_set(e, ERR_NOMEM, "out of memory for a check");
    for (int i = 0; i < n && s == OK; i++) words[i] = dev->trees.s[i].n_words;
    if (s == OK) s = trainer_dev_batches(tr, words, n, score_batch, &j, e);
    if (s == OK) *all = sum_of(&j);
    if (s == OK) put_each(&j, each);
    mem_free(words);
    mem_free(j.counts);
    return s;
}

static void put_score(DevScores *out, double loss, double n)
{
    out->has[0] = true;
    out->part[0] = 100 * exp(-loss / n);
}

Status replaced_score(Trainer *tr, int k, DevScores *out, Error *error)
{
    Counts all;
    if (score(tr, k, count_replaced, out->each, &all, error) != OK) return error->code;
    const long *is = all.confusion[1], *is_not = all.confusion[0];
    ClassRow row = { .gold = is[0] + is[1], .pred = is[1] + is_not[1], .right = is[1] };
    long words = row.gold + is_not[0] + is_not[1];
    double n = words ? (double)words : 1;
    trainer_figure(out, "words", NULL, 0, (double)words);
    trainer_figure(out, "accuracy", "accuracy", 2, 100 * (double)(is[1] + is_not[0]) / n);
    trainer_figure(out, "baseline", "baseline", 2, 100 * (double)(is_not[0] + is_not[1]) / n); /* of finding none */
    trainer_figure(out, "loss", "loss", 4, all.loss / n);
    trainer_figure(out, "precision", NULL, 2, class_row_precision(row));
    trainer_figure(out, "recall", NULL, 2, class_row_recall(row));
    trainer_figure(out, "f1", "F1", 2, class_row_f1(row));
    put_score(out, all.loss, n);
    return OK;
}

Status masked_score(Trainer *tr, int k, DevScores *out, Error *error)
{
    Counts all;
    if (score(tr, k, count_masked, out->each, &all, error) != OK) return error->code;
    double n = all.hidden ? (double)all.hidden : 1;
    trainer_figure(out, "words", NULL, 0, (double)all.hidden);
    trainer_figure(out, "accuracy", "accuracy", 2, 100 * (double)all.right / n);
    trainer_figure(out, "loss", "loss", 4, all.loss / n);
    put_score(out, all.loss, n);
    return OK;
}
