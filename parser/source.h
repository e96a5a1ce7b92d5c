/* parser/source.h
 * Sentences to be parsed, from raw text, tokens or a treebank. */
#ifndef LAL_PARSER_SOURCE_H
#define LAL_PARSER_SOURCE_H

#include "parser/output.h"

typedef enum InputKind { INPUT_TEXT, INPUT_TOKENS, INPUT_CONLL, INPUT_BRACKETS } InputKind;
#define INPUT_CHOICES "text|tokens|conll|brackets"
#define INPUT_ABOUT "raw text, a sentence a line with tokens parted by blanks, or a treebank file whose words and tags are taken"

/* The sentences of one input file. */
typedef struct Source {
    const char *path;
    StrBuf text;
    Arena arena;
    SegmentedText seg; /* of text and tokens */
    Treebank tb;       /* of treebanks: gold */
    ParseInput *in;    /* [n] */
    int n;
} Source;

/* tags: those of a treebank go into the input. ERR_IO, ERR_FORMAT. To be ended by source_fini also after an error. */
Status source_read(Source *s, const char *path, InputKind kind, bool tags, Error *e);
void source_fini(Source *s);

/* Where sentence k stands; id is its number in the output. */
Origin source_origin(const Source *s, int k, long id);

#endif
