/* Start, the loop, the end */
#include "parser/train/run/train.h"

#include <string.h>

#include "base/rng.h"
#include "base/thread.h"
#include "embeddings/word_vectors.h"
#include "lal/decoder.h"
#include "parser/model/head_inputs.h"
#include "parser/model/import.h"
#include "parser/train/run/run.h"

static Status make_slabs(Trainer *tr, const Device *d, OptimizerConfig c, Error *e)
{
    Error own = { 0 };
    Status s = optimizer_init(&tr->optimizer, &tr->m.ps, d, c, &own);
    if (s == ERR_NOMEM) error_set(e, s, "%s; lower --threads, or the sizes of the model", own.message);
    else if (s != OK) *e = own;
    return s;
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
                           .lanes = c->lanes / group_size(a->group),
                           .average = c->average };
    const Device *d = a->device ? a->device : device_default();
    Status s = d->start(a->n_threads, true, e);
    if (s == OK) s = make_slabs(tr, d, oc, e);
    if (s != OK) return s;
    tr->order = mem_calloc((size_t)tr->n_epoch, sizeof *tr->order);
    tr->cut = mem_calloc((size_t)a->train.batch_size + 2, sizeof *tr->cut);
    tr->parts = mem_calloc((size_t)a->train.batch_size + 1, sizeof *tr->parts);
    tr->told = group_size(a->group) > 1 ? mem_calloc(trainer_told_size(tr), (size_t)group_size(a->group)) : NULL;
    tr->workers = mem_calloc((size_t)a->n_threads, sizeof *tr->workers);
    if (!tr->order || !tr->cut || !tr->parts || !tr->workers || (group_size(a->group) > 1 && !tr->told))
        return error_set(e, ERR_NOMEM, "out of memory for %d sentences in training", tr->n);
    for (int k = 0; k < a->n_threads; k++) worker_init(&tr->workers[k], &tr->m, d);
    if (!c->rounded) return OK;
    if (a->store == DT_F32)
        return error_set(e, ERR_CONFIG, "rounded: found weights stored as f32 (--store), expected fewer bits");
    if (!d->host_memory) return error_set(e, ERR_CONFIG, "rounded: found the device %s, expected cpu", d->name);
    tr->exact = mem_calloc(tr->m.ps.size, sizeof *tr->exact);
    tr->rounding = mem_calloc(tr->m.ps.size, sizeof *tr->rounding);
    return tr->exact && tr->rounding ? OK : error_set(e, ERR_NOMEM, "out of memory for rounded weights");
}

static void release(TrainRun *run)
{
    Trainer *tr = &run->tr;
    for (int k = 0; tr->workers && k < tr->a->n_threads; k++) worker_fini(&tr->workers[k]);
    mem_free(tr->workers);
    mem_free(tr->exact);
    mem_free(tr->rounding);
    mem_free(tr->order);
    mem_free(tr->cut);
    mem_free(tr->parts);
    mem_free(tr->told);
    trainer_unlock_outputs(run);
    trainer_syntax_fini(tr);
    if (tr->task->end) tr->task->end(tr);
    optimizer_fini(&tr->optimizer);
    model_fini(&tr->m);
    model_fini(&run->published);
    arena_fini(&tr->arena);
}

/* The sentences of each word, if a pattern of the model's heads needs them. */
static Status count_df(Trainer *tr, Error *e)
{
    bool ok = true;
    const Network *net = &tr->m.net;
    if (!head_plan_needs_df(&net->encoder.plan) && !head_plan_needs_df(&network_decoder(net)->plan[DECODER_CROSS]))
        return OK;
    for (int k = 0; k < tr->n && ok; k++) {
        const Sentence *sent = tr->ex[k].s->source ? tr->ex[k].s->source->words : tr->ex[k].s;
        ok = head_inputs_count(&tr->m.df, (const char *const *)sent->words, sent->n_words);
    }
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory counting words");
}

/* A new model, its vocabularies counted on the data, its weights drawn. */
static Status start_fresh(TrainRun *run, Error *e)
{
    Trainer *tr = &run->tr;
    const TrainArgs *a = tr->a;
    Model *m = &tr->m, from;
    WordVectors vectors = { 0 };
    model_init(&from);
    if (a->options) m->options = *a->options;
    if (!a->init) m->c.trees = m->c.arcs = false; /* until a sentence has them */
    Status s = model_vocabs_start(m, e);
    if (s == OK) s = a->init ? trainer_init_model(tr, &from, e) : trainer_start_model(tr, &from, e);
    if (s == OK && a->vectors) s = word_vectors_read(&vectors, &m->vectors, a->vectors, a->vectors_most, e);
    if (s == OK && !a->init) m->c.d_vectors = vectors.d;
    if (s == OK) s = tr->task->examples(tr, true, e);
    if (s == OK && m->c.pretrained_layers && !m->pretrained.d_model)
        s = error_set(e, ERR_USAGE,
                      "found --pretrained-layers %d and no pretrained encoder, expected --pretrained FILE",
                      m->c.pretrained_layers);
    if (s == OK && m->c.pretrained_d_ff && !m->pretrained.d_model)
        s = error_set(e, ERR_USAGE, "found --pretrained-d-ff %d and no pretrained encoder, expected --pretrained FILE",
                      m->c.pretrained_d_ff);
    if (s == OK) s = model_build(m, e);
    if (s == OK) s = count_df(tr, e);
    if (s == OK && vectors.d)
        memcpy(param_values(&m->ps, m->net.embedding.vectors), vectors.values,
               (size_t)vocab_size(&m->vectors) * (size_t)vectors.d * sizeof(Real));
    word_vectors_fini(&vectors);
    if (s == OK) network_init(&m->net, &m->ps, (unsigned long)a->train.seed);
    if (s == OK) s = import_weights(&run->published, m, e);
    if (s == OK) s = a->init ? trainer_init_weights(run, &from, e) : trainer_start_weights(tr, &from, e);
    model_fini(&from);
    return s;
}

