/* Texts are stored as a terminal may show them and cut between characters; of a path that is too long
 * the end is kept. */
#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/locale.h"
#include "base/text.h"

enum { DOTS = 3 };

/* Copies text as a terminal may show it, as many whole characters as fit. */
static void put_visible(char *to, size_t size, const char *text, size_t len)
{
    size_t n = 0;
    for (size_t at = 0; at < len;) {
        VisibleChar v = utf8_visible(text + at, len - at);
        if (n + (size_t)v.len >= size) break;
        memcpy(to + n, v.text, (size_t)v.len);
        n += (size_t)v.len;
        at += v.taken;
    }
    to[n] = 0;
}

static size_t visible_length(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t at = 0; at < len;) {
        VisibleChar v = utf8_visible(text + at, len - at);
        n += (size_t)v.len;
        at += v.taken;
    }
    return n;
}

/* A path that does not fit keeps its end, after "...". */
static void keep_path(Error *e, const char *path)
{
    size_t len = strlen(path), left = visible_length(path, len), most = sizeof e->path - 1;
    bool cut = left > most;
    while (left > most - DOTS && cut) {
        VisibleChar v = utf8_visible(path, len);
        left -= (size_t)v.len;
        len -= v.taken;
        path += v.taken;
    }
    if (cut) memset(e->path, '.', DOTS);
    put_visible(e->path + (cut ? DOTS : 0), sizeof e->path - (cut ? DOTS : 0), path, len);
}

Status error_vset(Error *error, Status code, const char *path, long line, long column, const char *fmt, va_list ap)
{
    if (!error || error->code != OK) return code;
    error->code = code;
    error->line = line;
    error->column = column;
    keep_path(error, !path ? "" : *path ? path : "''");
    char text[sizeof error->message + 8]; /* where it is cut inside a character, the message has ended before */
    if (locale_vsnprintf(text, sizeof text, fmt, ap) < 0) text[0] = 0;
    put_visible(error->message, sizeof error->message, text, strlen(text));
    return code;
}

Status error_set(Error *error, Status code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    error_vset(error, code, NULL, 0, 0, fmt, ap);
    va_end(ap);
    return code;
}

Status error_at(Error *error, Status code, const char *path, long line, long column, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    error_vset(error, code, path, line, column, fmt, ap);
    va_end(ap);
    return code;
}

const char *error_text(const Error *error, char *buf, unsigned long size)
{
    char place[48] = "";
    if (error->line > 0 && error->column > 0) snprintf(place, sizeof place, "%ld:%ld:", error->line, error->column);
    else if (error->line > 0) snprintf(place, sizeof place, "%ld:", error->line);
    if (error->path[0]) snprintf(buf, size, "%s:%s %s", error->path, place, error->message);
    else if (place[0]) snprintf(buf, size, "%s %s", place, error->message);
    else snprintf(buf, size, "%s", error->message);
    if (size) utf8_trim(buf);
    return buf;
}

void notes_add(Notes *notes, const char *path, long line, long column, const char *what)
{
    Error note = { 0 };
    if (!notes) return;
    error_at(&note, OK, path, line, column, "%s", what);
    notes->take(notes, &note);
}
