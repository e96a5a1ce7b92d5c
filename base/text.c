/* Buffers and views; characters beyond ASCII, by utf8proc; marks in pairs; contrasts for messages; text
 * as a terminal may show it. */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "base/arena.h"
#include "base/locale.h"

TextBlock text_block(StrView text, const char *path)
{
    return (TextBlock){ .text = text, .path = path, .line = 1, .column = 1 };
}

void strbuf_fini(StrBuf *out)
{
    mem_free(out->ptr);
    *out = (StrBuf){ 0 };
}

void strbuf_clear(StrBuf *out) { strbuf_cut(out, 0); }

static bool reserve(StrBuf *b, size_t more)
{
    if (b->failed) return false;
    if (more >= b->cap - b->len) {
        size_t cap = b->cap ? b->cap : 64;
        while (cap - b->len <= more) cap *= 2;
        char *p = mem_realloc(b->ptr, cap, 1);
        if (!p) {
            b->failed = true;
            return false;
        }
        b->ptr = p;
        b->cap = cap;
    }
    return true;
}

void strbuf_add(StrBuf *out, const char *text, size_t count)
{
    if (!reserve(out, count)) return;
    if (count) memcpy(out->ptr + out->len, text, count); /* s may be NULL where n is 0 */
    out->len += count;
    out->ptr[out->len] = 0;
}

void strbuf_cut(StrBuf *out, size_t len)
{
    out->len = len;
    if (out->ptr) out->ptr[len] = 0;
}

void strbuf_puts(StrBuf *out, const char *text) { strbuf_add(out, text, strlen(text)); }

void strbuf_putc(StrBuf *out, char c)
{
    if (!reserve(out, 1)) return;
    out->ptr[out->len++] = c;
    out->ptr[out->len] = 0;
}

void strbuf_vprintf(StrBuf *out, const char *fmt, va_list ap)
{
    enum { USUAL = 128 };
    va_list again;
    va_copy(again, ap);
    if (reserve(out, USUAL)) {
        size_t room = out->cap - out->len;
        int n = locale_vsnprintf(out->ptr + out->len, room, fmt, ap);
        if (n >= 0 && (size_t)n >= room && reserve(out, (size_t)n))
            locale_vsnprintf(out->ptr + out->len, (size_t)n + 1, fmt, again);
        if (n < 0 || out->failed) out->ptr[out->len] = 0;
        else out->len += (size_t)n;
    }
    va_end(again);
}

void strbuf_printf(StrBuf *out, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    strbuf_vprintf(out, fmt, ap);
    va_end(ap);
}

/* Appends value with a point before its last `digits` digits. */
static void put_digits(StrBuf *b, bool negative, unsigned long value, int digits)
{
    char text[32], *at = text + sizeof text;
    for (int k = 0; value || k <= digits; k++) {
        if (k == digits && digits) *--at = '.';
        *--at = (char)('0' + value % 10);
        value /= 10;
    }
    if (negative) *--at = '-';
    strbuf_add(b, at, (size_t)(text + sizeof text - at));
}

void strbuf_long(StrBuf *out, long value)
{
    put_digits(out, value < 0, value < 0 ? 0 - (unsigned long)value : (unsigned long)value, 0);
}

