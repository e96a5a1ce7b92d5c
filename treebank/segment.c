/* treebank/segment.c
 * Three passes over a paragraph: white space cuts it into chunks; a chunk is peeled from both ends (quotes, brackets, marks),
 * its core cut at dashes, brackets and clitics; then boundaries are put behind . ? ! where what follows looks like a
 * beginning. Code points are decoded once a chunk. */
#include "treebank/segment.h"

#include <string.h>

typedef struct Chunk { /* the code points of one stretch without white space */
    int32_t *cp;
    size_t *at; /* [n + 1] byte offsets in the text */
    int n, cap_cp, cap_at;
} Chunk;

typedef struct Segmenter {
    StrView text;
    SegmentedText *out;
    Arena *a;
    Chunk c;
    int paragraph; /* first token of the paragraph at hand */
    bool failed;
} Segmenter;

/* ---- small sets */

static bool in_set(int32_t cp, const int32_t *set)
{
    for (; *set; set++)
        if (*set == cp) return true;
    return false;
}

static bool is_apostrophe(int32_t c) { return c == '\'' || c == 0x2019 || c == 0x2018 || c == 0x02BC; }
static bool is_double_quote(int32_t c)
{
    static const int32_t set[] = { '"', 0x201C, 0x201D, 0x201E, 0x201F, 0xAB, 0xBB, 0x300C, 0x300D, 0 };
    return in_set(c, set);
}
static bool is_open(int32_t c)
{
    static const int32_t set[] = { '(', '[', '{', 0xFF08, 0x3010, 0x27E8, 0 };
    return in_set(c, set);
}
static bool is_close(int32_t c)
{
    static const int32_t set[] = { ')', ']', '}', 0xFF09, 0x3011, 0x27E9, 0 };
    return in_set(c, set);
}
static bool is_dash(int32_t c) { return c == 0x2013 || c == 0x2014 || c == 0x2015 || c == 0x2212; }
static bool is_currency(int32_t c)
{
    static const int32_t set[] = { '$', 0xA3, 0x20AC, 0xA5, 0x20B9, 0x20BD, 0 };
    return in_set(c, set);
}
static bool is_mark(int32_t c) /* always a token of its own at the end of a chunk */
{
    static const int32_t set[] = { ',', ';', ':', '?', '!', 0xFF0C, 0x3002, 0xFF1F, 0xFF01, 0xFF1B, 0xFF1A, 0x3001, '%', 0x2030, 0 };
    return in_set(c, set);
}
static bool is_bullet(int32_t c)
{
    static const int32_t set[] = { 0x2022, 0xB7, 0x25CF, 0x25AA, 0x2023, 0x2043, '*', '|', '~', 0x2020, 0x2021, '=', '+', '>', '<', 0xBF, 0xA1, 0 };
    return in_set(c, set);
}

static bool word_in(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(s, *list) == 0) return true;
    return false;
}

/* ---- abbreviations, without their last period, lower-cased */

/* Followed by a name or a number: never the end of a sentence. */
static const char *const TITLES[] = { "mr",     "mrs",  "ms",    "dr",   "prof",   "rev",  "gen",  "sen",  "rep", "gov", "col", "lt",
                                      "capt",   "sgt",  "maj",   "cmdr", "adm",    "hon",  "pres", "st",   "mt",  "ft",  "fig", "figs",
                                      "eq",     "eqs",  "no",    "nos",  "vol",    "vols", "pp",   "p",    "ch",  "sec", "ref", "refs",
                                      "vs",     "v",    "cf",    "ca",   "approx", "e.g",  "i.e",  "eg",   "ie",  "viz", "fr",  "sr",
                                      "messrs", "mmes", "mme",   "mlle", "supt",   "det",  "insp", "brig", "pvt", "cpl", "tab", "suppl",
                                      "ed",     "eds",  "trans", "art",  "cl",     "al",   "resp", "esp",  "tel", "spp", "sp",  "var",
                                      "subsp",  "op",   "cit",   "ibid", "nr",     "bros", "ave",  NULL };
