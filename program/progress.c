/* A line is due when enough time has gone by since the last one; what is left is estimated from
 * the share that is done. */
#define _DEFAULT_SOURCE
#include "program/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/locale.h"
#include "base/text.h"
#include "base/thread.h"

static const double REWRITTEN = 0.5, LINE = 60, LONG = 5; /* seconds */

Progress progress_start(const char *name, bool quiet)
{
    Progress p = { .name = name, .quiet = quiet, .terminal = isatty(STDERR_FILENO), .started = clock_seconds() };
    const char *set = getenv("LAL_PROGRESS");
    char *end;
    double seconds = set ? locale_strtod(set, &end) : LINE;
    bool bad = set && (end == set || *end || !(seconds >= 0));
    p.interval = p.terminal ? REWRITTEN : bad ? LINE : seconds;
    p.shown = p.started;
    return p;
}

/* -1: unknown, or not a file. */
static double file_size(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) ? (double)file.st_size : -1;
}

void progress_files(Progress *p, const char *const *files, int n)
{
    p->total = 0;
    for (int k = 0; k < n && p->total >= 0; k++) {
        double size = file_size(files[k]);
        p->total = size < 0 ? -1 : p->total + size;
    }
}

void progress_file(Progress *p, const char *path)
{
    p->name = path;
    p->before += p->size;
    p->size = file_size(path);
}

double progress_share(const Progress *p, double share)
{
    return p->total > 0 && p->size >= 0 ? (p->before + share * p->size) / p->total : -1;
}

bool progress_due(const Progress *p) { return !p->quiet && clock_seconds() - p->shown >= p->interval; }

/* The number of bytes of the text that fit into the columns. */
static size_t fitting(const StrBuf *b, int columns)
{
    size_t at = 0, next = 0;
    while (next < b->len) {
        columns -= utf8_width(utf8_next(b->ptr, b->len, &next));
        if (columns < 0) break;
        at = next;
    }
    return at;
}

static int terminal_columns(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 1 ? w.ws_col : 80;
}

void progress_show(Progress *p, double done, const char *format, ...)
{
    if (!progress_due(p)) return;
    StrBuf line = { 0 };
    char details[256];
    double seconds = progress_seconds(p);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(details, sizeof details, format, arguments);
    va_end(arguments);
    strbuf_printf(&line, "%s: ", p->name);
    if (done >= 0) strbuf_printf(&line, "%.0f %%, ", 100 * (done < 1 ? done : 1));
    utf8_trim(details);
    strbuf_visible(&line, details, strlen(details));
    if (done > 0 && done < 1) strbuf_printf(&line, ", %s left", progress_duration(seconds * (1 - done) / done).text);
    if (line.failed) strbuf_cut(&line, 0);
    else if (p->terminal) fprintf(stderr, "\r%.*s\033[K", (int)fitting(&line, terminal_columns() - 1), line.ptr);
    else fprintf(stderr, "%s\n", line.ptr);
    p->line = p->terminal;
    p->shown = clock_seconds();
    strbuf_fini(&line);
}

void progress_clear(Progress *p)
{
    if (p->line) fputs("\r\033[K", stderr);
    p->line = false;
}

double progress_seconds(const Progress *p) { return clock_seconds() - p->started; }

bool progress_was_long(const Progress *p)
{
    double least = p->interval < LONG && !p->terminal ? p->interval : LONG;
    return !p->quiet && progress_seconds(p) >= least;
}

Duration progress_duration(double seconds)
{
    Duration d;
    double minutes = seconds / 60;
    if (seconds < 90) snprintf(d.text, sizeof d.text, "%.0f s", seconds);
    else if (minutes < 90) snprintf(d.text, sizeof d.text, "%.0f min", minutes);
    else if (minutes < 1e6) snprintf(d.text, sizeof d.text, "%d h %d min", (int)minutes / 60, (int)minutes % 60);
    else snprintf(d.text, sizeof d.text, "long");
    return d;
}
