/* language/english/text/segment.c: text to paragraphs and chunks (runs without white space); each code point is decoded
 * once. */
#include "language/english/text/segment_internal.h"

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

/* Decodes the chunk that begins at byte i, and returns its end. */
static size_t read_chunk(Segmenter *s, size_t i, size_t end)
{
    Chunk *c = &s->c;
    int n = 0;
    for (size_t next = i;; i = next) {
        if (!mem_reserve(c->cp, &c->cap_cp, n + 1) || !mem_reserve(c->at, &c->cap_at, n + 1)) {
            s->failed = true;
            return end;
        }
        c->at[n] = i;
        c->n = n;
        if (i == end || utf8_is_space(c->cp[n] = utf8_next(s->text.ptr, end, &next))) return i;
        n++;
    }
}

/* Changes the offsets of tokens from offsets in the block to offsets in the file. */
static void place_tokens(TextBlock block, SegmentedText *out)
{
    for (int k = 0; k < out->n_tokens; k++) {
        Token *t = &out->tokens[k];
        t->begin += block.byte;
        t->end += block.byte;
        t->begin_char += block.character;
        t->end_char += block.character;
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
    out->n_tokens = out->n_sentences = 0;
    Status st = check_text(block, e);
    if (st != OK) return st;
    Segmenter s = { .text = text, .out = out, .a = a, .newlines = newlines };
    int breaks = 0; /* line breaks since the last chunk */
    int paragraph_breaks = newlines == NEWLINES_PARAGRAPH ? 1 : 2;
    long line = block.line, paragraph_line = line;
    for (size_t i = 0; i < text.len && !s.failed;) {
        size_t from = i;
        int32_t cp = utf8_next(text.ptr, text.len, &i);
        if (utf8_is_space(cp)) {
            s.chars++;
            if (cp == '\n') {
                breaks++;
                line++;
            } else if (cp == 0x2029 || cp == '\f') breaks += 2;
            continue;
        }
        if (breaks >= paragraph_breaks) {
            segment_paragraph(&s, s.paragraph, paragraph_line);
            s.paragraph = out->n_tokens;
            s.quoted = false;
        }
        breaks = 0;
        if (s.paragraph == out->n_tokens) paragraph_line = line;
        i = segment_plain_chunk(&s, from);
        if (i > from) continue;
        i = read_chunk(&s, from, text.len);
        if (s.failed) break;
        segment_chunk(&s);
        s.chars += (size_t)s.c.n;
    }
    segment_paragraph(&s, s.paragraph, paragraph_line);
    return finish(&s, block, e);
}

Status segment_pretokenized(SegmentedText *out, TextBlock block, Arena *a, Error *e)
{
    StrView text = block.text;
    out->n_tokens = out->n_sentences = 0;
    Status st = check_text(block, e);
    if (st != OK) return st;
    Segmenter s = { .text = text, .out = out, .a = a };
    size_t at = 0;
    long number = block.line;
    StrView line;
    while (text_line(text, &at, &line) && !s.failed) {
        int first = out->n_tokens;
        size_t end = (size_t)(line.ptr - text.ptr) + line.len;
        for (size_t i = (size_t)(line.ptr - text.ptr); i < end && !s.failed;) {
            size_t from = i;
            if (utf8_is_space(utf8_next(text.ptr, end, &i))) {
                s.chars++;
                continue;
            }
            i = read_chunk(&s, from, end);
            if (s.failed) break;
            segment_emit(&s, 0, s.c.n);
            s.chars += (size_t)s.c.n;
        }
        s.chars += at - end; /* the line break, of ASCII */
        segment_add_sentence(&s, first, out->n_tokens - first, false, number++);
    }
    return finish(&s, block, e);
}

/* Empty lines and form feeds end paragraphs. Other white space that does (U+2029) is handled by segment_text. */
size_t segment_cut(CutState *s, const char *p, size_t n)
{
    int breaks = s->state; /* line breaks since the last character */
    for (size_t i = 0; i < n; i++) {
        if (!breaks) { /* on to the next break */
            const char *newline = memchr(p + i, '\n', n - i);
            size_t end = newline ? (size_t)(newline - p) : n;
            const char *feed = memchr(p + i, '\f', end - i);
            i = feed ? (size_t)(feed - p) : end;
            if (i == n) break;
        }
        unsigned char c = (unsigned char)p[i];
        if (c >= 128 || !utf8_is_space(c)) breaks = 0;
        else if (c == '\n' || c == '\f') breaks += c == '\f' ? 2 : 1;
        if (breaks < 2) continue;
        s->state = 0;
        return i + 1;
    }
    s->state = breaks;
    return 0;
}

void segmented_text_fini(SegmentedText *t)
{
    mem_free(t->tokens);
    mem_free(t->sentences);
    *t = (SegmentedText){ 0 };
}
