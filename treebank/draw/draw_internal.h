/* What the files draw*.c share. All lengths are px, y grows downwards. */
#pragma once

#include "treebank/draw/draw.h"

enum { DRAW_MARGIN = 10 };

/* ---- text */

typedef enum DrawFont { FONT_WORD, FONT_TAG, FONT_TYPE, FONT_LABEL } DrawFont;

/* The width of a text as it is written, cut if it is too long. */
int draw_text_width(const char *text, DrawFont font);
/* draw_text_width with the ground of a phrase's label. */
int draw_label_width(const char *text, DrawFont font);
/* <text> centred at x, or beginning there. y: its middle. */
void draw_text(StrBuf *out, int x, int y, bool centred, DrawFont font, const char *text);
/* A label; one of a phrase (FONT_LABEL) is on a coloured ground. */
void draw_label(StrBuf *out, int x, int y, bool centred, DrawFont font, const char *text);

/* ---- structure */

typedef struct DrawArc {
    int from, to;     /* words, 0-based; from -1: the root */
    int level;        /* from 1: one more than the highest arc below it */
    int offset;       /* of its beginning from the middle of `from`: rank among the arcs of that side, the longest 1;
                         negative to the left */
    const char *type; /* "" if unknown */
} DrawArc;

typedef struct Drawing {
    const Sentence *sent;
    const DrawOptions *o;
    Arena *a;
    bool tree;
    int *parent;  /* [n_phrases] -1: none */
    int *height;  /* [n_phrases] 1 above words, else one more than the highest child */
    int *over;    /* [n_words] the innermost phrase over a word; -1: none */
    int highest;  /* of the phrases */
    DrawArc *arc; /* [n_arcs] by increasing length */
    int n_arcs, levels;
    int *outgoing; /* [2, n_words] number of arcs that begin at a word and go left, right */
} Drawing;

/* draw_text for a word of the drawing, which may be marked. */
void draw_word(StrBuf *out, const Drawing *drawing, int w, int x, int y, bool centred);

/* Fills the structure of drawing->sent as drawing->o asks. false when out of memory. */
bool draw_structure(Drawing *drawing);

/* The distance between the beginnings of neighbouring arcs at a word whose side is `room` wide. */
int draw_offset(const Drawing *drawing, const DrawArc *arc, int room, int most);

/* ---- layouts: placed, then written */

typedef struct DrawAcross {
    int *left, *width;                      /* [n_words] */
    int *centre;                            /* [n_phrases] */
    int y_words, y_tags, y_arcs, direction; /* arcs go up (-1) from y_arcs, or down (1) */
    bool mirrored;                          /* the first word is on the right */
    int total_width, total_height;
} DrawAcross;

typedef struct DrawDown {
    int *x, *row;  /* [n_phrases] left edge, row */
    int *word_row; /* [n_words] */
    bool folded;   /* the first child is in the row of its parent */
    int x_words, x_tags, x_types, x_arcs;
    int total_width, total_height;
} DrawDown;

bool draw_across_place(const Drawing *drawing, DrawAcross *across);
void draw_across_write(StrBuf *out, const Drawing *drawing, const DrawAcross *across);
/* width: the first child is put in the row of its parent if the picture then fits it without shrinking much; 0: no
 * limit. */
bool draw_down_place(const Drawing *drawing, int width, DrawDown *down);
void draw_down_write(StrBuf *out, const Drawing *drawing, const DrawDown *down);

/* The letter of the colour of a label's family. */
char draw_colour(const char *label, DrawFont font);
