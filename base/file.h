/* base/file.h
 * Whole files in, whole files out. */
#ifndef LAL_BASE_FILE_H
#define LAL_BASE_FILE_H

#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

/* What follows the last slash of a path. */
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

/* A file written under a temporary name in the same folder (path.tmpXXXXXXXX, which did not exist before, never through
 * a link) and renamed when complete, so that a reader sees the old file or the whole new one. It has the permissions of
 * the file it replaces, else those of a new file (0666 without the umask). Where path is a link, what it points to is
 * written and the link stays. "-" and /dev/stdout are standard output; devices, pipes and what lies under /proc are
 * written directly. Errors are kept until filewriter_close. At most FILEWRITERS_MOST at a time. */
enum { FILEWRITERS_MOST = 64 };

typedef struct FileWriter {
    FILE *f;
    char *path;            /* as given; owned, as is what follows; until filewriter_close */
    const char *target;    /* with links followed */
    const char *temporary; /* its name while it is written; "" if written directly */
    int slot;              /* in the list of temporary files, from 1; 0 = none */
    int error;             /* errno of the first failed write */
    bool live;             /* somebody may be waiting for what is written: a terminal, a pipe, a socket */
} FileWriter;

/* On failure (ERR_IO, ERR_NOMEM, ERR_LIMIT) the writer is closed, and filewriter_close does nothing. */
Status filewriter_open(FileWriter *w, const char *path, Error *e);
void filewriter_write(FileWriter *w, const void *data, size_t size);
/* Passes on what has been written so far where somebody may be waiting for it; does nothing for files. */
void filewriter_flush(FileWriter *w);
/* Flushes to the disk and renames if commit, else (or on any error) removes the temporary file. */
Status filewriter_close(FileWriter *w, bool commit, Error *e);
/* Removes the temporary files of all open writers; for a signal handler that ends the program. Async-signal-safe. */
void filewriter_abandon_all(void);

/* Makes sure that descriptors 0, 1 and 2 are in use, so that no file opened later becomes standard output by accident.
 * One that the caller of the program has closed is opened in a way that fails as it would (EBADF). false if that fails.
 * */
bool file_hold_standard(void);

#endif
