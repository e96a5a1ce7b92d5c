/* Draws a sentence as one self-contained SVG element: its tree, its dependencies as arcs, or both over the same words.
 * Two layouts: words in a row (tree above, arcs below), and words in a column (tree left, arcs right), for sentences
 * that are too long for the width. Colours follow the system's preference for light or dark. Labels do not overlap, and
 * every word is inside the picture: text is measured in the widest common sans-serif font. */
#pragma once

#include "treebank/tree.h"

typedef enum DrawLayout {
    DRAW_AUTO,   /* a row, unless it must shrink below DRAW_LEAST_SCALE to fit the width */
    DRAW_ACROSS, /* words in a row */
    DRAW_DOWN,   /* words in a column */
} DrawLayout;

#define DRAW_LEAST_SCALE 0.75

typedef struct DrawOptions {
    bool tree, arcs; /* what is drawn, of what the sentence has; the words are always drawn */
    DrawLayout layout;
    int width;          /* px that the picture must fit; 0: no limit */
    bool style;         /* with draw_style; else the page around the picture has it */
    int top;            /* y of the element in an <svg> around it */
    const bool *marked; /* [n_words] words in another colour; NULL: none */
} DrawOptions;

/* The size of a picture: px before scaling, and scaled to DrawOptions.width. */
typedef struct DrawSize {
    int width, height, shown_width, shown_height;
} DrawSize;

/* Appends an <svg> element with a title; *size (or NULL) is its size. Words of more than 40 characters are cut and
 * have a title. out->failed is set when out of memory. */
void draw_sentence(StrBuf *out, const Sentence *sent, const DrawOptions *options, DrawSize *size);
/* Appends the rules of CSS for pictures, all below the class "drawing". */
void draw_style(StrBuf *out);
