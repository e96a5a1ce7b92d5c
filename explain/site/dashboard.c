/* Index.html (sums over the treebank) and the figure of mean contributions */
#include <math.h>

#include "base/locale.h"
#include "explain/site/site_internal.h"

enum { CATEGORIES = 40, LEADERS = 3, FIGURE = 8, CONFUSIONS = 40 };

static void section(StrBuf *out, const char *id, const char *title)
{
    strbuf_printf(out, "<section id=\"%s\"><h2>%s</h2>\n", id, title);
}

static double percent(double part, double whole) { return 100 * head_summary_ratio(part, whole); }

static bool judged(const HeadSummary *s)
{
    for (int k = 0; k < s->names.n; k++)
        if (s->c[k].by[SUM_RIGHT].n + s->c[k].by[SUM_WRONG].n) return true;
    return false;
}

static void put_counts(StrBuf *out, const Site *site, const Inspection *x)
{
    strbuf_puts(out, "<dl class=\"counts\"><div><dt>model</dt><dd>");
    strbuf_xml(out, site->model);
    strbuf_printf(
        out, "</dd></div><div><dt>sentences</dt><dd>%ld</dd></div><div><dt>decisions explained</dt><dd>%ld</dd></div>",
        x->sentences, x->sum.explained);
    long right = 0, gold = 0;
    for (int k = 0; k < x->sum.names.n; k++) {
        right += x->sum.c[k].by[SUM_RIGHT].n;
        gold += x->sum.c[k].by[SUM_RIGHT].n + x->sum.c[k].by[SUM_WRONG].n;
    }
    if (gold) strbuf_printf(out, "<div><dt>right</dt><dd>%.1f %%</dd></div>", percent((double)right, (double)gold));
    strbuf_printf(
        out, "<div><dt><a href=\"glossary.html#completeness\">completeness error</a></dt><dd>%.1e</dd></div></dl>\n",
        x->sum.worst);
    strbuf_puts(out, "<p>The score of a decision is the sum of the contributions of the <a href=\"heads.html\">label "
                     "heads</a>, which are signed, and of biases. All <a href=\"glossary.html\">terms and "
                     "measures</a> are explained on a page of their own.</p>\n");
    page_names(out, "");
    if (x->in_pieces)
        strbuf_printf(out, "<p>%ld sentence%s parsed in pieces and not explained (--max-words).</p>\n", x->in_pieces,
                      x->in_pieces == 1 ? " was" : "s were");
}

/* The rows of a category: its LEADERS heads with the largest shares. */
static void put_category(StrBuf *out, const HeadSummary *s, const Category *c, bool gold)
{
    const HeadSums *all = &c->by[SUM_ALL], *right = &c->by[SUM_RIGHT], *wrong = &c->by[SUM_WRONG];
    int left = head_summary_left(s), rows = left < LEADERS ? left : LEADERS;
    for (int i = 0, h = -1; i < rows && (h = head_summary_next_largest(all->share, s->heads, h)) >= 0;) {
        if (!head_summary_has(s, h)) continue;
        long led = right->top[h] + wrong->top[h], with_gold = right->n + wrong->n;
        strbuf_puts(out, i ? "<tr class=\"more\">" : "<tr>");
        if (i == 0) {
            strbuf_printf(out, "<th scope=\"rowgroup\" rowspan=\"%d\">", rows);
            strbuf_xml(out, c->name);
            strbuf_printf(out, "</th><td rowspan=\"%d\">%ld</td>", rows, all->n);
            if (gold) {
                strbuf_printf(out, "<td rowspan=\"%d\">", rows);
                if (with_gold) strbuf_printf(out, "%.1f %%", percent((double)right->n, (double)with_gold));
                strbuf_puts(out, "</td>");
            }
        }
        strbuf_puts(out, "<td><b>");
        page_head(out, h);
        strbuf_printf(out, "</b></td><td>%.1f %%</td><td>%.2f %%</td><td>%+.3f</td>",
                      percent((double)all->top[h], (double)all->n), percent(all->share[h], (double)all->n),
                      all->part[h] / (double)all->n);
        if (gold) {
            page_cell(out, right->n > 0, "%+.3f", right->part[h] / (double)right->n);
            page_cell(out, wrong->n > 0, "%+.3f", wrong->part[h] / (double)wrong->n);
            page_cell(out, led > 0, "%.1f %%", percent((double)right->top[h], (double)led));
        }
        strbuf_puts(out, "</tr>\n");
        i++;
    }
}

