/* The life of a request in order: target and headers, what is refused before the body comes, the
 * body, a quick answer or a worker, the end. */
#include "serve/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/thread.h"
#include "serve/connection.h"
#include "serve/corenlp.h"
#include "serve/corenlp_search.h"
#include "serve/http.h"
#include "serve/openapi.h"
#include "serve/own.h"
#include "serve/own_search.h"
#include "serve/page.h"
#include "serve/password.h"
#include "serve/reply.h"
#include "serve/udpipe.h"

/* ---- paths */

#define POSTS "GET, HEAD, POST"
const Route REQUEST_ROUTE[REQUEST_ROUTES] = {
    { "/", POSTS, ROUTE_WORK, corenlp_answer, false, &OPENAPI_CORENLP },
    { "/ping", POSTS, ROUTE_QUICK, NULL, true, &OPENAPI_HEALTH },
    { "/live", POSTS, ROUTE_QUICK, NULL, true, &OPENAPI_HEALTH },
    { "/ready", POSTS, ROUTE_QUICK, NULL, true, &OPENAPI_HEALTH },
    { "/metrics", "GET, HEAD", ROUTE_QUICK, NULL, false, &OPENAPI_METRICS },
    { "/openapi.json", "GET, HEAD", ROUTE_QUICK, openapi_answer, false, &OPENAPI_OPENAPI },
    { "/tokensregex", POSTS, ROUTE_REFUSED, NULL, false, &OPENAPI_REFUSED },
    { "/semgrex", POSTS ", PUT", ROUTE_WORK, corenlp_search_semgrex, false, &OPENAPI_SEMGREX },
    { "/tregex", POSTS ", PUT", ROUTE_WORK, corenlp_search_tregex, false, &OPENAPI_TREGEX },
    { "/scenegraph", POSTS, ROUTE_REFUSED, NULL, false, &OPENAPI_REFUSED },
    { "/models", POSTS, ROUTE_QUICK, udpipe_models, false, &OPENAPI_UDPIPE_MODELS },
    { "/process", POSTS, ROUTE_WORK, udpipe_process, false, &OPENAPI_PROCESS },
    { "/v1/models", "GET, HEAD", ROUTE_QUICK, own_models, false, &OPENAPI_MODELS },
    { "/v1/parse", "POST", ROUTE_WORK, own_parse, false, &OPENAPI_PARSE },
    { "/v1/inspect", "POST", ROUTE_WORK, own_inspect, false, &OPENAPI_INSPECT },
    { "/v1/tokenize", "POST", ROUTE_WORK, own_tokenize, false, &OPENAPI_TOKENIZE },
    { "/v1/search", "POST", ROUTE_WORK, own_search, false, &OPENAPI_SEARCH },
};
_Static_assert((int)REQUEST_ROUTES < (int)ROUTES_MOST, "Counters.requests has a row for each");

static const Route *find_route(const Server *s, const char *path)
{
    const char *prefix = s->o->prefix ? s->o->prefix : "";
    size_t n = strlen(prefix);
    if (strncmp(path, prefix, n) != 0) return NULL;
    path += n;
    for (int k = 0; k < REQUEST_ROUTES; k++)
        if (strcmp(REQUEST_ROUTE[k].path, *path ? path : "/") == 0) return &REQUEST_ROUTE[k];
    return NULL;
}

static bool allows(const char *methods, const char *method)
{
    size_t n = strlen(method);
    for (const char *at = methods; (at = strstr(at, method)) != NULL; at += n)
        if ((at == methods || at[-1] == ' ') && (at[n] == ',' || !at[n])) return true;
    return false;
}

/* ---- a request begins */

static Connection *connection_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info = mhd.MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* Keeps the query and takes it away from the library, which has no answer for a request with more parameters than it
 * has room for: such a request would wait until its time is over. */
void *request_target(void *cls, const char *target, struct MHD_Connection *connection)
{
    Connection *at = connection_of(connection);
    char *query = target ? strchr(target, '?') : NULL; /* in a buffer that the library writes to, too */
    (void)cls;
    if (!at) return NULL;
    mem_free(at->query);
    at->query = NULL;
    at->query_lost = false;
    if (!query) return NULL;
    StrBuf copy = { 0 };
    strbuf_puts(&copy, query + 1);
    at->query = copy.ptr;
    at->query_lost = copy.failed;
    query[1] = 0;
    return NULL;
}

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

/* Appends the header to those of its name before it. */
static enum MHD_Result take_forwarded(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
    StrBuf *out = cls;
    (void)kind;
    if (strcasecmp(name, "X-Forwarded-For") == 0) strbuf_printf(out, "%s%s", out->len ? "," : "", value ? value : "");
    return MHD_YES;
}

