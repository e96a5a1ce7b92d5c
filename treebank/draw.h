/* treebank/draw.h
 * Draws a sentence as one self-contained SVG element: its tree, or its dependencies as arcs over the words. */
#ifndef LAL_TREEBANK_DRAW_H
#define LAL_TREEBANK_DRAW_H

#include "treebank/tree.h"

/* Marks of the label of a phrase or an arc. */
typedef struct DrawMark {
    int target; /* the label is a link to "#d<target>"; -1: no link */
    bool wrong; /* a cross is drawn after the label */
} DrawMark;

/* Append an <svg> element with a title. marks: [n_phrases] for draw_tree, [n_words] (of each word's arc) for draw_arcs;
 * may be NULL. Of a sentence without a tree, or without heads, only the words are drawn. out->failed is set when out of
 * memory. */
void draw_tree(StrBuf *out, const Sentence *sent, const DrawMark *marks);
void draw_arcs(StrBuf *out, const Sentence *sent, const DrawMark *marks);

#endif
