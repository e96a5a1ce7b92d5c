/* treebank/reader.h
 * Treebank files of any notation, sentence by sentence, in memory that does not grow with the file. */
#ifndef LAL_TREEBANK_READER_H
#define LAL_TREEBANK_READER_H

#include "base/stream.h"
#include "treebank/format.h"

typedef struct ReaderOptions {
    TreebankFormat format;
    const char *encoding; /* as iconv names it, NULL for UTF-8; kept by reference */
    BracketOptions brackets;
    bool keep_lines; /* CoNLL: Sentence.lines; brackets.keep_spelling is heeded, too */
} ReaderOptions;

struct GeniaReader;

/* Must not be moved once open. */
typedef struct TreebankReader {
    ReaderOptions o; /* the format as guessed */
    TextStream in;
    struct GeniaReader *xml;
    Treebank tb; /* the sentences read last */
    int next;    /* in tb */
    bool ended;
    Error error; /* of a block whose first sentences are still being handed out */
    long n;      /* sentences handed out */
    size_t want; /* bytes to be read at a time; the caller may change it */
} TreebankReader;

/* path: a file or "-"; kept by reference. A byte order mark at its beginning is skipped. ERR_IO, ERR_USAGE (encoding),
 * ERR_NOMEM; to be closed in any case. */
Status reader_open(TreebankReader *r, const char *path, ReaderOptions o, Error *e);
void reader_close(TreebankReader *r);

/* The next sentence, NULL at the end of the file. It lives in r->tb until the next call. ERR_IO, ERR_FORMAT with line
 * and column, ERR_NOMEM; an error comes after the sentences before it. */
Status reader_next(TreebankReader *r, Sentence **s, Error *e);

/* Replaces the sentences of r->tb by the next ones of the file, none at its end: those of about r->want bytes, fewer
 * where reading on would have to wait. Not to be mixed with reader_next. */
Status reader_block(TreebankReader *r, Error *e);

/* Appends all sentences of a file to tb. */
Status treebank_load(Treebank *tb, const char *path, ReaderOptions o, Error *e);

#endif
