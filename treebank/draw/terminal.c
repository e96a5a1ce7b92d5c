/* Glyphs, the canvas, colours; a sentence to blocks */
#include <string.h>

#include "treebank/draw/terminal_internal.h"

/* ---- characters */

/* A character with the combining ones after it. */
typedef struct Glyph {
    const char *text;
    int len, width;
} Glyph;

/* The next glyph of s at *i. Control characters become U+FFFD. What has no width at the beginning is left out, as are
 * marks of direction, which would turn the lines of the drawing too. */
static bool next_glyph(const char *s, size_t len, size_t *i, Glyph *g)
{
    *g = (Glyph){ NULL, 0, 0 };
    while (*i < len) {
        size_t from = *i;
        int32_t cp = utf8_next(s, len, i);
        bool control = utf8_is_control(cp);
        int width = control ? 1 : utf8_is_direction(cp) ? 0 : utf8_width(cp);
        if (!g->text && width == 0) continue;
        if (g->text && (width > 0 || utf8_is_direction(cp))) {
            *i = from;
            return true;
        }
        if (g->text) g->len = (int)(s + *i - g->text);
        else *g = control ? (Glyph){ "\ufffd", 3, 1 } : (Glyph){ s + from, (int)(*i - from), width };
        if (control) return true;
    }
    return g->text != NULL;
}

static int columns(const char *text, size_t len)
{
    Glyph g;
    int width = 0;
    for (size_t i = 0; next_glyph(text, len, &i, &g);) width += g.width;
    return width;
}

int terminal_width(const char *text) { return columns(text, strlen(text)); }

/* ---- colours */

Ink ink_of_label(const char *label)
{
    static const char nouns[] = "NP NX NAC NML QP WHNP";
    if (text_among(label, nouns)) return INK_NOUN;
    if (strcmp(label, "VP") == 0) return INK_VERB;
    if (strcmp(label, "PP") == 0 || strcmp(label, "WHPP") == 0) return INK_PREPOSITION;
    return label[0] == 'S' ? INK_CLAUSE : INK_PHRASE;
}

/* Types of Stanford and Universal Dependencies; subtypes (nsubj:pass) as their type. */
Ink ink_of_type(const char *type)
{
    static const char core[] = "nsubj nsubjpass csubj csubjpass dobj obj iobj ccomp xcomp agent attr pobj pcomp";
    static const char oblique[] = "prep obl nmod advcl acl rcmod vmod conj dep parataxis appos list relcl";
    static const char modifier[] = "amod advmod nn compound nummod num npadvmod quantmod neg flat fixed tmod poss";
    StrView base = { type, type ? strcspn(type, ":") : 0 };
    return text_equal(base, "root")          ? INK_ROOT
           : text_view_among(base, core)     ? INK_CORE
           : text_view_among(base, oblique)  ? INK_OBLIQUE
           : text_view_among(base, modifier) ? INK_MODIFIER
                                             : INK_FAINT;
}

void ink_change(StrBuf *out, Ink from, Ink to)
{
    static const char *const codes[INKS] = {
        [INK_PLAIN] = "0",      [INK_WORD] = "0;1",    [INK_TAG] = "0;33",  [INK_FAINT] = "0;90",
        [INK_CLAUSE] = "0;36",  [INK_NOUN] = "0;32",   [INK_VERB] = "0;35", [INK_PREPOSITION] = "0;33",
        [INK_PHRASE] = "0;34",  [INK_ROOT] = "0;1;31", [INK_CORE] = "0;35", [INK_OBLIQUE] = "0;34",
        [INK_MODIFIER] = "0;36"
    };
    if (from == to) return;
    strbuf_puts(out, "\033[");
    strbuf_puts(out, codes[to]);
    strbuf_putc(out, 'm');
}

/* ---- canvas */

/* NULL outside of the canvas. */
static Cell *cell_at(Canvas *c, int row, int col)
{
    bool inside = row >= 0 && row < c->rows && col >= 0 && col < c->cols;
    return inside ? &c->cell[(ptrdiff_t)row * c->cols + col] : NULL;
}

void canvas_text(Canvas *canvas, int row, int col, const char *text, Ink ink)
{
    Glyph g;
    for (size_t i = 0, len = strlen(text); next_glyph(text, len, &i, &g); col += g.width)
        for (int k = 0; k < g.width; k++) {
            Cell *x = cell_at(canvas, row, col + k);
            if (x) *x = (Cell){ k ? "" : g.text, k ? 0 : g.len, 0, (unsigned char)ink };
        }
}

void canvas_lines(Canvas *canvas, int row, int col, int lines, Ink ink)
{
    Cell *x = cell_at(canvas, row, col);
    if (!x || x->text) return;
    x->lines |= (unsigned char)lines;
    x->ink = (unsigned char)ink;
}

