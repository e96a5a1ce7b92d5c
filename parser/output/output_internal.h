/* What writers of formats share; output.h is the interface. */
#pragma once

#include "parser/output/output.h"
#include "parser/parse/why_notes.h"

/* A parsed sentence as it is written. */
typedef struct Written {
    const Model *m;
    const Parsed *p;
    const Sentence *s; /* parsed_sentence of p */
    const Origin *o;
    const OutputStyle *style;
    const WhyNotes *why;        /* NULL: none */
    int rank, ranks;            /* rank 1 .. ranks of the best parses (Parsed.best); 0: they were not asked for */
    int unary_of;               /* lowest earlier rank that differs only in unary phrases, or 0 */
    const struct Written *best; /* [ranks] with OUTPUT_BEST_WITHIN; else NULL */
} Written;

/* The note on each word's arc, [n_words]; NULL when out of memory. Freed with mem_free. */
const WhyNote **output_arc_notes(const Written *written);

/* The confidence to be written, or NULL. */
static inline const Confidence *output_confidence(const Written *written)
{
    return written->style->confidence ? written->p->confidence : NULL;
}

/* A sentence of n tokens that is not parsed, as a line of JSON. */
void output_tokens(StrBuf *out, const Origin *origin, int n);

/* The name of the dependencies; NULL: not known. */
const char *output_scheme(const Written *written);

/* Appends the text of a sentence, every run of white space replaced by a blank; words separated by blanks, but for
 * SpaceAfter=No of its rows, where the text is not known. */
void output_text(StrBuf *out, const Origin *origin, const Sentence *sent);
