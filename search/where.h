/* Conditions on the nodes that a pattern names, and values of theirs: "n.p < 0.6 and (n.head = 37 or n.words > 4)". */
#pragma once

#include "search/match.h"

/* What is asked about. Where a graph is there, conditions on words are about its words, too. */
enum {
    ASKS_TREE = 1,
    ASKS_GRAPH = 2,
    ASKS_WORDS = 4, /* what the graph's words are, and whom they depend on */
    ASKS_P = 8,     /* probabilities */
    ASKS_HEADS = 16 /* label heads */
};

/* Of a phrase, word, lemma, tag, upos, feats and type are those of its head word, but tag is its label. */
#define WHERE_ABOUT                                                                                                  \
    "conditions on nodes that the pattern names (match: the one it begins with): NAME.FIELD and a value or another " \
    "field, with = != < <= > >= and ~ (regular expression), joined by and, or, not and brackets; NAME in NAME; "     \
    "fields: label, text, words, word, lemma, tag, upos, feats, feats.KEY, type, p, head, part, begin, end; of "     \
    "sentence: text, words, p_tree, f1, rank, p, id, line, document"

typedef struct Where Where; /* for one thread */
typedef struct Fields Fields;

/* names [n]: of the nodes of a match, kept by reference. NULL with ERR_FORMAT: path "where", the column of the byte
 * in error; or ERR_NOMEM. */
Where *where_compile(StrView text, const char *const *names, int n, Error *error);
void where_free(Where *where);
int where_asks(const Where *where); /* bits ASKS_ */
/* Do the conditions hold of a match? Comparisons with what is unset or unknown do not hold. */
bool where_holds(Where *where, const Match *match, Searched *sentence, const StrMap *labels);
/* Were all answers of where_holds since the last call of this right? ERR_LIMIT: not, by the limits of a regular
 * expression; ERR_NOMEM. */
Status where_status(Where *where, Error *error);

/* "n.word, n.tag": a table's columns. Path "fields". */
Fields *fields_compile(StrView text, const char *const *names, int n, Error *error);
void fields_free(Fields *fields);
int fields_asks(const Fields *fields);
/* Appends the values, separated by tabs; "" where one is unset or unknown. */
void fields_put(StrBuf *out, const Fields *fields, const Match *match, Searched *sentence, const StrMap *labels);
