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

/* ---- abbreviations, without their last period, lower-cased */

/* Followed by a name or a number. */
static const char TITLES[] =
    "mr mrs ms dr prof rev gen sen rep gov col lt capt sgt maj cmdr adm hon pres st mt ft fig figs eq eqs no nos vol "
    "vols pp p ch sec ref refs vs v cf ca approx e.g i.e eg ie viz fr sr messrs mmes mme mlle supt det insp brig pvt "
    "cpl tab suppl ed eds trans art cl al resp esp tel spp sp var subsp op cit ibid nr bros ave";
/* May end a sentence. */
static const char SHORT[] =
    "etc inc ltd co corp jr u.s u.k u.n u.s.a a.m p.m jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues "
    "wed thu thur thurs fri sat sun dept univ assn ph.d m.d b.a m.a b.sc m.sc d.c calif mass conn fla ga ill ind kan "
    "la md mich minn miss mo mont neb nev okla ore pa penn tenn tex va vt wash wis wyo ariz ark colo del blvd rd sq "
    "hwy est min max avg hr hrs lbs oz yr yrs b.c a.d b.c.e c.e s.a plc llc mgr dist int intl natl gov't esq misc incl "
    "excl cont ext orig anon assoc acad sci biol chem phys med proc natl j r.i.p a.k.a w.r.t s.d s.e n.b p.s q.v c d b "
    "m cir tsp tbsp ect drs sts";

enum { ABBREV_LONGEST = 6 }; /* letters of the longest word in both lists: approx */

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
        if (buf[0] == 'i') return ABBREV_NONE;
        return upper || text_among(buf, TITLES) ? ABBREV_INITIAL : text_among(buf, SHORT) ? ABBREV_SHORT : ABBREV_NONE;
    }
    if (strlen(buf) > ABBREV_LONGEST && !strchr(buf, '.')) return ABBREV_NONE;
    if (text_among(buf, TITLES)) {
        static const char numbered[] = "no nos art tab fig figs sec ch ref refs det ed gen";
        if (strcmp(buf, "al") == 0) return ABBREV_SHORT;
        return text_among(buf, numbered) && !upper && !number_follows(text, to) ? ABBREV_NONE
               : strcmp(buf, "no") == 0 && !number_follows(text, to)            ? ABBREV_NONE
                                                                                : ABBREV_TITLE;
    }
    if (strchr(buf, '.') && is_initials(buf)) return ABBREV_SHORT;
    if (!text_among(buf, SHORT)) return ABBREV_NONE;
    static const char common[] = "am pm la mar sat sun wed min max int miss mass ill ind ga del wash ore co pa mi md "
                                 "va mo fri mon oct apr med est ext";
    if (text_among(buf, common) && !upper && strcmp(buf, "co") != 0) return ABBREV_NONE;
    if (upper &&
        (strcmp(buf, "ill") == 0 || strcmp(buf, "miss") == 0 || strcmp(buf, "la") == 0 || strcmp(buf, "pa") == 0))
        return ABBREV_NONE;
    return ABBREV_SHORT;
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
