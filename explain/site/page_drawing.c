/* Drawings that fit the width of the page */
#include <string.h>

#include "explain/site/page.h"

/* The number of hundreds of px from which a drawing is shown without shrinking much; the style has 4 .. 12. */
static int hundreds(int width)
{
    int n = (int)(width * DRAW_LEAST_SCALE / 100) + 1;
    return n < 4 ? 4 : n;
}

void page_drawing(StrBuf *out, const char *label, const Sentence *sent, DrawOptions o)
{
    enum { PHONE = 350, COLUMN = 600 };
    StrBuf wide = { 0 };
    DrawSize row, column;
    DrawOptions of_row = o, of_column = o;
    of_row.layout = DRAW_ACROSS;
    of_row.class_name = "across";
    draw_sentence(&wide, sent, &of_row, &row);
    of_column.layout = DRAW_DOWN;
    of_column.class_name = "down";
    of_column.width = COLUMN;
    of_column.unscaled = true;
    draw_sentence(&wide, sent, &of_column, &column);
    strbuf_puts(out, "<div class=\"fit\" role=\"group\" aria-label=\"");
    strbuf_xml(out, label);
    strbuf_printf(out, "\"><div class=\"w%d d%d\">\n", hundreds(row.width), hundreds(column.width));
    if (wide.ptr) strbuf_puts(out, wide.ptr);
    out->failed = out->failed || wide.failed;
    strbuf_fini(&wide);
    of_column.class_name = "slim";
    of_column.width = PHONE;
    bool tree = o.tree && sent->has_tree, arcs = o.arcs && sent->heads;
    of_column.arcs = false;
    if (tree || !arcs) draw_sentence(out, sent, &of_column, NULL);
    of_column.tree = false;
    of_column.arcs = true;
    if (arcs) draw_sentence(out, sent, &of_column, NULL);
    strbuf_puts(out, "</div></div>\n");
}

bool page_has_phrase(const Sentence *sent, const Phrase *p)
{
    for (int k = 0; k < sent->n_phrases; k++) {
        const Phrase *q = &sent->phrases[k];
        if (q->begin == p->begin && q->end == p->end && strcmp(q->label, p->label) == 0) return true;
    }
    return false;
}
