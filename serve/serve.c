/* A server's life */
#include "serve/serve.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/thread.h"
#include "serve/connection.h"
#include "serve/listen.h"
#include "serve/mhd.h"
#include "serve/password.h"
#include "serve/request.h"
#include "serve/server.h"
#include "serve/systemd.h"

/* ---- what the server says */

/* Messages on standard error. */
static void say(Server *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(Server *s, const char *format, ...)
{
    StrBuf line = { 0 };
    va_list ap;
    va_start(ap, format);
    strbuf_puts(&line, "lal serve: ");
    strbuf_vprintf(&line, format, ap);
    strbuf_putc(&line, '\n');
    va_end(ap);
    if (!line.failed) log_add(s->messages, (StrView){ line.ptr, line.len });
    strbuf_fini(&line);
}

static void say_lost(StrBuf *out, long n) { strbuf_printf(out, "lal serve: %ld messages were lost\n", n); }

static Status start_logs(Server *s, Error *e)
{
    bool json = s->o->log == SERVE_LOG_JSON;
    s->messages = log_new(STDERR_FILENO, say_lost, e);
    if (s->messages && s->o->log != SERVE_LOG_NONE)
        s->log = log_new(STDOUT_FILENO, json ? report_lost_json : report_lost, e);
    return s->messages && (s->log || s->o->log == SERVE_LOG_NONE) ? OK : ERR_NOMEM;
}

static void end_logs(Server *s)
{
    enum { SECONDS = 2 };
    log_free(s->log, SECONDS);
    log_free(s->messages, SECONDS);
}

static void notify(Server *s, const char *state)
{
    if (!systemd_notify(state)) say(s, "NOTIFY_SOCKET: %s: %s", state, strerror(errno));
}

/* ---- start and stop */

static Status start_daemon(Server *s, int socket, Error *e)
{
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
    unsigned per_ip = s->local ? 0 : (unsigned)s->o->connections_per_ip;
    s->daemon = mhd.MHD_start_daemon(
        flags, 0, NULL, NULL, request_take, s, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_URI_LOG_CALLBACK,
        request_target, s, MHD_OPTION_NOTIFY_COMPLETED, request_completed, s, MHD_OPTION_NOTIFY_CONNECTION,
        connection_notify, s, MHD_OPTION_CONNECTION_LIMIT, (unsigned)s->o->connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, per_ip, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)s->o->idle_timeout,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)64 << 10, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    return s->daemon ? OK : error_set(e, ERR_IO, "%s: cannot serve: %s", s->o->listen, strerror(errno));
}

static void reload(Server *s)
{
    Error e = { 0 };
    char text[1400];
    notify(s, "RELOADING=1");
    Engine *g = engine_load(s->o->model_files, s->o->n_models, &e);
    if (g) {
        pthread_mutex_lock(&s->lock);
        Engine *before = s->engine;
        g->reloads = before->reloads + 1;
        s->engine = g;
        pthread_mutex_unlock(&s->lock);
        engine_release(before);
        say(s, "the models were loaded again");
    } else {
        atomic_fetch_add(&s->count.reloads_failed, 1);
        say(s, "the models stay, because the new ones cannot be loaded: %s", error_text(&e, text, sizeof text));
    }
    notify(s, "READY=1");
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
        connection_watch(s, now);
        work_expire(s, now);
        if (every > 0 && now - last >= every) {
            notify(s, "WATCHDOG=1");
            last = now;
        }
    }
}

/* Until a second signal or `seconds` have passed. One that comes within a second is the first again: timeout(1) sends
 * it to the process and to its group. */
static void wait_signal(Server *s, const sigset_t *signals, double seconds)
{
    double began = clock_seconds();
    for (double now = began; now < began + seconds; now = clock_seconds()) {
        int number = sigtimedwait(signals, NULL, &(struct timespec){ .tv_nsec = 50000000 });
        connection_watch(s, now);
        work_expire(s, now);
        if ((number == SIGTERM || number == SIGINT) && clock_seconds() >= began + 1) return;
    }
}

