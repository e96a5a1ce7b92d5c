/* Lal without libmicrohttpd's header, in place of the server */
#include "serve/serve.h"

Status serve_run(const ServeOptions *options, Error *error)
{
    (void)options;
    return error_set(error, ERR_IO, "lal was built without the header of libmicrohttpd (Debian: libmicrohttpd-dev)");
}
