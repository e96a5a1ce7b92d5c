/* treebank/draw.h
 * A sentence as a picture: its tree, or its dependencies as arcs over the words, as one SVG element that needs nothing else. */
#ifndef LAL_TREEBANK_DRAW_H
#define LAL_TREEBANK_DRAW_H

#include "treebank/tree.h"

/* Appends an <svg> element with a title and a text alternative. A sentence without a tree (or without heads) gives its words alone. Out of memory sets out->failed. */
void draw_tree(StrBuf *out, const Sentence *s);
void draw_arcs(StrBuf *out, const Sentence *s);

#endif
