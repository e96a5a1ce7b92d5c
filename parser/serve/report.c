/* parser/serve/report.c: the access log and /metrics */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/thread.h"
#include "parser/serve/server.h"

static const int STATUSES[STATUS_KINDS] = { 200, 204, 400, 401, 404, 405, 413, 415, 500, 501, 503 };

int report_status(int status)
{
    for (int k = 0; k < STATUS_KINDS; k++)
        if (STATUSES[k] == status) return k;
    return STATUS_KINDS - 3; /* 500 */
}

/* ---- metrics */

static const double BOUNDS[TIME_BUCKETS] = {
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60
};

void report_time(TimeHistogram *h, double seconds)
{
    int k = 0;
    while (k < TIME_BUCKETS && seconds > BOUNDS[k]) k++;
    atomic_fetch_add(&h->bucket[k], 1);
    atomic_fetch_add(&h->microseconds, (long)(seconds * 1e6));
}

static void put_type(StrBuf *out, const char *name, const char *type)
{
    strbuf_printf(out, "# TYPE %s %s\n", name, type);
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

static void put_value(StrBuf *out, const char *name, const char *type, double value)
{
    put_type(out, name, type);
    strbuf_printf(out, "%s %.15g\n", name, value);
}

static double resident_bytes(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%*s %ld", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

void report_metrics(Server *s, StrBuf *out)
{
    Counters *c = &s->count;
    put_type(out, "lal_requests_total", "counter");
    for (int r = 0; r <= s->n_routes; r++)
        for (int k = 0; k < STATUS_KINDS; k++) {
            long n = atomic_load(&c->requests[r][k]);
            if (n)
                strbuf_printf(out, "lal_requests_total{path=\"%s\",status=\"%d\"} %ld\n",
                              r < s->n_routes ? s->routes[r].path : "other", STATUSES[k], n);
        }
    put_type(out, "lal_request_seconds", "histogram");
    put_histogram(out, "waiting", &c->waiting);
    put_histogram(out, "working", &c->working);
    put_value(out, "lal_words_total", "counter", (double)atomic_load(&c->words));
    put_value(out, "lal_text_bytes_total", "counter", (double)atomic_load(&c->bytes));
    put_value(out, "lal_timeouts_total", "counter", (double)atomic_load(&c->timeouts));
    put_type(out, "lal_rejected_total", "counter");
    strbuf_printf(out, "lal_rejected_total{reason=\"queue\"} %ld\n", atomic_load(&c->rejected_queue));
    strbuf_printf(out, "lal_rejected_total{reason=\"memory\"} %ld\n", atomic_load(&c->rejected_memory));
    strbuf_printf(out, "lal_rejected_total{reason=\"draining\"} %ld\n", atomic_load(&c->rejected_draining));
    pthread_mutex_lock(&s->lock);
    int queued = s->brief.n + s->lengthy.n;
    pthread_mutex_unlock(&s->lock);
    put_value(out, "lal_queue_length", "gauge", queued);
    put_value(out, "lal_workers_busy", "gauge", atomic_load(&c->workers_busy));
    put_value(out, "lal_connections", "gauge", atomic_load(&c->connections));
    put_value(out, "process_resident_memory_bytes", "gauge", resident_bytes());
    put_type(out, "lal_build_info", "gauge");
    pthread_mutex_lock(&s->lock);
    strbuf_printf(out, "lal_build_info{version=\"%s\",model=\"%s\"} 1\n", lal_version(), s->engine->model[0].name);
    pthread_mutex_unlock(&s->lock);
}

/* ---- access log */

static void put_time(StrBuf *out)
{
    struct timespec now;
    struct tm utc;
    char text[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    strbuf_printf(out, "%s.%03dZ", text, (int)(now.tv_nsec / 1000000));
}

/* What a client sent, in quotes; its control characters and quotes are not its own. */
static void put_quoted(StrBuf *out, const char *text)
{
    strbuf_putc(out, '"');
    for (const char *c = text ? text : "-"; *c && c - text < 200; c++)
        strbuf_putc(out, *c == '"' || (unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f ? '?' : *c);
    strbuf_putc(out, '"');
}

static double part_ms(double from, double to) { return from > 0 && to > from ? (to - from) * 1000 : 0; }

void report_request(const Server *s, const Exchange *x, int status)
{
    StrBuf line = { 0 };
    double now = clock_seconds(), started = x->started > 0 ? x->started : x->ended > 0 ? x->ended : now;
    double waiting = part_ms(x->began, started), working = part_ms(x->started, x->ended);
    if (s->o->log == SERVE_LOG_NONE) return;
    if (s->o->log == SERVE_LOG_JSON) {
        StrBuf time = { 0 };
        put_time(&time);
        json_object(&line, NULL);
        json_string(&line, "time", time.ptr ? time.ptr : "");
        json_string(&line, "address", x->address);
        json_string(&line, "method", x->method);
        json_string(&line, "path", x->path);
        json_members(&line, "status: %d, in: %ld, out: %ld, waiting_ms: %.1f, working_ms: %.1f", status,
                     (long)x->body.len, (long)x->bytes_out, waiting, working);
        json_string(&line, "agent", x->agent);
        json_string(&line, "id", x->id);
        json_object_end(&line);
        strbuf_fini(&time);
    } else {
        put_time(&line);
        strbuf_printf(&line, " %s %s ", x->address, x->method);
        put_quoted(&line, x->path);
        strbuf_printf(&line, " %d %zu %zu %.1f %.1f ", status, x->body.len, x->bytes_out, waiting, working);
        put_quoted(&line, x->agent);
        strbuf_printf(&line, " %s", x->id ? x->id : "-");
    }
    strbuf_putc(&line, '\n');
    if (!line.failed) {
        fwrite(line.ptr, 1, line.len, stdout);
        fflush(stdout);
    }
    strbuf_fini(&line);
}
