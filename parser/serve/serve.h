/* parser/serve/serve.h
 * `lal serve`: an HTTP server with the paths of CoreNLP's server, UDPipe's service and its own
 * (docs/SERVER.md). One thread reads requests and writes answers (libmicrohttpd, which is loaded when the server
 * starts), workers with a parser each take them from a bounded queue, and the caller's thread watches time and signals.
 * This folder includes `base` and the public library alone: what it needs, other programs get too. */
#pragma once

#include "include/lalparser.h"
#include "base/error.h"
#include "base/options.h"

typedef enum ServeLog { SERVE_LOG_TEXT, SERVE_LOG_JSON, SERVE_LOG_NONE } ServeLog;

typedef struct ServeOptions {
    const char *listen;                                          /* ADDRESS:PORT, [ADDRESS]:PORT, or unix:PATH */
    const char *prefix;                                          /* before all paths, or NULL */
    const char *user, *password_file, *cors, *ignore_annotators; /* or NULL */
    int workers, queue, connections, connections_per_ip;
    int timeout, header_timeout, body_timeout, idle_timeout, grace, drain; /* seconds */
    int max_chars;
    double max_memory; /* bytes of texts and answers of all requests */
    int log;           /* a ServeLog */
    bool metrics;      /* /metrics also if others than this machine can connect */
    LalOptions parse;
    int n_models;
    const char *const *model_files; /* [n_models] the default first */
} ServeOptions;

enum { SERVE_MODELS_MOST = 8 };

/* Serves until SIGTERM or SIGINT; SIGHUP loads the models again. ERR_USAGE, ERR_IO (cannot listen, no libmicrohttpd),
 * errors of models as lal_model_load. */
Status serve_run(const ServeOptions *o, Error *e);
