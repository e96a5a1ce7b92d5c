/* The sums of a comparison, and its sentences */
#include <stdio.h>
#include <stdlib.h>

#include "explain/site/compare_internal.h"
#include "explain/site/site_internal.h"

enum { ROWS_MOST = 5000 }; /* in compare.html */

Status compare_open(Compare *c, Site *site, const char *first, const char *second, Error *e)
{
    *c = (Compare){ .site = site, .name = { first, second } };
    for (int k = 0; k < 2; k++) report_init(&c->report[k]);
    site->compare = true;
    return site_make_folder(site, "c", e);
}

void compare_fini(Compare *c)
{
    for (int k = 0; k < 2; k++) report_fini(&c->report[k]);
    strbuf_fini(&c->rows);
    mem_free(c->row);
}

static void add_scores(Scores *to, const Scores *x)
{
    to->trees += x->trees;
    to->gold_brackets += x->gold_brackets;
    to->pred_brackets += x->pred_brackets;
    to->matched_brackets += x->matched_brackets;
    to->dep.nopunct.words += x->dep.nopunct.words;
    to->dep.nopunct.heads += x->dep.nopunct.heads;
    to->dep.nopunct.both += x->dep.nopunct.both;
}

static Status add_row(Compare *c, const Difference *d, Error *e)
{
    StrBuf *out = &c->rows;
    DifferenceRow row = { d->differences, out->len, 0 };
    strbuf_printf(out, "<tr><td>%d</td><td><a href=\"c/%ld.html\">%ld</a></td><td class=\"word\">%s</td>",
                  d->differences, d->id, d->id, d->text.ptr ? d->text.ptr : "");
    for (int k = 0; k < 2; k++) page_cell(out, d->gold, "%.0f", d->right[k]);
    for (int k = 0; k < 2; k++) page_cell(out, d->scores[k].trees > 0, "%.1f", score_f1(&d->scores[k]));
    for (int k = 0; k < 2; k++) {
        const DepCounts *arcs = &d->scores[k].dep.nopunct;
        page_cell(out, arcs->words > 0, "%.1f", score_percent(arcs->both, arcs->words));
    }
    strbuf_puts(out, "</tr>\n");
    row.len = out->len - row.at;
    if (out->failed || !mem_reserve(c->row, &c->cap, c->n + 1))
        return error_set(e, ERR_NOMEM, "out of memory comparing");
    c->row[c->n++] = row;
    return OK;
}

Status compare_add(Compare *c, Difference *d, Error *e)
{
    char name[40];
    c->gold = c->gold || d->gold;
    c->sentences++;
    c->differing += d->differences > 0;
    c->differences += d->differences;
    for (int k = 0; k < 2; k++) {
        add_scores(&c->scores[k], &d->scores[k]);
        c->right[k] += d->right[k];
    }
    Status s = add_row(c, d, e);
    for (int k = 0; k < 2 && s == OK && d->gold_sent; k++) s = report_add(&c->report[k], d->gold_sent, d->sent[k], e);
    snprintf(name, sizeof name, "c/%ld.html", d->id);
    return s == OK ? site_write_filled(c->site, name, &d->page, e) : s;
}

static int most_differences_first(const void *x, const void *y)
{
    const DifferenceRow *a = x, *b = y;
    if (a->differences != b->differences) return a->differences < b->differences ? 1 : -1;
    return (a->at > b->at) - (a->at < b->at);
}

void compare_columns(StrBuf *out, const char *what, const char *const *names)
{
    for (int k = 0; k < 2; k++) {
        strbuf_printf(out, "<th scope=\"col\">%s ", what);
        strbuf_xml(out, names[k]);
        strbuf_puts(out, "</th>");
    }
}

static void put_list(StrBuf *out, const Compare *c, int n)
{
    page_table(out, "Sentences by difference", "list", "differences|sentence|text");
    compare_columns(out, "right only in", c->name);
    compare_columns(out, "F1", c->name);
    compare_columns(out, "LAS", c->name);
    strbuf_puts(out, PAGE_ROWS);
    for (int k = 0; k < n; k++) strbuf_add(out, c->rows.ptr + c->row[k].at, c->row[k].len);
    strbuf_puts(out, "</tbody></table></div>\n");
}

Status compare_finish(Compare *c, Error *e)
{
    StrBuf out = { 0 };
    int n = c->n < ROWS_MOST ? c->n : ROWS_MOST;
    if (c->n) qsort(c->row, (size_t)c->n, sizeof *c->row, most_differences_first);
    page_begin(&out, "Two models on the same sentences", "", "");
    strbuf_printf(&out,
                  "<dl class=\"counts\"><div><dt>sentences</dt><dd>%ld</dd></div><div><dt>that differ</dt><dd>%ld</dd>"
                  "</div><div><dt>differences</dt><dd>%ld</dd></div></dl>\n",
                  c->sentences, c->differing, c->differences);
    strbuf_puts(&out,
                "<p>A <a href=\"glossary.html#agreement\">difference</a> is a phrase that one of the parses lacks, "
                "or a word whose arcs differ in head or type.</p>\n");
    if (c->gold)
        strbuf_puts(&out, "<p>Below: scores of both, <a href=\"#labels\">by label</a>, <a href=\"#types\">by type</a>; "
                          "<a href=\"#sentences\">sentences</a>.</p>\n");
    if (c->gold) compare_table(&out, c->name, c->scores, c->right, true);
    compare_by_tables(&out, c);
    strbuf_puts(&out, "<section id=\"sentences\"><h2>Sentences, the most differences first</h2>\n");
    if (n < c->n) strbuf_printf(&out, "<p>The first %d of %d.</p>\n", n, c->n);
    put_list(&out, c, n);
    strbuf_puts(&out, "</section>\n");
    page_end(&out);
    return site_write_filled(c->site, "compare.html", &out, e);
}