static void put_categories(StrBuf *out, const char *id, const char *title, const char *about, const HeadSummary *s,
                           int most, bool gold)
{
    if (!s->names.n) return;
    section(out, id, title);
    strbuf_printf(out, "<p>%s</p>\n", about);
    page_table(
        out, title, "",
        gold ? "category|decisions|right|head|leads|mean share|mean contribution|of right ones|of wrong ones|right "
               "where it leads"
             : "category|decisions|head|leads|mean share|mean contribution");
    strbuf_puts(out, PAGE_ROWS);
    for (int i = 0, k = -1; i < most && (k = head_summary_next(s, k)) >= 0; i++) put_category(out, s, &s->c[k], gold);
    strbuf_puts(out, "</tbody></table></div>\n");
    if (s->names.n > most)
        strbuf_printf(out, "<p>The first %d of %d; <code>lal inspect --format tsv</code> has all.</p>\n", most,
                      s->names.n);
    strbuf_puts(out, "</section>\n");
}

/* Heads x frequent categories: decisions that the head leads, and how many of them are right. */
static void put_precision(StrBuf *out, const HeadSummary *s, bool gold)
{
    enum { COLUMNS = 10 };
    int column[COLUMNS], n = 0;
    for (int k = -1; n < COLUMNS && (k = head_summary_next(s, k)) >= 0;) column[n++] = k;
    if (!n) return;
    section(out, "heads", "Heads by category");
    strbuf_printf(out,
                  "<p>The number of decisions of each category that a head leads%s. Heads that lead none of these "
                  "are left out.</p>\n",
                  gold ? ", and in brackets the percentage of them that is right" : "");
    page_table(out, "Heads by category", "", "head");
    for (int i = 0; i < n; i++) {
        strbuf_xml_in(out, "<th scope=\"col\">", s->c[column[i]].name, "</th>");
    }
    strbuf_puts(out, PAGE_ROWS);
    for (int h = 0; h < s->heads; h++) {
        long any = 0;
        for (int i = 0; i < n; i++) any += s->c[column[i]].by[SUM_ALL].top[h];
        if (!any) continue;
        strbuf_puts(out, "<tr><th scope=\"row\"><span class=\"who\">");
        page_head(out, h);
        strbuf_puts(out, "</span></th>");
        for (int i = 0; i < n; i++) {
            const Category *c = &s->c[column[i]];
            long led = c->by[SUM_ALL].top[h], right = c->by[SUM_RIGHT].top[h], wrong = c->by[SUM_WRONG].top[h];
            if (!led) strbuf_puts(out, "<td></td>");
            else if (right + wrong)
                strbuf_printf(out, "<td>%ld&#160;(%.0f&#160;%%)</td>", led,
                              percent((double)right, (double)(right + wrong)));
            else strbuf_printf(out, "<td>%ld</td>", led);
        }
        strbuf_puts(out, "</tr>\n");
    }
    strbuf_puts(out, "</tbody></table></div>\n</section>\n");
}

static void put_shared(StrBuf *out, const HeadSummary *s)
{
    bool any = false;
    for (int h = 0; h < s->heads; h++) {
        if (head_summary_led(s, h) < 2) continue;
        if (!any) {
            section(out, "shared", "Heads that lead several categories");
            strbuf_printf(out,
                          "<p>Heads that lead more often than any other head in two or more categories of at least %d "
                          "decisions.</p>\n<ul>\n",
                          LEAST_SHARED);
        }
        any = true;
        const char *comma = " ";
        strbuf_puts(out, "<li>head ");
        page_head(out, h);
        strbuf_puts(out, ":");
        for (int k = -1; (k = head_summary_next(s, k)) >= 0;) {
            if (!head_summary_leads(s, k, h)) continue;
            strbuf_puts(out, comma);
            strbuf_xml(out, s->c[k].name);
            comma = ", ";
        }
        strbuf_puts(out, "</li>\n");
    }
    if (any) strbuf_puts(out, "</ul>\n</section>\n");
}