/* May end a sentence: boundary only if the next word is a usual first word. */
static const char *const SHORT[] = {
    "etc",   "inc",  "ltd",   "co",    "corp",  "jr",   "u.s",  "u.k",   "u.n",  "u.s.a", "a.m",   "p.m",  "jan",  "feb",   "mar",  "apr",  "jun",
    "jul",   "aug",  "sep",   "sept",  "oct",   "nov",  "dec",  "mon",   "tue",  "tues",  "wed",   "thu",  "thur", "thurs", "fri",  "sat",  "sun",
    "dept",  "univ", "assn",  "ph.d",  "m.d",   "b.a",  "m.a",  "b.sc",  "m.sc", "d.c",   "calif", "mass", "conn", "fla",   "ga",   "ill",  "ind",
    "kan",   "la",   "md",    "mich",  "minn",  "miss", "mo",   "mont",  "neb",  "nev",   "okla",  "ore",  "pa",   "penn",  "tenn", "tex",  "va",
    "vt",    "wash", "wis",   "wyo",   "ariz",  "ark",  "colo", "del",   "blvd", "rd",    "sq",    "hwy",  "est",  "min",   "max",  "avg",  "hr",
    "hrs",   "lbs",  "oz",    "yr",    "yrs",   "b.c",  "a.d",  "b.c.e", "c.e",  "s.a",   "plc",   "llc",  "mgr",  "dist",  "int",  "intl", "natl",
    "gov't", "esq",  "misc",  "incl",  "excl",  "cont", "ext",  "orig",  "anon", "assoc", "acad",  "sci",  "biol", "chem",  "phys", "med",  "proc",
    "natl",  "j",    "r.i.p", "a.k.a", "w.r.t", "s.d",  "s.e",  "n.b",   "p.s",  "q.v",   "c",     "d",    "b",    "m",     NULL
};
static const char *const STARTERS[] = {
    "the",       "a",         "an",      "this",     "that",   "these",   "those", "he",     "she",       "it",       "we",
    "they",      "i",         "you",     "his",      "her",    "its",     "our",   "their",  "my",        "your",     "in",
    "on",        "at",        "for",     "from",     "with",   "by",      "as",    "but",    "and",       "or",       "so",
    "if",        "when",      "while",   "although", "though", "however", "after", "before", "since",     "there",    "here",
    "what",      "who",       "how",     "why",      "where",  "which",   "to",    "of",     "not",       "no",       "all",
    "some",      "many",      "most",    "one",      "two",    "also",    "then",  "thus",   "therefore", "moreover", "furthermore",
    "meanwhile", "according", "because", "during",   "both",   "each",    "such",  "now",    "another",   "other",    "once",
    "even",      "only",      "it's",    "i'm",      "let",    "do",      "is",    "are",    "was",       "were",     "did",
    "does",      "can",       "could",   "would",    "will",   "should",  "may",   "yes",    "well",      "please",   "additionally",
    "finally",   "first",     "second",  "later",    "today",  "despite", "under", "until",  "unlike",    "within",   "without",
    NULL
};

/* Lower-cased word [from, to) of the text in buf (cut at size - 1); curly apostrophes made straight. */
static void lower_word(StrView text, size_t from, size_t to, char *buf, size_t size)
{
    size_t used = 0;
    for (size_t i = from; i < to && used + 5 < size;) {
        int32_t cp = utf8_lower(utf8_next(text.ptr, to, &i));
        if (is_apostrophe(cp)) cp = '\'';
        if (cp < 128) buf[used++] = (char)cp;
        else { /* kept as it stands: none of the lists has such letters */ buf[used++] = '?';
        }
    }
    buf[used] = 0;
}

/* A.B or a single letter: initials and acronyms with periods; buf lower-cased, without the last period. */
static bool is_initials(const char *s)
{
    size_t n = strlen(s);
    if (n == 0 || n > 11 || n % 2 == 0) return false;
    for (size_t i = 0; i < n; i++)
        if (i % 2 ? s[i] != '.' : !(s[i] >= 'a' && s[i] <= 'z')) return false;
    return true;
}

enum { ABBREV_NONE, ABBREV_SHORT, ABBREV_TITLE, ABBREV_INITIAL };

/* Is the next thing behind the period at byte `to` a digit? */
static bool number_follows(StrView text, size_t to)
{
    size_t i = to + 1;
    while (i < text.len && (text.ptr[i] == ' ' || text.ptr[i] == '\n')) i++;
    return i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9';
}

