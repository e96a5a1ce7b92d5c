/* What the files of a running server share. Locks: Exchange.lock before Server.lock. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "serve/answer.h"
#include "serve/log.h"
#include "serve/proxy.h"
#include "serve/route.h"
#include "serve/serve_options.h"

struct MHD_Connection;
struct MHD_Daemon;

/* ---- models */

/* What is served, until SIGHUP replaces it. */
typedef struct Engine {
    atomic_int references;
    time_t loaded;
    long reloads; /* before it and with it */
    int n;
    ServedModel model[SERVE_MODELS_MOST];
} Engine;

/* ---- engine.c */

/* NULL: *error says why. */
Engine *engine_load(const char *const *files, int n, Error *error);
void engine_release(Engine *engine);

/* ---- numbers for /metrics */

enum { TIME_BUCKETS = 15, STATUS_KINDS = 13, ROUTES_MOST = 24 };
typedef struct TimeHistogram {
    atomic_long bucket[TIME_BUCKETS + 1];
    atomic_long microseconds;
} TimeHistogram;
typedef struct Counters {
    atomic_long requests[ROUTES_MOST][STATUS_KINDS]; /* [n_routes] are paths that nobody serves */
    TimeHistogram waiting, working;
    atomic_long words, bytes, timeouts, rejected_queue, rejected_memory, rejected_draining, reloads_failed;
    atomic_int connections, workers_busy;
} Counters;

/* ---- a request */

typedef enum Phase {
    PHASE_READING, /* its body comes */
    PHASE_QUEUED,
    PHASE_WORKING,
    PHASE_STREAMING, /* the first bytes of its answer have left the worker */
    PHASE_ANSWERED,
} Phase;

typedef enum ConnectionState { WAITS_FIRST, WAITS, READS_BODY, WORKS, ANSWERS } ConnectionState;

typedef struct Connection {
    int socket;
    double since; /* clock_seconds: of the state, or when the client last took some of its answer */
    ConnectionState state;
    int unread;      /* bytes that the client's machine has still to acknowledge, as they were last seen */
    bool half;       /* the client sends no more, and the server has read all of it */
    char *query;     /* of the request that begins, as it was sent; or NULL */
    bool query_lost; /* there was no memory for it */
    struct Connection *before, *next;
} Connection;

typedef struct Exchange {
    struct Server *server;
    struct MHD_Connection *connection;
    Connection *at;
    const Route *route; /* NULL: nobody serves the path */
    int references;     /* the connection's and the worker's; of Server.lock */
    Arena arena;
    const char *method, *path, *type, *agent, *id;
    char address[PROXY_ADDRESS]; /* of the client; "-": it has none */
    Parameters query;
    StrBuf body;
    size_t received;        /* bytes of the body, also of one that is not kept */
    size_t held;            /* bytes counted in Server.held; of Server.lock */
    bool refused;           /* what has come of it is enough to refuse it: by `answer`, once all of it has come */
    bool head, newer;       /* HEAD; HTTP/1.1 */
    double began, deadline; /* clock_seconds */
    struct Exchange *next;  /* in a queue */

    pthread_mutex_t lock; /* of what follows */
    Phase phase;
    bool suspended, gone, done, broken;
    bool left, probed;     /* of connection_left: the client has left; something was sent to know it */
    double half_since;     /* of connection_left: since when the client sends no more (clock_seconds), or 0 */
    double started, ended; /* clock_seconds: of the work, or 0 */
    Answer answer;         /* of status 0 until it is known; of a stream it has the head alone */
    StrBuf stream;         /* that the client has still to get, from stream_sent on */
    size_t stream_sent, bytes_out;
} Exchange;

typedef struct Queue {
    Exchange *first, **last;
    int n;
} Queue;

typedef struct Server {
    const ServeOptions *o;
    ServiceOptions service;
    struct MHD_Daemon *daemon;
    bool local; /* only this machine can connect */
    StrBuf password;
    Log *log, *messages;                   /* standard output and standard error; log NULL: none is wanted */
    ProxyNetwork proxies[OPTION_LIST_MAX]; /* [o->n_proxies] */
    Counters count;
    atomic_int draining;
    atomic_int hurry; /* requests in work end */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t work, warm;
    Queue brief, lengthy; /* texts of up to BRIEF_BYTES, and longer ones */
    int working, exchanges;
    double held;    /* bytes of texts and answers */
    double sent_at; /* clock_seconds: some client took some of its answer */
    bool ending;
    Engine *engine;
    Connection *connections;
    pthread_t *workers;
    int n_workers, n_warm;
} Server;

enum { BRIEF_BYTES = 2000 };

/* ---- work.c */

Status work_start(Server *server, Error *error);
/* Takes what the queue holds to an end: waits for it until `deadline`, then answers 503. */
void work_drain(Server *server, double deadline);
void work_end(Server *server);
/* false: the queue is full, or no memory is left for it; then *a is refused. */
bool work_queue(Server *server, Exchange *exchange, Answer *answer);
/* Answers queued requests whose time is over. */
void work_expire(Server *server, double now);
/* Counts that many bytes for the request, where others were counted. false: the server has no room for more; then the
 * count stays, and if there is a, it is refused. */
bool exchange_hold(Exchange *exchange, size_t bytes, Answer *answer);
void exchange_release(Exchange *exchange);
/* The request is answered, by what *a has, which the exchange takes: wakes its connection. */
void exchange_finish(Exchange *exchange, const Answer *answer);

/* ---- report.c */

/* The index of a status in Counters.requests. */
int report_status(int status);
void report_time(TimeHistogram *histogram, double seconds);
/* The text of /metrics (format 0.0.4 of Prometheus). */
void report_metrics(Server *server, StrBuf *out);
/* A line of the access log; exchange->lock is held. */
void report_request(const Server *server, const Exchange *exchange, int status);
/* Appends the line of the log that says how many lines were lost, as text or as JSON. */
void report_lost(StrBuf *out, long n);
void report_lost_json(StrBuf *out, long n);
