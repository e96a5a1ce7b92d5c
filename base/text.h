/* Strings: views that borrow, buffers that own; UTF-8 checks and properties through utf8proc. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct StrView {
    const char *ptr;
    size_t len;
} StrView;

/* A piece of a file and its place in the file. */
typedef struct TextBlock {
    StrView text;
    const char *path;       /* names the file in messages */
    long line, column;      /* of the first byte, 1-based; the column counts bytes */
    size_t byte, character; /* offset of the first byte, bytes and characters */
} TextBlock;

/* A block that is a whole text, from line 1, column 1. */
TextBlock text_block(StrView text, const char *path);

/* A growing string. ptr is NULL at first, and NUL-terminated after the first addition. A failed allocation sets
 * `failed`, and later additions do nothing, so that one check at the end is enough. */
typedef struct StrBuf {
    char *ptr;
    size_t len, cap;
    bool failed;
    bool compact; /* base/json_writer.h puts no blanks into it */
} StrBuf;

void strbuf_fini(StrBuf *out);
void strbuf_clear(StrBuf *out);
/* Truncates to the first len <= out->len bytes. */
void strbuf_cut(StrBuf *out, size_t len);
void strbuf_add(StrBuf *out, const char *text, size_t count);
void strbuf_puts(StrBuf *out, const char *text);
void strbuf_putc(StrBuf *out, char c);
void strbuf_printf(StrBuf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(StrBuf *out, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Append a number as printf does with %ld and %.<digits>f (0 <= digits <= 9), without parsing a format. */
void strbuf_long(StrBuf *out, long value);
void strbuf_fixed(StrBuf *out, double value, int digits);
/* Appends text for XML and HTML elements and attributes: < > & " are escaped, characters replaced as by utf8_markup. */
void strbuf_xml(StrBuf *out, const char *text);

/* Iterates over the lines of a text: *at is the position, advanced past the newline; *line excludes "\n" and "\r\n".
 * false at the end. The last line need not end with a newline. */
bool text_line(StrView text, size_t *at, StrView *line);

/* A place in a text: line and column are 1-based, the column counts bytes. */
typedef struct TextPlace {
    long line, column;
} TextPlace;
/* The place of the byte at an offset of a text that begins at `from`. */
TextPlace text_place(TextPlace from, const char *text, size_t offset);
/* The offset of the first byte that no text has, or the length; *found says what it is, "found a NUL byte" or "found
 * bytes that are not UTF-8". */
size_t text_fault(StrView text, const char **found);

/* utf8_next, utf8_is_upper and the others below decide ASCII themselves; for all else they call these. */
int32_t utf8_wide_next(const char *text, size_t len, size_t *i);
bool utf8_wide_is_upper(int32_t cp);
bool utf8_wide_is_lower(int32_t cp);
bool utf8_wide_is_letter(int32_t cp);
bool utf8_wide_is_digit(int32_t cp);
bool utf8_wide_is_space(int32_t cp);
int32_t utf8_wide_lower(int32_t cp);

/* Position of the first byte that is not valid UTF-8, or len. */
size_t utf8_invalid(const char *text, size_t len);

/* The code point at text[*i]; *i is advanced past it. An invalid byte gives U+FFFD. */
static inline int32_t utf8_next(const char *text, size_t len, size_t *i)
{
    return *i < len && (unsigned char)text[*i] < 128 ? text[(*i)++] : utf8_wide_next(text, len, i);
}

/* Appends the code point. */
void strbuf_utf8(StrBuf *out, int32_t cp);

/* The length of the longest part of text [len] that has at most `most` bytes and does not end inside a character; for
 * the precision of "%.*s". */
size_t utf8_cut(const char *text, size_t len, size_t most);
static inline int utf8_first(const char *text, size_t most) { return (int)utf8_cut(text, strlen(text), most); }
/* Removes a character that is incomplete at the end of s, as snprintf leaves it. */
void utf8_trim(char *text);

static inline bool utf8_is_control(int32_t cp) { return cp < 0x20 || (cp >= 0x7f && cp < 0xa0); }
/* The character itself, or U+FFFD in place of those that XML 1.0 or HTML forbids: control characters and what Unicode
 * calls noncharacters (U+FFFE, U+FFFF, U+1FFFE ..., U+FDD0 to U+FDEF). */
int32_t utf8_markup(int32_t cp);
/* Does a mark change the direction of the text after it (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069)?
 */
bool utf8_is_direction(int32_t cp);

/* A character as a terminal may show it. */
typedef struct VisibleChar {
    size_t taken; /* bytes of the text */
    int len;      /* of text */
    char text[16];
} VisibleChar;
/* The character at the beginning of text [len > 0]. The one place that decides what a file may send to a terminal:
 * control characters (C0, DEL, C1) and marks of direction become "<U+001B>", a byte that is not UTF-8 "\xff"; other
 * characters are themselves. */
VisibleChar utf8_visible(const char *text, size_t len);
/* Appends text for a terminal, with newlines and tabs as they are. */
void strbuf_visible(StrBuf *out, const char *text, size_t len);

/* Two different texts as a message quotes them: 'men' and 'man'; of long ones the part where they begin to differ. If
 * the characters there are not ASCII, which may look alike, their code points follow: 'à' (U+0061 U+0300) and 'à'
 * (U+00E0). */
typedef struct TextContrast {
    char found[180], expected[180];
} TextContrast;
TextContrast text_contrast(StrView found, StrView expected);

/* The columns of a code point in a fixed-width font: 0, 1, or 2 for wide characters. */
int utf8_width(int32_t cp);

/* The length in bytes of the emoji at the beginning of s, or 0. Several code points may be one emoji: a
 * flag, a key, a skin tone, persons joined by U+200D (UAX #29). Signs below U+2600, such as U+00A9, are emoji only if
 * U+FE0F follows. */
size_t utf8_emoji(const char *text, size_t len);

static inline bool utf8_is_upper(int32_t cp) { return cp < 128 ? cp >= 'A' && cp <= 'Z' : utf8_wide_is_upper(cp); }
static inline bool utf8_is_lower(int32_t cp) { return cp < 128 ? cp >= 'a' && cp <= 'z' : utf8_wide_is_lower(cp); }
static inline bool utf8_is_letter(int32_t cp)
{
    return cp < 128 ? (cp >= 'A' && cp <= 'Z') || (cp >= 'a' && cp <= 'z') : utf8_wide_is_letter(cp);
}
static inline bool utf8_is_digit(int32_t cp) { return cp < 128 ? cp >= '0' && cp <= '9' : utf8_wide_is_digit(cp); }
/* White space of any kind, U+00A0, U+200B and U+FEFF included. */
static inline bool utf8_is_space(int32_t cp)
{
    return cp < 128 ? cp == ' ' || (cp >= 9 && cp <= 13) || (cp >= 0x1c && cp <= 0x1f) : utf8_wide_is_space(cp);
}
static inline int32_t utf8_lower(int32_t cp)
{
    return cp < 128 ? cp >= 'A' && cp <= 'Z' ? cp + 32 : cp : utf8_wide_lower(cp);
}
int32_t utf8_upper(int32_t cp);

/* Simple lower-casing of every code point, appended to out. */
void text_lower(StrBuf *out, const char *text, size_t len);

/* 32-bit hash (FNV-1a, mixed), the same on every machine, for results that depend on a hash. Not for hash tables,
 * because texts that collide are easily found. */
uint32_t text_hash(const char *text, size_t len);

static inline StrView text_view(const char *text)
{
    StrView view = { text, strlen(text) }; /* no compound literal: tests read this as C++ */
    return view;
}
bool text_equal(StrView view, const char *text);
/* Is it one of the words, which blanks separate? No empty text is. */
bool text_among(const char *text, const char *words);
bool text_view_among(StrView view, const char *words);

/* Is every character of s punctuation (Unicode category P), but for signs that stand for words: % & # @ * / \? */
bool text_is_punctuation(const char *text);
/* Is s a quotation mark? */
bool text_is_quote(const char *text);
/* What a mark does, in Latin and in Chinese and Japanese writing. */
typedef enum TextMark {
    TEXT_NO_MARK,
    TEXT_END,        /* of a sentence */
    TEXT_CLAUSE,     /* ends a clause */
    TEXT_COMMA,      /* or what separates members of a list */
    TEXT_OPEN,       /* a bracket */
    TEXT_CLOSE,      /* a bracket */
    TEXT_OPEN_QUOTE, /* double ones: the single ones of Latin script are apostrophes, too */
    TEXT_CLOSE_QUOTE,
    TEXT_QUOTE /* may be either */
} TextMark;
TextMark text_mark(int32_t cp);
/* The number, below TEXT_PAIRS, of the pair that the mark opens or closes; -1: none. */
enum { TEXT_PAIRS = 14 };
int text_pair(int32_t cp);
/* Opening and closing quotation marks; the last pair is of scripts without blanks. */
enum { TEXT_QUOTE_PAIRS = 5 };
extern const char *const TEXT_QUOTES[TEXT_QUOTE_PAIRS][2];

/* Reads a whole number of one to eight digits and nothing else; otherwise returns false and leaves *out unchanged. */
bool text_number(StrView view, int *out);
