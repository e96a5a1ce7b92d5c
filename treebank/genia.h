/* treebank/genia.h
 * The XML of the GENIA Treebank: <sentence> with <cons cat="NP" role="SBJ"> phrases and <tok cat="NN"> words (Tateisi
 * et al. 2005, "Syntax annotation for the GENIA corpus"). Everything outside sentences is skipped. */
#pragma once

#include "treebank/bracket.h"

/* Reads a file piece by piece. */
typedef struct GeniaReader GeniaReader;

/* Sentences are appended to tb. Tags are mapped to tags of the Penn Treebank (COMMA to ",", PRPP to "PRP$"); blanks
 * inside a token are dropped. The attributes role, func, adv, null and syn become function tags (NP-SBJ) unless
 * o.strip_functions; null elements are traces. path and e are kept by reference. NULL with ERR_NOMEM in e. Freed with
 * genia_free. */
GeniaReader *genia_new(Treebank *tb, const char *path, BracketOptions o, Error *e);
void genia_free(GeniaReader *r);
/* Reads the next piece of the file; `last` is true for the last one. ERR_FORMAT with line and column, ERR_NOMEM. */
Status genia_feed(GeniaReader *r, StrView text, bool last);

/* The number of bytes that expat will read again with the next piece, because they begin an item that is not complete.
 * For linear time, the next piece should not be smaller. */
size_t genia_backlog(const GeniaReader *r);
/* True between two sentences: the sentences of tb are complete, and the caller may drop them. */
bool genia_idle(const GeniaReader *r);

/* A unit ends with </sentence> (base/stream.h). */
size_t genia_cut(CutState *s, const char *p, size_t n);

/* Reads a whole file. */
Status genia_read(Treebank *tb, TextBlock block, BracketOptions o, Error *e);
