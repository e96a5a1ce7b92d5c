/* treebank/text/segment.c: text to paragraphs and chunks (runs without white space); each code point is decoded
 * once. */
#include "treebank/text/segment_internal.h"

#include <string.h>

/* What else a file is that begins so, or NULL: asked of a file that is no text. */
static const char *kind_of_file(StrView text)
{
    static const struct {
        const char *begins, *kind;
        size_t len;
    } kinds[] = { { "%PDF-", "a PDF file", 5 },
                  { "PK\3\4", "a zip archive or office document", 4 },
                  { "\x1f\x8b", "a gzip file", 2 },
                  { "\xff\xfe", "text in UTF-16", 2 },
                  { "\xfe\xff", "text in UTF-16", 2 } };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (text.len >= kinds[k].len && memcmp(text.ptr, kinds[k].begins, kinds[k].len) == 0) return kinds[k].kind;
    return NULL;
}

static Status check_text(TextBlock block, Error *e)
{
    StrView text = block.text;
    size_t bad = utf8_invalid(text.ptr, text.len);
    const char *nul = text.len ? memchr(text.ptr, 0, bad) : NULL;
    if (!nul && bad == text.len) return OK;
    const char *kind = block.byte == 0 ? kind_of_file(text) : NULL;
    if (kind) return error_at(e, ERR_FORMAT, block.path, 0, 0, "found %s, expected text in UTF-8", kind);
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
    if (!mem_reserve(c->cp, &c->cap_cp, c->n + 1) || !mem_reserve(c->at, &c->cap_at, c->n + 2)) {
        s->failed = true;
        return;
    }
    c->cp[c->n] = cp;
    c->at[c->n] = begin;
    c->at[++c->n] = end;
}

/* Changes the offsets of tokens from offsets in the block to offsets in the file. Tokens are in the order of the text,
 * so one pass counts the characters. */
static void place_tokens(TextBlock block, SegmentedText *out)
{
    size_t at = 0, chars = block.character;
    for (int k = 0; k < out->n_tokens; k++) {
        Token *t = &out->tokens[k];
        for (; at < t->begin; at++)
            chars += ((unsigned char)block.text.ptr[at] & 0xC0) != 0x80; /* not a continuation byte */
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
    segmented_text_fini(s->out);
    return error_set(e, ERR_NOMEM, "out of memory segmenting %s", block.path);
}

Status segment_text(SegmentedText *out, TextBlock block, Newlines newlines, Arena *a, Error *e)
{
    StrView text = block.text;
    *out = (SegmentedText){ 0 };
    Status st = check_text(block, e);
    if (st != OK) return st;
    Segmenter s = { .text = text, .out = out, .a = a, .newlines = newlines };
    int breaks = 0; /* line breaks since the last chunk */
    int paragraph_breaks = newlines == NEWLINES_PARAGRAPH ? 1 : 2;
    long line = block.line, paragraph_line = line;
    for (size_t i = 0; i <= text.len && !s.failed;) {
        size_t from = i;
        int32_t cp = i < text.len ? utf8_next(text.ptr, text.len, &i) : '\n';
        if (from == text.len) i++;
        if (!utf8_is_space(cp)) {
            if (breaks >= paragraph_breaks) {
                segment_paragraph(&s, s.paragraph, paragraph_line);
                s.paragraph = out->n_tokens;
                s.quoted = false;
            }
            if (s.paragraph == out->n_tokens && s.c.n == 0) paragraph_line = line;
            breaks = 0;
            chunk_add(&s, cp, from, i);
            continue;
        }
        if (s.c.n) segment_chunk(&s);
        chunk_clear(&s);
        if (cp == '\n') {
            breaks++;
            line++;
        } else if (cp == 0x2029 || cp == '\f') breaks += 2;
    }
    segment_paragraph(&s, s.paragraph, paragraph_line);
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
                segment_emit(&s, 0, s.c.n);
                chunk_clear(&s);
            }
        }
        segment_add_sentence(&s, first, out->n_tokens - first, false, number++);
    }
    return finish(&s, block, e);
}

/* Empty lines and form feeds end paragraphs. Other white space that does (U+2029) is handled by segment_text. */
size_t segment_cut(CutState *s, const char *p, size_t n)
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

void segmented_text_fini(SegmentedText *t)
{
    mem_free(t->tokens);
    mem_free(t->sentences);
    *t = (SegmentedText){ 0 };
}
