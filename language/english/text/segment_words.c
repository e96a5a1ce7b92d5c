/* Sets of characters and lists of words. */
#include <string.h>

#include "language/english/text/segment_internal.h"
#include "language/english/text/signs.h"

/* ---- small sets */

bool segment_is_apostrophe(int32_t cp) { return cp == '\'' || cp == 0xB4 || signs_read(cp) == '\''; }

bool segment_is_double_quote(int32_t cp) { return text_mark(cp) >= TEXT_OPEN_QUOTE; }

bool segment_is_open(int32_t cp) { return text_mark(cp) == TEXT_OPEN; }

bool segment_is_close(int32_t cp) { return text_mark(cp) == TEXT_CLOSE; }

bool segment_is_dash(int32_t cp) { return cp == 0x2013 || cp == 0x2014 || cp == 0x2015 || cp == 0x2212; }

bool segment_is_currency(int32_t cp)
{
    return cp == '$' || cp == 0xA3 || cp == 0x20AC || cp == 0xA5 || cp == 0x20B9 || cp == 0x20BD;
}

bool segment_is_mark(int32_t cp)
{
    TextMark mark = text_mark(cp);
    return (mark >= TEXT_END && mark <= TEXT_COMMA && cp != '.') || cp == '%' || cp == 0x2030;
}

bool segment_is_superscript(int32_t cp)
{
    return cp == 0xB2 || cp == 0xB3 || cp == 0xB9 || (cp >= 0x2070 && cp <= 0x2079);
}

bool segment_is_bullet(int32_t cp)
{
    if (cp < 128) return cp == '*' || cp == '|' || cp == '~' || cp == '=' || cp == '+' || cp == '>' || cp == '<';
    return cp == 0x2022 || cp == 0xB7 || cp == 0x25CF || cp == 0x25AA || cp == 0x2023 || cp == 0x2043 || cp == 0x2020 ||
           cp == 0x2021 || cp == 0xBF || cp == 0xA1;
}

/* ---- abbreviations, without their last period, lower-cased, by their length */

enum { ABBREV_LONGEST = 6 }; /* letters of the longest word in both lists: approx */

/* Followed by a name or a number. */
static const char *const TITLES[ABBREV_LONGEST + 1] = {
    [0] = "",
    [1] = "p v",
    [2] = "mr ms dr lt st mt ft eq no pp ch vs cf ca eg ie fr sr ed cl al sp op nr",
    [3] = "mrs rev gen sen rep gov col sgt maj adm hon fig eqs nos vol sec ref e.g i.e viz mme det pvt cpl pfc "
          "spc amb tab apt eds art esp tel spp var cit ave",
    [4] = "prof capt cmdr pres figs vols refs mmes mlle supt insp brig atty feat resp ibid bros",
    [5] = "suppl trans subsp",
    [6] = "approx messrs",
};
/* May end a sentence. */
static const char *const SHORT[ABBREV_LONGEST + 1] = {
    [0] = "",
    [1] = "j c d b m",
    [2] = "co jr ga la md mo pa va vt rd sq hr oz yr",
    [3] = "etc inc ltd u.s u.k u.n a.m p.m jan feb mar apr jun jul aug sep oct nov dec mon tue wed thu fri sat "
          "sun m.d b.a m.a d.c fla ill ind kan neb nev ore tex wis wyo ark del hwy est min max avg hrs lbs yrs "
          "b.c a.d c.e s.a plc llc mgr int esq ext sci med s.d s.e n.b p.s q.v cir tsp ect drs sts",
    [4] = "corp sept tues thur dept univ assn ph.d b.sc m.sc mass conn mich minn miss mont okla penn tenn wash "
          "ariz colo blvd dist intl natl misc incl excl cont orig anon acad biol chem phys proc tbsp",
    [5] = "u.s.a thurs calif b.c.e gov't assoc r.i.p a.k.a w.r.t",
    [6] = "",
};

/* Usual first words of a sentence. */
static const char STARTERS[] =
    "the a an this that these those he she it we they i you his her its our their my your in on at for from with by as "
    "but and or so if when while although though however after before since there here what who how why where which to "
    "of not no all some many most one two also then thus therefore moreover furthermore meanwhile according because "
    "during both each such now another other once even only it's i'm let do is are was were did does can could would "
    "will should may yes well please additionally finally first second later today despite under until unlike within "
    "without";

