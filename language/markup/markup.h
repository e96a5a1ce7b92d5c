/* A text without its markup, and where in the text what is left of it stands. What is left out is in no token; signs
 * that stand for a character (&amp;) are read as that character, and the token covers them.
 *
 *   MARKUP_AUTO  Markdown and quoted mail, by signs that are nothing else:
 *     > >>           before quoted lines of a paragraph in which one begins with "> "; the quotation is a paragraph
 *     # ... ######   before a heading, and after it
 *     ```  ~~~       code between two such lines
 *     |---|---|      a table with such a line under its first one
 *     **bold**       the stars of a pair    `code`  the ticks of a pair     [text](address)  all but the text
 *     ![text](address) ![text][name]  all of it, also in [![text](address)](address)
 *     &amp;   read as its sign; forms of tokens keep it as it is written
 *   MARKUP_MARKDOWN also:
 *     - + *          before an item, which begins a paragraph, and [ ] or [x] after it
 *     *text* _text_ ~~text~~ ***text***   \* (the backslash)   [text][name]   [name]: address   [^1] of footnotes
 *     === ---        under a heading, and *** --- ___ alone on a line
 *     <!-- -->, and tags of the elements of HTML
 *     lines with a paragraph of their own that are indented by four columns, or by four more than the text of the
 *                    item before them: code (not with NEWLINES_PARAGRAPH)
 *   Each is found in its own paragraph (with NEWLINES_PARAGRAPH in its line), but code, which may have empty lines, so
 *   a text may be read in pieces of paragraphs: stream_cut_paragraphs knows code, too.
 *
 *   MARKUP_HTML  tags, comments, declarations; scripts, styles, templates, pictures and formulas (svg, math), what is
 *     shown without scripts or frames only. Elements that are blocks (p div li td h1 title ...) are paragraphs, <br>
 *     and the lines of <pre> are line breaks, other elements glue; line breaks of the file are blanks. What no > closes
 *     before the next < is no tag, but text, as is < before what begins no name.
 *   MARKUP_SRT   numbers and times of cues; <i> <v Ann> <00:01.000>, {\an8}; WEBVTT, NOTE, STYLE and REGION up to an
 *     empty line. Cues follow each other without a break, so sentences go on in the next one; a paragraph ends before a
 *     speaker (a dash, >>, ANN:), around [noises] and songs, and at a pause: 1 s after . ? ! and 3 s elsewhere.
 *   MARKUP_LATEX commands with what is in square brackets after them, braces, comments; arguments that are no text
 *     (\cite \ref \label ...), footnotes; environments of formulas, figures, tables, code, but a mark that ends a
 *     formula; what stands before \begin{document}, from \documentclass on. A heading, an item, an environment of text
 *     is a paragraph. A formula within a line, $x$ or \(x\), is one token, without its blanks; numbers and single signs
 *     in it are text. ~ \, \quad are blanks, `` '' ` -- --- \'e \ss \ldots are the characters that they print.
 *
 * Where a text is cut inside of such a construct, MarkupText.state says which one. */
#pragma once

#include "base/markup_kind.h"
#include "base/stream.h"
#include "language/segmented_text.h"

typedef enum CutKind {
    CUT_LEFT_OUT,
    CUT_SIGN, /* the character before `at` stands for something else in the text */
    CUT_RAW   /* so, and the form has what is in the text, without its blanks */
} CutKind;

typedef struct Cut { /* from a byte of the clean text on, its place in the text is this much further on */
    size_t at;       /* ascending */
    long bytes, characters;
    CutKind kind;
} Cut;

typedef struct MarkupText {
    TextBlock block, clean; /* the text, and what is left of it: the text itself, or in the arena */
    CutState state;         /* what is open at the beginning of the block; then at its end */
    Cut *cuts;              /* [n] on the heap */
    int n, cap;
} MarkupText;

/* How the text is read. */
typedef struct MarkupOptions {
    Markup kind;
    bool lines; /* a line is a paragraph */
    bool ends;  /* the block ends where a unit of markup_cutter does, or the file; else `state` goes on */
} MarkupOptions;

/* The kind of a text, by the name of its file (README.md, page.html.gz) or else by a beginning that no other kind has;
 * MARKUP_AUTO: neither says one. path: or NULL. */
Markup markup_guess(StrView beginning, const char *path);
/* The units that a text of this kind is read in; NULL: paragraphs or lines, as a text without markup. */
Cutter markup_cutter(Markup kind);

/* Begins with the block and the state: *text is all zero otherwise. Sets clean, whose offsets are from 0. false when
 * out of memory; markup_fini is to be called in any case. */
bool markup_leave_out(MarkupText *text, MarkupOptions options, Arena *arena);
/* Tokens get their offsets in the file in place of those in the clean text, sentences their lines in the file.
 * false when out of memory. */
bool markup_place(const MarkupText *text, SegmentedText *segmented_text, Arena *arena);
void markup_fini(MarkupText *text);
