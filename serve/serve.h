/* `lal serve`: an HTTP server with the paths of CoreNLP's server, UDPipe's service and its own
 * (docs/SERVER.md). One thread reads requests and writes answers (libmicrohttpd, which is loaded when the server
 * starts), workers with a parser each take them from a bounded queue, and the caller's thread watches time and signals.
 * This folder includes `base` and the public library alone: what it needs, other programs get too. */
#pragma once

#include "base/error.h"
#include "serve/serve_options.h"

/* Serves until SIGTERM or SIGINT; SIGHUP loads the models again. ERR_USAGE, ERR_IO (cannot listen, no libmicrohttpd),
 * errors of models as lal_model_load. */
Status serve_run(const ServeOptions *options, Error *error);
