/* parser/serve/serve.c: connections, through libmicrohttpd */
#define _GNU_SOURCE /* POLLRDHUP */
#include "parser/serve/server.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <arpa/inet.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json.h"
#include "base/thread.h"
#include "parser/serve/corenlp.h"
#include "parser/serve/listen.h"
#include "parser/serve/own.h"
#include "parser/serve/page.h"
#include "parser/serve/systemd.h"
#include "parser/serve/udpipe.h"

/* ---- the library, which is loaded when a server starts: `lal` needs it for nothing else */

#define LIBRARY "libmicrohttpd.so.12"
#define EACH(F)                             \
    F(MHD_start_daemon)                     \
    F(MHD_stop_daemon)                      \
    F(MHD_quiesce_daemon)                   \
    F(MHD_suspend_connection)               \
    F(MHD_resume_connection)                \
    F(MHD_queue_response)                   \
    F(MHD_create_response_from_buffer)      \
    F(MHD_create_response_from_callback)    \
    F(MHD_destroy_response)                 \
    F(MHD_add_response_header)              \
    F(MHD_get_connection_info)              \
    F(MHD_get_connection_values)            \
    F(MHD_get_connection_values_n)          \
    F(MHD_lookup_connection_value)          \
    F(MHD_basic_auth_get_username_password) \
    F(MHD_free)

#define MEMBER(name) __typeof__(&(name)) name;
static struct {
    EACH(MEMBER)
} mhd;
#undef MEMBER

static Status load_library(Error *e)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(e, ERR_IO,
                         "%s: found no such library, which lal serve needs (Debian: apt install libmicrohttpd12)",
                         LIBRARY);
#define FIND(name)                                       \
    *(void **)(void *)&mhd.name = dlsym(library, #name); \
    if (!mhd.name) return error_set(e, ERR_IO, "%s: found no function %s", LIBRARY, #name);
    EACH(FIND)
#undef FIND
    return OK;
}

void connection_resume(Exchange *x) { mhd.MHD_resume_connection(x->connection); }

/* ---- paths */

#define POSTS "GET, HEAD, POST"
static const Route ROUTES[] = {
    { "/", POSTS, ROUTE_WORK, corenlp_answer, false },
    { "/ping", "GET, HEAD, POST", ROUTE_QUICK, NULL, true },
    { "/live", "GET, HEAD, POST", ROUTE_QUICK, NULL, true },
    { "/ready", "GET, HEAD, POST", ROUTE_QUICK, NULL, true },
    { "/metrics", "GET, HEAD", ROUTE_QUICK, NULL, false },
    { "/tokensregex", POSTS, ROUTE_REFUSED, NULL, false },
    { "/semgrex", POSTS, ROUTE_REFUSED, NULL, false },
    { "/tregex", POSTS, ROUTE_REFUSED, NULL, false },
    { "/scenegraph", POSTS, ROUTE_REFUSED, NULL, false },
    { "/models", POSTS, ROUTE_QUICK, udpipe_models, false },
    { "/process", POSTS, ROUTE_WORK, udpipe_process, false },
    { "/v1/models", "GET, HEAD", ROUTE_QUICK, own_models, false },
    { "/v1/parse", "POST", ROUTE_WORK, own_parse, false },
    { "/v1/tokenize", "POST", ROUTE_WORK, own_tokenize, false },
};
enum { N_ROUTES = sizeof ROUTES / sizeof *ROUTES };
_Static_assert((int)N_ROUTES < (int)ROUTES_MOST, "Counters.requests has a row for each");

static const Route *find_route(const Server *s, const char *path)
{
    const char *prefix = s->o->prefix ? s->o->prefix : "";
    size_t n = strlen(prefix);
    if (strncmp(path, prefix, n) != 0) return NULL;
    path += n;
    for (int k = 0; k < N_ROUTES; k++)
        if (strcmp(ROUTES[k].path, *path ? path : "/") == 0) return &ROUTES[k];
    return NULL;
}

/* ---- connections */

static void set_state(Exchange *x, ConnectionState state, size_t size)
{
    Server *s = x->server;
    pthread_mutex_lock(&s->lock);
    x->at->state = state;
    x->at->since = clock_seconds();
    x->at->size = size;
    pthread_mutex_unlock(&s->lock);
}

static void open_connection(Server *s, struct MHD_Connection *c, void **context)
{
    Connection *at = mem_calloc(1, sizeof *at);
    const union MHD_ConnectionInfo *info = mhd.MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    *context = at;
    if (!at) return;
    *at = (Connection){ .socket = info ? info->connect_fd : -1, .since = clock_seconds(), .state = WAITS_FIRST };
    pthread_mutex_lock(&s->lock);
    at->next = s->connections;
    if (at->next) at->next->before = at;
    s->connections = at;
    pthread_mutex_unlock(&s->lock);
    atomic_fetch_add(&s->count.connections, 1);
}

static void close_connection(Server *s, Connection *at)
{
    if (!at) return;
    pthread_mutex_lock(&s->lock);
    if (at->before) at->before->next = at->next;
    else s->connections = at->next;
    if (at->next) at->next->before = at->before;
    pthread_mutex_unlock(&s->lock);
    atomic_fetch_sub(&s->count.connections, 1);
    mem_free(at);
}

static void on_connection(void *cls, struct MHD_Connection *c, void **context, enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) open_connection(cls, c, context);
    else close_connection(cls, *context);
}

