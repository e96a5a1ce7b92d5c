/* Progress of long work on standard error: on a terminal one line that is rewritten, elsewhere a line a minute, with
 * the time that is left. Not for several threads at once. */
#pragma once

#include <stdbool.h>

typedef struct Progress {
    const char *name; /* at the beginning of a line: the command, or the file that is read */
    bool quiet;       /* nothing is printed */
    bool terminal;
    bool line;                  /* the last line is on the terminal, to be rewritten */
    double interval;            /* seconds between two lines */
    double started, shown;      /* by clock_seconds */
    double total, before, size; /* bytes of all files, of those before the present one, of the present one */
} Progress;

#define PROGRESS_QUIET_ABOUT "write no progress and no summary to standard error, only notes and errors"

/* name is borrowed. Lines that are not rewritten come every 60 seconds, or every $LAL_PROGRESS. */
Progress progress_start(const char *name, bool quiet);

/* The work is to read these files one after the other. */
void progress_files(Progress *progress, const char *const *files, int n);
/* Begins the next file of progress_files, which gives the lines its name. */
void progress_file(Progress *progress, const char *path);
/* The share of the whole work when `share` of the present file is done; -1 if the size of one of the files is unknown.
 */
double progress_share(const Progress *progress, double share);

/* Is a line due? What is printed needs to be computed only then. */
bool progress_due(const Progress *progress);
/* If a line is due, prints "NAME: 42 %, ..., 3 min left". done: share of the work, 0 to 1; negative: unknown. */
void progress_show(Progress *progress, double done, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Removes the line from the terminal. To be called before anything else is printed on standard error, and at the end.
 */
void progress_clear(Progress *progress);

double progress_seconds(const Progress *progress);
/* Has the work taken long enough for a summary at its end: 5 seconds, or one interval? Not if quiet. */
bool progress_was_long(const Progress *progress);

typedef struct Duration {
    char text[32];
} Duration;
/* "42 s", "3 min", "2 h 10 min" */
Duration progress_duration(double seconds);
