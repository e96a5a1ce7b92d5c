/* The queue and the workers */
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "serve/connection.h"
#include "serve/server.h"

enum { STREAM_UNCOUNTED = 1 << 16 /* bytes of an answer that its connection may always hold */ };

#define STOPPING "The server is stopping."
#define NO_MEMORY "The requests in work take all the memory that texts may take."
#define TOO_LONG "CoreNLP request timed out. Your document may be too long."

/* ---- memory of requests */

/* Server.lock is held. */
static bool hold_bytes(Exchange *x, size_t bytes, Answer *a)
{
    Server *s = x->server;
    double held = s->held + (double)bytes - (double)x->held;
    if (bytes > x->held && held > s->o->max_memory) {
        if (a) answer_refuse(a, 503, NO_MEMORY);
        atomic_fetch_add(&s->count.rejected_memory, 1);
        return false;
    }
    s->held = held;
    x->held = bytes;
    return true;
}

bool exchange_hold(Exchange *exchange, size_t bytes, Answer *answer)
{
    pthread_mutex_lock(&exchange->server->lock);
    bool good = hold_bytes(exchange, bytes, answer);
    pthread_mutex_unlock(&exchange->server->lock);
    return good;
}

/* ---- queues */

static void put(Queue *q, Exchange *x)
{
    x->next = NULL;
    if (!q->first) q->last = &q->first;
    *q->last = x;
    q->last = &x->next;
    q->n++;
}

static Exchange *take_first(Queue *q)
{
    Exchange *x = q->first;
    if (!x) return NULL;
    q->first = x->next;
    q->n--;
    return x;
}

/* Short texts come first; a long one that has waited a second is not overtaken any more. */
static Exchange *take_next(Server *s, bool brief_only)
{
    const Exchange *lengthy = s->lengthy.first;
    bool waited = lengthy && clock_seconds() - lengthy->began > 1;
    if (brief_only || (s->brief.first && !waited)) return take_first(&s->brief);
    return take_first(lengthy ? &s->lengthy : &s->brief);
}

bool work_queue(Server *server, Exchange *exchange, Answer *answer)
{
    bool good = false;
    pthread_mutex_lock(&server->lock);
    if (server->brief.n + server->lengthy.n >= server->o->queue) {
        atomic_fetch_add(&server->count.rejected_queue, 1);
        answer_refuse(answer, 503, "The queue of %d requests is full.", server->o->queue);
    } else if (hold_bytes(exchange, (exchange->body.len + 1) * ANSWER_TIMES, answer)) {
        good = true;
        exchange->references++;
        exchange->phase = PHASE_QUEUED;
        put(exchange->body.len <= BRIEF_BYTES ? &server->brief : &server->lengthy, exchange);
        pthread_cond_broadcast(&server->work);
    }
    pthread_mutex_unlock(&server->lock);
    return good;
}

/* Moves from a queue to *out what has no time left. */
static void take_late(Queue *q, double now, Exchange **out)
{
    Exchange **at = &q->first;
    while (*at) {
        Exchange *x = *at;
        if (x->deadline > now) {
            at = &x->next;
            continue;
        }
        *at = x->next;
        x->next = *out;
        *out = x;
        q->n--;
    }
    q->last = at;
}

/* Refuses what is queued and has no time left. Returns how many requests that were. */
static long refuse_late(Server *s, double now, int status, const char *message)
{
    Exchange *list = NULL;
    long n = 0;
    pthread_mutex_lock(&s->lock);
    take_late(&s->lengthy, now, &list);
    take_late(&s->brief, now, &list);
    pthread_mutex_unlock(&s->lock);
    for (; list; n++) {
        Exchange *x = list;
        Answer a = { 0 };
        list = x->next;
        answer_refuse(&a, status, "%s", message);
        exchange_finish(x, &a);
        exchange_release(x);
    }
    return n;
}

void work_expire(Server *server, double now)
{
    atomic_fetch_add(&server->count.timeouts, refuse_late(server, now, 500, TOO_LONG));
}

/* ---- a request and its worker */

static void answer_fini(Answer *a)
{
    strbuf_fini(&a->body);
    strbuf_fini(&a->ignored);
}

void exchange_release(Exchange *exchange)
{
    Server *s = exchange->server;
    pthread_mutex_lock(&s->lock);
    bool last = --exchange->references == 0;
    if (last) s->held -= (double)exchange->held;
    if (last) s->exchanges--;
    pthread_mutex_unlock(&s->lock);
    if (!last) return;
    strbuf_fini(&exchange->body);
    answer_fini(&exchange->answer);
    strbuf_fini(&exchange->stream);
    arena_fini(&exchange->arena);
    pthread_mutex_destroy(&exchange->lock);
    mem_free(exchange);
}