/* What kind of abbreviation the word before a period at byte `to` is; upper: the word begins with a capital. */
static int abbreviation(StrView text, size_t from, size_t to)
{
    char buf[32];
    if (to - from > 24) return ABBREV_NONE;
    lower_word(text, from, to, buf, sizeof buf);
    bool upper = text.ptr[from] >= 'A' && text.ptr[from] <= 'Z';
    if (strlen(buf) == 1 && buf[0] >= 'a' && buf[0] <= 'z') {
        if (buf[0] == 'i') return ABBREV_NONE;
        return upper || word_in(buf, TITLES) ? ABBREV_INITIAL : word_in(buf, SHORT) ? ABBREV_SHORT : ABBREV_NONE;
    }
    if (word_in(buf, TITLES)) {
        static const char *const numbered[] = {
            "no", "nos", "art", "tab", "fig", "figs", "sec", "op", "ch", "ref", "refs", "det", "ed", "gen", NULL
        };
        if (strcmp(buf, "al") == 0) return ABBREV_SHORT;
        return word_in(buf, numbered) && !upper && !number_follows(text, to) ? ABBREV_NONE
               : strcmp(buf, "no") == 0 && !number_follows(text, to)         ? ABBREV_NONE
                                                                             : ABBREV_TITLE;
    }
    if (strchr(buf, '.')) return is_initials(buf) || word_in(buf, SHORT) ? ABBREV_SHORT : ABBREV_NONE;
    static const char *const common[] = { "am",   "pm",  "la",  "mar", "sat", "sun",  "wed", "min", "max", "int", "miss",
                                          "mass", "ill", "ind", "ga",  "del", "wash", "ore", "co",  "pa",  "mi",  "md",
                                          "va",   "mo",  "fri", "mon", "oct", "apr",  "med", "est", "ext", NULL };
    if (word_in(buf, common) && !upper && strcmp(buf, "co") != 0) return ABBREV_NONE;
    if (upper && (strcmp(buf, "ill") == 0 || strcmp(buf, "miss") == 0 || strcmp(buf, "la") == 0 || strcmp(buf, "pa") == 0)) return ABBREV_NONE;
    return word_in(buf, SHORT) ? ABBREV_SHORT : ABBREV_NONE;
}

/* ---- tokens */

static void emit(Segmenter *s, int from, int to)
{
    if (from >= to || s->failed) return;
    SegmentedText *o = s->out;
    if (!mem_reserve((void **)&o->tokens, &o->token_cap, o->n_tokens + 1, sizeof *o->tokens)) {
        s->failed = true;
        return;
    }
    size_t b = s->c.at[from], e = s->c.at[to];
    Token t = { .begin = b, .end = e, .form = arena_strndup(s->a, s->text.ptr + b, e - b) };
    if (!t.form) s->failed = true;
    o->tokens[o->n_tokens++] = t;
}

static bool letter(const Segmenter *s, int i) { return utf8_is_letter(s->c.cp[i]); }
static bool digit(const Segmenter *s, int i) { return utf8_is_digit(s->c.cp[i]); }

/* Length of the clitic that ends at `to` ('s 'll n't ...), 0 if none; something must stand before it. */
static int clitic(const Segmenter *s, int from, int to)
{
    const int32_t *c = s->c.cp;
    int n = to - from;
    if (n >= 3 && is_apostrophe(c[to - 2])) {
        int32_t last = utf8_lower(c[to - 1]);
        if (last == 't' && n >= 4 && utf8_lower(c[to - 3]) == 'n') return 3;
        bool decade = last == 's' && c[to - 3] == '0' && n == 6 && digit(s, from) && digit(s, from + 1) && digit(s, from + 2); /* 1930's */
        if ((last == 's' || last == 'm' || last == 'd') && !decade &&
            (letter(s, to - 3) || digit(s, to - 3) || is_close(c[to - 3]) || c[to - 3] == '.'))
            return 2;
    }
    if (n >= 4 && is_apostrophe(c[to - 3]) && letter(s, to - 4)) {
        int32_t a = utf8_lower(c[to - 2]), b = utf8_lower(c[to - 1]);
        if ((a == 'l' && b == 'l') || (a == 'r' && b == 'e') || (a == 'v' && b == 'e')) return 3;
    }
    return 0;
}

/* Words of two tokens: where to cut, or 0. */
static int fused(const Segmenter *s, int from, int to)
{
    static const struct {
        const char *word;
        int cut;
    } list[] = { { "cannot", 3 }, { "gonna", 3 }, { "gotta", 3 }, { "wanna", 3 }, { "gimme", 3 },
                 { "lemme", 3 },  { "dunno", 2 }, { "'tis", 2 },  { "'twas", 2 }, { "d'you", 2 } };
    char buf[12];
    if (to - from > 7) return 0;
    lower_word(s->text, s->c.at[from], s->c.at[to], buf, sizeof buf);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (strcmp(buf, list[k].word) == 0) return from + list[k].cut;
    return 0;
}

