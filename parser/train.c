/* parser/train.c */
#include "parser/train.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "base/thread.h"
#include "embeddings/word_vectors.h"
#include "parser/evaluate.h"
#include "treebank/oracle.h"

typedef struct Example {
    const Sentence *s;
    Gold gold;
    int treebank;
} Example;

/* Counters of a run: all that a checkpoint holds beside the slabs. */
typedef struct TrainState {
    long epoch, batch, step, sentences; /* next batch of the epoch, updates and sentences done */
    double best, last_score;            /* dev F1 + LAS; -1 before the first check */
    long best_epoch, plateau_epoch;     /* of the best score; since when the plateau rule counts */
    double lr_factor, seconds;
    long done; /* 1: stopped early */
} TrainState;

typedef struct TrainWorker {
    Tape tape;
    Lexicon lexicon;
    Arena scratch;
    Real *grads;
    Error error;
} TrainWorker;

typedef struct Trainer {
    const TrainArgs *a;
    Model m;
    Arena arena; /* examples */
    Example *ex;
    int n, skipped;        /* sentences; those left out for their length */
    long expected;         /* sentences, as a checkpoint says */
    int bare;              /* trees of one word without a phrase: nothing to learn from */
    int flat, extra_heads; /* groups left flat and phrases with several heads (oracle_convert) */
    Real *grads, *adam_m, *adam_v, *average;
    TrainState st;
    TrainWorker *workers;
    Turn *turn;
    int *order; /* [n] examples of the epoch */
    int *cut;   /* [batch_size + 1] sub-batches of the batch at hand, positions in order */
    int n_cuts, batch_from;
    LossParts loss; /* since the last report */
    long loss_sentences, loss_words;
    double norm, started;
} Trainer;

/* ---- data */

static Status count_sentence(Model *m, const Sentence *s, const OracleTree *t, Error *e)
{
    bool ok = true;
    for (int w = 0; w < s->n_words; w++) {
        const char *word = s->words[w];
        size_t len = strlen(word);
        ok = ok && vocab_count(&m->words, word, len, 1) >= 0;
        if (s->tags) ok = ok && vocab_count(&m->tags, s->tags[w], strlen(s->tags[w]), 1) >= 0;
        if (s->types) ok = ok && vocab_count(&m->types, s->types[w], strlen(s->types[w]), 1) >= 0;
        for (size_t i = 0; i < len;) {
            size_t from = i;
            utf8_next(word, len, &i);
            ok = ok && vocab_count(&m->chars, word + from, i - from, 1) >= 0;
        }
    }
    for (int k = 0; t && k < t->n; k++) ok = ok && vocab_count(&m->labels, t->nodes[k].label, strlen(t->nodes[k].label), 1) >= 0;
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory counting words");
}

static Status finish_vocabs(Trainer *tr, Error *e)
{
    Model *m = &tr->m;
    const char *placeholder = "XX";
    bool ok = vocab_prune(&m->words, N_RESERVED, m->c.word_min_count);
    if (vocab_size(&m->tags) == N_RESERVED) ok = ok && vocab_count(&m->tags, placeholder, 2, 0) >= 0;
    if (vocab_size(&m->types) == 0) ok = ok && vocab_count(&m->types, "root", 4, 0) >= 0;
    if (vocab_size(&m->labels) == 2) ok = ok && vocab_count(&m->labels, LABEL_ROOT, strlen(LABEL_ROOT), 0) >= 0;
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory for the vocabularies");
}

