/* eval/report.h
 * Where the errors are: brackets by label, by length of span and of sentence, arcs by type, distance and length of
 * sentence, and what is taken for what. Brackets are those of eval/brackets.h; arcs are all words, punctuation too. */
#ifndef LAL_EVAL_REPORT_H
#define LAL_EVAL_REPORT_H

#include "base/map.h"
#include "treebank/tree.h"

enum { REPORT_SECTIONS = 10 };

/* Counts of a row; of a confusion only `matched`, how often. */
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

void report_init(Report *r);
void report_fini(Report *r);
/* Adds a sentence; pred has the words of gold. ERR_NOMEM. */
Status report_add(Report *r, const Sentence *gold, const Sentence *pred, Error *e);

typedef enum ReportFormat { REPORT_TEXT, REPORT_TSV, REPORT_JSON } ReportFormat;
/* Text: a table a section, the commonest rows of confusions only. TSV: section, key, gold, predicted, matched,
 * precision, recall, f1. JSON: an object of sections of keys. Rows by falling gold count, lengths and distances in
 * their order. */
void report_write(const Report *r, ReportFormat format, StrBuf *out);

#endif
