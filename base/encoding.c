/* Bytes go through iconv; a character that is cut at the end of a piece waits for the next one, and
 * an error has its line and column. */
#include "base/encoding.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>

#include "base/arena.h"

struct Decoder {
    iconv_t cd;
    const char *encoding, *path;
    StrBuf left; /* bytes not decoded yet: the beginning of a character */
    TextPlace place;
};

Decoder *decoder_new(const char *encoding, const char *path, Error *e)
{
    iconv_t cd = iconv_open("UTF-8", encoding);
    if (cd == (iconv_t)-1 && errno == ENOMEM) {
        error_set(e, ERR_NOMEM, "out of memory decoding %s", path);
        return NULL;
    }
    if (cd == (iconv_t)-1) {
        error_set(e, ERR_USAGE, "--encoding: found '%s', expected a name known to iconv (iconv -l lists them)",
                  encoding);
        return NULL;
    }
    Decoder *d = mem_alloc(1, sizeof *d);
    if (!d) {
        iconv_close(cd);
        error_set(e, ERR_NOMEM, "out of memory decoding %s", path);
        return NULL;
    }
    *d = (Decoder){ .cd = cd, .encoding = encoding, .path = path, .place = { 1, 1 } };
    return d;
}

void decoder_free(Decoder *d)
{
    if (!d) return;
    iconv_close(d->cd);
    strbuf_fini(&d->left);
    mem_free(d);
}

Status decoder_feed(Decoder *d, const char *bytes, size_t n, StrBuf *out, Error *e)
{
    strbuf_add(&d->left, bytes, n);
    if (d->left.failed) return error_set(e, ERR_NOMEM, "out of memory decoding %s", d->path);
    char *in = d->left.ptr;
    size_t left = d->left.len;
    while (left) {
        char buf[4096], *to = buf, *from = in;
        size_t room = sizeof buf;
        size_t done = iconv(d->cd, &in, &left, &to, &room);
        int why = errno;
        strbuf_add(out, buf, sizeof buf - room);
        d->place = text_place(d->place, from, (size_t)(in - from));
        if (done != (size_t)-1 || why == E2BIG) continue;
        if (why == EINVAL && n) break; /* the rest of the character is in the next piece */
        return error_at(e, ERR_FORMAT, d->path, d->place.line, d->place.column, "found bytes that are not %s",
                        d->encoding);
    }
    if (d->left.ptr) memmove(d->left.ptr, in, left);
    d->left.len = left;
    return out->failed ? error_set(e, ERR_NOMEM, "out of memory decoding %s", d->path) : OK;
}
