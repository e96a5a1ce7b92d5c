/* parser/output/output_internal.h
 * Shared by the writers of formats; output.h is the interface.
 *   output.c         chooses the writer; brackets
 *   output_conll.c   CoNLL-U and CoNLL-X
 *   output_json.c    JSON lines
 *   output_pretty.c  trees over several lines, and drawings
 *   output_soft.c    probabilities */
#ifndef LAL_PARSER_OUTPUT_OUTPUT_INTERNAL_H
#define LAL_PARSER_OUTPUT_OUTPUT_INTERNAL_H

#include "parser/output/output.h"

/* A parsed sentence as it is written. */
typedef struct Written {
    const Model *m;
    const Parsed *p;
    const Sentence *s; /* the same with strings */
    const Origin *o;
    bool ud; /* Universal Dependencies are asked for */
} Written;

/* The note on each word's arc, [n_words]; NULL when out of memory. Freed with mem_free. */
const WhyNote **output_arc_notes(const Parsed *p);

/* Appends the text of a sentence, every run of white space replaced by a blank; words separated by blanks where the
 * text is not known. */
void output_text(StrBuf *out, const Origin *o, const Sentence *sent);

/* Append one sentence of at least one word; JSON also one without words. Out of memory sets out->failed. */
void output_conllu(StrBuf *out, const Written *x);
void output_conllx(StrBuf *out, const Written *x, Escapes escapes);
void output_json(StrBuf *out, const Written *x);
void output_pretty(StrBuf *out, const Written *x, const OutputStyle *style);

/* Appends the probabilities of one sentence of at least one word. */
void output_soft(StrBuf *out, const Model *m, const Parsed *p, const char *treebank);

#endif
