/* Words in a row. They are placed from left to right, each as far to the left as the labels allow that end there: a
 * phrase is as wide as its label, and the ends of an arc are so far apart that its type lies between them. A sentence
 * that is read from the right is mirrored then. */
#include <string.h>

#include "base/script.h"
#include "treebank/draw/draw_internal.h"

/* Words, tags and phrases above; arcs: the first level's distance from the words, between levels, and of corners. */
enum { GAP = 14, SIDE = 6, LEVEL = 38, WORD_ROW = 22, TAG_ROW = 18, FIRST = 26, STEP = 19, CORNER = 10, SPREAD = 5 };

static int larger(int a, int b) { return a > b ? a : b; }
static int smaller(int a, int b) { return a < b ? a : b; }

static int centre_of(const DrawAcross *x, int w) { return x->left[w] + x->width[w] / 2; }

/* Where an arc begins. */
static int start_of(const Drawing *d, const DrawAcross *x, const DrawArc *arc)
{
    int room = larger(x->width[arc->from] / 2 + GAP / 2 - 2, 6);
    int offset = draw_offset(d, arc, room, SPREAD);
    return centre_of(x, arc->from) + (x->mirrored ? -offset : offset);
}

/* The least distance between the centres of an arc's words. */
static int arc_length(const Drawing *d, const DrawAcross *x, const DrawArc *arc)
{
    int start = start_of(d, x, arc) - centre_of(x, arc->from);
    return draw_label_width(arc->type, FONT_TYPE) + 2 * CORNER + (start < 0 ? -start : start);
}

/* Arcs and phrases in lists by their last word: next[k] follows first[w]; -1 ends a list. */
typedef struct Ends {
    int *first, *next;
} Ends;

static bool make_ends(Ends *e, int n_words, int n, Arena *a)
{
    *e = (Ends){ arena_alloc(a, (size_t)n_words, sizeof *e->first), arena_alloc(a, (size_t)n, sizeof *e->next) };
    if (!e->first || !e->next) return false;
    for (int w = 0; w < n_words; w++) e->first[w] = -1;
    return true;
}

static void add_end(Ends *e, int w, int k)
{
    e->next[k] = e->first[w];
    e->first[w] = k;
}

/* Word w after the one before it, moved right until the labels that end at it have room. */
static void place_word(const Drawing *d, DrawAcross *x, const Ends *phrases, const Ends *arcs, int w)
{
    const Sentence *sent = d->sent;
    x->width[w] = draw_text_width(sent->words[w], FONT_WORD);
    if (sent->tags && sent->tags[w]) x->width[w] = larger(x->width[w], draw_text_width(sent->tags[w], FONT_TAG));
    x->left[w] = w ? x->left[w - 1] + x->width[w - 1] + GAP : DRAW_MARGIN + SIDE;
    for (int k = phrases->first[w]; k >= 0; k = phrases->next[k]) {
        const Phrase *p = &sent->phrases[k];
        int need = draw_label_width(p->label, FONT_LABEL) - 2 * 3; /* the gap is left for them */
        if (p->begin == w) x->width[w] = larger(x->width[w], need);
        else x->left[w] = larger(x->left[w], x->left[p->begin] + need - x->width[w]);
    }
    for (int k = arcs->first[w]; k >= 0; k = arcs->next[k]) {
        const DrawArc *arc = &d->arc[k];
        int other = arc->from < w ? arc->from : arc->to;
        if (arc->from >= 0)
            x->left[w] = larger(x->left[w], centre_of(x, other) + arc_length(d, x, arc) - x->width[w] / 2);
        else if (w == 0) x->left[w] = larger(x->left[w], DRAW_MARGIN + 20 - x->width[w] / 2); /* "root" */
    }
}

