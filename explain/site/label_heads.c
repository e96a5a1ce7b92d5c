/* Heads.html of `lal inspect`, the label heads and what they do; `lal inspect heads`
 * writes a page with more measures in its place */
#include <math.h>

#include "explain/site/page.h"

/* The categories of which head h has the largest mean shares. */
static void put_categories(StrBuf *out, const HeadSummary *s, int h, double *share)
{
    enum { MOST = 4, LEAST_DECISIONS = 3 };
    for (int k = 0; k < s->names.n; k++) {
        const HeadSums *all = &s->c[k].by[SUM_ALL];
        share[k] = all->n < LEAST_DECISIONS ? 0 : head_summary_ratio(all->share[h], (double)all->n);
    }
    for (int i = 0, k = -1; i < MOST && (k = head_summary_next_largest(share, s->names.n, k)) >= 0; i++) {
        const HeadSums *all = &s->c[k].by[SUM_ALL];
        if (share[k] * head_summary_left(s) < 1) break;
        strbuf_puts(out, i ? "; " : "");
        strbuf_xml(out, s->c[k].name);
        strbuf_printf(out, "&#160;%.1f&#160;%%&#160;(%+.2f)", 100 * share[k], all->part[h] / (double)all->n);
    }
}

static void put_row(StrBuf *out, const Inspection *x, int h, double *share)
{
    const HeadSummary *s = &x->sum;
    long led = 0, right = 0, judged = 0;
    for (int k = 0; k < s->names.n; k++) {
        led += s->c[k].by[SUM_ALL].top[h];
        right += s->c[k].by[SUM_RIGHT].top[h];
        judged += s->c[k].by[SUM_RIGHT].top[h] + s->c[k].by[SUM_WRONG].top[h];
    }
    strbuf_printf(out, "<tr id=\"h%d\"><td class=\"name\"><span class=\"who\">", h + 1);
    page_head(out, h);
    strbuf_printf(out, "</span></td><td>%ld</td>", led);
    page_cell(out, judged > 0, "%.1f %%", 100 * head_summary_ratio((double)right, (double)judged));
    page_cell(out, x->explained > 0, "%.3f", head_summary_ratio(x->confidence[h], (double)x->explained));
    strbuf_puts(out, "<td class=\"word\">");
    put_categories(out, s, h, share);
    strbuf_puts(out, "</td></tr>\n");
}

void label_heads_page(StrBuf *out, const Inspection *x)
{
    double *share = mem_calloc((size_t)x->sum.names.n, sizeof *share);
    if (!share) out->failed = true;
    page_begin(out, "Label heads", "", "");
    strbuf_puts(
        out, LABEL_HEADS_MARK
        "<p>Each <a href=\"glossary.html#label-head\">label head</a>, the decisions that it <a "
        "href=\"glossary.html#leads\">leads</a>, and the categories of which it has the largest mean <a "
        "href=\"glossary.html#share\">shares</a> (mean contributions in brackets).</p>\n<p><code>lal inspect heads "
        "--html</code> with the same folder replaces this page by measures of all heads of the model.</p>\n");
    page_names(out, "");
    page_table(out, "Label heads", "list", "head|leads|right where it leads|confidence|largest mean shares");
    strbuf_puts(out, PAGE_ROWS);
    for (int h = 0; share && h < x->sum.heads; h++)
        if (head_summary_has(&x->sum, h)) put_row(out, x, h, share);
    strbuf_puts(out, "</tbody></table></div>\n");
    page_end(out);
    mem_free(share);
}
