/* Lal without libmicrohttpd's header, in place of the server */
#include "serve/serve.h"

Status serve_run(const ServeOptions *o, Error *e)
{
    (void)o;
    return error_set(e, ERR_IO, "lal was built without the header of libmicrohttpd (Debian: libmicrohttpd-dev)");
}
