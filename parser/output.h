/* parser/output.h
 * Parsed sentences as text, where numbers of labels become strings: brackets, CoNLL-U, JSON lines, trees and arcs for
 * a person who reads them, and probabilities (docs/FORMATS.md). */
#ifndef LAL_PARSER_OUTPUT_H
#define LAL_PARSER_OUTPUT_H

#include "parser/parse.h"
#include "treebank/text/segment.h"
#include "treebank/draw/terminal.h"

typedef enum OutputFormat {
    OUTPUT_BRACKETS,
    OUTPUT_CONLLU,
    OUTPUT_JSON,
    OUTPUT_CONLLX,
    OUTPUT_PRETTY,
    OUTPUT_SOFT
} OutputFormat;

/* Where a sentence comes from; tokens NULL when offsets are not known. */
typedef struct Origin {
    long id;   /* 1-based number of the sentence in the output */
    long line; /* 1-based line it begins on; 0 unknown */
    bool new_paragraph;
    bool touches_next;    /* no white space is between its last token and the next sentence */
    const Token *tokens;  /* [n_words] */
    TextBlock block;      /* the text of the tokens */
    const char **spelled; /* [n_words] the words as the treebank spells them, or NULL */
    const char *document; /* the file's name if several are parsed, else NULL */
    const char *file;     /* the file's name; NULL: standard input */
    bool new_document;    /* the first sentence of the file */
} Origin;

typedef struct OutputStyle {
    OutputFormat format;
    Escapes escapes;        /* of words in brackets and CoNLL-X */
    TerminalStyle terminal; /* of OUTPUT_PRETTY; with neither tree nor arcs, trees in brackets over several lines */
    bool ud; /* dependencies are Universal Dependencies, which output_knows_ud must allow; else the model's relations */
    const char *treebank; /* of OUTPUT_SOFT: whose conventions were followed; NULL: unknown */
} OutputStyle;

/* Does the model predict Stanford dependencies, which can be converted into Universal Dependencies
 * (treebank/ud/ud.h)? */
bool output_knows_ud(const Model *m);

/* Appends one sentence. A sentence of no words is an empty line in brackets and CoNLL, an object without tokens in
 * JSON, nothing in OUTPUT_PRETTY, where an empty line separates sentences, and in OUTPUT_SOFT, which also leaves out
 * sentences without Parsed.soft. Out of memory sets out->failed. */
void output_sentence(StrBuf *out, const Model *m, const Parsed *p, const Origin *o, OutputStyle style);
/* Appends a sentence of n tokens that is not parsed as a JSON line, with the members that do not come from a parse. */
void output_tokens(StrBuf *out, const Origin *o, int n);

#endif
