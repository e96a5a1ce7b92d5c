/* One pattern for failure in every room. A function that can fail returns Status (OK = 0) or NULL and fills the
 * Error it was given; the first error wins, callers add nothing and return. Libraries never print or exit. */
#pragma once

#include <stdarg.h>

typedef enum Status {
    OK = 0,
    ERR_NOMEM,       /* an allocation failed */
    ERR_IO,          /* open, read, write, rename: the message holds strerror */
    ERR_FORMAT,      /* a file violates its format; path, line and column give the place */
    ERR_RANGE,       /* an argument or a value outside its range */
    ERR_CONFIG,      /* a model configuration that contradicts itself or its weights */
    ERR_LIMIT,       /* a stated limit (length, nesting, memory) was exceeded */
    ERR_NUMERIC,     /* a value that is not finite */
    ERR_INTERRUPTED, /* stopped by a signal, state saved */
    ERR_USAGE        /* wrong command line */
} Status;

typedef struct Error {
    Status code;
    long line;         /* 1-based; 0 = not known */
    long column;       /* 1-based byte column; 0 = not known */
    char path[512];    /* "" = no file; a path that does not fit keeps its end, after "..." */
    char message[768]; /* what was found, what was expected; on one line */
} Error;
/* path and message may quote anything: a file's name, its words. They hold what a terminal may show (utf8_visible in
 * base/text.h), so they are UTF-8, cut between characters where they do not fit, and path may differ from the file's
 * name. */

/* Fills *error unless it already holds an error (error may be NULL). Returns code. */
Status error_set(Error *error, Status code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* error_set with a place: `path:line:column: message`. path may be NULL; line, column 0 when unknown. */
Status error_at(Error *error, Status code, const char *path, long line, long column, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

Status error_vset(Error *error, Status code, const char *path, long line, long column, const char *fmt, va_list ap)
    __attribute__((format(printf, 6, 0)));

/* Writes `path:line:column: message` to buf, without the parts that are not known; always terminated, cut
 * between characters. Returns buf. */
const char *error_text(const Error *error, char *buf, unsigned long size);

/* Receives notes on what a reader skipped or changed without failing: each is an Error of code OK. */
typedef struct Notes {
    void (*take)(struct Notes *notes, const Error *note);
} Notes;
/* A note as error_at has it. Does nothing if notes is NULL. */
void notes_add(Notes *notes, const char *path, long line, long column, const char *what);
