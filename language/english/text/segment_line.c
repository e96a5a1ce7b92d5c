/* What a line of a paragraph is: how it begins and ends, and what marks it as a row. */
#include <string.h>

#include "language/english/text/segment_internal.h"

enum {
    SPEAKER_MAX = 28, /* longest name before what is said, bytes */
    NUMBER_MAX = 9    /* longest number of a clause or an item, bytes: 4.2(b)(iii) */
};

size_t segment_columns(StrView text, size_t from, size_t to)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++) n += ((unsigned char)text.ptr[i] & 0xC0) != 0x80; /* not a continuation byte */
    return n;
}

size_t segment_word_end(StrView text, size_t i, size_t to)
{
    while (i < to && text.ptr[i] != ' ' && text.ptr[i] != '\t' && text.ptr[i] != '\r' && text.ptr[i] != '\n') i++;
    return i;
}

static size_t skip_blanks(StrView text, size_t i, size_t to)
{
    while (i < to && (text.ptr[i] == ' ' || text.ptr[i] == '\t' || text.ptr[i] == '\r')) i++;
    return i;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_letter(char c) { return is_upper(c) || is_lower(c); }

/* ---- marks: each function returns where the mark that begins at byte i ends, or i */

/* A round bullet, a dash, a star, a note of music, the sign of quoted mail. */
static size_t bullet(StrView text, size_t i, size_t end)
{
    size_t next = i;
    int32_t c = utf8_next(text.ptr, end, &next);
    bool sign = segment_is_bullet(c) || segment_is_dash(c) || c == '-' || (c >= 0x2669 && c <= 0x266C);
    return sign && next < end && text.ptr[next] == ' ' ? next : i;
}

/* 10:31 10:31:05 2021-03-04 12/03/2021, 9:00 – 10:30 00:00:04,200 --> 00:00:06,900 [10:31] (1:02) 9:15 am */
static size_t times(StrView text, size_t i, size_t end)
{
    size_t found = i;
    if (is_letter(text.ptr[i])) return i; /* most lines */
    for (size_t word = i, next; word < end; word = skip_blanks(text, next, end)) {
        int digits = 0, signs = 0, others = 0;
        next = segment_word_end(text, word, end);
        for (size_t k = word; k < next; k++) {
            unsigned char c = (unsigned char)text.ptr[k];
            if (is_digit((char)c)) digits++;
            else if (c == ':' || c == '/' || (c == '-' && digits >= 4)) signs += k > word && k + 1 < next;
            else others += c < 0x80 && !strchr("-.,>[]()", c);
        }
        StrView view = { text.ptr + word, next - word };
        bool time = digits >= 3 && signs > (memchr(view.ptr, ':', view.len) ? 0 : 1);
        bool between = found > i && (others ? text_view_among(view, "am pm AM PM") : digits == 0);
        if (others && !between) break;
        if (!time && !between) break;
        if (time || others) found = next;
    }
    return found;
}

/* 3. 3) (3) 3.1 3.1. [3] [0001] (a) iv. § 3 */
static size_t number(StrView text, size_t i, size_t end)
{
    size_t word = segment_word_end(text, i, end), n = word - i;
    const char *p = text.ptr + i;
    if (word == end || n < 2 || n > NUMBER_MAX || is_letter(p[n - 1])) return i;
    bool digits = false, inner = false, letters = false, brackets = p[0] == '(' || p[0] == '[';
    for (size_t k = brackets; k + 1 < n; k++) {
        digits |= is_digit(p[k]);
        letters |= is_letter(p[k]);
        inner |= p[k] == '.' && is_digit(p[k + 1]);
        if (!is_digit(p[k]) && !is_letter(p[k]) && !strchr(".()", p[k])) return i;
    }
    bool closed = strchr(brackets ? ")]" : ".)", p[n - 1]) != NULL;
    if (letters && !digits && n > (brackets ? 6u : 5u)) return i;
    if (letters && !digits && !brackets && p[n - 1] != ')' && n > 2) return i; /* a. but no word. */
    if (closed) return n > 1u + brackets ? word : i;
    return inner && !letters && !brackets && is_digit(p[n - 1]) ? word : i;
}

/* Q. A. AGNES. FIRST SERVANT. before a letter; Ann: Mr. Fox: Net weight: <ann> */
static size_t speaker(StrView text, size_t i, size_t end)
{
    const char *p = text.ptr;
    size_t last = end < i + SPEAKER_MAX ? end : i + SPEAKER_MAX;
    if (p[i] == '<' || p[i] == '@') {
        size_t word = segment_word_end(text, i, end);
        if (p[i] == '<') return p[word - 1] == '>' ? word : i;
        return word;
    }
    if (!memchr(p + i, ':', last - i) && !memchr(p + i, '.', last - i)) return i; /* most lines */
    int words = 1;
    bool capitals = true;
    size_t word = i;
    for (size_t k = i; k < last; k++) {
        bool stops = k + 1 == end || p[k + 1] == ' ' || p[k + 1] == '\t';
        if (p[k] == ':' && k > i) return stops ? k + 1 : i;
        if (p[k] == ' ') {
            word = k + 1;
            if (++words > 3) return i;
        } else if (p[k] == '.' && stops && k + 2 < end) {
            bool name = k - i > 2 || (k == i + 1 && (p[i] == 'Q' || p[i] == 'A'));
            if (capitals && name && is_letter(p[k + 2]) && !segment_abbreviation(text, word, k)) return k + 1;
            if (k - word > 4) return i; /* no Mr. */
        } else if (strchr("?!,;\"(/", p[k])) return i;
        else capitals = capitals && is_upper(p[k]);
    }
    return i;
}

/* INFO [WARN] ERROR: in a log, after a time. */
static size_t log_level(StrView text, size_t i, size_t end)
{
    static const char levels[] = "TRACE DEBUG INFO NOTICE WARN WARNING ERROR FATAL CRITICAL";
    size_t next = segment_word_end(text, i, end), from = i, to = next;
    if (from < to && strchr("[<(", text.ptr[from])) from++;
    while (to > from && strchr("]>):", text.ptr[to - 1])) to--;
    return text_view_among((StrView){ text.ptr + from, to - from }, levels) ? next : i;
}

static void find_mark(StrView text, Line *line)
{
    static size_t (*const kinds[])(StrView, size_t, size_t) = {
        [ROW_BULLET] = bullet, [ROW_TIME] = times, [ROW_NUMBER] = number, [ROW_SPEAKER] = speaker
    };
    for (int kind = 1; kind < ROWS; kind++) {
        line->mark = kinds[kind](text, line->begin, line->end);
        if (line->mark == line->begin) continue;
        line->row = (uint8_t)kind;
        if (kind != ROW_TIME) return;
        size_t next = skip_blanks(text, line->mark, line->end); /* a time, and who speaks or how bad it is */
        if (next < line->end && text.ptr[next] == '-' && next + 1 < line->end)
            next = skip_blanks(text, next + 1, line->end);
        size_t name = next < line->end ? speaker(text, next, line->end) : next;
        if (name == next) name = log_level(text, next, line->end);
        if (name > next) line->mark = name;
        return;
    }
}

/* ---- the rest */

/* Words after which a sentence hardly ever ends; it may end after a preposition where the writer does without marks. */
static const char FUNCTION_WORDS[] =
    "a an the and or but nor of into onto upon than if because although while whose which where that these those my "
    "your his her our their he she we they";
static const char GREETINGS[] = "Dear Hi Hello Hey Good"; /* Dear Ann, */
static const char PREPOSITIONS[] = "at as by for from in on to with not very since during until between among about";

static void find_end(StrView text, Line *line)
{
    size_t end = line->end;
    const char *p = text.ptr;
    while (end > line->begin && (strchr("\"')]", p[end - 1]) || (unsigned char)p[end - 1] >= 0x80)) end--;
    if (end <= line->begin + 1) return;
    size_t word = end;
    while (word > line->begin && p[word - 1] != ' ' && p[word - 1] != '\t') word--;
    char last = p[end - 1], form[9]; /* function words are short */
    bool tag = (p[word] == '#' || p[word] == '@') && is_letter(last);
    StrView first = { p + line->begin, segment_word_end(text, line->begin, end) - line->begin };
    bool separate = word > line->begin + 1 && p[word - 2] == ';'; /* ; and */
    int abbreviation = last == '.' ? segment_abbreviation(text, word, end - 1) : ABBREV_NONE;
    if (last == '?' || last == '!' || tag) line->last = LAST_MARK;
    else if (last == '.' && !abbreviation) line->last = LAST_PERIOD;
    else if (last == ':' || last == ';') line->last = LAST_COLON;
    else if (last == ',') line->last = text_view_among(first, GREETINGS) ? LAST_COLON : LAST_COMMA;
    else if (abbreviation >= ABBREV_TITLE) line->last = LAST_FUNCTION;
    if (end < line->end || line->last || end - word >= sizeof form) return;
    memcpy(form, p + word, end - word);
    form[end - word] = 0;
    if (text_among(form, FUNCTION_WORDS)) line->last = separate ? LAST_COLON : LAST_FUNCTION;
    else if (text_among(form, PREPOSITIONS)) line->last = LAST_PREPOSITION;
}

/* Two or three blanks in a row, or a tab: 1 or 2, as Line.cells. */
static uint8_t cells_of(const char *p, size_t n)
{
    uint8_t cells = memchr(p, '\t', n) ? 2 : 0;
    for (const char *at = p, *end = p + n; cells < 2 && (at = memchr(at, ' ', (size_t)(end - at))); at++)
        if (at + 1 < end && at[1] == ' ') cells = at + 2 < end && at[2] == ' ' ? 2 : 1;
    return cells;
}

/* look_over for a line of ASCII, most of whose time is one loop without branches; false: it has other characters. */
static bool look_over_ascii(StrView text, Line *line)
{
    const char *p = text.ptr + line->begin;
    size_t n = line->end - line->begin, first = 0, last = n;
    unsigned upper = 0, lower = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned c = (unsigned char)p[i];
        all |= c;
        upper += c - 'A' < 26u;
        lower += c - 'a' < 26u;
    }
    if (all >= 128) return false;
    while (first < n && strchr(" \t\"'([", p[first])) first++;
    if (first < n) line->first = is_upper(p[first]) ? FIRST_CAPITAL : is_lower(p[first]) ? FIRST_LOWER : FIRST_OTHER;
    int numbers = 0, words = 1;
    bool numbered = false;
    for (; last > 0 && !is_letter(p[last - 1]) && p[last - 1] != ','; last--) {
        numbered = numbered && p[last - 1] != ' ' && p[last - 1] != '\t';
        numbers += is_digit(p[last - 1]) && !numbered;
        numbered |= is_digit(p[last - 1]);
    }
    for (; numbered && last > 0 && p[last - 1] != ' ' && p[last - 1] != '\t'; last--)
        if (is_digit(p[last - 1])) { /* 1,200 3rd2: no number of its own */
            numbers--;
            numbered = false;
        }
    line->cells = cells_of(p, n);
    for (size_t i = 1; numbers == 1 && i < n; i++) words += p[i] == ' ' && p[i - 1] != ' ';
    if (numbers >= 2 || (numbers == 1 && words > 1 && words <= 3)) line->cells |= !line->cells; /* alpha 1.0 */
    line->columns += (int)n;
    line->capitals = upper >= 3 && !lower;
    line->bare = !upper && !lower;
    return true;
}