static void word(Segmenter *s, int from, int to)
{
    int cut = fused(s, from, to);
    if (cut) {
        emit(s, from, cut);
        emit(s, cut, to);
        return;
    }
    int k = clitic(s, from, to);
    if (k && clitic(s, from, to - k)) { /* I'd've */
        int k2 = clitic(s, from, to - k);
        emit(s, from, to - k - k2);
        emit(s, to - k - k2, to - k);
    } else emit(s, from, to - k);
    if (k) emit(s, to - k, to);
}

/* URLs, mail addresses, file paths, handles: nothing inside is cut. */
static bool is_address(const Segmenter *s, int from, int to)
{
    size_t b = s->c.at[from], n = s->c.at[to] - b;
    const char *p = s->text.ptr + b;
    if (n >= 5 && (strncmp(p, "http:", 5) == 0 || strncmp(p, "www.", 4) == 0 || (n >= 6 && strncmp(p, "https:", 6) == 0) ||
                   strncmp(p, "doi:", 4) == 0 || strncmp(p, "ftp:", 4) == 0))
        return true;
    const char *at = memchr(p, '@', n);
    if (at && at > p && memchr(at, '.', n - (size_t)(at - p))) return true;
    if (n > 7)
        for (size_t i = 0; i + 4 < n; i++)
            if ((memcmp(p + i, ".com", 4) == 0 || memcmp(p + i, ".org", 4) == 0 || memcmp(p + i, ".net", 4) == 0 || memcmp(p + i, ".edu", 4) == 0) &&
                (i + 4 == n || p[i + 4] == '/'))
                return true;
    return false;
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

/* Digits and commas that are no thousands, as in citations: 5,6 or 16,17. */
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
        if (i + 1 < to && s->c.cp[i + 1] == ',' && i - run < from && run <= 3) group = true; /* the first group may be short */
    }
    return !group;
}

/* Inside the core [from, to): cuts at dashes, ellipses, brackets, quotes and glued marks, then hands out words. */
static void core(Segmenter *s, int from, int to)
{
    if (from >= to) return;
    if (is_address(s, from, to)) {
        emit(s, from, to);
        return;
    }
    int start = from;
    for (int i = from; i < to; i++) {
        int32_t c = s->c.cp[i], next = i + 1 < to ? s->c.cp[i + 1] : 0, before = i > start ? s->c.cp[i - 1] : 0;
        int end = i + 1;
        bool cut = false;
        if (dots(s, i, to, &end)) cut = true;
        else {
            end = i + 1;
            if (c == '-' && next == '-') {
                while (end < to && s->c.cp[end] == '-') end++;
                cut = true;
            } else if (is_dash(c)) cut = true;
            else if (is_double_quote(c)) cut = !(before && utf8_is_digit(before) && c == '"' && !next);
            else if (is_open(c)) { /* friend(s), Ro(SSA): letters on both sides and closed in the chunk: part of the word */ int k = i + 1;
                while (k < to && !is_close(s->c.cp[k]) && !is_open(s->c.cp[k])) k++;
                bool inside = k < to && is_close(s->c.cp[k]);
                if (inside && before && k - i <= 3 && letter(s, i + 1)) {
                    i = k;
                    continue;
                }
                cut = true;
            } else if (is_close(c)) cut = true;
            else if ((c == ',' || c == ';') && before && next &&
                     !(c == ',' && utf8_is_digit(before) && utf8_is_digit(next) && !is_number_list(s, from, to)))
                cut = true;
            else if (c == ':' && before && next && utf8_is_letter(before) && utf8_is_letter(next)) cut = false;
            else if ((c == '?' || c == '!') && before && next) cut = true;
            else if (c == '.' && before && next && utf8_is_upper(next) && utf8_is_lower(before) && i - start >= 3 && i + 2 < to &&
                     utf8_is_lower(s->c.cp[i + 2]))
                cut = true;
            else if (is_currency(c) && next && utf8_is_digit(next)) cut = true;
            else if (c == 0xA9 || c == 0xAE || c == 0x2122) cut = false;
        }
        if (!cut) continue;
        if (i > start) {
            /* a period glued before the cut ("word.[1]") ends a sentence there */
            if (s->c.cp[i - 1] == '.' && i - 1 > start && is_open(c) && abbreviation(s->text, s->c.at[start], s->c.at[i - 1]) == ABBREV_NONE) {
                word(s, start, i - 1);
                emit(s, i - 1, i);
            } else word(s, start, i);
        }
        emit(s, i, end);
        start = end;
        i = end - 1;
    }
    word(s, start, to);
}

