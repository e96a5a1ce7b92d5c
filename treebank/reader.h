/* Reads treebank files of any notation, sentence by sentence, in memory that does not grow with the file. */
#pragma once

#include "base/stream.h"
#include "treebank/format.h"

typedef struct ReaderOptions {
    TreebankFormat format;
    const char *encoding; /* a name known to iconv, NULL for UTF-8; kept by reference */
    Invalid invalid;      /* bytes that are not in the encoding; brackets.notes takes their places */
    BracketOptions brackets;
    bool keep_lines;   /* CoNLL: fill Sentence.lines; brackets.keep_spelling applies to CoNLL, too */
    bool keep_columns; /* fill what more columns have (treebank/conll.h, json_lines.h) */
    bool bare;         /* CoNLL: heads may be missing in whole sentences (treebank/conll.h) */
    Notes *
        unread; /* takes what is wrong with a sentence that cannot be read, which is left out; NULL: it ends the file */
    bool partial; /* CoNLL and JSON: heads may be missing (HEAD_FREE) and need not form a tree; phrases may cross */
} ReaderOptions;

/* Must not be moved while open. */
typedef struct TreebankReader {
    ReaderOptions o; /* with the format guessed if it was FORMAT_AUTO */
    TextStream in;
    Treebank tb; /* the sentences read last */
    int next;    /* index in tb of the next sentence */
    bool ended;
    Error error; /* returned after the sentences before it */
    long n;      /* sentences returned by reader_next */
    size_t want; /* size of the blocks to read, bytes; the caller may change it */
} TreebankReader;

/* path: a file, or "-" for standard input; kept by reference. A byte order mark at the beginning is skipped. ERR_IO,
 * ERR_USAGE (encoding), ERR_NOMEM; reader_close must be called in any case. */
Status reader_open(TreebankReader *reader, const char *path, ReaderOptions options, Error *error);
void reader_close(TreebankReader *reader);

/* The next sentence, NULL at the end of the file. It is in reader->tb and valid until the next call. ERR_IO, ERR_FORMAT
 * with line and column, ERR_LIMIT (a sentence that is too long), ERR_NOMEM; an error is returned after all sentences
 * before it. */
Status reader_next(TreebankReader *reader, Sentence **sent, Error *error);

/* Replaces the sentences of reader->tb by the next ones, from about reader->want bytes of the file, or fewer if reading
 * more would block; none at the end of the file. Errors as above. Use either this or reader_next. */
Status reader_block(TreebankReader *reader, Error *error);

/* Appends all sentences of a file to tb. Errors as above. */
Status treebank_load(Treebank *tb, const char *path, ReaderOptions options, Error *error);
