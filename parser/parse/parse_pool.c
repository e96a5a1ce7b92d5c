/* Long sentences are cut into parts; parts are grouped into batches, which the threads take one by one. After a batch,
 * a thread joins and hands out, in order, all sentences that are complete. */
#include "parser/parse/parse_pool.h"

#include "parser/parse/long_sentence.h"

Status parse_pool_init(ParsePool *pool, const Model *model, const Device *device, int n_threads, Error *error)
{
    size_t n = (size_t)n_threads;
    *pool = (ParsePool){ 0 };
    Status s = device->start(n_threads, false, error);
    if (s != OK) return s;
    *pool = (ParsePool){ .n_threads = n_threads,
                         .device = device,
                         .workers = mem_calloc(n, sizeof *pool->workers),
                         .arenas = mem_calloc(n, sizeof *pool->arenas),
                         .team = thread_team_new(n_threads) };
    if (!pool->workers || !pool->arenas || !pool->team) {
        thread_team_free(pool->team);
        mem_free_each(pool->workers, pool->arenas);
        *pool = (ParsePool){ 0 };
        return error_set(error, ERR_NOMEM, "out of memory for %d threads", n_threads);
    }
    for (int t = 0; t < n_threads; t++) {
        worker_init(&pool->workers[t], model, device);
        arena_init(&pool->arenas[t], (size_t)1 << 18);
    }
    if (device->available) worker_init(&pool->measuring, model, device_measuring());
    arena_init(&pool->joined, (size_t)1 << 16);
    pthread_mutex_init(&pool->lock, NULL);
    return OK;
}

void parse_pool_fini(ParsePool *pool)
{
    if (!pool->workers) return;
    thread_team_free(pool->team);
    for (int t = 0; t < pool->n_threads; t++) {
        worker_fini(&pool->workers[t]);
        arena_fini(&pool->arenas[t]);
    }
    worker_fini(&pool->measuring);
    arena_fini(&pool->joined);
    pthread_mutex_destroy(&pool->lock);
    mem_free_each(pool->workers, pool->arenas);
    *pool = (ParsePool){ 0 };
}

typedef struct PoolJob {
    ParsePool *pool;
    const ParseOptions *o;
    const ParseInput *in;
    Parsed *result;
    int n;
    ParseTake take;
    void *context;
    /* parts: whole sentences and pieces of long ones */
    int *first; /* [n + 1] the parts of sentence k are first[k] .. first[k + 1] - 1 */
    ParseInput *part;
    Parsed *parsed; /* [n_parts] */
    int n_parts, part_cap;
    /* batches of parts */
    int *batch; /* [n_batches + 1] first part */
    bool *done; /* [n_batches] */
    int n_batches;
    /* under the lock of the pool */
    int complete; /* number of batches from the first one on that are done without an error */
    int next;     /* next sentence to hand out */
    int failed;   /* first batch with an error, else n_batches */
    Error error;  /* its error, or of joining */
} PoolJob;

/* ---- parts and batches */

static Status add_parts(PoolJob *j, const ParseInput *in, Error *e)
{
    ParseInput *part;
    int n;
    Status s = long_sentence_parts(model_language(j->pool->workers[0].m), in, j->o, &j->pool->joined, &part, &n, e);
    if (s == OK && !mem_reserve(j->part, &j->part_cap, j->n_parts + n))
        s = error_set(e, ERR_NOMEM, "out of memory parsing");
    for (int k = 0; k < n && s == OK; k++) j->part[j->n_parts++] = part[k];
    return s;
}

static Status prepare(PoolJob *j, Error *e)
{
    Status s = OK;
    j->first = mem_calloc((size_t)j->n + 1, sizeof *j->first);
    if (!j->first) return error_set(e, ERR_NOMEM, "out of memory parsing");
    for (int k = 0; k < j->n && s == OK; k++) {
        s = add_parts(j, &j->in[k], e);
        j->first[k + 1] = j->n_parts;
    }
    if (s != OK) return s;
    j->parsed = mem_calloc((size_t)j->n_parts, sizeof *j->parsed);
    j->batch = mem_calloc((size_t)j->n_parts + 1, sizeof *j->batch);
    j->done = mem_calloc((size_t)j->n_parts, sizeof *j->done);
    if (!j->parsed || !j->batch || !j->done) return error_set(e, ERR_NOMEM, "out of memory parsing");
    while (j->batch[j->n_batches] < j->n_parts) {
        int from = j->batch[j->n_batches];
        j->batch[++j->n_batches] = parse_batch_end(j->part, j->n_parts, from, j->o);
    }
    j->failed = j->n_batches;
    return OK;
}

static void release(PoolJob *j) { mem_free_each(j->first, j->part, j->parsed, j->batch, j->done); }

/* ---- memory of the device */

static int threads_of(const PoolJob *j)
{
    return j->n_batches < j->pool->n_threads ? j->n_batches : j->pool->n_threads;
}

/* What a thread needs for any of the batches. */
static Status measure(PoolJob *j, WorkerNeed *need, Error *e)
{
    Worker *w = &j->pool->measuring;
    ParseOptions o = *j->o;
    Arena *out = &j->pool->arenas[0];
    Status s = OK;
    o.observe.batch = NULL;
    for (int k = 0; k < j->n_batches && s == OK; k++) {
        int from = j->batch[k];
        s = parse_batch(w, j->part + from, j->batch[k + 1] - from, &o, out, j->parsed + from, e);
        arena_reset(out);
    }
    *need = worker_need(w);
    return s;
}

