/* Subtitles: lines of SubRip and WebVTT are numbers, times or text; whether a sentence may go on in the next cue is
 * decided by the end of the text before it, by the pause, and by how it begins. */
#include "language/markup/markup_internal.h"

enum { PAUSE = 1000, LONG_PAUSE = 3000, TAG_MOST = 200 }; /* milliseconds; bytes */

typedef struct Subtitles {
    MarkupWriter *w;
    StrView text;
    long end;    /* of the last cue, milliseconds */
    long pause;  /* before the current one */
    size_t last; /* after the last byte of text; 0: there is none */
    bool alone;  /* the last line is a noise or a song */
} Subtitles;

/* ---- times */

/* A time, 00:01:02,345 or 01:02.345, in milliseconds; *i is moved behind it. -1: none. */
static long read_time(StrView text, size_t *i)
{
    long parts[4] = { 0 }, factor = 1;
    int n = 0;
    for (size_t k = *i; n < 4; k++) {
        size_t begin = k;
        for (; markup_is_digit(markup_at(text, k)) && k < begin + 6; k++)
            parts[n] = parts[n] * 10 + (text.ptr[k] - '0');
        if (k == begin) return -1;
        char c = markup_at(text, k);
        n++;
        *i = k;
        if (factor > 1 || (c != ':' && c != ',' && c != '.')) break;
        if (c != ':') factor = 1000;
    }
    if (n < 3 || factor == 1) return -1;
    long seconds = 0;
    for (int k = 0; k < n - 1; k++) seconds = seconds * 60 + parts[k];
    return seconds * 1000 + parts[n - 1];
}

static size_t skip_blanks(StrView text, size_t i)
{
    while (markup_is_blank(markup_at(text, i))) i++;
    return i;
}

/* Is the line at byte i "time --> time"? */
static bool read_times(StrView text, size_t i, long *begin, long *end)
{
    i = skip_blanks(text, i);
    if ((*begin = read_time(text, &i)) < 0) return false;
    i = skip_blanks(text, i);
    if (!markup_has(text, i, "-->")) return false;
    i = skip_blanks(text, i + 3);
    return (*end = read_time(text, &i)) >= 0;
}

bool markup_subtitles_times(StrView text, size_t i)
{
    long begin, end;
    return read_times(text, i, &begin, &end);
}

/* ---- lines */

static bool is_empty(StrView text, size_t i) { return markup_at(text, skip_blanks(text, i)) == '\n'; }

/* The first line after the one that ends at byte `end`; the length of the text: there is none. */
static size_t next_line(StrView text, size_t end) { return end < text.len ? end + 1 : text.len; }

/* Is it a number or a name of the cue whose times are on the next line? */
static bool is_name(StrView text, size_t i, bool first)
{
    size_t next = next_line(text, markup_line_end(text, i));
    if (next >= text.len || !markup_subtitles_times(text, next)) return false;
    size_t end = skip_blanks(text, i);
    while (markup_is_digit(markup_at(text, end))) end++;
    return first || markup_at(text, skip_blanks(text, end)) == '\n';
}

/* WEBVTT, NOTE and others begin what goes up to an empty line. */
static bool begins_note(StrView text, size_t i)
{
    static const char *const words[] = { "WEBVTT", "NOTE", "STYLE", "REGION" };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (markup_has(text, i, words[k])) {
            char after = markup_at(text, i + strlen(words[k]));
            return k < 2 ? markup_is_space(after) : is_empty(text, i + strlen(words[k]));
        }
    return false;
}

/* ---- text */

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/* Does another speaker begin at byte i? - Yes. >> Yes. ANN: Yes. Dr. Lee: Yes. */
static bool begins_turn(StrView text, size_t i)
{
    char c = markup_at(text, i);
    if (c == '-' || markup_has(text, i, "\u2013") || markup_has(text, i, "\u2014") || markup_has(text, i, "\u2010"))
        return true;
    if (markup_has(text, i, ">>") || markup_has(text, i, "&gt;&gt;")) return true;
    size_t end = i;
    for (; end < i + 30 && (c = markup_at(text, end)) != ':' && c != '\n'; end++)
        if (!is_upper(c) && !markup_is_digit(c) && c != ' ' && c != '.' && c != '-' && c != '\'' && c != '#') break;
    return end > i + 1 && is_upper(text.ptr[i]) && c == ':' && markup_is_space(markup_at(text, end + 1));
}

