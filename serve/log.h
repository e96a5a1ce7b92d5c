/* Lines for a descriptor that may be a pipe whose reader sleeps: they wait in a buffer of limited size, a thread of
 * their own writes them, and nobody else ever waits. */
#pragma once

#include "base/error.h"
#include "base/text.h"

enum { LOG_MOST = 1 << 20 /* bytes that wait, and as many that are being written */ };

typedef struct Log Log;

/* say_lost appends a line that says how many lines were lost; it is written when writing works again. The thread
 * receives no signals that the caller blocks. NULL: *error says why (ERR_NOMEM). */
Log *log_new(int fd, void (*say_lost)(StrBuf *out, long n), Error *error);
/* Adds one or more lines, each with its line break. Where the buffer is full, or memory is out, they are lost. */
void log_add(Log *log, StrView lines);
/* How many lines were lost, also because they could not be written; of any thread. */
long log_lost(Log *log);
/* Waits until all lines are written, at most so many seconds, and frees the log; takes NULL. */
void log_free(Log *log, double seconds);
