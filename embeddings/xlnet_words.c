/* Cleans a word and keeps the places of its characters, encodes it, and parts digits from
 * a comma that follows them. */
#include "embeddings/xlnet_words.h"

#include <string.h>
#include <utf8proc.h>

#include "embeddings/bert_text.h"

/* ---- clean-up */

/* White space, the four separators of ASCII among it. */
static bool is_space(int32_t cp) { return bert_text_is_space(cp) || (cp >= 0x1C && cp <= 0x1F); }

static bool put_decomposed(PlacedText *c, int32_t cp, int begin, int end)
{
    enum { MOST = 64 }; /* no character has more than 18 */
    utf8proc_int32_t part[MOST] = { cp };
    utf8proc_ssize_t n = 1;
    if (cp >= 0x80) n = utf8proc_decompose_char(cp, part, MOST, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, NULL);
    bool good = true;
    for (utf8proc_ssize_t k = 0; k < n && k < MOST && good; k++)
        if (part[k] < 0x80 || utf8proc_get_property(part[k])->combining_class == 0)
            good = placed_text_put(c, part[k], begin, end);
    return good;
}

/* Combining marks are removed, so their order after decomposition does not matter. */
static Status clean(StrView word, PlacedText *c, Error *e)
{
    bool space = false, any = false, good = true;
    if (word.len > PIECES_MOST_TEXT)
        return error_set(e, ERR_LIMIT, "found a text of %zu bytes, expected at most %d", word.len, PIECES_MOST_TEXT);
    for (size_t at = 0; at < word.len && good;) {
        int begin = (int)at;
        int32_t cp = utf8_next(word.ptr, word.len, &at);
        if (is_space(cp)) {
            space = true;
            continue;
        }
        if (space && any) good = placed_text_put(c, ' ', begin, begin);
        space = false;
        any = true;
        if ((cp == '`' || cp == '\'') && at < word.len && word.ptr[at] == (char)cp) {
            cp = '"';
            at++;
        }
        good = good && put_decomposed(c, cp, begin, (int)at);
    }
    return good ? OK : error_set(e, ERR_NOMEM, "out of memory for pieces of words");
}

/* Places in the cleaned text become places in the original. */
static void restore(const PlacedText *c, Pieces *p)
{
    for (int k = 0; k < p->n; k++) {
        int begin = p->p[k].begin, end = p->p[k].end, size = (int)c->text.len;
        bool empty = begin == end;
        p->p[k].begin = begin < size ? c->begin[begin] : size ? c->end[size - 1] : 0;
        p->p[k].end = empty ? p->p[k].begin : c->end[end - 1];
    }
}

/* ---- a digit and a comma */

/* Decimal digits, and the characters of Unicode's numeric type "digit", such as circled ones. */
static bool is_digit(int32_t cp)
{
    static const CharRange other[] = {
        { 0xB2, 0xB3 },     { 0xB9, 0xB9 },       { 0x1369, 0x1371 },   { 0x19DA, 0x19DA },   { 0x2070, 0x2070 },
        { 0x2074, 0x2079 }, { 0x2080, 0x2089 },   { 0x2460, 0x2468 },   { 0x2474, 0x247C },   { 0x2488, 0x2490 },
        { 0x24EA, 0x24EA }, { 0x24F5, 0x24FD },   { 0x24FF, 0x24FF },   { 0x2776, 0x277E },   { 0x2780, 0x2788 },
        { 0x278A, 0x2792 }, { 0x10A40, 0x10A43 }, { 0x10E60, 0x10E68 }, { 0x11052, 0x1105A }, { 0x1F100, 0x1F10A },
    };
    if (cp < 0x80) return cp >= '0' && cp <= '9';
    return utf8proc_category(cp) == UTF8PROC_CATEGORY_ND || char_range_among(cp, other, sizeof other / sizeof *other);
}

static bool ends_with_digit_comma(StrView t)
{
    if (t.len < 2 || t.ptr[t.len - 1] != ',') return false;
    size_t at = t.len - 2;
    while (at > 0 && (t.ptr[at] & 0xC0) == 0x80) at--;
    return is_digit(utf8_next(t.ptr, t.len, &at));
}

static const StrView BLANK = { "\xE2\x96\x81", 3 };

static bool begins_with_blank(StrView t) { return t.len >= BLANK.len && memcmp(t.ptr, BLANK.ptr, BLANK.len) == 0; }

static Status add(const Unigram *u, StrView text, const Piece *place, Pieces *out, Error *e)
{
    return pieces_add(out, unigram_find(u, text), place->begin, place->end, text, e);
}

/* The pieces of `text`, a digit and a comma at its end, with the comma apart. */
static Status split_comma(const Unigram *u, StrView text, const Piece *place, Pieces *out, Error *e)
{
    StrBuf number = { 0 };
    Pieces inner = { 0 };
    for (size_t i = 0; i + 1 < text.len;) {
        StrView rest = { text.ptr + i, text.len - 1 - i };
        if (begins_with_blank(rest)) i += BLANK.len;
        else strbuf_putc(&number, text.ptr[i++]);
    }
    Status s = number.failed ? error_set(e, ERR_NOMEM, "out of memory for pieces of words") : OK;
    if (s == OK) s = unigram_encode(u, (StrView){ number.ptr, number.len }, &inner, e);
    for (int k = 0; k < inner.n && s == OK; k++) {
        StrView t = pieces_text(&inner, k);
        if (k == 0 && !begins_with_blank(text) && begins_with_blank(t)) {
            t = (StrView){ t.ptr + BLANK.len, t.len - BLANK.len };
            if (t.len == 0) continue;
        }
        s = add(u, t, place, out, e);
    }
    if (s == OK) s = add(u, (StrView){ ",", 1 }, place, out, e);
    strbuf_fini(&number);
    pieces_fini(&inner);
    return s;
}

Status xlnet_words_encode(const Unigram *unigram, StrView word, Pieces *out, Error *error)
{
    PlacedText c = { 0 };
    Pieces all = { 0 };
    Status s = clean(word, &c, error);
    if (s == OK && c.text.len) s = unigram_encode(unigram, (StrView){ c.text.ptr, c.text.len }, &all, error);
    if (s == OK) restore(&c, &all);
    for (int k = 0; k < all.n && s == OK; k++) {
        StrView t = pieces_text(&all, k);
        if (ends_with_digit_comma(t)) s = split_comma(unigram, t, &all.p[k], out, error);
        else s = add(unigram, t, &all.p[k], out, error);
    }
    placed_text_fini(&c);
    pieces_fini(&all);
    return s;
}
