/* Reads text of any length in blocks. A stream reads a file or standard input piece by piece and returns blocks that
 * end at the end of a unit (a line, a paragraph, a tree), so that a reader can handle each block as a whole text.
 * Memory is bounded by the size of the blocks requested. */
#pragma once

#include "base/encoding.h"
#include "base/error.h"
#include "base/gzip.h"
#include "base/repair.h"

/* The state of a cutter between two calls; all zero at the beginning of the file. */
typedef struct CutState {
    long depth;
    int state;
    int line, signs,
        fence; /* of stream_cut_paragraphs: what the line has; ` or ~ at its beginning; at the opening one */
    char sign, fence_sign;
    bool ticks;
    /* of markup (language/markup/): the name of what is open; what has been seen of it */
    char name[32];
    int named, seen;
    bool ends, before; /* it is an end tag; inside <pre>, or before the first text */
} CutState;

/* Finds the ends of units. p [n] are the next bytes of the file. Returns the number of bytes before the first boundary
 * (at least 1), or 0 without one. The next call gets the bytes after that boundary, or after all n. A
 * cutter may miss boundaries, but must not report one inside a unit. */
typedef size_t (*Cutter)(CutState *s, const char *p, size_t n);

/* A unit is the whole text. */
size_t stream_cut_nowhere(CutState *state, const char *text, size_t count);
/* A unit is a line. */
size_t stream_cut_lines(CutState *state, const char *text, size_t count);
/* A unit is a paragraph of text: empty lines and form feeds end it, but not between two lines of three or more ` or ~,
 * code in Markdown, that are at most STREAM_FENCED_MOST bytes apart. */
enum { STREAM_FENCED_MOST = 1 << 16 };
size_t stream_cut_paragraphs(CutState *state, const char *text, size_t count);

typedef struct TextStream {
    const char *path;
    GzipReader in;  /* its fd is -1 for a text in memory */
    StrView memory; /* what has not been read of a text in memory */
    Cutter cutter;
    CutState cut_state;
    Decoder *decoder;
    Repair repair;  /* of what is read, unless repair.what is INVALID_ERROR */
    StrBuf decoded; /* that has still to be repaired */
    Notes *notes;
    bool ended;  /* the end of the file, or an error, has been read; bytes may be left in buf */
    Error error; /* of reading: stream_next returns it after the units that are complete */
    StrBuf buf;
    size_t from;            /* buf[from] is the first byte of the last block */
    size_t given;           /* length of the last block, bytes */
    size_t scanned, cut;    /* from buf[from] on: bytes seen by the cutter; bytes before the last boundary it found */
    long line, column;      /* of buf[from], 1-based */
    size_t byte, character; /* offset of buf[from] in the decoded file, bytes and characters */
} TextStream;

typedef struct StreamOptions {
    const char *encoding; /* a name of iconv's, NULL for UTF-8; kept by reference */
    bool skip_mark;       /* a byte order mark at the beginning of the file is skipped */
    Invalid invalid; /* what becomes of bytes that are not in the encoding; with INVALID_ERROR they are passed on */
    Notes *notes;    /* takes the places of such bytes, and at the end of the file their number; or NULL */
} StreamOptions;

/* path: a file, or "-" for standard input; what is compressed is read as the text in it (gzip.h). Kept by reference.
 * ERR_IO, ERR_USAGE (encoding), ERR_NOMEM, ERR_FORMAT (compressed data); stream_close must be called in any case. */
Status stream_open(TextStream *stream, const char *path, StreamOptions options, Cutter cutter, Error *error);
/* Opens a text in memory, in UTF-8, which is borrowed until stream_close; name stands for its path. */
void stream_open_text(TextStream *stream, StrView text, const char *name, StreamOptions options, Cutter cutter);
void stream_close(TextStream *stream);

/* The next block: complete units, together at least `want` bytes; fewer at the end of the file, before a unit of
 * more than `most` bytes, or if a unit is complete and reading more would block (a terminal, a pipe). Empty at the
 * end of the file. *whole is false if the next unit is longer than `most` bytes: the block is then the beginning of
 * that unit. Valid until the next call. ERR_IO, ERR_NOMEM, ERR_FORMAT (encoding, compressed data): after the units
 * before it, and again in each later call. */
Status stream_next(TextStream *stream, size_t want, size_t most, TextBlock *block, bool *whole, Error *error);
/* After an error of stream_next: what has been read of the unit that the error is in, as a block; empty after that. */
TextBlock stream_rest(TextStream *stream);
/* Reads on to the end of the file after *error, an error in what the stream gave. If its compressed data are damaged,
 * that is the cause and replaces *error. Returns the code of *error. */
Status stream_blame(TextStream *stream, Error *error);
/* Returns the last count bytes of the last block to the stream: the next block begins with them. */
void stream_keep(TextStream *stream, size_t count);
/* Does the last block end where the file does? */
bool stream_ended(const TextStream *stream);
/* stream_keep after a unit that has no end: whatever the cutter saw, a unit begins with the bytes that are returned. */
void stream_restart(TextStream *stream, size_t count);
/* The share of the file that is before the end of the last block, of a compressed file that has been read, 0 to 1; 0
 * where its size is not known. */
double stream_share(const TextStream *stream);

/* The first bytes of the file, at least `want` unless it is shorter, without consuming them. Only before the first
 * stream_next. Errors of stream_next if nothing could be read before them. */
Status stream_peek(TextStream *stream, size_t want, StrView *text, Error *error);
