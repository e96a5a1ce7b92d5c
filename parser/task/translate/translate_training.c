/* How models that translate are trained: examples are pairs of texts in
 * pieces, dev sets are scored by the loss of a piece, without smoothing */
#include <math.h>
#include <string.h>

#include "embeddings/bpe.h"
#include "parser/task/translate/pair_data.h"
#include "parser/task/translate/translate_pass.h"
#include "parser/train/trainer.h"

static StrView view(const char *text) { return (StrView){ text, strlen(text) }; }

/* ---- the pieces of both languages */

static Status learn_pieces(Trainer *tr, Error *e)
{
    Vocab units;
    Status s = OK;
    vocab_init(&units);
    for (int c = 0; c < tr->a->n_corpora; c++) {
        const Treebank *tb = &tr->a->corpora[c].trees;
        for (int k = 0; k < tb->n && s == OK; k++) {
            s = bpe_count(view(tb->s[k].words[0]), &units, e);
            if (s == OK) s = bpe_count(view(tb->s[k].target), &units, e);
        }
    }
    if (s == OK) s = bpe_learn(&units, tr->m.c.pieces, &tr->m.words, e);
    vocab_fini(&units);
    return s;
}

/* The words that the run takes of a model must be pieces. */
static Status check_pieces(const Trainer *tr, Error *e)
{
    Error why = { 0 };
    if (bpe_check(&tr->m.words, tr->a->init, &why) == OK) return OK;
    return error_set(e, ERR_USAGE, "--init %s: found a model whose words are no subwords, expected one that translates",
                     tr->a->init);
}

/* What changes words would change pieces. */
static Status check_options(const Task *task, const ModelConfig *m, const TrainConfig *c, Error *e)
{
    (void)m;
    const char *given = c->vary_case > 0 ? "case" : c->vary_final > 0 ? "final" : c->vary_quotes > 0 ? "quotes" : NULL;
    if (!given) return OK;
    return error_set(e, ERR_USAGE, "--vary-%s: found --task %s, expected a task on words", given, task->name);
}

static Status add_example(Trainer *tr, const Sentence *pair, Error *e)
{
    Sentence *source = arena_alloc(&tr->arena, 1, sizeof *source);
    const int *labels = NULL;
    if (!source) return error_set(e, ERR_NOMEM, "out of memory for the training data");
    Status s = pair_data_pieces(&tr->m, view(pair->words[0]), &tr->arena, source, e);
    if (s == OK) s = pair_data_labels(&tr->m, view(pair->target), &tr->arena, &labels, e);
    if (s != OK) return s;
    int most = tr->a->train.max_train_words;
    if (source->n_words > most || labels[0] > most) tr->counts.skipped++;
    else tr->ex[tr->n++] = (Example){ .s = source, .gold = { labels } };
    return OK;
}

static Status examples(Trainer *tr, bool count, Error *e)
{
    const TrainArgs *a = tr->a;
    int total = 0;
    for (int c = 0; c < a->n_corpora; c++) total += a->corpora[c].trees.n;
    tr->ex = arena_calloc(&tr->arena, (size_t)total, sizeof *tr->ex);
    Status s = tr->ex ? check_options(tr->m.task, &tr->m.c, &a->train, e)
                      : error_set(e, ERR_NOMEM, "out of memory for %d pairs", total);
    if (s == OK && count) s = a->init ? check_pieces(tr, e) : learn_pieces(tr, e);
    for (int c = 0; c < a->n_corpora; c++)
        for (int k = 0; k < a->corpora[c].trees.n && s == OK; k++) s = add_example(tr, &a->corpora[c].trees.s[k], e);
    if (s == OK && tr->n == 0)
        s = error_at(e, ERR_FORMAT, a->corpora[0].path, 0, 0, "no training pair of at most %d pieces on each side",
                     a->train.max_train_words);
    return s;
}

/* ---- parses, and dev sets in pieces */

/* A dev set in pieces; Trainer.state has [n_dev] of them. */
typedef struct DevPairs {
    Sentence *source;   /* [n] */
    const int **labels; /* [n] */
} DevPairs;

static Status begin(Trainer *tr, Error *e)
{
    tr->state = arena_calloc(&tr->arena, (size_t)tr->a->n_dev, sizeof(DevPairs));
    return tr->state ? OK : error_set(e, ERR_NOMEM, "out of memory for a run");
}

static Status parse_sources(Trainer *tr, Sentence *const *texts, int n, Error *e)
{
    const Device *d = tr->a->device ? tr->a->device : device_default();
    return pair_data_parse(&tr->m, d, tr->a->n_threads, texts, n, &tr->arena, e);
}

static Status take_dev(Trainer *tr, int k, Error *e)
{
    const Treebank *tb = &tr->a->dev[k].trees;
    DevPairs *d = (DevPairs *)tr->state + k;
    d->source = arena_calloc(&tr->arena, (size_t)tb->n, sizeof *d->source);
    d->labels = arena_calloc(&tr->arena, (size_t)tb->n, sizeof *d->labels);
    Sentence **texts = mem_calloc((size_t)tb->n, sizeof *texts);
    Status s = d->source && d->labels && texts ? OK : error_set(e, ERR_NOMEM, "out of memory for the dev data");
    for (int i = 0; i < tb->n && s == OK; i++) {
        texts[i] = &d->source[i];
        s = pair_data_pieces(&tr->m, view(tb->s[i].words[0]), &tr->arena, &d->source[i], e);
        if (s == OK) s = pair_data_labels(&tr->m, view(tb->s[i].target), &tr->arena, &d->labels[i], e);
    }
    if (s == OK) s = parse_sources(tr, texts, tb->n, e);
    mem_free(texts);
    return s;
}

