/* The explanations of a treebank as pages for a browser: a document for each sentence, named by its number, and
 * "overview", with the sums, the decisions in the order in which they are worth a look, and a row for each sentence. */
#pragma once

#include "explain/compare.h"
#include "explain/inspection.h"
#include "explain/pages.h"

enum {
    PAGE_HEADS = 2
}; /* heads whose views pages have of a phrase, and heads of a type; InspectOptions.words must not be less */

/* A row of the list of decisions. */
typedef struct DecisionRow {
    double confidence; /* p of the decision, or 1 - p for a missing phrase */
    size_t at, len;    /* in InspectionPages.rows */
} DecisionRow;

typedef struct InspectionPages {
    Pages pages;
    const char *model; /* borrowed */
    Compare *compare;  /* with a second model, or NULL; borrowed */
    bool gold;         /* gold judges at least one decision */
    StrBuf rows, sentences;
    DecisionRow *row; /* [n] */
    int n, cap;
} InspectionPages;

/* model: the name to show; compare: sums of two models, to which sentences are added, or NULL. Errors of pages_open;
 * inspection_pages_fini must be called in any case. */
Status inspection_pages_open(InspectionPages *pages, const char *path, const char *model, Compare *compare,
                             Error *error);
/* Writes what the caller made of a sentence, {"sentence": inspection_json, "other": compare_sentence}, and adds the
 * sentence to the lists; other: the parse by the second model. Called in the order of the sentences. Errors of
 * pages_put. */
Status inspection_pages_add(InspectionPages *pages, const Inspected *inspected, const Sentence *other, StrBuf *page,
                            Error *error);
/* Writes the overview. */
Status inspection_pages_finish(InspectionPages *pages, const Inspection *sums, Error *error);
/* Ends the pages; a page of one file without this does not come into being. */
Status inspection_pages_close(InspectionPages *pages, bool commit, Error *error);
void inspection_pages_fini(InspectionPages *pages);