/* The address of the client, also through proxies that are trusted. */
static void set_client(Exchange *x)
{
    const Server *s = x->server;
    StrBuf forwarded = { 0 };
    set_address(x);
    if (!proxy_trusted(s->proxies, s->o->n_proxies, x->address)) return;
    mhd.MHD_get_connection_values(x->connection, MHD_HEADER_KIND, take_forwarded, &forwarded);
    if (!forwarded.failed)
        proxy_client(s->proxies, s->o->n_proxies, (StrView){ forwarded.ptr, forwarded.len }, x->address);
    strbuf_fini(&forwarded);
}

static Exchange *exchange_new(Server *s, struct MHD_Connection *c, const char *path, const char *method)
{
    Connection *at = connection_of(c);
    Exchange *x = at ? mem_calloc(1, sizeof *x) : NULL;
    if (!x) return NULL;
    x->server = s;
    x->connection = c;
    x->at = at;
    x->references = 1;
    x->began = clock_seconds();
    x->deadline = x->began + s->o->timeout;
    arena_init(&x->arena, 1 << 12);
    pthread_mutex_init(&x->lock, NULL);
    x->query.arena = &x->arena;
    x->method = keep(x, method);
    x->path = keep(x, path);
    x->type = header(x, "Content-Type") ? keep(x, header(x, "Content-Type")) : NULL;
    x->agent = header(x, "User-Agent") ? keep(x, header(x, "User-Agent")) : NULL;
    x->id = request_id(x);
    x->head = strcmp(method, "HEAD") == 0;
    set_client(x);
    pthread_mutex_lock(&s->lock);
    s->exchanges++;
    pthread_mutex_unlock(&s->lock);
    if (x->method && x->path && x->id) return x;
    exchange_release(x);
    return NULL;
}

/* ---- what is refused before its body has come */

static enum MHD_Result add_framing(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind;
    http_framing_add(cls, name, value);
    return MHD_YES;
}

/* A page's question whether it may ask (CORS); a browser sends no password with it. */
static bool is_preflight(const Exchange *x)
{
    return x->server->o->cors && x->route && strcmp(x->method, "OPTIONS") == 0;
}

static bool is_allowed(const Exchange *x)
{
    const Server *s = x->server;
    if (!s->o->user || (x->route && x->route->open) || is_preflight(x)) return true;
    return password_matches(header(x, "Authorization"), s->o->user, (StrView){ s->password.ptr, s->password.len });
}

static size_t most_bytes(const Server *s) { return 4 * (size_t)s->o->max_chars + 4096; }

static bool refuse_long(Exchange *x)
{
    return answer_refuse(&x->answer, 413, "Request is too long to be handled by server. Max length is %d characters.",
                         x->server->o->max_chars);
}

/* Is there one way alone to read the request, and is it short enough? Else its connection must be closed. */
static bool can_be_read(Exchange *x, const char *version)
{
    HttpFraming framing = { 0 };
    const char *why, *length = header(x, "Content-Length");
    mhd.MHD_get_connection_values(x->connection, MHD_HEADER_KIND, add_framing, &framing);
    int fault = http_framing_fault(&framing, version, &why);
    if (fault) return answer_refuse(&x->answer, fault, "%s", why);
    if (!http_is_token(x->method)) return answer_refuse(&x->answer, 400, "found a method that is not well-formed");
    return !length || strtod(length, NULL) <= (double)most_bytes(x->server) || refuse_long(x);
}

static bool read_query(Exchange *x)
{
    Error e = { 0 };
    const char *query = x->at->query;
    if (x->at->query_lost) return answer_refuse(&x->answer, 503, "out of memory for the query");
    return !query || parameters_form(&x->query, (StrView){ query, strlen(query) }, &e) == OK ||
           answer_status(&x->answer, &e);
}

/* Is there somebody to answer it? Otherwise the answer is in x->answer. */
static bool can_be_answered(Exchange *x)
{
    Answer *a = &x->answer;
    if (!is_allowed(x)) return answer_refuse(a, 401, "found no right user and password");
    if (!x->route) return answer_refuse(a, 404, "URI %s not handled", x->path);
    if (is_preflight(x)) {
        a->status = 204;
        return false;
    }
    if (!allows(x->route->methods, x->method))
        return answer_refuse(a, 405, "found %.20s, expected one of: %s", x->method, x->route->methods);
    if (x->route->kind == ROUTE_REFUSED) return answer_refuse(a, 501, "%s is not supported", x->route->path);
    return read_query(x);
}

