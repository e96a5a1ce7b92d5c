/* base/stream.h
 * Text of any length in blocks. A stream reads a file or standard input piece by piece and hands out blocks that end
 * where a unit ends (a line, a paragraph, a tree), so that a reader of blocks need not know that there is more. Memory
 * is bounded by the blocks asked for. */
#ifndef LAL_BASE_STREAM_H
#define LAL_BASE_STREAM_H

#include "base/encoding.h"
#include "base/text.h"

/* What a cutter remembers between two calls; zero at the beginning of the file. */
typedef struct CutState {
    long depth;
    int state;
} CutState;

/* Finds where units end. Looks at the next n bytes of the file, each byte once: returns how many of them lie before the
 * first boundary, at least 1, or 0 if there is none. The next call begins right after the boundary. A cutter may miss
 * boundaries, never invent one. */
typedef size_t (*Cutter)(CutState *s, const char *p, size_t n);

/* A unit is a line. */
size_t stream_cut_lines(CutState *s, const char *p, size_t n);

typedef struct TextStream {
    const char *path;
    int fd;
    Cutter cutter;
    CutState cut_state;
    Decoder *decoder;
    bool ended; /* of the file; bytes may be left in buf */
    StrBuf buf;
    size_t from;            /* buf[from] is the first byte not handed out */
    size_t given;           /* bytes of the last block */
    size_t scanned, cut;    /* bytes from `from` on: seen by the cutter; before the last boundary */
    long line, column;      /* of buf[from], 1-based */
    size_t byte, character; /* of the file, before buf[from] */
} TextStream;

/* path: a file, or "-" for standard input; kept by reference. encoding: as iconv names it, NULL for UTF-8. A byte order
 * mark at the beginning of the file is left out if skip_mark. ERR_IO, ERR_USAGE, ERR_NOMEM; to be closed in any case.
 */
Status stream_open(TextStream *s, const char *path, const char *encoding, bool skip_mark, Cutter cutter, Error *e);
void stream_close(TextStream *s);

/* The next block: complete units of at least `want` bytes together; fewer where the file ends or where something is
 * complete and reading on would have to wait (a terminal, a pipe). No text at the end of the file. *whole is false
 * where a unit is longer than `most` bytes: the block is its beginning. The block stays valid until the next call.
 * ERR_IO, ERR_NOMEM, ERR_FORMAT (encoding). */
Status stream_next(TextStream *s, size_t want, size_t most, TextBlock *block, bool *whole, Error *e);
/* The last n bytes of the last block come again at the beginning of the next one. */
void stream_keep(TextStream *s, size_t n);

/* The first bytes of the file, at least `want` unless it ends before, without handing them out: to be called before
 * stream_next. */
Status stream_peek(TextStream *s, size_t want, StrView *text, Error *e);

#endif
