/* Shared by the files of terminal.h.
 *   terminal.c           glyphs, the canvas, colours; a sentence to blocks
 *   terminal_layout.c    the columns of a block: of words, and of phrases above them
 *   terminal_lines.c     the lines of a block: its tree and its arcs
 *   terminal_brackets.c  trees in brackets */
#pragma once

#include "treebank/draw/terminal.h"

/* ---- characters and colours */

typedef enum Ink {
    INK_PLAIN,
    INK_WORD,
    INK_TAG,
    INK_FAINT,
    /* phrases */
    INK_CLAUSE,
    INK_NOUN,
    INK_VERB,
    INK_PREPOSITION,
    INK_PHRASE,
    /* dependencies */
    INK_ROOT,
    INK_CORE,
    INK_OBLIQUE,
    INK_MODIFIER,
    INKS
} Ink;

/* The colour of a phrase by its label, and of an arc by its type. */
Ink ink_of_label(const char *label);
Ink ink_of_type(const char *type);
/* Appends the escape sequence that changes the colour from one ink to another; nothing if they are the same. */
void ink_change(StrBuf *out, Ink from, Ink to);

/* The columns of a text. */
int terminal_width(const char *text);

/* ---- the canvas */

enum { LINE_UP = 1, LINE_DOWN = 2, LINE_LEFT = 4, LINE_RIGHT = 8 };

/* A column of a row: a character (with the combining ones after it), or lines from its centre. */
typedef struct Cell {
    const char *text; /* NULL: lines. Of a wide character the second cell has a text of no bytes. */
    int len;          /* bytes of text */
    unsigned char lines, ink;
} Cell;

typedef struct Canvas {
    Cell *cell; /* [rows * cols] */
    int rows, cols;
} Canvas;

/* Draw what is on the canvas; the rest is cut. The text is borrowed. */
void canvas_text(Canvas *canvas, int row, int col, const char *text, Ink ink);
void canvas_lines(Canvas *canvas, int row, int col, int lines, Ink ink);
/* A horizontal line that joins the centres of two columns, from <= to; a vertical one between two rows. */
void canvas_across(Canvas *canvas, int row, int from, int to, Ink ink);
void canvas_down(Canvas *canvas, int col, int from, int to, Ink ink);
/* Nothing, unless a line goes down from here. */
void canvas_clear(Canvas *canvas, int row, int col);

/* ---- a block */

/* A phrase, as far as it is in the block. Of phrases that began before the block, those that have only one part in it,
 * which also began before it, are left out. */
typedef struct Node {
    const char *label;
    int parent;         /* node, before its children; -1: none */
    int begin, end;     /* words of the block */
    bool before, after; /* it continues before or after the block */
    int row;            /* above the words, from 1 */
    int from, to;       /* columns of its line: the centres of its first and last child, or an edge */
    int last;           /* the first word of its last child */
    int center, text;   /* columns: to which its parent's line goes; of its label */
    bool single;        /* it has one child in the block */
} Node;

/* The words begin .. end - 1 of a sentence and their columns. Arrays are as long as the sentence has words or
 * phrases. */
typedef struct Block {
    const Sentence *sent;
    TerminalStyle style;
    int begin, end;
    int *core;         /* columns of the widest text of each word of the block */
    int *left, *right; /* blanks before and after it, to make room for labels */
    int *center;       /* its middle column */
    int cols, margin;  /* columns of the block; of its left margin */
    Node *node;        /* in pre-order */
    int n_nodes;
    int *above; /* the innermost node over each word, or -1 */
    int rows;   /* of the tree */
} Block;

/* Is the tree drawn, or are the arcs? */
bool block_has_tree(const Block *block);
bool block_has_arcs(const Block *block);
/* Lays out the words begin .. end - 1; block_rows and block->cols are then the size of the drawing. */
void block_layout(Block *block, int begin, int end);
/* The label of a node as it is written before it; "" or a mark that it continues. */
const char *block_mark(const Block *block, const Node *node);

/* The line of a head to its dependents on one side (terminal_lines.c); length: words between its ends. */
typedef struct Arc {
    int bus, length;
} Arc;

/* Fills far [2 n_words]: of each bus the dependent at its end, -1 if there is no such bus. */
void block_arc_ends(const Block *block, int *far);
/* The rows of the arcs; level [2 n_words] is filled: the row of each bus, from 1, 0 where it has no end in the block.
 * gap [words of the block + 1] and order [2 n_words] are overwritten. */
int block_arc_levels(const Block *block, const int *far, int *level, int *gap, Arc *order);
void block_draw_tree(const Block *block, Canvas *canvas);
/* row: of the arrows. */
void block_draw_arcs(const Block *block, const int *far, const int *level, Canvas *canvas, int row);
