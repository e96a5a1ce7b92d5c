/* Tokens and sentences are added in the order of the text, with bytes and characters
 * counted side by side. */
#include "language/segmented_text.h"

#include <string.h>

void segmented_text_fini(SegmentedText *text)
{
    mem_free_each(text->tokens, text->sentences);
    *text = (SegmentedText){ 0 };
}

bool segmented_text_add_token(SegmentedText *segmented_text, StrView text, const Token *place, Arena *arena)
{
    if (!mem_reserve(segmented_text->tokens, &segmented_text->token_cap, segmented_text->n_tokens + 1)) return false;
    Token *x = &segmented_text->tokens[segmented_text->n_tokens];
    *x = *place;
    x->len = (uint32_t)(place->end - place->begin);
    x->glued = segmented_text->n_tokens > 0 && x[-1].end == place->begin;
    x->form = arena_strndup(arena, text.ptr + place->begin, x->len);
    segmented_text->n_tokens++;
    return x->form != NULL;
}

bool segmented_text_add_words(SegmentedText *text, const Token *place, const char *const *words, int n)
{
    if (!mem_reserve(text->tokens, &text->token_cap, text->n_tokens + n)) return false;
    for (int k = 0; k < n; k++) {
        Token *x = &text->tokens[text->n_tokens];
        *x = *place;
        x->form = words[k];
        x->len = (uint32_t)strlen(words[k]);
        x->glued = k > 0 || (text->n_tokens > 0 && x[-1].end == place->begin);
        x->part = (uint16_t)k;
        x->words = (uint16_t)n;
        text->n_tokens++;
    }
    return true;
}

bool segmented_text_add_sentence(SegmentedText *text, TextSentence sentence)
{
    if (!mem_reserve(text->sentences, &text->sentence_cap, text->n_sentences + 1)) return false;
    text->sentences[text->n_sentences++] = sentence;
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

Status segmented_text_check(TextBlock block, Error *error)
{
    StrView text = block.text;
    const char *found;
    size_t at = text_fault(text, &found);
    if (at == text.len) return OK;
    const char *kind = block.byte == 0 ? kind_of_file(text) : NULL;
    if (kind) return error_at(error, ERR_FORMAT, block.path, 0, 0, "found %s, expected text in UTF-8", kind);
    TextPlace p = text_place((TextPlace){ block.line, block.column }, text.ptr, at);
    return error_at(error, ERR_FORMAT, block.path, p.line, p.column, "%s%s", found,
                    text.ptr[at] ? "" : ", expected text");
}

void segmented_text_place(SegmentedText *text, TextBlock block)
{
    if (!block.byte && !block.character) return;
    for (int k = 0; k < text->n_tokens; k++) {
        Token *token = &text->tokens[k];
        token->begin += block.byte;
        token->end += block.byte;
        token->begin_char += block.character;
        token->end_char += block.character;
    }
}

WordRange *segmented_text_ranges(const Token *tokens, int n_words, TextBlock block, Arena *arena, int *n)
{
    WordRange *ranges = arena_alloc(arena, (size_t)n_words, sizeof *ranges);
    *n = 0;
    for (int w = 0; ranges && w < n_words; w++) {
        const Token *x = &tokens[w];
        if (!x->words || x->part) continue;
        const char *form = arena_strndup(arena, block.text.ptr + (x->begin - block.byte), x->end - x->begin);
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

Status segmented_text_lines(SegmentedText *segmented_text, TextBlock block, Arena *arena, Error *error)
{
    StrView text = block.text, line;
    size_t at = 0, chars = 0;
    long number = block.line;
    segmented_text->n_tokens = segmented_text->n_sentences = 0;
    Status status = segmented_text_check(block, error);
    while (status == OK && text_line(text, &at, &line)) {
        int first = segmented_text->n_tokens;
        size_t begin = (size_t)(line.ptr - text.ptr), end = begin + line.len;
        bool added = add_words(segmented_text, text, begin, end, &chars, arena);
        chars += at - end; /* the line break, of ASCII */
        added = added &&
                segmented_text_add_sentence(segmented_text,
                                            (TextSentence){ first, segmented_text->n_tokens - first, false, number++ });
        if (!added) {
            segmented_text_fini(segmented_text);
            status = error_set(error, ERR_NOMEM, "out of memory segmenting %s", block.path);
        }
    }
    if (status == OK) segmented_text_place(segmented_text, block);
    return status;
}
