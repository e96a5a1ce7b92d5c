/* parser/train/train.c: data, memory and the loop */
#include "parser/train/train.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "embeddings/word_vectors.h"
#include "parser/train/trainer.h"
#include "treebank/oracle.h"

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
    for (int k = 0; t && k < t->n; k++)
        ok = ok && vocab_count(&m->labels, t->nodes[k].label, strlen(t->nodes[k].label), 1) >= 0;
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
        int id = count ? vocab_count(&tr->m.treebanks, corpus->name, strlen(corpus->name), corpus->trees.n)
                       : vocab_find(&tr->m.treebanks, corpus->name);
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
        if (!gold_make(&tr->m, tr->ex[k].s, trees[k], &tr->arena, &tr->ex[k].gold))
            st = error_set(e, ERR_NOMEM, "out of memory for the training data");
    return st;
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
        Status s = trainer_update(tr, from, to, e);
        if (s != OK) return s;
        tr->st.batch++;
        done += to - from;
        double now = clock_seconds();
        if (tr->a->progress && now - shown > 0.5) {
            trainer_progress(tr, (double)done / (now - begun), batches);
            shown = now;
        }
        long checks = c->checks_per_epoch;
        if (tr->st.batch * checks / batches != (tr->st.batch - 1) * checks / batches) {
            s = trainer_check(tr, e);
            if (s == OK) s = trainer_save(tr, e);
            if (s != OK) return s;
        }
        if (stop_asked(tr)) {
            s = trainer_save(tr, e);
            return s != OK ? s
                           : error_set(e, ERR_INTERRUPTED, "stopped behind update %ld%s%s", tr->st.step,
                                       tr->a->checkpoint ? "; go on with --resume " : "",
                                       tr->a->checkpoint ? tr->a->checkpoint : "");
        }
    }
    next_epoch(tr);
    return OK;
}

/* The weights have their initial values. */
static Status allocate(Trainer *tr, Error *e)
{
    const TrainArgs *a = tr->a;
    const TrainConfig *c = &a->train;
    OptimizerConfig oc = { .n_threads = a->n_threads,
                           .beta1 = c->beta1,
                           .beta2 = c->beta2,
                           .eps = c->adam_eps,
                           .clip = c->clip,
                           .average = c->average };
    Status s = optimizer_init(&tr->optimizer, &tr->m.ps, kernels_cpu(), oc, e);
    if (s != OK) return s;
    tr->order = mem_calloc((size_t)tr->n, sizeof *tr->order);
    tr->cut = mem_calloc((size_t)a->train.batch_size + 2, sizeof *tr->cut);
    tr->parts = mem_calloc((size_t)a->train.batch_size + 1, sizeof *tr->parts);
    tr->workers = mem_calloc((size_t)a->n_threads, sizeof *tr->workers);
    bool ok = tr->order && tr->cut && tr->parts && tr->workers;
    for (int k = 0; ok && k < a->n_threads; k++) {
        TrainWorker *w = &tr->workers[k];
        tape_init(&w->tape, kernels_cpu());
        lexicon_init(&w->lexicon, model_lexicon(&tr->m));
        arena_init(&w->scratch, (size_t)1 << 20);
    }
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory for %d sentences in training", tr->n);
}

static void release(Trainer *tr)
{
    for (int k = 0; tr->workers && k < tr->a->n_threads; k++) {
        tape_fini(&tr->workers[k].tape);
        lexicon_fini(&tr->workers[k].lexicon);
        arena_fini(&tr->workers[k].scratch);
    }
    mem_free(tr->workers);
    mem_free(tr->order);
    mem_free(tr->cut);
    mem_free(tr->parts);
    optimizer_fini(&tr->optimizer);
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
        if (s == OK) s = trainer_read_state(tr, state, e);
        if (s == OK) s = prepare(tr, false, e);
        if (s == OK) s = trainer_check_state(tr, e);
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
        if (k < 0)
            s = error_set(e, ERR_USAGE, "--treebank: found '%s', expected the name of a training treebank",
                          a->treebank);
        tr->m.default_treebank = k;
    }
    mem_free(state);
    word_vectors_fini(&vectors);
    if (s == OK) s = allocate(tr, e);
    return s == OK && a->resume ? trainer_load_slabs(tr, e) : s;
}

Status train(const TrainArgs *a, Error *e)
{
    Trainer tr = { .a = a, .st = { .best = -1, .last_score = -1, .lr_factor = 1 } };
    model_init(&tr.m);
    arena_init(&tr.arena, (size_t)1 << 20);
    tr.started = clock_seconds();
    Status s = trainer_check_outputs(&tr, e);
    if (s == OK) s = start(&tr, e);
    if (s == OK) {
        fprintf(stderr,
                "%d sentences (%d longer than %d words left out), %d words, %d labels, %d types, %d tags, %.2f million "
                "parameters\n",
                tr.n, tr.skipped, a->train.max_train_words, vocab_size(&tr.m.words), vocab_size(&tr.m.labels),
                vocab_size(&tr.m.types), vocab_size(&tr.m.tags), (double)params_total(&tr.m.ps) / 1e6);
        fprintf(stderr,
                "joint spans: %d groups left flat, %d phrases with more than one head, %d trees without a phrase\n",
                tr.flat, tr.extra_heads, tr.bare);
        while (s == OK && tr.st.epoch < a->train.epochs && !tr.st.done) s = run_epoch(&tr, e);
    }
    release(&tr);
    return s;
}
