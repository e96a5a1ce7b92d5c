/* Each function takes a text and returns the length in bytes of the shape that it begins
 * with, 0 if there is none. None looks further than the shape goes, or than LONGEST bytes. */
#include "language/english/text/shape.h"

#include "language/address.h"
#include "language/byte_set.h"
#include "language/english/text/signs.h"

/* The number of bytes equal to the first one. */
static size_t run(StrView v)
{
    size_t n = v.len > 0;
    while (n < v.len && v.ptr[n] == v.ptr[0]) n++;
    return n;
}

/* Has the text nothing from i on but marks that end a phrase? */
static bool closes(StrView v, size_t i)
{
    while (i < v.len && (in(v, i, ".,;:!?)]}'\"") || (unsigned char)v.ptr[i] == 0xE2)) i += in(v, i, "\xe2") ? 3 : 1;
    return i >= v.len;
}

/* ~/.bashrc ./run.sh ../a /etc/hosts C:\a.txt \\host\share */
static size_t path(StrView v)
{
    size_t n = 0;
    if (in(v, 0, "~.") && in(v, 1, "/")) n = 2;
    else if (begins(v, "../")) n = 3;
    else if (in(v, 0, LETTERS) && begins(rest(v, 1), ":\\")) n = 3;
    else if (begins(v, "\\\\")) n = 2;
    else if (in(v, 0, "/")) n = 1;
    if (!n || !in(v, n, LETTERS DIGITS "._~") || !in(v, n + (in(v, n, ".") != 0), LETTERS DIGITS)) return 0;
    size_t end = address_trimmed(v, skip(v, n, LETTERS DIGITS "._~/\\%+@:=-"));
    bool single = n == 1 || begins(v, "\\\\");
    return single && !memchr(v.ptr + n, v.ptr[0], end - n) ? 0 : end;
}

/* <a@b.org> <https://example.org> */
static size_t angle_address(StrView v)
{
    if (!in(v, 0, "<")) return 0;
    size_t n = address_length(rest(v, 1));
    return n && in(v, n + 1, ">") ? n + 2 : 0;
}

/* <b> </b> <br/>, and <nickname> */
static size_t angle_tag(StrView v)
{
    if (!in(v, 0, "<")) return 0;
    size_t n = 1 + in(v, 1, "/");
    if (!in(v, n, LETTERS)) return 0;
    n = skip(v, n, LETTERS DIGITS "_-");
    n += in(v, n, "/");
    return in(v, n, ">") ? n + 1 : 0;
}

/* ---- names, numbers, words of a shell */

/* Letters of any script, digits and _ from byte i on. */
static size_t name_end(StrView v, size_t i)
{
    while (i < v.len && i < LONGEST) {
        size_t next = i;
        int32_t c = utf8_next(v.ptr, v.len, &next);
        if (!utf8_is_letter(c) && !utf8_is_digit(c) && c != '_') break;
        i = next;
    }
    return i;
}

static size_t name(StrView v, Shape *shape)
{
    if (!in(v, 0, "#@$")) return 0;
    size_t n = name_end(v, 1), digits = skip(v, 1, DIGITS);
    *shape = SHAPE_NAME;
    if (n == 1 || (in(v, n, "-") && name_end(v, n + 1) > n + 1)) return 0; /* #1-rated is a word */
    if (v.ptr[0] == '#' && digits == n) *shape = SHAPE_NUMBER;
    else if (digits == n) return 0;
    if (v.ptr[0] == '$') {
        if (!in(v, 1, LETTERS "_")) return 0;
        if (skip(v, 1, UPPER DIGITS "_") != n) *shape = SHAPE_WORD;
    }
    while (v.ptr[0] == '@' && in(v, n, ".") && in(v, n + 1, LOWER)) n = name_end(v, n + 1);
    return n;
}

/* ${PATH} $$$ US$ */
static size_t dollars(StrView v)
{
    static const char currencies[] = "US U A AU C CA NZ HK S NT R";
    if (begins(v, "${")) {
        size_t n = skip(v, 2, LETTERS DIGITS "_:-");
        return in(v, n, "}") ? n + 1 : 0;
    }
    size_t n = in(v, 0, "$") ? run(v) : 0;
    if (n > 1 && !in(v, n, DIGITS)) return n;
    n = skip(v, 0, UPPER);
    return in(v, n, "$") && (n + 1 == v.len || in(v, n + 1, DIGITS)) &&
                   text_view_among((StrView){ v.ptr, n }, currencies)
               ? n + 1
               : 0;
}

/* -v --file=a.tar --file[=a.tar] */
static size_t option(StrView v)
{
    size_t n;
    if (!begins(v, "--")) return in(v, 0, "-") && in(v, 1, LETTERS) && closes(v, 2) ? 2 : 0;
    if (!in(v, 2, LOWER)) return 0;
    n = skip(v, 2, LETTERS DIGITS "-");
    if (in(v, n, "=") && n + 1 < v.len) return address_trimmed(v, v.len);
    return closes(v, n) || in(v, n, "[") ? n : 0;
}