/* All training sentences, converted; counts the vocabularies when `count`, and fills the examples. */
static Status prepare(Trainer *tr, bool count, Error *e)
{
    const TrainArgs *a = tr->a;
    int total = 0, at = 0;
    for (int c = 0; c < a->n_corpora; c++) total += a->corpora[c].trees.n;
    tr->ex = arena_calloc(&tr->arena, (size_t)total, sizeof *tr->ex);
    OracleTree **trees = arena_calloc(&tr->arena, (size_t)total, sizeof(OracleTree *));
    if (!tr->ex || !trees) return error_set(e, ERR_NOMEM, "out of memory for %d sentences", total);
    bool any_trees = false, any_arcs = false;
    for (int c = 0; c < a->n_corpora; c++) {
        const Corpus *corpus = &a->corpora[c];
        int id =
            count ? vocab_count(&tr->m.treebanks, corpus->name, strlen(corpus->name), corpus->trees.n) : vocab_find(&tr->m.treebanks, corpus->name);
        if (id < 0) id = 0;
        for (int k = 0; k < corpus->trees.n; k++) {
            const Sentence *s = &corpus->trees.s[k];
            if (s->n_words > a->train.max_train_words) {
                tr->skipped++;
                continue;
            }
            if (s->has_tree && s->n_phrases == 0) tr->bare++;
            else if (s->has_tree) {
                trees[at] = oracle_convert(s, &tr->arena);
                if (!trees[at]) return error_set(e, ERR_NOMEM, "out of memory converting trees");
                tr->flat += trees[at]->flat;
                tr->extra_heads += trees[at]->extra_heads;
            }
            Status st = count ? count_sentence(&tr->m, s, trees[at], e) : OK;
            if (st != OK) return st;
            any_trees = any_trees || s->has_tree;
            any_arcs = any_arcs || s->heads;
            tr->ex[at++] = (Example){ .s = s, .treebank = id };
        }
    }
    tr->n = at;
    if (at == 0) return error_set(e, ERR_FORMAT, "no training sentence of at most %d words", a->train.max_train_words);
    tr->m.c.trees = any_trees;
    tr->m.c.arcs = any_arcs;
    Status st = count ? finish_vocabs(tr, e) : OK;
    for (int k = 0; k < tr->n && st == OK; k++)
        if (!model_gold(&tr->m, tr->ex[k].s, trees[k], &tr->arena, &tr->ex[k].gold))
            st = error_set(e, ERR_NOMEM, "out of memory for the training data");
    return st;
}

/* ---- one update */

/* Cuts the batch order[from .. to) into sub-batches of at most subbatch_tokens; the batch is sorted by length before. */
static void cut_batch(Trainer *tr, int from, int to)
{
    int *o = tr->order + from, n = to - from, tokens = 0;
    for (int i = 1; i < n; i++) { /* insertion sort, stable */
        int x = o[i], j = i;
        for (; j > 0 && tr->ex[o[j - 1]].s->n_words > tr->ex[x].s->n_words; j--) o[j] = o[j - 1];
        o[j] = x;
    }
    tr->batch_from = from;
    tr->n_cuts = 0;
    tr->cut[0] = 0;
    for (int i = 0; i < n; i++) {
        int m = tr->ex[o[i]].s->n_words + 2;
        if (tokens && tokens + m > tr->a->train.subbatch_tokens) {
            tr->cut[++tr->n_cuts] = i;
            tokens = 0;
        }
        tokens += m;
    }
    tr->cut[++tr->n_cuts] = n;
}

static Status pack_examples(Trainer *tr, TrainWorker *w, const int *which, int n, PackedBatch *packed, Gold **gold)
{
    const TrainConfig *c = &tr->a->train;
    BatchItem *items = arena_alloc(&w->scratch, (size_t)n, sizeof *items);
    *gold = arena_alloc(&w->scratch, (size_t)n, sizeof **gold);
    if (!items || !*gold) return error_set(&w->error, ERR_NOMEM, "out of memory for a batch");
    for (int k = 0; k < n; k++) {
        const Example *x = &tr->ex[which[k]];
        int words = x->s->n_words, *types = arena_alloc(&w->scratch, (size_t)words, sizeof *types);
        uint64_t key = rng_key((uint64_t)c->seed, 0xe9, (uint64_t)tr->st.epoch, (uint64_t)which[k]) | 1;
        for (int i = 0; types && i < words; i++)
            if ((types[i] = lexicon_type(&w->lexicon, x->s->words[i])) < 0) types = NULL;
        if (!types) return error_set(&w->error, ERR_NOMEM, "out of memory for a batch");
        items[k] = (BatchItem){ .n = words, .types = types, .treebank = x->treebank, .unknown_key = key };
        if (rng_uniform(key, 1u << 30) < c->hide_treebank) items[k].treebank = 0;
        if (tr->m.c.use_tags && x->gold.tags && rng_uniform(key, (1u << 30) + 1) >= c->hide_tags) {
            int *tags = arena_alloc(&w->scratch, (size_t)words, sizeof *tags);
            if (!tags) return error_set(&w->error, ERR_NOMEM, "out of memory for a batch");
            for (int i = 0; i < words; i++) tags[i] = rng_uniform(key, (1u << 29) + (uint64_t)i) < c->hide_tag ? TOKEN_UNKNOWN : x->gold.tags[i];
            items[k].tags = tags;
        }
        (*gold)[k] = x->gold;
    }
    return batch_pack(&tr->m, &w->lexicon, items, n, c->unknown, &w->scratch, packed, &w->error);
}

