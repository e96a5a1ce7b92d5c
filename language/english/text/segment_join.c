/* Words that are broken at the end of a line. */
#include <string.h>

#include "language/english/text/segment_boundary.h"

enum { PART_MOST = 32, AFTER = 64 }; /* bytes after a word that the rules of tokens may look at */

/* ---- is there a hyphen in the word? */

/* FNV-1a of bytes [from, to) of a word, in lower case. */
static uint32_t hash_part(StrView word, size_t from, size_t to)
{
    uint32_t h = 2166136261u;
    for (size_t i = from; i < to; i++) h = (h ^ (uint32_t)utf8_lower((unsigned char)word.ptr[i])) * 16777619u;
    return h;
}

static uint32_t hash_begin(StrView word, size_t n) { return hash_part(word, 0, n < word.len ? n : word.len); }

static uint32_t hash_end(StrView word, size_t n) { return hash_part(word, n < word.len ? word.len - n : 0, word.len); }

/* 0: lower case, 1: a capital first, 2: at least two capitals first. */
static uint32_t shape_of_part(StrView v)
{
    bool first = v.ptr[0] >= 'A' && v.ptr[0] <= 'Z';
    return first + (uint32_t)(first && v.len > 1 && v.ptr[1] >= 'A' && v.ptr[1] <= 'Z');
}

int segment_join_features(StrView left, StrView right, uint32_t at[JOIN_FEATURES])
{
    uint32_t lengths = (uint32_t)(left.len < 8 ? left.len : 8) << 4 | (uint32_t)(right.len < 8 ? right.len : 8);
    const struct {
        uint32_t a, b;
    } filled[JOIN_FEATURES] = {
        { hash_part(left, 0, left.len), 0 },
        { hash_part(right, 0, right.len), 0 },
        { hash_part(left, 0, left.len), hash_begin(right, 1) },
        { hash_end(left, 1), hash_part(right, 0, right.len) },
        { hash_end(left, 4), 0 },
        { hash_end(left, 3), hash_begin(right, 1) },
        { hash_end(left, 2), hash_begin(right, 2) },
        { hash_end(left, 1), hash_begin(right, 1) },
        { hash_end(left, 1), hash_begin(right, 3) },
        { hash_begin(right, 4), 0 },
        { hash_end(left, 2), 0 },
        { hash_begin(right, 2), 0 },
        { hash_end(right, 3), 0 },
        { lengths, 0 },
        { shape_of_part(left), shape_of_part(right) },
    };
    for (uint32_t k = 0; k < JOIN_FEATURES; k++)
        at[k] = BOUNDARY_WEIGHTS + boundary_index(k, filled[k].a, filled[k].b, JOIN_BITS);
    return JOIN_FEATURES;
}

static bool is_one_word(StrView left, StrView right)
{
    uint32_t at[JOIN_FEATURES];
    int score = 0, n = segment_join_features(left, right, at);
    for (int k = 0; k < n; k++) score += boundary_weight(at[k]);
    return score > 0;
}

typedef enum Join { APART, WITH_HYPHEN, WITHOUT_HYPHEN } Join;

static bool is_upper(StrView v, size_t i) { return i < v.len && v.ptr[i] >= 'A' && v.ptr[i] <= 'Z'; }
static bool is_among(StrView v, const char *list)
{
    char lower[PART_MOST + 6];
    segment_lower_word(v, 0, v.len, lower, sizeof lower);
    return text_among(lower, list);
}

/* The speaker begins again: th- the. */
static bool begins_again(StrView left, StrView right)
{
    return left.len <= right.len && hash_part(left, 0, left.len) == hash_begin(right, left.len);
}

/* left: the letters or digits before the hyphen; right: the letters or digits that begin the next line; `more`: the
 * word has other hyphens. */
static Join join_of(StrView left, StrView right, bool more)
{
    if (!left.len || !right.len || left.len > PART_MOST || right.len > PART_MOST) return APART;
    bool digits = utf8_is_digit((unsigned char)left.ptr[0]), upper = is_upper(left, 0);
    if (utf8_is_digit((unsigned char)right.ptr[0])) return digits || upper ? WITH_HYPHEN : APART;
    if (more) return WITH_HYPHEN;
    if (begins_again(left, right) || is_among(right, "and or to nor but")) return APART;
    if (digits || left.len == 1) return WITH_HYPHEN;
    bool capitals = is_upper(left, left.len - 1) && is_upper(right, right.len - 1);
    if (is_upper(right, 0) && !capitals) {
        bool affix = is_among(left, "non pre post anti pro pan trans inter ex mid un sub neo all");
        return affix || (upper && left.len > 1 && !is_among(left, "the and but you what wait well yes no oh so"))
                   ? WITH_HYPHEN
                   : APART;
    }
    return is_one_word(left, right) ? WITHOUT_HYPHEN : WITH_HYPHEN;
}

/* ---- places */

static StrView slice(StrView text, size_t from, size_t to) { return (StrView){ text.ptr + from, to - from }; }

/* The letters or digits before the hyphen at the end of the chunk. *hyphens: there are more hyphens before them. An
 * empty view: the chunk is an address or the like. */
