/* The file's first line; a header is decoded and compared in a time that does not depend on where
 * it differs. */
#include "serve/password.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- the file */

static Status check_line(const char *path, const char *user, const StrBuf *line, Error *e)
{
    size_t n = strlen(user);
    if (!line->len) return error_at(e, ERR_FORMAT, path, 1, 1, "found an empty line, expected a password");
    if (line->len > n && memcmp(line->ptr, user, n) == 0 && line->ptr[n] == ':')
        return error_at(e, ERR_FORMAT, path, 1, 1, "found '%s:' before the password, expected the password alone",
                        user);
    return OK;
}

static Status read_line(FILE *f, const char *path, StrBuf *line, Error *e)
{
    int c;
    while ((c = getc(f)) != EOF && c != '\n') {
        if (c == 0)
            return error_at(e, ERR_FORMAT, path, 1, (long)line->len + 1, "found a NUL byte, expected a password");
        if (line->len == PASSWORD_MOST)
            return error_at(e, ERR_LIMIT, path, 1, 1, "found a longer line, expected a password of at most %d bytes",
                            PASSWORD_MOST);
        strbuf_putc(line, (char)c);
    }
    if (ferror(f)) return error_at(e, ERR_IO, path, 0, 0, "cannot read: %s", strerror(errno));
    if (line->failed) return error_set(e, ERR_NOMEM, "out of memory for the password");
    if (c == EOF && !line->len) return error_at(e, ERR_FORMAT, path, 0, 0, "found no line, expected a password");
    if (line->len && line->ptr[line->len - 1] == '\r') strbuf_cut(line, line->len - 1);
    return OK;
}

Status password_read(const char *path, const char *user, StrBuf *password, Error *error)
{
    static const char mark[] = "\xef\xbb\xbf";
    StrBuf line = { 0 };
    FILE *f = fopen(path, "re");
    if (!f) return error_at(error, ERR_IO, path, 0, 0, "cannot open: %s", strerror(errno));
    setvbuf(f, NULL, _IONBF, 0); /* what follows the line is for other readers of the pipe */
    Status s = read_line(f, path, &line, error);
    fclose(f);
    size_t skip = line.len >= 3 && memcmp(line.ptr, mark, 3) == 0 ? 3 : 0;
    if (s == OK) {
        strbuf_add(password, line.ptr ? line.ptr + skip : "", line.len - skip);
        s = password->failed ? error_set(error, ERR_NOMEM, "out of memory for the password")
                             : check_line(path, user, password, error);
    }
    strbuf_fini(&line);
    return s;
}

/* ---- the header */

static int value_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* Appends the decoded text (RFC 4648, section 4; the padding may be missing). false: it is not base64. */
static bool decode(const char *text, StrBuf *out)
{
    unsigned bits = 0;
    size_t n = strcspn(text, "= \t"), end = n + strspn(text + n, "= \t");
    for (size_t k = 0; k < n; k++) {
        int value = value_of(text[k]);
        if (value < 0) return false;
        bits = bits << 6 | (unsigned)value;
        if (k % 4) strbuf_putc(out, (char)(unsigned char)(bits >> (6 - 2 * (k % 4))));
    }
    return !text[end] && n % 4 != 1 && !out->failed;
}

static bool same_text(StrView a, StrView b)
{
    unsigned char other = a.len != b.len;
    for (size_t k = 0; k < a.len; k++)
        other |= (unsigned char)((unsigned char)a.ptr[k] ^ (unsigned char)(b.len ? b.ptr[k % b.len] : 0));
    return !other;
}

bool password_matches(const char *header, const char *user, StrView password)
{
    StrBuf text = { 0 };
    if (!header || strncasecmp(header, "Basic ", 6) != 0) return false;
    header += 6 + strspn(header + 6, " ");
    bool good = decode(header, &text);
    const char *colon = good && text.len ? memchr(text.ptr, ':', text.len) : NULL;
    if (colon) {
        StrView left = { text.ptr, (size_t)(colon - text.ptr) };
        StrView right = { colon + 1, text.len - left.len - 1 };
        good = (int)same_text(left, (StrView){ user, strlen(user) }) & (int)same_text(right, password);
    } else good = false;
    strbuf_fini(&text);
    return good;
}