/* The model and the counters of a checkpoint. */
static Status start_resumed(TrainRun *run, Error *e)
{
    Trainer *tr = &run->tr;
    char *state = NULL;
    Status s = model_load(&tr->m, tr->a->resume, &state, e);
    if (s == OK) s = model_check_same(&tr->m, run->configured, tr->a->resume, e);
    if (s == OK) s = model_check_same(&tr->m, tr->a->checksum, tr->a->resume, e);
    if (s == OK) s = trainer_read_state(run, state, e);
    if (s == OK) s = tr->task->examples(tr, false, e);
    mem_free(state);
    return s;
}

static void put_warmup(const Trainer *tr, const char *option, long asked, StrBuf *out)
{
    long warmup = trainer_warmup(tr, asked);
    if (warmup != asked)
        strbuf_printf(out, "%s %ld shortened to %ld: the run has %ld update%s\n", option, asked, warmup,
                      trainer_updates(tr), trainer_updates(tr) == 1 ? "" : "s");
}

static void report_start(Trainer *tr)
{
    TrainCounts *c = &tr->counts;
    StrBuf sizes = { 0 }, notes = { 0 };
    if (tr->task->put_sizes) tr->task->put_sizes(tr, &sizes);
    if (tr->task->put_notes) tr->task->put_notes(tr, &notes);
    put_warmup(tr, "--warmup", tr->a->train.warmup, &notes);
    if (tr->m.c.pretrained_layers) put_warmup(tr, "--pretrained-warmup", tr->a->train.pretrained_warmup, &notes);
    c->sentences = tr->n;
    c->epoch = tr->n_epoch;
    c->max_words = tr->task->any_length ? 0 : tr->a->train.max_train_words;
    c->words = vocab_size(&tr->m.words) - N_RESERVED;
    c->parameters = params_total(&tr->m.ps);
    c->sizes = sizes.ptr ? sizes.ptr : "";
    c->notes = notes.ptr ? notes.ptr : "";
    trainer_report(tr, &(TrainEvent){ .kind = TRAIN_STARTED, .started = *c });
    c->sizes = c->notes = NULL;
    strbuf_fini(&sizes);
    strbuf_fini(&notes);
}

static Status start(TrainRun *run, Error *e)
{
    Trainer *tr = &run->tr;
    Status s = trainer_check_lanes(tr, e);
    if (s == OK && tr->task->begin) s = tr->task->begin(tr, e);
    if (s == OK) s = trainer_check_outputs(run, e);
    if (s == OK) s = trainer_start_config(run, e);
    if (s == OK) s = trainer_groups(tr, e);
    if (s == OK) s = tr->a->resume ? start_resumed(run, e) : start_fresh(run, e);
    if (s == OK) s = trainer_check_groups(tr, e);
    if (s == OK) s = trainer_mix(tr, e);
    if (s == OK && tr->a->resume) s = trainer_check_state(run, e);
    if (s == OK) s = trainer_syntax_start(tr, e);
    if (s == OK) s = trainer_note_data(run, e);
    if (s == OK) s = trainer_same(tr, run->hash.text, sizeof run->hash.text, "options or data", e);
    if (s == OK && !tr->a->resume) s = head_inputs_check_targets(&tr->m.options, tr->a->corpora, tr->a->n_corpora, e);
    for (int k = 0; k < tr->m.ps.n_groups && s == OK; k++)
        tr->m.ps.group[k].warmup = trainer_warmup(tr, tr->m.ps.group[k].warmup);
    if (s == OK) s = allocate(tr, e);
    if (s == OK && tr->a->resume) s = trainer_load_slabs(tr, e);
    if (s == OK) s = trainer_reserve(tr, e);
    if (s != OK) return s;
    report_start(tr);
    return OK;
}

/* ---- the loop */

/* Is the batch just done one after which dev is checked? checks_per_epoch of them are, the last one too. */
static bool check_due(const Trainer *tr, long batches)
{
    long checks = tr->a->train.checks_per_epoch, b = tr->st.batch;
    return b * checks / batches != (b - 1) * checks / batches;
}