/* Seconds that a connection may stay in its state. */
static double patience(const ServeOptions *o, const Connection *c)
{
    enum { BYTES_A_SECOND = 16384 };
    switch (c->state) {
    case WAITS_FIRST: return o->header_timeout;
    case WAITS: return o->idle_timeout + o->header_timeout;
    case READS_BODY: return o->body_timeout;
    case ANSWERS: return o->body_timeout + (double)c->size / BYTES_A_SECOND;
    default: return INFINITY;
    }
}

/* Has the client closed its end with a request that is not complete? Asked again and again: the library may be about to
 * read its last bytes. */
static bool ends_early(Connection *c)
{
    int unread = 0;
    struct pollfd p = { .fd = c->socket, .events = POLLRDHUP };
    bool before = c->half;
    c->half = c->state < WORKS && poll(&p, 1, 0) > 0 && (p.revents & POLLRDHUP) &&
              ioctl(c->socket, FIONREAD, &unread) == 0 && unread == 0;
    return c->half && before;
}

/* Ends connections that are slower than the limits: the library's own limit is one of silence alone. */
static void close_slow(Server *s, double now)
{
    pthread_mutex_lock(&s->lock);
    for (Connection *c = s->connections; c; c = c->next)
        if (c->socket >= 0 && (now - c->since > patience(s->o, c) || ends_early(c))) {
            shutdown(c->socket, SHUT_RDWR);
            c->since = now;
        }
    pthread_mutex_unlock(&s->lock);
}

/* ---- answers */

static void add_header(struct MHD_Response *r, const char *name, const char *value)
{
    if (value) mhd.MHD_add_response_header(r, name, value);
}

static void add_headers(const Exchange *x, struct MHD_Response *r, int status)
{
    const Server *s = x->server;
    add_header(r, "Content-Type", x->answer.type);
    add_header(r, "X-Request-Id", x->id);
    add_header(r, "X-Content-Type-Options", "nosniff");
    add_header(r, "Access-Control-Allow-Origin", s->o->cors);
    if (s->o->cors) add_header(r, "Vary", "Origin");
    if (x->answer.ignored.len) add_header(r, "Lal-Ignored", x->answer.ignored.ptr);
    if (status == 405 && x->route) add_header(r, "Allow", x->route->methods);
    if (status == 503) add_header(r, "Retry-After", "1");
    if (status == 401) add_header(r, "WWW-Authenticate", "Basic realm=\"lal\", charset=\"UTF-8\"");
    if (status == 204) {
        add_header(r, "Access-Control-Allow-Methods", "GET, HEAD, POST");
        add_header(r, "Access-Control-Allow-Headers", "Authorization, Content-Type");
    }
    if (atomic_load(&s->draining)) add_header(r, "Connection", "close");
}