static void put_looks(StrBuf *out, const Inspection *x)
{
    static const char *const kinds[] = { "wrong", "right" };
    if (!x->looks[0].n && !x->looks[1].n) return;
    section(out, "looks", "What the leading heads attend to");
    strbuf_puts(out,
                "<p>The word with the largest attention weight of a phrase's leading head: how often it is a word of "
                "the phrase, and how often the word that heads the phrase.</p>\n");
    page_table(out, "What the leading heads attend to", "",
               "phrases|number|most to a word inside|most to the head word");
    strbuf_puts(out, PAGE_ROWS);
    for (int k = 1; k >= 0; k--) {
        const Looks *l = &x->looks[k];
        strbuf_printf(out, "<tr><th scope=\"row\">%s</th><td>%ld</td><td>%.1f %%</td><td>%.1f %%</td></tr>\n", kinds[k],
                      l->n, percent((double)l->inside, (double)l->n), percent((double)l->at_head, (double)l->n));
    }
    strbuf_puts(out, "</tbody></table></div>\n</section>\n");
}

static void put_confidence(StrBuf *out, const Inspection *x)
{
    double *mean = mem_calloc((size_t)x->sum.heads, sizeof *mean);
    if (!mean) {
        out->failed = true;
        return;
    }
    section(out, "confidence", "Confidence of the heads");
    strbuf_puts(out, "<p>The largest attention weight of a head on a word, averaged over sentences.</p>\n<div "
                     "class=\"scroll\" role=\"region\" aria-label=\"Confidence of the heads\" tabindex=\"0\">");
    for (int h = 0; h < x->sum.heads; h++) mean[h] = head_summary_ratio(x->confidence[h], (double)x->explained);
    page_bars(out, mean, NULL, x->sum.heads, "Confidence of the heads; the list below has the numbers");
    strbuf_puts(out, "</div>\n<details><summary>As a list</summary><p>");
    const char *comma = "";
    for (int h = 0; h < x->sum.heads; h++) {
        if (!head_summary_has(&x->sum, h)) continue;
        strbuf_puts(out, comma);
        page_head(out, h);
        strbuf_printf(out, ":&#160;%.3f", mean[h]);
        comma = "; ";
    }
    strbuf_puts(out, "</p></details>\n</section>\n");
    mem_free(mean);
}

/* Mean contributions of the heads in a category: of right decisions (or of all) as bars, of wrong ones as marks. */
static bool category_bars(StrBuf *out, const HeadSummary *s, const Category *c)
{
    size_t heads = (size_t)s->heads;
    double *mean = mem_calloc(2 * heads, sizeof *mean);
    const HeadSums *right = &c->by[SUM_RIGHT], *wrong = &c->by[SUM_WRONG], *bar = right->n ? right : &c->by[SUM_ALL];
    char label[160];
    if (!mean) return false;
    for (size_t h = 0; h < heads; h++) {
        mean[h] = bar->part[h] / (double)bar->n;
        if (wrong->n) mean[heads + h] = wrong->part[h] / (double)wrong->n;
    }
    int top = 0;
    for (int h = 1; h < s->heads; h++)
        if (fabs(mean[h]) > fabs(mean[top])) top = h;
    locale_snprintf(label, sizeof label, "%.*s: %ld decisions, largest mean contribution %+.3f of head %d",
                    utf8_first(c->name, 60), c->name, c->by[SUM_ALL].n, mean[top], top + 1);
    page_bars(out, mean, wrong->n && right->n ? mean + heads : NULL, s->heads, label);
    mem_free(mean);
    return true;
}

