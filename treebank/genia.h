/* treebank/genia.h
 * The GENIA Treebank's XML: <sentence> with <cons cat="NP" role="SBJ"> phrases and <tok cat="NN"> words (Tateisi et al.
 * 2005, "Syntax annotation for the GENIA corpus"); what stands outside sentences is skipped. */
#ifndef LAL_TREEBANK_GENIA_H
#define LAL_TREEBANK_GENIA_H

#include "treebank/bracket.h"

/* Reads a file piece by piece. */
typedef struct GeniaReader GeniaReader;

/* Sentences are appended to tb. Tags become the Penn Treebank's (COMMA is ",", PRPP is "PRP$"); blanks inside a token
 * are dropped. Phrases keep role, func, adv, null and syn as function tags (NP-SBJ) unless o.strip_functions; null
 * elements are traces. path and e are kept by reference. NULL with ERR_NOMEM in e. The caller frees it. */
GeniaReader *genia_new(Treebank *tb, const char *path, BracketOptions o, Error *e);
void genia_free(GeniaReader *r);
/* Reads the next piece of the file, the last one with `last` set. ERR_FORMAT with line and column, ERR_NOMEM. */
Status genia_feed(GeniaReader *r, StrView text, bool last);

/* Bytes that expat reads again with the next piece, since what they begin goes on there: a piece should not be smaller.
 */
size_t genia_backlog(const GeniaReader *r);
/* Between two sentences: what tb holds is complete and may be dropped. */
bool genia_idle(const GeniaReader *r);

/* A unit ends with </sentence> (base/stream.h). */
size_t genia_cut(CutState *s, const char *p, size_t n);

/* Reads a whole file. */
Status genia_read(Treebank *tb, TextBlock block, BracketOptions o, Error *e);

#endif