static Status reserve(PoolJob *j, Error *e)
{
    const double mib = 1 << 20;
    const Device *d = j->pool->device;
    WorkerNeed need;
    int threads = threads_of(j);
    Status s = measure(j, &need, e);
    if (s != OK) return s;
    bool ok = true;
    size_t available = d->available();
    for (int t = 0; t < threads && ok; t++) ok = worker_reserve(&j->pool->workers[t], need);
    if (ok) return OK;
    return error_set(e, ERR_NOMEM,
                     "out of memory on %s: batches need %.1f MiB for each of %d threads; %.1f MiB are free; lower "
                     "--threads, --batch-tokens or --max-words",
                     d->name, (double)worker_need_bytes(need) / mib, threads, (double)available / mib);
}

/* ---- work */

static Status finish_sentence(PoolJob *j, int k, Error *e)
{
    int first = j->first[k], n = j->first[k + 1] - first;
    return long_sentence_join(j->pool->workers[0].m, j->parsed + first, n, &j->in[k], j->o, &j->pool->joined,
                              &j->result[k], e);
}

/* No sentence is handed out after this. */
static void stop(PoolJob *j, const Error *e)
{
    j->error = *e;
    j->failed = 0;
    j->next = j->n;
}

/* Hands out the sentences that are complete. */
static void hand_out(PoolJob *j)
{
    int from = j->next, to = from;
    Error e = { 0 };
    while (j->complete < j->failed && j->done[j->complete]) j->complete++;
    while (to < j->n && j->first[to + 1] <= j->batch[j->complete]) {
        if (finish_sentence(j, to, &e) != OK) { /* no later one is looked at */
            stop(j, &e);
            break;
        }
        j->next = ++to;
    }
    Error taken = { 0 };
    if (j->take && to > from && j->take(j->context, from, to, &taken) != OK) stop(j, &taken);
}

static bool may_go_on(const PoolJob *j, Status s)
{
    return j->o->keep_going && (s == ERR_NOMEM || s == ERR_NUMERIC || s == ERR_LIMIT);
}

/* Parses the parts of a batch that failed with *e one by one; what cannot be parsed alone is flat. */
static Status parse_apart(PoolJob *j, int worker, int from, int to, Error *e)
{
    Worker *w = &j->pool->workers[worker];
    Arena *out = &j->pool->arenas[worker];
    Error why = *e;
    Status s = why.code;
    *e = (Error){ 0 };
    for (int k = from; k < to; k++) {
        if (to - from > 1) {
            why = (Error){ 0 };
            s = parse_batch(w, &j->part[k], 1, j->o, out, &j->parsed[k], &why);
        }
        if (may_go_on(j, s)) s = long_sentence_flat(w->m, &j->part[k], why.message, out, &j->parsed[k], e);
        else if (s != OK) *e = why;
        if (s != OK) return s;
    }
    return OK;
}

static void work(void *context, int worker, int item)
{
    PoolJob *j = context;
    ParsePool *p = j->pool;
    Error *e = &p->workers[worker].error;
    int from = j->batch[item], to = j->batch[item + 1];
    *e = (Error){ 0 };
    pthread_mutex_lock(&p->lock);
    bool in_vain = item > j->failed, stopped = !in_vain && j->o->stop && j->o->stop(j->o->stop_context) != 0;
    pthread_mutex_unlock(&p->lock);
    if (in_vain) return;
    Status s = stopped ? error_set(e, ERR_INTERRUPTED, "stopped")
                       : parse_batch(&p->workers[worker], j->part + from, to - from, j->o, &p->arenas[worker],
                                     j->parsed + from, e);
    if (may_go_on(j, s)) s = parse_apart(j, worker, from, to, e);
    pthread_mutex_lock(&p->lock);
    j->done[item] = true;
    if (s != OK && item < j->failed) {
        j->failed = item;
        j->error = *e;
    }
    hand_out(j);
    pthread_mutex_unlock(&p->lock);
}

static void begin(ParsePool *p)
{
    for (int t = 0; t < p->n_threads; t++) arena_reset(&p->arenas[t]);
    arena_reset(&p->joined);
}

Status parse_pool_need(ParsePool *pool, const ParseInput *in, int n, const ParseOptions *options, size_t *bytes,
                       Error *error)
{
    PoolJob j = { .pool = pool, .o = options, .in = in, .n = n };
    WorkerNeed need;
    *bytes = 0;
    if (!pool->device->available) return OK;
    begin(pool);
    Status s = prepare(&j, error);
    if (s == OK) s = measure(&j, &need, error);
    if (s == OK) *bytes = (size_t)threads_of(&j) * worker_need_bytes(need);
    release(&j);
    return s;
}

Status parse_pool_run(ParsePool *pool, const ParseInput *in, int n, const ParseOptions *options, Parsed *result,
                      ParseTake take, void *context, Error *error)
{
    PoolJob j = { .pool = pool, .o = options, .in = in, .result = result, .n = n, .take = take, .context = context };
    begin(pool);
    Status s = prepare(&j, error);
    if (s == OK && pool->device->available) s = reserve(&j, error);
    if (s == OK) hand_out(&j); /* those without words: nobody parses them */
    if (s == OK) thread_team_run(pool->team, j.n_batches, work, &j);
    if (s == OK && j.error.code != OK) {
        *error = j.error;
        s = error->code;
    }
    release(&j);
    return s;
}