static enum MHD_Result put_answer(Exchange *x, struct MHD_Response *r)
{
    int status = x->answer.status;
    if (!r) return MHD_NO;
    add_headers(x, r, status);
    set_state(x, ANSWERS, x->answer.body.len);
    enum MHD_Result good = mhd.MHD_queue_response(x->connection, (unsigned)status, r);
    mhd.MHD_destroy_response(r);
    return good;
}

/* The whole answer, which stays until the exchange is freed. */
static enum MHD_Result put_whole(Exchange *x)
{
    static char empty[1];
    StrBuf *b = &x->answer.body;
    x->bytes_out = b->len;
    return put_answer(x, mhd.MHD_create_response_from_buffer(b->len, b->ptr ? b->ptr : empty, MHD_RESPMEM_PERSISTENT));
}

/* What the worker has sent so far; waits for more. */
static ssize_t read_stream(void *cls, uint64_t at, char *to, size_t most)
{
    Exchange *x = cls;
    ssize_t n = 0;
    (void)at;
    pthread_mutex_lock(&x->lock);
    size_t there = x->stream.len - x->stream_sent;
    if (there) {
        n = (ssize_t)(there < most ? there : most);
        memcpy(to, x->stream.ptr + x->stream_sent, (size_t)n);
        x->stream_sent += (size_t)n;
        x->bytes_out += (size_t)n;
        if (x->stream_sent == x->stream.len) {
            strbuf_clear(&x->stream);
            x->stream_sent = 0;
        }
        pthread_cond_signal(&x->drained);
    } else if (x->done)
        n = x->broken || x->stream.failed ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
    else {
        x->suspended = true;
        mhd.MHD_suspend_connection(x->connection);
    }
    pthread_mutex_unlock(&x->lock);
    return n;
}

static enum MHD_Result put_stream(Exchange *x)
{
    enum { BLOCK = 1 << 16 };
    return put_answer(x, mhd.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, x, NULL));
}

/* ---- a request begins */

static char *keep(Exchange *x, const char *text) { return arena_strndup(&x->arena, text, strlen(text)); }

static const char *header(const Exchange *x, const char *name)
{
    return mhd.MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
}

/* The client's, if it is one, else a new one. */
static const char *request_id(Exchange *x)
{
    static atomic_ulong last;
    const char *given = header(x, "X-Request-Id");
    size_t n = given ? strlen(given) : 0;
    for (size_t k = 0; k < n; k++)
        if ((unsigned char)given[k] <= ' ' || (unsigned char)given[k] >= 0x7f || given[k] == '"') n = 0;
    if (n && n <= 128) return keep(x, given);
    char made[40];
    snprintf(made, sizeof made, "%08lx-%06lx", (unsigned long)(x->began * 1e3) & 0xffffffff,
             atomic_fetch_add(&last, 1) & 0xffffff);
    return keep(x, made);
}

static void set_address(Exchange *x)
{
    const union MHD_ConnectionInfo *info =
        mhd.MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *a = info ? info->client_addr : NULL;
    snprintf(x->address, sizeof x->address, "-");
    if (!a) return;
    if (a->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)a)->sin_addr, x->address, sizeof x->address);
    if (a->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)a)->sin6_addr, x->address, sizeof x->address);
}

static Exchange *exchange_new(Server *s, struct MHD_Connection *c, const char *path, const char *method)
{
    const union MHD_ConnectionInfo *info = mhd.MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    Exchange *x = info && info->socket_context ? mem_calloc(1, sizeof *x) : NULL;
    if (!x) return NULL;
    x->server = s;
    x->connection = c;
    x->at = info->socket_context;
    x->references = 1;
    x->began = clock_seconds();
    x->deadline = x->began + s->o->timeout;
    arena_init(&x->arena, 1 << 12);
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->drained, NULL);
    x->query.arena = &x->arena;
    x->method = keep(x, method);
    x->path = keep(x, path);
    x->type = header(x, "Content-Type") ? keep(x, header(x, "Content-Type")) : NULL;
    x->agent = header(x, "User-Agent") ? keep(x, header(x, "User-Agent")) : NULL;
    x->id = request_id(x);
    x->head = strcmp(method, "HEAD") == 0;
    set_address(x);
    pthread_mutex_lock(&s->lock);
    s->exchanges++;
    pthread_mutex_unlock(&s->lock);
    if (x->method && x->path && x->id) return x;
    exchange_release(x);
    return NULL;
}