static enum MHD_Result begin(Server *s, struct MHD_Connection *c, const char *target, const char *method,
                             const char *version, void **state)
{
    const char *path = http_path(target);
    Exchange *x = exchange_new(s, c, path, method);
    *state = x;
    if (!x) return MHD_NO;
    x->route = find_route(s, path);
    x->newer = strcmp(version, "HTTP/1.0") != 0;
    connection_state(x, READS_BODY);
    mhd.MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, 0U); /* connection_watch has other limits */
    bool readable = can_be_read(x, version);
    x->refused = !readable || !can_be_answered(x);
    /* an answer at this point closes the connection */
    if (readable && !(x->refused && header(x, "Expect"))) return MHD_YES;
    x->phase = PHASE_ANSWERED;
    return reply_whole(x);
}

/* ---- its body comes */

/* Does it ask for the page? */
static bool wants_page(const Exchange *x)
{
    return x->route->run == corenlp_answer && (x->head || strcmp(x->method, "GET") == 0);
}

static bool needs_body(const Exchange *x) { return !x->refused && x->route->kind == ROUTE_WORK && !wants_page(x); }

static void take_body(Exchange *x, const char *bytes, size_t size)
{
    StrBuf *b = &x->body;
    x->received += size;
    if (!needs_body(x)) return;
    bool good = b->len + size <= most_bytes(x->server) || refuse_long(x);
    if (good) strbuf_add(b, bytes, size);
    if (good) good = !b->failed || answer_refuse(&x->answer, 503, "out of memory for the text");
    if (good) good = exchange_hold(x, b->cap, &x->answer);
    if (good) return;
    x->refused = true;
    strbuf_fini(b);
    exchange_hold(x, 0, NULL);
}

/* ---- a request is complete */

/* Numbers are for this machine alone, if nothing else is said: not for a page that had its own name lead here. */
static bool may_see_metrics(const Exchange *x)
{
    const Server *s = x->server;
    const char *host = header(x, "Host");
    if (s->o->metrics) return true;
    bool tcp = x->address[0] != '-';
    return s->local && (!tcp || s->o->user || !host || http_host_is_loopback((StrView){ host, strlen(host) }));
}

/* Health, and what has no text. */
static void answer_own(Exchange *x)
{
    Server *s = x->server;
    Answer *a = &x->answer;
    const char *path = x->route->path;
    if (strcmp(path, "/metrics") == 0) {
        a->status = 200;
        a->type = "text/plain; version=0.0.4; charset=utf-8";
        if (may_see_metrics(x)) report_metrics(s, &a->body);
        else answer_refuse(a, 404, "URI /metrics not handled");
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
    x->route->run(&(Job){ .o = &s->service,
                          .models = g->model,
                          .n_models = g->n,
                          .loaded = g->loaded,
                          .reloads = g->reloads,
                          .arena = &x->arena },
                  &x->answer);
    engine_release(g);
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
    if (x->refused) return false;
    if (wants_page(x)) answer_page(a);
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
        connection_state(x, WORKS);
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
    return reply_whole(x);
}

enum MHD_Result request_take(void *cls, struct MHD_Connection *connection, const char *target, const char *method,
                             const char *version, const char *bytes, size_t *size, void **state)
{
    Exchange *x = *state;
    if (!x) return begin(cls, connection, target, method, version, state);
    if (*size) {
        take_body(x, bytes, *size);
        *size = 0;
        return MHD_YES;
    }
    pthread_mutex_lock(&x->lock);
    Phase phase = x->phase;
    pthread_mutex_unlock(&x->lock);
    switch (phase) {
    case PHASE_READING: return complete(x);
    case PHASE_STREAMING: return reply_stream(x);
    case PHASE_ANSWERED: return reply_whole(x);
    default: return MHD_YES;
    }
}

/* ---- its end */

/* 499: the client left before it had its answer, or was too slow. */
static int final_status(const Exchange *x, bool whole)
{
    int status = x->answer.status;
    if (x->broken && !x->left && status == 200) return 500; /* the client saw the connection end early */
    return x->left || !whole || !status ? 499 : status;
}

void request_completed(void *cls, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code)
{
    Server *s = cls;
    Exchange *x = *state;
    bool whole = code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
    if (!x) return;
    *state = NULL;
    pthread_mutex_lock(&x->lock);
    x->gone = true;
    int status = final_status(x, whole);
    atomic_fetch_add(&s->count.requests[x->route ? x->route - REQUEST_ROUTE : REQUEST_ROUTES][report_status(status)],
                     1);
    if (x->started > 0) {
        report_time(&s->count.waiting, x->started - x->began);
        report_time(&s->count.working, (x->ended > 0 ? x->ended : clock_seconds()) - x->started);
    }
    report_request(s, x, status);
    pthread_mutex_unlock(&x->lock);
    connection_state(x, WAITS);
    if (whole) mhd.MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)s->o->idle_timeout);
    exchange_release(x);
}