/* Capitals and small letters, columns, words. */
static void look_over(StrView text, Line *line)
{
    if (look_over_ascii(text, line)) return;
    int upper = 0, columns = 0;
    int numbers = 0;                     /* words of digits after the last word of letters */
    bool lower = false, letters = false; /* there are some */
    bool first = true, numbered = false; /* the word has a digit */
    int words = 1;
    for (size_t i = line->begin, blanks = 0; i < line->end;) {
        int32_t c = utf8_next(text.ptr, line->end, &i);
        columns++;
        if (c == ' ' || c == '\t') {
            blanks += c == ' ' ? 1 : 4;
            continue;
        }
        if (blanks) {
            if (blanks >= 3) line->cells = 2;
            else if (blanks == 2 && !line->cells) line->cells = 1;
            numbered = false;
            words++;
            blanks = 0;
        }
        bool capital = utf8_is_upper(c), small = utf8_is_lower(c);
        if (first && !strchr("\"'([", c < 128 ? c : 'x')) {
            line->first = capital ? FIRST_CAPITAL : small ? FIRST_LOWER : FIRST_OTHER;
            first = false;
        }
        upper += capital;
        lower |= small;
        if (capital || small || utf8_is_letter(c)) {
            letters = true;
            numbers = 0;
            size_t rest = i; /* of a word, most of a line */
            while (i < line->end && is_lower(text.ptr[i])) i++;
            columns += (int)(i - rest);
            lower |= i > rest;
        } else if (c == ',') numbers = 0;
        else if (utf8_is_digit(c) && !numbered) {
            numbered = true;
            numbers++;
        }
    }
    bool pair = numbers == 1 && words > 1 && words <= 3; /* alpha 1.0 */
    if ((numbers >= 2 || pair) && !line->cells) line->cells = 1;
    line->columns += columns;
    line->capitals = upper >= 3 && !lower;
    line->bare = !letters;
}

