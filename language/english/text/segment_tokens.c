/* Tokens are split off both ends of a chunk (quotes, brackets, marks, shapes like addresses); the core between them is
 * split at dashes, brackets, clitics, and before addresses and emoji. */
#include <string.h>

#include "language/address.h"
#include "language/english/text/segment_internal.h"
#include "language/english/text/shape.h"

/* Appends bytes [begin, end), characters [begin_char, end_char), as one token. */
static void emit(Segmenter *s, size_t begin, size_t end, size_t begin_char, size_t end_char)
{
    const Token place = { .begin = begin, .end = end, .begin_char = begin_char, .end_char = end_char };
    if (!segmented_text_add_token(s->out, s->text, &place, s->a)) s->failed = true;
}

/* Appends the code points [from, to) of the chunk as one token. */
static void emit_chars(Segmenter *s, int from, int to)
{
    if (from >= to || s->failed) return;
    emit(s, s->c.at[from], s->c.at[to], s->chars + (size_t)from, s->chars + (size_t)to);
}

static bool letter(const Segmenter *s, int i) { return utf8_is_letter(s->c.cp[i]); }
static bool digit(const Segmenter *s, int i) { return utf8_is_digit(s->c.cp[i]); }

/* No rule below splits at these characters. */
static bool is_plain(int32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/* Is [from, to) such that 'n after it is "than": more'n, bigger'n? */
static bool follows_comparative(const Segmenter *s, int from, int to)
{
    char buf[24];
    if (to - from > 12) return false;
    segment_lower_word(s->text, s->c.at[from], s->c.at[to], buf, sizeof buf);
    size_t n = strlen(buf);
    return text_among(buf, "more less worse") || (n > 4 && strcmp(buf + n - 2, "er") == 0);
}

/* The length of a clitic ('s 'll n't ...) at the end of [from, to), with at least one character before it; else 0. */
static int clitic(const Segmenter *s, int from, int to)
{
    const int32_t *c = s->c.cp;
    int n = to - from;
    if (n >= 3 && segment_is_apostrophe(c[to - 2])) {
        int32_t last = utf8_lower(c[to - 1]);
        if (last == 't' && n >= 4 && utf8_lower(c[to - 3]) == 'n') return 3;
        bool decade = last == 's' && c[to - 3] == '0' && (n == 4 || n == 6) && digit(s, from) && digit(s, to - 4);
        if (last == 'n' && n >= 5 && follows_comparative(s, from, to - 2)) return 2;
        if ((last == 's' || last == 'm' || last == 'd') && !decade && /* 1930's 80's */
            (letter(s, to - 3) || digit(s, to - 3) || segment_is_close(c[to - 3]) || c[to - 3] == '.'))
            return 2;
    }
    if (n >= 4 && segment_is_apostrophe(c[to - 3]) && letter(s, to - 4)) {
        int32_t a = utf8_lower(c[to - 2]), b = utf8_lower(c[to - 1]);
        if ((a == 'l' && b == 'l') || (a == 'r' && b == 'e') || (a == 'v' && b == 'e')) return 3;
    }
    return 0;
}

enum { FUSED_LEAST = 2, FUSED_MOST = 8 }; /* characters of the words in FUSED */

typedef struct Fused {
    char word[FUSED_MOST]; /* with zeros after it: eight bytes are compared at once */
    int cut;
} Fused;

/* Words that are two tokens, by their length. */
static const Fused FUSED[FUSED_MOST + 1][22] = {
    [2] = { { "im", 1 } },
    [3] = { { "ive", 1 } },
    [4] = { { "dont", 2 },
            { "cant", 2 },
            { "wont", 2 },
            { "isnt", 2 },
            { "aint", 2 },
            { "'tis", 2 },
            { "shes", 3 },
            { "itll", 2 },
            { "weve", 2 } },
    [5] = { { "didnt", 3 }, { "gonna", 3 }, { "gotta", 3 }, { "wanna", 3 }, { "gimme", 3 }, { "lemme", 3 },
            { "dunno", 2 }, { "'twas", 2 }, { "d'you", 2 }, { "wasnt", 3 }, { "arent", 3 }, { "hasnt", 3 },
            { "hadnt", 3 }, { "youre", 3 }, { "youll", 3 }, { "thats", 4 }, { "whats", 4 }, { "hafta", 3 },
            { "outta", 3 }, { "youve", 3 }, { "musta", 4 } },
    [6] = { { "cannot", 3 },
            { "doesnt", 4 },
            { "werent", 4 },
            { "havent", 4 },
            { "mustnt", 4 },
            { "theyre", 4 },
            { "theyll", 4 },
            { "theyve", 4 },
            { "theres", 5 },
            { "coulda", 5 },
            { "woulda", 5 },
            { "mighta", 5 },
            { "oughta", 5 },
            { "gotcha", 3 } },
    [7] = { { "shoulda", 6 },
            { "whatcha", 4 },
            { "couldnt", 5 },
            { "wouldnt", 5 },
            { "couldve", 5 },
            { "wouldve", 5 } },
    [8] = { { "shouldnt", 6 }, { "shouldve", 6 } },
};

/* Where to split a word of n characters, in lower case and with zeros after it, if it is in FUSED; else 0. */
static int fused_cut(const char lower[FUSED_MOST], int n)
{
    for (const Fused *f = FUSED[n]; f->cut; f++)
        if (memcmp(lower, f->word, sizeof f->word) == 0) return f->cut;
    return 0;
}

/* May a word of FUSED end with this letter? */
static bool ends_fused(int32_t last)
{
    return last == 't' || last == 'a' || last == 's' || last == 'e' || last == 'm' || last == 'o' || last == 'u' ||
           last == 'l';
}

/* Where to split [from, to) if it is two tokens, or 0. */
static int fused(const Segmenter *s, int from, int to)
{
    char lower[FUSED_MOST + 6] = { 0 }; /* segment_lower_word leaves 5 free */
    int n = to - from;
    if (n < FUSED_LEAST || n > FUSED_MOST || !ends_fused(utf8_lower(s->c.cp[to - 1]))) return 0;
    segment_lower_word(s->text, s->c.at[from], s->c.at[to], lower, sizeof lower);
    int cut = fused_cut(lower, n);
    return cut ? from + cut : 0;
}

/* "Its a pity": is the word at bytes [begin, end) an "its" after which no noun can follow, so that it is "it's"? */
static bool is_it_is(const Segmenter *s, size_t begin, size_t end)
{
    static const char next[] =
        "a an the not been gonna gotta my your his our their i you he she we they me him us them "
        "these those nothing something anything everything everyone anyone someone so because "
        "if when where why what who how in on at for from with about of to as";
    static const char alone[] = "ok okay fine true great cool good bad nice hard easy hot cold late early over gone "
                                "done amazing awesome funny sad weird beautiful perfect wrong right free open closed";
    char word[16];
    const char *p = s->text.ptr + begin;
    size_t from = end + 1, to = from;
    if (end - begin != 3 || (p[0] | 32) != 'i' || (p[1] | 32) != 't' || (p[2] | 32) != 's' || from >= s->text.len ||
        s->text.ptr[end] != ' ')
        return false;
    while (to < s->text.len && is_plain((unsigned char)s->text.ptr[to])) to++;
    if (to < s->text.len && !strchr(" ,.!?\n", s->text.ptr[to])) return false;
    segment_lower_word(s->text, from, to, word, sizeof word);
    bool ends = to == s->text.len || s->text.ptr[to] != ' ';
    return text_among(word, next) || (ends && text_among(word, alone));
}

/* Appends bytes [begin, end), letters and digits of ASCII, as one token or two; s->chars are the characters before. */
static void plain_word(Segmenter *s, size_t begin, size_t end)
{
    const char *p = s->text.ptr;
    size_t n = end - begin, cut = 0;
    if (n >= FUSED_LEAST && n <= FUSED_MOST && ends_fused(utf8_lower(p[end - 1]))) {
        char lower[FUSED_MOST] = { 0 };
        for (size_t k = 0; k < n; k++) lower[k] = (char)utf8_lower(p[begin + k]);
        cut = (size_t)fused_cut(lower, (int)n);
        if (!cut && is_it_is(s, begin, end)) cut = 2;
    }
    if (cut) emit(s, begin, begin + cut, s->chars, s->chars + cut);
    if (!s->failed) emit(s, begin + cut, end, s->chars + cut, s->chars + n);
}

/* Is the period at byte `to` part of the word at bytes [from, to), wherever that stands? Where it depends on the words
 * around it, segment_stops.c says so later. */
static bool is_abbreviation(const Segmenter *s, size_t from, size_t to)
{
    int kind = segment_abbreviation(s->text, from, to);
    return kind != ABBREV_NONE && kind != ABBREV_INITIAL;
}

size_t segment_plain_chunk(Segmenter *segmenter, size_t i)
{
    const char *p = segmenter->text.ptr;
    size_t word = i, n = segmenter->text.len;
    if (!is_plain((unsigned char)p[i]) || utf8_is_digit((unsigned char)p[i])) return i;
    while (word < n && is_plain((unsigned char)p[word])) word++;
    char mark = word < n ? p[word] : ' ';
    bool marked = mark == ',' || mark == '.' || mark == '?' || mark == '!' || mark == ':' || mark == ';';
    size_t end = word + marked;
    if (end < n && ((unsigned char)p[end] >= 128 || !utf8_is_space(p[end]))) return i;
    if (mark == '.' && is_abbreviation(segmenter, i, word))
        emit(segmenter, i, end, segmenter->chars, segmenter->chars + end - i);
    else {
        plain_word(segmenter, i, word);
        if (end > word && !segmenter->failed)
            emit(segmenter, word, end, segmenter->chars + word - i, segmenter->chars + end - i);
    }
    segmenter->chars += end - i;
    return end;
}

/* The end of the number that begins at `from`; `from` without a number there. */
static int number_end(const Segmenter *s, int from, int to)
{
    int i = from;
    while (i < to && (digit(s, i) || (i > from && (s->c.cp[i] == '.' || s->c.cp[i] == ',' || s->c.cp[i] == ':')))) i++;
    return i > from && digit(s, i - 1) ? i : from;
}

/* 7:30pm, 20km, 5-6kg, $1.2tn: where the unit begins, or 0. After the sign of a currency more letters are units. */
static int unit(const Segmenter *s, int from, int to)
{
    static const char units[] =
        "am pm AM PM a.m. p.m. A.M. P.M. km kg cm mm ft lb lbs bn tn trn mn k m K GB MB kb mph km/h m/s kHz MHz GHz "
        "Hz mg ml";
    static const char amounts[] = "M B b t";
    enum { LONGEST = 4 };
    char buf[LONGEST + 1] = { 0 };
    int i = number_end(s, from, to);
    if (i > from && i + 1 < to && s->c.cp[i] == '-' && digit(s, i + 1)) i = number_end(s, i + 1, to);
    if (i == from || i == to || to - i > LONGEST) return 0;
    for (int k = i; k < to; k++) buf[k - i] = (char)(s->c.cp[k] < 128 ? s->c.cp[k] : '?');
    bool amount = from > 0 && segment_is_currency(s->c.cp[from - 1]) && text_among(buf, amounts);
    return amount || text_among(buf, units) ? i : 0;
}

/* 20°C are three tokens, as in GUM. */
static bool degrees(Segmenter *s, int from, int to)
{
    int i = number_end(s, from, to);
    if (i == to || s->c.cp[i] != 0xB0 || to - i > 2 || (to - i == 2 && !letter(s, i + 1))) return false;
    emit_chars(s, from, i);
    emit_chars(s, i, i + 1);
    emit_chars(s, i + 1, to);
    return true;
}

static void word(Segmenter *s, int from, int to)
{
    if (degrees(s, from, to)) return;
    int cut = fused(s, from, to);
    if (!cut) cut = unit(s, from, to);
    if (cut) {
        emit_chars(s, from, cut);
        emit_chars(s, cut, to);
        return;
    }
    int k = clitic(s, from, to);
    if (k && clitic(s, from, to - k)) { /* I'd've */
        int k2 = clitic(s, from, to - k);
        emit_chars(s, from, to - k - k2);
        emit_chars(s, to - k - k2, to - k);
    } else emit_chars(s, from, to - k);
    if (k) emit_chars(s, to - k, to);
}

/* ---- shapes (language/english/text/shape.h) */

static StrView bytes(const Segmenter *s, int from, int to)
{
    size_t b = s->c.at[from];
    return (StrView){ s->text.ptr + b, s->c.at[to] - b };
}

/* The number of code points from `from` on that take n bytes. */
static int code_points(const Segmenter *s, int from, size_t n)
{
    int to = from;
    while (s->c.at[to] - s->c.at[from] < n) to++;
    return to - from;
}

/* Is an address what begins at `from`, after the beginning of the chunk? */
static int address(const Segmenter *s, int from, int to)
{
    return code_points(s, from, address_length(bytes(s, from, to)));
}

static bool dots(const Segmenter *s, int i, int to, int *end)
{
    *end = i;
    if (s->c.cp[i] == 0x2026) {
        while (*end < to && s->c.cp[*end] == 0x2026) ++*end;
        return true;
    }
    while (*end < to && s->c.cp[*end] == '.') ++*end;
    return *end - i >= 2;
}

/* Digits and commas that are not thousands separators, as in citations: 5,6 or 16,17. */
static bool is_number_list(const Segmenter *s, int from, int to)
{
    int run = 0;
    bool group = true;
    for (int i = from; i < to; i++) {
        if (s->c.cp[i] == ',') {
            run = 0;
            continue;
        }
        if (!digit(s, i)) return false;
        run++;
        if (i + 1 == to || s->c.cp[i + 1] == ',') group = group && run == 3;
        if (i + 1 < to && s->c.cp[i + 1] == ',' && i - run < from && run <= 3)
            group = true; /* the first group may be short */
    }
    return !group;
}

/* A bracket opens at i in the core [start, to). Up to two characters in brackets are part of the word: friend(s).
 * Returns the place of the closing bracket, or 0. */
static int inner_bracket(const Segmenter *s, int start, int to, int i)
{
    if (i == start || i + 1 >= to) return 0;
    if (s->c.cp[i] == '(' && s->c.cp[i + 1] == ')' && letter(s, i - 1)) return i + 1; /* f() */
    if (!letter(s, i + 1)) return 0;
    for (int k = i + 2; k < to && k <= i + 3; k++) {
        if (segment_is_close(s->c.cp[k])) return k;
        if (segment_is_open(s->c.cp[k])) return 0;
    }
    return 0;
}

/* Does a period at i end a sentence or the number of an item without white space after it (word.Next 4.Next)? */
static bool glued_period(const Segmenter *s, int start, int to, int i)
{
    const int32_t *c = s->c.cp;
    bool number = i > start && number_end(s, start, i) == i;
    if (i == start || i + 1 == to || !utf8_is_upper(c[i + 1]) || !(number || utf8_is_lower(c[i - 1]))) return false;
    bool pronoun = c[i + 1] == 'I' && (i + 2 == to || segment_is_apostrophe(c[i + 2])); /* it.I */
    return pronoun ? i - start >= 2 : (number || i - start >= 3) && i + 2 < to && utf8_is_lower(c[i + 2]);
}

/* The core [from, to) while it is split; the word that has not been emitted yet begins at `start`. */
typedef struct Core {
    int from, to, start;
    bool list; /* a list of numbers: its commas are tokens */
} Core;

enum { UNIT_MOST = 24 }; /* characters of a number and its unit */

/* The length of the token at i at which the core is split, 0 if i is part of a word. */
static int cut_length(const Segmenter *s, const Core *r, int i)
{
    int32_t c = s->c.cp[i], next = i + 1 < r->to ? s->c.cp[i + 1] : 0, before = i > r->start ? s->c.cp[i - 1] : 0;
    int end;
    if (dots(s, i, r->to, &end)) return end - i;
    if (c == '<' || c > 0xFF || next > 0xFF) {
        int n = code_points(s, i, shape_inside(bytes(s, i, r->to)));
        if (n) return n;
    }
    if (c == ':' && next) return address(s, i + 1, r->to) > 0;
    if (c == '-' && next == '-') {
        for (end = i; end < r->to && s->c.cp[end] == '-';) end++;
        return end - i;
    }
    bool wide = c >= 0x3000 && segment_is_mark(c) && !(utf8_is_digit(before) && utf8_is_digit(next)); /* no blanks */
    if (wide || segment_is_dash(c) || segment_is_open(c) || segment_is_close(c)) return 1;
    if (segment_is_double_quote(c)) return !(before && utf8_is_digit(before) && c == '"' && !next); /* 5" */
    if (c == '/' && clitic(s, r->start, i) && utf8_is_letter(next)) return 1;                       /* can't/won't */
    if (c == '%' && utf8_is_digit(before) && next == '-' && i + 2 < r->to && digit(s, i + 2)) return 1; /* 5%-6% */
    if (c == '-' && i == r->start && i > r->from && s->c.cp[i - 1] == '%') return 1;
    if ((c == '-' || c == '/') && segment_is_currency(next)) /* $5m-$6m */
        return utf8_is_digit(before) || (i - r->start < UNIT_MOST && unit(s, r->start, i));
    if (c == ',' || c == ';')
        return next && !(c == ',' && before && utf8_is_digit(before) && utf8_is_digit(next) && !r->list);
    if (c == '?' || c == '!') {
        for (end = i; end < r->to && (s->c.cp[end] == '?' || s->c.cp[end] == '!');) end++;
        return (before || end - i > 1) && end < r->to ? end - i : 0;
    }
    if (c == '.') return glued_period(s, r->start, r->to, i);
    return segment_is_currency(c) && next && utf8_is_digit(next);
}

/* Splits the core [from, to) at dashes, ellipses, brackets, quotes and other marks, and emits all tokens. */
static void core(Segmenter *s, int from, int to)
{
    if (from >= to) return;
    Core r = { from, to, from, is_number_list(s, from, to) };
    for (int i = from; i < to; i++) {
        int n = i == r.start ? address(s, i, to) : 0;
        if (n) {
            emit_chars(s, i, i + n);
            r.start = i + n;
            i = r.start - 1;
            continue;
        }
        if (is_plain(s->c.cp[i])) continue;
        int closed = segment_is_open(s->c.cp[i]) ? inner_bracket(s, r.start, to, i) : 0;
        if (closed) {
            i = closed;
            continue;
        }
        n = cut_length(s, &r, i);
        if (n == 0) continue;
        bool apart = segment_is_open(s->c.cp[i]) || segment_is_close(s->c.cp[i]) || segment_is_double_quote(s->c.cp[i]);
        bool period = i - 1 > r.start && s->c.cp[i - 1] == '.' && apart && /* word.[1] word."She */
                      segment_abbreviation(s->text, s->c.at[r.start], s->c.at[i - 1]) == ABBREV_NONE;
        if (i > r.start) word(s, r.start, i - period);
        if (period) emit_chars(s, i - 1, i);
        emit_chars(s, i, i + n);
        r.start = i + n;
        i = r.start - 1;
    }
    word(s, r.start, to);
}

/* Is the period at to - 1 part of the word that begins at `from`, or of its unit (5p.m.)? */
static bool keeps_period(const Segmenter *s, int from, int to)
{
    if (to - from < 2) return false;
    return unit(s, from, to) > 0 || is_abbreviation(s, s->c.at[from], s->c.at[to - 1]);
}

static bool leading_apostrophe_word(const Segmenter *s, int from, int to)
{
    static const char list[] = "'tis 'twas 'til 'em 'cause 'bout 'n' 'round 's 're 've 'll 'm 'd 'cos 'n";
    char buf[12];
    if (to - from >= 3 && digit(s, from + 1) && digit(s, from + 2)) return true; /* '90s */
    if (to - from > 9) return false;
    int end = to;
    while (end > from + 1 && (segment_is_mark(s->c.cp[end - 1]) || s->c.cp[end - 1] == '.')) end--;
    segment_lower_word(s->text, s->c.at[from], s->c.at[end], buf, sizeof buf);
    return text_among(buf, list);
}

/* goin' and thro': the apostrophe is in place of letters, unless it closes a quotation. */
static bool trailing_apostrophe_word(const Segmenter *s, int from, int to)
{
    static const char list[] = "o' ol' th' an' wi' thro' tho' mo' lil' po'";
    char buf[24];
    if (s->quoted || to - from > 16) return false;
    segment_lower_word(s->text, s->c.at[from], s->c.at[to], buf, sizeof buf);
    size_t n = strlen(buf);
    return (n >= 5 && strcmp(buf + n - 3, "in'") == 0) || text_among(buf, list);
}

/* The number of equal characters at the front and at the back of [from, to). */
static int run_front(const Segmenter *s, int from, int to)
{
    int k = from + 1;
    while (k < to && s->c.cp[k] == s->c.cp[from]) k++;
    return k - from;
}

static int run_back(const Segmenter *s, int from, int to)
{
    int k = to - 1;
    while (k > from && s->c.cp[k - 1] == s->c.cp[to - 1]) k--;
    return to - k;
}

/* Is the chunk the first one of a line, after its indentation? */
static bool begins_line(const Segmenter *s)
{
    size_t i = s->c.at[0];
    while (i > 0 && (s->text.ptr[i - 1] == ' ' || s->text.ptr[i - 1] == '\t')) i--;
    return i == 0 || s->text.ptr[i - 1] == '\n' || s->text.ptr[i - 1] == '\f';
}

/* The length in code points of the token at the front of [from, to), 0 if the front is part of a word. */
static int front(const Segmenter *s, int from, int to)
{
    int32_t c = s->c.cp[from];
    int end;
    if (to - from == 1 || is_plain(c)) return 0;
    if (dots(s, from, to, &end)) return end - from;
    if (c == '`') return run_front(s, from, to);
    if (c == '\'' && s->c.cp[from + 1] == c) return 2;
    if (segment_is_double_quote(c) || segment_is_open(c)) return 1;
    if (segment_is_apostrophe(c)) return leading_apostrophe_word(s, from, to) ? 0 : 1;
    if (c == '-' && s->c.cp[from + 1] == '-') return run_front(s, from, to);
    if (segment_is_dash(c) || segment_is_currency(c)) return 1;
    if (c == '-' && letter(s, from + 1)) {
        int n = begins_line(s) ? 0 : code_points(s, from, shape_options(bytes(s, from, to)));
        return n ? n : 1;
    }
    if (c == '?' || c == '!') return run_front(s, from, to);
    if (segment_is_close(c) || (segment_is_mark(c) && c != '%')) return 1;
    if (c == '+' && digit(s, from + 1)) return 0;
    return segment_is_bullet(c) ? run_front(s, from, to) : 0;
}

/* The length of a run of stars or the like at the end of [from, to); 0 if it hides letters (b****) or is a sign
 * (C#). */
static int stars(const Segmenter *s, int from, int to)
{
    int32_t sign = s->c.cp[to - 1];
    int n = run_back(s, from, to);
    bool masked = sign == '*' && n > 1 && to - n - from <= 2 && from == 0; /* not **p** */
    return sign == '*' && !masked ? n : n >= 3 && sign != '*' ? n : 0;
}

enum { ANGLE_MAX = 256 }; /* characters of an address in < > at the end of a chunk */

/* Do the brackets at the end of [from, to) belong to a number or a call: 1(a) f() ? */
static bool own_brackets(const Segmenter *s, int from, int to)
{
    const int32_t *c = s->c.cp;
    if (to - from < 3 || c[to - 1] != ')') return false;
    if (c[to - 2] == '(') return letter(s, to - 3);
    size_t n;
    return digit(s, from) && shape_prefix(bytes(s, from, to), &n) == SHAPE_NUMBER && n == s->c.at[to] - s->c.at[from];
}

/* The length of what ends [from, to) with a shape: an emoticon, or an address or tag in < >. */
static int last_shape(const Segmenter *s, int from, int to)
{
    int k = to - 1, least = to - ANGLE_MAX > from ? to - ANGLE_MAX : from;
    if (s->c.cp[k] != '>') return (int)shape_last_emoticon(bytes(s, from, to)); /* of ASCII */
    while (k > least && s->c.cp[k] != '<') k--;
    return k > from && shape_inside(bytes(s, k, to)) == s->c.at[to] - s->c.at[k] ? to - k : 0;
}

/* Does a new sentence of the paragraph begin after the chunk? A capital, perhaps after a blank or a quote. */
static bool capital_follows(const Segmenter *s)
{
    size_t i = s->c.at[s->c.n];
    for (int breaks = 0; i < s->text.len && breaks < 2;) {
        int32_t c = utf8_next(s->text.ptr, s->text.len, &i);
        breaks += c == '\f' || c == 0x2029 ? 2 : c == '\n';
        if (!utf8_is_space(c) && !segment_is_double_quote(c)) return utf8_is_upper(c);
    }
    return false;
}

/* The length of the number of a note at the end of [from, to), right after the end of a sentence: found.3 found.”12 */
static int footnote(const Segmenter *s, int from, int to)
{
    const int32_t *c = s->c.cp;
    int k = to, end;
    bool plain = digit(s, to - 1);
    while (k > from && to - k < 3 && (plain ? digit(s, k - 1) : segment_is_superscript(c[k - 1]))) k--;
    for (end = k; end > from && (segment_is_double_quote(c[end - 1]) || segment_is_close(c[end - 1]));) end--;
    if (k == to || end - from < 3 + plain || !strchr(".?!", c[end - 1] < 128 && c[end - 1] ? (int)c[end - 1] : '-'))
        return 0;
    if (!letter(s, end - 2) || !letter(s, end - 3) || utf8_is_upper(c[end - 3])) return 0;
    for (int i = from; i < end - 1; i++)
        if (!letter(s, i) && c[i] != '-' && !segment_is_apostrophe(c[i])) return 0; /* names of files */
    if (c[k] == '0' || (plain && !capital_follows(s))) return 0;
    return c[end - 1] == '.' && end == k && keeps_period(s, from, end) ? 0 : to - k;
}

/* 6'2" */
static bool is_height(const Segmenter *s, int from, int to)
{
    int n = to - from;
    return s->c.cp[to - 1] == '"' && n >= 4 && n <= 5 && digit(s, from) && segment_is_apostrophe(s->c.cp[from + 1]) &&
           digit(s, from + 2) && digit(s, to - 2);
}

/* The length in code points of the token at the back of [from, to), 0 if the back is part of a word. */
static int back(const Segmenter *s, int from, int to)
{
    const int32_t *c = s->c.cp;
    int32_t last = c[to - 1];
    if (to - from == 1) return 0;
    bool face = last == ')' || last == '(' || last == 'D' || last == 'P' || last == 'p' || last == '[' || last == ']' ||
                last == '^' || last == '>';
    int shape = face ? last_shape(s, from, to) : 0;
    if (digit(s, to - 1) || segment_is_superscript(last)) shape = footnote(s, from, to);
    if (shape || is_plain(last)) return shape;
    if (last == 0x2026) return 1;
    if (last == '.') {
        int n = run_back(s, from, to);
        return n > 1 || !keeps_period(s, from, to) ? n : 0;
    }
    if (last == '?' || last == '!') {
        int k = to;
        while (k > from && (c[k - 1] == '?' || c[k - 1] == '!')) k--;
        return k == from ? 0 : to - k;
    }
    if (segment_is_mark(last)) return 1;
    if (last == '\'' && c[to - 2] == last) return 2;
    if (last == '>') {
        int n = run_back(s, from, to), k = to - n;
        return k == from || c[k - 1] == '-' || c[k - 1] == '=' ? 0 : n; /* arrows are not split */
    }
    if (last == '`') return run_back(s, from, to);
    if (segment_is_double_quote(last)) return !is_height(s, from, to);
    if (segment_is_apostrophe(last)) return trailing_apostrophe_word(s, from, to) ? 0 : 1;
    if (own_brackets(s, from, to)) return 0;
    if (segment_is_close(last)) { /* friend(s): a few letters in brackets at the end belong to the word */
        int k = to - 2;
        while (k > from && k > to - 4 && !segment_is_open(c[k])) k--;
        if (k > from && segment_is_open(c[k]) && letter(s, k - 1) && to - k > 2 && letter(s, k + 1)) return 0;
        return 1;
    }
    if (last == '-' && c[to - 2] == '-') return run_back(s, from, to);
    if (segment_is_dash(last) || last == 0xA2) return 1; /* cents */
    return last < 128 && strchr("*=_#+", last) ? stars(s, from, to) : 0;
}

enum { BACK_MAX = 4096 };

/* [...] and the like are one token. */
static bool is_fixed(const Segmenter *s)
{
    static const char list[] = "[...] (...) [\xe2\x80\xa6] &c.";
    char buf[8];
    size_t b = s->c.at[0], n = s->c.at[s->c.n] - b;
    if (n >= sizeof buf || is_plain(s->c.cp[0])) return false;
    memcpy(buf, s->text.ptr + b, n);
    buf[n] = 0;
    return text_among(buf, list);
}

static bool is_letters(const Token *t)
{
    size_t i = 0;
    while (i < t->len && ((t->form[i] | 32) >= 'a' && (t->form[i] | 32) <= 'z')) i++;
    return i == t->len && i > 1;
}

/* The length of 1. or 2.1. at the beginning of a sentence, perhaps with a word right after it; 0: something else. The
 * period belongs to the number of an item. */
static int item_number(const Segmenter *s)
{
    const int32_t *c = s->c.cp;
    int n = 0, digits = 0;
    while (n < s->c.n && (digit(s, n) || c[n] == '.')) n++;
    bool word = n + 1 < s->c.n && utf8_is_upper(c[n]) && utf8_is_lower(c[n + 1]);
    if (n < 2 || n > 8 || c[n - 1] != '.' || !(word || n == s->c.n)) return 0;
    for (int i = 0; i + 1 < n; i++) {
        if (digit(s, i)) digits++;
        else if (c[i] == '.' && digits) digits = 0;
        else return 0;
        if (digits > 2) return 0;
    }
    const SegmentedText *o = s->out;
    if (!digits || o->n_tokens == s->paragraph) return digits > 0 ? n : 0;
    const Token *last = &o->tokens[o->n_tokens - 1];
    bool period = strcmp(last->form, ".") == 0;
    if (period && last->glued && last - 1 > o->tokens && is_letters(last - 1) && segment_letter_score(last - 1) > 0)
        return 0; /* para. 5. */
    bool begins = period || strcmp(last->form, "?") == 0 || strcmp(last->form, "!") == 0 ||
                  strcmp(last->form, ":") == 0 || strcmp(last->form, "]") == 0;
    return begins || (word && begins_line(s)) ? n : 0;
}

/* No shape begins like most words: letters and digits, and perhaps a mark at the end. */
static bool is_plain_chunk(const Segmenter *s)
{
    int n = s->c.n - 1;
    for (int i = 0; i < n; i++)
        if (!is_plain(s->c.cp[i])) return false;
    return n > 2 && s->c.cp[n] < 0x80 && s->c.cp[n] != '$';
}

/* The length of the shape at the front of [from, to). */
static int shape(const Segmenter *s, int from, int to)
{
    size_t n;
    return shape_prefix(bytes(s, from, to), &n) == SHAPE_NONE ? 0 : code_points(s, from, n);
}

void segment_whole_chunk(Segmenter *segmenter) { emit_chars(segmenter, 0, segmenter->c.n); }

void segment_chunk(Segmenter *segmenter)
{
    int to = segmenter->c.n, tail[BACK_MAX], n_tail = 0;
    int from = is_fixed(segmenter) ? to : item_number(segmenter);
    emit_chars(segmenter, 0, from);
    bool plain = is_plain_chunk(segmenter);
    for (int k; from < to && !plain; from += k) {
        k = shape(segmenter, from, to);
        if (!k) k = front(segmenter, from, to);
        if (!k) break;
        if (segment_is_apostrophe(segmenter->c.cp[from]) && k == 1) segmenter->quoted = true;
        emit_chars(segmenter, from, from + k);
    }
    while (from < to && n_tail < BACK_MAX) {
        int k = back(segmenter, from, to);
        if (k == 0) break;
        tail[n_tail++] = k;
        to -= k;
    }
    core(segmenter, from, to);
    while (n_tail > 0) {
        int k = tail[--n_tail];
        if (segment_is_apostrophe(segmenter->c.cp[to]) && k == 1) segmenter->quoted = false;
        emit_chars(segmenter, to, to + k);
        to += k;
    }
}