void segment_lower_word(StrView text, size_t from, size_t to, char *buf, size_t size)
{
    size_t used = 0;
    for (size_t i = from; i < to && used + 5 < size;) {
        int32_t cp = utf8_lower(utf8_next(text.ptr, to, &i));
        if (cp >= 128) cp = segment_is_apostrophe(cp) ? '\'' : signs_read(cp);
        buf[used++] = cp < 128 ? (char)cp : '?';
    }
    buf[used] = 0;
}

static bool is_in(const char *word, const char *const lists[ABBREV_LONGEST + 1])
{
    size_t n = strlen(word);
    return n <= ABBREV_LONGEST && text_among(word, lists[n]);
}

/* A single letter, or letters separated by periods (a.b). s is in lower case, without the last period. */
static bool is_initials(const char *s)
{
    size_t n = strlen(s);
    if (n == 0 || n > 11 || n % 2 == 0) return false;
    for (size_t i = 0; i < n; i++)
        if (i % 2 ? s[i] != '.' : !(s[i] >= 'a' && s[i] <= 'z')) return false;
    return true;
}

/* Is the first character of the paragraph after the period at byte `to` and white space a digit? */
static bool number_follows(StrView text, size_t to)
{
    size_t i = to + 1;
    for (int breaks = 0; i < text.len && (text.ptr[i] == ' ' || text.ptr[i] == '\n'); i++) {
        breaks += text.ptr[i] == '\n';
        if (breaks == 2) return false;
    }
    return i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9';
}

int segment_abbreviation(StrView text, size_t from, size_t to)
{
    char buf[32];
    if (to - from > 24) return ABBREV_NONE;
    segment_lower_word(text, from, to, buf, sizeof buf);
    bool upper = text.ptr[from] >= 'A' && text.ptr[from] <= 'Z';
    if (strlen(buf) == 1 && buf[0] >= 'a' && buf[0] <= 'z') {
        return upper                ? ABBREV_INITIAL
               : is_in(buf, TITLES) ? ABBREV_TITLE
               : is_in(buf, SHORT)  ? ABBREV_SHORT
                                    : ABBREV_NONE;
    }
    if (strlen(buf) > ABBREV_LONGEST && !strchr(buf, '.')) return ABBREV_NONE;
    if (is_in(buf, TITLES)) {
        static const char numbered[] = "no nos art tab fig figs sec ch ref refs det ed gen apt feat amb";
        if (strcmp(buf, "al") == 0) return ABBREV_SHORT;
        return text_among(buf, numbered) && !upper && !number_follows(text, to) ? ABBREV_NONE
               : strcmp(buf, "no") == 0 && !number_follows(text, to)            ? ABBREV_NONE
                                                                                : ABBREV_TITLE;
    }
    if (strchr(buf, '.') && is_initials(buf)) return ABBREV_SHORT;
    if (!is_in(buf, SHORT)) return ABBREV_NONE;
    static const char common[] = "am pm la mar sat sun wed min max int miss mass ill ind ga del wash ore co pa mi md "
                                 "va mo fri mon oct apr med est ext";
    if (text_among(buf, common) && !upper && strcmp(buf, "co") != 0) return ABBREV_NONE;
    if (upper &&
        (strcmp(buf, "ill") == 0 || strcmp(buf, "miss") == 0 || strcmp(buf, "la") == 0 || strcmp(buf, "pa") == 0))
        return ABBREV_NONE;
    return ABBREV_SHORT;
}

bool segment_is_title(StrView text, size_t from, size_t to)
{
    char buf[16];
    segment_lower_word(text, from, to, buf, sizeof buf);
    return is_in(buf, TITLES) || strcmp(buf, "so") == 0;
}

bool segment_is_starter(const char *text) { return text_among(text, STARTERS); }

bool segment_takes_number(const char *text)
{
    static const char words[] =
        "section sections sec. chapter chapters ch. page pages p. pp. figure figures fig. figs. table tables no. nos. "
        "number numbers step steps part parts version item items option options question questions level grade type "
        "class phase volume vol. room line lines rule rules article art. paragraph point points case cases appendix "
        "note exercise problem clause clauses schedule answer answers equation eq. both either in on at of by to from "
        "than for with is was are "
        "were be and or the a an about under over until before after january february march april may june july august "
        "september october november december = + - & , $ # ( see terminal ;";
    return text_among(text, words);
}
