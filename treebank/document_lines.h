/* Reads documents in JSON lines (docs/FORMATS.md, documents): an object on each line, with the sentences of a document
 * as texts, their classes, the segments that they form, such as sections, and a summary. */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

enum { CLASS_NAME_MOST = 100 };

/* A list of texts without NUL bytes. */
typedef struct TextList {
    StrView *text; /* [n]; NULL: the document does not have the member */
    int n;
} TextList;

typedef struct DocumentLine {
    long line;      /* in its file */
    const char *id; /* or NULL */
    TextList sentences, summary;
    TextList classes; /* names of the classes of the sentences, as many as they */
    int *begin; /* [n_segments] the first sentence of each segment, from 0: 0, then ascending, before sentences.n where
                   there are sentences; NULL: the document does not have the member */
    int n_segments;
} DocumentLine;

/* Owns the documents and their strings. */
typedef struct DocumentLines {
    DocumentLine *d; /* [n] */
    int n, cap;
    Arena arena;
} DocumentLines;

void document_lines_init(DocumentLines *lines);
void document_lines_fini(DocumentLines *lines);

/* Appends the documents of a text. Of each the members `id` (a text), `sentences`, `summary` and `classes` (lists of
 * texts; a class is UTF-8 of 1 to CLASS_NAME_MOST bytes without control characters) and `segments` (a list of objects
 * with a whole number `begin`) are read where it has them; null is as none; other members
 * are ignored. Empty lines are skipped. ERR_FORMAT with line and column, ERR_LIMIT (a line of more than JSON_FILE_MOST
 * bytes, base/json_file.h), ERR_NOMEM. */
Status document_lines_read(DocumentLines *lines, TextBlock block, Error *error);
