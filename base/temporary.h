/* Files that a process has only while it works: what file.h writes before it is complete, and lock files (lock.h). A
 * signal handler removes them. A process holds a lock (flock) on its files, which ends with the process; so what a
 * killed process left is known by its missing lock, and the next writer of the same target removes it. On a file system
 * without locks such a file stays, and nothing else changes. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum { TEMPORARIES_MOST = 64 };

/* Takes a place in the list of temporary files, from 1; 0 if all TEMPORARIES_MOST are taken. */
int temporary_place(void);
void temporary_free(int place);
/* The name of the file of a place, valid until temporary_free. */
char *temporary_name(int place);
/* Says whether the signal handler removes the file of a place: not before the file is this process's, nor once it is
 * renamed. */
void temporary_remember(int place, bool remember);

/* Creates the file of a place beside its target, TARGET.tmp-lalNN, never through a link, and opens it for writing. It
 * is locked until all its descriptors are closed. Files that killed processes left of this target are removed. -1 with
 * errno on failure. */
int temporary_create(int place, const char *target, mode_t mode);
/* Removes the files of all places. Async-signal-safe. */
void temporary_remove_all(void);

typedef enum TemporaryLock {
    TEMPORARY_LOCKED,
    TEMPORARY_HELD,    /* by another descriptor, of this process or of another one */
    TEMPORARY_NO_LOCKS /* the file system has none */
} TemporaryLock;
/* Tries to lock an open file. */
TemporaryLock temporary_lock(int fd);
/* Is the open file still the one that has the name? It is not if it has been removed since it was opened. */
bool temporary_is_named(int fd, const char *name);