static void sub_batch(Trainer *tr, TrainWorker *w, int item, LossParts *parts)
{
    const TrainConfig *c = &tr->a->train;
    int from = tr->cut[item], n = tr->cut[item + 1] - from;
    PackedBatch packed;
    Gold *gold;
    arena_reset(&w->scratch);
    tape_reset(&w->tape, true, true, rng_key((uint64_t)c->seed, 0xd0, (uint64_t)tr->st.step, (uint64_t)item));
    memset(w->grads, 0, tr->m.ps.trained * sizeof *w->grads);
    if (pack_examples(tr, w, tr->order + tr->batch_from + from, n, &packed, &gold) != OK) return;
    Forward f = { &w->tape, &tr->m.ps, w->grads, &packed.batch, packed.sentence_of, NULL };
    NetworkOutput out;
    if (network_forward(&f, &tr->m.net, &packed.in, &out) == OK) {
        double scale = 1.0 / tr->cut[tr->n_cuts];
        Tensor *loss = network_loss(&f, &tr->m.net, &out, gold, scale, c->tag_weight, &w->scratch, parts);
        if (loss && !isfinite((double)loss->data[0]))
            tape_fail(&w->tape, ERR_NUMERIC, "the loss is not finite at update %ld: lower lr or set clip", tr->st.step + 1);
        if (loss) tape_backward(&w->tape, loss);
    }
    w->error = w->tape.error;
}

static void work(void *context, int worker, int item)
{
    Trainer *tr = context;
    TrainWorker *w = &tr->workers[worker];
    LossParts parts = { 0 };
    if (w->error.code == OK) sub_batch(tr, w, item, &parts);
    turn_wait(tr->turn, item); /* gradients are added in order, whoever computed them */
    if (w->error.code == OK) {
        if (item == 0) memcpy(tr->grads, w->grads, tr->m.ps.trained * sizeof *tr->grads);
        else
            for (size_t i = 0; i < tr->m.ps.trained; i++) tr->grads[i] += w->grads[i];
        tr->loss.hinge += parts.hinge;
        tr->loss.head += parts.head;
        tr->loss.type += parts.type;
        tr->loss.tag += parts.tag;
    }
    turn_done(tr->turn);
}

static double learning_rate(const Trainer *tr)
{
    const TrainConfig *c = &tr->a->train;
    /* the number of the update counts sentences: batches at the end of an epoch are short */
    double k = floor((double)tr->st.sentences / c->batch_size) + 1, total = ceil((double)tr->n / c->batch_size) * c->epochs;
    if (k <= (double)c->warmup) return c->lr * k / (double)c->warmup;
    if (c->schedule == SCHEDULE_PLATEAU) return c->lr * tr->st.lr_factor;
    double at = (k - (double)c->warmup) / fmax(1, total - (double)c->warmup);
    return c->lr * 0.5 * (1 + cos(3.141592653589793 * fmin(1, at)));
}

enum { UPDATE_BLOCK = 1 << 16 };

typedef struct Update {
    Trainer *tr;
    double lr, scale, average, correction1, correction2;
} Update;

