/* A text as the characters that features see, and the list of words. */
#include <string.h>

#include "language/trained/trained_internal.h"

static int32_t eye_of_variant(int32_t cp)
{
    if (cp >= 0xFF01 && cp <= 0xFF5E) cp -= 0xFF01 - '!';
    return utf8_is_digit(cp) ? '0' : utf8_lower(cp);
}

static int32_t eye_of(const TrainedText *t, int32_t cp) { return eye_of_variant(trained_variant(t, cp)); }

static TrainedClass class_of(int32_t cp)
{
    if (utf8_is_space(cp)) return TRAINED_SPACE;
    if (utf8_is_lower(cp)) return TRAINED_LOWER;
    if (utf8_is_upper(cp)) return TRAINED_UPPER;
    if (utf8_is_digit(cp)) return TRAINED_DIGIT;
    if (utf8_is_letter(cp)) return utf8_width(cp) == 2 ? TRAINED_WIDE : TRAINED_LETTER;
    return TRAINED_MARK;
}

static TrainedClass class_at(StrView text, size_t *i) { return class_of(utf8_next(text.ptr, text.len, i)); }

size_t trained_unit(StrView word)
{
    bool wide = false;
    size_t end = 0, next = 0;
    while (next < word.len && !wide) wide = class_at(word, &next) == TRAINED_WIDE;
    if (!wide) return word.len;
    TrainedClass class = class_at(word, &end);
    for (next = end; class != TRAINED_WIDE && class != TRAINED_MARK; end = next) {
        class = class_at(word, &next);
        if (class == TRAINED_WIDE || class == TRAINED_MARK) break;
    }
    return end;
}

/* A run of white space from byte *i on. */
static TrainedChar space_at(const TrainedText *t, StrView text, size_t *i, Newlines newlines, size_t *number)
{
    TrainedChar x = { .byte = *i, .number = *number, .eye = ' ', .gap = TRAINED_BLANK };
    int breaks = 0, n = 0;
    int32_t cp = 0;
    while (*i < text.len) {
        size_t next = *i;
        int32_t c = utf8_next(text.ptr, text.len, &next);
        if (!utf8_is_space(c)) break;
        cp = c;
        breaks += c == '\n' ? 1 : c == 0x2029 || c == '\f' ? 2 : 0;
        *i = next;
        n++;
    }
    *number += (size_t)n;
    x.plain = t->blanks && n == 1 && (cp == ' ' || cp == 0xA0);
    if (breaks && newlines != NEWLINES_SPACE) x.gap = TRAINED_BREAK;
    if (breaks >= (newlines == NEWLINES_PARAGRAPH ? 1 : 2)) x.gap = TRAINED_PARAGRAPH;
    return x;
}

/* The chunk of characters from .. to - 1: places in it, and hashes of its parts if it is short. */
static void look_at_chunk(TrainedScan *s, int from, int to)
{
    bool hashed = to - from <= TRAINED_CHUNK;
    uint64_t h = 1;
    for (int k = from; k < to; k++) {
        h = trained_hash(h, (uint32_t)s->c[k].eye);
        int before = k - from, after = to - 1 - k;
        s->c[k].from = (uint8_t)(before < TRAINED_CHUNK ? before : TRAINED_CHUNK);
        s->c[k].to = (uint8_t)(after < TRAINED_CHUNK ? after : TRAINED_CHUNK);
        s->c[k].before = hashed ? (uint32_t)(h >> 32) : 0;
    }
    h = 2;
    for (int k = to - 1; k >= from && hashed; k--) {
        s->c[k].after = (uint32_t)(h >> 32);
        h = trained_hash(h, (uint32_t)s->c[k].eye);
    }
}

/* Decides which line breaks of a paragraph only wrap its text. Lines are measured in characters. */
static void look_at_lines(TrainedScan *s, int from, int to)
{
    int longest = 0, line = 0, next;
    for (int k = from; k <= to; k++, line++)
        if (k == to || s->c[k].gap >= TRAINED_BREAK) {
            if (line > longest) longest = line;
            line = -1;
        }
    line = 0;
    for (int k = from; k < to; k++, line++)
        if (s->c[k].gap == TRAINED_BREAK) {
            for (next = k + 1; next < to && s->c[next].class != TRAINED_SPACE;) next++;
            if (line + next - k > longest) s->c[k].gap = TRAINED_WRAPPED;
            line = -1;
        }
}

static void look_around(TrainedScan *s)
{
    int chunk = 1, paragraph = 1;
    for (int k = 1; k < s->n; k++) {
        if (s->c[k].class != TRAINED_SPACE) continue;
        look_at_chunk(s, chunk, k);
        chunk = k + 1;
        if (s->c[k].gap != TRAINED_PARAGRAPH) continue;
        look_at_lines(s, paragraph, k);
        paragraph = k + 1;
    }
}

