/* A report of errors: brackets by label, length of span and length of sentence; arcs by type, distance, length of
 * sentence and whether its gold arcs cross; tags; and confusions of labels, types and tags. eval/brackets.h defines
 * brackets; arcs belong to all words, including punctuation. */
#pragma once

#include "base/map.h"
#include "treebank/tree.h"

enum { REPORT_SECTIONS = 11 };

/* Counts of a row. Rows of confusions use only `matched`, their number of occurrences. */
typedef struct ReportRow {
    long gold, pred, matched;
} ReportRow;

typedef struct ReportSection {
    StrMap keys;
    ReportRow *rows; /* [keys.n] */
    int cap;
} ReportSection;

typedef struct Report {
    ReportSection s[REPORT_SECTIONS];
} Report;

void report_init(Report *report);
void report_fini(Report *report);
/* Adds a sentence; both have the same words. ERR_NOMEM. */
Status report_add(Report *report, const Sentence *gold, const Sentence *pred, Error *error);
/* The rows of brackets by label; of arcs by type, matched if head and type are. Borrowed. */
const ReportSection *report_labels(const Report *report);
const ReportSection *report_types(const Report *report);
/* 200 matched / (gold + pred), or 0: percent. */
double report_f1(const ReportRow *row);

typedef enum ReportFormat { REPORT_TEXT, REPORT_TSV, REPORT_JSON } ReportFormat;
/* Appends the sections that have rows. Text: one table per section, of confusions only the most frequent ones. TSV:
 * section, key, gold, predicted, matched, precision, recall, f1. JSON: an object of sections, each an object of rows.
 * Rows are in order of descending gold count, lengths and distances in their natural order. */
void report_write(const Report *report, ReportFormat format, StrBuf *out);