static void wake(Exchange *x)
{
    if (!x->suspended || x->gone) return;
    x->suspended = false;
    connection_resume(x);
}

/* Counts the answer as it is, also beyond the limit. */
static void hold_answer(Exchange *x)
{
    Server *s = x->server;
    size_t bytes = x->answer.body.cap + x->stream.cap;
    pthread_mutex_lock(&s->lock);
    s->held += (double)bytes - (double)x->held;
    x->held = bytes;
    pthread_mutex_unlock(&s->lock);
}

void exchange_finish(Exchange *exchange, const Answer *answer)
{
    Answer unused = *answer;
    pthread_mutex_lock(&exchange->lock);
    exchange->done = true;
    exchange->ended = clock_seconds();
    if (exchange->phase == PHASE_STREAMING) exchange->broken = answer->status != 200;
    else {
        unused = exchange->answer;
        exchange->answer = *answer;
        exchange->phase = PHASE_ANSWERED;
    }
    answer_fini(&unused);
    strbuf_fini(&exchange->body); /* what stays is the answer, until the client has taken it */
    hold_answer(exchange);
    wake(exchange);
    pthread_mutex_unlock(&exchange->lock);
}

static int asked_to_stop(void *context)
{
    Exchange *x = context;
    return atomic_load(&x->server->hurry) || clock_seconds() > x->deadline || connection_left(x);
}

static void set_limit(void *context, long milliseconds)
{
    Exchange *x = context;
    double deadline = x->began + (double)milliseconds / 1000;
    if (deadline < x->deadline) x->deadline = deadline;
}

static bool hold(void *context, int times, Answer *a)
{
    Exchange *x = context;
    return exchange_hold(x, x->held * (size_t)times, a);
}

/* Counts what the client has not taken yet. false: there is no memory for it, and it is lost. */
static bool hold_stream(Exchange *x)
{
    StrBuf *b = &x->stream;
    if (b->cap <= STREAM_UNCOUNTED || b->cap <= x->held || exchange_hold(x, b->cap, NULL)) return true;
    strbuf_fini(b);
    x->stream_sent = 0;
    return false;
}

/* Takes a part of the answer. The worker does not wait for the client: what the client has not taken yet is memory of
 * the request, and there may be as much of it as the server has memory for. */
static int send_part(void *context, Answer *a)
{
    Exchange *x = context;
    StrBuf *b = &x->stream;
    pthread_mutex_lock(&x->lock);
    size_t unread = b->len - x->stream_sent;
    if (x->stream_sent > unread) {
        memmove(b->ptr, b->ptr + x->stream_sent, unread);
        strbuf_cut(b, unread);
        x->stream_sent = 0;
    }
    strbuf_add(b, a->body.ptr, a->body.len);
    strbuf_clear(&a->body);
    if (x->phase == PHASE_WORKING) {
        x->phase = PHASE_STREAMING;
        x->answer.status = a->status;
        x->answer.type = a->type;
        x->answer.model = a->model;
        x->answer.invalid = a->invalid;
    }
    wake(x);
    bool good = !x->gone && !b->failed && hold_stream(x);
    pthread_mutex_unlock(&x->lock);
    return !good;
}

/* ---- workers */

typedef struct Worker {
    Server *s;
    bool brief_only;
    Engine *engine;
    LalParser *parsers[SERVE_MODELS_MOST];
} Worker;

static void drop_engine(Worker *w)
{
    for (int k = 0; k < SERVE_MODELS_MOST; k++) {
        lal_parser_free(w->parsers[k]);
        w->parsers[k] = NULL;
    }
    engine_release(w->engine);
    w->engine = NULL;
}

/* Takes the models that are served now. */
static void hold_engine(Worker *w)
{
    pthread_mutex_lock(&w->s->lock);
    bool other = w->engine != w->s->engine;
    Engine *now = w->s->engine;
    if (other) atomic_fetch_add(&now->references, 1);
    pthread_mutex_unlock(&w->s->lock);
    if (!other) return;
    drop_engine(w);
    w->engine = now;
}

static Job job_of(Worker *w, Exchange *x)
{
    return (Job){ .o = &w->s->service,
                  .models = w->engine->model,
                  .n_models = w->engine->n,
                  .loaded = w->engine->loaded,
                  .reloads = w->engine->reloads,
                  .parsers = w->parsers,
                  .arena = &x->arena,
                  .query = &x->query,
                  .type = x->type,
                  .body = { x->body.ptr ? x->body.ptr : "", x->body.len },
                  .stop = asked_to_stop,
                  .stop_context = x,
                  .limit = set_limit,
                  .hold = hold,
                  .send = send_part };
}

