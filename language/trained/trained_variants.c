/* Characters that are read as others. */
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

/* Each character is read as one thing. */
static Status sort_variants(TrainedText *t, const char *path, Error *e)
{
    if (t->n_variants) qsort(t->variant, (size_t)t->n_variants, sizeof *t->variant, by_from);
    for (int k = 1; k < t->n_variants; k++)
        if (t->variant[k].from == t->variant[k - 1].from)
            return error_at(e, ERR_FORMAT, path, 0, 0, "found U+%04X as the first of two lines, expected it once",
                            (unsigned)t->variant[k].from);
    return OK;
}

Status trained_variants_read(TrainedText *trained, TextBlock table, Error *error)
{
    StrView line;
    int cap = 0;
    long number = table.line;
    for (size_t at = 0; text_line(table.text, &at, &line); number++) {
        size_t i = 0;
        StrView from = next_field(line, &i), to = next_field(line, &i);
        TrainedVariant v = { character(from), character(to) };
        if (!from.len) continue;
        if (v.from < 0 || v.to < 0)
            return error_at(error, ERR_FORMAT, table.path, number, 1,
                            "found \"%.*s\", expected a character, a blank and the "
                            "character that it is read as",
                            (int)(line.len < 40 ? line.len : 40), line.ptr);
        if (v.from == v.to) continue;
        if (!mem_reserve(trained->variant, &cap, trained->n_variants + 1))
            return error_set(error, ERR_NOMEM, "out of memory for a table of characters");
        trained->variant[trained->n_variants++] = v;
    }
    return sort_variants(trained, table.path, error);
}

/* The word with its usual characters; itself if it has no others. NULL when out of memory. */
static const char *fold_word(const TrainedText *t, const char *word, Arena *a)
{
    size_t len = strlen(word), at = 0;
    bool same = true;
    while (at < len && same) {
        int32_t cp = utf8_next(word, len, &at);
        same = trained_variant(t, cp) == cp;
    }
    if (same) return word;
    StrBuf out = { 0 };
    for (at = 0; at < len;) strbuf_utf8(&out, trained_variant(t, utf8_next(word, len, &at)));
    const char *folded = out.failed ? NULL : arena_strndup(a, out.ptr, out.len);
    strbuf_fini(&out);
    return folded;
}

const char *const *trained_text_fold(const TrainedText *trained, const char *const *words, int n, Arena *arena)
{
    if (!trained->n_variants) return words;
    const char **out = arena_alloc(arena, (size_t)n, sizeof *out);
    for (int w = 0; out && w < n; w++)
        if (!(out[w] = fold_word(trained, words[w], arena))) return NULL;
    return out;
}
