/* language/english/text/segment.h
 * Splits raw text into sentences of tokens, in the style of the Penn Treebank. Tokens are unchanged pieces of the
 * text; with their offsets the text can be restored. Hyphenated words are not split here (segment_hyphens.h). The
 * rules are for English, but are harmless for other languages. Sentences end at empty lines, before the items of a
 * list (1. a) (i) and bullets), and where a log-linear classifier (segment_boundary.h) predicts it
 * from words, punctuation, capitals and line breaks around each gap between tokens. Its weights are compiled in;
 * models/README.md says what they were trained on. */
#ifndef LAL_LANGUAGE_ENGLISH_TEXT_SEGMENT_H
#define LAL_LANGUAGE_ENGLISH_TEXT_SEGMENT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/stream.h"

typedef struct Token {
    size_t begin, end;           /* bytes of the file */
    size_t begin_char, end_char; /* characters (code points) of the file */
    const char *form;            /* NUL-terminated copy in the arena */
} Token;

typedef struct TextSentence {
    int first, n; /* tokens first .. first + n - 1; n = 0 for an empty line of pre-tokenised text */
    bool new_paragraph;
    long line; /* of its beginning, 1-based */
} TextSentence;

typedef struct SegmentedText {
    Token *tokens;
    int n_tokens, token_cap;
    TextSentence *sentences;
    int n_sentences, sentence_cap;
} SegmentedText;

/* What a line break means; empty lines separate paragraphs in any case. */
typedef enum Newlines {
    NEWLINES_AUTO,      /* depends on the layout of the paragraph: language/english/text/segment_internal.h, Layout */
    NEWLINES_SENTENCE,  /* the end of a sentence */
    NEWLINES_PARAGRAPH, /* the end of a paragraph */
    NEWLINES_SPACE      /* white space */
} Newlines;
#define NEWLINES_CHOICES "auto|sentence|paragraph|space" /* in this order */
#define NEWLINES_ABOUT                                                                                         \
    "what a line break in raw text ends: a sentence, a paragraph, or (space) nothing; auto: a sentence where " \
    "lines are those of chat, lists, headers or verse, not where prose is wrapped"

/* Splits UTF-8 text. out is all zero, or the result of an earlier call, which is replaced; its arrays are used again.
 * Forms are in the arena, the arrays on the heap until segmented_text_fini. ERR_NOMEM, ERR_FORMAT (a NUL byte or
 * invalid UTF-8, with line and column, or what the file is: a PDF file, say). */
Status segment_text(SegmentedText *out, TextBlock block, Newlines newlines, Arena *a, Error *e);

/* Splits text with one sentence per line and tokens separated by white space; an empty line is a sentence without
 * words. Memory and errors as above. */
Status segment_pretokenized(SegmentedText *out, TextBlock block, Arena *a, Error *e);

/* A unit is a paragraph (base/stream.h). */
size_t segment_cut(CutState *s, const char *p, size_t n);

void segmented_text_fini(SegmentedText *t);

#endif
