/* base/file.h
 * Reading and mapping whole files, and writing files that replace others only when complete. */
#ifndef LAL_BASE_FILE_H
#define LAL_BASE_FILE_H

#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

/* The part of path after its last slash. */
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

/* Writes a file under a temporary name in the same folder (path.tmpXXXXXXXX, created exclusively, never through a link)
 * and renames it when complete, so that a reader sees either the old file or the whole new one. The file has the
 * permissions of the one it replaces, or 0666 & ~umask if it is new. If path is a symbolic link, its target is replaced
 * and the link stays. "-" and /dev/stdout are standard output; devices, pipes and paths under /proc are written
 * directly. Errors are kept until filewriter_close. At most FILEWRITERS_MOST writers are open at a time. */
enum { FILEWRITERS_MOST = 64 };

typedef struct FileWriter {
    FILE *f;
    char *path;            /* as given; owned; valid until filewriter_close, as are target and temporary */
    const char *target;    /* path with links followed */
    const char *temporary; /* name of the file while it is written; "" if written directly */
    int slot;              /* in the list of temporary files, from 1; 0 = none */
    int error;             /* errno of the first failed write */
    bool live;             /* a reader may be waiting for the output: a terminal, a pipe, a socket */
    /* text is written as a terminal may show it (strbuf_visible): set for standard output on a terminal; cleared by a
     * caller that writes colours and takes care of the text itself */
    bool visible;
} FileWriter;

/* On failure (ERR_IO, ERR_NOMEM, ERR_LIMIT) the writer is closed, and filewriter_close does nothing. */
Status filewriter_open(FileWriter *w, const char *path, Error *e);
void filewriter_write(FileWriter *w, const void *data, size_t size);
/* Flushes the buffer of a live output; does nothing for regular files. */
void filewriter_flush(FileWriter *w);
/* Flushes to the disk and renames if commit, else (or on any error) removes the temporary file. */
Status filewriter_close(FileWriter *w, bool commit, Error *e);
/* Removes the temporary files of all open writers; for a signal handler that ends the program. Async-signal-safe. */
void filewriter_abandon_all(void);

/* Writes a whole file in this way. ERR_NOMEM if the text has failed, ERR_IO, ERR_LIMIT. */
Status file_write(const char *path, const StrBuf *text, Error *e);

/* Makes sure that descriptors 0, 1 and 2 are open, so that no file opened later becomes standard input, output or
 * error. A closed one is opened on /dev/null in the wrong direction, so that using it still fails with EBADF. false if
 * that is not possible. */
bool file_hold_standard(void);

#endif