void strbuf_fixed(StrBuf *out, double value, int digits)
{
    static const double scales[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
    double scaled = fabs(value) * scales[digits], whole = floor(scaled), rest = scaled - whole;
    if (!(scaled < 0x1p52)) { /* large, infinite or NaN */
        strbuf_printf(out, "%.*f", digits, value);
        return;
    }
    double lost = fma(fabs(value), scales[digits], -scaled); /* rounding error of the product; decides apparent ties */
    bool up = rest > 0.5 || (rest == 0.5 && (lost > 0 || (lost == 0 && fmod(whole, 2) == 1)));
    put_digits(out, signbit(value), (unsigned long)whole + up, digits);
}

int32_t utf8_markup(int32_t cp)
{
    bool never = (cp & 0xfffe) == 0xfffe || (cp >= 0xfdd0 && cp <= 0xfdef);
    return utf8_is_control(cp) || never ? 0xfffd : cp;
}

void strbuf_xml(StrBuf *out, const char *text)
{
    for (size_t len = strlen(text), i = 0; i < len;) {
        int32_t cp = utf8_markup(utf8_next(text, len, &i));
        if (cp == '<') strbuf_puts(out, "&lt;");
        else if (cp == '>') strbuf_puts(out, "&gt;");
        else if (cp == '&') strbuf_puts(out, "&amp;");
        else if (cp == '"') strbuf_puts(out, "&quot;");
        else strbuf_utf8(out, cp);
    }
}

bool text_line(StrView text, size_t *at, StrView *line)
{
    if (*at >= text.len) return false;
    const char *p = text.ptr + *at, *nl = memchr(p, '\n', text.len - *at);
    size_t len = nl ? (size_t)(nl - p) : text.len - *at;
    *at += len + (nl ? 1 : 0);
    if (len && p[len - 1] == '\r') len--;
    *line = (StrView){ p, len };
    return true;
}

TextPlace text_place(TextPlace from, const char *text, size_t offset)
{
    for (size_t i = 0; i < offset; i++) {
        from.column = text[i] == '\n' ? 1 : from.column + 1;
        from.line += text[i] == '\n';
    }
    return from;
}

size_t text_fault(StrView text, const char **found)
{
    size_t bad = utf8_invalid(text.ptr, text.len);
    const char *nul = bad ? memchr(text.ptr, 0, bad) : NULL;
    *found = nul ? "found a NUL byte" : "found bytes that are not UTF-8";
    return nul ? (size_t)(nul - text.ptr) : bad;
}

/* Are the 8 bytes at s all ASCII? */
static bool eight_ascii(const char *s)
{
    uint64_t bytes;
    memcpy(&bytes, s, sizeof bytes);
    return !(bytes & 0x8080808080808080u);
}

size_t utf8_invalid(const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        if ((unsigned char)text[i] < 0x80) {
            i += i + 8 <= len && eight_ascii(text + i) ? 8 : 1;
            continue;
        }
        utf8proc_int32_t cp;
        utf8proc_ssize_t k = utf8proc_iterate((const utf8proc_uint8_t *)text + i, (utf8proc_ssize_t)(len - i), &cp);
        if (k <= 0) return i;
        i += (size_t)k;
    }
    return len;
}

int32_t utf8_wide_next(const char *text, size_t len, size_t *i)
{
    utf8proc_int32_t cp;
    utf8proc_ssize_t k = utf8proc_iterate((const utf8proc_uint8_t *)text + *i, (utf8proc_ssize_t)(len - *i), &cp);
    if (k <= 0) {
        ++*i;
        return 0xFFFD;
    }
    *i += (size_t)k;
    return cp;
}

void strbuf_utf8(StrBuf *out, int32_t cp)
{
    utf8proc_uint8_t u[4];
    if (cp >= 0 && cp < 128) {
        strbuf_putc(out, (char)cp);
        return;
    }
    utf8proc_ssize_t k = utf8proc_encode_char(cp, u);
    strbuf_add(out, (const char *)u, (size_t)k);
}

static bool is_pictograph(int32_t cp)
{
    const utf8proc_property_t *p = utf8proc_get_property(cp);
    return p->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC ||
           p->boundclass == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR;
}

size_t utf8_emoji(const char *text, size_t len)
{
    size_t end = 0;
    if (len < 3 || ((unsigned char)text[0] < 128 && (unsigned char)text[1] < 128)) return 0;
    int32_t first = utf8_next(text, len, &end), cp = first, state = 0;
    if (first < 128 ? !strchr("0123456789#*", first) : !is_pictograph(first)) return 0;
    for (size_t i = end; i < len; end = i) {
        int32_t next = utf8_next(text, len, &i);
        if (utf8proc_grapheme_break_stateful(cp, next, &state)) break;
        cp = next;
    }
    return first < 128 ? (cp == 0x20E3 ? end : 0) : first >= 0x2600 || cp == 0xFE0F ? end : 0;
}

bool utf8_wide_is_upper(int32_t cp)
{
    utf8proc_category_t c = utf8proc_category(cp);
    return c == UTF8PROC_CATEGORY_LU || c == UTF8PROC_CATEGORY_LT;
}

bool utf8_wide_is_lower(int32_t cp) { return utf8proc_category(cp) == UTF8PROC_CATEGORY_LL; }

bool utf8_wide_is_letter(int32_t cp)
{
    utf8proc_category_t c = utf8proc_category(cp);
    return c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_LO;
}

bool utf8_wide_is_digit(int32_t cp) { return utf8proc_category(cp) == UTF8PROC_CATEGORY_ND; }

