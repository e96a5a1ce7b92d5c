/* treebank/segment.h
 * Raw text to sentences of tokens, Penn-Treebank style. Tokens are pieces of the text, never rewritten: with their
 * offsets the text can be had back. Hyphenated words stay whole. The rules are for English and harmless elsewhere.
 * Sentences end at empty lines, before the items of a list (1. a) (i) and bullets), and where a log-linear classifier
 * says so (treebank/segment_boundary.h): it sees words, marks, capitals and line breaks around each gap of the
 * paragraph. Its weights are compiled in; models/README.md says what they were trained on. */
#ifndef LAL_TREEBANK_SEGMENT_H
#define LAL_TREEBANK_SEGMENT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/stream.h"

typedef struct Token {
    size_t begin, end;           /* bytes of the file */
    size_t begin_char, end_char; /* characters (code points) of the file */
    const char *form;            /* NUL-terminated copy, in the arena */
} Token;

typedef struct TextSentence {
    int first, n; /* tokens; n = 0 for an empty line of pre-tokenised text */
    bool new_paragraph;
    long line; /* 1-based, where it begins */
} TextSentence;

typedef struct SegmentedText {
    Token *tokens;
    int n_tokens, token_cap;
    TextSentence *sentences;
    int n_sentences, sentence_cap;
} SegmentedText;

/* Splits valid UTF-8 text. Empty lines separate paragraphs and so sentences; a single line break counts as far as its
 * line is not just wrapped. Forms lie in the arena, the arrays on the heap until segmented_text_fini. ERR_NOMEM, ERR_FORMAT
 * (a NUL byte or invalid UTF-8, with line and column). */
Status segment_text(SegmentedText *out, TextBlock block, Arena *a, Error *e);

/* One sentence a line, tokens separated by white space; an empty line is a sentence of no words. */
Status segment_pretokenized(SegmentedText *out, TextBlock block, Arena *a, Error *e);

/* A unit is a paragraph (base/stream.h). */
size_t segment_cut(CutState *s, const char *p, size_t n);

void segmented_text_fini(SegmentedText *t);

#endif