static void run(Worker *w, Exchange *x)
{
    Server *s = w->s;
    Answer a = { 0 };
    pthread_mutex_lock(&x->lock);
    x->started = clock_seconds();
    x->phase = PHASE_WORKING;
    pthread_mutex_unlock(&x->lock);
    hold_engine(w);
    atomic_fetch_add(&s->count.workers_busy, 1);
    Job j = job_of(w, x);
    x->route->run(&j, &a);
    if (a.body.failed) answer_refuse(&a, 500, "out of memory for the answer");
    bool ended = a.status == 500 || a.status == 408;
    if (ended && atomic_load(&s->hurry)) answer_refuse(&a, 503, STOPPING);
    if (ended && !x->left && clock_seconds() > x->deadline) atomic_fetch_add(&s->count.timeouts, 1);
    atomic_fetch_sub(&s->count.workers_busy, 1);
    exchange_finish(x, &a);
}

/* A request for the worker; NULL: the server ends. */
static Exchange *wait_for_work(Worker *w, bool done_one)
{
    Server *s = w->s;
    Exchange *x = NULL;
    pthread_mutex_lock(&s->lock);
    if (done_one) s->working--;
    while (!s->ending && !(x = take_next(s, w->brief_only))) pthread_cond_wait(&s->work, &s->lock);
    if (x) s->working++;
    pthread_mutex_unlock(&s->lock);
    return x;
}

/* The first parse takes memory and time that others do not. */
static void warm_up(Worker *w)
{
    static const char text[] = "It is ready.";
    hold_engine(w);
    w->parsers[0] = lal_parser_new(w->engine->model[0].model, &w->s->o->parse, NULL);
    if (w->parsers[0]) lal_result_free(lal_parse_text(w->parsers[0], text, sizeof text - 1, NULL));
}

static void *work(void *context)
{
    Worker *w = context;
    Server *s = w->s;
    warm_up(w);
    pthread_mutex_lock(&s->lock);
    s->n_warm++;
    pthread_cond_broadcast(&s->warm);
    pthread_mutex_unlock(&s->lock);
    bool done = false;
    for (Exchange *x; (x = wait_for_work(w, done)) != NULL; done = true) {
        run(w, x);
        exchange_release(x);
    }
    drop_engine(w);
    mem_free(w);
    return NULL;
}

static bool start_worker(Server *s, bool brief_only)
{
    Worker *w = mem_calloc(1, sizeof *w);
    if (!w) return false;
    *w = (Worker){ .s = s, .brief_only = brief_only };
    if (pthread_create(&s->workers[s->n_workers], NULL, work, w) == 0) {
        s->n_workers++;
        return true;
    }
    mem_free(w);
    return false;
}

/* One more than asked for, for short texts alone: so these never wait for long ones. */
Status work_start(Server *server, Error *error)
{
    int n = server->o->workers + 1;
    server->workers = mem_calloc((size_t)n, sizeof *server->workers);
    for (int k = 0; k < n && server->workers; k++)
        if (!start_worker(server, k == n - 1)) break;
    if (server->n_workers < n)
        return error_set(error, ERR_NOMEM, "found room for %d workers, expected %d", server->n_workers, n);
    pthread_mutex_lock(&server->lock);
    while (server->n_warm < n) pthread_cond_wait(&server->warm, &server->lock);
    pthread_mutex_unlock(&server->lock);
    return OK;
}

static bool idle(Server *s)
{
    pthread_mutex_lock(&s->lock);
    bool none = !s->working && !s->brief.n && !s->lengthy.n;
    pthread_mutex_unlock(&s->lock);
    return none;
}

void work_drain(Server *server, double deadline)
{
    for (double now = clock_seconds(); !idle(server) && now < deadline; now = clock_seconds()) {
        connection_watch(server, now);
        work_expire(server, now);
        poll(NULL, 0, 10);
    }
    refuse_late(server, INFINITY, 503, STOPPING);
    atomic_store(&server->hurry, 1);
    while (!idle(server)) poll(NULL, 0, 10);
}

void work_end(Server *server)
{
    pthread_mutex_lock(&server->lock);
    server->ending = true;
    pthread_cond_broadcast(&server->work);
    pthread_mutex_unlock(&server->lock);
    for (int k = 0; k < server->n_workers; k++) pthread_join(server->workers[k], NULL);
    mem_free(server->workers);
}
