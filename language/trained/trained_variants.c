/* Characters and words that are read as others. */
#include <stdlib.h>
#include <string.h>

#include "language/trained/trained_internal.h"

static int by_from(const void *a, const void *b)
{
    const TrainedVariant *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

int32_t trained_variant(const TrainedText *trained, int32_t cp)
{
    const TrainedVariant key = { cp, cp }, *found = NULL;
    if (trained->n_variants && cp >= trained->variant[0].from)
        found = bsearch(&key, trained->variant, (size_t)trained->n_variants, sizeof key, by_from);
    return found ? found->to : cp;
}

/* The next thing between blanks of a line; *at moves past it. */
static StrView next_field(StrView line, size_t *at)
{
    while (*at < line.len && (line.ptr[*at] == ' ' || line.ptr[*at] == '\t' || line.ptr[*at] == '\r')) ++*at;
    size_t begin = *at;
    while (*at < line.len && line.ptr[*at] != ' ' && line.ptr[*at] != '\t' && line.ptr[*at] != '\r') ++*at;
    return (StrView){ line.ptr + begin, *at - begin };
}

/* The character of a field; -1: the field is empty, or longer. */
static int32_t character(StrView field)
{
    size_t at = 0;
    int32_t cp = field.len ? utf8_next(field.ptr, field.len, &at) : -1;
    return at == field.len ? cp : -1;
}

/* ---- words */

static int count_characters(StrView v)
{
    int n = 0;
    for (size_t i = 0; i < v.len; n++) utf8_next(v.ptr, v.len, &i);
    return n;
}

bool trained_is_variant_word(const char *from, const char *to)
{
    int n = count_characters(text_view(from));
    return n >= 2 && n <= TRAINED_WORD && count_characters(text_view(to)) == n;
}

const TrainedPair *trained_variant_word(const TrainedText *trained, StrView text)
{
    const TrainedPair *pair = trained->variant_words.pair;
    int low = 0, high = trained->variant_words.n;
    size_t first = 0;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strncmp(pair[middle].from, text.ptr, text.len);
        if (order > 0 || (order == 0 && strlen(pair[middle].from) > text.len)) high = middle;
        else low = middle + 1;
    }
    if (low) utf8_next(text.ptr, text.len, &first);
    for (int k = low - 1; k >= 0 && strncmp(pair[k].from, text.ptr, first) == 0; k--) {
        size_t len = strlen(pair[k].from);
        if (len <= text.len && memcmp(pair[k].from, text.ptr, len) == 0) return &pair[k];
    }
    return NULL;
}

/* ---- reading */

static int by_word(const void *a, const void *b)
{
    const TrainedPair *x = a, *y = b;
    return strcmp(x->from, y->from);
}

/* Each character and each word is read as one thing. */
static Status sort_variants(TrainedText *t, const char *path, Error *e)
{
    TrainedPairs *words = &t->variant_words;
    if (t->n_variants) qsort(t->variant, (size_t)t->n_variants, sizeof *t->variant, by_from);
    if (words->n) qsort(words->pair, (size_t)words->n, sizeof *words->pair, by_word);
    for (int k = 1; k < t->n_variants; k++)
        if (t->variant[k].from == t->variant[k - 1].from)
            return error_at(e, ERR_FORMAT, path, 0, 0, "found U+%04X as the first of two lines, expected it once",
                            (unsigned)t->variant[k].from);
    for (int k = 1; k < words->n; k++)
        if (by_word(&words->pair[k - 1], &words->pair[k]) == 0)
            return error_at(e, ERR_FORMAT, path, 0, 0, "found %s as the first of two lines, expected it once",
                            words->pair[k].from);
    return OK;
}

static Status add_variant(TrainedText *t, int *cap, StrView from, StrView to, TextBlock table, long line, Error *e)
{
    TrainedVariant v = { character(from), character(to) };
    bool added = true;
    if (v.from >= 0 && v.to >= 0) {
        if (v.from == v.to) return OK;
        added = mem_reserve(t->variant, cap, t->n_variants + 1);
        if (added) t->variant[t->n_variants++] = v;
    } else {
        const char *word = arena_strndup(&t->arena, from.ptr, from.len);
        const char *read = arena_strndup(&t->arena, to.ptr, to.len);
        if (word && read && !trained_is_variant_word(word, read))
            return error_at(e, ERR_FORMAT, table.path, line, 1,
                            "found \"%.*s\", expected a character or word, a blank and as many characters",
                            (int)utf8_cut(from.ptr, from.len, 40), from.ptr);
        added = trained_pairs_add(&t->variant_words, word, read);
    }
    return added ? OK : error_set(e, ERR_NOMEM, "out of memory for a table of characters");
}

Status trained_variants_read(TrainedText *trained, TextBlock table, Error *error)
{
    StrView line;
    int cap = 0;
    long number = table.line;
    Status status = OK;
    for (size_t at = 0; status == OK && text_line(table.text, &at, &line); number++) {
        size_t i = 0;
        StrView from = next_field(line, &i), to = next_field(line, &i);
        if (from.len) status = add_variant(trained, &cap, from, to, table, number, error);
    }
    return status == OK ? sort_variants(trained, table.path, error) : status;
}

/* ---- use */

/* The word with its usual characters; itself if it has no others. NULL when out of memory. */
static const char *fold_word(const TrainedText *t, const char *word, Arena *a)
{
    size_t len = strlen(word), at = 0;
    bool same = true;
    while (at < len && same) {
        same = !t->variant_words.n || !trained_variant_word(t, (StrView){ word + at, len - at });
        int32_t cp = utf8_next(word, len, &at);
        same = same && trained_variant(t, cp) == cp;
    }
    if (same) return word;
    StrBuf out = { 0 };
    for (at = 0; at < len;) {
        const TrainedPair *found = trained_variant_word(t, (StrView){ word + at, len - at });
        if (found) strbuf_puts(&out, found->to), at += strlen(found->from);
        else strbuf_utf8(&out, trained_variant(t, utf8_next(word, len, &at)));
    }
    const char *folded = out.failed ? NULL : arena_strndup(a, out.ptr, out.len);
    strbuf_fini(&out);
    return folded;
}

const char *const *trained_text_fold(const TrainedText *trained, const char *const *words, int n, Arena *arena)
{
    if (!trained->n_variants && !trained->variant_words.n) return words;
    const char **out = arena_alloc(arena, (size_t)n, sizeof *out);
    for (int w = 0; out && w < n; w++)
        if (!(out[w] = fold_word(trained, words[w], arena))) return NULL;
    return out;
}
