/* The runs of a plan, one after the other */
#include "program/ablate/ablate.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lock.h"
#include "base/thread.h"
#include "program/ablate/ablate_internal.h"

/* What a run needs. */
typedef enum Work {
    WORK_NONE,      /* finished, or failed */
    WORK_WAITS,     /* for a run that it needs */
    WORK_SCORES,    /* trained, but not scored on this test data; of a fold: its block is not parsed */
    WORK_CONTINUES, /* its training was interrupted */
    WORK_TRAINS
} Work;

typedef struct Context {
    const AblateArgs *a;
    Ablation *out;
    char test[17];     /* hash of the test data; "" without test data */
    int to_make, made; /* runs, in this call */
    bool first_pass;   /* its parses are made */
    bool folds;        /* are counted in to_make */
    bool fold;         /* the present run is a fold */
    double started;
    /* of the present run */
    const AblateVariant *v;
    long seed;
    AblateRun *run;
    AblateFolder folder;
    int number;
    int epoch_sentences;
    double epochs;
} Context;

/* ---- events */

static void tell(const Context *c, AblateEvent event)
{
    const AblateObserver *o = &c->a->observer;
    event.variant = c->v;
    event.seed = c->seed;
    event.number = c->number;
    event.of = c->a->plan->n * c->a->plan->n_seeds;
    if (o->event) o->event(o->context, &event);
}

static void take_training(void *context, const TrainEvent *event)
{
    Context *c = context;
    double share = 0;
    if (event->kind == TRAIN_STARTED) c->epoch_sentences = event->started.epoch;
    if (event->kind == TRAIN_PROGRESS) share = event->progress.epoch / event->progress.epochs;
    if (event->kind == TRAIN_ENDED) {
        c->run->seconds = event->ended.seconds;
        c->epochs = event->ended.epoch;
    }
    tell(c, (AblateEvent){ .kind = ABLATE_TRAINS, .train = event, .share = (c->made + share) / c->to_make });
}

/* ---- what is there */

/* What scores depend on besides the model: the test data, and whether the model is pruned. */
typedef struct Scored {
    char text[32];
} Scored;

