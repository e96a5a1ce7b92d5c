/* base/encoding.c */
#define _POSIX_C_SOURCE 200809L
#include "base/encoding.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>

static Status bad_bytes(const StrBuf *text, size_t at, const char *encoding, const char *path, Error *e)
{
    long line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        column++;
        if (text->ptr[i] == '\n') {
            line++;
            column = 1;
        }
    }
    return error_at(e, ERR_FORMAT, path, line, column, "found bytes that are not %s", encoding);
}

Status text_decode(StrBuf *text, const char *encoding, const char *path, Error *e)
{
    iconv_t cd = iconv_open("UTF-8", encoding);
    if (cd == (iconv_t)-1) return error_set(e, ERR_USAGE, "--encoding: found '%s', which iconv does not know (iconv -l lists them)", encoding);
    StrBuf out = { 0 };
    char *in = text->ptr, buf[4096];
    size_t left = text->len;
    Status s = OK;
    while (left && s == OK) {
        char *to = buf;
        size_t room = sizeof buf;
        size_t done = iconv(cd, &in, &left, &to, &room);
        strbuf_add(&out, buf, sizeof buf - room);
        if (done == (size_t)-1 && errno != E2BIG) s = bad_bytes(text, text->len - left, encoding, path, e);
    }
    iconv_close(cd);
    if (s == OK && out.failed) s = error_set(e, ERR_NOMEM, "out of memory decoding %s", path);
    if (s != OK) {
        strbuf_fini(&out);
        return s;
    }
    if (out.len >= 3 && memcmp(out.ptr, "\xEF\xBB\xBF", 3) == 0) {
        memmove(out.ptr, out.ptr + 3, out.len - 2);
        out.len -= 3;
    }
    strbuf_add(&out, "", 0);
    strbuf_fini(text);
    *text = out;
    return OK;
}
