/* treebank/draw.c
 * Words are set in a row. Each is as wide as the widest of its text, its tag and its share of the labels above it.
 * Widths of text are computed for the fixed-width font that the picture requests. */
#include "treebank/draw.h"

#include <string.h>

enum { GLYPH = 8, GAP = 16, LEVEL = 40, MARGIN = 12, TEXT_UP = 5 }; /* pixels; text of 13 px */

static int text_width(const char *text)
{
    int columns = 0;
    size_t len = strlen(text);
    for (size_t i = 0; i < len;) columns += utf8_width(utf8_next(text, len, &i));
    return columns * GLYPH;
}

static void put_text(StrBuf *out, int x, int y, const char *class, const char *text)
{
    strbuf_printf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
    strbuf_xml(out, text);
    strbuf_puts(out, "</text>\n");
}

#define CROSS " \303\227" /* a multiplication sign */

static int label_width(const char *label, const DrawMark *mark)
{
    return text_width(label) + (mark && mark->wrong ? 2 * GLYPH : 0);
}

/* A label, with a link and a cross if so marked. */
static void put_label(StrBuf *out, int x, int y, const char *class, const char *label, const DrawMark *mark)
{
    bool link = mark && mark->target >= 0, wrong = mark && mark->wrong;
    if (link) strbuf_printf(out, "<a href=\"#d%d\">", mark->target);
    strbuf_printf(out, "<text x=\"%d\" y=\"%d\" class=\"%s%s\">", x, y, class, wrong ? " x" : "");
    strbuf_xml(out, label);
    strbuf_puts(out, wrong ? CROSS "</text>" : "</text>");
    strbuf_puts(out, link ? "</a>\n" : "\n");
}

static void begin(StrBuf *out, const Sentence *sent, int width, int height, const char *what, bool links)
{
    strbuf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                  "height=\"%d\" role=\"%s\">\n<title>%s:",
                  width, height, width, height, links ? "group" : "img", what);
    for (int w = 0; w < sent->n_words; w++) {
        strbuf_putc(out, ' ');
        strbuf_xml(out, sent->words[w]);
    }
    strbuf_puts(out, "</title>\n<style>.drawing text{font:13px "
                     "ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;fill:#111}.drawing .t{fill:#555}"
                     ".drawing .p{font-weight:bold}.drawing path{fill:none;stroke:#555}.drawing "
                     ".a{fill:#555;stroke:none}.drawing .w{fill:#fff;stroke:none}"
                     "</style>\n<rect class=\"w\" width=\"100%\" "
                     "height=\"100%\"/>\n");
}

/* Sets x [n + 1], the left edge of each word. A word is as wide as its text, its tag and least [n]. */
static bool place_words(const Sentence *sent, const int *least, int **x, Arena *a)
{
    *x = arena_alloc(a, (size_t)sent->n_words + 1, sizeof **x);
    if (!*x) return false;
    (*x)[0] = MARGIN;
    for (int w = 0; w < sent->n_words; w++) {
        int width = text_width(sent->words[w]), tag = sent->tags && sent->tags[w] ? text_width(sent->tags[w]) : 0;
        if (tag > width) width = tag;
        if (least[w] > width) width = least[w];
        (*x)[w + 1] = (*x)[w] + width + GAP;
    }
    return true;
}

static int centre(const int *x, int w) { return (x[w] + x[w + 1] - GAP) / 2; }

/* ---- trees */

typedef struct Layout {
    int *x;      /* [n_words + 1] */
    int *centre; /* [n_phrases] */
    int *depth;  /* [n_phrases] from 0 at the top */
    int *parent; /* [n_phrases] -1: none */
    int *over;   /* [n_words] the innermost phrase over a word; -1: none */
    int deepest;
} Layout;

/* The width that each word of a phrase needs for the phrase's label. */
static int label_share(const Phrase *q, const DrawMark *mark)
{
    return (label_width(q->label, mark) + GAP) / (q->end - q->begin) + 1 - GAP;
}

static int larger(int a, int b) { return a > b ? a : b; }

/* Sets parents, depths, the phrase over each word, and least [n_words], the width a word needs for the labels over it.
 * room [2, n_phrases] is scratch. */
static void nest_phrases(const Sentence *sent, const DrawMark *marks, Layout *l, int *least, int *room)
{
    int *open = room, n_open = 0, next = 0;
    int *asked = room + sent->n_phrases; /* largest width needed for the label of a phrase or of one around it */
    for (int w = 0; w < sent->n_words; w++) {
        while (n_open && sent->phrases[open[n_open - 1]].end <= w) n_open--;
        for (; next < sent->n_phrases && sent->phrases[next].begin == w; next++) {
            int up = l->parent[next] = n_open ? open[n_open - 1] : -1;
            l->depth[next] = n_open;
            asked[next] =
                larger(label_share(&sent->phrases[next], marks ? &marks[next] : NULL), up < 0 ? 0 : asked[up]);
            open[n_open++] = next;
            l->deepest = larger(l->deepest, n_open);
        }
        l->over[w] = n_open ? open[n_open - 1] : -1;
        least[w] = n_open ? asked[l->over[w]] : 0;
    }
}