/* Is the period at [to - 1] part of the word that begins at `from`? */
static bool keeps_period(const Segmenter *s, int from, int to)
{
    if (to - from < 2) return false;
    return abbreviation(s->text, s->c.at[from], s->c.at[to - 1]) != ABBREV_NONE;
}

static bool leading_apostrophe_word(const Segmenter *s, int from, int to)
{
    static const char *const list[] = { "'tis", "'twas", "'til", "'em", "'cause", "'bout", "'n'", "'round", "'s",
                                        "'re",  "'ve",   "'ll",  "'m",  "'d",     "'cos",  "'n",  NULL };
    char buf[12];
    if (to - from >= 3 && digit(s, from + 1) && digit(s, from + 2)) return true; /* '90s */
    if (to - from > 9) return false;
    int end = to;
    while (end > from + 1 && (is_mark(s->c.cp[end - 1]) || s->c.cp[end - 1] == '.')) end--;
    lower_word(s->text, s->c.at[from], s->c.at[end], buf, sizeof buf);
    return word_in(buf, list);
}

/* How many code points the token at the front of [from, to) takes, 0 if the front is part of a word. */
static int front(const Segmenter *s, int from, int to)
{
    int32_t c = s->c.cp[from];
    int end;
    if (to - from == 1) return 0;
    if (dots(s, from, to, &end)) return end - from;
    if (c == '`' && s->c.cp[from + 1] == '`') return 2;
    if (c == '\'' && s->c.cp[from + 1] == '\'') return 2;
    if (is_double_quote(c) || is_open(c) || c == '`') return 1;
    if (is_apostrophe(c)) return leading_apostrophe_word(s, from, to) ? 0 : 1;
    if (c == '-' && s->c.cp[from + 1] == '-') {
        end = from;
        while (end < to && s->c.cp[end] == '-') end++;
        return end - from;
    }
    if (is_dash(c)) return 1;
    if (is_currency(c)) return 1;
    if (c == '-' && letter(s, from + 1)) return 1;
    if (c == '#' && digit(s, from + 1)) return 1;
    if (is_close(c) || (is_mark(c) && c != '%')) {
        end = from + 1;
        while (end < to && s->c.cp[end] == c && (c == '?' || c == '!')) end++;
        return end - from;
    }
    if (is_bullet(c) && !(c == '*' && s->c.cp[from + 1] == '*')) return 1;
    return 0;
}

/* How many code points the token at the back of [from, to) takes, 0 if the back is part of a word. */
static int back(const Segmenter *s, int from, int to)
{
    const int32_t *c = s->c.cp;
    int32_t last = c[to - 1];
    if (to - from == 1) return 0;
    if (last == 0x2026) return 1;
    if (last == '.') {
        int k = to;
        while (k > from && c[k - 1] == '.') k--;
        if (to - k >= 2) return to - k;
        return keeps_period(s, from, to) ? 0 : 1;
    }
    if (last == '?' || last == '!') {
        int k = to;
        while (k > from && (c[k - 1] == '?' || c[k - 1] == '!')) k--;
        return k == from ? 0 : to - k;
    }
    if (is_mark(last)) return 1;
    if (last == '\'' && c[to - 2] == '\'') return 2;
    if (is_double_quote(last)) return 1;
    if (is_apostrophe(last)) return 1;
    if (is_close(last)) { /* friend(s): a short bracket of letters closed at the end belongs to the word */
        int k = to - 2;
        while (k > from && !is_open(c[k])) k--;
        if (k > from && is_open(c[k]) && letter(s, k - 1) && to - k <= 4 && to - k > 2 && letter(s, k + 1)) return 0;
        return 1;
    }
    if (last == '-' && c[to - 2] == '-') {
        int k = to;
        while (k > from && c[k - 1] == '-') k--;
        return to - k;
    }
    if (is_dash(last)) return 1;
    if (last == '*' || last == 0x2122) return last == '*' ? 1 : 0;
    return 0;
}