void dashboard_parts(StrBuf *out, const HeadSummary *s)
{
    enum { ROW = 150, LEFT = 10 };
    int rows = s->names.n < FIGURE ? s->names.n : FIGURE, width = s->heads * 9 + 28, height = rows * ROW + 40;
    strbuf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                  "role=\"img\"><title>Mean contributions of the heads by category</title>\n<style>text{font:12px "
                  "sans-serif;fill:#111}.bars "
                  "text{font-size:10px;text-anchor:middle;fill:#444}.up{fill:#1d4e79}.down{fill:#fff;stroke:#1d4e79}."
                  "mark{stroke:#111;stroke-width:2;fill:none}.axis{stroke:#777}.page{fill:#fff}@media "
                  "(prefers-color-scheme:dark){text{fill:#e8eaed}.bars "
                  "text{fill:#b3bac3}.up{fill:#9ccbff}.down{fill:#15181c;stroke:#9ccbff}.mark{stroke:#e8eaed}.page{"
                  "fill:#15181c}}</style>\n<rect "
                  "class=\"page\" width=\"100%%\" height=\"100%%\"/>\n",
                  width, height, width, height);
    for (int i = 0, k = -1; i < rows && (k = head_summary_next(s, k)) >= 0; i++) {
        const Category *c = &s->c[k];
        double most = 0;
        const HeadSums *bar = c->by[SUM_RIGHT].n ? &c->by[SUM_RIGHT] : &c->by[SUM_ALL];
        for (int h = 0; h < s->heads; h++) most = fmax(most, fabs(bar->part[h] / (double)bar->n));
        strbuf_printf(out, "<text x=\"%d\" y=\"%d\"><tspan font-weight=\"bold\">", LEFT, i * ROW + 26);
        strbuf_xml(out, c->name);
        strbuf_printf(
            out, "</tspan> %ld decisions, largest mean contribution %.3f</text>\n<g transform=\"translate(%d %d)\">",
            c->by[SUM_ALL].n, most, LEFT, i * ROW + 36);
        if (!category_bars(out, s, c)) out->failed = true;
        strbuf_puts(out, "</g>\n");
    }
    strbuf_printf(
        out, "<text x=\"%d\" y=\"%d\">heads 1 to %d; filled: positive, outlined: negative; %s</text>\n</svg>\n", LEFT,
        height - 12, s->heads, judged(s) ? "bars: right decisions, lines: wrong ones" : "bars: all decisions");
}

void dashboard_page(StrBuf *out, const Site *site, const Inspection *x)
{
    bool gold = judged(&x->sum);
    page_begin(out, "Why the parser decided so", "", "");
    put_counts(out, site, x);
    if (site->example.ptr) strbuf_puts(out, site->example.ptr);
    put_categories(out, "categories", "Leading heads by category",
                   "The <a href=\"glossary.html#leads\">leading head</a> of a decision is the one with the largest "
                   "absolute contribution. The <a href=\"glossary.html#share\">share</a> of a head is its absolute "
                   "contribution divided by the sum of those of all heads.",
                   &x->sum, CATEGORIES, gold);
    if (x->sum.names.n) {
        section(out, "parts", "Mean contributions of the heads");
        strbuf_printf(
            out,
            "<p>A bar for each of the %d heads, for the most frequent categories: filled for a positive mean, "
            "outlined for a negative one. %s</p>\n",
            head_summary_left(&x->sum),
            gold ? "Bars are means over right decisions, short lines over wrong ones." : "");
        strbuf_puts(
            out,
            "<div class=\"scroll\" role=\"region\" aria-label=\"Mean contributions of the heads\" tabindex=\"0\"><img "
            "src=\"parts.svg\" alt=\"Bars of the mean contribution of each head in the most frequent categories; the "
            "table above and lal inspect --format tsv have the numbers\"/></div>\n</section>\n");
    }
    put_categories(out, "confused", "Confused labels",
                   "The parse has the first label where gold has the second over the same words. Heads and "
                   "contributions are those of the score of the first label minus the score of the second.",
                   &x->confused, CONFUSIONS, false);
    put_looks(out, x);
    put_precision(out, &x->sum, gold);
    put_shared(out, &x->sum);
    put_confidence(out, x);
    page_end(out);
}