/* Centres each phrase between its first and last child. room [2, n_phrases] is scratch. */
static void centre_phrases(const Sentence *sent, Layout *l, int *room)
{
    int *first = room, *last = room + sent->n_phrases;
    for (int k = sent->n_phrases; k-- > 0;) { /* children before their parents */
        const Phrase *q = &sent->phrases[k];
        if (l->over[q->begin] == k) first[k] = centre(l->x, q->begin);
        if (l->over[q->end - 1] == k) last[k] = centre(l->x, q->end - 1);
        l->centre[k] = (first[k] + last[k]) / 2;
        int up = l->parent[k];
        if (up >= 0 && sent->phrases[up].begin == q->begin) first[up] = l->centre[k];
        if (up >= 0 && sent->phrases[up].end == q->end) last[up] = l->centre[k];
    }
}

static bool lay_out(const Sentence *sent, const DrawMark *marks, Layout *l, Arena *a)
{
    size_t n = (size_t)sent->n_words, p = (size_t)sent->n_phrases;
    int *least = arena_alloc(a, n, sizeof *least), *room = arena_alloc(a, 2 * p, sizeof *room);
    *l = (Layout){ .centre = arena_alloc(a, p, sizeof *l->centre),
                   .depth = arena_alloc(a, p, sizeof *l->depth),
                   .parent = arena_alloc(a, p, sizeof *l->parent),
                   .over = arena_alloc(a, n, sizeof *l->over) };
    if (!least || !room || !l->centre || !l->depth || !l->parent || !l->over) return false;
    nest_phrases(sent, marks, l, least, room);
    if (!place_words(sent, least, &l->x, a)) return false;
    centre_phrases(sent, l, room);
    return true;
}

static void put_branch(StrBuf *out, int x1, int y1, int x2, int y2)
{
    strbuf_printf(out, "<path d=\"M%d %dL%d %d\"/>\n", x1, y1, x2, y2);
}

void draw_tree(StrBuf *out, const Sentence *sent, const DrawMark *marks)
{
    Arena a;
    Layout l;
    arena_init(&a, 4096);
    if (lay_out(sent, marks, &l, &a)) {
        int tags = MARGIN + LEVEL / 2 + l.deepest * LEVEL, words = tags + 22;
        begin(out, sent, l.x[sent->n_words] - GAP + MARGIN, words + MARGIN, "Tree", marks != NULL);
        for (int k = 0; k < sent->n_phrases; k++) {
            int y = MARGIN + LEVEL / 2 + l.depth[k] * LEVEL;
            if (l.parent[k] >= 0) put_branch(out, l.centre[l.parent[k]], y - LEVEL + TEXT_UP, l.centre[k], y - 13);
            put_label(out, l.centre[k], y, "p", sent->phrases[k].label, marks ? &marks[k] : NULL);
        }
        for (int w = 0; w < sent->n_words; w++) {
            int up = l.over[w];
            /* the line goes to the word's column first and then straight down, so that it crosses no phrase */
            int y = up >= 0 ? MARGIN + LEVEL / 2 + l.depth[up] * LEVEL : 0;
            if (up >= 0)
                strbuf_printf(out, "<path d=\"M%d %dL%d %dV%d\"/>\n", l.centre[up], y + TEXT_UP, centre(l.x, w),
                              y + LEVEL - 13, tags - 13);
            if (sent->tags && sent->tags[w]) put_text(out, centre(l.x, w), tags, "t", sent->tags[w]);
            put_text(out, centre(l.x, w), words, "n", sent->words[w]);
        }
        strbuf_puts(out, "</svg>\n");
    } else out->failed = true;
    arena_fini(&a);
}

/* ---- arcs */

/* The highest arc over each gap between words, in a segment tree: node 1 is the root, nodes 2k and 2k + 1 are the
 * children of node k, nodes n .. 2n - 1 are the gaps. */
typedef struct Heights {
    int n;
    int *top; /* [2n] maximum over the gaps of a node */
    int *all; /* [2n] lower bound for every gap of a node */
} Heights;

/* The maximum over gaps left .. right - 1. */
static int highest_over(const Heights *h, int left, int right)
{
    int top = 0;
    for (int l = left + h->n, r = right + h->n; l < r; l /= 2, r /= 2) {
        if (l % 2) top = larger(top, h->top[l++]);
        if (r % 2) top = larger(top, h->top[--r]);
    }
    for (int l = left + h->n, r = right - 1 + h->n; l > 0; l /= 2, r /= 2)
        top = larger(top, larger(h->all[l], h->all[r]));
    return top;
}

/* Raises gaps left .. right - 1 to `level`; none of them is higher. */
static void raise_to(Heights *h, int left, int right, int level)
{
    for (int l = left + h->n, r = right + h->n; l < r; l /= 2, r /= 2) {
        if (l % 2) h->top[l] = h->all[l] = level, l++;
        if (r % 2) --r, h->top[r] = h->all[r] = level;
    }
    for (int l = (left + h->n) / 2, r = (right - 1 + h->n) / 2; l > 0; l /= 2, r /= 2) {
        h->top[l] = larger(h->top[l], level);
        h->top[r] = larger(h->top[r], level);
    }
}

