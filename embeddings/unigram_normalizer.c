/* The precompiled rules are checked once, then read in place; a text is changed
 * from left to right, and each byte keeps the place that it came from. */
#include "embeddings/unigram_normalizer.h"

#include <string.h>

#include "embeddings/pieces.h"

static const StrView BLANK = { " ", 1 }, ESCAPED = { "\xE2\x96\x81", 3 }, REPLACEMENT = { "\xEF\xBF\xBD", 3 };

/* ---- rules */

static uint32_t unit_at(const UnigramNormalizer *z, size_t k)
{
    const unsigned char *p = z->unit + 4 * k;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static size_t children_of(uint32_t unit) { return (size_t)(unit >> 10) << ((unit & 1u << 9) >> 6); }

/* The beginning of a replacement. */
static bool is_place(StrView strings, uint32_t value)
{
    return value < strings.len && ((unsigned char)strings.ptr[value] & 0xC0) != 0x80;
}

static Status check_strings(StrView strings, const char *path, Error *e)
{
    size_t longest = 0;
    for (size_t i = 0, from = 0; i < strings.len; i++) {
        if (strings.ptr[i]) continue;
        if (i - from > longest) longest = i - from;
        from = i + 1;
    }
    if (utf8_invalid(strings.ptr, strings.len) < strings.len)
        return error_at(e, ERR_FORMAT, path, 0, 0, "precompiled_charsmap: found replacements that are not UTF-8");
    if (strings.len == 0 || strings.ptr[strings.len - 1])
        return error_at(e, ERR_FORMAT, path, 0, 0, "precompiled_charsmap: found a replacement without an end");
    if (longest > UNIGRAM_MOST_REPLACEMENT)
        return error_at(e, ERR_FORMAT, path, 0, 0,
                        "precompiled_charsmap: found a replacement of %zu bytes, expected at most %d", longest,
                        UNIGRAM_MOST_REPLACEMENT);
    return OK;
}

Status unigram_normalizer_rules(UnigramNormalizer *normalizer, StrView charsmap, const char *path, Error *error)
{
    normalizer->n_units = 0;
    if (charsmap.len == 0) return OK;
    normalizer->unit = (const unsigned char *)charsmap.ptr;
    size_t size = charsmap.len < 4 ? SIZE_MAX : unit_at(normalizer, 0);
    if (charsmap.len < 4 || size % 4 || size == 0 || size >= charsmap.len - 4)
        return error_at(error, ERR_FORMAT, path, 0, 0,
                        "precompiled_charsmap: found %zu bytes, expected a size, a trie of that size and replacements",
                        charsmap.len);
    normalizer->unit += 4;
    normalizer->n_units = size / 4;
    normalizer->strings = (StrView){ charsmap.ptr + 4 + size, charsmap.len - 4 - size };
    Status s = check_strings(normalizer->strings, path, error);
    for (size_t k = 0; k < normalizer->n_units && s == OK; k++) {
        uint32_t unit = unit_at(normalizer, k);
        if (unit >> 31 && !is_place(normalizer->strings, unit & 0x7FFFFFFF))
            s = error_at(error, ERR_FORMAT, path, 0, 0,
                         "precompiled_charsmap: found a rule with replacement %u, expected one below %zu",
                         (unsigned)(unit & 0x7FFFFFFF), normalizer->strings.len);
    }
    return s;
}

/* The replacement of the longest rule that `text` begins with, *used its bytes of text; false: no rule. */
static bool longest_rule(const UnigramNormalizer *z, StrView text, StrView *replacement, size_t *used)
{
    size_t node = 0;
    bool found = false;
    if (!z->n_units) return false;
    uint32_t unit = unit_at(z, 0);
    node ^= children_of(unit);
    for (size_t i = 0; i < text.len && i < UNIGRAM_MOST_RULE; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        node ^= c;
        if (node >= z->n_units) break;
        unit = unit_at(z, node);
        if ((unit & (1u << 31 | 0xFF)) != c) break;
        node ^= children_of(unit);
        if (!(unit & 1u << 8)) continue;
        if (node >= z->n_units) break;
        uint32_t value = unit_at(z, node) & 0x7FFFFFFF;
        if (!is_place(z->strings, value)) continue;
        *replacement = (StrView){ z->strings.ptr + value, strlen(z->strings.ptr + value) };
        *used = i + 1;
        found = true;
    }
    return found;
}

/* What the text begins with becomes *to; returns its bytes of text. The text is not empty. */
static size_t next_part(const UnigramNormalizer *z, StrView text, StrView *to)
{
    size_t used = 0;
    if (z->kept.n && piece_trie_longest(&z->kept, piece_trie_start(&z->kept), text, &used) >= 0) {
        *to = (StrView){ text.ptr, used };
        return used;
    }
    if (longest_rule(z, text, to, &used)) return used;
    bool valid = utf8_next(text.ptr, text.len, &used) != 0xFFFD || used == 3;
    *to = valid ? (StrView){ text.ptr, used } : REPLACEMENT;
    return used;
}

/* ---- a text */

static bool put(UnigramText *out, StrView bytes, size_t place)
{
    int from = (int)out->text.len, to = from + (int)bytes.len;
    if (to > PIECES_MOST_TEXT) return false;
    strbuf_add(&out->text, bytes.ptr, bytes.len);
    if (out->text.failed || !mem_reserve(out->place, &out->cap, to + 1)) return false;
    for (int k = from; k < to; k++) out->place[k] = (int)place;
    return true;
}

static bool ends_with(StrView text, StrView end)
{
    return text.len >= end.len && memcmp(text.ptr + text.len - end.len, end.ptr, end.len) == 0;
}

/* A part of the text with its blanks, without those that follow a blank. */
static bool put_part(const UnigramNormalizer *z, StrView part, size_t place, bool *after_blank, UnigramText *out)
{
    size_t i = 0;
    while (*after_blank && i < part.len && part.ptr[i] == ' ') i++;
    if (i < part.len) *after_blank = part.ptr[part.len - 1] == ' ';
    for (size_t end; i < part.len; i = end) {
        end = i + 1;
        bool blank = z->escape_blanks && part.ptr[i] == ' ';
        while (!blank && end < part.len && !(z->escape_blanks && part.ptr[end] == ' ')) end++;
        if (!put(out, blank ? ESCAPED : (StrView){ part.ptr + i, end - i }, place)) return false;
    }
    return true;
}

/* Fills *out; *place becomes where it ends. */
static bool normalize(const UnigramNormalizer *z, StrView text, size_t *place, UnigramText *out)
{
    StrView part, blank = z->escape_blanks ? ESCAPED : BLANK;
    size_t at = 0;
    while (z->remove_blanks && at < text.len) {
        size_t used = next_part(z, (StrView){ text.ptr + at, text.len - at }, &part);
        if (part.len != 1 || part.ptr[0] != ' ') break;
        at += used;
    }
    *place = at;
    if (at == text.len) return true;
    if (z->prefix && !z->suffix && !put(out, blank, at)) return false;
    bool after_blank = z->remove_blanks;
    while (at < text.len) {
        size_t used = next_part(z, (StrView){ text.ptr + at, text.len - at }, &part);
        if (!put_part(z, part, at, &after_blank, out)) return false;
        if (!z->remove_blanks) after_blank = false;
        at += used;
    }
    *place = at;
    while (z->remove_blanks && ends_with((StrView){ out->text.ptr, out->text.len }, blank)) {
        strbuf_cut(&out->text, out->text.len - blank.len);
        *place = (size_t)out->place[out->text.len];
    }
    return !(z->prefix && z->suffix) || put(out, blank, *place);
}

Status unigram_normalize(const UnigramNormalizer *normalizer, StrView text, UnigramText *out, Error *error)
{
    size_t place = 0;
    strbuf_clear(&out->text);
    strbuf_puts(&out->text, "");
    if (text.len > PIECES_MOST_TEXT)
        return error_set(error, ERR_LIMIT, "found a text of %zu bytes, expected at most %d", text.len,
                         PIECES_MOST_TEXT);
    if (!normalize(normalizer, text, &place, out) && !out->text.failed &&
        out->text.len + UNIGRAM_MOST_REPLACEMENT > PIECES_MOST_TEXT)
        return error_set(error, ERR_LIMIT, "found a text of more than %d bytes after normalisation", PIECES_MOST_TEXT);
    if (out->text.failed || !mem_reserve(out->place, &out->cap, (int)out->text.len + 1))
        return error_set(error, ERR_NOMEM, "out of memory normalising a text");
    out->place[out->text.len] = (int)place;
    return OK;
}

void unigram_normalizer_fini(UnigramNormalizer *normalizer)
{
    piece_trie_fini(&normalizer->kept);
    *normalizer = (UnigramNormalizer){ 0 };
}

void unigram_text_fini(UnigramText *text)
{
    strbuf_fini(&text->text);
    mem_free(text->place);
    *text = (UnigramText){ 0 };
}
