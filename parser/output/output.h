/* parser/output/output.h
 * Parsed sentences as text, where numbers of labels become strings: brackets, CoNLL-U, JSON lines, trees and arcs for
 * a person who reads them, and probabilities (docs/FORMATS.md). */
#ifndef LAL_PARSER_OUTPUT_OUTPUT_H
#define LAL_PARSER_OUTPUT_OUTPUT_H

#include "parser/parse/source.h"
#include "treebank/draw/terminal.h"

typedef enum OutputFormat {
    OUTPUT_BRACKETS,
    OUTPUT_CONLLU,
    OUTPUT_JSON,
    OUTPUT_CONLLX,
    OUTPUT_PRETTY,
    OUTPUT_SOFT
} OutputFormat;

typedef struct OutputStyle {
    OutputFormat format;
    Escapes escapes;        /* of words in brackets and CoNLL-X */
    TerminalStyle terminal; /* of OUTPUT_PRETTY; with neither tree nor arcs, trees in brackets over several lines */
    bool ud; /* dependencies are Universal Dependencies, which output_knows_ud must allow; else the model's relations */
    const char *treebank; /* of OUTPUT_SOFT: whose conventions were followed; NULL: unknown */
} OutputStyle;

/* Does the model predict Stanford dependencies, which can be converted into Universal Dependencies
 * (language/english/ud/ud.h)? */
bool output_knows_ud(const Model *m);

/* Appends one sentence. A sentence of no words is an empty line in brackets and CoNLL, an object without tokens in
 * JSON, nothing in OUTPUT_PRETTY, where an empty line separates sentences, and in OUTPUT_SOFT, which also leaves out
 * sentences without Parsed.soft. Out of memory sets out->failed. */
void output_sentence(StrBuf *out, const Model *m, const Parsed *p, const Origin *o, OutputStyle style);
/* Appends a sentence of n tokens that is not parsed as a JSON line, with the members that do not come from a parse. */
void output_tokens(StrBuf *out, const Origin *o, int n);

#endif
