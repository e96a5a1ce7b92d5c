/* Plain bytes pass through; gzip's are inflated member by member, and what comes before an error is
 * returned before it. */
#include "base/gzip.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"

enum { INPUT_SIZE = 1 << 16, GZIP_ALONE = 16 + MAX_WBITS /* of inflateInit2 */ };

typedef struct GzipState {
    z_stream z;
    bool inside; /* within a member */
    unsigned char input[INPUT_SIZE];
} GzipState;

bool gzip_readable(const GzipReader *reader, int milliseconds)
{
    struct pollfd p = { .fd = reader->fd, .events = POLLIN };
    return (reader->gzip && reader->gzip->z.avail_in) || poll(&p, 1, milliseconds) != 0;
}

static Status read_some(GzipReader *r, void *out, size_t size, size_t *n, Error *e)
{
    ssize_t got;
    while ((got = read(r->fd, out, size)) < 0) {
        struct pollfd p = { .fd = r->fd, .events = POLLIN };
        if (errno == EAGAIN) poll(&p, 1, -1);
        else if (errno != EINTR) return error_at(e, ERR_IO, r->path, 0, 0, "cannot read: %s", strerror(errno));
    }
    *n = (size_t)got;
    r->taken += *n;
    return OK;
}

/* Reads the first bytes of the file, which are for gzip if they say so. */
static Status begin(GzipReader *r, char *out, size_t size, size_t *n, Error *e)
{
    r->known = true;
    if (size > INPUT_SIZE) size = INPUT_SIZE;
    Status s = read_some(r, out, size, n, e);
    if (s != OK || !*n || out[0] != '\x1f') return s;
    if (*n == 1) {
        size_t more;
        if ((s = read_some(r, out + 1, size - 1, &more, e)) != OK) return s;
        *n += more;
    }
    if (*n < 2 || out[1] != '\x8b') return OK;
    r->gzip = mem_calloc(1, sizeof *r->gzip);
    if (!r->gzip || inflateInit2(&r->gzip->z, GZIP_ALONE) != Z_OK) {
        mem_free(r->gzip);
        r->gzip = NULL;
        return error_at(e, ERR_NOMEM, r->path, 0, 0, "out of memory reading the file");
    }
    r->gzip->z.next_in = r->gzip->input;
    r->gzip->z.avail_in = (uInt)*n;
    memcpy(r->gzip->input, out, r->gzip->z.avail_in);
    r->gzip->inside = true;
    return OK;
}

static Status refill(GzipReader *r, Error *e)
{
    GzipState *g = r->gzip;
    size_t n;
    Status s = read_some(r, g->input, INPUT_SIZE, &n, e);
    g->z.next_in = g->input;
    g->z.avail_in = s == OK ? (uInt)n : 0;
    return s;
}

/* Skips zeros, with which members may be padded; *more: there is another member, which begins as the first one did. */
static Status next_member(GzipReader *r, bool *more, Error *e)
{
    z_stream *z = &r->gzip->z;
    Status s = OK;
    do {
        for (; z->avail_in && !*z->next_in; z->avail_in--) z->next_in++;
        if (!z->avail_in) s = refill(r, e);
    } while (s == OK && z->avail_in && !*z->next_in);
    *more = z->avail_in;
    if (s != OK || !*more || *z->next_in == 0x1f) return s;
    return error_at(e, ERR_FORMAT, r->path, 0, 0, "found other bytes after compressed data (gzip), expected their end");
}

static Status inflate_some(GzipReader *r, Error *e)
{
    GzipState *g = r->gzip;
    Status s = g->z.avail_in ? OK : refill(r, e);
    if (s != OK) return s;
    if (!g->z.avail_in)
        return error_at(e, ERR_FORMAT, r->path, 0, 0,
                        "found the end of the file inside compressed data (gzip), expected the rest of them");
    int result = inflate(&g->z, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) return error_at(e, ERR_NOMEM, r->path, 0, 0, "out of memory reading the file");
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return error_at(e, ERR_FORMAT, r->path, 0, 0, "found damaged compressed data (gzip: %s), expected whole ones",
                        g->z.msg ? g->z.msg : zError(result));
    if (result == Z_STREAM_END) {
        g->inside = false;
        inflateReset(&g->z);
    }
    return OK;
}

/* What an error comes after is returned first; the next call has the error again. */
static Status decompress(GzipReader *r, char *out, size_t size, size_t *n, Error *e)
{
    GzipState *g = r->gzip;
    Status s = OK;
    g->z.next_out = (unsigned char *)out;
    g->z.avail_out = (uInt)size;
    for (bool more = true; s == OK && more && g->z.avail_out == size;) {
        if (!g->inside) s = next_member(r, &more, e);
        g->inside = s == OK && more;
        if (g->inside) s = inflate_some(r, e);
    }
    *n = size - g->z.avail_out;
    if (s == OK || !*n) return s;
    *e = (Error){ 0 };
    return OK;
}

Status gzip_read(GzipReader *reader, char *out, size_t size, size_t *count, Error *error)
{
    bool first = !reader->known;
    Status s = first ? begin(reader, out, size, count, error) : OK;
    if (s != OK) return s;
    if (reader->gzip) return decompress(reader, out, size, count, error);
    return first ? OK : read_some(reader, out, size, count, error);
}

void gzip_end(GzipReader *reader)
{
    if (reader->gzip) inflateEnd(&reader->gzip->z);
    mem_free(reader->gzip);
    reader->gzip = NULL;
}
