#include "explain/site/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MARK "<!--head "
#define ABOUT_MARK "<!--names "
#define COMPARE_MARK "<!--compare "

void page_begin(StrBuf *out, const char *title, const char *root, const char *more)
{
    strbuf_puts(
        out, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
             "charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>");
    strbuf_xml(out, title);
    strbuf_printf(out,
                  " - lal</title>\n<link rel=\"icon\" href=\"data:,\"/>\n<link rel=\"stylesheet\" "
                  "href=\"%sstyle.css\"/>\n<script src=\"%sscript.js\" defer=\"defer\"></script>\n</head>\n<body>\n<a "
                  "class=\"skip\" href=\"#main\">Skip to the content</a>\n",
                  root, root);
    strbuf_puts(out, "<header><nav aria-label=\"Site\">");
    if (more)
        strbuf_printf(out,
                      "<a href=\"%sindex.html\">Overview</a> <a href=\"%sdecisions.html\">Decisions</a> <a "
                      "href=\"%ssentences.html\">Sentences</a> " COMPARE_MARK "%s-->",
                      root, root, root, root);
    strbuf_printf(out, "<a href=\"%sheads.html\">Heads</a> <a href=\"%sglossary.html\">Terms</a>%s</nav></header>\n",
                  root, root, more ? more : "");
    strbuf_xml_in(out, "<main id=\"main\">\n<h1>", title, "</h1>\n");
}

void page_end(StrBuf *out) { strbuf_puts(out, "</main>\n</body>\n</html>\n"); }

void page_scroll_begin(StrBuf *out, const char *label)
{
    strbuf_printf(out, "<div class=\"scroll\" role=\"region\" aria-label=\"%s\" tabindex=\"0\">", label);
}

void page_table(StrBuf *out, const char *label, const char *class, const char *columns)
{
    page_scroll_begin(out, label);
    if (*class) strbuf_printf(out, "<table class=\"%s\"><thead><tr>", class);
    else strbuf_puts(out, "<table><thead><tr>");
    page_columns(out, columns);
}

void page_columns(StrBuf *out, const char *names)
{
    for (size_t n; *names; names += n + (names[n] == '|')) {
        n = strcspn(names, "|");
        strbuf_printf(out, "<th scope=\"col\">%.*s</th>", (int)n, names);
    }
}

void page_cell(StrBuf *out, bool known, const char *format, double value)
{
    strbuf_puts(out, "<td>");
    if (known) strbuf_printf(out, format, value);
    strbuf_puts(out, "</td>");
}

void page_head(StrBuf *out, int h) { strbuf_printf(out, "%d" NAME_MARK "%d-->", h + 1, h); }

void page_names(StrBuf *out, const char *root) { strbuf_printf(out, ABOUT_MARK "%s-->\n", root); }

void page_names_known(StrBuf *out, const HeadNames *names, const char *root)
{
    strbuf_puts(out, "<p>");
    head_names_note(out, names);
    strbuf_printf(out,
                  head_names_given(names)
                      ? names->kept
                            ? " <a href=\"%sglossary.html#name\">What they say</a></p>"
                            : "The words after the number of a head are its <a href=\"%sglossary.html#name\">name</a>: "
                              "what it does most in these sentences.</p>"
                      : " <a href=\"%sglossary.html#name\">Names of heads</a></p>",
                  root);
}

static void put_name(StrBuf *out, const HeadNames *names, int h)
{
    StrBuf name = { 0 };
    head_names_put(&name, names, h, "");
    if (name.ptr) strbuf_xml(out, name.ptr);
    out->failed = out->failed || name.failed;
    strbuf_fini(&name);
}

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

void page_fill(StrBuf *out, const char *page, size_t len, const HeadNames *names, bool compare)
{
    const char *end = page + len, *at;
    while ((at = strstr(page, "<!--")) != NULL) {
        const char *after = strstr(at, "-->") + 3, *root = at + strlen(COMPARE_MARK);
        bool head = begins(at, NAME_MARK), about = begins(at, ABOUT_MARK), link = begins(at, COMPARE_MARK);
        strbuf_add(out, page, (size_t)((head || about || link ? at : after) - page));
        if (head) put_name(out, names, atoi(at + strlen(NAME_MARK)));
        if (about && names) page_names_known(out, names, begins(at, ABOUT_MARK "..") ? "../" : "");
        if (link && compare)
            strbuf_printf(out, "<a href=\"%.*scompare.html\">Two models</a> ", (int)(after - 3 - root), root);
        page = after;
    }
    strbuf_add(out, page, (size_t)(end - page));
}

const char *const PAGE_DECISION_KINDS[] = { "phrase", "arc", "type" };

