/* Tokens and sentences are added in the order of the text, with bytes and characters
 * counted side by side. */
#include "language/segmented_text.h"

#include <string.h>

void segmented_text_fini(SegmentedText *t)
{
    mem_free_each(t->tokens, t->sentences);
    *t = (SegmentedText){ 0 };
}

bool segmented_text_add_token(SegmentedText *t, StrView text, const Token *place, Arena *a)
{
    if (!mem_reserve(t->tokens, &t->token_cap, t->n_tokens + 1)) return false;
    Token *x = &t->tokens[t->n_tokens];
    *x = *place;
    x->len = (uint32_t)(place->end - place->begin);
    x->glued = t->n_tokens > 0 && x[-1].end == place->begin;
    x->form = arena_strndup(a, text.ptr + place->begin, x->len);
    t->n_tokens++;
    return x->form != NULL;
}

bool segmented_text_add_words(SegmentedText *t, const Token *place, const char *const *words, int n)
{
    if (!mem_reserve(t->tokens, &t->token_cap, t->n_tokens + n)) return false;
    for (int k = 0; k < n; k++) {
        Token *x = &t->tokens[t->n_tokens];
        *x = *place;
        x->form = words[k];
        x->len = (uint32_t)strlen(words[k]);
        x->glued = k > 0 || (t->n_tokens > 0 && x[-1].end == place->begin);
        x->part = (uint16_t)k;
        x->words = (uint16_t)n;
        t->n_tokens++;
    }
    return true;
}

bool segmented_text_add_sentence(SegmentedText *t, TextSentence sentence)
{
    if (!mem_reserve(t->sentences, &t->sentence_cap, t->n_sentences + 1)) return false;
    t->sentences[t->n_sentences++] = sentence;
    return true;
}

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

Status segmented_text_check(TextBlock block, Error *e)
{
    StrView text = block.text;
    const char *found;
    size_t at = text_fault(text, &found);
    if (at == text.len) return OK;
    const char *kind = block.byte == 0 ? kind_of_file(text) : NULL;
    if (kind) return error_at(e, ERR_FORMAT, block.path, 0, 0, "found %s, expected text in UTF-8", kind);
    TextPlace p = text_place((TextPlace){ block.line, block.column }, text.ptr, at);
    return error_at(e, ERR_FORMAT, block.path, p.line, p.column, "%s%s", found, text.ptr[at] ? "" : ", expected text");
}

void segmented_text_place(SegmentedText *t, TextBlock block)
{
    for (int k = 0; k < t->n_tokens; k++) {
        Token *token = &t->tokens[k];
        token->begin += block.byte;
        token->end += block.byte;
        token->begin_char += block.character;
        token->end_char += block.character;
    }
}

WordRange *segmented_text_ranges(const Token *tokens, int n_words, TextBlock block, Arena *a, int *n)
{
    WordRange *ranges = arena_alloc(a, (size_t)n_words, sizeof *ranges);
    *n = 0;
    for (int w = 0; ranges && w < n_words; w++) {
        const Token *x = &tokens[w];
        if (!x->words || x->part) continue;
        const char *form = arena_strndup(a, block.text.ptr + (x->begin - block.byte), x->end - x->begin);
        if (!form) return NULL;
        ranges[(*n)++] = (WordRange){ w, w + x->words, form, 0 };
    }
    return ranges;
}

/* Appends the tokens of bytes i .. end - 1. *chars: characters before them, then those before the end. */
static bool add_words(SegmentedText *t, StrView text, size_t i, size_t end, size_t *chars, Arena *a)
{
    while (i < end) {
        Token word = { .begin = i, .end = i, .begin_char = *chars };
        for (; i < end && !utf8_is_space(utf8_next(text.ptr, end, &i)); word.end = i) ++*chars;
        word.end_char = *chars;
        if (word.end > word.begin && !segmented_text_add_token(t, text, &word, a)) return false;
        *chars += word.end < i; /* white space */
    }
    return true;
}

Status segmented_text_lines(SegmentedText *t, TextBlock block, Arena *a, Error *e)
{
    StrView text = block.text, line;
    size_t at = 0, chars = 0;
    long number = block.line;
    t->n_tokens = t->n_sentences = 0;
    Status status = segmented_text_check(block, e);
    while (status == OK && text_line(text, &at, &line)) {
        int first = t->n_tokens;
        size_t begin = (size_t)(line.ptr - text.ptr), end = begin + line.len;
        bool added = add_words(t, text, begin, end, &chars, a);
        chars += at - end; /* the line break, of ASCII */
        added = added && segmented_text_add_sentence(t, (TextSentence){ first, t->n_tokens - first, false, number++ });
        if (!added) {
            segmented_text_fini(t);
            status = error_set(e, ERR_NOMEM, "out of memory segmenting %s", block.path);
        }
    }
    if (status == OK) segmented_text_place(t, block);
    return status;
}
