/* Text to paragraphs and chunks (runs without white space); each code point is decoded
 * once. */
#include "language/english/text/segment_internal.h"
#include "language/english/text/signs.h"

size_t segment_read_chunk(Segmenter *segmenter, size_t i)
{
    Chunk *c = &segmenter->c;
    size_t end = segmenter->text.len;
    int n = 0;
    bool doubtful = false; /* a sign that may be an apostrophe */
    for (size_t next = i;; i = next) {
        if (!mem_reserve(c->cp, &c->cap_cp, n + 1) || !mem_reserve(c->at, &c->cap_at, n + 1)) {
            segmenter->failed = true;
            return end;
        }
        c->at[n] = i;
        c->n = n;
        if (i == end || utf8_is_space(c->cp[n] = utf8_next(segmenter->text.ptr, end, &next))) break;
        if (c->cp[n] >= 128) c->cp[n] = signs_read(c->cp[n]);
        doubtful |= sign_is_doubtful(c->cp[n]);
        n++;
    }
    if (doubtful) signs_read_apostrophes(c->cp, n);
    return c->at[n];
}

/* While sentences were found, a token that ends where a word is broken had what is left out there: ends it before. */
static void end_at_breaks(Segmenter *s)
{
    for (int k = 0; k < s->out->n_tokens; k++) {
        Token *t = &s->out->tokens[k];
        if (!t->cut || t->cut != t->len) continue;
        size_t end = t->begin + t->len;
        t->end_char -= segment_columns(s->text, end, t->end);
        t->end = end;
        t->cut = 0;
    }
}

static Status finish(Segmenter *s, TextBlock block, Error *e)
{
    mem_free_each(s->c.cp, s->c.at);
    if (!s->failed) {
        end_at_breaks(s);
        segmented_text_place(s->out, block);
        return OK;
    }
    segmented_text_fini(s->out);
    return error_set(e, ERR_NOMEM, "out of memory segmenting %s", block.path);
}

Status segment_text(SegmentedText *out, TextBlock block, SegmentOptions options, Arena *arena, Error *error)
{
    out->n_tokens = out->n_sentences = 0;
    Status status = segmented_text_check(block, error);
    if (status != OK) return status;
    StrView text = block.text;
    Segmenter s = { .text = text, .out = out, .a = arena, .newlines = options.newlines };
    int breaks = 0; /* line breaks since the last chunk */
    int paragraph_breaks = options.newlines == NEWLINES_PARAGRAPH ? 1 : 2;
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
        if (!options.words && (i = segment_plain_chunk(&s, from)) > from) continue;
        i = segment_read_chunk(&s, from);
        if (s.failed) break;
        size_t joined = options.words ? i : segment_join(&s, i);
        if (joined > i) {
            i = joined;
            line++;
            continue;
        }
        if (options.words) segment_whole_chunk(&s);
        else segment_chunk(&s);
        s.chars += (size_t)s.c.n;
    }
    segment_paragraph(&s, s.paragraph, paragraph_line);
    return finish(&s, block, error);
}