typedef struct QueryReader {
    Exchange *x;
    Error error;
} QueryReader;

static enum MHD_Result take_argument(void *cls, enum MHD_ValueKind kind, const char *key, size_t key_size,
                                     const char *value, size_t size)
{
    QueryReader *r = cls;
    (void)kind;
    if (strlen(key) != key_size) error_set(&r->error, ERR_FORMAT, "found a NUL byte in the query");
    else parameters_add(&r->x->query, key, value ? value : "", size, &r->error);
    return r->error.code == OK ? MHD_YES : MHD_NO;
}

typedef struct Framing {
    int lengths, encodings;
} Framing;

static enum MHD_Result count_framing(void *cls, enum MHD_ValueKind kind, const char *key, const char *value)
{
    Framing *f = cls;
    (void)kind;
    (void)value;
    f->lengths += strcasecmp(key, "Content-Length") == 0;
    f->encodings += strcasecmp(key, "Transfer-Encoding") == 0;
    return MHD_YES;
}

/* Is there one way alone to read where the request ends (RFC 9112, section 6.1)? */
static bool framing_is_sound(const Exchange *x)
{
    Framing f = { 0 };
    mhd.MHD_get_connection_values(x->connection, MHD_HEADER_KIND, count_framing, &f);
    return f.lengths + f.encodings <= 1;
}

/* Takes as long for any wrong text of the same length. */
static bool same_text(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    unsigned char other = n != m;
    for (size_t k = 0; k < n; k++) other |= (unsigned char)((unsigned char)a[k] ^ (unsigned char)b[m ? k % m : 0]);
    return !other;
}

static bool is_allowed(const Exchange *x)
{
    const Server *s = x->server;
    char *password = NULL;
    if (!s->password || (x->route && x->route->open)) return true;
    char *user = mhd.MHD_basic_auth_get_username_password(x->connection, &password);
    bool good = user && password;
    if (good) good = (int)same_text(user, s->user) & (int)same_text(password, s->password);
    mhd.MHD_free(user);
    mhd.MHD_free(password);
    return good;
}

static size_t most_bytes(const Server *s) { return 4 * (size_t)s->o->max_chars + 4096; }

/* Refuses what need not be read; true: the body may come. */
static bool accept_request(Exchange *x)
{
    const char *length = header(x, "Content-Length");
    if (!framing_is_sound(x))
        return answer_refuse(&x->answer, 400, "found more than one of Content-Length and Transfer-Encoding");
    if (!is_allowed(x)) return answer_refuse(&x->answer, 401, "found no right user and password");
    if (length && strtod(length, NULL) > (double)most_bytes(x->server))
        return answer_refuse(&x->answer, 413,
                             "Request is too long to be handled by server: %s bytes. Max length is %d characters.",
                             length, x->server->o->max_chars);
    return true;
}

static enum MHD_Result begin(Server *s, struct MHD_Connection *c, const char *path, const char *method, void **state)
{
    Exchange *x = exchange_new(s, c, path, method);
    *state = x;
    if (!x) return MHD_NO;
    x->route = find_route(s, path);
    QueryReader reader = { .x = x };
    mhd.MHD_get_connection_values_n(c, MHD_GET_ARGUMENT_KIND, take_argument, &reader);
    set_state(x, READS_BODY, 0);
    bool good = reader.error.code == OK ? accept_request(x) : answer_status(&x->answer, &reader.error);
    if (good) return MHD_YES;
    x->phase = PHASE_ANSWERED;
    return put_whole(x);
}

static enum MHD_Result take_body(Exchange *x, const char *bytes, size_t *size)
{
    if (x->body.len + *size > most_bytes(x->server)) x->too_long = true;
    else strbuf_add(&x->body, bytes, *size);
    *size = 0;
    return MHD_YES;
}