static void update_block(void *context, int worker, int item)
{
    (void)worker;
    const Update *u = context;
    Trainer *tr = u->tr;
    const TrainConfig *c = &tr->a->train;
    size_t from = (size_t)item * UPDATE_BLOCK, n = tr->m.ps.trained - from < UPDATE_BLOCK ? tr->m.ps.trained - from : UPDATE_BLOCK;
    Real *w = tr->m.ps.values + from;
    kernels_cpu()->adam(w, tr->grads + from, tr->adam_m + from, tr->adam_v + from, n, u->lr, c->beta1, c->beta2, c->adam_eps, u->correction1,
                        u->correction2, u->scale);
    if (!tr->average) return;
    Real keep = (Real)u->average, *avg = tr->average + from;
    for (size_t i = 0; i < n; i++) avg[i] = keep * avg[i] + (1 - keep) * w[i];
}

static double gradient_norm(const Trainer *tr)
{
    double lane[8] = { 0 }, sum = 0;
    for (size_t i = 0; i + 8 <= tr->m.ps.trained; i += 8)
        for (size_t l = 0; l < 8; l++) lane[l] += (double)tr->grads[i + l] * (double)tr->grads[i + l];
    for (int l = 0; l < 8; l++) sum += lane[l];
    return sqrt(sum);
}

static Status update(Trainer *tr, int from, int to, Error *e)
{
    const TrainConfig *c = &tr->a->train;
    cut_batch(tr, from, to);
    turn_reset(tr->turn);
    parallel_for(tr->a->n_threads, tr->n_cuts, work, tr);
    for (int k = 0; k < tr->a->n_threads; k++)
        if (tr->workers[k].error.code != OK) {
            *e = tr->workers[k].error;
            return e->code;
        }
    tr->norm = gradient_norm(tr);
    double t = (double)tr->st.step + 1, ramp = (1 + t) / (10 + t);
    Update u = { .tr = tr,
                 .lr = learning_rate(tr),
                 .scale = c->clip > 0 && tr->norm > c->clip ? c->clip / tr->norm : 1,
                 .average = ramp < c->average ? ramp : c->average,
                 .correction1 = 1 - pow(c->beta1, t),
                 .correction2 = 1 - pow(c->beta2, t) };
    parallel_for(tr->a->n_threads, (int)((tr->m.ps.trained + UPDATE_BLOCK - 1) / UPDATE_BLOCK), update_block, &u);
    tr->st.step++;
    tr->st.sentences += to - from;
    tr->loss_sentences += to - from;
    for (int k = from; k < to; k++) tr->loss_words += tr->ex[tr->order[k]].s->n_words;
    return OK;
}

/* ---- checks, checkpoints, reports */

static void state_json(const Trainer *tr, StrBuf *out)
{
    const TrainState *s = &tr->st;
    strbuf_printf(
        out,
        "{\"n\": %d, \"epoch\": %ld, \"batch\": %ld, \"step\": %ld, \"sentences\": %ld, \"best\": %.17g, \"last_score\": %.17g, \"best_epoch\": %ld, "
        "\"plateau_epoch\": %ld, \"lr_factor\": %.17g, \"seconds\": %.1f, \"done\": %ld, \"train\": ",
        tr->n, s->epoch, s->batch, s->step, s->sentences, s->best, s->last_score, s->best_epoch, s->plateau_epoch, s->lr_factor, s->seconds, s->done);
    options_to_json(TRAIN_OPTIONS, &tr->a->train, out);
    strbuf_putc(out, '}');
}

static int slabs(Trainer *tr, ExtraSlab list[3])
{
    list[0] = (ExtraSlab){ "adam.m/", tr->adam_m };
    list[1] = (ExtraSlab){ "adam.v/", tr->adam_v };
    if (tr->average) list[2] = (ExtraSlab){ "average/", tr->average };
    return tr->average ? 3 : 2;
}