enum { BACK_MAX = 4096 };

/* Smileys and [...]: one token whatever their parts. */
static bool is_fixed(const Segmenter *s)
{
    static const char *const list[] = {
        ":)", ":(", ";)", ":D", ":P", ":-)", ":-(", ";-)", ":/", "[...]", "(...)", "[\xe2\x80\xa6]", "<3", "&c.", NULL
    };
    char buf[8];
    size_t b = s->c.at[0], n = s->c.at[s->c.n] - b;
    if (n >= sizeof buf) return false;
    memcpy(buf, s->text.ptr + b, n);
    buf[n] = 0;
    return word_in(buf, list);
}

/* 1. or 2.1. at the beginning of a sentence: the number of an item keeps its period. */
static bool is_item_number(const Segmenter *s)
{
    int n = s->c.n, digits = 0;
    if (n < 2 || n > 8 || s->c.cp[n - 1] != '.') return false;
    for (int i = 0; i + 1 < n; i++) {
        if (digit(s, i)) digits++;
        else if (s->c.cp[i] == '.' && digits) digits = 0;
        else return false;
        if (digits > 2) return false;
    }
    const SegmentedText *o = s->out;
    if (!digits || o->n_tokens == s->paragraph) return digits > 0;
    const Token *last = &o->tokens[o->n_tokens - 1];
    return strcmp(last->form, ".") == 0 || strcmp(last->form, "?") == 0 || strcmp(last->form, "!") == 0 || strcmp(last->form, ":") == 0 ||
           strcmp(last->form, "]") == 0;
}

static void chunk(Segmenter *s)
{
    int from = 0, to = s->c.n, tail[BACK_MAX], n_tail = 0;
    if (is_fixed(s) || is_item_number(s)) {
        emit(s, 0, s->c.n);
        return;
    }
    for (int k; from < to && (k = front(s, from, to)) > 0; from += k) emit(s, from, from + k);
    while (from < to && n_tail < BACK_MAX) {
        int k = back(s, from, to);
        if (k == 0) break;
        tail[n_tail++] = k;
        to -= k;
    }
    core(s, from, to);
    while (n_tail > 0) {
        int k = tail[--n_tail];
        emit(s, to, to + k);
        to += k;
    }
}

/* ---- sentences */

static int32_t first_of(const Token *t)
{
    size_t i = 0;
    return utf8_next(t->form, t->end - t->begin, &i);
}

static int32_t last_of(const Token *t)
{
    size_t n = t->end - t->begin, i = n - 1;
    while (i > 0 && ((unsigned char)t->form[i] & 0xC0) == 0x80) i--;
    return utf8_next(t->form, n, &i);
}

static bool is_closer(const Token *t)
{
    int32_t c = first_of(t);
    return is_close(c) || is_double_quote(c) || (is_apostrophe(c) && t->end - t->begin <= 3 && !t->form[1]) || strcmp(t->form, "''") == 0 ||
           c == 0x201D || c == 0x2019;
}

enum { END_NOT, END_MAYBE, END_SURE };

/* Does a sentence end behind this token, as far as the token itself tells? */
static int ends(const Segmenter *s, const Token *t)
{
    int32_t c = last_of(t);
    if (strcmp(t->form, ".") == 0 || strcmp(t->form, "?") == 0 || strcmp(t->form, "!") == 0 || c == 0x3002 || c == 0xFF1F || c == 0xFF01)
        return END_SURE;
    if (c == '?' || c == '!') return END_SURE;
    if (strcmp(t->form, "...") == 0 || c == 0x2026 || strncmp(t->form, "..", 2) == 0) return END_MAYBE;
    if (c == '.') {
        int kind = abbreviation(s->text, t->begin, t->end - 1);
        return kind == ABBREV_SHORT || (kind == ABBREV_INITIAL && t->end - t->begin == 2) ? END_MAYBE : END_NOT;
    }
    if (strcmp(t->form, ":)") == 0 || strcmp(t->form, ":D") == 0 || strcmp(t->form, ";)") == 0 || strcmp(t->form, "[...]") == 0) return END_MAYBE;
    return END_NOT;
}

static bool is_starter(const Token *t)
{
    char buf[24];
    if (t->end - t->begin > 20 || (t->end - t->begin == 1 && t->form[0] != 'I')) return false;
    lower_word((StrView){ t->form, t->end - t->begin }, 0, t->end - t->begin, buf, sizeof buf);
    return word_in(buf, STARTERS);
}