/* Changes the eyes of words that are read as others. */
static void look_at_words(TrainedScan *s, const TrainedText *t, StrView text)
{
    for (int k = 1, n; k < s->n; k += n) {
        StrView rest = { text.ptr + s->c[k].byte, text.len - s->c[k].byte };
        const TrainedPair *found = s->c[k].class != TRAINED_SPACE ? trained_variant_word(t, rest) : NULL;
        n = !found;
        for (size_t i = 0, len = found ? strlen(found->to) : 0; i < len && k + n < s->n; n++)
            s->c[k + n].eye = eye_of_variant(utf8_next(found->to, len, &i));
    }
}

bool trained_scan(TrainedScan *scan, const TrainedText *trained, StrView text, Newlines newlines)
{
    size_t i = 0, number = 0;
    scan->n = 0;
    while (i <= text.len) {
        if (!mem_reserve(scan->c, &scan->cap, scan->n + 2)) return false;
        TrainedChar *x = &scan->c[scan->n];
        size_t next = i;
        int32_t cp = i < text.len ? utf8_next(text.ptr, text.len, &next) : ' ';
        if (scan->n == 0 || utf8_is_space(cp)) {
            bool end = i == text.len;
            *x = space_at(trained, text, &i, newlines, &number);
            if (scan->n == 0 || i == text.len) x->gap = TRAINED_PARAGRAPH;
            scan->n++;
            if (end || i == text.len) break;
            continue;
        }
        *x = (TrainedChar){ .byte = i, .number = number++, .eye = eye_of(trained, cp), .class = (uint8_t)class_of(cp) };
        scan->n++;
        i = next;
    }
    if (scan->n == 1) scan->c[scan->n++] = scan->c[0];
    if (trained->variant_words.n) look_at_words(scan, trained, text);
    look_around(scan);
    if (trained->filter) trained_filter_look(trained, scan);
    return true;
}

/* ---- the list of words */

enum { FILTER_HASHES = 6, FILTER_BITS_A_WORD = 12 };

/* Bit number i of the bits of a word. */
static uint64_t filter_bit(const TrainedText *t, uint64_t h, int i)
{
    uint64_t step = h * 0xC2B2AE3D27D4EB4Fu | 1;
    return (h + (uint64_t)i * step) >> (64 - t->filter_bits);
}

static bool filter_has(const TrainedText *t, uint64_t h)
{
    for (int i = 0; i < FILTER_HASHES; i++) {
        uint64_t bit = filter_bit(t, h, i);
        if (!(t->filter[bit >> 3] >> (bit & 7) & 1)) return false;
    }
    return true;
}

/* The hash of a word of the list, 0 if it has too few or too many characters; *length is their number. */
static uint64_t word_hash(const TrainedText *t, StrView line, int *length)
{
    uint64_t h = 3;
    *length = 0;
    for (size_t i = 0; i < line.len;) {
        int32_t cp = utf8_next(line.ptr, line.len, &i);
        if (utf8_is_space(cp)) break;
        h = trained_hash(h, (uint32_t)eye_of(t, cp));
        ++*length;
    }
    return *length >= 2 && *length <= TRAINED_WORD ? h : 0;
}

static void filter_add(TrainedText *t, StrView word)
{
    int length;
    uint64_t h = word_hash(t, word, &length);
    if (!h) return;
    if (length > t->longest) t->longest = length;
    for (int i = 0; i < FILTER_HASHES; i++) {
        uint64_t bit = filter_bit(t, h, i);
        t->filter[bit >> 3] |= (uint8_t)(1u << (bit & 7));
    }
}

bool trained_filter_make(TrainedText *trained, StrView words)
{
    StrView line;
    int length;
    long n = 0;
    for (size_t at = 0; text_line(words, &at, &line);) n += word_hash(trained, line, &length) != 0;
    if (!n) return true;
    n += trained->variant_words.n;
    for (trained->filter_bits = 6; trained->filter_bits < 30 && (1L << trained->filter_bits) < n * FILTER_BITS_A_WORD;)
        trained->filter_bits++;
    trained->filter = mem_calloc((size_t)1 << (trained->filter_bits - 3), 1);
    if (!trained->filter) return false;
    for (size_t at = 0; text_line(words, &at, &line);) filter_add(trained, line);
    for (int k = 0; k < trained->variant_words.n; k++)
        filter_add(trained, text_view(trained->variant_words.pair[k].to));
    return true;
}

void trained_filter_look(const TrainedText *trained, TrainedScan *scan)
{
    for (int k = 0; k < scan->n; k++) {
        uint64_t h = 3;
        for (int i = 0; i < trained->longest && k + i < scan->n && scan->c[k + i].class != TRAINED_SPACE; i++) {
            uint8_t length = (uint8_t)(1u << i);
            h = trained_hash(h, (uint32_t)scan->c[k + i].eye);
            if (i == 0 || !filter_has(trained, h)) continue;
            scan->c[k].begins |= length;
            scan->c[k + i].ends |= length;
            for (int j = 0; j < i; j++) scan->c[k + j].across |= length;
        }
    }
}
