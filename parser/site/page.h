/* parser/site/page.h: what the pages of a site share; only for files of this folder */
#ifndef LAL_PARSER_SITE_PAGE_H
#define LAL_PARSER_SITE_PAGE_H

#include "parser/site/site.h"

/* Made of style.css and script.js at build time (assets.sh); bytes, without NUL at the end. */
extern const char SITE_STYLE[], SITE_SCRIPT[];
extern const size_t SITE_STYLE_SIZE, SITE_SCRIPT_SIZE;

/* Opens a page down to <main>; root: the way to the site's folder, "" or "../". more: links behind the site's own, or
 * ""; NULL: a page by itself. */
void page_begin(StrBuf *out, const char *title, const char *root, const char *more);
void page_end(StrBuf *out);

/* Opens a <div> that scrolls sideways, reached with keys and named; the caller closes it. */
void scroll_begin(StrBuf *out, const char *label);
/* <td> with the value in a format of one double, or empty. */
void put_cell(StrBuf *out, bool known, const char *format, double value);

/* Stands where a page of a sentence has the link to the next one, if there is one. */
#define NEXT_LINK "<!--next-->"

extern const char *const DECISION_KINDS[]; /* "phrase", "arc", "type", by ExplainKind */
/* "NP", "arc" or a type, and the words it is about, escaped: phrases cut in the middle to `most` words. */
void decision_name(StrBuf *out, const Decision *d);
void decision_words(StrBuf *out, const Decision *d, const Sentence *s, int most);
/* "gold has VP", what a wrong decision is in gold. */
void decision_gold(StrBuf *out, const Explained *x, const Sentence *gold);

/* Signed bars of n values in a picture of its own, filled above the line and outlined below; mark [n]: a second value
 * as a line across the bar, or NULL. */
void bars_svg(StrBuf *out, const double *value, const double *mark, int n, const char *label);

/* The steps of colour, classes l1 .. l5 of the style; for attention, the least share of each. */
enum { LEVELS = 5 };
extern const double ATTENTION_STEPS[LEVELS];
/* Where the cells of a map begin, and from one to the next, in px. */
typedef struct CellPlaces {
    int left, top, width, height;
} CellPlaces;
/* Cells in a frame, for an <svg> that the caller opened: value [rows][cols], darker in the steps [LEVELS] it reaches.
 */
void cells_svg(StrBuf *out, const double *value, int rows, int cols, const double *steps, CellPlaces at);

/* index.html and parts.svg. */
void dashboard_page(StrBuf *out, const Site *site, const Inspection *sums);
void parts_figure(StrBuf *out, const HeadSummary *s);

#endif
