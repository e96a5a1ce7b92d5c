/* The access log and /metrics */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/thread.h"
#include "serve/http.h"
#include "serve/server.h"

static const int STATUSES[STATUS_KINDS] = { 200, 204, 400, 401, 404, 405, 408, 413, 415, 499, 500, 501, 503 };

int report_status(int status)
{
    int k = 0;
    while (k < STATUS_KINDS && STATUSES[k] != status) k++;
    return k < STATUS_KINDS ? k : report_status(500);
}

/* ---- metrics */

static const double BOUNDS[TIME_BUCKETS] = {
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60
};

void report_time(TimeHistogram *histogram, double seconds)
{
    int k = 0;
    while (k < TIME_BUCKETS && seconds > BOUNDS[k]) k++;
    atomic_fetch_add(&histogram->bucket[k], 1);
    atomic_fetch_add(&histogram->microseconds, (long)(seconds * 1e6));
}

/* What stands before the samples of a family. */
static void put_family(StrBuf *out, const char *name, const char *type, const char *help)
{
    strbuf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* The value of a label, which may be the name of a file. */
static void put_label(StrBuf *out, const char *name, const char *value)
{
    strbuf_printf(out, "%s=\"", name);
    for (const char *c = value; *c; c++)
        if (*c == '\n') strbuf_puts(out, "\\n");
        else {
            if (*c == '"' || *c == '\\') strbuf_putc(out, '\\');
            strbuf_putc(out, *c);
        }
    strbuf_putc(out, '"');
}

static void put_histogram(StrBuf *out, const char *part, TimeHistogram *h)
{
    long sum = 0;
    for (int k = 0; k <= TIME_BUCKETS; k++) {
        sum += atomic_load(&h->bucket[k]);
        strbuf_printf(out, "lal_request_seconds_bucket{part=\"%s\",le=\"", part);
        if (k < TIME_BUCKETS) strbuf_printf(out, "%g\"} %ld\n", BOUNDS[k], sum);
        else strbuf_printf(out, "+Inf\"} %ld\n", sum);
    }
    strbuf_printf(out, "lal_request_seconds_sum{part=\"%s\"} %.6f\n", part,
                  (double)atomic_load(&h->microseconds) / 1e6);
    strbuf_printf(out, "lal_request_seconds_count{part=\"%s\"} %ld\n", part, sum);
}

static void put_gauge(StrBuf *out, const char *name, const char *help, double value)
{
    put_family(out, name, "gauge", help);
    strbuf_printf(out, "%s %.15g\n", name, value);
}

static void put_count(StrBuf *out, const char *name, const char *help, long value)
{
    put_family(out, name, "counter", help);
    strbuf_printf(out, "%s %.15g\n", name, (double)value);
}

static double resident_bytes(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%*s %ld", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void put_requests(const Server *s, StrBuf *out)
{
    put_family(out, "lal_requests_total", "counter", "Requests that were answered, by path and status of HTTP.");
    for (int r = 0; r <= s->service.n_routes; r++)
        for (int k = 0; k < STATUS_KINDS; k++) {
            long n = atomic_load(&s->count.requests[r][k]);
            if (n)
                strbuf_printf(out, "lal_requests_total{path=\"%s\",status=\"%d\"} %ld\n",
                              r < s->service.n_routes ? s->service.routes[r].path : "other", STATUSES[k], n);
        }
}

static void put_rejected(const Counters *c, StrBuf *out)
{
    put_family(out, "lal_rejected_total", "counter", "Requests that got status 503, by what was full or ended.");
    strbuf_printf(out, "lal_rejected_total{reason=\"queue\"} %ld\n", atomic_load(&c->rejected_queue));
    strbuf_printf(out, "lal_rejected_total{reason=\"memory\"} %ld\n", atomic_load(&c->rejected_memory));
    strbuf_printf(out, "lal_rejected_total{reason=\"draining\"} %ld\n", atomic_load(&c->rejected_draining));
}

/* s->lock is held. */
static void put_engine(const Server *s, StrBuf *out)
{
    const Engine *g = s->engine;
    put_family(out, "lal_model_info", "gauge", "Models that are served, the default first; the value is 1.");
    for (int k = 0; k < g->n; k++) {
        const ServedModel *m = &g->model[k];
        put_label(out, "lal_model_info{model", m->name);
        put_label(out, ",digest", m->digest);
        put_label(out, ",language", m->language ? m->language : "");
        strbuf_puts(out, "} 1\n");
    }
    put_gauge(out, "lal_models_loaded_timestamp_seconds", "When the models were loaded, in seconds since 1970.",
              (double)g->loaded);
    put_family(out, "lal_reloads_total", "counter", "Signals to load the models again, by whether they could be.");
    strbuf_printf(out, "lal_reloads_total{result=\"loaded\"} %ld\n", g->reloads);
    strbuf_printf(out, "lal_reloads_total{result=\"failed\"} %ld\n", atomic_load(&s->count.reloads_failed));
    put_family(out, "lal_build_info", "gauge", "Version of the program and its default model; the value is 1.");
    strbuf_printf(out, "lal_build_info{version=\"%s\"", lal_version());
    put_label(out, ",model", g->model[0].name);
    strbuf_puts(out, "} 1\n");
}

void report_metrics(Server *server, StrBuf *out)
{
    Counters *c = &server->count;
    put_requests(server, out);
    put_family(out, "lal_request_seconds", "histogram",
               "Seconds that requests waited for a worker and were worked on.");
    put_histogram(out, "waiting", &c->waiting);
    put_histogram(out, "working", &c->working);
    put_count(out, "lal_words_total", "Words in the bodies of requests, as white space separates them.", c->words);
    put_count(out, "lal_text_bytes_total", "Bytes in the bodies of requests.", c->bytes);
    put_count(out, "lal_timeouts_total", "Requests whose time was over before they were answered.", c->timeouts);
    put_rejected(c, out);
    put_count(out, "lal_log_lost_lines_total", "Lines of the log that could not be written.",
              server->log ? log_lost(server->log) : 0);
    pthread_mutex_lock(&server->lock);
    int queued = server->brief.n + server->lengthy.n;
    double held = server->held;
    put_engine(server, out);
    pthread_mutex_unlock(&server->lock);
    put_gauge(out, "lal_queue_length", "Requests that wait for a worker.", queued);
    put_gauge(out, "lal_held_bytes", "Bytes that are counted for texts and answers (--max-memory).", held);
    put_gauge(out, "lal_workers_busy", "Workers that work on a request.", atomic_load(&c->workers_busy));
    put_gauge(out, "lal_connections", "Connections of clients.", atomic_load(&c->connections));
    put_gauge(out, "process_resident_memory_bytes", "Resident memory of the process in bytes.", resident_bytes());
}

/* ---- access log */

typedef struct LogTime {
    char text[40];
} LogTime;

static LogTime log_time(void)
{
    LogTime t;
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t n = strftime(t.text, sizeof t.text, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(t.text + n, sizeof t.text - n, ".%03dZ", (int)(now.tv_nsec / 1000000));
    return t;
}

enum { QUOTED_MOST = 200, METHOD_MOST = 20 /* bytes of what a client sent */ };

/* What a client sent, in quotes; its control characters and quotes are not its own. */
static void put_quoted(StrBuf *out, const char *text, long most)
{
    strbuf_putc(out, '"');
    for (const char *c = text ? text : "-"; *c && c - text < most; c++)
        strbuf_putc(out, *c == '"' || (unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f ? '?' : *c);
    strbuf_putc(out, '"');
}

/* Bare if it is well-formed and short, as all methods are. */
static void put_method(StrBuf *out, const char *method)
{
    if (http_is_token(method) && strlen(method) <= METHOD_MOST) strbuf_puts(out, method);
    else put_quoted(out, method, METHOD_MOST);
}

static void put_member(StrBuf *out, const char *key, const char *text, size_t most)
{
    if (text) json_view(out, key, (StrView){ text, utf8_cut(text, strlen(text), most) });
    else json_string(out, key, NULL);
}

static double part_ms(double from, double to) { return from > 0 && to > from ? (to - from) * 1000 : 0; }

void report_request(const Server *server, const Exchange *exchange, int status)
{
    StrBuf line = { 0 };
    double now = clock_seconds(), started = exchange->started > 0 ? exchange->started
                                            : exchange->ended > 0 ? exchange->ended
                                                                  : now;
    double waiting = part_ms(exchange->began, started), working = part_ms(exchange->started, exchange->ended);
    if (!server->log) return;
    if (server->o->log == SERVE_LOG_JSON) {
        json_object(&line, NULL);
        json_members(&line, "time: %s, address: %s", log_time().text, exchange->address);
        put_member(&line, "method", exchange->method, METHOD_MOST);
        put_member(&line, "path", exchange->path, QUOTED_MOST);
        json_members(&line, "status: %d, in: %ld, out: %ld, waiting_ms: %.1f, working_ms: %.1f", status,
                     (long)exchange->received, (long)exchange->bytes_out, waiting, working);
        put_member(&line, "agent", exchange->agent, QUOTED_MOST);
        json_string(&line, "id", exchange->id);
        json_object_end(&line);
    } else {
        strbuf_printf(&line, "%s %s ", log_time().text, exchange->address);
        put_method(&line, exchange->method);
        strbuf_putc(&line, ' ');
        put_quoted(&line, exchange->path, QUOTED_MOST);
        strbuf_printf(&line, " %d %zu %zu %.1f %.1f ", status, exchange->received, exchange->bytes_out, waiting,
                      working);
        put_quoted(&line, exchange->agent, QUOTED_MOST);
        strbuf_printf(&line, " %s", exchange->id ? exchange->id : "-");
    }
    strbuf_putc(&line, '\n');
    if (!line.failed) log_add(server->log, (StrView){ line.ptr, line.len });
    strbuf_fini(&line);
}

void report_lost(StrBuf *out, long n) { strbuf_printf(out, "%s lost %ld lines\n", log_time().text, n); }

void report_lost_json(StrBuf *out, long n)
{
    json_record(out, NULL, "time: %s, lost: %ld", log_time().text, n);
    strbuf_putc(out, '\n');
}
