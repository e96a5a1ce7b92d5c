/* A file is written under a temporary name, brought to the disk and renamed, after links are followed;
 * pipes, devices and standard output are written directly. */
#define _DEFAULT_SOURCE
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/gzip.h"
#include "base/temporary.h"

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

/* ---- reading */

static const char *kind_of(mode_t mode)
{
    return S_ISFIFO(mode)                   ? "a pipe"
           : S_ISDIR(mode)                  ? "a folder"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                            : "a socket";
}

Status file_open(const char *path, int *fd, Error *error)
{
    struct stat st;
    *fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int why = errno;
    if (*fd < 0 && (why != ENXIO || stat(path, &st) < 0)) return failed(path, "open", why, error); /* ENXIO: a socket */
    if (*fd >= 0 && fstat(*fd, &st) < 0) {
        why = errno;
        close(*fd);
        return failed(path, "stat", why, error);
    }
    if (*fd >= 0 && S_ISREG(st.st_mode)) return OK;
    if (*fd >= 0) close(*fd);
    return error_at(error, ERR_IO, path, 0, 0, "found %s, expected a regular file", kind_of(st.st_mode));
}

/* Refuses a NUL in the bytes from `from` on. */
static Status check_nul(const StrBuf *out, size_t from, const char *path, Error *e)
{
    const char *nul = out->len > from ? memchr(out->ptr + from, 0, out->len - from) : NULL;
    if (!nul) return OK;
    TextPlace p = text_place((TextPlace){ 1, 1 }, out->ptr, (size_t)(nul - out->ptr));
    return error_at(e, ERR_FORMAT, path, p.line, p.column, "found a NUL byte, expected text");
}

/* Reads all of fd, at most `most` bytes, into *out; of a text, which may be compressed and has no NUL. */
static Status read_all(int fd, const char *path, bool text, size_t most, StrBuf *out, Error *e)
{
    char buf[65536];
    GzipReader reader = { .fd = fd, .path = path, .known = !text };
    Status status = OK;
    strbuf_clear(out);
    for (size_t n = 1; n && status == OK;) {
        size_t before = out->len;
        status = gzip_read(&reader, buf, sizeof buf, &n, e);
        if (status != OK) break;
        strbuf_add(out, buf, n);
        if (out->failed) status = error_at(e, ERR_NOMEM, path, 0, 0, "out of memory reading the file");
        else if (out->len > most)
            status = error_at(e, ERR_LIMIT, path, 0, 0, "found more than %zu bytes, expected at most that", most);
        else if (text) status = check_nul(out, before, path, e);
    }
    gzip_end(&reader);
    strbuf_add(out, "", 0);
    if (status == OK && out->failed) status = error_at(e, ERR_NOMEM, path, 0, 0, "out of memory reading the file");
    return status;
}

Status file_read_most(const char *path, size_t most, StrBuf *out, Error *error)
{
    int fd;
    Status s = file_open(path, &fd, error);
    if (s != OK) return s;
    s = read_all(fd, path, false, most, out, error);
    close(fd);
    return s;
}

Status file_read(const char *path, StrBuf *out, Error *error) { return file_read_most(path, SIZE_MAX, out, error); }

Status file_read_text(const char *path, StrBuf *out, Error *error)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failed(path, "open", errno, error);
    Status s = read_all(fd, path, true, SIZE_MAX, out, error);
    if (!standard) close(fd);
    return s;
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

/* Gives the new file the permissions of the one it replaces; false with errno on failure. */
static bool copy_permissions(int fd, const struct stat *old)
{
    struct stat now;
    if (fstat(fd, &now) == 0 && (now.st_mode & 0777) == (old->st_mode & 0777)) return true;
    return fchmod(fd, old->st_mode & 0777) == 0;
}

/* Removes the file before it is closed: after that, another writer may have a file of this name. */
static void drop_temporary(const FileWriter *w, int fd)
{
    int why = errno;
    temporary_remember(w->slot, false);
    unlink(temporary_name(w->slot));
    close(fd);
    errno = why;
}

/* Creates the temporary file with the permissions of `old`, the file to replace, or NULL. -1 with errno on failure. */
static int create_temporary(FileWriter *w, const struct stat *old)
{
    int fd = temporary_create(w->slot, w->target, old ? 0600 : 0666);
    if (fd >= 0 && old && !copy_permissions(fd, old)) {
        drop_temporary(w, fd);
        return -1;
    }
    if (fd >= 0) w->temporary = temporary_name(w->slot);
    return fd;
}

static void forget(FileWriter *w)
{
    temporary_free(w->slot);
    mem_free(w->path);
    *w = (FileWriter){ .error = w->error };
}

static Status cannot_open(FileWriter *w, const char *path, int why, Error *e)
{
    forget(w);
    return failed(path, "write", why, e);
}

/* Replaces *at by path with symbolic links followed. */
static void follow_links(const char *path, StrBuf *at)
{
    strbuf_clear(at);
    strbuf_puts(at, path);
    for (int k = 0; k < LINKS_MOST && !at->failed; k++)
        if (is_standard_output(at->ptr) || is_kernels(at->ptr) || !follow_link(at)) break;
}