/* Sets level [n_words], the height of each word's arc: one more than the highest arc below it. Shortest arcs first. */
static bool arc_levels(const Sentence *sent, int *level, int *highest, Arena *a)
{
    int n = sent->n_words, *first = arena_alloc(a, (size_t)n, sizeof *first),
        *next = arena_alloc(a, (size_t)n, sizeof *next);
    Heights h = { n, arena_calloc(a, 2 * (size_t)n, sizeof *h.top), arena_calloc(a, 2 * (size_t)n, sizeof *h.all) };
    if (!first || !next || !h.top || !h.all) return false;
    for (int length = 0; length < n; length++) first[length] = -1;
    for (int c = n; c-- > 0;) { /* lists words by the length of their arcs */
        int head = sent->heads[c] - 1, length = head < c ? c - head : head - c;
        if (head < 0) continue;
        next[c] = first[length];
        first[length] = c;
    }
    *highest = 0;
    for (int length = 1; length < n; length++)
        for (int c = first[length]; c >= 0; c = next[c]) {
            int head = sent->heads[c] - 1, left = head < c ? head : c;
            level[c] = highest_over(&h, left, left + length) + 1;
            raise_to(&h, left, left + length, level[c]);
            *highest = larger(*highest, level[c]);
        }
    return true;
}

/* Draws the line of word c's arc, or its type; types are drawn over all lines. */
static void put_arc(StrBuf *out, const Sentence *sent, const int *x, int c, int level, int base, bool line,
                    const DrawMark *mark)
{
    enum { STEP = 26, SIDE = 5 };
    const char *type = sent->types && sent->types[c] ? sent->types[c] : "";
    int to = centre(x, c), top = base - 10 - level * STEP;
    if (sent->heads[c] == 0) {
        if (line) strbuf_printf(out, "<path d=\"M%d %dV%d\"/>\n", to, top + TEXT_UP, base - 6);
        else put_label(out, to, top, "t", type[0] ? type : "root", mark);
    } else {
        int from = centre(x, sent->heads[c] - 1), side = from < to ? SIDE : -SIDE;
        if (line)
            strbuf_printf(out, "<path d=\"M%d %dC%d %d %d %d %d %d\"/>\n", from + side, base - 2, from + side, top,
                          to - side, top, to, base - 6);
        int middle = (from + side + to) / 2, y = base - 6 - (base - 6 - top) * 3 / 4;
        if (line) strbuf_printf(out, "<path class=\"a\" d=\"M%d %dl-4 -8h8z\"/>\n", to, base - 1);
        if (line) return;
        strbuf_printf(out, "<rect class=\"w\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"14\"/>\n",
                      middle - label_width(type, mark) / 2 - 2, y - 8, label_width(type, mark) + 4);
        put_label(out, middle, y + 4, "t", type, mark);
        return;
    }
    if (line) strbuf_printf(out, "<path class=\"a\" d=\"M%d %dl-4 -8h8z\"/>\n", to, base - 1);
}

void draw_arcs(StrBuf *out, const Sentence *sent, const DrawMark *marks)
{
    Arena a;
    arena_init(&a, 4096);
    int *least = arena_calloc(&a, (size_t)sent->n_words, sizeof *least),
        *level = arena_calloc(&a, (size_t)sent->n_words, sizeof *level), *x, highest = 0;
    bool ok = least && level;
    for (int c = 0; ok && c < sent->n_words && sent->heads;
         c++) { /* an arc between neighbours needs room for its type */
        int head = sent->heads[c] - 1, left = head < c ? head : c;
        if (head >= 0 && (head - c == 1 || c - head == 1) && sent->types && sent->types[c] &&
            label_width(sent->types[c], marks ? &marks[c] : NULL) > least[left])
            least[left] = label_width(sent->types[c], marks ? &marks[c] : NULL);
    }
    if (ok && place_words(sent, least, &x, &a) && (!sent->heads || arc_levels(sent, level, &highest, &a))) {
        int base = MARGIN + 30 + (highest + 1) * 26;
        begin(out, sent, x[sent->n_words] - GAP + MARGIN, base + 44, "Dependencies", marks != NULL);
        for (int c = 0; sent->heads && c < 2 * sent->n_words; c++) {
            int word = c % sent->n_words;
            put_arc(out, sent, x, word, sent->heads[word] ? level[word] : highest + 1, base, c < sent->n_words,
                    marks ? &marks[word] : NULL);
        }
        for (int w = 0; w < sent->n_words; w++) {
            put_text(out, centre(x, w), base + 15, "n", sent->words[w]);
            if (sent->tags && sent->tags[w]) put_text(out, centre(x, w), base + 33, "t", sent->tags[w]);
        }
        strbuf_puts(out, "</svg>\n");
    } else out->failed = true;
    arena_fini(&a);
}