/* May a sentence begin with token k of [.., n)? Opening quotes and brackets are looked through. */
static bool begins(const SegmentedText *o, int k, int n, bool sure)
{
    while (k < n && (is_double_quote(first_of(&o->tokens[k])) || is_open(first_of(&o->tokens[k])) || strcmp(o->tokens[k].form, "``") == 0 ||
                     strcmp(o->tokens[k].form, "'") == 0 || first_of(&o->tokens[k]) == 0x2018))
        k++;
    if (k >= n) return true;
    int32_t c = first_of(&o->tokens[k]);
    if (!sure) return utf8_is_upper(c) && is_starter(&o->tokens[k]);
    if (utf8_is_lower(c)) return false;
    if (utf8_is_letter(c) || utf8_is_digit(c)) return true;
    return !is_mark(c) && !is_close(c) && c != '.' && !(is_apostrophe(c) && o->tokens[k].form[1]);
}

/* Skips [12] [1,3] behind the end of a sentence: they cite for it. */
static int behind_citations(const SegmentedText *o, int k, int n)
{
    while (k + 2 < n && strcmp(o->tokens[k].form, "[") == 0) {
        int q = k + 1;
        for (; q < n && strcmp(o->tokens[q].form, "]") != 0; q++) {
            int32_t c = first_of(&o->tokens[q]);
            if (!utf8_is_digit(c) && c != ',' && !is_dash(c) && c != '-') return k;
        }
        if (q == n) return k;
        k = q + 1;
    }
    return k;
}

static void add_sentence(Segmenter *s, int first, int n, bool paragraph, long line)
{
    SegmentedText *o = s->out;
    if (!mem_reserve((void **)&o->sentences, &o->sentence_cap, o->n_sentences + 1, sizeof *o->sentences)) {
        s->failed = true;
        return;
    }
    o->sentences[o->n_sentences++] = (TextSentence){ first, n, paragraph, line };
}

/* Cuts the tokens from `first` on, one paragraph, into sentences. */
static void split_paragraph(Segmenter *s, int first, long line)
{
    SegmentedText *o = s->out;
    int start = first, n = o->n_tokens, depth = 0;
    long at_line = line;
    size_t seen = first < n ? o->tokens[first].begin : 0;
    for (int k = first; k < n && !s->failed; k++) {
        int32_t c = first_of(&o->tokens[k]);
        if (is_open(c)) depth++;
        if (is_close(c) && depth > 0) depth--;
        int kind = ends(s, &o->tokens[k]);
        if (kind == END_NOT) continue;
        int end = k + 1;
        while (end < n && is_closer(&o->tokens[end]) && (o->tokens[end].begin == o->tokens[end - 1].end)) {
            if (is_close(first_of(&o->tokens[end])) && depth > 0) depth--;
            end++;
        }
        end = behind_citations(o, end, n);
        if (end < n && !begins(o, end, n, kind == END_SURE)) continue;
        if (depth > 0 && end < n && kind != END_SURE) continue;
        add_sentence(s, start, end - start, start == first, at_line);
        start = end;
        depth = 0;
        k = end - 1;
        for (; end < n && seen < o->tokens[end].begin; seen++) at_line += s->text.ptr[seen] == '\n';
    }
    if (start < n) add_sentence(s, start, n - start, start == first, at_line);
}

/* ---- text */

static Status check_text(TextBlock block, Error *e)
{
    StrView text = block.text;
    size_t bad = utf8_invalid(text.ptr, text.len);
    const char *nul = text.len ? memchr(text.ptr, 0, bad) : NULL;
    if (!nul && bad == text.len) return OK;
    size_t at = nul ? (size_t)(nul - text.ptr) : bad;
    long line = block.line, column = block.column;
    for (size_t i = 0; i < at; i++) {
        column++;
        if (text.ptr[i] != '\n') continue;
        line++;
        column = 1;
    }
    const char *what = nul ? "found a NUL byte, expected text" : "found bytes that are not UTF-8";
    return error_at(e, ERR_FORMAT, block.path, line, column, "%s", what);
}

static void chunk_clear(Segmenter *s) { s->c.n = 0; }