Status file_target(const char *path, StrBuf *target, Error *error)
{
    follow_links(path, target);
    if (target->failed) return failed(path, "write", ENOMEM, error);
    if (strcmp(path, "-") == 0 || is_standard_output(target->ptr) || is_kernels(target->ptr)) strbuf_clear(target);
    return OK;
}

/* Sets w->path and w->target. */
static Status find_target(FileWriter *w, const char *path, Error *e)
{
    StrBuf at = { 0 };
    follow_links(path, &at);
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

static void keep_error(FileWriter *w)
{
    if (!w->error) w->error = errno ? errno : EIO;
}

/* zlib closes its own descriptor. */
static void compress_file(FileWriter *w)
{
    int fd = fcntl(fileno(w->f), F_DUPFD_CLOEXEC, 0);
    errno = fd < 0 ? errno : ENOMEM;
    if (fd >= 0) w->gzip = gzdopen(fd, "wb");
    if (w->gzip) return;
    keep_error(w);
    if (fd >= 0) close(fd);
}

Status filewriter_open(FileWriter *writer, const char *path, Error *error)
{
    size_t len = strlen(path);
    Status s = filewriter_open_plain(writer, path, error);
    if (s == OK && writer->f != stdout && len > 3 && strcmp(path + len - 3, ".gz") == 0) compress_file(writer);
    return s;
}

Status filewriter_open_plain(FileWriter *writer, const char *path, Error *error)
{
    *writer = (FileWriter){ 0 };
    Status s = path[0] ? find_target(writer, path, error) : cannot_open(writer, path, ENOENT, error);
    if (s != OK) return s;
    struct stat st;
    if (strcmp(path, "-") == 0 || is_standard_output(writer->target)) {
        writer->f = stdout;
        writer->live = true;
        writer->visible = isatty(STDOUT_FILENO);
        return OK;
    }
    bool there = stat(path, &st) == 0; /* follows links */
    if (!there && errno != ENOENT) return cannot_open(writer, path, errno, error);
    int fd;
    if (there && (!S_ISREG(st.st_mode) || is_kernels(writer->target)))
        fd = open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    else {
        writer->slot = temporary_place();
        if (!writer->slot) {
            forget(writer);
            return error_at(error, ERR_LIMIT, path, 0, 0, "found %d files being written, expected fewer",
                            TEMPORARIES_MOST);
        }
        fd = create_temporary(writer, there ? &st : NULL);
    }
    if (fd < 0) return cannot_open(writer, path, errno, error);
    writer->f = fdopen(fd, "wb");
    writer->live = !writer->slot;
    if (writer->f) return OK;
    int why = errno;
    if (writer->temporary[0]) drop_temporary(writer, fd);
    else close(fd);
    return cannot_open(writer, path, why, error);
}

void filewriter_write(FileWriter *writer, const void *data, size_t size)
{
    if (writer->error || !writer->f) return;
    StrBuf shown = { 0 };
    if (writer->visible) {
        strbuf_visible(&shown, data, size);
        data = shown.ptr;
        size = shown.len;
    }
    if (shown.failed) writer->error = ENOMEM;
    else if (size && (writer->gzip ? gzfwrite(data, 1, size, writer->gzip) : fwrite(data, 1, size, writer->f)) != size)
        keep_error(writer);
    strbuf_fini(&shown);
}

void filewriter_flush(FileWriter *writer)
{
    if (!writer->live || writer->error) return;
    if (writer->gzip ? gzflush(writer->gzip, Z_SYNC_FLUSH) != Z_OK : fflush(writer->f) != 0) keep_error(writer);
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
    temporary_remember(w->slot, false); /* once it is renamed, the name may be another process's */
    bool renamed = commit && !w->error && rename(w->temporary, w->target) == 0;
    if (commit && !w->error && !renamed) w->error = errno;
    if (renamed) sync_folder(w->target);
    else unlink(w->temporary);
}

Status filewriter_close(FileWriter *writer, bool commit, Error *error)
{
    if (!writer->f) return OK;
    int lock = writer->temporary[0] ? fcntl(fileno(writer->f), F_DUPFD_CLOEXEC, 0) : -1; /* keeps the file locked */
    if (writer->gzip && gzclose(writer->gzip) != Z_OK) keep_error(writer);
    if (fflush(writer->f) != 0) keep_error(writer);
    if (writer->f != stdout) {
        if (writer->temporary[0] && !writer->error && commit && fsync(fileno(writer->f)) != 0) writer->error = errno;
        if (fclose(writer->f) != 0) keep_error(writer);
    }
    if (writer->temporary[0]) finish_temporary(writer, commit);
    if (lock >= 0) close(lock);
    Status s = writer->error ? failed(writer->path, "write", writer->error, error) : OK;
    forget(writer);
    return s;
}

Status file_write(const char *path, const StrBuf *text, Error *error)
{
    FileWriter w;
    if (text->failed) return error_set(error, ERR_NOMEM, "out of memory writing %s", path);
    Status s = filewriter_open(&w, path, error);
    if (s != OK) return s;
    filewriter_write(&w, text->ptr, text->len);
    return filewriter_close(&w, true, error);
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