/* Sources are parsed once, by a model that has not learnt from them. */
static Status parses(Trainer *tr, Error *e)
{
    Status s = tr->syntax == SYNTAX_FIRST_PASS ? model_load_first(&tr->m, tr->a->out, e) : OK;
    Sentence **texts = mem_calloc((size_t)tr->n, sizeof *texts);
    if (s == OK && !texts) s = error_set(e, ERR_NOMEM, "out of memory for the training data");
    int n = tr->only_scores ? 0 : tr->n;
    for (int k = 0; k < n && s == OK; k++) texts[k] = (Sentence *)(uintptr_t)tr->ex[k].s;
    if (s == OK) s = parse_sources(tr, texts, n, e);
    for (int k = 0; k < tr->a->n_dev && s == OK; k++) s = take_dev(tr, k, e);
    mem_free(texts);
    return s;
}

/* ---- training */

static int written(const Example *x) { return *(const int *)x->gold.own + 1; }

static void weights(double scale, const TrainConfig *c, LossWeights *out)
{
    *out = (LossWeights){ .part = { scale }, .smoothing = c->label_smoothing };
}

static int losses(const Trainer *tr, TrainFigure *out)
{
    double pieces = tr->loss_words ? (double)tr->loss_words : 1;
    out[0] = (TrainFigure){ "smoothed", "smoothed", 4, tr->loss.part[0] / pieces };
    out[1] = (TrainFigure){ "nll", "nll", 4, tr->loss.part[1] / pieces };
    return 2;
}

/* ---- checks */

typedef struct Job {
    const DevPairs *pairs;
    double *nll; /* [pairs] of each batch */
    long *pieces;
} Job;

static Status score_batch(void *context, Worker *w, const int *which, int n, int item)
{
    const Job *j = context;
    worker_begin(w, false, false, 0);
    const int **labels = arena_alloc(&w->scratch, (size_t)n, sizeof *labels);
    BatchSentence *sentences = arena_alloc(&w->scratch, (size_t)n, sizeof *sentences);
    if (!labels || !sentences) return error_set(&w->error, ERR_NOMEM, "out of memory for a check");
    for (int k = 0; k < n; k++) {
        labels[k] = j->pairs->labels[which[k]];
        sentences[k] = pair_data_batch(&j->pairs->source[which[k]]);
    }
    Status s = worker_pack(w, sentences, NULL, n, 0, &w->error);
    if (s == OK) s = worker_forward(w, NULL, &w->error);
    if (s != OK) return s;
    TranslatePass pass;
    Real sum = 0;
    Tensor *nll = NULL, *loss = NULL;
    if (translate_pass(&w->forward, &w->m->net, &w->net, labels, NULL, &pass))
        loss = translate_loss(&w->forward, &pass, 0, &nll);
    if (loss) {
        tape_fetch(&w->tape, &sum, loss->data, sizeof sum);
        tape_wait(&w->tape);
    }
    s = worker_status(w, &w->error);
    if (s == OK && !isfinite((double)sum))
        s = error_set(&w->error, ERR_NUMERIC, "the loss of dev pairs is not finite: lower lr or set clip");
    j->nll[item] = (double)sum;
    for (int k = 0; k < n; k++) j->pieces[item] += labels[k][0] + 1;
    return s;
}

/* Scores dev set k; the part of a check's score is 100 exp(-loss): the geometric mean of the probabilities of pieces,
 * in percent. */
static Status score(Trainer *tr, int k, DevScores *out, Error *e)
{
    const DevPairs *d = (const DevPairs *)tr->state + k;
    int n = tr->a->dev[k].trees.n, *longer = mem_calloc((size_t)n, sizeof *longer); /* side of each pair, in pieces */
    Job j = { d, mem_calloc((size_t)n, sizeof *j.nll), mem_calloc((size_t)n, sizeof *j.pieces) };
    Status s = longer && j.nll && j.pieces ? OK : error_set(e, ERR_NOMEM, "out of memory for a check");
    for (int i = 0; i < n && s == OK; i++)
        longer[i] = d->source[i].n_words > d->labels[i][0] ? d->source[i].n_words : d->labels[i][0];
    if (s == OK) s = trainer_dev_batches(tr, longer, n, score_batch, &j, e);
    double nll = 0, pieces = 0;
    for (int i = 0; i < n && s == OK; i++) {
        nll += j.nll[i];
        pieces += (double)j.pieces[i];
        if (!out->each) continue;
        out->each[2 * i] = (double)j.pieces[i]; /* of pair i: it is a batch */
        out->each[2 * i + 1] = j.nll[i];
    }
    mem_free(longer);
    mem_free(j.nll);
    mem_free(j.pieces);
    if (s != OK) return s;
    nll /= pieces > 0 ? pieces : 1;
    trainer_figure(out, "pieces", NULL, 0, pieces);
    trainer_figure(out, "nll", "nll", 4, nll);
    out->has[0] = true;
    out->part[0] = 100 * exp(-nll);
    return OK;
}

const TaskTraining TRANSLATE_TRAINING = { .check = check_options,
                                          .begin = begin,
                                          .examples = examples,
                                          .find_parses = parses,
                                          .weights = weights,
                                          .written = written,
                                          .per_word = true,
                                          .score = score,
                                          .losses = losses };
