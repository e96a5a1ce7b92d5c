/* Labels are split at their joins, and each part gets the number of its first occurrence. */
#include "parser/model/categories.h"

#include <string.h>

#include "cky/decode.h"

/* The category that a chain of labels begins with; *chain becomes the rest, or NULL. */
static StrView next_category(const char **chain)
{
    const char *at = *chain, *join = strstr(at, LABEL_JOIN);
    *chain = join ? join + strlen(LABEL_JOIN) : NULL;
    return (StrView){ at, join ? (size_t)(join - at) : strlen(at) };
}

Status categories_find(const Model *model, int most, Arena *arena, Categories *categories, Error *error)
{
    int n = vocab_size(&model->labels), used = 0;
    size_t parts = 0;
    for (int l = 0; l < n; l++)
        for (const char *chain = vocab_text(&model->labels, l); chain; parts++) next_category(&chain);
    int *first = arena_alloc(arena, (size_t)n + 1, sizeof *first), *of = arena_alloc(arena, parts, sizeof *of);
    const char **name = arena_alloc(arena, parts, sizeof *name);
    if (!first || !of || !name) return error_set(error, ERR_NOMEM, "out of memory for categories");
    *categories = (Categories){ .name = name, .first = first, .of = of };
    for (int l = 0; l < n; l++) {
        first[l] = used;
        for (const char *chain = vocab_text(&model->labels, l); chain && l > CHART_GROUP;) {
            StrView at = next_category(&chain);
            int k = 0;
            while (k < categories->n && !(strncmp(name[k], at.ptr, at.len) == 0 && !name[k][at.len])) k++;
            if (k == most) continue;
            if (k == categories->n && !(name[categories->n++] = arena_strndup(arena, at.ptr, at.len)))
                return error_set(error, ERR_NOMEM, "out of memory for categories");
            of[used++] = k;
        }
    }
    first[n] = used;
    return OK;
}