static Status save_checkpoint(Trainer *tr, Error *e)
{
    if (!tr->a->checkpoint) return OK;
    StrBuf state = { 0 };
    ExtraSlab list[3];
    int n = slabs(tr, list);
    double before = tr->st.seconds;
    tr->st.seconds += clock_seconds() - tr->started;
    state_json(tr, &state);
    tr->st.seconds = before;
    Status s = state.failed ? error_set(e, ERR_NOMEM, "out of memory for a checkpoint")
                            : model_save(&tr->m, tr->a->checkpoint, DT_F32, list, n, state.ptr, e);
    strbuf_fini(&state);
    return s;
}

static Status read_state(Trainer *tr, const char *text, Error *e)
{
    TrainState *s = &tr->st;
    cJSON *j = text ? cJSON_Parse(text) : NULL;
    if (!j) return error_at(e, ERR_FORMAT, tr->a->resume, 0, 0, "found a model without training state, expected a checkpoint");
    const struct {
        const char *name;
        long *whole;
        double *real;
    } fields[] = { { "n", &tr->expected, NULL },
                   { "epoch", &s->epoch, NULL },
                   { "batch", &s->batch, NULL },
                   { "step", &s->step, NULL },
                   { "sentences", &s->sentences, NULL },
                   { "best", NULL, &s->best },
                   { "last_score", NULL, &s->last_score },
                   { "best_epoch", &s->best_epoch, NULL },
                   { "plateau_epoch", &s->plateau_epoch, NULL },
                   { "lr_factor", NULL, &s->lr_factor },
                   { "done", &s->done, NULL },
                   { "seconds", NULL, &s->seconds } };
    Status st = OK;
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        const cJSON *x = cJSON_GetObjectItem(j, fields[k].name);
        if (!cJSON_IsNumber(x)) st = error_at(e, ERR_FORMAT, tr->a->resume, 0, 0, "the training state has no %s", fields[k].name);
        else if (fields[k].whole) *fields[k].whole = (long)x->valuedouble;
        else *fields[k].real = x->valuedouble;
    }
    cJSON_Delete(j);
    return st;
}

static Status log_line(const Trainer *tr, const StrBuf *line, Error *e)
{
    if (!tr->a->log) return OK;
    FILE *f = fopen(tr->a->log, "a");
    bool ok = f && !line->failed && (!line->len || fwrite(line->ptr, 1, line->len, f) == line->len);
    int why = errno;
    if (f && fclose(f) != 0) {
        ok = false;
        why = errno;
    }
    return ok ? OK : error_at(e, ERR_IO, tr->a->log, 0, 0, "cannot write: %s", strerror(why));
}

/* What training will write must be writable now, not after an hour. */
static Status check_outputs(const Trainer *tr, Error *e)
{
    const char *const paths[] = { tr->a->out, tr->a->checkpoint };
    Status s = OK;
    for (int k = 0; k < 2 && s == OK; k++) {
        FileWriter w;
        if (!paths[k]) continue;
        s = filewriter_open(&w, paths[k], e);
        if (s == OK) s = filewriter_close(&w, false, e);
    }
    return s == OK ? log_line(tr, &(StrBuf){ 0 }, e) : s;
}

static double elapsed(const Trainer *tr) { return tr->st.seconds + clock_seconds() - tr->started; }

static void progress(const Trainer *tr, double rate, long total_batches)
{
    double done = (double)tr->st.epoch + (double)tr->st.batch / (double)total_batches, left = tr->a->train.epochs - done;
    double n = tr->loss_sentences ? (double)tr->loss_sentences : 1;
    fprintf(stderr, "\repoch %.2f/%d  %.0f sentences/s  span %.2f arc %.2f type %.2f tag %.2f  lr %.2e  left %.0f min \033[K", done,
            tr->a->train.epochs, rate, tr->loss.hinge / n, tr->loss.head / n, tr->loss.type / n, tr->loss.tag / n, learning_rate(tr),
            rate > 0 ? left * tr->n / rate / 60 : 0);
}

