/* A switch for the signs that are read alone; ranges, by utf8proc, for those that are
 * decomposed. */
#include "language/english/text/signs.h"

#include <string.h>
#include <utf8proc.h>

#include "base/arena.h"
#include "language/markup/entity.h"

enum { ACUTE = 0xB4, TICK = '`', FULL_WIDTH = 0xFF01, FULL_WIDTH_LAST = 0xFF5E };

/* The plain character of a sign of one character; 0: it has none. */
static int32_t plain(int32_t cp)
{
    switch (cp) {
    case 0x91: /* of Windows-1252, as are the next two */
    case 0x92:
    case 0x2BC:
    case 0x55A:
    case 0x2018:
    case 0x2019:
    case 0x201B:
    case 0xA78C: return '\'';
    case 0x93:
    case 0x94: return '"';
    case 0x96: return 0x2013;
    case 0x97: return 0x2014;
    case 0x2010:
    case 0x2011:
    case 0xFE63: return '-';
    default: return cp >= FULL_WIDTH && cp <= FULL_WIDTH_LAST ? cp - FULL_WIDTH + '!' : 0;
    }
}

int32_t signs_read(int32_t cp)
{
    if (cp < 0x91 || (cp > 0x97 && cp < 0x2BC) || text_mark(cp) != TEXT_NO_MARK) return cp;
    int32_t c = plain(cp);
    return c ? c : cp;
}

/* Appends up to three letters from i on to end, in lower case, and returns the place after them. */
static int letters(const int32_t *cp, int n, int i, char end[4])
{
    int m = 0;
    for (; i < n && m < 3 && utf8_is_letter(cp[i]); i++) end[m++] = cp[i] < 128 ? (char)utf8_lower(cp[i]) : '?';
    end[m] = 0;
    return i;
}

/* Are the letters after the sign at i > 0 a clitic, up to the end of a word or to 've (I`d`ve)? */
static bool is_clitic(const int32_t *cp, int n, int i)
{
    char end[4], more[4] = "";
    int to = letters(cp, n, i + 1, end);
    if (to < n && sign_is_doubtful(cp[to])) letters(cp, n, to + 1, more);
    if (to < n && (utf8_is_letter(cp[to]) || (sign_is_doubtful(cp[to]) && strcmp(more, "ve") != 0))) return false;
    return text_among(end, "s m d ll re ve") || (strcmp(end, "t") == 0 && utf8_lower(cp[i - 1]) == 'n');
}

void signs_read_apostrophes(int32_t *cp, int n)
{
    for (int i = 0; i < n; i++) {
        if (!sign_is_doubtful(cp[i])) continue;
        int32_t before = i ? cp[i - 1] : ' ';
        bool after = i + 1 < n && utf8_is_letter(cp[i + 1]);
        if (utf8_is_letter(before) && after) {
            if (cp[i] == ACUTE || is_clitic(cp, n, i)) cp[i] = '\''; /* O´Brien, don`t */
        } else if (utf8_is_letter(before) && !after && cp[i] != TICK) {
            bool word = i > 2 && utf8_lower(before) == 's' && utf8_is_letter(cp[i - 2]) && utf8_is_letter(cp[i - 3]);
            if (word || cp[i] == ACUTE) cp[i] = '\'';                                /* the dogs′ */
        } else if (!utf8_is_letter(before) && after && cp[i] == ACUTE) cp[i] = '\''; /* ´em */
    }
}

/* ---- words */

static bool is_dropped(int32_t cp) { return cp == 0xAD || cp == 0x200B || cp == 0x2060 || cp == 0xFEFF; }

/* Appends the letters that a ligature or a Roman numeral stands for, if cp is one. */
static bool add_letters(StrBuf *out, int32_t cp)
{
    bool has = (cp >= 0xFB00 && cp <= 0xFB06) || (cp >= 0x2160 && cp <= 0x217F) || cp == 0x132 || cp == 0x133;
    utf8proc_int32_t part[8];
    int boundary = 0;
    utf8proc_ssize_t n =
        has ? utf8proc_decompose_char(cp, part, 8, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, &boundary) : 0;
    for (utf8proc_ssize_t k = 0; k < n; k++) strbuf_utf8(out, part[k]);
    return n > 0;
}

/* Composes the bytes of out from `from` on, which have accents of their own. */
static void compose(StrBuf *out, size_t from)
{
    const utf8proc_uint8_t *text = (const utf8proc_uint8_t *)out->ptr + from;
    const utf8proc_option_t how = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    utf8proc_ssize_t len = (utf8proc_ssize_t)(out->len - from), n = utf8proc_decompose(text, len, NULL, 0, how);
    utf8proc_int32_t *part = n > 0 ? mem_alloc((size_t)n + 1, sizeof *part) : NULL;
    out->failed = out->failed || !part;
    if (part && utf8proc_decompose(text, len, part, n, how) == n && (n = utf8proc_reencode(part, n, how)) > 0) {
        strbuf_cut(out, from);
        strbuf_add(out, (const char *)part, (size_t)n);
    }
    mem_free(part);
}

int32_t signs_next(const char *word, size_t len, size_t *i)
{
    int32_t character;
    size_t end = word[*i] == '&' ? entity_end((StrView){ word, len }, *i, &character) : *i;
    if (end == *i) return utf8_next(word, len, i);
    *i = end;
    return character;
}

static bool is_formula(const char *word, size_t len)
{
    return len > 2 && *word == '$' && word[len - 1] == '$' && strspn(word, "$") < len - 1;
}

bool signs_is_plain(const char *word)
{
    if (*word == '$' && is_formula(word, strlen(word))) return false;
    while (*word && (unsigned char)*word < 128 && *word != TICK && *word != '&') word++;
    return !*word;
}

void signs_fold(StrBuf *out, const char *word)
{
    size_t len = strlen(word), from = out->len;
    bool quote = strspn(word, "`") == len, accents = false;
    if (is_formula(word, len)) {
        strbuf_putc(out, 'X');
        return;
    }
    for (size_t i = 0; i < len;) {
        size_t begin = i;
        int32_t cp = signs_next(word, len, &i), c = cp >= 128 ? plain(cp) : 0;
        if (c) strbuf_utf8(out, c);
        else if (sign_is_doubtful(cp) && !quote) strbuf_putc(out, '\'');
        else if (cp == 0x2026) strbuf_puts(out, "...");
        else if (cp == 0x3001 || cp == 0x3002) strbuf_putc(out, cp == 0x3001 ? ',' : '.');
        else if (!is_dropped(cp) && (cp < 128 || !add_letters(out, cp))) {
            if (word[begin] == '&') strbuf_utf8(out, cp);
            else strbuf_add(out, word + begin, i - begin);
        }
        accents |= cp >= 0x300 && cp < 0x370;
    }
    if (out->len == from) strbuf_puts(out, word);
    if (accents && !out->failed) compose(out, from);
}

bool signs_same(const char *word, const char *lower)
{
    size_t len = strlen(word), i = 0;
    for (; *lower && i < len; lower++) {
        int32_t cp = utf8_lower(signs_next(word, len, &i));
        if (*lower == '\'' && (sign_is_doubtful(cp) || signs_read(cp) == '\'')) continue;
        if (cp != (unsigned char)*lower) return false;
    }
    return !*lower && i == len;
}