bool utf8_wide_is_space(int32_t cp)
{
    if (cp == 0x85 || cp == 0xA0 || cp == 0x200B || cp == 0xFEFF) return true;
    utf8proc_category_t c = utf8proc_category(cp);
    return c >= UTF8PROC_CATEGORY_ZS && c <= UTF8PROC_CATEGORY_ZP;
}

static const struct MarkPair {
    int32_t open, close;
    bool quotes;
} PAIRS[TEXT_PAIRS] = {
    { '(', ')', false },       { '[', ']', false },       { '{', '}', false },       { 0xFF08, 0xFF09, false },
    { 0x3008, 0x3009, false }, { 0x300A, 0x300B, false }, { 0x3010, 0x3011, false }, { 0x27E8, 0x27E9, false },
    { '"', '"', true },        { 0x201C, 0x201D, true },  { 0x201E, 0x201F, true },  { 0xAB, 0xBB, true },
    { 0x300C, 0x300D, true },  { 0x300E, 0x300F, true },
};

int text_pair(int32_t cp)
{
    int k = TEXT_PAIRS - 1;
    while (k >= 0 && PAIRS[k].open != cp && PAIRS[k].close != cp) k--;
    return k;
}

TextMark text_mark(int32_t cp)
{
    switch (cp) {
    case '.':
    case '?':
    case '!':
    case 0x3002:
    case 0xFF1F:
    case 0xFF01: return TEXT_END;
    case ';':
    case ':':
    case 0xFF1B:
    case 0xFF1A: return TEXT_CLAUSE;
    case ',':
    case 0xFF0C:
    case 0x3001: return TEXT_COMMA;
    case '"':
    case 0x201F: return TEXT_QUOTE; /* turned, it opens where others have 0x201C, and closes where they have 0x201E */
    case '(':
    case '[':
    case '{': return TEXT_OPEN;
    case ')':
    case ']':
    case '}': return TEXT_CLOSE;
    default: break;
    }
    int k = cp < 0xAB ? -1 : text_pair(cp); /* most characters are letters of ASCII */
    if (k < 0) return TEXT_NO_MARK;
    return (PAIRS[k].open == cp ? TEXT_OPEN : TEXT_CLOSE) + (PAIRS[k].quotes ? TEXT_OPEN_QUOTE - TEXT_OPEN : 0);
}

const char *const TEXT_QUOTES[TEXT_QUOTE_PAIRS][2] = {
    { "\"", "\"" }, { "“", "”" }, { "„", "“" }, { "«", "»" }, { "「", "」" }
};

/* Where the character before s[at] begins; 0 if at is 0. */
static size_t char_before(const char *s, size_t at)
{
    if (at) at--;
    while (at && ((unsigned char)s[at] & 0xC0) == 0x80) at--;
    return at;
}

/* Quotes s around s[at], cut if it is long. points: with the code points of the character there and of marks on it. */
static void quote_at(char *out, size_t size, StrView s, size_t at, bool points)
{
    enum { BEFORE = 24, MOST = 60, POINTS = 4 };
    size_t from = at <= BEFORE ? 0 : char_before(s.ptr, at - BEFORE + 1);
    size_t len = utf8_cut(s.ptr + from, s.len - from, MOST), end = at;
    int used =
        snprintf(out, size, "'%s%.*s%s'", from ? "..." : "", (int)len, s.ptr + from, from + len < s.len ? "..." : "");
    for (int k = 0; points && k < POINTS && end < s.len; k++) {
        size_t next = end;
        int32_t cp = utf8_next(s.ptr, s.len, &next);
        if (k && utf8_width(cp) > 0) break;
        used += snprintf(out + used, size - (size_t)used, "%sU+%04X", k ? " " : " (", (unsigned)cp);
        end = next;
    }
    if (end > at) snprintf(out + used, size - (size_t)used, ")");
}

TextContrast text_contrast(StrView found, StrView expected)
{
    size_t at = 0;
    while (at < found.len && at < expected.len && found.ptr[at] == expected.ptr[at]) at++;
    const StrView longer = found.len > at ? found : expected;
    while (at && at < longer.len && ((unsigned char)longer.ptr[at] & 0xC0) == 0x80) at--;
    size_t a = at, b = at;
    int32_t x = a < found.len ? utf8_next(found.ptr, found.len, &a) : 0,
            y = b < expected.len ? utf8_next(expected.ptr, expected.len, &b) : 0;
    bool points = x >= 128 || y >= 128;
    if ((x >= 128 && utf8_width(x) == 0) || (y >= 128 && utf8_width(y) == 0)) at = char_before(longer.ptr, at);
    TextContrast c;
    quote_at(c.found, sizeof c.found, found, at, points);
    quote_at(c.expected, sizeof c.expected, expected, at, points);
    return c;
}

