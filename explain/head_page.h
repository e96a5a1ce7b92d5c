/* The document "heads" of pages for a browser: a report on attention heads (head_report_json), what the page shows
 * beside it, and the attention of some heads. head_page_begin; head_page_attention for each head and sentence;
 * head_page_write. */
#pragma once

#include "explain/head_names.h"

/* importance [n_heads] is what head_report_importance gave, `name` its name; names may be NULL. */
void head_page_begin(StrBuf *out, const HeadReport *report, const HeadNames *names, const char *model,
                     const double *importance, const char *name);
PutAttention head_page_attention;
/* Ends the document with the report, writes it to the pages at `path` and frees it. Errors of pages_open and
 * pages_put. */
Status head_page_write(const char *path, StrBuf *page, const HeadReport *report, Error *error);