/* Is the line at bytes [i, end) a noise, [door opens] or (laughs), or a part of a song? */
static bool is_aside(StrView text, size_t i, size_t end)
{
    if (i == end) return false;
    char first = text.ptr[i], last = text.ptr[end - 1];
    StrView line = { text.ptr, end };
    return (first == '[' && last == ']') || (first == '(' && last == ')') || markup_has(line, i, "\u266a") ||
           markup_has(line, i, "\u266b") || (first == '#' && last == '#');
}

/* Does the text before byte i end with a mark after which a sentence may end? */
static bool is_ended(StrView text, size_t i)
{
    while (i > 0) {
        char c = text.ptr[i - 1];
        size_t quote = i > 3 && (markup_has(text, i - 3, "\u201d") || markup_has(text, i - 3, "\u2019")) ? 3 : 0;
        if (c == '.' || c == '?' || c == '!') return true;
        if (i > 3 && markup_has(text, i - 3, "\u2026")) return true;
        if (!quote && c != '"' && c != '\'' && c != ')' && c != ']') return false;
        i -= quote ? quote : 1;
    }
    return false;
}

/* The end of the tag at byte i, before `end`; i: it is none. */
static size_t tag_end(StrView text, size_t i, size_t end)
{
    char open = text.ptr[i], after = i + 1 < end ? text.ptr[i + 1] : ' ';
    bool tag = open == '<' ? markup_is_letter(after) || markup_is_digit(after) || after == '/' : after == '\\';
    size_t most = end - i < TAG_MOST ? end - i : TAG_MOST;
    const char *close = tag ? memchr(text.ptr + i, open == '<' ? '>' : '}', most) : NULL;
    return close ? (size_t)(close - text.ptr) + 1 : i;
}

/* Leaves out the tags that a line begins with. */
static size_t skip_tags(Subtitles *s, size_t i, size_t end)
{
    for (size_t to; i < end; i = to) {
        char c = s->text.ptr[i];
        to = c == '<' || c == '{' ? tag_end(s->text, i, end) : i + markup_is_blank(c);
        if (to == i) break;
        markup_skip(s->w, i, to);
    }
    return i;
}

/* The end of the line before blanks and tags. */
static size_t trim(StrView text, size_t i, size_t end)
{
    for (size_t open;;) {
        while (end > i && markup_is_blank(text.ptr[end - 1])) end--;
        if (end == i || text.ptr[end - 1] != '>') return end;
        for (open = end - 1; open > i && text.ptr[open] != '<';) open--;
        if (text.ptr[open] != '<' || tag_end(text, open, end) != end) return end;
        end = open;
    }
}

/* Reads the line of text at bytes [i, end); `first`: of its cue. */
static void take_line(Subtitles *s, size_t i, size_t end, bool first)
{
    i = skip_tags(s, i, end);
    size_t stop = trim(s->text, i, end);
    bool aside = is_aside(s->text, i, stop);
    long pause = s->last && is_ended(s->text, s->last) ? PAUSE : LONG_PAUSE;
    bool paragraph = aside || s->alone || begins_turn(s->text, i) || (first && s->pause >= pause);
    if (i == stop) return;
    if (s->last) markup_break(s->w, i, paragraph ? '\f' : ' ');
    for (size_t to; i < end; i = to) {
        char c = s->text.ptr[i];
        to = i + 1;
        if (c == '&') to = markup_entity(s->w, i, CUT_SIGN);
        else if ((c == '<' || c == '{') && (to = tag_end(s->text, i, end)) > i) markup_skip(s->w, i, to);
        else if (c == '\\' && i + 1 < end && strchr("Nnh", s->text.ptr[i + 1])) {
            markup_read_as(s->w, i, i + 2, " ", CUT_LEFT_OUT);
            to = i + 2;
        } else if (to == i) to = i + 1;
    }
    s->last = stop;
    s->alone = aside;
}

void markup_subtitles_read(MarkupWriter *writer)
{
    Subtitles s = { .w = writer, .text = writer->text };
    StrView text = s.text;
    bool after_empty = true, note = false, first = false;
    for (size_t i = markup_has(text, 0, "\xEF\xBB\xBF") ? 3 : 0, end; i < text.len; i = end) {
        long begin, stop;
        end = next_line(text, markup_line_end(text, i));
        bool empty = is_empty(text, i), times = read_times(text, i, &begin, &stop);
        if (times) {
            s.pause = begin - s.end;
            s.end = stop;
        }
        note = !empty && !times && (note || (after_empty && begins_note(text, i)));
        if (empty || times || note || is_name(text, i, after_empty)) markup_skip(writer, i, end);
        else {
            take_line(&s, i, markup_line_end(text, i), first);
            size_t line = markup_line_end(text, i);
            markup_skip(writer, line, end);
        }
        first = times || (first && empty);
        after_empty = empty;
    }
}
