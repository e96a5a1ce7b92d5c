/* How is what lal search finds written? A worker makes the body of each sentence that is to be written, and the report
 * writes bodies in the order of the text. */
#pragma once

#include "base/file.h"
#include "search/query.h"

typedef enum SearchFormat {
    SEARCH_TEXT,
    SEARCH_BRACKETS,
    SEARCH_JSON,
    SEARCH_TSV,
    SEARCH_CONLLU,
    SEARCH_SVG,
} SearchFormat;
#define SEARCH_FORMATS "text|brackets|json|tsv|conllu|svg" /* in this order */

typedef struct SearchStyle {
    SearchFormat format;
    bool only;  /* of text: each match on a line of its own */
    bool whole; /* of brackets: the whole tree of a match */
    bool color; /* of text: what matches, for a terminal */
} SearchStyle;

/* What is found in a sentence. */
typedef struct Finds {
    const SearchStyle *style;
    StrBuf matches; /* what is written of each */
    int n;          /* matches */
    bool *found;    /* [words] is the word in one? */
    int cap;
} Finds;

void finds_begin(Finds *finds, const Searched *sentence);
void finds_take(Finds *finds, const Query *query, const Match *match, const Searched *sentence, const StrMap *labels);
/* Appends the body, lines that end with a newline. path: of the sentence's file, for messages. ERR_FORMAT where the
 * sentence has not what the format is of, ERR_NOMEM. */
Status finds_put(StrBuf *out, Finds *finds, const char *path, const Searched *sentence, const StrMap *labels,
                 Error *error);
void finds_fini(Finds *finds);

/* A body of a worker. */
typedef struct Hit {
    long number;       /* of the sentence in its file, from 0 */
    int rank;          /* of the parse among the best ones, from 1; 0: the sentence has one */
    int pattern;       /* of several */
    bool shown;        /* else it may stand beside one that is */
    size_t begin, end; /* of the body */
} Hit;

typedef struct SearchReport {
    const SearchStyle *style;
    FileWriter *out;
    const char *file;           /* in each line, or NULL */
    const char *const *pattern; /* names of several patterns, or NULL */
    bool numbers;               /* bodies are columns that stand after the number of their sentence */
    long most;                  /* sentences of a file that are written; 0: all */
    int context;                /* sentences before and after one */
    long sample;                /* sentences that are chosen of all; 0: no choice */
    uint64_t seed;
    /* of the report itself: */
    /* in the present file: sentences shown; number of the sentence after the last one written; sentences after it that
     * are still to be written */
    long shown, last, after;
    StrBuf *before;        /* [context] lines of the sentences before the next one, as a ring */
    long n_before;         /* sentences that were put there since the last one that was written */
    struct Chosen *chosen; /* [sample] */
    long seen;             /* sentences to choose from */
    StrBuf line;
} SearchReport;

/* Begins a file, which lines name, or NULL. */
void search_report_file(SearchReport *report, const char *file);
/* Puts the lines of a sentence into report->line, or keeps one that may stand beside another. false: enough of the
 * file. Out of memory sets report->line.failed. */
bool search_report_hit(SearchReport *report, const Hit *hit, const char *bodies);
/* Writes and clears report->line. */
void search_report_write(SearchReport *report);
/* Writes the sample, and frees what the report holds, but not `out`. ERR_NOMEM. */
Status search_report_end(SearchReport *report, Error *error);