/* ---- a request is complete */

static void metrics(Server *s, Answer *a)
{
    *a = (Answer){ .status = 200, .type = "text/plain; version=0.0.4; charset=utf-8" };
    if (s->local || s->o->metrics) report_metrics(s, &a->body);
    else answer_refuse(a, 404, "URI /metrics not handled");
}

/* Health, and what has no text. */
static void answer_own(Exchange *x)
{
    Server *s = x->server;
    Answer *a = &x->answer;
    const char *path = x->route->path;
    if (strcmp(path, "/metrics") == 0) {
        metrics(s, a);
        return;
    }
    a->status = 200;
    a->type = "text/plain";
    if (strcmp(path, "/ready") == 0 && atomic_load(&s->draining)) answer_refuse(a, 503, "The server is stopping.");
    else strbuf_printf(&a->body, "%s\n", strcmp(path, "/ping") == 0 ? "pong" : path + 1);
}

static void answer_page(Answer *a)
{
    a->status = 200;
    a->type = "text/html; charset=utf-8";
    strbuf_puts(&a->body, PAGE_HTML);
}

/* A job without a worker: it may ask for models, not for a parser. */
static void run_quick(Exchange *x)
{
    Server *s = x->server;
    pthread_mutex_lock(&s->lock);
    Engine *g = s->engine;
    atomic_fetch_add(&g->references, 1);
    pthread_mutex_unlock(&s->lock);
    x->route->run(&(Job){ .o = &s->service, .models = g->model, .n_models = g->n, .arena = &x->arena }, &x->answer);
    engine_release(g);
}

static bool allows(const char *methods, const char *method)
{
    size_t n = strlen(method);
    for (const char *at = methods; (at = strstr(at, method)) != NULL; at += n)
        if ((at == methods || at[-1] == ' ') && (at[n] == ',' || !at[n])) return true;
    return false;
}

static long count_words(StrView text)
{
    long n = 0;
    for (size_t k = 0; k < text.len; k++)
        n += (unsigned char)text.ptr[k] > ' ' && (k == 0 || (unsigned char)text.ptr[k - 1] <= ' ');
    return n;
}

/* Is the answer of a complete request left to a worker? Otherwise it is in x->answer. */
static bool needs_worker(Exchange *x)
{
    Server *s = x->server;
    Answer *a = &x->answer;
    bool reads = strcmp(x->method, "GET") == 0 || x->head;
    if (strcmp(x->method, "OPTIONS") == 0 && s->o->cors && x->route) {
        a->status = 204;
        return false;
    }
    if (!x->route) return answer_refuse(a, 404, "URI %s not handled", x->path);
    if (!allows(x->route->methods, x->method))
        return answer_refuse(a, 405, "found %.20s, expected one of: %s", x->method, x->route->methods);
    if (x->too_long || x->body.failed)
        return answer_refuse(a, x->too_long ? 413 : 503,
                             "Request is too long to be handled by server. Max length is %d characters.",
                             s->o->max_chars);
    if (x->route->kind == ROUTE_REFUSED) return answer_refuse(a, 501, "%s is not supported", x->route->path);
    if (reads && x->route->run == corenlp_answer) answer_page(a);
    else if (!x->route->run) answer_own(x);
    else if (x->route->kind == ROUTE_QUICK) run_quick(x);
    else if (atomic_load(&s->draining) > 1) {
        atomic_fetch_add(&s->count.rejected_draining, 1);
        answer_refuse(a, 503, "The server is stopping.");
    } else return true;
    return false;
}

