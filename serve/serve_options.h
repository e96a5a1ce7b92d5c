/* How a server is to serve. */
#pragma once

#include <stdbool.h>

#include "include/lalparser.h"

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
    int n_proxies;
    const char *const *proxies; /* [n_proxies] that are trusted, as proxy.h reads them */
    bool metrics;               /* /metrics also if others than this machine can connect */
    LalOptions parse;
    int n_models;
    const char *const *model_files; /* [n_models] the default first */
} ServeOptions;

enum { SERVE_MODELS_MOST = 8 };