static bool stop_asked(const Trainer *tr)
{
    bool interrupted = tr->told ? tr->told_to_stop : tr->a->interrupted && *tr->a->interrupted;
    return interrupted || (tr->a->stop_at_step && tr->st.step >= tr->a->stop_at_step);
}

static Status stop(TrainRun *run, Error *e)
{
    Trainer *tr = &run->tr;
    Status s = trainer_save_checkpoint(run, e);
    if (s != OK) return s;
    trainer_report(tr, &(TrainEvent){ .kind = TRAIN_STOPPED, .stopped = { tr->st.step, tr->a->checkpoint } });
    return error_set(e, ERR_INTERRUPTED, "stopped after update %ld", tr->st.step);
}

static Status run_epoch(TrainRun *run, Error *e)
{
    Trainer *tr = &run->tr;
    const TrainConfig *c = &tr->a->train;
    long batches = trainer_batches(tr), done = 0;
    if (!trainer_epoch(tr)) return error_set(e, ERR_NOMEM, "out of memory for an epoch");
    Status made = tr->st.batch == 0 ? trainer_syntax_epoch(tr, e) : OK;
    if (made != OK) return made;
    double start = clock_seconds();
    while (tr->st.batch < batches && !trainer_updates_done(tr)) {
        int from = (int)tr->st.batch * c->batch_size,
            to = from + c->batch_size < tr->n_epoch ? from + c->batch_size : tr->n_epoch;
        Status s = trainer_update(tr, from, to, e);
        if (s != OK) return s;
        tr->st.batch++;
        done += to - from;
        trainer_report_progress(tr, (double)done / (clock_seconds() - start));
        if (check_due(tr, batches) || trainer_updates_done(tr)) {
            s = trainer_check(run, e);
            if (s == OK) s = trainer_save_checkpoint(run, e);
            if (s != OK) return s;
        }
        double every = tr->a->checkpoint_every;
        s = every > 0 && clock_seconds() - run->saved > every ? trainer_save_checkpoint(run, e) : OK;
        if (s != OK) return s;
        if (stop_asked(tr)) return stop(run, e);
    }
    if (tr->st.batch >= batches) trainer_next_epoch(tr);
    return OK;
}

static void report_end(const TrainRun *run, Status s)
{
    const Trainer *tr = &run->tr;
    TrainEnd end = { .reason = s == ERR_INTERRUPTED        ? TRAIN_END_STOPPED
                               : tr->st.done == STOP_GATES ? TRAIN_END_GATES
                               : tr->st.done               ? TRAIN_END_EARLY
                                                           : TRAIN_END_EPOCHS,
                     .epoch = trainer_epochs(tr),
                     .seconds = trainer_elapsed(tr),
                     .stop_after = tr->a->train.stop_after,
                     .summary = tr->m.summary,
                     .out = tr->a->out,
                     .oracle = tr->syntax == SYNTAX_GOLD,
                     .written = run->written };
    trainer_report(tr, &(TrainEvent){ .kind = TRAIN_ENDED, .ended = end });
}

static void init(TrainRun *run, const TrainArgs *a)
{
    Trainer *tr = &run->tr;
    *run = (TrainRun){ .tr = { .a = a, .st = { .best = -1, .last_score = -1, .lr_factor = 1 } } };
    model_init(&tr->m);
    model_init(&run->published);
    if (a->task) tr->m.task = a->task;
    tr->task = task_training(tr->m.task);
    arena_init(&tr->arena, (size_t)1 << 20);
    treebank_init(&tr->parses);
    treebank_init(&tr->dev_parses);
    tr->started = run->saved = clock_seconds();
}

Status trainer_score(const TrainArgs *args, int width, double *each, Error *error)
{
    TrainRun run;
    Trainer *tr = &run.tr;
    init(&run, args);
    tr->only_scores = true;
    Status s = tr->task->begin ? tr->task->begin(tr, error) : OK;
    if (s == OK) s = model_load(&tr->m, args->out, NULL, error);
    if (s == OK) s = tr->task->examples(tr, false, error);
    if (s == OK) s = trainer_mix(tr, error);
    if (s == OK) s = trainer_syntax_start(tr, error);
    if (s == OK) s = allocate(tr, error);
    for (int k = 0; k < args->n_dev && s == OK; k++) {
        DevScores scores = { .each = each };
        s = tr->task->score(tr, k, &scores, error);
        each += (size_t)args->dev[k].trees.n * (size_t)width;
    }
    release(&run);
    return s;
}

Status trainer_run(const TrainArgs *args, Error *error)
{
    TrainRun run;
    const Trainer *tr = &run.tr;
    init(&run, args);
    Status s = start(&run, error);
    while (s == OK && tr->st.epoch < args->train.epochs && !tr->st.done && !trainer_updates_done(tr))
        s = run_epoch(&run, error);
    if (s == OK || s == ERR_INTERRUPTED) report_end(&run, s);
    release(&run);
    return s;
}
