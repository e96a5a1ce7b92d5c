/* base/file.c */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

Status file_read(const char *path, StrBuf *out, Error *e)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *f = standard ? stdin : fopen(path, "rb");
    if (!f) return error_at(e, ERR_IO, path, 0, 0, "cannot open: %s", strerror(errno));
    strbuf_clear(out);
    char buf[65536];
    size_t n;
    while ((n = fread(buf, 1, sizeof buf, f)) > 0) strbuf_add(out, buf, n);
    Status status = OK;
    if (ferror(f)) status = error_at(e, ERR_IO, path, 0, 0, "cannot read: %s", strerror(errno));
    strbuf_add(out, "", 0);
    if (status == OK && out->failed) status = error_at(e, ERR_NOMEM, path, 0, 0, "out of memory reading the file");
    if (!standard) fclose(f);
    return status;
}

Status filemap_open(FileMap *m, const char *path, Error *e)
{
    *m = (FileMap){ 0 };
    int fd = open(path, O_RDONLY);
    if (fd < 0) return error_at(e, ERR_IO, path, 0, 0, "cannot open: %s", strerror(errno));
    struct stat st;
    Status status = OK;
    if (fstat(fd, &st) < 0) status = error_at(e, ERR_IO, path, 0, 0, "cannot stat: %s", strerror(errno));
    else if (!S_ISREG(st.st_mode)) status = error_at(e, ERR_IO, path, 0, 0, "not a regular file");
    else if (st.st_size > 0) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED) status = error_at(e, ERR_IO, path, 0, 0, "cannot map: %s", strerror(errno));
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

Status filewriter_open(FileWriter *w, const char *path, Error *e)
{
    *w = (FileWriter){ 0 };
    if (strlen(path) >= sizeof w->path) return error_at(e, ERR_LIMIT, path, 0, 0, "path longer than %zu bytes", sizeof w->path - 1);
    snprintf(w->path, sizeof w->path, "%s", path);
    struct stat st;
    if (strcmp(path, "-") == 0) {
        w->f = stdout;
        w->live = fstat(STDOUT_FILENO, &st) == 0 && !S_ISREG(st.st_mode);
        return OK;
    }
    bool special = stat(path, &st) == 0 && !S_ISREG(st.st_mode); /* /dev/null, a pipe: written in place */
    if (special) snprintf(w->temporary, sizeof w->temporary, "%s", path);
    else snprintf(w->temporary, sizeof w->temporary, "%s.tmp%ld", path, (long)getpid());
    w->f = fopen(w->temporary, "wb");
    if (!w->f) return error_at(e, ERR_IO, path, 0, 0, "cannot write: %s", strerror(errno));
    if (special) w->temporary[0] = 0;
    w->live = special;
    return OK;
}

void filewriter_write(FileWriter *w, const void *data, size_t size)
{
    if (w->error || !w->f) return;
    if (size && fwrite(data, 1, size, w->f) != size) w->error = errno ? errno : EIO;
}

void filewriter_flush(FileWriter *w)
{
    if (w->live && !w->error && fflush(w->f) != 0) w->error = errno ? errno : EIO;
}

Status filewriter_close(FileWriter *w, bool commit, Error *e)
{
    if (!w->f) return OK;
    if (fflush(w->f) != 0 && !w->error) w->error = errno ? errno : EIO;
    if (w->f != stdout) {
        if (w->temporary[0] && !w->error && commit && fsync(fileno(w->f)) != 0) w->error = errno;
        if (fclose(w->f) != 0 && !w->error) w->error = errno ? errno : EIO;
    }
    w->f = NULL;
    if (w->temporary[0]) {
        if (commit && !w->error && rename(w->temporary, w->path) != 0) w->error = errno;
        if (!commit || w->error) unlink(w->temporary);
    }
    if (w->error) return error_at(e, ERR_IO, w->path, 0, 0, "cannot write: %s", strerror(w->error));
    return OK;
}