static Scored scored(const Context *c)
{
    Scored x;
    snprintf(x.text, sizeof x.text, "%s%s", c->test, c->v->prune ? " pruned" : "");
    return x;
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

/* The checksums of the models that the run needs, each or NULL. false if a run that it needs is not finished. */
static bool needed_models(const Context *c, int seed, const char *models[ABLATE_NEEDS])
{
    int needs[ABLATE_NEEDS];
    bool finished = true;
    ablate_plan_needs(c->a->plan, (int)(c->v - c->a->plan->variants), needs);
    for (int k = 0; k < ABLATE_NEEDS; k++) {
        const AblateRun *r = needs[k] < 0 ? NULL : ablation_run(c->out, needs[k], seed);
        models[k] = r ? r->model : NULL;
        finished = finished && (!r || r->state == ABLATE_FINISHED);
    }
    return finished;
}

/* What training left, if it ended: *known. A process that was killed then may not have removed the checkpoint. */
static Status read_trained(const Context *c, bool *known, Error *e)
{
    Status s = ablate_read_trained(&c->folder, c->run, known, e);
    if (s == OK && *known && !c->a->only_read) remove(c->folder.checkpoint);
    return s;
}

/* Reads what the folder holds; *work becomes what is to do. change: why the run is trained again, if it is. */
static Status examine(Context *c, int seed, Work *work, cJSON **record, StrBuf *change, Error *e)
{
    const char *models[ABLATE_NEEDS];
    cJSON *saved = NULL;
    bool known = false;
    AblateRun *r = c->run;
    mem_free(r->each);
    *r = (AblateRun){ .rho = -1 };
    *record = NULL;
    *work = WORK_WAITS;
    if (!needed_models(c, seed, models)) return OK;
    *work = WORK_TRAINS;
    *record = ablate_record(c->a, c->v, c->seed, models);
    if (!*record) return error_set(e, ERR_NOMEM, "out of memory for a run");
    Status s = ablate_read_json(c->folder.run, &saved, e);
    bool there = s == OK && saved;
    if (there) s = ablate_record_change(saved, *record, change, e);
    cJSON_Delete(saved);
    if (s != OK || !there || change->len) return s;
    s = read_trained(c, &known, e);
    if (s == OK && !known) *work = exists(c->folder.checkpoint) ? WORK_CONTINUES : WORK_TRAINS;
    if (s != OK || !known) return s;
    *work = WORK_NONE;
    if (r->state == ABLATE_FAILED) return OK;
    s = ablate_read_scores(&c->folder, c->a->plan->measure, r, c->out->n_dev, c->out->n_test, scored(c).text, &known,
                           e);
    if (s != OK || known) return s;
    *work = exists(c->folder.model) ? WORK_SCORES : WORK_TRAINS;
    if (*work == WORK_TRAINS) strbuf_puts(change, "other test data, and its model was removed");
    return OK;
}

/* ---- training */

static Status write_record(const Context *c, const cJSON *record, Error *e)
{
    char *text = json_print(record);
    StrBuf out = { 0 };
    if (!text) return error_set(e, ERR_NOMEM, "out of memory for a run");
    strbuf_printf(&out, "%s\n", text);
    Status s = file_write(c->folder.run, &out, e);
    strbuf_fini(&out);
    cJSON_free(text);
    return s;
}

TrainArgs ablate_train_args(const AblateArgs *a, const AblateVariant *v, const EncoderOptions *options)
{
    return (TrainArgs){ .task = a->plan->measure->task,
                        .task_options = a->task_options,
                        .model = v->model,
                        .train = v->train,
                        .options = options,
                        .corpora = a->train,
                        .n_corpora = a->n_train,
                        .dev = a->dev,
                        .n_dev = a->n_dev,
                        .device = a->device,
                        .n_threads = a->n_threads,
                        .store = DT_F32,
                        .interrupted = a->interrupted };
}

/* Training that ends with a number that is not finite is a result; other errors end the plan. */
static Status train(Context *c, bool resume, const EncoderOptions *options, const char *start, Error *e)
{
    const AblateData *data = &c->a->plan->data;
    TrainArgs t = ablate_train_args(c->a, c->v, options);
    t.out = c->folder.model;
    t.checkpoint = c->folder.checkpoint;
    t.resume = resume ? c->folder.checkpoint : NULL;
    t.log = c->folder.log;
    t.start_from = start;
    t.pretrained = start || !data->pretrained.n ? NULL : data->pretrained.item[0]; /* `start` has its encoder */
    t.vectors = data->vectors.n ? data->vectors.item[0] : NULL;
    t.stop_at_step = c->a->stop_at_step;
    t.observer = (TrainObserver){ take_training, c };
    Error why = { 0 };
    t.train.seed = c->seed;
    c->epochs = 0;
    Status s = trainer_run(&t, &why);
    if (s == ERR_NUMERIC) {
        error_text(&why, c->run->failed, sizeof c->run->failed);
        c->run->state = ABLATE_FAILED;
        s = OK;
    } else if (s == OK) s = ablate_read_losses(c->folder.log, c->a->plan->measure, c->run, &why);
    if (s != OK) {
        *e = why;
        return s;
    }
    c->run->trained_sentences = (long)(c->epochs * c->epoch_sentences + 0.5);
    s = ablate_write_trained(&c->folder, c->run, e);
    if (s == OK) remove(c->folder.checkpoint);
    return s;
}

/* Files of an earlier run; the log would be appended to. */
static void remove_files(const AblateFolder *f)
{
    const char *const files[] = { f->scores, f->sentences, f->trained, f->checkpoint,
                                  f->log,    f->model,     f->pruned,  f->parses };
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) remove(files[k]);
}

/* ---- training and scoring a run */

static bool is_interrupted(const Context *c) { return c->a->interrupted && *c->a->interrupted; }

/* Would a run end after max_hours, by the mean time of those that are finished? */
static bool out_of_time(const Context *c)
{
    const Ablation *out = c->out;
    double sum = 0, n = 0;
    for (int k = 0; k < out->plan->n * out->plan->n_seeds; k++) {
        if (out->runs[k].state != ABLATE_FINISHED) continue;
        sum += out->runs[k].seconds + out->runs[k].scoring;
        n++;
    }
    return c->a->max_hours > 0 && n > 0 && clock_seconds() - c->started + sum / n > 3600 * c->a->max_hours;
}

static void tell_start(const Context *c, Work work, const StrBuf *change)
{
    StrBuf why = { 0 };
    if (change->len) strbuf_printf(&why, "%s: trained again", change->ptr);
    else if (work == WORK_CONTINUES) strbuf_puts(&why, "continued");
    else if (work == WORK_SCORES) strbuf_puts(&why, c->fold ? "parses only" : "scored only");
    tell(c, (AblateEvent){ .kind = ABLATE_STARTS, .why = why.len ? why.ptr : "" });
    strbuf_fini(&why);
}

