/* base/error.c */
#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/locale.h"

/* A path that does not fit keeps its end, after "...". */
static void keep_path(Error *e, const char *path)
{
    size_t n = strlen(path), most = sizeof e->path - 1;
    bool cut = n > most;
    snprintf(e->path, sizeof e->path, "%s%s", cut ? "..." : "", cut ? path + n - (most - 3) : path);
}

Status error_vset(Error *e, Status code, const char *path, long line, long column, const char *fmt, va_list ap)
{
    if (!e || e->code != OK) return code;
    e->code = code;
    e->line = line;
    e->column = column;
    keep_path(e, !path ? "" : *path ? path : "''");
    locale_vsnprintf(e->message, sizeof e->message, fmt, ap);
    return code;
}

Status error_set(Error *e, Status code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    error_vset(e, code, NULL, 0, 0, fmt, ap);
    va_end(ap);
    return code;
}

Status error_at(Error *e, Status code, const char *path, long line, long column, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    error_vset(e, code, path, line, column, fmt, ap);
    va_end(ap);
    return code;
}

const char *error_text(const Error *e, char *buf, unsigned long size)
{
    char place[48] = "";
    if (e->line > 0 && e->column > 0) snprintf(place, sizeof place, "%ld:%ld:", e->line, e->column);
    else if (e->line > 0) snprintf(place, sizeof place, "%ld:", e->line);
    if (e->path[0]) snprintf(buf, size, "%s:%s %s", e->path, place, e->message);
    else if (place[0]) snprintf(buf, size, "%s %s", place, e->message);
    else snprintf(buf, size, "%s", e->message);
    return buf;
}
