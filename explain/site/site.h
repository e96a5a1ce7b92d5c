/* The explanations of a treebank as a folder of pages for a browser: index.html (summaries), decisions.html (wrong
 * decisions, the most confident first; without gold all decisions, the least confident first), sentences.html,
 * s/ID.html (a sentence: tree, arcs, attention, every decision with its heads), heads.html (label heads, unless
 * site_heads wrote it), glossary.html, parts.svg (mean contributions), style.css and script.js. Pages load nothing
 * from outside the folder, are complete without scripts, and are well-formed XML. */
#pragma once

#include "base/lock.h"
#include "explain/head_names.h"
#include "explain/inspection.h"

enum { SITE_HEADS = 6 }; /* heads shown of a decision; InspectOptions.words must not be less */

/* A row of decisions.html. */
typedef struct SiteRow {
    double confidence; /* p of the decision, or 1 - p for a missing phrase */
    size_t at, len;    /* in Site.rows */
} SiteRow;

typedef struct Site {
    const char *folder, *model; /* borrowed */
    Lock lock;                  /* a lock on the folder, until site_fini */
    bool gold;                  /* gold judges at least one decision */
    StrBuf rows;                /* rows of decisions.html */
    SiteRow *row;               /* [n] */
    int n, cap;
    StrBuf sentences; /* rows of sentences.html */
    StrBuf pending;   /* the page of the last sentence, kept until it is known whether another one follows */
    long last;        /* its id; 0: none yet */
    long *id;         /* [n_ids] of the sentences */
    int n_ids, id_cap;
    StrBuf example;  /* a section of index.html */
    double rank;     /* rank of the example */
    HeadNames names; /* names of the label heads; known at the end, and then filled in on all pages */
    bool compare;    /* pages link to compare.html; set by compare_open */
} Site;

/* Makes the folder if it does not exist and writes the files that do not depend on sentences. model: the name to show.
 * ERR_IO, also where another process writes into the folder (base/lock.h), ERR_NOMEM. Call site_fini also after an
 * error. */
Status site_open(Site *s, const char *folder, const char *model, Error *e);
/* The page of the sentence that the worker has just parsed; may be called by several threads at once. Sets out->failed
 * when out of memory. */
void site_sentence(StrBuf *out, const Inspected *x, const Worker *w);
/* Writes the page and adds the sentence to the lists. Called in the order of the sentences. */
Status site_add(Site *s, const Inspected *x, const StrBuf *page, Error *e);
/* Fills in the names of heads, and writes the lists, the figure and finally index.html. */
Status site_finish(Site *s, const Inspection *sums, Error *e);
void site_fini(Site *s);

/* ---- heads.html, the measures of attention heads: heads_page_begin; for each shown head heads_page_head, then
 * heads_page_attention for each sentence; heads_page_head with -1 at the end */

/* importance [n_heads] is what head_report_importance gave, `name` its name. index: site_has_index of the folder. */
void heads_page_begin(StrBuf *out, const HeadReport *r, const HeadNames *names, const char *model,
                      const double *importance, const char *name, bool index);
void heads_page_head(StrBuf *out, const HeadReport *r, const HeadNames *names, int h);
PutAttention heads_page_attention;
/* Whether the folder has the index.html of a site, to which pages can link. */
bool site_has_index(const char *folder);
/* Makes the folder and writes the page, glossary.html, style.css and script.js. Errors as site_open. */
Status site_heads(const char *folder, StrBuf *page, Error *e);
