/* Headers are the same for both kinds of answer; a stream sleeps while the worker has sent nothing
 * new. */
#include "serve/reply.h"

#include <string.h>

#include "serve/connection.h"

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
    if (*x->answer.invalid.text) add_header(r, "Lal-Invalid", x->answer.invalid.text);
    if (*x->answer.model.text) add_header(r, "Lal-Model", x->answer.model.text);
    if (status == 405 && x->route) add_header(r, "Allow", x->route->methods);
    if (status == 503) add_header(r, "Retry-After", "1");
    if (status == 401) add_header(r, "WWW-Authenticate", "Basic realm=\"lal\", charset=\"UTF-8\"");
    if (status == 204) {
        add_header(r, "Access-Control-Allow-Methods", "GET, HEAD, POST");
        add_header(r, "Access-Control-Allow-Headers", "Authorization, Content-Type");
    }
    if (atomic_load(&s->draining)) add_header(r, "Connection", "close");
}

static enum MHD_Result put(Exchange *x, struct MHD_Response *r)
{
    int status = x->answer.status;
    if (!r) return MHD_NO;
    add_headers(x, r, status);
    connection_state(x, ANSWERS);
    enum MHD_Result good = mhd.MHD_queue_response(x->connection, (unsigned)status, r);
    mhd.MHD_destroy_response(r);
    return good;
}

enum MHD_Result reply_whole(Exchange *exchange)
{
    static char empty[1];
    StrBuf *b = &exchange->answer.body;
    exchange->bytes_out = b->len;
    return put(exchange, mhd.MHD_create_response_from_buffer(b->len, b->ptr ? b->ptr : empty, MHD_RESPMEM_PERSISTENT));
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
    } else if (x->done)
        n = x->broken || x->stream.failed ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
    else {
        x->suspended = true;
        mhd.MHD_suspend_connection(x->connection);
    }
    pthread_mutex_unlock(&x->lock);
    return n;
}

enum MHD_Result reply_stream(Exchange *exchange)
{
    enum { BLOCK = 1 << 16 };
    return put(exchange, mhd.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, exchange, NULL));
}
