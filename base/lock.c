/* The file of the lock is opened, locked, and taken only if its name is still that file's; its holder
 * is written into it for messages. */
#define _DEFAULT_SOURCE
#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary.h"

enum { HOLDER_MOST = 160, TRIES = 1000 };

/* Writes this process into the file of the lock. false: there is nothing in it, and the lock holds as well. */
static bool write_holder(int fd)
{
    char host[65] = "", since[32] = "", text[HOLDER_MOST];
    time_t now = time(NULL);
    struct tm tm;
    if (gethostname(host, sizeof host - 1) != 0) host[0] = 0;
    if (localtime_r(&now, &tm)) strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S", &tm);
    int n = snprintf(text, sizeof text, "process %ld on %s, since %s\n", (long)getpid(), host, since);
    bool whole = pwrite(fd, text, (size_t)n, 0) == n;
    return ftruncate(fd, whole ? n : 0) == 0 && whole;
}

/* The process that holds the lock; characters of a terminal's control are replaced. */
static void read_holder(int fd, char text[HOLDER_MOST])
{
    ssize_t n = pread(fd, text, HOLDER_MOST - 1, 0);
    text[n > 0 ? n : 0] = 0;
    text[strcspn(text, "\n")] = 0;
    for (char *p = text; *p; p++)
        if (*p < 0x20 || *p > 0x7e) *p = '?';
    if (!text[0]) snprintf(text, HOLDER_MOST, "its name is not known");
}

/* Names the file of the lock; "" where standard output or a name that is too long has no lock. ERR_NOMEM. */
static Status name_lock(const char *path, bool folder, char name[PATH_MAX], Error *e)
{
    StrBuf target = { 0 };
    Status s = file_target(path, &target, e);
    name[0] = 0;
    if (s == OK && target.len &&
        snprintf(name, PATH_MAX, "%s%s", target.ptr, folder ? "/.lal-lock" : ".lal-lock") >= PATH_MAX)
        name[0] = 0;
    strbuf_fini(&target);
    return s;
}

/* Opens the file, to be written if that is allowed: another user may have made it. */
static int open_file(const char *name)
{
    const int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int fd = open(name, O_RDWR | O_CREAT | flags, 0666);
    return fd < 0 && errno == EACCES ? open(name, O_RDONLY | flags) : fd;
}

/* On a file system without locks the file is not needed, and nobody has written into it. */
static void remove_empty(int fd, const char *name)
{
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0) unlink(name);
}

/* Opens and locks the file; -1 if there can be no lock, or, with *held, another process has it. */
static int open_lock(const char *name, bool *held, char holder[HOLDER_MOST])
{
    *held = false;
    for (int k = 0; k < TRIES; k++) {
        int fd = open_file(name);
        if (fd < 0) return -1;
        TemporaryLock lock = temporary_lock(fd);
        if (lock == TEMPORARY_LOCKED && temporary_is_named(fd, name)) return fd;
        *held = lock == TEMPORARY_HELD;
        if (*held) read_holder(fd, holder);
        if (lock == TEMPORARY_NO_LOCKS) remove_empty(fd, name);
        close(fd);
        if (lock != TEMPORARY_LOCKED) return -1;
    } /* the process that had it removed it between open and flock */
    return -1;
}

Status lock_take(Lock *lock, const char *path, Error *error)
{
    struct stat st;
    char holder[HOLDER_MOST];
    bool held = false, there = stat(path, &st) == 0, folder = there && S_ISDIR(st.st_mode);
    *lock = (Lock){ .fd = -1 };
    if (there && !folder && !S_ISREG(st.st_mode)) return OK;
    int place = temporary_place();
    if (!place)
        return error_at(error, ERR_LIMIT, path, 0, 0, "found %d files in use, expected fewer", TEMPORARIES_MOST);
    char *name = temporary_name(place);
    Status s = name_lock(path, folder, name, error);
    if (s == OK && name[0]) lock->fd = open_lock(name, &held, holder);
    if (held)
        s = error_at(error, ERR_IO, path, 0, 0, "found another process that writes here (%s), expected one at a time",
                     holder);
    if (lock->fd < 0) {
        temporary_free(place);
        return s;
    }
    lock->place = place;
    temporary_remember(place, true);
    write_holder(lock->fd);
    return OK;
}

void lock_release(Lock *lock)
{
    if (!lock->place) return;
    temporary_remember(lock->place, false); /* once it is removed, the name may be another process's */
    unlink(temporary_name(lock->place));
    close(lock->fd);
    temporary_free(lock->place);
    *lock = (Lock){ .fd = -1 };
}
