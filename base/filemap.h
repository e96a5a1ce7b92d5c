/* The bytes of a whole file: mapped read-only, or copied into memory. A copy stays as it is. A mapped file that another
 * program changes in place (`cp` onto it) changes under its reader, and where it becomes shorter, reading raises
 * SIGBUS. So the reader asks filemap_unchanged before it trusts what it made of the bytes, and the handler of a
 * program calls filemap_fill. A file that is replaced by renaming stays as it was for those who have it open. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* In place of a number of bytes: no file is mapped. */
#define FILEMAP_NEVER SIZE_MAX

/* A file; size 0 gives data NULL. It may be moved. */
typedef struct FileMap {
    const unsigned char *data;
    size_t size;
    int slot; /* of a mapped file, from 1; 0: a copy */
} FileMap;

/* A regular file of more than map_above bytes is mapped and stays open; another one is copied. So is, of any size, a
 * file that was changed a moment ago (2 seconds where the file system counts whole seconds, 50 ms elsewhere), because a
 * further change could leave its times as they are, and each file beyond the first 64 that are mapped at a time. ERR_IO
 * (also for a file that is changed while it is copied), ERR_NOMEM. */
Status filemap_open(FileMap *file_map, const char *path, size_t map_above, Error *error);
void filemap_close(FileMap *map);

/* Is the file as filemap_open found it? Its size and time of modification decide, and whether it was filled; cheap.
 * True for a copy. *touched, unless NULL, is 0, or the time of something else that has happened to the file: it has
 * another name or other permissions, or its time of modification was set back. Only the bytes can tell then; if they
 * are the same, filemap_accept with that time makes it 0 again. Thread safe. */
bool filemap_unchanged(const FileMap *map, long long *touched);
void filemap_accept(const FileMap *map, long long touched);

/* For a handler of SIGBUS: if the address is in a mapped file, puts zeros in the place of the whole file, so that
 * reading goes on and filemap_unchanged reports it. false: the address is elsewhere. Async-signal-safe where mmap is
 * (on Linux and the BSDs it is a plain system call). */
bool filemap_fill(const void *address);