static enum MHD_Result complete(Exchange *x)
{
    Server *s = x->server;
    x->began = clock_seconds(); /* the client's time to send is not ours */
    x->deadline = x->began + s->o->timeout;
    if (needs_worker(x)) {
        atomic_fetch_add(&s->count.bytes, (long)x->body.len);
        atomic_fetch_add(&s->count.words, count_words((StrView){ x->body.ptr, x->body.len }));
        set_state(x, WORKS, 0);
        pthread_mutex_lock(&x->lock); /* until the connection sleeps no worker can wake it */
        bool queued = work_queue(s, x, &x->answer);
        if (queued) {
            x->suspended = true;
            mhd.MHD_suspend_connection(x->connection);
        }
        pthread_mutex_unlock(&x->lock);
        if (queued) return MHD_YES;
    }
    x->phase = PHASE_ANSWERED;
    return put_whole(x);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *c, const char *path, const char *method,
                                  const char *version, const char *bytes, size_t *size, void **state)
{
    Exchange *x = *state;
    (void)version;
    if (!x) return begin(cls, c, path, method, state);
    if (*size) return take_body(x, bytes, size);
    pthread_mutex_lock(&x->lock);
    Phase phase = x->phase;
    pthread_mutex_unlock(&x->lock);
    switch (phase) {
    case PHASE_READING: return complete(x);
    case PHASE_STREAMING: return put_stream(x);
    case PHASE_ANSWERED: return put_whole(x);
    default: return MHD_YES;
    }
}

static void on_completed(void *cls, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode code)
{
    Server *s = cls;
    Exchange *x = *state;
    (void)c;
    if (!x) return;
    *state = NULL;
    pthread_mutex_lock(&x->lock);
    x->gone = true;
    pthread_cond_signal(&x->drained);
    int status = x->answer.status;
    if (status == 0 || (code != MHD_REQUEST_TERMINATED_COMPLETED_OK && status == 200))
        status = 499; /* the client left */
    atomic_fetch_add(&s->count.requests[x->route ? x->route - ROUTES : N_ROUTES][report_status(status)], 1);
    if (x->started > 0) {
        report_time(&s->count.waiting, x->started - x->began);
        report_time(&s->count.working, (x->ended > 0 ? x->ended : clock_seconds()) - x->started);
    }
    report_request(s, x, status);
    pthread_mutex_unlock(&x->lock);
    set_state(x, WAITS, 0);
    exchange_release(x);
}

/* ---- start and stop */

static Status start_daemon(Server *s, int socket, Error *e)
{
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
    unsigned per_ip = s->local ? 0 : (unsigned)s->o->connections_per_ip;
    s->daemon = mhd.MHD_start_daemon(flags, 0, NULL, NULL, on_request, s, MHD_OPTION_LISTEN_SOCKET, socket,
                                     MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_NOTIFY_CONNECTION,
                                     on_connection, s, MHD_OPTION_CONNECTION_LIMIT, (unsigned)s->o->connections,
                                     MHD_OPTION_PER_IP_CONNECTION_LIMIT, per_ip, MHD_OPTION_CONNECTION_TIMEOUT,
                                     (unsigned)s->o->idle_timeout, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)64 << 10,
                                     MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    return s->daemon ? OK : error_set(e, ERR_IO, "%s: cannot serve: %s", s->o->listen, strerror(errno));
}

static void reload(Server *s)
{
    Error e = { 0 };
    char text[1400];
    systemd_notify("RELOADING=1");
    Engine *g = engine_load(s->o->model_files, s->o->n_models, &e);
    if (g) {
        pthread_mutex_lock(&s->lock);
        Engine *before = s->engine;
        s->engine = g;
        pthread_mutex_unlock(&s->lock);
        engine_release(before);
        fprintf(stderr, "lal serve: the models were loaded again\n");
    } else
        fprintf(stderr, "lal serve: the models stay, because the new ones cannot be loaded: %s\n",
                error_text(&e, text, sizeof text));
    systemd_notify("READY=1");
}

/* Watches time and signals until one ends the server. */
static void watch(Server *s, const sigset_t *signals)
{
    double every = systemd_watchdog(), last = 0;
    for (;;) {
        int number = sigtimedwait(signals, NULL, &(struct timespec){ .tv_nsec = 100000000 });
        double now = clock_seconds();
        if (number == SIGTERM || number == SIGINT) return;
        if (number == SIGHUP) reload(s);
        close_slow(s, now);
        work_expire(s, now);
        if (every > 0 && now - last >= every) {
            systemd_notify("WATCHDOG=1");
            last = now;
        }
    }
}