static bool place_words(const Drawing *d, DrawAcross *x)
{
    const Sentence *sent = d->sent;
    Ends phrases, arcs;
    int n = sent->n_words, n_phrases = d->tree ? sent->n_phrases : 0;
    if (!make_ends(&phrases, n, n_phrases, d->a) || !make_ends(&arcs, n, d->n_arcs, d->a)) return false;
    for (int k = 0; k < n_phrases; k++) add_end(&phrases, sent->phrases[k].end - 1, k);
    for (int k = 0; k < d->n_arcs; k++) add_end(&arcs, larger(d->arc[k].from, d->arc[k].to), k);
    for (int w = 0; w < n; w++) place_word(d, x, &phrases, &arcs, w);
    return true;
}

/* Between its first and last child, and inside its words. */
static bool centre_phrases(const Drawing *d, DrawAcross *x)
{
    const Sentence *sent = d->sent;
    size_t p = (size_t)sent->n_phrases;
    int *first = arena_alloc(d->a, p, sizeof *first), *last = arena_alloc(d->a, p, sizeof *last);
    x->centre = arena_alloc(d->a, p, sizeof *x->centre);
    if (!first || !last || !x->centre) return false;
    for (int k = d->tree ? sent->n_phrases : 0; k-- > 0;) { /* children before their parents */
        const Phrase *q = &sent->phrases[k];
        int b = q->begin, e = q->end - 1, half = draw_label_width(q->label, FONT_LABEL) / 2 - 3;
        if (d->over[b] == k) first[k] = centre_of(x, b);
        if (d->over[e] == k) last[k] = centre_of(x, e);
        x->centre[k] = smaller(larger((first[k] + last[k]) / 2, x->left[b] + half), x->left[e] + x->width[e] - half);
        int up = d->parent[k];
        if (up >= 0 && sent->phrases[up].begin == b) first[up] = x->centre[k];
        if (up >= 0 && sent->phrases[up].end == e + 1) last[up] = x->centre[k];
    }
    return true;
}

/* A sentence that is written from the right to the left stands so. */
static void mirror(const Drawing *d, DrawAcross *x)
{
    ScriptCounts c = { 0 };
    for (int w = 0; w < d->sent->n_words; w++) script_count(&c, d->sent->words[w], strlen(d->sent->words[w]));
    x->mirrored = script_is_right_to_left(script_most(&c));
    if (!x->mirrored) return;
    for (int w = 0; w < d->sent->n_words; w++) x->left[w] = x->total_width - x->left[w] - x->width[w];
    for (int k = d->tree ? d->sent->n_phrases : 0; k-- > 0;) x->centre[k] = x->total_width - x->centre[k];
}

bool draw_across_place(const Drawing *drawing, DrawAcross *across)
{
    int n = drawing->sent->n_words;
    *across = (DrawAcross){ .left = arena_alloc(drawing->a, (size_t)n, sizeof *across->left),
                            .width = arena_alloc(drawing->a, (size_t)n, sizeof *across->width),
                            .direction = drawing->tree ? 1 : -1 };
    if (!across->left || !across->width || !place_words(drawing, across) || !centre_phrases(drawing, across))
        return false;
    int arcs = drawing->n_arcs ? FIRST + drawing->levels * STEP : 0,
        y = DRAW_MARGIN + (drawing->tree ? drawing->highest * LEVEL : arcs);
    across->y_words = y + WORD_ROW / 2;
    across->y_tags = y + WORD_ROW + TAG_ROW / 2;
    across->y_arcs = drawing->tree ? y + WORD_ROW + (drawing->sent->tags ? TAG_ROW : 0) + 2 : y - 2;
    across->total_height =
        y + WORD_ROW + (drawing->sent->tags ? TAG_ROW : 0) + (drawing->tree ? arcs : 0) + DRAW_MARGIN;
    across->total_width = (n ? across->left[n - 1] + across->width[n - 1] + SIDE : 0) + DRAW_MARGIN;
    if (drawing->n_arcs && n)
        across->total_width = larger(across->total_width, centre_of(across, n - 1) + 20 + DRAW_MARGIN); /* "root" */
    mirror(drawing, across);
    return true;
}

/* ---- writing */

/* A line from a phrase to a child whose middle is (cx, cy): within one level to its column, then straight down, so that
 * it crosses no other phrase. */