void page_decision_name(StrBuf *out, const Model *m, const Decision *d)
{
    const char *label = decision_label(m, d->kind, d->at.label), *against = decision_label(m, d->kind, d->against);
    if (label) strbuf_xml(out, label);
    else strbuf_puts(out, "arc");
    if (against) {
        strbuf_puts(out, " over ");
        strbuf_xml(out, against);
    }
}

static void put_word(StrBuf *out, const Sentence *sent, int number)
{
    if (number) strbuf_xml(out, sent->words[number - 1]);
    else strbuf_puts(out, "root");
}

void page_decision_words(StrBuf *out, const Decision *d, const Sentence *sent, int most)
{
    if (d->kind != EXPLAIN_SPAN) {
        put_word(out, sent, d->at.begin);
        strbuf_puts(out, " &#8592; "); /* an arrow from the head */
        put_word(out, sent, d->at.end);
        return;
    }
    int n = d->at.end - d->at.begin, cut = n > most ? most / 2 : n;
    for (int w = d->at.begin; w < d->at.end; w++) {
        if (w > d->at.begin) strbuf_putc(out, ' ');
        if (n > most && w == d->at.begin + cut) {
            strbuf_puts(out, "...");
            w = d->at.end - cut - 1;
        } else strbuf_xml(out, sent->words[w]);
    }
}

void page_decision_gold(StrBuf *out, const Explained *x, const Sentence *gold)
{
    const Decision *d = &x->d;
    if (d->kind == EXPLAIN_SPAN) {
        if (!x->gold) {
            strbuf_puts(out, "gold has no such phrase");
            return;
        }
        strbuf_puts(out, "gold has ");
        strbuf_xml(out, x->gold);
        return;
    }
    strbuf_puts(out, "gold has ");
    if (d->kind == EXPLAIN_TYPE) strbuf_xml(out, gold->types[d->at.begin - 1]);
    else put_word(out, gold, gold->heads[d->at.begin - 1]);
}

void page_bars(StrBuf *out, const double *value, const double *mark, int n, const char *label)
{
    enum { STEP = 9, BAR = 7, HALF = 44, LEFT = 4 };
    double most = 1e-9;
    for (int h = 0; h < n; h++) most = fmax(most, fmax(fabs(value[h]), mark ? fabs(mark[h]) : 0));
    strbuf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bars\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                  "height=\"%d\" role=\"img\"><title>",
                  n * STEP + 2 * LEFT, 2 * HALF + 16, n * STEP + 2 * LEFT, 2 * HALF + 16);
    strbuf_xml(out, label);
    strbuf_puts(out, "</title>");
    for (int sign = 1; sign >= -1; sign -= 2) {
        strbuf_printf(out, "<path class=\"%s\" d=\"", sign > 0 ? "up" : "down");
        for (int h = 0; h < n; h++) {
            double length = value[h] * sign / most * (HALF - 2);
            if (length >= 0.5)
                strbuf_printf(out, "M%d %dv%.0fh%dv%.0fz", LEFT + h * STEP, HALF, -sign * length, BAR, sign * length);
        }
        strbuf_puts(out, "\"/>");
    }
    if (mark) {
        strbuf_puts(out, "<path class=\"mark\" d=\"");
        for (int h = 0; h < n; h++)
            strbuf_printf(out, "M%d %.0fh%d", LEFT + h * STEP - 1, HALF - mark[h] / most * (HALF - 2), BAR + 2);
        strbuf_puts(out, "\"/>");
    }
    strbuf_printf(out, "<path class=\"axis\" d=\"M0 %dH%d\"/>", HALF, n * STEP + 2 * LEFT);
    for (int h = 7; h < n; h += 8)
        strbuf_printf(out, "<text x=\"%d\" y=\"%d\">%d</text>", LEFT + h * STEP + BAR / 2, 2 * HALF + 13, h + 1);
    strbuf_puts(out, "</svg>\n");
}

const double PAGE_ATTENTION_STEPS[LEVELS] = { 0.02, 0.05, 0.1, 0.2, 0.4 };

void page_cells(StrBuf *out, const double *value, int rows, int cols, const double *steps, CellPlaces at)
{
    for (int l = 0; l < LEVELS; l++) {
        strbuf_printf(out, "<path class=\"l%d\" d=\"", l + 1);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols; c++) {
                double v = value[r * cols + c];
                if (v >= steps[l] && (l + 1 == LEVELS || v < steps[l + 1]))
                    strbuf_printf(out, "M%d %dh%dv%dh-%dz", at.left + c * at.width, at.top + r * at.height,
                                  at.width - 1, at.height - 1, at.width - 1);
            }
        strbuf_puts(out, "\"/>");
    }
    strbuf_printf(out, "<path class=\"frame\" d=\"M%d %dh%dv%dh-%dz\"/>\n", at.left, at.top, cols * at.width,
                  rows * at.height, cols * at.width);
}
