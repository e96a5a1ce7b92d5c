/* Reading whole files, and writing files that replace others only when complete. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

/* The part of path after its last slash. */
const char *file_name(const char *path);

/* Opens a file for reading. What is no regular file is refused, and neither waited for nor read: a pipe, a socket, a
 * device, a folder. ERR_IO. */
Status file_open(const char *path, int *fd, Error *error);
/* Reads all of a regular file, of at most `most` bytes, into *out (replaced; NUL-terminated; the caller runs
 * strbuf_fini, also after an error). ERR_IO, ERR_LIMIT, ERR_NOMEM. */
Status file_read_most(const char *path, size_t most, StrBuf *out, Error *error);
/* file_read_most without a limit. */
Status file_read(const char *path, StrBuf *out, Error *error);
/* file_read for a text that may come from elsewhere: a pipe, a terminal, "-" for standard input; what is compressed is
 * decompressed (gzip.h). A NUL byte is ERR_FORMAT with its place, so that an endless device ends. */
Status file_read_text(const char *path, StrBuf *out, Error *error);

/* Writes a file under a temporary name in the same folder (path.tmp-lalNN, created exclusively, never through a link)
 * and renames it when complete, so that a reader sees either the old file or the whole new one. The file has the
 * permissions of the one it replaces, or 0666 & ~umask if it is new. If path is a symbolic link, its target is replaced
 * and the link stays. "-" and /dev/stdout are standard output; devices, pipes and paths under /proc are written
 * directly. A file whose name ends in .gz is compressed. Errors are kept until filewriter_close. What a killed process
 * left under such a name is removed by the next writer of the same file (temporary.h). At most TEMPORARIES_MOST writers
 * and locks are open at a time. */

typedef struct FileWriter {
    FILE *f;
    struct gzFile_s *gzip; /* what is written goes through it to the file; NULL: it is not compressed */
    char *path;            /* as given; owned; valid until filewriter_close, as are target and temporary */
    const char *target;    /* path with links followed */
    const char *temporary; /* name of the file while it is written; "" if written directly */
    int slot;              /* in the list of temporary files (temporary.h), from 1; 0 = none */
    int error;             /* errno of the first failed write */
    bool live;             /* standard output, a device or a pipe: seen while it is written */
    /* text is written as a terminal may show it (strbuf_visible): set for standard output on a terminal; cleared by a
     * caller that writes colours and takes care of the text itself */
    bool visible;
} FileWriter;

/* On failure (ERR_IO, ERR_NOMEM, ERR_LIMIT) the writer is closed, and filewriter_close does nothing. */
Status filewriter_open(FileWriter *writer, const char *path, Error *error);
/* filewriter_open of a file that is never compressed, such as a model, which is mapped into memory. */
Status filewriter_open_plain(FileWriter *writer, const char *path, Error *error);
void filewriter_write(FileWriter *writer, const void *data, size_t size);
/* Flushes the buffer of a live output; does nothing for files with a temporary name. */
void filewriter_flush(FileWriter *writer);
/* Flushes to the disk and renames if commit, else (or on any error) removes the temporary file. */
Status filewriter_close(FileWriter *writer, bool commit, Error *error);

/* Sets *target to the file that a writer of path replaces: path with symbolic links followed; empty for standard output
 * and paths under /proc. ERR_NOMEM. */
Status file_target(const char *path, StrBuf *target, Error *error);

/* Writes a text as a whole file, as a FileWriter does. ERR_NOMEM if the text has failed, ERR_IO, ERR_LIMIT. */
Status file_write(const char *path, const StrBuf *text, Error *error);

/* Makes sure that descriptors 0, 1 and 2 are open, so that no file opened later becomes standard input, output or
 * error. A closed one is opened on /dev/null in the wrong direction, so that using it still fails with EBADF. false if
 * that is not possible. */
bool file_hold_standard(void);