/* Trains the run, unless it only has to be scored. seed: its number; of a fold, which needs no other run, any. */
static Status train_run(Context *c, int seed, Work work, const cJSON *record, const StrBuf *change, Error *e)
{
    EncoderOptions options;
    const char *start = NULL;
    Arena arena;
    tell_start(c, work, change);
    arena_init(&arena, 4096);
    Status s = ablate_folder(&c->folder, c->a->out, c->v, c->seed, true, e);
    if (s == OK && work == WORK_TRAINS) {
        remove_files(&c->folder);
        s = write_record(c, record, e);
    }
    if (s == OK && work != WORK_SCORES) s = ablate_resolve(c->a, c->v, seed, &arena, &options, &start, e);
    if (s == OK && work != WORK_SCORES) s = train(c, work == WORK_CONTINUES, &options, start, e);
    arena_fini(&arena);
    return s;
}

static Status make(Context *c, int seed, Work work, const cJSON *record, const StrBuf *change, Error *e)
{
    Status s = train_run(c, seed, work, record, change, e);
    if (s == OK && c->run->state != ABLATE_FAILED) {
        tell(c, (AblateEvent){ .kind = ABLATE_SCORES });
        s = ablate_score(c->a, c->out, c->v, &c->folder, scored(c).text, c->run, e);
    }
    if (s == OK) tell(c, (AblateEvent){ .kind = ABLATE_ENDS, .run = c->run });
    c->made++;
    return s;
}

/* ---- the first pass */

/* What a fold needs; its folder was chosen. */
static Status examine_fold(Context *c, Work *work, cJSON **record, StrBuf *change, Error *e)
{
    static const char *const none[ABLATE_NEEDS] = { NULL };
    cJSON *saved = NULL;
    bool known = false;
    *work = WORK_TRAINS;
    *record = ablate_record(c->a, c->v, c->seed, none);
    if (!*record) return error_set(e, ERR_NOMEM, "out of memory for a fold");
    Status s = ablate_read_json(c->folder.run, &saved, e);
    if (s == OK && saved) s = ablate_record_change(saved, *record, change, e);
    if (s == OK && saved && !change->len) {
        s = read_trained(c, &known, e);
        if (!known && exists(c->folder.checkpoint)) *work = WORK_CONTINUES;
        if (known && exists(c->folder.model)) *work = WORK_SCORES; /* older versions wrote no trees */
        if (known && (c->run->failed[0] || exists(c->folder.parses))) *work = WORK_NONE;
    }
    cJSON_Delete(saved);
    return s;
}

/* Makes a fold, unless it is there; *folder becomes its files. */
static Status make_fold(Context *c, int fold, AblateFolder *folder, Error *e)
{
    const AblatePlan *p = c->a->plan;
    AblateArgs args = *c->a;
    AblateVariant v = p->variants[p->first_pass];
    AblateRun run = { 0 };
    Context f = *c;
    Corpus corpora[OPTION_LIST_MAX];
    Arena arena;
    Work work = WORK_NONE;
    cJSON *record = NULL;
    StrBuf change = { 0 };
    arena_init(&arena, 4096);
    v.name = ABLATE_FIRST_PASS;
    args.train = corpora;
    f.a = &args;
    f.v = &v;
    f.seed = p->seeds[0] + fold;
    f.run = &run;
    f.fold = true;
    Status s = ablate_fold(c->a, fold, corpora, &arena, e);
    if (s == OK) s = ablate_folder(&f.folder, args.out, &v, f.seed, false, e);
    if (s == OK) s = examine_fold(&f, &work, &record, &change, e);
    if (s == OK && work != WORK_NONE) {
        c->out->out_of_time = out_of_time(c);
        if (!c->out->out_of_time) s = train_run(&f, 0, work, record, &change, e);
    }
    if (s == OK && run.failed[0]) s = error_set(e, ERR_NUMERIC, "the first pass failed: %s", run.failed);
    if (s == OK && work != WORK_NONE && !c->out->out_of_time) {
        s = ablate_fold_parse(c->a, fold, f.folder.model, f.folder.parses, e);
        if (s == OK) tell(&f, (AblateEvent){ .kind = ABLATE_ENDS, .run = &run });
    }
    c->made++;
    *folder = f.folder;
    cJSON_Delete(record);
    strbuf_fini(&change);
    arena_fini(&arena);
    return s;
}

/* Makes the parses of all training sentences, once. Ends early with out_of_time. */
static Status make_first_pass(Context *c, Error *e)
{
    int folds = c->a->plan->folds;
    const char *path;
    Arena arena;
    if (c->first_pass) return OK;
    arena_init(&arena, 4096);
    AblateFolder *folders = mem_calloc((size_t)folds, sizeof *folders);
    const char **paths = arena_calloc(&arena, (size_t)folds, sizeof *paths);
    Status s = folders && paths ? OK : error_set(e, ERR_NOMEM, "out of memory for the first pass");
    for (int k = 0; k < folds && s == OK && !c->out->out_of_time; k++) {
        if (is_interrupted(c)) s = error_set(e, ERR_INTERRUPTED, "stopped");
        else s = make_fold(c, k, &folders[k], e);
        paths[k] = folders[k].parses;
    }
    c->first_pass = s == OK && !c->out->out_of_time;
    if (s == OK) s = ablate_first_pass_path(c->a, &arena, &path, e);
    if (s == OK && c->first_pass) s = ablate_folds_join(c->a, paths, path, e);
    mem_free(folders);
    arena_fini(&arena);
    return s;
}

