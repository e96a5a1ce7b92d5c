/* A text without its markup: the signs of quoted mail at the beginning of lines, and Markdown. All line breaks stay,
 * and a form feed ends a paragraph where markup does (segment.c).
 *
 *   left out where markup is MARKUP_AUTO, by signs that are nothing else:
 *     > >>           before quoted lines of a paragraph in which one begins with "> "; the quotation is a paragraph
 *     # ... ######   before a heading, and after it
 *     ```  ~~~       code between two such lines
 *     |---|---|      a table with such a line under its first one
 *     **bold**       the stars of a pair    `code`  the ticks of a pair     [text](address)  all but the text
 *     ![text](address)  all of it
 *   with MARKUP_MARKDOWN also:
 *     - + *          before an item, which begins a paragraph, and [ ] or [x] after it
 *     *text* _text_  ***text***   \* (the backslash)   [text][name]   [name]: address   <!-- -->
 *     === ---        under a heading, and *** --- ___ alone on a line
 *
 * Each is found in its own paragraph (with NEWLINES_PARAGRAPH in its line), but code, which may have empty lines, so a
 * text may be read in pieces of paragraphs: stream_cut_paragraphs knows code, too. */
#pragma once

#include "language/language.h"

typedef struct Cut { /* from a byte of the clean text on, its place in the text is this much further on */
    size_t at;       /* ascending */
    long bytes, characters;
} Cut;

typedef struct CleanText {
    StrView clean; /* the text itself, or in the arena */
    Cut *cuts;     /* [n] on the heap */
    int n, cap;
} CleanText;

/* *clean_text is all zero. false when out of memory; markup_fini is to be called in any case. */
bool markup_leave_out(CleanText *clean_text, StrView text, Markup kind, bool lines, Arena *arena);
/* Changes offsets of tokens in the clean text to offsets in the text. */
void markup_place(const CleanText *text, SegmentedText *segmented_text);
void markup_fini(CleanText *text);
