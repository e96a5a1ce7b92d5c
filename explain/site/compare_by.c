/* Which labels and types two models get wrong */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain/site/compare_internal.h"

/* A label or type. `row` of a model that neither gold nor its parses have there: zeros. */
typedef struct Kind {
    const char *name;
    ReportRow row[2];
} Kind;

/* Missing ones and wrong ones. */
static long errors(const ReportRow *r) { return r->gold + r->pred - 2 * r->matched; }

static long more_errors(const Kind *k) { return errors(&k->row[0]) - errors(&k->row[1]); }

/* Those whose numbers of errors differ most, then those with most errors, then by name. */
static int by_errors(const void *x, const void *y)
{
    const Kind *a = x, *b = y;
    long i = labs(more_errors(a)), j = labs(more_errors(b));
    if (i == j) i = errors(&a->row[0]) + errors(&a->row[1]), j = errors(&b->row[0]) + errors(&b->row[1]);
    return i == j ? strcmp(a->name, b->name) : i < j ? 1 : -1;
}

/* Fills kinds with the rows of both sections; returns their number. */
static int collect(Kind *kinds, const ReportSection *const section[2])
{
    int n = 0;
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < section[m]->keys.n; k++) {
            const char *name = section[m]->keys.keys[k];
            int other = map_find(&section[!m]->keys, name, strlen(name));
            if (m && other >= 0) continue;
            kinds[n] = (Kind){ .name = name };
            kinds[n].row[m] = section[m]->rows[k];
            if (other >= 0) kinds[n].row[!m] = section[!m]->rows[other];
            n++;
        }
    return n;
}

static void put_kind(StrBuf *out, const Kind *k)
{
    double f1[2];
    bool known = true;
    strbuf_puts(out, "<tr><th scope=\"row\">");
    strbuf_xml(out, k->name);
    strbuf_printf(out, "</th><td>%ld</td>", k->row[0].gold); /* of both */
    for (int m = 0; m < 2; m++) strbuf_printf(out, "<td>%ld</td>", errors(&k->row[m]));
    for (int m = 0; m < 2; m++) {
        f1[m] = report_f1(&k->row[m]);
        known = known && k->row[m].gold + k->row[m].pred > 0;
        page_cell(out, k->row[m].gold + k->row[m].pred > 0, "%.1f", f1[m]);
    }
    page_cell(out, known, "%+.1f", f1[0] - f1[1]);
    strbuf_puts(out, "</tr>\n");
}

static void put_table(StrBuf *out, const char *id, const char *title, const char *about,
                      const ReportSection *const section[2], const char *const *names)
{
    Kind *kinds = mem_alloc((size_t)(section[0]->keys.n + section[1]->keys.n) + 1, sizeof *kinds);
    int n = kinds ? collect(kinds, section) : 0;
    if (!kinds) out->failed = true;
    if (n) {
        qsort(kinds, (size_t)n, sizeof *kinds, by_errors);
        strbuf_printf(out, "<section id=\"%s\"><h2>%s</h2>\n<p>%s</p>\n", id, title, about);
        page_table(out, title, "list short", strcmp(id, "labels") == 0 ? "label|in gold" : "type|in gold");
        compare_columns(out, "errors", names);
        compare_columns(out, "F1", names);
        page_columns(out, "difference of F1");
        strbuf_puts(out, PAGE_ROWS);
        for (int k = 0; k < n; k++) put_kind(out, &kinds[k]);
        strbuf_puts(out, "</tbody></table></div>\n</section>\n");
    }
    mem_free(kinds);
}

void compare_by_tables(StrBuf *out, const Compare *c)
{
    const ReportSection *const labels[] = { report_labels(&c->report[0]), report_labels(&c->report[1]) },
                               *const types[] = { report_types(&c->report[0]), report_types(&c->report[1]) };
    put_table(
        out, "labels", "By label of the phrase",
        "Labels whose numbers of errors differ most come first. Errors are phrases that the parse lacks and "
        "phrases that gold lacks, counted as by <code>lal eval</code>: without punctuation, PRT as ADVP. The "
        "difference of <a href=\"glossary.html#f1\">F1</a> (percent) is that of the first model minus that of the "
        "second.",
        labels, c->name);
    put_table(out, "types", "By type of the dependency",
              "The same for arcs by type, of all words including punctuation. An arc is right if its head and type "
              "are. A wrong arc counts as an error of the type in the parse and as one of the type in gold.",
              types, c->name);
}