/* ---- one run of the plan */

static Status choose(Context *c, int variant, int seed, Error *e)
{
    c->v = &c->a->plan->variants[variant];
    c->seed = c->a->plan->seeds[seed];
    c->run = ablation_run(c->out, variant, seed);
    return ablate_folder(&c->folder, c->a->out, c->v, c->seed, false, e);
}

/* Examines a run, and makes it if `now`; *remade: was it made? */
static Status visit(Context *c, int variant, int seed, bool now, bool *remade, Error *e)
{
    Work work;
    cJSON *record = NULL;
    StrBuf change = { 0 };
    Status s = choose(c, variant, seed, e);
    if (s == OK) s = examine(c, seed, &work, &record, &change, e);
    if (s == OK && !now) {
        c->to_make += work != WORK_NONE;
        if (c->v->first_pass && work != WORK_NONE && work != WORK_SCORES && !c->folds) {
            c->to_make += c->a->plan->folds;
            c->folds = true;
        }
    } else if (s == OK && work > WORK_WAITS) {
        c->out->out_of_time = out_of_time(c);
        if (!c->out->out_of_time && c->v->first_pass && work != WORK_SCORES) s = make_first_pass(c, e);
        *remade = s == OK && !c->out->out_of_time;
        if (*remade) s = make(c, seed, work, record, &change, e);
    }
    cJSON_Delete(record);
    strbuf_fini(&change);
    return s;
}

/* ---- all runs */

/* Was a run made in this call that this one needs? */
static bool needs_remade(const AblatePlan *p, const bool *remade, int variant, int seed)
{
    int needs[ABLATE_NEEDS];
    bool any = false;
    ablate_plan_needs(p, variant, needs);
    for (int k = 0; k < ABLATE_NEEDS; k++) any = any || (needs[k] >= 0 && remade[needs[k] * p->n_seeds + seed]);
    return any;
}

/* All runs are examined first, then those that are missing are made. */
static Status run_all(Context *c, bool *remade, Error *e)
{
    const AblatePlan *p = c->a->plan;
    Status s = OK;
    for (int pass = 0; pass < (c->a->only_read ? 1 : 2); pass++) {
        c->number = 0;
        for (int k = 0; k < p->n * p->n_seeds && s == OK && !c->out->out_of_time; k++) {
            int variant = p->order[k % p->n], seed = k / p->n;
            bool done = ablation_run(c->out, variant, seed)->state != ABLATE_MISSING;
            c->number++;
            if (pass && is_interrupted(c)) return error_set(e, ERR_INTERRUPTED, "stopped");
            if (pass && done && !needs_remade(p, remade, variant, seed)) continue;
            s = visit(c, variant, seed, pass == 1, &remade[variant * p->n_seeds + seed], e);
        }
    }
    return s;
}

static int count_sentences(const Corpus *c, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++) sum += c[k].trees.n;
    return sum;
}

Status ablate_run(const AblateArgs *a, Ablation *out, Error *e)
{
    size_t n = (size_t)a->plan->n * (size_t)a->plan->n_seeds;
    Context c = { .a = a, .out = out, .started = clock_seconds() };
    *out = (Ablation){ .plan = a->plan,
                       .runs = mem_calloc(n, sizeof *out->runs),
                       .n_dev = count_sentences(a->dev, a->n_dev),
                       .n_test = count_sentences(a->test, a->n_test) };
    Lock lock = { 0 };
    bool *remade = mem_calloc(n, sizeof *remade);
    if (a->n_test) ablate_corpora_hash(a->test, a->n_test, c.test);
    Status s = out->runs && remade ? OK : error_set(e, ERR_NOMEM, "out of memory for the runs");
    if (s == OK && !a->only_read) s = ablate_make_folder(a->out, e);
    if (s == OK && !a->only_read) s = lock_take(&lock, a->out, e);
    if (s == OK) s = run_all(&c, remade, e);
    lock_release(&lock);
    mem_free(remade);
    return s;
}

void ablation_fini(Ablation *a)
{
    for (int k = 0; a->runs && k < a->plan->n * a->plan->n_seeds; k++) mem_free(a->runs[k].each);
    mem_free(a->runs);
    *a = (Ablation){ 0 };
}
