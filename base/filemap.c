/* Maps files into memory. A fixed table of atomics lists the mapped files, so that a signal handler can read it. A file
 * counts as changed when its size or its times differ. */
#define _DEFAULT_SOURCE
#include "base/filemap.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"

#ifdef __APPLE__
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

enum { MAPPED_MOST = 64 };

/* The mapped files, where a signal handler finds them. The handler reads begin, size and filled alone. */
static struct Mapped {
    atomic_bool used;
    atomic_uintptr_t begin; /* 0: the place is empty, or its file is not mapped yet */
    atomic_size_t size;
    atomic_bool filled;
    int fd;
    struct timespec modified;
    atomic_llong status_changed; /* ns, when filemap_open or filemap_accept looked */
} mapped[MAPPED_MOST];

static long long nanoseconds(struct timespec t) { return (long long)t.tv_sec * 1000000000 + t.tv_nsec; }

/* Times of files count ticks of some milliseconds, or seconds. Does every change from now on give it another time? */
static bool is_settled(const struct stat *st)
{
    struct timespec now;
    long long tick = st->st_ctim.tv_nsec ? 50000000 : 2000000000;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 && nanoseconds(now) - nanoseconds(st->st_ctim) > tick;
}

static bool is_same(const struct stat *st, size_t size, struct timespec modified)
{
    return st->st_size >= 0 && (size_t)st->st_size == size && nanoseconds(st->st_mtim) == nanoseconds(modified);
}

/* Index of a free entry, or MAPPED_MOST. */
static int claim(void)
{
    int k = 0;
    while (k < MAPPED_MOST && atomic_exchange(&mapped[k].used, true)) k++;
    return k;
}

/* Maps the file, which owns fd from then on. false: no entry is free, or the system cannot. */
static bool map(FileMap *m, int fd, const struct stat *st)
{
    int k = claim();
    if (k == MAPPED_MOST) return false;
    struct Mapped *x = &mapped[k];
    size_t size = (size_t)st->st_size;
    void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) {
        atomic_store(&x->used, false);
        return false;
    }
    x->fd = fd;
    x->modified = st->st_mtim;
    atomic_store(&x->status_changed, nanoseconds(st->st_ctim));
    atomic_store(&x->filled, false);
    atomic_store(&x->size, size);
    atomic_store(&x->begin, (uintptr_t)p);
    *m = (FileMap){ p, size, k + 1 };
    return true;
}

static Status copy(FileMap *m, int fd, const struct stat *before, const char *path, Error *e)
{
    struct stat after;
    size_t size = (size_t)before->st_size, at = 0;
    unsigned char *p = mem_aligned(size, 1);
    if (!p) return error_at(e, ERR_NOMEM, path, 0, 0, "out of memory reading %zu bytes", size);
    for (ssize_t n = 1; n && at < size;) {
        n = read(fd, p + at, size - at);
        if (n > 0) at += (size_t)n;
        if (n < 0 && errno != EINTR) {
            mem_free(p);
            return error_at(e, ERR_IO, path, 0, 0, "cannot read: %s", strerror(errno));
        }
    }
    if (at == size && fstat(fd, &after) == 0 && is_same(&after, size, before->st_mtim)) {
        *m = (FileMap){ p, size, 0 };
        return OK;
    }
    mem_free(p);
    return error_at(e, ERR_IO, path, 0, 0, "the file was changed while it was read");
}

Status filemap_open(FileMap *file_map, const char *path, size_t map_above, Error *error)
{
    struct stat st;
    *file_map = (FileMap){ 0 };
    int fd;
    Status s = file_open(path, &fd, error);
    if (s != OK) return s;
    if (fstat(fd, &st) < 0) s = error_at(error, ERR_IO, path, 0, 0, "cannot stat: %s", strerror(errno));
    else if (st.st_size > 0) {
        if ((size_t)st.st_size > map_above && is_settled(&st) && map(file_map, fd, &st)) return OK;
        s = copy(file_map, fd, &st, path, error);
    }
    close(fd);
    return s;
}

void filemap_close(FileMap *map)
{
    if (map->slot) {
        struct Mapped *x = &mapped[map->slot - 1];
        atomic_store(&x->begin, 0);
        munmap((void *)(uintptr_t)map->data, map->size);
        close(x->fd);
        atomic_store(&x->used, false);
    } else mem_free((void *)(uintptr_t)map->data);
    *map = (FileMap){ 0 };
}

bool filemap_unchanged(const FileMap *map, long long *touched)
{
    struct stat st;
    if (touched) *touched = 0;
    if (!map->slot) return true;
    struct Mapped *x = &mapped[map->slot - 1];
    if (atomic_load(&x->filled) || fstat(x->fd, &st) < 0 || !is_same(&st, map->size, x->modified)) return false;
    long long now = nanoseconds(st.st_ctim);
    if (touched && atomic_load(&x->status_changed) != now) *touched = now;
    return true;
}

void filemap_accept(const FileMap *map, long long touched)
{
    if (map->slot) atomic_store(&mapped[map->slot - 1].status_changed, touched);
}

bool filemap_fill(const void *address)
{
    for (int k = 0; k < MAPPED_MOST; k++) {
        struct Mapped *x = &mapped[k];
        uintptr_t begin = atomic_load(&x->begin), at = (uintptr_t)address;
        size_t size = atomic_load(&x->size);
        if (!begin || at < begin || at - begin >= size) continue;
        int before = errno, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
        atomic_store(&x->filled, true);
        bool ok = mmap((void *)begin, size, PROT_READ, flags, -1, 0) != MAP_FAILED;
        errno = before;
        return ok;
    }
    return false;
}