size_t shape_options(StrView view)
{
    static const char with_vowels[] = "la al ef aux av avz ne eq ge";
    static const char words[] = "hm hmm mm mmm sh shh tsk vs nth th btw thx tbh pls plz ppl psst";
    size_t n = skip(view, 1, LETTERS), digits = skip(view, n, DIGITS), lower = skip(view, 1, LOWER);
    if (n > 1 && in(view, n, "=") && n + 1 < view.len) return address_trimmed(view, view.len);
    if (n == 2 && digits > n) return closes(view, digits) ? digits : 0;
    if (n < 3 || n > 5 || lower < n || !closes(view, n)) return 0;
    bool vowels = skip(view, 1, "bcdfghjklmnpqrstvwxz") < n;
    return text_view_among((StrView){ view.ptr + 1, n - 1 }, vowels ? with_vowels : words) == vowels ? n : 0;
}

/* *.txt */
static size_t glob(StrView v) { return begins(v, "*.") && in(v, 2, LETTERS) ? skip(v, 2, LETTERS DIGITS "*._-") : 0; }

/* +44 and +44-20-79460123; 1e-9, 2.5E+3; 4.2(b)(iii): at least one group has a letter. */
static size_t number(StrView v)
{
    if (in(v, 0, "+")) {
        size_t n = address_trimmed(v, skip(v, 1, DIGITS "-."));
        return in(v, 1, DIGITS) && !in(v, n, LETTERS) && n > 1 && in(v, n - 1, DIGITS) ? n : 0;
    }
    if (!in(v, 0, DIGITS)) return 0;
    size_t n = skip(v, 0, DIGITS "."), groups = 0;
    if (in(v, n, "eE") && in(v, n + 1, "+-") && in(v, n + 2, DIGITS)) {
        n = skip(v, n + 2, DIGITS);
        return closes(v, n) ? n : 0;
    }
    for (size_t from = n, end; in(v, from, "("); from = n) {
        end = skip(v, from + 1, LOWER);
        groups += end > from + 1;
        if (end == from + 1) end = skip(v, from + 1, DIGITS);
        if (!in(v, end, ")") || end == from + 1 || end > from + 5) break;
        n = end + 1;
    }
    return groups && in(v, n - 1, ")") && name_end(v, n) == n && !in(v, n, "-") ? n : 0;
}

static size_t apostrophe_at(StrView v, size_t i)
{
    size_t end = i;
    if (i >= v.len || (!in(v, i, "'") && (unsigned char)v.ptr[i] < 128)) return 0;
    int32_t cp = utf8_next(v.ptr, v.len, &end);
    return sign_is_doubtful(cp) || signs_read(cp) == '\'' ? end - i : 0;
}

/* 'n' with any apostrophes */
static size_t and_word(StrView v)
{
    size_t n = apostrophe_at(v, 0), close;
    if (!n || !in(v, n, "nN")) return 0;
    close = apostrophe_at(v, n + 1);
    return close && name_end(v, n + 1 + close) == n + 1 + close ? n + 1 + close : 0;
}

/* ---- signs */

/* Emoticons that are no eyes, nose and mouth; and those with letters, which are whole words only. */
static const char *const FACES[] = { "<3",  "</3", "^_^",  "^^", "^-^", "-_-", ">_<", ">.<", "(:",
                                     "(-:", "(;",  "\\o/", "=P", "=D",  "=p",  ":'D", NULL };
static const char *const FACE_WORDS[] = { "xD",  "XD",  "o_O", "O_o", "o_o",
                                          "O_O", "o.O", "O.o", "T_T", "x_x",
                                          "u_u", ">:D", ":3",  ":o",  ":O",
                                          ":x",  ":X",  ":s",  ":S",  "\xc2\xaf\\_(\xe3\x83\x84)_/\xc2\xaf",
                                          NULL };

/* Eyes, nose and mouth. */
static size_t face(StrView v)
{
    size_t n = in(v, 0, ">") && in(v, 1, ":;=") ? 1 : 0, eyes = n, mouth;
    if (!in(v, n++, ":;=")) return 0;
    n += in(v, n, "'") ? 1 : 0;
    n += in(v, n, "-o^*") && n + 1 < v.len && !in(v, n, "o") ? 1 : 0;
    mouth = n;
    if (in(v, n, ")(")) {
        while (in(v, n, ")(") && v.ptr[n] == v.ptr[mouth] && n < LONGEST) n++;
        return n;
    }
    if (in(v, n, "DPp")) return v.ptr[eyes] == '=' && mouth == eyes + 1 ? 0 : n + 1;
    if (in(v, n, "/\\|]*[")) return v.ptr[eyes] != '=' && !in(v, n + 1, "/\\|]*[") ? n + 1 : 0;
    return 0;
}

static size_t emoticon(StrView v)
{
    size_t n = face(v);
    if (!n) n = begins_one(v, FACES);
    if (!n) n = begins_one(v, FACE_WORDS);
    bool row = n && n < v.len && v.ptr[n] == v.ptr[n - 1]; /* ^^^ */
    return name_end(v, n) == n && !row ? n : 0;
}