/* Until a second signal or `seconds` have passed. One that comes within a second is the first again: timeout(1) sends
 * it to the process and to its group. */
static void wait_signal(const sigset_t *signals, double seconds)
{
    double began = clock_seconds();
    while (clock_seconds() < began + seconds) {
        int number = sigtimedwait(signals, NULL, &(struct timespec){ .tv_nsec = 50000000 });
        if ((number == SIGTERM || number == SIGINT) && clock_seconds() >= began + 1) return;
    }
}

/* Waits for answers to leave, but not for ever. */
static void wait_answers(Server *s)
{
    for (double until = clock_seconds() + 5; clock_seconds() < until; poll(NULL, 0, 10)) {
        pthread_mutex_lock(&s->lock);
        bool none = s->exchanges == 0;
        pthread_mutex_unlock(&s->lock);
        if (none) return;
    }
}

static void stop(Server *s, const sigset_t *signals)
{
    systemd_notify("STOPPING=1");
    atomic_store(&s->draining, 1);
    wait_signal(signals, s->o->grace);
    int socket = mhd.MHD_quiesce_daemon(s->daemon);
    if (socket >= 0) listen_refuse(socket);
    work_drain(s, clock_seconds() + s->o->drain);
    atomic_store(&s->draining, 2); /* what kept connections still send */
    work_drain(s, 0);
    wait_answers(s);
    mhd.MHD_stop_daemon(s->daemon);
    if (socket >= 0) close(socket); /* not before: the daemon's thread may be looking at it */
}

static Status run(Server *s, Error *e)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    for (int k = 0; k < 3; k++) sigaddset(&signals, (const int[]){ SIGTERM, SIGINT, SIGHUP }[k]);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    signal(SIGPIPE, SIG_IGN);
    int socket = -1;
    Status status = listen_open(s->o->listen, &socket, &s->local, e);
    if (status == OK) status = work_start(s, e);
    if (status == OK) status = start_daemon(s, socket, e);
    if (status == OK) {
        listen_report(socket, s->o->listen, s->local || s->password);
        systemd_notify("READY=1");
        watch(s, &signals);
        stop(s, &signals);
    } else if (socket >= 0) close(socket);
    listen_close(s->o->listen);
    work_end(s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* The first line of the file. */
static Status read_password(Server *s, Error *e)
{
    char line[512];
    const char *path = s->o->password_file;
    if (!path != !s->o->user) return error_set(e, ERR_USAGE, "found one of --user and --password-file, expected both");
    if (!path) return OK;
    FILE *f = fopen(path, "r");
    bool got = f && fgets(line, sizeof line, f);
    if (f) fclose(f);
    if (!got) return error_at(e, ERR_IO, path, 0, 0, "found no line, expected a password");
    line[strcspn(line, "\r\n")] = 0;
    if (!*line) return error_at(e, ERR_FORMAT, path, 1, 1, "found an empty line, expected a password");
    StrBuf user = { 0 }, password = { 0 };
    strbuf_puts(&user, s->o->user);
    strbuf_puts(&password, line);
    s->user = user.ptr;
    s->password = password.ptr;
    return s->user && s->password ? OK : error_set(e, ERR_NOMEM, "out of memory");
}

Status serve_run(const ServeOptions *o, Error *e)
{
    Server s = { .o = o, .routes = ROUTES, .n_routes = N_ROUTES };
    s.service = (ServiceOptions){
        .parse = o->parse, .max_chars = o->max_chars, .ignored = o->ignore_annotators, .generator = "lal " LAL_VERSION
    };
    json_set_allocator(true);
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.work, NULL);
    pthread_cond_init(&s.warm, NULL);
    Status status = load_library(e);
    if (status == OK) status = read_password(&s, e);
    if (status == OK && !(s.engine = engine_load(o->model_files, o->n_models, e))) status = e->code;
    if (status == OK) status = run(&s, e);
    engine_release(s.engine);
    mem_free(s.user);
    mem_free(s.password);
    pthread_mutex_destroy(&s.lock);
    pthread_cond_destroy(&s.work);
    pthread_cond_destroy(&s.warm);
    return status;
}