void canvas_across(Canvas *canvas, int row, int from, int to, Ink ink)
{
    for (int col = from; col <= to && from < to; col++)
        canvas_lines(canvas, row, col, (col > from ? LINE_LEFT : 0) | (col < to ? LINE_RIGHT : 0), ink);
}

void canvas_down(Canvas *canvas, int col, int from, int to, Ink ink)
{
    for (int row = from; row <= to && from < to; row++)
        canvas_lines(canvas, row, col, (row > from ? LINE_UP : 0) | (row < to ? LINE_DOWN : 0), ink);
}

void canvas_clear(Canvas *canvas, int row, int col)
{
    Cell *x = cell_at(canvas, row, col);
    if (x && !x->text && !(x->lines & LINE_DOWN)) x->lines = 0;
}

/* By the sum of LINE_UP 1, DOWN 2, LEFT 4, RIGHT 8. */
static const char *const BOXES[] = { " ",      "\u2502", "\u2502", "\u2502", "\u2500", "\u256f", "\u256e", "\u2524",
                                     "\u2500", "\u2570", "\u256d", "\u251c", "\u2500", "\u2534", "\u252c", "\u253c" };
static const char *const ASCII[] = { " ", "|", "|", "|", "-", "'", ".", "+", "-", "'", ".", "+", "-", "+", "+", "+" };

/* A row without the blanks at its end. */
static void put_row(StrBuf *out, const Cell *cell, int cols, TerminalStyle style)
{
    const char *const *lines = style.ascii ? ASCII : BOXES;
    Ink ink = INK_PLAIN;
    while (cols && !cell[cols - 1].text && !cell[cols - 1].lines) cols--;
    for (int k = 0; k < cols; k++) {
        bool blank = !cell[k].text && !cell[k].lines;
        if (style.color && !blank) {
            ink_change(out, ink, (Ink)cell[k].ink);
            ink = (Ink)cell[k].ink;
        }
        if (cell[k].text) strbuf_add(out, cell[k].text, (size_t)cell[k].len);
        else strbuf_puts(out, lines[cell[k].lines]);
    }
    if (style.color) ink_change(out, ink, INK_PLAIN);
    strbuf_putc(out, '\n');
}

/* ---- headings */

static void put_safe(StrBuf *out, const char *text, size_t len)
{
    Glyph g;
    for (size_t i = 0; next_glyph(text, len, &i, &g);) strbuf_add(out, g.text, (size_t)g.len);
}

