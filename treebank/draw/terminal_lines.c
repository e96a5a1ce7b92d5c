/* The lines of a block: its tree and its arcs */
#include <stdlib.h>
#include <string.h>

#include "treebank/draw/terminal_internal.h"

/* ---- tree */

/* The line from the row of a node down to a child in row `row` (0: a word), and the end of its own line above it. */
static void draw_child(const Block *b, Canvas *c, int parent, int center, int row)
{
    if (parent < 0) return;
    const Node *x = &b->node[parent];
    Ink ink = ink_of_label(x->label);
    canvas_lines(c, b->rows - x->row, center, LINE_DOWN, ink);
    if (x->row - row > 1) canvas_down(c, center, b->rows - x->row, b->rows - row - 1, ink);
}

static void draw_label(const Block *b, Canvas *c, const Node *x)
{
    const char *mark = block_mark(b, x);
    int row = b->rows - x->row, at = x->text + terminal_width(mark), end = at + terminal_width(x->label);
    if (x->text - 1 > x->from) canvas_clear(c, row, x->text - 1);
    if (end < x->to) canvas_clear(c, row, end);
    canvas_text(c, row, x->text, mark, INK_FAINT);
    canvas_text(c, row, at, x->label, ink_of_label(x->label));
}

void block_draw_tree(const Block *block, Canvas *canvas)
{
    for (int k = 0; k < block->n_nodes; k++) {
        const Node *x = &block->node[k];
        Ink ink = ink_of_label(x->label);
        canvas_across(canvas, block->rows - x->row, x->from, x->to, ink);
        if (x->before) canvas_lines(canvas, block->rows - x->row, x->from, LINE_LEFT, ink);
        if (x->after) canvas_lines(canvas, block->rows - x->row, x->to, LINE_RIGHT, ink);
        draw_child(block, canvas, x->parent, x->center, x->row);
    }
    for (int w = 0; w < block->end - block->begin; w++) draw_child(block, canvas, block->above[w], block->center[w], 0);
    for (int k = 0; k < block->n_nodes; k++) draw_label(block, canvas, &block->node[k]);
}

/* ---- arcs */

/* The arcs of a head to the dependents on one side of it share a line, a bus: in a tree without crossing arcs its
 * height is the depth of the tree, not the number of arcs. Bus 2 h belongs to word h (0-based) and goes to its left, 2
 * h + 1 that to its right. */
static int bus_of(const Sentence *sent, int dependent)
{
    int head = sent->heads[dependent] - 1;
    return head < 0 ? -1 : 2 * head + (dependent > head);
}

void block_arc_ends(const Block *block, int *far)
{
    for (int k = 0; k < 2 * block->sent->n_words; k++) far[k] = -1;
    for (int w = 0; w < block->sent->n_words; w++) {
        int bus = bus_of(block->sent, w);
        if (bus >= 0 && (bus % 2 || far[bus] < 0)) far[bus] = w;
    }
}

/* A word of the sentence in the block; -1 and the number of its words for words before and after it. */
static int in_block(const Block *b, int w)
{
    return w < b->begin ? -1 : w >= b->end ? b->end - b->begin : w - b->begin;
}

static bool is_inside(const Block *b, int word) { return word >= 0 && word < b->end - b->begin; }

static int shorter(const void *x, const void *y)
{
    const Arc *a = x, *b = y;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    return a->bus < b->bus ? -1 : 1;
}

static void add_bus(const int *far, int *level, Arc *order, int *n, int bus)
{
    if (bus < 0 || far[bus] < 0 || level[bus]) return;
    level[bus] = 1;
    order[(*n)++] = (Arc){ bus, abs(bus / 2 - far[bus]) };
}

/* A bus is one row below those that it covers. gap[g]: rows in use between the words g - 1 and g. */
int block_arc_levels(const Block *block, const int *far, int *level, int *gap, Arc *order)
{
    int n = block->end - block->begin, arcs = 0, rows = 0;
    memset(level, 0, 2 * (size_t)block->sent->n_words * sizeof *level);
    memset(gap, 0, ((size_t)n + 1) * sizeof *gap);
    for (int w = block->begin; w < block->end; w++) {
        add_bus(far, level, order, &arcs, 2 * w);
        add_bus(far, level, order, &arcs, 2 * w + 1);
        add_bus(far, level, order, &arcs, bus_of(block->sent, w));
    }
    qsort(order, (size_t)arcs, sizeof *order, shorter);
    for (int k = 0; k < arcs; k++) {
        int most = 0, head = in_block(block, order[k].bus / 2), end = in_block(block, far[order[k].bus]);
        int from = head < end ? head : end, to = head < end ? end : head;
        for (int g = from + 1; g <= to; g++)
            if (gap[g] > most) most = gap[g];
        for (int g = from + 1; g <= to; g++) gap[g] = most + 1;
        level[order[k].bus] = most + 1;
        if (most + 1 > rows) rows = most + 1;
    }
    return rows;
}