static void put_branch(StrBuf *out, int px, int py, int cx, int cy)
{
    int y = py + 10, bend = py + LEVEL - 12, middle = (y + bend) / 2;
    strbuf_printf(out, "<path d=\"M%d %dC%d %d %d %d %d %d", px, y, px, middle, cx, middle, cx, bend);
    if (cy > bend) strbuf_printf(out, "V%d", cy);
    strbuf_puts(out, "\"/>\n");
}

static int phrase_y(const Drawing *d, int k)
{
    return DRAW_MARGIN + (d->highest - d->height[k]) * LEVEL + LEVEL / 2 - 6;
}

static void put_phrases(StrBuf *out, const Drawing *d, const DrawAcross *x)
{
    const Sentence *sent = d->sent;
    for (int k = 0; k < sent->n_phrases; k++) {
        int up = d->parent[k];
        if (up >= 0) put_branch(out, x->centre[up], phrase_y(d, up), x->centre[k], phrase_y(d, k) - 10);
    }
    for (int w = 0; w < sent->n_words; w++) {
        int up = d->over[w];
        if (up >= 0) put_branch(out, x->centre[up], phrase_y(d, up), centre_of(x, w), x->y_words - 11);
    }
    for (int k = 0; k < sent->n_phrases; k++)
        draw_label(out, x->centre[k], phrase_y(d, k), true, FONT_LABEL, sent->phrases[k].label);
}

/* A corner as wide as the span allows beside the type, and not higher than the arc. */
static void put_arc_line(StrBuf *out, const Drawing *d, const DrawAcross *x, const DrawArc *arc)
{
    int to = centre_of(x, arc->to), sign = x->direction, height = FIRST + (arc->level - 1) * STEP;
    int base = x->y_arcs, y = base + sign * height, tip = base + sign;
    char colour = draw_colour(arc->type, FONT_TYPE);
    strbuf_printf(out, "<path class=\"s%c\"", colour);
    if (arc->from < 0) strbuf_printf(out, " d=\"M%d %dV%d\"/>", to, y, tip + sign * 6);
    else {
        int from = start_of(d, x, arc), span = from < to ? to - from : from - to, right = from < to ? 1 : -1;
        int rx = (span - draw_label_width(arc->type, FONT_TYPE)) / 2, ry = smaller(height - 8, 30);
        rx = smaller(smaller(rx, ry + 6), span / 2) * right;
        strbuf_printf(out, " d=\"M%d %dV%dQ%d %d %d %dH%dQ%d %d %d %dV%d\"/>", from, base, y - sign * ry, from, y,
                      from + rx, y, to - rx, to, y, to, y - sign * ry, tip + sign * 6);
    }
    strbuf_printf(out, "<path class=\"h%c\" d=\"M%d %dl-4 %dh8z\"/>\n", colour, to, tip, sign * 8);
}

static void put_arc_type(StrBuf *out, const Drawing *d, const DrawAcross *x, const DrawArc *arc)
{
    int to = centre_of(x, arc->to), y = x->y_arcs + x->direction * (FIRST + (arc->level - 1) * STEP);
    draw_label(out, arc->from < 0 ? to : (start_of(d, x, arc) + to) / 2, y, true, FONT_TYPE, arc->type);
}

void draw_across_write(StrBuf *out, const Drawing *drawing, const DrawAcross *across)
{
    const Sentence *sent = drawing->sent;
    if (drawing->tree) put_phrases(out, drawing, across);
    for (int k = drawing->n_arcs; k-- > 0;) put_arc_line(out, drawing, across, &drawing->arc[k]);
    for (int k = 0; k < drawing->n_arcs; k++) put_arc_type(out, drawing, across, &drawing->arc[k]);
    for (int w = 0; w < sent->n_words; w++) {
        draw_word(out, drawing, w, centre_of(across, w), across->y_words, true);
        if (sent->tags && sent->tags[w])
            draw_text(out, centre_of(across, w), across->y_tags, true, FONT_TAG, sent->tags[w]);
    }
}
