/* treebank/sinica.h
 * The Sinica Treebank's own notation: a tree a line, phrases and words with their semantic roles, the closing mark
 * behind the tree: #3:3.[39029] S(theme:NP(Head:Nhaa:我們)|Head:V_11:是|range:NP(Head:Nab:鄰居))#，(COMMACATEGORY)
 * (Chen et al. 2003, "Sinica Treebank: design criteria, representational issues and implementation"). */
#ifndef LAL_TREEBANK_SINICA_H
#define LAL_TREEBANK_SINICA_H

#include "treebank/tree.h"

/* Reads all trees of a block and appends them to tb; a tree is a line. Categories lose features ("[+ASP]"); the mark
 * becomes the last word of the top phrase. Dependencies follow from the roles: the head of a phrase is its child with
 * the role Head (the last of several, or of none, in N and D phrases, else the first), the others depend on it under
 * the names of their roles, further Heads as "cohead", the mark as "punct". ERR_FORMAT with line and column, ERR_NOMEM.
 */
Status sinica_read(Treebank *tb, TextBlock block, Error *e);

#endif
