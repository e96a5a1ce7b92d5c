/* What the line breaks of a paragraph mean: a decision for each, from the lines around it. */
#include <string.h>

#include "language/english/text/segment_internal.h"

enum {
    AROUND = 4,       /* lines before and after a break that belong to its block */
    NARROW = 30,      /* columns: the longest line of a list */
    LEAST_WIDTH = 40, /* smallest width of wrapped text */
    LONG = 60         /* a line that may be wrapped even if no other is as long */
};

/* Counts over the lines around a break. */
typedef struct Block {
    int width, widest;  /* of wrapped text, at least LEAST_WIDTH; of the longest line */
    int all, full;      /* breaks; those where the next word would not have fit into the line */
    int lower;          /* the next line begins in lower case */
    int lower_full;     /* both */
    int lower_free;     /* lower case after . ? !: the writer does without capitals */
    int capitals;       /* lines that begin with a capital or the mark of a row */
    int marks, periods; /* lines that end with . ? !, with a period */
    int rows[ROWS];     /* lines by their marks */
    bool wrapped;       /* most breaks are where the next word did not fit: they are weak evidence */
} Block;

static const Line *line_at(const Layout *l, int i) { return &l->lines[i & (LAYOUT_LINES - 1)]; }

static bool is_full(const Line *a, const Line *b, int width) { return a->columns + 1 + b->word > width; }

static void count_breaks(const Layout *l, int low, int high, Block *block)
{
    block->full = block->lower = block->lower_full = block->lower_free = 0;
    for (int i = low; i < high; i++) {
        const Line *a = line_at(l, i), *b = line_at(l, i + 1);
        bool lower = b->first == FIRST_LOWER, full = is_full(a, b, block->width);
        block->full += full;
        block->lower += lower;
        block->lower_full += lower && full;
        block->lower_free += lower && !b->row && (a->last == LAST_MARK || a->last == LAST_PERIOD);
    }
}

/* The block of the break after the current line. */
static Block block_around(const Layout *l)
{
    int low = l->now > AROUND ? l->now - AROUND : 0;
    int high = l->now + 1 + AROUND < l->n ? l->now + 1 + AROUND : l->n - 1;
    Block b = { .all = high - low };
    for (int i = low; i <= high; i++) {
        const Line *x = line_at(l, i);
        if (x->columns > b.width && !x->one_word) b.width = x->columns; /* a word may be long: an address */
        b.capitals += x->row ? !x->lower : x->first == FIRST_CAPITAL;
        b.periods += x->last == LAST_PERIOD;
        b.marks += x->last == LAST_PERIOD || x->last == LAST_MARK;
        b.rows[x->row]++;
    }
    b.widest = b.width;
    count_breaks(l, low, high, &b);
    /* a narrow column: nearly all lines are full, and most begin in lower case, as lines of verse do not */
    bool column = b.all > 1 && b.full * 10 >= b.all * (b.all == 2 ? 10 : 8) && b.lower * 2 >= b.all;
    if (b.width < LEAST_WIDTH && !column) {
        b.width = LEAST_WIDTH;
        count_breaks(l, low, high, &b);
    }
    bool verse = b.all >= 3 && b.lower * 10 <= b.all && b.full * 5 <= b.all * 4; /* or a list */
    b.wrapped = (b.lower ? 2 * b.lower_full > b.lower && 3 * b.full > b.all : 2 * b.full > b.all) && !verse;
    return b;
}

/* Does the writer begin sentences in lower case? */
static bool without_capitals(const Block *b)
{
    return b->lower_free > 0 || b->capitals == 0 || (b->marks == 0 && 3 * b->lower >= b->capitals);
}

/* Does the line end with a word that a number follows (section)? */
static bool takes_number(StrView text, const Line *line)
{
    char last[16];
    size_t word = line->end;
    while (word > line->begin && text.ptr[word - 1] != ' ') word--;
    segment_lower_word(text, word, line->end, last, sizeof last);
    return segment_takes_number(last);
}

/* Is line b a row among others? a: the line before it. */
static bool is_row(StrView text, const Line *a, const Line *b, const Block *block)
{
    if (!b->row || block->rows[b->row] < 2 || a->last == LAST_FUNCTION || a->last == LAST_PREPOSITION) return false;
    return b->row != ROW_NUMBER || a->last != LAST_OTHER || !takes_number(text, a);
}

