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
    bool lenient;
    StrBuf left; /* bytes not decoded yet: the beginning of a character */
    TextPlace place;
};

Decoder *decoder_new(const char *encoding, bool lenient, const char *path, Error *error)
{
    iconv_t cd = iconv_open("UTF-8", encoding);
    if (cd == (iconv_t)-1 && errno == ENOMEM) {
        error_set(error, ERR_NOMEM, "out of memory decoding %s", path);
        return NULL;
    }
    if (cd == (iconv_t)-1) {
        error_set(error, ERR_USAGE, "--encoding: found '%s', expected a name known to iconv (iconv -l lists them)",
                  encoding);
        return NULL;
    }
    Decoder *d = mem_alloc(1, sizeof *d);
    if (!d) {
        iconv_close(cd);
        error_set(error, ERR_NOMEM, "out of memory decoding %s", path);
        return NULL;
    }
    *d = (Decoder){ .cd = cd, .encoding = encoding, .lenient = lenient, .path = path, .place = { 1, 1 } };
    return d;
}

void decoder_free(Decoder *decoder)
{
    if (!decoder) return;
    iconv_close(decoder->cd);
    strbuf_fini(&decoder->left);
    mem_free(decoder);
}

Status decoder_feed(Decoder *decoder, const char *bytes, size_t count, StrBuf *out, Error *error)
{
    strbuf_add(&decoder->left, bytes, count);
    if (decoder->left.failed) return error_set(error, ERR_NOMEM, "out of memory decoding %s", decoder->path);
    char *in = decoder->left.ptr;
    size_t left = decoder->left.len;
    while (left) {
        char buf[4096], *to = buf, *from = in;
        size_t room = sizeof buf;
        size_t done = iconv(decoder->cd, &in, &left, &to, &room);
        int why = errno;
        strbuf_add(out, buf, sizeof buf - room);
        decoder->place = text_place(decoder->place, from, (size_t)(in - from));
        if (done != (size_t)-1 || why == E2BIG) continue;
        if (why == EINVAL && count) break; /* the rest of the character is in the next piece */
        if (decoder->lenient) {
            strbuf_putc(out, '\xff');
            in++;
            left--;
            continue;
        }
        return error_at(error, ERR_FORMAT, decoder->path, decoder->place.line, decoder->place.column,
                        "found bytes that are not %s", decoder->encoding);
    }
    if (decoder->left.ptr) memmove(decoder->left.ptr, in, left);
    decoder->left.len = left;
    return out->failed ? error_set(error, ERR_NOMEM, "out of memory decoding %s", decoder->path) : OK;
}
