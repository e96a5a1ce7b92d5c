/* base/file.c */
#define _DEFAULT_SOURCE
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/rng.h"

enum { LINKS_MOST = 40 }; /* symbolic links followed for one path; the kernel has the same limit */

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The Status of a failed system call: ERR_NOMEM or ERR_IO, "cannot open: No such file or directory". */
static Status failed(const char *path, const char *what, int why, Error *e)
{
    if (why == ENOMEM) return error_at(e, ERR_NOMEM, path, 0, 0, "out of memory: cannot %s", what);
    return error_at(e, ERR_IO, path, 0, 0, "cannot %s: %s", what, strerror(why));
}

Status file_read(const char *path, StrBuf *out, Error *e)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *f = standard ? stdin : fopen(path, "rb");
    if (!f) return failed(path, "open", errno, e);
    strbuf_clear(out);
    char buf[65536];
    size_t n;
    while (!out->failed && (n = fread(buf, 1, sizeof buf, f)) > 0) strbuf_add(out, buf, n);
    Status status = OK;
    if (ferror(f)) status = failed(path, "read", errno, e);
    strbuf_add(out, "", 0);
    if (status == OK && out->failed) status = error_at(e, ERR_NOMEM, path, 0, 0, "out of memory reading the file");
    if (!standard) fclose(f);
    return status;
}

Status filemap_open(FileMap *m, const char *path, Error *e)
{
    *m = (FileMap){ 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failed(path, "open", errno, e);
    struct stat st;
    Status status = OK;
    if (fstat(fd, &st) < 0) status = failed(path, "stat", errno, e);
    else if (!S_ISREG(st.st_mode)) status = error_at(e, ERR_IO, path, 0, 0, "not a regular file");
    else if (st.st_size > 0) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED) status = failed(path, "map", errno, e);
        else *m = (FileMap){ p, (size_t)st.st_size };
    }
    close(fd);
    return status;
}

void filemap_close(FileMap *m)
{
    if (m->data) munmap((void *)(uintptr_t)m->data, m->size);
    *m = (FileMap){ 0 };
}

/* ---- temporary files being written: a signal handler removes them */

enum { SLOT_FREE, SLOT_CLAIMED, SLOT_WRITING };

static struct Slot {
    atomic_int state;
    char name[PATH_MAX]; /* valid while SLOT_WRITING */
} slots[FILEWRITERS_MOST];

void filewriter_abandon_all(void)
{
    int before = errno;
    for (int k = 0; k < FILEWRITERS_MOST; k++)
        if (atomic_load(&slots[k].state) == SLOT_WRITING) unlink(slots[k].name);
    errno = before;
}

/* A free slot, from 1, or 0. */
static int claim_slot(void)
{
    for (int k = 0; k < FILEWRITERS_MOST; k++) {
        int expected = SLOT_FREE;
        if (atomic_compare_exchange_strong(&slots[k].state, &expected, SLOT_CLAIMED)) return k + 1;
    }
    return 0;
}

static void free_slot(FileWriter *w)
{
    if (w->slot) atomic_store(&slots[w->slot - 1].state, SLOT_FREE);
    w->slot = 0;
}

/* ---- links */

static bool begins(const char *path, const char *with) { return strncmp(path, with, strlen(with)) == 0; }

static bool is_standard_output(const char *path)
{
    return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/fd/1") == 0 || strcmp(path, "/proc/self/fd/1") == 0;
}

/* Paths of open descriptors and kernel parameters, which cannot be replaced even where stat reports a regular file. */
static bool is_kernels(const char *path) { return begins(path, "/proc/") || begins(path, "/dev/fd/"); }

/* Replaces the path in `at` by the target of the symbolic link it names. false if it is not a link; other errors are
 * found when the file is opened. */
static bool follow_link(StrBuf *at)
{
    char link[PATH_MAX];
    ssize_t n = readlink(at->ptr, link, sizeof link);
    if (n < 0 || n == (ssize_t)sizeof link) return false;
    size_t keep = link[0] == '/' ? 0 : (size_t)(file_name(at->ptr) - at->ptr);
    strbuf_cut(at, keep);
    strbuf_add(at, link, (size_t)n);
    return !at->failed;
}

/* ---- writing */

/* name: target, ".tmp" and a random ending, at most NAME_MAX bytes after the last slash. false if it is too long. */
static bool name_temporary(const char *target, char *name)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    enum { ENDING = 8 };
    char ending[ENDING + 1] = { 0 };
    uint64_t random = rng_entropy();
    for (int k = 0; k < ENDING; k++, random /= 36) ending[k] = letters[random % 36];
    size_t folder = (size_t)(file_name(target) - target), last = strlen(target) - folder, most = NAME_MAX - 4 - ENDING;
    int n = snprintf(name, PATH_MAX, "%.*s%.*s.tmp%s", (int)folder, target, (int)(last < most ? last : most),
                     target + folder, ending);
    return n > 0 && n < PATH_MAX;
}

/* Gives the new file the permissions of the one it replaces; false with errno on failure. */
static bool copy_permissions(int fd, const struct stat *old)
{
    struct stat now;
    if (fstat(fd, &now) == 0 && (now.st_mode & 0777) == (old->st_mode & 0777)) return true;
    return fchmod(fd, old->st_mode & 0777) == 0;
}

