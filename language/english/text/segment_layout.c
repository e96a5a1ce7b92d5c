/* What the line breaks of a paragraph mean. */
#include "language/english/text/segment_internal.h"

#include <string.h>

enum {
    NARROW = 30,      /* characters: the longest line of a list */
    LEAST_WIDTH = 40, /* smallest width of wrapped text */
    SPEAKER_MAX = 28  /* longest name or time before what is said */
};

/* End of the line that begins at byte i of a paragraph that ends at `to`. */
static size_t line_end(StrView text, size_t i, size_t to)
{
    const char *eol = memchr(text.ptr + i, '\n', to - i);
    return eol ? (size_t)(eol - text.ptr) : to;
}

size_t segment_columns(StrView text, size_t from, size_t to)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++) n += ((unsigned char)text.ptr[i] & 0xC0) != 0x80; /* not a continuation byte */
    return n;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static size_t skip_blanks(StrView text, size_t i, size_t to)
{
    while (i < to && is_blank(text.ptr[i])) i++;
    return i;
}

size_t segment_word_end(StrView text, size_t i, size_t to)
{
    while (i < to && !is_blank(text.ptr[i]) && text.ptr[i] != '\n') i++;
    return i;
}

/* What may follow the final mark of a line. */
static bool closes_line(char c)
{
    return is_blank(c) || c == '"' || c == '\'' || c == ')' || c == ']' || (unsigned char)c >= 0x80;
}

/* Does the line end with . ? ! and perhaps closing quotes and brackets? */
static bool ends_finally(StrView text, size_t from, size_t end, bool *period)
{
    while (end > from && closes_line(text.ptr[end - 1])) end--;
    char last = end > from ? text.ptr[end - 1] : ' ';
    *period = last == '.';
    return last == '.' || last == '?' || last == '!';
}

static bool begins_lower(StrView text, size_t i, size_t end)
{
    while (i < end && strchr(" \t\"'([", text.ptr[i])) i++;
    return i < end && utf8_is_lower(utf8_next(text.ptr, end, &i));
}

/* No name or time before what is said has these. */
static bool ends_speaker(char c)
{
    return c == '.' || c == '?' || c == '!' || c == ',' || c == ';' || c == '"' || c == '(' || c == ')' || c == '/';
}

bool segment_is_speaker(StrView text, size_t from, size_t to)
{
    size_t i = skip_blanks(text, from, to), end = line_end(text, i, to), start = i;
    const char *p = text.ptr, *close;
    if (end > i + SPEAKER_MAX) end = i + SPEAKER_MAX;
    if (i == end) return false;
    if (p[i] == '[' || p[i] == '<') {
        close = memchr(p + i, p[i] == '[' ? ']' : '>', end - i);
        return close != NULL;
    }
    if (p[i] == '>' || (end - i > 2 && (p[i] == 'Q' || p[i] == 'A') && p[i + 1] == '.' && p[i + 2] == ' ')) return true;
    int words = 1, digits = 0;
    for (; i < end && p[i] != ':'; i++) {
        words += p[i] == ' ';
        digits += p[i] >= '0' && p[i] <= '9';
        if (ends_speaker(p[i])) return false;
    }
    bool time = digits > 0 && digits == (int)(i - start); /* 10:31 */
    return i < end && i > start && words <= 3 && (time || i + 1 == end || strchr(" \t\n", p[i + 1]));
}

/* Counts over the line breaks of a paragraph. */
typedef struct Breaks {
    int all, full;  /* full: the next word would not have fit into the line */
    int lower;      /* the next line begins in lower case */
    int lower_full; /* both */
    int periods;    /* lines that end with a period, the last one too */
    int lower_free; /* lower case after . ? ! : the writer does without capitals */
    int speakers;   /* lines that begin with who speaks, or when */
    size_t widest;
} Breaks;

/* least: the width that lines have at least. */
static Breaks count_breaks(StrView text, size_t from, size_t to, size_t least)
{
    Breaks b = { .speakers = segment_is_speaker(text, from, to) };
    for (size_t i = from, end; i < to; i = end + 1) {
        end = line_end(text, i, to);
        size_t first = skip_blanks(text, i, end), columns = segment_columns(text, i, end);
        bool one_word = segment_word_end(text, first, end) == end; /* may be longer than the others: an address */
        if (columns > b.widest && !one_word) b.widest = columns;
    }
    size_t width = b.widest > least ? b.widest : least;
    for (size_t i = from, end, next; i < to; i = next) {
        bool period, final;
        end = line_end(text, i, to);
        final = ends_finally(text, i, end, &period);
        b.periods += period;
        if (end == to) break;
        next = skip_blanks(text, end + 1, to);
        bool lower = begins_lower(text, next, to);
        b.all++;
        size_t word = segment_columns(text, next, segment_word_end(text, next, to));
        bool full = segment_columns(text, i, end) + 1 + word > width;
        b.full += full;
        b.lower += lower;
        b.lower_full += lower && full;
        b.lower_free += lower && final;
        b.speakers += segment_is_speaker(text, next, to);
    }
    return b;
}

/* Is the text a narrow column? Nearly all lines are full, and most begin in lower case, as lines of verse do not. */
static bool is_column(StrView text, size_t from, size_t to)
{
    Breaks b = count_breaks(text, from, to, 0);
    if (b.all == 2) return b.full == 2 && b.lower == 2;
    return b.all > 2 && b.full * 10 >= b.all * 8 && b.lower * 2 >= b.all;
}

Layout segment_layout(StrView text, size_t from, size_t to)
{
    Breaks b = count_breaks(text, from, to, LEAST_WIDTH);
    Layout l = { .width = b.widest > LEAST_WIDTH ? b.widest : LEAST_WIDTH };
    if (b.all > 1 && b.widest < LEAST_WIDTH && is_column(text, from, to)) {
        l.width = b.widest;
        l.wrapped = true;
        return l;
    }
    bool capitals = b.all >= 3 && b.lower * 10 <= b.all && b.full * 5 <= b.all * 4; /* verse, a list */
    l.wrapped = b.lower ? 2 * b.lower_full > b.lower : 2 * b.full > b.all;
    l.wrapped = l.wrapped && !capitals;
    l.speakers = b.all > 0 && b.speakers >= 2 && 2 * b.speakers > b.all;
    bool narrow = b.all >= 2 && b.widest <= NARROW;
    bool chat = b.all > 0 && (b.periods == 0 || b.lower_free > 0) && b.lower_full * 4 <= b.lower;
    l.lines = !l.wrapped && (narrow || capitals || chat);
    return l;
}
