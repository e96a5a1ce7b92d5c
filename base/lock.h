/* One process at a time writes a file for as long as it works, or the files of a folder. The lock is a file,
 * FILE.lal-lock or FOLDER/.lal-lock, with the number of the process in it. It is held by flock, so it ends with the
 * process, also on another machine that has the folder by NFS. lock_release and a signal handler remove the file;
 * after SIGKILL it stays, locks nothing, and the next process takes it over. (The folder's own descriptor would need
 * no file, but cannot be locked on NFS, and does not say who holds it.) */
#pragma once

#include "base/error.h"

typedef struct Lock {
    int fd, place; /* place: of temporary.h; 0: nothing is locked */
} Lock;

/* Locks a file, which need not exist, or a folder; symbolic links are followed. ERR_IO, with the process, if another
 * one holds the lock; ERR_LIMIT, ERR_NOMEM. OK without a lock for devices and pipes, where the file of the lock cannot
 * be written (then the file itself cannot be replaced either), and on a file system without locks. */
Status lock_take(Lock *lock, const char *path, Error *error);
/* Does nothing if nothing is locked. */
void lock_release(Lock *lock);
