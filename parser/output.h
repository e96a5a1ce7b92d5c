/* parser/output.h
 * Parsed sentences as text: brackets, CoNLL-U, JSON lines (docs/FORMATS.md). */
#ifndef LAL_PARSER_OUTPUT_H
#define LAL_PARSER_OUTPUT_H

#include "parser/parse.h"
#include "treebank/segment.h"

enum { OUTPUT_BRACKETS, OUTPUT_CONLLU, OUTPUT_JSON, OUTPUT_CONLLX };

/* Where a sentence comes from; tokens NULL when offsets are not known. */
typedef struct Origin {
    long id;   /* 1-based number of the sentence in the output */
    long line; /* 1-based line it begins on; 0 unknown */
    bool new_paragraph;
    const Token *tokens; /* [n_words] */
    StrView text;        /* that the offsets refer to */
} Origin;

/* Appends one sentence. A sentence of no words is an empty line in brackets and CoNLL, an object without tokens in JSON. */
void output_sentence(StrBuf *out, const Parsed *p, const Origin *o, int format);

#endif