/* A head's lines leave beside its centre, under the type, so that the line of its own arc is between those to its left
 * and right. */
static int leaves_at(const Block *b, int head, bool to_left)
{
    int w = b->begin + head, width = b->sent->types && b->sent->types[w] ? terminal_width(b->sent->types[w]) : 3;
    int beside = to_left ? (width - 1) / 2 : width / 2;
    beside = beside < 1 ? 1 : beside > 2 ? 2 : beside;
    return b->center[head] + (to_left ? -beside : beside);
}

/* Names word w of the sentence, to which a line continues at an edge of the block, if there is room between the edge
 * and column `inner`; more: others follow it. */
static void name_end(const Block *b, Canvas *c, int row, int inner, int w, bool more)
{
    bool before = w < b->begin;
    const char *word = b->sent->words[w], *dots = !more ? "" : b->style.ascii ? " .." : " \u2026";
    int word_width = terminal_width(word), width = word_width + terminal_width(dots);
    if (width + 2 > (before ? inner : b->cols - 1 - inner)) return;
    int at = before ? 0 : b->cols - width;
    canvas_clear(c, row, before ? width : at - 1);
    canvas_text(c, row, at, word, INK_FAINT);
    canvas_text(c, row, at + word_width, dots, INK_FAINT);
}

/* The line of a bus across the block, and what its ends are called outside. */
static void draw_bus(const Block *b, Canvas *c, int row, int bus, int far)
{
    int h = bus / 2, right = bus % 2, head = in_block(b, h), end = in_block(b, far), n = b->sent->n_words;
    int step = right ? 1 : -1, first = -1, last = -1, outside = -1, more = 0;
    for (int w = h + step; w >= 0 && w < n && w != far + step; w += step) {
        if (bus_of(b->sent, w) != bus) continue;
        int d = in_block(b, w);
        if (is_inside(b, d)) {
            if (first < 0) first = w;
            last = w;
        } else if (right ? d > 0 : d < 0) { /* beyond the block, seen from the head */
            if (outside < 0) outside = w;
            else more = 1;
        }
    }
    const char *type = b->sent->types ? b->sent->types[last >= 0 ? last : far] : NULL;
    Ink ink = ink_of_type(type);
    int edge[2] = { 0, b->cols - 1 };
    int from = is_inside(b, head) ? leaves_at(b, head, !right) : edge[!right];
    int to = is_inside(b, end) ? b->center[end] : edge[right];
    canvas_across(c, row, from < to ? from : to, from < to ? to : from, ink);
    if (!is_inside(b, head)) {
        canvas_lines(c, row, from, right ? LINE_LEFT : LINE_RIGHT, ink);
        name_end(b, c, row, b->center[first - b->begin], h, false);
    }
    if (outside >= 0) {
        canvas_lines(c, row, to, right ? LINE_RIGHT : LINE_LEFT, ink);
        name_end(b, c, row, last >= 0 ? b->center[last - b->begin] : from, outside, more);
    }
}

void block_draw_arcs(const Block *block, const int *far, const int *level, Canvas *canvas, int row)
{
    const Sentence *sent = block->sent;
    for (int bus = 0; bus < 2 * sent->n_words; bus++)
        if (level[bus]) draw_bus(block, canvas, row + level[bus], bus, far[bus]);
    for (int k = 0; k < block->end - block->begin; k++) {
        int w = block->begin + k, bus = bus_of(sent, w);
        for (int side = 0; side < 2; side++) {
            int of_head = 2 * w + side, at = leaves_at(block, k, side == 0);
            if (!level[of_head]) continue;
            Ink ink = ink_of_type(sent->types ? sent->types[far[of_head]] : NULL);
            canvas_lines(canvas, row, at, LINE_UP, ink);
            canvas_down(canvas, at, row, row + level[of_head], ink);
        }
        if (bus < 0) continue;
        Ink ink = ink_of_type(sent->types ? sent->types[w] : NULL);
        canvas_down(canvas, block->center[k], row, row + level[bus], ink);
        canvas_text(canvas, row, block->center[k], block->style.ascii ? "^" : "\u25b2", ink);
    }
}