static StrView part_before(const Segmenter *s, bool *hyphens)
{
    const Chunk *c = &s->c;
    int last = c->n - 1, k = last;
    bool digits = k > 0 && utf8_is_digit(c->cp[k - 1]);
    while (k > 0 && (digits ? utf8_is_digit(c->cp[k - 1]) : utf8_is_letter(c->cp[k - 1]))) k--;
    *hyphens = false;
    for (int i = 0; i < k; i++) {
        *hyphens |= c->cp[i] == '-';
        if (c->cp[i] < 128 && c->cp[i] && strchr("@/\\_:.&", (int)c->cp[i])) k = last;
    }
    return slice(s->text, c->at[k], c->at[last]);
}

/* The letters or digits that begin at byte i. */
static StrView part_after(StrView text, size_t i)
{
    size_t end = i;
    for (size_t next = i; next < text.len; end = next) {
        int32_t c = utf8_next(text.ptr, text.len, &next);
        if (!utf8_is_letter(c) && !utf8_is_digit(c)) break;
    }
    return slice(text, i, end);
}

/* Where the text goes on after white space with just one line break in it; 0: elsewhere. */
static size_t next_line(StrView text, size_t i)
{
    int breaks = 0;
    for (; i < text.len && (text.ptr[i] == ' ' || text.ptr[i] == '\t' || text.ptr[i] == '\r' || text.ptr[i] == '\n');
         i++)
        breaks += text.ptr[i] == '\n';
    return breaks == 1 && i < text.len ? i : 0;
}

/* The end of the run without white space that begins at byte i. */
static size_t chunk_end(StrView text, size_t i)
{
    for (size_t next = i; next < text.len; i = next)
        if (utf8_is_space(utf8_next(text.ptr, text.len, &next))) break;
    return i;
}

/* The place of a joined word in the text. */
typedef struct Place {
    size_t from, head, rest;         /* bytes: its beginning; of its first part; where its second part begins */
    size_t chars, head_chars, apart; /* characters before it, of its first part, left out between the parts */
} Place;

/* Changes offsets of a token in the joined word to offsets in the text. What is left out is part of the token that
 * ends there. */
static void place_token(Token *t, const Place *p)
{
    size_t begin = t->begin, end = t->end, gap = p->rest - p->from - p->head;
    if (begin < p->head && end >= p->head) t->cut = (uint32_t)(p->head - begin);
    t->begin = p->from + begin + (begin >= p->head ? gap : 0);
    t->end = p->from + end + (end >= p->head ? gap : 0);
    t->begin_char += p->chars + (t->begin_char >= p->head_chars ? p->apart : 0);
    t->end_char += p->chars + (t->end_char >= p->head_chars ? p->apart : 0);
}

/* Appends the tokens of a word whose first part is the chunk, up to its hyphen or with it. */
static void add_joined(Segmenter *s, bool with_hyphen, size_t rest, size_t end)
{
    Chunk *c = &s->c;
    StrView text = s->text;
    int parts = c->n - !with_hyphen, first = s->out->n_tokens;
    Place p = { c->at[0], c->at[parts] - c->at[0], rest, s->chars, (size_t)parts, 0 };
    p.apart = segment_columns(text, c->at[parts], rest);
    size_t after = text.len - end < AFTER ? text.len : end + AFTER;
    while (after < text.len && ((unsigned char)text.ptr[after] & 0xC0) == 0x80) after--; /* no half of a character */
    size_t len = p.head + after - rest;
    char *word = arena_alloc(s->a, len + 1, 1);
    s->failed = s->failed || !word;
    if (s->failed) return;
    memcpy(word, text.ptr + p.from, p.head);
    memcpy(word + p.head, text.ptr + rest, after - rest);
    s->text = (StrView){ word, len };
    s->chars = 0;
    segment_read_chunk(s, 0);
    if (!s->failed) segment_chunk(s);
    for (int k = first; k < s->out->n_tokens; k++) place_token(&s->out->tokens[k], &p);
    s->text = text;
    s->chars = p.chars + segment_columns(text, p.from, end);
}

size_t segment_join(Segmenter *segmenter, size_t i)
{
    const Chunk *c = &segmenter->c;
    int32_t last = c->cp[c->n - 1];
    bool soft = last == 0xAD || last == 0xAC, hyphens,
         breaks = segmenter->newlines == NEWLINES_AUTO || segmenter->newlines == NEWLINES_SPACE;
    if (!breaks || c->n < 2 || (last != '-' && last != 0x2010 && !soft)) return i;
    size_t rest = next_line(segmenter->text, i), end = rest ? chunk_end(segmenter->text, rest) : 0;
    if (!rest || segmenter->text.ptr[end - 1] == '-') return i;
    StrView left = part_before(segmenter, &hyphens);
    StrView right = part_after(segmenter->text, rest);
    size_t after = (size_t)(right.ptr - segmenter->text.ptr) + right.len;
    hyphens |= after + 1 < end && segmenter->text.ptr[after] == '-';
    Join join = soft ? WITHOUT_HYPHEN : join_of(left, right, hyphens);
    if (join == APART) return i;
    add_joined(segmenter, join == WITH_HYPHEN, rest, end);
    return end;
}