bool text_is_punctuation(const char *text)
{
    size_t len = strlen(text), i = 0;
    while (i < len) {
        int32_t cp = utf8_next(text, len, &i);
        utf8proc_category_t c = utf8proc_category(cp);
        bool word = cp < 128 && strchr("%&#@*/\\", cp);
        if (word || c < UTF8PROC_CATEGORY_PC || c > UTF8PROC_CATEGORY_PO) return false;
    }
    return len > 0;
}

bool text_is_quote(const char *text)
{
    size_t len = strlen(text), i = 0;
    int32_t cp = utf8_next(text, len, &i);
    utf8proc_category_t c = utf8proc_category(cp);
    bool marks = c == UTF8PROC_CATEGORY_PI || c == UTF8PROC_CATEGORY_PF || (cp >= 0x300C && cp <= 0x300F);
    return i == len ? marks || cp == '"' || cp == 0x201E : text_among(text, "`` ''");
}

int32_t utf8_wide_lower(int32_t cp) { return utf8proc_tolower(cp); }

int32_t utf8_upper(int32_t cp) { return cp < 128 ? (cp >= 'a' && cp <= 'z' ? cp - 32 : cp) : utf8proc_toupper(cp); }

void text_lower(StrBuf *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) strbuf_utf8(out, utf8_lower(utf8_next(text, len, &i)));
}

uint32_t text_hash(const char *text, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ (h >> 13);
}

bool text_equal(StrView view, const char *text)
{
    return strlen(text) == view.len && memcmp(view.ptr, text, view.len) == 0;
}

bool text_among(const char *text, const char *words)
{
    size_t n = strlen(text);
    for (const char *p = words; n && (p = strstr(p, text)); p++)
        if ((p == words || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0)) return !memchr(text, ' ', n);
    return false;
}

bool text_view_among(StrView view, const char *words)
{
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (n == view.len && memcmp(view.ptr, words, n) == 0) return true;
    }
    return false;
}

bool text_number(StrView view, int *out)
{
    int x = 0;
    if (view.len < 1 || view.len > 8) return false;
    for (size_t i = 0; i < view.len; i++) {
        if (view.ptr[i] < '0' || view.ptr[i] > '9') return false;
        x = 10 * x + (view.ptr[i] - '0');
    }
    *out = x;
    return true;
}

static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

size_t utf8_cut(const char *text, size_t len, size_t most)
{
    if (len <= most) return len;
    size_t at = most;
    while (at && most - at < 3 && continues(text[at])) at--;
    return continues(text[at]) ? most : at; /* more of them: no UTF-8 */
}

void utf8_trim(char *text)
{
    size_t len = strlen(text), at = len;
    while (at && len - at < 3 && continues(text[at - 1])) at--;
    if (at && (unsigned char)text[at - 1] >= 0xc0) at--;
    if (utf8_invalid(text + at, len - at) < len - at) text[at] = 0;
}

bool utf8_is_direction(int32_t cp)
{
    return cp == 0x61c || cp == 0x200e || cp == 0x200f || (cp >= 0x202a && cp <= 0x202e) ||
           (cp >= 0x2066 && cp <= 0x2069);
}

VisibleChar utf8_visible(const char *text, size_t len)
{
    VisibleChar v = { 0, 0, "" };
    int32_t cp = utf8_next(text, len, &v.taken);
    bool invalid = cp == 0xfffd && v.taken == 1;
    if (invalid) v.len = snprintf(v.text, sizeof v.text, "\\x%02x", (unsigned)(unsigned char)*text);
    else if (utf8_is_control(cp) || utf8_is_direction(cp))
        v.len = snprintf(v.text, sizeof v.text, "<U+%04X>", (unsigned)cp);
    else memcpy(v.text, text, (size_t)(v.len = (int)v.taken));
    return v;
}

void strbuf_visible(StrBuf *out, const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        VisibleChar v = utf8_visible(text + at, len - at);
        if (text[at] == '\n' || text[at] == '\t') strbuf_putc(out, text[at]);
        else strbuf_add(out, v.text, (size_t)v.len);
        at += v.taken;
    }
}

int utf8_width(int32_t cp) { return utf8proc_charwidth(cp); }