/* Creates the temporary file with the permissions of `old`, the file to replace, or NULL. -1 with errno on failure. */
static int create_temporary(FileWriter *w, const struct stat *old)
{
    struct Slot *slot = &slots[w->slot - 1];
    int fd = -1;
    for (int k = 0; fd < 0 && k < 100; k++) {
        atomic_store(&slot->state, SLOT_CLAIMED);
        if (!name_temporary(w->target, slot->name)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        atomic_store(&slot->state, SLOT_WRITING);
        fd = open(slot->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, old ? 0600 : 0666);
        if (fd < 0 && errno != EEXIST) return -1;
    }
    if (fd >= 0 && old && !copy_permissions(fd, old)) {
        int why = errno;
        close(fd);
        unlink(slot->name);
        errno = why;
        return -1;
    }
    w->temporary = slot->name;
    return fd;
}

static void forget(FileWriter *w)
{
    free_slot(w);
    mem_free(w->path);
    *w = (FileWriter){ .error = w->error };
}

static Status cannot_open(FileWriter *w, const char *path, int why, Error *e)
{
    forget(w);
    return failed(path, "write", why, e);
}

/* Sets w->path and w->target. */
static Status find_target(FileWriter *w, const char *path, Error *e)
{
    StrBuf at = { 0 };
    strbuf_puts(&at, path);
    for (int k = 0; k < LINKS_MOST && !at.failed; k++)
        if (is_standard_output(at.ptr) || is_kernels(at.ptr) || !follow_link(&at)) break;
    size_t n = strlen(path) + 1;
    w->path = at.failed ? NULL : mem_alloc(n + at.len + 1, 1);
    if (w->path) {
        memcpy(w->path, path, n);
        memcpy(w->path + n, at.ptr, at.len + 1);
        w->target = w->path + n;
        w->temporary = "";
    }
    strbuf_fini(&at);
    return w->path ? OK : cannot_open(w, path, ENOMEM, e);
}

Status filewriter_open(FileWriter *w, const char *path, Error *e)
{
    *w = (FileWriter){ 0 };
    Status s = path[0] ? find_target(w, path, e) : cannot_open(w, path, ENOENT, e);
    if (s != OK) return s;
    struct stat st;
    if (strcmp(path, "-") == 0 || is_standard_output(w->target)) {
        w->f = stdout;
        w->live = fstat(STDOUT_FILENO, &st) == 0 && !S_ISREG(st.st_mode);
        w->visible = isatty(STDOUT_FILENO);
        return OK;
    }
    bool there = stat(path, &st) == 0; /* follows links */
    if (!there && errno != ENOENT) return cannot_open(w, path, errno, e);
    int fd;
    if (there && (!S_ISREG(st.st_mode) || is_kernels(w->target)))
        fd = open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    else {
        w->slot = claim_slot();
        if (!w->slot) {
            forget(w);
            return error_at(e, ERR_LIMIT, path, 0, 0, "found %d files being written, expected fewer", FILEWRITERS_MOST);
        }
        fd = create_temporary(w, there ? &st : NULL);
    }
    if (fd < 0) return cannot_open(w, path, errno, e);
    w->f = fdopen(fd, "wb");
    w->live = !w->slot;
    if (w->f) return OK;
    int why = errno;
    close(fd);
    if (w->temporary[0]) unlink(w->temporary);
    return cannot_open(w, path, why, e);
}

void filewriter_write(FileWriter *w, const void *data, size_t size)
{
    if (w->error || !w->f) return;
    StrBuf shown = { 0 };
    if (w->visible) {
        strbuf_visible(&shown, data, size);
        data = shown.ptr;
        size = shown.len;
    }
    if (shown.failed) w->error = ENOMEM;
    else if (size && fwrite(data, 1, size, w->f) != size) w->error = errno ? errno : EIO;
    strbuf_fini(&shown);
}

void filewriter_flush(FileWriter *w)
{
    if (w->live && !w->error && fflush(w->f) != 0) w->error = errno ? errno : EIO;
}

/* A renamed file survives a power failure only when its folder is on the disk, too. Errors are ignored, because not
 * every file system supports this. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    int n = (int)(file_name(path) - path);
    if (n >= (int)sizeof folder) return;
    snprintf(folder, sizeof folder, "%.*s", n ? n : 1, n ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

/* Renames the temporary file to its target if it is complete, else removes it. */
static void finish_temporary(FileWriter *w, bool commit)
{
    bool renamed = commit && !w->error && rename(w->temporary, w->target) == 0;
    if (commit && !w->error && !renamed) w->error = errno;
    if (renamed) sync_folder(w->target);
    else unlink(w->temporary);
}

Status filewriter_close(FileWriter *w, bool commit, Error *e)
{
    if (!w->f) return OK;
    if (fflush(w->f) != 0 && !w->error) w->error = errno ? errno : EIO;
    if (w->f != stdout) {
        if (w->temporary[0] && !w->error && commit && fsync(fileno(w->f)) != 0) w->error = errno;
        if (fclose(w->f) != 0 && !w->error) w->error = errno ? errno : EIO;
    }
    if (w->temporary[0]) finish_temporary(w, commit);
    Status s = w->error ? failed(w->path, "write", w->error, e) : OK;
    forget(w);
    return s;
}

Status file_write(const char *path, const StrBuf *text, Error *e)
{
    FileWriter w;
    if (text->failed) return error_set(e, ERR_NOMEM, "out of memory writing %s", path);
    Status s = filewriter_open(&w, path, e);
    if (s != OK) return s;
    filewriter_write(&w, text->ptr, text->len);
    return filewriter_close(&w, true, e);
}

bool file_hold_standard(void)
{
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) continue;
        if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            return false; /* in the wrong direction, so that using it fails */
    }
    return true;
}
