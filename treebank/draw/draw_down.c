/* Words in a column: the tree to the left as an outline, the arcs to the right, the type of a word's arc in its row. A
 * picture is as wide as its longest word and its depth, so that a sentence of any length fits a narrow page. */
#include "treebank/draw/draw_internal.h"

enum { ROW = 24, INDENT = 15, FOLD = 9, SPINE = 9, GAP = 12, FIRST = 12, STEP = 9, SPREAD = 4 };

static int larger(int a, int b) { return a > b ? a : b; }

static int row_y(int row) { return DRAW_MARGIN + row * ROW + ROW / 2; }

/* The distance from the left edge of a phrase to the left edge of its children. */
static int step_of(const Drawing *d, const DrawDown *x, int k)
{
    return x->folded ? draw_label_width(d->sent->phrases[k].label, FONT_LABEL) + FOLD : INDENT;
}

/* Rows and left edges of phrases and words; the column of words. */
static void place_rows(const Drawing *d, DrawDown *x)
{
    const Sentence *sent = d->sent;
    int row = 0, next = 0, words = DRAW_MARGIN;
    for (int w = 0; w < sent->n_words; w++) {
        for (; d->tree && next < sent->n_phrases && sent->phrases[next].begin == w; next++) {
            int up = d->parent[next];
            x->x[next] = up < 0 ? DRAW_MARGIN : x->x[up] + step_of(d, x, up);
            x->row[next] = row;
            words = larger(words, x->x[next] + draw_label_width(sent->phrases[next].label, FONT_LABEL) + GAP);
            /* a word is in the row of the innermost phrase that begins with it */
            bool innermost = next + 1 == sent->n_phrases || sent->phrases[next + 1].begin != w;
            if (!x->folded && !innermost) row++;
        }
        int up = d->over[w];
        if (up >= 0) words = larger(words, x->x[up] + step_of(d, x, up) + GAP);
        x->word_row[w] = row++;
    }
    x->x_words = words;
    x->total_height = 2 * DRAW_MARGIN + row * ROW;
}

/* The columns right of the words. */
static void place_columns(const Drawing *d, DrawDown *x)
{
    const Sentence *sent = d->sent;
    int words = 0, tags = 0, types = 0;
    for (int w = 0; w < sent->n_words; w++) {
        words = larger(words, draw_text_width(sent->words[w], FONT_WORD));
        if (sent->tags && sent->tags[w]) tags = larger(tags, draw_text_width(sent->tags[w], FONT_TAG) + GAP);
    }
    for (int k = 0; k < d->n_arcs; k++) types = larger(types, draw_label_width(d->arc[k].type, FONT_TYPE));
    x->x_tags = x->x_words + words + GAP;
    x->x_types = x->x_tags + tags;
    x->x_arcs = x->x_types + (types ? types + 4 : 0);
    x->total_width = d->n_arcs ? x->x_arcs + FIRST + d->levels * STEP : x->x_types;
    x->total_width += DRAW_MARGIN - (d->n_arcs ? 0 : GAP);
}

bool draw_down_place(const Drawing *drawing, int width, DrawDown *down)
{
    size_t p = (size_t)drawing->sent->n_phrases, n = (size_t)drawing->sent->n_words;
    *down = (DrawDown){ .x = arena_alloc(drawing->a, p, sizeof *down->x),
                        .row = arena_alloc(drawing->a, p, sizeof *down->row),
                        .word_row = arena_alloc(drawing->a, n, sizeof *down->word_row),
                        .folded = true };
    if (!down->x || !down->row || !down->word_row) return false;
    place_rows(drawing, down);
    place_columns(drawing, down);
    if (width == 0 || down->total_width * DRAW_LEAST_SCALE <= width) return true;
    down->folded = false;
    place_rows(drawing, down);
    place_columns(drawing, down);
    return true;
}

/* ---- writing */

/* From the spine below a phrase around a corner to a child in a later row, or straight to one in the same row. */
static void put_branch(StrBuf *out, const Drawing *d, const DrawDown *x, int up, int row, int to, bool word)
{
    int spine = x->x[up] + SPINE, y = row_y(row), from = row_y(x->row[up]);
    strbuf_puts(out, word ? "<path class=\"lead\" d=\"M" : "<path d=\"M");
    if (row == x->row[up])
        strbuf_printf(out, "%d %dH%d\"/>\n", x->x[up] + draw_label_width(d->sent->phrases[up].label, FONT_LABEL), y,
                      to);
    else if (word)
        strbuf_printf(out, "%d %dH%d\"/><path d=\"M%d %dV%dq0 5 5 5\"/>\n", spine + 5, y, to, spine, from + 10, y - 5);
    else strbuf_printf(out, "%d %dV%dq0 5 5 5H%d\"/>\n", spine, from + 10, y - 5, to);
}

static void put_phrases(StrBuf *out, const Drawing *d, const DrawDown *x)
{
    const Sentence *sent = d->sent;
    for (int k = 0; k < sent->n_phrases; k++)
        if (d->parent[k] >= 0) put_branch(out, d, x, d->parent[k], x->row[k], x->x[k], false);
    for (int w = 0; w < sent->n_words; w++)
        if (d->over[w] >= 0) put_branch(out, d, x, d->over[w], x->word_row[w], x->x_words - 4, true);
    for (int k = 0; k < sent->n_phrases; k++)
        draw_label(out, x->x[k], row_y(x->row[k]), false, FONT_LABEL, sent->phrases[k].label);
}

static void put_arc(StrBuf *out, const Drawing *d, const DrawDown *x, const DrawArc *arc)
{
    int to = row_y(x->word_row[arc->to]), left = x->x_arcs;
    char colour = draw_colour(arc->type, FONT_TYPE);
    strbuf_printf(out, "<path class=\"s%c\"", colour);
    if (arc->from < 0) strbuf_printf(out, " d=\"M%d %dh%d\"/>", left + 8, to, FIRST);
    else {
        int from = row_y(x->word_row[arc->from]) + draw_offset(d, arc, ROW / 2, SPREAD), down = from < to ? 6 : -6;
        strbuf_printf(out, " d=\"M%d %dH%dq6 0 6 %dV%dq0 %d -6 %dH%d\"/>", left + 2, from,
                      left + FIRST + arc->level * STEP - 6, down, to - down, down, down, left + 8);
    }
    strbuf_printf(out, "<path class=\"h%c\" d=\"M%d %dl8 -4v8z\"/>\n", colour, left + 1, to);
}

void draw_down_write(StrBuf *out, const Drawing *drawing, const DrawDown *down)
{
    const Sentence *sent = drawing->sent;
    if (drawing->tree) put_phrases(out, drawing, down);
    for (int k = drawing->n_arcs; k-- > 0;) put_arc(out, drawing, down, &drawing->arc[k]);
    for (int k = 0; k < drawing->n_arcs; k++)
        draw_label(out, down->x_types, row_y(down->word_row[drawing->arc[k].to]), false, FONT_TYPE,
                   drawing->arc[k].type);
    for (int w = 0; w < sent->n_words; w++) {
        draw_word(out, drawing, w, down->x_words, row_y(down->word_row[w]), false);
        if (sent->tags && sent->tags[w])
            draw_text(out, down->x_tags, row_y(down->word_row[w]), false, FONT_TAG, sent->tags[w]);
    }
}