void terminal_text(StrBuf *out, const char *label, const char *text, TerminalStyle style)
{
    int indent = *label ? terminal_width(label) + 2 : 0, at = indent;
    if (style.color) ink_change(out, INK_PLAIN, INK_FAINT);
    strbuf_puts(out, label);
    if (*label) strbuf_puts(out, "  ");
    for (const char *next; *text; text = next) {
        size_t len = strcspn(text, " ");
        int width = columns(text, len);
        next = text + len + (text[len] == ' ');
        if (at > indent && at + 1 + width > style.width) {
            strbuf_printf(out, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            strbuf_putc(out, ' ');
            at++;
        }
        put_safe(out, text, len);
        at += width;
    }
    if (style.color) ink_change(out, INK_FAINT, INK_PLAIN);
    strbuf_putc(out, '\n');
}

/* ---- blocks */

/* What the blocks of a sentence share. */
typedef struct Drawing {
    Block block;
    Arc *order;
    int *far, *level, *gap;
    int *cut; /* [n_words + 1] phrases and arcs that continue over the gap before each word */
} Drawing;

/* Text in the middle of the columns of word w of the block. */
static void center_text(const Block *b, Canvas *c, int row, int w, const char *text, Ink ink)
{
    if (text) canvas_text(c, row, b->center[w] - (terminal_width(text) - 1) / 2, text, ink);
}

/* Words, tags and types; returns the row after them. */
static int draw_words(const Block *b, Canvas *c)
{
    const Sentence *sent = b->sent;
    int row = b->rows, tags = row + 1, types = tags + (sent->tags != NULL);
    bool typed = block_has_arcs(b) && sent->types;
    for (int w = 0; w < b->end - b->begin; w++) {
        center_text(b, c, row, w, sent->words[b->begin + w], INK_WORD);
        if (sent->tags) center_text(b, c, tags, w, sent->tags[b->begin + w], INK_TAG);
        if (!typed) continue;
        const char *type = sent->types[b->begin + w];
        center_text(b, c, types, w, type, ink_of_type(type));
    }
    return types + typed;
}

static void draw_block(StrBuf *out, const Drawing *d)
{
    const Block *b = &d->block;
    int arcs = block_has_arcs(b) ? block_arc_levels(b, d->far, d->level, d->gap, d->order) : 0;
    Canvas c = { .rows = b->rows + 3 + (arcs ? arcs + 1 : 0), .cols = b->cols };
    c.cell = mem_calloc((size_t)c.rows * (size_t)c.cols, sizeof *c.cell);
    if (!c.cell) {
        out->failed = true;
        return;
    }
    block_draw_tree(b, &c);
    int row = draw_words(b, &c);
    if (arcs) {
        block_draw_arcs(b, d->far, d->level, &c, row);
        row += arcs + 1;
    }
    for (int k = 0; k < row; k++) put_row(out, c.cell + (ptrdiff_t)k * c.cols, c.cols, b->style);
    mem_free(c.cell);
}

/* Counts what continues over each gap between words. */
static void count_cuts(const Block *b, int *cut)
{
    const Sentence *sent = b->sent;
    for (int k = 0; block_has_tree(b) && k < sent->n_phrases; k++) {
        cut[sent->phrases[k].begin + 1]++;
        cut[sent->phrases[k].end]--;
    }
    for (int w = 0; block_has_arcs(b) && w < sent->n_words; w++) {
        int head = sent->heads[w] - 1;
        if (head < 0) continue;
        cut[(head < w ? head : w) + 1]++;
        cut[(head < w ? w : head) + 1]--;
    }
    for (int w = 1; w <= sent->n_words; w++) cut[w] += cut[w - 1];
}

/* The end of a block that may reach to `end`: up to a quarter before it, where fewest phrases and arcs are cut; further
 * if less than half as many words are left, to leave some of its words to the last block. */
static int best_end(const Drawing *d, int begin, int end)
{
    int left = d->block.sent->n_words - begin, from = begin + (end - begin) * 3 / 4;
    if (left - (end - begin) < (end - begin) / 2) {
        from = begin + left / 3;
        end = begin + (left * 2 + 2) / 3 < end ? begin + (left * 2 + 2) / 3 : end;
    }
    int best = end;
    for (int k = end; k > begin && k >= from; k--)
        if (d->cut[k] < d->cut[best]) best = k;
    return best;
}

static bool fits(Block *b, int begin, int end)
{
    block_layout(b, begin, end);
    return b->cols <= b->style.width;
}

/* The end of the longest block that fits, of at least one word, by bisection. */
static int longest_end(Block *b, int begin)
{
    int n = b->sent->n_words, good = begin + 1, bad = begin + 1, width = 0;
    for (; bad < n && width < b->style.width; bad++) width += terminal_width(b->sent->words[bad]) + 1;
    if (fits(b, begin, bad)) return bad;
    while (bad - good > 1) {
        int middle = good + (bad - good) / 2;
        if (fits(b, begin, middle)) good = middle;
        else bad = middle;
    }
    return good;
}

/* Lays out the block that begins with word `begin`. */
static void lay_out(Drawing *d, int begin)
{
    Block *b = &d->block;
    int end = longest_end(b, begin), best = end < b->sent->n_words ? best_end(d, begin, end) : end;
    if (!fits(b, begin, best)) block_layout(b, begin, end);
}

static void draw_blocks(StrBuf *out, Drawing *d)
{
    count_cuts(&d->block, d->cut);
    if (block_has_arcs(&d->block)) block_arc_ends(&d->block, d->far);
    for (int begin = 0; begin < d->block.sent->n_words && !out->failed; begin = d->block.end) {
        if (begin) strbuf_putc(out, '\n');
        lay_out(d, begin);
        draw_block(out, d);
    }
}

void terminal_draw(StrBuf *out, const Sentence *sent, TerminalStyle style)
{
    if (style.width > TERMINAL_DRAWN) style.width = TERMINAL_DRAWN;
    size_t n = (size_t)sent->n_words + 2, phrases = (size_t)sent->n_phrases + 1;
    int *ints = mem_calloc(11 * n, sizeof *ints);
    Drawing d = { .block = { .sent = sent, .style = style }, .order = mem_alloc(2 * n, sizeof *d.order) };
    Block *b = &d.block;
    b->node = mem_alloc(phrases, sizeof *b->node);
    if (ints && d.order && b->node) {
        int **const arrays[] = { &b->core, &b->left, &b->right, &b->center, &b->above, &d.gap, &d.cut };
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) *arrays[k] = ints + k * n;
        d.far = ints + 7 * n;
        d.level = ints + 9 * n;
        draw_blocks(out, &d);
    } else out->failed = true;
    mem_free_each(ints, d.order, b->node);
}
