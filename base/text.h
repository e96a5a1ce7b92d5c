/* base/text.h
 * Strings: views that borrow, buffers that own; UTF-8 checks and properties through utf8proc. */
#ifndef LAL_BASE_TEXT_H
#define LAL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct StrView {
    const char *ptr;
    size_t len;
} StrView;

/* A piece of a file and where it begins. */
typedef struct TextBlock {
    StrView text;
    const char *path;       /* names the file in messages */
    long line, column;      /* of the first byte, 1-based; the column counts bytes */
    size_t byte, character; /* of the file before the first byte */
} TextBlock;

/* A whole text: begins at line 1, column 1. */
TextBlock text_block(StrView text, const char *path);

/* A growing string. ptr is always NUL-terminated once something was added. A failed allocation sets `failed`, and
 * later additions do nothing: ask once at the end. */
typedef struct StrBuf {
    char *ptr;
    size_t len, cap;
    bool failed;
} StrBuf;

void strbuf_fini(StrBuf *b);
void strbuf_clear(StrBuf *b);
/* Keeps the first len bytes, which must be there. */
void strbuf_cut(StrBuf *b, size_t len);
void strbuf_add(StrBuf *b, const char *s, size_t n);
void strbuf_puts(StrBuf *b, const char *s);
void strbuf_putc(StrBuf *b, char c);
void strbuf_printf(StrBuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A number as %ld and as %.<digits>f (0 to 9) would write it, without going through a format. */
void strbuf_long(StrBuf *b, long value);
void strbuf_fixed(StrBuf *b, double value, int digits);
/* A number of JSON, as printf writes it by a format of one double ("%.4f", "%.3e"); null where it is not finite, for
 * which JSON has no number. */
void strbuf_json_number(StrBuf *b, const char *format, double value);
/* A JSON string literal with its quotes. */
void strbuf_json(StrBuf *b, const char *s, size_t n);
/* Text of XML and HTML, in elements and in attributes: the four characters that mean something are escaped, control
 * characters left out. */
void strbuf_xml(StrBuf *b, const char *s);

/* Walks the lines of a text: *at is the position, advanced behind the newline; the view lacks "\n" and "\r\n".
 * false at the end. A last line without newline counts. */
bool text_line(StrView text, size_t *at, StrView *line);

/* Position of the first byte that is not valid UTF-8, or len. */
size_t utf8_invalid(const char *s, size_t len);

/* The code point at s[*i] (valid UTF-8), *i moved behind it; invalid bytes give U+FFFD and advance by one. */
int32_t utf8_next(const char *s, size_t len, size_t *i);

/* Appends the code point. */
void strbuf_utf8(StrBuf *b, int32_t cp);

/* Columns it takes in a fixed-width font: 0, 1, or 2 for wide characters. */
int utf8_width(int32_t cp);

bool utf8_is_upper(int32_t cp);
bool utf8_is_lower(int32_t cp);
bool utf8_is_letter(int32_t cp);
bool utf8_is_digit(int32_t cp);
/* White space of any kind, U+00A0, U+200B and U+FEFF included. */
bool utf8_is_space(int32_t cp);
int32_t utf8_lower(int32_t cp);

/* Simple lower-casing of every code point, appended to out. */
void text_lower(StrBuf *out, const char *s, size_t len);

/* 32-bit hash (FNV-1a, mixed), the same on every machine: where a result depends on it. Whoever knows it can choose
 * texts that collide, so it is not for tables. */
uint32_t text_hash(const char *s, size_t len);

bool text_equal(StrView v, const char *s);

/* A whole number of one to eight digits and nothing else; false leaves *out as it is. */
bool text_number(StrView v, int *out);

#endif