static Status save_best(Trainer *tr, const Scores *dev, Error *e)
{
    StrBuf summary = { 0 };
    strbuf_printf(&summary, "{\"epoch\": %.2f, \"updates\": %ld, \"training_sentences\": %d, \"seconds\": %.0f, \"dev\": {",
                  (double)tr->st.sentences / tr->n, tr->st.step, tr->n, elapsed(tr));
    for (int c = 0; c < tr->a->n_dev; c++) {
        strbuf_puts(&summary, c ? ", " : "");
        strbuf_json(&summary, tr->a->dev[c].name, strlen(tr->a->dev[c].name));
        strbuf_puts(&summary, ": ");
        score_json(&dev[c], &summary);
        if (summary.len && summary.ptr[summary.len - 1] == '\n') summary.ptr[--summary.len] = 0;
    }
    strbuf_puts(&summary, "}, \"train\": ");
    options_to_json(TRAIN_OPTIONS, &tr->a->train, &summary);
    strbuf_putc(&summary, '}');
    if (summary.failed) {
        strbuf_fini(&summary);
        return error_set(e, ERR_NOMEM, "out of memory saving the model");
    }
    mem_free(tr->m.summary);
    tr->m.summary = summary.ptr;
    return model_save(&tr->m, tr->a->out, tr->a->store, NULL, 0, NULL, e);
}

/* Scores dev with the averaged weights if there are any; saves the model if it is the best so far. */
static Status check_dev(Trainer *tr, Error *e)
{
    const TrainArgs *a = tr->a;
    Scores dev[OPTION_LIST_MAX] = { { 0 } };
    StrBuf line = { 0 };
    double sum = 0, n = tr->loss_sentences ? (double)tr->loss_sentences : 1, begun = clock_seconds();
    Real *raw = tr->m.ps.values;
    if (tr->average) tr->m.ps.values = tr->average;
    Status s = OK;
    for (int c = 0; c < a->n_dev && s == OK; c++) {
        EvaluateOptions o = { .parse = parse_defaults(&tr->m), .n_threads = a->n_threads };
        int id = vocab_find(&tr->m.treebanks, a->dev[c].name);
        o.parse.treebank = id < 0 ? 0 : id;
        s = evaluate(&tr->m, &a->dev[c].trees, &o, &dev[c], e);
        sum += (tr->m.c.trees ? score_f1(&dev[c]) : 0) + (tr->m.c.arcs ? score_percent(dev[c].dep.nopunct.both, dev[c].dep.nopunct.words) : 0);
    }
    double score = a->n_dev ? sum / a->n_dev : 0;
    if (s == OK) {
        bool better = a->n_dev == 0 || score > tr->st.best;
        tr->st.last_score = score;
        strbuf_printf(&line,
                      "{\"epoch\": %.3f, \"updates\": %ld, \"seconds\": %.0f, \"lr\": %.3e, \"norm\": %.3f, \"loss\": {\"span\": %.4f, \"arc\": "
                      "%.4f, \"type\": %.4f, \"tag\": %.4f}, "
                      "\"sentences_per_s\": %.1f, \"check_s\": %.1f, \"score\": %.3f, \"best\": %s, \"dev\": {",
                      (double)tr->st.sentences / tr->n, tr->st.step, elapsed(tr), learning_rate(tr), tr->norm, tr->loss.hinge / n, tr->loss.head / n,
                      tr->loss.type / n, tr->loss.tag / n, (double)tr->st.sentences / elapsed(tr), clock_seconds() - begun, score,
                      better ? "true" : "false");
        if (a->progress) fprintf(stderr, "\r\033[K");
        fprintf(stderr, "epoch %.2f", (double)tr->st.sentences / tr->n);
        for (int c = 0; c < a->n_dev; c++) {
            fprintf(stderr, "  %s F1 %.2f UAS %.2f LAS %.2f tags %.2f", a->dev[c].name, score_f1(&dev[c]),
                    score_percent(dev[c].dep.nopunct.heads, dev[c].dep.nopunct.words),
                    score_percent(dev[c].dep.nopunct.both, dev[c].dep.nopunct.words), score_percent(dev[c].tags_right, dev[c].tags));
            strbuf_puts(&line, c ? ", " : "");
            strbuf_json(&line, a->dev[c].name, strlen(a->dev[c].name));
            strbuf_puts(&line, ": ");
            score_json(&dev[c], &line);
            if (line.len && line.ptr[line.len - 1] == '\n') line.ptr[--line.len] = 0;
        }
        strbuf_puts(&line, "}}\n");
        fprintf(stderr, "%s\n", better ? "  best" : "");
        s = log_line(tr, &line, e);
        if (better && s == OK) {
            tr->st.best = score;
            tr->st.best_epoch = tr->st.epoch;
            s = save_best(tr, dev, e);
        }
    }
    tr->m.ps.values = raw;
    tr->loss = (LossParts){ 0 };
    tr->loss_sentences = tr->loss_words = 0;
    strbuf_fini(&line);
    return s;
}

