/* What does a worker of lal search find? It searches sentences for all patterns and makes the bodies that the report
 * writes; blocks of a treebank are given to several of them. */
#pragma once

#include "program/search_report.h"
#include "treebank/format.h"

typedef struct SearchPattern {
    const char *name; /* of several */
    StrView tregex, semgrex;
} SearchPattern;

typedef struct SearchPatterns {
    SearchPattern *at;
    const char **name; /* [n] of a file of patterns; NULL: one pattern without a name */
    int n, cap;
    StrBuf text; /* of the file */
    StrBuf macros;
    const char *macros_path; /* NULL: none */
    Arena arena;
} SearchPatterns;

/* An empty list is SearchPatterns with an arena. Adds a pattern whose macros are replaced if it is one of Tregex.
 * Errors of tregex_expand, ERR_NOMEM. */
Status search_patterns_add(SearchPatterns *patterns, SearchPattern pattern, Error *error);
/* Reads the macros of all patterns that come (tregex_expand). Errors of file_read_text. */
Status search_patterns_macros(SearchPatterns *patterns, const char *path, Error *error);
/* A pattern of the kind that it seems to be (query_kind). */
SearchPattern search_pattern(const char *name, StrView text);
/* Adds those of a file, one on each line, after a name and a tab or without a name, which is then the number of the
 * line; lines that begin with # are comments. Errors of file_read_text; ERR_FORMAT: the file has none; ERR_NOMEM. */
Status search_patterns_read(SearchPatterns *patterns, const char *path, Error *error);
/* Does what one of them finds depend on the sentences before: ":: uniq", sentIndex, before? */
bool search_patterns_in_order(const SearchPatterns *patterns);
void search_patterns_fini(SearchPatterns *patterns);

/* What is written of a sentence. */
typedef enum SearchWhat {
    SEARCH_BODIES, /* each that is shown, for each pattern */
    SEARCH_ROWS,   /* one with the number of matches of each pattern */
    SEARCH_NUMBERS /* nothing: what is counted is asked for, */
} SearchWhat;

typedef struct SearchJob {
    const SearchPatterns *patterns;
    StrView where, count_by; /* ptr NULL: none */
    HeadFinder heads;
    SearchStyle style;
    SearchWhat what;
    GraphKind graph;
    int best; /* parses of a line of JSON that are searched; 0: the line's own */
    bool ignore_case;
    bool invert;   /* sentences without a match are shown */
    bool beside;   /* others have bodies, too */
    bool one;      /* one match of a sentence is enough */
    bool in_order; /* search_patterns_in_order */
} SearchJob;

/* How often a pattern was found, and in how many sentences. */
typedef struct Found {
    long matches, sentences;
} Found;

/* How often values of --count-by were found. */
typedef struct Table {
    StrMap rows;
    long *count; /* [rows.n] */
    int cap;
} Table;

typedef struct Searcher {
    QuerySearch search;
    const SearchJob *job;
    Query **query; /* [patterns] */
    Fields *fields;
    StrMap labels;
    Searched sentence;
    Finds finds;
    Table table;
    /* since searcher_empty: */
    Found *found; /* [patterns] */
    Hit *hit;     /* [n_hits] */
    StrBuf bodies;
    int n_hits, cap;
    long sentences; /* of several parses of a sentence, one */
    /* of its own: */
    long *row;      /* [patterns] matches of the sentence */
    bool *counted;  /* [patterns] has a parse of the sentence been counted as found? */
    TextBlock line; /* of JSON, whose parses are searched */
    int pattern;
    StrBuf key;
} Searcher;

/* ERR_FORMAT: a pattern, path "pattern", "where" or "fields"; ERR_NOMEM. searcher_fini must be called in any case. The
 * job is borrowed. */
Status searcher_init(Searcher *searcher, const SearchJob *job, Error *error);
void searcher_fini(Searcher *searcher);
void searcher_empty(Searcher *searcher);
/* What is asked about: ASKS_. */
int searcher_asks(const Searcher *searcher);

/* To be called before a sentence is put into searcher->sentence: labels that were not seen for long are forgotten. */
Status searcher_ready(Searcher *searcher, Error *error);
/* Puts a line of JSON into searcher->sentence, with job->best the best parse of it, and then the next parse of the same
 * line, while it lasts; *found: is there one more. Errors of searched_json. */
Status searcher_line(Searcher *searcher, TextBlock line, Error *error);
Status searcher_parse(Searcher *searcher, bool *found, Error *error);
/* Searches searcher->sentence of a file. number: its number there, from 0, which counts if the job is in order. */
Status searcher_search(Searcher *searcher, const char *path, long number, Error *error);
/* The text without a byte order mark. */
StrView search_unmarked(StrView text);
/* Searches the sentences of a block, whose first one has the number. ERR_FORMAT with its place: bytes that are not
 * UTF-8 anywhere in the block; errors of searched_brackets, searched_rows and searched_json, before which sentences are
 * searched. */
Status searcher_block(Searcher *searcher, TextBlock block, TreebankFormat format, long number, Error *error);

/* Adds the counts of a table to another one. false when out of memory. */
bool table_join(Table *to, const Table *from);
/* Appends a line for each row: its count and its text, the most frequent first. */
void table_put(StrBuf *out, const Table *table);
