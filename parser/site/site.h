/* parser/site/site.h
 * A treebank explained as a folder of pages for a browser: index.html (dashboards), decisions.html (wrong ones, the
 * surest first; without gold the least sure), sentences.html, s/ID.html (a sentence: tree, arcs, attention, every
 * decision with its heads), parts.svg, style.css and script.js. Pages ask for nothing outside the folder, are complete
 * without scripts, and are well-formed XML. */
#ifndef LAL_PARSER_SITE_SITE_H
#define LAL_PARSER_SITE_SITE_H

#include "parser/insight/head_report.h"
#include "parser/insight/inspection.h"

enum { SITE_HEADS = 6 }; /* heads shown of a decision; InspectOptions.words is to be as many */

/* A row of decisions.html. */
typedef struct SiteRow {
    double confidence; /* of the parser in what it did: p, or 1 - p for a phrase it lacks */
    size_t at, len;    /* in Site.rows */
} SiteRow;

typedef struct Site {
    const char *folder, *model; /* borrowed */
    bool gold;                  /* some decision could be judged */
    StrBuf rows;                /* of decisions.html */
    SiteRow *row;               /* [n] */
    int n, cap;
    StrBuf sentences; /* rows of sentences.html */
    StrBuf pending;   /* the page of the last sentence, which waits to know whether another follows */
    long last;        /* its id; 0: none yet */
} Site;

/* Makes the folder, if need be, and writes what does not depend on sentences. model: name to be shown. ERR_IO,
 * ERR_NOMEM. To be ended by site_fini also after an error. */
Status site_open(Site *s, const char *folder, const char *model, Error *e);
/* The page of a sentence that the worker still holds; threads may make pages side by side. Out of memory sets
 * out->failed. */
void site_sentence(StrBuf *out, const Inspected *x, const ParseWorker *w);
/* Writes the page and remembers what the lists need; in the order of the sentences. */
Status site_add(Site *s, const Inspected *x, const StrBuf *page, Error *e);
/* Writes the lists, the figure and, last, index.html. */
Status site_finish(Site *s, const Inspection *sums, Error *e);
void site_fini(Site *s);

/* ---- heads.html, what attention heads do: begin, for each head that is shown its name and its attention in some
 * sentences, head -1 to end */

/* importance [n_heads] and its name, as of head_report_importance. */
void heads_page_begin(StrBuf *out, const HeadReport *r, const char *model, const double *importance, const char *name);
void heads_page_head(StrBuf *out, const HeadReport *r, int h);
void heads_page_attention(StrBuf *out, const HeadReport *r, int h, const Sentence *s, long number,
                          const HeadWeights *w);
/* Makes the folder and writes the page with its style and script. Errors as of site_open. */
Status site_heads(const char *folder, StrBuf *page, Error *e);

#endif
