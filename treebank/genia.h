/* treebank/genia.h
 * The GENIA Treebank's XML: <sentence> with <cons cat="NP" role="SBJ"> phrases and <tok cat="NN"> words (Tateisi et al. 2005, "Syntax annotation
 * for the GENIA corpus"); what stands outside sentences is passed over. */
#ifndef LAL_TREEBANK_GENIA_H
#define LAL_TREEBANK_GENIA_H

#include "treebank/bracket.h"

/* Reads all sentences behind those in tb. Tags become the Penn Treebank's (COMMA is ",", PRPP is "PRP$"); blanks inside a token go. Phrases keep
 * role, func, adv, null and syn as function tags (NP-SBJ) unless o.strip_functions; null elements are traces. ERR_FORMAT with line and column, ERR_NOMEM. */
Status genia_read(Treebank *tb, StrView text, const char *path, BracketOptions o, Error *e);

#endif