/* ---- the loop */

static void next_epoch(Trainer *tr)
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
    if (c->stop_after && s->epoch - 1 - s->best_epoch >= c->stop_after) s->done = 1;
}

static bool stop_asked(const Trainer *tr)
{
    return (tr->a->interrupted && *tr->a->interrupted) || (tr->a->stop_at_step && tr->st.step >= tr->a->stop_at_step);
}

static Status run_epoch(Trainer *tr, Error *e)
{
    const TrainConfig *c = &tr->a->train;
    long batches = (tr->n + c->batch_size - 1) / c->batch_size;
    rng_permutation(rng_key((uint64_t)c->seed, 0x0d, (uint64_t)tr->st.epoch, 0), tr->order, tr->n);
    double begun = clock_seconds(), shown = begun;
    long done = 0;
    while (tr->st.batch < batches) {
        int from = (int)tr->st.batch * c->batch_size, to = from + c->batch_size < tr->n ? from + c->batch_size : tr->n;
        Status s = update(tr, from, to, e);
        if (s != OK) return s;
        tr->st.batch++;
        done += to - from;
        double now = clock_seconds();
        if (tr->a->progress && now - shown > 0.5) {
            progress(tr, (double)done / (now - begun), batches);
            shown = now;
        }
        long checks = c->checks_per_epoch;
        if (tr->st.batch * checks / batches != (tr->st.batch - 1) * checks / batches) {
            s = check_dev(tr, e);
            if (s == OK) s = save_checkpoint(tr, e);
            if (s != OK) return s;
        }
        if (stop_asked(tr)) {
            s = save_checkpoint(tr, e);
            return s != OK ? s
                           : error_set(e, ERR_INTERRUPTED, "stopped behind update %ld%s%s", tr->st.step,
                                       tr->a->checkpoint ? "; go on with --resume " : "", tr->a->checkpoint ? tr->a->checkpoint : "");
        }
    }
    next_epoch(tr);
    return OK;
}

static Real *slab(size_t size)
{
    Real *p = mem_aligned(size, sizeof *p);
    if (p) memset(p, 0, size * sizeof *p);
    return p;
}

static Status allocate(Trainer *tr, Error *e)
{
    const TrainArgs *a = tr->a;
    tr->grads = slab(tr->m.ps.trained);
    tr->adam_m = slab(tr->m.ps.trained);
    tr->adam_v = slab(tr->m.ps.trained);
    bool ok = tr->grads && tr->adam_m && tr->adam_v;
    if (a->train.average > 0) ok = ok && (tr->average = slab(tr->m.ps.size));
    tr->order = mem_calloc((size_t)tr->n, sizeof *tr->order);
    tr->cut = mem_calloc((size_t)a->train.batch_size + 2, sizeof *tr->cut);
    tr->turn = turn_new();
    tr->workers = mem_calloc((size_t)a->n_threads, sizeof *tr->workers);
    ok = ok && tr->order && tr->cut && tr->turn && tr->workers;
    for (int k = 0; ok && k < a->n_threads; k++) {
        TrainWorker *w = &tr->workers[k];
        tape_init(&w->tape, kernels_cpu());
        lexicon_init(&w->lexicon, &tr->m);
        arena_init(&w->scratch, (size_t)1 << 20);
        ok = (w->grads = slab(tr->m.ps.trained)) != NULL;
    }
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory for %zu parameters in training", tr->m.ps.size);
}