static void chunk_add(Segmenter *s, int32_t cp, size_t begin, size_t end)
{
    Chunk *c = &s->c;
    if (!mem_reserve((void **)&c->cp, &c->cap_cp, c->n + 1, sizeof *c->cp) || !mem_reserve((void **)&c->at, &c->cap_at, c->n + 2, sizeof *c->at)) {
        s->failed = true;
        return;
    }
    c->cp[c->n] = cp;
    c->at[c->n] = begin;
    c->at[++c->n] = end;
}

/* Makes the offsets of tokens, so far those of the block, offsets of the file. Tokens stand in the order of the text, so one pass counts
 * their characters. */
static void place_tokens(TextBlock block, SegmentedText *out)
{
    size_t at = 0, chars = block.character;
    for (int k = 0; k < out->n_tokens; k++) {
        Token *t = &out->tokens[k];
        for (; at < t->begin; at++) chars += ((unsigned char)block.text.ptr[at] & 0xC0) != 0x80; /* not a continuation byte */
        t->begin_char = chars;
        for (; at < t->end; at++) chars += ((unsigned char)block.text.ptr[at] & 0xC0) != 0x80;
        t->end_char = chars;
        t->begin += block.byte;
        t->end += block.byte;
    }
}

static Status finish(Segmenter *s, TextBlock block, Error *e)
{
    mem_free(s->c.cp);
    mem_free(s->c.at);
    if (!s->failed) {
        place_tokens(block, s->out);
        return OK;
    }
    segmented_fini(s->out);
    return error_set(e, ERR_NOMEM, "out of memory segmenting %s", block.path);
}

Status segment_text(SegmentedText *out, TextBlock block, Arena *a, Error *e)
{
    StrView text = block.text;
    *out = (SegmentedText){ 0 };
    Status st = check_text(block, e);
    if (st != OK) return st;
    Segmenter s = { .text = text, .out = out, .a = a };
    int breaks = 0; /* line breaks since the last chunk */
    long line = block.line, paragraph_line = line;
    for (size_t i = 0; i <= text.len && !s.failed;) {
        size_t from = i;
        int32_t cp = i < text.len ? utf8_next(text.ptr, text.len, &i) : '\n';
        if (from == text.len) i++;
        if (!utf8_is_space(cp)) {
            if (breaks >= 2) {
                split_paragraph(&s, s.paragraph, paragraph_line);
                s.paragraph = out->n_tokens;
            }
            if (s.paragraph == out->n_tokens && s.c.n == 0) paragraph_line = line;
            breaks = 0;
            chunk_add(&s, cp, from, i);
            continue;
        }
        if (s.c.n) chunk(&s);
        chunk_clear(&s);
        if (cp == '\n') {
            breaks++;
            line++;
        } else if (cp == 0x2029 || cp == '\f') breaks += 2;
    }
    split_paragraph(&s, s.paragraph, paragraph_line);
    return finish(&s, block, e);
}

Status segment_pretokenized(SegmentedText *out, TextBlock block, Arena *a, Error *e)
{
    StrView text = block.text;
    *out = (SegmentedText){ 0 };
    Status st = check_text(block, e);
    if (st != OK) return st;
    Segmenter s = { .text = text, .out = out, .a = a };
    size_t at = 0;
    long number = block.line;
    StrView line;
    while (text_line(text, &at, &line) && !s.failed) {
        int first = out->n_tokens;
        size_t end = (size_t)(line.ptr - text.ptr) + line.len;
        for (size_t i = (size_t)(line.ptr - text.ptr); i < end;) {
            size_t from = i;
            int32_t cp = utf8_next(text.ptr, end, &i);
            if (!utf8_is_space(cp)) chunk_add(&s, cp, from, i);
            if (s.c.n && (utf8_is_space(cp) || i == end)) {
                emit(&s, 0, s.c.n);
                chunk_clear(&s);
            }
        }
        add_sentence(&s, first, out->n_tokens - first, false, number++);
    }
    return finish(&s, block, e);
}

/* Empty lines and form feeds separate paragraphs; other white space that does is found when the block is split. */
size_t cut_paragraphs(CutState *s, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        if (c >= 128 || !utf8_is_space(c)) s->state = 0;
        else if (c == '\n' || c == '\f') s->state += c == '\f' ? 2 : 1; /* line breaks since the last character */
        if (s->state < 2) continue;
        s->state = 0;
        return i + 1;
    }
    return 0;
}

void segmented_fini(SegmentedText *t)
{
    mem_free(t->tokens);
    mem_free(t->sentences);
    *t = (SegmentedText){ 0 };
}
