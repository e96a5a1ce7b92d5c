/* The folder of a site, for the files of this folder */
#pragma once

#include "explain/site/page.h"
#include "explain/site/site.h"

/* Writes a file of the site's folder, with the names of heads once they are known, and clears the buffer. ERR_NOMEM if
 * page->failed, ERR_IO. */
Status site_write(const Site *s, const char *name, StrBuf *page, Error *e);

/* site_write for a page without heads: links are filled in at once. */
Status site_write_filled(const Site *s, const char *name, StrBuf *page, Error *e);
/* Makes a folder in the site's folder. ERR_IO. */
Status site_make_folder(const Site *s, const char *name, Error *e);

/* index.html */
void dashboard_page(StrBuf *out, const Site *site, const Inspection *sums);
