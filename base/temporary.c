/* A list of names that a signal handler can read, locks, and names for temporary files that nobody
 * else holds. */
#define _DEFAULT_SOURCE
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the list, which the signal handler reads */

enum { PLACE_FREE, PLACE_CLAIMED, PLACE_REMEMBERED };

static struct Place {
    atomic_int state;
    char name[PATH_MAX]; /* valid while PLACE_REMEMBERED */
} places[TEMPORARIES_MOST];

int temporary_place(void)
{
    for (int k = 0; k < TEMPORARIES_MOST; k++) {
        int expected = PLACE_FREE;
        if (atomic_compare_exchange_strong(&places[k].state, &expected, PLACE_CLAIMED)) return k + 1;
    }
    return 0;
}

void temporary_free(int place)
{
    if (place) atomic_store(&places[place - 1].state, PLACE_FREE);
}

char *temporary_name(int place) { return places[place - 1].name; }

void temporary_remember(int place, bool remember)
{
    atomic_store(&places[place - 1].state, remember ? PLACE_REMEMBERED : PLACE_CLAIMED);
}

void temporary_remove_all(void)
{
    int before = errno;
    for (int k = 0; k < TEMPORARIES_MOST; k++)
        if (atomic_load(&places[k].state) == PLACE_REMEMBERED) unlink(places[k].name);
    errno = before;
}

/* ---- locks */

TemporaryLock temporary_lock(int fd)
{
    int done;
    do done = flock(fd, LOCK_EX | LOCK_NB);
    while (done != 0 && errno == EINTR);
    return done == 0 ? TEMPORARY_LOCKED : errno == EWOULDBLOCK ? TEMPORARY_HELD : TEMPORARY_NO_LOCKS;
}

bool temporary_is_named(int fd, const char *name)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && lstat(name, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/* ---- temporary files
 * A target has a fixed list of names, so a file that was left is found without reading the folder. Who removes a file
 * that was left holds its lock, and has looked whether the name is still the file's. So a file that is written is never
 * removed; only one that was just created may be, before it is locked, and then its writer notices and takes another.
 */

enum { NAMES = TEMPORARIES_MOST, LOOKED_AT = 8 }; /* names; those that every writer looks at */

/* The name number k of a target, cut to NAME_MAX bytes after the last slash. false if it is too long. */
static bool name_of(const char *target, int k, char name[PATH_MAX])
{
    char ending[16];
    int size = snprintf(ending, sizeof ending, ".tmp-lal%02d", k);
    const char *slash = strrchr(target, '/');
    size_t folder = slash ? (size_t)(slash + 1 - target) : 0, last = strlen(target) - folder,
           most = NAME_MAX - (size_t)size;
    int n = snprintf(name, PATH_MAX, "%.*s%.*s%s", (int)folder, target, (int)(last < most ? last : most),
                     target + folder, ending);
    return n > 0 && n < PATH_MAX;
}

/* Removes the file if a killed process of this user left it. */
static void clear(const char *name)
{
    const int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct stat st;
    int fd = open(name, O_RDWR | flags); /* NFS locks only what is open for writing */
    if (fd < 0 && errno == EACCES) fd = open(name, O_RDONLY | flags);
    if (fd < 0) return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        temporary_lock(fd) == TEMPORARY_LOCKED && temporary_is_named(fd, name))
        unlink(name);
    close(fd);
}

/* Creates and locks the file. -1 with errno EEXIST if the name is taken, or another writer removes the file at once. */
static int create(const char *name, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0 || (temporary_lock(fd) != TEMPORARY_HELD && temporary_is_named(fd, name))) return fd;
    close(fd);
    errno = EEXIST;
    return -1;
}

/* Like create, and the file is remembered. No signal comes between: a handler removes each file that exists. */
static int create_remembered(int place, const char *name, mode_t mode)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int fd = create(name, mode), why = errno;
    if (fd >= 0) {
        snprintf(temporary_name(place), PATH_MAX, "%s", name);
        temporary_remember(place, true);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return fd;
}

int temporary_create(int place, const char *target, mode_t mode)
{
    char name[PATH_MAX];
    int fd = -1;
    for (int k = 0; k < NAMES && (k < LOOKED_AT || fd < 0); k++) {
        if (!name_of(target, k, name)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        clear(name);
        if (fd >= 0) continue;
        fd = create_remembered(place, name, mode);
        if (fd < 0 && errno != EEXIST) return -1;
    }
    return fd;
}
