/* Shared by the kinds of markup: a text is read from its beginning to its end, and what is not left out is copied.
 *   markup.c     the table of kinds, and places
 *   markup_markdown.c markup_html.c markup_subtitles.c markup_latex.c   a kind each
 *   entity.c     names of characters */
#pragma once

#include "language/markup/markup.h"

typedef struct MarkupWriter {
    StrView text;
    MarkupOptions o;
    MarkupText *to;
    StrBuf out;
    size_t copied; /* bytes of the text that are in `out` or left out */
    Cut now;       /* of the place after them */
    bool failed;
} MarkupWriter;

/* Everything is called in the order of the text: `from` and `at` are not before what has been copied. */
void markup_copy(MarkupWriter *writer, size_t to);
/* Leaves out bytes [from, to). */
void markup_skip(MarkupWriter *writer, size_t from, size_t to);
/* Reads bytes [from, to) as a sign. */
void markup_read_as(MarkupWriter *writer, size_t from, size_t to, const char *sign, CutKind kind);
/* Reads the entity at byte i and returns its end, or copies the byte and returns i + 1. */
size_t markup_entity(MarkupWriter *writer, size_t i, CutKind kind);
/* Puts a character where nothing of the text stands: '\f' ends a paragraph, '\n' a line. */
void markup_break(MarkupWriter *writer, size_t at, char character);
/* Reads byte i as a blank. */
void markup_blank(MarkupWriter *writer, size_t i);

/* Each copies the text to the writer; what follows the last call of markup_skip is copied by the caller. */
void markup_markdown_read(MarkupWriter *writer);
void markup_html_read(MarkupWriter *writer);
void markup_subtitles_read(MarkupWriter *writer);
void markup_latex_read(MarkupWriter *writer);

/* Does the line at byte i have the times of a cue? */
bool markup_subtitles_times(StrView text, size_t i);

/* The end of the comment, or of the tag of an element of HTML, that begins at byte i; 0: none. With a tag whose element
 * is left out (script, svg) all of it. *breaks: '\f' or '\n' if a paragraph or a line ends there; *open is set if
 * the text ends before the markup does. */
size_t markup_html_tag(StrView text, size_t i, char *breaks, bool *open);
size_t markup_html_cut(CutState *state, const char *text, size_t count);

/* ---- bytes; beyond the end of the text there are line breaks */

static inline char markup_at(StrView text, size_t i) { return i < text.len ? text.ptr[i] : '\n'; }
static inline bool markup_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static inline bool markup_is_space(char c) { return markup_is_blank(c) || c == '\n' || c == '\f' || c == '\v'; }
static inline bool markup_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool markup_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline size_t markup_line_end(StrView text, size_t i)
{
    const char *end = i < text.len ? memchr(text.ptr + i, '\n', text.len - i) : NULL;
    return end ? (size_t)(end - text.ptr) : text.len;
}
/* Do these bytes stand at byte i? */
static inline bool markup_has(StrView text, size_t i, const char *bytes)
{
    size_t n = strlen(bytes);
    return text.len >= n && i <= text.len - n && memcmp(text.ptr + i, bytes, n) == 0;
}