size_t shape_last_emoticon(StrView view)
{
    for (size_t n = view.len > 4 ? 4 : view.len - (view.len > 0); n >= 2; n--) {
        StrView tail = rest(view, view.len - n);
        if (!in(tail, 0, ":;=^<")) continue;
        bool open = view.len < LONGEST && memchr(view.ptr, '(', view.len - n); /* (a note:) */
        char before = view.ptr[view.len - n - 1];
        if (open || !is_in(before, LETTERS "!?.,") || in(tail, n - 1, "/\\|*")) continue;
        if (in(tail, n - 1, "DPp") && !is_in(before, LOWER "!?.,")) continue;
        if (emoticon(tail) == n) return n;
    }
    return 0;
}

/* A run of signs that decorates: three or more, or two stars; or a row of stars for a rating. */
static size_t rule(StrView v)
{
    size_t n = skip(v, 0, "-=_*~#+<>|^"), same = n ? run(v) : 0, stars = 0;
    while (begins(rest(v, stars), "\xe2\x98\x85") || begins(rest(v, stars), "\xe2\x98\x86")) stars += 3;
    if (stars > 3) return stars;
    if (n == v.len && n >= 3) return n;
    return same >= 3 || (same == 2 && in(v, 0, "*#")) ? same : 0;
}

static size_t operator_sign(StrView v)
{
    static const char *const list[] = { "===", "!==", "<=>", "<->", "<--", "-->", "==>", "<=", ">=", "!=", "==",
                                        "&&",  "||",  "->",  "=>",  "<-",  ":=",  "+=",  "-=", "*=", NULL };
    static const char *const arrows[] = { "\xe2\x86\x92", "\xe2\x86\x90", "\xe2\x86\x91",
                                          "\xe2\x86\x93", "\xe2\x87\x92", "\xe2\x98\x8e",
                                          "\xe2\x98\x8f", "\xe2\x9c\x89", NULL };
    size_t n = begins_one(v, list);
    if (!n) n = begins_one(v, arrows);
    return in(v, n, "=<>&|!-") ? 0 : n;
}

static size_t marks(StrView v)
{
    size_t n = 0;
    while (in(v, n, "!?")) n++;
    return n > 1 ? n : 0;
}

size_t shape_inside(StrView view)
{
    size_t n = utf8_emoji(view.ptr, view.len);
    if (!n) n = angle_address(view);
    return n ? n : angle_tag(view);
}

/* ---- all */

/* What begins with a letter is an address, a path (C:\a), an amount (US$), a face (xD o_O), or nothing. */
Shape shape_prefix(StrView view, size_t *len)
{
    *len = 0;
    bool word =
        in(view, 0, LETTERS) && !in(view, 1, "D_") && !in(view, skip(view, 0, LETTERS DIGITS "_%+='~-"), ".:@$");
    return word ? SHAPE_NONE : shape_search(view, len);
}

Shape shape_search(StrView view, size_t *len)
{
    Shape shape = SHAPE_NAME;
    if ((*len = operator_sign(view))) return SHAPE_OPERATOR;
    if ((*len = utf8_emoji(view.ptr, view.len))) return SHAPE_EMOJI;
    if ((*len = angle_address(view)) || (*len = address_length(view)) || (*len = path(view))) return SHAPE_ADDRESS;
    if ((*len = emoticon(view))) return SHAPE_EMOTICON;
    if ((*len = angle_tag(view)) || (*len = option(view)) || (*len = dollars(view)) || (*len = glob(view)))
        return SHAPE_WORD;
    if ((*len = name(view, &shape))) return shape;
    if ((*len = number(view))) return SHAPE_NUMBER;
    if ((*len = and_word(view))) return SHAPE_AND;
    if ((*len = rule(view))) return SHAPE_RULE;
    return (*len = marks(view)) ? SHAPE_MARKS : SHAPE_NONE;
}

static const char *const TAGS[N_SHAPES] = {
    [SHAPE_ADDRESS] = "ADD",  [SHAPE_NAME] = "NNP",   [SHAPE_NUMBER] = "CD",  [SHAPE_EMOJI] = "NFP",
    [SHAPE_EMOTICON] = "NFP", [SHAPE_RULE] = "NFP",   [SHAPE_MARKS] = ".",    [SHAPE_OPERATOR] = "SYM",
    [SHAPE_AND] = "CC",       [SHAPE_OPENING] = "``", [SHAPE_CLOSING] = "''",
};

Shape shape_of(const char *word)
{
    StrView v = { word, strlen(word) };
    size_t len;
    Shape shape = shape_prefix(v, &len);
    static const char taught[] = "--- +++ ** ##"; /* dashes and signs of treebanks */
    return len == v.len && TAGS[shape] && !text_among(word, taught) ? shape : SHAPE_NONE;
}

const char *shape_tag(Shape shape) { return TAGS[shape]; }