static void release(Trainer *tr)
{
    for (int k = 0; tr->workers && k < tr->a->n_threads; k++) {
        tape_fini(&tr->workers[k].tape);
        lexicon_fini(&tr->workers[k].lexicon);
        arena_fini(&tr->workers[k].scratch);
        mem_free(tr->workers[k].grads);
    }
    mem_free(tr->workers);
    mem_free(tr->grads);
    mem_free(tr->adam_m);
    mem_free(tr->adam_v);
    mem_free(tr->average);
    mem_free(tr->order);
    mem_free(tr->cut);
    turn_free(tr->turn);
    model_fini(&tr->m);
    arena_fini(&tr->arena);
}

static Status start(Trainer *tr, Error *e)
{
    const TrainArgs *a = tr->a;
    Status s;
    char *state = NULL;
    WordVectors vectors = { 0 };
    if (a->resume) {
        s = model_load(&tr->m, a->resume, &state, e);
        if (s == OK) s = read_state(tr, state, e);
        if (s == OK) s = prepare(tr, false, e);
        if (s == OK && tr->n != tr->expected)
            s = error_set(e, ERR_USAGE, "--resume: found %d training sentences, expected the %ld the run began with", tr->n, tr->expected);
    } else {
        tr->m.c = a->model;
        s = model_vocabs_start(&tr->m, e);
        if (s == OK && a->vectors) s = word_vectors_read(&vectors, &tr->m.vectors, a->vectors, a->vectors_most, e);
        if (s == OK) tr->m.c.d_vectors = vectors.d;
        if (s == OK) s = prepare(tr, true, e);
        if (s == OK) s = model_build(&tr->m, e);
        if (s == OK && vectors.d)
            memcpy(param_values(&tr->m.ps, tr->m.net.embedding.vectors), vectors.values,
                   (size_t)vocab_size(&tr->m.vectors) * (size_t)vectors.d * sizeof(Real));
        if (s == OK) network_init(&tr->m.net, &tr->m.ps, (unsigned long)a->train.seed);
        int k = s == OK && a->treebank ? vocab_find(&tr->m.treebanks, a->treebank) : 0;
        if (k < 0) s = error_set(e, ERR_USAGE, "--treebank: found '%s', expected the name of a training treebank", a->treebank);
        tr->m.default_treebank = k;
    }
    mem_free(state);
    word_vectors_fini(&vectors);
    if (s == OK) s = allocate(tr, e);
    if (s == OK && a->resume) {
        ExtraSlab list[3];
        s = model_load_extra(&tr->m, a->resume, list, slabs(tr, list), e);
    }
    if (s == OK && tr->average) { /* on resuming, only what is trained was saved */
        size_t from = a->resume ? tr->m.ps.trained : 0;
        memcpy(tr->average + from, tr->m.ps.values + from, (tr->m.ps.size - from) * sizeof *tr->average);
    }
    return s;
}

Status train(const TrainArgs *a, Error *e)
{
    Trainer tr = { .a = a, .st = { .best = -1, .last_score = -1, .lr_factor = 1 } };
    model_init(&tr.m);
    arena_init(&tr.arena, (size_t)1 << 20);
    tr.started = clock_seconds();
    Status s = check_outputs(&tr, e);
    if (s == OK) s = start(&tr, e);
    if (s == OK) {
        fprintf(stderr, "%d sentences (%d longer than %d words left out), %d words, %d labels, %d types, %d tags, %.2f million parameters\n", tr.n,
                tr.skipped, a->train.max_train_words, vocab_size(&tr.m.words), vocab_size(&tr.m.labels), vocab_size(&tr.m.types),
                vocab_size(&tr.m.tags), (double)params_total(&tr.m.ps) / 1e6);
        fprintf(stderr, "joint spans: %d groups left flat, %d phrases with more than one head, %d trees without a phrase\n", tr.flat, tr.extra_heads,
                tr.bare);
        while (s == OK && tr.st.epoch < a->train.epochs && !tr.st.done) s = run_epoch(&tr, e);
    }
    release(&tr);
    return s;
}
