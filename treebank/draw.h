/* treebank/draw.h
 * A sentence as a picture: its tree, or its dependencies as arcs over the words, as one SVG element that needs nothing
 * else. */
#ifndef LAL_TREEBANK_DRAW_H
#define LAL_TREEBANK_DRAW_H

#include "treebank/tree.h"

/* What a phrase or an arc of the picture is besides its label. */
typedef struct DrawMark {
    int target; /* its label links to "#d<target>"; -1: to nothing */
    bool wrong; /* a cross stands behind its label */
} DrawMark;

/* Appends an <svg> element with a title and a text alternative. marks: of the phrases, of the words' arcs, or NULL. A
 * sentence without a tree (or without heads) gives its words alone. Out of memory sets out->failed. */
void draw_tree(StrBuf *out, const Sentence *s, const DrawMark *marks);
void draw_arcs(StrBuf *out, const Sentence *s, const DrawMark *marks);

#endif
