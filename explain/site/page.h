/* What the pages of a site share; only for files of this folder. */
#pragma once

#include "explain/head_names.h"
#include "explain/inspection.h"
#include "treebank/draw/draw.h"

/* style.css and script.js */
extern const char SITE_STYLE[], SITE_SCRIPT[];

/* Opens a page up to <main>. root: relative path of the site's folder, "" or "../". more: links after the site's own,
 * or ""; NULL: there is no index, only heads and glossary. */
void page_begin(StrBuf *out, const char *title, const char *root, const char *more);
void page_end(StrBuf *out);

/* Opens a <div> that scrolls sideways, with a name and reachable by keyboard; the caller closes it. */
void page_scroll_begin(StrBuf *out, const char *label);
/* A table with this name that scrolls; its class, or "". The row of its columns (page_columns) is open. */
void page_table(StrBuf *out, const char *label, const char *class, const char *columns);
/* Heads of columns: HTML, separated by '|'. */
void page_columns(StrBuf *out, const char *names);
/* Ends the row of columns. */
#define PAGE_ROWS "</tr></thead><tbody>\n"
/* <td> with the value in a format of one double, or empty. */
void page_cell(StrBuf *out, bool known, const char *format, double value);

/* Replaced by the link to the next sentence when its page is written. */
#define NEXT_LINK "<!--next-->"

/* The number of label head h (from 0), and a comment in whose place the site writes its name once that is known. */
void page_head(StrBuf *out, int h);
/* A comment in whose place the site writes a paragraph about the names of heads: what they mean, or why there are none.
 * root: as in page_begin. */
void page_names(StrBuf *out, const char *root);
/* The paragraph. */
void page_names_known(StrBuf *out, const HeadNames *names, const char *root);
/* Appends a page to `out` with what is known at the end filled in: the names of heads, and, if the site compares two
 * models, links to compare.html. */
void page_fill(StrBuf *out, const char *page, size_t len, const HeadNames *names, bool compare);

extern const char *const PAGE_DECISION_KINDS[]; /* "phrase", "arc", "type", by ExplainKind */
/* "NP", "arc" or a type; and the words of the decision, a phrase being cut in the middle to `most` words. Escaped. */
void page_decision_name(StrBuf *out, const Model *m, const Decision *d);
void page_decision_words(StrBuf *out, const Decision *d, const Sentence *sent, int most);
/* "gold has VP": the gold counterpart of a wrong decision. */
void page_decision_gold(StrBuf *out, const Explained *x, const Sentence *gold);

/* A drawing for each width of the page, of which the style shows one: words in a row; in a column; and, for phones, in
 * a column for the tree and one for the arcs. Of o, what does not concern layout and size. */
void page_drawing(StrBuf *out, const char *label, const Sentence *sent, DrawOptions o);
/* Whether the sentence has a phrase with this label over these words. */
bool page_has_phrase(const Sentence *sent, const Phrase *p);

/* An <svg> with a bar for each of n values, filled above the axis (positive) or outlined below it. mark [n]: second
 * values, drawn as lines across the bars, or NULL. */
void page_bars(StrBuf *out, const double *value, const double *mark, int n, const char *label);

/* The steps of colour, classes l1 .. l5 of the style; for attention, the smallest weight of each. */
enum { LEVELS = 5 };
extern const double PAGE_ATTENTION_STEPS[LEVELS];
/* Top left corner of the first cell of a map and the size of a cell, in px. */
typedef struct CellPlaces {
    int left, top, width, height;
} CellPlaces;
/* Cells in a frame, inside an <svg> that the caller opened: value [rows][cols], darker by the steps [LEVELS]. */
void page_cells(StrBuf *out, const double *value, int rows, int cols, const double *steps, CellPlaces at);

/* How well a decision serves as the example of index.html, EXAMPLE_NONE or more: the wrong ones with the largest
 * probability, first those with a gold label to compare with. gold: gold judges decisions; else the least certain
 * phrase. */
#define EXAMPLE_NONE (-2.0)
double example_rank(const Explained *x, bool gold);
/* Its explanation, a <section>; `number` is the number of the decision on its page. */
void example_put(StrBuf *out, const Inspected *i, const Explained *x, int number);
/* Its step about the difference of the scores of the wrong label and the gold one, an <li>. */
void example_difference(StrBuf *out, const HeadAttribution *lead, const char *label, const char *gold);

/* glossary.html; index: the folder has an index. */
void glossary_page(StrBuf *out, bool index);
/* heads.html after the sums of a run; the mark distinguishes it from the page of `lal inspect heads`. */
#define LABEL_HEADS_MARK "<!-- label heads only -->\n"
void label_heads_page(StrBuf *out, const Inspection *x);

/* parts.svg */
void dashboard_parts(StrBuf *out, const HeadSummary *s);
