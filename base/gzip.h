/* Reads the bytes of a file, a pipe or a terminal, decompressed if they are gzip's (RFC 1952). The first two bytes say
 * so: no text in UTF-8 begins with them. Members that follow each other, also with zeros between and after them, are
 * one file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* All zero but for fd and path before the first read. */
typedef struct GzipReader {
    int fd;
    const char *path;       /* in messages; borrowed */
    size_t taken;           /* bytes read from fd */
    bool known;             /* the first bytes were looked at, or need not be */
    struct GzipState *gzip; /* NULL: bytes are passed on as they are */
} GzipReader;

/* Reads at most `size` bytes, 2 or more, to `out`; *count is 0 at the end. Waits for input as read does, also where fd
 * does not block. ERR_IO; ERR_NOMEM; ERR_FORMAT, compressed data that are damaged, end too early or are followed by
 * others: after all that could be decompressed, and again in each later call. */
Status gzip_read(GzipReader *reader, char *out, size_t size, size_t *count, Error *error);
/* Waits at most `milliseconds` (-1: as long as it takes) for something to read, or for the end of the file. */
bool gzip_readable(const GzipReader *reader, int milliseconds);
/* Frees memory; fd stays open. */
void gzip_end(GzipReader *reader);