static int break_between(bool row, const Line *a, const Line *b, const Block *block)
{
    bool fits = a->columns + 1 + b->word <= block->width;
    bool full = !fits && (block->wrapped || a->columns >= LONG);
    bool lower = b->first == FIRST_LOWER && !b->row, capitals = !without_capitals(block);
    bool ended = a->last == LAST_MARK || a->last == LAST_PERIOD;
    bool hangs = b->indent > a->indent + 1 && !b->row; /* - item that\n  goes on */
    bool goes_on = a->last == LAST_FUNCTION || (a->last == LAST_PREPOSITION && (capitals || full || hangs || !lower));
    /* rows of a dialogue, a log or a list, of a table, asides, and lines without a letter */
    if (row) return GAP_LINE;
    if (a->cells + b->cells >= 2 && !(lower && full && block->width >= LEAST_WIDTH)) return GAP_LINE;
    if (a->aside || b->aside || a->bare || (b->bare && !goes_on)) return GAP_LINE;
    if (a->last == LAST_COLON && !full && b->first != FIRST_ADDRESS) return GAP_LINE;
    /* the sentence goes on */
    if (goes_on || (lower && !ended && (capitals || hangs))) return full ? GAP_WRAPPED : GAP_SPACE;
    /* headings */
    if (a->capitals && !full && !lower) return GAP_LINE;
    if (b->capitals && !a->capitals && !(full && a->last == LAST_COMMA)) return GAP_LINE;
    bool heading = 2 * a->columns < block->width && b->first == FIRST_CAPITAL;
    if (block->wrapped) return full ? GAP_WRAPPED : heading ? GAP_LINE : GAP_SHORT;
    if (full) return GAP_WRAPPED;
    bool ragged = 4 * block->lower > block->all && capitals;
    bool lines = block->all >= 3 || block->periods == 0 || (block->all >= 2 && block->widest <= NARROW) || !capitals;
    return lines && !ragged ? GAP_LINE : GAP_FREE;
}

static uint16_t short_of(size_t n) { return (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX); }

void segment_layout_begin(Layout *layout, StrView text, size_t from, size_t to)
{
    layout->text = text;
    layout->next = from;
    layout->to = to;
    layout->n = layout->now = 0;
    layout->plain = 0;
    layout->one_line = !memchr(text.ptr + from, '\n', to - from);
    layout->in_row = false;
    layout->columns = short_of(to - from);
}

/* Reads lines up to AROUND + 1 after the current one. */
static void read_lines(Layout *l)
{
    while (l->n <= l->now + 1 + AROUND &&
           segment_read_line(&l->lines[l->n & (LAYOUT_LINES - 1)], l->text, &l->next, l->to))
        l->n++;
}

/* Moves to the next line; `row`: it is one among others. */
static void move(Layout *l, bool row)
{
    l->now++;
    l->in_row = row;
    l->columns = short_of((size_t)line_at(l, l->now)->columns);
    read_lines(l);
}

int segment_layout_gap(Layout *layout, size_t from, size_t to)
{
    static const Line none;
    Layout *l = layout;
    if (to <= l->plain) return GAP_SPACE; /* most gaps */
    if (l->n == 0) {
        read_lines(l);
        Block block = block_around(l);
        l->in_row = is_row(l->text, &none, line_at(l, 0), &block);
        l->columns = short_of((size_t)line_at(l, 0)->columns);
    }
    while (l->now + 1 < l->n && line_at(l, l->now)->end < from) move(l, false); /* a word was broken there */
    const Line *line = line_at(l, l->now), *next = line_at(l, l->now + 1);
    if (to > line->end && l->now + 1 < l->n) {
        Block block = block_around(l);
        bool row = is_row(l->text, line, next, &block);
        int gap = break_between(row, line, next, &block);
        move(l, row);
        return gap;
    }
    if (!line->cells && (!l->in_row || from > line->mark)) l->plain = line->end;
    bool mark = l->in_row && from <= line->mark;
    bool wide = to - from > 1 || l->text.ptr[from] == '\t';
    bool cell = wide && (line->cells == 2 || !strchr(".?!\"')", l->text.ptr[from - 1])); /* two after a sentence */
    return mark || cell ? GAP_INSIDE : GAP_SPACE;
}
