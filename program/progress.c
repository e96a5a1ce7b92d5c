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

void progress_files(Progress *progress, const char *const *files, int n)
{
    progress->total = 0;
    for (int k = 0; k < n && progress->total >= 0; k++) {
        double size = file_size(files[k]);
        progress->total = size < 0 ? -1 : progress->total + size;
    }
}

void progress_file(Progress *progress, const char *path)
{
    progress->name = path;
    progress->before += progress->size;
    progress->size = file_size(path);
}

double progress_share(const Progress *progress, double share)
{
    return progress->total > 0 && progress->size >= 0 ? (progress->before + share * progress->size) / progress->total
                                                      : -1;
}

bool progress_due(const Progress *progress)
{
    return !progress->quiet && clock_seconds() - progress->shown >= progress->interval;
}

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

void progress_show(Progress *progress, double done, const char *format, ...)
{
    if (!progress_due(progress)) return;
    StrBuf line = { 0 };
    char details[256];
    double seconds = progress_seconds(progress);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(details, sizeof details, format, arguments);
    va_end(arguments);
    strbuf_printf(&line, "%s: ", progress->name);
    if (done >= 0) strbuf_printf(&line, "%.0f %%, ", 100 * (done < 1 ? done : 1));
    utf8_trim(details);
    strbuf_visible(&line, details, strlen(details));
    if (done > 0 && done < 1) strbuf_printf(&line, ", %s left", progress_duration(seconds * (1 - done) / done).text);
    if (line.failed) strbuf_cut(&line, 0);
    else if (progress->terminal) fprintf(stderr, "\r%.*s\033[K", (int)fitting(&line, terminal_columns() - 1), line.ptr);
    else fprintf(stderr, "%s\n", line.ptr);
    progress->line = progress->terminal;
    progress->shown = clock_seconds();
    strbuf_fini(&line);
}

void progress_clear(Progress *progress)
{
    if (progress->line) fputs("\r\033[K", stderr);
    progress->line = false;
}

double progress_seconds(const Progress *progress) { return clock_seconds() - progress->started; }

bool progress_was_long(const Progress *progress)
{
    double least = progress->interval < LONG && !progress->terminal ? progress->interval : LONG;
    return !progress->quiet && progress_seconds(progress) >= least;
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