/* Waits for answers to leave: until then, but not for clients that take nothing, and for all at least a moment. */
static void wait_answers(Server *s, double until)
{
    enum { SECONDS = 5 };
    double began = clock_seconds(), now = began;
    for (bool some = true; some; poll(NULL, 0, 10), now = clock_seconds()) {
        connection_watch(s, now);
        pthread_mutex_lock(&s->lock);
        double last = s->sent_at > began ? s->sent_at : began;
        some = s->exchanges && now - last < SECONDS && (now < until || now - began < SECONDS);
        pthread_mutex_unlock(&s->lock);
    }
}

static void stop(Server *s, const sigset_t *signals, ListenSocket *at)
{
    notify(s, "STOPPING=1");
    atomic_store(&s->draining, 1);
    wait_signal(s, signals, s->o->grace);
    double until = clock_seconds() + s->o->drain;
    listen_unlink(at);
    bool quiet = mhd.MHD_quiesce_daemon(s->daemon) >= 0;
    if (quiet) listen_refuse(at);
    work_drain(s, until);
    atomic_store(&s->draining, 2); /* what kept connections still send */
    work_drain(s, 0);
    wait_answers(s, until);
    mhd.MHD_stop_daemon(s->daemon); /* it closes a socket that it did not give back */
    if (!quiet) at->socket = -1;
}

static void report_ready(Server *s, const ListenSocket *at)
{
    StrBuf where = { 0 };
    listen_name(at, s->o->listen, &where);
    say(s, "ready on %s", where.ptr ? where.ptr : s->o->listen);
    strbuf_fini(&where);
    if (!s->local && !s->o->user)
        say(s, "other machines can connect, and there is no password (--user, --password-file)");
    notify(s, "READY=1");
}

static Status run(Server *s, Error *e)
{
    sigset_t signals, before;
    ListenSocket at = { .socket = -1 };
    sigemptyset(&signals);
    for (int k = 0; k < 3; k++) sigaddset(&signals, (const int[]){ SIGTERM, SIGINT, SIGHUP }[k]);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    signal(SIGPIPE, SIG_IGN);
    Status status = start_logs(s, e);
    if (status == OK) status = listen_open(s->o->listen, &at, e);
    s->local = at.local;
    if (status == OK) status = work_start(s, e);
    if (status == OK) status = start_daemon(s, at.socket, e);
    if (status == OK) {
        report_ready(s, &at);
        watch(s, &signals);
        stop(s, &signals, &at);
    }
    listen_close(&at); /* not before: the daemon's thread may be looking at it */
    work_end(s);
    end_logs(s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static Status read_password(Server *s, Error *e)
{
    const char *path = s->o->password_file, *user = s->o->user;
    if (!path != !user) return error_set(e, ERR_USAGE, "found one of --user and --password-file, expected both");
    if (!user) return OK;
    if (!*user || strchr(user, ':'))
        return error_set(e, ERR_USAGE, "--user: found '%s', expected a name without ':'", user);
    return password_read(path, user, &s->password, e);
}

Status serve_run(const ServeOptions *options, Error *error)
{
    Server s = { .o = options };
    s.service = (ServiceOptions){ .parse = options->parse,
                                  .max_chars = options->max_chars,
                                  .ignored = options->ignore_annotators,
                                  .generator = "lal " LAL_VERSION,
                                  .routes = REQUEST_ROUTE,
                                  .n_routes = REQUEST_ROUTES,
                                  .prefix = options->prefix,
                                  .guarded = options->user };
    json_set_allocator(true);
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.work, NULL);
    pthread_cond_init(&s.warm, NULL);
    Status status = mhd_load(error);
    if (status == OK) status = read_password(&s, error);
    for (int k = 0; k < options->n_proxies && status == OK; k++)
        status = proxy_read(options->proxies[k], &s.proxies[k], error);
    if (status == OK && !(s.engine = engine_load(options->model_files, options->n_models, error))) status = error->code;
    if (status == OK) status = run(&s, error);
    engine_release(s.engine);
    strbuf_fini(&s.password);
    pthread_mutex_destroy(&s.lock);
    pthread_cond_destroy(&s.work);
    pthread_cond_destroy(&s.warm);
    return status;
}
