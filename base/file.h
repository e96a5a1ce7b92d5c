/* base/file.h
 * Whole files in, whole files out. */
#ifndef LAL_BASE_FILE_H
#define LAL_BASE_FILE_H

#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

/* What stands behind the last slash of a path. */
const char *file_name(const char *path);

/* Reads all of path ("-" = standard input) into *out (replaced; NUL-terminated; the caller runs strbuf_fini). */
Status file_read(const char *path, StrBuf *out, Error *e);

/* A file mapped read-only; size 0 gives data NULL. */
typedef struct FileMap {
    const unsigned char *data;
    size_t size;
} FileMap;

Status filemap_open(FileMap *m, const char *path, Error *e);
void filemap_close(FileMap *m);

/* A file written under a temporary name in the same folder and renamed when complete, so that a reader sees the old
 * file or the whole new one. "-" is standard output, written directly. Errors are kept until filewriter_close. */
typedef struct FileWriter {
    FILE *f;
    char path[512], temporary[544];
    int error; /* errno of the first failed write */
    bool live; /* somebody may be waiting for what is written: a terminal, a pipe, a socket */
} FileWriter;

Status filewriter_open(FileWriter *w, const char *path, Error *e);
void filewriter_write(FileWriter *w, const void *data, size_t size);
/* Passes on what has been written so far where somebody may be waiting for it; does nothing for files. */
void filewriter_flush(FileWriter *w);
/* Flushes to the disk and renames if commit, else (or on any error) removes the temporary file. */
Status filewriter_close(FileWriter *w, bool commit, Error *e);

#endif
