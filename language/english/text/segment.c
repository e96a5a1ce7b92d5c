/* language/english/text/segment.c: text to paragraphs and chunks (runs without white space); each code point is decoded
 * once. */
#include "language/english/text/segment_internal.h"

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

static Status finish(Segmenter *s, TextBlock block, Error *e)
{
    mem_free(s->c.cp);
    mem_free(s->c.at);
    if (!s->failed) {
        segmented_text_place(s->out, block);
        return OK;
    }
    segmented_text_fini(s->out);
    return error_set(e, ERR_NOMEM, "out of memory segmenting %s", block.path);
}

Status segment_text(SegmentedText *out, TextBlock block, Newlines newlines, Arena *a, Error *e)
{
    StrView text = block.text;
    out->n_tokens = out->n_sentences = 0;
    Status status = segmented_text_check(block, e);
    if (status != OK) return status;
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
