/* treebank/sinica.h
 * The notation of the Sinica Treebank: one tree per line, phrases and words with semantic roles, the final mark after
 * the tree: #3:3.[39029] S(theme:NP(Head:Nhaa:我們)|Head:V_11:是|range:NP(Head:Nab:鄰居))#，(COMMACATEGORY) (Chen et
 * al. 2003, "Sinica Treebank: design criteria, representational issues and implementation"). */
#pragma once

#include "treebank/tree.h"

/* Reads all trees of a block and appends them to tb. Features ("[+ASP]") of categories are removed; the final mark
 * becomes the last word of the top phrase. Dependencies follow from the roles. The head of a phrase is its child with
 * the role Head; if several children have it, or none, it is the last of them in phrases N... and D..., else the first.
 * The other children depend on it with their role as type, other Heads as "cohead", the mark as "punct". ERR_FORMAT
 * with line and column, ERR_NOMEM. */
Status sinica_read(Treebank *tb, TextBlock block, Error *e);