bool segment_read_line(Line *line, StrView text, size_t *at, size_t to)
{
    if (*at >= to) return false;
    size_t start = *at;
    const char *eol = memchr(text.ptr + start, '\n', to - start);
    size_t end = eol ? (size_t)(eol - text.ptr) : to;
    *at = end + 1;
    *line = (Line){ .begin = skip_blanks(text, start, end), .end = end };
    while (line->end > line->begin && strchr(" \t\r", text.ptr[line->end - 1])) line->end--;
    line->mark = line->begin;
    if (line->begin == line->end) return true;
    line->columns = line->indent = (int)segment_columns(text, start, line->begin);
    look_over(text, line);
    size_t word = segment_word_end(text, line->begin, line->end);
    line->word = (int)segment_columns(text, line->begin, word);
    line->one_word = word == line->end;
    char opens = text.ptr[line->begin], closes = text.ptr[line->end - 1];
    line->aside = (opens == '(' && closes == ')') || (opens == '[' && closes == ']');
    StrView first = { text.ptr + line->begin, word - line->begin };
    if (memchr(first.ptr, '@', first.len) || memchr(first.ptr, '/', first.len)) line->first = FIRST_ADDRESS;
    find_mark(text, line);
    size_t after = skip_blanks(text, line->mark, line->end);
    line->lower = after < line->end && is_lower(text.ptr[after]);
    find_end(text, line);
    return true;
}
